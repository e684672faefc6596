//! From a failure to the next try of the same action: what was done between, and whether it then worked.

use super::super::head::changes;
use super::label::same;
use crate::types::ToolOutcome;

/// What became of a failure up to the next try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// The row that tried again.
    pub at: usize,
    /// Whether it worked.
    pub worked: bool,
    /// Whether its input is that of the failure.
    pub same_input: bool,
}

/// A failure, the next try of the same tool and head, and what went well between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The row that failed.
    pub failed: usize,
    /// The next try; none if it was never tried again.
    pub retry: Option<Retry>,
    /// Rows between, or after it if it was never tried again, that went well and may have changed something.
    pub changed: Vec<usize>,
    /// Rows between that went well and only looked.
    pub looked: Vec<usize>,
}

/// Programs whose first word says what they do: another one is another action.
const WITH_VERBS: &[&str] = &[
    "apt",
    "apt-get",
    "aws",
    "az",
    "brew",
    "bundle",
    "cargo",
    "composer",
    "conda",
    "docker",
    "docker-compose",
    "dotnet",
    "flyctl",
    "gcloud",
    "gh",
    "git",
    "glab",
    "go",
    "gradle",
    "helm",
    "kubectl",
    "mix",
    "npm",
    "pip",
    "pip3",
    "pnpm",
    "podman",
    "poetry",
    "pulumi",
    "rustup",
    "svn",
    "systemctl",
    "terraform",
    "tofu",
    "uv",
    "yarn",
];

/// The first word behind the program that is no option, if it is a plain word: `pull` of `git --no-pager pull`.
fn verb(row: &ToolOutcome) -> Option<&str> {
    let mut words = row.input.split_whitespace();
    words.find(|word| word.rsplit('/').next() == Some(row.head.as_str()))?;
    let is_plain = |word: &&str| word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-' || b == b':');
    words.find(|word| !word.starts_with('-')).filter(is_plain)
}

/// The next try of what failed: a later row with the same tool and head.
///
/// A row with another verb is no try in two cases: the program is one of [`WITH_VERBS`], or the same input comes again
/// later and works. After a failed `git push`, `git pull` is a step that helps, and the next `git push` is the try.
fn next_try(rows: &[&ToolOutcome], failed: usize) -> Option<usize> {
    let row = rows[failed];
    let own = verb(row);
    let later = || (failed + 1..rows.len()).filter(|&at| same(rows[at], row));
    let is_row = |at: &usize| rows[*at].input_fingerprint == row.input_fingerprint;
    let again = later().find(is_row).filter(|&at| rows[at].is_ok);
    let is_try = |at: &usize| {
        let other = verb(rows[*at]);
        let differs = own.is_some() && other.is_some() && own != other;
        !differs || again.is_none() && !WITH_VERBS.contains(&row.head.as_str())
    };
    later().find(is_try)
}

/// The gap after each failure of a session, whose rows are in order.
pub fn gaps(rows: &[&ToolOutcome]) -> Vec<Gap> {
    let failures = (0..rows.len()).filter(|&at| !rows[at].is_ok);
    let one = |failed: usize| {
        let row = rows[failed];
        let next = next_try(rows, failed);
        let retry = next.map(|at| Retry {
            at,
            worked: rows[at].is_ok,
            same_input: rows[at].input_fingerprint == row.input_fingerprint,
        });
        let between = (failed + 1..next.unwrap_or(rows.len())).filter(|&at| rows[at].is_ok);
        let may_change = |at: &usize| changes(&rows[*at].tool, &rows[*at].head, &rows[*at].input);
        let (changed, looked) = between.partition(may_change);
        Gap { failed, retry, changed, looked }
    };
    failures.map(one).collect()
}
