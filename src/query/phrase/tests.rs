//! The table of phrases, near misses, and what holds for any phrase.

use super::*;

fn pack(task: &str) -> Call {
    Call::Pack { task: task.to_owned() }
}
fn search(question: &str) -> Call {
    Call::Search { question: question.to_owned() }
}
fn lookup(error: &str) -> Call {
    Call::Lookup { error: error.to_owned() }
}
fn learn(what: &str) -> Call {
    Call::Learn { what: what.to_owned() }
}

#[track_caller]
fn routes(cases: &[(&str, Call)]) {
    let wrong: Vec<_> =
        cases.iter().map(|(text, wanted)| (text, call(text), wanted)).filter(|(_, c, w)| c != *w).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_prefix_wins() {
    routes(&[
        ("ken: search let's work on retry", search("let's work on retry")),
        ("Ken: Search \"HNSW recall\"", search("HNSW recall")),
        ("ken: pack where is the cache?", pack("where is the cache")),
        ("KEN:pack the Parser, please", pack("the Parser")),
        ("ken: lookup error: it broke.", lookup("error: it broke.")),
        ("ken : lookup a\nb", lookup("a\nb")),
        ("ken: status", Call::Status),
        ("ken: Status?", Call::Status),
        ("ken:", Call::Status),
        ("ken: learn we ship on Fridays", learn("we ship on Fridays")),
        ("ken: retry backoff", search("retry backoff")),
        ("ken: yes", search("yes")),
        ("ken: search", search("search")),
        ("ken: let's work on retry", pack("retry")),
        ("ken: how do we rotate keys?", search("rotate keys")),
        ("ken: remember that tests need Docker", learn("tests need Docker")),
        ("ken: ValueError: bad input", lookup("ValueError: bad input")),
        ("ken: status of the migration", search("status of the migration")),
        ("kennel: search x", Call::Unclear),
    ]);
}

#[test]
fn tasks_are_packed() {
    routes(&[
        ("ok, let's work on the retry logic please", pack("the retry logic")),
        ("Let's work on the error handling docs", pack("the error handling docs")),
        ("lets work on HTTP/2 support", pack("HTTP/2 support")),
        ("I want to work on the Tokenizer.", pack("the Tokenizer")),
        ("I want to add a --json flag", pack("add a --json flag")),
        ("i'd like to refactor the config loader", pack("refactor the config loader")),
        ("start on the migration", pack("the migration")),
        ("Let's start with `ann/hnsw.rs`", pack("ann/hnsw.rs")),
        ("continue with the MCP server", pack("the MCP server")),
        ("so, continue working on issue #42!", pack("issue #42")),
        ("implement exponential backoff", pack("exponential backoff")),
        ("Please implement \"chunk overlap\" now", pack("chunk overlap")),
        ("prepare context for the release", pack("the release")),
        ("could you prepare the context for the Billing API?", pack("the Billing API")),
        ("get me the context for login", pack("login")),
        ("give me context on the scheduler", pack("the scheduler")),
        ("let's fix the flaky test", pack("fix the flaky test")),
        ("fix the TypeError in the parser", pack("fix the TypeError in the parser")),
        ("good morning, let's work on search ranking", pack("search ranking")),
        ("we need to support Windows paths", pack("support Windows paths")),
        ("let's get started on exit code handling", pack("exit code handling")),
        ("help me implement a lock file", pack("a lock file")),
        ("I'm working on the why-does-it-fail page", pack("the why-does-it-fail page")),
        ("let's work on status reporting", pack("status reporting")),
        ("let's work on search", pack("search")),
    ]);
}

#[test]
fn questions_are_searched() {
    routes(&[
        ("what do we know about WAL mode?", search("WAL mode")),
        ("So what do we know about error budgets?", search("error budgets")),
        ("how do we rotate the API keys?", search("rotate the API keys")),
        ("how to build for musl", search("build for musl")),
        ("where is the retry policy?", search("the retry policy")),
        ("Where are exit codes documented", search("exit codes documented")),
        ("have we seen ECONNRESET before?", search("ECONNRESET")),
        ("have we already done a schema migration?", search("schema migration")),
        ("find the GPU notes", search("the GPU notes")),
        ("can you find \"vector quantization\"?", search("vector quantization")),
        ("search for cosine similarity, please", search("cosine similarity")),
        ("Search the docs for timeouts", search("timeouts")),
        ("look up docs on tokio::select", search("tokio::select")),
        ("look up the documentation on Serde", search("Serde")),
        ("tell me about the lock file", search("the lock file")),
        ("is there anything about rate limits?", search("rate limits")),
        ("I want to know how chunks are cut", search("how chunks are cut")),
        ("i'd like to understand the ranking", search("the ranking")),
        ("how do we handle ModuleNotFoundError?", search("handle ModuleNotFoundError")),
        ("what is a KeyError?", search("what is a KeyError")),
        ("why do we use SQLite?", search("why do we use SQLite")),
        ("What is the default port?", search("What is the default port")),
        ("does the cache expire?", search("does the cache expire")),
        ("what's the status of the migration?", search("what's the status of the migration")),
        ("explain the block format", search("the block format")),
        ("what have we learnt about locks?", search("locks")),
    ]);
}

#[test]
fn errors_are_looked_up() {
    routes(&[
        ("error: linker `cc` not found", lookup("error: linker `cc` not found")),
        ("error[E0308]: mismatched types", lookup("error[E0308]: mismatched types")),
        (
            "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'",
            lookup("Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'"),
        ),
        ("the build ended with exit code 101", lookup("the build ended with exit code 101")),
        ("process exited with status 137", lookup("process exited with status 137")),
        ("ModuleNotFoundError", lookup("ModuleNotFoundError")),
        ("java.lang.NullPointerException: null", lookup("java.lang.NullPointerException: null")),
        ("why does the nightly build fail?", lookup("the nightly build fail")),
        ("why is CI failing on Windows?", lookup("CI failing on Windows")),
        ("what does this error mean: Broken pipe", lookup("Broken pipe")),
        ("What does this error mean?\nno space left", lookup("no space left")),
        ("what does this error message mean: \"disk I/O error\"", lookup("disk I/O error")),
        ("I'm getting this error: unexpected EOF", lookup("unexpected EOF")),
        ("have we seen this error: database is locked", lookup("database is locked")),
        (
            "have we seen this?\nthread 'main' panicked at a.rs:1",
            lookup("have we seen this?\nthread 'main' panicked at a.rs:1"),
        ),
        ("bash: cargo: command not found", lookup("bash: cargo: command not found")),
        ("connect ECONNREFUSED 127.0.0.1:5432", lookup("connect ECONNREFUSED 127.0.0.1:5432")),
        ("step one done\nstep two done\nstep three lost", lookup("step one done\nstep two done\nstep three lost")),
        ("2026-01-02 03:04:05 ERROR pool exhausted", lookup("2026-01-02 03:04:05 ERROR pool exhausted")),
        ("find: 'x': No such file or directory", lookup("find: 'x': No such file or directory")),
        ("please look up this error: EOF.", lookup("EOF")),
    ]);
}

#[test]
fn sessions_start_and_things_are_learnt() {
    routes(&[
        ("session start", Call::Status),
        ("Good morning!", Call::Status),
        ("hi, good morning everyone", Call::Status),
        ("where were we?", Call::Status),
        ("ok, where were we again?", Call::Status),
        ("status", Call::Status),
        ("Status, please", Call::Status),
        ("what's the status?", Call::Status),
        ("what's indexed?", Call::Status),
        ("what is in the index", Call::Status),
        ("let's continue where we left off", Call::Status),
        ("update learning: CI needs 4 GB", learn("CI needs 4 GB")),
        ("update your learnings", learn("")),
        ("remember that we deploy today, please", learn("we deploy today")),
        ("Please remember: Postgres is on port 5433.", learn("Postgres is on port 5433")),
        ("note that `ken` never prints to stdout", learn("`ken` never prints to stdout")),
        ("note: tests run offline", learn("tests run offline")),
        ("we learnt that mmap fails on NFS", learn("mmap fails on NFS")),
        ("We learned that error: means nothing", learn("error: means nothing")),
        ("don't forget that the API is paged", learn("the API is paged")),
    ]);
}

#[test]
fn what_says_nothing_is_unclear() {
    for text in [
        "",
        "  \n",
        "yes",
        "Yes!",
        "no",
        "thanks",
        "Thank you!",
        "hello",
        "hi there",
        "ok",
        "ok, great",
        "go ahead",
        "continue",
        "let's go",
        "let's work on it",
        "find it",
        "please",
        "why?",
        "what?",
        "?",
        "...",
        "👍",
        "run the tests",
        "sounds good",
        "can you run the tests",
        "\u{feff}",
        "note taking",
        "let's",
        "lgtm",
        "start the server",
    ] {
        assert_eq!(call(text), Call::Unclear, "{text:?}");
    }
}

/// A small seeded generator (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((x ^ (x >> 31)) % limit as u64).unwrap_or(0)
    }
}

#[test]
fn objects_are_parts_of_the_phrase_and_a_prefix_is_never_unclear() {
    const WORDS: [&str; 40] = [
        "let's", "work", "on", "I", "want", "to", "find", "where", "is", "how", "do", "we", "why", "fail", "error:",
        "please", "ok,", "\"", "'", "`", "?", "!", ":", "\n", "\r\n", "\t", "the", "Cache", "Größe", "語", "\u{3000}",
        "status", "remember", "that", "ken:", "search", "pack", "lookup", "“", "İ",
    ];
    let mut random = Random(11);
    for _ in 0..20_000 {
        let words: Vec<&str> = (0..random.below(9)).map(|_| WORDS[random.below(WORDS.len())]).collect();
        let text = words.join([" ", ""][random.below(2)]);
        let object = |call: Call| match call {
            Call::Pack { task: object }
            | Call::Search { question: object }
            | Call::Lookup { error: object }
            | Call::Learn { what: object } => object,
            Call::Status | Call::Unclear => String::new(),
        };
        let found = object(call(&text));
        assert!(text.contains(&found) && found.trim() == found, "{found:?} of {text:?}");
        let spoken = format!("ken: {text}");
        assert_ne!(call(&spoken), Call::Unclear, "{spoken:?}");
        assert_eq!(
            call(&format!("Ok, {text}")) == Call::Unclear,
            call(&format!("ok, {text}")) == Call::Unclear,
            "{text:?}"
        );
    }
}

#[test]
fn long_phrases_are_routed_too() {
    let megabyte = |part: &str| part.repeat((1 << 20) / part.len());
    for part in [
        "a",
        "please ",
        "ok, ",
        "\"",
        "why does ",
        "fail ",
        "error:",
        "\n",
        "let's ",
        "'\"",
        "why is a fail ",
        "before ",
    ] {
        for text in [megabyte(part), format!("why does {}", megabyte(part)), format!("have we seen {}", megabyte(part))]
        {
            // Quadratic work on a megabyte would not come back.
            let _ = call(&text);
        }
    }
}
