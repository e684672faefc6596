//! `ken pack`.

use super::help::tokenizers;
use super::output::{Failure, Output};
use super::progress::Meter;
use super::search::utf8;
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome};
use crate::config::Prefer;
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::frames::{Change, Tokenizer, diff};
use crate::engine::face::system::{self, Links};
use crate::engine::face::text::{decode, parse_timestamp, single_line};
use crate::render::{json_object, line, shown};
use crate::serve::{Asker, Here, PackRequest};
use crate::types::limits::FRAME_PART;
use crate::types::{Access, Frame, Kind, Reason};
use clap::{Args, Subcommand};
use serde_json::json;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How many of what was left out are named.
const LEFT_OUT: usize = 30;

/// Make a frame for a language model: a task and what is known about it, within a budget of tokens
///
/// A frame is Markdown: the task, relevant passages of indexed files and entries of packs, the state, the instructions.
/// Each passage is cited with its file and lines. Passages that are unlikely to help are left out, even if the budget
/// has room for them. The same task gives the same frame, apart from its last line.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  ken pack --task \"retry with back-off\" | llm
  ken pack --task - --budget 4000 --instructions AGENTS.md < task.md
  ken pack --task \"rotate the keys\" --include 'docs/**' --explain > frame.md
  ken pack --task \"rotate the keys\" --exclude vendor --exclude '*.lock'
  ken pack --task \"rotate the signing keys\" --where 'year >= 2025'
  ken pack diff before.md after.md

Exit code: 0 if the frame holds knowledge, 1 if it holds only the task."
)]
pub(super) struct PackArgs {
    #[command(subcommand)]
    verb: Option<PackVerb>,
    /// The task; `-` reads standard input
    #[arg(long, value_name = "TEXT", required = true)]
    task: Option<String>,
    /// Most tokens of the frame [default: 15000, setting: pack.budget]
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// How tokens are counted: `model` as the model in use does, `chars` as four characters each
    /// [default: cl100k, setting: pack.tokenizer]
    #[arg(long, value_name = "NAME", value_parser = tokenizers())]
    tokenizer: Option<Tokenizer>,
    /// A file with the current state of the work
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// A file with standing instructions
    #[arg(long, value_name = "FILE")]
    instructions: Option<PathBuf>,
    /// Only files under this path, or matching this pattern, such as 'docs/**'; repeatable
    #[arg(long, value_name = "GLOB")]
    include: Vec<PathBuf>,
    /// No files under this path, or matching this pattern; repeatable
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<PathBuf>,
    /// Whose files come first at about the same relevance: `here` is this repository [setting: search.prefer]
    #[arg(long, value_name = "WHOSE", value_parser = super::search::prefers())]
    prefer: Option<Prefer>,
    /// Only items of this scope: `here` (this repository), `global`, or a repository's id; repeatable
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Only items of this kind; repeatable
    #[arg(long = "kind", value_name = "KIND", value_parser = super::search::kinds())]
    kinds: Vec<Kind>,
    /// Only items from programs of whose attributes this holds, such as 'lang = "rust" and stars >= 100'
    #[arg(long = "where", value_name = "CONDITION")]
    condition: Option<String>,
    /// Compute ages as of this time, such as 2026-11-22 or 2026-11-22T12:00:00Z [default: now]
    #[arg(long, value_name = "TIME", value_parser = moment)]
    as_of: Option<String>,
    /// Say on standard error what was left out and why
    #[arg(long)]
    explain: bool,
    /// Do not count the passages as packed
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Subcommand)]
enum PackVerb {
    /// Show what differs between two frames
    ///
    /// Exit code: 0 if they hold the same, 8 if not.
    #[command(after_help = "Example:\n  ken pack diff before.md after.md")]
    Diff {
        /// The first frame, as ken pack printed it
        a: PathBuf,
        /// The second frame
        b: PathBuf,
    },
}

fn moment(text: &str) -> Result<String, String> {
    parse_timestamp(text)
        .map(|_| text.to_owned())
        .ok_or_else(|| "expected a moment such as 2026-11-22 or 2026-11-22T12:00:00Z".to_owned())
}

pub(super) fn run(global: &Global, args: PackArgs, output: &Output) -> Outcome {
    if let Some(PackVerb::Diff { a, b }) = &args.verb {
        return compare(a, b, output);
    }
    let task = match args.task.as_deref() {
        Some("-") => bounded("standard input", std::io::stdin().lock())?,
        other => other.unwrap_or_default().as_bytes().to_vec(),
    };
    if let Err(error) = decode(&task) {
        let hint = "say in words what is to be done: `ken pack --task \"retry with back-off\"`";
        return Err(Failure::new(ErrorKind::Usage, format!("the task: {error}"), hint));
    }
    let surroundings = Surroundings::open(global, output)?;
    let engine = surroundings.engine();
    surroundings.require_model(global, &engine)?;
    let here = Here::new(working_directory()?);
    let request = PackRequest {
        dry_run: args.dry_run,
        task: String::new(),
        budget: args.budget,
        tokenizer: args.tokenizer.map(|tokenizer| tokenizer.name().to_owned()),
        state: args.state.as_deref().map(given).transpose()?.unwrap_or_default(),
        instructions: args.instructions.as_deref().map(given).transpose()?.unwrap_or_default(),
        include: args.include.iter().map(|path| utf8(path)).collect::<Result<_, _>>()?,
        exclude: args.exclude.iter().map(|path| utf8(path)).collect::<Result<_, _>>()?,
        prefer: args.prefer.map(|prefer| prefer.name().to_owned()),
        scopes: args.scopes,
        kinds: args.kinds.iter().map(|kind| kind.name().to_owned()).collect(),
        condition: args.condition,
        as_of: args.as_of,
        explain: args.explain,
    };
    let settings = surroundings.config.settings();
    let options =
        request.options(Asker { engine: &engine, settings, here: &here, access: &Access::all(), notes: None })?;
    let mut meter = Meter::new(output);
    let frame = engine.pack(&task, &options, &meter.session());
    meter.finish();
    output.tell_notes();
    let frame = frame?;
    output.print(&if output.json { json_object(&frame) } else { frame.text.clone() })?;
    tell(&frame, options.filter.is_empty(), output);
    if !args.dry_run {
        engine.count_packed(&frame, &output.session());
    }
    engine.close();
    Ok(u8::from(frame.pieces().next().is_none()))
}

/// What the reader of the frame need not know, and whoever made it should.
fn tell(frame: &Frame, everywhere: bool, output: &Output) {
    for section in frame.sections.iter().filter(|section| section.cut) {
        output.say(&format!("The {} was cut to {} tokens.", section.name, section.tokens));
    }
    if !frame.semantic {
        output.say("There is no usable model, so only words were compared; get one with: `ken model pull`");
    }
    if output.json {
        return;
    }
    if frame.pieces().next().is_none() {
        let among = if everywhere { "" } else { " among what --include, --exclude, --scope, --kind and --where admit" };
        output.say(&format!("Nothing relevant is known{among}; the frame holds no knowledge."));
    }
    let left_out = frame.left_out.as_deref().unwrap_or_default();
    for one in left_out.iter().take(LEFT_OUT) {
        let why = match one.why {
            Reason::Gate => "not relevant enough",
            Reason::Duplicate => "said already",
            Reason::File => "its file has its share",
            Reason::Budget => "no room",
            Reason::Changed => "its file changed",
            Reason::Gone => "its file is gone",
        };
        output.say(&format!("left out: {} ({why}, {:.0} % sure)", line(&one.place), one.relevance * 100.0));
    }
    if left_out.len() > LEFT_OUT {
        output.say(&format!("left out: {} more (--json names all)", left_out.len() - LEFT_OUT));
    }
}

fn given(path: &Path) -> Result<String, Failure> {
    let name = shown(path).into_owned();
    let bytes = if path == Path::new("-") {
        bounded("standard input", std::io::stdin().lock())?
    } else {
        bounded(&name, system::open(path, Links::Follow).map_err(|e| Failure::io(&name, &e))?)?
    };
    match decode(&bytes) {
        Ok(text) => Ok(text.into_owned()),
        Err(_) if bytes.iter().all(u8::is_ascii_whitespace) => Ok(String::new()),
        Err(error) => Err(Failure::new(ErrorKind::Usage, format!("{name}: {error}"), "give a text file")),
    }
}

fn bounded(name: &str, from: impl Read) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    match system::read_limited(from, FRAME_PART, &mut bytes) {
        Ok(()) => Ok(bytes),
        Err(e) if e.kind() == std::io::ErrorKind::FileTooLarge => {
            let text = format!("{name}: {e}");
            Err(Failure::new(ErrorKind::Usage, text, "a frame is far smaller: give the part that matters"))
        }
        Err(e) => Err(Failure::io(name, &e)),
    }
}

fn compare(a: &Path, b: &Path, output: &Output) -> Outcome {
    let found = diff(&given(a)?, &given(b)?).ok_or_else(|| {
        Failure::new(ErrorKind::Usage, "one of them is no frame", "give two files that `ken pack` printed")
    })?;
    if output.json {
        let pieces: Vec<_> =
            found.pieces.iter().map(|(place, change)| json!({"place": place, "change": change})).collect();
        output.print(&json_object(&json!({"same": found.same, "parts": found.parts, "pieces": pieces})))?;
    } else {
        let mut text = String::new();
        for (place, change) in &found.pieces {
            let (mark, what) = match change {
                Change::Added => (output.style.good("+"), ""),
                Change::Removed => (output.style.bad("-"), ""),
                Change::Changed => (output.style.warning("~"), "  other text"),
                Change::Moved => (output.style.warning(">"), "  moved"),
            };
            text.push_str(&format!("{mark} {}{what}\n", single_line(place, 300)));
        }
        for part in &found.parts {
            text.push_str(&format!("{} {}\n", output.style.warning("~"), line(part)));
        }
        text.push_str(&output.style.faint(&format!("{} pieces are the same.\n", found.same)));
        output.print(&text)?;
    }
    Ok(if found.is_empty() { 0 } else { ErrorKind::CheckFailed.exit_code() })
}
