//! What can be the name of a file, and what only looks like one.

/// Longest name in bytes.
const LONGEST: usize = 500;
/// Endings of hosts: `example.com:80` is no line of a file.
const HOSTS: [&str; 10] = ["com", "org", "net", "io", "local", "internal", "localdomain", "lan", "cloud", "corp"];
/// Files without an ending, besides those whose names end with `file`.
const NAMES: [&str; 9] =
    ["BUILD", "WORKSPACE", "Kconfig", "Kbuild", "LICENSE", "README", "GNUmakefile", "SConstruct", "SConscript"];
/// Folders and schemes of what is not the project's own.
const FOREIGN: [&str; 12] = [
    "node_modules",
    "node:",
    "internal/",
    "<",
    "site-packages",
    "dist-packages",
    "/usr/lib/",
    "/rustc/",
    "/usr/local/go/",
    "/lib/python",
    "java.",
    ".cargo/registry",
];

/// Packages of runtimes and of what runs tests: their frames name files without folders.
const RUNTIMES: [&str; 13] = [
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "org.junit.",
    "junit.",
    "System.",
    "Microsoft.",
    "java.base/",
];

/// Whether a text names a file.
pub(super) fn is_file(name: &str) -> bool {
    if name.is_empty() || name.len() > LONGEST || name.chars().any(|c| c.is_control() || "*?<>|\"".contains(c)) {
        return false;
    }
    let Some(name) = name.strip_prefix("file://").or_else(|| (!name.contains("://")).then_some(name)) else {
        return false;
    };
    let is_separator = |c: char| c == '/' || c == '\\';
    let last = name.rsplit(is_separator).next().unwrap_or(name);
    let is_path = name.contains(is_separator);
    if last.is_empty() || !last.contains(|c: char| c.is_alphanumeric()) {
        return false;
    }
    match last.rsplit_once('.') {
        Some((stem, ending)) => {
            let is_ending = (1..=12).contains(&ending.len())
                && ending.starts_with(|c: char| c.is_ascii_alphabetic())
                && ending.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'~'));
            let is_host = !is_path && HOSTS.contains(&ending);
            let is_abbreviation = matches!((stem, ending), ("e", "g") | ("i", "e"));
            is_path || is_ending && !is_host && !is_abbreviation
        }
        // Two words with a slash between them are no path: `and/or`.
        None if is_path => {
            name.starts_with(['/', '.', '~']) || name.matches(is_separator).count() > 1 || is_named(last)
        }
        None => is_named(last),
    }
}

/// Whether a text names a file where a line and a column follow it: `bin/setup:3:4`.
pub(super) fn is_short_path(name: &str) -> bool {
    let is_word = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
    };
    name.len() <= LONGEST && name.contains('/') && name.split('/').all(is_word)
}

fn is_named(last: &str) -> bool {
    let is_word = last.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word && (NAMES.contains(&last) || last.len() > 4 && last.to_ascii_lowercase().ends_with("file"))
}

/// Whether the name has an ending, as nearly all sources have.
pub(super) fn has_ending(name: &str) -> bool {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    last.rsplit_once('.').is_some_and(|(_, ending)| ending.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Whether a frame lies in what the project only uses. `line` is the whole line of the frame.
pub(super) fn is_foreign(name: &str, line: &str) -> bool {
    let method = line.trim_start().strip_prefix("at ").unwrap_or_default();
    FOREIGN.iter().any(|part| name.contains(part)) || RUNTIMES.iter().any(|runtime| method.starts_with(runtime))
}
