//! The tools that may be seen, with what sessions did with them.

use crate::engine::{Engine, EngineError, Session};
use crate::store::{ReadTools, StoredTool, ToolCall};
use crate::tools::graph::{Call, ToolGraph, communities, page_rank};
use crate::types::{Access, Scope, Tool};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// Most calls that the graph is made of: the last ones.
const CALLS: usize = 200_000;

/// A tool, and what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnownTool {
    /// What tells it from all others.
    pub key: String,
    /// Where it can be used.
    pub scope: Scope,
    /// What it says of itself.
    #[serde(flatten)]
    pub tool: Tool,
    /// Whether what it says was approved.
    pub approved: bool,
    /// Where it was read.
    pub source: String,
    /// When it changed last, milliseconds since 1970.
    pub changed_at: i64,
    /// Calls that are known.
    pub calls: u32,
    /// Those that went well.
    pub ok: u32,
    /// How central it is among the tools, by PageRank over co-use.
    pub rank: f64,
    /// The tools of one number are used together.
    pub community: usize,
}

/// What a tool is called, and whether it may be offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolState {
    /// What tells it from all others.
    pub key: String,
    /// The server that offers it.
    pub server: String,
    /// Whether what it says was approved.
    pub approved: bool,
}

/// Tools with their graph.
pub(super) struct Catalog {
    pub stored: Vec<StoredTool>,
    pub tools: Vec<Tool>,
    pub graph: ToolGraph,
    /// How many were left out because what they say now was not approved.
    pub unapproved: usize,
    keys: HashMap<String, usize>,
    /// Where the tool stands that agents call by this name; nowhere if several are.
    names: HashMap<String, Option<usize>>,
}

impl Catalog {
    /// Of tools and calls. A call is one of the tool whose key or name it says, or `mcp__server__name`, as agents name
    /// tools of servers; of two tools with one name it is one of neither.
    fn of(stored: Vec<StoredTool>, calls: &[ToolCall]) -> Self {
        let mut places: HashMap<String, Option<usize>> = HashMap::new();
        for (at, one) in stored.iter().enumerate() {
            let Tool { name, server, .. } = &one.tool;
            let mut names = vec![one.tool.key(), name.clone(), format!("mcp__{server}__{name}")];
            names.sort();
            names.dedup();
            for name in names {
                places.entry(name).and_modify(|place| *place = None).or_insert(Some(at));
            }
        }
        let mut graph = ToolGraph::of(stored.len(), []);
        for session in calls.chunk_by(|a, b| a.session == b.session) {
            let number = graph.begin();
            for call in session {
                if let Some(Some(tool)) = places.get(&call.tool) {
                    graph.record(number, Call { tool: *tool, is_ok: call.is_ok });
                }
            }
        }
        let keys = stored.iter().enumerate().map(|(at, one)| (one.tool.key(), at)).collect();
        let tools = stored.iter().map(|one| one.tool.clone()).collect();
        Self { tools, stored, graph, unapproved: 0, keys, names: places }
    }

    /// The place of the tool with this key.
    pub(super) fn place_of(&self, key: &str) -> Option<usize> {
        self.keys.get(key).copied()
    }

    /// The place of the tool that an agent calls by this name.
    pub(super) fn called(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied().flatten()
    }

    /// The places of tools by key or name.
    pub(super) fn places(&self, names: &[String]) -> Result<Vec<usize>, EngineError> {
        let place = |name: &String| {
            let of = |tool: &Tool| tool.key() == *name || tool.name == *name;
            self.tools.iter().position(of).ok_or_else(|| EngineError::NoTool { name: name.clone() })
        };
        names.iter().map(place).collect()
    }
}

/// A tool of a repository hides one of all with its key.
fn seen(mut stored: Vec<StoredTool>) -> Vec<StoredTool> {
    let is_global = |one: &StoredTool| one.scope == Scope::global();
    let own: BTreeSet<String> = stored.iter().filter(|one| !is_global(one)).map(|one| one.tool.key()).collect();
    stored.retain(|one| !is_global(one) || !own.contains(&one.tool.key()));
    stored
}

impl Engine {
    /// The tools that whoever asks may see. With `offered`, only the approved ones.
    pub(super) fn catalog(&self, offered: bool, access: &Access) -> Result<Catalog, EngineError> {
        let Some(database) = self.read_database()? else { return Ok(Catalog::of(Vec::new(), &[])) };
        let scopes = access.remembered();
        let mut stored = seen(database.tools(&scopes)?);
        let all = stored.len();
        stored.retain(|one| !offered || one.is_approved());
        let unapproved = all - stored.len();
        stored.sort_by_cached_key(|one| one.tool.key());
        Ok(Catalog { unapproved, ..Catalog::of(stored, &database.tool_calls(&scopes, CALLS)?) })
    }

    /// The names of the tools that whoever asks may see, and whether each is approved. Reads no calls, so it is much
    /// cheaper than [`Engine::list_tools`].
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn tool_states(&self, access: &Access, session: &Session<'_>) -> Result<Vec<ToolState>, EngineError> {
        session.check()?;
        let Some(database) = self.read_database()? else { return Ok(Vec::new()) };
        let state =
            |one: StoredTool| ToolState { key: one.tool.key(), approved: one.is_approved(), server: one.tool.server };
        Ok(seen(database.tools(&access.remembered())?).into_iter().map(state).collect())
    }

    /// All tools that may be seen, by key.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn list_tools(&self, access: &Access, session: &Session<'_>) -> Result<Vec<KnownTool>, EngineError> {
        session.check()?;
        let Catalog { stored, graph, .. } = self.catalog(false, access)?;
        let weights = graph.weights();
        let (ranks, groups) = (page_rank(&weights), communities(&weights));
        let known = |(at, one): (usize, StoredTool)| KnownTool {
            key: one.tool.key(),
            approved: one.is_approved(),
            scope: one.scope,
            tool: one.tool,
            source: one.source,
            changed_at: one.changed_at,
            calls: graph.nodes()[at].calls,
            ok: graph.nodes()[at].ok,
            rank: ranks[at],
            community: groups[at],
        };
        Ok(stored.into_iter().enumerate().map(known).collect())
    }
}
