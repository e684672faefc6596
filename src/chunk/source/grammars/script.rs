//! JavaScript and TypeScript, with JSX and TSX.

use super::super::name::{content, field, joined, spaced};
use super::{Grammar, Name, Rule, Shape, named, told, wrapper};
use std::sync::OnceLock;
use tree_sitter::Node;

const RULES: &[Rule] = &[
    named("function_declaration", Shape::Callable, "function"),
    named("generator_function_declaration", Shape::Callable, "function"),
    named("function_signature", Shape::Callable, "function"),
    named("method_definition", Shape::Callable, ""),
    named("method_signature", Shape::Callable, ""),
    named("abstract_method_signature", Shape::Callable, ""),
    named("class_declaration", Shape::Class, "class"),
    named("abstract_class_declaration", Shape::Class, "class"),
    named("interface_declaration", Shape::Record, "interface"),
    named("enum_declaration", Shape::Record, "enum"),
    named("type_alias_declaration", Shape::Value, "type"),
    named("internal_module", Shape::Scope, "namespace"),
    named("module", Shape::Scope, "module"),
    Rule { kind: "field_definition", shape: Shape::Value, name: Name::Field("", "property") },
    named("public_field_definition", Shape::Value, ""),
    told("lexical_declaration", Shape::Value, variable),
    told("variable_declaration", Shape::Value, variable),
    told("expression_statement", Shape::Value, assignment),
    told("pair", Shape::Callable, property),
    told("export_statement", Shape::Wrapper, |node, _| {
        let again = node.child_by_field_name("source").is_some() || has_kind(node, "export_clause");
        again.then(|| (Shape::Noise, String::new()))
    }),
    wrapper("ambient_declaration"),
];
const COMMENTS: &[&str] = &["comment", "html_comment"];
const ATTRIBUTES: &[&str] = &["decorator"];
const NOISE: &[&str] = &["import_statement", "import_alias", "hash_bang_line"];
const BODIES: &[&str] = &[
    "arrow_function",
    "function_expression",
    "generator_function",
    "if_statement",
    "for_statement",
    "for_in_statement",
    "while_statement",
    "do_statement",
    "try_statement",
    "switch_statement",
];

const fn script(language: tree_sitter_language::LanguageFn) -> Grammar {
    Grammar {
        language,
        rules: RULES,
        comments: COMMENTS,
        attributes: ATTRIBUTES,
        noise: NOISE,
        bodies: BODIES,
        meanings: OnceLock::new(),
    }
}

pub(super) static JAVASCRIPT: Grammar = script(tree_sitter_javascript::LANGUAGE);
pub(super) static TYPESCRIPT: Grammar = script(tree_sitter_typescript::LANGUAGE_TYPESCRIPT);
pub(super) static TSX: Grammar = script(tree_sitter_typescript::LANGUAGE_TSX);

fn has_kind(node: Node, kind: &str) -> bool {
    node.named_children(&mut node.walk()).any(|child| child.kind() == kind)
}

fn is_function(node: Node) -> bool {
    matches!(node.kind(), "arrow_function" | "function_expression" | "generator_function")
}

fn shape_of(value: Option<Node>) -> Shape {
    match value {
        Some(value) if is_function(value) => Shape::Callable,
        Some(value) if value.kind() == "class" => Shape::Class,
        _ => Shape::Value,
    }
}

/// `const LIMIT = 3`, `const sub = (x) => x`; what is taken from `require` is an import.
fn variable(node: Node, text: &str) -> Option<(Shape, String)> {
    let mut cursor = node.walk();
    let variables: Vec<Node> =
        node.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator").collect();
    let first = variables.first()?;
    let value = first.child_by_field_name("value");
    if variables.len() == 1 && value.is_some_and(|value| content(value, text).starts_with("require(")) {
        return Some((Shape::Noise, String::new()));
    }
    let names = variables.iter().filter_map(|variable| field(*variable, "name", text));
    Some((shape_of(value), spaced(&[content(node.child(0)?, text), &joined(names)])))
}

/// `exports.make = function (a) {}`, `module.exports = {}`.
fn assignment(node: Node, text: &str) -> Option<(Shape, String)> {
    let inner = node.named_child(0).filter(|inner| inner.kind() == "assignment_expression")?;
    let left = inner.child_by_field_name("left").filter(|left| left.kind() == "member_expression")?;
    let mut right = inner.child_by_field_name("right");
    // `res.type = res.contentType = function () {}`.
    for _ in 0..4 {
        right = right.map(|value| match value.kind() {
            "assignment_expression" => value.child_by_field_name("right").unwrap_or(value),
            _ => value,
        });
    }
    Some((shape_of(right), spaced(&[content(left, text)])))
}

/// A function in an object.
fn property(node: Node, text: &str) -> Option<(Shape, String)> {
    let value = node.child_by_field_name("value").filter(|value| is_function(*value));
    value.and_then(|_| Some((Shape::Callable, spaced(&[field(node, "key", text)?]))))
}
