//! Ruby.

use super::super::name::{content, field, joined, spaced};
use super::{Grammar, Shape, named, told};
use std::sync::OnceLock;
use tree_sitter::Node;

pub(super) static RUBY: Grammar = Grammar {
    language: tree_sitter_ruby::LANGUAGE,
    rules: &[
        named("method", Shape::Callable, "def"),
        told("singleton_method", Shape::Callable, |node, text| {
            let name = format!("{}.{}", field(node, "object", text)?, field(node, "name", text)?);
            Some((Shape::Callable, spaced(&["def", &name])))
        }),
        named("class", Shape::Class, "class"),
        named("module", Shape::Scope, "module"),
        told("singleton_class", Shape::Scope, |node, text| {
            Some((Shape::Scope, spaced(&["class <<", field(node, "value", text)?])))
        }),
        told("assignment", Shape::Value, |node, text| {
            let left = node.child_by_field_name("left").filter(|left| left.kind() == "constant")?;
            Some((Shape::Value, spaced(&[content(left, text)])))
        }),
        named("alias", Shape::Value, "alias"),
        told("call", Shape::Value, call),
    ],
    comments: &["comment"],
    attributes: &[],
    noise: &[],
    bodies: &["if", "unless", "while", "begin", "lambda"],
    meanings: OnceLock::new(),
};

/// `attr_reader :name`, `private def hidden`, `require "x"`; any other call declares nothing.
fn call(node: Node, text: &str) -> Option<(Shape, String)> {
    let method = field(node, "method", text).filter(|_| node.child_by_field_name("receiver").is_none())?;
    let arguments = node.child_by_field_name("arguments")?;
    match method {
        "require" | "require_relative" | "load" | "include" | "extend" | "prepend" | "using" => {
            Some((Shape::Noise, String::new()))
        }
        "private" | "public" | "protected" | "private_class_method" | "module_function" | "memoize" => {
            let inner = arguments.named_child(0)?;
            matches!(inner.kind(), "method" | "singleton_method").then(|| (Shape::Wrapper, String::new()))
        }
        "attr_reader" | "attr_writer" | "attr_accessor" | "define_method" | "alias_method" | "delegate" | "scope"
        | "has_many" | "has_one" | "belongs_to" | "task" | "desc" => {
            let mut cursor = arguments.walk();
            let names = arguments.named_children(&mut cursor).filter(|child| child.kind() == "simple_symbol");
            let names = joined(names.map(|name| content(name, text)));
            (!names.is_empty()).then(|| (Shape::Value, spaced(&[method, &names])))
        }
        _ => None,
    }
}
