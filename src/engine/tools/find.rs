//! Tools for a task, and a plan of them.

use super::vectors::AskedVectors;
use crate::engine::{Engine, EngineError, Session};
use crate::text::clauses;
use crate::tools::discover::{Finder, Found, Legs, Reason, Task, ToolTexts, Used, embedded_text};
use crate::tools::plan::{Plan, plan, precedence};
use crate::types::{Access, Tool};
use serde::Serialize;

/// A tool that fits a task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundTool {
    /// What tells it from all others.
    pub key: String,
    /// What it says of itself.
    #[serde(flatten)]
    pub tool: Tool,
    /// How likely it is beside all other tools, in \[0, 1\].
    pub share: f64,
    /// Why, in words.
    pub because: Vec<String>,
    /// Why.
    pub reasons: Vec<Reason>,
    /// Calls that are known.
    pub calls: u32,
    /// Those that went well.
    pub ok: u32,
}

/// The tools that fit a task.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ToolsFound {
    /// Best first; none if no tool fits.
    pub tools: Vec<FoundTool>,
    /// How many there were to choose from.
    pub known: usize,
    /// How many are not offered until they are approved.
    pub unapproved: usize,
    /// Whether meaning was compared too.
    pub semantic: bool,
}

/// A plan for a task.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ToolPlan {
    /// The plan; without levels if no tool fits.
    #[serde(flatten)]
    pub plan: Plan,
    /// How many tools there were to choose from.
    pub known: usize,
}

/// What is wanted of a finder.
enum Wanted {
    Most(usize),
    Chosen,
}

/// What a finder gave.
struct Answer {
    tools: Vec<Tool>,
    sessions: Vec<Vec<usize>>,
    found: Vec<FoundTool>,
    places: Vec<usize>,
    semantic: bool,
}

impl Engine {
    /// The tools that a task needs, at most `most`; `used` are those that were called before, in order. None if no tool
    /// fits.
    ///
    /// # Errors
    /// [`EngineError::NoTool`] for a used tool that is not known, [`EngineError`] when the database or the model fails.
    pub fn find_tools(
        &self,
        task: &str,
        used: &[String],
        most: usize,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<ToolsFound, EngineError> {
        let all = self.list_tools(access, session)?;
        let unapproved = all.iter().filter(|one| !one.approved).count();
        let Answer { tools, found, semantic, .. } = self.ask_tools(task, used, &Wanted::Most(most), access, session)?;
        Ok(ToolsFound { tools: found, known: tools.len(), unapproved, semantic })
    }

    /// A plan of the tools that a task needs.
    ///
    /// # Errors
    /// As [`Engine::find_tools`].
    pub fn plan_tools(&self, task: &str, access: &Access, session: &Session<'_>) -> Result<ToolPlan, EngineError> {
        let answer = self.ask_tools(task, &[], &Wanted::Chosen, access, session)?;
        let chosen: Vec<&Tool> = answer.places.iter().map(|place| &answer.tools[*place]).collect();
        let plan = plan(&chosen, &precedence(&answer.places, &answer.sessions));
        Ok(ToolPlan { plan, known: answer.tools.len() })
    }

    fn ask_tools(
        &self,
        task: &str,
        used: &[String],
        wanted: &Wanted,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<Answer, EngineError> {
        let catalog = self.catalog(true, access)?;
        let used = catalog.places(used)?;
        let nothing = || (catalog.tools.clone(), catalog.graph.sessions().to_vec());
        if catalog.tools.is_empty() {
            return Ok(Answer {
                tools: Vec::new(),
                sessions: Vec::new(),
                found: Vec::new(),
                places: Vec::new(),
                semantic: false,
            });
        }
        let said: Vec<String> = catalog.tools.iter().map(embedded_text).collect();
        let vectors = self.tool_vectors(&said, session)?;
        let asked = match &vectors {
            Some(_) => self.embed_questions(&[task], session)?.pop(),
            None => None,
        };
        let clauses: Vec<(String, Option<Vec<f32>>)> = match &asked {
            Some(AskedVectors { clauses, .. }) => clauses.clone(),
            None => clauses(task).into_iter().map(|clause| (clause, None)).collect(),
        };
        let io = |source| EngineError::Io { path: self.settings.data.clone().unwrap_or_default(), source };
        let texts = ToolTexts::of(&catalog.tools).map_err(io)?;
        let finder = Finder::new(&catalog.tools, vectors.as_deref(), &texts, &catalog.graph, None).map_err(io)?;
        let vector = asked.as_ref().map(|asked| asked.whole.as_slice());
        let best = finder.evidence(task, vector, Legs::ALL).into_iter().fold(f64::NEG_INFINITY, f64::max);
        let gate = self.tool_gate(&finder, vectors.is_some(), session)?;
        let task = Task { text: task, vector, clauses: &clauses, used: Used { tools: &used, in_order: true } };
        let mut places: Vec<usize> = Vec::new();
        let mut found: Vec<FoundTool> = Vec::new();
        if gate.passes(best) {
            let shares = finder.shares(&task);
            match wanted {
                Wanted::Most(most) => {
                    let of = |one: Found| FoundTool {
                        key: catalog.tools[one.tool].key(),
                        share: shares[one.tool],
                        because: one.reasons.iter().map(|reason| said_of(reason, &catalog.tools)).collect(),
                        tool: catalog.tools[one.tool].clone(),
                        calls: catalog.graph.nodes()[one.tool].calls,
                        ok: catalog.graph.nodes()[one.tool].ok,
                        reasons: one.reasons,
                    };
                    found = finder.find(&task, *most).into_iter().map(of).collect();
                }
                Wanted::Chosen => places = finder.chosen(&task, gate),
            }
        }
        let (tools, sessions) = nothing();
        Ok(Answer { tools, sessions, found, places, semantic: vectors.is_some() })
    }
}

/// A reason in words. Names are a stranger's; whoever shows them takes control characters out.
fn said_of(reason: &Reason, tools: &[Tool]) -> String {
    let name = |place: usize| tools.get(place).map(Tool::key).unwrap_or_default();
    match reason {
        Reason::Meaning { .. } => "its description means the same".to_owned(),
        Reason::Words => "its description has words of the task".to_owned(),
        Reason::Name => "its name has words of the task".to_owned(),
        Reason::Follows { tool, times, of } => format!("follows {} after {times} of {of} calls", name(*tool)),
        Reason::UsedWith { tool, sessions, of } => format!("used with {} in {sessions} of {of} sessions", name(*tool)),
        Reason::Gives { what, tool } => format!("gives the {what} that {} needs", name(*tool)),
        Reason::Past => "past tasks like this one used it".to_owned(),
    }
}
