//! What stands in tags inside a program's turn: `<tool-use>` with a command and what it printed, as SpecStory writes
//! it, and `<think>`, which was said to nobody.

use super::{Role, Turn, turn};

/// Appends the turns of what a program said in these lines. `first` is the number of the first line.
///
/// What a tool was given and printed is a turn of the tool; its command becomes a line `$ command` of the program.
/// Thoughts are left out. A tag that is not closed ends with the turn.
pub(super) fn turns(lines: &[&str], first: usize, out: &mut Vec<Turn>) {
    let mut start = 0;
    let mut at = 0;
    while at < lines.len() {
        let Some((end_tag, is_thought)) = opened(lines[at]) else {
            at += 1;
            continue;
        };
        let close = (at..lines.len()).find(|&line| lines[line].contains(end_tag)).unwrap_or(lines.len() - 1);
        out.extend(turn(Role::Assistant, &lines[start..at], first + start));
        if !is_thought {
            let inner = &lines[at..=close];
            if let Some((line, command)) = command(inner) {
                let (text, line) = (format!("$ {command}"), first + at + line);
                out.push(Turn { role: Role::Assistant, text, line_start: line, line_end: line });
            }
            out.extend(turn(Role::Tool, inner, first + at));
        }
        // What follows the end tag in its line was said again.
        at = close + 1;
        start = at;
    }
    out.extend(turn(Role::Assistant, &lines[start..], first + start));
}

/// The tag that ends what a line opens, and whether it holds a thought.
fn opened(line: &str) -> Option<(&'static str, bool)> {
    let line = line.trim_start();
    if line.starts_with("<tool-use") {
        return Some(("</tool-use>", false));
    }
    ["<think>", "<thinking>"].iter().any(|tag| line.starts_with(tag)).then_some(("</think", true))
}

/// The command of a shell's block, and its line in the block: the first line that is one span of code.
fn command<'a>(block: &[&'a str]) -> Option<(usize, &'a str)> {
    let head = block.first()?;
    if !(head.contains("\"shell\"") || head.contains("\"Bash\"")) {
        return None;
    }
    let span = |line: &'a str| line.trim().strip_prefix('`')?.strip_suffix('`').filter(|code| !code.contains('`'));
    block.iter().enumerate().find_map(|(at, line)| Some((at, span(line)?))).filter(|(_, code)| !code.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Role, String, usize)> {
        let mut out = Vec::new();
        turns(&text.lines().collect::<Vec<_>>(), 1, &mut out);
        out.into_iter().map(|t| (t.role, t.text, t.line_start)).collect()
    }

    #[test]
    fn a_tool_s_block_is_the_tool_s() {
        let text = concat!(
            "I look.\n\n<tool-use data-tool-type=\"shell\" data-tool-name=\"Bash\"><details>\n",
            "<summary>Tool use: **Bash**</summary>\nRun it\n\n`pytest -q`\n\n```text\n1 failed\n```\n",
            "</details></tool-use>\n\nIt failed.\n"
        );
        let found = read(text);
        assert_eq!(found[0], (Role::Assistant, "I look.".to_owned(), 1));
        assert_eq!(found[1], (Role::Assistant, "$ pytest -q".to_owned(), 7));
        assert_eq!((found[2].0, found[2].2), (Role::Tool, 3));
        assert!(found[2].1.contains("1 failed"));
        assert_eq!(found[3], (Role::Assistant, "It failed.".to_owned(), 14));
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn thoughts_are_left_out_and_open_tags_end_with_the_turn() {
        assert_eq!(read("<think>a\nb</think>\nc"), [(Role::Assistant, "c".to_owned(), 3)]);
        assert_eq!(read("a\n<thinking>\nb"), [(Role::Assistant, "a".to_owned(), 1)]);
        assert_eq!(read("<tool-use a=\"read\">\n`x`")[0].0, Role::Tool);
        assert!(read("").is_empty());
    }
}
