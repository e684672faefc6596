//! The answer to a lookup, to be read under stress: what it is, why, what to do, how sure. The best hit in full, the
//! others as a line each.

use super::style::Style;
use super::wrap::wrap;
use crate::screen::line;
use crate::types::{Advice, Answer, Content, Explanation, Finding, Hit, Semantic, Tier, WhyNot};

/// The indent of everything below a heading.
const INDENT: &str = "       ";

/// The answer for a terminal of `width` columns. Empty when nothing is known and nothing was asked to be explained.
pub fn lookup_text(answer: &Answer, style: Style, width: usize) -> String {
    let width = width.clamp(40, 100);
    let mut out = String::new();
    let several = answer.errors_found > 1;
    let (mut unknown, mut shown) = (0, 0);
    for finding in &answer.results {
        if finding.hits.is_empty() && finding.why_not.is_none() {
            // What was not asked about may be known.
            unknown += usize::from(finding.semantic != Semantic::NotNeeded);
            continue;
        }
        shown += 1;
        if !out.is_empty() {
            out.push('\n');
        }
        if several {
            out.push_str(&heading(finding, style, width));
        }
        push_finding(&mut out, finding, style, width);
    }
    let rest = answer.errors_found - shown;
    if several && shown > 0 && rest > 0 {
        let errors =
            |count: usize| if count == 1 { "1 other error".to_owned() } else { format!("{count} other errors") };
        let text = match rest - unknown {
            0 => format!("Nothing known about {}.", errors(unknown)),
            _ => format!("Not looked into: {}.", errors(rest)),
        };
        out.push_str(&format!("\n{}\n", style.faint(&text)));
    }
    out
}

fn heading(finding: &Finding, style: Style, width: usize) -> String {
    let error = &finding.error;
    let place = match (error.line_start, error.line_end) {
        (first, last) if first == last => format!("line {first}"),
        (first, last) => format!("lines {first}-{last}"),
    };
    let times = if error.repeated > 1 { format!(", {} times", error.repeated) } else { String::new() };
    let head = format!("{place}{times}: ");
    let room = width.saturating_sub(head.chars().count()).max(20);
    let headline: String = line(&error.headline).chars().take(room).collect();
    format!("{}{}\n", style.faint(&head), style.faint(&headline))
}

fn push_finding(out: &mut String, finding: &Finding, style: Style, width: usize) {
    if let Some((best, others)) = finding.hits.split_first() {
        push_hit(out, best, finding, style, width);
        for (index, other) in others.iter().enumerate() {
            let label = if index == 0 { "Or     " } else { INDENT };
            out.push_str(&format!(
                "{}{} {}\n",
                style.faint(label),
                line(&other.title),
                style.faint(&line(&format!("({}, {})", other.id, sureness(other))))
            ));
        }
        for hit in &finding.hits {
            if let Some(explanation) = &hit.explain {
                push_explanation(out, hit, explanation, style, width);
            }
        }
    }
    if let Some(why_not) = &finding.why_not {
        push_why_not(out, why_not, style, width);
    }
}

fn sureness(hit: &Hit) -> String {
    match hit.tier {
        Tier::Exact => "exact".to_owned(),
        Tier::Fingerprint => "same as a known case".to_owned(),
        Tier::Close => format!("{:.0} % sure", hit.relevance * 100.0),
    }
}

fn push_hit(out: &mut String, hit: &Hit, finding: &Finding, style: Style, width: usize) {
    out.push_str(&format!("{}\n", style.strong(&line(&hit.title))));
    let sure = sureness(hit);
    let sure = if hit.tier == Tier::Close { style.warning(&sure) } else { style.good(&sure) };
    let mut origin = format!(", {}", hit.id);
    if !hit.source.starts_with("canon:") {
        origin.push_str(&format!(" ({})", hit.source));
    }
    if finding.semantic == Semantic::Off {
        origin.push_str(", by words alone: there is no model (ken model pull)");
    }
    out.push_str(&format!("{sure}{}\n\n", style.faint(&line(&origin))));
    if let Content::Advice(advice) = &hit.content {
        push_advice(out, advice, style, width);
    }
}

fn push_advice(out: &mut String, advice: &Advice, style: Style, width: usize) {
    out.push_str(&wrap(&advice.cause, "Cause  ", INDENT, width));
    out.push('\n');
    let numbered = advice.fix.len() > 1;
    for (index, step) in advice.fix.iter().enumerate() {
        let label = if index == 0 { "Fix    " } else { INDENT };
        let number = if numbered { format!("{}. ", index + 1) } else { String::new() };
        let rest = format!("{INDENT}{}", " ".repeat(number.len()));
        let (text, command) = split_command(step);
        let block = wrap(text, &format!("{label}{number}"), &rest, width);
        out.push_str(&paint_commands(&block, style));
        if let Some(command) = command {
            out.push_str(&format!("{rest}  {}\n", style.command(&line(command))));
        }
    }
    if let Some(url) = advice.references.first() {
        out.push_str(&format!("\n{}\n", style.faint(&line(&format!("More   {url}")))));
    }
}

/// Takes a long command at the end of a step apart from its text, so that it stands on a line of its own.
fn split_command(step: &str) -> (&str, Option<&str>) {
    let trimmed = step.trim_end().trim_end_matches('.');
    let Some(open) = trimmed.strip_suffix('`').and_then(|inner| inner.rfind('`')) else { return (step, None) };
    let text = trimmed[..open].trim_end();
    let command = &trimmed[open + 1..trimmed.len() - 1];
    if text.ends_with(':') && !command.contains('\n') { (text, Some(command)) } else { (step, None) }
}

fn paint_commands(block: &str, style: Style) -> String {
    if !style.colour {
        return block.to_owned();
    }
    let mut out = String::new();
    for (index, part) in block.split('`').enumerate() {
        out.push_str(&if index % 2 == 1 { style.command(part) } else { part.to_owned() });
    }
    out
}

pub(super) fn push_explanation(out: &mut String, hit: &Hit, explanation: &Explanation, style: Style, width: usize) {
    let signals = &explanation.signals;
    let mut parts = Vec::new();
    for (name, value) in [
        ("canon", signals.canon),
        ("semantic", signals.semantic),
        ("keyword", signals.keyword),
        ("recency", signals.recency),
        ("frequency", signals.frequency),
    ] {
        if let Some(value) = value {
            let weight = explanation.weights.get(name).map(|w| format!(" x {w:.2}")).unwrap_or_default();
            parts.push(format!("{name} {value:.3}{weight}"));
        }
    }
    if let Some(logit) = explanation.rerank {
        parts.push(format!("cross-encoder {logit:+.2}"));
    }
    let similar = explanation.similar.map(|s| format!("similar {s:.3}, ")).unwrap_or_default();
    let text = format!(
        "{}: {}; {similar}relevance {:.3}, gate {:.3}, margin {:+.3}, score {:.3}",
        hit.id,
        parts.join(", "),
        hit.relevance,
        explanation.gate,
        explanation.margin,
        hit.score
    );
    out.push_str(&style.faint(&wrap(&text, "\nWhy    ", INDENT, width)));
    if let Some(matched) = &explanation.matched {
        let matched: String = matched.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
        out.push_str(&style.faint(&wrap(&format!("nearest: {matched}"), INDENT, INDENT, width)));
    }
}

pub(super) fn push_why_not(out: &mut String, why_not: &WhyNot, style: Style, width: usize) {
    let mut text = format!("{}: {}: {}", why_not.id, why_not.stage, why_not.reason);
    if let Some(relevance) = why_not.relevance {
        text.push_str(&format!("; relevance {relevance:.3}, gate {:.3}", why_not.gate));
    }
    if let Some(signals) = &why_not.signals {
        for (name, value) in [("canon", signals.canon), ("semantic", signals.semantic), ("keyword", signals.keyword)] {
            text.push_str(&value.map(|v| format!(", {name} {v:.3}")).unwrap_or_default());
        }
    }
    out.push_str(&style.faint(&wrap(&text, "Not    ", INDENT, width)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closing_command_stands_alone() {
        assert_eq!(split_command("Import it: `terraform import a b`."), ("Import it:", Some("terraform import a b")));
        assert_eq!(split_command("Run `ls` first."), ("Run `ls` first.", None));
        assert_eq!(split_command("Plain."), ("Plain.", None));
    }
}
