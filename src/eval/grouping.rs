//! How well fingerprints group the lines of logs: what was printed by one statement belongs together, and nothing else.
//!
//! Grouping accuracy is that of Zhu et al., "Tools and Benchmarks for Automated Log Parsing", 2019: the share of lines
//! whose group holds exactly the lines of their template. It is strict: one line too many or too few, and the whole
//! group counts as wrong. The pairwise figures say how many pairs of lines are rightly together.

use crate::error::{Diagnose, ErrorKind};
use crate::text::{fingerprint, mask};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::time::{Duration, Instant};

/// A line of a log and the statement that printed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledLine {
    /// Whose log it is from.
    pub system: String,
    /// The statement.
    pub template: String,
    /// The line without its header.
    pub content: String,
}

/// A table that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TableError {
    /// The first row does not name a column that is needed.
    #[error("{file}: the first row names no column {column}")]
    Column {
        /// The file.
        file: String,
        /// The missing column.
        column: &'static str,
    },
    /// A row has fewer fields than the first.
    #[error("{file}, line {line}: too few fields")]
    Short {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
    },
}

impl Diagnose for TableError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Damaged
    }
}

/// Reads a table of tab-separated values with the columns `system`, `template` and `content` among others. A field may
/// stand in double quotes, with those inside doubled; no field holds a tab or the end of a line.
///
/// # Errors
/// [`TableError`] when a column or a field is missing.
pub fn parse_lines(file: &str, text: &str) -> Result<Vec<LabelledLine>, TableError> {
    let mut rows = text.lines().enumerate().filter(|(_, row)| !row.is_empty());
    let names: Vec<String> = rows.next().map_or("", |(_, row)| row).split('\t').map(field).collect();
    let column = |column: &'static str| {
        let missing = || TableError::Column { file: file.to_owned(), column };
        names.iter().position(|name| name == column).ok_or_else(missing)
    };
    let (system, template, content) = (column("system")?, column("template")?, column("content")?);
    rows.map(|(at, row)| {
        let fields: Vec<&str> = row.split('\t').collect();
        let get = |column: usize| {
            let short = || TableError::Short { file: file.to_owned(), line: at + 1 };
            fields.get(column).map(|raw| field(raw)).ok_or_else(short)
        };
        Ok(LabelledLine { system: get(system)?, template: get(template)?, content: get(content)? })
    })
    .collect()
}

fn field(raw: &str) -> String {
    match raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) {
        Some(quoted) => quoted.replace("\"\"", "\""),
        None => raw.to_owned(),
    }
}

/// How two groupings of the same lines agree. All shares are in \[0, 1\], more is better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Grouping {
    /// Lines.
    pub lines: usize,
    /// Templates among them.
    pub templates: usize,
    /// Groups found.
    pub groups: usize,
    /// Share of lines whose group holds exactly the lines of their template.
    pub grouping_accuracy: f64,
    /// Of pairs in one group, the share with one template; 1 without pairs.
    pub precision: f64,
    /// Of pairs with one template, the share in one group; 1 without pairs.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f1: f64,
}

/// Compares the groups of lines with their templates, both given line by line.
pub fn grouping<T: Hash + Eq + Copy, G: Hash + Eq + Copy>(templates: &[T], groups: &[G]) -> Grouping {
    let (of_template, of_group) = (counts(templates.iter().copied()), counts(groups.iter().copied()));
    let both = counts(templates.iter().copied().zip(groups.iter().copied()));
    let exact = |&(&(template, group), &n): &(&(T, G), &usize)| of_template[&template] == n && of_group[&group] == n;
    let right: usize = both.iter().filter(exact).map(|(_, n)| n).sum();
    let share = |part: usize, all: usize| if all == 0 { 1.0 } else { part as f64 / all as f64 };
    let precision = share(pairs(&both), pairs(&of_group));
    let recall = share(pairs(&both), pairs(&of_template));
    let f1 = if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
    Grouping {
        lines: templates.len(),
        templates: of_template.len(),
        groups: of_group.len(),
        grouping_accuracy: share(right, templates.len()),
        precision,
        recall,
        f1,
    }
}

fn counts<T: Hash + Eq>(items: impl Iterator<Item = T>) -> HashMap<T, usize> {
    let mut out = HashMap::new();
    items.for_each(|item| *out.entry(item).or_default() += 1);
    out
}

/// Pairs within each of the groups.
fn pairs<T>(counts: &HashMap<T, usize>) -> usize {
    counts.values().map(|n| n * (n - 1) / 2).sum()
}

/// What fingerprints make of the lines of some systems.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SystemGrouping {
    /// Whose log it is.
    pub system: String,
    /// How its groups agree with the templates.
    #[serde(flatten)]
    pub grouping: Grouping,
    /// Lines masked and hashed in a second, on the one thread that did it.
    pub lines_per_s: f64,
}

/// Groups lines by the fingerprint of their masked text, each system by itself, in order of the systems' names.
pub fn group_lines(lines: &[LabelledLine]) -> Vec<SystemGrouping> {
    // What is compiled at first use counts with no system.
    fingerprint(&mask(""));
    let mut systems: BTreeMap<&str, Vec<&LabelledLine>> = BTreeMap::new();
    lines.iter().for_each(|line| systems.entry(&line.system).or_default().push(line));
    let measured = systems.into_iter().map(|(system, lines)| {
        let start = Instant::now();
        let groups: Vec<String> = lines.iter().map(|line| fingerprint(&mask(&line.content))).collect();
        let took = start.elapsed().max(Duration::from_nanos(1));
        let templates: Vec<&str> = lines.iter().map(|line| line.template.as_str()).collect();
        let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
        let lines_per_s = lines.len() as f64 / took.as_secs_f64();
        SystemGrouping { system: system.to_owned(), grouping: grouping(&templates, &groups), lines_per_s }
    });
    measured.collect()
}

/// The mean of the shares over systems, each counting the same; lines, templates and groups are summed up, and the
/// speed is that over all lines.
pub fn mean_grouping(systems: &[SystemGrouping]) -> SystemGrouping {
    let mean = |share: &dyn Fn(&Grouping) -> f64| {
        systems.iter().map(|one| share(&one.grouping)).sum::<f64>() / systems.len().max(1) as f64
    };
    let sum = |count: &dyn Fn(&Grouping) -> usize| systems.iter().map(|one| count(&one.grouping)).sum::<usize>();
    let seconds: f64 = systems.iter().map(|one| one.grouping.lines as f64 / one.lines_per_s).sum();
    let grouping = Grouping {
        lines: sum(&|g| g.lines),
        templates: sum(&|g| g.templates),
        groups: sum(&|g| g.groups),
        grouping_accuracy: mean(&|g| g.grouping_accuracy),
        precision: mean(&|g| g.precision),
        recall: mean(&|g| g.recall),
        f1: mean(&|g| g.f1),
    };
    let lines_per_s = if seconds > 0.0 { grouping.lines as f64 / seconds } else { 0.0 };
    SystemGrouping { system: "average".to_owned(), grouping, lines_per_s }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // A is one group, B is torn apart, C and D are thrown together.
        let templates = ["A", "A", "A", "B", "B", "B", "C", "D", "D"];
        let groups = [1, 1, 1, 2, 2, 3, 4, 4, 4];
        let found = grouping(&templates, &groups);
        assert_eq!((found.lines, found.templates, found.groups), (9, 4, 4));
        assert_eq!(found.grouping_accuracy, 3.0 / 9.0);
        // Together and rightly: 3 of A, 1 of B, 1 of D. Together: 3 + 1 + 0 + 3. Of one template: 3 + 3 + 0 + 1.
        assert_eq!((found.precision, found.recall), (5.0 / 7.0, 5.0 / 7.0));
        assert!((found.f1 - 5.0 / 7.0).abs() < 1e-12);
    }

    #[test]
    fn the_ends_of_the_scale() {
        let same = grouping(&["A", "A", "B"], &[7, 7, 8]);
        assert_eq!((same.grouping_accuracy, same.precision, same.recall, same.f1), (1.0, 1.0, 1.0, 1.0));
        let apart = grouping(&["A", "A"], &[1, 2]);
        assert_eq!((apart.grouping_accuracy, apart.precision, apart.recall, apart.f1), (0.0, 1.0, 0.0, 0.0));
        let together = grouping(&["A", "B"], &[1, 1]);
        assert_eq!(
            (together.grouping_accuracy, together.precision, together.recall, together.f1),
            (0.0, 0.0, 1.0, 0.0)
        );
        assert_eq!(grouping::<u8, u8>(&[], &[]).grouping_accuracy, 1.0);
    }

    #[test]
    fn tables_are_read_by_their_columns() {
        let text =
            "content\tevent\tsystem\ttemplate\n\"say \"\"a\"\"\"\tE1\tX\tsay <*>\n\nplain \"b\"\tE2\tX\tplain <*>\n";
        let lines = parse_lines("t", text).unwrap();
        let told: Vec<_> = lines.iter().map(|l| (l.system.as_str(), l.template.as_str(), l.content.as_str())).collect();
        assert_eq!(told, [("X", "say <*>", "say \"a\""), ("X", "plain <*>", "plain \"b\"")]);
        let missing = parse_lines("t", "system\tcontent\n").unwrap_err();
        assert_eq!(missing, TableError::Column { file: "t".to_owned(), column: "template" });
        let short = parse_lines("t", "system\ttemplate\tcontent\n\nX\tY\n").unwrap_err();
        assert_eq!(short, TableError::Short { file: "t".to_owned(), line: 3 });
    }

    #[test]
    fn systems_count_the_same() {
        let line = |system: &str, template: &str, content: &str| LabelledLine {
            system: system.to_owned(),
            template: template.to_owned(),
            content: content.to_owned(),
        };
        let lines = [
            line("b", "got <*> apples", "got 3 apples"),
            line("b", "got <*> apples", "got 12 apples"),
            line("a", "<*> left", "ann left"),
            line("a", "<*> left", "bob left"),
            line("a", "stop", "stop"),
        ];
        let systems = group_lines(&lines);
        let told: Vec<_> = systems.iter().map(|s| (s.system.as_str(), s.grouping.groups)).collect();
        assert_eq!(told, [("a", 3), ("b", 1)]);
        let mean = mean_grouping(&systems).grouping;
        assert_eq!((mean.lines, mean.templates, mean.groups), (5, 3, 4));
        assert!((mean.grouping_accuracy - (1.0 / 3.0 + 1.0) / 2.0).abs() < 1e-12);
    }
}
