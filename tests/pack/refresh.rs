use crate::support::ken::{User, section};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[test]
fn a_refresh_looks_at_what_is_indexed_alone() {
    let user = User::new();
    for name in ["a.md", "b.md", "c.md"] {
        user.document(name, section(1, name));
    }
    assert_eq!(user.ken(&["index", "--refresh"]).code, 3, "nothing is indexed");
    user.ken(&["index", "."]);
    user.document("a.md", section(1, "changed"));
    fs::remove_file(user.work().join("b.md")).unwrap();
    user.document("d.md", section(1, "new"));
    let json = user.ken(&["index", "--refresh", "--json"]).json();
    let count = |what: &str| json[format!("files_{what}")].as_u64().unwrap();
    assert_eq!(["added", "changed", "removed", "unchanged"].map(count), [0, 1, 1, 0], "{json}");
    assert_eq!(user.texts().len(), 2);
    assert_eq!(user.ken(&["status", "--strict"]).code, 8, "there is no model");
    assert!(!user.ken(&["status"]).out.contains("changed"));
}

#[test]
fn a_watch_indexes_what_changes() {
    let user = User::new();
    user.document("a.md", section(1, "first"));
    let mut child =
        user.command(&["index", "--watch", "."]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("1 new"));
    // It watches from a moment after that line on: the change comes again until it is heard.
    let work = user.work();
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (path, done) = (work.join("b.md"), std::sync::Arc::clone(&stop));
    let writer = std::thread::spawn(move || {
        for round in 0..120 {
            if done.load(std::sync::atomic::Ordering::SeqCst) {
                break;
            }
            fs::write(&path, section(1, &format!("second {round}"))).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(1000));
        }
    });
    let heard = lines.next().unwrap().unwrap();
    stop.store(true, std::sync::atomic::Ordering::SeqCst);
    writer.join().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(heard.contains("1 new"), "{heard}");
    assert_eq!(user.texts().len(), 2);
}
