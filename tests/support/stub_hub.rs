//! A model hub on loopback for tests: answers as a closure says, remembers what it was asked, stops with the test.
//!
//! Written on sockets, because the interesting answers are the broken ones: cut off in the middle, too short, to
//! another host. Every connection serves one request.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// What was asked.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
}

impl Request {
    /// First byte that a `Range` asks for.
    pub fn range(&self) -> Option<usize> {
        self.headers.get("range")?.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok()
    }
}

/// What to answer.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Closes the connection after so many bytes of the body.
    pub cut: Option<usize>,
    /// `Content-Length`, if it is not to be the body's.
    pub length: Option<usize>,
}

impl Reply {
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    pub fn header(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.push((name.into(), value.to_string()));
        self
    }
}

type Answer = dyn Fn(&Request) -> Reply + Send + Sync;

/// A running hub.
pub struct StubHub {
    pub url: String,
    log: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl StubHub {
    pub fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (log, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let answer: Arc<Answer> = Arc::new(answer);
        let (log2, stop2) = (Arc::clone(&log), Arc::clone(&stop));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop2.load(Ordering::SeqCst) {
                    return;
                }
                let (answer, log) = (Arc::clone(&answer), Arc::clone(&log2));
                // A client that goes away is the client's affair.
                std::thread::spawn(move || drop(stream.and_then(|s| serve(s, &*answer, &log))));
            }
        });
        Self { url, log, stop, thread: Some(thread) }
    }

    /// Everything that was asked so far.
    pub fn requests(&self) -> Vec<Request> {
        self.log.lock().unwrap().clone()
    }

    /// How many requests of this method ended in `path`.
    pub fn count(&self, method: &str, path: &str) -> usize {
        self.requests().iter().filter(|r| r.method == method && r.path.ends_with(path)).count()
    }
}

impl Drop for StubHub {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(stream: TcpStream, answer: &Answer, log: &Mutex<Vec<Request>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next().unwrap_or("").to_owned(), words.next().unwrap_or("").to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
    }
    let request = Request { method, path, headers };
    log.lock().unwrap().push(request.clone());
    let reply = answer(&request);
    let mut stream = stream;
    write!(stream, "HTTP/1.1 {} Status\r\nConnection: close\r\n", reply.status)?;
    let length = reply.length.unwrap_or(reply.body.len());
    write!(stream, "Content-Length: {length}\r\n")?;
    for (name, value) in &reply.headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    write!(stream, "\r\n")?;
    if request.method != "HEAD" {
        let body = &reply.body[..reply.cut.unwrap_or(reply.body.len())];
        stream.write_all(body)?;
    }
    stream.flush()
}

/// A repository as the real hub serves it.
#[derive(Debug, Clone)]
pub struct Repository {
    pub commit: String,
    /// Path to bytes.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Repository {
    /// The file that a request means, with its path.
    pub fn file(&self, request: &Request) -> Option<(&str, &[u8])> {
        let (_, path) = request.path.split_once("/resolve/")?.1.split_once('/')?;
        self.files.get_key_value(path).map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// The right answer: weights have their hash as entity tag, other files something shorter; ranges are honoured.
    pub fn answer(&self, request: &Request) -> Reply {
        let Some((path, bytes)) = self.file(request) else {
            return Reply::status(404);
        };
        let hash = super::sha256(bytes);
        let etag = if path.ends_with(".safetensors") { hash.as_str() } else { &hash[..40] };
        let reply = Reply::status(200).header("X-Repo-Commit", &self.commit).header("ETag", format!("\"{etag}\""));
        match request.range() {
            Some(from) if from < bytes.len() => {
                let range = format!("bytes {from}-{}/{}", bytes.len() - 1, bytes.len());
                Reply { status: 206, body: bytes[from..].to_vec(), ..reply }.header("Content-Range", range)
            }
            Some(_) => Reply::status(416),
            None => Reply { body: bytes.to_vec(), ..reply },
        }
    }
}
