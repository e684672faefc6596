//! Which calls are not made before somebody has confirmed them, and the confirmations that wait.
//!
//! What a server says of its tools is a stranger's word: that a tool destroys is believed, that it only reads is not
//! if its name says otherwise.

use crate::engine::face::tools::name_words;
use rmcp::model::Tool;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Words of names that stand for what cannot be taken back.
const WORDS: [&str; 30] = [
    "cancel",
    "charge",
    "deploy",
    "destroy",
    "delete",
    "drop",
    "erase",
    "kill",
    "merge",
    "overwrite",
    "pay",
    "payment",
    "post",
    "publish",
    "purchase",
    "purge",
    "push",
    "refund",
    "release",
    "remove",
    "reset",
    "revoke",
    "send",
    "sell",
    "terminate",
    "transfer",
    "truncate",
    "uninstall",
    "unlink",
    "wipe",
];

/// How long a confirmation waits.
const WAITS: Duration = Duration::from_secs(300);
/// Most that wait.
const MOST: usize = 64;

/// Why a call of this tool has to be confirmed; none if it has not.
pub(super) fn reason(tool: &Tool, more: &[String]) -> Option<String> {
    let hints = tool.annotations.as_ref();
    let says = |hint: Option<bool>| hint == Some(true);
    if hints.is_some_and(|hints| says(hints.destructive_hint) && !says(hints.read_only_hint)) {
        return Some("its server says that it destroys".to_owned());
    }
    let words = name_words(&tool.name);
    // delete2 deletes too.
    let words = words.iter().map(|word| word.trim_end_matches(|letter: char| letter.is_ascii_digit()));
    let is_meant = |word: &&str| WORDS.contains(word) || more.iter().any(|one| one.to_lowercase() == **word);
    words.into_iter().find(is_meant).map(|word| format!("its name says {word}"))
}

struct Waiting {
    token: String,
    /// The tool and its arguments, as one digest.
    call: String,
    since: Instant,
}

/// Confirmations that were asked for. Each is good for one call, with the arguments it was asked for.
#[derive(Default)]
pub(super) struct Confirmations(VecDeque<Waiting>);

impl Confirmations {
    /// A token for a call; none without a source of random numbers.
    pub(super) fn ask(&mut self, call: &str, now: Instant) -> Option<String> {
        let mut bytes = [0u8; 12];
        getrandom::fill(&mut bytes).ok()?;
        let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(Waiting { token: token.clone(), call: call.to_owned(), since: now });
        Some(token)
    }

    /// Whether this token was given for this call, a short while ago. It is used up in any case.
    pub(super) fn take(&mut self, token: &str, call: &str, now: Instant) -> bool {
        self.0.retain(|one| now.saturating_duration_since(one.since) < WAITS);
        let Some(at) = self.0.iter().position(|one| one.token == token) else { return false };
        self.0.remove(at).is_some_and(|one| one.call == call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::ToolAnnotations;
    use std::sync::Arc;

    fn tool(name: &'static str, hints: Option<ToolAnnotations>) -> Tool {
        let tool = Tool::new(name, "", Arc::new(serde_json::Map::new()));
        hints.into_iter().fold(tool, Tool::with_annotations)
    }

    #[test]
    fn what_destroys_is_known_by_hint_and_by_name() {
        let hints = || ToolAnnotations::new();
        let asks = |tool: &Tool| reason(tool, &["Mint".to_owned()]).is_some();
        assert!(asks(&tool("write_file", Some(hints().destructive(true)))));
        assert!(!asks(&tool("write_file", Some(hints().destructive(true).read_only(true)))));
        assert!(!asks(&tool("write_file", Some(hints()))) && !asks(&tool("read_file", None)));
        // A server's word does not help against the name.
        assert!(asks(&tool("deleteFile", Some(hints().read_only(true)))));
        assert!(asks(&tool("delete_v2", None)) && asks(&tool("delete2", None)));
        assert!(asks(&tool("mint_token", None)) && !asks(&tool("undeleted_list", None)));
    }

    #[test]
    fn a_token_is_good_for_one_call_and_a_while() {
        let now = Instant::now();
        let mut waiting = Confirmations::default();
        let token = waiting.ask("a", now).unwrap();
        assert!(!waiting.take("other", "a", now) && waiting.take(&token, "a", now) && !waiting.take(&token, "a", now));
        let token = waiting.ask("a", now).unwrap();
        assert!(!waiting.take(&token, "b", now) && !waiting.take(&token, "a", now));
        let token = waiting.ask("a", now).unwrap();
        assert!(!waiting.take(&token, "a", now + WAITS));
        let first = waiting.ask("a", now).unwrap();
        (0..MOST).for_each(|_| drop(waiting.ask("b", now)));
        assert!(!waiting.take(&first, "a", now));
    }
}
