//! `ken search`.

use super::input::read_words;
use super::lookup::{share, took_ms};
use super::output::{Failure, Output};
use super::progress::Meter;
use super::shown_text::{ShownText, editor};
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome, complete};
use crate::config::Prefer;
use crate::engine::face::asking::endings;
use crate::engine::face::failure::ErrorKind;
use crate::render::{answer_json, nearest_first, paths_text, search_text, silence_text};
use crate::serve::{Asker, Here, SearchRequest, Sought};
use crate::types::{Access, Answer, Kind, Semantic};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Search your indexed files and the packs of known errors
///
/// Shows what is relevant to the question, best first, or nothing.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken search \"how do we rotate the signing keys\"
  ken search --kind chunk --path docs \"retry budget\"
  ken search --type rust --exclude '*/tests/*' -C 3 \"parse the header\"
  ken search --full -n 1 \"how do we rotate the signing keys\"
  ken search -l \"retry budget\"          print only the paths, like grep -l
  ken search --open 1 \"retry budget\"    open the first hit in your editor
  ken search --good 2 \"retry budget\"    label the second hit as an answer
  ken search --where 'year >= 2025' \"how do we rotate the signing keys\"
  ken search --like chunk/1f3a9c0b22d4aa10
  ken search --scope here --json \"checklist\" | jq -r '.results[].hits[].path'

Exit code: 0 if anything is found, 1 if nothing is.")]
pub(super) struct SearchArgs {
    /// The question; `-` reads standard input
    #[arg(value_name = "QUERY", conflicts_with = "like")]
    query: Vec<OsString>,
    /// Show what is like this item: the id of a hit, or the one that a program gave it
    #[arg(long, value_name = "ID", conflicts_with_all = ["rerank", "good"])]
    like: Option<String>,
    /// Most hits [default: 5, setting: search.limit]
    #[arg(short = 'n', long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: Option<u32>,
    /// Only items of this kind; repeatable
    #[arg(long = "kind", value_name = "KIND", value_parser = kinds())]
    kinds: Vec<Kind>,
    /// Only items of this scope: `here` (this repository), `global`, or a repository's id; repeatable
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Only files under this path, or matching this pattern, such as '*/docs/*.md'
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
    /// No files under this path, or matching this pattern; repeatable
    #[arg(long, value_name = "PATH")]
    exclude: Vec<PathBuf>,
    /// Only files of this language, format or ending, such as rust, markdown or md; repeatable
    #[arg(long = "type", value_name = "TYPE", value_parser = file_type)]
    types: Vec<String>,
    /// Whose files come first at about the same relevance: `here` is this repository [setting: search.prefer]
    #[arg(long, value_name = "WHOSE", value_parser = prefers())]
    prefer: Option<Prefer>,
    /// Show this many lines before and after each excerpt of a file
    #[arg(short = 'C', long, value_name = "LINES", value_parser = clap::value_parser!(u32).range(0..=1000))]
    context: Option<u32>,
    /// Show the whole text of each hit
    #[arg(long)]
    full: bool,
    /// Print only the path of each file with a hit, once, a line each
    #[arg(short = 'l', long, conflicts_with_all = ["context", "full", "explain", "why_not", "json"])]
    files: bool,
    /// Open this hit in $VISUAL or $EDITOR at its line; the first hit is 1
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    open: Option<u32>,
    /// Store that this hit answers the question, or this candidate if there is no hit; the first is 1
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    good: Option<u32>,
    /// Only items with this tag; repeatable
    #[arg(long = "tag", value_name = "TAG", add = complete::tags())]
    tags: Vec<String>,
    /// Only items of this provider, such as aws
    #[arg(long, value_name = "NAME", add = complete::providers())]
    provider: Option<String>,
    /// Only items from programs of whose attributes this holds, such as 'lang = "rust" and stars >= 100'
    #[arg(long = "where", value_name = "CONDITION")]
    condition: Option<String>,
    /// Show hits from this relevance on, 0 to 1 [default: the gate of the index]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_relevance: Option<f32>,
    /// Rerank the first thirty candidates with a cross-encoder, which must be pulled first
    #[arg(long)]
    rerank: bool,
    /// Show how each hit was scored: signals, weights, gate and margin
    #[arg(long)]
    explain: bool,
    /// Say why this item was not shown
    #[arg(long, value_name = "ID")]
    why_not: Option<String>,
    /// Do not count the hits as shown
    #[arg(long)]
    dry_run: bool,
}

/// Reads a kind, and lists the kinds in help.
pub(super) fn kinds() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::ALL.map(Kind::name)).try_map(|name| Kind::of(&name).ok_or("no such kind"))
}

/// Takes what has endings, and says what does not.
fn file_type(name: &str) -> Result<String, String> {
    let wrong = || "expected a language, a format or an ending, such as rust, markdown or md".to_owned();
    endings(name).map(|_| name.to_owned()).ok_or_else(wrong)
}

/// Reads whose files come first, and lists the choices in help.
pub(super) fn prefers() -> impl TypedValueParser<Value = Prefer> {
    PossibleValuesParser::new(["here", "none"]).try_map(|name| Prefer::of(&name).ok_or("no such choice"))
}

pub(super) fn run(global: &Global, args: SearchArgs, output: &Output) -> Outcome {
    let question = match args.like {
        None => Some(read_words(&args.query, "ken search \"the question\"")?),
        Some(_) => None,
    };
    let editor = args.open.map(|_| editor(output)).transpose()?;
    let started = Instant::now();
    let surroundings = Surroundings::open(global, output)?;
    let engine = surroundings.engine();
    surroundings.require_model(global, &engine)?;
    let here = Here::new(working_directory()?);
    let mut request = SearchRequest {
        dry_run: args.dry_run,
        // Of bytes, which need not be UTF-8.
        query: question.as_ref().map(|_| String::new()),
        vector: None,
        like: args.like,
        limit: args.limit,
        kinds: args.kinds.iter().map(|kind| kind.name().to_owned()).collect(),
        scopes: args.scopes,
        paths: args.path.iter().map(|path| utf8(path)).collect::<Result<_, _>>()?,
        exclude: args.exclude.iter().map(|path| utf8(path)).collect::<Result<_, _>>()?,
        types: args.types,
        tags: args.tags,
        provider: args.provider,
        condition: args.condition,
        prefer: args.prefer.map(|prefer| prefer.name().to_owned()),
        // Programs cut lines out by themselves, unless they ask for them.
        context: args.context.or((!output.json).then_some(0)),
        full: args.full,
        min_relevance: args.min_relevance,
        rerank: args.rerank,
        explain: args.explain,
        why_not: args.why_not,
    };
    let filtered = request.is_filtered();
    if args.files && request.kinds.is_empty() {
        // Entries of packs stand in no file.
        request.kinds = vec![Kind::Chunk.name().to_owned()];
    }
    let sought = request.sought()?;
    let settings = surroundings.config.settings();
    let options =
        request.options(Asker { engine: &engine, settings, here: &here, access: &Access::all(), notes: None })?;
    let question = question.unwrap_or_default();
    let mut meter = Meter::new(output);
    let answer = match sought {
        Sought::Question(_) => engine.search(&question, &options, &meter.session()),
        Sought::Alike(sample) => engine.search_alike(&sample, &options, &meter.session()),
    };
    meter.finish();
    output.tell_notes();
    let answer = answer?;
    let took_ms = took_ms(started);
    if output.json {
        output.print(&answer_json(&answer, took_ms))?;
    } else {
        let here = here.path().to_string_lossy();
        output.print(&match args.files {
            true => paths_text(&answer, &here),
            false => search_text(&answer, &here, output.style, output.width),
        })?;
        if !answer.found() {
            output.tell_text(&silence_text(&answer, filtered, &here, output.message_style, output.width));
            tell_how_to_read(&answer, output);
            if answer.results.iter().any(|finding| finding.semantic == Semantic::Off) {
                output.say("There is no usable model, so only words were compared; get one with: `ken model pull`");
            }
        }
    }
    if !args.dry_run {
        engine.count_served(&answer, &output.session());
    }
    if let Some(number) = args.good
        && let Some(shown) = ShownText::find(&answer, number as usize, "--good")?
    {
        let question = String::from_utf8_lossy(&question);
        engine.keep_label(question.trim(), shown.id, shown.path, &output.session())?;
        output.say("Stored as an answer to this question; `ken bench from-index` makes a set of all labels.");
    }
    engine.close();
    if let (Some(editor), Some(number)) = (editor, args.open)
        && let Some(shown) = ShownText::find(&answer, number as usize, "--open")?
    {
        shown.open(number as usize, &editor)?;
    }
    Ok(u8::from(!answer.found()))
}

/// Says which option shows the texts of the nearest candidates, if there are any.
fn tell_how_to_read(answer: &Answer, output: &Output) {
    let Some(nearest) = nearest_first(answer).next() else { return };
    let share = (nearest.relevance * 10.0).floor() / 10.0;
    output.say(&output.message_style.faint(&format!("Add --min-relevance {share:.1} to show what is less sure.")));
}

/// A path or pattern as text, which is what files are known by.
pub(super) fn utf8(path: &Path) -> Result<String, Failure> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| Failure::new(ErrorKind::Usage, "the path is not UTF-8", "files with such names are not indexed"))
}
