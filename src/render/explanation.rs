//! The signals of a hit, and why something is none, for whoever asks.

use super::style::Style;
use super::wrap::wrap;
use crate::screen::cut;
use crate::types::{Explanation, Hit, Nearest, WhyNot};

/// The indent of everything below a heading.
const INDENT: &str = "       ";
/// What is shown of the text that was nearest, in characters.
const MATCHED_CHARS: usize = 200;

pub(super) fn push_explanation(out: &mut String, hit: &Hit, explanation: &Explanation, style: Style, width: usize) {
    let score = format!(", score {:.3}", hit.score);
    push_signals(out, &hit.id, hit.relevance, &score, explanation, style, width);
}

/// The signals of what came near to its gate; it has no score.
pub(super) fn push_near(out: &mut String, near: &Nearest, style: Style, width: usize) {
    if let Some(explanation) = &near.explain {
        push_signals(out, &near.id, near.relevance, "", explanation, style, width);
    }
}

fn push_signals(
    out: &mut String,
    id: &str,
    relevance: f32,
    score: &str,
    explanation: &Explanation,
    style: Style,
    width: usize,
) {
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
    if let Some(weight) = explanation.weights.get("elsewhere") {
        parts.push(format!("from elsewhere x {:.2}", 1.0 - weight));
    }
    if let Some(logit) = explanation.rerank {
        parts.push(format!("cross-encoder {logit:+.2}"));
    }
    let similar = explanation.similar.map(|s| format!("similar {s:.3}, ")).unwrap_or_default();
    let text = format!(
        "{id}: {}; {similar}relevance {relevance:.3}, gate {:.3}, margin {:+.3}{score}",
        parts.join(", "),
        explanation.gate,
        explanation.margin,
    );
    out.push_str(&style.faint(&wrap(&text, "\nWhy    ", INDENT, width)));
    if let Some(matched) = &explanation.matched {
        let matched = matched.split_whitespace().collect::<Vec<_>>().join(" ");
        let matched = cut(&matched, MATCHED_CHARS);
        out.push_str(&style.faint(&wrap(&format!("nearest: {matched}"), INDENT, INDENT, width)));
    }
}

pub(super) fn push_why_not(out: &mut String, why_not: &WhyNot, style: Style, width: usize) {
    let mut text = format!("{} ({}): {}", why_not.id, why_not.stage, why_not.reason);
    if let Some(relevance) = why_not.relevance {
        text.push_str(&format!("; relevance {relevance:.3}, gate {:.3}", why_not.gate));
    }
    if let Some(signals) = &why_not.signals {
        for (name, value) in [("canon", signals.canon), ("semantic", signals.semantic), ("keyword", signals.keyword)] {
            text.push_str(&value.map(|v| format!(", {name} {v:.3}")).unwrap_or_default());
        }
    }
    out.push_str(&style.faint(&wrap(&text, "Why not ", INDENT, width)));
}
