use super::*;
use proptest::prelude::*;

const FILE: &str = "---
kind: preference            # a comment
authority: team
category: naming
tags: [sql, 2]
---

# Tables

Names of tables are in the singular.

---
kind: tactic
id: m-4f2c
error: |
  ERROR 1205: Lock wait timeout
    exceeded
worked: false
until: 2026-11-22
---
Restarting the pod does not help.
";

#[test]
fn a_file_of_memories_is_read_with_its_lines() {
    let all = read_all(FILE).unwrap();
    let first = MarkdownMemory {
        kind: "preference".into(),
        authority: Some("team".into()),
        category: Some("naming".into()),
        tags: vec!["sql".into(), "2".into()],
        text: "# Tables\n\nNames of tables are in the singular.".into(),
        ..MarkdownMemory::default()
    };
    let second = MarkdownMemory {
        kind: "tactic".into(),
        id: Some("m-4f2c".into()),
        error: Some("ERROR 1205: Lock wait timeout\n  exceeded\n".into()),
        worked: Some(false),
        until: Some("2026-11-22".into()),
        text: "Restarting the pod does not help.".into(),
        ..MarkdownMemory::default()
    };
    assert_eq!(first.heading(), Some("Tables"));
    assert_eq!(second.heading(), None);
    let places: Vec<_> = all.iter().map(|placed| (placed.line_start, placed.line_end)).collect();
    assert_eq!(places, [(1, 10), (12, 21)]);
    assert_eq!([&all[0].memory, &all[1].memory], [&first, &second]);
    assert_eq!(read_all(&FILE.replace('\n', "\r\n")).unwrap(), all);
    assert_eq!(read_all(&format!("\u{FEFF}{FILE}")).unwrap(), all);
    assert_eq!(read(FILE).unwrap_err().line, 12);
    assert_eq!(read_all("\n \n").unwrap(), []);
}

#[test]
fn what_is_written_is_readable() {
    let memory = MarkdownMemory {
        id: Some("m-1".into()),
        kind: "tactic".into(),
        authority: Some("org".into()),
        title: Some("Rest: now".into()),
        category: Some("yes".into()),
        pattern: Some("a: b".into()),
        service: Some("Cloud Run".into()),
        region: Some("1.10".into()),
        subject: Some("quota".into()),
        until: Some("2026-11-22T12:00Z".into()),
        tags: vec!["a b".into(), "x, y".into()],
        global: Some(true),
        worked: Some(true),
        error: Some("one\n  two".into()),
        fingerprint: Some("v2:0123".into()),
        because: Some("It \"broke\"".into()),
        text: "Do it.\n\n---\n\nThen rest.".into(),
    };
    let text = "---\nid: m-1\nkind: tactic\nauthority: org\ntitle: \"Rest: now\"\ncategory: \"yes\"\n\
        pattern: \"a: b\"\nservice: Cloud Run\n\
        region: \"1.10\"\nsubject: quota\nuntil: \"2026-11-22T12:00Z\"\n\
        tags: [a b, \"x, y\"]\nglobal: true\nworked: true\n\
        error: |-\n  one\n    two\nfingerprint: \"v2:0123\"\nbecause: \"It \\\"broke\\\"\"\n\
        ---\nDo it.\n\n---\n\nThen rest.\n";
    assert_eq!(write(&memory), text);
    assert_eq!(read(text).unwrap(), memory);
}

#[test]
fn a_text_that_looks_like_front_matter_stands_in_it() {
    for text in ["a\n---\nkind: fact\n---\nb", "a\n---", "```\n---\nkind: fact\n---", " \n a", "a\n", "a\rb", "a\r\nb"]
    {
        let memory = MarkdownMemory { kind: "fact".into(), text: text.into(), ..MarkdownMemory::default() };
        let written = write(&memory);
        assert!(written.contains("\ntext: "), "{written}");
        assert_eq!(read(&written).unwrap(), memory, "{text:?}");
    }
    let tabs = MarkdownMemory {
        kind: "tactic".into(),
        error: Some("make:\n\tfailed\n\n  at \\t\n".into()),
        text: "a".into(),
        ..MarkdownMemory::default()
    };
    assert_eq!(read(&write(&tabs)).unwrap(), tabs);
    let fenced = "See:\n\n```md\n---\n title: x\n---\n```\nso.";
    let memory = MarkdownMemory { kind: "fact".into(), text: fenced.into(), ..MarkdownMemory::default() };
    assert_eq!(write(&memory), format!("---\nkind: fact\n---\n{fenced}\n"));
}

#[test]
fn lines_of_dashes_belong_to_the_text_where_no_keys_follow() {
    for body in [
        "One.\n\n---\n\nTwo.",
        "One.\n---\nNote: two\n---\nthree",
        "One.\n\n---\nkind: fact, and no end",
        "```\n---\nkind: fact\n---\n```\nAn example.",
        "- - -\nkind: x\n---",
    ] {
        let all = read_all(&format!("---\nkind: fact\n---\n{body}\n")).unwrap();
        assert_eq!(all.iter().map(|placed| placed.memory.text.as_str()).collect::<Vec<_>>(), [body]);
    }
}

#[test]
fn errors_name_the_line_and_the_nearest_key() {
    let table: &[(&str, usize, &str, &str)] = &[
        ("Use tabs", 1, "begins with front matter", "kind: preference"),
        ("\n\nUse tabs", 3, "begins with front matter", ""),
        ("---\nkind: fact\n", 1, "does not end", ""),
        ("---\nkind: fact\nctegory: x\n---\na", 3, "`ctegory` is no key", "did you mean category?"),
        ("---\nkind: fact\n\"untill\": x\n---\na", 3, "`untill` is no key", "did you mean until?"),
        ("---\nkind: fact\nqqqqqqqq: x\n---\na", 3, "`qqqqqqqq` is no key", "keys are id, kind"),
        ("---\nkind: fact\nkind: fact\n---\na", 3, "`kind` stands there twice", ""),
        ("---\nauthority: team\n---\na", 1, "`kind` is missing", "kinds are preference"),
        ("---\nkind: tactik\n---\na", 2, "`kind` is none of preference, fact, tactic", "did you mean tactic?"),
        ("---\nkind: fact\nauthority: king\n---\na", 3, "`authority` is none of personal, team, org", ""),
        ("---\nkind: fact\nuntil: 2026-02-30\n---\na", 3, "`until` is no date", "2026-11-22T12:00Z"),
        ("---\nkind: fact\nuntil: soon\n---\na", 3, "`until` is no date", ""),
        ("---\nkind: fact\nworked: true\n---\na", 3, "`worked` is for tactics, and this is a fact", ""),
        ("---\nkind: tactic\nworked: perhaps\n---\na", 3, "", ""),
        ("---\nkind: fact\ntags: a, b\n---\na", 3, "", "tags: [one, two]"),
        ("---\nkind: fact\nbecause: x: y\n---\na", 3, "", "quotation marks"),
        ("---\nkind: fact\nerror: [a]\n---\na", 3, "", ""),
        ("---\nkind: fact\n---\n\n \n", 1, "no text", ""),
        (
            "---\nkind: fact\n---\na\n\n---\nkind: fact\nregio: b\n---\nc",
            8,
            "`regio` is no key",
            "did you mean region?",
        ),
        ("---\nkind: fact\ntext: a\n---\nb", 5, "here and in the front matter", "line 3"),
        ("---\nkind: fact\n---\n```\na\n---\nkind: fact\n---\nb", 4, "does not end before the memory in line 6", ""),
        ("---\n- a\n---\nb", 2, "", ""),
    ];
    for (text, line, what, hint) in table {
        let error = read_all(text).unwrap_err();
        assert_eq!(error.line, *line, "{text:?}: {error:?}");
        assert!(error.what.contains(what), "{text:?}: {error:?}");
        assert!(error.hint.clone().unwrap_or_default().contains(hint), "{text:?}: {error:?}");
        assert!(!error.what.contains('\n') && !error.what.contains("column"), "{error:?}");
    }
}

#[test]
fn sizes_are_bounded() {
    let with = |key: &str, value: &str| format!("---\nkind: tactic\n{key}: {value}\n---\na\n");
    let long = |n: usize| "x".repeat(n);
    assert!(read(&with("category", &long(MAX_FIELD_BYTES))).is_ok());
    assert_eq!(read(&with("category", &long(MAX_FIELD_BYTES + 1))).unwrap_err().line, 3);
    assert!(read(&with("error", &long(MAX_LONG_FIELD_BYTES))).is_ok());
    assert_eq!(read(&with("error", &long(MAX_LONG_FIELD_BYTES + 1))).unwrap_err().line, 3);
    let tags = |n: usize| format!("[{}]", vec!["a"; n].join(", "));
    assert!(read(&with("tags", &tags(MAX_TAGS))).is_ok());
    assert!(read(&with("tags", &tags(MAX_TAGS + 1))).is_err());
    assert!(read(&with("tags", &format!("[{}]", long(MAX_FIELD_BYTES + 1)))).is_err());
    assert!(read(&format!("---\nkind: fact\n---\n{}", long(MAX_TEXT_BYTES))).is_ok());
    assert_eq!(read(&format!("---\nkind: fact\n---\n{}", long(MAX_TEXT_BYTES + 1))).unwrap_err().line, 4);
    assert!(read(&format!("---\nkind: fact\n# {}\n---\na", long(MAX_FRONT_MATTER_BYTES))).is_err());
    assert!(read(&"\n".repeat(MAX_FILE_BYTES + 1)).is_err());
    let many = "---\nkind: fact\n---\na\n".repeat(MAX_MEMORIES);
    assert_eq!(read_all(&many).unwrap().len(), MAX_MEMORIES);
    assert!(read_all(&format!("{many}---\nkind: fact\n---\na\n")).is_err());
}

#[test]
fn aliases_do_not_grow_without_bound() {
    let mut bomb = String::from("---\nkind: fact\n");
    bomb.push_str("id: &a xxxxxxxxxx\ntags: [*a, *a, *a]\n---\nb");
    assert_eq!(read(&bomb).unwrap().tags.len(), 3);
    // A long string, many times: the parser gives up before it has copied it all.
    let long = "x".repeat(MAX_FRONT_MATTER_BYTES / 2);
    let again = vec!["*a"; MAX_FRONT_MATTER_BYTES / 10].join(", ");
    let error = read(&format!("---\nkind: fact\nid: &a {long}\ntags: [{again}]\n---\nb")).unwrap_err();
    assert!(error.what.contains("budget") || error.what.contains("alias"), "{error:?}");
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z #:'\"\\\\|>-]{0,8}",
        "[a-z]{1,3}\n\t[a-z]{1,3}",
        "\\PC{0,4}",
        Just("\n".to_owned()),
        Just("\n---\n".to_owned()),
        Just("---\nkind: fact\n".to_owned()),
        Just("\n```\n".to_owned()),
        Just("~~~".to_owned()),
        Just("\r\n".to_owned()),
        Just("\n  ".to_owned()),
        "[\\x00-\\x1f\\x7f-\\x9f\u{85}\u{2028}\u{202e}\u{200b}\u{feff}\u{e0041}\t]{0,2}",
        "(true|null|~|1e3|0x1f|\\.5|2026-11-22|!x|&a|\\*a|@|%|\\? |- |yes|<<)",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn any_memory() -> impl Strategy<Value = MarkdownMemory> {
    let field = || prop::option::of(any_text());
    let until = prop::option::of(prop_oneof![Just("2026-11-22".to_owned()), Just("2026-11-22T12:00Z".to_owned())]);
    let authority = prop::option::of(prop::sample::select(AUTHORITIES).prop_map(str::to_owned));
    let text = any_text().prop_filter("no text", |text| !text.trim().is_empty());
    let names = (field(), field(), field(), field(), field());
    let more = (field(), field(), field());
    let rest = (until, prop::collection::vec(any_text(), 0..3), any::<Option<bool>>(), field(), field());
    (prop::sample::select(KINDS), any::<Option<bool>>(), authority, names, more, rest, text).prop_map(
        |(kind, worked, authority, (id, category, pattern, service, region), more, rest, text)| {
            let (title, subject, fingerprint) = more;
            let (until, tags, global, error, because) = rest;
            let worked = worked.filter(|_| kind == "tactic");
            let kind = kind.to_owned();
            MarkdownMemory {
                id,
                kind,
                authority,
                title,
                category,
                pattern,
                service,
                region,
                subject,
                until,
                tags,
                global,
                error,
                fingerprint,
                worked,
                because,
                text,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_is_written_is_read(memory in any_memory()) {
        let written = write(&memory);
        prop_assert_eq!(read(&written).map_err(|error| format!("{error:?} {written}")), Ok(memory));
        prop_assert!(written.chars().all(|c| !crate::screen::moves(c) || matches!(c, '\n' | '\t')));
    }

    #[test]
    fn many_that_are_written_are_read(memories in prop::collection::vec(any_memory(), 0..4)) {
        let written = write_all(&memories);
        let read = read_all(&written).map_err(|error| TestCaseError::fail(format!("{error:?} {written}")))?;
        let lines: Vec<&str> = written.lines().collect();
        for placed in &read {
            prop_assert_eq!(lines[placed.line_start - 1], "---");
            prop_assert!(!lines[placed.line_end - 1].is_empty());
        }
        prop_assert!(read.windows(2).all(|two| two[0].line_end < two[1].line_start));
        prop_assert_eq!(read.into_iter().map(|placed| placed.memory).collect::<Vec<_>>(), memories);
    }

    #[test]
    fn anything_is_read_or_refused(text in any_text(), matter in any_text()) {
        let _ = read_all(&text);
        if let Err(error) = read_all(&format!("---\nkind: fact\n{matter}\n---\n{text}")) {
            prop_assert!(error.line >= 1);
        }
    }
}
