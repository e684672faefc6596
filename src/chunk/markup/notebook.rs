//! Jupyter notebooks to what a person reads of one: the Markdown cells as they stand, and the code cells as listings.
//!
//! A notebook is JSON (nbformat 3 and 4). Its outputs, pictures and raw cells are left out. Each line of the reading
//! knows which line of the file it comes from.

use super::{Page, markdown};
use crate::chunk::Lines;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

#[derive(Deserialize)]
struct Notebook<'t> {
    #[serde(borrow)]
    cells: Option<Vec<Cell<'t>>>,
    /// Where the cells are in format 3.
    #[serde(borrow)]
    worksheets: Option<Vec<Worksheet<'t>>>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Worksheet<'t> {
    #[serde(borrow, default)]
    cells: Vec<Cell<'t>>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    language_info: Named,
}

#[derive(Default, Deserialize)]
struct Named {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct Cell<'t> {
    #[serde(borrow)]
    cell_type: Cow<'t, str>,
    /// What is written in the cell: a list of lines, or one string. In format 3 the field is called `input` if the cell
    /// holds code.
    #[serde(borrow, alias = "input")]
    source: Option<&'t RawValue>,
    /// The level of a heading in format 3, from 1.
    level: Option<u8>,
}

/// Reads a notebook. `None` if it is none.
pub(in crate::chunk) fn notebook(text: &str) -> Option<Page> {
    let notebook: Notebook<'_> = serde_json::from_str(text).ok()?;
    // One of the two, so that cells are met in the order of the file.
    let cells = match (notebook.cells, notebook.worksheets) {
        (Some(cells), _) => cells,
        (None, Some(sheets)) => sheets.into_iter().flat_map(|sheet| sheet.cells).collect(),
        (None, None) => return None,
    };
    let mut writer = Writer { page: Page::default(), source: Lines::new(text, 1), whole: text, last: 1 };
    for cell in cells {
        let Some(source) = cell.source else { continue };
        let parts = serde_json::from_str(source.get()).unwrap_or_else(|_| vec![source]);
        match cell.cell_type.as_ref() {
            "markdown" => writer.cell(&parts, &Shape::Prose { level: 0 }),
            "heading" => writer.cell(&parts, &Shape::Prose { level: cell.level.unwrap_or(1).min(6) }),
            "code" => writer.cell(&parts, &Shape::Code { language: &notebook.metadata.language_info.name }),
            _ => {}
        }
    }
    let mut page = writer.page;
    page.blocks = markdown(&page.text);
    Some(page)
}

/// How a cell is written down.
enum Shape<'t> {
    /// As it stands; a heading of this level if it is not 0.
    Prose { level: u8 },
    /// As a listing.
    Code { language: &'t str },
}

struct Writer<'t> {
    page: Page,
    source: Lines<'t>,
    whole: &'t str,
    /// The line of the file that was written last.
    last: u32,
}

impl Writer<'_> {
    /// Writes a cell down.
    fn cell(&mut self, parts: &[&RawValue], shape: &Shape<'_>) {
        let mut lines: Vec<(u32, String)> = Vec::new();
        let mut ended = true;
        for part in parts {
            let at = part.get().as_ptr() as usize - self.whole.as_ptr() as usize;
            let number = u32::try_from(self.source.of(at)).unwrap_or(u32::MAX);
            // What is no string is nothing that a cell can hold.
            let said: String = serde_json::from_str(part.get()).unwrap_or_default();
            for line in said.split_inclusive('\n') {
                let text = line.trim_end_matches(['\n', '\r']);
                match lines.last_mut().filter(|_| !ended) {
                    Some((_, open)) => open.push_str(text),
                    None => lines.push((number, text.to_owned())),
                }
                ended = line.ends_with('\n');
            }
        }
        if lines.iter().all(|(_, line)| line.trim().is_empty()) {
            return;
        }
        if !self.page.text.is_empty() {
            self.line(self.last, "");
        }
        let language = match shape {
            Shape::Code { language } => language,
            Shape::Prose { level } => {
                if let Some((_, line)) = lines.first_mut().filter(|_| *level > 0) {
                    line.insert_str(0, &format!("{} ", "#".repeat(usize::from(*level))));
                }
                lines.iter().for_each(|(number, line)| self.line(*number, &without_data(line)));
                return;
            }
        };
        let ticks = lines.iter().map(|(_, line)| line.chars().take_while(|c| *c == '`').count()).max().unwrap_or(0);
        let fence = "`".repeat(3.max(ticks + 1));
        let first = lines.first().map_or(self.last, |(number, _)| *number);
        self.line(first, &format!("{fence}{language}"));
        lines.iter().for_each(|(number, line)| self.line(*number, line));
        self.line(self.last, &fence);
    }

    fn line(&mut self, number: u32, text: &str) {
        self.page.lines.push(number);
        self.last = number;
        self.page.text.push_str(text);
        self.page.text.push('\n');
    }
}

/// A line without the bytes of pictures that stand in it (`![](data:image/png;base64,...)`).
fn without_data(line: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(line.len()), line);
    while let Some((before, data)) = rest.split_once("(data:") {
        out.push_str(before);
        out.push_str("()");
        rest = data.split_once(')').map_or("", |(_, behind)| behind);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTEBOOK: &str = r###"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Sales\n",
    "\n",
    "How the table is read. ![](data:image/png;base64,AAAA) Twice."
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "outputs": [{"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}}],
   "source": [
    "import pandas\n",
    "pandas.read_csv(\"sales.csv\")"
   ]
  },
  {"cell_type": "raw", "source": "left out"},
  {"cell_type": "markdown", "source": "## Result\n\nIt is *good*."},
  {"cell_type": "code", "source": []}
 ],
 "metadata": {"language_info": {"name": "python"}},
 "nbformat": 4
}"###;

    #[test]
    fn a_notebook_is_read_as_its_author_sees_it() {
        let page = notebook(NOTEBOOK).unwrap();
        let expected = "# Sales\n\nHow the table is read. ![]() Twice.\n\n```python\nimport pandas\n\
                        pandas.read_csv(\"sales.csv\")\n```\n\n## Result\n\nIt is *good*.\n";
        assert_eq!(page.text, expected);
        assert_eq!(page.lines, [7, 8, 9, 9, 17, 17, 18, 18, 18, 22, 22, 22]);
        assert_eq!(page.lines.len(), page.text.lines().count());
    }

    #[test]
    fn a_listing_ends_where_its_cell_does() {
        let text = r#"{"cells": [{"cell_type": "code", "source": ["```\n", "````\n", "x"]}]}"#;
        assert_eq!(notebook(text).unwrap().text, "`````\n```\n````\nx\n`````\n");
    }

    #[test]
    fn what_is_hostile_is_read() {
        let both = r#"{"worksheets": [{"cells": [{"cell_type": "markdown", "source": "late"}]}],
            "cells": [{"cell_type": "markdown", "source": "now"}]}"#;
        assert_eq!(notebook(both).unwrap().text, "now\n");
        let pictures = "(data:)".repeat(200_000);
        let many = format!(r#"{{"cells": [{{"cell_type": "markdown", "source": "a{pictures}b"}}]}}"#);
        assert!(notebook(&many).unwrap().text.ends_with("()b\n"));
        let odd = notebook(r#"{"cells": [{"cell_type": "markdown", "source": [1, null, "a"]}]}"#).unwrap();
        assert_eq!(odd.text, "a\n");
    }

    #[test]
    fn what_is_no_notebook_is_said_to_be_none_and_old_ones_are_read() {
        for text in ["", "{}", "[1]", "{\"cells\": [{\"cell_type\": 1}]}", "# Notes\n"] {
            assert!(notebook(text).is_none(), "{text}");
        }
        let old = r#"{"worksheets": [{"cells": [{"cell_type": "heading", "level": 2, "source": "Old"},
            {"cell_type": "code", "input": ["x"], "language": "python"}]}]}"#;
        assert_eq!(notebook(old).unwrap().text, "## Old\n\n```\nx\n```\n");
    }
}
