//! `ken run --learn`: asks what helped when a command works that failed before.

use super::clock::now_ms;
use super::output::{self, Failure, Output};
use super::remember::{By, error_in, seen_in, text};
use super::surroundings::{Surroundings, working_directory};
use super::{Global, keys};
use crate::engine::{Overcome, Remember};
use crate::render::overcome_text;
use crate::serve::{Asker, Here, RememberRequest};
use crate::types::{Access, Author};

/// What is asked.
const QUESTION: &str = "What helped? A number, your own words, or Enter to keep nothing:";
/// What is said where nobody can be asked.
const HOW: &str = "If you know what helped: ken remember \"WHAT HELPED\" --overcame";

/// Asks what helped, if the run with this number overcame a failure of its session, and remembers the answer. Where
/// nobody can be asked, it says how to remember it.
pub(super) fn offer(global: &Global, number: u32, output: &Output) -> Result<(), Failure> {
    let surroundings = Surroundings::open(global, output)?;
    let engine = surroundings.engine();
    let here = Here::new(working_directory()?);
    let access = Access::all().from_home(here.scope(&engine));
    let found = engine.overcome_last(&By::default().session(), &access, &output.session())?;
    let Some(overcome) = found.filter(|one| one.success.sequence == number) else { return Ok(()) };
    output.tell_notes();
    let told = overcome_text(&overcome.failure, &overcome.steps, now_ms());
    if output.json || !output::can_ask() {
        output.say(&format!("{told}{HOW}"));
        return Ok(());
    }
    output.tell(&told);
    let steps: Vec<&str> = overcome.steps.iter().map(|step| step.input.as_str()).collect();
    let Some(words) = keys::line(QUESTION, output)?.and_then(|answer| words(&answer, &steps)) else { return Ok(()) };
    let asker =
        Asker { engine: &engine, settings: surroundings.config.settings(), here: &here, access: &access, notes: None };
    let wanted = wanted(words, &overcome, asker)?;
    let remembered =
        engine.remember(wanted, (&Author::Person, &By::default().session()), &access, &output.session())?;
    output.tell_notes();
    output.tell(&text(&remembered, output));
    engine.close();
    Ok(())
}

/// Reads an answer: the number of a step, or words of one's own. None if nothing is to be kept.
fn words(answer: &str, steps: &[&str]) -> Option<String> {
    let step = answer.parse::<usize>().ok().and_then(|number| steps.get(number.checked_sub(1)?));
    let own = || Some(answer.trim().to_owned()).filter(|own| !own.is_empty() && own.parse::<usize>().is_err());
    step.map_or_else(own, |step| Some(format!("Run `{}`", step.trim())))
}

fn wanted(words: String, overcome: &Overcome, asker: Asker<'_>) -> Result<Remember, Failure> {
    let request = RememberRequest {
        text: words,
        kind: Some("tactic".to_owned()),
        worked: Some(true),
        ..RememberRequest::default()
    };
    let mut wanted = request.read(asker)?;
    wanted.error = error_in(overcome);
    wanted.words.evidence.push(seen_in(overcome));
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_step_or_words_or_nothing() {
        let of = |answer| words(answer, &["apt-get install jq", "touch x"]);
        assert_eq!(of("1").as_deref(), Some("Run `apt-get install jq`"));
        assert_eq!(of("start the database").as_deref(), Some("start the database"));
        for nothing in ["", "  ", "0", "3", "99999999999"] {
            assert_eq!(of(nothing), None, "{nothing:?}");
        }
    }
}
