//! How an editor is told to open a file at a line.

use std::ffi::OsString;
use std::path::Path;

/// Editors that take `--goto PATH:LINE`.
const GOTO: &[&str] = &["code", "codium", "code-insiders", "vscodium", "cursor"];
/// Editors that take `PATH:LINE`.
const COLON: &[&str] = &["hx", "helix", "subl", "zed"];
/// Editors that take `+LINE PATH`, as vi does.
const PLUS: &[&str] = &[
    "vi",
    "vim",
    "nvim",
    "gvim",
    "view",
    "ex",
    "nano",
    "pico",
    "emacs",
    "emacsclient",
    "micro",
    "kak",
    "joe",
    "jed",
    "mg",
    "ne",
    "gedit",
    "kate",
];

/// The program and arguments of an editor that opens a file at a line; the command may have arguments of its own, as in
/// `code --wait`. An editor that nobody knows is given the file alone. `None` for an empty command.
pub fn at_line(editor: &str, path: &Path, line: usize) -> Option<(OsString, Vec<OsString>)> {
    let mut words = editor.split_whitespace();
    let program = words.next()?;
    let mut arguments: Vec<OsString> = words.map(OsString::from).collect();
    let name = Path::new(program).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let with_line = || {
        let mut place = path.as_os_str().to_owned();
        place.push(format!(":{line}"));
        place
    };
    match name.as_str() {
        name if GOTO.contains(&name) => arguments.extend(["--goto".into(), with_line()]),
        name if COLON.contains(&name) => arguments.push(with_line()),
        name if PLUS.contains(&name) => arguments.extend([format!("+{line}").into(), path.into()]),
        _ => arguments.push(path.into()),
    }
    Some((program.into(), arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_are_told_in_their_own_way() {
        let told = |editor: &str| {
            let (program, arguments) = at_line(editor, Path::new("/a b.md"), 7)?;
            let words = std::iter::once(program).chain(arguments);
            Some(words.map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join("|"))
        };
        assert_eq!(told("vim").as_deref(), Some("vim|+7|/a b.md"));
        assert_eq!(told("/usr/bin/nano -l").as_deref(), Some("/usr/bin/nano|-l|+7|/a b.md"));
        assert_eq!(told("code --wait").as_deref(), Some("code|--wait|--goto|/a b.md:7"));
        assert_eq!(told("hx").as_deref(), Some("hx|/a b.md:7"));
        assert_eq!(told("ed").as_deref(), Some("ed|/a b.md"));
        assert_eq!(told("  "), None);
    }
}
