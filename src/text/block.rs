//! Which stretches of an input are errors.
//!
//! A short text that is no log is itself the question. In a log, a line that reads like a failure opens a block, which
//! runs on over what belongs to it: the rest of its box, a traceback to its last line, indented detail. Lines that only
//! mention errors (`0 errors`, `retry succeeded`, an INFO line) open nothing. Blocks that differ in masked parts only
//! are one block, counted.

use super::clean::Cleaned;
use super::fingerprint::fingerprint;
use super::mask::mask;
use super::pattern::pattern;
use super::salient::{headline, salient};
use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A text of at most this many non-empty lines may be a question rather than a log.
pub const MAX_QUESTION_LINES: usize = 3;
/// Longest block, in lines.
const MAX_BLOCK_LINES: usize = 60;
/// Longest text that is embedded for one block, in characters: about 200 tokens.
const MAX_SALIENT_CHARS: usize = 800;
/// Distinct blocks looked at; a log with more repeats itself in ways the masks do not see.
const MAX_BLOCKS: usize = 500;

/// One error of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

impl Block {
    /// The block over the given lines.
    pub fn over(cleaned: &Cleaned, first: usize, last: usize) -> Self {
        let lines: Vec<&str> = (first..=last).map(|i| cleaned.line(i)).collect();
        let salient = mask(&salient(&lines, MAX_SALIENT_CHARS));
        Self { first, last, headline: headline(&lines), fingerprint: fingerprint(&salient), salient, repeated: 1 }
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

static CODE_LINE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:if|for|while|return|def|fn|let|raise|throw|except|catch|try|pub|impl|match|func|import|from|use|class|struct|enum|type|const|var|async|await|else|elif|assert\w*!?|print\w*!?)\b.*[({:;=\[]?\s*$|^\s*[\w.]+\(.*\)[;,]?\s*$|[{};]\s*$",
    )
});

/// Whether a line reports a failure.
pub(super) fn is_failure(line: &str) -> bool {
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

/// Cuts an input into its distinct errors, in order. `evidence` holds line ranges (inclusive, as indices) that are
/// known to be errors, such as canon matches; each lies in a block afterwards.
pub fn blocks(cleaned: &Cleaned, evidence: &[(usize, usize)]) -> Vec<Block> {
    let mut errors = Errors::default();
    errors.add(cleaned, evidence, true);
    errors.blocks
}

/// The distinct errors of an input that comes in pieces. The lines of a block are indices into its own piece.
#[derive(Debug, Default)]
pub struct Errors {
    /// What was found so far, in order.
    pub blocks: Vec<Block>,
    /// Blocks by what is compared first.
    known: HashMap<String, usize>,
    by_fingerprint: HashMap<String, usize>,
}

impl Errors {
    /// Adds the errors of the next piece, which is the `whole` input or a part of it.
    pub fn add(&mut self, cleaned: &Cleaned, evidence: &[(usize, usize)], whole: bool) {
        if cleaned.lines.is_empty() {
            return;
        }
        if whole && is_question(cleaned) {
            return self.blocks.push(Block::over(cleaned, 0, cleaned.lines.len() - 1));
        }
        let mut spans = failure_spans(cleaned);
        join_evidence(&mut spans, evidence);
        for (first, last) in spans {
            self.add_span(cleaned, first, last);
        }
    }

    fn add_span(&mut self, cleaned: &Cleaned, first: usize, last: usize) {
        // The masks cost more than this key, and a long log repeats its errors.
        let key: String = (first..=last)
            .take(6)
            .flat_map(|i| cleaned.line(i).chars().filter(|c| !c.is_ascii_digit()))
            .take(600)
            .collect();
        if let Some(&at) = self.known.get(&key) {
            self.blocks[at].repeated += 1;
            return;
        }
        if self.blocks.len() == MAX_BLOCKS {
            return;
        }
        let block = Block::over(cleaned, first, last);
        let same = self.by_fingerprint.get(&block.fingerprint).copied();
        self.known.insert(key, same.unwrap_or(self.blocks.len()));
        match same {
            Some(at) => self.blocks[at].repeated += 1,
            None => {
                self.by_fingerprint.insert(block.fingerprint.clone(), self.blocks.len());
                self.blocks.push(block);
            }
        }
    }
}

/// Widens the first span that a piece of evidence touches, or makes it one of its own.
fn join_evidence(spans: &mut Vec<(usize, usize)>, evidence: &[(usize, usize)]) {
    for &(first, last) in evidence {
        match spans.iter_mut().find(|span| span.0 <= last && first <= span.1) {
            Some(span) => *span = (span.0.min(first), span.1.max(last)),
            None => spans.push((first, last)),
        }
    }
    spans.sort_unstable();
}

fn failure_spans(cleaned: &Cleaned) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut at = 0;
    while at < cleaned.lines.len() {
        let line = cleaned.line(at);
        if !is_failure(line) || CODE_LINE.is_match(line) {
            at += 1;
            continue;
        }
        let last = block_end(cleaned, at);
        spans.push((at, last));
        at = last + 1;
    }
    spans
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn block_end(cleaned: &Cleaned, first: usize) -> usize {
    let limit = (first + MAX_BLOCK_LINES).min(cleaned.lines.len());
    if cleaned.line(first).trim_start().starts_with("Traceback (most recent call last)") {
        return traceback_end(cleaned, first, limit);
    }
    let base = indent(cleaned.line(first));
    let boxed = cleaned.lines[first].boxed;
    let mut last = first;
    let mut at = first + 1;
    while at < limit {
        let line = cleaned.line(at);
        if cleaned.lines[at].record {
            break;
        }
        if boxed {
            if !cleaned.lines[at].boxed || line.starts_with("Error: ") {
                break;
            }
        } else if line.is_empty() {
            // Detail may follow an empty line, set in deeper than the headline.
            let next = (at + 1..limit).find(|&i| !cleaned.line(i).is_empty());
            if !next.is_some_and(|i| indent(cleaned.line(i)) > base && i == at + 1) {
                break;
            }
        } else if indent(line) <= base && !line.starts_with(['=', '|']) {
            let detail = line.starts_with("Caused by")
                || line.starts_with("note:")
                || line.starts_with("help:")
                || indent(line) > 0;
            if !detail && (is_failure(line) || REPORT.is_match(line)) {
                break;
            }
        }
        if !line.is_empty() {
            last = at;
        }
        at += 1;
    }
    last
}

/// A traceback ends with the first line that is not indented, its exception; chained tracebacks belong together.
fn traceback_end(cleaned: &Cleaned, first: usize, limit: usize) -> usize {
    let base = indent(cleaned.line(first));
    let mut last = first;
    for at in first + 1..limit {
        let line = cleaned.line(at);
        if line.is_empty() {
            continue;
        }
        last = at;
        if indent(line) <= base {
            let chained = (at + 1..(at + 4).min(limit)).find(|&i| {
                let text = cleaned.line(i);
                text.contains("During handling of the above")
                    || text.contains("was the direct cause of")
                    || text.contains("Traceback (most")
            });
            match chained {
                Some(next) => return traceback_end(cleaned, next, limit.max(next + 1)).max(next),
                None if line.contains("During handling") || line.contains("direct cause") => {}
                None => break,
            }
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::super::clean::clean;
    use super::*;

    fn cut(raw: &str) -> Vec<(usize, usize, usize)> {
        let cleaned = clean(raw);
        blocks(&cleaned, &[])
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
            <module>\n    import x\nModuleNotFoundError: No module named 'x'\nbye";
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
        let found = blocks(&cleaned, &[(2, 3)]);
        assert_eq!((found[0].first, found[0].last), (2, 3));
    }
}
