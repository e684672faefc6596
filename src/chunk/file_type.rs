//! What people call a type of files, and the endings of its names.

use super::MADE_FROM;

/// Names of types with the endings of their files; an ending is a name as well.
const TYPES: &[(&[&str], &[&str])] = &[
    (&["markdown"], &["md", "markdown", "mdx", "mkd"]),
    (&["restructuredtext", "sphinx"], &["rst", "rest"]),
    (&["asciidoc"], &["adoc", "asciidoc", "asc"]),
    (&["html"], &["html", "htm", "xhtml"]),
    (&["notebook", "jupyter"], &["ipynb"]),
    (&["text", "plain"], &["txt", "text", "org"]),
    (&["rust"], &["rs"]),
    (&["python"], &["py", "pyi", "pyw"]),
    (&["javascript"], &["js", "jsx", "mjs", "cjs"]),
    (&["typescript"], &["ts", "tsx", "mts", "cts"]),
    (&["golang"], &["go"]),
    (&["java"], &["java"]),
    (&["kotlin"], &["kt", "kts"]),
    (&["scala"], &["scala", "sc"]),
    (&["csharp", "c#"], &["cs"]),
    (&["swift"], &["swift"]),
    (&["c"], &["c", "h", "y", "l"]),
    (
        &["c++", "cplusplus"],
        &["cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "h++", "c++", "ipp", "inl", "cu", "cuh", "yy", "ll"],
    ),
    (&["ruby"], &["rb", "rake", "gemspec"]),
    (&["php"], &["php", "phtml"]),
    (&["shell"], &["sh", "bash", "zsh", "ksh", "bats"]),
    (&["sql"], &["sql", "ddl", "pgsql"]),
    (&["lua"], &["lua"]),
    (&["elixir"], &["ex", "exs"]),
    (&["haskell"], &["hs"]),
    (&["protobuf"], &["proto"]),
    (&["terraform", "hcl"], &["tf", "tfvars", "hcl"]),
];

/// The endings of the files of a type. The type is a name or an ending, in any case, with a dot or without. Templates of
/// such files count too, such as `a.md.in`. `None` for what cannot be an ending.
pub fn endings(name: &str) -> Option<Vec<String>> {
    let name = name.trim().trim_start_matches('.').to_lowercase();
    let named = TYPES.iter().find(|(names, _)| names.contains(&name.as_str()));
    let is_ending = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "+-_".contains(c));
    let own: Vec<&str> = match named {
        Some((_, endings)) => endings.to_vec(),
        None if is_ending => vec![name.as_str()],
        None => return None,
    };
    let made = own.iter().flat_map(|ending| MADE_FROM.iter().map(move |last| format!("{ending}.{last}")));
    Some(own.iter().map(|ending| (*ending).to_owned()).chain(made).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Format;
    use std::path::Path;

    #[test]
    fn a_type_is_named_or_is_an_ending() {
        let first = |name: &str, count: usize| endings(name).map(|found| found[..count].join(" "));
        assert_eq!(first("Rust", 2).as_deref(), Some("rs rs.inc"));
        assert_eq!(first("markdown", 4).as_deref(), Some("md markdown mdx mkd"));
        assert_eq!((first(".md", 1).as_deref(), first("tex", 1).as_deref()), (Some("md"), Some("tex")));
        assert_eq!(first("c#", 1).as_deref(), Some("cs"));
        for wrong in ["", ".", "*.md", "a/b", "a b"] {
            assert_eq!(endings(wrong), None, "{wrong}");
        }
    }

    /// All endings of a type are read alike, whatever else is read.
    #[test]
    fn types_are_what_formats_are() {
        for (names, endings) in TYPES {
            let format = |ending: &str| Format::of_path(Path::new(&format!("a.{ending}")));
            let first = format(endings[0]);
            assert!(first.is_some(), "{names:?} is not read");
            for ending in *endings {
                assert!(format(ending).is_some(), "{ending}");
                // C and C++ share their headers; TSX has a grammar of its own.
                assert!(format(ending) == first || ["h", "tsx"].contains(ending), "{ending} of {names:?}");
            }
        }
    }
}
