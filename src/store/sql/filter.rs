//! A filter as a WHERE clause.

use super::parameter::one_of;
use super::{Dialect, SqlValue};
use crate::store::{ItemFilter, MemoryView, PathFilter};
use crate::types::{Comparison, Condition, Literal};
use std::path::MAIN_SEPARATOR;

/// The condition on `item` and `source` that an item passes a filter and may be seen, with its values.
pub fn passing(dialect: Dialect, filter: &ItemFilter, view: Option<&MemoryView>) -> (String, Vec<SqlValue<'static>>) {
    let (mut passes, mut values) = condition(dialect, filter);
    if let Some(view) = view {
        let (is_seen, of_view) = remembered(view);
        passes = format!("{passes} AND {is_seen}");
        values.extend(of_view);
    }
    (passes, values)
}

/// The condition of a filter.
pub(super) fn condition(dialect: Dialect, filter: &ItemFilter) -> (String, Vec<SqlValue<'static>>) {
    let mut parts = vec!["item.state = 'active'".to_owned()];
    let mut values: Vec<SqlValue<'static>> = Vec::new();
    let mut any = |column: &str, names: Vec<String>| {
        if !names.is_empty() {
            parts.push(one_of(column, names.len()));
            values.extend(names.into_iter().map(SqlValue::from));
        }
    };
    any("item.kind", filter.kinds.iter().map(|kind| kind.name().to_owned()).collect());
    any("item.scope", filter.scopes.iter().map(|scope| scope.as_str().to_owned()).collect());
    if !filter.paths.is_empty() {
        parts.push(format!("({})", lies_in(dialect, &filter.paths, &mut values)));
    }
    if !filter.without.is_empty() {
        // What lies in no file lies in none of these.
        parts.push(format!("(source.path IS NULL OR NOT ({}))", lies_in(dialect, &filter.without, &mut values)));
    }
    if !filter.endings.is_empty() {
        let mut any = Vec::new();
        for ending in &filter.endings {
            let (has_ending, value) = dialect.glob("lower(source.path)", &format!("*.{ending}"));
            any.push(has_ending);
            values.push(value);
        }
        parts.push(format!("({})", any.join(" OR ")));
    }
    for tag in &filter.tags {
        parts.push(dialect.has_tag().to_owned());
        values.push(tag.to_ascii_lowercase().into());
    }
    if let Some(provider) = &filter.provider {
        parts.push(format!("{} = ?", dialect.provider()));
        values.push(provider.to_ascii_lowercase().into());
    }
    if let Some(condition) = &filter.condition {
        parts.push(format!("({})", holds(dialect, condition, &mut values)));
    }
    if let Some(scopes) = filter.access.scopes() {
        // Of no scope nothing may be seen.
        parts.push(one_of("item.scope", scopes.len()));
        values.extend(scopes.iter().map(|scope| scope.as_str().to_owned().into()));
    }
    (parts.join(" AND "), values)
}

/// The condition on `item` that what was learnt may be seen, with its values; all else may.
pub(super) fn remembered(view: &MemoryView) -> (String, Vec<SqlValue<'static>>) {
    let home = view.home.as_ref().map_or("global", |scope| scope.as_str());
    let mut hidden = "scope NOT IN ('global', ?)".to_owned();
    let mut values = vec![home.to_owned().into()];
    if let Some(moment) = view.expired {
        hidden.push_str(" OR ends_at <= ?");
        values.push(moment.into());
    }
    let sql = format!("item.id NOT IN (SELECT item_id FROM memory WHERE item_id IS NOT NULL AND ({hidden}))");
    (sql, values)
}

/// Whether a condition holds of an item's attributes. Each comparison asks for the items in which it is true, so it is
/// false and never unknown where there is no such attribute.
fn holds(dialect: Dialect, condition: &Condition, values: &mut Vec<SqlValue<'static>>) -> String {
    let mut all = |conditions: &[Condition], word: &str, none: &str| match conditions {
        [] => none.to_owned(),
        some => {
            let parts: Vec<String> = some.iter().map(|one| format!("({})", holds(dialect, one, values))).collect();
            parts.join(word)
        }
    };
    match condition {
        Condition::All(conditions) => all(conditions, " AND ", "TRUE"),
        Condition::Any(conditions) => all(conditions, " OR ", "FALSE"),
        Condition::Not(condition) => format!("NOT ({})", holds(dialect, condition, values)),
        Condition::Exists(key) => {
            values.push(key.clone().into());
            having("")
        }
        Condition::Compare(key, comparison, value) => compares(dialect, key, *comparison, value, values),
        Condition::Within(key, allowed) => {
            let equal = |value: &Literal| compares(dialect, key, Comparison::Equal, value, values);
            let parts: Vec<String> = allowed.iter().map(equal).collect();
            if parts.is_empty() { "FALSE".to_owned() } else { parts.join(" OR ") }
        }
    }
}

/// Items with an attribute of a key, which is the next value, of which this holds too.
fn having(more: &str) -> String {
    format!("item.id IN (SELECT item_id FROM attribute WHERE key = ?{more})")
}

fn compares(
    dialect: Dialect,
    key: &str,
    comparison: Comparison,
    value: &Literal,
    values: &mut Vec<SqlValue<'static>>,
) -> String {
    let sign = match comparison {
        Comparison::Equal | Comparison::Unequal => "=",
        Comparison::Less => "<",
        Comparison::AtMost => "<=",
        Comparison::Greater => ">",
        Comparison::AtLeast => ">=",
    };
    let number = |number: f64| (format!("number {sign} ?"), vec![number.into()]);
    // A list has the texts that it holds; it has no order.
    let (kinds, (passes, wanted)) = match (value, comparison) {
        (Literal::Text(text), Comparison::Equal | Comparison::Unequal) => {
            let (is_text, wanted) = dialect.is_attribute_text(text);
            ("('text', 'list')", (is_text.to_owned(), wanted))
        }
        (Literal::Text(text), _) => ("('text')", (format!("text {sign} ?"), vec![text.clone().into()])),
        (Literal::Number(wanted), _) => ("('number')", number(*wanted)),
        (Literal::Boolean(is), _) => ("('boolean')", number(f64::from(u8::from(*is)))),
    };
    let key = || SqlValue::from(key.to_owned());
    let of_type = having(&format!(" AND kind IN {kinds}"));
    let compared = having(&format!(" AND kind IN {kinds} AND {passes}"));
    match comparison {
        Comparison::Unequal => {
            values.extend([key(), key()]);
            values.extend(wanted);
            format!("{of_type} AND NOT {compared}")
        }
        _ => {
            values.push(key());
            values.extend(wanted);
            compared
        }
    }
}

/// Whether a file lies in one of these places.
fn lies_in(dialect: Dialect, places: &[PathFilter], values: &mut Vec<SqlValue<'static>>) -> String {
    let mut parts = Vec::new();
    for place in places {
        match place {
            PathFilter::Glob(pattern) => {
                let (matches, value) = dialect.glob("source.path", pattern);
                parts.push(matches);
                values.push(value);
            }
            PathFilter::Under(path) => {
                let folder = path.trim_end_matches(MAIN_SEPARATOR);
                parts.push("source.path = ? OR substr(source.path, 1, length(?)) = ?".to_owned());
                let prefix = format!("{folder}{MAIN_SEPARATOR}");
                values.extend([folder.to_owned().into(), prefix.clone().into(), prefix.into()]);
            }
        }
    }
    parts.join(" OR ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is taken matches what it should, asked of the one who matches.
    #[test]
    fn patterns_that_are_taken_match() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for (pattern, text) in [
            ("*.md", "a/b.md"),
            ("[a-c]?", "bx"),
            ("[]]", "]"),
            ("[^]]", "x"),
            ("[{]a,b}", "{a,b}"),
            ("a]", "a]"),
            ("[*]", "*"),
            ("[a-]", "-"),
        ] {
            assert!(PathFilter::glob(pattern).is_ok(), "{pattern}");
            let sql = "SELECT ?1 GLOB ?2";
            assert!(connection.query_row(sql, [text, pattern], |row| row.get::<_, bool>(0)).unwrap(), "{pattern}");
        }
    }
}
