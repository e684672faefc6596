//! Several processes on one data directory. `KEN_SECONDS` says how long.

use crate::support::held::on_every_store;
use crate::support::ken::{User, run, section};
use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

fn seconds() -> u64 {
    crate::support::long::amount("KEN_SECONDS", 6, 3).into()
}

fn text(version: u64, file: u32) -> String {
    let paragraph = |n: u32| {
        section(n, &format!("Version {version} of paragraph {n} in file {file} is long enough to stand alone."))
    };
    (0..5).map(paragraph).collect()
}

on_every_store!(two_indexers_and_four_searchers);

fn two_indexers_and_four_searchers(new: fn() -> User) {
    let user = new();
    for folder in ["a", "b"] {
        (0..20).for_each(|file| drop(user.document(&format!("{folder}/{file}.md"), text(0, file))));
    }
    user.document("c/still.md", "The lighthouse keeper writes a letter to the harbour master every winter.");
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let begun = Instant::now();
    // A slow machine gets up to 60 s to reach the minimum of indexings and searches.
    let (indexings, searches) = (&AtomicU32::new(0), &AtomicU32::new(0));
    let goes_on = &move || {
        let has_minimum = indexings.load(SeqCst) > 1 && searches.load(SeqCst) > 4;
        begun.elapsed() < Duration::from_secs(if has_minimum { seconds() } else { 60.max(seconds()) })
    };
    let user = &user;
    let (indexed, busy, searched) = std::thread::scope(|scope| {
        let indexers: Vec<_> = ["a", "b"]
            .map(|folder| {
                scope.spawn(move || {
                    let (mut done, mut busy) = (0, 0);
                    for version in 1.. {
                        if !goes_on() {
                            break;
                        }
                        (0..20)
                            .for_each(|file| drop(user.document(&format!("{folder}/{file}.md"), text(version, file))));
                        let ran = user.ken(&["index", folder]);
                        match ran.code {
                            0 => {
                                done += 1;
                                indexings.fetch_add(1, SeqCst);
                            }
                            // The other indexer, or a background process of it, which may not have said its name yet.
                            7 => busy += 1,
                            _ => panic!("{ran:?}"),
                        }
                    }
                    (done, busy)
                })
            })
            .into();
        let searchers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(move || {
                    let mut searched = 0;
                    while goes_on() {
                        let arguments = ["search", "--json", "--min-relevance", "0", "--kind", "chunk", "-n", "1"];
                        let question = "lighthouse keeper letter to the harbour master";
                        let ran = run(user.command(&[&arguments[..], &[question]].concat()), b"");
                        assert_eq!(ran.code, 0, "{ran:?}");
                        let json = ran.json();
                        let hit = &json["results"][0]["hits"][0];
                        assert!(hit["path"].as_str().unwrap().ends_with("c/still.md"), "{json}");
                        searched += 1;
                        searches.fetch_add(1, SeqCst);
                    }
                    searched
                })
            })
            .collect();
        let indexed: Vec<(u32, u32)> = indexers.into_iter().map(|thread| thread.join().unwrap()).collect();
        let searched: u32 = searchers.into_iter().map(|thread| thread.join().unwrap()).sum();
        (indexed.iter().map(|(done, _)| done).sum::<u32>(), indexed.iter().map(|(_, busy)| busy).sum::<u32>(), searched)
    });
    drop(writeln!(std::io::stderr(), "{indexed} indexings, {busy} times busy, {searched} searches"));
    assert!(indexed > 1 && searched > 4);
    assert_eq!(user.ken(&["index", "."]).code, 0);
    user.assert_sound();
    assert_eq!(user.texts().len(), 2 * 20 * 5 + 1);
}

#[test]
fn a_second_writer_hears_who_writes() {
    let user = User::new();
    user.document("a.md", text(0, 0));
    user.ken(&["index", "."]);
    let lock = kenning::store::WriterLock::take(&user.home(), "ken index docs", Duration::ZERO).unwrap();
    let ran = user.ken(&["gc", "--json"]);
    assert_eq!((ran.code, ran.json()["error"]["kind"].as_str()), (7, Some("busy")));
    assert!(ran.out.contains("ken index docs, process"), "{ran:?}");
    assert!(user.ken(&["status"]).out.contains("writing   ken index docs"));
    assert_eq!(user.ken(&["search", "--min-relevance", "0", "paragraph 1 in file 0"]).code, 0);
    drop(lock);
    assert_eq!(user.ken(&["gc"]).code, 0);
}
