//! The languages as data: comments and strings, keywords, what is public, what ends a signature.
//!
//! Decides nothing; a change here needs a case in `tests`. `braces` has the languages whose scopes are brackets,
//! `lines` all others.

mod braces;
mod lines;

use super::Scopes;
use super::code::Stops;
use super::language::Language;
use super::lexis::Lexis;
use super::outline::Shape;
use super::words::{Public, Words};

pub(super) struct Grammar {
    pub lexis: Lexis,
    pub words: Words,
    pub scopes: Scopes,
}

type Kinds = &'static [(Shape, &'static str)];

const BRACE: Stops = Stops { newline: false, equals: false, colon: false, comma: false };
const NEWLINE: Stops = Stops { newline: true, ..BRACE };

const fn words(modifiers: &'static str, kinds: Kinds, public: Public, stops: Stops) -> Words {
    Words { modifiers, kinds, public, stops, type_first: false }
}

pub(super) fn of(language: Language) -> &'static Grammar {
    match language {
        Language::Rust => &braces::RUST,
        Language::Python => &lines::PYTHON,
        Language::JavaScript => &braces::JAVASCRIPT,
        Language::TypeScript => &braces::TYPESCRIPT,
        Language::Go => &braces::GO,
        Language::Java => &braces::JAVA,
        Language::Kotlin => &braces::KOTLIN,
        Language::Scala => &braces::SCALA,
        Language::CSharp => &braces::CSHARP,
        Language::Swift => &braces::SWIFT,
        Language::C => &braces::CLIKE,
        Language::Ruby => &lines::RUBY,
        Language::Php => &braces::PHP,
        Language::Shell => &lines::SHELL,
        Language::Sql => &lines::SQL,
        Language::Lua => &lines::LUA,
        Language::Elixir => &lines::ELIXIR,
        Language::Haskell => &lines::HASKELL,
        Language::Protobuf => &braces::PROTOBUF,
        Language::Hcl => &lines::HCL,
    }
}
