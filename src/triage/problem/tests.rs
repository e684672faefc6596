//! Outputs in the forms that tools use, and what any text must come to.

use super::*;
use crate::text::clean;
use proptest::prelude::*;

/// What was read, as `file:line:column severity message`, without what is not there.
fn read(text: &str) -> Vec<String> {
    let told = |one: Problem| {
        let number = |number: Option<u32>| number.map(|number| format!(":{number}")).unwrap_or_default();
        let severity = one.severity.map(|severity| format!(" {}", severity.name())).unwrap_or_default();
        format!("{}{}{}{severity} {}", one.file, number(one.line), number(one.column), one.message)
    };
    problems(text).into_iter().map(told).collect()
}

#[test]
fn a_place_and_its_message_on_one_line() {
    for (line, told) in [
        ("a.c:3:4: error: 'x' undeclared", "a.c:3:4 error 'x' undeclared"),
        ("src/a.c:3: undefined reference to `f'", "src/a.c:3 undefined reference to `f'"),
        ("/a/b c/d.c:3:4: warning: unused", "/a/b c/d.c:3:4 warning unused"),
        (r"C:\src\a b\x.cs(10,5): error CS0103: no such name", r"C:\src\a b\x.cs:10:5 error no such name"),
        ("x.cpp(12): fatal error C1083: cannot open", "x.cpp:12 error cannot open"),
        ("src/a.ts(3,14): error TS2322: no string", "src/a.ts:3:14 error no string"),
        ("ERROR: a/b.ts[4, 2]: missing semicolon", "a/b.ts:4:2 error missing semicolon"),
        ("[ERROR] /w/src/A.java:[12,34] cannot find symbol", "/w/src/A.java:12:34 error cannot find symbol"),
        ("e: /w/A.kt: (3, 7): unresolved reference", "/w/A.kt:3:7 error unresolved reference"),
        ("e: file:///w/A.kt:3:7 unresolved reference", "file:///w/A.kt:3:7 error unresolved reference"),
        ("a.js: line 3, col 4, Error - no semicolon", "a.js:3:4 error no semicolon"),
        ("deploy.sh: line 7: jq: command not found", "deploy.sh:7 jq: command not found"),
        ("PHP Fatal error: no such class in /w/a.php on line 9", "/w/a.php:9 PHP Fatal error: no such class"),
        ("PHP Parse error: no end in /w/a.php:9", "/w/a.php:9 PHP Parse error: no end"),
        ("Can't locate X.pm in @INC at run.pl line 4.", "run.pl:4 Can't locate X.pm in @INC"),
        ("manifests/a.pp - ERROR: no such class on line 4", "manifests/a.pp:4 error no such class"),
        ("[api/v1/a.proto:3:1] wrong package", "api/v1/a.proto:3:1 wrong package"),
        ("Makefile:12: *** missing separator.  Stop.", "Makefile:12 *** missing separator. Stop."),
        ("bin/setup:3:1: W: too long", "bin/setup:3:1 warning too long"),
        ("error • No such name • lib/main.dart:3:5 • undefined", "lib/main.dart:3:5 error No such name"),
        ("::error file=a.c,line=3,col=4::no such name", "a.c:3:4 error no such name"),
        ("error file=/w/A.scala message=too long line=6 column=7", "/w/A.scala:6:7 error too long"),
        ("app/a.rb\t12\tInjection\tHigh", "app/a.rb:12 Injection High"),
        ("thread 'main' panicked at src/main.rs:3:5:\nno value", "src/main.rs:3:5 no value"),
        ("./run.sh: 3: jq: not found", "./run.sh:3 jq: not found"),
        ("\u{1b}[1ma.c:3:4: \u{1b}[31merror:\u{1b}[0m no", "a.c:3:4 error no"),
        ("2026-01-01T10:00:00.1234567Z ##[error]a.c:3:4: no", "a.c:3:4 no"),
    ] {
        assert_eq!(read(line), [told], "{line}");
        assert_eq!(read(&format!("some words\n{line}\r\n")), [told], "{line}");
    }
}

#[test]
fn what_only_looks_like_a_place_is_none() {
    for line in [
        "12:30:45 all is well",
        "listening on example.com:8080",
        "http://example.com:80/a.js is away",
        "connect to 10.0.0.1:5432 failed",
        "localhost:3000: refused",
        "ratio 3:4: fine",
        "and/or:3",
        "version 1.2.3: new",
        "In file included from a.h:3:",
        "2 files inspected, 3 offenses detected",
        "Error:12: x",
        "",
    ] {
        assert_eq!(read(line), [""; 0], "{line}");
    }
}

#[test]
fn problems_stand_below_the_name_of_their_file() {
    let eslint = "\n/w/a.js\n  2:10  error    'f' is defined but never used  no-unused-vars\n\
        \x20 3:1   warning  Missing semicolon  semi\n\n/w/b.js\n  7:3  error  No console  no-console\n\n✖ 3 problems\n";
    let told = [
        "/w/a.js:2:10 error 'f' is defined but never used no-unused-vars",
        "/w/a.js:3:1 warning Missing semicolon semi",
        "/w/b.js:7:3 error No console no-console",
    ];
    assert_eq!(read(eslint), told);
    let php = " ------ -----------\n  Line   src/A.php\n ------ -----------\n  12     No such method.\n";
    assert_eq!(read(php), ["src/A.php:12 No such method."]);
    let counted = "app/a.rb -- 1 warning:\n  [3]:Irresponsible: no comment\n  app/a.rb:3: no comment\n";
    assert_eq!(read(counted), ["app/a.rb:3 no comment"]);
    assert_eq!(read("a.css\n  46:3  ✖  Unexpected unit  length\n"), ["a.css:46:3 error Unexpected unit length"]);
    for other in ["Notes of today", "$ sudo rm /etc/a.list", "/home/ann/work", "a.css\n done with it\nthe end"] {
        assert_eq!(read(&format!("{other}\n  3:4  words  more\n")), [""; 0], "{other}");
    }
}

#[test]
fn a_message_stands_above_an_arrow_and_below_a_heading_place() {
    let rust = "warning: unused variable: `x`\n --> src/a.rs:3:4\n  |\n3 |     let x = 1;\n  |         ^ use `_x`\n\n\
        error[E0382]: borrow of moved value: `s`\n  --> src/b.rs:7:9\n   |\n";
    assert_eq!(
        read(rust),
        ["src/a.rs:3:4 warning unused variable: `x`", "src/b.rs:7:9 error borrow of moved value: `s`"]
    );
    let terraform = "Error: Unsupported argument\n\n  on main.tf line 3, in resource \"a\" \"b\":\n   3:   nam = 1\n";
    assert_eq!(read(terraform), ["main.tf:3 error Unsupported argument"]);
    let cmake = "CMake Error at CMakeLists.txt:5 (find_package):\n  Could not find X\n";
    assert_eq!(read(cmake), ["CMakeLists.txt:5 error Could not find X"]);
    assert_eq!(read("t.py:1 at module level:\n        D100: Missing docstring\n"), ["t.py:1 D100: Missing docstring"]);
    // What is set in below tells more of the same.
    let more = "a.rb:13: no such method\n    13 | a.x\n  Replace:\n    a.rb:13: with y\n\na.rb:14: other\n";
    assert_eq!(read(more), ["a.rb:13 no such method", "a.rb:14 other"]);
}

#[test]
fn of_a_trace_one_frame_counts() {
    let python = "Traceback (most recent call last):\n  File \"/w/run.py\", line 9, in <module>\n    main()\n\
        \x20 File \"/w/a.py\", line 3, in main\n    raise KeyError('x')\n\
        \x20 File \"/usr/lib/python3.12/json/__init__.py\", line 1, in f\nKeyError: 'x'\n";
    assert_eq!(read(python), ["/w/a.py:3 KeyError: 'x'"]);
    let node =
        "TypeError: x is not a function\n    at f (node:internal/a:1:2)\n    at g (/w/a.js:3:4)\n    at /w/b.js:5:6\n";
    assert_eq!(read(node), ["/w/a.js:3:4 TypeError: x is not a function"]);
    let java = "Exception in thread \"main\" a.b.C: no\n\tat java.base/java.util.X.y(X.java:7)\n\
        \tat a.b.D.f(D.java:12)\n\tat a.b.E.g(E.java:3)\n";
    assert_eq!(read(java), ["D.java:12 Exception in thread \"main\" a.b.C: no"]);
    let sharp = "Unhandled exception. System.X: no\n   at A.B() in /w/a.cs:line 7\n";
    assert_eq!(read(sharp), ["/w/a.cs:7 Unhandled exception. System.X: no"]);
    let go = "--- FAIL: TestA (0.00s)\n    a_test.go:12: got 1\n    a_test.go:13: got 2\nFAIL\n";
    assert_eq!(read(go), ["a_test.go:12 got 1", "a_test.go:13 got 2"]);
}

const SARIF: &str = r#"{"runs":[{"results":[{"level":"warning","message":{"text":"no"},"locations":[
    {"physicalLocation":{"artifactLocation":{"uri":"a.c"},"region":{"startLine":3,"startColumn":4}}}]}]}]}"#;
const CARGO: &str = r#"{"reason":"compiler-message","message":{"message":"no","level":"error","spans":[
    {"file_name":"a.rs","line_start":3,"column_start":4,"is_primary":true}]}}"#;

#[test]
fn reports_for_programs_are_read() {
    for (report, told) in [
        (
            r#"[{"filePath":"/w/a.js","messages":[{"severity":2,"message":"no","line":3,"column":4}]}]"#,
            "/w/a.js:3:4 error no",
        ),
        (SARIF, "a.c:3:4 warning no"),
        (
            r#"{"diagnostics":[{"message":"no","severity":"ERROR",
                "location":{"path":"a.c","range":{"start":{"line":3}}}}]}"#,
            "a.c:3 error no",
        ),
        (
            r#"{"files":[{"path":"a.rb",
                "offenses":[{"severity":"convention","message":"no","location":{"line":3}}]}]}"#,
            "a.rb:3 note no",
        ),
        (r#"{"files":{"src/A.php":{"messages":[{"message":"no","line":3}]}}}"#, "src/A.php:3 no"),
        (r#"[{"filename":"a.py","location":{"row":3,"column":4},"message":"no"}]"#, "a.py:3:4 no"),
        (r#"{"Issues":[{"Text":"no","Pos":{"Filename":"a.go","Line":3,"Column":4}}]}"#, "a.go:3:4 no"),
        (
            r#"{"generalDiagnostics":[{"file":"a.py","message":"no","range":{"start":{"line":2,"character":4}}}]}"#,
            "a.py:3 no",
        ),
        (CARGO, "a.rs:3:4 error no"),
        (
            r#"<checkstyle><file name="a.java"><error line="3" column="4" severity="error" message="a &lt; b"/>
                </file>"#,
            "a.java:3:4 error a < b",
        ),
        (
            "<results><error msg=\"no\" severity=\"style\"><location file=\"a.c\" line=\"3\"/></error></results>",
            "a.c:3 note no",
        ),
        (
            "<pmd><file name=\"A.java\"><violation beginline=\"3\" begincolumn=\"4\">\nno\n</violation></file></pmd>",
            "A.java:3:4 no",
        ),
    ] {
        assert_eq!(read(report), [told], "{report}");
    }
    // One on each line, among other words.
    let lines = "checking\n{\"file\":\"a.c\",\"line\":3,\"message\":\"no\"}\n{\"x\":1}\na.c:4: other\n";
    assert_eq!(read(lines), ["a.c:3 no", "a.c:4 other"]);
    assert_eq!(problems(lines).iter().map(|one| one.at).collect::<Vec<_>>(), [1, 3]);
    let several =
        "{\"file\":\"a.c\",\"line\":3,\"message\":\"no\"}\n{\"file\":\"a.c\",\"line\":4,\"message\":\"no\"}\n";
    assert_eq!(read(several), ["a.c:3 no", "a.c:4 no"]);
    assert_eq!(read(&format!("{several}a.c:5: other\n")), ["a.c:3 no", "a.c:4 no", "a.c:5 other"]);
    let wide =
        format!("{{\"reason\":\"{}\",\"file\":\"a.c\",\"line\":3,\"message\":\"no\"}}\nend\n", "x".repeat(9_000));
    assert_eq!(read(&wide), ["a.c:3 no"]);
    // Over several lines, with a line behind it.
    let printed = "[\n {\"file\": \"a.c\",\n  \"line\": 3, \"message\": \"no\"}\n]\nexit status 1\n";
    assert_eq!(read(printed), ["a.c:3 no"]);
    // What begins like a report and is none is read as lines.
    assert_eq!(read("[a.proto:3:1] no\n"), ["a.proto:3:1 no"]);
    assert_eq!(read("<stdin>\na.c:3: no\n"), ["a.c:3 no"]);
}

const PARTS: &str = "(a\\.c:3:4: error: x|  3:4  error  y|/w/a\\.js|  --> a\\.rs:1:2|error: z|\
    Traceback \\(most recent call last\\):|  File \"a\\.py\", line 3, in f|KeyError: x|    at f \\(a\\.js:1:2\\)|\
    \\{\"file\":\"a\",\"line\":1,\"message\":\"m\"\\}|\\{\\[|<file name=\"a\"><error line=\"1\"|\
    99999999999:1|a\\.c:0: x||\
    t\\.py:1 in f:|\\PC{0,30})";

proptest! {
    /// Any text is read; what is read stands in it, in order.
    #[test]
    fn what_is_read_stands_in_the_text(parts in prop::collection::vec(PARTS, 0..40)) {
        let text = parts.join("\n");
        let found = problems(&text);
        let lines = text.split('\n').count();
        let mut before = 0;
        for one in &found {
            prop_assert!(one.at < lines && one.line != Some(0) && !one.file.is_empty());
            prop_assert!(one.at >= before || one.at + 40 > before, "in order, but for traces");
            prop_assert!(text.contains(&one.file), "{:?}", one.file);
            prop_assert!(one.message.len() <= MESSAGE_BYTES && !one.message.contains('\n'));
            before = one.at;
        }
        prop_assert_eq!(&found, &problems(&text));
        // Lines that tell of nothing add nothing.
        let begin = text.trim_start();
        if !begin.starts_with(['{', '[', '<']) {
            let more = problems(&format!("\n\n{text}"));
            prop_assert_eq!(more.len(), found.len());
        }
    }

    /// Texts of bytes that no tool prints.
    #[test]
    fn any_text_is_read(text in "(?s).{0,300}") {
        problems(&text);
        problems(&format!("[{text}"));
        problems(&format!("<{text}"));
    }
}

#[test]
fn long_lines_and_many_lines_are_bounded() {
    let long = format!("{}:3:4: x\n", "a/".repeat(100_000));
    assert_eq!(read(&long), [""; 0]);
    let many = "a.c:3:4: x\n".repeat(MOST_PROBLEMS + 7);
    assert_eq!(problems(&many).len(), MOST_PROBLEMS);
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(read(&deep), [""; 0]);
    let words = "x".repeat(2_000_000);
    assert_eq!(read(&format!("error: {words}\n --> a.rs:1:2\n")).len(), 1);
    // A cleaned log gives the same as the log.
    let log = "a.c:3:4: error: no\n  at x\n";
    assert_eq!(problems(&clean(log).text), problems(log));
}
