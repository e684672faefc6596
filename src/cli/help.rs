//! How help is laid out: what the verb does, its own options, the options of every verb, examples.
//!
//! `-h` and `--help` print the same. Everything that has a default or a fixed set of values shows it.

use super::Cli;
use crate::engine::face::frames::Tokenizer;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Command, CommandFactory};

/// The heading of the options that every verb takes.
pub(super) const GLOBAL: &str = "Options of every command";

/// Values of `--encoder`.
pub(super) const ENCODERS: [&str; 3] = ["auto", "candle", "fused"];

/// Values of `--precision`.
pub(super) const PRECISIONS: [&str; 3] = ["auto", "int8", "f32"];

/// What the verb does stands first, and the paragraph that says more comes before the usage.
const LAYOUT: &str = "{about}\n\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// Reads a tokenizer, and lists the tokenizers in help.
pub(super) fn tokenizers() -> impl TypedValueParser<Value = Tokenizer> {
    PossibleValuesParser::new(Tokenizer::ALL.map(Tokenizer::name)).try_map(|name| name.parse::<Tokenizer>())
}

/// The command line, laid out for its help.
pub(super) fn command() -> Command {
    laid_out(Cli::command())
}

fn laid_out(mut command: Command) -> Command {
    // What a doc comment says after its first line. Help prints it once, whether it is asked for by `-h` or `--help`.
    let more = match (command.get_about(), command.get_long_about()) {
        (Some(about), Some(long)) => {
            long.to_string().strip_prefix(&about.to_string()).map(|more| more.trim().to_owned())
        }
        _ => None,
    };
    if let Some(more) = more {
        command = command.before_help(more);
    }
    let names: Vec<String> = command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, |verb| laid_out(verb.disable_help_subcommand(true)));
    }
    command.help_template(LAYOUT)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of a narrow terminal, less the margin of an option.
    const NARROW: usize = 78;

    fn all(command: &Command, seen: &mut Vec<Command>) {
        seen.push(command.clone());
        let verbs = command.get_subcommands().filter(|verb| verb.get_name() != "help");
        verbs.for_each(|verb| all(verb, seen));
    }

    fn verbs() -> Vec<Command> {
        let mut command = command();
        command.build();
        let mut seen = Vec::new();
        all(&command, &mut seen);
        seen
    }

    #[test]
    fn examples_are_not_wrapped_in_a_narrow_terminal() {
        for verb in verbs() {
            let after = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            let wide: Vec<&str> = after.lines().filter(|line| line.chars().count() > NARROW).collect();
            assert!(wide.is_empty(), "{}: {wide:#?}", verb.get_name());
        }
    }

    #[test]
    fn every_option_says_what_it_does() {
        for verb in verbs() {
            for option in verb.get_arguments() {
                assert!(option.get_help().is_some(), "{} {}", verb.get_name(), option.get_id());
                assert!(option.get_long_help().is_none(), "{} {}", verb.get_name(), option.get_id());
            }
        }
    }

    #[test]
    fn every_verb_has_examples_and_its_options_before_those_of_every_command() {
        for verb in verbs() {
            let (name, help) = (verb.get_name().to_owned(), verb.clone().render_help().to_string());
            let own = help.find("\nOptions:\n");
            let every = help.find(GLOBAL);
            assert!(every.is_some() && own < every, "{name}\n{help}");
            assert!(verb.has_subcommands() || help.contains("\nExample"), "{name} has no example");
        }
    }
}
