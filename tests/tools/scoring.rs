//! docs/scoring.md names every constant with its value; the code has the same.

use kenning::tools::discover::{
    CHOSEN, EXPANSIONS, GRAPH_WEIGHTS, IN_CLAUSES, LEAST_PAST, MEANING, MOST_CHOSEN, NAMES, NEEDED, PAST_SMOOTHING,
    SHARPNESS, TEXT_WEIGHTS, WORDS,
};
use kenning::tools::graph::{DAMPING, PSEUDO_COUNTS};
use kenning::tools::learn::{
    DEVIATION, FIRST_STEP, LAST_STEP, LEAST_SUCCESS, LEAST_USES, MOST_TOGETHER, RANGE, SETTLING, SILENT, START, TARGET,
    TASK_GAP_MS, WINDOW,
};
use kenning::tools::plan::{FIELD_AND_TYPE, FIELD_NAME, LEAST_ORDER, REFERENCE, VERB_ORDER};
use std::collections::BTreeMap;

fn list(values: &[f64]) -> String {
    values.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_document_has_the_constants_of_the_code() {
    let document = include_str!("../../docs/scoring.md");
    let rows = document.lines().filter_map(|row| {
        let mut cells = row.strip_prefix("| `")?.split('|');
        let name = cells.next()?.trim().trim_end_matches('`').to_owned();
        Some((name, (cells.next()?.trim().to_owned(), cells.next()?.trim().to_owned())))
    });
    let rows: BTreeMap<String, (String, String)> = rows.collect();
    let expansions = EXPANSIONS.map(|(below, times)| format!("{below}: {times}")).join(", ");
    let wanted = [
        ("MEANING", MEANING.to_string()),
        ("WORDS", WORDS.to_string()),
        ("NAMES", NAMES.to_string()),
        ("NEEDED", NEEDED.to_string()),
        ("IN_CLAUSES", IN_CLAUSES.to_string()),
        ("PAST_SMOOTHING", PAST_SMOOTHING.to_string()),
        ("CHOSEN", CHOSEN.to_string()),
        ("MOST_CHOSEN", MOST_CHOSEN.to_string()),
        ("EXPANSIONS", expansions),
        ("PSEUDO_COUNTS", list(&PSEUDO_COUNTS)),
        ("SHARPNESS", list(&SHARPNESS)),
        ("TEXT_WEIGHTS", list(&TEXT_WEIGHTS)),
        ("GRAPH_WEIGHTS", list(&GRAPH_WEIGHTS)),
        ("DAMPING", DAMPING.to_string()),
        ("FIELD_AND_TYPE", FIELD_AND_TYPE.to_string()),
        ("FIELD_NAME", FIELD_NAME.to_string()),
        ("REFERENCE", REFERENCE.to_string()),
        ("VERB_ORDER", VERB_ORDER.to_string()),
        ("LEAST_ORDER", format!("{LEAST_ORDER:.3}")),
        ("LEAST_PAST", LEAST_PAST.to_string()),
        ("START", START.to_string()),
        ("TARGET", TARGET.to_string()),
        ("WINDOW", WINDOW.to_string()),
        ("FIRST_STEP", FIRST_STEP.to_string()),
        ("LAST_STEP", LAST_STEP.to_string()),
        ("SETTLING", SETTLING.to_string()),
        ("DEVIATION", DEVIATION.to_string()),
        ("RANGE", list(&[RANGE.0, RANGE.1])),
        ("SILENT", SILENT.to_string()),
        ("TASK_GAP_MS", TASK_GAP_MS.to_string()),
        ("MOST_TOGETHER", MOST_TOGETHER.to_string()),
        ("LEAST_USES", LEAST_USES.to_string()),
        ("LEAST_SUCCESS", LEAST_SUCCESS.to_string()),
    ];
    for (name, value) in &wanted {
        let (told, from) = rows.get(*name).unwrap_or_else(|| panic!("{name} is not in docs/scoring.md"));
        assert_eq!(told, value, "{name}");
        assert!(from.len() > 20, "{name}: where does it come from?");
    }
    let unknown: Vec<&String> = rows.keys().filter(|name| !wanted.iter().any(|(known, _)| known == name)).collect();
    assert!(unknown.is_empty(), "not in the code: {unknown:?}");
}
