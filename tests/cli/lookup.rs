use crate::support::ken::{User, run};
use crate::support::tiny::Tiny;

const MOVED: &str = "error[E0382]: borrow of moved value: `s`\n --> src/main.rs:4:20\n";

#[test]
fn a_known_message_is_answered_without_a_model() {
    let ran = User::new().ken(&["lookup", MOVED]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("rust/use-after-move") && ran.out.contains("Cause") && ran.out.contains("Fix"));
    assert_eq!(ran.err, "");
}

#[test]
fn nothing_known_is_an_empty_answer_and_exit_code_1() {
    let ran = User::new().ken(&["lookup", "the flux capacitor of my delorean is out of plutonium"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("Nothing known") && ran.err.contains("ken model pull"));
}

#[test]
fn json_keeps_to_its_contract() {
    let user = User::new();
    let found = user.ken(&["lookup", "--json", "--explain", MOVED]).json();
    assert_eq!(found["schema_version"], 1);
    let result = &found["results"][0];
    assert_eq!((result["verdict"].as_str(), result["semantic"].as_str()), (Some("exact"), Some("not_needed")));
    let hit = &result["hits"][0];
    for field in
        ["id", "kind", "title", "cause", "fix", "score", "relevance", "tier", "captures", "source", "overrides_canon"]
    {
        assert!(!hit[field].is_null(), "{field}");
    }
    assert_eq!(hit["explain"]["canon"], 1.0);
    assert!(result["error"]["fingerprint"].as_str().unwrap().starts_with("v2:"));
    let slim = user.ken(&["lookup", "--json", MOVED]).json();
    assert!(slim["results"][0]["hits"][0].get("explain").is_none());
    let nothing = user.ken(&["lookup", "--json", "purple monkey dishwasher"]);
    assert_eq!((nothing.code, nothing.json()["results"][0]["verdict"].as_str()), (1, Some("none")));
}

#[test]
fn a_log_is_answered_error_by_error_and_each_once() {
    let log = "Compiling app v0.1.0\n\nerror[E0382]: borrow of moved value: `s`\n --> src/main.rs:4:20\n\n\
               error[E0499]: cannot borrow `v` as mutable more than once at a time\n --> src/main.rs:9:5\n\n\
               error[E0382]: borrow of moved value: `t`\n --> src/main.rs:14:20\n\nwarning: unused\n";
    let ran = User::new().ken_with(&["lookup", "--json", "-"], log.as_bytes());
    let answer = ran.json();
    let results = answer["results"].as_array().unwrap();
    assert_eq!((answer["errors_found"].as_u64(), results.len()), (Some(2), 2), "{answer:#}");
    assert_eq!(results[0]["hits"][0]["id"], "rust/use-after-move");
    assert_eq!(results[0]["error"]["repeated"], 2);
    assert_eq!(results[0]["error"]["line_start"], 3);
    let one = User::new().ken_with(&["lookup", "--json", "--max-errors", "1", "-"], log.as_bytes()).json();
    assert_eq!((one["errors_found"].as_u64(), one["errors_shown"].as_u64()), (Some(2), Some(1)));
}

#[test]
fn a_compiler_s_warning_is_no_answer_where_an_error_stands_below_it() {
    let warning = "a.c:2:2: warning: implicit declaration of function ‘foo’ [-Wimplicit-function-declaration]\n\
                   \x20   2 |  foo();\n      |  ^~~\n";
    let error = "a.c:3:9: error: ‘x’ undeclared (first use in this function)\n    3 |  return x;\n      |         ^\n";
    let user = User::new();
    let ids = |log: &str| -> Vec<String> {
        let answer = user.ken_with(&["lookup", "--json", "-"], log.as_bytes()).json();
        let hits = answer["results"].as_array().unwrap().iter().flat_map(|result| result["hits"].as_array().unwrap());
        hits.map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(warning), ["linux/gcc-implicit-declaration"]);
    assert_eq!(ids(&format!("{warning}{error}")), ["linux/cpp-undeclared-name"]);
    assert_eq!(ids(&format!("{error}{warning}")), ["linux/cpp-undeclared-name"]);
}

#[test]
fn what_a_run_that_passed_printed_too_is_not_the_reason() {
    let user = User::new();
    let flaky =
        "$ cargo test\nerror[E0499]: cannot borrow `v` as mutable more than once at a time\n --> src/a.rs:9:5\n\n";
    let failed = format!("{flaky}ok\nok\n{MOVED}\nThe command \"cargo test\" exited with 101.\n");
    std::fs::write(user.work().join("fail.log"), &failed).unwrap();
    std::fs::write(user.work().join("green.log"), format!("{flaky}ok\nThe command \"cargo test\" exited with 0.\n"))
        .unwrap();
    let ids = |arguments: &[&str]| -> Vec<String> {
        let answer = user.ken(arguments).json();
        let hits = answer["results"].as_array().unwrap().iter().map(|result| result["hits"][0]["id"].to_string());
        hits.filter(|id| id != "null").collect()
    };
    assert_eq!(ids(&["lookup", "--json", "fail.log"]).len(), 2);
    let compared = ids(&["lookup", "--json", "fail.log", "--passing", "green.log"]);
    assert_eq!(compared, ["\"rust/use-after-move\""]);
    let missing = user.ken(&["lookup", "--json", "fail.log", "--passing", "none.log"]);
    assert_eq!((missing.code, missing.json()["error"]["hint"].is_string()), (9, true), "{missing:?}");
    std::fs::write(user.work().join("empty.log"), "\n").unwrap();
    let empty = user.ken(&["lookup", "--json", "fail.log", "--passing", "empty.log"]);
    assert_eq!(empty.code, 2);
    assert!(empty.json()["error"]["message"].as_str().unwrap().contains("empty.log"), "{empty:?}");
}

#[test]
fn a_log_without_an_error_is_met_with_silence() {
    let log = "INFO start\nINFO 0 errors, 0 failed\ntest error_handling::it_fails ... ok\nok\nDone in 3 s\n".repeat(20);
    let ran = User::new().ken_with(&["lookup", "--json", "-"], log.as_bytes());
    assert_eq!((ran.code, ran.json()["errors_found"].as_u64()), (1, Some(0)));
}

#[test]
fn filters_and_limits_narrow_and_why_not_tells() {
    let user = User::new();
    assert_eq!(user.ken(&["lookup", "--pack", "docker", MOVED]).code, 1);
    assert_eq!(user.ken(&["lookup", "--pack", "rust", MOVED]).code, 0);
    for (filter, name, meant) in [
        ("--pack", "ruts", None),
        ("--pack", "dokcer", Some("docker")),
        ("--provider", "awss", Some("aws")),
        ("--tag", "no-such-tag-at-all", None),
    ] {
        let ran = user.ken(&["lookup", filter, name, MOVED]);
        let what = filter.trim_start_matches('-');
        assert!(ran.code == 2 && ran.err.contains(&format!("no entry has the {what} {name}")), "{ran:?}");
        assert!(meant.is_none_or(|meant| ran.err.contains(&format!("did you mean {meant}"))), "{ran:?}");
    }
    let stage = |arguments: &[&str]| {
        let answer = user.ken(&[&["lookup", "--json"], arguments].concat()).json();
        answer["results"][0]["why_not"]["stage"].as_str().unwrap().to_owned()
    };
    assert_eq!(stage(&["--why-not", "rust/use-after-move", MOVED]), "shown");
    assert_eq!(stage(&["--why-not", "rust/use-after-move", "--pack", "docker", MOVED]), "filters");
    assert_eq!(stage(&["--why-not", "docker/no-space-left", MOVED]), "tier");
    assert_eq!(stage(&["--why-not", "no/such", MOVED]), "candidates");
}

#[test]
fn wrong_usage_is_exit_code_2_with_a_hint() {
    let user = User::new();
    assert_eq!(user.ken(&["lookup", "--limit", "0", "x"]).code, 2);
    assert_eq!(user.ken(&["nonsense"]).code, 2);
    let empty = user.ken_with(&["lookup", "--json", "-"], b" \n");
    assert_eq!((empty.code, empty.json()["error"]["kind"].as_str()), (2, Some("usage")));
    assert!(empty.json()["error"]["hint"].as_str().unwrap().contains("ken lookup"));
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let user = User::new();
    let mut command = user.command(&["canon", "list"]);
    let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn colours_only_when_asked_for_here() {
    let user = User::new();
    assert!(!user.ken(&["lookup", MOVED]).out.contains('\x1b'));
    assert!(user.ken(&["lookup", "--color", "always", MOVED]).out.contains('\x1b'));
    let mut plain = user.command(&["lookup", MOVED]);
    plain.env("NO_COLOR", "1");
    assert!(!run(plain, b"").out.contains('\x1b'));
}

#[test]
fn what_is_true_of_any_error_of_a_kind_is_called_general() {
    let user = User::new();
    let message = "NameError: name 'totl' is not defined";
    let answer = user.ken(&["lookup", "--json", message]).json();
    assert_eq!(answer["results"][0]["verdict"], "general", "{answer:#}");
    let text = user.ken(&["lookup", message]);
    assert!(text.code == 0 && text.out.contains("general: true of any error of this kind"), "{text:?}");
}

#[test]
fn short_gives_title_and_first_command() {
    let user = User::new();
    let message = "chmod: changing permissions of 'a': Operation not permitted\nfatal: Remote branch x not found in \
                   upstream origin";
    let ran = user.ken(&["lookup", "--short", message]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(ran.code == 0 && lines.len() <= 2 && lines[1].starts_with("  "), "{ran:?}");
    assert_eq!(user.ken(&["lookup", "--short", "--explain", message]).code, 2);
}

#[test]
fn a_cause_comes_before_what_it_brought_about() {
    let log = "ERROR:  could not write block 7 of temporary file: No space left on device\n\n\nstill here\n\n\n\
               sh: 1: exit\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 1\n";
    let answer = User::new().ken_with(&["lookup", "--json", "-"], log.as_bytes()).json();
    let first = &answer["results"][0]["hits"][0];
    assert!(first["id"].as_str().unwrap().starts_with("postgres/") && first["role"].is_null(), "{answer:#}");
}

#[test]
fn what_came_near_to_the_gate_is_named() {
    let user = User::new().with_model("bge-small-en-v1.5-int8");
    let question =
        ["lookup", "--dry-run", "--min-relevance", "1", "somebody else holds the lock of our terraform state"];
    let ran = user.ken(&question);
    assert!(ran.code == 1 && ran.out.is_empty() && ran.err.contains("Nothing sure. Closest: "), "{ran:?}");
    let answer = user.ken(&[&["--json"], &question[..]].concat()).json();
    let candidates = answer["results"][0]["candidates"].as_array().unwrap();
    assert!((1..=3).contains(&candidates.len()) && answer["results"][0]["hits"].as_array().unwrap().is_empty());
}

/// Silence explains itself where that is asked for: what was nearest, and how far off it is.
#[test]
fn silence_says_what_was_nearest_if_asked() {
    let user = User::new();
    let question = "the disk of my neighbour's bicycle is full of mud";
    let found = user.ken(&["lookup", "--json", "--explain", question]);
    let finding = &found.json()["results"][0];
    assert!(found.code == 1 && finding["hits"].as_array().unwrap().is_empty(), "{found:?}");
    let nearest = &finding["candidates"][0];
    assert!(nearest["explain"]["gate"].as_f64() > nearest["relevance"].as_f64(), "{found:?}");
    let brief = user.ken(&["lookup", "--json", question]);
    assert!(!brief.out.contains("\"explain\""), "{brief:?}");
}

/// Somebody who has just got a model; its name.
fn has_a_new_model() -> (User, String) {
    let user = User::new();
    let model = user.work().join("tiny-model");
    Tiny::quick().write(&model);
    let name = serde_json::Value::from(model.to_str().unwrap());
    user.write("config.toml", format!("[model]\nname = {name}\n"));
    let fit = "{ weight = 0.9, offset = -9.0, cosine = 15.0, words = 3.0, length = 0.0, crowd = 5.0, fall = 4.7, \
               semantic = { slope = 18.0, offset = -14.0 }, gate = 0.2 }";
    user.write("calibrations/tiny-model.toml", format!("neighbours = 10\nentries = {fit}\ndocuments = {fit}\n"));
    (user, model.to_str().unwrap().to_owned())
}

const LOCKED: &str = "terraform says somebody else is holding the lock on the state";

/// Searches and frames too compare the entries that words name, and leave the others to a process in the background.
#[test]
fn the_first_search_and_the_first_frame_do_not_wait_for_all_vectors() {
    for ask in [&["search", LOCKED][..], &["pack", "--task", LOCKED]] {
        let (user, model) = has_a_new_model();
        let first = user.ken(ask);
        assert!(first.err.contains("are being made in the background"), "{first:?}");
        assert!(first.code < 2 && !first.err.contains("note: 0 entries"), "{first:?}");
        let pulled = user.ken(&["model", "pull", &model]);
        assert_eq!(pulled.code, 0, "{pulled:?}");
        let second = user.ken(ask);
        assert!(!second.err.contains("background"), "{second:?}");
    }
}

/// A file of vectors that holds none of the texts, such as a damaged one, is as good as none.
#[test]
fn nobody_waits_for_all_vectors_where_the_old_ones_are_of_no_use() {
    let (user, model) = has_a_new_model();
    let pulled = user.ken(&["model", "pull", &model]);
    assert_eq!(pulled.code, 0, "{pulled:?}");
    let vectors = std::fs::read_dir(user.home().join("vectors")).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = vectors.filter(|path| path.extension().is_some_and(|ending| ending == "ann")).collect();
    assert!(!files.is_empty());
    files.iter().for_each(|path| std::fs::write(path, "of no use").unwrap());
    let asked = user.ken(&["search", LOCKED]);
    assert!(asked.err.contains("are being made in the background"), "{asked:?}");
    // Whoever needs all of them waits for that process.
    let pulled = user.ken(&["model", "pull", &model]);
    assert_eq!(pulled.code, 0, "{pulled:?}");
}

/// The first question is answered from vectors of the entries that its words name; a process in the background makes
/// those of the others.
#[test]
fn the_first_question_does_not_wait_for_all_vectors() {
    let (user, model) = has_a_new_model();
    let ask = || user.ken(&["lookup", "--json", LOCKED]);
    let first = ask();
    assert!(first.err.contains("are being made in the background"), "{first:?}");
    assert_eq!(first.json()["results"][0]["semantic"], "on");
    // Whoever needs all of them waits for that process.
    let pulled = user.ken(&["model", "pull", &model]);
    assert_eq!(pulled.code, 0, "{pulled:?}");
    let second = ask();
    assert!(!second.err.contains("background") && second.json()["results"][0]["semantic"] == "on", "{second:?}");
}
