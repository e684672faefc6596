//! The runs of a set against one of them: paired differences, their intervals and their corrected p-values.

use super::super::compare::{Comparison, Delta, Tests, compare, correct};
use super::super::result::RunResult;
use super::drawing::escaped;
use std::fmt::Write;

/// The table of a set; nothing where there is nothing to compare. `against` names the run that the others are compared
/// with, which is the first if it was not measured here.
pub(super) fn paired(results: &[&RunResult], against: Option<&str>) -> String {
    let named = against.and_then(|name| results.iter().find(|result| result.run == name));
    let Some(base) = named.or(results.first()) else { return String::new() };
    let metric = base.metrics.first().map_or("", String::as_str);
    let others = results.iter().filter(|result| result.run != base.run);
    // What cannot be compared was counted otherwise; it has its place in the other tables.
    let compared = others.filter_map(|other| Some((other.run.as_str(), compare(base, other, metric, 0, &[]).ok()?)));
    let mut compared: Vec<(&str, Comparison)> = compared.collect();
    if compared.is_empty() {
        return String::new();
    }
    // All that stands in one table is one family.
    let tests = correct(compared.iter_mut().flat_map(|(_, one)| &mut one.deltas), |_| true);
    let mut out = format!(
        "<div class=\"card\"><h3>Differences from {}</h3><p>{}</p><table><tr><th>run</th><th>metric</th><th>{}</th>\
         <th>this run</th><th>difference</th><th>95 % interval</th><th>p</th><th>p Holm</th><th>won</th><th>lost</th><th></th></tr>",
        escaped(&base.run),
        explained(&tests),
        escaped(&base.run),
    );
    for (run, comparison) in &compared {
        for (at, delta) in comparison.deltas.iter().enumerate() {
            out.push_str(&row(if at == 0 { run } else { "" }, delta));
        }
    }
    out.push_str("</table></div>");
    out
}

/// How the differences are tested, in words.
fn explained(tests: &Tests) -> String {
    let Tests { interval, p, correction, family, alpha, least } = tests;
    format!(
        "Interval: {interval}. p: {p}. p Holm: corrected for the {family} tests of this table, {correction}. A difference is \
         called better or worse if p Holm is below {alpha}, the interval holds no 0, and it is {least} at least."
    )
}

fn row(run: &str, delta: &Delta) -> String {
    let verdict = match (delta.is_significant(), delta.is_loss()) {
        (true, true) => "worse",
        (true, false) => "better",
        _ => "",
    };
    let mut out = format!(
        "<tr{}><td>{}</td><td>{}</td><td>{:.4}</td><td>{:.4}</td>",
        if run.is_empty() { "" } else { " class=\"first\"" },
        escaped(run),
        escaped(&delta.metric),
        delta.a,
        delta.b
    );
    let _ = write!(
        out,
        "<td>{:+.4}</td><td>[{:+.4}, {:+.4}]</td><td>{:.4}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"{verdict}\">\
         {verdict}</td></tr>",
        delta.difference,
        delta.interval.low,
        delta.interval.high,
        delta.p,
        delta.p_holm.map_or_else(super::dash, |p| format!("{p:.4}")),
        delta.wins,
        delta.losses
    );
    out
}
