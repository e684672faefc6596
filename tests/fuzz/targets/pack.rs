//! Frames that are compared, texts whose tokens are counted, phrases that are routed.

use crate::fuzz::{Reader, Target, about, outcome};
use kenning::pack::{Tokenizer, diff};
use kenning::query::call;
use std::path::Path;

/// Two frames with a line `=== ` between.
pub const FRAME: Target = Target {
    name: "frame",
    seeds: Vec::new,
    words: &[
        "=== b\n",
        "## Knowledge\n",
        "# Frame\n",
        "### ",
        "## State\n",
        "## Task\n",
        "---\n",
        "```\n",
        "<",
        ">",
        "[cut: 1 of 2 lines]",
    ],
    longest: 32 << 10,
    reader: |_| {
        Box::new(|input| {
            let text = String::from_utf8_lossy(input);
            let (a, b) = text.split_once("=== b\n").unwrap_or((&text, &text));
            assert!(diff(a, a).is_none_or(|same| same.is_empty()), "a frame is equal to itself");
            let found = diff(a, b);
            outcome(found.map(|found| (about(found.same), about(found.pieces.len()), about(found.parts.len()))))
        })
    },
};

pub const TOKENS: Target = Target {
    name: "tokens",
    seeds: Vec::new,
    words: &["<|endoftext|>", "    ", "aaaa", "\u{1f468}", "1234567890", "\n\n\n", "'ll", "\u{301}"],
    longest: 128 << 10,
    reader: tokens,
};

pub const PHRASE: Target = Target {
    name: "phrase",
    seeds: Vec::new,
    words: &[
        "ken: ",
        "find ",
        "what do I know about ",
        "remember that ",
        "pack ",
        "status",
        "look up ",
        "?",
        "\"",
        ": ",
    ],
    longest: 16 << 10,
    reader: |_| {
        Box::new(|input| {
            let text = String::from_utf8_lossy(input);
            let found = call(&text);
            assert!(found == call(&text));
            outcome(format!("{found:?}").split([' ', '{']).next().unwrap_or_default())
        })
    },
};

fn tokens(_: &Path) -> Reader {
    let counters =
        [Tokenizer::Cl100k, Tokenizer::O200k, Tokenizer::Chars].map(|tokenizer| tokenizer.counter().unwrap());
    Box::new(move |input| {
        let text = String::from_utf8_lossy(input);
        let counts: Vec<usize> = counters.iter().map(|counter| counter.count(&text)).collect();
        assert!(counts.iter().all(|count| *count <= text.len() && (*count > 0 || text.is_empty())), "{counts:?}");
        outcome(counts.into_iter().map(about).collect::<Vec<_>>())
    })
}
