//! `ken config`.

use super::output::Output;
use super::surroundings::Surroundings;
use super::{Global, Outcome, complete};
use crate::config::{KEYS, Shown, toml_value, write_user_key};
use crate::engine::face::system::make_private;
use crate::render::{json_object, shown, shown_text, with_path};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

/// Show and change the settings
#[derive(Debug, Subcommand)]
pub(super) enum ConfigVerb {
    Show(ShowArgs),
    Get(GetArgs),
    Set(SetArgs),
    /// Print a commented configuration file with the defaults
    #[command(after_help = "Example:\n  ken config sample > ~/.config/kenning/config.toml")]
    Sample,
    /// Print the path of the configuration file
    #[command(after_help = "Example:\n  ken config path")]
    Path,
}

/// Print all settings with their values
#[derive(Debug, Args)]
#[command(after_help = "\
Example:\n  ken config show --origin")]
pub(super) struct ShowArgs {
    /// Also show where each value comes from
    #[arg(long)]
    origin: bool,
}

/// Print the value of one setting
#[derive(Debug, Args)]
#[command(after_help = "\
Example:\n  ken config get lookup.limit")]
pub(super) struct GetArgs {
    /// The setting, such as lookup.limit
    #[arg(add = complete::settings())]
    key: String,
}

/// Change one setting in your configuration file
#[derive(Debug, Args)]
#[command(after_help = "\
Example:\n  ken config set lookup.limit 1")]
pub(super) struct SetArgs {
    /// The setting, such as lookup.limit
    #[arg(add = complete::settings())]
    key: String,
    /// The new value
    value: String,
}

pub(super) fn run(global: &Global, verb: &ConfigVerb, output: &Output) -> Outcome {
    match verb {
        ConfigVerb::Sample => output.print(&sample())?,
        ConfigVerb::Path => {
            let surroundings = Surroundings::open(global, output)?;
            let path = surroundings.paths.config.ok_or(crate::engine::EngineError::NoHome)?;
            output.print(&if output.json {
                json_object(&with_path(json!({}), "path", &path))
            } else {
                format!("{}\n", shown(&path))
            })?;
        }
        ConfigVerb::Get(args) => {
            let surroundings = Surroundings::open(global, output)?;
            let found = surroundings.config.get(&args.key)?;
            output.print(&if output.json {
                json_object(&fields(&found))
            } else {
                format!("{}\n", shown_text(&found.value))
            })?;
        }
        ConfigVerb::Set(args) => {
            let surroundings = Surroundings::open(global, output)?;
            let path = surroundings.paths.config.ok_or(crate::engine::EngineError::NoHome)?;
            if let Some(folder) = path.parent() {
                make_private(folder)?;
            }
            write_user_key(&path, &args.key, &args.value)?;
        }
        ConfigVerb::Show(args) => {
            let surroundings = Surroundings::open(global, output)?;
            let all: Vec<_> = surroundings.config.all().collect();
            if output.json {
                let settings: Vec<_> = all.iter().map(fields).collect();
                output.print(&json_object(&json!({"settings": settings})))?;
            } else {
                let wide = |pick: &dyn Fn(&Shown<'_>) -> usize| all.iter().map(pick).max().unwrap_or(0);
                let (names, values) = (wide(&|s| s.key.len()), wide(&|s| s.value.len()));
                for Shown { key: name, value, origin } in &all {
                    let value = shown_text(value);
                    let line = if args.origin {
                        format!("{name:names$}  {value:values$}  {}", output.style.faint(&origin.to_string()))
                    } else {
                        format!("{name:names$}  {value}")
                    };
                    output.print(&format!("{}\n", line.trim_end()))?;
                }
            }
        }
    }
    Ok(0)
}

fn fields(setting: &Shown<'_>) -> Value {
    json!({"key": setting.key, "value": setting.value, "origin": setting.origin.to_string()})
}

fn sample() -> String {
    let mut out = String::from("# Settings of ken, with their defaults. Environment variables override them.\n");
    let mut section = "";
    for key in KEYS {
        let (head, name) = key.name.split_once('.').unwrap_or(("", key.name));
        if head != section {
            section = head;
            out.push_str(&format!("\n[{section}]\n"));
        }
        let value = toml_value(&key.default());
        let variables = key.environment.join(", ");
        out.push_str(&format!("# {} ({variables})\n# {name} = {value}\n", key.about));
    }
    out
}
