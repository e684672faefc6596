//! Damaged files: never a panic, never an endless loop, always noticed by the full check.

use super::super::image::FORMAT;
use super::super::*;
use crate::map::{HEADER, Label, Room, checksum};
use crate::text::sha256_hex;
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

const SEALED: usize = 128;

fn origin() -> TermOrigin {
    TermOrigin { state: "a".into(), ..TermOrigin::default() }
}

fn file(path: &Path) -> Vec<u8> {
    let often = "lock ".repeat(300);
    let texts =
        (0..60u64).map(|id| (3 * id, format!("state{} lock held {}", id % 7, if id == 9 { &often } else { "" })));
    TermImage::of_texts(&origin(), texts).unwrap().write(path).unwrap();
    fs::read(path).unwrap()
}

/// Asks everything.
fn ask(image: TermImage) {
    let index = TermIndex::new(image);
    let terms = QueryTerms::of("the lock of state3 is held by nobody");
    let asked = |index: &TermIndex| {
        let query = index.prepare(&terms);
        index.candidates(&query, 5, None);
        index.candidates(&query, 500, Some(&|id| id % 2 == 0));
        index.score(&query, &(0..200).collect::<Vec<_>>());
        index.score_all(&terms).best(3);
        index.ids();
    };
    asked(&index);
    if let Ok(changed) = index.with_changes([3, 9, 900], [(6, "lock state3"), (901, "held")]) {
        asked(&changed);
        drop(changed.to_image(Room::memory(), &origin()));
    }
    drop(index.to_image(Room::memory(), &origin()));
}

#[test]
fn every_damaged_byte_is_noticed_when_a_small_file_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terms");
    let right = file(&path);
    for at in 0..right.len() {
        let mut bytes = right.clone();
        bytes[at] ^= 0x10;
        fs::write(&path, bytes).unwrap();
        assert!(TermImage::open(&path, &origin()).is_none(), "byte {at}");
    }
    for length in [0, 1, HEADER, HEADER + SEALED, right.len() - 64, right.len() - 1] {
        fs::write(&path, &right[..length]).unwrap();
        assert!(TermImage::open(&path, &origin()).is_none(), "length {length}");
    }
}

/// Seals damage, as a file of somebody else may be.
fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&bytes[HEADER + SEALED..]);
    bytes[HEADER + 72..HEADER + 80].copy_from_slice(&sum.to_ne_bytes());
    let label = Label::new(b"KENTERMS", FORMAT, &sha256_hex(b"terms\nstate a\n")).sealing(SEALED);
    let head = label.head(bytes.len(), &bytes[HEADER..HEADER + SEALED]);
    bytes[..HEADER].copy_from_slice(&head);
    bytes
}

proptest! {
    #[test]
    fn sealed_damage_panics_nowhere(
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..12),
        counts in any::<bool>(),
    ) {
        static RIGHT: LazyLock<Vec<u8>> = LazyLock::new(|| file(&tempfile::tempdir().unwrap().path().join("terms")));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terms");
        let mut bytes = RIGHT.clone();
        // Counts that are damaged mostly give a file of another length, which is not opened: so mostly leave them.
        let first = if counts { HEADER } else { HEADER + SEALED };
        for (at, byte) in damage {
            let at = first + at.index(bytes.len() - first);
            bytes[at] = byte;
        }
        fs::write(&path, resealed(bytes)).unwrap();
        let opened = TermImage::open(&path, &origin());
        prop_assert!(counts || opened.is_some());
        opened.into_iter().for_each(ask);
    }
}

/// A file too large to be checked when it is opened: damage after the sealed part is met by searches, and by the check.
#[test]
fn a_large_file_is_checked_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terms");
    let texts = (0..120_000u64).map(|id| (id, format!("lock state{} held by process{id} of host{}", id % 7, id % 999)));
    TermImage::of_texts(&origin(), texts).unwrap().write(&path).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 5 << 20, "{}", bytes.len());
    assert!(TermImage::open(&path, &origin()).unwrap().is_sound());
    for at in (HEADER + SEALED..bytes.len()).step_by(bytes.len() / 50) {
        bytes[at] ^= 0x81;
        fs::write(&path, &bytes).unwrap();
        let image = TermImage::open(&path, &origin()).unwrap();
        assert!(!image.is_sound(), "byte {at}");
        let index = TermIndex::new(image);
        let error = index.to_image(Room::memory(), &origin()).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
    }
    ask(TermImage::open(&path, &origin()).unwrap());
}

#[test]
fn a_small_file_that_does_not_fit_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("terms");
    let texts = || [(1, "water in the cellar"), (2, "lock and key")];
    fs::write(&path, "nonsense").unwrap();
    TermImage::open_or_make(&path, &origin(), texts()).unwrap();
    let kept = fs::read(&path).unwrap();
    TermImage::open_or_make(&path, &origin(), texts().into_iter().map(|_| -> (u64, &str) { panic!("it is kept") }))
        .unwrap();
    assert_eq!(fs::read(&path).unwrap(), kept);
}
