//! Checks what entries say of each other by `role` and `caused_by`: what is named exists, and no chain of causes leads
//! back to where it began.

use super::layer::PackLayer;
use super::library::{Canon, Stored};
use super::pack::Entry;
use super::severity::Severity;
use crate::types::CausalRole;
use std::collections::HashMap;

/// Something wrong with an entry's place among causes and consequences.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Index of the entry.
    pub at: usize,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
}

/// Faults of these entries, which may name each other and what is built in.
pub(super) fn faults(all: &[(PackLayer, &Entry)]) -> Vec<Fault> {
    let chain = Chain::new(all);
    let mut out = Vec::new();
    for (at, (_, entry)) in all.iter().enumerate() {
        let mut say = |severity, message| out.push(Fault { at, severity, message });
        if entry.role == CausalRole::Consequence && entry.caused_by.is_empty() && !entry.general {
            let message = "is a consequence, but says neither what causes it nor that it is general";
            say(Severity::Warning, message.to_owned());
        }
        for id in &entry.caused_by {
            match chain.entry(id) {
                None => say(Severity::Error, format!("is caused by {id}, which no pack has")),
                Some(cause) if cause.id == entry.id => say(Severity::Error, "is its own cause".to_owned()),
                Some(cause) if cause.role == CausalRole::Warning => {
                    say(Severity::Warning, format!("is caused by {id}, but a warning is nobody's cause"));
                }
                Some(_) => {}
            }
        }
        if let Some(circle) = chain.circle(&entry.id) {
            say(Severity::Error, format!("causes go round in a circle: {}", circle.join(", caused by ")));
        }
    }
    out
}

/// Entries by id.
struct Chain<'a> {
    own: HashMap<&'a str, (PackLayer, &'a Entry)>,
    /// Only there if something is named that is not among the own ones.
    builtin: Option<Canon>,
}

impl<'a> Chain<'a> {
    /// Of two entries with one id the one of the later layer counts, and an id counts before somebody's former id.
    fn new(all: &[(PackLayer, &'a Entry)]) -> Self {
        let mut own: HashMap<&str, (PackLayer, &Entry)> = HashMap::new();
        for (layer, entry) in all {
            let present = own.entry(&entry.id).or_insert((*layer, entry));
            if present.0 < *layer {
                *present = (*layer, entry);
            }
        }
        for (layer, entry) in all {
            for alias in &entry.aliases {
                own.entry(alias).or_insert((*layer, entry));
            }
        }
        let mut named = all.iter().flat_map(|(_, entry)| &entry.caused_by);
        let builtin = named.any(|id| !own.contains_key(id.as_str())).then(|| Canon::load(&[]).0);
        Self { own, builtin }
    }

    /// The entry of this id or former id.
    fn entry(&self, id: &str) -> Option<&Entry> {
        let builtin = || {
            let canon = self.builtin.as_ref()?;
            canon.entries().get(canon.index_of(id)?).map(Stored::entry)
        };
        self.own.get(id).map(|(_, entry)| *entry).or_else(builtin)
    }

    /// Ids of what causes an entry, as they are now.
    fn causes(&self, id: &str) -> impl Iterator<Item = &str> {
        let named = self.entry(id).into_iter().flat_map(|entry| &entry.caused_by);
        named.filter_map(|cause| Some(self.entry(cause)?.id.as_str()))
    }

    /// The ids on a way from this entry over causes back to it, first and last the entry itself. A way that leads over
    /// an id before its own is left to the entry of that id, so that each circle is told once; an entry that names
    /// itself is no circle.
    fn circle(&self, start: &str) -> Option<Vec<String>> {
        let start = self.entry(start)?.id.as_str();
        let mut came_from: HashMap<&str, &str> = HashMap::new();
        let mut open = vec![start];
        while let Some(id) = open.pop() {
            for cause in self.causes(id) {
                if cause == start && id != start {
                    let mut way = vec![start, id];
                    while let Some(from) = way.last().and_then(|id| came_from.get(id)) {
                        way.push(from);
                    }
                    way.reverse();
                    return Some(way.into_iter().map(str::to_owned).collect());
                }
                if cause > start && !came_from.contains_key(cause) {
                    came_from.insert(cause, id);
                    open.push(cause);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, role: CausalRole, causes: &[&str]) -> Entry {
        let caused_by = causes.iter().map(|&id| id.to_owned()).collect();
        Entry { id: id.to_owned(), role, caused_by, ..Entry::default() }
    }

    /// Index, severity and message of each fault; all entries are the user's.
    fn told(entries: &[Entry]) -> Vec<(usize, Severity, String)> {
        let all: Vec<(PackLayer, &Entry)> = entries.iter().map(|entry| (PackLayer::User, entry)).collect();
        faults(&all).into_iter().map(|fault| (fault.at, fault.severity, fault.message)).collect()
    }

    #[test]
    fn a_chain_that_ends_is_fine() {
        let own = [
            entry("app/failed", CausalRole::Consequence, &["app/killed", "app/config"]),
            entry("app/killed", CausalRole::Cause, &["app/memory"]),
            entry("app/memory", CausalRole::Cause, &[]),
            entry("app/config", CausalRole::Cause, &["app/memory"]),
            entry("app/old", CausalRole::Warning, &[]),
        ];
        assert_eq!(told(&own), []);
    }

    #[test]
    fn what_is_named_is_there() {
        let mut own =
            [entry("app/failed", CausalRole::Consequence, &["app/gone"]), entry("app/here", CausalRole::Cause, &[])];
        let found = told(&own);
        assert_eq!(found, [(0, Severity::Error, "is caused by app/gone, which no pack has".to_owned())]);
        own[1].aliases = vec!["app/gone".to_owned()];
        assert_eq!(told(&own), []);
    }

    #[test]
    fn a_pack_may_name_what_is_built_in() {
        let own = [entry("app/failed", CausalRole::Consequence, &["docker/no-space-left", "docker/no-space-leftover"])];
        let found = told(&own);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].1 == Severity::Error && found[0].2.contains("docker/no-space-leftover"), "{found:?}");
    }

    #[test]
    fn nothing_causes_itself_by_id_or_former_id() {
        let mut own = [entry("app/a", CausalRole::Cause, &["app/a"])];
        assert_eq!(told(&own), [(0, Severity::Error, "is its own cause".to_owned())]);
        own[0].caused_by = vec!["app/before".to_owned()];
        own[0].aliases = vec!["app/before".to_owned()];
        assert_eq!(told(&own), [(0, Severity::Error, "is its own cause".to_owned())]);
    }

    #[test]
    fn a_circle_is_told_once_and_with_its_way() {
        let own = [
            entry("app/c", CausalRole::Cause, &["app/b"]),
            entry("app/b", CausalRole::Cause, &["app/z", "app/a"]),
            entry("app/a", CausalRole::Cause, &["app/c"]),
            entry("app/z", CausalRole::Cause, &[]),
            entry("app/outside", CausalRole::Consequence, &["app/a"]),
        ];
        let message = "causes go round in a circle: app/a, caused by app/c, caused by app/b, caused by app/a";
        assert_eq!(told(&own), [(2, Severity::Error, message.to_owned())]);
    }

    #[test]
    fn a_circle_through_a_later_layer_is_seen() {
        let below = [entry("app/a", CausalRole::Cause, &[]), entry("app/b", CausalRole::Cause, &["app/a"])];
        let above = entry("app/a", CausalRole::Cause, &["app/b"]);
        let all = [(PackLayer::Repository, &above), (PackLayer::User, &below[0]), (PackLayer::User, &below[1])];
        let found = faults(&all);
        assert!(!found.is_empty() && found.iter().all(|fault| fault.message.contains("circle")), "{found:?}");
        assert_eq!(faults(&all[1..]), []);
    }

    #[test]
    fn warnings_cause_nothing_and_consequences_have_a_cause() {
        let mut own = [
            entry("app/failed", CausalRole::Consequence, &["app/deprecated"]),
            entry("app/deprecated", CausalRole::Warning, &[]),
            entry("app/ended", CausalRole::Consequence, &[]),
        ];
        let found = told(&own);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].0 == 0 && found[0].1 == Severity::Warning && found[0].2.contains("nobody's cause"));
        assert!(found[1].0 == 2 && found[1].1 == Severity::Warning && found[1].2.contains("is a consequence, but"));
        own[2].general = true;
        assert_eq!(told(&own).len(), 1);
    }
}
