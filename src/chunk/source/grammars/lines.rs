//! The grammars of the languages that are read by their lines: indentation or statements.
//!
//! Decides nothing: tables for `python`, `indents` and `statements` to read.

use super::super::Scopes;
use super::super::lexis::{
    Apostrophe, BACKTICK_BARE, DOLLAR_HOLED, DOUBLE, HASH, HASH_HOLED, Lexis, Raw, SHELL_DOUBLE, SINGLE, SINGLE_BARE,
    SINGLE_LONG, SQL_BACKTICK, SQL_DOUBLE, SQL_SINGLE, TRIPLE_DOUBLE, TRIPLE_SINGLE,
};
use super::super::outline::Shape::{Callable, Container, Record, Value};
use super::super::statements::NO_WORDS;
use super::super::words::Public;
use super::super::{indents, statements};
use super::{BRACE, Grammar, NEWLINE, words};

pub(super) static PYTHON: Grammar = Grammar {
    lexis: Lexis { quotes: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE], ..HASH },
    words: NO_WORDS,
    scopes: Scopes::Python,
};
pub(super) static RUBY: Grammar = Grammar {
    lexis: Lexis {
        block: &[("=begin", "=end")],
        quotes: &[HASH_HOLED, SINGLE_LONG, BACKTICK_BARE],
        raw: Raw::Percent,
        heredoc: Some("<<"),
        regex: true,
        ..HASH
    },
    words: words(
        "private public protected private_class_method",
        &[(Callable, "def"), (Container, "class module"), (Value, "attr_accessor attr_reader attr_writer scope")],
        Public::Unless("private private_class_method"),
        NEWLINE,
    ),
    scopes: Scopes::Indents(indents::ruby),
};
pub(super) static LUA: Grammar = Grammar {
    lexis: Lexis { line: &["--"], doc: &["---"], quotes: &[DOUBLE, SINGLE], raw: Raw::Lua, ..HASH },
    words: NO_WORDS,
    scopes: Scopes::Indents(indents::lua),
};
pub(super) static ELIXIR: Grammar = Grammar {
    lexis: Lexis { quotes: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, HASH_HOLED, SINGLE_LONG], raw: Raw::Sigil, ..HASH },
    words: words(
        "",
        &[
            (Container, "defmodule defprotocol defimpl"),
            (Callable, "def defp defmacro defmacrop"),
            (Value, "defguard defdelegate defstruct defexception"),
        ],
        Public::Always,
        NEWLINE,
    ),
    scopes: Scopes::Indents(indents::elixir),
};
pub(super) static HASKELL: Grammar = Grammar {
    lexis: Lexis {
        line: &["--"],
        block: &[("{-", "-}")],
        nested: true,
        doc: &["-- |", "{-|", "{- |"],
        quotes: &[DOUBLE, SINGLE],
        apostrophe: Apostrophe::Prime,
        ..HASH
    },
    words: words(
        "",
        &[(Record, "data newtype"), (Value, "type module"), (Container, "class instance")],
        Public::Always,
        NEWLINE,
    ),
    scopes: Scopes::Indents(indents::haskell),
};
pub(super) static SHELL: Grammar = Grammar {
    lexis: Lexis { quotes: &[SHELL_DOUBLE, SINGLE_BARE], heredoc: Some("<<"), shell: true, ..HASH },
    words: NO_WORDS,
    scopes: Scopes::Statements(statements::shell),
};
pub(super) static SQL: Grammar = Grammar {
    lexis: Lexis {
        line: &["--"],
        block: &[("/*", "*/")],
        nested: true,
        quotes: &[SQL_SINGLE, SQL_DOUBLE, SQL_BACKTICK],
        raw: Raw::Dollar,
        ..HASH
    },
    words: words(
        "",
        &[
            (Record, "table type domain"),
            (Callable, "view function procedure trigger"),
            (Value, "index sequence schema extension policy database"),
        ],
        Public::Always,
        BRACE,
    ),
    scopes: Scopes::Statements(statements::sql),
};
pub(super) static HCL: Grammar = Grammar {
    lexis: Lexis { line: &["#", "//"], block: &[("/*", "*/")], quotes: &[DOLLAR_HOLED], heredoc: Some("<<"), ..HASH },
    words: NO_WORDS,
    scopes: Scopes::Statements(statements::hcl),
};
