//! Who listens hears of changes.

use super::*;
use crate::store::SharedListener;

const SOON: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(50);

#[test]
fn a_commit_wakes_a_listener() {
    let (dir, lock, mut store) = made();
    let mut listener = SharedListener::new(&address_of(dir.path()), &Access::default());
    assert!(listener.wait(SOON).unwrap(), "nothing is known of what was before");
    assert!(!listener.wait(SHORT).unwrap());
    let mut write = |uid: &str, is_kept: bool| {
        let batch = store.begin(&lock).unwrap();
        batch.put_item(&item(uid), None).unwrap();
        if is_kept {
            batch.commit().unwrap();
        }
    };
    std::thread::scope(|scope| {
        let heard = scope.spawn(|| listener.wait(SOON).unwrap());
        write("chunk/1", true);
        assert!(heard.join().unwrap());
    });
    write("chunk/2", true);
    write("chunk/3", true);
    assert!(listener.wait(SOON).unwrap());
    assert!(!listener.wait(SHORT).unwrap(), "two are one answer");
    write("chunk/4", false);
    assert!(!listener.wait(SHORT).unwrap(), "nothing was committed");
    open(dir.path()).count_served(&["chunk/1"], 7).unwrap();
    open(dir.path()).begin_generation().unwrap();
    assert!(!listener.wait(SHORT).unwrap(), "counters are not told");
}

#[test]
fn a_listener_that_lost_its_connection_makes_it_anew() {
    let (dir, _lock, _store) = made();
    let mut listener = SharedListener::new(&address_of(dir.path()), &Access::default());
    assert!(listener.wait(SOON).unwrap());
    cut(dir.path());
    assert!(listener.wait(SOON).unwrap(), "whatever was committed meanwhile");
    assert!(!listener.wait(SHORT).unwrap());
    std::thread::scope(|scope| {
        let heard = scope.spawn(|| listener.wait(SOON).unwrap());
        std::thread::sleep(4 * SHORT);
        cut(dir.path());
        assert!(heard.join().unwrap(), "also while it waits");
    });
}

#[test]
fn a_listener_whose_server_is_away_says_so_and_tries_again() {
    let nowhere = "postgres://kenning@127.0.0.1:1/kenning";
    let mut listener = SharedListener::new(nowhere, &Access::default());
    assert_eq!(listener.wait(SHORT).unwrap_err().kind(), ErrorKind::Network);
    assert!(!listener.wait(SHORT).unwrap(), "it waits before it tries again");
    let many = Duration::from_millis(400);
    assert_eq!(listener.wait(many).unwrap_err().kind(), ErrorKind::Network);
    let mut listener = SharedListener::new("postgres://kenning@host:port/kenning", &Access::default());
    assert!(matches!(listener.wait(SHORT), Err(StoreError::Address { .. })));
    assert!(!format!("{listener:?}").contains("postgres"));
}
