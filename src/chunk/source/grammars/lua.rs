//! Lua.

use super::super::name::{content, joined, spaced};
use super::{Grammar, Name, Rule, Shape, told};
use std::sync::OnceLock;
use tree_sitter::Node;

pub(super) static LUA: Grammar = Grammar {
    language: tree_sitter_lua::LANGUAGE,
    rules: &[
        Rule { kind: "function_declaration", shape: Shape::Callable, name: Name::Field("function", "name") },
        told("variable_declaration", Shape::Value, local),
        told("assignment_statement", Shape::Value, assignment),
    ],
    comments: &["comment"],
    attributes: &[],
    noise: &["hash_bang_line"],
    bodies: &["if_statement", "for_statement", "while_statement", "repeat_statement", "do_statement"],
    meanings: OnceLock::new(),
};

fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    node.named_children(&mut node.walk()).find(|child| child.kind() == kind)
}

/// `local M = {}`; what is taken from `require` is an import.
fn local(node: Node, text: &str) -> Option<(Shape, String)> {
    let (inner, word) = (child(node, "assignment_statement")?, "local");
    let value = child(inner, "expression_list").and_then(|list| list.named_child(0));
    if value.is_some_and(|value| content(value, text).starts_with("require")) {
        return Some((Shape::Noise, String::new()));
    }
    let (shape, names) = assigned(inner, text)?;
    let word = if shape == Shape::Callable { "function" } else { word };
    Some((shape, spaced(&[word, &names])))
}

/// `M.split = function(s) end`.
fn assignment(node: Node, text: &str) -> Option<(Shape, String)> {
    let (shape, names) = assigned(node, text)?;
    let word = if shape == Shape::Callable { "function" } else { "" };
    Some((shape, spaced(&[word, &names])))
}

fn assigned(node: Node, text: &str) -> Option<(Shape, String)> {
    let list = child(node, "variable_list")?;
    let mut cursor = list.walk();
    let names = joined(list.named_children(&mut cursor).map(|name| content(name, text)));
    let value = child(node, "expression_list").and_then(|list| field_value(list));
    let callable = value.is_some_and(|value| value.kind() == "function_definition");
    Some((if callable { Shape::Callable } else { Shape::Value }, names))
}

fn field_value(list: Node) -> Option<Node> {
    list.child_by_field_name("value").or_else(|| list.named_child(0))
}
