use crate::support::ken::User;
use std::fs;

const SECRET: &str = "The zanzibarium password hangs on a nail behind the door of the old kitchen. Whoever needs it has to ask the cook, who keeps the key, sleeps until noon, and does not like to be woken; so it is better to come in the evening, when the bread is in the oven and she has time to talk, or to send somebody whom she knows from the years before.";
const OTHER: &str = "Another paragraph about something else entirely, to keep the file company. It goes on for a while about the weather of the last weeks, about the road that is closed because of the bridge, about the new lamps along the market that nobody likes, and about the dog of the neighbours, who has learnt to open the gate and now goes for walks by himself.";

/// Whether the word stands in any file of the data directory, compressed by nothing.
fn on_disk(user: &User, word: &str) -> bool {
    let files = fs::read_dir(user.home()).unwrap().flatten().map(|entry| entry.path()).filter(|path| path.is_file());
    files.map(|path| fs::read(path).unwrap()).any(|bytes| bytes.windows(word.len()).any(|w| w == word.as_bytes()))
}

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
    assert!(found(&user) && on_disk(&user, "zanzibarium"));
    let id = id_of(&user, SECRET);
    assert_eq!(user.ken(&["forget", &id, "chunk/0000"]).code, 2, "nothing is forgotten when one id is wrong");
    assert!(found(&user));
    let ran = user.ken(&["forget", &id]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "1 forgotten.\n"));
    assert!(!found(&user) && !on_disk(&user, "zanzibarium"));
    user.assert_sound();
    // The file still holds it, and changes elsewhere.
    user.document("a.md", format!("# B\n\n{OTHER} More.\n\n# A\n\n{SECRET}\n"));
    user.ken(&["index", "."]);
    assert!(!found(&user) && !on_disk(&user, "zanzibarium"));
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
    assert_eq!((ran.code, ran.out.as_str()), (0, "1 files with 1 chunks forgotten.\n"));
    assert!(!found(&user) && !on_disk(&user, "zanzibarium"));
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
    assert!(!on_disk(&user, "zanzibarium"));
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
