//! `ken config`.

use super::output::Output;
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::config::KEYS;
use crate::render::{json_object, with_path};
use crate::screen::{shown, shown_text};
use clap::{Args, Subcommand};
use serde_json::json;

/// See the settings
#[derive(Debug, Subcommand)]
pub(super) enum ConfigVerb {
    Show(ShowArgs),
    /// Print a commented configuration file with the defaults
    Sample,
    /// Print the path of the configuration file
    Path,
}

/// Print every setting and its value
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// Also tell where each value comes from
    #[arg(long)]
    origin: bool,
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
        ConfigVerb::Show(args) => {
            let surroundings = Surroundings::open(global, output)?;
            let all: Vec<_> = surroundings.config.all().collect();
            if output.json {
                let settings: Vec<_> =
                    all.iter().map(|(k, v, o)| json!({"key": k, "value": v, "origin": o.to_string()})).collect();
                output.print(&json_object(&json!({"settings": settings})))?;
            } else {
                let wide = |pick: &dyn Fn(&(&str, String, &crate::config::Origin)) -> usize| {
                    all.iter().map(pick).max().unwrap_or(0)
                };
                let (names, values) = (wide(&|s| s.0.len()), wide(&|s| s.1.len()));
                for (name, value, origin) in &all {
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

fn sample() -> String {
    let mut out = String::from("# Settings of ken, with their defaults. Environment variables override them.\n");
    let mut section = "";
    for key in KEYS {
        let (head, name) = key.name.split_once('.').unwrap_or(("", key.name));
        if head != section {
            section = head;
            out.push_str(&format!("\n[{section}]\n"));
        }
        let quoted = key.default.parse::<f64>().is_err() && !matches!(key.default, "true" | "false");
        let value = if quoted { format!("{:?}", key.default) } else { key.default.to_owned() };
        let variables = key.environment.join(", ");
        out.push_str(&format!("# {} ({variables})\n# {name} = {value}\n", key.about));
    }
    out
}
