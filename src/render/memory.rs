//! Memories as text.

use super::wrap::wrap;
use super::{Style, line};
use crate::types::{Attempt, Authority, Change, Memory, MemoryEvent, MemoryState, Recollection};

/// The indent of everything below a heading.
const INDENT: &str = "       ";
/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// Where a memory stands, in a few words.
pub fn standing(memory: &Memory, now_ms: i64) -> String {
    match memory.state {
        MemoryState::Active if !memory.held_by.is_empty() => {
            format!("held back, because {} is disputed", memory.held_by.join(" and "))
        }
        MemoryState::Active if !memory.is_served(now_ms) => "expired".to_owned(),
        MemoryState::Active => "served".to_owned(),
        MemoryState::Disputed => match &memory.dispute {
            Some(why) => format!("disputed: {why}"),
            None => "disputed".to_owned(),
        },
        MemoryState::Superseded => match &memory.superseded_by {
            Some(by) => format!("superseded by {by}"),
            None => "superseded".to_owned(),
        },
        MemoryState::Proposed => "waits to be approved".to_owned(),
        MemoryState::Rejected => "rejected".to_owned(),
        MemoryState::Forgotten => "forgotten".to_owned(),
    }
}

/// A memory in a list: what it says, and below it its id, kind and how sure it is (in hundredths).
pub fn memory_text(memory: &Memory, confidence: u8, now_ms: i64, style: Style, width: usize) -> String {
    let words = &memory.words;
    let text = match memory.state {
        MemoryState::Forgotten => "(forgotten)",
        _ if words.text.is_empty() => words.error.as_deref().unwrap_or_default(),
        _ => words.text.as_str(),
    };
    let mut out = wrap(&line(text), "", "", width);
    let mut about = vec![memory.id.clone(), memory.kind.name().to_owned(), format!("confidence {confidence} %")];
    let topics = [&words.category, &words.pattern, &words.service, &words.region, &words.subject];
    about.extend(topics.into_iter().flatten().map(|topic| line(topic).into_owned()));
    if memory.worked + memory.failed > 0 {
        about.push(trials(memory.worked, memory.failed));
    }
    if memory.authority != Authority::Personal {
        about.push(memory.authority.name().to_owned());
    }
    if memory.scope == crate::types::Scope::global() {
        about.push("global".to_owned());
    }
    if memory.validated {
        about.push("confirmed".to_owned());
    }
    let standing = standing(memory, now_ms);
    if standing != "served" {
        about.push(line(&standing).into_owned());
    }
    out.push_str(&style.faint(&wrap(&about.join(", "), INDENT, INDENT, width)));
    out
}

fn times(many: u32) -> String {
    if many == 1 { "once".to_owned() } else { format!("{many} times") }
}

/// How often something worked and did not.
fn trials(worked: u32, failed: u32) -> String {
    match (worked, failed) {
        (worked, 0) => format!("worked {}", times(worked)),
        (0, failed) => format!("tried {}, did not help", times(failed)),
        (worked, failed) => format!("worked {}, did not help {}", times(worked), times(failed)),
    }
}

/// How long ago something was.
fn ago(at: i64, now_ms: i64) -> String {
    match (now_ms - at) / DAY_MS {
        days if days < 1 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days => format!("{days} days ago"),
    }
}

/// What is known of a memory beside its text, as a line below a hit. The moment is milliseconds since 1970; without one
/// nothing is said of age.
pub(super) fn recollection_text(memory: &Recollection) -> String {
    let mut said = Vec::new();
    if let Some(trial) = &memory.trial {
        said.push(trials(trial.worked, trial.failed));
    }
    let sessions = memory.sessions;
    said.push(format!("{sessions} session{}", if sessions == 1 { "" } else { "s" }));
    said.push(format!("confidence {} %", memory.confidence));
    if memory.validated {
        said.push("confirmed".to_owned());
    }
    if let Some(later) = memory.revised_by.first() {
        said.push(format!("{} seems to revise it", line(later)));
    }
    said.join(", ")
}

/// What was tried before and did not help.
pub(super) fn push_failed(out: &mut String, failed: &[Attempt], style: Style, width: usize) {
    for attempt in failed {
        let text = format!("{} ({}, {})", line(&attempt.text), trials(0, attempt.failed), attempt.id);
        out.push_str(&style.warning(&wrap(&text, "Tried  ", INDENT, width)));
    }
}

/// The whole story of a memory.
pub fn history_text(events: &[MemoryEvent], now_ms: i64, style: Style, width: usize) -> String {
    let mut out = String::new();
    for event in events {
        let who = match &event.author {
            crate::types::Author::Person => "a person".to_owned(),
            crate::types::Author::Program(name) => line(name).into_owned(),
        };
        let mut head = format!("{} by {who}, {}", event.change.name(), ago(event.at, now_ms));
        if !event.session.is_empty() {
            head.push_str(&format!(", session {}", line(&event.session)));
        }
        out.push_str(&format!("{head}\n"));
        if let Change::Linked { to, relation } = &event.change {
            out.push_str(&style.faint(&format!("{INDENT}{} {}\n", relation.name().replace('_', " "), line(to))));
            continue;
        }
        let Some(words) = &event.words else {
            out.push_str(&style.faint(&format!("{INDENT}its words are forgotten\n")));
            continue;
        };
        let mut said: Vec<String> = Vec::new();
        if !words.text.is_empty() {
            said.push(line(&words.text).into_owned());
        }
        if let Some(why) = &words.because {
            said.push(format!("because {}", line(why)));
        }
        for evidence in &words.evidence {
            let mut parts = Vec::new();
            parts.extend(evidence.text.as_deref().map(|text| line(text).into_owned()));
            parts.extend(evidence.command.as_deref().map(|command| format!("`{}`", line(command))));
            parts.extend(evidence.exit_code.map(|code| format!("exit code {code}")));
            let place = evidence.file.as_deref().map(|file| match evidence.lines {
                Some((first, last)) => format!("{}:{first}-{last}", line(file)),
                None => line(file).into_owned(),
            });
            parts.extend(place);
            said.push(format!("evidence: {}", parts.join(", ")));
        }
        for text in said {
            out.push_str(&style.faint(&wrap(&text, INDENT, INDENT, width)));
        }
    }
    out
}
