//! Reports of agents on runs of tools, and what the tools printed.

use crate::fuzz::{Target, about, outcome, sort_of};
use kenning::outcome::draft::draft;
use kenning::outcome::{Moment, error_kind, masked_input, named_kind, read, row};
use kenning::triage::{MOST_PROBLEMS, problems};
use kenning::types::Scope;
use kenning::types::limits::OUTCOME_TEXT_BYTES;

pub const REPORT: Target = Target {
    name: "tool-report",
    seeds: Vec::new,
    words: &[
        "{\"tool\":\"bash\",\"input\":\"",
        "\"session\":\"",
        "\"error\":\"",
        "\"exit_code\":",
        "\"ok\":false",
        "\"output\":\"",
        "\"hook_event_name\":\"PostToolUse\"",
        "\"tool_name\":\"Bash\"",
        "\"tool_input\":{\"command\":\"",
        "\"tool_response\":{\"stderr\":\"",
        "\"is_error\":true",
        "\"duration_ms\":",
        "\"cwd\":\"/a\"",
        "Exit code 1\\n",
        "cd /a && FOO=1 sudo -u x make -j8 | tee b",
        "SELECT a FROM b WHERE c = 'd'",
        "\\u001b[31m",
        "\\ud83d\\ude00",
        "password=hunter22",
        "1e999",
        "null",
        "[",
        "}",
    ],
    longest: 64 << 10,
    reader: |_| Box::new(report),
};

pub const PROBLEMS: Target = Target {
    name: "tool-problems",
    seeds: Vec::new,
    words: &[
        "a.c:3:4: error: x\n",
        "C:\\a b\\c.cs(3,4): warning CS1: x\n",
        "a.ts[3, 4]: x\n",
        "  3:4  error  x  rule\n",
        "/w/a.js\n",
        "error[E0382]: x\n --> a.rs:3:4\n",
        "Traceback (most recent call last):\n",
        "  File \"a.py\", line 3, in f\n",
        "    at f (a.js:3:4)\n",
        " on line 3",
        "a.sh: line 3: ",
        "::error file=a.c,line=3::",
        "{\"file\":\"a\",\"line\":3,\"message\":\"m\"}",
        "{\"runs\":[{\"results\":[",
        "[{\"filePath\":\"a\",\"messages\":[",
        "<checkstyle><file name=\"a\"><error line=\"3\" message=\"m\"/>",
        "&amp;",
        "\x1b[31m",
        "99999999999",
        "\r\n",
        "://",
    ],
    longest: 64 << 10,
    reader: |_| Box::new(printed),
};

fn report(input: &[u8]) -> u64 {
    let run = match read(input) {
        Ok(Some(run)) => run,
        Ok(None) => return 0,
        Err(error) => return sort_of(&error),
    };
    let kept = row(&run, Moment { at: 0, scope: Scope::global(), session: "s".to_owned() });
    let again = row(&run, Moment { at: 0, scope: Scope::global(), session: "s".to_owned() });
    assert!(kept == again, "what is kept is the same each time");
    assert!(kept.input.len() <= OUTCOME_TEXT_BYTES && kept.error.len() <= OUTCOME_TEXT_BYTES, "{kept:?}");
    assert!(kept.is_ok == run.is_ok && (kept.is_ok == kept.error_fingerprint.is_none()), "{kept:?}");
    assert!(!kept.session.is_empty() && !kept.session.contains(char::is_control));
    let (kind, named) = (error_kind(&kept.error), named_kind(&kept.error));
    let drafted = draft("drafts", &kept.tool, &[&kept.error], &[], &[]).is_ok();
    outcome((
        kept.is_ok,
        kept.head.is_empty(),
        kind.is_empty(),
        kind == named,
        drafted,
        masked_input(&kept.input).len() / 16,
    ))
}

fn printed(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let found = problems(&text);
    assert!(found.len() <= MOST_PROBLEMS && found == problems(&text));
    for one in &found {
        assert!(!one.file.is_empty() && one.line != Some(0) && !one.message.contains('\n'), "{one:?}");
    }
    let lines = found.iter().filter(|one| one.line.is_some()).count();
    let worded = found.iter().filter(|one| !one.message.is_empty()).count();
    outcome((
        about(found.len()),
        about(lines),
        about(worded),
        found.first().map(|one| one.severity.map(|of| of.name())),
    ))
}
