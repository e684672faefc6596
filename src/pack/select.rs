//! What of the recalled goes into a frame: the most relevant first, nothing twice, neighbours as one, no more than
//! there is room for.
//!
//! Greedy by maximal marginal relevance (Carbonell and Goldstein, 1998) over scores and cosines. What a candidate costs
//! is what the frame grows by: one that stands beside a piece that is in already brings no heading of its own.

use super::frame::{piece_markdown, place, source_markdown};
use super::worth::{Wanted, file_share, least_likely};
use crate::ingest::Provenance;
use crate::query::{Part, Recalled};
use crate::text::{CountTokens, single_line};
use crate::types::{BELOW, LeftOut, Piece, Reason, Span, Standing};
use crate::vector::dot;
use std::collections::{HashMap, HashSet};

/// How much being like what is in already costs a candidate, as a share of its score.
const DIVERSITY: f32 = 0.1;

/// How much a candidate gains beside a piece that is in already, as a share of its score, in small frames and in large
/// ones. Neighbours are about the same thing, and a neighbour costs no heading.
const BESIDE: (f32, f32) = (0.4, 1.0);

/// In small frames a candidate's score is divided by its tokens to this power: of two that are equally likely, the
/// shorter one leaves more room. In large frames the score is not divided.
const PER_TOKEN: f32 = 0.4;
/// Tokens for knowledge up to which a frame is small, and from which on it is large.
const SCARCE: (f32, f32) = (4_000.0, 8_000.0);
/// Bytes of a token, and tokens of a piece besides its text. Both are estimates that only order candidates.
const TOKEN_BYTES: f32 = 4.0;
const AROUND: f32 = 60.0;

/// Words that are compared together, and the share of them that may stand in the frame already.
const SHINGLE: usize = 5;
const MAX_REPEATED: f32 = 0.8;

/// Most bytes between two neighbours: headings and empty lines.
const GAP_BYTES: usize = 200;

/// What was chosen, and what was not.
pub(super) struct Selection {
    /// Best first.
    pub pieces: Vec<Piece>,
    /// Tokens that were not used.
    pub room: usize,
    pub left_out: Vec<LeftOut>,
}

/// A candidate that its file still holds, or a part of one.
#[derive(Clone, Copy)]
struct Offer<'r> {
    recalled: &'r Recalled,
    text: &'r str,
    score: f32,
    /// The score for what the text costs.
    value: f32,
    /// Probability that it is of use.
    relevance: f32,
    /// That, less what its file takes off it.
    worth: f32,
    standing: Standing,
    span: Option<Span>,
    /// How like what is in already it is, a cosine.
    alike: f32,
    /// Whether it stands beside a piece that is in already.
    beside: bool,
}

/// A piece with the places that it is made of, in the order of the file.
struct Placed {
    piece: Piece,
    span: Option<Span>,
}

/// Chooses among `recalled`, best first, for at most `room` tokens.
pub(super) fn select(
    recalled: &[Recalled],
    room: usize,
    counter: &dyn CountTokens,
    files: &Provenance,
    task: &str,
    here: &str,
) -> Selection {
    let wanted = Wanted::new(task);
    let mut left_out = Vec::new();
    let mut offers = Vec::new();
    for one in recalled {
        let left = |why| Offer::whole(one, Standing::Fresh, one.span).left(why, here);
        let (standing, span) = match &one.path {
            _ if !one.passes => {
                left_out.push(left(Reason::Gate));
                continue;
            }
            None => (Standing::Unfiled, None),
            Some(path) => files.check(path, &one.text, one.span),
        };
        match standing {
            Standing::Changed => left_out.push(left(Reason::Changed)),
            Standing::Gone => left_out.push(left(Reason::Gone)),
            _ => offers.extend(offered(one, standing, span, files)),
        }
    }
    let scarcity = ((SCARCE.1 - room as f32) / (SCARCE.1 - SCARCE.0)).clamp(0.0, 1.0);
    for offer in &mut offers {
        let weight = wanted.weight(offer.recalled.path.as_deref());
        offer.score *= weight;
        offer.worth *= weight;
        offer.value = offer.score * (AROUND + offer.text.len() as f32 / TOKEN_BYTES).powf(-PER_TOKEN * scarcity);
    }
    let mut frame = Selecting {
        room,
        whole: room,
        counter,
        files,
        here,
        placed: Vec::new(),
        sources: HashSet::new(),
        shingles: HashSet::new(),
    };
    let beside = BESIDE.1 + (BESIDE.0 - BESIDE.1) * scarcity;
    while let Some(best) = best(&offers, beside) {
        let offer = offers.swap_remove(best);
        match frame.earns(&offer, &wanted).and_then(|()| frame.take(&offer)) {
            Ok(()) => {
                for other in &mut offers {
                    // Parts of one chunk are alike because they are of one chunk.
                    if other.recalled.uid != offer.recalled.uid {
                        other.alike = other.alike.max(cosine(offer.recalled, other.recalled));
                    }
                    other.beside = other.beside || frame.stands_beside(other);
                }
            }
            Err(reason) => left_out.push(offer.left(reason, here)),
        }
    }
    left_out.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then_with(|| a.id.cmp(&b.id)));
    let room = frame.room;
    let mut pieces: Vec<Piece> = frame.placed.into_iter().map(|placed| placed.piece).collect();
    arrange(&mut pieces);
    Selection { pieces, room, left_out }
}

/// A candidate as a whole, or part by part where it was read so.
fn offered<'r>(one: &'r Recalled, standing: Standing, span: Option<Span>, files: &Provenance) -> Vec<Offer<'r>> {
    let whole = Offer::whole(one, standing, span);
    let Some(span) = span.filter(|_| !one.parts.is_empty()) else { return vec![whole] };
    let part = |part: &Part| {
        let text = &one.text[part.range.clone()];
        let (byte_start, byte_end) = (span.byte_start + part.range.start, span.byte_start + part.range.end);
        let lines = one.path.as_deref().and_then(|path| files.lines(path, byte_start..byte_end));
        let (line_start, line_end) = lines.unwrap_or((span.line_start, span.line_end));
        let here = Span { byte_start, byte_end, line_start, line_end };
        let relevance = (one.relevance * part.score / one.score.max(f32::EPSILON)).min(1.0);
        Offer { text, score: part.score, relevance, span: Some(here), ..whole }
    };
    one.parts.iter().map(part).collect()
}

/// Files by their best piece, and what stands in one file as it stands there.
fn arrange(pieces: &mut [Piece]) {
    let mut best: HashMap<String, f32> = HashMap::new();
    let source = |piece: &Piece| piece.path.clone().unwrap_or_else(|| piece.id.clone());
    for piece in pieces.iter() {
        let score = best.entry(source(piece)).or_insert(piece.score);
        *score = score.max(piece.score);
    }
    pieces.sort_by(|a, b| {
        let (x, y) = (source(a), source(b));
        best[&y].total_cmp(&best[&x]).then_with(|| x.cmp(&y)).then_with(|| a.line_start.cmp(&b.line_start))
    });
}

/// The offer with the highest value less what it repeats, where what stands beside a piece gains `beside` times its
/// value; ids and places decide between equals, so that the order is always the same.
fn best(offers: &[Offer<'_>], beside: f32) -> Option<usize> {
    let value = |offer: &Offer<'_>| {
        let near = if offer.beside { 1.0 + beside } else { 1.0 };
        offer.value * near * (1.0 - DIVERSITY * offer.alike.max(0.0))
    };
    let order = |a: &usize, b: &usize| {
        let (a, b) = (&offers[*a], &offers[*b]);
        let place = |offer: &Offer<'_>| offer.span.map_or(0, |span| span.byte_start);
        let ids = || b.recalled.uid.cmp(&a.recalled.uid);
        value(a).total_cmp(&value(b)).then_with(ids).then_with(|| place(b).cmp(&place(a)))
    };
    (0..offers.len()).max_by(order)
}

fn cosine(a: &Recalled, b: &Recalled) -> f32 {
    a.vector.as_ref().zip(b.vector.as_ref()).map_or(0.0, |(a, b)| dot(a, b))
}

impl<'r> Offer<'r> {
    fn whole(recalled: &'r Recalled, standing: Standing, span: Option<Span>) -> Self {
        Self {
            recalled,
            text: &recalled.text,
            score: recalled.score,
            value: recalled.score,
            relevance: recalled.relevance,
            worth: recalled.relevance,
            standing,
            span,
            alike: 0.0,
            beside: false,
        }
    }

    fn piece(&self) -> Piece {
        let one = self.recalled;
        Piece {
            id: one.uid.clone(),
            joined: Vec::new(),
            kind: one.kind,
            title: one.title.clone(),
            path: one.path.clone(),
            line_start: self.span.map(|span| span.line_start),
            line_end: self.span.map(|span| span.line_end),
            tokens: 0,
            score: self.score,
            relevance: self.relevance,
            reason: one.reason,
            state: self.standing,
            text: self.text.to_owned(),
        }
    }

    fn left(&self, why: Reason, here: &str) -> LeftOut {
        let one = self.recalled;
        let place = match &one.path {
            Some(_) => place(&self.piece(), here),
            None => single_line(&one.title, 120),
        };
        LeftOut { id: one.uid.clone(), place, relevance: one.relevance, why }
    }
}

struct Selecting<'a> {
    /// Tokens that are left, and that there were.
    room: usize,
    whole: usize,
    counter: &'a dyn CountTokens,
    files: &'a Provenance,
    here: &'a str,
    placed: Vec<Placed>,
    /// Headings of files that are in already.
    sources: HashSet<String>,
    /// The runs of words that are in already.
    shingles: HashSet<Vec<String>>,
}

impl Selecting<'_> {
    /// Whether an offer is likely enough for what the frame costs already, and its file has a place left.
    fn earns(&self, offer: &Offer<'_>, wanted: &Wanted) -> Result<(), Reason> {
        if offer.worth < least_likely(self.whole - self.room) {
            return Err(Reason::Gate);
        }
        let Some(path) = &offer.recalled.path else { return Ok(()) };
        let of_file = self.placed.iter().filter(|placed| placed.piece.path.as_ref() == Some(path));
        let held: usize = of_file.map(|placed| placed.piece.tokens).sum();
        if held >= file_share(self.whole) && !wanted.names(path) { Err(Reason::File) } else { Ok(()) }
    }

    /// Takes an offer in if it is new and fits.
    fn take(&mut self, offer: &Offer<'_>) -> Result<(), Reason> {
        let shingles = shingles(offer.text);
        let known = shingles.iter().filter(|shingle| self.shingles.contains(*shingle)).count();
        if !shingles.is_empty() && known as f32 >= MAX_REPEATED * shingles.len() as f32 {
            return Err(Reason::Duplicate);
        }
        let mut placed = Placed { piece: offer.piece(), span: offer.span };
        let mut spent = 0;
        let mut without = Vec::new();
        // Its neighbours, and all that it shares lines with.
        for at in 0..self.placed.len() {
            if let Some(joined) = self.joined(&self.placed[at], &placed) {
                spent += self.placed[at].piece.tokens;
                placed = joined;
                without.push(at);
            }
        }
        placed.piece.tokens = self.counter.count(&piece_markdown(&placed.piece));
        let source = source_markdown(&placed.piece, self.here);
        let heading = if self.sources.contains(&source) { 0 } else { self.counter.count(&source) };
        if placed.piece.tokens + heading > self.room + spent {
            return Err(Reason::Budget);
        }
        self.room = self.room + spent - placed.piece.tokens - heading;
        self.sources.insert(source);
        for at in without.into_iter().rev() {
            self.placed.remove(at);
        }
        self.placed.push(placed);
        self.shingles.extend(shingles);
        Ok(())
    }

    /// Whether the piece that was taken last would take this in as its neighbour.
    fn stands_beside(&self, offer: &Offer<'_>) -> bool {
        // Most offers stand in other files: nothing is made of those.
        let same_file = |last: &&Placed| offer.recalled.path.is_some() && last.piece.path == offer.recalled.path;
        let Some(last) = self.placed.last().filter(same_file) else { return false };
        let placed = Placed { piece: offer.piece(), span: offer.span };
        !overlaps(last, &placed) && self.joined(last, &placed).is_some()
    }

    /// Two pieces as one, if they are neighbours in a file or share lines of it.
    fn joined(&self, a: &Placed, b: &Placed) -> Option<Placed> {
        let path = a.piece.path.as_ref().filter(|path| Some(*path) == b.piece.path.as_ref())?;
        let (x, y) = (a.span?, b.span?);
        let (first, second) = if x.byte_start <= y.byte_start { (x, y) } else { (y, x) };
        let text = self.files.text(path)?;
        let shared = shared_title(&a.piece.title, &b.piece.title);
        // A passage may hold what another is: text by its paragraphs, and code by its declarations.
        let overlap = overlaps(a, b);
        let gap = text.get(first.byte_end..second.byte_start.max(first.byte_end))?;
        // Neighbours of one section; or of two that share all but their own headings, with nothing but those between.
        let heading = |line: &str| line.trim().is_empty() || line.trim_start().starts_with(['#', '=', '-']);
        let neighbours = gap.len() <= GAP_BYTES
            && (a.piece.title == b.piece.title
                || siblings(&a.piece.title, &b.piece.title, &shared) && gap.lines().all(heading));
        if !overlap && !neighbours {
            return None;
        }
        let (byte_end, line_end) = (second.byte_end.max(first.byte_end), second.line_end.max(first.line_end));
        let span = Span { byte_end, line_end, ..first };
        let (best, other) = if b.piece.score > a.piece.score { (b, a) } else { (a, b) };
        let title = if overlap && shared.is_empty() { best.piece.title.clone() } else { shared };
        let mut joined: Vec<String> = a.piece.joined.iter().chain(&b.piece.joined).cloned().collect();
        joined.push(other.piece.id.clone());
        joined.sort_unstable();
        joined.dedup();
        joined.retain(|id| *id != best.piece.id);
        let moved = [a.piece.state, b.piece.state].contains(&Standing::Moved);
        let piece = Piece {
            joined,
            title,
            line_start: Some(span.line_start),
            line_end: Some(span.line_end),
            state: if moved { Standing::Moved } else { best.piece.state },
            text: text.get(span.byte_start..span.byte_end)?.to_owned(),
            ..best.piece.clone()
        };
        Some(Placed { piece, span: Some(span) })
    }
}

/// Whether two pieces of one file have bytes in common.
fn overlaps(a: &Placed, b: &Placed) -> bool {
    a.span.zip(b.span).is_some_and(|(a, b)| a.byte_start < b.byte_end && b.byte_start < a.byte_end)
}

/// The headings that two paths have in common.
fn shared_title(a: &str, b: &str) -> String {
    let pairs = a.split(BELOW).zip(b.split(BELOW)).take_while(|(a, b)| a == b);
    pairs.map(|(name, _)| name).collect::<Vec<_>>().join(BELOW)
}

/// Whether two heading paths differ in their last heading at most, or one stands right below the other.
fn siblings(a: &str, b: &str, shared: &str) -> bool {
    let depth = |title: &str| if title.is_empty() { 0 } else { title.split(BELOW).count() };
    depth(a).max(depth(b)) <= depth(shared) + 1
}

/// Runs of words, without case and marks; a text of fewer words is one run.
fn shingles(text: &str) -> Vec<Vec<String>> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.windows(SHINGLE.min(words.len()).max(1)).map(<[String]>::to_vec).collect()
}
