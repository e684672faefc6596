//! What every system must do; `map/open.rs` and others have the tests of what Unix does beyond it.

use super::*;
use std::fs;
use std::io::{Read, Write};

#[test]
fn bytes_are_read_and_written_where_they_are_meant_to_be() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let mut file = File::options().create_new(true).read(true).write(true).open(&path).unwrap();
    file.write_all(b"0123456789").unwrap();
    write_all_at(&file, b"ab", 3).unwrap();
    file.write_all(b"+").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"012ab56789+", "the second piece follows the first");
    let mut out = [0; 4];
    read_exact_at(&file, &mut out, 7).unwrap();
    assert_eq!(&out, b"789+");
    assert_eq!(read_exact_at(&file, &mut out, 8).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
}

#[test]
fn a_file_keeps_its_number_and_another_has_another() {
    let dir = tempfile::tempdir().unwrap();
    let number = |name: &str| file_number(&fs::metadata(dir.path().join(name)).unwrap());
    fs::write(dir.path().join("a"), "one").unwrap();
    let before = number("a");
    assert_ne!(before, (0, 0), "zeros stand for no file");
    fs::write(dir.path().join("a"), "longer").unwrap();
    fs::rename(dir.path().join("a"), dir.path().join("b")).unwrap();
    assert_eq!(number("b"), before);
}

#[test]
fn a_name_for_its_owner_alone_can_be_used_by_it() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("private/below");
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    create_folders_for_owner(&mut builder);
    builder.create(&folder).unwrap();
    let path = folder.join("file");
    let mut options = File::options();
    options.create_new(true).write(true);
    create_for_owner(&mut options);
    drop(options.open(&path).unwrap());
    for path in [&path, &folder] {
        assert!(!is_open_to_others(&fs::metadata(path).unwrap()), "{path:?}");
        close_to_others(path).unwrap();
        assert!(!is_open_to_others(&fs::metadata(path).unwrap()), "{path:?}");
    }
    fs::write(&path, "ours").unwrap();
    sync_folder(&folder).unwrap();
    let mut options = File::options();
    options.read(true);
    open_without_waiting(&mut options);
    let mut text = String::new();
    options.open(canonical(&path).unwrap()).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "ours");
}

#[test]
fn names_are_resolved_as_users_write_them() {
    let dir = tempfile::tempdir().unwrap();
    let real = canonical(dir.path()).unwrap();
    assert_eq!(canonical(&real).unwrap(), real, "once is enough");
    assert_eq!(canonical(real.join("..").join(real.file_name().unwrap())).unwrap(), real);
    assert!(!real.to_str().unwrap().starts_with(r"\\?\"));
    assert!(canonical(real.join("none")).is_err());
}

#[test]
fn sockets_are_there_or_said_not_to_be() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("socket");
    assert!(!is_answered_at(&path));
    let listening = listen_at(&path);
    assert_eq!(listening.is_ok(), HAS_SOCKETS);
    assert_eq!(is_answered_at(&path), HAS_SOCKETS);
    let Ok(listener) = listening else { return };
    assert_eq!(path_of(&listener).unwrap().unwrap(), path);
    assert!(!is_open_to_others(&fs::metadata(&path).unwrap()));
    drop(listener);
    // What was left behind is taken away, and only that.
    drop(listen_at(&path).unwrap());
    fs::remove_file(&path).unwrap();
    fs::write(&path, "a letter").unwrap();
    listen_at(&path).unwrap_err();
    assert_eq!(fs::read(&path).unwrap(), b"a letter");
}
