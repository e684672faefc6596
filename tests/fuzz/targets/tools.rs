//! What documents and programs say of tools.

use crate::fuzz::{Target, about, outcome, sort_of};
use kenning::tools::{MOST_TOOLS, NoTools, read_help, read_tools};
use kenning::types::Tool;

pub const LIST: Target = Target {
    name: "tool-list",
    seeds: Vec::new,
    words: &[
        "{\"tools\":[",
        "{\"name\":\"",
        "\"description\":\"",
        "\"inputSchema\":{\"properties\":{",
        "\"required\":[",
        "\"function\":{",
        "\"openapi\":\"3.1.0\"",
        "\"paths\":{\"/a\":{\"get\":{",
        "{\"$ref\":\"#/paths/~1a\"}",
        "\"parameters\":[",
        "\"responses\":{\"200\":{\"content\":{\"application/json\":{\"schema\":{",
        "\\u0000",
        "[",
        "}",
    ],
    longest: 64 << 10,
    reader: |_| Box::new(|input| told(read_tools(&String::from_utf8_lossy(input), "s"))),
};

pub const HELP: Target = Target {
    name: "help-text",
    seeds: Vec::new,
    words: &[
        "Usage: oven ",
        "usage:\n",
        "  or:  oven ",
        "Commands:\n",
        "OPTIONS\n",
        "Examples:\n",
        "  loaf  Bake\n",
        "  a, b, c,\n",
        "  -q, --quiet  Say less\n",
        "  --[no-]x[=<y>]\n",
        "[-x <y>] ",
        "<file>...",
        " | ",
        "\t",
        "\u{8}",
        "\u{1b}[1m",
        "\r",
        "  ",
    ],
    longest: 64 << 10,
    reader: |_| Box::new(|input| told(read_help(&String::from_utf8_lossy(input), "oven", "s"))),
};

/// What was read holds its bounds, and every tool has a name.
fn told(read: Result<Vec<Tool>, NoTools>) -> u64 {
    match read {
        Ok(tools) => {
            assert!((1..=MOST_TOOLS).contains(&tools.len()));
            assert!(tools.iter().all(|tool| !tool.name.trim().is_empty() && tool.parameters.len() <= 200));
            let fields: usize = tools.iter().map(|tool| tool.parameters.len()).sum();
            outcome((about(tools.len()), about(fields), tools.iter().any(|tool| !tool.results.is_empty())))
        }
        Err(error) => sort_of(&error),
    }
}
