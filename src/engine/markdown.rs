//! Knowledge as a folder of Markdown files, out and in: a file an item, a file an entry of the user's packs, and one
//! for everything that is no text.

use super::{Engine, EngineError, Session};
use crate::canon::{Entry, PackLayer, add_entry};
use crate::map::open::{Links, read_text};
use crate::map::{AsideGroup, write_aside};
use crate::platform::sync_folder;
use crate::render::json_line;
use crate::store::{
    Imported, Record, item_from_markdown, item_to_markdown, make_private, read_front_matter, with_front_matter,
};
use crate::text::sha256_hex;
use crate::types::limits::{CANON_PACK, DOCUMENT, EXPORT};
use serde_json::Value;
use std::collections::{BTreeMap, btree_map};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What is no text: files, counters, links, events.
const RECORDS: &str = "records.jsonl";
/// Where entries of the user's packs lie.
const CANON: &str = "canon";

impl Engine {
    /// Writes all knowledge into a folder that is new or empty; gives how many files.
    ///
    /// # Errors
    /// [`EngineError`] when the folder holds something or cannot be written, or the database refuses.
    pub fn export_markdown(&self, folder: &Path, session: &Session<'_>) -> Result<usize, EngineError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| EngineError::Io { path, source }
        };
        fs::create_dir_all(folder).map_err(io(folder))?;
        if fs::read_dir(folder).map_err(io(folder))?.next().is_some() {
            return Err(EngineError::NotEmpty { path: folder.to_owned() });
        }
        let write = |path: PathBuf, text: &str| -> Result<(), EngineError> {
            let parent = path.parent().unwrap_or(folder);
            fs::create_dir_all(parent).map_err(io(parent))?;
            write_aside(&path, text.as_bytes()).map_err(io(&path))
        };
        let mut files = 1;
        let mut records = String::new();
        if let Some(database) = self.read_database()? {
            database.export(session.now(), |record| -> Result<(), EngineError> {
                match record {
                    Record::Item { item } => {
                        files += 1;
                        write(folder.join(item.kind.name()).join(file_name(&item.uid)), &item_to_markdown(item))
                    }
                    // Memories have Markdown of their own, and go out with their log alone.
                    Record::Memory { .. } => Ok(()),
                    other => {
                        records.push_str(&json_line(other));
                        Ok(())
                    }
                }
            })?;
        }
        for stored in self.packs(session).canon().entries().iter().filter(|stored| stored.layer == PackLayer::User) {
            let entry = stored.entry();
            let Ok(Value::Object(mut fields)) = serde_json::to_value(entry) else { continue };
            fields.remove("cause");
            let pack = entry.id.split('/').next().unwrap_or_default();
            write(
                folder.join(CANON).join(pack).join(file_name(&entry.id)),
                &with_front_matter(&fields, &entry.whole_cause()),
            )?;
            files += 1;
        }
        write(folder.join(RECORDS), &records)?;
        // The folders themselves, where they are new.
        for path in folder.parent().filter(|parent| !parent.as_os_str().is_empty()).into_iter().chain([folder]) {
            sync_folder(path).map_err(io(path))?;
        }
        Ok(files)
    }

    /// Takes in what [`Engine::export_markdown`] wrote: all of it or nothing. What is there stays. Gives what came in,
    /// and how many entries. A process that is killed between the last steps may leave entries without records; to
    /// import again brings the rest.
    ///
    /// # Errors
    /// [`EngineError`] for a file that is none of an export.
    pub fn import_markdown(&self, folder: &Path, session: &Session<'_>) -> Result<(Imported, usize), EngineError> {
        let bad = |path: &Path, what: String| EngineError::NoExport { path: path.to_owned(), what };
        let within = Links::Within(folder);
        let (mut items, mut entries) = (Vec::new(), Vec::new());
        for path in markdown_files(folder)? {
            let text =
                read_text(&path, within, DOCUMENT).map_err(|source| EngineError::Io { path: path.clone(), source })?;
            if path.starts_with(folder.join(CANON)) {
                entries.push(entry(&text).map_err(|what| bad(&path, what))?);
            } else {
                items.push(Record::Item { item: item_from_markdown(&text).map_err(|what| bad(&path, what))? });
            }
        }
        let path = folder.join(RECORDS);
        if !path.is_file() {
            return Err(bad(folder, format!("there is no {RECORDS} in it")));
        }
        let text = read_text(&path, within, EXPORT).map_err(|source| EngineError::Io { path: path.clone(), source })?;
        let mut records = Vec::new();
        for line in text.lines() {
            let record: Record = serde_json::from_str(line).map_err(|error| bad(&path, error.to_string()))?;
            records.push(record);
        }
        // A file of the index stands before what stands in it.
        let after = records.iter().position(|r| !matches!(r, Record::Kenning { .. } | Record::Source { .. }));
        let rest = records.split_off(after.unwrap_or(records.len()));
        let all = records.into_iter().chain(items).chain(rest).collect::<Vec<_>>();
        for record in &all {
            record.check().map_err(|what| bad(folder, what.to_owned()))?;
        }
        let packs_now = self.packs(session);
        let known = packs_now.canon();
        entries.retain(|entry| known.index_of(&entry.id).is_none());
        let count = entries.len();
        let files = self.packs_with(entries)?;
        let imported = if all.is_empty() {
            files.place().map_err(|(path, source)| EngineError::Io { path, source })?.keep();
            Imported::default()
        } else {
            self.take_in_with("ken import", all, files, session)?.0
        };
        Ok((imported, count))
    }

    /// The user's packs with these entries added, written beside those that are there.
    fn packs_with(&self, entries: Vec<Entry>) -> Result<AsideGroup, EngineError> {
        struct Changed {
            before: Option<String>,
            after: Option<String>,
        }
        let packs = self.settings.user_packs.as_ref().ok_or(EngineError::NoHome)?;
        let mut changed: BTreeMap<PathBuf, Changed> = BTreeMap::new();
        for entry in entries {
            let pack = entry.id.split('/').next().unwrap_or_default().to_owned();
            let path = packs.join(format!("{pack}.json"));
            let text = match changed.entry(path) {
                btree_map::Entry::Occupied(known) => known.into_mut(),
                btree_map::Entry::Vacant(new) => {
                    let before = read_if_there(new.key())?;
                    new.insert(Changed { before, after: None })
                }
            };
            text.after = Some(add_entry(text.after.as_deref().or(text.before.as_deref()), &pack, entry)?);
        }
        let mut group = AsideGroup::default();
        if !changed.is_empty() {
            make_private(packs)?;
        }
        for (path, Changed { before, after }) in changed {
            let before = before.as_deref().map(str::as_bytes);
            let added = group.add(&path, before, after.unwrap_or_default().as_bytes());
            added.map_err(|source| EngineError::Io { path, source })?;
        }
        Ok(group)
    }
}

/// The text of a pack; none where there is no file.
fn read_if_there(path: &Path) -> Result<Option<String>, EngineError> {
    match read_text(path, Links::Follow, CANON_PACK) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(EngineError::Io { path: path.to_owned(), source }),
    }
}

fn entry(text: &str) -> Result<Entry, String> {
    let (mut value, cause) = read_front_matter(text)?;
    let fields = value.as_object_mut().ok_or("its front matter has no fields")?;
    fields.insert("cause".to_owned(), cause.into());
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// A name for a file from an id, told from all others by a hash where the id cannot be one.
fn file_name(id: &str) -> String {
    let last = id.rsplit('/').next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name: String = last.chars().filter(|c| plain(*c)).take(80).collect();
    if name == last && id.matches('/').count() <= 1 && !name.starts_with('.') && !name.is_empty() {
        format!("{name}.md")
    } else {
        format!("{}-{}.md", name.trim_start_matches('.'), &sha256_hex(id.as_bytes())[..12])
    }
}

fn markdown_files(folder: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let mut out = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        let io = |source| EngineError::Io { path: next.clone(), source };
        for entry in fs::read_dir(&next).map_err(io)? {
            let path = entry.map_err(|source| EngineError::Io { path: next.clone(), source })?.path();
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                out.push(path);
            }
        }
    }
    out.sort();
    Ok(out)
}
