//! Tools for a task, and a plan of them.

use super::ready::ReadyTools;
use super::suggest::{Fitting, FoundCapability, ToolAsk, shown_capability, shown_tool};
use super::vectors::AskedVectors;
use crate::engine::{Engine, EngineError, Session};
use crate::text::clauses;
use crate::tools::discover::{Finder, Found, Legs, Mix, Past, Reason, Task, Used, embedded_text};
use crate::tools::learn::{Signals, Trace, draw_chance};
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
    /// The chance that it is among five that are drawn by their shares: what the threshold is compared with.
    pub chance: f64,
    /// Whether that reaches the threshold (`ken tools capabilities` tells it).
    pub suggested: bool,
    /// Why, in words.
    pub because: Vec<String>,
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
    /// If none fits, the few that are closest: a person or an agent may know better.
    pub closest: Vec<FoundTool>,
    /// Sets of tools that earlier tasks used together and that fit, best first.
    pub capabilities: Vec<FoundCapability>,
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
    /// Sets of its tools that earlier tasks used together, the best first.
    pub capabilities: Vec<FoundCapability>,
    /// How many tools there were to choose from.
    pub known: usize,
}

/// Most tools that are told as the closest.
const CLOSEST: usize = 3;

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
    closest: Vec<FoundTool>,
    places: Vec<usize>,
    fitting: Vec<(FoundCapability, bool)>,
    semantic: bool,
    unapproved: usize,
}

impl Engine {
    /// The tools that a task needs, at most `most`; `used` are those that were called before, in order. None if no tool
    /// fits. Of a session that says who it is the task and what was shown are kept, without secrets: what it calls then
    /// says which suggestions were right.
    ///
    /// # Errors
    /// [`EngineError::NoTool`] for a used tool that is not known, [`EngineError`] when the database or the model fails.
    pub fn find_tools(
        &self,
        ask: &ToolAsk<'_>,
        (task, used, most): (&str, &[String], usize),
        access: &Access,
        session: &Session<'_>,
    ) -> Result<ToolsFound, EngineError> {
        let answer = self.ask_tools(ask, (task, used), &Wanted::Most(most), access, session)?;
        let Answer { tools, found, closest, fitting, semantic, unapproved, .. } = answer;
        let capabilities = fitting.into_iter().filter(|(_, suggested)| *suggested).map(|(one, _)| one).collect();
        Ok(ToolsFound { tools: found, closest, capabilities, known: tools.len(), unapproved, semantic })
    }

    /// A plan of the tools that a task needs.
    ///
    /// # Errors
    /// As [`Engine::find_tools`].
    pub fn plan_tools(&self, task: &str, access: &Access, session: &Session<'_>) -> Result<ToolPlan, EngineError> {
        let answer = self.ask_tools(&ToolAsk::default(), (task, &[]), &Wanted::Chosen, access, session)?;
        let chosen: Vec<&Tool> = answer.places.iter().map(|place| &answer.tools[*place]).collect();
        let plan = plan(&chosen, &precedence(&answer.places, &answer.sessions));
        let keys: Vec<String> = chosen.iter().map(|tool| tool.key()).collect();
        let is_within = |one: &FoundCapability| one.tools.iter().all(|tool| keys.contains(tool));
        let capabilities = answer.fitting.iter().map(|(one, _)| one).filter(|one| is_within(one)).cloned().collect();
        Ok(ToolPlan { plan, capabilities, known: answer.tools.len() })
    }

    fn ask_tools(
        &self,
        ask: &ToolAsk<'_>,
        (asked_task, used): (&str, &[String]),
        wanted: &Wanted,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<Answer, EngineError> {
        let task = asked_task;
        let catalog = self.catalog(true, access)?;
        self.learn_by_the_way(&catalog, access, session);
        let used = catalog.places(used)?;
        let nothing = || (catalog.tools.clone(), catalog.graph.sessions().to_vec());
        if catalog.tools.is_empty() {
            return Ok(Answer {
                tools: Vec::new(),
                sessions: Vec::new(),
                found: Vec::new(),
                closest: Vec::new(),
                places: Vec::new(),
                fitting: Vec::new(),
                semantic: false,
                unapproved: catalog.unapproved,
            });
        }
        let mut past = self.past_tasks(&catalog, access)?;
        let mut said: Vec<String> = catalog.tools.iter().map(embedded_text).collect();
        said.extend(past.texts.iter().cloned());
        let mut vectors = self.tool_vectors(&said, session)?;
        if let Some(vectors) = &mut vectors {
            past.vectors = vectors.split_off(catalog.tools.len().min(vectors.len()));
        }
        let past: Option<&Past> = (!past.vectors.is_empty()).then_some(&past);
        let asked = match &vectors {
            Some(_) => self.embed_questions(&[task], session)?.pop(),
            None => None,
        };
        let clauses: Vec<(String, Option<Vec<f32>>)> = match &asked {
            Some(AskedVectors { clauses, .. }) => clauses.clone(),
            None => clauses(task).into_iter().map(|clause| (clause, None)).collect(),
        };
        let io = |source| EngineError::Io { path: self.settings.data.clone().unwrap_or_default(), source };
        let ready = self.tools.current(
            |ready| ready.is_of(&catalog.stored),
            |_| ReadyTools::of(&catalog.stored, &catalog.tools).map_err(io),
        )?;
        let finder = Finder::new(&catalog.tools, vectors.as_deref(), &ready.texts, &catalog.graph, past).map_err(io)?;
        let vector = asked.as_ref().map(|asked| asked.whole.as_slice());
        let best = finder.evidence(task, vector, Legs::ALL).into_iter().fold(f64::NEG_INFINITY, f64::max);
        let gate = self.tool_gate(&ready, &finder, vectors.is_some(), session)?;
        let task = Task { text: task, vector, clauses: &clauses, used: Used { tools: &used, in_order: true } };
        let mut places: Vec<usize> = Vec::new();
        let mut found: Vec<FoundTool> = Vec::new();
        let mut fitting = Vec::new();
        let thresholds = self.thresholds(access)?;
        let shares = finder.shares(&task);
        let of = |one: Found| FoundTool {
            key: catalog.tools[one.tool].key(),
            share: shares[one.tool],
            chance: draw_chance(shares[one.tool]),
            suggested: thresholds[0].passes(draw_chance(shares[one.tool])),
            because: one.reasons.iter().map(|reason| said_of(reason, &catalog.tools)).collect(),
            tool: catalog.tools[one.tool].clone(),
            calls: catalog.graph.nodes()[one.tool].calls,
            ok: catalog.graph.nodes()[one.tool].ok,
        };
        let mut closest: Vec<FoundTool> = Vec::new();
        if gate.passes(best) {
            Fitting { all: fitting } = self.fitting_capabilities(&catalog, &shares, &used, &thresholds[1], access)?;
            match wanted {
                Wanted::Most(most) => found = finder.find(&task, *most).into_iter().map(of).collect(),
                Wanted::Chosen => places = finder.chosen(&task, gate),
            }
        } else if let Wanted::Most(most) = wanted {
            // Those that no word and no meaning speaks for are close to nothing.
            let near = finder.find(&task, CLOSEST.min(*most)).into_iter().filter(|one| !one.reasons.is_empty());
            closest = near.map(of).collect();
        }
        if matches!(wanted, Wanted::Most(_)) && (ask.session.is_some() || ask.trace) {
            let shown = found.iter().map(|one| shown_tool(&one.key, one.chance, one.suggested));
            let shown = shown.chain(fitting.iter().map(shown_capability)).collect();
            let trace = ask.trace.then(|| {
                let Mix { text, graph, sharpness } = finder.mix();
                let keys = found.iter().filter_map(|one| catalog.place_of(&one.key));
                let signals = finder.signals(&task, &keys.collect::<Vec<_>>()).into_iter().zip(&found);
                let with = |(signals, one): (Signals, &FoundTool)| Signals {
                    chance: one.chance,
                    suggested: one.suggested,
                    ..signals
                };
                let of = |(one, suggested): &(FoundCapability, bool)| {
                    (one.tools.clone(), one.coverage, one.score, *suggested)
                };
                Trace {
                    mix: (text, graph, sharpness),
                    pseudo_counts: finder.conditional().pseudo_counts(),
                    gate: gate.least,
                    best,
                    thresholds: (thresholds[0].value, thresholds[1].value),
                    past_tasks: past.map_or(0, |past| past.sessions.len()),
                    tools: signals.map(with).collect(),
                    capabilities: fitting.iter().map(of).collect(),
                }
            });
            drop(self.keep_suggested(ask, asked_task, shown, trace.as_ref(), (access, session)));
        }
        let (semantic, unapproved) = (vectors.is_some(), catalog.unapproved);
        let (tools, sessions) = nothing();
        Ok(Answer { tools, sessions, found, closest, places, fitting, semantic, unapproved })
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
