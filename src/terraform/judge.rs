//! A plan held against the conditions of entries.

use super::circle::is_in_circle;
use super::plan::{Change, Plan, References};
use super::value::{Found, at};
use crate::canon::{Condition, Fit, Known, Side, Stored, Test, fill};
use crate::screen::line;
use crate::types::{Action, PlanFinding};
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Longest value that is named in a sentence, in characters.
const VALUE_CHARS: usize = 60;
/// Attributes by which others name a resource.
const NAMES: &[&str] = &["id", "arn", "name", "bucket", "self_link"];
/// Most memory that one expression may take.
const REGEX_BYTES: usize = 1 << 20;

/// What of a plan is likely to meet a known failure: the worst first, each condition once for an address.
pub fn judge<'a>(plan: &Plan, entries: impl Iterator<Item = &'a Stored>) -> Vec<PlanFinding> {
    let mut by_kind: HashMap<&str, Vec<(&Stored, usize, &Condition)>> = HashMap::new();
    for stored in entries {
        for (number, condition) in stored.entry().plan.iter().enumerate() {
            for kind in &condition.resource {
                by_kind.entry(kind).or_default().push((stored, number, condition));
            }
        }
    }
    let mut bench = Bench { plan, references: plan.references(), regexes: HashMap::new() };
    let mut found: BTreeMap<(String, String, usize), PlanFinding> = BTreeMap::new();
    for change in &plan.changes {
        let Some(action) = change.action() else { continue };
        for (stored, number, condition) in by_kind.get(change.kind.as_str()).into_iter().flatten() {
            if bench.holds(condition, change, action) {
                let key = (change.configured(), stored.id().to_owned(), *number);
                let finding = found.entry(key).or_insert_with(|| finding(stored, condition, change, action));
                finding.count += 1;
            }
        }
    }
    let mut found: Vec<PlanFinding> = found.into_values().collect();
    found.sort_by(|a, b| b.risk.cmp(&a.risk).then_with(|| a.address.cmp(&b.address)));
    found
}

/// Number of changes in a plan whose provider no entry has a condition for.
pub fn uncovered<'a>(plan: &Plan, entries: impl Iterator<Item = &'a Stored>) -> usize {
    let provider = |kind: &str| kind.split('_').next().unwrap_or_default().to_owned();
    let conditions = entries.flat_map(|stored| &stored.entry().plan).flat_map(|condition| &condition.resource);
    let covered: BTreeSet<String> = conditions.map(|kind| provider(kind)).collect();
    let changed = plan.changes.iter().filter(|change| change.action().is_some());
    changed.filter(|change| !covered.contains(&provider(&change.kind))).count()
}

/// A plan with what it takes to try conditions on it.
struct Bench<'a> {
    plan: &'a Plan,
    references: References,
    regexes: HashMap<String, Option<Regex>>,
}

impl Bench<'_> {
    fn holds(&mut self, condition: &Condition, change: &Change, action: Action) -> bool {
        condition.actions.contains(&action)
            && condition.all.iter().all(|test| self.passes(test, change, action))
            && !condition.none.iter().any(|test| self.passes(test, change, action))
            && (condition.without.is_empty() || !self.has_one_of(&condition.without, change))
            && (!condition.circle || self.is_in_circle(condition, change))
    }

    fn passes(&mut self, test: &Test, change: &Change, action: Action) -> bool {
        let usual = if action == Action::Delete { Side::Before } else { Side::After };
        let nothing = Value::Null;
        let (values, unknown) = match test.side.unwrap_or(usual) {
            Side::Before => (change.before(), &nothing),
            Side::After => (change.after(), change.unknown()),
        };
        let before = at(change.before(), &nothing, &test.path);
        let changes = || before != at(change.after(), change.unknown(), &test.path);
        let matches = test.matches.as_deref().map(|pattern| self.regex(pattern));
        if matches.as_ref().is_some_and(Option::is_none) {
            return false;
        }
        let regex = matches.flatten();
        test.changes.is_none_or(|wanted| wanted == changes())
            && test.replaces.is_none_or(|wanted| wanted == change.is_replaced_for(&test.path))
            && fits_one(&at(values, unknown, &test.path), test, regex.as_ref())
    }

    fn regex(&mut self, pattern: &str) -> Option<Regex> {
        let compile = || RegexBuilder::new(pattern).size_limit(REGEX_BYTES).build().ok();
        self.regexes.entry(pattern.to_owned()).or_insert_with(compile).clone()
    }

    /// Whether a resource of one of these types belongs to this one.
    fn has_one_of(&self, kinds: &[String], change: &Change) -> bool {
        let own = change.configured();
        let names: Vec<&str> = NAMES.iter().filter_map(|name| change.after().get(name)?.as_str()).collect();
        let belongs = |other: &&Change| {
            let refers = self.references.get(&other.configured()).is_some_and(|to| to.contains(&own));
            let holds = |value: &Value| value.as_str().is_some_and(|value| names.contains(&value));
            refers || other.after().as_object().is_some_and(|fields| fields.values().any(holds))
        };
        let others = self.plan.changes.iter().filter(|other| other.stays() && kinds.contains(&other.kind));
        others.filter(|other| other.address != change.address).any(|other| belongs(&other))
    }

    fn is_in_circle(&self, condition: &Condition, change: &Change) -> bool {
        let of_kind = |address: &str| {
            let mut parts = address.rsplit('.').skip(1);
            parts.next().is_some_and(|kind| condition.resource.iter().any(|one| one == kind))
        };
        is_in_circle(&change.configured(), &self.references, &of_kind)
    }
}

/// Whether a test of values has nothing to say, or one of them fits.
fn fits_one(found: &[Found<'_>], test: &Test, regex: Option<&Regex>) -> bool {
    let silent = test.is.is_none()
        && test.one_of.is_empty()
        && test.matches.is_none()
        && test.over.is_none()
        && test.under.is_none();
    // Where a list is empty nothing in it is set.
    silent || found.iter().any(|one| fits(*one, test, regex)) || found.is_empty() && test.is == Some(Known::Unset)
}

fn fits(found: Found<'_>, test: &Test, regex: Option<&Regex>) -> bool {
    let is = match test.is {
        None => true,
        Some(Known::Set) => found.is_set() && found != Found::Unknown,
        Some(Known::Unset) => !found.is_set(),
        Some(Known::Unknown) => found == Found::Unknown,
    };
    let value = match found {
        Found::Value(value) => Some(value),
        Found::Unknown | Found::Missing => None,
    };
    let size = value.and_then(|value| match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => Some(text.chars().count() as f64),
        Value::Array(list) => Some(list.len() as f64),
        _ => None,
    });
    is && (test.one_of.is_empty() || value.is_some_and(|value| test.one_of.contains(value)))
        && regex.is_none_or(|regex| value.and_then(Value::as_str).is_some_and(|text| regex.is_match(text)))
        && test.over.is_none_or(|limit| size.is_some_and(|size| size > limit))
        && test.under.is_none_or(|limit| size.is_some_and(|size| size < limit))
}

fn finding(stored: &Stored, condition: &Condition, change: &Change, action: Action) -> PlanFinding {
    let (entry, declared) = (stored.entry(), stored.captures());
    // What goes is what was there before.
    let sides = match action {
        Action::Delete | Action::Replace => [change.before(), change.after()],
        Action::Create | Action::Update => [change.after(), change.before()],
    };
    let value = |path: &str| sides.into_iter().find_map(|side| plain(side, path));
    // What a pattern would have caught from the message is often an attribute of the same name.
    let captures = declared.iter().filter_map(|name| Some((name.clone(), value(name)?))).collect();
    let variants = condition.variant.iter().cloned().collect();
    let fit = Fit { variants: condition.variant.is_some().then_some(variants), platform: None };
    PlanFinding {
        risk: condition.risk,
        address: change.configured(),
        count: 0,
        action: Some(action),
        text: filled(&condition.text, &value),
        id: Some(stored.id().to_owned()),
        title: Some(entry.title.clone()),
        cause: Some(fit.cause(&entry.cause)),
        fix: fit.steps(&entry.fix).iter().map(|(text, _)| fill(text, &declared, &captures)).collect(),
        references: entry.references.clone(),
    }
}

/// A value as it stands in a sentence.
fn plain(values: &Value, path: &str) -> Option<String> {
    let Found::Value(value) = *at(values, &Value::Null, path).first()? else { return None };
    let text = match value {
        Value::String(text) => line(text).into_owned(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(text.chars().take(VALUE_CHARS).collect())
}

/// A sentence with `{path}` replaced by the value of that attribute.
fn filled(text: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else { break };
        out.push_str(before);
        out.push_str(&value(name).unwrap_or_else(|| format!("<{name}>")));
        rest = tail;
    }
    out + rest
}
