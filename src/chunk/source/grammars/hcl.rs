//! Terraform and other HCL.

use super::super::name::{content, spaced};
use super::{Grammar, Shape, told};
use std::sync::OnceLock;
use tree_sitter::Node;

pub(super) static HCL: Grammar = Grammar {
    language: tree_sitter_hcl::LANGUAGE,
    rules: &[
        told("block", Shape::Record, block),
        told("attribute", Shape::Value, |node, text| {
            Some((Shape::Value, spaced(&[content(node.named_child(0)?, text)])))
        }),
    ],
    comments: &["comment"],
    attributes: &[],
    noise: &[],
    bodies: &[],
    meanings: OnceLock::new(),
};

/// `resource "aws_vpc" "main"`.
fn block(node: Node, text: &str) -> Option<(Shape, String)> {
    let mut cursor = node.walk();
    let words = node.named_children(&mut cursor).take_while(|child| child.kind() != "block_start");
    let words: Vec<&str> = words.map(|word| content(word, text)).collect();
    Some((Shape::Record, spaced(&words)))
}
