//! One text and all that is to stand in it: put in one after another, taken out in the other order.

use super::block::{self, Comment};
use super::edit::{self, Entry};
use super::{Change, Why};

/// Something that is to stand in a file.
#[derive(Debug, Clone)]
pub struct Edit(pub(super) Kind);

/// What it is.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// Entries of a JSON file.
    Json(Vec<Entry>),
    /// A table of a TOML file, which must not be there otherwise.
    Table { way: [&'static str; 2], block: String },
    /// A marked block of Markdown.
    Marked(String),
    /// The whole file.
    File { words: String, comment: Comment },
}

impl Edit {
    /// The text of a file with all edits in it, and why some are not. `text` is none where there is no file.
    pub fn put_all(edits: &[Self], text: Option<&str>, force: bool) -> (Change, Vec<Why>) {
        let Some(before) = text else { return (Change::Text(made(edits)), Vec::new()) };
        let (mut now, mut left) = (before.to_owned(), Vec::new());
        for edit in edits {
            edit.put(&mut now, force, &mut left);
        }
        (if now == before { Change::Same } else { Change::Text(now) }, left)
    }

    /// The text of a file without these edits, and why some still stand in it.
    pub fn take_out_all(edits: &[Self], text: Option<&str>, force: bool) -> (Change, Vec<Why>) {
        let Some(before) = text else { return (Change::Same, Vec::new()) };
        if subsets(edits).any(|some| made(&some) == before) {
            return (Change::Gone, Vec::new());
        }
        let (mut now, mut left) = (before.to_owned(), Vec::new());
        for edit in edits.iter().rev() {
            match edit.take_out(&now, force, &mut left) {
                Change::Same => {}
                Change::Text(text) => now = text,
                Change::Gone => return (Change::Gone, left),
            }
        }
        (if now == before { Change::Same } else { Change::Text(now) }, left)
    }

    /// The text of a file that holds nothing else.
    pub(super) fn alone(&self) -> String {
        made(std::slice::from_ref(self))
    }

    fn put(&self, now: &mut String, force: bool, left: &mut Vec<Why>) {
        let mut take = |now: &mut String, new: Result<Option<String>, Why>| match new {
            Ok(Some(text)) => *now = text,
            Ok(None) => {}
            Err(why) => add(left, why),
        };
        match &self.0 {
            Kind::Json(entries) => {
                for entry in entries {
                    let new = edit::put(now, entry, force);
                    take(now, new);
                }
            }
            Kind::Table { way, block } => {
                let new = put_table(now, way, block);
                take(now, new);
            }
            Kind::Marked(words) => {
                let new = block::put_marked(Some(now), words, force);
                take(now, new);
            }
            Kind::File { words, comment } => {
                let new = block::put_file(Some(now), words, *comment, force);
                take(now, new);
            }
        }
    }

    fn take_out(&self, now: &str, force: bool, left: &mut Vec<Why>) -> Change {
        let taken = match &self.0 {
            Kind::Json(entries) => {
                let mut text = now.to_owned();
                for entry in entries.iter().rev() {
                    match edit::take_out(&text, entry, force) {
                        Ok(Some(without)) => text = without,
                        Ok(None) => {}
                        Err(why) => add(left, why),
                    }
                }
                Ok(if text == now { Change::Same } else { Change::Text(text) })
            }
            Kind::Table { way, block } => take_out_table(now, way, block),
            Kind::Marked(_) => block::take_out_marked(now, force),
            Kind::File { comment, .. } => block::take_out_file(now, *comment, force),
        };
        taken.unwrap_or_else(|why| {
            add(left, why);
            Change::Same
        })
    }
}

fn add(left: &mut Vec<Why>, why: Why) {
    if !left.contains(&why) {
        left.push(why);
    }
}

/// The text of a file that holds nothing but these edits.
fn made(edits: &[Edit]) -> String {
    let (mut entries, mut other) = (Vec::new(), String::new());
    for edit in edits {
        match &edit.0 {
            Kind::Json(some) => entries.extend(some.iter().cloned()),
            Kind::Table { block, .. } => other = format!("{block}\n"),
            Kind::Marked(words) => other = block::put_marked(None, words, false).ok().flatten().unwrap_or_default(),
            Kind::File { words, comment } => other = block::signed(words, *comment),
        }
    }
    // What a new text needs beside the others stands behind them.
    entries.sort_by_key(|entry| matches!(entry, Entry::New { .. }));
    if entries.is_empty() { other } else { edit::made(&entries) }
}

/// Every choice of some edits; a file seldom has more than two.
fn subsets(edits: &[Edit]) -> impl Iterator<Item = Vec<Edit>> + '_ {
    let few = edits.len().min(8);
    (1..1_u32 << few).map(move |chosen| {
        let some = edits.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
        some.map(|(_, edit)| edit.clone()).collect()
    })
}

/// The table at two keys of a TOML text.
fn table(text: &str, way: &[&'static str; 2]) -> Result<Option<toml::Value>, Why> {
    let what = |error: toml::de::Error| Why::NotToml { what: error.message().to_owned() };
    let all: toml::Table = text.parse().map_err(what)?;
    match all.get(way[0]) {
        None => Ok(None),
        Some(toml::Value::Table(inner)) => Ok(inner.get(way[1]).cloned()),
        Some(_) => Err(Why::WrongType { key: way[0].to_owned() }),
    }
}

fn put_table(text: &str, way: &[&'static str; 2], block: &str) -> Result<Option<String>, Why> {
    let wanted = table(block, way)?;
    match table(text, way)? {
        Some(there) if Some(&there) == wanted.as_ref() => Ok(None),
        Some(_) => Err(Why::Own { name: way[1].to_owned() }),
        None => {
            let new = block::append(text, block)?;
            match table(&new, way) {
                Ok(there) if there == wanted => Ok(Some(new)),
                _ => Err(Why::Inline),
            }
        }
    }
}

fn take_out_table(text: &str, way: &[&'static str; 2], block: &str) -> Result<Change, Why> {
    let Some(there) = table(text, way)? else { return Ok(Change::Same) };
    let own = || Why::Own { name: way[1].to_owned() };
    // What somebody has added behind the block belongs to its table, and would become part of another.
    if table(block, way)? != Some(there) {
        return Err(own());
    }
    match block::take_out_block(text, block) {
        Change::Text(new) if matches!(table(&new, way), Ok(None)) => Ok(Change::Text(new)),
        Change::Gone => Ok(Change::Gone),
        _ => Err(own()),
    }
}
