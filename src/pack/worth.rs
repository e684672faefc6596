//! Whether a piece earns its place: how likely of use it must be, the more a frame costs already, and what counts for
//! less because it is about everything.
//!
//! A frame costs its reader attention with each token. So the first tokens are cheap, and what comes late must be
//! likely. Histories of changes, licences and lock files share words with any task and seldom help with one: they weigh
//! less, unless the task asks for them.

/// From so many tokens of knowledge on a piece must be likely, and how likely it must be then, in \[0, 1\].
const PLENTY: usize = 8_000;
const LIKELY: f32 = 0.05;

/// What a piece of a file that is about everything counts, as a share.
const ASIDE: f32 = 0.2;
/// Beginnings of the names of such files.
const ASIDE_NAMES: &[&str] = &[
    "changelog",
    "changes",
    "change_log",
    "history",
    "news",
    "releases",
    "release_notes",
    "release-notes",
    "licence",
    "license",
    "copying",
    "notice",
    "authors",
    "contributors",
    "thirdparty",
    "third-party",
];
/// Whole names and endings of lock files.
const LOCKS: &[&str] = &[".lock", "package-lock.json", "npm-shrinkwrap.json", "go.sum", "pnpm-lock.yaml"];
/// Words of tasks that ask for them.
const ASKS: &[&str] = &[
    "changelog",
    "change",
    "changed",
    "history",
    "release",
    "released",
    "releases",
    "version",
    "versions",
    "upgrade",
    "migrate",
    "licence",
    "license",
    "licences",
    "licenses",
    "copyright",
    "lock",
    "lockfile",
    "dependency",
    "dependencies",
    "author",
    "authors",
    "since",
];

/// How likely of use a piece must be, in \[0, 1\], where a frame holds `used` tokens of knowledge.
pub(super) fn least_likely(used: usize) -> f32 {
    if used < PLENTY { 0.0 } else { LIKELY }
}

/// Most tokens from one file in a frame with `room` tokens for knowledge: two thirds of them, and small frames whole.
pub(super) fn file_share(room: usize) -> usize {
    (room / 3 * 2).max(4_000)
}

/// What a task says about files: which it names, and whether it asks for those that are about everything.
pub(super) struct Wanted {
    task: String,
    aside: bool,
}

impl Wanted {
    /// What this task says.
    pub fn new(task: &str) -> Self {
        let task = task.to_lowercase();
        let aside = task.split(|c: char| !c.is_alphanumeric()).any(|word| ASKS.contains(&word));
        Self { task, aside }
    }

    /// Whether the task names this file, with or without its folders.
    pub fn names(&self, path: &str) -> bool {
        let name = name(path);
        name.len() > 3 && self.task.contains(&name)
    }

    /// What a piece of this file counts, in \[0, 1\].
    pub fn weight(&self, path: Option<&str>) -> f32 {
        let Some(path) = path.filter(|_| !self.aside) else { return 1.0 };
        let name = name(path);
        let aside =
            ASIDE_NAMES.iter().any(|begin| name.starts_with(begin)) || LOCKS.iter().any(|end| name.ends_with(end));
        if aside && !self.names(path) { ASIDE } else { 1.0 }
    }
}

fn name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_everything_counts_less_unless_it_is_asked_for() {
        let retry = Wanted::new("Retry with back-off");
        assert_eq!(retry.weight(Some("/a/CHANGELOG.md")), ASIDE);
        assert_eq!(retry.weight(Some("/a/Cargo.lock")), ASIDE);
        assert_eq!(retry.weight(Some("/a/LICENSE-MIT")), ASIDE);
        assert_eq!((retry.weight(Some("/a/retry.md")), retry.weight(None)), (1.0, 1.0));
        assert_eq!(Wanted::new("what changed in the last release?").weight(Some("CHANGELOG.md")), 1.0);
        assert_eq!(Wanted::new("tidy up News.txt").weight(Some("/a/news.txt")), 1.0, "it is named");
    }

    #[test]
    fn the_more_is_in_the_likelier_must_be_what_comes() {
        assert_eq!((least_likely(0), least_likely(PLENTY)), (0.0, LIKELY));
        assert_eq!((file_share(15_000), file_share(2_000)), (10_000, 4_000));
    }

    #[test]
    fn a_named_file_may_fill_a_frame() {
        let wanted = Wanted::new("go through docs/Retry.md");
        assert!(wanted.names("/home/docs/retry.md") && !wanted.names("/home/docs/keys.md") && !wanted.names("/home/x"));
    }
}
