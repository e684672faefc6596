//! Goes over the turns, sentence by sentence, and gathers proposals.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::found::{Confidence, Kind, Proposal, Trigger};
use super::releases::releases_from;
use super::rules::{By, Rule, first, phrase};
use super::sentences::{Sentence, sentences};
use super::{Role, Turn, fixes};

/// Proposals that are made at most: a person walks through them. If there are more, the least certain are left out.
pub const MAX_PROPOSALS: usize = 500;

/// A person's turn that is longer was pasted: a specification, a page, a prompt that somebody else wrote.
const PASTED_BYTES: usize = 4000;

/// A text of nobody known with more lines than this is a document or a log, not a note.
const NOTE_LINES: usize = 300;

/// The name of the rule for choices, whose reason follows them.
const CHOICE: &str = "a choice with its reason";

/// Bytes of a text below which it says nothing.
const MIN_KEPT_BYTES: usize = 8;

/// What makes a text one that was written for readers.
static DOCUMENT: LazyLock<Regex> = LazyLock::new(|| {
    phrase(r"(?m)^#{1,6} \S|^(?:=|-){4,}\s*$|^\.\. \S+::|\[!\[|^!\[|^</?\w+[ >]|^\[[^\]]+\]: \S+$|^@\w+\{")
});

/// A person agrees with what the program just said.
static AGREES: LazyLock<Regex> = LazyLock::new(|| {
    phrase(concat!(
        r"^(?:(?:oh|ah|ok|okay)[,.! ]+)*(?:yes|yeah|yep|exactly|right|correct|agreed|confirmed|indeed|",
        r"true|good (?:find|catch|point)|makes sense|that(?:'s| is| was) (?:it|right|correct|true|",
        r"the (?:problem|cause|issue))|that (?:fixed|did|worked|solved)|you(?:'re| are) right|works now)\b",
    ))
});

/// Meant for all projects.
static EVERYWHERE: LazyLock<Regex> = LazyLock::new(|| {
    phrase(concat!(
        r"\balways\b|\bin (?:all|any|every|each)(?: of)?(?: my| our| the)? (?:projects?|repos?|",
        r"repositor(?:y|ies)|codebases?|languages?)\b|\b(?:everywhere|globally|in general|across (?:all|",
        r"every|projects|repos)|no matter (?:which|what) (?:project|repo)\w*|for (?:all|every) projects?|",
        r"regardless of the (?:project|repo\w*))\b",
    ))
});

/// Ends some day, or names one.
static BOUNDED: LazyLock<Regex> = LazyLock::new(|| {
    phrase(concat!(
        r"\b(?:until|till|by|before|on|from|starting|as of) (?:next |this |the )?(?:(?:mon|tues|wednes|",
        r"thurs|fri|satur|sun)day|tomorrow|(?:january|february|march|april|may|june|july|august|september|",
        r"october|november|december)|\d{4}-\d\d|q[1-4]|end of|the end|next (?:week|month|sprint|",
        r"release))\b|\bthis (?:week|sprint|month|quarter)\b|\bdeadline\b|\b(?:code )?freeze\b",
    ))
});

/// Says that what follows is to be kept: one sentence, or the bullets of a list.
static ANNOUNCES: LazyLock<Regex> = LazyLock::new(|| {
    phrase(concat!(
        r"^(?:(?:please|ok|also|and)[,.! ]+)*(?:remember|keep in mind|note|don't forget|(?:update|add to|",
        r"save to|save in) (?:your|the|our) (?:memory|notes|learnings?)|from now on|",
        r"for (?:future reference|next time)|lessons? learn(?:ed|t))(?: (?:this|these|that|the following|",
        r"with this|with the following)(?: \w+){0,2})?:$",
    ))
});

/// Bullets that one sentence announces at most.
const MAX_ANNOUNCED: usize = 50;

/// A convention rather than an observation.
static CONVENTION: LazyLock<Regex> = LazyLock::new(|| {
    phrase(concat!(
        r"^(?:to |please )?(?:always|never|do(?:n't| not)|use|prefer|avoid|run|keep|put|write|name|call|",
        r"add|make|commit|format|follow|ask|answer|test|document|check|deploy|squash|rebase|only)\b|",
        r"\b(?:always|never|should(?:n't| not)?|must(?:n't)?|prefer\w*|convention|style|instead of|",
        r"do(?:n't| not) (?:use|want|like|write|commit|push|mock|touch))\b|^(?:we|i) (?:\w+ )?(?:use|like|",
        r"love|prefer|want|hate|write|name|call|format|deploy|squash|rebase|commit|test|indent|avoid|",
        r"follow)\b",
    ))
});

/// The memories that these turns propose, in the order of the text.
#[must_use]
pub fn proposals(turns: &[Turn]) -> Vec<Proposal> {
    let is_document = is_document(turns);
    let notes_from = release_notes_from(turns);
    let tells_of_releases = |turn: &Turn| match turn.role {
        Role::Unknown => notes_from.is_some_and(|line| turn.line_end >= line),
        _ => turn.text.len() > PASTED_BYTES && releases_from(&turn.text.lines().collect::<Vec<_>>()).is_some(),
    };
    let mut out: Vec<Proposal> = Vec::new();
    for (at, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.role != Role::Tool) {
        if tells_of_releases(turn) {
            continue;
        }
        let said = sentences(turn);
        let is_pasted = match turn.role {
            Role::Unknown => is_document,
            _ => turn.text.len() > PASTED_BYTES || DOCUMENT.find_iter(&turn.text).take(3).count() == 3,
        };
        let speaker = Speaker { role: turn.role, is_pasted, is_confirmed: is_confirmed(turns, at) };
        let result = (turn.role != Role::Assistant).then(|| fixes::tactic(turns, at, &said)).flatten();
        let by_rule = of_sentences(turns, at, &said, &speaker);
        let found = result.map(|tactic| Proposal { confidence: speaker.at_most(tactic.confidence), ..tactic });
        // A sentence that says that something worked says nothing else.
        let is_taken = |one: &Proposal| {
            found.as_ref().is_some_and(|tactic| tactic.lines.1 == one.lines.0 && tactic.text == one.text)
        };
        out.extend(by_rule.into_iter().filter(|one| !is_taken(one)));
        out.extend(found);
    }
    limited(without_repeats(out))
}

struct Speaker {
    role: Role,
    is_pasted: bool,
    is_confirmed: bool,
}

impl Speaker {
    fn may(&self, by: By, sentence: &Sentence) -> bool {
        match by {
            By::Person => self.role != Role::Assistant,
            By::Speaker => self.role == Role::User || (self.role == Role::Unknown && !self.is_pasted),
            By::Anyone => true,
            By::Bullet => self.role == Role::Unknown && sentence.is_bullet,
        }
    }

    /// How sure what was found can be with this speaker.
    fn at_most(&self, confidence: Confidence) -> Confidence {
        match self.role {
            Role::Assistant if !self.is_confirmed => Confidence::Low,
            Role::Assistant => confidence.min(Confidence::Medium),
            _ if self.is_pasted => confidence.min(Confidence::Medium),
            _ => confidence,
        }
    }
}

/// What the rules find in the sentences of one turn.
fn of_sentences(turns: &[Turn], at: usize, said: &[Sentence], speaker: &Speaker) -> Vec<Proposal> {
    let mut out: Vec<Proposal> = Vec::new();
    // The sentence that was found last, to join neighbours.
    let mut last = None;
    // How many sentences are still announced as what is to be kept.
    let mut announced = 0;
    for (index, sentence) in said.iter().enumerate() {
        if ANNOUNCES.is_match(&sentence.text) {
            announced = if said.get(index + 1).is_some_and(|next| next.is_bullet) { MAX_ANNOUNCED } else { 1 };
            continue;
        }
        let found = first(&sentence.text, |by| speaker.may(by, sentence)).filter(|_| !is_question(&sentence.text));
        let reasons =
            found.is_none() && last.is_some_and(|before| before + 1 == index) && !sentence.text.ends_with('?');
        if let Some(choice) = out.last_mut().filter(|before| reasons && before.rule == CHOICE) {
            // What follows a choice is its reason.
            choice.text = format!("{} {}", choice.text, sentence.text);
            choice.lines.1 = sentence.lines.1;
            last = None;
            continue;
        }
        let is_announced = announced > 0 && (announced == 1 || sentence.is_bullet);
        announced = if is_announced { announced - 1 } else { 0 };
        let found = found.filter(|(rule, _)| !is_announced || rule.confidence == Confidence::High);
        let found =
            found.or_else(|| is_announced.then(|| announced_rule().map(|rule| (rule, sentence.text.as_str())))?);
        let Some((rule, kept)) = found else { continue };
        let mut kept = kept.trim().trim_start_matches([',', ':', '-', '–', '—', ' ']).to_owned();
        let lines = sentence.lines;
        if rule.confidence == Confidence::Low {
            kept = with_option(turns, at, &kept);
        }
        if kept.len() < MIN_KEPT_BYTES || is_pointer(&kept) || is_bare_choice(rule, &kept) {
            continue;
        }
        let joins = last.is_some_and(|before| before + 1 == index) && rule.trigger == Trigger::Statement;
        if let Some(before) = out.last_mut().filter(|before| joins && is_joined(before, rule)) {
            before.text = format!("{} {kept}", before.text);
            before.confidence = before.confidence.max(speaker.at_most(rule.confidence));
            before.is_global |= EVERYWHERE.is_match(&kept);
            before.lines.1 = lines.1;
            // Three sentences are no longer one memory.
            last = None;
            continue;
        }
        last = Some(index);
        let kind = rule.kind.unwrap_or_else(|| kind_of(&kept));
        let kind = if rule.trigger == Trigger::Decision && BOUNDED.is_match(&kept) { Kind::Fact } else { kind };
        out.push(Proposal {
            kind,
            is_global: kind == Kind::Preference && EVERYWHERE.is_match(&sentence.text),
            text: kept,
            confidence: speaker.at_most(rule.confidence),
            trigger: rule.trigger,
            worked: None,
            error: None,
            lines,
            rule: rule.name,
        });
    }
    out
}

/// How a question begins that asks for an answer. "Can you always test?" does not: it is a request.
static ASKS: LazyLock<Regex> = LazyLock::new(|| {
    phrase(concat!(
        r"^(?:\w{1,20}: )?(?:(?:and|but|so|also|ok|okay|well|hm+),? )?",
        r"(?:should|shall|why|must|do|does|did|is|are|was|were|what|which|",
        r"when|where|who|whose|how|has|have|may|might|isn't|aren't|doesn't|don't (?:we|i)|shouldn't|",
        r"(?:can|could|would) (?:we|i|it|this|that))\b",
    ))
});

/// Whether a sentence asks something: then it says nothing that lasts.
fn is_question(text: &str) -> bool {
    text.trim_end_matches(['"', ')', ' ']).ends_with('?') && ASKS.is_match(text)
}

/// The rule by which what was announced is kept: that of "remember that".
fn announced_rule() -> Option<&'static Rule> {
    super::rules::TABLES.first().and_then(|table| table.first())
}

/// Whether two statements of the same kind that follow each other are one.
fn is_joined(before: &Proposal, rule: &Rule) -> bool {
    before.trigger == Trigger::Statement && Some(before.kind) == rule.kind && before.text.len() < 400
}

/// Whether a kept text only points at another.
fn is_pointer(kept: &str) -> bool {
    let word = kept.trim_end_matches(|c: char| !c.is_alphanumeric());
    ["", "it", "this", "that", "these", "the following", "this one", "so", "me"]
        .iter()
        .any(|one| word.eq_ignore_ascii_case(one))
}

/// A convention, if it reads like one; else a fact.
fn kind_of(kept: &str) -> Kind {
    if CONVENTION.is_match(kept) { Kind::Preference } else { Kind::Fact }
}

static OPTION: LazyLock<Regex> = LazyLock::new(|| {
    phrase(r"\b(?:(?:option|number|choice) #? ?(\d|[a-d]|one|two|three|four)\b|(?:the )?(first|second|third|fourth)\b)")
});

/// What was chosen, with the words of the option as the program listed it if the person only gave its number.
fn with_option(turns: &[Turn], at: usize, kept: &str) -> String {
    let number = OPTION.captures(kept).and_then(|found| found.get(1).or_else(|| found.get(2)));
    let Some(number) = number.and_then(|number| ordinal(number.as_str())) else { return kept.to_owned() };
    let before = turns.get(..at).and_then(|before| before.last()).filter(|turn| turn.role == Role::Assistant);
    let Some(item) = before.and_then(|turn| listed(&turn.text, number)) else { return kept.to_owned() };
    format!("{} ({item})", kept.trim_end_matches(['.', '!']))
}

fn ordinal(word: &str) -> Option<usize> {
    const WORDS: [[&str; 4]; 4] = [
        ["1", "a", "one", "first"],
        ["2", "b", "two", "second"],
        ["3", "c", "three", "third"],
        ["4", "d", "four", "fourth"],
    ];
    let named = WORDS.iter().position(|words| words.iter().any(|one| one.eq_ignore_ascii_case(word)));
    named.map(|at| at + 1).or_else(|| word.parse().ok())
}

/// The item of a numbered list, if it is short enough to be repeated.
fn listed(text: &str, number: usize) -> Option<String> {
    let (dot, bracket) = (format!("{number}. "), format!("{number}) "));
    let item = text.lines().find_map(|line| {
        let line = line.trim().trim_start_matches(['*', '-', ' ']);
        line.strip_prefix(&dot).or_else(|| line.strip_prefix(&bracket))
    })?;
    let item = item.replace("**", "");
    let item = item.trim().trim_end_matches('.');
    (!item.is_empty() && item.len() <= 200).then(|| item.to_owned())
}

/// Whether a choice says nothing without what was chosen from: "I'll take the second."
fn is_bare_choice(rule: &Rule, kept: &str) -> bool {
    rule.name == CHOICE && kept.split_whitespace().count() < 7
}

/// Whether the person agreed in the next turn.
fn is_confirmed(turns: &[Turn], at: usize) -> bool {
    let next = turns.get(at + 1..).and_then(|rest| rest.iter().find(|turn| turn.role != Role::Tool));
    next.is_some_and(|turn| turn.role == Role::User && AGREES.is_match(super::sentences::head(&turn.text, 200)))
}

/// Whether the turns of nobody known were written for readers, or are a log.
fn is_document(turns: &[Turn]) -> bool {
    let unknown = || turns.iter().filter(|turn| turn.role == Role::Unknown);
    unknown().map(|turn| turn.line_end + 1 - turn.line_start).sum::<usize>() > NOTE_LINES
        || unknown().any(|turn| DOCUMENT.is_match(&turn.text))
}

/// The line from which on the turns of nobody known tell of releases.
fn release_notes_from(turns: &[Turn]) -> Option<usize> {
    let mut lines: Vec<(usize, &str)> = Vec::new();
    for turn in turns.iter().filter(|turn| turn.role == Role::Unknown) {
        lines.extend((turn.line_start..).zip(turn.text.lines()));
    }
    let texts: Vec<&str> = lines.iter().map(|(_, text)| *text).collect();
    releases_from(&texts).and_then(|at| lines.get(at)).map(|(number, _)| *number)
}

/// One of those that say the same: the most certain.
fn without_repeats(found: Vec<Proposal>) -> Vec<Proposal> {
    let mut seen: HashMap<(Kind, String), usize> = HashMap::new();
    let mut out: Vec<Proposal> = Vec::new();
    for one in found {
        let letters = one.text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        match seen.get(&(one.kind, letters)).and_then(|at| out.get_mut(*at)) {
            Some(before) if before.confidence < one.confidence => *before = one,
            Some(_) => {}
            None => {
                let letters = one.text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
                seen.insert((one.kind, letters), out.len());
                out.push(one);
            }
        }
    }
    out
}

/// At most [`MAX_PROPOSALS`], the most certain first to stay, in the order of the text.
fn limited(found: Vec<Proposal>) -> Vec<Proposal> {
    let mut ranked: Vec<usize> = (0..found.len()).collect();
    ranked.sort_by_key(|at| (std::cmp::Reverse(found.get(*at).map(|one| one.confidence)), *at));
    ranked.truncate(MAX_PROPOSALS);
    ranked.sort_unstable();
    let mut stays = ranked.into_iter().peekable();
    found.into_iter().enumerate().filter(|(at, _)| stays.next_if_eq(at).is_some()).map(|(_, one)| one).collect()
}
