//! Transcripts in text or Markdown: `User: ...`, `## Assistant`, `_**User (10:12)**_`, `You said:`, and the marks of
//! terminal programs (`> ` for the person, `⏺ ` for the program, `⎿ ` for what a tool printed). What a program thought
//! or a tool printed may stand inside a turn, in tags: `blocks` takes it out.
//!
//! A text is such a transcript only if both the person and the program speak: a lone `user:` is a line of some
//! settings. A label in fenced code counts only if it is a heading or in bold.

use std::sync::LazyLock;

use regex::Regex;

use super::{MAX_TURNS, Role, Turn, blocks, paragraphs, role_of, turn};
use crate::text::pattern;

/// A label. Its parts, in this order: markup, a name, ` - sidechain` if the program talks with another program, a time
/// or a model in brackets, markup, and a colon or the end of the line.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        concat!(
            r"^[ \t]{0,3}(?:[-*>][ \t]+)?(?P<before>(?:#{1,6}[ \t]+)?[*_]{0,3})(?:\[[^\]]{1,40}\][ \t]*)?[^\w\",
            r"s*_#:]{0,4}[ \t]?",
        ),
        r"(?P<name>[A-Za-z][A-Za-z_]{1,12}(?: [A-Za-z]{2,9})?)(?P<aside> - sidechain)?",
        r"[ \t]*(?:[(\[][^)\]]{0,80}[)\]])?",
        r"(?P<after>[*_]{0,3}[ \t]*:?[*_]{0,3})(?:[ \t]+(?P<rest>.*))?$",
    ))
});

/// The turns of a transcript, or nothing if the text is none.
pub(super) fn turns(text: &str) -> Option<Vec<Turn>> {
    let lines: Vec<&str> = text.lines().collect();
    let is_terminal = lines.iter().any(|line| line.starts_with('⏺'));
    let mut starts: Vec<(usize, Role, &str)> = Vec::new();
    let mut in_code = false;
    // A label in what a program thought or a tool printed is nobody's.
    let mut blocks = blocks::blocks(&lines).into_iter().peekable();
    for (at, line) in lines.iter().enumerate() {
        while blocks.next_if(|block| block.close < at).is_some() {}
        let is_inside = blocks.peek().is_some_and(|block| block.open <= at);
        let trimmed = line.trim_start();
        in_code ^= trimmed.starts_with("```") || trimmed.starts_with("~~~");
        let mark = if is_terminal { marked(line) } else { labelled(line, in_code) };
        let mark = mark.filter(|_| !is_inside);
        starts.extend(mark.map(|(role, rest)| (at, role, rest)));
        if starts.len() > MAX_TURNS {
            break;
        }
    }
    let speaks = |wanted| starts.iter().any(|(_, role, _)| *role == wanted);
    if !(speaks(Role::User) && speaks(Role::Assistant)) {
        return None;
    }
    let first = starts.first().map_or(0, |(at, ..)| *at);
    let mut out = paragraphs::turns(&lines[..first].join("\n"), 1);
    for (index, (at, role, rest)) in starts.iter().enumerate() {
        let end = starts.get(index + 1).map_or(lines.len(), |(next, ..)| *next);
        let mut said = lines[*at..end].to_vec();
        said[0] = rest;
        match role {
            Role::Assistant => blocks::turns(&said, at + 1, &mut out),
            role => out.extend(turn(*role, &said, at + 1)),
        }
    }
    Some(out)
}

fn labelled(line: &str, in_code: bool) -> Option<(Role, &str)> {
    // No label is longer, and a log has many lines that need not be looked at closely.
    let colon = line.char_indices().take(160).find(|(_, c)| *c == ':').map(|(at, _)| at);
    if colon.is_none() && !line.trim_start().starts_with(['#', '*', '_', '-', '>']) {
        return None;
    }
    let found = LABEL.captures(line)?;
    let part = |name| found.name(name).map_or("", |part| part.as_str());
    let (before, after, rest) = (part("before"), part("after"), part("rest"));
    // What one program asks another is not the person's.
    let role = match role_of(part("name"))? {
        Role::User if !part("aside").is_empty() => Role::Tool,
        role => role,
    };
    let is_marked = !before.is_empty();
    let holds = if after.contains(':') { is_marked || !in_code } else { is_marked && rest.is_empty() };
    holds.then_some((role, rest))
}

fn marked(line: &str) -> Option<(Role, &str)> {
    const MARKS: [(&str, Role); 5] =
        [("> ", Role::User), ("❯ ", Role::User), ("⏺ ", Role::Assistant), ("⎿ ", Role::Tool), ("● ", Role::Assistant)];
    let indented = line.trim_start();
    let is_tool = indented.starts_with('⎿');
    let from = if is_tool { indented } else { line };
    MARKS.iter().find_map(|(mark, role)| from.strip_prefix(mark).map(|rest| (*role, rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Role, String, usize, usize)> {
        turns(text).unwrap_or_default().into_iter().map(|t| (t.role, t.text, t.line_start, t.line_end)).collect()
    }

    #[test]
    fn labels_headings_and_marks_start_turns() {
        let wanted = |first: usize| {
            vec![(Role::User, "do it".to_owned(), first, first), (Role::Assistant, "done\nnow".to_owned(), 3, 4)]
        };
        for text in [
            "User: do it\n\nAssistant: done\nnow\n",
            "Human: do it\n\nAI: done\nnow",
            "**You said:** do it\n\nChatGPT said: done\nnow",
            "* **USER**: do it\n\n* **AI**: done\nnow",
            "📩 User: do it\n\n🤖 Agent: done\nnow",
        ] {
            assert_eq!(read(text), wanted(1), "{text}");
        }
        for text in [
            "## User\ndo it\n## Claude\ndone",
            "_**User**_\ndo it\n_**Assistant (model: x, 10:12)**_\ndone",
            "**Human**:\ndo it\n### 🤖 Assistant\ndone",
            "### User [10:02]\ndo it\n### GPT\ndone",
        ] {
            assert_eq!(
                read(text),
                [(Role::User, "do it".to_owned(), 2, 2), (Role::Assistant, "done".to_owned(), 4, 4)],
                "{text}"
            );
        }
        let terminal = read("> fix it\n\n⏺ Bash(ls)\n  ⎿ a.rs\n\n⏺ Done.");
        let roles: Vec<Role> = terminal.iter().map(|(role, ..)| *role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Assistant]);
    }

    #[test]
    fn other_texts_are_no_transcripts() {
        for text in [
            "user: root\nhost: x\n",
            "# User\n\nAn agent: x",
            "User guide\nAssistant",
            "```\nUser: a\nAssistant: b\n```",
            "",
        ] {
            assert!(turns(text).is_none(), "{text}");
        }
        let inside = read("_**User**_\na\n_**Agent**_\n<think>\nUser: x\n</think>\nb");
        assert_eq!(inside[1..], [(Role::Assistant, "b".to_owned(), 7, 7)]);
        let aside = "_**User**_\na\n_**Agent**_\nb\n_**User - sidechain (9:12)**_\nc\n_**Agent - sidechain (m)**_\nd";
        let roles: Vec<Role> = read(aside).iter().map(|(role, ..)| *role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Assistant]);
        let found = read("# Session\n\nUser: a\nAssistant: b");
        assert_eq!(found[0], (Role::Unknown, "# Session".to_owned(), 1, 1));
    }
}
