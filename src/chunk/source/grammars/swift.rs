//! Swift.

use super::super::name::{content, field, spaced};
use super::{Grammar, Shape, named, told};
use std::sync::OnceLock;
use tree_sitter::Node;

pub(super) static SWIFT: Grammar = Grammar {
    language: tree_sitter_swift::LANGUAGE,
    rules: &[
        told("class_declaration", Shape::Class, class),
        named("protocol_declaration", Shape::Class, "protocol"),
        named("function_declaration", Shape::Callable, "func"),
        named("protocol_function_declaration", Shape::Callable, "func"),
        told("init_declaration", Shape::Callable, |_, _| Some((Shape::Callable, "init".to_owned()))),
        told("deinit_declaration", Shape::Callable, |_, _| Some((Shape::Callable, "deinit".to_owned()))),
        told("subscript_declaration", Shape::Callable, |_, _| Some((Shape::Callable, "subscript".to_owned()))),
        told("property_declaration", Shape::Value, property),
        told("protocol_property_declaration", Shape::Value, |node, text| {
            Some((Shape::Value, spaced(&[field(node, "name", text)?])))
        }),
        named("typealias_declaration", Shape::Value, "typealias"),
        named("associatedtype_declaration", Shape::Value, "associatedtype"),
        told("macro_declaration", Shape::Callable, |node, text| {
            let mut cursor = node.walk();
            let name = node.named_children(&mut cursor).find(|child| child.kind() == "simple_identifier")?;
            Some((Shape::Callable, spaced(&["macro", content(name, text)])))
        }),
    ],
    comments: &["comment", "multiline_comment"],
    attributes: &[],
    noise: &["import_declaration"],
    bodies: &["lambda_literal", "if_statement", "for_statement", "while_statement"],
    meanings: OnceLock::new(),
};

/// `struct Point`, `extension Point: Equatable`.
fn class(node: Node, text: &str) -> Option<(Shape, String)> {
    let word = field(node, "declaration_kind", text)?;
    let name = field(node, "name", text)?;
    if word != "extension" {
        return Some((Shape::Class, spaced(&[word, name])));
    }
    let mut cursor = node.walk();
    let inherited = node.named_children(&mut cursor).filter(|child| child.kind() == "inheritance_specifier");
    let inherited: Vec<&str> = inherited.map(|child| content(child, text)).collect();
    let name = if inherited.is_empty() { name.to_owned() } else { format!("{name}: {}", inherited.join(", ")) };
    Some((Shape::Scope, spaced(&[word, &name])))
}

fn property(node: Node, text: &str) -> Option<(Shape, String)> {
    let mut cursor = node.walk();
    let word = node.named_children(&mut cursor).find(|child| child.kind() == "value_binding_pattern");
    let word = word.map_or("", |word| content(word, text));
    Some((Shape::Value, spaced(&[word, field(node, "name", text)?])))
}
