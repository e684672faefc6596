use super::*;
use proptest::prelude::*;

const FILE: &str = "---
description: Rules for Python
globs: [\"*.py\"]
alwaysApply: true
---
# Project

This project is a *Python* library. Use [Ruff](https://x.y) and `mypy`;
never commit before both pass.

## Tests

- Write a test for each bug
  - in `tests/`, beside others
- Before each commit:
  - run `just test`
  - do not
    skip hooks

  ```sh
  # never run this
  ```
1. [ ] Name tests after what they hold

   A second paragraph.

Never do this:

* push to main
* rewrite history

| must | never |
|---|---|
| a | b |

## Style
<div>Always use HTML</div>

> Keep lines short
";

#[test]
fn bullets_and_sentences_are_stated_with_their_place() {
    let seen: Vec<String> = rules(FILE)
        .into_iter()
        .map(|rule| {
            let mark = if rule.is_rule { '!' } else { '.' };
            let (from, to) = (rule.line_start, rule.line_end);
            format!("{mark} {from}-{to} {} | {} | {}", rule.headings.join(" > "), rule.context, rule.text)
        })
        .collect();
    assert_eq!(
        seen,
        [
            ". 8-8 Project |  | This project is a Python library.",
            "! 8-9 Project |  | Use Ruff and `mypy`; never commit before both pass.",
            "! 13-13 Project > Tests |  | Write a test for each bug",
            ". 14-14 Project > Tests |  | in `tests/`, beside others",
            ". 15-15 Project > Tests |  | Before each commit:",
            "! 16-16 Project > Tests | Before each commit: | run `just test`",
            "! 17-18 Project > Tests | Before each commit: | do not skip hooks",
            "! 23-25 Project > Tests |  | Name tests after what they hold A second paragraph.",
            ". 27-27 Project > Tests |  | Never do this:",
            "! 29-29 Project > Tests | Never do this: | push to main",
            "! 30-30 Project > Tests | Never do this: | rewrite history",
            "! 39-39 Project > Style |  | Keep lines short",
        ]
    );
}

#[test]
fn plain_lines_are_statements() {
    let found = rules("You are an expert in Rust.\nUse Result for errors.\nAvoid unwrap in libraries.\n");
    let seen: Vec<_> = found.iter().map(|rule| (rule.text.as_str(), rule.line_start, rule.is_rule)).collect();
    assert_eq!(
        seen,
        [
            ("You are an expert in Rust.", 1, false),
            ("Use Result for errors.", 2, true),
            ("Avoid unwrap in libraries.", 3, true)
        ]
    );
}

#[test]
fn a_context_does_not_leak() {
    let found = rules("Never:\n\n- push\n\nText.\n\n- pull\n\nAlways:\n\n# Other\n\n- fetch\n");
    let seen: Vec<_> = found.iter().map(|rule| (rule.text.as_str(), rule.context.as_str())).collect();
    assert_eq!(seen, [("Never:", ""), ("push", "Never:"), ("Text.", ""), ("pull", ""), ("Always:", ""), ("fetch", "")]);
    let lists = rules("Never:\n- push\n\n1. pull\n");
    assert_eq!(lists.last().map(Rule::whole).as_deref(), Some("pull"));
    let nested = rules("Never:\n- in tests:\n  - sleep\n");
    assert_eq!(nested.last().map(Rule::whole).as_deref(), Some("Never: in tests: sleep"));
}

#[test]
fn files_of_rules_are_known_by_their_names() {
    for path in [
        "AGENTS.md",
        "a/CLAUDE.md",
        ".cursorrules",
        ".cursor/rules/a.mdc",
        "x/.cursor/rules/b/a.mdc",
        ".github/copilot-instructions.md",
        ".github/instructions/py.instructions.md",
    ] {
        assert!(is_rules_file(path), "{path}");
    }
    for path in ["README.md", "copilot-instructions.md", "rules/a.mdc", ".cursor/rules/a.md", "my-AGENTS.md", ""] {
        assert!(!is_rules_file(path), "{path}");
    }
}

#[test]
fn what_is_too_long_is_left_out() {
    let long = "Use it ".repeat(MAX_STATEMENT_BYTES / 7 + 1);
    assert_eq!(rules(&format!("- {long}\n- Use tabs\n")).len(), 1);
    let deep: String = (0..500).map(|n| format!("{}- a{n}:\n", "  ".repeat(n))).collect();
    assert!(rules(&deep).iter().all(|rule| rule.context.len() <= MAX_STATEMENT_BYTES));
}

proptest! {
    #[test]
    fn any_text_has_statements_with_lines(text in "([A-Za-z`*_#>|:.\n -]|\\PC|    |```\n|---\n|- |\r\n|1\\. ){0,60}") {
        let lines = text.split('\n').count();
        for rule in rules(&text) {
            let is_within = 1 <= rule.line_start && rule.line_start <= rule.line_end && rule.line_end <= lines;
            prop_assert!(is_within, "{:?}", rule);
            prop_assert!(!rule.text.trim().is_empty() && !rule.text.contains('\n'));
        }
    }
}
