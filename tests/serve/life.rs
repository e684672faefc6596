//! How a service begins and ends, and what broken connections and bodies do to it: nothing.

use crate::support::ken::User;
use crate::support::service::{Service, read};
use serde_json::json;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

const REFUSED: &str = "fatal: refusing to merge unrelated histories";

#[test]
fn it_ends_in_good_order_and_says_whether_it_is_there() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    let address = service.address.clone();
    let check = |address: &str| user.ken(&["serve", "--check", "--listen", address]);
    assert_eq!(check(&address).code, 0);
    assert_eq!(service.bare("GET", "/readyz", &[("Host", &address)], "").json()["state"], "ready");
    let second = user.ken(&["serve", "--listen", &address]);
    assert!(second.code == 7 && second.err.contains("already"), "{second:?}");
    let mode = std::fs::metadata(user.home().join("token")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(service.end(), Some(0));
    let gone = check(&address);
    assert!(gone.code == 10 && gone.err.contains("ken serve"), "{gone:?}");
    // The token of the first start is that of the second.
    let token = std::fs::read_to_string(user.home().join("token")).unwrap();
    let again = Service::start(&user, &[]);
    assert_eq!(again.token, token.trim());
    assert_eq!(again.ask("GET", "/v1/status", "").status, 200);
    again.kill();
}

#[test]
fn a_request_that_is_open_at_the_end_is_answered() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    let body = json!({"text": REFUSED}).to_string();
    let (first, rest) = body.split_at(body.len() / 2);
    let mut stream = service.connect();
    write!(
        stream,
        "POST /v1/lookup HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{first}",
        service.address,
        service.token,
        body.len()
    )
    .unwrap();
    // It has been begun: another one is answered, that came later.
    assert_eq!(service.ask("GET", "/v1/status", "").status, 200);
    let address = service.address.clone();
    let ended = std::thread::spawn(move || service.end());
    // No other is heard from now on.
    while std::net::TcpStream::connect(&address).is_ok() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    stream.write_all(rest.as_bytes()).unwrap();
    let answer = read(&mut stream);
    assert!(answer.status == 200 && answer.body.contains("git-ssh/unrelated-histories"), "{answer:?}");
    assert_eq!(ended.join().unwrap(), Some(0));
}

#[test]
fn what_is_wrong_is_refused_and_the_next_request_is_answered() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    let head = format!(
        "Host: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nConnection: close\r\n",
        service.address, service.token
    );
    let post = |path: &str, more: &str, body: &[u8]| {
        let mut bytes = format!("POST {path} HTTP/1.1\r\n{head}{more}\r\n").into_bytes();
        bytes.extend_from_slice(body);
        service.raw(&bytes).status
    };
    let sized = |path: &str, body: &[u8]| post(path, &format!("Content-Length: {}\r\n", body.len()), body);
    assert_eq!(sized("/v1/search", b"not json"), 400);
    assert_eq!(sized("/v1/search", b"\xff\xfe"), 400);
    assert_eq!(sized("/v1/search", b""), 400);
    assert_eq!(sized("/v1/search", "[".repeat(1 << 20).as_bytes()), 400, "a body of brackets");
    assert_eq!(sized("/v1/search", format!("{{\"query\":{}", "[".repeat(1 << 20)).as_bytes()), 400);
    assert_eq!(sized("/v1/search", b"{\"query\":\"\"}"), 400);
    assert_eq!(sized("/v1/search", &vec![b' '; 5 << 20]), 413, "a body beyond the bound");
    assert_eq!(post("/v1/search", "Transfer-Encoding: chunked\r\n", b"zzz\r\n"), 400, "a chunk without a size");
    assert_eq!(post("/v1/search", &format!("X: {}\r\n", "a".repeat(10 << 20)), b""), 431, "headers of 10 MB");
    assert_eq!(post("/v1/search", &"X: a\r\n".repeat(1000), b""), 431, "a thousand headers");
    assert_eq!(service.raw(b"\x16\x03\x01\x02\x00\x01").status, 400, "a client that speaks TLS");
    assert_eq!(service.raw(b"GET / HTTP/9.9\r\n\r\n").status, 400);
    for (method, path, expected) in [
        ("GET", "/v1/search", 405),
        ("DELETE", "/v1/lookup", 405),
        ("GET", "/v1/../v1/status", 404),
        ("GET", "/v2/search", 404),
        ("GET", "/v1/jobs/7", 404),
        ("GET", "/v1/jobs/%00", 404),
        ("GET", "/v1/models/none", 404),
    ] {
        let answer = service.ask(method, path, "");
        assert_eq!(answer.status, expected, "{method} {path}: {answer:?}");
        assert_eq!(answer.header("allow").is_some(), expected == 405, "{answer:?}");
    }
    // Those who go in the middle, and those who never come to the point.
    for part in ["POST /v1/search HT", "POST /v1/search HTTP/1.1\r\nContent-Length: 100\r\n"] {
        let mut stream = service.connect();
        stream.write_all(part.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Both).unwrap();
    }
    let mut half = service.connect();
    half.write_all(format!("POST /v1/lookup HTTP/1.1\r\n{head}Content-Length: 1000\r\n\r\n{{\"te").as_bytes()).unwrap();
    drop(half);
    let found = service.told("/v1/lookup", &json!({"text": REFUSED}));
    assert_eq!(found["results"][0]["hits"][0]["id"], "git-ssh/unrelated-histories");
    assert_eq!(service.end(), Some(0));
}

/// Clients keep a connection for their next request. One that was refused with its body unread leaves it whole.
#[test]
fn a_refusal_leaves_the_connection_whole() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    let mut stream = service.connect();
    let body = format!("{{\"query\":\"{}\"}}", "x".repeat(100_000));
    let rest = format!("Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    for (path, host) in
        [("/v1/search", &service.address), ("/nothing", &service.address), ("/v1/search", &REFUSED.into())]
    {
        write!(stream, "POST {path} HTTP/1.1\r\nHost: {host}\r\n{rest}").unwrap();
    }
    write!(stream, "GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", service.address).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let statuses: Vec<&str> = text.match_indices("HTTP/1.1 ").map(|(at, _)| &text[at + 9..at + 12]).collect();
    assert_eq!(statuses, ["415", "404", "403", "200"], "{text}");
}

#[test]
fn it_listens_at_a_socket_that_is_its_owner_s_alone() {
    let user = User::new();
    let path = user.work().join("ken.sock");
    let text = path.to_str().unwrap();
    let start =
        || user.command(&["serve", "--unix", text]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut child = start();
    let mut line = [0; 5];
    child.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
    assert_eq!(&line, b"unix:");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(user.ken(&["serve", "--check", "--unix", text]).code, 0);
    assert_eq!(user.ken(&["serve", "--unix", text]).code, 7);
    let token = std::fs::read_to_string(user.home().join("token")).unwrap();
    let mut stream = UnixStream::connect(&path).unwrap();
    let body = json!({"text": REFUSED}).to_string();
    write!(
        stream,
        "POST /v1/lookup HTTP/1.1\r\nHost: ken\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        token.trim(),
        body.len()
    )
    .unwrap();
    assert!(read(&mut stream).body.contains("git-ssh/unrelated-histories"));
    // One that was killed leaves its socket, and the next takes it away.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(path.exists());
    let mut next = start();
    next.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
    assert_eq!(user.ken(&["serve", "--check", "--unix", text]).code, 0);
    next.kill().unwrap();
    next.wait().unwrap();
    // A file that is none is left alone.
    let file = user.document("notes.md", "# Notes\n");
    assert_eq!(user.ken(&["serve", "--unix", file.to_str().unwrap()]).code, 9);
    assert!(file.exists());
}

#[test]
fn what_would_be_open_to_others_is_not_begun() {
    let user = User::new();
    for (arguments, words) in [
        (vec!["serve", "--listen", "0.0.0.0:0"], "no host is named"),
        (vec!["serve", "--listen", "0.0.0.0:0", "--host", "ken.example", "--no-token"], "without a token"),
        (vec!["serve", "--listen", "nowhere"], "no address with a port"),
        (vec!["serve", "--listen", "127.0.0.1:99999"], "no address with a port"),
    ] {
        let ran = user.ken(&arguments);
        assert!(ran.code == 2 && ran.err.contains(words), "{arguments:?}: {ran:?}");
    }
    user.write("tokens.json", "damaged");
    let ran = user.ken(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(ran.code == 5 && ran.err.contains("tokens.json"), "{ran:?}");
}
