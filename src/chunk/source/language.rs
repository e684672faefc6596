//! The languages whose declarations are found, and the file name extensions that tell them. Dialects with a grammar of
//! their own (TSX, C++, headers) are languages here.
//!
//! Leaves it to the caller to look at shebangs and at whole names (`Makefile`).

/// A programming language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// JavaScript, with JSX.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Go.
    Go,
    /// Java.
    Java,
    /// Kotlin.
    Kotlin,
    /// Scala.
    Scala,
    /// C#.
    CSharp,
    /// Swift.
    Swift,
    /// C.
    C,
    /// Headers of C or C++.
    Header,
    /// C++.
    Cpp,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// POSIX shell, Bash, Zsh.
    Shell,
    /// SQL.
    Sql,
    /// Lua.
    Lua,
    /// Elixir.
    Elixir,
    /// Haskell.
    Haskell,
    /// Protocol Buffers.
    Protobuf,
    /// Terraform and other HCL.
    Hcl,
}

const EXTENSIONS: &[(Language, &[&str])] = &[
    (Language::Rust, &["rs"]),
    (Language::Python, &["py", "pyi", "pyw"]),
    (Language::JavaScript, &["js", "jsx", "mjs", "cjs"]),
    (Language::TypeScript, &["ts", "mts", "cts"]),
    (Language::Tsx, &["tsx"]),
    (Language::Go, &["go"]),
    (Language::Java, &["java"]),
    (Language::Kotlin, &["kt", "kts"]),
    (Language::Scala, &["scala", "sc"]),
    (Language::CSharp, &["cs"]),
    (Language::Swift, &["swift"]),
    // What Bison and Flex are given is C around rules; what stands in the rules counts as their text.
    (Language::C, &["c", "y", "l"]),
    (Language::Header, &["h"]),
    (Language::Cpp, &["cc", "cpp", "cxx", "hh", "hpp", "hxx", "h++", "c++", "ipp", "inl", "cu", "cuh", "yy", "ll"]),
    (Language::Ruby, &["rb", "rake", "gemspec"]),
    (Language::Php, &["php", "phtml"]),
    (Language::Shell, &["sh", "bash", "zsh", "ksh", "bats"]),
    (Language::Sql, &["sql", "ddl", "pgsql"]),
    (Language::Lua, &["lua"]),
    (Language::Elixir, &["ex", "exs"]),
    (Language::Haskell, &["hs"]),
    (Language::Protobuf, &["proto"]),
    (Language::Hcl, &["tf", "tfvars", "hcl"]),
];

impl Language {
    /// All languages.
    pub const ALL: [Self; 23] = [
        Self::Rust,
        Self::Python,
        Self::JavaScript,
        Self::TypeScript,
        Self::Tsx,
        Self::Go,
        Self::Java,
        Self::Kotlin,
        Self::Scala,
        Self::CSharp,
        Self::Swift,
        Self::C,
        Self::Header,
        Self::Cpp,
        Self::Ruby,
        Self::Php,
        Self::Shell,
        Self::Sql,
        Self::Lua,
        Self::Elixir,
        Self::Haskell,
        Self::Protobuf,
        Self::Hcl,
    ];

    /// The language of files with this extension, written without the dot, in any case.
    #[must_use]
    pub fn of_extension(ext: &str) -> Option<Self> {
        let ext = ext.to_ascii_lowercase();
        EXTENSIONS.iter().find(|(_, known)| known.contains(&ext.as_str())).map(|(language, _)| *language)
    }
}
