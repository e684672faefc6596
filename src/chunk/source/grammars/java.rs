//! Java.

use super::{Grammar, Name, Rule, Shape, declarators, named, told};
use std::sync::OnceLock;

pub(super) static JAVA: Grammar = Grammar {
    language: tree_sitter_java::LANGUAGE,
    rules: &[
        named("class_declaration", Shape::Class, "class"),
        named("interface_declaration", Shape::Class, "interface"),
        named("enum_declaration", Shape::Class, "enum"),
        named("record_declaration", Shape::Class, "record"),
        named("annotation_type_declaration", Shape::Record, "@interface"),
        named("method_declaration", Shape::Callable, ""),
        named("constructor_declaration", Shape::Callable, ""),
        named("compact_constructor_declaration", Shape::Callable, ""),
        told("field_declaration", Shape::Value, declarators),
        told("constant_declaration", Shape::Value, declarators),
        Rule { kind: "package_declaration", shape: Shape::Quiet, name: Name::None },
    ],
    comments: &["line_comment", "block_comment"],
    attributes: &[],
    noise: &["import_declaration"],
    bodies: &["lambda_expression"],
    meanings: OnceLock::new(),
};
