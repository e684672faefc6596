//! Frames: a task and a budget in, what a language model should be given out.
//!
//! Decides what goes in, how the budget is shared, and that it is never passed. What is relevant is decided by `query`,
//! whether a file still holds it by `ingest`. The same inputs give the same bytes.

mod cl100k;
mod diff;
mod frame;
mod select;
mod share;
mod tokenizer;
mod worth;

pub use diff::{Change, FrameDiff, diff};
pub use tokenizer::{CL100K_FILE, Tokenizer};

use crate::error::{Diagnose, ErrorKind};
use crate::ingest::Provenance;
use crate::query::Recall;
use crate::text::CountTokens;
use crate::types::{Frame, Piece, Section};
use frame::{FrameParts, frame_markdown, given_markdown, learnings_markdown, piece_markdown, place, task_markdown};
use select::{Selection, select};
use share::Shares;

/// The budget when nobody says otherwise, in tokens.
pub const DEFAULT_BUDGET: usize = 15_000;

/// What a frame is made for.
#[derive(Debug, Clone, Default)]
pub struct Request<'a> {
    /// The task, which stands in the frame whole.
    pub task: &'a str,
    /// Tokens that the frame may cost.
    pub budget: usize,
    /// The present state; what has no room is cut off at its end.
    pub state: &'a str,
    /// What was learnt, best first; what has no room is left out from its end.
    pub learnings: &'a [Piece],
    /// Standing instructions, likewise.
    pub instructions: &'a str,
    /// The moment that ages are counted from, milliseconds since 1970.
    pub as_of: i64,
    /// Paths below this folder are shown relative to it.
    pub here: &'a str,
    /// Whether the frame says what it left out.
    pub explain: bool,
}

/// There is no frame.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PackError {
    /// Task and frame alone cost more than the budget.
    #[error("the task alone takes {needed} tokens, the budget is {budget}")]
    TooSmall {
        /// Tokens of a frame with the task and nothing else.
        needed: usize,
        /// The budget.
        budget: usize,
    },
}

impl Diagnose for PackError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::TooSmall { .. } => ErrorKind::Usage,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::TooSmall { needed, .. } => Some(format!("--budget {}", (needed * 2).max(1000))),
        }
    }
}

/// What stands where nothing was recalled.
const SILENCE: &str = "Nothing is known that is relevant enough.";

/// Makes a frame of what was recalled.
///
/// # Errors
/// [`PackError::TooSmall`] when not even the task fits.
pub fn pack(
    request: &Request<'_>,
    recall: &Recall,
    counter: &dyn CountTokens,
    files: &Provenance,
) -> Result<Frame, PackError> {
    let mut parts = FrameParts {
        task: request.task,
        silence: SILENCE,
        budget: request.budget,
        tokenizer: counter.name(),
        as_of: request.as_of,
        here: request.here,
        ..FrameParts::default()
    };
    let (_, bare) = counted(&parts, counter);
    parts.learnings = fitting(request.learnings, Shares::of(request.budget).learnings, counter);
    let too_small = || PackError::TooSmall { needed: bare, budget: request.budget };
    let task = counter.count(&task_markdown(request.task));
    // What the frame costs besides its parts.
    let around = bare.saturating_sub(task);
    let needed = Shares {
        task,
        learnings: counter.count(&learnings_markdown(&parts.learnings)),
        state: counter.count(&given_markdown("State", request.state)),
        instructions: counter.count(&given_markdown("Instructions", request.instructions)),
        ..Shares::default()
    };
    let budget = request.budget.checked_sub(around).filter(|_| bare <= request.budget).ok_or_else(too_small)?;
    let granted = Shares::granted(budget, &needed).ok_or_else(too_small)?;
    let Selection { pieces, room: spare, mut left_out } =
        select(&recall.all, granted.knowledge, counter, files, request.task, request.here);
    parts.pieces = pieces;
    let room = Room { needed, granted, spare };
    let (text, tokens) = fit(&mut parts, request, &room, counter, &mut left_out).ok_or_else(too_small)?;
    let sections = sections(request, parts, &room, counter);
    Ok(Frame {
        budget: request.budget,
        tokens,
        tokenizer: counter.name().to_owned(),
        as_of: request.as_of,
        semantic: recall.semantic,
        sections,
        left_out: request.explain.then_some(left_out),
        text,
    })
}

/// What the parts of a frame need and may cost, and what knowledge has no use for, in tokens.
struct Room {
    needed: Shares,
    granted: Shares,
    spare: usize,
}

/// Fills in state and instructions, and gives up what goes beyond the budget; gives the frame's text and its tokens,
/// `None` where not even the task fits.
fn fit(
    parts: &mut FrameParts<'_>,
    request: &Request<'_>,
    room: &Room,
    counter: &dyn CountTokens,
    left_out: &mut Vec<crate::types::LeftOut>,
) -> Option<(String, usize)> {
    // What knowledge has no use for.
    let (mut sure, mut spare) = (room.granted, room.spare);
    let needed = &room.needed;
    // Tokens of parts need not add up to those of the whole: what counts is the whole.
    loop {
        let instructions = needed.instructions.min(sure.instructions + spare);
        let lent = instructions.saturating_sub(sure.instructions);
        let state = needed.state.min(sure.state + spare - lent);
        let used = lent + state.saturating_sub(sure.state);
        parts.instructions = cut(request.instructions, "Instructions", instructions, needed.instructions, counter);
        parts.state = cut(request.state, "State", state, needed.state, counter);
        let (text, tokens) = counted(parts, counter);
        if tokens <= request.budget {
            return Some((text, tokens));
        }
        if used > 0 {
            // What was lent goes back before anything of the knowledge is given up.
            spare = used.saturating_sub(tokens - request.budget);
            continue;
        }
        let worst = |a: &usize, b: &usize| parts.pieces[*a].score.total_cmp(&parts.pieces[*b].score);
        match (0..parts.pieces.len()).min_by(worst).map(|at| parts.pieces.remove(at)) {
            Some(piece) => left_out.push(crate::types::LeftOut {
                place: place(&piece, request.here),
                id: piece.id,
                relevance: piece.relevance,
                why: crate::types::Reason::Budget,
            }),
            None if parts.learnings.pop().is_some() => {}
            None if sure.state > 0 => sure.state = 0,
            None if sure.instructions > 0 => sure.instructions = 0,
            None => return None,
        }
    }
}

/// The first of these that cost at most `most` under their heading, each with what it costs.
fn fitting(learnings: &[Piece], most: usize, counter: &dyn CountTokens) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for piece in learnings {
        let tokens = counter.count(&piece_markdown(piece));
        out.push(Piece { tokens, ..piece.clone() });
        // One that is too long leaves room for shorter ones behind it.
        if counter.count(&learnings_markdown(&out)) > most {
            out.pop();
        }
    }
    out
}

/// What each part of a frame may cost and does.
fn sections(request: &Request<'_>, parts: FrameParts<'_>, room: &Room, counter: &dyn CountTokens) -> Vec<Section> {
    let granted = &room.granted;
    let section = |name, share, tokens, cut, items| Section { name, share, tokens, cut, items };
    let given = |heading: &str, text: &str| counter.count(&given_markdown(heading, text));
    let spent = parts.pieces.iter().map(|piece| piece.tokens).sum();
    let learnt = counter.count(&learnings_markdown(&parts.learnings));
    let (state, instructions) = (given("State", &parts.state), given("Instructions", &parts.instructions));
    let is_cut = |now: &str, whole: &str| now.trim_end() != whole.trim_end();
    vec![
        section("task", granted.task, room.needed.task, false, Vec::new()),
        section("knowledge", granted.knowledge, spent, false, parts.pieces),
        section("learnings", granted.learnings, learnt, false, parts.learnings),
        section("state", granted.state, state, is_cut(&parts.state, request.state), Vec::new()),
        section(
            "instructions",
            granted.instructions,
            instructions,
            is_cut(&parts.instructions, request.instructions),
            Vec::new(),
        ),
    ]
}

/// The frame with the number of its tokens in it, and that number.
fn counted(parts: &FrameParts<'_>, counter: &dyn CountTokens) -> (String, usize) {
    let mut said = parts.budget;
    for _ in 0..4 {
        let text = frame_markdown(parts, said);
        let tokens = counter.count(&text);
        if tokens == said {
            return (text, tokens);
        }
        said = tokens;
    }
    // A number whose own tokens never come out even: one more than it costs is true of no frame, but of none too long.
    let text = frame_markdown(parts, said);
    let tokens = counter.count(&text);
    (text, tokens.max(said))
}

/// The first lines of a text that cost at most `most` under their heading, with a line that says so.
fn cut(text: &str, heading: &str, most: usize, whole: usize, counter: &dyn CountTokens) -> String {
    if whole <= most {
        return text.to_owned();
    }
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let first = |count: usize| {
        let kept = lines[..count].join("\n");
        format!("{kept}\n[cut: {count} of {} lines]", lines.len())
    };
    let fits = |count: usize| counter.count(&given_markdown(heading, &first(count))) <= most;
    let (mut low, mut high) = (0, lines.len());
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle) { low = middle } else { high = middle - 1 }
    }
    if low == 0 { String::new() } else { first(low) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Part, Recalled};
    use crate::types::{Kind, Reason, Span, Standing};
    use proptest::prelude::*;

    fn recalled(uid: &str, text: &str, score: f32) -> Recalled {
        Recalled {
            uid: uid.to_owned(),
            kind: Kind::Chunk,
            title: "Guide > Part".to_owned(),
            text: text.to_owned(),
            path: None,
            span: None,
            relevance: score,
            score,
            passes: score >= 0.1,
            reason: "meaning",
            vector: None,
            parts: Vec::new(),
        }
    }

    fn request(task: &str, budget: usize) -> Request<'_> {
        Request { task, budget, explain: true, ..Request::default() }
    }

    fn packed(recall: Vec<Recalled>, request: &Request<'_>) -> Frame {
        let recall = Recall { all: recall, semantic: true };
        let counter = Tokenizer::Chars.counter().unwrap();
        pack(request, &recall, counter.as_ref(), &Provenance::default()).unwrap()
    }

    fn left(frame: &Frame) -> Vec<(&str, Reason)> {
        frame.left_out.iter().flatten().map(|one| (one.id.as_str(), one.why)).collect()
    }

    #[test]
    fn the_best_goes_in_and_what_does_not_says_why() {
        let long = "a long text that goes on and on about the same thing. ".repeat(40);
        let all = vec![
            recalled("c/1", "Requests are retried three times with exponential back-off.", 0.9),
            recalled("c/2", "requests are retried: three times, with exponential back-off!", 0.8),
            recalled("c/3", &long, 0.7),
            recalled("c/4", "The budget of retries is shared by all requests of a host.", 0.6),
            recalled("c/5", "Bees swarm in May.", 0.05),
        ];
        let frame = packed(all, &request("retry", 300));
        assert_eq!(frame.pieces().map(|piece| piece.id.as_str()).collect::<Vec<_>>(), ["c/1", "c/4"]);
        assert_eq!(left(&frame), [("c/2", Reason::Duplicate), ("c/3", Reason::Budget), ("c/5", Reason::Gate)]);
        assert!(frame.text.contains(SILENCE).eq(&false) && frame.tokens <= 300);
        assert!(packed(Vec::new(), &request("retry", 300)).text.contains(SILENCE));
    }

    #[test]
    fn neighbours_are_joined_and_stale_text_stays_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        let text =
            "# Guide\n\n## Part\n\nFirst of two neighbours.\n\nSecond of two neighbours.\n\n# Other\n\nFar away.\n";
        std::fs::write(&path, text).unwrap();
        let one = |uid: &str, body: &str, line: usize, score| {
            let start = text.find(body).unwrap_or(0);
            let span = Span { byte_start: start, byte_end: start + body.len(), line_start: line, line_end: line };
            let path = Some(path.to_str().unwrap().to_owned());
            Recalled { path, span: Some(span), ..recalled(uid, body, score) }
        };
        let all = vec![
            one("c/1", "First of two neighbours.", 5, 0.9),
            one("c/2", "Second of two neighbours.", 7, 0.5),
            Recalled { title: "Other".to_owned(), ..one("c/3", "Far away.", 11, 0.4) },
            one("c/4", "What was there once.", 3, 0.8),
        ];
        let here = dir.path().to_str().unwrap().to_owned();
        let frame = packed(all, &Request { here: &here, ..request("x", 400) });
        let seen: Vec<_> = frame.pieces().map(|p| (p.id.as_str(), p.line_start, p.line_end, p.state)).collect();
        assert_eq!(seen, [("c/1", Some(5), Some(7), Standing::Fresh), ("c/3", Some(11), Some(11), Standing::Fresh)]);
        assert_eq!(frame.pieces().next().unwrap().joined, ["c/2"]);
        assert!(frame.text.contains("## `a.md`\n```5-7 Guide > Part\nFirst of two neighbours.\n\nSecond"));
        assert_eq!(left(&frame), [("c/4", Reason::Changed)]);
    }

    #[test]
    fn a_declaration_within_a_passage_stands_there_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.rs");
        let text =
            "//! Retries.\n\n/// How often a request is sent again.\npub const TIMES: u32 = 3;\n\nfn wait() {}\n";
        std::fs::write(&path, text).unwrap();
        let one = |uid: &str, title: &str, first: &str, last: &str, score| {
            let (byte_start, byte_end) = (text.find(first).unwrap(), text.find(last).unwrap() + last.len());
            let line = |at: usize| text[..at].lines().count().max(1);
            let (line_start, line_end) = (line(byte_start + 1), line(byte_end));
            let path = Some(path.to_str().unwrap().to_owned());
            let span = Some(Span { byte_start, byte_end, line_start, line_end });
            Recalled { path, span, title: title.to_owned(), ..recalled(uid, &text[byte_start..byte_end], score) }
        };
        let declared = one("c/1", "const TIMES", "pub const", "3;", 0.9);
        let passage = one("c/2", "", "//! Retries.", "fn wait() {}", 0.5);
        for all in [[declared.clone(), passage.clone()], [passage, declared]] {
            let frame = packed(all.to_vec(), &request("x", 400));
            let seen: Vec<_> = frame.pieces().map(|p| (p.line_start, p.line_end, p.text.as_str())).collect();
            assert_eq!(seen, [(Some(1), Some(6), text.trim_end())]);
        }
    }

    #[test]
    fn of_a_chunk_that_was_read_part_by_part_the_best_goes_in() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.md");
        let (bees, bread) = ("Bees swarm in May. ".repeat(9), "Bread needs salt. ".repeat(9));
        let text = format!(
            "# Guide\n\n{bees}\n\nRequests are retried.\nThree times.\n\nThen they fail for good.\n\n{bread}\n"
        );
        std::fs::write(&path, &text).unwrap();
        let body = text.strip_prefix("# Guide\n\n").unwrap().trim_end();
        let parts = body.split("\n\n").zip([0.02, 0.8, 0.5, 0.01]);
        let part = |(part, score): (&str, f32)| {
            let start = body.find(part).unwrap();
            Part { range: start..start + part.len(), score }
        };
        let parts = parts.map(part).collect();
        let span = Some(Span { byte_start: 9, byte_end: 9 + body.len(), line_start: 3, line_end: 10 });
        let path = Some(path.to_str().unwrap().to_owned());
        let whole = Recalled { path, span, parts, title: "Guide".to_owned(), ..recalled("c/1", body, 0.4) };
        let here = dir.path().to_str().unwrap().to_owned();
        let bare = packed(Vec::new(), &request("x", 400)).tokens;
        let frame = packed(vec![whole], &Request { here: &here, ..request("x", bare + 60) });
        let seen: Vec<_> = frame.pieces().map(|p| (p.id.as_str(), p.line_start, p.line_end, p.score)).collect();
        assert_eq!(seen, [("c/1", Some(5), Some(8), 0.8)], "{}", frame.text);
        let piece = frame.pieces().next().unwrap();
        assert_eq!(piece.text, "Requests are retried.\nThree times.\n\nThen they fail for good.");
        assert!(piece.joined.is_empty());
        let places: Vec<&str> = frame.left_out.iter().flatten().map(|one| one.place.as_str()).collect();
        assert_eq!(places, ["a.md:3", "a.md:10"]);
    }

    #[test]
    fn what_is_given_is_cut_at_lines_and_says_so() {
        let state = "line of the state\n".repeat(200);
        let frame = packed(Vec::new(), &Request { state: &state, instructions: "Be brief.", ..request("x", 400) });
        let section = frame.sections.iter().find(|section| section.name == "state").unwrap();
        assert!(
            section.cut && frame.text.contains(" of 200 lines]\n\n# Instructions\n\nBe brief.\n\n<!-- as_of: "),
            "{}",
            frame.text
        );
        // What knowledge has no use for goes to it.
        assert!(frame.tokens > 380 && frame.tokens <= 400, "{}", frame.tokens);
    }

    #[test]
    fn long_instructions_do_not_push_out_what_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let files: Vec<Recalled> = (0..6)
            .map(|at| {
                let path = dir.path().join(format!("a-file-with-a-long-name-{at}.md"));
                let text = format!("Number {at} says something of its own about retries, and says it only once: {at}.");
                std::fs::write(&path, &text).unwrap();
                let span = Some(Span { byte_start: 0, byte_end: text.len(), line_start: 1, line_end: 1 });
                let path = Some(path.to_str().unwrap().to_owned());
                Recalled { path, span, ..recalled(&format!("c/{at}"), &text, 0.9 - 0.1 * at as f32) }
            })
            .collect();
        let long = "Always do what is written here.\n".repeat(400);
        for budget in (400..2_000).step_by(50) {
            let alone = packed(files.clone(), &request("retries", budget));
            let frame =
                packed(files.clone(), &Request { instructions: &long, state: &long, ..request("retries", budget) });
            let fewer = alone.pieces().count().saturating_sub(frame.pieces().count());
            // What the instructions are sure of costs one piece or two, and nothing lies idle.
            assert!(fewer <= 2 && frame.tokens + 60 > budget, "{budget}: {fewer} fewer, {} tokens", frame.tokens);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn a_frame_is_never_over_budget(
            texts in prop::collection::vec(("[a-z`# \n.äß0-9]{0,400}", 0.0f32..1.0), 0..30),
            task in "[a-z \n#`]{0,120}",
            state in "([a-z0-9 ]{0,60}\n){0,80}",
            instructions in "([a-z0-9 ]{0,60}\n){0,30}",
            budget in prop_oneof![0usize..400, 0usize..4_000, 0usize..200_000],
            tokenizer in prop::sample::select(vec![Tokenizer::Cl100k, Tokenizer::O200k, Tokenizer::Chars]),
        ) {
            let all = texts.iter().enumerate().map(|(at, (text, score))| recalled(&format!("c/{at}"), text, *score));
            let recall = Recall { all: all.collect(), semantic: true };
            let counter = tokenizer.counter().unwrap();
            let request = Request { state: &state, instructions: &instructions, ..request(&task, budget) };
            let made = || pack(&request, &recall, counter.as_ref(), &Provenance::default());
            match made() {
                Ok(frame) => {
                    prop_assert!(frame.tokens <= budget);
                    prop_assert_eq!(frame.tokens, counter.count(&frame.text));
                    prop_assert!(frame.text.contains(task.trim()));
                    prop_assert_eq!(&made().unwrap().text, &frame.text);
                    let said = format!(", tokens: {}, pieces: ", frame.tokens);
                    prop_assert!(frame.text.lines().last().is_some_and(|last| last.contains(&said)));
                }
                Err(PackError::TooSmall { needed, .. }) => prop_assert!(needed > budget),
            }
        }
    }
}
