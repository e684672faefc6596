//! One piece of knowledge by its id, as a page of Markdown: an entry of a pack, or an item.

use super::{Engine, EngineError, Session};
use crate::canon::{Fit, Stored};
use crate::store::{MemoryView, ReadItems, item_to_markdown};
use crate::types::Access;

impl Engine {
    /// What has this id, as hits name it; none where there is nothing, or nothing that this caller may see.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn page_of(&self, id: &str, access: &Access, session: &Session<'_>) -> Result<Option<String>, EngineError> {
        if let Ok(stored) = self.packs(session).entry(id) {
            return Ok(Some(page(stored)));
        }
        let Some(database) = self.read_database()? else { return Ok(None) };
        let Some(row) = database.item_id(id)? else { return Ok(None) };
        let view = MemoryView { home: access.home().cloned(), expired: None };
        if database.is_hidden(row, &view)? {
            return Ok(None);
        }
        let item = database.items(&[row])?.into_iter().next().map(|(_, item)| item);
        Ok(item.filter(|item| access.admits(&item.scope)).map(|item| item_to_markdown(&item)))
    }
}

fn page(stored: &Stored) -> String {
    let entry = stored.entry();
    let mut out = format!("# {}\n\n{}, {}\n", entry.title, entry.id, stored.source());
    let cause = entry.whole_cause();
    if !cause.is_empty() {
        out.push_str(&format!("\n## Cause\n\n{cause}\n"));
    }
    let steps = Fit::default().steps(&entry.fix);
    if !steps.is_empty() {
        out.push_str("\n## Fix\n\n");
    }
    for (number, (text, step)) in (1..).zip(steps) {
        let lost = step.loses.as_ref().map(|loses| format!(" Loses {loses}.")).unwrap_or_default();
        out.push_str(&format!("{number}. {text}{lost}\n"));
    }
    if !entry.references.is_empty() {
        out.push_str("\n## More\n\n");
        entry.references.iter().for_each(|link| out.push_str(&format!("- {link}\n")));
    }
    out
}
