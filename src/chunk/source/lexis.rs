//! How a language writes comments and strings: the table type that `mask` reads, and the pieces several languages
//! share.
//!
//! Decides nothing about declarations. A language that differs only in these words needs a table in `grammars`, no
//! code.

/// What happens at the closing mark of a string when it is preceded or doubled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    None,
    Backslash,
    /// The closing mark written twice stands for itself (SQL, C# verbatim).
    Doubled,
}

/// One kind of string literal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quote {
    pub open: &'static str,
    pub close: &'static str,
    pub escape: Escape,
    pub multiline: bool,
    /// What opens an interpolated expression, its last byte being the bracket, and the bracket that closes it.
    pub hole: Option<(&'static str, u8)>,
}

/// What an apostrophe is besides a quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Apostrophe {
    /// Only what the quotes say.
    Quote,
    /// Between digits, a separator (C, C++, Java).
    Digits,
    /// `'x'` is a character, `'x` a lifetime or symbol (Rust, Scala).
    Lifetime,
    /// As above, and part of a name when it follows one (Haskell).
    Prime,
}

/// Strings whose closing mark depends on how they open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Raw {
    None,
    /// `r#"…"#` and its relatives.
    Rust,
    /// `R"x(…)x"`.
    Cpp,
    /// `#"…"#`.
    Swift,
    /// `$tag$…$tag$`.
    Dollar,
    /// `[==[…]==]`, and after `--` a comment.
    Lua,
    /// `%w[…]`.
    Percent,
    /// `~s(…)`.
    Sigil,
}

/// The comments and strings of a language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexis {
    pub line: &'static [&'static str],
    pub block: &'static [(&'static str, &'static str)],
    pub nested: bool,
    /// How a comment opens that documents what follows; any other comment does so only if `plain_documents`.
    pub doc: &'static [&'static str],
    /// How a comment opens that documents what it stands in.
    pub inner: &'static [&'static str],
    pub plain_documents: bool,
    /// Longest first.
    pub quotes: &'static [Quote],
    pub apostrophe: Apostrophe,
    pub raw: Raw,
    /// What opens a heredoc, as `<<`.
    pub heredoc: Option<&'static str>,
    pub regex: bool,
    /// Whether `#if`, `#define` and the like are lines of their own.
    pub directives: bool,
    /// Whether code stands only between `<?php` and `?>`.
    pub php: bool,
    /// Whether a backslash outside strings takes the next byte, and `#` opens a comment only after a space (shell).
    pub shell: bool,
    /// What opens an attribute or annotation before a declaration.
    pub attributes: &'static [&'static str],
}

const fn plain(open: &'static str, multiline: bool, escape: Escape) -> Quote {
    Quote { open, close: open, escape, multiline, hole: None }
}

const fn holed(open: &'static str, multiline: bool, hole: (&'static str, u8)) -> Quote {
    Quote { open, close: open, escape: Escape::Backslash, multiline, hole: Some(hole) }
}

pub(super) const SINGLE: Quote = plain("'", false, Escape::Backslash);
pub(super) const DOUBLE: Quote = plain("\"", false, Escape::Backslash);
pub(super) const DOUBLE_LONG: Quote = plain("\"", true, Escape::Backslash);
pub(super) const SINGLE_LONG: Quote = plain("'", true, Escape::Backslash);
pub(super) const SINGLE_BARE: Quote = plain("'", true, Escape::None);
pub(super) const BACKTICK_BARE: Quote = plain("`", true, Escape::None);
pub(super) const TRIPLE_DOUBLE: Quote = plain("\"\"\"", true, Escape::Backslash);
pub(super) const TRIPLE_SINGLE: Quote = plain("'''", true, Escape::Backslash);
pub(super) const SQL_SINGLE: Quote = plain("'", true, Escape::Doubled);
pub(super) const SQL_DOUBLE: Quote = plain("\"", false, Escape::Doubled);
pub(super) const SQL_BACKTICK: Quote = plain("`", false, Escape::Doubled);
pub(super) const TEMPLATE: Quote = holed("`", true, ("${", b'}'));
pub(super) const DOLLAR_HOLED: Quote = holed("\"", false, ("${", b'}'));
pub(super) const TRIPLE_DOLLAR: Quote = holed("\"\"\"", true, ("${", b'}'));
pub(super) const SWIFT_DOUBLE: Quote = holed("\"", false, ("\\(", b')'));
pub(super) const HASH_HOLED: Quote = holed("\"", true, ("#{", b'}'));
pub(super) const SHELL_DOUBLE: Quote = holed("\"", true, ("$(", b')'));
const CS_HOLE: Option<(&str, u8)> = Some(("{", b'}'));
pub(super) const CS_VERBATIM: Quote =
    Quote { open: "@\"", close: "\"", escape: Escape::Doubled, multiline: true, hole: None };
pub(super) const CS_HOLED_VERBATIM: Quote = Quote { open: "$@\"", hole: CS_HOLE, ..CS_VERBATIM };
pub(super) const CS_HOLED: Quote =
    Quote { open: "$\"", close: "\"", escape: Escape::Backslash, multiline: false, hole: CS_HOLE };

/// `//`, `/* */`, `"…"` and `'…'`; what most brace languages start from.
pub(super) const C: Lexis = Lexis {
    line: &["//"],
    block: &[("/*", "*/")],
    nested: false,
    doc: &["/**", "///", "/*!", "//!"],
    inner: &[],
    plain_documents: true,
    quotes: &[DOUBLE, SINGLE],
    apostrophe: Apostrophe::Digits,
    raw: Raw::None,
    heredoc: None,
    regex: false,
    directives: false,
    php: false,
    shell: false,
    attributes: &[],
};

/// `#` to the end of the line; what most scripting languages start from.
pub(super) const HASH: Lexis = Lexis {
    line: &["#"],
    block: &[],
    doc: &[],
    quotes: &[DOUBLE_LONG, SINGLE_LONG],
    apostrophe: Apostrophe::Quote,
    ..C
};
