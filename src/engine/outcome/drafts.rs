//! Pack entries drafted from errors that recur. A draft is in no pack that lookups use: it is given to whoever asks.

use super::analyse::rows_of;
use super::patterns::stored;
use super::{KeptPattern, REJECTED};
use crate::engine::packs::is_pack_name;
use crate::engine::{Engine, EngineError, PacksSnapshot, Session};
use crate::outcome::draft::{DraftedPack, Wanted, propose};
use crate::outcome::pattern::Pattern;
use crate::platform::canonical;
use crate::text::clean;
use crate::types::{Access, CausalRole};
use std::path::Path;

/// What is to be drafted.
#[derive(Debug, Clone, Default)]
pub struct WantedDrafts {
    /// The name of the pack.
    pub pack: String,
    /// The errors of these patterns, by the beginnings of their ids; with none all that recur.
    pub patterns: Vec<String>,
    /// Errors that were met at least so often.
    pub least: usize,
    /// Most drafts.
    pub most: usize,
}

impl Engine {
    /// Drafts pack entries for errors of runs that may be seen, without keeping them.
    ///
    /// # Errors
    /// [`EngineError::NoPattern`] for an id of none or several, [`EngineError::PatternIsNoFix`] for a pattern of no
    /// failure, [`EngineError::PackName`] for a name that no pack can have; [`EngineError`] when the database refuses.
    pub fn draft_entries(
        &self,
        wanted: &WantedDrafts,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<DraftedPack, EngineError> {
        session.check()?;
        if !is_pack_name(&wanted.pack) {
            return Err(EngineError::PackName(wanted.pack.clone()));
        }
        let named = wanted.patterns.iter().map(|id| self.failing_pattern(id, access, session));
        let named = named.collect::<Result<Vec<Pattern>, EngineError>>()?;
        let (mut rows, mut patterns) = (Vec::new(), Vec::new());
        if let Some(database) = self.read_database()? {
            for scope in access.remembered() {
                rows.extend(rows_of(&*database, &scope, session)?.0);
            }
            let is_right = |one: &KeptPattern| one.state != REJECTED;
            let found = stored(&database, None, None, access)?.into_iter();
            patterns.extend(found.filter(is_right).map(|one| one.pattern));
        }
        let packs = self.packs(session);
        let known = |error: &str| known(&packs, error);
        let wanted = Wanted { pack: &wanted.pack, patterns: &named, least: wanted.least, most: wanted.most };
        Ok(propose(&wanted, &rows, &patterns, &known))
    }

    /// Whether lookups read packs in this folder.
    pub fn reads_packs_in(&self, folder: &Path) -> bool {
        let real = |folder: &Path| canonical(folder).unwrap_or_else(|_| folder.to_owned());
        let folders = [&self.settings.user_packs, &self.settings.repository_packs];
        folders.into_iter().flatten().any(|packs| real(packs) == real(folder))
    }

    fn failing_pattern(&self, id: &str, access: &Access, session: &Session<'_>) -> Result<Pattern, EngineError> {
        let pattern = self.outcome_pattern(id, access, session)?.pattern;
        match pattern.error_fingerprint {
            Some(_) => Ok(pattern),
            None => Err(EngineError::PatternIsNoFix { id: pattern.id, kind: pattern.kind.name() }),
        }
    }
}

/// The entry whose pattern tells why an error happened; none if the packs only know of what kind it is.
fn known(packs: &PacksSnapshot, error: &str) -> Option<String> {
    let canon = packs.canon();
    let tells = |at: usize| {
        let entry = canon.entries().get(at)?;
        let is_cause = !entry.entry().general && entry.entry().role == CausalRole::default();
        is_cause.then(|| entry.id().to_owned())
    };
    canon.find(&clean(error).text).into_iter().filter(|hit| !hit.generic).find_map(|hit| tells(hit.entry))
}
