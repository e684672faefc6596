//! Routes a phrase that an engineer types or says to an agent to the call it asks for.
//!
//! English only, by patterns: what a phrase says is decided by `rule`, whether a text reads like an error or a log by
//! `error`, what is only politeness around the object by `object`. A prefix, `ken: search X`, wins over all of them.
//! A phrase that asks for nothing is [`Call::Unclear`]: the caller does then nothing, which is better than a search
//! for "thanks". Whether the call succeeds is left to the engine.

mod error;
mod object;
mod rule;

/// What a phrase asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// A context pack for a task.
    Pack {
        /// The task, without the phrase around it.
        task: String,
    },
    /// A search.
    Search {
        /// What is searched for; a question in general is kept whole.
        question: String,
    },
    /// A search for an error's cause.
    Lookup {
        /// The error or log as given.
        error: String,
    },
    /// What is indexed, and where the last session ended.
    Status,
    /// Something to be kept.
    Learn {
        /// What is kept; empty if the phrase only says that something was learnt.
        what: String,
    },
    /// Nothing that can be answered.
    Unclear,
}

/// Routes a phrase to a call.
///
/// After the prefix `ken:` the call is never [`Call::Unclear`]: what no rule knows is a search, and the prefix alone
/// asks for the status.
#[must_use]
pub fn call(phrase: &str) -> Call {
    let text = phrase.trim_start_matches('\u{feff}').trim();
    let Some(request) = after_prefix(text) else { return route(text) };
    if request.is_empty() {
        return Call::Status;
    }
    if let Some(named) = named(request) {
        return named;
    }
    match route(request) {
        Call::Unclear => Call::Search { question: object::of(request).to_owned() },
        call => call,
    }
}

/// What follows `ken:`.
fn after_prefix(text: &str) -> Option<&str> {
    let (name, request) = text.split_once(':')?;
    name.trim_end().eq_ignore_ascii_case("ken").then(|| request.trim())
}

/// The call that a request names by its first word; a name without an object is none, but for the status.
fn named(request: &str) -> Option<Call> {
    let (name, rest) = request.split_once(|c: char| c.is_whitespace() || c == ':').unwrap_or((request, ""));
    let given = object::of(rest);
    let given = if given.is_empty() { None } else { Some(given.to_owned()) };
    match name.to_ascii_lowercase().as_str() {
        "search" => given.map(|question| Call::Search { question }),
        "pack" => given.map(|task| Call::Pack { task }),
        "lookup" => given.map(|_| Call::Lookup { error: object::unquoted(rest).to_owned() }),
        "learn" => given.map(|_| Call::Learn { what: object::kept(rest).to_owned() }),
        name if name.trim_end_matches(['.', '!', '?']) == "status" && given.is_none() => Some(Call::Status),
        _ => None,
    }
}

/// The call that a phrase without a prefix asks for.
fn route(text: &str) -> Call {
    // A pasted error wins over the words above it, unless these name a task.
    let stages = rule::stages(text);
    let request = stages.last().copied().unwrap_or(text);
    let several_lines = text.lines().filter(|line| !line.trim().is_empty()).take(3).count();
    // "Good morning" is a greeting before a task and a session's start alone, so each stage is tried.
    let call = stages
        .iter()
        .find_map(|stage| rule::first(stage, &[rule::Route::Status]))
        .or_else(|| rule::first(request, &[rule::Route::Learn, rule::Route::Pack]))
        .or_else(|| rule::first(request, &[rule::Route::Lookup]));
    if let Some(call) = call {
        return call;
    }
    if several_lines >= 2 && (error::is_message(text) || error::is_name(text)) {
        return Call::Lookup { error: object::unquoted(request).to_owned() };
    }
    if let Some(call) = rule::first(request, &[rule::Route::Search]) {
        return call;
    }
    let is_question = rule::is_question(request);
    if error::is_message(request) || (!is_question && error::is_name(request)) || (several_lines >= 3 && !is_question) {
        return Call::Lookup { error: object::unquoted(request).to_owned() };
    }
    let question = object::of(request);
    if is_question && question.chars().any(char::is_alphanumeric) && question.contains(char::is_whitespace) {
        return Call::Search { question: question.to_owned() };
    }
    Call::Unclear
}

#[cfg(test)]
mod tests;
