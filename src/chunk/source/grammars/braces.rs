//! The grammars of the languages whose scopes are brackets.
//!
//! Decides nothing: tables for `braces`, `type_first` and `script` to read.

use super::super::Scopes;
use super::super::code::Stops;
use super::super::lexis::{
    Apostrophe, BACKTICK_BARE, C, CS_HOLED, CS_HOLED_VERBATIM, CS_VERBATIM, DOLLAR_HOLED, DOUBLE, DOUBLE_LONG, Lexis,
    Raw, SINGLE, SINGLE_LONG, SWIFT_DOUBLE, TEMPLATE, TRIPLE_DOLLAR, TRIPLE_DOUBLE,
};
use super::super::outline::Shape::{Callable, Container, Record, Value};
use super::super::words::{Public, Words};
use super::super::{braces, script, type_first};
use super::{BRACE, Grammar, NEWLINE, words};

const NEWLINE_EQUALS: Stops = Stops { equals: true, ..NEWLINE };

pub(super) static RUST: Grammar = Grammar {
    lexis: Lexis {
        nested: true,
        doc: &["///", "/**"],
        inner: &["//!", "/*!"],
        plain_documents: false,
        quotes: &[DOUBLE_LONG, SINGLE],
        apostrophe: Apostrophe::Lifetime,
        raw: Raw::Rust,
        attributes: &["#["],
        ..C
    },
    words: words(
        "pub async unsafe extern default const auto safe",
        &[
            (Callable, "fn macro_rules"),
            (Record, "struct enum union type"),
            (Container, "trait impl mod"),
            (Value, "const static"),
        ],
        Public::Marked("pub"),
        BRACE,
    ),
    scopes: Scopes::Braces(braces::by_keyword),
};
const SCRIPT_LEXIS: Lexis = Lexis {
    doc: &["/**"],
    quotes: &[TEMPLATE, DOUBLE, SINGLE],
    apostrophe: Apostrophe::Quote,
    regex: true,
    attributes: &["@"],
    ..C
};
const SCRIPT_MODIFIERS: &str = "export default async static public private protected abstract readonly declare get \
    set override accessor";
pub(super) static JAVASCRIPT: Grammar = Grammar {
    lexis: SCRIPT_LEXIS,
    words: words(
        SCRIPT_MODIFIERS,
        &[(Callable, "function"), (Container, "class"), (Value, "const let var")],
        Public::Marked("export public"),
        NEWLINE,
    ),
    scopes: Scopes::Braces(script::recognise),
};
pub(super) static TYPESCRIPT: Grammar = Grammar {
    lexis: SCRIPT_LEXIS,
    words: words(
        SCRIPT_MODIFIERS,
        &[
            (Callable, "function"),
            (Container, "class namespace module"),
            (Record, "interface enum type"),
            (Value, "const let var"),
        ],
        Public::Marked("export declare public"),
        NEWLINE,
    ),
    scopes: Scopes::Braces(script::recognise),
};
pub(super) static GO: Grammar = Grammar {
    lexis: Lexis { quotes: &[BACKTICK_BARE, DOUBLE, SINGLE], ..C },
    words: words("", &[(Callable, "func"), (Record, "type"), (Value, "const var package")], Public::Capital, NEWLINE),
    scopes: Scopes::Braces(braces::by_keyword),
};
const TYPED_MODIFIERS: &str = "public private protected internal static final abstract native synchronized transient \
    volatile strictfp default sealed non-sealed virtual override async readonly const extern unsafe partial new \
    required file ref event implicit explicit";
pub(super) static JAVA: Grammar = Grammar {
    lexis: Lexis { doc: &["/**"], quotes: &[TRIPLE_DOUBLE, DOUBLE, SINGLE], attributes: &["@"], ..C },
    words: Words {
        type_first: true,
        ..words(
            TYPED_MODIFIERS,
            &[(Container, "class"), (Record, "interface enum record"), (Value, "package")],
            Public::Marked("public protected"),
            BRACE,
        )
    },
    scopes: Scopes::Braces(type_first::recognise),
};
pub(super) static CSHARP: Grammar = Grammar {
    lexis: Lexis {
        doc: &["///", "/**"],
        quotes: &[TRIPLE_DOUBLE, CS_HOLED_VERBATIM, CS_VERBATIM, CS_HOLED, DOUBLE, SINGLE],
        directives: true,
        attributes: &["["],
        ..C
    },
    words: Words {
        type_first: true,
        ..words(
            TYPED_MODIFIERS,
            &[(Container, "class namespace"), (Record, "interface enum record struct")],
            Public::Marked("public protected"),
            BRACE,
        )
    },
    scopes: Scopes::Braces(type_first::recognise),
};
pub(super) static CLIKE: Grammar = Grammar {
    lexis: Lexis { raw: Raw::Cpp, directives: true, attributes: &["[["], ..C },
    words: Words {
        type_first: true,
        ..words(
            "static extern inline template constexpr virtual explicit friend consteval",
            &[(Container, "class namespace"), (Record, "struct enum union"), (Value, "concept")],
            Public::Unless("static friend"),
            BRACE,
        )
    },
    scopes: Scopes::Braces(type_first::recognise),
};
pub(super) static KOTLIN: Grammar = Grammar {
    lexis: Lexis { nested: true, quotes: &[TRIPLE_DOLLAR, DOLLAR_HOLED, SINGLE], attributes: &["@"], ..C },
    words: words(
        "public private protected internal open abstract final sealed data inner inline value override \
         suspend operator infix tailrec external lateinit const expect actual annotation vararg noinline \
         crossinline companion fun",
        &[
            (Container, "class interface object"),
            (Record, "enum typealias"),
            (Callable, "fun constructor"),
            (Value, "val var package"),
        ],
        Public::Unless("private protected internal"),
        NEWLINE_EQUALS,
    ),
    scopes: Scopes::Braces(braces::by_keyword),
};
pub(super) static SCALA: Grammar = Grammar {
    lexis: Lexis {
        nested: true,
        quotes: &[TRIPLE_DOLLAR, DOUBLE, SINGLE],
        apostrophe: Apostrophe::Lifetime,
        attributes: &["@"],
        ..C
    },
    words: words(
        "private protected override final sealed abstract implicit lazy case inline open transparent opaque \
         infix",
        &[
            (Container, "class trait object extension"),
            (Record, "enum type"),
            (Callable, "def"),
            (Value, "val var given package"),
        ],
        Public::Unless("private protected"),
        NEWLINE_EQUALS,
    ),
    scopes: Scopes::Braces(braces::by_keyword),
};
pub(super) static SWIFT: Grammar = Grammar {
    lexis: Lexis {
        nested: true,
        quotes: &[TRIPLE_DOUBLE, SWIFT_DOUBLE],
        raw: Raw::Swift,
        directives: true,
        attributes: &["@"],
        ..C
    },
    words: words(
        "public private fileprivate internal open package static final class override mutating nonmutating \
         lazy weak unowned convenience required indirect dynamic nonisolated prefix postfix infix optional \
         async",
        &[
            (Callable, "func init subscript macro"),
            (Container, "class actor extension"),
            (Record, "struct enum protocol"),
            (Value, "var let typealias associatedtype case"),
        ],
        Public::Unless("private fileprivate"),
        NEWLINE,
    ),
    scopes: Scopes::Braces(braces::by_keyword),
};
pub(super) static PHP: Grammar = Grammar {
    lexis: Lexis {
        line: &["//", "#"],
        doc: &["/**"],
        quotes: &[DOUBLE_LONG, SINGLE_LONG],
        heredoc: Some("<<<"),
        php: true,
        apostrophe: Apostrophe::Quote,
        attributes: &["#["],
        ..C
    },
    words: words(
        "public private protected static final abstract readonly var",
        &[(Callable, "function"), (Container, "class trait namespace"), (Record, "interface enum"), (Value, "const")],
        Public::Unless("private protected"),
        BRACE,
    ),
    scopes: Scopes::Braces(braces::by_keyword),
};
pub(super) static PROTOBUF: Grammar = Grammar {
    lexis: Lexis { apostrophe: Apostrophe::Quote, ..C },
    words: Words {
        type_first: true,
        ..words(
            "",
            &[(Record, "message enum service extend oneof"), (Callable, "rpc"), (Value, "package")],
            Public::Always,
            BRACE,
        )
    },
    scopes: Scopes::Braces(braces::by_keyword),
};
