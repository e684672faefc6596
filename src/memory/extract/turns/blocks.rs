//! What stands in tags inside a program's turn: `<tool-use>` with a command and what it printed, as SpecStory writes
//! it, and `<think>`, which was said to nobody.

use super::{Role, Turn, turn};

/// Where a tag opens and where it closes, by line, and which one it is. Both lines may be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub open: usize,
    pub close: usize,
    tag: Tag,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag {
    Tool,
    Thought,
}

impl Tag {
    /// The tag that a line begins with.
    fn of(line: &str) -> Option<Self> {
        let line = line.trim_start();
        if line.starts_with("<tool-use") {
            return Some(Self::Tool);
        }
        ["<think>", "<thinking>"].iter().any(|tag| line.starts_with(tag)).then_some(Self::Thought)
    }

    /// How the tag that ends it begins.
    fn end(self) -> &'static str {
        match self {
            Self::Tool => "</tool-use>",
            Self::Thought => "</think",
        }
    }
}

/// The blocks of a text, in order. A tag opens a block only if it is closed again and stands outside of fenced code.
pub(super) fn blocks(lines: &[&str]) -> Vec<Block> {
    let mut out = Vec::new();
    let mut may_close = [true; 2];
    let (mut at, mut in_code) = (0, false);
    while at < lines.len() {
        let line = lines[at].trim_start();
        in_code ^= line.starts_with("```") || line.starts_with("~~~");
        let tag = Tag::of(line).filter(|tag| !in_code && may_close[*tag as usize]);
        let close = tag.and_then(|tag| (at..lines.len()).find(|&line| lines[line].contains(tag.end())));
        match (tag, close) {
            (Some(tag), Some(close)) => {
                out.push(Block { open: at, close, tag });
                at = close;
            }
            // Nothing below closes a tag of this kind, so later ones need not be looked at.
            (Some(tag), None) => may_close[tag as usize] = false,
            _ => {}
        }
        at += 1;
    }
    out
}

/// Appends the turns of what a program said in these lines. `first` is the number of the first line.
///
/// What a tool was given and printed is the tool's; its command becomes a line `$ command` of the program. Thoughts are
/// left out. What follows an end tag in its line is the program's again.
pub(super) fn turns(lines: &[&str], first: usize, out: &mut Vec<Turn>) {
    let mut lines = lines.to_vec();
    let mut start = 0;
    for block in blocks(&lines) {
        out.extend(turn(Role::Assistant, &lines[start..block.open], first + start));
        let closing = lines[block.close];
        let end = closing.find(block.tag.end()).unwrap_or(0);
        let end = closing[end..].find('>').map_or(closing.len(), |length| end + length + 1);
        let (inside, after) = closing.split_at(end);
        if block.tag == Tag::Tool {
            lines[block.close] = inside;
            tool(&lines[block.open..=block.close], first + block.open, out);
        }
        lines[block.close] = after;
        start = block.close;
    }
    out.extend(turn(Role::Assistant, &lines[start..], first + start));
}

/// Appends the turns of a tool's block: what stands before its command, the command, and what follows.
fn tool(block: &[&str], first: usize, out: &mut Vec<Turn>) {
    let Some((at, command)) = command(block) else {
        out.extend(turn(Role::Tool, block, first));
        return;
    };
    out.extend(turn(Role::Tool, &block[..at], first));
    let (text, line) = (format!("$ {command}"), first + at);
    out.push(Turn { role: Role::Assistant, text, line_start: line, line_end: line });
    out.extend(turn(Role::Tool, &block[at + 1..], line + 1));
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
        let text = "I look.\n\n<tool-use data-tool-type=\"shell\" data-tool-name=\"Bash\"><details>\nRun it\n\n\
                    `pytest -q`\n\n```text\n1 failed\n```\n</details></tool-use> So.\n\nIt failed.\n";
        let found = read(text);
        let places: Vec<(Role, usize)> = found.iter().map(|(role, _, line)| (*role, *line)).collect();
        assert_eq!(
            places,
            [(Role::Assistant, 1), (Role::Tool, 3), (Role::Assistant, 6), (Role::Tool, 8), (Role::Assistant, 11)]
        );
        assert_eq!(found[2].1, "$ pytest -q");
        assert!(found[3].1.starts_with("```text\n1 failed") && found[3].1.ends_with("</tool-use>"));
        assert_eq!(found[4].1, " So.\n\nIt failed.");
        assert_eq!(
            read("<tool-use a=\"read\">\n`x`\n</tool-use>"),
            [(Role::Tool, "<tool-use a=\"read\">\n`x`\n</tool-use>".to_owned(), 1)]
        );
    }

    #[test]
    fn thoughts_are_left_out() {
        assert_eq!(read("<think>a\nb</think>\nc"), [(Role::Assistant, "c".to_owned(), 3)]);
        assert_eq!(read("<think>a</think>c\nd"), [(Role::Assistant, "c\nd".to_owned(), 1)]);
        assert_eq!(read("a\n<thinking>\nb\n</thinking>"), [(Role::Assistant, "a".to_owned(), 1)]);
        assert!(read("").is_empty());
    }

    #[test]
    fn tags_that_are_not_closed_or_stand_in_code_are_text() {
        for text in ["a\n<think>\nb\n<think>\nc", "```\n<think>\n```\nb", "<tool-use a=\"read\">\n`x`"] {
            assert_eq!(read(text), [(Role::Assistant, text.to_owned(), 1)], "{text}");
        }
    }
}
