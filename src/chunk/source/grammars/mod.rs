//! What the syntax trees of the languages call declarations, comments and imports: one table a language.
//!
//! Decides nothing itself. A kind of node that a table does not name is looked into for declarations below it.

mod bash;
mod c;
mod csharp;
#[cfg(feature = "more-languages")]
mod elixir;
mod go;
#[cfg(feature = "more-languages")]
mod haskell;
#[cfg(feature = "more-languages")]
mod hcl;
mod java;
#[cfg(feature = "more-languages")]
mod kotlin;
#[cfg(feature = "more-languages")]
mod lua;
mod php;
#[cfg(feature = "more-languages")]
mod protobuf;
mod python;
mod ruby;
mod rust;
#[cfg(feature = "more-languages")]
mod scala;
mod script;
#[cfg(feature = "more-languages")]
mod sql;
#[cfg(feature = "more-languages")]
mod swift;

use super::language::Language;
use super::name::{field, joined, spaced};
use std::sync::OnceLock;
use tree_sitter::Node;
use tree_sitter_language::LanguageFn;

/// What a declaration is to the outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A function: one block, unless it is so long that the functions in it are blocks of their own.
    Callable,
    /// A type whose fields are a part of it: one block.
    Record,
    /// Its documentation, head and fields are a block, and each of its members is.
    Class,
    /// As a class; only the place of its members if nothing documents it (`impl`, namespaces).
    Scope,
    /// A constant, a field, an alias: counts outside functions only.
    Value,
    /// A name for the file (`package`): kept where it is documented.
    Quiet,
    /// Stands around the declaration that it holds: an export, a template, decorators.
    Wrapper,
    /// Belongs to the declaration below it, as a comment does; Elixir has such.
    #[cfg_attr(not(feature = "more-languages"), allow(dead_code))]
    Attribute,
    /// Left out: imports.
    Noise,
}

/// How the name of a declaration is read.
#[derive(Clone, Copy)]
pub(super) enum Name {
    /// A word of the language before what this field holds.
    Field(&'static str, &'static str),
    /// By a function, which may say that this is something else, or no declaration.
    Told(fn(Node, &str) -> Option<(Shape, String)>),
    /// What has no name.
    None,
}

/// One kind of node that declares something.
pub(super) struct Rule {
    pub kind: &'static str,
    pub shape: Shape,
    pub name: Name,
}

/// What a language's syntax tree means.
pub(super) struct Grammar {
    pub language: LanguageFn,
    pub rules: &'static [Rule],
    pub comments: &'static [&'static str],
    /// Kinds that belong to the declaration below them.
    pub attributes: &'static [&'static str],
    /// Kinds that are left out.
    pub noise: &'static [&'static str],
    /// Kinds that run when the program does: values in them are no declarations.
    pub bodies: &'static [&'static str],
    pub meanings: OnceLock<Vec<Meaning>>,
}

/// What a kind of node means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Nothing by itself.
    Other,
    /// A declaration by the rule of this number.
    Rule(usize),
    Comment,
    Attribute,
    Noise,
    Body,
}

impl Grammar {
    /// The meaning of each kind of node, by its number.
    pub fn meanings(&self) -> &[Meaning] {
        self.meanings.get_or_init(|| {
            let language = tree_sitter::Language::new(self.language);
            let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
            let meaning = |id| match language.node_kind_for_id(id) {
                Some(kind) if language.node_kind_is_named(id) => self.meaning(kind),
                _ => Meaning::Other,
            };
            (0..count).map(meaning).collect()
        })
    }

    fn meaning(&self, kind: &str) -> Meaning {
        if let Some(at) = self.rules.iter().position(|rule| rule.kind == kind) {
            return Meaning::Rule(at);
        }
        let lists = [
            (self.comments, Meaning::Comment),
            (self.attributes, Meaning::Attribute),
            (self.noise, Meaning::Noise),
            (self.bodies, Meaning::Body),
        ];
        lists.iter().find(|(kinds, _)| kinds.contains(&kind)).map_or(Meaning::Other, |(_, meaning)| *meaning)
    }
}

/// A rule whose name is a field of the node.
const fn named(kind: &'static str, shape: Shape, word: &'static str) -> Rule {
    Rule { kind, shape, name: Name::Field(word, "name") }
}

/// A rule whose name is told by a function.
const fn told(kind: &'static str, shape: Shape, name: fn(Node, &str) -> Option<(Shape, String)>) -> Rule {
    Rule { kind, shape, name: Name::Told(name) }
}

/// A rule for what stands around a declaration.
const fn wrapper(kind: &'static str) -> Rule {
    Rule { kind, shape: Shape::Wrapper, name: Name::None }
}

/// The names of the variables of a declaration, as Java and C# nest them.
fn declarators(node: Node, text: &str) -> Option<(Shape, String)> {
    let mut cursor = node.walk();
    let list = node.named_children(&mut cursor).find(|child| child.kind() == "variable_declaration").unwrap_or(node);
    let mut cursor = list.walk();
    let variables = list.named_children(&mut cursor).filter(|child| child.kind() == "variable_declarator");
    let names = joined(variables.filter_map(|variable| field(variable, "name", text)));
    (!names.is_empty()).then(|| (Shape::Value, spaced(&[&names])))
}

/// The grammars of a language, the likeliest first; none if they are not built in.
pub(super) fn of(language: Language) -> Vec<&'static Grammar> {
    match language {
        Language::Rust => vec![&rust::RUST],
        Language::Python => vec![&python::PYTHON],
        Language::JavaScript => vec![&script::JAVASCRIPT],
        Language::TypeScript => vec![&script::TYPESCRIPT],
        Language::Tsx => vec![&script::TSX],
        Language::Go => vec![&go::GO],
        Language::Java => vec![&java::JAVA],
        Language::CSharp => vec![&csharp::CSHARP],
        Language::C => vec![&c::C],
        Language::Header => vec![&c::C, &c::CPP],
        Language::Cpp => vec![&c::CPP],
        Language::Ruby => vec![&ruby::RUBY],
        Language::Php => vec![&php::PHP],
        Language::Shell => vec![&bash::BASH],
        #[cfg(feature = "more-languages")]
        Language::Kotlin => vec![&kotlin::KOTLIN],
        #[cfg(feature = "more-languages")]
        Language::Scala => vec![&scala::SCALA],
        #[cfg(feature = "more-languages")]
        Language::Swift => vec![&swift::SWIFT],
        #[cfg(feature = "more-languages")]
        Language::Sql => vec![&sql::SQL],
        #[cfg(feature = "more-languages")]
        Language::Lua => vec![&lua::LUA],
        #[cfg(feature = "more-languages")]
        Language::Elixir => vec![&elixir::ELIXIR],
        #[cfg(feature = "more-languages")]
        Language::Haskell => vec![&haskell::HASKELL],
        #[cfg(feature = "more-languages")]
        Language::Protobuf => vec![&protobuf::PROTOBUF],
        #[cfg(feature = "more-languages")]
        Language::Hcl => vec![&hcl::HCL],
        #[cfg(not(feature = "more-languages"))]
        _ => Vec::new(),
    }
}
