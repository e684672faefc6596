//! Elixir: all of it is calls, told apart by what is called.

use super::super::name::{content, spaced};
use super::{Grammar, Shape, told};
use std::sync::OnceLock;
use tree_sitter::Node;

pub(super) static ELIXIR: Grammar = Grammar {
    language: tree_sitter_elixir::LANGUAGE,
    rules: &[told("call", Shape::Callable, call), told("unary_operator", Shape::Value, attribute)],
    comments: &["comment"],
    attributes: &[],
    noise: &[],
    bodies: &["anonymous_function"],
    meanings: OnceLock::new(),
};

fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    node.named_children(&mut node.walk()).find(|child| child.kind() == kind)
}

/// `defmodule Shop.Cart`, `def add`.
fn call(node: Node, text: &str) -> Option<(Shape, String)> {
    let word = content(node.child_by_field_name("target")?, text);
    let first = child(node, "arguments").and_then(|arguments| arguments.named_child(0));
    let shape = match word {
        "defmodule" | "defprotocol" | "defimpl" => Shape::Class,
        "def" | "defp" | "defmacro" | "defmacrop" | "defguard" | "defguardp" | "defdelegate" | "test" => {
            Shape::Callable
        }
        "defstruct" | "defexception" => Shape::Value,
        "import" | "alias" | "require" | "use" => Shape::Noise,
        _ => return None,
    };
    let name = first.map_or("", |first| head(first, text));
    let name = if shape == Shape::Value { "" } else { name };
    Some((shape, spaced(&[word, name])))
}

/// The name in `add(cart, item) when is_map(cart)`.
fn head<'t>(mut node: Node, text: &'t str) -> &'t str {
    for _ in 0..4 {
        match node.child_by_field_name("target").or_else(|| node.child_by_field_name("left")) {
            Some(inner) if matches!(node.kind(), "call" | "binary_operator") => node = inner,
            _ => break,
        }
    }
    content(node, text)
}

/// `@doc` and `@spec` belong to the function below them, `@type t` declares a type, `@limit 3` a value.
fn attribute(node: Node, text: &str) -> Option<(Shape, String)> {
    let operand = node.child_by_field_name("operand").filter(|operand| operand.kind() == "call")?;
    let name = content(operand.child_by_field_name("target")?, text);
    match name {
        "moduledoc" | "behaviour" | "before_compile" | "external_resource" => None,
        "doc" | "spec" | "impl" | "typedoc" | "deprecated" | "since" | "tag" => Some((Shape::Attribute, String::new())),
        "type" | "typep" | "opaque" | "callback" | "macrocallback" => {
            let first = child(operand, "arguments").and_then(|arguments| arguments.named_child(0))?;
            Some((Shape::Value, spaced(&[&format!("@{name}"), head(first, text)])))
        }
        _ => Some((Shape::Value, spaced(&[&format!("@{name}")]))),
    }
}
