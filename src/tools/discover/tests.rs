use super::*;
use crate::tools::graph::{Call, Conditional, ToolGraph};
use crate::types::{Tool, ToolField};

fn tool(name: &str, description: &str) -> Tool {
    Tool { name: name.to_owned(), description: description.to_owned(), ..Tool::default() }
}

fn shelf() -> Vec<Tool> {
    vec![
        tool("alarm_set", "Set an alarm clock"),
        tool("alarm_cancel", "Cancel an alarm clock"),
        tool("train_search", "Search for trains between two cities"),
        tool("train_book", "Book a ticket for a train"),
        tool("weather", "Tell the weather of a city"),
        tool("send_mail", "Send a message by mail"),
    ]
}

fn graph(sessions: &[&[usize]]) -> ToolGraph {
    let calls = |tools: &&[usize]| tools.iter().map(|tool| Call { tool: *tool, is_ok: true }).collect::<Vec<_>>();
    let sessions: Vec<Vec<Call>> = sessions.iter().map(calls).collect();
    ToolGraph::of(6, sessions.iter().map(Vec::as_slice))
}

fn first(tools: &[Tool], graph: &ToolGraph, task: &Task<'_>, most: usize) -> Vec<usize> {
    let texts = ToolTexts::of(tools).unwrap();
    let finder = Finder::new(tools, None, &texts, graph, None).unwrap();
    finder.find(task, most).into_iter().map(|found| found.tool).collect()
}

#[test]
fn words_find_where_there_is_nothing_else() {
    let tools = shelf();
    let empty = graph(&[]);
    assert_eq!(first(&tools, &empty, &Task { text: "cancel the alarm", ..Task::default() }, 1), [1]);
    assert_eq!(first(&tools, &empty, &Task { text: "book the train", ..Task::default() }, 1), [3]);
    let nothing = Task { text: "zzz", ..Task::default() };
    assert_eq!(first(&tools, &empty, &nothing, 9), [0, 1, 2, 3, 4, 5], "what is equal stands in order");
}

#[test]
fn what_is_used_together_is_found_together() {
    let tools = shelf();
    let often: Vec<&[usize]> =
        std::iter::repeat_n([2usize, 3, 5].as_slice(), 30).chain([[0usize, 1].as_slice()]).collect();
    let often = graph(&often);
    let task = Task { text: "search for trains", ..Task::default() };
    let found = first(&tools, &often, &task, 3);
    assert_eq!(found[0], 2);
    assert!(found.contains(&5), "no word says that mail follows: {found:?}");
    let used = Task { text: "go on", used: Used { tools: &[2, 3], in_order: true }, ..Task::default() };
    assert_eq!(first(&tools, &often, &used, 1), [5]);
}

/// One history is no evidence against words.
#[test]
fn a_sparse_graph_has_little_say() {
    let tools = shelf();
    let once = graph(&[&[0, 4]]);
    let task = Task { text: "set an alarm clock and cancel the alarm", ..Task::default() };
    assert_eq!(first(&tools, &once, &task, 2), first(&tools, &graph(&[]), &task, 2));
}

#[test]
fn reasons_name_what_they_rest_on() {
    let tools = shelf();
    let histories: Vec<&[usize]> =
        std::iter::repeat_n([2usize, 3].as_slice(), 14).chain([[2usize, 4].as_slice(); 6]).collect();
    let histories = graph(&histories);
    let texts = ToolTexts::of(&tools).unwrap();
    let finder = Finder::new(&tools, None, &texts, &histories, None).unwrap();
    let task = Task { text: "book", used: Used { tools: &[2], in_order: true }, ..Task::default() };
    let found = finder.find(&task, 2);
    assert_eq!(found[0].tool, 3);
    assert_eq!(found[0].reasons[0], Reason::Follows { tool: 2, times: 14, of: 20 });
    assert_eq!(found[0].reasons[1], Reason::UsedWith { tool: 2, sessions: 14, of: 20 });
    assert!(found[0].reasons.contains(&Reason::Name));
}

#[test]
fn what_is_needed_comes_with_what_needs_it() {
    let mut tools = shelf();
    tools.push(tool("GET /movie/{movie_id}/credits", "Get the cast and crew"));
    tools.push(tool("GET /search/movie", "Search"));
    let id =
        ToolField { name: "ticket_id".to_owned(), kind: "string".to_owned(), required: true, ..ToolField::default() };
    tools.push(Tool { parameters: vec![id.clone()], ..tool("ticket_close", "Close a complaint") });
    tools.push(Tool { results: vec![id], ..tool("open_complaint", "Open one") });
    let graph = ToolGraph::of(tools.len(), []);
    let found = first(&tools, &graph, &Task { text: "who is in the cast and crew", ..Task::default() }, 2);
    assert_eq!(found, [6, 7]);
    let needs = Needs::of(&tools);
    assert_eq!(needs.given_by(9, &[0.1; 10]), Some(("ticket id", 8)));
    let mut likely = vec![0.0; 10];
    likely[8] = 1.0;
    assert_eq!(needs.demand(&likely, &[0.0; 10])[9], NEEDED);
    assert_eq!(needs.given_by(0, &likely), None);
}

#[test]
fn past_tasks_vote_by_how_like_they_are() {
    let graph = graph(&[&[0, 1], &[2, 3], &[2, 3]]);
    let of = Conditional::of(&graph);
    let likely = Past::likely(&[0.9, 0.2, 0.1], graph.sessions(), &of, 60.0, None);
    assert!((likely.iter().sum::<f64>() - 1.0).abs() < 1e-12 && likely[0] > 4.0 * likely[2], "{likely:?}");
    let without = Past::likely(&[0.9, 0.2, 0.1], graph.sessions(), &of, 60.0, Some(0));
    assert!(without[2] > 4.0 * without[0], "{without:?}");
}

/// Tasks whose words say nothing, and whose neighbours say all.
#[test]
fn weights_follow_what_histories_show() {
    let kinds = [[0usize, 1], [2, 3], [4, 5]];
    let histories: Vec<&[usize]> = (0..90).map(|at| kinds[at % 3].as_slice()).collect();
    let graph = graph(&histories);
    let of = Conditional::of(&graph);
    let sample = |session: usize| mix::Sample {
        session,
        // Misleading by all accounts.
        text: (0..6).map(|tool| if kinds[(session + 1) % 3].contains(&tool) { 5.0 } else { 0.0 }).collect(),
        cosines: (0..90).map(|other| if other % 3 == session % 3 { 0.9 } else { 0.3 }).collect(),
    };
    let learnt = mix::learn(&(0..90).map(sample).collect::<Vec<_>>(), graph.sessions(), &of);
    assert_eq!(learnt.text, 0.0, "{learnt:?}");
    assert_eq!(mix::learn(&[], graph.sessions(), &of), Mix::default());
}

#[test]
fn candidates_expand_with_the_density() {
    assert_eq!([0.0, 0.009, 0.01, 0.05, 0.1, 0.5, 1.0].map(expansion), [1.5, 1.5, 2.0, 2.0, 3.0, 3.0, 3.0]);
}
