//! Kotlin.

use super::super::name::{content, field, spaced};
use super::{Grammar, Name, Rule, Shape, named, told};
use std::sync::OnceLock;
use tree_sitter::Node;

pub(super) static KOTLIN: Grammar = Grammar {
    language: tree_sitter_kotlin_ng::LANGUAGE,
    rules: &[
        told("class_declaration", Shape::Class, class),
        named("object_declaration", Shape::Class, "object"),
        told("companion_object", Shape::Scope, |node, text| {
            Some((Shape::Scope, spaced(&["companion object", field(node, "name", text).unwrap_or("")])))
        }),
        told("function_declaration", Shape::Callable, function),
        told("property_declaration", Shape::Value, property),
        told("secondary_constructor", Shape::Callable, |_, _| Some((Shape::Callable, "constructor".to_owned()))),
        Rule { kind: "type_alias", shape: Shape::Value, name: Name::Field("typealias", "type") },
        Rule { kind: "package_header", shape: Shape::Quiet, name: Name::None },
    ],
    comments: &["line_comment", "block_comment"],
    attributes: &["file_annotation"],
    noise: &["import"],
    bodies: &["lambda_literal", "anonymous_function"],
    meanings: OnceLock::new(),
};

fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    node.children(&mut node.walk()).collect()
}

fn class(node: Node, text: &str) -> Option<(Shape, String)> {
    let children = children(node);
    let is_enum = children.iter().any(|child| child.kind() == "enum_class_body")
        || children.iter().any(|child| child.kind() == "modifiers" && content(*child, text).contains("enum"));
    let is_interface = children.iter().any(|child| child.kind() == "interface");
    let word = if is_enum { "enum" } else { ["class", "interface"][usize::from(is_interface)] };
    Some((Shape::Class, spaced(&[word, field(node, "name", text)?])))
}

/// `fun find`, and `fun String.twice` of an extension.
fn function(node: Node, text: &str) -> Option<(Shape, String)> {
    let name = node.child_by_field_name("name")?;
    let before = children(node).into_iter().take_while(|child| child.start_byte() < name.start_byte());
    let receiver = before.filter(|child| matches!(child.kind(), "user_type" | "nullable_type")).last();
    let name = content(name, text);
    let name = receiver.map_or(name.to_owned(), |of| format!("{}.{name}", content(of, text)));
    Some((Shape::Callable, spaced(&["fun", &name])))
}

fn property(node: Node, text: &str) -> Option<(Shape, String)> {
    let children = children(node);
    let variable = children.iter().find(|child| child.kind().ends_with("variable_declaration"))?;
    let name = variable.named_child(0).filter(|name| name.kind() == "identifier").unwrap_or(*variable);
    let word = children.iter().find(|child| matches!(child.kind(), "val" | "var")).map_or("val", |word| word.kind());
    Some((Shape::Value, spaced(&[word, content(name, text)])))
}
