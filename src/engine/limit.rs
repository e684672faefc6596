//! The scopes that the request of this thread is limited to. A shared store withholds all others from it, so a use case
//! whose own filter is wrong still shows nothing of them.
//!
//! The limit belongs to the thread and is not an argument: each use case opens the store in `database.rs`, and one that
//! forgets to pass a limit on must not be unlimited. A session is used by one thread too. Upkeep of the store concerns
//! all scopes and answers nobody, so it lifts the limit.

use super::Engine;
use crate::store::Database;
use crate::types::{Access, Scope};
use std::cell::RefCell;

thread_local! {
    static SCOPES: RefCell<Option<Vec<Scope>>> = const { RefCell::new(None) };
}

/// Brings the limit from before back when it is dropped, also after a panic.
struct Restored(Option<Vec<Scope>>);

impl Restored {
    fn after(scopes: Option<Vec<Scope>>) -> Self {
        Self(SCOPES.replace(scopes))
    }
}

impl Drop for Restored {
    fn drop(&mut self) {
        SCOPES.set(self.0.take());
    }
}

impl Engine {
    /// Runs a use case for a caller. Each shared store that this thread opens meanwhile is limited to the scopes that
    /// the caller may see. If there is a limit already, a caller who may see all scopes does not lift it.
    pub fn within<T>(&self, access: &Access, case: impl FnOnce() -> T) -> T {
        let _restored = access.scopes().map(|scopes| Restored::after(Some(scopes.to_vec())));
        case()
    }
}

/// Calls `work` with the scopes that this thread is limited to, or with `None` if there is no limit.
pub(super) fn with<T>(work: impl FnOnce(Option<&[Scope]>) -> T) -> T {
    SCOPES.with_borrow(|scopes| work(scopes.as_deref()))
}

/// Limits a store that was opened.
pub(super) fn apply(database: &mut Database) {
    with(|scopes| database.limit_to(scopes));
}

/// Calls `work` while this thread has no limit.
pub(super) fn lifted<T>(work: impl FnOnce() -> T) -> T {
    let _restored = Restored::after(None);
    work()
}

/// Calls `work` while neither this thread nor the store that it opened has a limit.
pub(super) fn lifted_on<T>(database: &mut Database, work: impl FnOnce(&mut Database) -> T) -> T {
    lifted(|| database.unlimited(work))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineSettings;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn names() -> Option<Vec<String>> {
        with(|scopes| scopes.map(|scopes| scopes.iter().map(|scope| scope.as_str().to_owned()).collect()))
    }

    #[test]
    fn a_limit_ends_with_its_request_whatever_becomes_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::new(EngineSettings::without_model(folder.path()));
        let only = |name: &str| Access::only(vec![Scope::repository(name)]);
        engine.within(&only("a"), || {
            assert_eq!(names(), Some(vec!["a".to_owned()]));
            engine.within(&Access::all(), || assert_eq!(names(), Some(vec!["a".to_owned()])));
            engine.within(&Access::only(Vec::new()), || assert_eq!(names(), Some(Vec::new())));
            lifted(|| assert_eq!(names(), None));
            assert_eq!(names(), Some(vec!["a".to_owned()]));
        });
        assert_eq!(names(), None);
        let failed = catch_unwind(AssertUnwindSafe(|| engine.within(&only("a"), || panic!("of this test"))));
        assert!(failed.is_err() && names().is_none());
    }
}
