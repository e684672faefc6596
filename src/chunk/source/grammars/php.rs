//! PHP, with the HTML that it stands in.

use super::super::name::{field, joined, spaced};
use super::{Grammar, Shape, named, told};
use std::sync::OnceLock;
use tree_sitter::Node;

pub(super) static PHP: Grammar = Grammar {
    language: tree_sitter_php::LANGUAGE_PHP,
    rules: &[
        told("namespace_definition", Shape::Quiet, |node, text| {
            let shape = if node.child_by_field_name("body").is_some() { Shape::Scope } else { Shape::Quiet };
            Some((shape, spaced(&["namespace", field(node, "name", text).unwrap_or("")])))
        }),
        named("class_declaration", Shape::Class, "class"),
        named("interface_declaration", Shape::Class, "interface"),
        named("trait_declaration", Shape::Class, "trait"),
        named("enum_declaration", Shape::Class, "enum"),
        named("function_definition", Shape::Callable, "function"),
        named("method_declaration", Shape::Callable, "function"),
        told("property_declaration", Shape::Value, |node, text| elements(node, text, "property_element", "")),
        told("const_declaration", Shape::Value, |node, text| elements(node, text, "const_element", "const")),
    ],
    comments: &["comment"],
    attributes: &[],
    noise: &["namespace_use_declaration", "php_tag"],
    bodies: &["anonymous_function", "arrow_function", "if_statement", "foreach_statement", "while_statement"],
    meanings: OnceLock::new(),
};

fn elements(node: Node, text: &str, kind: &str, word: &str) -> Option<(Shape, String)> {
    let mut cursor = node.walk();
    let elements = node.named_children(&mut cursor).filter(|child| child.kind() == kind);
    let names = elements.filter_map(|element| {
        field(element, "name", text).or_else(|| element.named_child(0).map(|name| &text[name.byte_range()]))
    });
    Some((Shape::Value, spaced(&[word, &joined(names)])))
}
