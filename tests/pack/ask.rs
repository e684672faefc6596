use crate::support::ken::{User, section};

#[test]
fn phrases_make_calls_and_say_which() {
    let user = User::new();
    user.document("a.md", section(1, "The retry logic of the importer waits for a minute after the third attempt."));
    user.ken(&["index", "."]);
    for (phrase, call, code) in [
        ("let's work on the retry logic of the importer", "ken pack", 0),
        ("what do we know about the retry logic of the importer?", "ken search", 1),
        ("ken: search retry logic", "ken search \"retry logic\"", 1),
        ("error: linker `cc` not found", "ken lookup", 0),
        ("good morning", "ken status --brief", 0),
        ("remember that the importer is slow", "ken remember \"the importer is slow\"", 0),
        ("update your learnings", "does not say what was learnt", 2),
        ("thanks!", "asks for nothing", 2),
    ] {
        let ran = user.ken(&["ask", phrase]);
        assert!(ran.err.contains(call) && ran.code == code, "{phrase}: {ran:?}");
    }
    // What looks like a flag is a word.
    let ran = user.ken(&["ask", "ken: search --json --model x"]);
    assert!(ran.err.contains("ken search") && !ran.out.starts_with('{'), "{ran:?}");
}

/// A session begins with at most fifty tokens.
#[test]
fn the_beginning_of_a_session_is_short() {
    let user = User::new();
    user.document("a.md", section(1, "Some text."));
    user.ken(&["index", "."]);
    user.document("a.md", "changed");
    let out = user.ken(&["status", "--brief"]).out;
    let counter = kenning::pack::Tokenizer::Cl100k.counter().unwrap();
    assert!(out.contains("1 stale") && counter.count(&out) <= 50, "{out}");
}
