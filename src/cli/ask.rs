//! `ken ask`: a plain phrase to the call that it asks for.

use super::output::{Failure, Output};
use super::{Cli, Global, Outcome, dispatch};
use crate::engine::face::asking::{Call, call};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::text::{ends, single_line};
use crate::types::limits::QUESTION_BYTES;
use clap::{Args, Parser};

/// Turn a plain phrase into pack, search, lookup or status, and run it
///
/// Standard error shows which command it runs. You can name the command: `ken: search X`, `ken: pack X`,
/// `ken: lookup X`, `ken: status`. If no command fits `ken: X`, it searches for X.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken ask \"let's work on the retry logic\"  ken pack --task \"the retry logic\"
  ken ask \"what do we know about pools?\"   ken search pools
  ken ask \"error: cc not found\"            ken lookup \"error: cc not found\"
  ken ask \"good morning\"                   ken status --brief

Exit code: that of the command that it runs; 2 if no command fits the phrase.")]
pub(super) struct AskArgs {
    /// The phrase; `-` reads standard input
    #[arg(value_name = "PHRASE", required = true)]
    phrase: Vec<String>,
}

pub(super) fn run(global: &Global, args: &AskArgs, output: &Output) -> Outcome {
    let words: Vec<std::ffi::OsString> = args.phrase.iter().map(Into::into).collect();
    let input = super::input::read_words(&words, "ken ask \"what do we know about retries\"")?;
    let whole = String::from_utf8_lossy(&input);
    let phrase = ends(&whole, QUESTION_BYTES);
    if phrase.len() < whole.len() {
        let most = QUESTION_BYTES >> 10;
        output.say(&format!(
            "{} the phrase is longer than {most} KiB; only the beginning and the end were looked at",
            output.message_style.warning("note:")
        ));
    }
    let made: Vec<String> = match call(&phrase) {
        Call::Pack { task } => vec!["pack".to_owned(), format!("--task={task}")],
        Call::Search { question } => vec!["search".to_owned(), "--".to_owned(), question],
        Call::Lookup { error } => vec!["lookup".to_owned(), "--".to_owned(), error],
        Call::Status => vec!["status".to_owned(), "--brief".to_owned()],
        Call::Learn { what } if !what.is_empty() => vec!["remember".to_owned(), "--".to_owned(), what],
        Call::Learn { .. } => {
            let hint = "`ken remember TEXT`, or give the text of a session: `ken learn FILE`";
            return Err(Failure::new(ErrorKind::Usage, "the phrase does not say what was learnt", hint));
        }
        Call::Unclear => {
            let hint = "say what to do: `ken ask \"ken: search retries\"`";
            return Err(Failure::new(ErrorKind::Usage, "the phrase asks for nothing", hint));
        }
    };
    output.say(&output.message_style.faint(&as_typed(&made)));
    // Through the parser, so that a phrase can do what its call can, and nothing else.
    let parsed = Cli::try_parse_from(std::iter::once("ken".to_owned()).chain(made));
    let parsed = parsed.map_err(|error| Failure::new(ErrorKind::Usage, error.to_string(), "ken ask --help"))?;
    dispatch(global, parsed.verb, output)
}

/// A call as somebody would type it.
fn as_typed(made: &[String]) -> String {
    let mut line = "ken".to_owned();
    for part in made.iter().filter(|part| *part != "--") {
        // A task that looks like an option has to stay joined to its own.
        let joined = part.strip_prefix("--task=").filter(|task| !task.starts_with('-'));
        let (option, value) = joined.map_or(("", part.as_str()), |task| (" --task", task));
        let value = single_line(value, 120);
        let value = if value.contains(' ') { format!("{value:?}") } else { value };
        line = format!("{line}{option} {value}");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_shown_as_somebody_would_type_it() {
        let shown = |parts: &[&str]| as_typed(&parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>());
        assert_eq!(shown(&["pack", "--task=the retry logic"]), "ken pack --task \"the retry logic\"");
        assert_eq!(shown(&["pack", "--task=-x y"]), "ken pack \"--task=-x y\"");
        assert_eq!(shown(&["search", "--", "pools"]), "ken search pools");
    }
}
