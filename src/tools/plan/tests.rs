use super::super::testing::Random;
use super::*;
use crate::types::ToolField;
use std::collections::{BTreeMap, BTreeSet};

fn field(name: &str, kind: &str) -> ToolField {
    ToolField { name: name.to_owned(), kind: kind.to_owned(), required: true, ..ToolField::default() }
}

fn tool(name: &str, takes: &[(&str, &str)], gives: &[(&str, &str)]) -> Tool {
    let fields = |all: &[(&str, &str)]| all.iter().map(|(name, kind)| field(name, kind)).collect();
    Tool { name: name.to_owned(), parameters: fields(takes), results: fields(gives), ..Tool::default() }
}

fn of(tools: &[Tool], before: &[(usize, usize, u32)]) -> Plan {
    plan(&tools.iter().collect::<Vec<_>>(), before)
}

fn ends(edges: &[Edge]) -> Vec<(&str, &str)> {
    edges.iter().map(|edge| (edge.from.as_str(), edge.to.as_str())).collect()
}

#[test]
fn what_gives_comes_before_what_takes() {
    let tools = [
        tool("deploy", &[("image", "string"), ("region", "string")], &[]),
        tool("build", &[("source", "string")], &[("image", "string")]),
        tool("clone", &[], &[("source", "string")]),
        tool("lint", &[("source", "string")], &[("report", "string")]),
    ];
    let plan = of(&tools, &[]);
    assert_eq!(plan.levels, [vec!["clone"], vec!["build", "lint"], vec!["deploy"]]);
    assert_eq!(ends(&plan.edges), [("build", "deploy"), ("clone", "build"), ("clone", "lint")]);
    let missing = Missing { tool: "deploy".into(), parameter: "region".into(), kind: "string".into() };
    assert_eq!(plan.missing, [missing]);
}

#[test]
fn a_field_of_another_type_is_another_field() {
    let tools = [tool("a", &[], &[("size", "integer")]), tool("b", &[("size", "string")], &[])];
    assert!(of(&tools, &[]).edges.is_empty());
    let tools = [tool("a", &[], &[("size", "")]), tool("b", &[("size", "string")], &[])];
    assert_eq!(of(&tools, &[]).edges[0].surety, FIELD_NAME);
}

#[test]
fn references_verbs_and_sessions_order_too() {
    let tools = [tool("GET /movie/{movie_id}/credits", &[], &[]), tool("GET /search/movie", &[], &[])];
    assert_eq!(ends(&of(&tools, &[]).edges), [("GET /search/movie", "GET /movie/{movie_id}/credits")]);
    assert!(of(&tools, &[]).missing.is_empty());
    let tools = [tool("delete_alarm", &[], &[]), tool("create_alarm", &[], &[]), tool("create_room", &[], &[])];
    assert_eq!(ends(&of(&tools, &[]).edges), [("create_alarm", "delete_alarm")]);
    let tools = [tool("x", &[], &[]), tool("y", &[], &[])];
    assert!(of(&tools, &[(1, 0, 1)]).edges.is_empty(), "one session is not enough");
    let plan = of(&tools, &[(1, 0, 6), (0, 1, 1)]);
    assert_eq!((ends(&plan.edges), &plan.edges[0].because), (vec![("y", "x")], &Because::Order { times: 6, of: 7 }));
}

/// Whatever ends a thing comes last of what is done with it, by whatever name and style of names.
#[test]
fn what_ends_a_thing_comes_after_all_that_uses_it() {
    let id = [("issue_id", "string")];
    let sets: [(&str, Vec<Tool>); 5] = [
        ("delete_issue", vec![tool("delete_issue", &id, &[("issue_id", "string")]), tool("add_comment", &id, &[])]),
        (
            "remove_file",
            vec![tool("remove_file", &[], &[]), tool("list_files", &[], &[]), tool("read_text_file", &[], &[])],
        ),
        (
            "DELETE /repos/{owner}/{repo}/issues/{number}",
            vec![
                tool("DELETE /repos/{owner}/{repo}/issues/{number}", &[], &[]),
                tool("POST /repos/{owner}/{repo}/issues", &[], &[]),
                tool("PATCH /repos/{owner}/{repo}/issues/{number}", &[], &[]),
                tool("GET /repos/{owner}/{repo}/issues/{number}/comments", &[], &[]),
            ],
        ),
        ("browser_close", vec![tool("browser_close", &[], &[]), tool("browser_click", &[], &[])]),
        (
            "closeAccount",
            vec![tool("closeAccount", &[("account_id", "")], &[]), tool("pay", &[("account_id", "")], &[])],
        ),
    ];
    for (last, tools) in sets {
        let plan = of(&tools, &[]);
        assert_eq!(plan.levels.last(), Some(&vec![last.to_owned()]), "{plan:?}");
    }
}

#[test]
fn what_ends_a_part_is_not_after_the_whole() {
    // A part is ended before its whole, and the whole may be used after its part.
    let tools = [tool("delete_repo", &[], &[]), tool("delete_repo_branch", &[], &[]), tool("get_repo", &[], &[])];
    let plan = of(&tools, &[]);
    assert_eq!(plan.levels, [vec!["delete_repo_branch", "get_repo"], vec!["delete_repo"]]);
    // Things of other names have nothing to do with it, and sessions know better.
    let tools = [tool("delete_alarm", &[], &[]), tool("create_room", &[], &[]), tool("get_delete_marker", &[], &[])];
    assert!(of(&tools, &[]).edges.is_empty());
    let tools = [tool("delete_alarm", &[], &[]), tool("create_alarm", &[], &[])];
    assert_eq!(ends(&of(&tools, &[(0, 1, 9)]).edges), [("delete_alarm", "create_alarm")]);
}

#[test]
fn of_a_cycle_the_least_sure_edge_goes() {
    let tools = [tool("a", &[], &[("k", "t")]), tool("b", &[("k", "t")], &[]), tool("c", &[], &[])];
    // a -> b by a field (.90), b -> c in 20 of 20 (.95), c -> a in 4 of 4 (.83).
    let plan = of(&tools, &[(1, 2, 20), (2, 0, 4)]);
    assert_eq!((ends(&plan.edges), ends(&plan.broken)), (vec![("a", "b"), ("b", "c")], vec![("c", "a")]));
    let both = [tool("a", &[("k", "t")], &[("k", "t")]), tool("b", &[("k", "t")], &[("k", "t")])];
    assert!(of(&both, &[]).edges.is_empty(), "two directions that are as sure say nothing");
}

#[test]
fn what_follows_from_other_edges_is_not_said_again() {
    let tools = [tool("x", &[], &[]), tool("y", &[], &[]), tool("z", &[], &[])];
    let plan = of(&tools, &[(0, 1, 9), (1, 2, 9), (0, 2, 9)]);
    assert_eq!(ends(&plan.edges), [("x", "y"), ("y", "z")]);
    assert_eq!(plan.levels, [["x"], ["y"], ["z"]]);
}

/// Random tools that take and give a few fields, and random orders that were seen.
fn random(random: &mut Random, count: usize) -> (Vec<Tool>, Vec<(usize, usize, u32)>) {
    let mut fields = |most: usize| -> Vec<(String, &'static str)> {
        let count = random.below(most);
        (0..count).map(|_| (format!("f{}_id", random.below(12)), ["string", "integer", ""][random.below(3)])).collect()
    };
    let tools = (0..count)
        .map(|at| {
            let (takes, gives) = (fields(3), fields(3));
            let names = |all: &[(String, &str)]| all.iter().map(|(name, kind)| field(name, kind)).collect();
            Tool { name: format!("tool_f{at}"), parameters: names(&takes), results: names(&gives), ..Tool::default() }
        })
        .collect();
    let seen = (0..count * 2)
        .map(|_| (random.below(count), random.below(count), random.below(9) as u32))
        .filter(|(a, b, _)| a != b)
        .map(|(a, b, times)| ((a, b), times))
        .collect::<BTreeMap<_, _>>();
    (tools, seen.into_iter().map(|((a, b), times)| (a, b, times)).collect())
}

#[test]
fn any_order_of_the_tools_gives_the_same_plan() {
    let mut numbers = Random(1);
    for _ in 0..60 {
        let count = 2 + numbers.below(12);
        let (tools, seen) = random(&mut numbers, count);
        let wanted = of(&tools, &seen);
        let mut order: Vec<usize> = (0..count).collect();
        for at in (1..count).rev() {
            order.swap(at, numbers.below(at + 1));
        }
        let place = |tool: usize| order.iter().position(|other| *other == tool).unwrap();
        let mixed: Vec<Tool> = order.iter().map(|tool| tools[*tool].clone()).collect();
        let moved: Vec<(usize, usize, u32)> =
            seen.iter().rev().map(|(a, b, times)| (place(*a), place(*b), *times)).collect();
        assert_eq!(of(&mixed, &moved), wanted);
        let mut twice = mixed.clone();
        twice.push(mixed[0].clone());
        assert_eq!(of(&twice, &moved), wanted, "what is named twice counts once");
    }
}

#[test]
fn a_plan_has_every_tool_once_and_no_edge_leads_back() {
    let mut numbers = Random(2);
    let mut cycles = 0;
    // The last rounds have more than 64 tools, so that a row of bits is longer than one word.
    for round in 0..103 {
        let count = if round < 100 { 1 + numbers.below(15) } else { 70 + numbers.below(70) };
        let (tools, seen) = random(&mut numbers, count);
        let plan = of(&tools, &seen);
        let all: Vec<&String> = plan.levels.iter().flatten().collect();
        assert_eq!((all.len(), all.iter().collect::<BTreeSet<_>>().len()), (count, count));
        let level = |key: &str| plan.levels.iter().position(|level| level.iter().any(|one| one == key)).unwrap();
        assert!(plan.edges.iter().all(|edge| level(&edge.from) < level(&edge.to)), "{plan:?}");
        cycles += plan.broken.len();
        for edge in &plan.broken {
            // The kept edges lead back from its end to its beginning.
            let mut reached = BTreeSet::from([edge.to.as_str()]);
            for level in &plan.levels {
                for key in level {
                    let leads = |one: &&Edge| one.to == *key && reached.contains(one.from.as_str());
                    if plan.edges.iter().any(|one| leads(&one)) {
                        reached.insert(key);
                    }
                }
            }
            assert!(reached.contains(edge.from.as_str()), "{edge:?} closes no cycle");
        }
    }
    assert!(cycles > 10, "too few cycles were drawn: {cycles}");
}

#[test]
fn pictures_hold_no_quote_of_a_stranger() {
    let tools = [tool("x\"];click <b>\n", &[], &[]), tool("y", &[], &[])];
    let plan = of(&tools, &[(0, 1, 9)]);
    let drawn = mermaid(&plan);
    assert_eq!(drawn, "flowchart LR\n  t0[\"x']_click (b)\"]\n  t1[\"y\"]\n  t0 -->|\"9 of 9\"| t1\n");
    assert!(dot(&plan).contains("  t0 -> t1 [label=\"9 of 9\"];\n"));
}

#[test]
fn sessions_count_once_by_their_first_calls() {
    let sessions = [vec![4, 7, 4, 9], vec![7, 4], vec![9]];
    assert_eq!(precedence(&[4, 7], &sessions), [(0, 1, 1), (1, 0, 1)]);
}

#[test]
fn a_thousand_tools_have_a_plan() {
    let (tools, seen) = random(&mut Random(3), 1_000);
    let plan = of(&tools, &seen);
    assert_eq!(plan.levels.iter().map(Vec::len).sum::<usize>(), 1_000);
    assert!(plan.levels.len() > 3 && !plan.edges.is_empty());
}
