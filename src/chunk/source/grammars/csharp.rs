//! C#.

use super::super::name::{field, spaced};
use super::{Grammar, Name, Rule, Shape, declarators, named, told};
use std::sync::OnceLock;

pub(super) static CSHARP: Grammar = Grammar {
    language: tree_sitter_c_sharp::LANGUAGE,
    rules: &[
        named("namespace_declaration", Shape::Scope, "namespace"),
        Rule { kind: "file_scoped_namespace_declaration", shape: Shape::Quiet, name: Name::Field("namespace", "name") },
        named("class_declaration", Shape::Class, "class"),
        named("struct_declaration", Shape::Class, "struct"),
        named("record_declaration", Shape::Class, "record"),
        named("interface_declaration", Shape::Class, "interface"),
        named("enum_declaration", Shape::Record, "enum"),
        named("delegate_declaration", Shape::Value, "delegate"),
        named("method_declaration", Shape::Callable, ""),
        named("constructor_declaration", Shape::Callable, ""),
        named("destructor_declaration", Shape::Callable, "~"),
        named("local_function_statement", Shape::Callable, ""),
        told("operator_declaration", Shape::Callable, |node, text| {
            Some((Shape::Callable, spaced(&["operator", field(node, "operator", text)?])))
        }),
        told("conversion_operator_declaration", Shape::Callable, |node, text| {
            Some((Shape::Callable, spaced(&["operator", field(node, "type", text)?])))
        }),
        told("indexer_declaration", Shape::Callable, |_, _| Some((Shape::Callable, "this[]".to_owned()))),
        named("property_declaration", Shape::Value, ""),
        named("event_declaration", Shape::Value, "event"),
        told("event_field_declaration", Shape::Value, declarators),
        told("field_declaration", Shape::Value, declarators),
    ],
    comments: &["comment"],
    attributes: &[],
    noise: &["using_directive", "extern_alias_directive", "preproc_region", "preproc_endregion", "preproc_nullable"],
    bodies: &["lambda_expression", "anonymous_method_expression", "global_statement"],
    meanings: OnceLock::new(),
};
