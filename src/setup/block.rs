//! What `ken` writes into text files: a block at the end of somebody's file, or a whole file.
//!
//! The mark of each holds a hash of its text. So text of an older `ken` is known and replaced, and text that a person
//! has edited is noticed and left.

use super::{Change, Why};
use crate::text::sha256_hex;

/// What begins a block of Markdown; the hash and the end of the comment follow.
const BEGIN: &str = "<!-- kenning:begin ";
const END: &str = "<!-- kenning:end -->";
/// What begins the last line of a file of ours, behind what begins a comment there.
const FILE: &str = "kenning:file ";
/// Digits of a hash in a mark.
const DIGITS: usize = 12;

/// How a line of a file is made a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comment {
    /// `<!-- -->`
    Markdown,
    /// `#`
    Hash,
    /// `//`
    Slashes,
}

/// The hash of words, whatever the ends of their lines.
fn hash(words: &str) -> String {
    sha256_hex(words.replace("\r\n", "\n").as_bytes())[..DIGITS].to_owned()
}

/// A block of Markdown between its marks, without a line end behind it.
fn marked(words: &str) -> String {
    let words = words.trim_end();
    format!("{BEGIN}{} -->\n{words}\n{END}", hash(words))
}

/// A block in a text.
struct Found {
    start: usize,
    end: usize,
    is_edited: bool,
}

/// The block between marks; an error if they do not fit together.
fn find(text: &str) -> Result<Option<Found>, Why> {
    let (mut begins, mut ends) = (text.match_indices(BEGIN), text.match_indices(END));
    match (begins.next(), ends.next(), begins.next(), ends.next()) {
        (None, None, ..) => Ok(None),
        (Some((start, _)), Some((close, _)), None, None) if start < close => {
            let inner = &text[start + BEGIN.len()..close];
            let Some((mark, words)) = inner.split_once('\n') else { return Err(Why::Marks) };
            let known = mark.trim_end().strip_suffix("-->").ok_or(Why::Marks)?.trim();
            let words = words.strip_suffix('\n').map_or(words, |words| words.strip_suffix('\r').unwrap_or(words));
            Ok(Some(Found { start, end: close + END.len(), is_edited: known != hash(words) }))
        }
        _ => Err(Why::Marks),
    }
}

/// Puts a marked block into Markdown. None if it is there already.
pub(super) fn put_marked(text: Option<&str>, words: &str, force: bool) -> Result<Option<String>, Why> {
    let block = marked(words);
    let Some(text) = text else { return Ok(Some(block + "\n")) };
    let Some(found) = find(text)? else { return append(text, &block).map(Some) };
    let fitting = with_line_ends(&block, text);
    if text[found.start..found.end] == fitting {
        return Ok(None);
    }
    match found.is_edited && !force {
        true => Err(Why::Edited),
        false => Ok(Some([&text[..found.start], &fitting, &text[found.end..]].concat())),
    }
}

/// Takes the marked block out.
pub(super) fn take_out_marked(text: &str, force: bool) -> Result<Change, Why> {
    match find(text)? {
        None => Ok(Change::Same),
        Some(found) if found.is_edited && !force => Err(Why::Edited),
        Some(found) => Ok(cut(text, found.start, found.end)),
    }
}

/// Puts a block at the end of a text.
pub(super) fn append(text: &str, block: &str) -> Result<String, Why> {
    let block = with_line_ends(block, text);
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if text.ends_with('\r') {
        return Err(Why::LineEnd);
    }
    Ok(match text.is_empty() || text.ends_with('\n') {
        true => format!("{text}{end}{block}{end}"),
        // Without a line end of its own it tells that the line before had none.
        false => format!("{text}{end}{end}{block}"),
    })
}

/// Takes out a block that is known by its words.
pub(super) fn take_out_block(text: &str, block: &str) -> Change {
    let block = with_line_ends(block, text);
    let Some(start) = text.find(&block) else { return Change::Same };
    let begins_line = start == 0 || text[..start].ends_with('\n');
    let behind = &text[start + block.len()..];
    let ends_line = behind.is_empty() || behind.starts_with('\n') || behind.starts_with("\r\n");
    if begins_line && ends_line { cut(text, start, start + block.len()) } else { Change::Same }
}

/// Removes what [`append`] added. A file that holds nothing but the block was made for it, and goes too.
fn cut(text: &str, start: usize, end: usize) -> Change {
    fn shorter(text: &str) -> Option<&str> {
        text.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text))
    }
    let (before, behind) = (&text[..start], &text[end..]);
    if before.is_empty() && behind.trim_matches(['\r', '\n']).is_empty() {
        return Change::Gone;
    }
    if behind.is_empty() {
        let before = shorter(before).unwrap_or(before);
        return Change::Text(shorter(before).unwrap_or(before).to_owned());
    }
    // The blank line before it was added too. If somebody moved the block, there may be none.
    let before = shorter(before).filter(|rest| rest.is_empty() || rest.ends_with('\n')).unwrap_or(before);
    let behind = behind.strip_prefix("\r\n").or_else(|| behind.strip_prefix('\n')).unwrap_or(behind);
    Change::Text([before, behind].concat())
}

fn with_line_ends(block: &str, text: &str) -> String {
    if text.contains("\r\n") { block.replace('\n', "\r\n") } else { block.to_owned() }
}

/// A file of ours: its words, and a last line with their hash.
pub(super) fn signed(words: &str, comment: Comment) -> String {
    let words = words.trim_end();
    format!("{words}\n\n{}\n", signature(&hash(words), comment))
}

fn signature(hash: &str, comment: Comment) -> String {
    match comment {
        Comment::Markdown => format!("<!-- {FILE}{hash} -->"),
        Comment::Hash => format!("# {FILE}{hash}"),
        Comment::Slashes => format!("// {FILE}{hash}"),
    }
}

/// Whose a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// As some `ken` wrote it.
    Ours,
    /// Edited since.
    Edited,
    Somebodys,
}

fn whose(text: &str, comment: Comment) -> Whose {
    let text = text.trim_end();
    let (words, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let known = last.split_once(FILE).and_then(|(_, rest)| rest.split_whitespace().next());
    match known {
        Some(known) if last.trim() == signature(known, comment) => match known == hash(words.trim_end()) {
            true => Whose::Ours,
            false => Whose::Edited,
        },
        _ if text.contains(FILE) => Whose::Edited,
        _ => Whose::Somebodys,
    }
}

/// The text of a file that is ours as a whole. None if the file has it already.
pub(super) fn put_file(text: Option<&str>, words: &str, comment: Comment, force: bool) -> Result<Option<String>, Why> {
    let wanted = signed(words, comment);
    let Some(text) = text else { return Ok(Some(wanted)) };
    if text == wanted || text.replace("\r\n", "\n") == wanted {
        return Ok(None);
    }
    match whose(text, comment) {
        Whose::Ours => Ok(Some(wanted)),
        Whose::Edited if force => Ok(Some(wanted)),
        Whose::Edited => Err(Why::Edited),
        Whose::Somebodys => Err(Why::OwnFile),
    }
}

/// Removes a file of ours.
pub(super) fn take_out_file(text: &str, comment: Comment, force: bool) -> Result<Change, Why> {
    match whose(text, comment) {
        Whose::Ours => Ok(Change::Gone),
        Whose::Edited if force => Ok(Change::Gone),
        Whose::Edited => Err(Why::Edited),
        Whose::Somebodys => Ok(Change::Same),
    }
}
