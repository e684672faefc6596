//! Files that import each other in a circle can only be understood together: read off the imports of every source file.
//!
//! A `mod.rs` that re-exports what its files define counts as those files, so a file may import from the front of
//! its own folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Modules that still have circles, and how many files the largest may be over. Rows are only ever taken away.
const STILL_ALLOWED: &[(&str, usize)] = &[];

/// A module below `src` by the names on the way to it.
type Module = Vec<String>;

/// What a module imports without re-exporting it, and what it re-exports: as paths that begin with `crate`, `self` or
/// `super`.
#[derive(Default)]
struct Imports {
    used: Vec<Vec<String>>,
    exported: Vec<Vec<String>>,
}

/// The code of a file without its tests and comments.
fn code(text: &str) -> String {
    let program = text.split("#[cfg(test)]\nmod tests").next().unwrap_or("");
    program.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// The paths that a `use` names, its braces taken apart.
fn expanded(tree: &str, before: &[String], out: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    if let Some(inner) = tree.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        let (mut depth, mut start) = (0, 0);
        for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    if !inner[start..at].trim().is_empty() {
                        expanded(&inner[start..at], before, out);
                    }
                    start = at + 1;
                }
                _ => {}
            }
        }
        return;
    }
    let name: String = tree.chars().take_while(|c| c.is_alphanumeric() || "_*".contains(*c)).collect();
    let path = [before, std::slice::from_ref(&name)].concat();
    match tree[name.len()..].trim_start().strip_prefix("::") {
        Some(rest) => expanded(rest, &path, out),
        None => out.push(path),
    }
}

fn imports(text: &str) -> Imports {
    let mut out = Imports::default();
    let code = code(text);
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        let Some(at) = statement.rfind("use ").filter(|at| *at == 0 || !word_before(statement, *at)) else {
            rest.push_str(statement);
            continue;
        };
        let tree = statement[at + 4..].trim_end_matches(';').trim();
        let line = statement[..at].lines().last().unwrap_or("");
        let exports = line.trim_start().starts_with("pub");
        rest.push_str(&statement[..at - line.len()]);
        let own = ["crate", "self", "super"].iter().any(|root| tree.starts_with(&format!("{root}::")));
        match (exports, own) {
            (true, true) => expanded(tree, &[], &mut out.exported),
            (true, false) => expanded(tree, &["self".to_owned()], &mut out.exported),
            (false, true) => expanded(tree, &[], &mut out.used),
            (false, false) => {}
        }
    }
    for root in ["crate::", "super::"] {
        for (at, _) in
            rest.match_indices(root).filter(|(at, _)| !word_before(&rest, *at) && !rest[..*at].ends_with("::"))
        {
            let path: String = rest[at..].chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c)).collect();
            out.used.push(path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect());
        }
    }
    out
}

fn word_before(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// All files by the module that they are.
struct Tree(BTreeMap<Module, Imports>);

impl Tree {
    fn read(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut open = vec![root.to_owned()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let relative = path.strip_prefix(root).unwrap().with_extension("");
                    let name = relative.to_str().unwrap().to_owned();
                    files.insert(name, std::fs::read_to_string(&path).unwrap());
                }
            }
        }
        Self::of(files.iter().map(|(name, text)| (name.as_str(), text.as_str())))
    }

    /// From the names of files without their ending, and their texts.
    fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut modules = BTreeMap::new();
        for (name, text) in files {
            let mut module: Module = name.split('/').map(str::to_owned).collect();
            if module.last().is_some_and(|last| last == "mod") {
                module.pop();
            }
            let is_program = !module.iter().any(|part| part == "tests") && module[0] != "lib" && module[0] != "main";
            if is_program {
                modules.insert(module, imports(text));
            }
        }
        Self(modules)
    }

    /// The module that a path of this one leads to, and the name in it.
    fn resolved(&self, own: &[String], path: &[String]) -> (Module, Option<String>) {
        let mut at = own.to_vec();
        let mut rest = path;
        while let Some((first, others)) = rest.split_first() {
            match first.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => drop(at.pop()),
                _ => break,
            }
            rest = others;
        }
        while let Some((first, others)) = rest.split_first() {
            at.push(first.clone());
            if !self.0.contains_key(&at) {
                at.pop();
                break;
            }
            rest = others;
        }
        (at, rest.first().cloned())
    }

    /// Where a name that a module re-exports comes from.
    fn home(&self, module: Module, name: Option<String>) -> Module {
        let (Some(known), Some(name)) = (self.0.get(&module), name) else { return module };
        let from = known.exported.iter().find(|path| path.last() == Some(&name));
        match from.map(|path| self.resolved(&module, path)) {
            Some((next, name)) if next != module => self.home(next, name),
            _ => module,
        }
    }

    fn edges(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let of = |module: &Module, imports: &Imports| {
            let homes = imports.used.iter().map(|path| {
                let (at, name) = self.resolved(module, path);
                self.home(at, name)
            });
            homes.filter(|home| home != module && self.0.contains_key(home)).collect()
        };
        self.0.iter().map(|(module, imports)| (module, of(module, imports))).collect()
    }

    /// Sets of files that all lead to each other, as they are named.
    fn circles(&self) -> BTreeSet<Vec<String>> {
        let edges = self.edges();
        let reached = |from: &Module| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
            while let Some(next) = open.pop() {
                open.extend(edges[&next].iter().filter(|one| seen.insert((*one).clone())).cloned());
            }
            seen
        };
        let reached: BTreeMap<&Module, BTreeSet<Module>> =
            edges.keys().map(|module| (*module, reached(module))).collect();
        let circle = |module: &Module| -> Vec<String> {
            let others = reached[module].iter().filter(|other| reached[*other].contains(module));
            others.map(|other| other.join("/")).collect()
        };
        edges.keys().map(|module| circle(module)).filter(|circle| circle.len() > 1).collect()
    }
}

#[test]
fn files_import_each_other_in_no_circle() {
    let tree = Tree::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(tree.0.len() > 200, "the sources were not found");
    let allowed = |circle: &Vec<String>| {
        let module = circle[0].split('/').next().unwrap_or("");
        STILL_ALLOWED.iter().any(|(name, most)| *name == module && circle.len() <= *most)
    };
    let circles: Vec<String> =
        tree.circles().iter().filter(|circle| !allowed(circle)).map(|circle| circle.join(", ")).collect();
    assert!(circles.is_empty(), "circles of imports:\n{}", circles.join("\n"));
}

#[test]
fn a_circle_is_seen() {
    let files = |b: &'static str| {
        [
            ("a/mod", "mod one;\nmod two;\npub use one::One;\npub use two::{Two, Deep};\n"),
            ("a/one", "use super::Two;\npub struct One(Two);\n"),
            ("a/two", b),
            ("c", "use crate::a::{One, Two as Other};\n"),
            ("tests", "use crate::c;\n"),
        ]
    };
    let seen = |b: &'static str| Tree::of(files(b)).circles().into_iter().collect::<Vec<_>>();
    let circle = vec![vec!["a/one".to_owned(), "a/two".to_owned()]];
    assert_eq!(seen("use super::One;\n"), circle, "by the front of the folder");
    assert_eq!(seen("use super::{\n    one::{self, One},\n};\n"), circle, "in braces");
    assert_eq!(seen("pub fn two() {\n    crate::a::one::one();\n}\n"), circle, "without a use");
    assert_eq!(seen("use crate::c::x;\n").len(), 1, "over three files");
    assert!(seen("// use super::One;\n#[cfg(test)]\nmod tests { use super::super::One; }\n").is_empty());
    assert!(seen("use std::fmt::{self, Display};\n").is_empty());
}
