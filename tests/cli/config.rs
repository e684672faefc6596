use crate::support::ken::{User, run};

#[test]
fn settings_tell_where_they_come_from() {
    let user = User::new();
    user.write("config.toml", "[lookup]\nlimit = 7\n");
    let mut command = user.command(&["config", "show", "--origin", "--json"]);
    command.env("KEN_MAX_ERRORS", "9").env("HF_TOKEN", "hf_secret");
    let ran = run(command, b"");
    let settings = ran.json()["settings"].as_array().unwrap().clone();
    let of = |key: &str| settings.iter().find(|s| s["key"] == key).unwrap().clone();
    assert!(of("lookup.limit")["origin"].as_str().unwrap().ends_with("config.toml"));
    assert_eq!(of("lookup.max_errors")["origin"], "environment KEN_MAX_ERRORS");
    assert_eq!(of("model.name")["origin"], "default");
    assert!(!ran.out.contains("hf_secret"));
}

#[test]
fn a_wrong_setting_is_named() {
    let user = User::new();
    user.write("config.toml", "[lookup]\nlimits = 7\n");
    let ran = user.ken(&["lookup", "x"]);
    assert!(ran.code == 2 && ran.err.contains("config.toml:2: there is no setting lookup.limits"), "{ran:?}");
    assert!(ran.err.contains("hint: did you mean lookup.limit?"), "{ran:?}");
}

#[test]
fn one_setting_is_read_and_written() {
    let user = User::new();
    assert_eq!(user.ken(&["config", "get", "search.limit"]).out, "5\n");
    assert_eq!(user.ken(&["config", "set", "search.limit", "9"]).code, 0);
    assert_eq!(user.ken(&["config", "set", "hub.offline", "no"]).code, 0);
    assert_eq!(user.ken(&["config", "get", "search.limit"]).out, "9\n");
    let shown = user.ken(&["config", "get", "--json", "search.limit"]).json();
    assert!(shown["value"] == "9" && shown["origin"].as_str().unwrap().ends_with("config.toml"), "{shown}");
    for wrong in [&["config", "get", "search.limits"][..], &["config", "set", "search.limits", "3"]] {
        let ran = user.ken(wrong);
        assert!(ran.code == 2 && ran.err.contains("did you mean search.limit?"), "{ran:?}");
    }
    let ran = user.ken(&["config", "set", "search.limit", "0"]);
    assert!(ran.code == 2 && ran.err.contains("expected a whole number from 1 to 100"), "{ran:?}");
    assert_eq!(user.ken(&["config", "get", "search.limit"]).out, "9\n");
}

/// What the sample says, uncommented, is a valid file that changes nothing.
#[test]
fn the_sample_is_valid() {
    let user = User::new();
    let sample = user.ken(&["config", "sample"]).out;
    let live: String = sample
        .lines()
        .map(|l| l.strip_prefix("# ").filter(|l| l.contains(" = ")).unwrap_or(l))
        .fold(String::new(), |a, l| a + l + "\n");
    let before = user.ken(&["config", "show"]).out;
    user.write("config.toml", live);
    assert_eq!(user.ken(&["config", "show"]).out, before);
}

#[test]
fn purge_removes_what_is_kept() {
    let user = User::new();
    user.ken(&["canon", "add", "--title", "t", "--cause", "c", "--fix", "f", "--symptom", "s"]);
    assert!(user.home().exists());
    assert!(user.ken(&["purge", "--dry-run"]).out.contains("ken"));
    assert_eq!(user.ken(&["purge"]).code, 2);
    assert!(user.home().exists());
    let foreign = user.write("notes.txt", "mine");
    let vectors = user.home().join("vectors");
    std::fs::create_dir_all(&vectors).unwrap();
    for file in ["canon-model@1.ann", "canon-model@1.ann.lock", "tools-model@1.ann", "tools-model@1.ann.lock"] {
        std::fs::write(vectors.join(file), "").unwrap();
    }
    assert_eq!(user.ken(&["purge", "--yes"]).code, 0);
    assert!(foreign.exists() && !user.home().join("canon").exists() && !vectors.exists());
    std::fs::remove_file(foreign).unwrap();
    assert_eq!(user.ken(&["purge", "--yes"]).out, "Nothing is kept.\n");
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(User::new().ken(&["completions", shell]).out.contains("KEN_COMPLETE"), "{shell}");
    }
}

/// What a shell offers behind these words.
fn offered(words: &[&str]) -> Vec<String> {
    let user = User::new();
    let mut command = user.command(&[&["--", "ken"], words].concat());
    command.envs([("KEN_COMPLETE", "bash"), ("_CLAP_IFS", "\n")]);
    command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    let ran = run(command, b"");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{words:?}");
    ran.out.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn shells_complete_what_exists() {
    let has = |words: &[&str], wanted: &str| {
        let offered = offered(words);
        assert!(offered.iter().any(|one| one == wanted), "{words:?}: {offered:?}");
    };
    has(&["loo"], "lookup");
    has(&["lookup", "--pack", "git"], "git-ssh");
    has(&["lookup", "--provider", "a"], "aws");
    has(&["canon", "show", "git-ssh/unrel"], "git-ssh/unrelated-histories");
    has(&["canon", "show", "git-"], "git-ssh/");
    has(&["--model", "bge-"], "bge-small-en-v1.5");
    has(&["config", "get", "lookup."], "lookup.limit");
    has(&["pack", "--tokenizer", "o"], "o200k");
    has(&["bench", "run", "--run", "hyb"], "hybrid");
    assert_eq!(offered(&["lookup", "--pack", "nothing-of-the-kind"]), Vec::<String>::new());
}

#[test]
fn manual_pages_are_made_of_the_help() {
    let user = User::new();
    let ran = user.ken(&["man", "pages"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let page = std::fs::read_to_string(user.work().join("pages/ken-bench-run.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("corpus.jsonl") && page.contains("Examples"), "{page}");
    assert!(user.work().join("pages/ken.1").is_file() && !user.work().join("pages/ken-help.1").exists());
}

#[test]
fn every_verb_has_help_with_one_line_first() {
    let user = User::new();
    for verb in [
        &["lookup"][..],
        &["run"],
        &["canon", "add"],
        &["model", "pull"],
        &["config", "show"],
        &["trust"],
        &["purge"],
        &["bench", "builtin"],
    ] {
        let ran = user.ken(&[verb, &["--help"]].concat());
        let first = ran.out.lines().next().unwrap_or("").to_owned();
        assert!(ran.code == 0 && first.len() > 10 && !first.ends_with('.'), "{verb:?}: {first}");
    }
}
