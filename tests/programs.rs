//! Which programs are started, and that nothing of a stranger's folder is one of them.
#![cfg(unix)]

use crate::support::ken::{Ran, User, run, write};
use crate::support::program::program;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every program is started by `process`, whose table names it.
#[test]
fn no_other_module_starts_a_program() {
    fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() && path.file_name().unwrap() != "tests" {
                sources(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") && path.file_name().unwrap() != "tests.rs" {
                out.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let starts = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        // What differs between systems is how a command is grouped that somebody else starts.
        let is_told_of = path.starts_with(root.join("platform"));
        let ways = if is_told_of { 1 } else { 3 };
        ["Command::new(", "process::{Command", "process::Command"][..ways].iter().any(|way| {
            // What a command is told belongs to whoever wants it started, and clap has a Command of its own.
            let other = ["crate::process", "CommandExt", "clap::Command"];
            code.lines().any(|line| {
                line.split("//").next().unwrap().contains(way) && !other.iter().any(|other| line.contains(other))
            })
        })
    };
    let starting: Vec<_> = files.iter().filter(|path| starts(path)).map(|p| p.strip_prefix(&root).unwrap()).collect();
    assert_eq!(starting, [Path::new("process/mod.rs")]);
}

fn script(path: &Path, text: &str) {
    program(path, &format!("#!/bin/sh\n{text}\n"));
}

/// A user in a folder of a stranger, whose traps leave marks.
struct Trapped {
    user: User,
    here: PathBuf,
    path: String,
}

impl Trapped {
    fn new() -> Self {
        let user = User::new();
        let here = user.work().join("stranger");
        let mark = |name: &str| here.join(format!("mark-{name}"));
        for name in ["pip", "json", "sitecustomize", "usercustomize", "startup"] {
            // In folders of their own: one that is imported for another reason would hide the next.
            let text = format!("open({:?}, 'w')\n", mark(name).to_str().unwrap());
            write(&here.join(name).join(format!("{name}.py")), text);
        }
        for name in ["python3", "python", "pip3", "pip", "git", "ssh", "uv"] {
            script(&here.join("bin").join(name), &format!("touch {}; exit 1", mark(name).display()));
        }
        write(&here.join("conf/pip.conf"), format!("[global]\nlog = {}\n", mark("conf").display()));
        fs::create_dir_all(user.home().join("empty")).unwrap();
        Self { user, here, path: std::env::var("PATH").unwrap() }
    }

    /// Runs `ken` in a folder of the stranger's, with a hub that nobody is and an index that has nothing.
    fn ken(&self, folder: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.user.command(arguments);
        command
            .current_dir(self.here.join(folder))
            .env_remove("HF_HUB_OFFLINE")
            .env("HF_ENDPOINT", "http://127.0.0.1:9");
        command.env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", self.user.home().join("empty"));
        command.env("HOME", self.user.home()).envs(variables.iter().copied());
        run(command, b"")
    }

    #[track_caller]
    fn assert_unmarked(&self, case: &str, ran: &Ran) {
        let names = fs::read_dir(&self.here).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let marks: Vec<String> = names.filter(|name| name.starts_with("mark-")).collect();
        assert!(marks.is_empty(), "{case}: {marks:?} {ran:?}");
    }
}

/// Python would import its modules from the working directory, and the first entry of a search path may lead there.
#[test]
fn a_pull_runs_nothing_of_the_working_directory() {
    let trapped = Trapped::new();
    let path = |first: &str| format!("{first}:{}", trapped.path);
    let inside = |name: &str| trapped.here.join(name).to_str().unwrap().to_owned();
    /// A file, its script, and variables of the environment.
    type Case = (&'static str, &'static str, Vec<(&'static str, String)>);
    let cases: Vec<Case> = vec![
        ("a module called pip", "pip", vec![]),
        ("a module of the standard library", "json", vec![]),
        ("a relative search path", "bin", vec![("PATH", path("."))]),
        ("an empty entry of the search path", "bin", vec![("PATH", path(""))]),
        ("the folder's own path", "bin", vec![("PATH", path(&inside("bin")))]),
        ("a relative path to below", ".", vec![("PATH", path("bin"))]),
        ("sitecustomize", ".", vec![("PYTHONPATH", inside("sitecustomize"))]),
        ("a relative PYTHONPATH", "pip", vec![("PYTHONPATH", ".".into())]),
        ("usercustomize", ".", vec![("PYTHONPATH", inside("usercustomize"))]),
        ("startup", "startup", vec![("PYTHONSTARTUP", "startup.py".into()), ("PYTHONINSPECT", "1".into())]),
        ("another interpreter", ".", vec![("PIP_PYTHON", inside("bin/python3"))]),
        ("configuration of pip", ".", vec![("PIP_CONFIG_FILE", inside("conf/pip.conf"))]),
        ("configuration by a relative path", "conf", vec![("PIP_CONFIG_FILE", "pip.conf".into())]),
    ];
    for (case, folder, variables) in &cases {
        let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let ran = trapped.ken(folder, &["model", "pull"], &variables);
        trapped.assert_unmarked(case, &ran);
        // The machine's own was asked, and has nothing.
        assert!(ran.err.contains("No matching distribution found") && ran.code == 10, "{case}: {ran:?}");
    }
    for (folder, first) in [("pip", "/bin"), ("json", "/bin"), ("bin", ".")] {
        let first = path(first);
        for arguments in [&["lookup", "--pull", "no such thing"][..], &["lookup", "no such thing"]] {
            let ran = trapped.ken(folder, arguments, &[("PATH", &first), ("KEN_AUTO_PULL", "1")]);
            trapped.assert_unmarked(folder, &ran);
            assert!(ran.err.contains("No matching distribution found"), "{ran:?}");
        }
    }
    // Named by the user, but by a path that means something else in every folder.
    for command in ["./pip", "bin/pip", &inside("bin/pip")] {
        let ran =
            trapped.ken(if command == "./pip" { "bin" } else { "." }, &["model", "pull"], &[("KEN_PIP", command)]);
        trapped.assert_unmarked(command, &ran);
        assert!(ran.code == 4 && ran.err.contains("no Python package client"), "{ran:?}");
        assert!(command == "./pip" || ran.err.contains("lies in the folder"), "{ran:?}");
    }
}

/// git would run the command that is named for fetching what is missing.
#[test]
fn no_configuration_of_a_repository_is_obeyed() {
    let trapped = Trapped::new();
    let here = &trapped.here;
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
        let ran = run(
            {
                command.arg("-C").arg(here).args(identity).args(arguments);
                command
            },
            b"",
        );
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out
    };
    git(&["init", "-q", "-b", "main"]);
    for name in ["first", "second"] {
        git(&["commit", "-q", "--allow-empty", "-m", name]);
    }
    write(&here.join("a.md"), "# Apples\n\nThe harvest of apples begins in September, when the nights are cool.\n");
    let first = git(&["rev-list", "--max-parents=0", "HEAD"]).trim().to_owned();
    let marking = here.join("bin/ssh");
    let marking = marking.display();
    let sound = format!(
        "[core]\n\trepositoryformatversion = 1\n\tsshCommand = {marking}\n\tfsmonitor = {marking}\n\thooksPath = bin\n\
         \tpager = {marking}\n\teditor = {marking}\n\tgitProxy = {marking}\n[extensions]\n\tpartialClone = origin\n\
         [alias]\n\trev-list = !{marking}\n\tcat-file = !{marking}\n[credential]\n\thelper = !{marking}\n\
         [remote \"origin\"]\n\turl = ssh://host.invalid/x\n\tpromisor = true\n\tpartialclonefilter = tree:0\n\
         \tuploadpack = {marking}\n[include]\n\tpath = ../../other\n"
    );
    write(&here.join(".git/config"), sound);
    let verbs: [(&[&str], i32); 6] = [
        (&["index", "."], 0),
        (&["search", "--scope", "here", "harvest"], 1),
        (&["pack", "--scope", "here", "--task", "harvest"], 1),
        (&["status"], 0),
        (&["lookup", "error: harvest failed"], 1),
        (&["index", ".", "--json"], 0),
    ];
    for (verb, code) in verbs {
        let ran = trapped.ken(".", verb, &[]);
        trapped.assert_unmarked(verb[0], &ran);
        assert_eq!(ran.code, code, "{ran:?}");
    }
    assert_eq!(kenning::ingest::scope_of(here).as_str(), first);
    // The first commit is missing; then the last one is.
    let object = here.join(".git/objects").join(&first[..2]).join(&first[2..]);
    fs::remove_file(object).unwrap();
    for missing in ["first", "last"] {
        if missing == "last" {
            write(&here.join(".git/refs/heads/main"), "1".repeat(40));
        }
        for (verb, code) in verbs {
            let ran = trapped.ken(".", verb, &[]);
            trapped.assert_unmarked(&format!("{missing} {}", verb[0]), &ran);
            assert_eq!(ran.code, code, "{ran:?}");
        }
    }
    let real = here.canonicalize().unwrap();
    assert_eq!(kenning::ingest::scope_of(here).as_str(), format!("path:{}", real.display()));
}

/// What the user runs is theirs: their folder, their search path, their variables.
#[test]
fn a_command_that_is_run_is_run_as_typed() {
    let user = User::new();
    script(&user.work().join("hello"), "pwd; echo \"$PYTHONPATH\"");
    let mut command = user.command(&["run", "--", "hello"]);
    command.env("PATH", ".:/usr/bin:/bin").env("PYTHONPATH", "mine");
    let ran = run(command, b"");
    let real = user.work().canonicalize().unwrap();
    assert_eq!((ran.code, ran.out), (0, format!("{}\nmine\n", real.display())));
}
