//! The rules: what the beginning of a phrase asks for, and where its object starts.
//!
//! A table of patterns in order of precedence; the first capture is the object. A rule whose object is empty or only
//! points ("it") does not apply. What is polite or filler before the phrase is taken off first. All patterns are
//! anchored at the start and ignore case.

use std::sync::LazyLock;

use regex::Regex;

use super::{Call, error, object};

/// The call that a rule leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    Status,
    Learn,
    Pack,
    Search,
    Lookup,
}

/// What may stand before any phrase; a name or a greeting only with a comma or the like.
const LEAD: &str = r"(?is)^(?:(?:ok|okay|so|well|alright|all right|right|now|and|then|um+|uh+|hmm+|please|pls|just|first|next|today|also|actually|yes|yeah|yep|sure|great|cool|perfect|thanks|thank you|hey|hi|hello)(?:[,.!:;\s–—-]+|$)|good (?:morning|afternoon|evening)[,.!]*\s+|(?:hey |hi |hello )?(?:ken|claude|agent|team|all|everyone|there|good|nice)[,.!]+\s*|(?:can|could|would|will) (?:you|we) (?:please |maybe |quickly |just )?|(?:i(?:'d| would) like|i want|i need) you to |shall we |quickly )";

const RULES: &[(Route, &str)] = &[
    (Route::Status, r"(?:new |start(?:ing)? (?:of )?(?:a |the )?(?:new )?)?session(?: start(?:s|ed|ing)?| begins?)?"),
    (Route::Status, r"(?:good )?(?:morning|afternoon|evening)(?:,? (?:everyone|all|team|claude|ken|there|folks))?"),
    (Route::Status, r"where (?:were|was|are) (?:we|i)(?: again| yesterday| last time)?"),
    (
        Route::Status,
        r"(?:where did (?:we|i) (?:stop|leave off|end)|what (?:were we|was i|did we|have we been) (?:doing|working on|do|work on))(?: again| yesterday| last time| last)?",
    ),
    (
        Route::Status,
        r"(?:let'?s |let us )?(?:continue|resume|carry on|go on|pick up)(?: from)? where (?:we|i) (?:left off|stopped|were)",
    ),
    (Route::Status, r"(?:catch me up|bring me up to (?:speed|date))"),
    (
        Route::Status,
        r"(?:(?:what'?s|what is|show(?: me)?|give me) )?(?:(?:the|your|our|a|current|ken|index) )*status(?: report| update| of (?:ken|the index|your index))?",
    ),
    (
        Route::Status,
        r"(?:(?:what'?s|what is|what has been|what do you have|what have you|what have we|show(?: me)? what'?s|show(?: me)? what is) (?:currently |already )?(?:indexed|in (?:the|your|our) index))",
    ),
    (Route::Status, r"how (?:many|much) (?:\w+ )?(?:are|is|have you|do you have) (?:currently |already )?indexed"),
    (Route::Learn, r"(?:update|add to|extend) (?:(?:your|the|our|my) )?(?:learnings?|memory|notes|lessons)\b(.*)"),
    (
        Route::Learn,
        r"(?:remember|keep in mind|bear in mind|(?:don'?t|do not) forget|learn)(?:,? that\b|,? this:|:)(.+)",
    ),
    (Route::Learn, r"(?:remember|keep in mind|bear in mind|(?:don'?t|do not) forget) (.+)"),
    (
        Route::Learn,
        r"(?:note|take note|make a note|record|write down|for the record|save|lesson learn(?:t|ed)|fyi|til)(?:,? that\b|,? this:|:|,)(.+)",
    ),
    (Route::Learn, r"note (?:down|to self)(?: that\b|:)?(.+)"),
    (
        Route::Learn,
        r"(?:(?:today )?(?:we|i)(?:'ve| have)? (?:just )?(?:learn(?:t|ed)|found out|discovered))(?: today)?(?: that\b|:)(.+)",
    ),
    // Wishes that are no task come first.
    (
        Route::Search,
        r"(?:i|we)(?:'d| would)? (?:want|like|need) to (?:know|understand|find(?: out)?|see|learn|search(?: for)?|look up|read up on|read)(?: about| more about)? (.+)",
    ),
    (
        Route::Pack,
        r"(?:(?:let'?s|let us|(?:i|we)(?:'d| would) like to|(?:i|we) (?:want|need|have|plan|am going|are going) to|(?:i|we)'(?:m|re) going to|(?:i|we)(?:'ll| will)|help me(?: to)?|time to|i'?m|we'?re|let me) )?(?:now |just |please |also |first |quickly )*(?:(?:work|start|begin|continue|carry on|go on|resume|get|keep)(?:ing)?(?: to)? (?:work(?:ing)? (?:on|with)|with|on(?:to)?|back to|started (?:on|with)|going (?:on|with))|resum(?:e|ing)(?: work on)?|work(?:ing)? on|implement(?:ing)?|tackl(?:e|ing)|pick(?:ing)? up|dive into|(?:prepare|get|give|load|build|make|assemble|pack|collect|gather)(?: me| us)?(?: the| a| some| all)?(?: context| context pack| pack)(?: for| on| about)) (.+)",
    ),
    (
        Route::Pack,
        r"(?:let'?s|let us|help me(?: to)?|time to|shall we|i'?ll|we'?ll) ((?:fix|add|refactor|build|write|change|update|remove|rename|improve|debug|migrate|test|document|design|optimi[sz]e|move|replace|support|rewrite|clean up|port|upgrade|extend|finish|make|create|speed up|simplify|split|drop|delete|introduce|rework) .+)",
    ),
    (
        Route::Pack,
        r"(?:i|we)(?:'d like| would like| want| need|'?m going| am going|'?re going| are going| plan| have) to ((?:[a-z]+) .+)",
    ),
    (Route::Pack, r"((?:fix|refactor|debug|rewrite) .+)"),
    (
        Route::Lookup,
        r"(?:so )?(?:what does|what do|what'?s|what is|explain|look up|lookup|help me with|what about|how (?:do|can) (?:i|we) (?:fix|solve|resolve)|i(?:'m| am)? (?:get|got|getting|see|seeing)|we(?:'re| are)? (?:get|got|getting|see|seeing)|have we seen) (?:this|that|the following|these|the)? ?(?:\w+ )?(?:error|errors|exception|warning|failure|log|logs|traceback|stack ?trace|panic)(?: message| output)?(?: means?| about| say| before)?\s*\??\s*(?:[:–—-]|\n)\s*(.+)",
    ),
    (
        Route::Lookup,
        r"why (?:does|do|did|is|are|was|were|has|have|would|am i getting|do i get|do we get|did we get) (.+? (?:fail(?:s|ed|ing|ure)?|crash(?:es|ed|ing)?|break(?:s|ing)?|broken?|panic(?:s|ked|king)?|hang(?:s|ing)?|abort(?:s|ed|ing)?|not (?:work|compile|build|start|link)(?:ing)?|tim(?:e|ed|ing) out|segfault(?:s|ed|ing)?|error(?:s|ed|ing)?(?: out)?)(?:\W.*)?)$",
    ),
    (
        Route::Search,
        r"what (?:do|did|does) (?:we|you|i|anyone|the docs) (?:already )?(?:know|have|say|remember)(?: about| on)? (.+)",
    ),
    (
        Route::Search,
        r"(?:what have we (?:learn(?:t|ed)|got|found)|what is (?:there|known)|what'?s known|tell me(?: more)?|is there (?:anything|something|a doc|any doc\w*)|do we have (?:anything|something|docs?|any docs?|documentation|notes?|any notes)|any(?:thing)?(?: docs?| notes?)?) (?:on|about|regarding) (.+)",
    ),
    (Route::Search, r"how (?:do|can|should|did|could|would) (?:we|i|you|one) (.+)"),
    (Route::Search, r"how to (.+)"),
    (Route::Search, r"where(?:'s| is| are| was| were| do we| did we| do i| does| can i find| do you) (.+)"),
    (
        Route::Search,
        r"have (?:we|you|i) (?:ever |already )*(?:seen|had|met|done|used|documented|solved|tried|hit|encountered) (?:this: ?|an? |any(?:thing)? (?:on|about|like) )?(.+?)(?: before| already| yet| ever)*\W*$",
    ),
    (
        Route::Search,
        r"(?:find|search|look|look(?:ing)? (?:up|for|into)|lookup|grep|query|browse|check|read)(?: me| us)?(?: up| through| in)?(?: all| any| some)?(?: the| our)? (?:docs?|documentation|notes|index|references?|manual|specs?|code|codebase)(?: (?:for|on|about|of))\s+(.+)",
    ),
    (Route::Search, r"(?:find|search|look up|look for|looking for|lookup|grep|query)(?: me| us)?(?: for)? (.+)"),
    (
        Route::Search,
        r"(?:show|give)(?: me| us)?(?: all| any| some)?(?: the| our)? (?:docs?|documentation|notes|references?)(?: (?:for|on|about|of)) (.+)",
    ),
    (Route::Search, r"(?:explain|describe) (?:to me |me )?(.+)"),
];

static COMPILED: LazyLock<Vec<(Route, Regex)>> = LazyLock::new(|| {
    let compile = |(route, pattern): &(Route, &str)| {
        // Those that ask for the status are whole phrases.
        let end = if *route == Route::Status { r"(?:\W*(?:please|thanks|now|today))?\W*$" } else { "" };
        Some((*route, Regex::new(&format!("(?is)^(?:{pattern}){end}")).ok()?))
    };
    RULES.iter().filter_map(compile).collect()
});
static LEADS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(LEAD).ok());

/// The phrase, then what is left of it as each polite or filler word before it comes off.
pub(super) fn stages(text: &str) -> Vec<&str> {
    let mut stages = vec![text.trim_start()];
    for _ in 0..8 {
        let rest = stages.last().copied().unwrap_or_default();
        let Some(lead) = LEADS.as_ref().and_then(|leads| leads.find(rest)) else { break };
        stages.push(rest[lead.end()..].trim_start());
    }
    stages
}

/// The call of the first rule with one of these routes that applies.
///
/// Rules are tried in the order of the table, so that a wish to know something comes before a wish to do something.
pub(super) fn first(text: &str, routes: &[Route]) -> Option<Call> {
    let tasks = routes.contains(&Route::Pack);
    for (index, (route, pattern)) in COMPILED.iter().enumerate() {
        let comes_before_tasks = tasks && *route == Route::Search && index < first_task();
        if !routes.contains(route) && !comes_before_tasks {
            continue;
        }
        let Some(found) = pattern.captures(text) else { continue };
        let given = found.get(1).map_or("", |given| given.as_str());
        if let Some(call) = called(*route, given) {
            return Some(call);
        }
    }
    None
}

/// Where the rules for tasks start in the table.
fn first_task() -> usize {
    COMPILED.iter().position(|(route, _)| *route == Route::Pack).unwrap_or(0)
}

/// The call of this route with what was given, if that says anything.
fn called(route: Route, given: &str) -> Option<Call> {
    let object = object::of(given);
    let says = !object::is_pointer(object);
    match route {
        Route::Status => Some(Call::Status),
        // "Update your learnings" asks for something without saying what.
        Route::Learn => Some(Call::Learn { what: object::kept(given).to_owned() }),
        Route::Pack => says.then(|| Call::Pack { task: object.to_owned() }),
        Route::Search => says.then(|| Call::Search { question: object.to_owned() }),
        Route::Lookup => {
            let given = if error::is_message(given) { object::unquoted(given) } else { object };
            says.then(|| Call::Lookup { error: given.to_owned() })
        }
    }
}

/// Whether the phrase is a question: by its mark or its first word. A polite request lost its "can you" before.
pub(super) fn is_question(text: &str) -> bool {
    const WORDS: [&str; 30] = [
        "what", "what's", "whats", "where", "where's", "how", "how's", "why", "when", "which", "who", "whose", "does",
        "do", "did", "is", "are", "was", "were", "can", "could", "should", "would", "will", "has", "have", "had",
        "isn't", "doesn't", "aren't",
    ];
    let first = text.split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default();
    text.trim_end().ends_with('?') || WORDS.iter().any(|word| first.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_valid() {
        assert_eq!(COMPILED.len(), RULES.len());
        assert!(LEADS.is_some());
    }

    #[test]
    fn leads_are_taken_off() {
        for text in ["OK, so find it", "hi Claude, could you please find it", "good morning! find it", "Please find it"]
        {
            assert_eq!(stages(text).last(), Some(&"find it"), "{text:?}");
        }
        assert_eq!(stages("thanks!"), ["thanks!", ""]);
        assert_eq!(stages("sorting"), ["sorting"]);
    }
}
