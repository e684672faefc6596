//! What passed as a hit: advice in the answer of a lookup, a passage in that of a search.

use super::candidate::Candidate;
use super::collection::Known;
use super::collections::Files;
use super::excerpt::{AskedWords, excerpt, goes_on, prose, telling};
use super::options::SearchOptions;
use super::recalled::entry_text;
use super::score::score;
use super::snippet::snippet;
use crate::canon::{Fit, Stored, fill};
use crate::text::single_line;
use crate::types::{
    Advice, CausalRole, Content, Destructive, Excerpt, ExcerptLine, Explanation, External, Hit, Item, Kind, Passage,
    Span, Tier,
};
use std::collections::BTreeMap;

/// Longest snippet in characters.
const SNIPPET_CHARS: usize = 240;

/// An entry as what to do about the message that `fit` tells of. `captures` are what a pattern took from the input.
pub(super) fn advice(
    stored: &Stored,
    tier: Tier,
    relevance: f32,
    fit: &Fit,
    captures: BTreeMap<String, String>,
) -> Hit {
    let (declared, entry) = (stored.captures(), stored.entry());
    let steps = fit.steps(&entry.fix);
    let lost = (1..).zip(&steps).filter_map(|(step, (_, said))| Some(Destructive { step, loses: said.loses.clone()? }));
    Hit {
        id: stored.id().to_owned(),
        kind: Kind::Canon,
        title: stored.entry().title.clone(),
        content: Content::Advice(Advice {
            variants: fit.variants.iter().flatten().cloned().collect(),
            cause: fit.cause(&entry.cause),
            destructive: lost.collect(),
            fix: steps.iter().map(|(text, _)| fill(text, &declared, &captures)).collect(),
            other_steps: entry.fix.len() - steps.len(),
            references: entry.references.clone(),
            captures,
        }),
        score: score(relevance, None, None),
        relevance,
        tier,
        role: stored.entry().role,
        source: stored.source(),
        overrides_canon: stored.replaces.is_some(),
        override_reason: stored.replaces.map(|layer| {
            format!("the {} pack {} replaces the entry of {}", stored.layer.label(), stored.pack, layer.label())
        }),
        tried: None,
        memory: None,
        explain: None,
    }
}

/// A hit that nobody reads: its id and what it came to.
pub(super) fn bare(candidate: &Candidate, explain: Option<Explanation>) -> Hit {
    Hit {
        id: candidate.uid().to_owned(),
        kind: Kind::Chunk,
        title: String::new(),
        content: Content::Passage(Passage::default()),
        score: candidate.score,
        relevance: candidate.judged.relevance,
        tier: Tier::Close,
        role: CausalRole::Cause,
        source: String::new(),
        overrides_canon: false,
        override_reason: None,
        tried: None,
        memory: None,
        explain,
    }
}

/// Any knowledge as a stretch of text, cut to the lines that hold most of `words`.
pub(super) fn passage(
    known: &Known<'_>,
    candidate: &Candidate,
    words: &AskedWords<'_>,
    wanted: &SearchOptions,
    explain: Option<Explanation>,
) -> Hit {
    let (kind, title, source, passage) = match known {
        Known::Entry(stored) => {
            let snippet = single_line(&stored.entry().whole_cause(), SNIPPET_CHARS);
            let text = wanted.full.then(|| entry_text(stored.entry()));
            let shown = text.as_ref().unwrap_or(&snippet);
            let lines = || excerpt(shown, &(0..shown.len()), None, words, true);
            let excerpt = wanted.excerpt.map(|_| Excerpt { lines: lines(), ..Excerpt::default() });
            let passage = Passage { excerpt, text, snippet, ..Passage::default() };
            (Kind::Canon, stored.entry().title.clone(), stored.source(), passage)
        }
        Known::Item(item) => {
            let passage = Passage {
                snippet: snippet(&item.body, words, SNIPPET_CHARS),
                excerpt: None,
                text: wanted.full.then(|| item.body.clone()),
                item: External::of(item),
                path: item.path.clone(),
                line_start: item.span.map(|span| span.line_start),
                line_end: item.span.map(|span| span.line_end),
                state: None,
                also_in: 0,
            };
            (item.kind, single_line(&item.title, SNIPPET_CHARS), "index".to_owned(), passage)
        }
    };
    Hit { kind, title, content: Content::Passage(passage), source, ..bare(candidate, explain) }
}

/// The lines of an item that say most about a question, or all, as they stand, with `context` lines around them.
/// `span` is where its file holds it now; none where it does not, and then nothing is known of what stands around.
pub(super) fn item_excerpt(
    item: &Item,
    words: &AskedWords<'_>,
    wanted: &SearchOptions,
    context: usize,
    span: Option<Span>,
    files: &dyn Files,
) -> Excerpt {
    let body = item.body.as_str();
    let stretch = if wanted.full { 0..body.len() } else { telling(body, words) };
    let mut lines = excerpt(body, &stretch, item.path.as_deref(), words, wanted.full);
    let around = |count| {
        let (span, path) = span.zip(item.path.as_deref())?;
        files.around(path, span.byte_start + stretch.start..span.byte_start + stretch.end, count)
    };
    let Some(found) = around(context) else {
        // As it was indexed.
        let (before, behind) = (&body[..stretch.start], &body[stretch.end..]);
        let line_start = item.span.map(|span| span.line_start + before.matches('\n').count());
        return Excerpt { line_start, ..cut_out(lines, before.lines().next_back(), behind.lines().nth(1)) };
    };
    let line_start = Some(found.line_start);
    if context == 0 {
        let next = around(1).unwrap_or_default();
        let (before, behind) = (next.before.last().map(String::as_str), next.behind.first().map(String::as_str));
        return Excerpt { line_start, ..cut_out(lines, before, behind) };
    }
    // Lines around code are code, and those around prose are prose.
    let plain = |near: Option<&ExcerptLine>| {
        let keeps_form = near.is_some_and(|line| line.keeps_form);
        move |text: String| ExcerptLine { text, marks: Vec::new(), keeps_form }
    };
    let (before, behind) = (plain(lines.first()), plain(lines.last()));
    lines.splice(0..0, found.before.into_iter().map(before));
    lines.extend(found.behind.into_iter().map(behind));
    // Whoever asks for lines gets so many, wherever a sentence ends.
    Excerpt { line_start, lines, ..Excerpt::default() }
}

/// These lines of a text, between the line before them and the one behind them.
fn cut_out(lines: Vec<ExcerptLine>, before: Option<&str>, behind: Option<&str>) -> Excerpt {
    // What stands beside code is code.
    let follows = |form: bool, line: &str, next: &str| {
        prose(line, form).zip(prose(next, form)).is_some_and(|(line, next)| goes_on(line, next))
    };
    let begins_before = |first: &ExcerptLine| before.is_some_and(|line| follows(first.keeps_form, line, &first.text));
    let ends_behind = |last: &ExcerptLine| behind.is_some_and(|next| follows(last.keeps_form, &last.text, next));
    Excerpt {
        line_start: None,
        cut_before: lines.first().is_some_and(begins_before),
        cut_behind: lines.last().is_some_and(ends_behind),
        lines,
    }
}
