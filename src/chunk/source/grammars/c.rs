//! C and C++. Both are read through declarators: the name stands inside of what it is declared as.

use super::super::name::{content, field, joined, spaced};
use super::{Grammar, Shape, named, told, wrapper};
use std::sync::OnceLock;
use tree_sitter::Node;

/// Declarators within each other.
const MAX_DECLARATORS: usize = 32;

pub(super) static C: Grammar = Grammar {
    language: tree_sitter_c::LANGUAGE,
    rules: &[
        told("function_definition", Shape::Callable, declaration),
        told("declaration", Shape::Value, declaration),
        told("type_definition", Shape::Value, definition),
        told("struct_specifier", Shape::Record, specifier),
        told("union_specifier", Shape::Record, specifier),
        told("enum_specifier", Shape::Record, specifier),
        told("preproc_call", Shape::Noise, pragma),
        told("preproc_def", Shape::Value, definition_of_macro),
        named("preproc_function_def", Shape::Value, "define"),
    ],
    comments: &["comment"],
    attributes: &[],
    noise: &["preproc_include"],
    bodies: &[],
    meanings: OnceLock::new(),
};

pub(super) static CPP: Grammar = Grammar {
    language: tree_sitter_cpp::LANGUAGE,
    rules: &[
        told("function_definition", Shape::Callable, declaration),
        told("declaration", Shape::Value, declaration),
        told("field_declaration", Shape::Value, declaration),
        told("type_definition", Shape::Value, definition),
        told("class_specifier", Shape::Class, specifier),
        told("struct_specifier", Shape::Class, specifier),
        told("union_specifier", Shape::Record, specifier),
        told("enum_specifier", Shape::Record, specifier),
        named("namespace_definition", Shape::Scope, "namespace"),
        named("namespace_alias_definition", Shape::Value, "namespace"),
        named("alias_declaration", Shape::Value, "using"),
        named("concept_definition", Shape::Value, "concept"),
        told("preproc_call", Shape::Noise, pragma),
        told("preproc_def", Shape::Value, definition_of_macro),
        named("preproc_function_def", Shape::Value, "define"),
        wrapper("template_declaration"),
    ],
    comments: &["comment"],
    attributes: &[],
    noise: &["preproc_include", "using_declaration"],
    bodies: &["lambda_expression"],
    meanings: OnceLock::new(),
};

/// `#pragma once`; other directives of this kind stand where the text is no C.
fn pragma(node: Node, text: &str) -> Option<(Shape, String)> {
    (field(node, "directive", text) == Some("#pragma")).then(|| (Shape::Noise, String::new()))
}

/// `define MAX`; what only says that a header was read is none.
fn definition_of_macro(node: Node, text: &str) -> Option<(Shape, String)> {
    let name = field(node, "name", text)?;
    let guard = ["_H", "_HPP", "_HH", "INCLUDED"].iter().any(|end| name.trim_end_matches('_').ends_with(end));
    let shape = if guard && field(node, "value", text).is_none() { Shape::Noise } else { Shape::Value };
    Some((shape, spaced(&["define", name])))
}

/// `struct ring`.
fn specifier(node: Node, text: &str) -> Option<(Shape, String)> {
    let (shape, word) = match node.kind() {
        "class_specifier" => (Shape::Class, "class"),
        "struct_specifier" => (Shape::Class, "struct"),
        "union_specifier" => (Shape::Record, "union"),
        _ => (Shape::Record, "enum"),
    };
    let shape = if node.child_by_field_name("body").is_some() { shape } else { Shape::Value };
    Some((shape, spaced(&[word, field(node, "name", text).unwrap_or("")])))
}

/// A function, a variable, or a type that is declared with one.
fn declaration(node: Node, text: &str) -> Option<(Shape, String)> {
    let of = node.child_by_field_name("type").filter(|of| of.child_by_field_name("body").is_some());
    if let Some((_, label)) = of.and_then(|of| specifier(of, text)) {
        return Some((Shape::Record, label));
    }
    let (mut callable, mut names) = (node.kind() == "function_definition", Vec::new());
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let (name, is_function) = declared(declarator, text)?;
        callable |= is_function;
        names.push(name);
    }
    let shape = if callable { Shape::Callable } else { Shape::Value };
    (!names.is_empty()).then(|| (shape, spaced(&[&joined(names.into_iter())])))
}

/// `typedef ring_t`.
fn definition(node: Node, text: &str) -> Option<(Shape, String)> {
    let mut cursor = node.walk();
    let declarators = node.children_by_field_name("declarator", &mut cursor);
    let names = joined(declarators.filter_map(|declarator| declared(declarator, text)).map(|(name, _)| name));
    let record = node.child_by_field_name("type").is_some_and(|of| of.child_by_field_name("body").is_some());
    Some((if record { Shape::Record } else { Shape::Value }, spaced(&["typedef", &names])))
}

/// The name in a declarator, and whether it is a function's.
fn declared<'t>(mut node: Node, text: &'t str) -> Option<(&'t str, bool)> {
    let mut callable = false;
    for _ in 0..MAX_DECLARATORS {
        callable |= node.kind() == "function_declarator";
        match node.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "destructor_name"
            | "operator_name"
            | "operator_cast"
            | "template_function" => return Some((content(node, text), callable)),
            // A pointer to a function is a variable.
            "parenthesized_declarator" => callable = false,
            _ => {}
        }
        node = node.child_by_field_name("declarator").or_else(|| node.named_child(0))?;
    }
    None
}
