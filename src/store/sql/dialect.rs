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
    /// Whether a store that speaks it is used by several machines.
    pub const fn is_shared(self) -> bool {
        matches!(self, Self::Postgres)
    }

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

/// Any character; one that is stored with a mark is two there.
const ONE: &str = "(?:\\u0001[01]|[^\\u0001])";

/// What no text matches.
const NEVER: &str = "$.";

/// A pattern of `*`, `?` and `[...]` as a regular expression of PostgreSQL's, for texts as they are stored there. It
/// matches what SQLite's GLOB does.
fn expression(pattern: &str) -> String {
    let mut out = String::from("^");
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            // What follows must not match the second half of a character that is stored with a mark.
            '*' if rest.peek().is_some_and(|next| "*?[01".contains(*next)) => out.push_str(&format!("{ONE}*")),
            '*' => out.push_str(".*"),
            '?' => out.push_str(ONE),
            '[' => match Class::read(&mut rest) {
                Some(class) => class.write(&mut out),
                None => return NEVER.to_owned(),
            },
            c => literal(c, &mut out),
        }
    }
    out.push('$');
    out
}

/// A class of characters.
struct Class {
    /// Whether it stands for all other characters.
    is_negated: bool,
    /// First and last characters.
    ranges: Vec<(char, char)>,
}

impl Class {
    /// Reads one to its end as GLOB does; `None` if it has none. The first `]` is one of its characters. A `-` is one
    /// too at the beginning, at the end and behind a range. A range that runs backwards is its first character alone.
    fn read(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Self> {
        let is_negated = rest.next_if_eq(&'^').is_some();
        let mut ranges: Vec<_> = rest.next_if_eq(&']').map(|c| (c, c)).into_iter().collect();
        // What a range could begin with.
        let mut before = None;
        loop {
            let c = rest.next()?;
            if c == ']' {
                return Some(Self { is_negated, ranges });
            }
            let is_range = c == '-' && rest.peek().is_some_and(|next| *next != ']');
            if let Some(first) = before.take().filter(|_| is_range) {
                ranges.push((first, rest.next()?));
            } else {
                ranges.push((c, c));
                before = Some(c);
            }
        }
    }

    /// Characters that are stored with a mark are two there, so no range holds them.
    fn write(&self, out: &mut String) {
        let mut bracket = String::new();
        for (first, last) in self.ranges.iter().filter(|(first, last)| first <= last && *last > '\u{1}') {
            literal((*first).max('\u{2}'), &mut bracket);
            if first < last {
                bracket.push('-');
                literal(*last, &mut bracket);
            }
        }
        let holds = |c: char| self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&c));
        let marked = [('\0', '0'), ('\u{1}', '1')].into_iter().filter(|(c, _)| holds(*c) != self.is_negated);
        let marks: String = marked.map(|(_, mark)| mark).collect();
        let single = match (self.is_negated, bracket.is_empty()) {
            (true, _) => Some(format!("[^\\u0001{bracket}]")),
            (false, false) => Some(format!("[{bracket}]")),
            (false, true) => None,
        };
        let double = (!marks.is_empty()).then(|| format!("\\u0001[{marks}]"));
        let either: Vec<String> = single.into_iter().chain(double).collect();
        out.push_str(&format!("(?:{})", either.join("|")));
    }
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
        assert_eq!(expression("[]x][a-c-e]"), "^(?:[\\]x])(?:[aa-c\\-e])$");
        assert_eq!(expression("[^]y]"), "^(?:[^\\u0001\\]y]|\\u0001[01])$");
        assert_eq!(expression("[[]{}\\"), "^(?:[\\[])\\{\\}\\\\$");
        assert_eq!(expression("a[b-"), NEVER);
    }
}
