//! A set: `tools.jsonl`, `queries.jsonl`, and perhaps `history.jsonl` or `sequences.jsonl`.

use crate::eval::retrieval::BenchError;
use crate::eval::retrieval::source::{bad, lines, read};
use crate::tools::graph::Call;
use crate::types::{Tool, ToolField};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

const LAYOUT: &str = "a set holds tools.jsonl and queries.jsonl; see `ken bench tools --help`";
const TOOL: &str = r#"a line of tools.jsonl is {"id": "a", "name": "a", "description": "Does a"}"#;
const QUERY: &str = r#"a line of queries.jsonl is {"id": "q", "query": "do a, then b", "tools": ["a", "b"]}"#;
const HISTORY: &str = r#"a line of histories is {"id": "h", "tools": ["a", "b"]}; it may have a query too"#;

/// What a set holds. Tools are known by their places.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolSet {
    pub tools: Vec<Tool>,
    pub queries: Vec<ToolQuery>,
    pub histories: Vec<History>,
}

/// A request, and the tools that it needs.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolQuery {
    pub text: String,
    /// In the order of the calls, each once.
    pub tools: Vec<usize>,
    /// The conversation that it belongs to, if there is one.
    pub conversation: Option<String>,
    /// Tools that were called before, in order.
    pub before: Vec<usize>,
    /// What needs what; none where that is not known.
    pub edges: Option<BTreeSet<(usize, usize)>>,
    /// Whether these are some of the edges.
    pub is_partial: bool,
}

/// What a session used.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    pub id: String,
    pub tools: Vec<usize>,
    /// What it was asked; none where that is not known.
    pub text: Option<String>,
}

impl ToolSet {
    /// The calls of the histories but for those of one conversation. A failed call is not known of any.
    pub fn calls(&self, without: Option<&str>) -> Vec<Vec<Call>> {
        let others = self.histories.iter().filter(|history| Some(history.id.as_str()) != without);
        others.map(|history| history.tools.iter().map(|tool| Call { tool: *tool, is_ok: true }).collect()).collect()
    }

    /// Whether requests follow on others.
    pub fn has_turns(&self) -> bool {
        self.queries.iter().any(|query| !query.before.is_empty())
    }
}

#[derive(Deserialize)]
struct ToolLine {
    id: String,
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    server: String,
    #[serde(default)]
    parameters: Value,
    #[serde(default, alias = "keywords", alias = "domains")]
    tags: Vec<String>,
}

#[derive(Deserialize)]
struct QueryLine {
    query: String,
    tools: Vec<String>,
    #[serde(default)]
    conversation: Option<String>,
    #[serde(default)]
    before: Vec<String>,
    #[serde(default)]
    edges: Option<Vec<(usize, usize)>>,
    #[serde(default)]
    edges_by_tool: Option<Vec<(String, String)>>,
}

#[derive(Deserialize)]
struct HistoryLine {
    id: String,
    tools: Vec<String>,
    #[serde(default)]
    query: Option<String>,
}

fn each<T: DeserializeOwned>(path: &Path, hint: &'static str) -> Result<Vec<T>, BenchError> {
    let text = read(path, LAYOUT)?;
    let line = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| bad(path, number, hint)(&error.to_string()))
    };
    lines(&text).map(line).collect()
}

/// Names of parameters: a list of names, or an object with a value for each.
fn fields(value: &Value) -> Vec<ToolField> {
    let field = |name: &str| ToolField { name: name.to_owned(), ..ToolField::default() };
    match value {
        Value::Array(names) => names.iter().filter_map(Value::as_str).map(field).collect(),
        Value::Object(names) => names.keys().map(|name| field(name)).collect(),
        _ => Vec::new(),
    }
}

/// Reads a set from its folder. Requests that name no tool of the set are left out.
pub(super) fn read_set(folder: &Path) -> Result<ToolSet, BenchError> {
    let mut out = ToolSet::default();
    let mut places: HashMap<String, usize> = HashMap::new();
    for line in each::<ToolLine>(&folder.join("tools.jsonl"), TOOL)? {
        places.entry(line.id).or_insert(out.tools.len());
        out.tools.push(Tool {
            name: line.name,
            server: line.server,
            description: line.description,
            parameters: fields(&line.parameters),
            results: Vec::new(),
            tags: line.tags,
            form: String::new(),
        });
    }
    let place = |id: &String| places.get(id).copied();
    for line in each::<QueryLine>(&folder.join("queries.jsonl"), QUERY)? {
        let named: Vec<Option<usize>> = line.tools.iter().map(place).collect();
        let mut tools: Vec<usize> = Vec::new();
        named.iter().flatten().for_each(|tool| {
            if !tools.contains(tool) {
                tools.push(*tool)
            }
        });
        if tools.is_empty() {
            continue;
        }
        let by_place = |edges: Vec<(usize, usize)>| {
            let ends = edges.into_iter().filter_map(|(a, b)| Some(((*named.get(a)?)?, (*named.get(b)?)?)));
            ends.filter(|(a, b)| a != b).collect::<BTreeSet<_>>()
        };
        let by_name = |edges: Vec<(String, String)>| {
            edges.iter().filter_map(|(a, b)| Some((place(a)?, place(b)?))).filter(|(a, b)| a != b).collect()
        };
        let is_partial = line.edges.is_none() && line.edges_by_tool.is_some();
        let edges = line.edges.map(by_place).or_else(|| line.edges_by_tool.map(by_name));
        let before = line.before.iter().filter_map(place).collect();
        let (text, conversation) = (line.query, line.conversation);
        out.queries.push(ToolQuery { text, tools, conversation, before, edges, is_partial });
    }
    for name in ["history.jsonl", "sequences.jsonl"] {
        let path = folder.join(name);
        if path.is_file() {
            for line in each::<HistoryLine>(&path, HISTORY)? {
                let tools = line.tools.iter().filter_map(place).collect();
                out.histories.push(History { id: line.id, tools, text: line.query });
            }
        }
    }
    if out.queries.is_empty() {
        let what = "no request names a tool of the set".to_owned();
        return Err(BenchError::Set { path: folder.to_owned(), what, hint: LAYOUT.to_owned() });
    }
    Ok(out)
}
