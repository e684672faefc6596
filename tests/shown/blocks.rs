//! Reads commands and what they print out of Markdown: fenced blocks of `console`, and prose for code spans.

/// A command as a document shows it, with what stands below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Where it stands: `README.md:33`, or `ken lookup --help`.
    pub place: String,
    /// The command line as a shell reads it, without the comment at its end.
    pub command: String,
    /// The lines below it; none if nothing is shown.
    pub output: Vec<String>,
}

/// The fence that a line opens: its backticks, and the word behind them.
fn fence(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let ticks = line.len() - line.trim_start_matches('`').len();
    (ticks >= 3).then(|| (ticks, line[ticks..].trim()))
}

/// A stretch of a document: the word behind its fence, or none for prose, and its lines with their numbers.
type Part<'a> = (Option<String>, Vec<(usize, &'a str)>);

/// A text in fenced blocks and what stands between them.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut out: Vec<Part<'_>> = vec![(None, Vec::new())];
    let mut open: Option<usize> = None;
    for (at, line) in text.lines().enumerate() {
        match (open, fence(line)) {
            (None, Some((ticks, info))) => {
                open = Some(ticks);
                out.push((Some(info.to_owned()), Vec::new()));
            }
            (Some(ticks), Some((more, ""))) if more >= ticks => {
                open = None;
                out.push((None, Vec::new()));
            }
            _ => out.last_mut().unwrap().1.push((at + 1, line)),
        }
    }
    assert!(open.is_none(), "a fence stays open");
    out
}

/// The commands of all `console` blocks of a document.
pub fn commands(name: &str, text: &str) -> Vec<Shown> {
    let mut out: Vec<Shown> = Vec::new();
    for (info, lines) in parts(text) {
        if info.as_deref() != Some("console") {
            continue;
        }
        let mut continued = false;
        for (at, (number, line)) in lines.into_iter().enumerate() {
            let place = format!("{name}:{number}");
            if continued {
                let last = &mut out.last_mut().unwrap().command;
                *last = format!("{last}\n{line}");
                continued = line.ends_with('\\');
            } else if let Some(command) = line.strip_prefix("$ ") {
                out.push(Shown { place, command: without_comment(command).to_owned(), output: Vec::new() });
                continued = command.ends_with('\\');
            } else {
                assert!(at > 0, "{place}: a block of `console` begins with a command");
                out.last_mut().unwrap().output.push(line.to_owned());
            }
        }
    }
    out
}

/// The inline code of a document, each with its line; what is broken over lines is joined by spaces.
pub fn spans(text: &str) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    for (info, lines) in parts(text) {
        if info.is_some() {
            continue;
        }
        for paragraph in lines.split(|(_, line)| line.trim().is_empty()) {
            paragraph_spans(paragraph, &mut out);
        }
    }
    out
}

fn paragraph_spans(lines: &[(usize, &str)], out: &mut Vec<(usize, String)>) {
    let text = lines.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n");
    let mut rest = text.as_str();
    while let Some(start) = rest.find('`') {
        let behind = rest[start..].trim_start_matches('`');
        let ticks = rest.len() - start - behind.len();
        let Some(end) = closing(behind, ticks) else { break };
        let above = text[..text.len() - rest.len() + start].matches('\n').count();
        out.push((lines[above].0, behind[..end].split_whitespace().collect::<Vec<_>>().join(" ")));
        rest = &behind[end + ticks..];
    }
}

/// Where a run of exactly so many backticks begins.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find('`').map(|at| from + at) {
        let run = text[at..].len() - text[at..].trim_start_matches('`').len();
        if run == ticks {
            return Some(at);
        }
        from = at + run;
    }
    None
}

/// A command line without what a shell takes for a comment.
pub fn without_comment(command: &str) -> &str {
    outside_quotes(command)
        .find(|&(at, c)| c == '#' && command[..at].ends_with(' '))
        .map_or(command, |(at, _)| command[..at].trim_end())
}

/// The characters of a command line that stand outside quotes, with their places.
pub fn outside_quotes(command: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut quote, mut escaped) = (None, false);
    command.char_indices().filter(move |&(_, c)| {
        if escaped {
            escaped = false;
            return false;
        }
        escaped = c == '\\' && quote != Some('\'');
        match quote {
            Some(open) => {
                quote = (c != open).then_some(open);
                false
            }
            None => {
                quote = matches!(c, '"' | '\'').then_some(c);
                quote.is_none()
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_comments_continuations_and_output() {
        let text = "\
```console
$ ken index \"a # b\"   # reads it
files: 2 new

$ ken canon add \\
    --pack team
team is there
```
`ken no block`

````console
$ ken pack
```inner
text
```
[...]
````
```json
$ no command
```
";
        let all = commands("x.md", text);
        let of = |at: usize| (all[at].place.as_str(), all[at].command.as_str(), all[at].output.join("|"));
        assert_eq!(all.len(), 3);
        assert_eq!(of(0), ("x.md:2", "ken index \"a # b\"", "files: 2 new|".to_owned()));
        assert_eq!(of(1), ("x.md:5", "ken canon add \\\n    --pack team", "team is there".to_owned()));
        assert_eq!(of(2), ("x.md:12", "ken pack", "```inner|text|```|[...]".to_owned()));
    }

    #[test]
    fn spans_of_prose_and_tables_with_their_lines() {
        let text = "One `ken a` and `ken\n  b --c`.\n\n```text\n`ken d`\n```\n\
            | `ken e \"x\"` | ``ken ` f`` |\n\nan ` open one\n";
        let expected = [(1, "ken a"), (1, "ken b --c"), (7, "ken e \"x\""), (7, "ken ` f")];
        assert_eq!(spans(text), expected.map(|(line, span)| (line, span.to_owned())));
    }

    #[test]
    fn quotes_hide_what_they_hold() {
        assert_eq!(without_comment("a '#' \" # \" b#c   # d"), "a '#' \" # \" b#c");
        assert_eq!(without_comment("a \\# b"), "a \\# b");
    }
}
