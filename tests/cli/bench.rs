use crate::support::ken::{User, run};
use crate::support::tiny::Tiny;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A user with a small model that the fast encoder runs, and its place.
fn with_model() -> (User, String) {
    let user = User::new();
    let dir = user.work().join("tiny");
    Tiny::quick().write(&dir);
    (user, dir.to_str().unwrap().to_owned())
}

#[test]
fn the_encoder_is_measured() {
    let (user, model) = with_model();
    let texts = user.write("texts.txt", "w1 w2 w3\n\nw4 w5\n");
    let vectors = user.work().join("vectors");
    let (texts, vectors) = (texts.to_str().unwrap(), vectors.to_str().unwrap());
    let arguments = ["bench", "embed", "--json", "--model", &model, "--texts", texts, "--vectors", vectors];
    let mut command = user.command(&arguments);
    command.args(["--queries", "3", "--precision", "int8"]).env("KEN_THREADS", "1").env("KEN_SIMD", "scalar");
    let ran = run(command, b"");
    let said = ran.json();
    assert_eq!((said["encoder"].as_str(), said["precision"].as_str()), (Some("fused"), Some("int8")), "{ran:?}");
    assert_eq!((said["kernel"].as_str(), said["threads"].as_u64()), (Some("scalar"), Some(1)));
    assert_eq!((said["texts"].as_u64(), said["tokens"].as_u64()), (Some(2), Some(9)));
    assert!(said["tokens_per_s"].as_f64() > Some(0.0) && said["query_p50_ms"].as_f64() > Some(0.0));
    assert_eq!(std::fs::metadata(vectors).unwrap().len(), 2 * 64 * 4);
    let plain = user.ken(&["bench", "embed", "--model", &model, "--texts", texts, "--encoder", "candle"]);
    assert!(plain.code == 0 && plain.out.contains("candle") && plain.out.contains("f32"), "{plain:?}");
}

#[test]
fn what_cannot_be_run_is_refused() {
    let (user, model) = with_model();
    let code = |arguments: &[&str]| user.ken(&[&["bench", "embed", "--model", &model], arguments].concat()).code;
    assert_eq!(code(&["--precision", "int4"]), 2);
    assert_eq!(code(&["--encoder", "other"]), 2);
    assert_eq!(code(&["--encoder", "candle", "--precision", "int8"]), 4);
    assert_eq!(code(&["--texts", "no-such-file"]), 9);
    let mut command = user.command(&["bench", "embed"]);
    command.env("KEN_SIMD", "mmx");
    assert_eq!(run(command, b"").code, 2);
    assert_eq!(user.ken(&["bench", "embed"]).code, 4);
}

#[test]
fn fingerprints_are_compared_with_templates() {
    let user = User::new();
    let rows = "system\tevent_id\ttemplate\tcontent\nX\tE1\tgot <*> of <*>\tgot 3 of 12\n\
        X\tE1\tgot <*> of <*>\tgot 4 of 12\nX\tE2\texit code 1\texit code 1\nY\tE1\tsay <*>\tsay ann\n\
        Y\tE1\tsay <*>\tsay bob\n";
    let file = user.write("lines.tsv", rows);
    let file = file.to_str().unwrap();
    let ran = user.ken(&["bench", "fingerprint", "--json", file]);
    let told: Vec<serde_json::Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let figures = |at: usize| {
        let one = &told[at];
        (one["system"].as_str(), one["lines"].as_u64(), one["groups"].as_u64(), one["grouping_accuracy"].as_f64())
    };
    assert_eq!(told.len(), 3, "{ran:?}");
    assert_eq!(figures(0), (Some("X"), Some(3), Some(2), Some(1.0)));
    assert_eq!(figures(1), (Some("Y"), Some(2), Some(2), Some(0.0)));
    assert_eq!(figures(2), (Some("average"), Some(5), Some(4), Some(0.5)));
    assert!(told.iter().all(|one| one["lines_per_s"].as_f64() > Some(0.0) && one["bench"] == "fingerprint"), "{ran:?}");
    assert!(user.ken(&["bench", "fingerprint", file]).out.contains("average"));
    let bad = user.write("bad.tsv", "system\tcontent\n");
    assert_eq!(user.ken(&["bench", "fingerprint", bad.to_str().unwrap()]).code, 5);
    assert_eq!(user.ken(&["bench", "fingerprint", "no-such-file"]).code, 9);
}

/// What is half there when Ctrl-C is pressed is taken away.
#[test]
fn a_search_that_is_measured_can_be_stopped() {
    let user = User::new();
    let folder = user.work().join("tmp");
    std::fs::create_dir(&folder).unwrap();
    let mut command = user.command(&["bench", "ann", "--n", "200000", "--dim", "96"]);
    command.env("TMPDIR", &folder).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let started = Instant::now();
    let is_empty = || std::fs::read_dir(&folder).unwrap().next().is_none();
    while is_empty() {
        assert!(started.elapsed() < Duration::from_secs(60), "nothing is written");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!((ended.status.code(), is_empty()), (Some(130), true), "{said}");
    assert!(said.contains("stopped"), "{said}");
}

/// Logs of five repositories that fail in the same way, at different places.
fn marked_logs() -> (String, String) {
    let (mut logs, mut labels) = (String::new(), String::new());
    for number in 0..10 {
        let mut lines = vec!["$ make"; number + 1];
        lines.extend(["compiling", "a.c:3:5: error: 'x' undeclared", "     x = 1;", "     ^"]);
        let start = lines.len() - 2;
        lines.extend(["make: *** [a.o] Error 1", "The command \"make\" exited with 2."]);
        // Ids may be numbers.
        let id = if number % 2 == 0 { serde_json::json!(number) } else { serde_json::json!(number.to_string()) };
        logs.push_str(&format!("{}\n", serde_json::json!({"id": id, "lines": lines})));
        let label =
            serde_json::json!({"id": number, "repo": format!("r/{}", number / 2), "start": start, "end": start + 2});
        labels.push_str(&format!("{label}\n"));
    }
    (logs, labels)
}

#[test]
fn blocks_of_logs_are_compared_with_marked_lines() {
    let user = User::new();
    let (logs, labels) = marked_logs();
    user.write("logs/logs.jsonl", &logs);
    let folder = user.write("logs/labels.jsonl", &labels).parent().unwrap().to_str().unwrap().to_owned();
    let ran = user.ken(&["bench", "logs", "--json", "--by-repo", &folder]);
    let told: Vec<serde_json::Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((told.len(), told[0]["repo"].as_str(), told[5]["repo"].as_str()), (6, Some("r/0"), None), "{ran:?}");
    assert_eq!((told[0]["logs"].as_u64(), told[5]["logs"].as_u64()), (Some(2), Some(10)));
    for name in ["hit_1", "hit_3", "start_1", "overlap_1", "f1"] {
        assert_eq!(told[5][name].as_f64(), Some(1.0), "{name} of {ran:?}");
    }
    let plain = user.ken(&["bench", "logs", "--misses", &folder]);
    assert!(plain.code == 0 && plain.out.lines().count() == 2 && plain.out.contains("hit@1"), "{plain:?}");

    let fit = user.ken(&["bench", "logs", "--fit", "--json", &folder]).json();
    assert_eq!(fit["fit"]["held_out"]["overlap_1"].as_f64(), Some(1.0), "{fit}");
    assert!(fit["fit"]["weights"].as_array().is_some_and(|weights| weights.len() > 20));
    let again = user.ken(&["bench", "logs", "--fit", "--json", &folder]).json();
    assert_eq!(fit["fit"]["weights"], again["fit"]["weights"]);
}

#[test]
fn a_set_of_logs_that_cannot_be_read_is_refused() {
    let user = User::new();
    let label = "{\"id\": 1, \"repo\": \"r\", \"start\": 1, \"end\": 1}\n";
    let folder = user.write("logs/labels.jsonl", label).parent().unwrap().to_str().unwrap().to_owned();
    let missing = user.ken(&["bench", "logs", &folder]);
    assert!(missing.code == 9 && missing.err.contains("ken bench logs --help"), "{missing:?}");
    user.write("logs/logs.jsonl.xz", "");
    let packed = user.ken(&["bench", "logs", &folder]);
    assert!(packed.code == 9 && packed.err.contains("xz -dk logs.jsonl.xz"), "{packed:?}");
    user.write("logs/logs.jsonl", "{\"id\": 1, \"lines\": [\"a\", \"error: b\"]}\n");
    assert_eq!(user.ken(&["bench", "logs", &folder]).code, 0);
    assert_eq!(user.ken(&["bench", "logs", "--fit", &folder]).code, 2);
    user.write("logs/labels.jsonl", "{\"id\": 1, \"repo\": \"r\", \"start\": 0, \"end\": 1}\n");
    let wrong = user.ken(&["bench", "logs", &folder]);
    assert!(wrong.code == 2 && wrong.err.contains("line 1"), "{wrong:?}");
}

#[test]
fn outcomes_of_sessions_are_measured() {
    let user = User::new();
    let mut events = String::new();
    let mut about = String::new();
    for n in 0..6 {
        let event = |seq: u32, head: &str, args: &str, error: &str, reward: f64| {
            let line = serde_json::json!({"session": format!("s{n}"), "seq": seq, "tool": "bash", "head": head,
                "args": args, "ok": error.is_empty(), "error": error, "reward": reward});
            format!("{line}\n")
        };
        events += &event(0, "make", "make all", "make: cc: No such file or directory", 0.0);
        events += &event(1, "apt-get", "apt-get install gcc", "", 0.0);
        events += &event(2, "make", "make all", "", 1.0);
        let model = if n < 3 { "one" } else { "two" };
        about +=
            &format!("{{\"session\": \"s{n}\", \"env\": \"shell\", \"model\": \"{model}\", \"task_key\": \"t\"}}\n");
    }
    let folder = user.write("outcomes/events.jsonl", &events).parent().unwrap().to_str().unwrap().to_owned();
    let missing = user.ken(&["bench", "outcomes", &folder]);
    assert!(missing.code == 9 && missing.err.contains("ken bench outcomes --help"), "{missing:?}");
    user.write("outcomes/sessions.jsonl", &about);
    let label = |via: &str| {
        format!(
            "{{\"session\": \"s0\", \"fail_seq\": 0, \"kind\": \"enabled\", \
             \"via\": [[\"bash\", \"{via}\"]], \"fix_seq\": 2}}\n"
        )
    };
    user.write("outcomes/recoveries.jsonl", label("apt-get"));
    let report = user.ken(&["bench", "outcomes", "--json", &folder]).json();
    assert_eq!((&report["labels"], &report["rows"]), (&serde_json::json!([1, 1]), &serde_json::json!(18)));
    assert_eq!(report["ends"]["shell"]["hit_1"], 1.0);
    assert_eq!(report["ends"]["shell"]["other_models_1"], 1.0);
    assert_eq!(report["fixes"]["shell"]["hit_5"], 1.0);
    assert_eq!(report["patterns"]["recovery"], 1);
    user.write("outcomes/recoveries.jsonl", label("ls"));
    assert_eq!(user.ken(&["bench", "outcomes", "--json", &folder]).json()["labels"], serde_json::json!([1, 0]));
    let table = user.ken(&["bench", "outcomes", &folder]);
    assert!(table.code == 0 && table.out.contains("ends as labelled: 0 of 1"), "{table:?}");
    let sample = user.ken(&["bench", "outcomes", "--sample", "3", "--seed", "7", &folder]);
    assert!(sample.out.contains("propose change apt-get install gcc"), "{sample:?}");
    user.write("outcomes/events.jsonl", "{\"session\": 1}\n");
    let wrong = user.ken(&["bench", "outcomes", &folder]);
    assert!(wrong.code == 2 && wrong.err.contains("line 1"), "{wrong:?}");
    assert_eq!(user.ken(&["bench", "outcomes"]).code, 2);
}

#[test]
fn drafts_of_labelled_lines_are_measured() {
    let user = User::new();
    let line = |n: u32| format!("app\tlost\tworker {n} lost its connection\napp\tfull\tdisk sd{n} is full now\n");
    let lines: String = std::iter::once("system\ttemplate\tcontent\n".to_owned()).chain((0..6).map(line)).collect();
    let path = user.write("lines.tsv", &lines);
    let report = user.ken(&["bench", "outcomes", "--json", "--drafts", path.to_str().unwrap()]).json();
    assert_eq!(report["drafts"]["right"], 2, "{report}");
}
