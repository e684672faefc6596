//! A filter as a WHERE clause.

use crate::store::{ItemFilter, MemoryView, PathFilter};
use crate::types::{Comparison, Condition, Literal};
use rusqlite::types::Value;
use std::path::MAIN_SEPARATOR;

/// The condition on `item` and `source`, with its values.
pub(super) fn condition(filter: &ItemFilter) -> (String, Vec<Value>) {
    let mut parts = vec!["item.state = 'active'".to_owned()];
    let mut values: Vec<Value> = Vec::new();
    let mut any = |column: &str, names: Vec<String>| {
        if !names.is_empty() {
            parts.push(format!("{column} IN ({})", vec!["?"; names.len()].join(", ")));
            values.extend(names.into_iter().map(Value::Text));
        }
    };
    any("item.kind", filter.kinds.iter().map(|kind| kind.name().to_owned()).collect());
    any("item.scope", filter.scopes.iter().map(|scope| scope.as_str().to_owned()).collect());
    if !filter.paths.is_empty() {
        parts.push(format!("({})", lies_in(&filter.paths, &mut values)));
    }
    if !filter.without.is_empty() {
        // What lies in no file lies in none of these.
        parts.push(format!("(source.path IS NULL OR NOT ({}))", lies_in(&filter.without, &mut values)));
    }
    if !filter.endings.is_empty() {
        parts.push(format!("({})", vec!["lower(source.path) GLOB ?"; filter.endings.len()].join(" OR ")));
        values.extend(filter.endings.iter().map(|ending| Value::Text(format!("*.{ending}"))));
    }
    for tag in &filter.tags {
        parts.push(
            "EXISTS (SELECT 1 FROM json_each(item.attributes, '$.tags') WHERE lower(value) = lower(?))".to_owned(),
        );
        values.push(Value::Text(tag.clone()));
    }
    if let Some(provider) = &filter.provider {
        parts.push("lower(item.attributes ->> '$.provider') = lower(?)".to_owned());
        values.push(Value::Text(provider.clone()));
    }
    if let Some(condition) = &filter.condition {
        parts.push(format!("({})", holds(condition, &mut values)));
    }
    if let Some(scopes) = filter.access.scopes() {
        // Of no scope nothing may be seen.
        parts.push(format!("item.scope IN ({})", vec!["?"; scopes.len()].join(", ")));
        values.extend(scopes.iter().map(|scope| Value::Text(scope.as_str().to_owned())));
    }
    (parts.join(" AND "), values)
}

/// The condition on `item` that what was learnt may be seen, with its values; all else may.
pub(super) fn remembered(view: &MemoryView) -> (String, Vec<Value>) {
    let home = view.home.as_ref().map_or("global", |scope| scope.as_str());
    let mut hidden = "scope NOT IN ('global', ?)".to_owned();
    let mut values = vec![Value::Text(home.to_owned())];
    if let Some(moment) = view.expired {
        hidden.push_str(" OR ends_at <= ?");
        values.push(Value::Integer(moment));
    }
    let sql = format!("item.id NOT IN (SELECT item_id FROM memory WHERE item_id IS NOT NULL AND ({hidden}))");
    (sql, values)
}

/// Whether a condition holds of an item's attributes. Each comparison asks for the items in which it is true, so it is
/// false and never unknown where there is no such attribute.
fn holds(condition: &Condition, values: &mut Vec<Value>) -> String {
    let mut all = |conditions: &[Condition], word: &str, none: &str| match conditions {
        [] => none.to_owned(),
        some => {
            let parts: Vec<String> = some.iter().map(|one| format!("({})", holds(one, values))).collect();
            parts.join(word)
        }
    };
    match condition {
        Condition::All(conditions) => all(conditions, " AND ", "1"),
        Condition::Any(conditions) => all(conditions, " OR ", "0"),
        Condition::Not(condition) => format!("NOT ({})", holds(condition, values)),
        Condition::Exists(key) => {
            values.push(Value::Text(key.clone()));
            having("")
        }
        Condition::Compare(key, comparison, value) => compares(key, *comparison, value, values),
        Condition::Within(key, allowed) => {
            let equal = |value: &Literal| compares(key, Comparison::Equal, value, values);
            let parts: Vec<String> = allowed.iter().map(equal).collect();
            if parts.is_empty() { "0".to_owned() } else { parts.join(" OR ") }
        }
    }
}

/// Items with an attribute of a key, which is the next value, of which this holds too.
fn having(more: &str) -> String {
    format!("item.id IN (SELECT item_id FROM attribute WHERE key = ?{more})")
}

fn compares(key: &str, comparison: Comparison, value: &Literal, values: &mut Vec<Value>) -> String {
    // A list has the texts that it holds; it has no order.
    let (kinds, column, value) = match (value, comparison) {
        (Literal::Text(text), Comparison::Equal | Comparison::Unequal) => {
            ("('text', 'list')", "text", Value::Text(text.clone()))
        }
        (Literal::Text(text), _) => ("('text')", "text", Value::Text(text.clone())),
        (Literal::Number(number), _) => ("('number')", "number", Value::Real(*number)),
        (Literal::Boolean(is), _) => ("('boolean')", "number", Value::Real(f64::from(u8::from(*is)))),
    };
    let sign = match comparison {
        Comparison::Equal | Comparison::Unequal => "=",
        Comparison::Less => "<",
        Comparison::AtMost => "<=",
        Comparison::Greater => ">",
        Comparison::AtLeast => ">=",
    };
    let key = Value::Text(key.to_owned());
    let of_type = having(&format!(" AND kind IN {kinds}"));
    let compared = having(&format!(" AND kind IN {kinds} AND {column} {sign} ?"));
    match comparison {
        Comparison::Unequal => {
            values.extend([key.clone(), key, value]);
            format!("{of_type} AND NOT {compared}")
        }
        _ => {
            values.extend([key, value]);
            compared
        }
    }
}

/// Whether a file lies in one of these places.
fn lies_in(places: &[PathFilter], values: &mut Vec<Value>) -> String {
    let mut parts = Vec::new();
    for place in places {
        match place {
            PathFilter::Glob(pattern) => {
                parts.push("source.path GLOB ?");
                values.push(Value::Text(pattern.clone()));
            }
            PathFilter::Under(path) => {
                let folder = path.trim_end_matches(MAIN_SEPARATOR);
                parts.push("source.path = ? OR substr(source.path, 1, ?) = ?");
                let prefix = format!("{folder}{MAIN_SEPARATOR}");
                let characters = prefix.chars().count() as i64;
                values.extend([Value::Text(folder.to_owned()), Value::Integer(characters), Value::Text(prefix)]);
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
