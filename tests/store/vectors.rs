//! The file of vectors beside the database, with what has changed since laid over it: whatever happens, a search says
//! what it would say if it read the database alone.

use crate::support::ken::User;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

const MODEL: &str = "bge-small-en-v1.5-int8";
const FILES: u32 = 24;

/// Three paragraphs, of which the second is in every file and the last changes with the version.
fn text(file: u32, version: u32) -> String {
    let things = ["bridge", "lighthouse", "compiler", "orchard", "database", "violin", "harbour"];
    let thing = |n: u32| things[(n % 7) as usize];
    format!(
        "# One\n\nThe {} number {file} was painted by somebody who lives near the {}, and it took them a whole winter to be done \
         with it, because of the rain.\n\n# Two\n\nEvery file of this folder holds this paragraph, so that a single vector belongs to many \
         items and stays when one of them goes.\n\n# Three\n\nIn version {version} the {} is closed on Mondays, as file {file} says to \
         everybody who asks about it in the town hall.\n",
        thing(file),
        thing(file / 7 + 1),
        thing(version + file),
    )
}

/// What is found for some questions, best first, without what changes with the time.
fn ask(user: &User) -> Vec<serde_json::Value> {
    let questions = ["when is the lighthouse closed", "who painted the violin", "one vector of many items"];
    let answers = questions.map(|question| {
        let ran = user.ken(&["search", "--json", "--dry-run", "--min-relevance", "0", "-n", "60", question]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
        let hits = ran.json()["results"][0]["hits"].clone();
        let told = |hit: &serde_json::Value| serde_json::json!([hit["id"], hit["relevance"], hit["also_in"]]);
        let mut told: Vec<serde_json::Value> = hits.as_array().unwrap().iter().map(told).collect();
        told.sort_by_key(ToString::to_string);
        serde_json::Value::Array(told)
    });
    answers.to_vec()
}

/// With the file that is there, and as it would be without.
fn assert_as_the_database_says(user: &User, when: &str) {
    let file = user.home().join("kenning.db.vectors");
    let with = ask(user);
    let aside = user.home().join("aside");
    let there = fs::rename(&file, &aside).is_ok();
    assert_eq!(with, ask(user), "{when}");
    if there {
        fs::rename(&aside, &file).unwrap();
    }
}

fn vectors_file(user: &User) -> serde_json::Value {
    user.ken(&["status", "--json"]).json()["vectors_file"].clone()
}

#[test]
fn changes_are_laid_over_the_file_until_it_is_made_again() {
    let user = User::new().with_model(MODEL);
    (0..FILES).for_each(|file| drop(user.document(&format!("{file}.md"), text(file, 0))));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let first = vectors_file(&user);
    assert_eq!((first["overlay"].as_u64(), first["recall"].is_null()), (Some(0), true));
    let mut last = 0;
    for version in 1..4 {
        (0..FILES).filter(|file| file % 3 == version % 3).for_each(|file| {
            drop(user.document(&format!("{file}.md"), text(file, version)));
        });
        fs::remove_file(user.work().join(format!("{version}.md"))).unwrap();
        user.document(&format!("new{version}.md"), text(100 + version, version));
        assert_eq!(user.ken(&["index", "."]).code, 0);
        let file = vectors_file(&user);
        assert_eq!(file["generation"], first["generation"], "a few changes do not write the file again");
        let overlay = file["overlay"].as_u64().unwrap();
        assert!(overlay > last && file["dead_share"].as_f64().unwrap() > 0.0, "{file}");
        last = overlay;
        assert_as_the_database_says(&user, &format!("version {version}"));
    }
    let before = ask(&user);
    assert_eq!(user.ken(&["gc"]).code, 0);
    let after = vectors_file(&user);
    assert!(after["generation"].as_u64() > first["generation"].as_u64() && after["overlay"] == 0, "{after}");
    assert_eq!(ask(&user), before);
    user.assert_sound();
}

/// A log of changes that lost some: nobody but the doctor can see it.
#[test]
fn the_doctor_compares_the_file_with_the_database() {
    let user = User::new().with_model(MODEL);
    (0..4).for_each(|file| drop(user.document(&format!("{file}.md"), text(file, 0))));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let generation = vectors_file(&user)["generation"].as_u64().unwrap();
    user.document("1.md", text(1, 1));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let right = ask(&user);
    user.assert_sound();
    let database = rusqlite::Connection::open(user.home().join("kenning.db")).unwrap();
    database.execute("DELETE FROM vector_change WHERE number > ?1", [generation as i64]).unwrap();
    drop(database);
    let found = user.ken(&["doctor"]);
    assert!(found.code == 8 && found.out.contains("other texts"), "{found:?}");
    assert_eq!(user.ken(&["doctor", "--repair"]).code, 0);
    user.assert_sound();
    assert_eq!(ask(&user), right);
}

/// Vectors tell of texts too: those that a killed process had not written to the end go with what is forgotten.
#[test]
fn half_written_files_are_cleaned_up() {
    let user = User::new();
    user.document("a.md", text(0, 0));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    for arguments in [&["gc"][..], &["forget", "--path", "a.md"]] {
        let half = user.write(".kenning.db.vectors-a1b2c3", "KENVEC half a file");
        assert_eq!(user.ken(arguments).code, 0);
        assert!(!half.exists(), "{arguments:?}");
    }
}

/// Whoever writes is killed at any moment, before, while and after the file is written and the log of changes is cut.
#[test]
fn a_killed_writer_leaves_nothing_wrong() {
    let user = User::new().with_model(MODEL);
    (0..FILES).for_each(|file| drop(user.document(&format!("{file}.md"), text(file, 0))));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let kills = crate::support::long::amount("KEN_KILLS", 12, 4);
    let (mut running, mut whole) = (0, [Duration::from_millis(60); 3]);
    for round in 0..kills {
        (0..FILES).filter(|file| file % 5 == round % 5).for_each(|file| {
            drop(user.document(&format!("{file}.md"), text(file, round + 1)));
        });
        let gone = format!("{}.md", round % FILES);
        let commands = [&["index", "."][..], &["gc"], &["forget", "--path", &gone]];
        let which = (round % 3) as usize;
        let start = Instant::now();
        let mut command = user.command(commands[which]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole[which] * ((round * 37 + 11) % 101) / 100);
        running += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_as_the_database_says(&user, &format!("round {round}, {:?}, killed", commands[which]));
        let left = user.ken(commands[which]);
        // Whether the file to forget was still known depends on the moment of the kill; the others have one answer.
        let codes: &[i32] = if which == 2 { &[0, 2] } else { &[0] };
        assert!(codes.contains(&left.code), "{left:?}");
        whole[which] = (start.elapsed() / 2).min(Duration::from_millis(400));
        assert_as_the_database_says(&user, &format!("round {round}, {:?}", commands[which]));
        user.assert_sound();
    }
    assert!(running > kills / 4, "only {running} were still running");
}

/// No file of vectors asks what changed, as long as there is no model: what is kept for one does not grow for ever.
#[test]
fn an_index_without_a_model_keeps_no_log_of_changes() {
    let user = User::new();
    let words =
        "Requests to the billing service are retried three times with exponential back-off and jitter. ".repeat(5);
    let section = |at: u32| format!("# Section {at}\n\n{at} {words}\n\n");
    user.document("long.md", (0..4_200).map(section).collect::<String>());
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let database = rusqlite::Connection::open(user.home().join("kenning.db")).unwrap();
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap();
    assert!(count("SELECT count(*) FROM item") >= 4_200);
    assert_eq!(count("SELECT count(*) FROM vector_change"), 1);
}
