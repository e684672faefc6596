//! One table of requests through all faces: what the command line prints, what HTTP answers, and what an agent is told
//! are the same, byte for byte.

use super::mcp::Agent;
use crate::support::ken::User;
use crate::support::service::Service;
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
        assert!(over_http.starts_with(&shown), "{tool} {arguments}: {over_http:?} does not begin with {shown:?}");
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

#[test]
fn all_faces_say_the_same_without_a_model() {
    all_say_the_same(&User::new());
}

#[test]
fn all_faces_say_the_same_with_a_model() {
    all_say_the_same(&User::new().with_model("bge-small-en-v1.5-int8"));
}
