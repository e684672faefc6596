use crate::support::held::on_every_store;
use crate::support::ken::{User, run};
use crate::support::moments::Moments;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const SECRET: &str = "The zanzibarium password hangs on a nail behind the door of the old kitchen. Whoever needs it has to ask the cook, who keeps the key, sleeps until noon, and does not like to be woken; so it is better to come in the evening, when the bread is in the oven and she has time to talk, or to send somebody whom she knows from the years before.";
const OTHER: &str = "Another paragraph about something else entirely, to keep the file company. It goes on for a while about the weather of the last weeks, about the road that is closed because of the bridge, about the new lamps along the market that nobody likes, and about the dog of the neighbours, who has learnt to open the gate and now goes for walks by himself.";

fn found(user: &User) -> bool {
    let ran =
        user.ken(&["search", "--json", "--min-relevance", "0", "--kind", "chunk", "-n", "50", "zanzibarium password"]);
    ran.out.contains("hangs on a nail")
}

fn id_of(user: &User, text: &str) -> String {
    let items = user.exported();
    let item = items.iter().find(|record| record["item"]["body"] == text).unwrap();
    item["item"]["uid"].as_str().unwrap().to_owned()
}

#[test]
fn a_forgotten_paragraph_leaves_no_trace_and_does_not_come_back() {
    let user = User::new();
    user.document("a.md", format!("# A\n\n{SECRET}\n\n# B\n\n{OTHER}\n"));
    user.ken(&["index", "."]);
    assert!(found(&user) && user.holds("zanzibarium"));
    let id = id_of(&user, SECRET);
    assert_eq!(user.ken(&["forget", &id, "chunk/0000"]).code, 2, "nothing is forgotten when one id is wrong");
    assert!(found(&user));
    let ran = user.ken(&["forget", &id]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "1 forgotten.\n"));
    assert!(!found(&user) && !user.holds("zanzibarium"));
    user.assert_sound();
    // The file still holds it, and changes elsewhere.
    user.document("a.md", format!("# B\n\n{OTHER} More.\n\n# A\n\n{SECRET}\n"));
    user.ken(&["index", "."]);
    assert!(!found(&user) && !user.holds("zanzibarium"));
    assert_eq!(user.texts(), [format!("{OTHER} More.")]);
    user.ken(&["gc"]);
    user.assert_sound();
}

#[test]
fn a_forgotten_file_is_gone_until_it_is_indexed_again() {
    let user = User::new();
    user.document("private/a.md", SECRET);
    user.document("b.md", OTHER);
    user.ken(&["index", "."]);
    // Gone from the disk too: forgetting must not need the file.
    fs::remove_dir_all(user.work().join("private")).unwrap();
    let ran = user.ken(&["forget", "--path", "private"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "1 file with 1 chunk forgotten.\n"));
    assert!(!found(&user) && !user.holds("zanzibarium"));
    assert_eq!(user.texts(), [OTHER]);
    assert_eq!(user.ken(&["forget", "--path", "private"]).code, 2);
    user.document("private/a.md", SECRET);
    user.ken(&["index", "."]);
    assert!(found(&user));
}

/// Between the deletion of a file and the next indexing its text is known but never shown.
#[test]
fn text_of_a_deleted_file_is_never_shown() {
    let user = User::new();
    user.document("a.md", SECRET);
    user.ken(&["index", "."]);
    fs::remove_file(user.work().join("a.md")).unwrap();
    assert!(!found(&user));
    assert_eq!(user.ken(&["status", "--strict"]).code, 8);
    user.ken(&["index", "."]);
    assert!(user.texts().is_empty() && !found(&user));
    user.ken(&["gc"]);
    assert!(!user.holds("zanzibarium"));
}

/// A vector tells what a text was about: it goes with the text.
#[test]
fn the_vector_of_what_was_forgotten_is_gone_too() {
    let user = User::new().with_model("bge-small-en-v1.5-int8");
    user.document("a.md", format!("# A\n\n{SECRET}\n\n# B\n\n{OTHER}\n"));
    user.ken(&["index", "."]);
    let id = id_of(&user, SECRET);
    let vector: Vec<u8> = rusqlite::Connection::open(user.home().join("kenning.db"))
        .unwrap()
        .query_row(
            "SELECT data FROM vector JOIN embedding USING (text_hash) JOIN item ON item.id = item_id WHERE uid = ?1",
            [&id],
            |row| row.get(0),
        )
        .unwrap();
    let values: Vec<f32> = vector.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect();
    let (mut codes, mut rests) = (vec![0; kenning::vector::code_stride(values.len())], vec![0; values.len()]);
    kenning::vector::encode_row(&values, &mut codes, &mut rests);
    let in_files = || {
        let files =
            fs::read_dir(user.home()).unwrap().flatten().map(|entry| entry.path()).filter(|path| path.is_file());
        let holds = |bytes: &[u8]| bytes.windows(64).any(|w| *w == vector[..64] || *w == codes[..64]);
        files.filter(|path| holds(&fs::read(path).unwrap())).count()
    };
    assert_eq!(in_files(), 2, "in the database and in the file that searches read");
    assert_eq!(user.ken(&["forget", &id]).code, 0);
    assert_eq!(in_files(), 0);
    assert!(user.home().join("kenning.db.vectors").exists(), "the rest is still quick to search");
}

/// Somebody who has indexed a file with the secret and something else, and has forgotten the secret; with its id.
fn forgetful() -> (User, String) {
    let user = User::new();
    user.document("a.md", format!("# A\n\n{SECRET}\n\n# B\n\n{OTHER}\n"));
    user.ken(&["index", "."]);
    let id = id_of(&user, SECRET);
    assert_eq!(user.ken(&["forget", &id]).code, 0);
    (user, id)
}

/// What may happen to a file with a forgotten passage in it.
type Change = fn(&User);

const CHANGES: &[(&str, Change)] = &[
    ("one character", |user| {
        drop(user.document("a.md", format!("# A\n\n{}\n\n# B\n\n{OTHER}\n", SECRET.replace("kitchen", "kitchin"))))
    }),
    ("the heading above", |user| {
        drop(user.document("a.md", format!("# Something new\n\n{SECRET}\n\n# B\n\n{OTHER}\n")))
    }),
    ("headings around", |user| drop(user.document("a.md", format!("# Top\n\n## A\n\n{SECRET}\n\n## B\n\n{OTHER}\n")))),
    ("a line before", |user| {
        drop(
            user.document("a.md", format!("# A\n\nA new line that stands before all.\n\n{SECRET}\n\n# B\n\n{OTHER}\n")),
        )
    }),
    ("a line after", |user| {
        drop(user.document("a.md", format!("# A\n\n{SECRET}\n\nA new line that stands after all.\n\n# B\n\n{OTHER}\n")))
    }),
    ("a sentence before it", |user| {
        drop(user.document(
            "a.md",
            format!("# A\n\nThis is a sentence that was not there before. {SECRET}\n\n# B\n\n{OTHER}\n"),
        ))
    }),
    ("joined to its neighbour", |user| drop(user.document("a.md", format!("{SECRET}\n{OTHER}\n")))),
    ("one paragraph with its neighbour", |user| drop(user.document("a.md", format!("# A\n\n{OTHER} {SECRET}\n")))),
    ("another order", |user| drop(user.document("a.md", format!("# B\n\n{OTHER}\n\n# A\n\n{SECRET}\n")))),
    ("other line ends", |user| {
        drop(user.document("a.md", format!("# A\n\n{}\n\n# B\n\n{OTHER}\n", SECRET.replace(". ", ".\r\n"))))
    }),
    ("lines of another length", |user| {
        let words: Vec<&str> = SECRET.split(' ').collect();
        let lines: Vec<String> = words.chunks(6).map(|line| format!("> {}", line.join(" "))).collect();
        user.document("a.md", format!("# A\n\n{}\n\n# B\n\n{OTHER}\n", lines.join("\n")));
    }),
    ("words in another order", |user| {
        let mut words: Vec<&str> = SECRET.split(' ').collect();
        (0..words.len() - 1).step_by(8).for_each(|at| words.swap(at, at + 1));
        user.document("a.md", format!("# A\n\n{}\n\n# B\n\n{OTHER}\n", words.join(" ")));
    }),
    ("away for a while", |user| {
        let path = user.work().join("a.md");
        let text = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        user.ken(&["index", "."]);
        assert!(user.texts().is_empty());
        user.document("a.md", text);
    }),
    ("moved", |user| {
        fs::create_dir(user.work().join("sub")).unwrap();
        fs::rename(user.work().join("a.md"), user.work().join("sub/b.md")).unwrap();
    }),
    ("moved and changed", |user| {
        fs::remove_file(user.work().join("a.md")).unwrap();
        user.document("sub/b.txt", format!("{OTHER}\n\n{}\n", SECRET.replace("noon", "midday")));
    }),
    ("copied", |user| drop(user.document("copy.md", format!("# C\n\n{SECRET}\n")))),
    ("copied into a program", |user| {
        drop(user.document("copy.rs", format!("/// {SECRET}\npub fn secret() -> u32 {{ 7 }}\n")))
    }),
];

#[test]
fn what_was_forgotten_stays_so_whatever_becomes_of_its_file() {
    for (name, change) in CHANGES {
        let (user, id) = forgetful();
        change(&user);
        let ran = user.ken(&["index", "--json", "."]);
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
        assert!(!found(&user) && !user.holds("zanzibarium"), "{name}: it is back: {:#?}", user.texts());
        assert!(user.texts().iter().any(|text| text.contains("keep the file company")), "{name}: {:#?}", user.texts());
        assert!(user.texts().iter().any(|text| text.contains("walks by himself")), "{name}: {:#?}", user.texts());
        // One that only moved was not read.
        let told: &[&str] = if *name == "moved" { &[] } else { &[&id] };
        assert_eq!(ran.json()["stay_forgotten"], serde_json::json!(told), "{name}");
        user.assert_sound();
        // And the next time, with nothing or something else changed.
        user.ken(&["index", "."]);
        assert!(!user.holds("zanzibarium"), "{name}: it is back at the second time");
    }
}

#[test]
fn what_is_kept_out_is_told_and_what_stands_around_it_stays() {
    let (user, _) = forgetful();
    let new = "A sentence of some words that was written yesterday by somebody.";
    user.document(
        "a.md",
        format!("{new}\n{SECRET}\nAnd another sentence that nobody has forgotten yet.\n\n# B\n\n{OTHER}\n"),
    );
    let ran = user.ken(&["index", "."]);
    assert!(ran.err.contains("note: 1 passage stays forgotten (`ken forget --list`)\n"), "{ran:?}");
    assert_eq!(
        user.texts(),
        [
            "A sentence of some words that was written yesterday by somebody.",
            "And another sentence that nobody has forgotten yet.",
            OTHER
        ]
    );
    let items = user.exported();
    let span = |text: &str| items.iter().find(|r| r["item"]["body"] == text).unwrap()["item"]["span"].clone();
    assert_eq!((span(new)["line_start"].as_u64(), span(new)["line_end"].as_u64()), (Some(1), Some(1)));
    assert_eq!(span("And another sentence that nobody has forgotten yet.")["line_start"], 3);
    // What stands in a file can be cited from it.
    let hit = user.ken(&["search", "--json", "--min-relevance", "0", "sentence written yesterday"]).json();
    assert_eq!(hit["results"][0]["hits"][0]["line_start"], 1);
    user.assert_sound();
    let quiet = user.ken(&["index", "."]);
    assert!(!quiet.err.contains("stays forgotten"), "nothing was read: {quiet:?}");
}

/// The end of a forgotten passage is no context of what stands behind it.
#[test]
fn context_holds_nothing_of_it() {
    let user = User::new();
    let long = |name: &str| (0..200).map(|n| format!("{name}{n}")).collect::<Vec<_>>().join(" ") + ".";
    user.document("a.md", format!("# A\n\n{}\n\n{}\n", long("first"), long("other")));
    user.ken(&["index", "."]);
    let context =
        |user: &User| user.exported().iter().filter(|r| !r["item"]["attributes"]["context"].is_null()).count();
    assert_eq!(context(&user), 1, "the second has the end of the first as context");
    let id = id_of(&user, &long("first"));
    user.ken(&["forget", &id]);
    assert!(!user.holds("first19"));
    user.document("a.md", format!("# A\n\n{}\n\n{}\n", long("first").replace("first7 ", "seventh "), long("other")));
    user.ken(&["index", "."]);
    assert_eq!(user.texts(), [long("other")]);
    assert!(context(&user) == 0 && !user.holds("first19"));
}

#[test]
fn a_list_and_a_way_back() {
    let (user, id) = forgetful();
    user.document("copy.md", SECRET);
    user.ken(&["index", "."]);
    let path = user.work().canonicalize().unwrap().join("a.md").display().to_string();
    let listed = user.ken(&["forget", "--list", "--json"]).json();
    let [one] = &listed["forgotten"].as_array().unwrap()[..] else { panic!("{listed}") };
    assert_eq!((one["id"].as_str(), one["path"].as_str(), one["lines"].as_u64()), (Some(&*id), Some(&*path), Some(1)));
    assert!(one["forgotten_at"].as_i64().unwrap() > 1_600_000_000_000);
    assert_eq!((one["kept_out_of"].as_u64(), one["by_words"].as_bool()), (Some(1), Some(true)));
    let text = user.ken(&["forget", "--list"]);
    assert!(text.out.starts_with(&format!("{id}  20")) && text.out.ends_with(&format!("{path}  1 line\n")), "{text:?}");
    assert_eq!(user.ken(&["status", "--json"]).json()["forgotten"], 1);
    // Whose file is forgotten, that one's path is not shown any more.
    let other = user.ken(&["forget", "--undo", "chunk/0000"]);
    assert_eq!(other.code, 2, "{other:?}");
    let undone = user.ken(&["forget", "--undo", &id]);
    assert_eq!(undone.code, 0);
    assert!(undone.out.contains("comes back with the next `ken index`"), "{undone:?}");
    assert_eq!(user.ken(&["forget", "--list"]).out, "Nothing was forgotten by id.\n");
    assert!(!found(&user));
    user.ken(&["index"]);
    assert!(found(&user));
    assert_eq!(user.texts().iter().filter(|text| *text == SECRET).count(), 2, "in its file and in the copy");
    user.assert_sound();
    let json = user.ken(&["forget", "--undo", &id, "--json"]);
    assert_eq!((json.code, json.json()["error"]["kind"].as_str()), (2, Some("usage")));
}

#[test]
fn the_path_of_a_forgotten_file_is_not_listed() {
    let (user, id) = forgetful();
    assert_eq!(user.ken(&["forget", "--path", "a.md"]).code, 0);
    let listed = user.ken(&["forget", "--list", "--json"]).json();
    assert_eq!((listed["forgotten"][0]["id"].as_str(), &listed["forgotten"][0]["path"]), (Some(&*id), &Value::Null));
    assert!(!user.holds("a.md"));
    // The file comes back when it is indexed again, the passage does not.
    user.ken(&["index", "."]);
    assert_eq!(user.texts(), [OTHER]);
}

#[test]
fn repairs_exports_and_imports_do_not_bring_it_back() {
    let user = User::new();
    user.document("a.md", format!("# A\n\n{SECRET}\n\n# B\n\n{OTHER}\n"));
    user.ken(&["index", "."]);
    let before = user.ken(&["export"]).out;
    let id = id_of(&user, SECRET);
    user.ken(&["forget", &id]);
    assert!(!user.ken(&["export"]).out.contains("zanzibarium"));
    // As it was, and as it would be from another folder.
    for export in [before.clone(), before.replace("a.md", "far/b.md").replace("chunk/", "chunk/9")] {
        let ran = run(user.command(&["import", "--json", "-"]), export.as_bytes());
        assert_eq!((ran.code, &ran.json()["stay_forgotten"]), (0, &serde_json::json!([id])), "{ran:?}");
        assert!(!found(&user) && !user.holds("zanzibarium"));
    }
    let ran = run(user.command(&["import", "-"]), before.as_bytes());
    assert!(ran.err.contains("1 passage stays forgotten"), "{ran:?}");
    // Tables that have drifted apart are made again.
    let count =
        |sql: &str| rusqlite::Connection::open(user.home().join("kenning.db")).unwrap().execute(sql, []).unwrap();
    count("UPDATE corpus SET items = 99");
    assert_eq!(user.ken(&["doctor"]).code, 8);
    assert_eq!(user.ken(&["doctor", "--repair"]).code, 0);
    user.document("a.md", format!("# A\n\n{SECRET} More.\n\n# B\n\n{OTHER}\n"));
    user.ken(&["index", "."]);
    assert!(!found(&user));
    // A damaged database is carried over with what was forgotten.
    let lock = kenning::store::WriterLock::take(&user.home(), "test", Duration::from_secs(5)).unwrap();
    let salvaged = kenning::store::Database::salvage(&lock).unwrap();
    drop(lock);
    fs::remove_file(salvaged.kept).unwrap();
    user.document("a.md", format!("# A\n\n{SECRET} Still more.\n\n# B\n\n{OTHER}\n"));
    user.ken(&["index", "."]);
    assert!(!found(&user) && !user.holds("zanzibarium"));
    assert_eq!(user.ken(&["purge", "--yes"]).code, 0);
    assert!(!user.home().join("kenning.db").exists());
}

/// What is kept are hashes: none of the words, neither as they were nor in small letters.
#[test]
fn what_is_kept_holds_no_words() {
    let (user, _) = forgetful();
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 4).map(str::to_owned).collect()
    };
    let others = words(OTHER);
    let mut looked = 0;
    for word in words(SECRET).into_iter().filter(|word| !others.contains(word)) {
        for spelling in [word.clone(), word.to_lowercase()] {
            assert!(!user.holds(&spelling), "{spelling} is on the disk");
        }
        looked += 1;
    }
    assert!(looked > 10);
    // Another database has other hashes of the same text.
    let (other, _) = forgetful();
    let hashes = |user: &User| -> Vec<u8> {
        let database = rusqlite::Connection::open(user.home().join("kenning.db")).unwrap();
        database.query_row("SELECT words FROM forgotten", [], |row| row.get(0)).unwrap()
    };
    assert_ne!(hashes(&user), hashes(&other));
}

/// Nobody forgot what is only like it: other texts, and what was served already when the other was forgotten.
#[test]
fn what_nobody_has_forgotten_stays() {
    let user = User::new();
    let sibling = SECRET.replace("zanzibarium", "marmalade").replace("kitchen", "pantry");
    user.document("a.md", format!("# A\n\n{SECRET}\n\n# B\n\n{sibling}\n"));
    user.document("b.md", format!("# C\n\n{sibling}\n"));
    user.ken(&["index", "."]);
    let id = id_of(&user, SECRET);
    user.ken(&["forget", &id]);
    user.document("a.md", format!("# A\n\n{SECRET}\n\n# B\n\n{sibling}\n\n# D\n\n{OTHER}\n"));
    user.ken(&["index", "."]);
    assert_eq!(user.texts().iter().filter(|text| **text == sibling).count(), 2, "{:#?}", user.texts());
    // It was served and changes: it is what it was.
    let changed = sibling.replace("bread", "cake");
    user.document("b.md", format!("# C\n\n{changed}\n"));
    user.ken(&["index", "."]);
    assert!(user.texts().contains(&changed) && !found_word(&user, "zanzibarium"), "{:#?}", user.texts());
}

fn found_word(user: &User, word: &str) -> bool {
    user.texts().iter().any(|text| text.contains(word))
}

/// Paragraphs that people wrote about related things, each taken as forgotten and looked for in all others.
#[test]
fn related_paragraphs_are_told_apart() {
    use kenning::canon::{Entry, PackFile};
    use kenning::text::{Sketch, Sketches};
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paragraphs: Vec<String> = Vec::new();
    for file in fs::read_dir(root.join("canon")).unwrap().flatten() {
        let pack: PackFile = serde_json::from_slice(&fs::read(file.path()).unwrap()).unwrap();
        paragraphs.extend(pack.entries.iter().map(Entry::whole_cause));
    }
    paragraphs.retain(|text| text.split_whitespace().count() >= 20);
    paragraphs.sort();
    paragraphs.dedup();
    assert!(paragraphs.len() > 300, "{}", paragraphs.len());
    let salt = [7; 16];
    let all = Sketches::new(paragraphs.iter().enumerate().map(|(at, text)| (at as i64, salt, Sketch::of(text, &salt))));
    // What is taken for the same has most of its words, counted plainly.
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
    };
    let mut alike = Vec::new();
    for (at, text) in paragraphs.iter().enumerate() {
        let found = all.find(text);
        assert!(found.iter().any(|found| found.which == at as i64), "{text}");
        for other in found.iter().filter(|found| found.which != at as i64).map(|f| &paragraphs[f.which as usize]) {
            let (there, wanted) = (words(text), words(other));
            let share = wanted.intersection(&there).count() as f64 / wanted.len() as f64;
            assert!(share >= 0.5, "{share}: {text}\n{other}");
            alike.push((share, text, other));
        }
    }
    // Sister entries say nearly the same; few do.
    assert!(alike.len() * 40 < paragraphs.len(), "{} of {}: {alike:#?}", alike.len(), paragraphs.len());
}

/// Somebody else reads, so the log cannot be folded: that is said, and done later by itself.
#[test]
fn traces_that_a_reader_holds_are_told_and_go_when_it_ends() {
    for background in [true, false] {
        let user = User::new();
        user.write("config.toml", format!("[index]\nbackground = {background}\n"));
        user.document("a.md", format!("# A\n\n{SECRET}\n\n# B\n\n{OTHER}\n"));
        user.ken(&["index", "."]);
        let id = id_of(&user, SECRET);
        let reader = rusqlite::Connection::open(user.home().join("kenning.db")).unwrap();
        reader.execute_batch("BEGIN").unwrap();
        let _: i64 = reader.query_row("SELECT count(*) FROM item", [], |row| row.get(0)).unwrap();
        let ran = user.ken(&["forget", "--json", &id]);
        assert_eq!((ran.code, ran.json()["traces_left"].as_bool()), (7, Some(true)), "{ran:?}");
        assert_eq!(ran.json()["items"], 1);
        assert_eq!(ran.err.matches("note: another process is reading").count(), 1, "{ran:?}");
        assert!(!found(&user), "it is forgotten all the same");
        assert!(user.holds("zanzibarium"), "or there was nothing to tell");
        assert_eq!(user.ken(&["status", "--json"]).json()["traces_left"], true);
        assert!(user.ken(&["status"]).out.contains("traces of what was forgotten"));
        assert_eq!(user.ken(&["status", "--strict"]).code, 8);
        let doctor = user.ken(&["doctor", "--json"]);
        assert_eq!((doctor.code, doctor.json()["traces_left"].as_bool()), (0, Some(true)), "{doctor:?}");
        assert!(doctor.err.contains("traces of what was forgotten are left"), "{doctor:?}");
        // Asked again it says the same.
        let again = user.ken(&["forget", "--json", &id]);
        assert_eq!((again.code, again.json()["already_forgotten"].as_u64()), (7, Some(1)), "{again:?}");
        drop(reader);
        if !background {
            assert_eq!(user.ken(&["index", "."]).code, 0);
            assert!(!user.holds("zanzibarium"), "the next writer takes them away");
        }
        let end = Instant::now() + Duration::from_secs(300);
        while user.holds("zanzibarium") {
            assert!(Instant::now() < end, "the traces stay");
            std::thread::sleep(Duration::from_millis(200));
        }
        assert!(!user.home().join("kenning.db-wal").metadata().is_ok_and(|meta| meta.len() > 1 << 20));
        while user.ken(&["status", "--json"]).json()["traces_left"] == true {
            assert!(Instant::now() < end, "the mark stays");
            std::thread::sleep(Duration::from_millis(200));
        }
        user.assert_sound();
    }
}

/// A path that was forgotten while somebody read can be forgotten again.
#[test]
fn a_path_with_traces_is_already_forgotten() {
    let user = User::new();
    user.write("config.toml", "[index]\nbackground = false\n");
    user.document("private/a.md", SECRET);
    user.document("b.md", OTHER);
    user.ken(&["index", "."]);
    let reader = rusqlite::Connection::open(user.home().join("kenning.db")).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let _: i64 = reader.query_row("SELECT count(*) FROM item", [], |row| row.get(0)).unwrap();
    assert_eq!(user.ken(&["forget", "--path", "private"]).code, 7);
    drop(reader);
    let ran = user.ken(&["forget", "--path", "private"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "Already forgotten: 1.\n"), "{ran:?}");
    assert!(!user.holds("zanzibarium"));
    assert_eq!(user.ken(&["forget", "--path", "private"]).code, 2, "now nothing is known of it");
}

on_every_store!(forgetting_again_after_a_kill_completes_it);

/// Killed at any moment, it is completed by doing it again.
fn forgetting_again_after_a_kill_completes_it(new: fn() -> User) {
    let kills = crate::support::long::amount("KEN_KILLS", 12, 4);
    let (mut moments, mut running) = (None::<Moments>, 0);
    for round in 0..=kills {
        let user = new();
        // One of a file, and one that lies in no file.
        user.document("a.md", format!("# A\n\n{SECRET}\n\n# B\n\n{OTHER}\n"));
        user.ken(&["index", "."]);
        let mut export = user.ken(&["export"]).out.replace("zanzibarium", "marmalade").replace("chunk/", "fact/");
        let path = user.work().canonicalize().unwrap().join("a.md").display().to_string();
        export = export.replace(&format!("\"{path}\",\"span\""), "null,\"span\"");
        let imported = run(user.command(&["import", "--json", "-"]), export.as_bytes()).json();
        let ids: Vec<String> =
            user.exported().iter().filter_map(|r| r["item"]["uid"].as_str().map(str::to_owned)).collect();
        assert!(imported["items"].as_u64() > Some(0) && ids.len() > 2, "{imported} {ids:?}");
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let command = user.command(&[&["forget"], &ids[..]].concat());
        match &mut moments {
            None => moments = Some(Moments::new(command)),
            Some(moments) => running += u32::from(moments.kill(command)),
        }
        let again = user.ken(&[&["forget"], &ids[..]].concat());
        assert_eq!(again.code, 0, "{again:?}");
        assert!(user.texts().is_empty());
        for word in ["zanzibarium", "marmalade"] {
            assert!(!user.holds(word), "{word} in round {round}");
        }
        let third = user.ken(&[&["forget"], &ids[..]].concat());
        assert_eq!((third.code, third.out), (0, format!("Already forgotten: {}.\n", ids.len())));
        user.assert_sound();
    }
    assert!(running > 0, "none was killed while it ran");
}
