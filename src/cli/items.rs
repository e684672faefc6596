//! `ken items`: what programs put in, for scripts that need no server.

use super::output::{Failure, Output};
use super::progress::Meter;
use super::search::kinds;
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::{self, Links};
use crate::engine::face::text::shell_quote;
use crate::engine::{Engine, PutReport};
use crate::render::{json_line, json_object, line, shown};
use crate::serve::{Asker, DeleteItemsRequest, Here, ItemRequest, ListItemsRequest, PutItem, PutItemsRequest};
use crate::types::limits::{EXPORT_RECORD, ITEM_BATCH};
use crate::types::{Access, Kind, StoredItem};
use clap::{Args, Subcommand};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Put in, read, list and delete items that lie in no file
///
/// An item has an id of your own, a text, and attributes to filter by. It is found like a passage of a file.
#[derive(Debug, Subcommand)]
pub(super) enum ItemsVerb {
    /// Put in items, a JSON object on each line; an item that has the id already is replaced
    ///
    /// Fields: id and text, and if you like title, kind, scope, tags, provider and attributes. Each thousand lines are
    /// stored together or not at all.
    #[command(after_help = "\
Examples:
  ken items put notes.jsonl
  echo '{\"id\": \"n1\", \"text\": \"Keys are rotated in May\"}' | ken items put -")]
    Put {
        /// The file; `-` reads standard input
        file: PathBuf,
    },
    /// Show an item
    ///
    /// Exit code: 0 if it is there, 1 if not.
    #[command(after_help = "Example:\n  ken items get n1")]
    Get {
        /// Your own id of it
        id: String,
        /// The scope that it was put into
        #[arg(long, value_name = "SCOPE", default_value = "global")]
        scope: String,
    },
    /// List items in the order of their ids
    ///
    /// Exit code: 0 if there are any, 1 if not.
    #[command(after_help = "\
Examples:
  ken items list
  ken items list --where 'year >= 2025' --limit 10 --json")]
    List {
        #[command(flatten)]
        filter: FilterArgs,
        /// Begin behind this page: the `next` of the one before
        #[arg(long, value_name = "NEXT")]
        after: Option<String>,
        /// Most items
        #[arg(short = 'n', long, value_name = "COUNT", default_value = "100",
            value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
    },
    /// Delete an item, or all that pass a filter
    ///
    /// Its traces leave the disk too. Exit code: 0 if anything was deleted, 1 if nothing was, 7 if another process
    /// still reads what was deleted. No search finds it in that case either; its last traces leave the disk later. In a
    /// shared store, the lists of words keep hashes of the item's words until the next `ken gc` or `ken forget`.
    #[command(after_help = "\
Examples:
  ken items delete n1
  ken items delete --where 'year < 2020'")]
    Delete {
        /// Your own id of it; without one all are deleted that pass
        #[arg(conflicts_with_all = ["condition", "kinds", "tags"])]
        id: Option<String>,
        #[command(flatten)]
        filter: FilterArgs,
    },
}

/// Which items.
#[derive(Debug, Args)]
pub(super) struct FilterArgs {
    /// Only items of whose attributes this holds, such as 'lang = "rust" and stars >= 100'
    #[arg(long = "where", value_name = "CONDITION")]
    condition: Option<String>,
    /// Only items of this kind; repeatable
    #[arg(long = "kind", value_name = "KIND", value_parser = kinds())]
    kinds: Vec<Kind>,
    /// Only items of this scope; repeatable
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Only items with this tag; repeatable
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
}

impl FilterArgs {
    fn kinds(&self) -> Vec<String> {
        self.kinds.iter().map(|kind| kind.name().to_owned()).collect()
    }
}

pub(super) fn run(global: &Global, verb: ItemsVerb, output: &Output) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let engine = surroundings.engine();
    let (settings, here) = (surroundings.config.settings(), Here::new(working_directory()?));
    let asker = Asker { engine: &engine, settings, here: &here, access: &Access::all(), notes: None };
    let code = match verb {
        ItemsVerb::Put { file } => put(asker, &file, output),
        ItemsVerb::Get { id, scope } => get(asker, ItemRequest { id, scope: Some(scope) }, output),
        ItemsVerb::List { filter, after, limit } => {
            let kinds = filter.kinds();
            let FilterArgs { condition, scopes, tags, .. } = filter;
            let limit = Some(limit);
            list(asker, &ListItemsRequest { condition, kinds, scopes, tags, after, limit }, output)
        }
        ItemsVerb::Delete { id, filter } => delete(asker, id, filter, output),
    };
    engine.close();
    code
}

fn put(asker: Asker<'_>, file: &Path, output: &Output) -> Outcome {
    let mut input: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        let opened = system::open(file, Links::Follow).map_err(|error| {
            let mut failure = Failure::io(&shown(file), &error);
            failure.hint = Some("give a file with a JSON object on each line, or `-`".to_owned());
            failure
        })?;
        Box::new(BufReader::new(opened))
    };
    let mut total = PutReport::default();
    let mut lines = 0;
    let mut meter = Meter::new(output);
    loop {
        let items = read_batch(&mut *input, &mut lines)?;
        if items.is_empty() {
            break;
        }
        let items = PutItemsRequest { items }.items(asker)?;
        let report = asker.engine.put_items(items, asker.access, &meter.session())?;
        total.added += report.added;
        total.updated += report.updated;
        total.unchanged += report.unchanged;
        total.embedded += report.embedded;
        total.semantic = report.semantic;
    }
    meter.finish();
    output.tell_notes();
    let PutReport { added, updated, unchanged, .. } = total;
    output.print(&match output.json {
        true => json_object(&total),
        false => format!("{added} added, {updated} updated, {unchanged} unchanged.\n"),
    })?;
    if !total.semantic && added + updated > 0 {
        output.say("There is no model, so they are found by their words alone; get one with: `ken model pull`");
    }
    Ok(0)
}

/// The items of the next lines; none at the end.
fn read_batch(input: &mut dyn BufRead, lines: &mut usize) -> Result<Vec<PutItem>, Failure> {
    let mut items = Vec::new();
    let mut text = Vec::new();
    while items.len() < ITEM_BATCH {
        text.clear();
        *lines += 1;
        let mut bounded = (&mut *input).take(EXPORT_RECORD.bytes + 1);
        bounded.read_until(b'\n', &mut text).map_err(|error| Failure::io("the items", &error))?;
        if text.is_empty() {
            break;
        }
        let wrong = |what: &str| {
            let message = format!("line {lines}: {what}");
            Failure::new(ErrorKind::Usage, message, "an item is a JSON object with an id and a text, on one line")
        };
        if text.len() as u64 > EXPORT_RECORD.bytes {
            return Err(wrong("it is too long"));
        }
        if text.trim_ascii().is_empty() {
            continue;
        }
        items.push(serde_json::from_slice(&text).map_err(|error| wrong(&error.to_string()))?);
    }
    Ok(items)
}

fn get(asker: Asker<'_>, request: ItemRequest, output: &Output) -> Outcome {
    let (scope, id) = request.place(asker)?;
    let Some(found) = asker.engine.external_item(&scope, &id, asker.access)? else {
        output.say("There is no such item.");
        return Ok(1);
    };
    output.print(&match output.json {
        true => json_object(&found),
        false => json_line(&found),
    })?;
    Ok(0)
}

fn list(asker: Asker<'_>, request: &ListItemsRequest, output: &Output) -> Outcome {
    let filter = request.filter(asker)?;
    let after = request.after.as_deref();
    let page = asker.engine.list_items(&filter, after, request.most(), &output.session())?;
    let one = |stored: &StoredItem| {
        let item = &stored.item;
        let title = if item.title.is_empty() { &item.text } else { &item.title };
        let title: String = line(title).chars().take(80).collect();
        format!("{}  {}  {title}\n", line(&item.id), line(item.scope.as_str()))
    };
    output.print(&match output.json {
        true => json_object(&page),
        false => page.items.iter().map(one).collect(),
    })?;
    if let Some(next) = page.next.filter(|_| !output.json) {
        output.say(&match shell_quote(&next) {
            Some(next) => format!("There are more; they follow with --after {next}."),
            None => "There are more; with --json you are told where they begin.".to_owned(),
        });
    }
    Ok(u8::from(page.items.is_empty()))
}

fn delete(asker: Asker<'_>, id: Option<String>, filter: FilterArgs, output: &Output) -> Outcome {
    let engine: &Engine = asker.engine;
    let session = output.session();
    let deleted = match id {
        Some(id) => {
            let scope = match filter.scopes.as_slice() {
                [] => None,
                [scope] => Some(scope.clone()),
                _ => {
                    return Err(Failure::new(
                        ErrorKind::Usage,
                        "an item lies in one scope",
                        "name one, or delete by filter",
                    ));
                }
            };
            let (scope, id) = ItemRequest { id, scope }.place(asker)?;
            engine.delete_item(&scope, &id, asker.access, &session)?
        }
        None => {
            let kinds = filter.kinds();
            let FilterArgs { condition, scopes, tags, .. } = filter;
            let request = DeleteItemsRequest { condition, kinds, scopes, tags };
            engine.delete_items(&request.filter(asker)?, &session)?
        }
    };
    output.tell_notes();
    output.print(&match output.json {
        true => json_object(&deleted),
        false => format!("{} deleted.\n", deleted.deleted),
    })?;
    Ok(match deleted.deleted {
        0 => 1,
        _ if deleted.traces_left => ErrorKind::Busy.exit_code(),
        _ => 0,
    })
}
