//! Protocol Buffers.

use super::super::name::{content, spaced};
use super::{Grammar, Shape, told};
use std::sync::OnceLock;
use tree_sitter::Node;

pub(super) static PROTOBUF: Grammar = Grammar {
    language: tree_sitter_proto::LANGUAGE,
    rules: &[
        told("message", Shape::Record, |node, text| first(node, text, Shape::Record)),
        told("enum", Shape::Record, |node, text| first(node, text, Shape::Record)),
        told("extend", Shape::Record, |node, text| first(node, text, Shape::Record)),
        told("service", Shape::Class, |node, text| first(node, text, Shape::Class)),
        told("rpc", Shape::Callable, |node, text| first(node, text, Shape::Callable)),
    ],
    comments: &["comment"],
    attributes: &[],
    noise: &["syntax", "edition", "package", "import", "option"],
    bodies: &[],
    meanings: OnceLock::new(),
};

/// `message Cart`: the kind of the node is the word.
fn first(node: Node, text: &str, shape: Shape) -> Option<(Shape, String)> {
    Some((shape, spaced(&[node.kind(), content(node.named_child(0)?, text)])))
}
