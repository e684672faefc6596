//! What made failures go away, what never did, and what fails now and then.
//!
//! A gap lies between a failure and the next try of the same action. Candidates for what helped are the steps in it
//! that may have changed something, or, if there are none, those that only looked. If the next try has another input,
//! the edit is a candidate: the words that were removed and added. If the action was never tried again, the next one
//! that went well may have replaced it, provided that most of its words are the same.
//!
//! Each failure is counted in two forms. The exact form keeps the names in the message and the inputs as they were. The
//! general form has neither: a step keeps the words that are common in inputs of its action, a name from the message
//! becomes `<name>`, and other words become `<*>`. Examples are `pip install <name>` and `DESCRIBE <*>`.
//!
//! A candidate is proposed if all of this holds: it helped in several sessions; tries after it work more often than
//! tries without it; it was not always done together with a step that helped more. Of several sets of steps the
//! smallest is proposed, unless one more step makes it surer.

use super::super::kind_of_error::{error_kind, kind_fingerprint, masked_input, named_kind};
use super::super::recovery::{Gap, gaps};
use super::super::session::Session;
use super::kind::{FEWEST_FAILURES, Pattern, PatternKind, Step, StepRole, confidence};
use super::tally::{About, Tally};
use crate::types::{Scope, ToolOutcome};
use std::collections::{BTreeMap, BTreeSet};

/// Steps of one gap that are combined: a gap with more says little of any of them.
const MOST_STEPS: usize = 6;
/// Most words that an edit takes out or puts in; beyond, it is another action.
const MOST_EDITED: usize = 4;

/// Share of an action's inputs that have a word which is kept in general: one of this many.
const COMMON: usize = 10;

/// Tool, head, kind of error.
type Key = (String, String, String);
/// What tells steps apart: role, tool, head, masked input.
type StepKey = (StepRole, String, String, String);

/// All that is known of one kind of failure.
#[derive(Default)]
struct Failures<'a> {
    /// An error as it was printed: the shortest, so that it does not depend on an order.
    error: &'a str,
    /// Whether the steps are those in general.
    general: bool,
    /// All tries again.
    tries: Tally,
    /// Tries again after sets of steps.
    after: BTreeMap<BTreeSet<StepKey>, Tally>,
    /// An input for each step.
    examples: BTreeMap<StepKey, String>,
    /// Tries with the same input and nothing between.
    again: Tally,
}

/// The patterns of failures, in no order.
pub(super) fn patterns(scope: &Scope, sessions: &[Session<'_>]) -> Vec<Pattern> {
    let words = Words::of(sessions);
    let mut keys: BTreeMap<Key, Failures<'_>> = BTreeMap::new();
    for rows in sessions {
        for gap in gaps(rows) {
            let row = rows[gap.failed];
            let (kind, named) = (error_kind(&row.error), named_kind(&row.error));
            // What said nothing cannot be recognised.
            if kind.chars().filter(|c| c.is_alphabetic()).count() < 4 {
                continue;
            }
            let exact = |_: &ToolOutcome, text: &str| Some(masked_input(text));
            let general = |step: &ToolOutcome, text: &str| words.general(step, text, &row.error);
            let same = kind == named;
            let views = [(named, &exact as Form<'_>, true, same), (kind, &general as Form<'_>, !same, true)];
            for (kind, form, first, kind_is_general) in views {
                let of = keys.entry((row.tool.clone(), row.head.clone(), kind)).or_default();
                if of.error.is_empty() || (row.error.len(), row.error.as_str()) < (of.error.len(), of.error) {
                    of.error = &row.error;
                }
                of.general = kind_is_general;
                of.add(rows, &gap, form, &words, first);
            }
        }
    }
    let mut out: Vec<(bool, Pattern)> = Vec::new();
    for ((tool, head, kind), of) in &keys {
        let fingerprint = kind_fingerprint(kind);
        let about = |kind, steps| About {
            scope,
            kind,
            tool,
            head,
            error: of.error,
            error_fingerprint: Some(fingerprint.clone()),
            steps,
            durations: None,
        };
        for (steps, tally) in of.proposals() {
            out.push((of.general, about(PatternKind::Recovery, of.steps(&steps)).pattern(tally)));
        }
        for (steps, tally) in of.dead_ends() {
            out.push((of.general, about(PatternKind::FailedTactic, of.steps(&steps)).pattern(tally)));
        }
        let again = || Step {
            role: StepRole::Again,
            tool: tool.clone(),
            head: head.clone(),
            input: String::new(),
            example: String::new(),
        };
        if of.again.recurs() {
            out.push((of.general, about(PatternKind::Flaky, vec![again()]).pattern(&of.again)));
        } else if of.again.worked.sessions() == 0 && of.again.failed.sessions() >= FEWEST_FAILURES {
            out.push((of.general, about(PatternKind::FailedTactic, vec![again()]).pattern(&of.again)));
        }
    }
    // What is seen of a kind only where its names are equal is told once, of the kind.
    let seen = |one: &Pattern| {
        let places = (one.evidence.clone(), one.counterexamples.clone());
        (one.kind, one.tool.clone(), one.head.clone(), one.steps.clone(), one.worked, one.failed, places)
    };
    let of_kinds: Vec<_> = out.iter().filter(|(general, _)| *general).map(|(_, one)| seen(one)).collect();
    out.retain(|(general, one)| *general || !of_kinds.contains(&seen(one)));
    out.into_iter().map(|(_, one)| one).collect()
}

/// Whether the form of an input still says what was done. `<*>` does not, nor does `{<q>:<q>}`, the form of an edit
/// of a file.
fn tells(form: &str) -> bool {
    if !form.starts_with('{') && form.replace("<*>", "").contains(|c: char| !c.is_whitespace()) {
        return true;
    }
    let mut outside = String::new();
    let mut depth = 0_usize;
    for c in form.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(c),
            _ => {}
        }
    }
    outside.contains(char::is_alphabetic)
}

impl<'a> Failures<'a> {
    /// Counts a gap; `first` unless it is counted here already, with its steps in another form.
    fn add(&mut self, rows: &[&'a ToolOutcome], gap: &Gap, form: Form<'_>, words: &Words<'_>, first: bool) {
        let failed = rows[gap.failed];
        let Some(retry) = gap.retry else {
            // Never tried again: what came next may have been done in its place.
            let next = (gap.failed + 1..rows.len()).find(|&at| rows[at].is_ok);
            if let Some(row) = next.map(|at| rows[at]).filter(|row| stands_in(&failed.input, &row.input))
                && let Some(input) = form(row, &row.input).filter(|input| tells(input))
            {
                let step = self.step(StepRole::Instead, row, input);
                self.after.entry(BTreeSet::from([step])).or_default().add(row, true);
            }
            return;
        };
        let tried = rows[retry.at];
        let quiet = gap.changed.is_empty();
        if first {
            self.tries.add(tried, retry.worked);
        }
        if first && quiet && retry.same_input {
            self.again.add(tried, retry.worked);
        }
        let (role, between) = if quiet { (StepRole::Look, &gap.looked) } else { (StepRole::Change, &gap.changed) };
        let mut steps: BTreeSet<StepKey> = BTreeSet::new();
        if between.len() <= MOST_STEPS {
            for &at in between {
                // What was looked at has to be what the try that worked is about; what did not help is counted anyway.
                let is_used = role == StepRole::Change || !retry.worked || words.is_used(rows[at], &tried.input);
                if is_used && let Some(input) = form(rows[at], &rows[at].input).filter(|input| tells(input)) {
                    steps.insert(self.step(role, rows[at], input));
                }
            }
        }
        for set in subsets(&steps) {
            self.after.entry(set).or_default().add(tried, retry.worked);
        }
        // Words that nobody else uses say in general nothing about what to do.
        if quiet
            && let Some((gone, come)) = edit(&failed.input, &tried.input)
            && let (Some(gone), Some(come)) = (form(failed, &gone), form(tried, &come))
            && gone != come
            && ![&gone, &come].iter().any(|words| words.contains("<*>"))
        {
            let step = self.step(StepRole::Edit, tried, format!("{gone} -> {come}"));
            self.after.entry(BTreeSet::from([step])).or_default().add(tried, retry.worked);
        }
    }

    /// The key of a step, for which its shortest input is kept.
    fn step(&mut self, role: StepRole, row: &ToolOutcome, input: String) -> StepKey {
        let key = (role, row.tool.clone(), row.head.clone(), input);
        let kept = self.examples.entry(key.clone()).or_insert_with(|| row.input.clone());
        if (row.input.len(), &row.input) < (kept.len(), kept) {
            kept.clone_from(&row.input);
        }
        key
    }

    fn steps(&self, keys: &BTreeSet<StepKey>) -> Vec<Step> {
        let step = |key: &StepKey| Step {
            role: key.0,
            tool: key.1.clone(),
            head: key.2.clone(),
            input: key.3.clone(),
            example: self.examples.get(key).cloned().unwrap_or_default(),
        };
        keys.iter().map(step).collect()
    }

    /// Sets of steps that helped in several sessions, more often than tries without them, and of which no part is as
    /// good.
    fn proposals(&self) -> Vec<(BTreeSet<StepKey>, &Tally)> {
        let mut by_size: Vec<_> = self.after.iter().filter(|(_, tally)| tally.recurs()).collect();
        by_size.sort_by_key(|(steps, _)| steps.len());
        let mut out: Vec<(BTreeSet<StepKey>, &Tally)> = Vec::new();
        for (steps, tally) in by_size {
            let better = |(part, of): &(BTreeSet<StepKey>, &Tally)| {
                part.is_subset(steps) && of.confidence() >= tally.confidence()
            };
            let mostly = tally.worked.sessions() > tally.failed.sessions();
            if mostly && !self.is_explained(steps, tally) && self.lifts(tally) && !out.iter().any(better) {
                out.push((steps.clone(), tally));
            }
        }
        out
    }

    /// Whether a step was never seen to help without another that helped more often and as surely: then nothing says
    /// that it was this one.
    fn is_explained(&self, steps: &BTreeSet<StepKey>, tally: &Tally) -> bool {
        let others = self.after.iter().filter(|(other, _)| other.len() == 1 && other.is_disjoint(steps));
        steps.len() == 1
            && others.into_iter().any(|(other, of)| {
                let together: BTreeSet<StepKey> = steps.union(other).cloned().collect();
                let always = self.after.get(&together).is_some_and(|both| both.worked.times() == tally.worked.times());
                let more = of.worked.sessions() > tally.worked.sessions();
                always && more && of.confidence() >= tally.confidence()
            })
    }

    /// Whether tries after something work more often than the others.
    fn lifts(&self, tally: &Tally) -> bool {
        let without = |all: usize, with: usize| all.saturating_sub(with);
        let worked = without(self.tries.worked.times(), tally.worked.times());
        let failed = without(self.tries.failed.times(), tally.failed.times());
        tally.confidence() > confidence(worked, failed)
    }

    /// Steps that were tried in several sessions and never helped.
    fn dead_ends(&self) -> Vec<(BTreeSet<StepKey>, &Tally)> {
        let dead = |tally: &Tally| tally.worked.sessions() == 0 && tally.failed.sessions() >= FEWEST_FAILURES;
        let all = self.after.iter().filter(|(steps, tally)| steps.len() == 1 && dead(tally));
        all.map(|(steps, tally)| (steps.clone(), tally)).collect()
    }
}

/// Sets of one, two and three of some steps.
fn subsets(steps: &BTreeSet<StepKey>) -> Vec<BTreeSet<StepKey>> {
    let all: Vec<&StepKey> = steps.iter().collect();
    let mut out = Vec::new();
    for a in 0..all.len() {
        out.push(BTreeSet::from([all[a].clone()]));
        for b in a + 1..all.len() {
            out.push(BTreeSet::from([all[a].clone(), all[b].clone()]));
            out.extend((b + 1..all.len()).map(|c| BTreeSet::from([all[a].clone(), all[b].clone(), all[c].clone()])));
        }
    }
    out
}

/// What of an input goes and what comes. Nothing if it is equal, or so different that it is another action.
fn edit(before: &str, after: &str) -> Option<(String, String)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split_whitespace().collect(), after.split_whitespace().collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - start;
    let end = (0..rest).take_while(|at| old[old.len() - 1 - at] == new[new.len() - 1 - at]).count();
    let (gone, come) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let small = gone.len().max(come.len()) <= MOST_EDITED && start + end >= gone.len().max(come.len());
    (small && gone != come).then(|| (gone.join(" "), come.join(" ")))
}

/// Whether one input is another with its program replaced: half of the words of both are the same.
fn stands_in(failed: &str, other: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> { text.split_whitespace().map(str::to_owned).collect() };
    let (a, b) = (words(failed), words(other));
    let both = a.intersection(&b).count();
    both >= 2 && 2 * both >= a.len() + b.len() - both
}

/// How a step's input is written: as it was, or in general. Nothing if nothing of it is left.
type Form<'a> = &'a dyn Fn(&ToolOutcome, &str) -> Option<String>;

/// How often the inputs of each action have a word.
struct Words<'a> {
    of_action: BTreeMap<(&'a str, &'a str), Inputs<'a>>,
}

/// How many inputs an action has, and how many of them have a word.
#[derive(Default)]
struct Inputs<'a> {
    all: usize,
    with: BTreeMap<&'a str, usize>,
}

impl<'a> Words<'a> {
    fn of(sessions: &[Session<'a>]) -> Self {
        let mut of_action: BTreeMap<(&str, &str), Inputs<'a>> = BTreeMap::new();
        for row in sessions.iter().flatten() {
            let of = of_action.entry((&row.tool, &row.head)).or_default();
            of.all += 1;
            let words: BTreeSet<&str> = row.input.split_whitespace().collect();
            words.into_iter().for_each(|word| *of.with.entry(word).or_default() += 1);
        }
        Self { of_action }
    }

    /// Whether a word stands in many inputs of its action.
    fn is_common(&self, row: &ToolOutcome, word: &str) -> bool {
        let of = self.of_action.get(&(row.tool.as_str(), row.head.as_str()));
        of.is_some_and(|of| of.with.get(word).is_some_and(|n| n * COMMON >= of.all && *n > 1))
    }

    /// Whether a later input has one of the words that are particular to a step, if it has any.
    fn is_used(&self, step: &ToolOutcome, later: &str) -> bool {
        let particular = |word: &&str| word.len() >= 3 && !self.is_common(step, word);
        let mut words = step.input.split_whitespace().filter(particular).peekable();
        let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        words.peek().is_none() || words.any(|word| has_word(later, &bare(word)))
    }

    /// An input with its common words, `<name>` for those that `error` has too, and `<*>` for runs of others.
    fn general(&self, row: &ToolOutcome, text: &str, error: &str) -> Option<String> {
        let mut out: Vec<&str> = Vec::new();
        for word in text.split_whitespace() {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let common = self.is_common(row, word);
            let shown = match () {
                () if common => word,
                () if bare.chars().count() >= 3 && has_word(error, bare) => "<name>",
                () => "<*>",
            };
            if !(shown.starts_with('<') && out.last() == Some(&shown)) {
                out.push(shown);
            }
        }
        Some(masked_input(&out.join(" ")))
    }
}

/// Whether a text has this word, not as a part of another; case does not matter.
fn has_word(text: &str, word: &str) -> bool {
    let (text, word) = (&text.to_lowercase(), &word.to_lowercase());
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    !word.is_empty()
        && text
            .match_indices(word.as_str())
            .any(|(at, _)| !text[..at].ends_with(inner) && !text[at + word.len()..].starts_with(inner))
}
