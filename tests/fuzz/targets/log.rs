//! Logs and questions: decoded, cleaned, cut into errors, masked, and broken into words.

use crate::fuzz::{Target, about, outcome, sort_of};
use kenning::text::{
    clean, decode, fingerprint, headline, mask, parse_timestamp, salient, shape, shell_quote, single_line, timestamp,
    tokens,
};
use kenning::triage::{blocks, is_question};

pub const LOG: Target = Target {
    name: "log",
    // UTF-16, and a word without end, of which each part begins many a mask: its time grew with the square of its
    // length.
    seeds: || {
        let wide = "error: \u{df}x\n".encode_utf16().flat_map(u16::to_le_bytes);
        vec![[0xff, 0xfe].into_iter().chain(wide).collect(), "1.2.3".repeat(24_000).into_bytes()]
    },
    words: &[
        "error: ",
        "Error[E0001]: ",
        "panic: ",
        "  at a.b(C.java:1)\n",
        "Traceback (most recent call last):\n",
        "Caused by: ",
        "2024-05-01T10:00:00.000000Z ",
        "[12:00:00] ",
        "I0101 00:00:00.000 1 a.go:1] ",
        "#12 0.123 ",
        "##[error]",
        "::error::",
        "web-1  | ",
        "\x1b[31m",
        "\x1b[2K",
        "\x1b]0;",
        "\x07",
        "\r",
        "\x08",
        "\u{2502} ",
        "\u{2577}\n",
        "/usr/bin/x:1:2",
        "10.0.0.1:8080",
        "::1",
        "https://a/b?c",
        "0xdeadbeef",
        "d41d8cd98f00b204e9800998ecf8427e",
        "{\"level\":\"error\",\"msg\":\"",
        "\\n",
        "key=value ",
        "'a'",
        "\"b\"",
        "`c`",
        "exit code 1",
        "    ",
        "\n\n",
        "--- ",
        "^\n",
        "1.2.3",
        "5ms",
        "50%",
        "12GiB",
    ],
    longest: 128 << 10,
    reader: |_| Box::new(log),
};

pub const WORDS: Target = Target {
    name: "words",
    seeds: Vec::new,
    words: &[
        "camelCase",
        "snake_case",
        "E0382",
        "running",
        "10.0.0.1",
        "a.b.c",
        "--flag",
        "C:\\x",
        "\u{4e2d}\u{6587}",
        "2024-05-01T10:00:00Z",
        "'s",
        "\u{130}",
    ],
    longest: 128 << 10,
    reader: |_| Box::new(words),
};

fn log(input: &[u8]) -> u64 {
    let text = match decode(input) {
        Ok(text) => text,
        Err(error) => return sort_of(&error),
    };
    let cleaned = clean(&text);
    assert!(cleaned == clean(&text), "cleaning is deterministic");
    assert!(!cleaned.text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "no control characters are left");
    let (mut end, mut number) = (0, 0);
    for (at, line) in cleaned.lines.iter().enumerate() {
        assert!(line.start >= end && line.end >= line.start && line.number > number, "{line:?}");
        (end, number) = (line.end, line.number);
        assert!(!cleaned.line(at).contains('\n'));
        assert_eq!(cleaned.line_at(line.start), at);
    }
    let found = blocks(&cleaned);
    for block in &found {
        assert!(block.first <= block.last && block.last < cleaned.lines.len(), "{block:?}");
        assert!(cleaned.text.get(block.range(&cleaned)).is_some());
    }
    let masked = mask(&cleaned.text);
    let print = fingerprint(&masked);
    assert_eq!(print, fingerprint(&mask(&cleaned.text)), "masks are deterministic");
    let _ = shape(&masked);
    let lines: Vec<&str> = cleaned.text.lines().take(40).collect();
    assert!(salient(&lines, 200).chars().count() <= 200);
    let head = headline(&lines);
    outcome((
        about(found.len()),
        about(cleaned.lines.len()),
        is_question(&cleaned),
        head.is_empty(),
        masked == cleaned.text,
    ))
}

fn words(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let found = tokens(&text);
    assert!(found == tokens(&text));
    assert!(found.iter().all(|word| !word.is_empty() && !word.contains(char::is_whitespace)), "{found:?}");
    let plain = kenning::screen::clean(&text);
    assert!(!plain.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
    let line = single_line(&text, 80);
    assert!(line.chars().count() <= 80 && !line.contains('\n'), "{line:?}");
    let quoted = shell_quote(&text).is_some();
    let time = parse_timestamp(&text);
    if let Some(ms) = time {
        let written = timestamp(ms);
        assert_eq!(parse_timestamp(&written).map(timestamp), Some(written), "a time comes back as it was written");
    }
    outcome((about(found.len()), quoted, time.is_some(), plain.len() == text.len()))
}
