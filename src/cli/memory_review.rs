//! `ken memory review`: proposals one by one, each decided by a key.

use super::Outcome;
use super::keys::{letter, line};
use super::memory_words::{change, seen, text};
use super::output::Output;
use super::remember::By;
use crate::engine::{Decision, Engine};
use crate::render::json_object;
use crate::serve::ListMemoriesRequest;
use crate::types::Wording;
use serde_json::json;

/// What is asked of each proposal.
const CHOICES: &str = "[a]pprove, [r]eject, [e]dit, [s]kip or [q]uit?";

pub(super) fn review(engine: &Engine, by: &By, output: &Output) -> Outcome {
    let access = seen(engine)?;
    let (author, from) = (by.author(), by.session());
    let by = (&author, from.as_str());
    let request = ListMemoriesRequest { states: vec!["proposed".to_owned()], ..ListMemoriesRequest::default() };
    let page = engine.list_memories(&request.filter()?, None, request.most(), &access, &output.session())?;
    if page.memories.is_empty() {
        output.say("Nothing waits to be approved.");
        return Ok(1);
    }
    let (mut approved, mut rejected) = (0, 0);
    let count = page.memories.len();
    'all: for (number, told) in page.memories.into_iter().enumerate() {
        let id = [told.memory.id.clone()];
        let question = format!("\n{} of {count}\n{}{CHOICES}", number + 1, text(&told, output));
        let decide = |decision| engine.decide(&id, decision, Wording::default(), by, &access, &output.session());
        loop {
            match letter(&question, output)? {
                Some('a') => {
                    decide(Decision::Approve)?;
                    approved += 1;
                }
                Some('r') => {
                    decide(Decision::Reject)?;
                    rejected += 1;
                }
                Some('e') => {
                    let new = line("It says from now on:", output)?.filter(|new| !new.is_empty());
                    let Some(new) = new else { continue };
                    change(engine, told, new, by, &access, output)?;
                    approved += 1;
                }
                Some('s') => {}
                Some('q') | None => break 'all,
                Some(_) => continue,
            }
            break;
        }
    }
    output.tell_notes();
    let done = json!({ "approved": approved, "rejected": rejected });
    output.print(&match output.json {
        true => json_object(&done),
        false => format!("{approved} approved, {rejected} rejected.\n"),
    })?;
    engine.close();
    Ok(0)
}
