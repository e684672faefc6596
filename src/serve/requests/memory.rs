//! Memories: remembered, disputed, listed.

use super::place::kind;
use super::{Asker, Here, RequestError, named};
use crate::engine::face::memory::MemoryFilter;
use crate::engine::face::text::parse_timestamp;
use crate::engine::{Decision, Engine, Remember};
use crate::types::limits::ITEM_TEXT_BYTES;
use crate::types::{Access, Authority, Evidence, Kind, MemorySource, MemoryState, Scope, Wording, check_name};
use schemars::JsonSchema;
use serde::Deserialize;

/// Something to be remembered.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberRequest {
    /// What was learnt.
    #[schemars(description = "What was learnt, in one or two sentences")]
    pub text: String,
    /// What it is.
    #[serde(default)]
    #[schemars(description = "preference, fact or tactic (default: by the other fields)")]
    pub kind: Option<String>,
    /// A few words.
    #[serde(default)]
    pub title: Option<String>,
    /// What a preference is about.
    #[serde(default)]
    #[schemars(description = "What a preference is about, such as naming")]
    pub category: Option<String>,
    /// What it is a preference for.
    #[serde(default)]
    #[schemars(description = "What it is a preference for, such as snake_case")]
    pub pattern: Option<String>,
    /// The service that a fact is about.
    #[serde(default)]
    #[schemars(description = "The service that a fact is about")]
    pub service: Option<String>,
    /// Where it is so.
    #[serde(default)]
    #[schemars(description = "Where it is so")]
    pub region: Option<String>,
    /// Which of its properties.
    #[serde(default)]
    #[schemars(description = "Which property; service, region and subject together name one fact")]
    pub subject: Option<String>,
    /// When it ceases to be true.
    #[serde(default)]
    #[schemars(description = "When it ceases to be true, as 2026-12-31 or 2026-12-31T18:00:00Z")]
    pub until: Option<String>,
    /// Tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The error that a tactic was tried against.
    #[serde(default)]
    #[schemars(description = "The error that a fix is for, as it was printed")]
    pub error: Option<String>,
    /// Whether the tactic worked.
    #[serde(default)]
    #[schemars(description = "Whether the fix worked")]
    pub worked: Option<bool>,
    /// Why.
    #[serde(default)]
    #[schemars(description = "Why")]
    pub because: Option<String>,
    /// What it rests on.
    #[serde(default)]
    #[schemars(description = "What it rests on: quotations, commands, places in files")]
    pub evidence: Vec<String>,
    /// Whether somebody was corrected.
    #[serde(default)]
    #[schemars(description = "Whether it is what somebody was corrected to")]
    pub correction: bool,
    /// Where it counts.
    #[serde(default)]
    #[schemars(description = "here (default), or global for a preference of every repository")]
    pub scope: Option<String>,
    /// The memory that it updates.
    #[serde(default)]
    #[schemars(description = "Id of the memory that it replaces")]
    pub update: Option<String>,
    /// Memories that it was concluded from.
    #[serde(default)]
    pub derived_from: Vec<String>,
    /// The session that it belongs to.
    #[serde(default)]
    #[schemars(description = "Id of the session; what several sessions met is surer")]
    pub session: Option<String>,
}

/// What somebody says against a memory.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DisputeRequest {
    /// The memory.
    #[schemars(description = "Id of the memory that is wrong")]
    pub id: String,
    /// Why.
    #[serde(default)]
    #[schemars(description = "Why it is wrong")]
    pub because: Option<String>,
    /// Whether the dispute is taken back.
    #[serde(default)]
    #[schemars(description = "Take an earlier dispute back")]
    pub withdraw: bool,
    /// The session that it belongs to.
    #[serde(default)]
    pub session: Option<String>,
}

/// What somebody decides of a memory.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecideRequest {
    /// The memory.
    pub id: String,
    /// Why.
    #[serde(default)]
    pub because: Option<String>,
    /// The session that it belongs to.
    #[serde(default)]
    pub session: Option<String>,
}

/// A page of memories.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListMemoriesRequest {
    /// Only these kinds.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Only these states.
    #[serde(default)]
    #[schemars(description = "Only these states: proposed, active, disputed, superseded, rejected, forgotten")]
    pub states: Vec<String>,
    /// Only what is held back.
    #[serde(default)]
    #[schemars(description = "Only what is held back because it was concluded from something disputed")]
    pub held: bool,
    /// Where the page begins.
    #[serde(default)]
    #[schemars(description = "The next of the page before; without it the list begins")]
    pub after: Option<String>,
    /// Most memories of the page.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000), description = "Most memories of the page (default 100)")]
    pub limit: Option<u32>,
}

/// Memories of a page where a request says nothing.
const PAGE: u32 = 100;

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// The session of whoever names none, at a moment in milliseconds since 1970: all that they say on one day is said in
/// one session.
pub fn session_of_day(now_ms: i64) -> String {
    format!("day {}", now_ms.div_euclid(DAY_MS))
}

/// Whether a text can be the id of a session.
///
/// # Errors
/// [`RequestError`] for one that is empty, too long, or holds control characters.
pub(in crate::serve) fn check_session(session: &str) -> Result<(), RequestError> {
    check_name("the session", session).map_err(|what| RequestError::usage(what, "a session is a short name"))
}

/// Reasons and evidence are as long as what they are for may be.
fn check_length(what: &str, text: &str) -> Result<(), RequestError> {
    if text.len() <= ITEM_TEXT_BYTES {
        return Ok(());
    }
    let length = text.len();
    Err(RequestError::usage(
        format!("{what} has {length} bytes, {ITEM_TEXT_BYTES} are allowed"),
        "say it in fewer words",
    ))
}

/// How whoever asks from here sees memories. Where nothing was ever learnt it is not found out where that is.
pub fn seen_from(engine: &Engine, access: &Access, here: &Here) -> Access {
    if engine.has_memories() { access.clone().from_home(here.scope(engine)) } else { access.clone() }
}

/// How whoever asks from here sees outcomes, which are seen as memories are. Where none was ever kept it is not found
/// out where that is.
pub fn outcomes_seen_from(engine: &Engine, access: &Access, here: &Here) -> Access {
    if engine.has_outcomes() { access.clone().from_home(here.scope(engine)) } else { access.clone() }
}

impl RememberRequest {
    /// As the engine takes it.
    ///
    /// # Errors
    /// [`RequestError`] for a kind, a scope or a moment that means nothing.
    pub fn read(self, asker: Asker<'_>) -> Result<Remember, RequestError> {
        self.because.iter().try_for_each(|text| check_length("because", text))?;
        self.evidence.iter().try_for_each(|text| check_length("a piece of evidence", text))?;
        let kind = match &self.kind {
            Some(name) => kind(name)?,
            None => self.likely_kind(),
        };
        let scope = self.scope_of(kind, asker)?;
        let source = match kind {
            _ if self.correction => MemorySource::Correction,
            Kind::Tactic if self.worked == Some(true) => MemorySource::Validated,
            Kind::Fact => MemorySource::Quirk,
            _ => MemorySource::Said,
        };
        let until = self.until.as_deref().map(moment).transpose()?;
        let said = |text: String| Evidence { text: Some(text), ..Evidence::default() };
        let words = Wording {
            title: self.title.unwrap_or_default(),
            text: self.text.trim().to_owned(),
            category: self.category,
            pattern: self.pattern,
            service: self.service,
            region: self.region,
            subject: self.subject,
            tags: self.tags,
            because: self.because,
            evidence: self.evidence.into_iter().map(said).collect(),
            ..Wording::default()
        };
        Ok(Remember {
            kind,
            scope,
            authority: Authority::Personal,
            words,
            worked: self.worked,
            error: self.error.map(String::into_bytes),
            until,
            source,
            update: self.update,
            derived_from: self.derived_from,
            proposed: false,
            reread: false,
        })
    }

    /// What it is, by what else is said.
    fn likely_kind(&self) -> Kind {
        if self.error.is_some() || self.worked.is_some() {
            Kind::Tactic
        } else if self.service.is_some() || self.region.is_some() || self.until.is_some() || self.subject.is_some() {
            Kind::Fact
        } else if self.category.is_some() || self.pattern.is_some() || self.correction || is_rule(&self.text) {
            Kind::Preference
        } else {
            Kind::Fact
        }
    }

    /// Where it counts. What was seen in a repository is true of that repository.
    fn scope_of(&self, kind: Kind, asker: Asker<'_>) -> Result<Scope, RequestError> {
        let here = asker.access.home().unwrap_or_else(|| asker.here.scope(asker.engine));
        match self.scope.as_deref() {
            None | Some("here") => Ok(here.clone()),
            Some("global") if kind == Kind::Preference || *here == Scope::global() => Ok(Scope::global()),
            Some("global") => Err(RequestError::usage(
                format!("a {} counts in its repository alone", kind.name()),
                "leave the scope away, or remember it as a preference",
            )),
            Some(other) => {
                Err(RequestError::usage(format!("{other} is no scope of a memory"), "there are: here, global"))
            }
        }
    }
}

/// Words that a sentence begins with that says what to do.
const RULES: &[&str] =
    &["always", "avoid", "don't", "do not", "keep", "must", "never", "no", "only", "prefer", "please", "use", "we use"];

fn is_rule(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let begins = |word: &&&str| text.strip_prefix(**word).is_some_and(|rest| rest.starts_with([' ', ',']));
    RULES.iter().find(begins).is_some()
}

/// A moment, or the end of a day.
fn moment(text: &str) -> Result<i64, RequestError> {
    let day = text.len() == "2026-12-31".len();
    let whole = if day { format!("{text}T00:00:00Z") } else { text.to_owned() };
    let wrong =
        || RequestError::usage(format!("{text} is no moment"), "write it as 2026-12-31 or 2026-12-31T18:00:00Z");
    let at = parse_timestamp(&whole).ok_or_else(wrong)?;
    Ok(if day { at + DAY_MS } else { at })
}

impl DisputeRequest {
    /// What is decided of the memory.
    ///
    /// # Errors
    /// [`RequestError`] where it is not said why.
    pub fn read(self) -> Result<(DecideRequest, Decision), RequestError> {
        if !self.withdraw && self.because.is_none() {
            return Err(RequestError::usage("why it is wrong is missing", "say it in because"));
        }
        let decision = if self.withdraw { Decision::Withdraw } else { Decision::Dispute };
        let Self { id, because, session, .. } = self;
        Ok((DecideRequest { id, because, session }, decision))
    }
}

impl DecideRequest {
    /// The words that belong to it.
    ///
    /// # Errors
    /// [`RequestError`] for a reason that is too long.
    pub fn words(&self) -> Result<Wording, RequestError> {
        self.because.iter().try_for_each(|text| check_length("because", text))?;
        Ok(Wording { because: self.because.clone(), ..Wording::default() })
    }
}

impl ListMemoriesRequest {
    /// Which memories are listed.
    ///
    /// # Errors
    /// [`RequestError`] for a kind or a state that there is not.
    pub fn filter(&self) -> Result<MemoryFilter, RequestError> {
        let states = MemoryState::ALL.map(MemoryState::name);
        let state = |name: &String| named("state of memories", name, MemoryState::of, &states);
        Ok(MemoryFilter {
            scopes: Vec::new(),
            kinds: self.kinds.iter().map(|name| kind(name)).collect::<Result<_, _>>()?,
            states: self.states.iter().map(state).collect::<Result<_, _>>()?,
            held: self.held,
        })
    }

    /// Most memories of the page.
    pub fn most(&self) -> usize {
        self.limit.unwrap_or(PAGE) as usize
    }
}
