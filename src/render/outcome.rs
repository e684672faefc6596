//! Outcomes of tools as text.

use super::wrap::wrap;
use super::{Style, line};
use crate::types::{ErrorCount, ToolOutcome};

/// The indent of everything below a heading.
const INDENT: &str = "       ";
/// What is shown of an error or an input, in characters.
const SHOWN_CHARS: usize = 200;

/// Failures by how often they were met, each with what overcame it if that is known.
pub fn failures_text<'a>(
    failures: impl IntoIterator<Item = (&'a ErrorCount, Option<&'a str>)>,
    now_ms: i64,
    style: Style,
    width: usize,
) -> String {
    let mut out = String::new();
    for (failure, overcome) in failures {
        let count = failure.count;
        let sessions = if failure.sessions == 1 { "session" } else { "sessions" };
        let what = what(&failure.tool, &failure.head);
        let about = format!("{} {sessions}, last {}", failure.sessions, ago(failure.last_at, now_ms));
        out.push_str(&format!("{count:5}  {what}  {}\n", style.faint(&about)));
        let told = told_line(&failure.example);
        if !told.is_empty() {
            out.push_str(&wrap(&told, INDENT, INDENT, width));
        }
        if let Some(overcome) = overcome {
            out.push_str(&wrap(&format!("overcome by: {}", line(overcome)), INDENT, INDENT, width));
        }
    }
    out
}

/// Runs, the last first.
pub fn outcomes_text(outcomes: &[ToolOutcome], now_ms: i64, style: Style, width: usize) -> String {
    let mut out = String::new();
    for run in outcomes {
        let ended = match (run.is_ok, run.exit_code) {
            (true, _) => "ok".to_owned(),
            (false, Some(code)) => format!("failed, exit code {code}"),
            (false, None) => "failed".to_owned(),
        };
        let took = run.duration_ms.map_or_else(String::new, |ms| format!(", {ms} ms"));
        let about = format!("{}{took}  {} {}", ago(run.at, now_ms), line(&run.session), run.sequence);
        out.push_str(&format!("{}: {ended}  {}\n", line(&run.tool), style.faint(&about)));
        for text in [told_line(&run.input), told_line(&run.error)].iter().filter(|text| !text.is_empty()) {
            out.push_str(&wrap(text, INDENT, INDENT, width));
        }
    }
    out
}

fn what(tool: &str, head: &str) -> String {
    match head {
        "" => line(tool).into_owned(),
        head => format!("{}: {}", line(tool), line(head)),
    }
}

/// The first line of a text that says anything.
fn told_line(text: &str) -> String {
    let told = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let told = line(told.trim()).into_owned();
    super::cut(&told, SHOWN_CHARS).to_string()
}

fn ago(at_ms: i64, now_ms: i64) -> String {
    let minutes = now_ms.saturating_sub(at_ms).max(0) / 60_000;
    let (count, unit) = match minutes {
        0 => return "just now".to_owned(),
        1..60 => (minutes, "minute"),
        60..1440 => (minutes / 60, "hour"),
        _ => (minutes / 1440, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_words() {
        let now = 10_000_000_000;
        for (before, told) in [(0, "just now"), (60_000, "1 minute ago"), (7_200_000, "2 hours ago"), (-5, "just now")]
        {
            assert_eq!(ago(now - before, now), told);
        }
        assert_eq!(ago(now - 3 * 86_400_000, now), "3 days ago");
    }
}
