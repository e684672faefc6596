//! The JSON schemas in `index/` against what the program prints and reads: every field stands in them, and no other.

use crate::support::ken::{Ran, User, section};
use boon::{Compiler, Schemas};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn index() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("index")
}

/// All schemas by the name of their file.
fn all() -> Vec<(String, Value)> {
    let files = std::fs::read_dir(index()).unwrap().map(|entry| entry.unwrap().path());
    let schemas = files.filter(|path| path.to_string_lossy().ends_with(".schema.json"));
    let named = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path.file_name().unwrap().to_str().unwrap().to_owned(), serde_json::from_str(&text).unwrap())
    };
    schemas.map(named).collect()
}

/// A schema that allows the fields it names alone: users are to ignore others, but ours must stand in it.
fn closed(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(|value| *value = closed(value.take()));
            if fields.get("type") == Some(&json!("object")) && fields.contains_key("properties") {
                fields.entry("additionalProperties").or_insert(Value::Bool(false));
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| *value = closed(value.take())),
        _ => {}
    }
    schema
}

/// Schemas that were read once, each compiled when it is asked for.
struct Judge(Compiler);

impl Judge {
    fn new(schemas: Vec<(String, Value)>) -> Self {
        let mut compiler = Compiler::new();
        for (name, schema) in schemas {
            compiler.add_resource(&format!("https://kenning.invalid/{name}"), closed(schema)).unwrap();
        }
        Self(compiler)
    }

    /// What is wrong with a value, if anything is.
    fn fault(&mut self, name: &str, value: &Value) -> Option<String> {
        let mut schemas = Schemas::new();
        let schema = self.0.compile(&format!("https://kenning.invalid/{name}"), &mut schemas);
        let schema = schema.unwrap_or_else(|error| panic!("{name}: {error:#}"));
        schemas.validate(value, schema).err().map(|error| format!("{name}: {error:#}"))
    }

    fn assert_fits(&mut self, name: &str, ran: &Ran) {
        let fault = self.fault(name, &ran.json());
        assert!(fault.is_none(), "{}\n{ran:?}", fault.unwrap_or_default());
    }
}

fn user() -> User {
    let user = User::new();
    user.document("a.md", section(1, "The retry logic of the importer waits for a minute after the third attempt."));
    user.document("b.md", section(2, "The harvest of the early apples begins in September, when the nights are cool."));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    user
}

const BORROWED: &str = "error[E0382]: borrow of moved value: `s`";

#[test]
fn answers_hold_what_the_schemas_say() {
    let user = user();
    let mut judge = Judge::new(all());
    for (code, arguments) in [
        (0, &["lookup", "--json", "--explain", BORROWED][..]),
        (0, &["lookup", "--json", "--why-not", "rust/use-after-move", BORROWED]),
        (1, &["lookup", "--json", "--why-not", "rust/use-after-move", "nothing that anybody knows of"]),
        (0, &["lookup", "--json", "--explain", "--min-relevance", "0", "the disk is full"]),
    ] {
        let ran = user.ken(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        judge.assert_fits("lookup-answer.schema.json", &ran);
    }
    let plan = json!({"resource_changes": [{"address": "aws_db_instance.main", "mode": "managed", "type": "aws_db_instance",
        "change": {"actions": ["delete", "create"], "before": {}, "after": {}, "replace_paths": [["engine"]]}}]});
    judge.assert_fits("plan-report.schema.json", &user.ken_with(&["check", "--json"], plan.to_string().as_bytes()));
    let found = json!({"valid": false, "diagnostics": [{"severity": "error", "summary": "Unsupported argument",
        "detail": "An argument named \"acl\" is not expected here."}]});
    judge.assert_fits("plan-report.schema.json", &user.ken_with(&["check", "--json"], found.to_string().as_bytes()));
    let id = user.ken(&["search", "--json", "--min-relevance", "0", "harvest"]).json()["results"][0]["hits"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    for (code, arguments) in [
        (0, &["search", "--json", "--explain", "--min-relevance", "0", "harvest of apples"][..]),
        (0, &["search", "--json", "--full", "-C", "2", "--min-relevance", "0", "harvest of apples"]),
        (0, &["search", "--json", "--why-not", &id, "--min-relevance", "0", "harvest of apples"]),
        (1, &["search", "--json", "--why-not", &id, "--min-relevance", "1", "harvest of apples"]),
    ] {
        let ran = user.ken(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        judge.assert_fits("search-answer.schema.json", &ran);
    }
    let item = json!({"id": "n1", "text": "The harvest of plums is late.", "provider": "acme", "tags": ["x"],
        "attributes": {"text": "x", "number": 0.5, "whole": 3, "flag": true, "list": ["a"]}});
    let put = user.ken_with(
        &["items", "put", "-", "--json"],
        format!("{item}\n{{\"id\": \"n2\", \"text\": \"x\"}}\n").as_bytes(),
    );
    assert_eq!(put.code, 0, "{put:?}");
    judge.assert_fits("items-answer.schema.json", &put);
    let found = user.ken(&["search", "--json", "--min-relevance", "0", "--where", "flag = true", "harvest of plums"]);
    assert_eq!(found.json()["results"][0]["hits"][0]["item"]["id"], "n1", "{found:?}");
    judge.assert_fits("search-answer.schema.json", &found);
    for (code, arguments) in [
        (0, &["items", "get", "n1"][..]),
        (0, &["items", "list", "--limit", "1"]),
        (0, &["items", "list"]),
        (1, &["items", "list", "--where", "number > 1"]),
        (2, &["items", "list", "--where", "number >"]),
        (0, &["items", "delete", "n1"]),
        (1, &["items", "delete", "n1"]),
        (0, &["items", "delete", "--scope", "global"]),
        (2, &["items", "delete"]),
    ] {
        let ran = user.ken(&[&["--json"], arguments].concat());
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        judge.assert_fits("items-answer.schema.json", &ran);
    }
    for run in [
        json!({"tool": "bash", "session": "s", "input": "make", "exit_code": 2, "error": "no rule", "duration_ms": 9}),
        json!({"tool": "bash", "session": "s", "input": "ls", "ok": true}),
        json!([]),
    ] {
        assert_eq!(user.ken_with(&["hook", "post-tool"], run.to_string().as_bytes()).code, 0);
    }
    for (code, arguments) in [
        (0, &["outcomes"][..]),
        (0, &["outcomes", "--all", "-n", "1"]),
        (1, &["outcomes", "--tool", "nothing"]),
        (1, &["outcomes", "--all", "--since", "2999-12-31"]),
        (2, &["outcomes", "--since", "yesterday"]),
        (2, &["outcomes", "--all", "--after", "x"]),
    ] {
        let ran = user.ken(&[&["--json"], arguments].concat());
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        judge.assert_fits("outcomes-answer.schema.json", &ran);
    }
    let tools = json!([
        {"name": "harvest", "description": "Harvest the apples", "tags": ["farm"],
            "inputSchema": {"properties": {"day": {"type": "string"}}}},
        {"name": "press", "description": "Press the apples that are harvested",
            "inputSchema": {"properties": {"apple_id": {"type": "string"}}, "required": ["apple_id"]}},
    ]);
    let list = user.write("tools.json", tools.to_string());
    assert_eq!(user.ken(&["tools", "add", list.to_str().unwrap()]).code, 0);
    let help = "Usage: press [--fine] <apples>\n  --fine   Press them well\n";
    assert_eq!(user.ken_with(&["tools", "add", "--from-help", "press", "--server", "p"], help.as_bytes()).code, 0);
    for session in ["t1", "t2"] {
        for tool in ["harvest", "p/press"] {
            let run = json!({"session": session, "tool": tool, "input": "x", "exit_code": 0});
            assert_eq!(user.ken_with(&["hook", "post-tool"], run.to_string().as_bytes()).code, 0);
        }
    }
    for (code, arguments) in [
        (0, &["tools", "list"][..]),
        (0, &["tools", "find", "harvest the apples and press them", "--used", "harvest"]),
        (1, &["tools", "find", "which wine goes with venison"]),
        (0, &["tools", "plan", "harvest the apples and press them"]),
        (1, &["tools", "plan", "which wine goes with venison"]),
        (2, &["tools", "find", " "]),
    ] {
        let ran = user.ken(&[&["--json"], arguments].concat());
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        judge.assert_fits("tools-answer.schema.json", &ran);
    }
    judge.assert_fits("status.schema.json", &user.ken(&["--json", "status"]));
    let refused = "fatal: refusing to merge unrelated histories";
    user.document("fail.log", refused);
    let tried = ["--error", "fail.log", "--because", "so it was", "--evidence", "a log", "--until", "2999-12-31"];
    let id = {
        let ran = user.ken(&[&["--json", "remember", "--worked", "Fetch all of it"], &tried[..]].concat());
        judge.assert_fits("memory-answer.schema.json", &ran);
        assert!(ran.json()["problem"].is_string(), "{ran:?}");
        ran.json()["memory"]["id"].as_str().unwrap().to_owned()
    };
    for (code, name, arguments) in [
        (0, "memory", &["remember", "--failed", "--error", "fail.log", "Delete the lock"][..]),
        (0, "memory", &["remember", "The build needs 8 GB of memory on CI", "--from", &id]),
        (0, "memory", &["remember", "The build needs 16 GB of memory on CI", "--service", "ci", "--region", "eu"]),
        (
            0,
            "memory",
            &["remember", "--correction", "--category", "naming", "--pattern", "snake_case", "Use snake_case"],
        ),
        (0, "lookup", &["lookup", "--explain", refused]),
        (0, "memory", &["dispute", &id, "--because", "it was wrong"]),
        (0, "memories", &["memory", "list", "--held"]),
        (0, "memory", &["dispute", &id, "--withdraw"]),
        (0, "memory", &["memory", "confirm", "--author", "person", &id]),
        (0, "memory", &["memory", "history", &id]),
        (0, "memories", &["memory", "list"]),
        (0, "memories", &["memory", "list", "-n", "1"]),
        (0, "search", &["search", "--min-relevance", "0", "memory of the build"]),
        (2, "memory", &["memory", "history", "0123"]),
        (2, "memories", &["memory", "list", "--after", "x"]),
    ] {
        let ran = user.ken(&[&["--json"], arguments].concat());
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        judge.assert_fits(&format!("{name}-answer.schema.json"), &ran);
        if name == "lookup" {
            let finding = &ran.json()["results"][0];
            assert!(finding["failed"].is_array(), "{finding}");
            assert!(
                finding["hits"].as_array().unwrap().iter().any(|hit| hit["memory"]["trial"].is_object()),
                "{finding}"
            );
        }
    }
    let task = "the retry logic of the importer waits for a minute";
    let mut pieces = 0;
    for more in [&[][..], &["--explain"], &["--budget", "300", "--explain"]] {
        let ran = user.ken(&[&["pack", "--json", "--task", task], more].concat());
        judge.assert_fits("frame.schema.json", &ran);
        pieces += ran.json()["sections"].as_array().unwrap().iter().filter(|part| part.get("items").is_some()).count();
    }
    assert!(pieces > 0, "no frame recalled anything");
    user.document("a.md", "Changed.");
    for stands in [&user, &User::new()] {
        judge.assert_fits("status.schema.json", &stands.ken(&["status", "--json"]));
    }
}

/// With a model: what only vectors and a cross-encoder bring.
#[cfg(unix)]
#[test]
fn answers_of_a_model_hold_what_the_schemas_say() {
    use kenning::embed::DEFAULT_RERANKER;
    crate::support::home::installed(DEFAULT_RERANKER);
    let user = User::new().with_model("bge-small-en-v1.5-int8");
    user.document("b.md", section(2, "The harvest of the early apples begins in September, when the nights are cool."));
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let mut judge = Judge::new(all());
    let ran =
        user.ken(&["search", "--json", "--explain", "--rerank", "--min-relevance", "0", "when are apples picked?"]);
    assert_eq!((ran.code, &ran.json()["results"][0]["reranked"]), (0, &json!(true)), "{ran:?}");
    judge.assert_fits("search-answer.schema.json", &ran);
    let ran = user.ken(&["lookup", "--json", "--explain", "somebody else holds the lock of our terraform state"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    judge.assert_fits("lookup-answer.schema.json", &ran);
    let ran = user.ken(&["status", "--json"]);
    assert!(ran.json()["vectors_file"].is_object(), "{ran:?}");
    judge.assert_fits("status.schema.json", &ran);
}

/// Both answers are made of the same parts, so both schemas name the same fields, whichever a test happens to see.
#[test]
fn both_answers_are_made_of_the_same_parts() {
    let of = |name: &str| all().into_iter().find(|(file, _)| file == name).unwrap().1["$defs"].take();
    let (lookup, search) = (of("lookup-answer.schema.json"), of("search-answer.schema.json"));
    for part in ["answer", "finding", "explanation", "why_not"] {
        let fields = |defs: &Value| -> Vec<String> {
            let mut names: Vec<_> = defs[part]["properties"].as_object().unwrap().keys().cloned().collect();
            names.sort();
            names
        };
        assert_eq!(fields(&lookup), fields(&search), "{part}");
    }
}

#[test]
fn failures_hold_what_the_schemas_say() {
    let user = User::new();
    let mut judge = Judge::new(all());
    for (code, arguments) in [
        (2, &["--json", "lookup", "--limit", "0", "x"][..]),
        (2, &["--json", "config", "get", "lookup.limits"]),
        (3, &["--json", "export"]),
        (4, &["--json", "model", "verify"]),
        (9, &["--json", "import", "nowhere.jsonl"]),
        (10, &["--json", "model", "pull"]),
    ] {
        let ran = user.ken(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        for name in [
            "error",
            "lookup-answer",
            "search-answer",
            "frame",
            "status",
            "items-answer",
            "memory-answer",
            "memories-answer",
            "outcomes-answer",
        ] {
            judge.assert_fits(&format!("{name}.schema.json"), &ran);
        }
    }
    let kinds = all().into_iter().find(|(name, _)| name == "error.schema.json").unwrap().1;
    let kinds = kinds["properties"]["error"]["properties"]["kind"]["enum"].clone();
    let ours = kenning::error::ErrorKind::ALL.map(|kind| kind.name());
    assert_eq!(kinds, json!(ours));
}

#[test]
fn what_is_shipped_holds_what_the_schemas_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut judge = Judge::new(all());
    let files = |folder: &str| std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut seen = 0;
    for path in files("canon").filter(|path| path.extension().is_some_and(|ending| ending == "json")) {
        let pack = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let fault = judge.fault("canon-pack.schema.json", &pack);
        assert!(fault.is_none(), "{}: {}", path.display(), fault.unwrap_or_default());
        seen += 1;
    }
    for path in files("models").filter(|path| path.extension().is_some_and(|ending| ending == "toml")) {
        let table: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        let fault = judge.fault("model-manifest.schema.json", &serde_json::to_value(table).unwrap());
        assert!(fault.is_none(), "{}: {}", path.display(), fault.unwrap_or_default());
        seen += 1;
    }
    assert!(seen > 10, "{seen} files");
}

#[test]
fn a_field_that_no_schema_names_is_seen() {
    let mut judge = Judge::new(all());
    let error = |more: Value| {
        let mut error = json!({"error": {"kind": "io", "message": "m", "hint": null}});
        error["error"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        error
    };
    assert_eq!(judge.fault("error.schema.json", &error(json!({}))), None);
    assert!(judge.fault("error.schema.json", &error(json!({"more": 1}))).is_some());
    assert!(judge.fault("error.schema.json", &error(json!({"kind": "sad"}))).is_some());
    assert!(judge.fault("error.schema.json", &json!({"error": {"kind": "io", "message": "m"}})).is_some());
}
