//! Makes blocks of what is declared: gives each row to the innermost declaration that it stands in, and says which
//! rows stand together.
//!
//! A class's rows that no member has are blocks of its own. Small neighbours without documentation are one block that
//! has all their names; small values go to the head of their class. The head of a namespace that says nothing goes to
//! its first member, and a comment between two members to the one after it.

use super::borders::NONE;
use super::comments::says_something;
use super::grammars::Shape;
use super::name::MAX_LABEL;
use super::rows::Rows;
use super::walk::{Findings, Found};
use crate::chunk::block::{Block, BlockRole};
use std::ops::Range;

/// The longest path; what lies deeper is named by its innermost scopes.
const MAX_PATH: usize = 12;
/// Rows of a declaration that may share a block.
const SMALL_ROWS: usize = 3;
/// Bytes of a block that small declarations share.
const GROUP_BYTES: usize = 700;
/// Bytes of the head of a class with its small values.
const HEAD_BYTES: usize = 1_400;
/// Shorter blocks have no borders: they fit.
const BORDER_BYTES: usize = 300;

/// To whom a row belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    File,
    Declaration(usize),
    Nobody,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A declaration that holds no other.
    Whole,
    /// One that may share a block.
    Small,
    /// The beginning of one that holds others.
    Head,
    /// More of it, or what no declaration has.
    Rest,
}

/// Rows that become a block.
#[derive(Debug)]
struct Piece {
    rows: Range<usize>,
    owner: Option<usize>,
    part: Part,
    /// The label of what shares the block; the owner's, if there is none.
    label: Option<String>,
    /// Whether a head has fields.
    grown: bool,
}

struct Outline<'r, 't> {
    rows: &'r Rows<'t>,
    found: Vec<Found>,
    /// Whether a declaration's rows are its own, by number.
    kept: Vec<bool>,
    comments: Vec<Range<usize>>,
    /// Whether a row is left out.
    noise: Vec<bool>,
}

/// The blocks of a text, in order.
pub(super) fn blocks(rows: &Rows, findings: Findings, borders: &[u16]) -> Vec<Block> {
    let Findings { declarations: found, noise, comments } = findings;
    let mut outline = Outline { rows, kept: vec![true; found.len()], found, comments, noise: Vec::new() };
    let owners = outline.owners(&noise);
    outline.noise = owners.iter().map(|owner| *owner == Owner::Nobody).collect();
    let pieces = outline.pieces(&owners);
    let pieces = outline.joined(pieces);
    pieces.into_iter().map(|piece| outline.block(piece, borders)).collect()
}

impl Outline<'_, '_> {
    /// The innermost declaration of each row. One that shares its first row with what stands before it is a part of
    /// that.
    fn owners(&mut self, noise: &[Range<usize>]) -> Vec<Owner> {
        let mut owners = vec![Owner::File; self.rows.count()];
        for at in 0..self.found.len() {
            let outer = self.outer(at);
            let found = &self.found[at];
            let outside = outer.map_or(Owner::File, Owner::Declaration);
            let apart = outer.is_none_or(|outer| found.head > self.found[outer].head);
            let mut rows = found.rows.clone();
            // What stands above it may be another's already.
            rows.start = (rows.start..=found.head)
                .rev()
                .take_while(|row| owners[*row] == outside && outer.is_none_or(|outer| *row > self.found[outer].head))
                .last()
                .unwrap_or(rows.end);
            self.kept[at] = apart && rows.start <= found.head;
            if self.kept[at] {
                owners[rows.clone()].fill(Owner::Declaration(at));
                self.found[at].rows = rows;
            }
        }
        let holds = self.holds();
        for row in noise.iter().flat_map(Clone::clone) {
            let inside = matches!(owners[row], Owner::Declaration(at) if !holds[at]);
            owners[row] = if inside { owners[row] } else { Owner::Nobody };
        }
        owners
    }

    /// The declaration around this one that has rows.
    fn outer(&self, at: usize) -> Option<usize> {
        let mut outer = self.found[at].outer;
        while let Some(up) = outer.filter(|up| !self.kept[*up]) {
            outer = self.found[up].outer;
        }
        outer
    }

    /// Which declarations hold others.
    fn holds(&self) -> Vec<bool> {
        let mut holds = vec![false; self.found.len()];
        for at in (0..self.found.len()).filter(|at| self.kept[*at]) {
            if let Some(outer) = self.outer(at) {
                holds[outer] = true;
            }
        }
        holds
    }

    /// Stretches of rows of one owner, without those that say nothing.
    fn pieces(&self, owners: &[Owner]) -> Vec<Piece> {
        let holds = self.holds();
        let mut out = Vec::new();
        let mut start = 0;
        for stretch in owners.chunk_by(|a, b| a == b) {
            let all = start..start + stretch.len();
            start = all.end;
            let rows = self.rows.trimmed(all);
            let owner = match stretch[0] {
                Owner::Nobody => continue,
                Owner::File => None,
                Owner::Declaration(at) => Some(at),
            };
            if rows.is_empty() {
                continue;
            }
            let part = match owner {
                Some(at) if !holds[at] && rows.contains(&self.found[at].head) => self.size(at, &rows),
                Some(at) if rows.contains(&self.found[at].head) => Part::Head,
                _ => Part::Rest,
            };
            // A brace alone says nothing.
            let ends = rows.clone().rev().find(|row| part != Part::Head || !self.rows.says_nothing(*row));
            let rows = rows.start..ends.map_or(rows.start, |row| row) + 1;
            if part != Part::Rest || says_something(self.rows, rows.clone()) {
                out.push(Piece { rows, owner, part, label: None, grown: false });
            }
        }
        out
    }

    fn size(&self, at: usize, rows: &Range<usize>) -> Part {
        let found = &self.found[at];
        let small = rows.len() <= SMALL_ROWS && !found.documented;
        let shares = small && (found.shape != Shape::Record || rows.len() == 1);
        if shares { Part::Small } else { Part::Whole }
    }

    fn joined(&self, pieces: Vec<Piece>) -> Vec<Piece> {
        let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
        for mut piece in pieces {
            // What stands first may be about the file.
            let first = out.len() == 1;
            while let Some(last) = out.pop_if(|last| self.goes_onward(last, &piece, first)) {
                piece.rows.start = last.rows.start;
            }
            let Some(last) = out.last_mut() else {
                out.push(piece);
                continue;
            };
            if self.is_again(last, &piece) {
                last.rows.end = piece.rows.end;
            } else if let Some(label) = self.shared(last, &piece) {
                last.rows.end = piece.rows.end;
                last.label = Some(label);
            } else if self.is_field_of(last, &piece) {
                last.rows.end = piece.rows.end;
                last.grown = true;
            } else {
                out.push(piece);
            }
        }
        out
    }

    fn bytes(&self, first: &Piece, last: &Piece) -> usize {
        self.rows.bytes(first.rows.start..last.rows.end).len()
    }

    /// Whether only empty rows, brackets and what is left out lie between two pieces.
    fn adjoin(&self, first: &Piece, second: &Piece) -> bool {
        let mut between = first.rows.end..second.rows.start;
        first.rows.end <= second.rows.start && between.all(|row| self.noise[row] || self.rows.says_nothing(row))
    }

    fn outer_of(&self, piece: &Piece) -> Option<usize> {
        piece.owner.and_then(|at| self.outer(at))
    }

    /// Whether a piece has no place of its own and belongs to the next one.
    fn goes_onward(&self, last: &Piece, next: &Piece, first: bool) -> bool {
        let (Some(owner), true) = (next.owner, self.adjoin(last, next)) else { return false };
        match (last.part, last.owner) {
            // A head that says nothing, before its first member.
            (Part::Head, Some(at)) => {
                let found = &self.found[at];
                let bare = !last.grown && !found.documented && last.rows.end <= found.head + SMALL_ROWS;
                bare && found.shape == Shape::Scope && self.outer(owner) == Some(at)
            }
            // A comment between members.
            (Part::Rest, around) => {
                let run = self.comments.partition_point(|run| run.end < last.rows.end);
                let comment = self.comments.get(run).is_some_and(|run| run.start <= last.rows.start);
                let near = (last.rows.end..next.rows.start).all(|row| self.rows.is_blank(row));
                let heads = last.rows.len() <= SMALL_ROWS && near && !first;
                comment && heads && next.part != Part::Rest && self.outer(owner) == around
            }
            _ => false,
        }
    }

    /// Whether a piece is more of what was declared just before: another clause of a function.
    fn is_again(&self, last: &Piece, next: &Piece) -> bool {
        let (Some(a), Some(b)) = (last.owner, next.owner) else { return false };
        let whole = |part| matches!(part, Part::Whole | Part::Small);
        let (before, again) = (last.label.as_deref().unwrap_or(&self.found[a].label), &self.found[b].label);
        let same = !again.is_empty() && (before == again || before.split(", ").any(|name| name == again));
        let documented = self.found[b].documented;
        same && !documented
            && whole(last.part)
            && whole(next.part)
            && self.outer(a) == self.outer(b)
            && self.adjoin(last, next)
    }

    fn is_type(&self, at: usize) -> bool {
        matches!(self.found[at].shape, Shape::Record | Shape::Class | Shape::Scope)
    }

    /// The label of two small declarations in one block.
    fn shared(&self, last: &Piece, next: &Piece) -> Option<String> {
        let (Some(a), Some(b)) = (last.owner, next.owner) else { return None };
        let alike = self.found[a].shape == self.found[b].shape || self.is_type(a) && self.is_type(b);
        let fits = last.part == Part::Small && next.part == Part::Small && alike && self.outer(a) == self.outer(b);
        if !fits || !self.adjoin(last, next) || self.bytes(last, next) > GROUP_BYTES {
            return None;
        }
        let before = last.label.as_deref().unwrap_or(&self.found[a].label);
        let label = &self.found[b].label;
        // The word of the last name is not said again.
        let word = self.found[a].label.split_once(' ').map(|(word, _)| word);
        let name = label.split_once(' ').filter(|(own, _)| Some(*own) == word).map_or(label.as_str(), |(_, name)| name);
        let both = format!("{before}, {name}");
        match both.len() <= MAX_LABEL && !name.is_empty() {
            true => Some(both),
            // The names of values are in the text.
            false => (self.found[a].shape == Shape::Value).then(|| before.to_owned()),
        }
    }

    /// Whether a piece is a small value that stands below the head of its class.
    fn is_field_of(&self, last: &Piece, next: &Piece) -> bool {
        let Some(owner) = next.owner else { return false };
        last.part == Part::Head
            && next.part == Part::Small
            && self.found[owner].shape == Shape::Value
            && self.outer_of(next) == last.owner
            && self.adjoin(last, next)
            && self.bytes(last, next) <= HEAD_BYTES
    }

    /// The names from outside in.
    fn path(&self, piece: &Piece) -> Vec<String> {
        let mut path = Vec::new();
        let mut at = piece.owner;
        while let Some(number) = at.filter(|_| path.len() < MAX_PATH) {
            let label = piece.label.as_ref().filter(|_| at == piece.owner).unwrap_or(&self.found[number].label);
            if !label.is_empty() {
                path.push(label.clone());
            }
            at = self.found[number].outer;
        }
        path.reverse();
        path
    }

    fn block(&self, piece: Piece, borders: &[u16]) -> Block {
        let range = self.rows.bytes(piece.rows.clone());
        let inner = if range.len() > BORDER_BYTES { piece.rows.start + 1..piece.rows.end } else { 0..0 };
        let cuts = inner.filter(|row| borders[*row] != NONE).map(|row| (self.rows.start(row), borders[row])).collect();
        Block { range, role: BlockRole::Declaration { path: self.path(&piece), borders: cuts } }
    }
}
