//! A plan as text that Mermaid and Graphviz draw. Names are data of strangers: they stand in quotes, and what would end
//! a quote or begin a tag is replaced.

use super::{Because, Plan};
use crate::screen::line;

/// Longest name in a picture, in characters.
const NAME: usize = 80;

fn quoted(name: &str) -> String {
    let plain = |letter: char| match letter {
        '"' | '`' => '\'',
        '<' => '(',
        '>' => ')',
        '\\' | '#' | ';' | '&' => '_',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    line(name).chars().take(NAME).map(plain).collect()
}

fn label(because: &Because) -> String {
    match because {
        Because::Field { name } | Because::Reference { name } => quoted(name),
        Because::Order { times, of } => format!("{times} of {of}"),
        Because::Verbs => String::new(),
    }
}

/// Tools of a plan, each with a number.
fn numbered(plan: &Plan) -> Vec<&str> {
    plan.levels.iter().flatten().map(String::as_str).collect()
}

fn edges<'p>(plan: &'p Plan, tools: &'p [&str]) -> impl Iterator<Item = (usize, usize, String)> + 'p {
    let place = |key: &str| tools.iter().position(|tool| *tool == key);
    plan.edges.iter().filter_map(move |edge| Some((place(&edge.from)?, place(&edge.to)?, label(&edge.because))))
}

/// Mermaid's flow chart.
pub fn mermaid(plan: &Plan) -> String {
    let tools = numbered(plan);
    let mut out = String::from("flowchart LR\n");
    tools.iter().enumerate().for_each(|(at, tool)| out.push_str(&format!("  t{at}[\"{}\"]\n", quoted(tool))));
    for (from, to, label) in edges(plan, &tools) {
        let says = if label.is_empty() { String::new() } else { format!("|\"{label}\"|") };
        out.push_str(&format!("  t{from} -->{says} t{to}\n"));
    }
    out
}

/// Graphviz's language.
pub fn dot(plan: &Plan) -> String {
    let tools = numbered(plan);
    let mut out = String::from("digraph plan {\n  rankdir=LR;\n  node [shape=box];\n");
    tools.iter().enumerate().for_each(|(at, tool)| out.push_str(&format!("  t{at} [label=\"{}\"];\n", quoted(tool))));
    for (from, to, label) in edges(plan, &tools) {
        let says = if label.is_empty() { String::new() } else { format!(" [label=\"{label}\"]") };
        out.push_str(&format!("  t{from} -> t{to}{says};\n"));
    }
    out.push_str("}\n");
    out
}
