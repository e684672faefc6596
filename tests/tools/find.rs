use super::{add, shelf, tool};
use crate::support::ken::{User, run};
use serde_json::{Value, json};

fn call(user: &User, session: &str, tool: &str, is_ok: bool) {
    let report = json!({"session": session, "tool": tool, "input": "x", "exit_code": if is_ok { 0 } else { 1 },
        "error": if is_ok { "" } else { "it failed" }});
    assert_eq!(run(user.command(&["hook", "post-tool"]), report.to_string().as_bytes()).code, 0);
}

fn keys(found: &Value) -> Vec<&str> {
    found["tools"].as_array().unwrap().iter().map(|one| one["key"].as_str().unwrap()).collect()
}

#[test]
fn words_find_tools_and_nothing_is_found_where_none_fits() {
    let user = User::new();
    let empty = user.ken(&["tools", "find", "anything"]);
    assert!(empty.code == 1 && empty.out.is_empty() && empty.err.contains("No tools are known"), "{empty:?}");
    add(&user, &shelf());
    let ran = user.ken(&["tools", "find", "compile the Rust package"]);
    assert!(ran.code == 0 && ran.out.starts_with("1. cargo_build\n"), "{ran:?}");
    assert!(ran.out.contains("because: "), "{ran:?}");
    let ran = user.ken(&["tools", "find", "which wine goes with venison"]);
    assert!(ran.code == 1 && ran.out.is_empty() && ran.err.contains("None of 6 tools fits."), "{ran:?}");
    // What is closest is told with its reasons, and never among what fits.
    let found = user.ken(&["tools", "find", "--json", "which package of wine goes with venison"]);
    let (fits, closest) = (keys(&found.json()).len(), found.json()["closest"].as_array().unwrap().clone());
    assert!(found.code == 1 && fits == 0 && (1..=3).contains(&closest.len()), "{found:?}");
    assert!(closest.iter().all(|one| !one["because"].as_array().unwrap().is_empty()), "{closest:?}");
}

#[test]
fn what_was_used_together_is_proposed_with_the_reason() {
    let user = User::new();
    add(&user, &shelf());
    for number in 0..4 {
        let session = format!("s{number}");
        call(&user, &session, "git_clone", true);
        call(&user, &session, "send_mail", number > 0);
    }
    let arguments = ["tools", "find", "--json", "--used", "git_clone", "clone the repository, then go on"];
    let found = user.ken(&arguments).json();
    assert_eq!(keys(&found)[0], "send_mail", "{found}");
    let first = &found["tools"][0];
    assert_eq!(first["because"][0], "follows git_clone after 4 of 4 calls");
    assert_eq!((&first["calls"], &first["ok"]), (&json!(4), &json!(3)));
    assert!(!keys(&found).contains(&"git_clone"), "what was used is not proposed again");
    let unknown = user.ken(&["tools", "find", "--used", "nope", "clone"]);
    assert!(unknown.code == 2 && unknown.err.contains("there is no tool nope"), "{unknown:?}");
}

#[test]
fn a_plan_puts_what_gives_before_what_takes() {
    let user = User::new();
    let movies = json!([
        {"name": "movie_cast", "description": "List the cast of a movie",
            "inputSchema": {"type": "object", "properties": {"movie_id": {"type": "integer"}}, "required": ["movie_id"]}},
        {"name": "movie_search", "description": "Find a movie by its title",
            "outputSchema": {"type": "object", "properties": {"movie_id": {"type": "integer"}}}},
        tool("weather", "Tell the weather of a place"),
    ]);
    add(&user, &movies);
    let task = "find the movie by its title and list the cast of the movie";
    let plan = user.ken(&["tools", "plan", "--json", task]).json();
    assert_eq!(plan["levels"], json!([["movie_search"], ["movie_cast"]]), "{plan}");
    assert_eq!(plan["edges"][0]["because"], json!({"kind": "field", "name": "movie_id"}));
    assert_eq!(plan["missing"], json!([]));
    let drawn = user.ken(&["tools", "plan", "--mermaid", task]).out;
    assert!(drawn.starts_with("flowchart LR\n") && drawn.contains("t0 -->|\"movie_id\"| t1"), "{drawn}");
    assert!(user.ken(&["tools", "plan", "--dot", task]).out.starts_with("digraph plan {"));
    assert_eq!(user.ken(&["tools", "plan", "which wine goes with venison"]).code, 1);
}
