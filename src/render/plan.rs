//! What is known of a plan or a validation, as a table with an explanation below each row.

use super::style::Style;
use super::wrap::wrap;
use crate::screen::line;
use crate::types::{Checked, PlanFinding, PlanReport, Risk};

/// The indent of what belongs to a row: as wide as the first column.
const INDENT: &str = "        ";

/// The report for a terminal of `width` columns.
pub fn plan_text(report: &PlanReport, style: Style, width: usize) -> String {
    let width = width.clamp(40, 110);
    let what = match (report.checked, report.looked_at) {
        (Checked::Plan, 1) => "1 change",
        (Checked::Plan, n) => &format!("{n} changes"),
        (Checked::Validation, 1) => "1 message",
        (Checked::Validation, n) => &format!("{n} messages"),
    };
    let unknown = match report.uncovered {
        0 => String::new(),
        n if n == report.looked_at => "; nothing is known of their providers".to_owned(),
        n => format!("; nothing is known of the providers of {n}"),
    };
    if report.findings.is_empty() {
        let clean = if unknown.is_empty() { ", and no known failure is likely" } else { "" };
        return format!("{what}{clean}{unknown}.\n");
    }
    let mut out = String::new();
    let widest = report.findings.iter().map(|finding| finding.address.chars().count()).max().unwrap_or(0);
    for finding in &report.findings {
        push_finding(&mut out, finding, widest.min(width / 2), style, width);
    }
    let count = |risk: Risk| report.findings.iter().filter(|finding| finding.risk == risk).count();
    let counts: Vec<String> = [Risk::High, Risk::Medium, Risk::Low]
        .into_iter()
        .filter(|risk| count(*risk) > 0)
        .map(|risk| format!("{} {}", count(risk), risk.label()))
        .collect();
    out.push_str(&format!("{what}; risks: {}{unknown}\n", counts.join(", ")));
    out
}

fn push_finding(out: &mut String, finding: &PlanFinding, widest: usize, style: Style, width: usize) {
    let label = format!("{:7}", finding.risk.label());
    let label = match finding.risk {
        Risk::High => style.bad(&label),
        Risk::Medium => style.warning(&label),
        Risk::Low => style.faint(&label),
    };
    let action = finding.action.map(|action| format!("{:8} ", action.label())).unwrap_or_default();
    let address = format!("{:widest$}", line(&finding.address));
    let times = if finding.count > 1 { format!(" ({} of them)", finding.count) } else { String::new() };
    let id = finding.id.as_deref().unwrap_or("not known");
    let row = format!("{label} {action}{}{times}  {}", style.strong(&address), style.faint(&line(id)));
    out.push_str(row.trim_end());
    out.push('\n');
    out.push_str(&wrap(&finding.text, INDENT, INDENT, width));
    if let Some(step) = finding.fix.first() {
        out.push_str(&wrap(step, &format!("{INDENT}Fix  "), &format!("{INDENT}     "), width));
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Action;

    #[test]
    fn a_row_says_what_and_below_it_why() {
        let finding = PlanFinding {
            risk: Risk::High,
            address: "aws_db_instance.main".into(),
            count: 2,
            action: Some(Action::Replace),
            text: "The data goes.".into(),
            id: Some("p/a".into()),
            title: None,
            cause: None,
            fix: vec!["Keep it.".into(), "Or not.".into()],
            references: Vec::new(),
        };
        let mut report = PlanReport { checked: Checked::Plan, looked_at: 3, uncovered: 0, findings: vec![finding] };
        assert_eq!(
            plan_text(&report, Style::default(), 80),
            "high    replace  aws_db_instance.main (2 of them)  p/a\n        The data goes.\n        Fix  Keep it.\n\n\
             3 changes; risks: 1 high\n"
        );
        report.findings.clear();
        assert_eq!(plan_text(&report, Style::default(), 80), "3 changes, and no known failure is likely.\n");
        report.uncovered = 3;
        assert_eq!(plan_text(&report, Style::default(), 80), "3 changes; nothing is known of their providers.\n");
    }
}
