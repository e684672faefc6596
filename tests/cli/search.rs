//! What `ken search` shows of a hit and where: lines as they stand, the lines around them, all of it, an editor.

use crate::support::ken::{Ran, User, run};

const RUST: &str = "//! Requests.\n\nuse std::time::Duration;\n\n/// How long to wait before a request of the billing client is \
    sent again: twice as\n/// long after every attempt, and never longer than the ceiling that was given.\npub fn \
    backoff(attempt: u32, ceiling: Duration) -> Duration {\n    Duration::from_secs(1 << attempt).min(ceiling)\n}\n";

const GUIDE: &str = "# Operations\n\n## Ports of the harbour gateway\n\nThe gateway listens on these ports:\n\n\
    | port | meaning          |\n|-----:|------------------|\n|  443 | public traffic   |\n| 9090 | gateway metrics  |\n\
    | 9091 | what the pilots  |\n| 9092 | what the lamps   |\n| 9093 | what the tugs    |\n| 9094 | what the dredger |\n\n\
    ## Rotating the keys of the lighthouse\n\nThe keys of the lighthouse are rotated every ninety days, and whoever is on \
    call runs the rotation and waits until both keys are accepted by all of the lamps along the coast, which takes an hour \
    or more in winter.\n\n```sh\nken-ops rotate --lighthouse\n```\n";

fn user() -> User {
    let user = User::new();
    user.document("src/client.rs", RUST);
    user.document("docs/guide.md", GUIDE);
    user.document("docs/old/guide.md", GUIDE.replace("ninety", "thirty"));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    user
}

fn search(user: &User, more: &[&str]) -> Ran {
    user.ken(&[&["search", "--dry-run", "--kind", "chunk", "--min-relevance", "0"], more].concat())
}

const TABLE: &str = "which ports does the harbour gateway listen on";

#[test]
fn lines_stand_as_they_are_and_the_first_of_them_is_named() {
    let user = user();
    let ran = search(&user, &["-n", "1", "--path", "docs/guide.md", TABLE]);
    let wanted = "docs/guide.md:5  Operations > Ports of the harbour gateway\n    The gateway listens on these ports:\n\n    \
        | port | meaning          |\n    |-----:|------------------|\n    |  443 | public traffic   |\n";
    assert!(ran.out.starts_with(wanted), "{}", ran.out);
    let key = ["-n", "1", "--path", "docs/guide.md", "keys of the lighthouse rotated every ninety days"];
    let ran = search(&user, &key);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "prose is wrapped: {}", ran.out);
    assert!(ran.out.contains("    ken-ops rotate --lighthouse\n"), "{}", ran.out);
    // Nothing is set off where nobody looks at it, unless that is wanted.
    assert!(!ran.out.contains('\x1b'), "{}", ran.out);
    let coloured = search(&user, &[&["--color", "always"], &key[..]].concat());
    assert!(coloured.out.contains("are \x1b[1mrotated\x1b[0m"), "{}", coloured.out);
}

#[test]
fn lines_around_a_hit_are_those_of_the_file_while_it_holds_the_hit() {
    let user = user();
    let question = ["--type", "rust", "-n", "1", "how long to wait before a request is sent again"];
    let with = |more: &[&str]| search(&user, &[more, &question[..]].concat());
    let plain = with(&["--json"]).json()["results"][0]["hits"][0].clone();
    assert!(plain.get("excerpt").is_none() && plain.get("text").is_none(), "{plain}");
    let json = with(&["--json", "-C", "2"]).json()["results"][0]["hits"][0]["excerpt"].clone();
    let lines: Vec<&str> = json["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    let first = json["line_start"].as_u64().unwrap() as usize;
    let file: Vec<&str> = RUST.lines().collect();
    assert_eq!(lines, file[first - 1..first - 1 + lines.len()], "{json}");
    assert!(lines.contains(&"use std::time::Duration;"), "two lines before: {json}");
    assert!(with(&["-C", "2"]).out.contains("    use std::time::Duration;\n"));
    // Moved, the lines are those of now; changed, nothing is known of what stands around.
    user.document("src/client.rs", format!("// New.\n// New.\n{RUST}"));
    let moved = with(&["--json", "-C", "9"]).json()["results"][0]["hits"][0]["excerpt"].clone();
    assert_eq!((moved["line_start"].as_u64(), moved["lines"][0].as_str()), (Some(1), Some("// New.")), "{moved}");
    user.document("src/client.rs", RUST.replace("billing", "invoicing"));
    let changed = with(&["--json", "-C", "9"]).json()["results"][0]["hits"][0]["excerpt"].clone();
    assert!(changed["lines"].as_array().unwrap().len() < file.len(), "{changed}");
    assert_eq!(with(&["-C", "x"]).code, 2);
}

#[test]
fn the_whole_text_is_shown_when_it_is_asked_for() {
    let user = user();
    let question = ["-n", "1", "--path", "docs/guide.md", TABLE];
    let text = search(&user, &[&["--full", "--json"], &question[..]].concat()).json()["results"][0]["hits"][0].clone();
    let whole = text["text"].as_str().unwrap();
    assert!(whole.contains("| 9090 | gateway metrics  |") && GUIDE.contains(whole), "{text}");
    let shown = search(&user, &[&["--full"], &question[..]].concat()).out;
    assert!(whole.lines().all(|line| line.len() > 90 || shown.contains(line)), "{shown}");
    // An entry of a pack is shown with its steps.
    let entry = user.ken(&["search", "--full", "--kind", "canon", "-n", "1", "--min-relevance", "0", "state lock"]);
    assert!(entry.code == 0 && entry.out.contains("\n    1. "), "{entry:?}");
}

/// A paragraph longer than what is shown of it, on lines.
const LONG: &str = "# Tides\n\nThe tables of the tides are printed by the harbour office in the first week of\nevery year, and\n\
    whoever keeps a boat along the quay is given one of them without having\nto ask for it, because a keel that \
    touches the ground at low water is dear, and\nbecause the insurance of the harbour does not pay for what was \
    foreseeable to\nanybody who had read the tables on the day before, which is what the court said\nwhen it was asked \
    about this by the owner of a yacht that had fallen over at\nlow water in the year of the great storm.\n";

#[test]
fn a_sentence_that_is_cut_ends_in_an_ellipsis_for_people_and_as_it_stands_for_programs() {
    let user = User::new();
    user.document("tides.md", LONG);
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let question = "who is given the tables of the tides that the harbour office prints";
    let shown = search(&user, &["-n", "1", question]).out;
    let cut = shown.lines().find(|line| line.ends_with(" …")).unwrap_or_else(|| panic!("{shown}")).trim();
    assert!(LONG.contains(&cut[..cut.len() - " …".len()]) && !shown.contains("great storm"), "{shown}");
    let json = search(&user, &["--json", "-C", "0", "-n", "1", question]).json();
    let lines = json["results"][0]["hits"][0]["excerpt"]["lines"].as_array().unwrap().clone();
    assert!(lines.iter().all(|line| LONG.lines().any(|own| own == line)), "{json}");
    // The whole text ends where it ends.
    assert!(!search(&user, &["--full", "-n", "1", question]).out.contains('…'));
}

#[test]
fn paths_alone_are_printed_once_like_grep_does() {
    let user = user();
    let paths = |more: &[&str]| {
        let ran = user.ken(&[&["search", "--dry-run", "-l"], more, &["keys of the lighthouse"]].concat());
        (ran.code, ran.out)
    };
    let sure = ["--min-relevance", "0", "--path", "docs", "-n", "20"];
    let (code, all) = paths(&sure);
    let mut lines: Vec<&str> = all.lines().collect();
    lines.sort_unstable();
    assert_eq!((code, lines), (0, vec!["docs/guide.md", "docs/old/guide.md"]), "several hits in each, one path: {all}");
    // Entries of packs, which are hits here too, stand in no file.
    let question = ["--min-relevance", "0", "-n", "3", "git: the keys of the histories of the lighthouse are refused"];
    let any = user.ken(&[&["search", "--dry-run"], &question[..]].concat());
    let files = user.ken(&[&["search", "--dry-run", "--files"], &question[..]].concat());
    assert!(any.out.contains("ken canon show"), "{any:?}");
    assert!(files.code == 0 && files.out.contains("docs/guide.md\n"), "{files:?}");
    assert!(files.out.lines().all(|path| user.work().join(path).is_file()), "{files:?}");
    let nothing = user.ken(&["search", "-l", "qqq zzz never heard of"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (1, ""));
    assert!(nothing.err.starts_with("Nothing known about this."), "-l is no filter: {nothing:?}");
    assert_eq!(paths(&["--full"]).0, 2);
    assert_eq!(paths(&["--json"]).0, 2);
}

#[test]
fn files_are_filtered_by_type_and_left_out_by_pattern() {
    let user = user();
    let paths = |more: &[&str]| -> Vec<String> {
        let json = search(&user, &[&["--json", "-n", "50"], more, &["keys ports request"]].concat()).json();
        let hits = json["results"][0]["hits"].as_array().unwrap().clone();
        let work = user.work().canonicalize().unwrap();
        let mut paths: Vec<String> = hits
            .iter()
            .map(|hit| hit["path"].as_str().unwrap().strip_prefix(work.to_str().unwrap()).unwrap().to_owned())
            .collect();
        paths.sort();
        paths.dedup();
        paths
    };
    let (rust, guide, old) = ("/src/client.rs", "/docs/guide.md", "/docs/old/guide.md");
    assert_eq!(paths(&[]), [guide, old, rust]);
    assert_eq!((paths(&["--type", "Rust"]), paths(&["--type", ".rs"])), (vec![rust.to_owned()], vec![rust.to_owned()]));
    assert_eq!(paths(&["--type", "md", "--type", "rust"]), [guide, old, rust]);
    assert_eq!(paths(&["--exclude", "docs/old"]), [guide, rust]);
    assert_eq!(paths(&["--exclude", "*/old/*", "--exclude", "*.rs"]), [guide]);
    assert_eq!(paths(&["--type", "markdown", "--exclude", "docs/guide.md"]), [old]);
    for wrong in [["--type", "*.md"], ["--exclude", "[a"]] {
        assert_eq!(search(&user, &[&wrong[..], &["x"]].concat()).code, 2, "{wrong:?}");
    }
    // An entry of a pack is in no file.
    let canon = user.ken(&["search", "--type", "md", "--min-relevance", "0", "terraform state lock", "--json"]).json();
    let hits = canon["results"][0]["hits"].as_array().unwrap();
    assert!(hits.iter().all(|hit| hit["kind"] == "chunk"), "{canon}");
}

/// The same paragraph in two repositories: the one that somebody is in is shown, but a better answer stays first.
#[test]
fn what_is_here_comes_before_what_is_elsewhere_at_equal_relevance() {
    let user = User::new();
    let text =
        "# Harbour\n\nThe pilots of the harbour are ordered by radio, two hours before the ship is at the roads.\n";
    for name in ["one", "two"] {
        std::fs::create_dir_all(user.work().join(name).join(".git")).unwrap();
        user.document(&format!("{name}/pilots.md"), text);
    }
    let better =
        "# Ships\n\nWhere the pilots of the harbour are ordered is written in the harbour's handbook of pilots.\n";
    user.document("two/better.md", better);
    user.document(
        "one/other.md",
        "# Ships\n\nPilots like tea, and whoever is on call for the harbour makes it for them.\n",
    );
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let first = |from: &str, more: &[&str], question: &str| {
        let all = ["search", "--json", "--dry-run", "--kind", "chunk", "--min-relevance", "0"];
        let mut command = user.command(&[&all, more, &[question]].concat());
        command.current_dir(user.work().join(from));
        let json = run(command, b"").json();
        let hit = json["results"][0]["hits"][0].clone();
        let path = hit["path"].as_str().unwrap().to_owned();
        path.rsplit('/').take(2).collect::<Vec<_>>().join("<")
    };
    let radio = "the pilots of the harbour are ordered by radio two hours before";
    assert_eq!(first("one", &[], radio), "pilots.md<one");
    assert_eq!(first("two", &[], radio), "pilots.md<two");
    let neither = first(".", &[], radio);
    assert_eq!(
        (first("one", &["--prefer", "none"], radio), first("two", &["--prefer", "none"], radio)),
        (neither.clone(), neither)
    );
    let handbook = "in which handbook is written where pilots of the harbour are ordered";
    assert_eq!(first("one", &[], handbook), "better.md<two", "much better elsewhere");
    user.write("config.toml", "[search]\nprefer = \"none\"\n");
    assert_eq!(first("one", &[], radio), first("two", &[], radio), "the setting counts");
    assert_eq!(user.ken(&["search", "--prefer", "there", "x"]).code, 2);
}

#[test]
#[cfg(unix)]
fn a_hit_opens_in_the_editor_at_its_line() {
    let user = user();
    let told = user.work().join("told");
    let script = format!("#!/bin/sh\nprintf '%s|' \"$@\" > {}\n", told.display());
    for name in ["vim", "code", "broken"] {
        let text = if name == "broken" { "#!/bin/sh\nexit 3\n" } else { &script };
        crate::support::program::program(&user.home().join("bin").join(name), text);
    }
    let bin = user.home().join("bin");
    let open = |number: &str, variables: &[(&str, &str)], more: &[&str]| {
        let all = ["search", "--dry-run", "--kind", "chunk", "--min-relevance", "0", "--path", "docs/guide.md"];
        let mut command = user.command(&[&all, more, &["--open", number, TABLE]].concat());
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        command.env("PATH", path).envs(variables.iter().copied());
        run(command, b"")
    };
    let guide = user.work().canonicalize().unwrap().join("docs/guide.md").display().to_string();
    let ran = open("1", &[("EDITOR", "vim -R")], &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(std::fs::read_to_string(&told).unwrap(), format!("-R|+5|{guide}|"));
    // What is shown is where it opens.
    assert!(ran.out.starts_with("docs/guide.md:5  "), "{ran:?}");
    open("1", &[("VISUAL", "code --wait"), ("EDITOR", "vim")], &[]);
    assert_eq!(std::fs::read_to_string(&told).unwrap(), format!("--wait|--goto|{guide}:5|"));
    for (number, variables, more, code, says) in [
        ("1", &[][..], &[][..], 2, "neither VISUAL nor EDITOR"),
        ("9", &[("EDITOR", "vim")], &[], 2, "no hit 9 was shown"),
        ("1", &[("EDITOR", "no-such-editor")], &[], 9, "the editor no-such-editor"),
        ("1", &[("EDITOR", "broken")], &[], 9, "exit status: 3"),
        ("0", &[("EDITOR", "vim")], &[], 2, "--open"),
    ] {
        let ran = open(number, variables, more);
        assert!(ran.code == code && ran.err.contains(says), "{number} {variables:?}: {ran:?}");
    }
    let json = open("1", &[("EDITOR", "vim")], &["--json"]);
    assert_eq!((json.code, json.json()["error"]["kind"].as_str()), (2, Some("usage")), "{json:?}");
}

/// Also of what came near where nothing was sure.
#[test]
fn what_is_called_good_becomes_a_label_and_goes_with_its_file() {
    let user = user();
    let labels = user.home().join("labels.jsonl");
    let kept = || std::fs::read_to_string(&labels).unwrap_or_default();
    assert_eq!(search(&user, &["-n", "2", "--good", "1", TABLE]).code, 0);
    let ran = search(&user, &["-n", "2", "--good", "9", TABLE]);
    assert_eq!((ran.code, ran.err.contains("no hit 9 was shown: one was")), (2, true), "{}", ran.err);
    let silent = user.ken(&["search", "--kind", "chunk", "--min-relevance", "1", "--good", "1", "keys lighthouse"]);
    assert!(silent.err.contains("Stored"), "{}", silent.err);
    let before = kept();
    assert_eq!(before.lines().count(), 2, "{before}");
    assert_eq!(search(&user, &["-n", "2", "--good", "1", TABLE]).code, 0);
    assert_eq!(kept().lines().count(), 2, "said twice it counts once");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&labels).unwrap().permissions().mode() & 0o077, 0);
    }
    let set = user.ken(&["bench", "from-index", "set", "--questions", "1", "--json"]).json();
    assert_eq!((&set["labelled"], &set["questions"]), (&2.into(), &1.into()), "{set}");
    assert_eq!(user.ken(&["forget", "--path", "docs"]).code, 0);
    assert_eq!(kept(), "", "{before}");
}
