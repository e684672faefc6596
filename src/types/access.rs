//! Whose items whoever asks may see.

use super::Scope;

/// The scopes that a caller may see and change. What lies in another scope does not exist for them: no answer, list or
/// failure tells it from what was never there. Entries of packs lie in no scope and are for all.
///
/// What was learnt in a repository is shown only to those who ask from there. So of all memories a caller sees those of
/// `home` and the global ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    scopes: Option<Vec<Scope>>,
    home: Option<Scope>,
}

impl Access {
    /// Every scope: the user of this machine.
    pub const fn all() -> Self {
        Self { scopes: None, home: None }
    }

    /// These scopes alone.
    pub const fn only(scopes: Vec<Scope>) -> Self {
        Self { scopes: Some(scopes), home: None }
    }

    /// The same for whoever asks from this repository, unless it is known already from where they ask.
    #[must_use]
    pub fn from_home(self, home: &Scope) -> Self {
        Self { home: self.home.or_else(|| Some(home.clone())), ..self }
    }

    /// The repository whose memories are seen; none outside of one.
    pub const fn home(&self) -> Option<&Scope> {
        self.home.as_ref()
    }

    /// The scopes whose memories are seen.
    pub fn remembered(&self) -> Vec<Scope> {
        let mut all = vec![Scope::global()];
        all.extend(self.home.clone().filter(|home| *home != Scope::global()));
        all.retain(|scope| self.admits(scope));
        all
    }

    /// Whether memories of this scope are seen.
    pub fn remembers(&self, scope: &Scope) -> bool {
        self.admits(scope) && (*scope == Scope::global() || self.home.as_ref() == Some(scope))
    }

    /// The scopes; none where all may be seen.
    pub fn scopes(&self) -> Option<&[Scope]> {
        self.scopes.as_deref()
    }

    /// Whether this scope may be seen.
    pub fn admits(&self, scope: &Scope) -> bool {
        self.scopes.as_ref().is_none_or(|scopes| scopes.contains(scope))
    }
}
