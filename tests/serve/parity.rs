//! One table of requests through all faces: what the command line prints, what HTTP answers, and what an agent is told
//! are the same, byte for byte. What an agent reads has ids where a person reads commands.

use crate::support::agent::{Agent, for_anyone};
use crate::support::held::on_every_store;
use crate::support::ken::User;
use crate::support::service::Service;
use regex::Regex;
use serde_json::{Value, json};

const REFUSED: &str = "fatal: refusing to merge unrelated histories";

/// A tool's name, its arguments, and what one types for the same.
type Row = (&'static str, Value, Vec<&'static str>);

fn rows() -> Vec<Row> {
    let log = "make: *** [all] Error 1\nfatal: refusing to merge unrelated histories\nerror: failed to push some refs";
    vec![
        ("lookup", json!({"text": REFUSED}), vec!["lookup", REFUSED]),
        ("lookup", json!({"text": log, "max_errors": 2}), vec!["lookup", "--max-errors", "2", log]),
        ("lookup", json!({"text": "qqq zzz never heard of"}), vec!["lookup", "qqq zzz never heard of"]),
        ("search", json!({"query": "how often is a request tried"}), vec!["search", "how often is a request tried"]),
        (
            "search",
            json!({"query": "retries", "paths": ["retries.md"], "min_relevance": 0, "limit": 2}),
            vec!["search", "--path", "retries.md", "--min-relevance", "0", "-n", "2", "retries"],
        ),
        (
            "search",
            json!({"query": "banner", "exclude": ["retries.md"], "types": ["md"], "full": true, "min_relevance": 0}),
            vec!["search", "--exclude", "retries.md", "--type", "md", "--full", "--min-relevance", "0", "banner"],
        ),
        ("search", json!({"query": "zyzzyva quux"}), vec!["search", "zyzzyva quux"]),
    ]
}

/// The results of an answer as they stand in it. A score falls with every second that an item grows older: of it only
/// the first digits are compared.
fn results(text: &str) -> String {
    let from = text.find("\"results\":").unwrap_or_else(|| panic!("{text}"));
    let rest = text[from..].trim_end();
    let results = rest.split_once(",\"notes\":").map_or(&rest[..rest.len() - 1], |(results, _)| results);
    results.split("\"score\":").enumerate().fold(String::new(), |whole, (at, part)| match at {
        0 => part.to_owned(),
        _ => {
            let (score, rest) = part.split_at(part.find(',').unwrap());
            format!("{whole}\"score\":{:.3}{rest}", score.parse::<f64>().unwrap())
        }
    })
}

fn all_say_the_same(user: &User) {
    user.document("retries.md", "# Retries\n\nA request is tried again after two seconds, and given up after five.\n");
    user.document("colours.md", "# Colours\n\nThe banner is blue.\n");
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let service = Service::start(user, &[]);
    let mut agent = Agent::greeted(user);
    for (tool, mut arguments, typed) in rows() {
        // Agents' tools have no such field; nothing here hangs on how often a hit was shown.
        let for_agents = arguments.clone();
        arguments["dry_run"] = json!(true);
        let mut plain = typed.clone();
        plain.insert(1, "--dry-run");
        let mut for_programs = plain.clone();
        for_programs.push("--json");
        let printed = user.ken(&for_programs).out;
        let answered = service.post(&format!("/v1/{tool}"), &arguments);
        assert_eq!(answered.status, 200, "{tool} {arguments}: {answered:?}");
        assert_eq!(results(&answered.body), results(&printed), "{tool} {arguments}");
        let over_http = call(&service, tool, &for_agents);
        assert_eq!(over_http, agent.told(tool, for_agents), "{tool} {arguments}");
        let shown = user.ken(&plain).out;
        let same = for_anyone(&over_http).starts_with(&for_anyone(&shown));
        assert!(same, "{tool} {arguments}: {over_http:?} does not begin with {shown:?}");
    }
    // A frame is the same but for the moment that it was made at.
    let arguments = json!({"task": "retry a request", "budget": 600, "as_of": "2026-11-22", "dry_run": true});
    let typed =
        ["pack", "--dry-run", "--json", "--task", "retry a request", "--budget", "600", "--as-of", "2026-11-22"];
    let printed = user.ken(&typed).out;
    let answered = service.post("/v1/pack", &arguments).body;
    let whole =
        answered.trim_end().split_once(",\"notes\":").map_or(answered.clone(), |(frame, _)| format!("{frame}}}\n"));
    assert_eq!(whole, printed);
    assert_eq!(service.ask("GET", "/v1/status", "").json()["items"], user.ken(&["status", "--json"]).json()["items"]);
    assert_eq!(service.end(), Some(0));
}

/// What an agent is told that reaches the service over HTTP.
fn call(service: &Service, tool: &str, arguments: &Value) -> String {
    let answer = service.call_tool(&service.token, tool, arguments);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer:?}")).to_owned()
}

on_every_store!(
    all_faces_say_the_same_without_a_model,
    all_faces_say_the_same_with_a_model,
    tools_are_told_alike,
    what_is_remembered_is_told_alike,
);

fn all_faces_say_the_same_without_a_model(new: fn() -> User) {
    all_say_the_same(&new());
}

fn all_faces_say_the_same_with_a_model(new: fn() -> User) {
    all_say_the_same(&new().with_model("bge-small-en-v1.5-int8"));
}

/// Tools as the command line and HTTP tell of them: byte for byte.
fn tools_are_told_alike(new: fn() -> User) {
    let user = new();
    let id = json!({"type": "object", "properties": {"movie_id": {"type": "integer"}}, "required": ["movie_id"]});
    let tools = json!([
        {"name": "movie_cast", "description": "List the cast of a movie", "inputSchema": id},
        {"name": "movie_search", "description": "Find a movie by its title", "server": "films", "outputSchema": id},
        {"name": "weather", "description": "Tell the weather of a place"},
    ]);
    let path = user.write("tools.json", tools.to_string());
    assert_eq!(user.ken(&["tools", "add", path.to_str().unwrap()]).code, 0);
    for (session, tool) in [("s1", "movie_search"), ("s1", "movie_cast"), ("s2", "movie_search"), ("s2", "movie_cast")]
    {
        let report = json!({"session": session, "tool": tool, "input": "x", "exit_code": 0}).to_string();
        assert_eq!(user.ken_with(&["hook", "post-tool"], report.as_bytes()).code, 0);
    }
    let service = Service::start(&user, &[]);
    let task = "find the movie by its title and list its cast";
    let find = |more: Value| {
        let mut body = json!({ "task": task });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("POST", "/v1/tools/find", body)
    };
    for (typed, (method, path, body)) in [
        (&["list"][..], ("GET", "/v1/tools", Value::Null)),
        (&["find", task], find(json!({}))),
        (&["find", task, "--top", "1"], find(json!({"top": 1}))),
        (&["find", task, "--used", "movie_search"], find(json!({"used": ["movie_search"]}))),
        (&["find", task, "--session", "s9"], find(json!({"session": "s9"}))),
        (
            &["find", "who won the war of the roses"],
            ("POST", "/v1/tools/find", json!({"task": "who won the war of the roses"})),
        ),
        (&["plan", task], ("POST", "/v1/tools/plan", json!({ "task": task }))),
        (
            &["plan", "who won the war of the roses"],
            ("POST", "/v1/tools/plan", json!({"task": "who won the war of the roses"})),
        ),
    ] {
        let printed = user.ken(&[&["--json", "tools"], typed].concat());
        assert!(printed.code <= 1, "{typed:?}: {printed:?}");
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = service.ask(method, path, &body);
        assert_eq!((answer.status, answer.body.trim_end()), (200, printed.out.trim_end()), "{typed:?}");
    }
    for (path, body, why) in [
        ("/v1/tools/find", json!({"task": "  "}), "there is no task"),
        ("/v1/tools/plan", json!({"task": ""}), "there is no task"),
        ("/v1/tools/find", json!({"task": task, "top": 0}), "top cannot be 0"),
        ("/v1/tools/find", json!({"task": task, "used": ["nope"]}), "there is no tool nope"),
        ("/v1/tools/find", json!({"task": task, "limit": 3}), "limit"),
    ] {
        let answer = service.post(path, &body);
        assert!(answer.status == 400 && answer.body.contains(why), "{body}: {answer:?}");
    }
    assert_eq!(service.end(), Some(0));
}

/// A step of a story: what one types, and what a program sends. `ID` is the memory of the first step.
type Step = (&'static [&'static str], &'static str, &'static str, Value);

fn story() -> Vec<Step> {
    const FIX: &str = "Merge with --allow-unrelated-histories";
    vec![
        (
            &["remember", "--session", "s1", "--error", "fail.log", "--worked", "--because", "the remote was new", FIX],
            "POST",
            "/v1/memories",
            json!({"text": FIX, "error": REFUSED, "worked": true, "because": "the remote was new", "session": "s1"}),
        ),
        (
            &["remember", "--session", "s2", "--error", "fail.log", "--worked", FIX],
            "POST",
            "/v1/memories",
            json!({"text": FIX, "error": REFUSED, "worked": true, "session": "s2"}),
        ),
        (
            &[
                "remember",
                "--session",
                "s2",
                "--service",
                "ec2",
                "--region",
                "eu-west-3",
                "eu-west-3 has no p4 machines",
            ],
            "POST",
            "/v1/memories",
            json!({"text": "eu-west-3 has no p4 machines", "service": "ec2", "region": "eu-west-3", "session": "s2"}),
        ),
        (
            &[
                "remember",
                "--session",
                "s2",
                "--evidence",
                "said in a review",
                "--tag",
                "sql",
                "Use snake_case for tables",
            ],
            "POST",
            "/v1/memories",
            json!({"text": "Use snake_case for tables", "evidence": ["said in a review"], "tags": ["sql"],
                "session": "s2"}),
        ),
        (&["memory", "list", "--kind", "tactic"], "GET", "/v1/memories?kind=tactic", Value::Null),
        (&["memory", "list", "-n", "1"], "GET", "/v1/memories?limit=1", Value::Null),
        (&["memory", "history", "ID"], "GET", "/v1/memories/ID", Value::Null),
        (
            &["dispute", "ID", "--session", "s3", "--because", "it hid a mistake"],
            "POST",
            "/v1/memories/ID/dispute",
            json!({"because": "it hid a mistake", "session": "s3"}),
        ),
        (&["memory", "list", "--state", "disputed"], "GET", "/v1/memories?state=disputed", Value::Null),
        (&["memory", "list", "--held"], "GET", "/v1/memories?held=true", Value::Null),
        (
            &["dispute", "ID", "--session", "s3", "--withdraw"],
            "POST",
            "/v1/memories/ID/dispute",
            json!({"withdraw": true, "session": "s3"}),
        ),
        (
            &["memory", "contradict", "ID", "--session", "s3", "--because", "it failed on main"],
            "POST",
            "/v1/memories/ID/contradict",
            json!({"because": "it failed on main", "session": "s3"}),
        ),
        (&["memory", "history", "ID"], "GET", "/v1/memories/memory/ID", Value::Null),
        (&["outcomes"], "GET", "/v1/outcomes", Value::Null),
        (&["memory", "list"], "GET", "/v1/memories", Value::Null),
    ]
}

/// The text without what no two runs have in common: ids, moments and who speaks.
fn masked(text: &str) -> String {
    let mask =
        |text: &str, pattern: &str, with: &str| Regex::new(pattern).unwrap().replace_all(text, with).into_owned();
    let text = mask(text, "[0-9]{13}:memory/[0-9a-f]{12}", "NEXT");
    let text = mask(&text, "memory/[0-9a-f]{12}", "memory/ID");
    let text = mask(&text, r#""(at|last_at|created_at|updated_at)":[0-9]+"#, "\"$1\":0");
    mask(&text, r#""author":\{"program":"[^"]*"\}"#, "\"author\":0")
}

/// The part of an id behind its prefix, of an answer about one memory.
fn id_in(answer: &str) -> String {
    Regex::new(r#""memory":\{"id":"memory/([0-9a-f]{12})""#).unwrap().captures(answer).unwrap()[1].to_owned()
}

fn what_is_remembered_is_told_alike(new: fn() -> User) {
    let (typist, program, agent) = (new(), new(), new());
    typist.document("fail.log", REFUSED);
    let service = Service::start(&program, &[]);
    let (mut typed_id, mut sent_id) = (String::new(), String::new());
    let mut listed = String::new();
    for (typed, method, path, body) in story() {
        let arguments: Vec<&str> = typed.iter().map(|one| if *one == "ID" { typed_id.as_str() } else { one }).collect();
        let ran = typist.ken(&[&["--json"], arguments.as_slice()].concat());
        assert!(ran.code <= 1, "{typed:?}: {ran:?}");
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = service.ask(method, &path.replace("ID", &sent_id), &body);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        if typed_id.is_empty() {
            (typed_id, sent_id) = (id_in(&ran.out), id_in(&answer.body));
        }
        assert_eq!(masked(&answer.body), masked(&ran.out), "{typed:?}");
        listed = masked(&ran.out);
    }
    assert!(listed.matches("memory/ID").count() > 4, "{listed}");
    // An agent has two of these calls; what comes of them is the same.
    let mut client = Agent::greeted(&agent);
    let (mut told, id) = (Vec::new(), Regex::new("memory/[0-9a-f]{12}").unwrap());
    for (_, _, path, mut body) in story() {
        match path {
            "/v1/memories" if body.is_object() => told.push(client.told("remember", body)),
            "/v1/memories/ID/dispute" => {
                body["id"] = json!(id.find(&told[0]).unwrap().as_str());
                told.push(client.told("dispute", body));
            }
            _ => {}
        }
    }
    assert!(told[0].starts_with("Remembered: memory/") && told[0].contains("not validated"), "{told:?}");
    assert!(told[1].starts_with("Known already; it is surer now: memory/"), "{told:?}");
    assert!(told[4].contains("is not served any more") && told[5].contains("is served again"), "{told:?}");
    let id = id.find(&told[0]).unwrap().as_str();
    let contradicted = ["memory", "contradict", id, "--session", "s3", "--because", "it failed on main"];
    assert_eq!(agent.ken(&contradicted).code, 0);
    assert_eq!(masked(&agent.ken(&["--json", "memory", "list"]).out), listed);
    let story = agent.ken(&["--json", "memory", "history", id]).out;
    assert!(story.contains(r#""author":{"program":"test"}"#), "the client said what it is called: {story}");
    assert_eq!(service.end(), Some(0));
}
