//! The answer to a search: what each hit is, where it stands, the part that matters.

use super::excerpt::push_excerpt;
use super::explanation::{push_explanation, push_why_not};
use super::memory::recollection_text;
use super::style::Style;
use super::wrap::wrap;
use crate::screen::{line, shown_text};
use crate::types::{Answer, Content, Finding, Hit, Kind, Passage, Semantic, Standing};
use std::path::MAIN_SEPARATOR;

/// The indent of what belongs to a hit.
const INDENT: &str = "  ";

/// The indent of lines of a file: deeper than ours, so that none of them can be taken for one.
const QUOTED: &str = "    ";

/// The answer for a terminal of `width` columns; paths below `here` are shown relative to it. Empty when nothing was
/// found and nothing was asked to be explained.
pub fn search_text(answer: &Answer, here: &str, style: Style, width: usize) -> String {
    let width = width.clamp(40, 100);
    let mut out = String::new();
    for finding in &answer.results {
        for hit in &finding.hits {
            let is_first = out.is_empty();
            if !is_first {
                out.push('\n');
            }
            push_hit(&mut out, hit, (finding, is_first), here, style, width);
        }
        if let Some(why_not) = &finding.why_not {
            if !out.is_empty() {
                out.push('\n');
            }
            push_why_not(&mut out, why_not, style, width);
        }
    }
    out
}

/// The path of each hit that stands in a file, once, best first, a line each; paths below `here` are shown relative to
/// it.
pub fn paths_text(answer: &Answer, here: &str) -> String {
    let mut paths: Vec<String> = Vec::new();
    for hit in answer.results.iter().flat_map(|finding| &finding.hits) {
        if let Content::Passage(Passage { path: Some(path), .. }) = &hit.content {
            let path = below(path, here);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    paths.iter().map(|path| format!("{path}\n")).collect()
}

/// A path as it is shown: relative to `here` where it lies below.
pub(super) fn below(path: &str, here: &str) -> String {
    let below = path.strip_prefix(here).and_then(|rest| rest.strip_prefix(MAIN_SEPARATOR));
    shown_text(below.unwrap_or(path)).into_owned()
}

fn push_hit(
    out: &mut String,
    hit: &Hit,
    (finding, is_first): (&Finding, bool),
    here: &str,
    style: Style,
    width: usize,
) {
    let Content::Passage(passage) = &hit.content else { return };
    let path = passage.path.as_deref().map(|path| below(path, here));
    // The line that is shown first, so that an editor opens where one reads.
    let first = passage.excerpt.as_ref().and_then(|excerpt| excerpt.line_start).or(passage.line_start);
    let place = match (path, first) {
        (Some(path), Some(line)) => format!("{path}:{line}"),
        (Some(path), None) => path,
        (None, _) => line(passage.item.as_ref().map_or(&hit.id, |item| &item.id)).into_owned(),
    };
    let title = match (hit.kind, line(&hit.title).as_ref()) {
        (_, "") => String::new(),
        (Kind::Canon, title) => format!("  {title}"),
        (_, title) => format!("  {}", style.faint(title)),
    };
    out.push_str(&format!("{}{title}\n", style.strong(&place)));
    match &passage.excerpt {
        Some(excerpt) => push_excerpt(out, excerpt, QUOTED, style, width),
        None => out.push_str(&wrap(&passage.snippet, QUOTED, QUOTED, width)),
    }
    let mut notes = vec![format!("{:.0} % sure", hit.relevance * 100.0)];
    if finding.reranked {
        // How sure does not fall from hit to hit then; this does.
        notes.insert(0, format!("score {:.2}", hit.score));
    }
    match passage.state {
        Some(Standing::Changed) => notes.push(format!("its file changed since{}", style.remedy("ken index"))),
        Some(Standing::Gone) => notes.push("its file is gone".to_owned()),
        _ => {}
    }
    if let Some(memory) = &hit.memory {
        notes.push(recollection_text(memory));
    }
    match passage.also_in {
        0 => {}
        1 => notes.push("also in 1 other place".to_owned()),
        more => notes.push(format!("also in {more} other places")),
    }
    match style.is_for_agents() {
        // By its id an agent reads all of it, and disputes it.
        true if place != hit.id => notes.push(format!("id {}", line(&hit.id))),
        false if hit.kind == Kind::Canon => notes.push(format!("ken canon show {}", line(&hit.id))),
        _ => {}
    }
    // Once says it for all.
    if is_first && finding.semantic == Semantic::Off {
        notes.push(format!("by words alone: there is no model{}", style.remedy("ken model pull")));
    }
    out.push_str(&format!("{INDENT}{}\n", style.faint(&notes.join(", "))));
    if let Some(explanation) = &hit.explain {
        push_explanation(out, hit, explanation, style, width);
    }
}
