//! Outcomes of tools as text.

use super::wrap::wrap;
use super::{Style, line};
use crate::types::{ErrorCount, ProblemPlace, ToolOutcome};

/// The indent of everything below a heading.
const INDENT: &str = "       ";
/// What is shown of an error or an input, in characters.
const SHOWN_CHARS: usize = 200;

/// Failures by how often they were met, each with the places that the tool named, and with what overcame it if that is
/// known.
pub fn failures_text<'a>(
    failures: impl IntoIterator<Item = (&'a ErrorCount, Option<&'a str>, &'a [ProblemPlace])>,
    now_ms: i64,
    style: Style,
    width: usize,
) -> String {
    let mut out = String::new();
    for (failure, overcome, places) in failures {
        let count = failure.count;
        let sessions = if failure.sessions == 1 { "session" } else { "sessions" };
        let what = what(&failure.tool, &failure.head);
        let about = format!("{} {sessions}, last {}", failure.sessions, ago(failure.last_at, now_ms));
        out.push_str(&format!("{count:5}  {what}  {}\n", style.faint(&about)));
        let told = told_line(&failure.example);
        if !told.is_empty() {
            out.push_str(&wrap(&told, INDENT, INDENT, width));
        }
        // The line above may say where it is.
        let places: Vec<String> = places.iter().map(place).filter(|place| !told.contains(place.as_str())).collect();
        if !places.is_empty() {
            out.push_str(&wrap(&format!("at: {}", places.join(", ")), INDENT, INDENT, width));
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

/// A pattern as it is shown.
#[derive(Debug, Clone, Copy)]
pub struct PatternRow<'a> {
    /// Its id.
    pub id: &'a str,
    /// What it is of.
    pub kind: &'a str,
    /// Where it stands.
    pub state: &'a str,
    /// What to do, in words.
    pub advice: &'a str,
    /// What failed: tool, and program or verb.
    pub action: (&'a str, &'a str),
    /// What was printed; empty where nothing failed.
    pub error: &'a str,
    /// How sure it is, in \[0, 1\].
    pub confidence: f64,
    /// Sessions in which it worked, and in which it did not.
    pub tried: (usize, usize),
    /// When it was met last, milliseconds since 1970.
    pub last_at: i64,
    /// The memory that was made of it.
    pub memory: Option<&'a str>,
    /// Runs that it rests on: session and number.
    pub evidence: &'a [(&'a str, u32)],
    /// Runs that speak against it.
    pub against: &'a [(&'a str, u32)],
}

impl PatternRow<'_> {
    /// How often it worked, and when last.
    fn record(&self, now_ms: i64) -> String {
        let (worked, failed) = self.tried;
        let all = worked + failed;
        let sessions = if all == 1 { "session" } else { "sessions" };
        let last = ago(self.last_at, now_ms);
        match self.kind {
            "recovery" => format!("worked in {worked} of {all} {sessions}, last {last}"),
            _ => format!("seen in {all} {sessions}, last {last}"),
        }
    }

    fn heading(&self, now_ms: i64, style: Style) -> String {
        let (tool, head) = self.action;
        let state = if self.state == "found" { String::new() } else { format!(", {}", line(self.state)) };
        let about = format!("{:.2} sure, {}{state}", self.confidence, self.record(now_ms));
        format!(
            "{}  {}  {}  {}\n",
            line(self.id),
            line(self.kind).replace('_', " "),
            what(tool, head),
            style.faint(&about)
        )
    }
}

/// Patterns, each with its failure and what to do about it.
pub fn patterns_text<'a>(
    patterns: impl IntoIterator<Item = PatternRow<'a>>,
    now_ms: i64,
    style: Style,
    width: usize,
) -> String {
    let mut out = String::new();
    for one in patterns {
        out.push_str(&one.heading(now_ms, style));
        let told = told_line(one.error);
        if !told.is_empty() {
            out.push_str(&wrap(&told, INDENT, INDENT, width));
        }
        out.push_str(&wrap(&format!("{}.", line(one.advice)), INDENT, INDENT, width));
    }
    out
}

/// A pattern with everything that it rests on.
pub fn pattern_text(one: &PatternRow<'_>, now_ms: i64, style: Style, width: usize) -> String {
    let mut out = one.heading(now_ms, style);
    let mut put = |what: &str, text: &str| {
        let name = format!("{what:<7}");
        out.push_str(&wrap(text, &name, INDENT, width));
    };
    let error = told_line(one.error);
    if !error.is_empty() {
        put("error", &error);
    }
    put("do", &format!("{}.", line(one.advice)));
    let runs = |all: &[(&str, u32)]| {
        all.iter().map(|(session, number)| format!("{} {number}", line(session))).collect::<Vec<_>>().join(", ")
    };
    if !one.evidence.is_empty() {
        put("runs", &runs(one.evidence));
    }
    if !one.against.is_empty() {
        put("not in", &runs(one.against));
    }
    if let Some(memory) = one.memory {
        put("tactic", &format!("{} (`ken memory history {}`)", line(memory), line(memory)));
    }
    out
}

fn what(tool: &str, head: &str) -> String {
    match head {
        "" => line(tool).into_owned(),
        head => format!("{}: {}", line(tool), line(head)),
    }
}

/// A place as editors take it.
fn place(of: &ProblemPlace) -> String {
    let number = |number: Option<u32>| number.map(|number| format!(":{number}")).unwrap_or_default();
    format!("{}{}{}", line(&of.file), number(of.line), number(of.column))
}

/// The first line of a text that says anything.
fn told_line(text: &str) -> String {
    let told = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let told = line(told.trim()).into_owned();
    super::cut(&told, SHOWN_CHARS).to_string()
}

/// A failure that was overcome, and what was done since, numbered.
pub fn overcome_text(failure: &ToolOutcome, steps: &[ToolOutcome], now_ms: i64) -> String {
    let code = || failure.exit_code.map_or_else(String::new, |code| format!("exit code {code}"));
    let why = Some(told_line(&failure.error)).filter(|why| !why.is_empty()).unwrap_or_else(code);
    let mut out = format!("This command works now. It failed {}: {why}\n", ago(failure.at, now_ms));
    if !steps.is_empty() {
        out.push_str("What was done since:\n");
    }
    for (number, step) in (1..).zip(steps) {
        out.push_str(&format!("  {number}  {}\n", told_line(&step.input)));
    }
    out
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
