//! Whose items whoever asks may see.

use super::Scope;

/// The scopes that a caller may see and change. What lies in another scope does not exist for them: no answer, list or
/// failure tells it from what was never there. Entries of packs lie in no scope and are for all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access(Option<Vec<Scope>>);

impl Access {
    /// Every scope: the user of this machine.
    pub const fn all() -> Self {
        Self(None)
    }

    /// These scopes alone.
    pub const fn only(scopes: Vec<Scope>) -> Self {
        Self(Some(scopes))
    }

    /// The scopes; none where all may be seen.
    pub fn scopes(&self) -> Option<&[Scope]> {
        self.0.as_deref()
    }

    /// Whether this scope may be seen.
    pub fn admits(&self, scope: &Scope) -> bool {
        self.0.as_ref().is_none_or(|scopes| scopes.contains(scope))
    }
}
