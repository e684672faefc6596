//! Which stretches of an input are errors.
//!
//! A short text that is no log is itself the question. In a log, a line that reads like a failure opens a block, which
//! runs on over what belongs to it: the rest of its box, a traceback to its last line, indented detail. Lines that only
//! mention errors (`0 errors`, `retry succeeded`, an INFO line) open nothing. Blocks that differ in masked parts only
//! are one block, counted.

use super::parts::parts;
use super::whole::{Found, Whole};
use super::{Evidence, Passing, shipped_weights};
use crate::text::{Cleaned, Part, fingerprint, headline, mask, pattern, redact, salient};
use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A text of at most this many non-empty lines may be a question rather than a log.
pub const MAX_QUESTION_LINES: usize = 3;
/// Longest text that is embedded for one block, in characters: about 200 tokens.
const MAX_SALIENT_CHARS: usize = 800;
/// Distinct blocks looked at; a log with more repeats itself in ways the masks do not see.
const MAX_BLOCKS: usize = 500;

/// One error of an input.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// First line, an index into [`Cleaned::lines`].
    pub first: usize,
    /// Last line, inclusive.
    pub last: usize,
    /// The line that says what went wrong.
    pub headline: String,
    /// Its lines that carry meaning, masked, for embedding and fingerprint.
    pub salient: String,
    /// Hash of `salient`.
    pub fingerprint: String,
    /// How often it occurs.
    pub repeated: usize,
    /// How likely the reason of the failure stands here, in \[0, 1\].
    pub likelihood: f32,
    /// Whether it reads like a failure by itself. Only in the log of a run that failed may another be the reason.
    pub reports: bool,
}

impl Block {
    /// The block over the given lines.
    pub fn over(cleaned: &Cleaned, first: usize, last: usize) -> Self {
        let lines: Vec<&str> = (first..=last).map(|i| cleaned.line(i)).collect();
        // Secrets go first: what is masked is kept, and is not to differ by a password.
        let salient = mask(&redact(&salient(&lines, MAX_SALIENT_CHARS)).text);
        Self {
            first,
            last,
            headline: headline(&lines),
            fingerprint: fingerprint(&salient),
            salient,
            repeated: 1,
            likelihood: 1.0,
            reports: true,
        }
    }

    /// Byte range of the block in the cleaned text.
    pub fn range(&self, cleaned: &Cleaned) -> std::ops::Range<usize> {
        cleaned.lines[self.first].start..cleaned.lines[self.last].end
    }
}

/// Phrases with the word error that report no failure; they are taken out before a line is judged.
static HARMLESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi)
          \b(?:0|no|zero|without|any|ignor\w+|handl\w+|expected|previous|recovered\ from|clear\w*|total|non-?fatal)\ (?:\w+\ )?(?:errors?|failures?|failed|exceptions?|fatal)\b
        | \b(?:errors?|failures?|failed|exceptions?)(?:\s*[:=]\s*|\ count\s*[:=]?\s*|\ rate\s*[:=]?\s*)0(?:\.0+)?%?(?:\W|$)
        | \berrors?[_\ -](?:rate|count|code|handl\w+|page|log\w*|report\w*|boundar\w+|budget|message)s?\b(?:\s*[:=]\s*(?:0|none|null|nil))?
        | \bon[_\ -](?:error|failure)\b
        | \b(?:failed|error|failure|exception)[_-]\w+
        | \w+[_-](?:failed|error|failure|exceptions?)\b
        ",
    )
});

/// A line at one of these levels is a report, whatever words it uses.
static REPORT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x)(?:^|[\s\[("|])(?:INFO|DEBUG|TRACE|NOTICE|WARN|WARNING|info|debug|trace)(?:[\]:)|\s]|$)
        | \b(?:level|lvl|severity)"?\s*[=:]\s*"?(?i:info|debug|trace|notice|warn)
        | ^\s*(?:warning|note|help|hint|info|Warning):
        | \.\.\.\s*(?:ok|OK|passed|done|ignored)\s*$
        | \b(?:PASSED|SKIPPED)\b
        | ^\s*(?:\#|//|\*|--\s)"#,
    )
});

static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)
          ^\s*(?:[×✗✘❌]\s*)?(?i:error|fatal|failure|failed|panic)\b
        | (?i:\berr(?:or)?\b)\s*[:\[(=]
        | \b(?:ERROR|ERR|FATAL|CRITICAL|FAILED|FAILURE|PANIC|Error|SEVERE|EMERG|Fatal)\b
        | \b[A-Za-z][\w.]*(?:Error|Exception|Failure|Fault)\b
        | ^Traceback\ \(most\ recent\ call\ last\)
        | \bpanicked\ at\b
        | \b(?i:failed\ (?:to|with|because|calling|validation|scheduling|on|after|for)|could\ not|couldn't|cannot|can't|unable\ to|was\ unable)\b
        | \b(?i:permission\ denied|access\ denied|connection\ (?:refused|reset)|no\ such\ (?:file|host|image|container|network|device)|not\ found|timed\ out|deadline\ exceeded
            |no\ space\ left|out\ of\ memory|exit(?:ed)?\ (?:code|status|with)\D{0,8}[1-9]|unauthorized|forbidden|segmentation\ fault|core\ dumped|no\ route\ to\ host|already\ (?:exists|allocated|in\ use)
            |does\ not\ exist|is\ not\ (?:defined|recognized|supported|allowed|permitted|valid)|must\ be\ |undefined\ reference|unresolved)\b
        | \b(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull|OOMKilled|Evicted|FailedScheduling|FailedMount|FailedCreatePodSandBox|BackOff|Unhealthy|Killed|CreateContainer\w*Error|RunContainerError|InvalidImageName|NotReady)\b
        | \b(?:E[A-Z]{4,}|SIG(?:KILL|SEGV|ABRT|TERM|ILL|BUS))\b
        ",
    )
});

/// Whether a line reports a failure.
fn is_failure(line: &str) -> bool {
    if !FAILURE.is_match(line) || REPORT.is_match(line) {
        return false;
    }
    !HARMLESS.is_match(line) || FAILURE.is_match(&HARMLESS.replace_all(line, " "))
}

/// Whether the whole text is one question: few lines, or prose.
pub fn is_question(cleaned: &Cleaned) -> bool {
    let filled = cleaned.lines.iter().filter(|l| l.end > l.start).count();
    filled <= MAX_QUESTION_LINES && cleaned.text.len() <= 4_000
}

/// Cuts an input into its distinct errors, in order.
pub fn blocks(cleaned: &Cleaned) -> Vec<Block> {
    let mut errors = Errors::default();
    errors.add(cleaned, &[], Part::Whole);
    errors.finish();
    let is_run = errors.is_run;
    errors.blocks.retain(|block| block.reports || is_run);
    errors.blocks
}

/// The distinct errors of an input that comes in pieces. The lines of a block are indices into its own piece.
#[derive(Debug, Default)]
pub struct Errors<'a> {
    /// What was found so far, in order.
    pub blocks: Vec<Block>,
    /// Whether this is the log of a run that failed: then likelihoods tell which block is the reason. Known at the end.
    pub is_run: bool,
    whole: Whole<'a>,
    /// Places of the log and the blocks that they belong to. A place has several blocks where different things are
    /// known of its failures, and none where there were too many.
    block_of: Vec<(usize, usize)>,
    /// Blocks by what is compared first.
    known: HashMap<String, usize>,
    by_fingerprint: HashMap<String, usize>,
    /// Blocks that read like no failure.
    quiet: usize,
}

/// Lines that are an error.
#[derive(Debug, Clone, Copy)]
struct Span {
    first: usize,
    last: usize,
    /// Which place of the log it is, unless a pattern alone found it.
    place: Option<usize>,
    reports: bool,
}

impl<'a> Errors<'a> {
    /// Of an input of which nothing is known yet, to be compared with a run that passed if there is one.
    pub fn new(passing: Option<&'a Passing>) -> Self {
        Self { whole: Whole::new(passing), ..Self::default() }
    }

    /// Adds the errors of the next piece. Each piece of `evidence` lies in a block afterwards, but for a compiler's
    /// warnings in a list that has errors.
    pub fn add(&mut self, cleaned: &Cleaned, evidence: &[Evidence], part: Part) {
        if cleaned.lines.is_empty() {
            return;
        }
        if part == Part::Whole && is_question(cleaned) {
            return self.blocks.push(Block::over(cleaned, 0, cleaned.lines.len() - 1));
        }
        let found = self.whole.add(cleaned, part != Part::Other);
        let span = |one: &Found| Span {
            first: one.lines.first,
            last: one.lines.last,
            place: Some(one.number),
            reports: (one.lines.first..=one.lines.last).any(|at| is_failure(cleaned.line(at))),
        };
        let mut spans: Vec<Span> = found.iter().map(span).collect();
        // Whether this is the log of a run that failed may be known at its end only.
        if part != Part::Other && !self.whole.is_run() {
            spans.retain(|span| span.reports);
        }
        join_evidence(&mut spans, evidence);
        let openings = std::mem::take(&mut self.whole.openings);
        for span in spans {
            for (first, last) in parts(span.first, span.last, &openings, evidence) {
                let block = self.add_span(cleaned, Span { first, last, ..span });
                self.block_of.extend(span.place.zip(block));
            }
        }
    }

    /// Weighs all blocks against each other. In a log that tells of no failed step only those that report one count.
    pub fn finish(&mut self) {
        self.is_run = self.whole.is_run();
        let probabilities = self.whole.probabilities(&shipped_weights());
        let first = probabilities.first().map_or(0, |(place, _)| *place);
        for (place, block) in &self.block_of {
            if let Some((_, probability)) = place.checked_sub(first).and_then(|at| probabilities.get(at)) {
                self.blocks[*block].likelihood += *probability as f32;
            }
        }
    }

    /// The block that a span is, which may have stood there before; none if there are too many.
    fn add_span(&mut self, cleaned: &Cleaned, span: Span) -> Option<usize> {
        // The masks cost more than this key, and a long log repeats its errors.
        let key: String = (span.first..=span.last)
            .take(6)
            .flat_map(|i| cleaned.line(i).chars().filter(|c| !c.is_ascii_digit()))
            .take(600)
            .collect();
        if let Some(&at) = self.known.get(&key) {
            return Some(self.repeat(at, span));
        }
        let alike = if span.reports { self.blocks.len() - self.quiet } else { self.quiet };
        if alike == MAX_BLOCKS {
            return None;
        }
        let block = Block { likelihood: 0.0, reports: span.reports, ..Block::over(cleaned, span.first, span.last) };
        let same = self.by_fingerprint.get(&block.fingerprint).copied();
        let at = same.unwrap_or(self.blocks.len());
        self.known.insert(key, at);
        if same.is_some() {
            return Some(self.repeat(at, span));
        }
        self.by_fingerprint.insert(block.fingerprint.clone(), at);
        self.quiet += usize::from(!span.reports);
        self.blocks.push(block);
        Some(at)
    }

    /// Counts an error that stood there before. It is as likely the reason as all its places together.
    fn repeat(&mut self, at: usize, span: Span) -> usize {
        let block = &mut self.blocks[at];
        block.repeated += 1;
        if span.reports && !block.reports {
            block.reports = true;
            self.quiet -= 1;
        }
        at
    }
}

/// Widens the first span that a piece of evidence touches, or makes it one of its own.
fn join_evidence(spans: &mut Vec<Span>, evidence: &[Evidence]) {
    for &Evidence { first, last, .. } in evidence {
        match spans.iter_mut().find(|span| span.first <= last && first <= span.last) {
            Some(span) => {
                (span.first, span.last) = (span.first.min(first), span.last.max(last));
                span.reports = true;
            }
            None => spans.push(Span { first, last, place: None, reports: true }),
        }
    }
    spans.sort_unstable_by_key(|span| span.first);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::clean;

    /// The blocks of a log in pieces, likeliest first, and whether it is of a run that failed.
    fn weighed(pieces: &[&str]) -> (Vec<(String, usize, i64)>, bool) {
        let mut errors = Errors::default();
        for (at, piece) in pieces.iter().enumerate() {
            let part = match at + 1 == pieces.len() {
                true if at == 0 => Part::Whole,
                true => Part::Last,
                false => Part::Other,
            };
            errors.add(&clean(piece), &[], part);
        }
        errors.finish();
        let is_run = errors.is_run;
        errors.blocks.retain(|block| block.reports || is_run);
        errors.blocks.sort_by(|a, b| b.likelihood.total_cmp(&a.likelihood));
        let told = |block: &Block| {
            (block.headline.clone(), block.repeated, (f64::from(block.likelihood) * 1e5).round() as i64)
        };
        (errors.blocks.iter().map(told).collect(), is_run)
    }

    #[test]
    fn a_log_in_pieces_is_weighed_like_the_same_log_in_one() {
        let quiet = |name: &str| format!("{name} goes on\n").repeat(60);
        let setup =
            "$ npm install\nerror: mirror one is away\n  at fetch\n\nThe command \"npm install\" exited with 0.\n";
        let flaw = "src/cart.js:3:7: error: total is not defined\n  at cart.js:3\n\n";
        let late = "error: cannot upload the report\n  at upload\n\n";
        let bad_end = "The command \"npm test\" exited with 1.\n$ ./upload\n";
        let begin = "$ npm test\n";
        let logs = [
            // What failed stands before the piece that says so, in the step that began before it.
            vec![
                format!("{setup}{begin}{}", quiet("one")),
                format!("{flaw}{}", quiet("two")),
                format!("{}{bad_end}{late}", quiet("three")),
            ],
            // What comes after the bad end is after it, in whatever piece.
            vec![
                format!("{setup}{begin}{flaw}{bad_end}{}", quiet("one")),
                format!("{late}{}", quiet("two")),
                flaw.into(),
            ],
            // The step begins in the last piece: what came before did not fail it.
            vec![format!("{setup}{flaw}{}", quiet("one")), format!("{begin}{late}{}{bad_end}", quiet("two"))],
            // Nobody says that a step failed.
            vec![
                format!("{flaw}{}", quiet("one")),
                format!("{late}{}", quiet("two")),
                format!("{flaw}{}", quiet("three")),
            ],
        ];
        for (at, log) in logs.iter().enumerate() {
            let pieces: Vec<&str> = log.iter().map(String::as_str).collect();
            let (whole, apart) = (weighed(&[&log.concat()]), weighed(&pieces));
            assert!(whole.0.len() >= 2, "{whole:?}");
            assert_eq!(apart, whole, "log {at}");
        }
    }

    fn cut(raw: &str) -> Vec<(usize, usize, usize)> {
        let cleaned = clean(raw);
        blocks(&cleaned)
            .iter()
            .map(|b| (cleaned.lines[b.first].number, cleaned.lines[b.last].number, b.repeated))
            .collect()
    }

    #[test]
    fn a_short_text_is_the_question() {
        assert_eq!(cut("my pod will not start"), [(1, 1, 1)]);
    }

    #[test]
    fn a_log_without_failure_has_no_block() {
        let log = "INFO starting, 0 errors so far\ntest test_error_handling ... ok\nerror_rate=0.0 requests=10\n\
            Done in 3 s\nwarning: unused variable\n";
        assert_eq!(cut(log), []);
    }

    #[test]
    fn boxes_and_tracebacks_hold_together() {
        let tf = "Plan: 1 to add\naws_s3_bucket.a: Creating...\n╷\n│ Error: creating bucket\n│ \n\
            │   with aws_s3_bucket.a,\n│   on main.tf line 1\n╵\nmore";
        assert_eq!(cut(tf), [(4, 7, 1)]);
        let py = "starting\nloading\nstill\nTraceback (most recent call last):\n  File \"a.py\", line 1, in \
            <module>\n    import x\nModuleNotFoundError: No module named 'x'\n\nbye";
        assert_eq!(cut(py), [(4, 7, 1)]);
    }

    #[test]
    fn equal_errors_are_counted_once() {
        let log = "a\nb\nc\n2024-01-01 00:00:01 ERROR cannot reach db:5432\n2024-01-01 00:00:02 ok\n\
            2024-01-01 00:00:09 ERROR cannot reach db:5432\n\n";
        let found = cut(log);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].2, 2);
    }

    #[test]
    fn evidence_opens_a_block() {
        let cleaned = clean("one\ntwo\nthree\nfour\nfive");
        let mut errors = Errors::default();
        errors.add(&cleaned, &[Evidence { first: 2, last: 3, entry: 0 }], Part::Whole);
        assert_eq!((errors.blocks[0].first, errors.blocks[0].last), (2, 3));
    }
}
