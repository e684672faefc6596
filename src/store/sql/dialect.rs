//! Where the two dialects differ.

use super::SqlValue;

/// A form of SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite's.
    Sqlite,
    /// PostgreSQL's.
    Postgres,
}

impl Dialect {
    /// Whether the text of a column is matched by a pattern of `*`, `?` and `[...]`, with the pattern's value.
    pub fn glob(self, column: &str, pattern: &str) -> (String, SqlValue<'static>) {
        match self {
            Self::Sqlite => (format!("{column} GLOB ?"), pattern.to_owned().into()),
            Self::Postgres => (format!("{column} ~ ?"), expression(pattern).into()),
        }
    }

    /// Whether an item has a tag, which is the next value in lower case.
    pub const fn has_tag(self) -> &'static str {
        match self {
            Self::Sqlite => "EXISTS (SELECT 1 FROM json_each(item.attributes, '$.tags') WHERE lower(value) = ?)",
            Self::Postgres => "? = ANY (kenning.tags(item.attributes))",
        }
    }

    /// Whose software an item is of, in lower case.
    pub const fn provider(self) -> &'static str {
        match self {
            Self::Sqlite => "lower(item.attributes ->> '$.provider')",
            Self::Postgres => "lower((kenning.marked(item.attributes) ->> 'provider') COLLATE \"C\")",
        }
    }

    /// Whether a text of `attribute` is the next value; PostgreSQL's index holds the beginnings of texts, for long ones
    /// have no room in it.
    pub fn is_attribute_text(self, value: &str) -> (&'static str, Vec<SqlValue<'static>>) {
        match self {
            Self::Sqlite => ("text = ?", vec![value.to_owned().into()]),
            Self::Postgres => {
                ("left(text, 200) = left(?, 200) AND text = ?", vec![value.to_owned().into(), value.to_owned().into()])
            }
        }
    }

    /// Whether a list of texts, as JSON in the column `tools`, holds `?2`.
    pub const fn has_tool(self) -> &'static str {
        match self {
            Self::Sqlite => "EXISTS (SELECT 1 FROM json_each(tools) WHERE value = ?2)",
            Self::Postgres => "?2 = ANY (kenning.listed(kenning.marked(tools)))",
        }
    }

    /// Where `?1` stands in the text of the column `data`; 0 if nowhere.
    pub const fn place_in_data(self) -> &'static str {
        match self {
            Self::Sqlite => "instr(data, ?1)",
            Self::Postgres => "strpos(data, ?1)",
        }
    }

    /// The error of the newest row of a group of `tool_outcome`.
    pub const fn last_error(self) -> &'static str {
        match self {
            // A bare column beside max() is of the row that has the greatest value.
            Self::Sqlite => "error",
            Self::Postgres => "(array_agg(error ORDER BY at DESC, session DESC, sequence DESC))[1]",
        }
    }

    /// Whether a column of JSON has a value of this key.
    pub fn has_key(self, column: &str, key: &str) -> String {
        match self {
            Self::Sqlite => format!("{column} ->> '$.{key}' IS NOT NULL"),
            Self::Postgres => format!("kenning.marked({column}) ->> '{key}' IS NOT NULL"),
        }
    }

    /// Sixteen bytes drawn at random.
    pub const fn random_salt(self) -> &'static str {
        match self {
            Self::Sqlite => "SELECT randomblob(16)",
            Self::Postgres => {
                "SELECT substr(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 1, 16)"
            }
        }
    }

    /// The function that gives the greatest of its values.
    pub const fn greatest(self) -> &'static str {
        match self {
            Self::Sqlite => "max",
            Self::Postgres => "greatest",
        }
    }

    /// The function that gives the least of its values.
    pub const fn least(self) -> &'static str {
        match self {
            Self::Sqlite => "min",
            Self::Postgres => "least",
        }
    }

    /// Reads rows in their order, by no index.
    pub const fn not_indexed(self) -> &'static str {
        match self {
            Self::Sqlite => "NOT INDEXED",
            Self::Postgres => "",
        }
    }
}

/// A pattern of `*`, `?` and `[...]` as a regular expression of PostgreSQL's, for texts as they are stored there.
fn expression(pattern: &str) -> String {
    let mut out = String::from("^");
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '*' => out.push_str(".*"),
            // A character that is stored with a mark is two there.
            '?' => out.push_str("(\\u0001[01]|[^\\u0001])"),
            '[' => class(&mut rest, &mut out),
            c => literal(c, &mut out),
        }
    }
    out.push('$');
    out
}

/// A class of characters; the first `]` in it is one of them.
fn class(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) {
    out.push('[');
    if rest.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut is_first = true;
    for c in rest.by_ref() {
        match c {
            ']' if !is_first => break,
            '-' => out.push('-'),
            c => literal(c, out),
        }
        is_first = false;
    }
    out.push(']');
}

/// A character that stands for itself.
fn literal(c: char, out: &mut String) {
    match c {
        '\0' => out.push_str("\\u00010"),
        '\u{1}' => out.push_str("\\u00011"),
        c if c.is_ascii_punctuation() => out.extend(['\\', c]),
        c => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_becomes_an_expression() {
        assert_eq!(expression("*.md"), "^.*\\.md$");
        assert_eq!(expression("a]b"), "^a\\]b$");
        assert_eq!(expression("[]x][^]y][a-c]"), "^[\\]x][^\\]y][a-c]$");
        assert_eq!(expression("[[]{}\\"), "^[\\[]\\{\\}\\\\$");
    }
}
