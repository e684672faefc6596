//! Scopes and paths as people write them.

use super::condition::parse;
use super::{Asker, RequestError, named};
use crate::config::Prefer;
use crate::engine::EngineError;
use crate::engine::face::asking::{ItemFilter, PathFilter};
use crate::engine::face::failure::{Diagnose, Face};
use crate::engine::face::system::canonical;
use crate::render::shown_text;
use crate::types::{Kind, Scope, check_name};
use std::path::Path;

/// Items of these kinds and scopes that whoever asks may see and of whose attributes a condition holds, in files of
/// these paths and none of those.
///
/// # Errors
/// [`RequestError`] for a kind, scope or path that there is not, or a condition that cannot be read.
pub(super) fn places(
    asker: Asker<'_>,
    kinds: &[String],
    scopes: &[String],
    [paths, without]: [&[String]; 2],
    condition: Option<&str>,
) -> Result<ItemFilter, RequestError> {
    let all = |paths: &[String]| paths.iter().map(|path| place(path, asker.here.path())).collect::<Result<Vec<_>, _>>();
    Ok(ItemFilter {
        kinds: kinds.iter().map(|name| kind(name)).collect::<Result<_, _>>()?,
        scopes: scopes.iter().map(|name| scope(name, asker)).collect::<Result<_, _>>()?,
        paths: all(paths)?,
        without: all(without)?,
        condition: condition.map(parse).transpose()?,
        access: asker.access.clone().from_home(asker.here.scope(asker.engine)),
        ..ItemFilter::default()
    })
}

/// Reads a kind.
///
/// # Errors
/// [`RequestError`] for a name that no kind has.
pub(super) fn kind(name: &str) -> Result<Kind, RequestError> {
    named("kind of item", name, Kind::of, &Kind::ALL.map(Kind::name))
}

/// Reads the scope of an item from a program, which need not be there yet: `here`, `global`, or any name.
///
/// # Errors
/// [`RequestError`] for what can be no name.
pub(super) fn any_scope(name: &str, asker: Asker<'_>) -> Result<Scope, RequestError> {
    let wrong = |what: String| RequestError::usage(what, "a scope is `here`, `global` or a name of your own");
    check_name("the scope", name).map_err(wrong)?;
    Ok(if name == "here" { asker.here.scope(asker.engine).clone() } else { Scope::repository(name) })
}

/// The scope whose items come first; none outside of a repository, or where nobody's do.
pub(super) fn preferred(prefer: Prefer, asker: Asker<'_>) -> Option<Scope> {
    let scope = (prefer == Prefer::Here).then(|| asker.here.scope(asker.engine));
    scope.filter(|scope| **scope != Scope::global()).cloned()
}

/// Reads the scope of a question, as [`any_scope`] does. A scope that has lost its last item looks like one that never
/// existed. A program gets an empty answer with a note for both. A person may have mistyped it, and gets an error.
///
/// # Errors
/// As [`any_scope`], and [`EngineError::NoScope`] for a person who names a scope in which nothing is indexed.
fn scope(name: &str, asker: Asker<'_>) -> Result<Scope, RequestError> {
    let scope = any_scope(name, asker)?;
    if matches!(name, "here" | "global") {
        return Ok(scope);
    }
    if let Some(near) = asker.engine.empty_scope(name, asker.access)? {
        let empty = EngineError::NoScope { name: shown_text(name).into_owned(), near };
        let Some(notes) = asker.notes else { return Err(empty.into()) };
        let near = empty.hint_for(Face::Agent).map_or_else(String::new, |hint| format!("; {hint}"));
        notes.add(format!("{empty}{near}"));
    }
    Ok(scope)
}

/// The path as files are known by. One that is there means itself, whatever its name looks like; one that is not may
/// still have been indexed.
///
/// # Errors
/// [`RequestError`] for a pattern that cannot be read.
fn place(text: &str, here: &Path) -> Result<PathFilter, RequestError> {
    let path = Path::new(text);
    let joined = here.join(path);
    if let Ok(there) = canonical(&joined) {
        return Ok(PathFilter::Under(there.to_string_lossy().into_owned()));
    }
    let has_choice = text.contains('{') && text.contains('}');
    if !text.contains(['*', '?', '[']) && !has_choice {
        return Ok(PathFilter::Under(joined.to_string_lossy().into_owned()));
    }
    let glob = |pattern: &str| {
        PathFilter::glob(pattern).map_err(|why| {
            RequestError::usage(
                format!("{text} is no valid pattern: {why}"),
                "* and ? stand for anything, [...] for one of its characters: 'docs/*.md'",
            )
        })
    };
    if path.is_absolute() || text.starts_with('*') {
        return glob(text);
    }
    // What is wrong is wrong with what was given.
    glob(text)?;
    let literal = |c: char| if matches!(c, '*' | '?' | '[') { format!("[{c}]") } else { c.to_string() };
    let here: String = here.to_string_lossy().chars().map(literal).collect();
    let between = std::path::MAIN_SEPARATOR_STR;
    Ok(PathFilter::Glob(format!("{here}{between}{}", text.replace('/', between))))
}
