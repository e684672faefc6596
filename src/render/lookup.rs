//! The answer to a lookup, to be read under stress: what it is, why, what to do, how sure. The likeliest reason in
//! full, everything else as a line or two, so that an answer is one screen.

use super::advice::{first_command, push_advice};
use super::explanation::{push_explanation, push_why_not};
use super::memory::{push_failed, recollection_text};
use super::style::Style;
use super::wrap::wrap;
use crate::screen::{cut, line};
use crate::types::{Answer, CausalRole, Content, Finding, Hit, Semantic, Tier};

/// The indent of everything below a heading.
const INDENT: &str = "       ";
/// The same on the next line.
const BELOW: &str = "\n       ";
/// Errors about which nothing is known that are named.
const NAMED_UNKNOWN: usize = 3;

/// How much of an answer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Length {
    /// The first answer in full.
    #[default]
    Full,
    /// Title and first command.
    Short,
}

/// The answer for a terminal of `width` columns. Empty when nothing is known and nothing was asked to be explained.
pub fn lookup_text(answer: &Answer, length: Length, style: Style, width: usize) -> String {
    let width = width.clamp(40, 100);
    let mut out = String::new();
    let several = answer.errors_found > 1;
    let mut first = true;
    let (mut without, mut unknown) = (Vec::new(), 0);
    for finding in &answer.results {
        let nothing = finding.hits.is_empty() && finding.also_seen.is_empty() && finding.failed.is_empty();
        let nothing = nothing && finding.why_not.is_none();
        if nothing {
            // What was not asked about may be known.
            unknown += usize::from(finding.semantic != Semantic::NotNeeded);
            without.push(finding);
            continue;
        }
        if !out.is_empty() && (first || length == Length::Full) {
            out.push('\n');
        }
        if several {
            out.push_str(&heading(finding, style, width));
        }
        match length {
            Length::Full if first || finding.why_not.is_some() => push_finding(&mut out, finding, style, width),
            Length::Full => push_briefly(&mut out, finding, style, width),
            Length::Short => push_short(&mut out, finding, style),
        }
        first &= finding.hits.is_empty();
    }
    let shown = answer.results.iter().filter(|one| !one.hits.is_empty() || !one.also_seen.is_empty()).count();
    if several && shown > 0 && length == Length::Full {
        push_rest(&mut out, answer.errors_found - shown, unknown, &without, style, width);
    }
    out
}

/// How many other errors there are, of how many of them nothing is known, and the most telling ones.
fn push_rest(out: &mut String, rest: usize, unknown: usize, without: &[&Finding], style: Style, width: usize) {
    if rest == 0 {
        return;
    }
    let errors = if rest == 1 { "1 other error".to_owned() } else { format!("{rest} other errors") };
    let text = if unknown == rest { format!("Nothing known about {errors}") } else { errors };
    let most = if style.is_for_agents() { "max_errors" } else { "--max-errors" };
    let all = if rest > without.len() { format!(" ({most} {} for all)", rest + 1) } else { String::new() };
    let end = if without.is_empty() { "." } else { ":" };
    let which = if rest > NAMED_UNKNOWN && !without.is_empty() { ", the likeliest of them" } else { "" };
    out.push_str(&format!("\n{}\n", style.faint(&format!("{text}{which}{all}{end}"))));
    for finding in without.iter().take(NAMED_UNKNOWN) {
        out.push_str(&format!("{INDENT}{}", heading(finding, style, width.saturating_sub(INDENT.len()))));
    }
}

/// The lines of an error.
pub(super) fn place(finding: &Finding) -> String {
    match (finding.error.line_start, finding.error.line_end) {
        (first, last) if first == last => format!("line {first}"),
        (first, last) => format!("lines {first}-{last}"),
    }
}

fn heading(finding: &Finding, style: Style, width: usize) -> String {
    let error = &finding.error;
    let times = if error.repeated > 1 { format!(", {} times", error.repeated) } else { String::new() };
    let head = format!("{}{times}: ", place(finding));
    let room = width.saturating_sub(head.chars().count()).max(20);
    format!("{}{}\n", style.faint(&head), style.faint(&cut(&line(&error.headline), room)))
}

fn push_finding(out: &mut String, finding: &Finding, style: Style, width: usize) {
    if let Some((best, others)) = finding.hits.split_first() {
        push_hit(out, best, finding, style, width);
        let follows = |hit: &&Hit| best.role == CausalRole::Cause && hit.role != CausalRole::Cause;
        // What is true of any error of the kind adds nothing to what is true of this one.
        let says_more = |hit: &&Hit| hit.tier != Tier::General || best.tier == Tier::General;
        let beside_it = others.iter().filter(|hit| !follows(hit)).filter(says_more);
        for (index, other) in beside_it.enumerate() {
            push_other(out, if index == 0 { "Or     " } else { INDENT }, other, style, width);
        }
        let beside = others.iter().filter(follows).map(|hit| (hit.title.as_str(), hit.id.as_str()));
        push_also(out, beside.chain(seen(finding)), style, width);
        for hit in &finding.hits {
            if let Some(explanation) = &hit.explain {
                push_explanation(out, hit, explanation, style, width);
            }
        }
    } else {
        push_also(out, seen(finding), style, width);
    }
    push_failed(out, &finding.failed, style, width);
    if let Some(why_not) = &finding.why_not {
        push_why_not(out, why_not, style, width);
    }
}

fn seen(finding: &Finding) -> impl Iterator<Item = (&str, &str)> {
    finding.also_seen.iter().map(|seen| (seen.title.as_str(), seen.id.as_str()))
}

fn push_other(out: &mut String, label: &str, other: &Hit, style: Style, width: usize) {
    let how = line(&format!("({}, {})", other.id, sureness(other))).into_owned();
    let chars = |text: &str| text.chars().count();
    let between = if chars(label) + chars(&other.title) + 1 + chars(&how) <= width { " " } else { BELOW };
    out.push_str(&format!("{}{}{between}{}\n", style.faint(label), line(&other.title), style.faint(&how)));
}

/// What was seen besides, on one line, each once.
fn push_also<'a>(out: &mut String, seen: impl Iterator<Item = (&'a str, &'a str)>, style: Style, width: usize) {
    let mut named: Vec<String> = Vec::new();
    for (title, id) in seen {
        let text = format!("{title} ({id})");
        if !named.contains(&text) {
            named.push(text);
        }
    }
    if !named.is_empty() {
        out.push_str(&style.faint(&wrap(&named.join("; "), "Also seen: ", INDENT, width)));
    }
}

/// A title and where the rest is to be read.
fn push_briefly(out: &mut String, finding: &Finding, style: Style, width: usize) {
    match finding.hits.first() {
        Some(hit) => push_other(out, "", hit, style, width),
        None => push_also(out, seen(finding), style, usize::MAX),
    }
}

fn push_short(out: &mut String, finding: &Finding, style: Style) {
    let Some(hit) = finding.hits.first() else { return push_also(out, seen(finding), style, usize::MAX) };
    out.push_str(&format!("{} {}\n", style.strong(&line(&hit.title)), style.faint(&format!("({})", sureness(hit)))));
    if let Content::Advice(advice) = &hit.content
        && let Some(command) = first_command(advice)
    {
        out.push_str(&format!("  {}\n", style.command(&line(command))));
    }
}

fn sureness(hit: &Hit) -> String {
    match hit.tier {
        Tier::Exact => "exact".to_owned(),
        Tier::Fingerprint => "same as a known case".to_owned(),
        Tier::Close => format!("{:.0} % sure", hit.relevance * 100.0),
        Tier::General => "general".to_owned(),
    }
}

fn push_hit(out: &mut String, hit: &Hit, finding: &Finding, style: Style, width: usize) {
    let title = line(&hit.title);
    let sure = match hit.tier {
        Tier::Close => style.warning(&sureness(hit)),
        Tier::General => style.warning("general: true of any error of this kind, the cause of this one is not known"),
        Tier::Exact | Tier::Fingerprint => style.good(&sureness(hit)),
    };
    let mut origin = format!(", {}", hit.id);
    if !hit.source.starts_with("canon:") {
        origin.push_str(&format!(" ({})", hit.source));
    }
    if finding.semantic == Semantic::Off && hit.tier == Tier::Close {
        origin.push_str(&format!(", by words alone: there is no model{}", style.remedy("ken model pull")));
    }
    let origin = line(&origin);
    // Beside the title where there is room.
    let chars = title.chars().count() + 2 + sureness(hit).chars().count() + origin.chars().count();
    let between = if hit.tier != Tier::General && chars <= width { "  " } else { "\n" };
    out.push_str(&format!("{}{between}{sure}{}\n", style.strong(&title), style.faint(&origin)));
    if let Content::Advice(advice) = &hit.content {
        push_advice(out, advice, &hit.id, hit.tier == Tier::General, style, width);
    }
    if let Some(memory) = &hit.memory {
        let text = recollection_text(memory);
        out.push_str(&style.faint(&wrap(&text, "Here   ", INDENT, width)));
    }
    if let Some(tried) = &hit.tried {
        let times = |many: usize| if many == 1 { "once".to_owned() } else { format!("{many} times") };
        let said = [("worked", tried.worked), ("was wrong", tried.wrong)];
        let said: Vec<String> =
            said.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!("{what} {}", times(*n))).collect();
        out.push_str(&style.faint(&wrap(&format!("It {}.", said.join(", ")), "You said: ", INDENT, width)));
    }
}
