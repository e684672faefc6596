//! What ties a target to a failure: what became of failures like it in other sessions, how the action fares there, and
//! what the session did until now.

use super::Target;
use super::super::kind_of_error::error_kind;
use super::super::recovery::{End, Recovery, label};
use super::super::session::Session;
use crate::text::tokens;
use crate::types::ToolOutcome;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How many numbers a target has.
pub(super) const TIES: usize = 12;
/// Failures that are asked.
const NEIGHBOURS: usize = 16;

/// Tool and head.
pub(super) type Action = (String, String);

/// A failure of the past that was overcome.
#[derive(Debug, Clone)]
pub(super) struct Known {
    session: String,
    target: Target,
    words: BTreeSet<String>,
    key: (Action, String),
}

/// Failures of the past, and how actions fared.
#[derive(Debug, Clone, Default)]
pub(super) struct Past {
    known: Vec<Known>,
    holding: HashMap<String, Vec<usize>>,
    /// In how many sessions an action worked, and in how many it failed.
    fared: HashMap<Action, (usize, usize)>,
    /// The same of each session, so that it can be left out.
    fared_in: HashMap<(String, Action), (bool, bool)>,
    /// Ends by action and kind of error, and by action: each with its count.
    by_key: HashMap<(Action, String), BTreeMap<Target, usize>>,
    by_action: HashMap<Action, BTreeMap<Target, usize>>,
}

fn action(row: &ToolOutcome) -> Action {
    (row.tool.clone(), row.head.clone())
}

fn words_of(row: &ToolOutcome) -> BTreeSet<String> {
    let mut words: BTreeSet<String> = tokens(&row.input).into_iter().collect();
    words.extend(tokens(&row.error));
    words
}

impl Past {
    pub fn of(sessions: &[Session<'_>]) -> Self {
        let mut out = Self::default();
        for rows in sessions {
            let mut fared: BTreeMap<Action, (bool, bool)> = BTreeMap::new();
            for row in rows {
                let one = fared.entry(action(row)).or_default();
                if row.is_ok { one.0 = true } else { one.1 = true }
            }
            for (action, (worked, failed)) in fared {
                let all = out.fared.entry(action.clone()).or_default();
                (all.0, all.1) = (all.0 + usize::from(worked), all.1 + usize::from(failed));
                out.fared_in.insert((rows[0].session.clone(), action), (worked, failed));
            }
            for one in label(rows).into_iter().filter(|one| one.end != End::Unrecovered) {
                out.add(rows, &one);
            }
        }
        out
    }

    fn add(&mut self, rows: &[&ToolOutcome], one: &Recovery) {
        let row = rows[one.failed];
        let (target, words) = (one.target(), words_of(row));
        let key = (action(row), error_kind(&row.error));
        words.iter().for_each(|word| self.holding.entry(word.clone()).or_default().push(self.known.len()));
        *self.by_key.entry(key.clone()).or_default().entry(target.clone()).or_default() += 1;
        *self.by_action.entry(key.0.clone()).or_default().entry(target.clone()).or_default() += 1;
        self.known.push(Known { session: row.session.clone(), target, words, key });
    }

    /// The failures of other sessions that are most like one, with how like they are, in \[0, 1\].
    fn near(&self, row: &ToolOutcome) -> Vec<(f64, &Known)> {
        let n = self.known.len() as f64;
        let weight = |word: &str| self.holding.get(word).map_or(0.0, |all| (1.0 + n / all.len() as f64).ln());
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        let mut whole = 0.0;
        for word in words_of(row) {
            let weight = weight(&word);
            whole += weight;
            for &number in self.holding.get(&word).map_or(&[][..], Vec::as_slice) {
                *scores.entry(number).or_default() += weight;
            }
        }
        let own = |known: &Known| known.words.iter().map(|word| weight(word)).sum::<f64>();
        let mut near: Vec<(f64, usize)> = scores
            .into_iter()
            .filter(|(number, _)| self.known[*number].session != row.session)
            .map(|(number, shared)| (shared / (whole + own(&self.known[number]) - shared).max(1e-9), number))
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        near.truncate(NEIGHBOURS);
        near.into_iter().map(|(alike, number)| (alike, &self.known[number])).collect()
    }

    /// In how many other sessions an action worked and failed.
    pub fn fared(&self, session: &str, of: &Action) -> (usize, usize) {
        let (worked, failed) = self.fared.get(of).copied().unwrap_or_default();
        let own = self.fared_in.get(&(session.to_owned(), of.clone())).copied().unwrap_or_default();
        (worked.saturating_sub(usize::from(own.0)), failed.saturating_sub(usize::from(own.1)))
    }

    /// How many failures of other sessions came to each target, of those that `of` counts.
    fn counts<'a, K>(&'a self, all: Option<&'a BTreeMap<Target, usize>>, session: &str, of: K) -> BTreeMap<&'a Target, usize>
    where
        K: Fn(&Known) -> bool,
    {
        let mut counts: BTreeMap<&Target, usize> = all.into_iter().flatten().map(|(t, n)| (t, *n)).collect();
        for own in self.known.iter().filter(|known| known.session == session && of(known)) {
            if let Some(count) = counts.get_mut(&own.target) {
                *count = count.saturating_sub(1);
            }
        }
        counts
    }
}

/// What is asked about one failure, made once for all targets.
pub(super) struct Ties<'a> {
    near: Vec<(f64, &'a Known)>,
    of_key: BTreeMap<&'a Target, usize>,
    of_action: BTreeMap<&'a Target, usize>,
    last: Option<Action>,
    did: BTreeMap<Action, usize>,
    named: BTreeSet<String>,
    habit: Option<Target>,
    past: &'a Past,
    session: String,
}

impl<'a> Ties<'a> {
    pub fn of(past: &'a Past, rows: &[&ToolOutcome], failed: usize, own: bool) -> Self {
        let row = rows[failed];
        let before = &rows[..failed];
        let key = (action(row), error_kind(&row.error));
        // Only sessions that were learnt from are left out.
        let session = if own { row.session.as_str() } else { "" };
        let mut did: BTreeMap<Action, usize> = BTreeMap::new();
        before.iter().filter(|row| row.is_ok).for_each(|row| *did.entry(action(row)).or_default() += 1);
        let word = |c: char| !(c.is_alphanumeric() || c == '_' || c == '-');
        Self {
            near: past.near(row),
            of_key: past.counts(past.by_key.get(&key), session, |known| known.key == key),
            of_action: past.counts(past.by_action.get(&key.0), session, |known| known.key.0 == key.0),
            last: before.iter().rev().find(|row| row.is_ok).map(|row| action(row)),
            did,
            named: row.input.split(word).skip(1).map(str::to_owned).collect(),
            habit: label(before).iter().rev().find(|one| one.fixed_by.is_some()).map(Recovery::target),
            past,
            session: session.to_owned(),
        }
    }

    /// The numbers of a target.
    pub fn with(&self, target: &Target) -> Vec<f64> {
        let share = |counts: &BTreeMap<&Target, usize>| {
            let all: usize = counts.values().sum();
            (counts.get(target).copied().unwrap_or(0) as f64 + 0.1) / (all as f64 + 1.0)
        };
        let votes = |most: usize, of: &dyn Fn(&Target) -> bool| {
            let asked = || self.near.iter().take(most);
            let all: f64 = asked().map(|(alike, _)| alike).sum();
            asked().filter(|(_, known)| of(&known.target)).map(|(alike, _)| alike).sum::<f64>() / all.max(1e-9)
        };
        let by = |test: &dyn Fn(&Action) -> bool| f64::from(u8::from(target.1.as_ref().is_some_and(test)));
        let works = |via: &Action| {
            let (worked, failed) = self.past.fared(&self.session, via);
            (worked as f64 + 0.5) / ((worked + failed) as f64 + 1.0)
        };
        let most = self.did.values().max().copied().unwrap_or(0);
        let mut out = vec![
            share(&self.of_key).ln(),
            share(&self.of_action).ln(),
            votes(NEIGHBOURS, &|known| known == target),
            votes(4, &|known| known == target),
            votes(NEIGHBOURS, &|known| known.0 == target.0),
            votes(NEIGHBOURS, &|known| target.1.is_some() && known.1 == target.1),
            by(&|via| self.last.as_ref() == Some(via)),
            by(&|via| self.did.get(via) == Some(&most)),
            by(&|via| self.did.contains_key(via)),
            by(&|via| self.named.contains(&via.1)),
            f64::from(u8::from(self.habit.as_ref() == Some(target))),
            target.1.as_ref().map_or(0.0, works),
        ];
        if let Ok(m) = std::env::var("TIES") { for (i, x) in out.iter_mut().enumerate() { if !m.split(',').any(|p| p == i.to_string()) { *x = 0.0 } } }
        out
    }

    /// Actions that the session did until now.
    pub fn did(&self) -> impl Iterator<Item = &Action> {
        self.did.keys()
    }
}
