//! Copies of a store in a real PostgreSQL server: there and back, killed, cut off, refused.

use crate::support::ken::{Ran, User, section};
use crate::support::long::amount;
use crate::support::postgres::Server;
use crate::support::tiny::Tiny;
use std::fs;
use std::io::BufRead;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// Somebody with documents, a memory, tools, items and outcomes.
fn somebody() -> User {
    let user = User::new();
    let sections: String = (0..40).map(|number| section(number, &format!("Fact {number} of the keys."))).collect();
    user.document("facts.md", format!("# Facts\n\n{sections}"));
    user.document("names.md", "# Names\n\nThe zero byte and its friends are named nowhere else but in this paragraph.");
    user.document("tools.json", r#"[{"name": "rotate_keys", "description": "Rotate the signing keys of a service"}]"#);
    let model = user.home().join("tiny");
    Tiny::quick().write(&model);
    user.write("config.toml", format!("[model]\nname = {model:?}\n"));
    for ran in [
        user.ken(&["index", "."]),
        user.ken(&["remember", "In this repository keys are rotated in May"]),
        user.ken(&["tools", "add", "tools.json"]),
        user.ken_with(
            &["items", "put", "-"],
            b"{\"id\": \"n1\", \"text\": \"a\\u0000b and \\u0001c\", \"attributes\": {\"year\": 2.5}}",
        ),
        user.ken(&["run", "--", "false"]),
    ] {
        assert!([0, 1].contains(&ran.code), "{ran:?}");
    }
    user
}

fn copied(user: &User, places: &[&str]) -> serde_json::Value {
    let ran = user.ken(&[&["store", "copy", "--json"], places].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.json()
}

/// How many rows a copy sent or removed.
fn moved(copy: &serde_json::Value) -> u64 {
    let tables = copy["tables"].as_array().unwrap().iter();
    tables.map(|table| table["sent"].as_u64().unwrap() + table["removed"].as_u64().unwrap()).sum()
}

fn said(ran: &Ran, code: i32, text: &str) {
    assert_eq!(ran.code, code, "{ran:?}");
    assert!(ran.err.contains(text), "{ran:?}");
}

#[test]
fn everything_goes_there_and_comes_back() {
    let server = Server::start();
    let (user, to) = (somebody(), server.address());
    let first = copied(&user, &["--to", &to]);
    assert_eq!((first["same"].as_bool(), moved(&first) > 100), (Some(true), true), "{first}");
    assert_eq!(moved(&copied(&user, &["--to", &to])), 0, "nothing has changed");
    assert_eq!(user.ken(&["store", "compare", "--to", &to]).code, 0);

    // What is changed and forgotten here is changed and gone there.
    user.document("facts.md", format!("# Facts\n\n{}", section(1, "Fact 1 of the keys.")));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let ran = user.ken(&["store", "compare", "--to", &to]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let second = copied(&user, &["--to", &to]);
    assert!(moved(&second) > 30 && moved(&second) < moved(&first), "{second}");
    assert_eq!(server.psql("kenning", "SELECT count(*) FROM kenning.item WHERE body LIKE '%Fact 2 of%'"), "0\n");

    // Somebody else's copy of it answers as the first one does.
    let back = user.work().join("../back");
    let third = copied(&user, &["--from", &to, "--to", back.to_str().unwrap()]);
    assert_eq!(third["same"].as_bool(), Some(true));
    let asked = |home: &Path| {
        let mut command = user.command(&["search", "--json", "--dry-run", "fact of the keys"]);
        command.env("KEN_HOME", home);
        let mut answer = crate::support::ken::run(command, b"").json();
        answer["took_ms"] = 0.into();
        answer
    };
    assert_eq!(asked(&back), asked(&user.home()));
    let mut command = user.command(&["doctor"]);
    command.env("KEN_HOME", &back);
    let ran = crate::support::ken::run(command, b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    let export = |home: &Path| {
        let mut command = user.command(&["export"]);
        command.env("KEN_HOME", home);
        let out = crate::support::ken::run(command, b"").out;
        out.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(export(&back), export(&user.home()));
}

/// The doctor looks at the rows of the store that is used, and mends what it can.
#[test]
fn the_doctor_looks_at_the_store_that_is_used() {
    let server = Server::start();
    let (user, there) = (somebody(), server.address());
    let doctor = |options: &[&str]| {
        let mut command = user.command(&[&["doctor"], options].concat());
        command.env("KEN_STORE_URL", &there);
        crate::support::ken::run(command, b"")
    };
    assert_eq!(doctor(&[]).code, 0, "there is none yet");
    copied(&user, &["--to", &there]);
    assert_eq!(doctor(&[]).code, 0);
    assert!(server.psql("kenning", "UPDATE kenning.corpus SET words = words + 1").contains("UPDATE 1"));
    assert_ne!(doctor(&[]).code, 0);
    assert_eq!(user.ken(&["doctor"]).code, 0, "the file is another store");
    let mended = doctor(&["--repair"]);
    assert_eq!(mended.code, 0, "{mended:?}");
    assert_eq!(doctor(&[]).code, 0);
    server.psql("kenning", "UPDATE kenning.schema_version SET number = 99");
    said(&doctor(&[]), 6, "has schema 99");
}

#[test]
fn what_no_ken_wrote_does_not_come_back() {
    let server = Server::start();
    let (user, there) = (somebody(), server.address());
    copied(&user, &["--to", &there]);
    for (at, change) in [
        "ALTER TABLE kenning.item DROP CONSTRAINT item_authority_check; UPDATE kenning.item SET authority = 'king'",
        "ALTER TABLE kenning.item DROP CONSTRAINT item_attributes_check;
         UPDATE kenning.item SET attributes = 'no JSON'",
        "SET session_replication_role = replica; DELETE FROM kenning.source",
        "SET session_replication_role = replica; DELETE FROM kenning.memory_event",
    ]
    .iter()
    .enumerate()
    {
        // Whoever takes the rules away first.
        let printed = server.psql("kenning", change);
        assert!(!printed.contains("ERROR"), "{printed}");
        let ran = user.ken(&["store", "copy", "--from", &there, "--to", &format!("back{at}")]);
        said(&ran, 5, "has a row that ken did not write");
        let sound = user.ken(&["store", "copy", "--to", &there]);
        assert_eq!(sound.code, 0, "{change}: {sound:?}");
    }
}

#[test]
fn a_copy_that_is_killed_goes_on_where_it_was() {
    let server = Server::start();
    let (user, to) = (somebody(), server.address());
    let back = user.work().join("../back");
    let back = back.to_str().unwrap();
    for (from, to) in [(user.home().to_str().unwrap(), to.as_str()), (to.as_str(), back)] {
        for kill in 0..amount("KEN_KILLS", 40, 8) {
            let mut command = user.command(&["store", "copy", "--from", from, "--to", to]);
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
            let mut process = command.spawn().unwrap();
            std::thread::sleep(Duration::from_millis(u64::from(kill) * 3));
            process.kill().unwrap();
            process.wait().unwrap();
        }
        // The server notices a while later that the last one is gone.
        let ran = (0..100).find_map(|_| {
            let ran = user.ken(&["store", "copy", "--from", from, "--to", to]);
            std::thread::sleep(Duration::from_millis(50));
            (ran.code != 7).then_some(ran)
        });
        assert_eq!(ran.unwrap().code, 0);
        assert_eq!(user.ken(&["store", "compare", "--from", from, "--to", to]).code, 0);
    }
}

#[test]
fn a_server_that_dies_meanwhile_costs_nothing() {
    let mut server = Server::start();
    let (user, to) = (somebody(), server.address());
    for wait in [5, 20, 60] {
        let mut command = user.command(&["store", "copy", "--to", &to]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut process = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        server.crash();
        let code = process.wait().unwrap().code();
        assert!([Some(0), Some(10)].contains(&code), "{code:?}");
        server.run();
    }
    assert_eq!(copied(&user, &["--to", &to])["same"].as_bool(), Some(true));
    server.crash();
    said(&user.ken(&["store", "copy", "--to", &to]), 10, "look at the address");
}

#[test]
fn what_is_no_earlier_copy_is_left_alone() {
    let server = Server::start();
    let (user, other, to) = (somebody(), somebody(), server.address());
    copied(&user, &["--to", &to]);
    said(&other.ken(&["store", "copy", "--to", &to]), 2, "it is no earlier copy of it");
    assert_eq!(user.ken(&["store", "compare", "--to", &to]).code, 0);
    // A newer ken has been there.
    server.psql("kenning", "UPDATE kenning.schema_version SET number = 999");
    said(&user.ken(&["store", "copy", "--to", &to]), 6, "has schema 999");
    server.psql("kenning", "DROP SCHEMA kenning CASCADE");
    said(&user.ken(&["store", "compare", "--to", &to]), 2, "holds no store of ken");
    said(&user.ken(&["store", "copy", "--from", &to, "--to", "elsewhere"]), 2, "holds no store of ken");
    // Somebody else copies.
    let mut copies = postgres::Client::connect(&to, postgres::NoTls).unwrap();
    copies.execute("SELECT pg_advisory_lock(7038318)", &[]).unwrap();
    assert_eq!(user.ken(&["store", "copy", "--to", &to]).code, 7);
    drop(copies);
    let latin = server.psql("postgres", "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    assert!(latin.contains("CREATE"), "{latin}");
    let latin = to.replace("/kenning", "/latin");
    said(&user.ken(&["store", "copy", "--to", &latin]), 6, "keeps texts as LATIN1");
    said(&user.ken(&["store", "copy", "--to", &to.replace("/kenning", "/none")]), 10, "createdb");
    for wrong in ["postgres://host:notaport/k", "mysql://a/b"] {
        assert_eq!(user.ken(&["store", "copy", "--to", wrong]).code, 2, "{wrong}");
    }
    said(&user.ken(&["store", "copy"]), 2, "there is no place to copy to");
}

#[test]
fn a_password_comes_from_a_file_and_is_never_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    fs::write(&file, "secret\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let made = ["-A", "scram-sha-256", "--pwfile", file.to_str().unwrap()];
    let server = Server::start_in_network(&made);
    let user = somebody();
    let to = server.address_at("127.0.0.1");
    let mut wrong = user.command(&["store", "copy", "--to", &to.replace("postgres@", "postgres:wr0ng@")]);
    let ran = crate::support::ken::run(std::mem::replace(&mut wrong, user.command(&[])), b"");
    said(&ran, 10, "store.password_file");
    assert!(!ran.err.contains("wr0ng"), "{ran:?}");
    let path = file.to_str().unwrap();
    assert_eq!(user.ken(&["config", "set", "store.password_file", path]).code, 0);
    said(&user.ken(&["store", "copy", "--to", &to]), 9, "other users can read the password");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let ran = user.ken(&["store", "copy", "--json", "--to", &to]);
    assert_eq!((ran.code, ran.json()["same"].as_bool()), (0, Some(true)), "{ran:?}");
    let mut command = user.command(&["config", "show"]);
    command.env("KEN_STORE_URL", to.replace("postgres@", "postgres:wr0ng@"));
    assert!(!crate::support::ken::run(command, b"").out.contains("wr0ng"));
}

/// An authority's certificate, and one of `localhost` that it signed.
fn certified(folder: &Path) {
    const STEPS: &str = "set -e
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem
        openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr
        echo subjectAltName=DNS:localhost > names
        openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.crt
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=other -keyout other.key -out other.pem";
    let ran = std::process::Command::new("sh").args(["-c", STEPS]).current_dir(folder).output().unwrap();
    assert!(ran.status.success(), "certificates need openssl: {ran:?}");
}

/// Speaks TLS in front of a server, whose package cannot.
struct Front(std::process::Child, String);

impl Front {
    fn of(server: &Server, folder: &Path) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/tls_front.py");
        let mut command = std::process::Command::new("python3");
        command.arg(script).args(["server.crt", "server.key", &server.port().to_string()]).current_dir(folder);
        let piped = std::process::Stdio::piped;
        let mut process = command.stdin(piped()).stdout(piped()).spawn().unwrap();
        let mut line = String::new();
        std::io::BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        Self(process, line.trim().to_owned())
    }

    fn address(&self, host: &str) -> String {
        format!("postgres://postgres@{host}:{}/kenning?sslmode=require", self.1)
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

#[test]
fn tls_is_spoken_only_with_whom_the_certificate_names() {
    let folder = tempfile::tempdir().unwrap();
    certified(folder.path());
    let server = Server::start_in_network(&["-A", "trust"]);
    let front = Front::of(&server, folder.path());
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (user, to) = (somebody(), front.address("localhost"));
    said(&user.ken(&["store", "copy", "--to", &to]), 10, "certificate");
    for (authority, address, code) in
        [("other.pem", to.clone(), 10), ("ca.pem", front.address("127.0.0.1"), 10), ("ca.pem", to.clone(), 0)]
    {
        assert_eq!(user.ken(&["config", "set", "store.ca_file", &at(authority)]).code, 0);
        let ran = user.ken(&["store", "copy", "--to", &address]);
        assert_eq!(ran.code, code, "{authority} {address}: {ran:?}");
    }
    assert_eq!(user.ken(&["config", "set", "store.ca_file", &at("names")]).code, 0);
    said(&user.ken(&["store", "copy", "--to", &to]), 5, "it holds no certificate");
    // A server that speaks no TLS is not spoken to in clear.
    let to = format!("{}?sslmode=require", server.address_at("localhost"));
    assert_eq!(user.ken(&["config", "set", "store.ca_file", &at("ca.pem")]).code, 0);
    said(&user.ken(&["store", "copy", "--to", &to]), 10, "does not support TLS");
}
