//! What an input asks: its error blocks, each with the patterns that match in it.

use crate::canon::{Canon, PatternHit};
use crate::text::{DecodeError, Log, platform_of};
use crate::triage::{Block, Errors, Evidence, Passing};
use crate::types::Platform;

/// One distinct error of an input.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Where it stands and what it says.
    pub block: Block,
    /// First and last line in the input, from 1.
    pub lines: (usize, usize),
    /// Matches in it, in order.
    pub hits: Vec<PatternHit>,
    /// Where it was printed, if its text tells, or the beginning of the input.
    pub platform: Option<Platform>,
}

impl Problem {
    /// Whether a specific pattern matches.
    pub fn is_exact(&self) -> bool {
        self.hits.iter().any(|hit| !hit.generic)
    }
}

/// The problems of an input.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    /// In the order of the input; of a run that failed, the likeliest reason first.
    pub list: Vec<Problem>,
    /// Whether the input is the log of a run that a build system says has failed.
    pub is_run: bool,
}

/// Cleans an input, matches the patterns of the packs in it and cuts it into problems. Each specific match lies in a
/// problem. Problems that the same entries explain become one, which counts them. What a run that passed printed too is less likely the reason.
///
/// # Errors
/// [`DecodeError`] when the input is no text or cannot be read.
pub fn analyse(
    log: &mut Log<'_>,
    canon: &Canon,
    usable: &dyn Fn(usize) -> bool,
    passing: Option<&Passing>,
) -> Result<Problems, DecodeError> {
    let mut errors = Errors::new(passing);
    let mut found = Vec::new();
    let mut beginning = None;
    while let Some(piece) = log.next_piece()? {
        let piece = log.without_repeats(piece);
        let cleaned = &piece.cleaned;
        let hits: Vec<PatternHit> = canon.find(&cleaned.text).into_iter().filter(|hit| usable(hit.entry)).collect();
        let lines_of = |hit: &PatternHit| Evidence {
            first: cleaned.line_at(hit.span.start),
            last: cleaned.line_at(hit.span.end.saturating_sub(1).max(hit.span.start)),
            entry: hit.entry,
        };
        let evidence: Vec<Evidence> = hits.iter().filter(|hit| !hit.generic).map(lines_of).collect();
        let said_first = *beginning.get_or_insert_with(|| platform_of(head(&cleaned.text)));
        let before = errors.blocks.len();
        errors.add(cleaned, &evidence, piece.part);
        for block in &errors.blocks[before..] {
            let range = block.range(cleaned);
            let inside =
                |hit: &&PatternHit| hit.span.start < range.end.max(range.start + 1) && hit.span.end > range.start;
            let lines = (cleaned.lines[block.first].number, cleaned.lines[block.last].number);
            let platform = platform_of(&cleaned.text[range.clone()]).or(said_first);
            found.push((lines, hits.iter().filter(inside).cloned().collect(), platform));
        }
    }
    let problem = |(block, (lines, hits, platform))| Problem { block, lines, hits, platform };
    errors.finish();
    let is_run = errors.is_run;
    let mut list: Vec<Problem> = errors.blocks.into_iter().zip(found).map(problem).collect();
    list.retain(|problem| is_run || problem.block.reports);
    if is_run {
        list.sort_by(|a, b| b.block.likelihood.total_cmp(&a.block.likelihood));
    }
    merge_equal_causes(&mut list);
    Ok(Problems { list, is_run })
}

/// What a build system says of the machine stands in the first lines.
const HEAD_BYTES: usize = 4 << 10;

fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(HEAD_BYTES.min(text.len()))]
}

/// Ten resources that fail for one known reason are one problem that stands there ten times.
fn merge_equal_causes(problems: &mut Vec<Problem>) {
    let mut kept: Vec<Problem> = Vec::new();
    for problem in problems.drain(..) {
        let entries = |p: &Problem| {
            let mut entries: Vec<usize> = p.hits.iter().filter(|h| !h.generic).map(|h| h.entry).collect();
            entries.sort_unstable();
            entries.dedup();
            entries
        };
        let mine = entries(&problem);
        match kept.iter_mut().find(|other| !mine.is_empty() && entries(other) == mine) {
            Some(other) => {
                other.block.repeated += problem.block.repeated;
                other.block.likelihood += problem.block.likelihood;
                // Other variants of the same entry have other remedies.
                let shown = |hit: &PatternHit| other.hits.iter().any(|known| known.pattern == hit.pattern);
                let new: Vec<PatternHit> = problem.hits.into_iter().filter(|hit| !shown(hit)).collect();
                other.hits.extend(new);
            }
            None => kept.push(problem),
        }
    }
    *problems = kept;
}
