//! Finds what a syntax tree declares, from outside in and in the order of the text.
//!
//! Decides which nodes are declarations, with which comments above them, and which rows are left out. Functions are
//! looked into only where they are long; nothing is looked into deeper than `SOURCE_DEPTH`.

use super::comments::licence;
use super::grammars::{Grammar, Meaning, Name, Rule, Shape};
use super::name::{field, spaced};
use super::rows::Rows;
use crate::types::limits::SOURCE_DEPTH;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Longer functions are looked into: the functions in them may be found by themselves.
const LONG_BYTES: usize = 3_000;
/// Longer values are looked into: objects of functions.
const LONG_VALUE_BYTES: usize = 160;
/// Functions within functions, and those of objects, are found by themselves if they have so many rows.
const INNER_ROWS: usize = 4;
/// Noise that is looked at for whether a comment belongs to it: licences come first.
const LICENCES: usize = 4;
/// Levels of syntax that are looked into within one row.
const ROW_LEVELS: u8 = 4;

/// A declaration.
#[derive(Debug)]
pub(super) struct Found {
    /// What it is.
    pub shape: Shape,
    /// Its name behind a word of its language.
    pub label: String,
    /// Its rows, with the comments and attributes above it.
    pub rows: Range<usize>,
    /// The row on which it begins itself.
    pub head: usize,
    /// Whether a comment stands above it.
    pub documented: bool,
    /// The number of the declaration that it stands in.
    pub outer: Option<usize>,
}

/// All that was found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// In the order in which they begin; an outer one before those in it.
    pub declarations: Vec<Found>,
    /// Rows that are left out.
    pub noise: Vec<Range<usize>>,
    /// Rows on which comments stand alone.
    pub comments: Vec<Range<usize>>,
}

/// Comments and attributes that may belong to what follows.
#[derive(Debug, Clone)]
struct Above {
    rows: Range<usize>,
    documents: bool,
    /// Whether it is so certainly documentation that an empty row may follow.
    certainly: bool,
}

/// A node that is still to be looked at.
#[derive(Clone, Copy)]
struct Open<'t> {
    node: Node<'t>,
    outer: Option<usize>,
    depth: usize,
    /// Whether it stands in what runs, where values are no declarations.
    in_body: bool,
    /// Whether the node around it is one that the grammar does not know.
    in_error: bool,
    /// Levels that are looked into if it has one row only.
    levels: u8,
}

struct Walk<'t, 'r> {
    text: &'t str,
    rows: &'r Rows<'t>,
    grammar: &'static Grammar,
    meanings: &'static [Meaning],
    above: Option<Above>,
    open: Vec<Open<'t>>,
    out: Findings,
}

/// Finds the declarations of a tree.
pub(super) fn walk<'t>(tree: &'t Tree, text: &'t str, rows: &Rows<'t>, grammar: &'static Grammar) -> Findings {
    let meanings = grammar.meanings();
    let mut walk = Walk { text, rows, grammar, meanings, above: None, open: Vec::new(), out: Findings::default() };
    let root =
        Open { node: tree.root_node(), outer: None, depth: 0, in_body: false, in_error: false, levels: ROW_LEVELS };
    walk.licence(root.node);
    walk.look_into(root, root.node);
    while let Some(open) = walk.open.pop() {
        walk.visit(open);
    }
    walk.out
}

impl<'t> Walk<'t, '_> {
    fn meaning(&self, node: Node) -> Meaning {
        self.meanings.get(usize::from(node.kind_id())).copied().unwrap_or(Meaning::Other)
    }

    fn rows_of(&self, node: Node) -> Range<usize> {
        self.rows.of_range(node.byte_range())
    }

    fn look_into(&mut self, from: Open<'t>, node: Node<'t>) {
        let levels = if self.rows_of(node).len() > 1 { ROW_LEVELS } else { from.levels.saturating_sub(1) };
        if levels == 0 || from.depth >= SOURCE_DEPTH {
            return;
        }
        let first = self.open.len();
        let mut cursor = node.walk();
        let children = node.named_children(&mut cursor);
        let in_error = node.is_error();
        self.open.extend(children.map(|node| Open { node, depth: from.depth + 1, in_error, levels, ..from }));
        self.open[first..].reverse();
    }

    fn visit(&mut self, mut open: Open<'t>) {
        let node = open.node;
        // Where the text does not follow the grammar, what is indented stands in the body of something unknown.
        open.in_body |= open.in_error && node.start_position().column > 0;
        match self.meaning(node) {
            Meaning::Comment => self.hangs(node, true),
            Meaning::Attribute => self.hangs(node, false),
            Meaning::Noise => self.leave_out(node),
            Meaning::Body => self.look_into(Open { in_body: true, ..open }, node),
            Meaning::Other => self.look_into(open, node),
            Meaning::Rule(at) => self.declare(open, &self.grammar.rules[at]),
        }
    }

    fn leave_out(&mut self, node: Node) {
        if self.rows.begins(node.start_byte()) {
            let mut rows = self.rows_of(node);
            // An attribute goes with what it is for.
            if let Some(above) = self.above.take().filter(|above| !above.documents && above.rows.end == rows.start) {
                rows.start = above.rows.start;
            }
            self.out.noise.push(rows);
        }
    }

    /// Notes a comment or an attribute that stands alone in its line.
    fn hangs(&mut self, node: Node, documents: bool) {
        if !self.rows.begins(node.start_byte()) {
            return;
        }
        let rows = self.rows_of(node);
        if documents {
            match self.out.comments.last_mut().filter(|last| last.end == rows.start) {
                Some(last) => last.end = rows.end,
                None => self.out.comments.push(rows.clone()),
            }
        }
        if self.out.noise.iter().take(LICENCES).any(|licence| licence.start < rows.end && rows.start < licence.end) {
            return;
        }
        match self.above.as_mut().filter(|above| above.rows.end == rows.start) {
            Some(above) => {
                above.rows.end = rows.end;
                above.documents |= documents;
            }
            None => {
                // The first comment of a file may be the file's.
                let certainly = self.text[node.byte_range()].starts_with("/**") && self.out.comments.len() > 1;
                self.above = Some(Above { rows, documents, certainly });
            }
        }
    }

    fn named(&self, node: Node, rule: &Rule) -> Option<(Shape, String)> {
        match rule.name {
            Name::Field(word, name) => Some((rule.shape, spaced(&[word, field(node, name, self.text)?]))),
            Name::Told(tell) => tell(node, self.text),
            Name::None => Some((rule.shape, String::new())),
        }
    }

    /// What a wrapper holds: the last of its children, or of theirs, that declares something.
    fn held(&self, node: Node<'t>) -> Option<(Node<'t>, Shape, String)> {
        let mut cursor = node.walk();
        let children: Vec<Node> = node.named_children(&mut cursor).collect();
        let lists = children.iter().filter(|child| child.kind() == "argument_list");
        let inner: Vec<Node> = lists.filter_map(|list| list.named_child(0)).collect();
        let mut found = None;
        for child in children.into_iter().chain(inner) {
            if let Meaning::Rule(at) = self.meaning(child)
                && let Some((shape, label)) = self.named(child, &self.grammar.rules[at])
            {
                if found.is_some() {
                    return None;
                }
                found = Some((child, shape, label));
            }
        }
        found
    }

    fn declare(&mut self, open: Open<'t>, rule: &Rule) {
        let node = open.node;
        let (mut inner, mut told) = (node, self.named(node, rule));
        let mut levels = 0;
        while told.as_ref().map_or(rule.shape == Shape::Wrapper, |(shape, _)| *shape == Shape::Wrapper) {
            let Some((held, shape, label)) = self.held(inner).filter(|_| levels < 4) else {
                return self.look_into(open, node);
            };
            (inner, told, levels) = (held, Some((shape, label)), levels + 1);
        }
        let Some((shape, label)) = told else { return self.look_into(open, node) };
        let own = self.rows_of(node);
        let begins = self.rows.begins(node.start_byte());
        let above = self.above.clone().filter(|above| match begins {
            true => {
                let gap = above.certainly && above.rows.end + 1 == own.start && self.rows.is_blank(above.rows.end);
                above.rows.end == own.start || gap
            }
            // Attributes stand before it in its line.
            false => above.rows.end == own.start + 1,
        });
        match shape {
            Shape::Noise => return self.leave_out(node),
            Shape::Attribute => return self.hangs(node, self.text[node.byte_range()].starts_with("@doc")),
            Shape::Value | Shape::Quiet if open.in_body => return self.look_into(open, node),
            Shape::Callable if open.in_body && own.len() < INNER_ROWS => return,
            // What stands behind something else in its line is a part of that.
            _ if !begins && above.is_none() => return self.look_into(open, node),
            _ => {}
        }
        let documented = above.as_ref().is_some_and(|above| above.documents);
        if shape == Shape::Quiet && !documented {
            return self.leave_out(node);
        }
        let rows = above.map_or(own.start, |above| above.rows.start)..own.end;
        let outer = Some(self.out.declarations.len());
        self.out.declarations.push(Found { shape, label, rows, head: own.start, documented, outer: open.outer });
        let length = inner.byte_range().len();
        let within = Open { outer, levels: ROW_LEVELS, ..open };
        match shape {
            Shape::Class | Shape::Scope => self.look_into(within, inner),
            Shape::Callable if length > LONG_BYTES => self.look_into(Open { in_body: true, ..within }, inner),
            Shape::Value if length > LONG_VALUE_BYTES => self.look_into(Open { in_body: true, ..within }, inner),
            _ => {}
        }
    }

    /// Leaves out the licence among the comments at the beginning of a file.
    fn licence(&mut self, root: Node) {
        let mut run: Option<Range<usize>> = None;
        let mut cursor = root.walk();
        for child in root.named_children(&mut cursor) {
            let rows = self.rows_of(child);
            let comment = self.meaning(child) == Meaning::Comment;
            let goes_on = run.as_ref().is_some_and(|run| comment && run.end == rows.start);
            if !goes_on && let Some(done) = run.take() {
                self.out.noise.extend(licence(self.rows, done));
            }
            match &mut run {
                Some(run) => run.end = rows.end,
                None if comment => run = Some(rows.clone()),
                None => {}
            }
            if rows.start > 12 && run.is_none() {
                break;
            }
        }
        if let Some(done) = run {
            self.out.noise.extend(licence(self.rows, done));
        }
    }
}
