//! What an entry advises, held against its own patterns: each message has steps, each step a message, and what destroys
//! is marked and comes after a look.

use super::condition::Test;
use super::fit::Fit;
use super::pack::Entry;
use super::said::Step;
use super::severity::Severity;
use crate::text::{clean, pattern, platform_of};
use crate::types::Platform;
use regex::{Regex, RegexBuilder};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Most memory that an expression of a condition may take.
const TEST_BYTES: usize = 1 << 20;
/// Longest cause of one variant, in characters.
const MAX_CAUSE_CHARS: usize = 300;
/// Longest step.
const MAX_STEP_CHARS: usize = 200;
/// Longest symptom: nobody types more.
const MAX_SYMPTOM_CHARS: usize = 100;
/// How `loses` begins where a step only looks as if it destroyed something: it needs no look before it.
const NOTHING: &str = "nothing";

/// Commands after which something cannot be got back.
static DESTROYS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi)
        force-unlock | \b delete \b | reset\ --hard | (?: ^ | [^-\w] ) rm \b | \b rmdir \b | \b rmi \b | \b (?: git\ restore | pg_restore\ [^\n]*--clean ) \b
        | \b prune \b | \b purge \b | \b truncate \b | \b drop \b | \b destroy \b
        | push\ (?: \S+\ )* (?: --force | -f ) \b | \b clean\ -\w*[fdx] | kill\ -9 | killall | \b mkfs | \b dd\ if
        | \b wipefs \b | state\ rm | down\ -v | down\ --volumes | \b FLUSHALL \b | \b FLUSHDB \b | \b pg_resetwal \b
        | \b erase \b | Remove-Item | \b del\ / | \b rd\ /s | pkill\ -9",
    )
});

/// Commands that one platform has, and no other.
const COMMANDS: &[(Platform, &[&str])] = &[
    (Platform::Linux, &["apt-get", "apt ", "dnf ", "yum ", "apk add", "pacman ", "systemctl", "journalctl", "sysctl"]),
    (Platform::Macos, &["brew ", "xcode-select", "launchctl", "softwareupdate"]),
    (Platform::Windows, &["choco ", "winget ", "netsh ", "Set-", "Get-", "setx ", "icacls ", "reg add"]),
];

/// Everything that is wrong with what an entry says. `strict` for the packs of this program: of somebody's own it is
/// told, and no error.
pub(super) fn faults(entry: &Entry, knows: &dyn Fn(&str) -> bool, strict: bool) -> Vec<(Severity, String)> {
    let must = if strict { Severity::Error } else { Severity::Warning };
    let mut out: Vec<(Severity, String)> =
        unserved(entry).into_iter().map(|message| (Severity::Error, message)).collect();
    out.extend(plans(entry).into_iter().map(|message| (Severity::Error, message)));
    let house = [long(entry), destructive(entry), foreign(entry), dead(entry, knows), odd(entry), unseen(entry)];
    out.extend(unverified(entry).map(|message| (Severity::Warning, message)));
    out.extend(house.into_iter().flatten().map(|message| (must, message)));
    out
}

/// The code of a step: what stands between backticks.
fn code(step: &str) -> String {
    step.split('`').skip(1).step_by(2).collect::<Vec<_>>().join("\n")
}

/// Names of variants that have no step, and conditions that name no variant.
fn unserved(entry: &Entry) -> Vec<String> {
    let mut out = Vec::new();
    let names: BTreeSet<&str> = entry.patterns().filter_map(|one| one.name.as_deref()).collect();
    let said = entry.fix.iter().map(|step| ("step", &step.text, &step.when));
    let said = said.chain(entry.cause.iter().map(|remark| ("cause", &remark.text, &remark.when)));
    for (what, text, when) in said {
        for name in when.iter().filter(|name| !names.contains(name.as_str())) {
            out.push(format!("a {what} is for {name}, and no pattern is named so: {}", beginning(text)));
        }
    }
    for (name, fit) in variants(entry) {
        let whom = name.as_deref().unwrap_or("a pattern without a name");
        if !entry.fix.iter().any(|step| holds(&fit, &step.when)) {
            out.push(format!("no step serves {whom}"));
        }
        if fit.cause(&entry.cause).is_empty() {
            out.push(format!("no cause is given for {whom}"));
        }
    }
    out
}

fn holds(fit: &Fit, when: &[String]) -> bool {
    when.is_empty() || fit.variants.as_ref().is_some_and(|names| when.iter().any(|name| names.contains(name)))
}

/// Each variant of an entry, and what fits it; without a name what fits a pattern that has none.
fn variants(entry: &Entry) -> Vec<(Option<String>, Fit)> {
    let mut names: BTreeSet<Option<String>> = entry.patterns().map(|one| one.name.clone()).collect();
    if names.is_empty() {
        names.insert(None);
    }
    let fit = |name: &Option<String>| Fit { variants: Some(name.iter().cloned().collect()), platform: None };
    names.into_iter().map(|name| (name.clone(), fit(&name))).collect()
}

fn long(entry: &Entry) -> Vec<String> {
    let mut out = Vec::new();
    for (name, fit) in variants(entry) {
        let chars = fit.cause(&entry.cause).chars().count();
        if chars > MAX_CAUSE_CHARS {
            let of = name.map(|name| format!(" of {name}")).unwrap_or_default();
            out.push(format!("the cause{of} has {chars} characters, {MAX_CAUSE_CHARS} are read"));
        }
    }
    for (number, step) in (1..).zip(&entry.fix) {
        let chars = step.text.chars().count();
        if chars > MAX_STEP_CHARS {
            out.push(format!("step {number} has {chars} characters, {MAX_STEP_CHARS} are read"));
        }
    }
    out
}

/// Steps that destroy and do not say what, or are not preceded by one that looks.
fn destructive(entry: &Entry) -> Vec<String> {
    let mut out = Vec::new();
    for (number, step) in (1..).zip(&entry.fix) {
        if step.loses.is_none()
            && let Some(found) = DESTROYS.find(&code(&step.text))
        {
            out.push(format!("step {number} destroys ({}) and does not say what it loses", found.as_str().trim()));
        }
    }
    for (_, fit) in variants(entry) {
        let mine = (1..).zip(&entry.fix).filter(|(_, step)| holds(&fit, &step.when));
        let mut looked = false;
        for (number, step) in mine {
            match &step.loses {
                Some(loses) if !looked && !loses.starts_with(NOTHING) => {
                    out.push(format!("step {number} destroys before any step has looked"));
                }
                Some(_) => {}
                None => looked |= !code(&step.text).is_empty(),
            }
        }
    }
    out.sort();
    out.dedup();
    out
}

/// The platform of a step: what it says, or what its commands tell.
fn platforms(step: &Step) -> BTreeSet<Platform> {
    if !step.on.is_empty() {
        return step.on.iter().copied().collect();
    }
    let code = code(&step.text);
    let of = COMMANDS.iter().filter(|(_, commands)| commands.iter().any(|command| code.contains(command)));
    of.map(|(platform, _)| *platform).collect()
}

/// Messages of one platform whose every step is for another.
fn foreign(entry: &Entry) -> Vec<String> {
    let mut out = Vec::new();
    for (number, example) in (1..).zip(&entry.examples) {
        let Some(here) = platform_of(&example.text) else { continue };
        let cleaned = clean(&example.text).text;
        let matching = entry
            .patterns()
            .filter(|one| super::pattern::compile(&one.pattern).is_ok_and(|regex| regex.is_match(cleaned.as_bytes())));
        let matching: Vec<&str> = matching.map(|one| one.pattern.as_str()).collect();
        let fit = entry.fit(matching, None);
        let mut steps = entry.fix.iter().filter(|step| holds(&fit, &step.when)).peekable();
        let elsewhere = |step: &Step| {
            let on = platforms(step);
            !on.is_empty() && !on.iter().any(|there| here.may_be(*there))
        };
        if steps.peek().is_some() && steps.all(elsewhere) {
            out.push(format!("example {number} is of {}, and every step is for another platform", here.label()));
        }
    }
    out
}

/// References inside texts that lead nowhere.
fn dead(entry: &Entry, knows: &dyn Fn(&str) -> bool) -> Vec<String> {
    static POINTER: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)\bsee (?:above|below|the entry|the other entry|entry)\b"));
    static NAMED: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?i)\b(?:see|entry|mostly) (?<id>[a-z0-9-]+/[a-z0-9]+(?:-[a-z0-9]+)+)\b"));
    let texts = entry.cause.iter().map(|remark| &remark.text).chain(entry.fix.iter().map(|step| &step.text));
    let mut out = Vec::new();
    for text in texts {
        if let Some(found) = POINTER.find(text) {
            out.push(format!("\"{}\" leads nowhere for whoever reads this answer alone", found.as_str()));
        }
        for found in NAMED.captures_iter(text) {
            if !knows(&found["id"]) {
                out.push(format!("{} is named, which no pack has", &found["id"]));
            }
        }
    }
    out
}

/// Conditions on plans that cannot hold, or say nothing.
fn plans(entry: &Entry) -> Vec<String> {
    let mut out = Vec::new();
    for (number, condition) in (1..).zip(&entry.plan) {
        let mut say = |what: &str| out.push(format!("condition {number} on plans {what}"));
        if condition.resource.is_empty() || condition.actions.is_empty() {
            say("names no resource or no action");
        }
        if condition.text.trim().is_empty() || condition.text.chars().count() > MAX_STEP_CHARS {
            say(&format!("says nothing, or more than {MAX_STEP_CHARS} characters"));
        }
        let named = |name: &String| entry.patterns().any(|one| one.name.as_ref() == Some(name));
        if condition.variant.as_ref().is_some_and(|name| !named(name)) {
            say("is for a variant that no pattern shows");
        }
        for test in condition.all.iter().chain(&condition.none) {
            if test.path.split('.').any(str::is_empty) {
                say("has a test without a path");
            }
            if test
                .matches
                .as_ref()
                .is_some_and(|source| RegexBuilder::new(source).size_limit(TEST_BYTES).build().is_err())
            {
                say("has an expression that does not compile");
            }
            if *test == (Test { path: test.path.clone(), side: test.side, ..Test::default() }) {
                say(&format!("has a test of {} that asks nothing", test.path));
            }
        }
    }
    out
}

/// Symptoms that nobody would type.
fn odd(entry: &Entry) -> Vec<String> {
    static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| pattern(r"<[a-z][\w-]*>"));
    let mut out = Vec::new();
    let mut seen = BTreeSet::new();
    for symptom in &entry.symptoms {
        let reason = match symptom {
            _ if symptom.chars().count() > MAX_SYMPTOM_CHARS => "is longer than anybody types",
            _ if symptom.ends_with('.') => "ends like a sentence of a book",
            _ if PLACEHOLDER.is_match(symptom) => "holds a placeholder",
            _ if !seen.insert(symptom.to_lowercase()) => "stands there twice",
            _ => continue,
        };
        out.push(format!("a symptom {reason}: {}", beginning(symptom)));
    }
    out
}

/// What `seen` says of an example that nobody has looked up.
const UNVERIFIED: &str = "unverified";

/// Examples that nobody has looked up.
fn unverified(entry: &Entry) -> Option<String> {
    let open = entry.examples.iter().filter(|example| example.seen.as_deref() == Some(UNVERIFIED)).count();
    (open > 0).then(|| format!("{open} of {} examples are unverified", entry.examples.len()))
}

/// Examples that do not say where they were seen.
fn unseen(entry: &Entry) -> Vec<String> {
    let silent = (1..).zip(&entry.examples).filter(|(_, example)| example.seen.as_ref().is_none_or(String::is_empty));
    let numbers: Vec<String> = silent.map(|(number, _): (usize, _)| number.to_string()).collect();
    if numbers.is_empty() {
        return Vec::new();
    }
    vec![format!("where was it seen? example {}", numbers.join(", "))]
}

fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// What is said of an entry with these fields in place of good ones.
    fn said(changes: Value, strict: bool) -> Vec<(Severity, String)> {
        let mut entry = json!({"id": "disk/full", "title": "Disk full",
            "error_patterns": [{"name": "by-logs", "pattern": "log disk is full"}, "data disk is full"],
            "symptoms": ["no room left"], "cause": ["The disk is full.", {"text": "Of logs.", "when": ["by-logs"]}],
            "fix": ["Look: `du -sh /var`.", {"text": "Empty it: `rm /var/log/old`.", "when": ["by-logs"], "loses": "old logs"}],
            "examples": [{"text": "log disk is full", "seen": "disk: full.c"}]});
        changes.as_object().unwrap().iter().for_each(|(field, value)| entry[field] = value.clone());
        faults(&serde_json::from_value(entry).unwrap(), &|id| id == "disk/cable-loose", strict)
    }

    fn one(changes: Value) -> String {
        let found = said(changes.clone(), true);
        assert!(found.len() == 1 && found[0].0 == Severity::Error, "{changes}: {found:?}");
        found.into_iter().next().unwrap().1
    }

    #[test]
    fn a_good_entry_has_no_faults() {
        assert_eq!(said(json!({}), true), []);
    }

    #[test]
    fn each_pattern_is_served_and_each_step_serves_one() {
        let step = |text: &str, when: &str| json!({"text": text, "when": [when]});
        let found = one(json!({"fix": [step("Look.", "by-logs")]}));
        assert_eq!(found, "no step serves a pattern without a name");
        assert!(
            one(json!({"fix": ["Look.", step("Empty it.", "by-dogs")]})).contains("no pattern is named so: Empty it.")
        );
        let found = one(json!({"cause": [step("Of logs.", "by-logs")]}));
        assert_eq!(found, "no cause is given for a pattern without a name");
    }

    #[test]
    fn what_destroys_says_so_and_comes_after_a_look() {
        let found = said(json!({"fix": ["Empty it: `rm -rf /var/log/old`."]}), true);
        assert!(found[0].1.contains("destroys (rm)") && found.len() == 1, "{found:?}");
        let found =
            one(json!({"fix": [{"text": "`git reset --hard`", "loses": "every change"}, "Look: `git status`."]}));
        assert!(found.contains("step 1 destroys before any step has looked"), "{found}");
        assert_eq!(
            said(json!({"fix": [{"text": "`git restore --staged .`", "loses": "nothing but the staging"}]}), true),
            []
        );
        assert_eq!(said(json!({"fix": ["Start it again: `docker run --rm alpine`."]}), true), []);
    }

    #[test]
    fn a_message_of_windows_has_a_step_for_windows() {
        let example = json!([{"text": "C:\\Users\\ann> log disk is full on C:\\Users\\ann", "seen": "x"}]);
        let found = one(json!({"examples": example, "fix": ["`apt-get clean`", "`systemctl restart logs`"]}));
        assert!(found.contains("example 1 is of Windows"), "{found}");
        assert_eq!(said(json!({"examples": example, "fix": ["`apt-get clean`", "Empty the bin."]}), true), []);
    }

    #[test]
    fn texts_are_short_and_lead_somewhere() {
        let long = json!({"text": "x".repeat(290), "when": ["by-logs"]});
        assert!(one(json!({"cause": ["The disk is full.", long]})).contains("cause of by-logs has 308 characters"));
        assert!(one(json!({"fix": ["x".repeat(201)]})).contains("step 1 has 201 characters"));
        assert!(one(json!({"fix": ["Not this? See above."]})).contains("leads nowhere"));
        assert!(one(json!({"cause": "Mostly disk/too-small."})).contains("disk/too-small is named"));
        assert_eq!(said(json!({"cause": "Mostly disk/cable-loose."}), true), []);
        assert!(one(json!({"symptoms": ["the disk <name> is full"]})).contains("holds a placeholder"));
        assert!(one(json!({"symptoms": ["No room", "no room"]})).contains("stands there twice"));
        assert!(one(json!({"examples": ["log disk is full"]})).contains("where was it seen? example 1"));
        let open = said(json!({"examples": [{"text": "log disk is full", "seen": "unverified"}]}), true);
        assert_eq!(open, [(Severity::Warning, "1 of 1 examples are unverified".to_owned())]);
    }

    #[test]
    fn own_packs_are_told_and_not_refused() {
        assert_eq!(said(json!({"fix": ["`rm -rf /var/log/old`"]}), false)[0].0, Severity::Warning);
        assert_eq!(said(json!({"fix": [{"text": "a", "when": ["by-logs"]}]}), false)[0].0, Severity::Error);
    }
}
