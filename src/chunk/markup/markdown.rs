//! Markdown to blocks: CommonMark 0.31 with tables, by pulldown-cmark, which knows where each begins and ends. What is
//! nested in a block (a listing in a list, a quotation's paragraphs) belongs to it.

use crate::chunk::block::{Block, BlockRole};
use crate::text::pattern;
use pulldown_cmark::{Event, Options, Parser, Tag};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What is for programs in a block: a comment, a tag that says nothing by its attributes, an import of MDX.
static FOR_PROGRAMS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?xs)^\s*(?: <!--.*?--> | \{\s*/\*.*?\*/\s*\} | </?[A-Za-z][\w.:-]*
          (?:\s+[\w:-]+(?:=(?:"[^"\s]*"|'[^'\s]*'))?)*\s*/?>
        | import\s[^\n]*\sfrom\s+["'][^"'\n]+["'];?[^\S\n]*(?:\n|$) )"#,
    )
});

/// The blocks of a Markdown text. Front matter, rows of dashes and what is only for programs are none.
pub(in crate::chunk) fn markdown(text: &str) -> Vec<Block> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut out: Vec<Block> = Vec::new();
    let mut depth = 0usize;
    let mut title: Option<String> = None;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0
                    && let Some(role) = role(&tag)
                    && !(matches!(tag, Tag::HtmlBlock | Tag::Paragraph) && is_for_programs(&text[range.clone()]))
                {
                    title = matches!(role, BlockRole::Heading { .. }).then(String::new);
                    push(&mut out, text, range, role);
                }
                depth += 1;
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                if depth == 0
                    && let Some(found) = title.take()
                    && let Some(Block { role: BlockRole::Heading { title, .. }, .. }) = out.last_mut()
                {
                    *title = found.split_whitespace().collect::<Vec<_>>().join(" ");
                }
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some(title) = &mut title {
                    title.push_str(&part);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(title) = &mut title {
                    title.push(' ');
                }
            }
            _ => {}
        }
    }
    out
}

/// Whether a block says nothing to people.
fn is_for_programs(block: &str) -> bool {
    let mut rest = block;
    while let Some(found) = FOR_PROGRAMS.find(rest) {
        rest = &rest[found.end()..];
    }
    rest.len() < block.len() && rest.trim().is_empty()
}

fn role(tag: &Tag<'_>) -> Option<BlockRole> {
    match tag {
        Tag::MetadataBlock(_) => None,
        Tag::Heading { level, .. } => Some(BlockRole::Heading { level: *level as usize, title: String::new() }),
        Tag::CodeBlock(_) | Tag::List(_) | Tag::Table(_) => Some(BlockRole::Whole),
        _ => Some(BlockRole::Text),
    }
}

/// Adds a block of whole lines, without empty ones at its ends. What shares a line with the one before is that one's.
fn push(out: &mut Vec<Block>, text: &str, range: Range<usize>, role: BlockRole) {
    let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let start = out.last().map_or(line, |last| line.max(last.range.end));
    let trimmed = text[..range.end].trim_end().len();
    let end = text[trimmed..].find('\n').map_or(text.len(), |at| trimmed + at);
    let end = text[..end].trim_end_matches('\r').len();
    if start < end && !text[start..end].trim().is_empty() {
        out.push(Block { range: start..end, role });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_what_commonmark_says() {
        let text = "---\ntitle: x\n---\n# A `b`\n\nText\nof two lines.\n\n* one\n\n  ```sh\n  # no heading\n  ```\n\
            * two\n\n~~~\n\n# none\n~~~\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nSecond\n======\r\n<div>\nhtml\n\
            </div>\n\n---\n> quoted\n";
        let seen: Vec<(&str, &str)> = markdown(text)
            .into_iter()
            .map(|block| {
                let kind = match &block.role {
                    BlockRole::Heading { level: 1, title } if title == "A b" || title == "Second" => "heading",
                    BlockRole::Text => "text",
                    BlockRole::Whole => "whole",
                    _ => "other",
                };
                (kind, &text[block.range])
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("heading", "# A `b`"),
                ("text", "Text\nof two lines."),
                ("whole", "* one\n\n  ```sh\n  # no heading\n  ```\n* two"),
                ("whole", "~~~\n\n# none\n~~~"),
                ("whole", "| a | b |\n|---|---|\n| 1 | 2 |"),
                ("heading", "Second\n======"),
                ("text", "<div>\nhtml\n</div>"),
                ("text", "> quoted"),
            ]
        );
    }

    #[test]
    fn what_is_only_for_programs_is_no_block() {
        let none = [
            "<!-- markdownlint-disable MD013\n-->",
            "{/* Shared between\nboth routers. */}",
            "import Tabs from '@theme/Tabs';\nimport { A } from \"./a\"",
            "<AppOnly>",
            "</details>",
            "<a name=\"install\"></a>",
            "<br/>\n<!-- toc -->",
        ];
        for block in none {
            let text = format!("# Title\n\n{block}\n\nText.\n\n{block}\n");
            let found: Vec<&str> = markdown(&text).into_iter().map(|block| &text[block.range]).collect();
            assert_eq!(found, ["# Title", "Text."], "{block}");
        }
        let some = [
            "<!-- note --> Text.",
            "<Card title=\"Deploy to a host\" />",
            "import taxes from the table",
            "{/* open",
            "a < b",
            "<img alt=\"How it fits\" src=\"a.png\">",
            "```\n<!-- a listing -->\n```",
        ];
        for block in some {
            let found: Vec<&str> = markdown(block).into_iter().map(|found| &block[found.range]).collect();
            assert_eq!(found, [block]);
        }
    }
}
