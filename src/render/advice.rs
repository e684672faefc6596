//! Cause and fix of an error.

use super::style::Style;
use super::wrap::wrap;
use crate::screen::line;
use crate::types::Advice;

/// The indent of everything below a heading.
const INDENT: &str = "       ";

/// Lines of a cause and its fix: what is read at a glance.
const GLANCE_LINES: usize = 10;
/// Steps that are shown however long they are: the first often is a look, and the second what it decides.
const LEAST_STEPS: usize = 2;

/// Cause, fix and where to read more; of what is `general` the first step alone. Steps that a screen has no room for
/// are counted, and `id` says where they are.
pub(super) fn push_advice(out: &mut String, advice: &Advice, id: &str, general: bool, style: Style, width: usize) {
    let cause = match advice.cause.is_empty() {
        true => String::new(),
        false => wrap(&advice.cause, "Cause  ", INDENT, width),
    };
    let mut lines = cause.lines().count();
    out.push_str(&cause);
    let most = if general { advice.fix.len().min(1) } else { advice.fix.len() };
    let mut shown = 0;
    for (index, step) in advice.fix.iter().take(most).enumerate() {
        let label = if index == 0 { "Fix    " } else { INDENT };
        let number = if most > 1 { format!("{}. ", index + 1) } else { String::new() };
        let lost = advice.destructive.iter().find(|lost| lost.step == index + 1).map(|lost| lost.loses.as_str());
        let text = step_text(step, lost, &format!("{label}{number}"), INDENT.len() + number.len(), style, width);
        lines += text.lines().count();
        if index >= LEAST_STEPS && lines > GLANCE_LINES {
            break;
        }
        out.push_str(&text);
        shown += 1;
    }
    if !general && shown < most {
        let steps = if most - shown == 1 { "step" } else { "steps" };
        let rest = format!("{INDENT}{} more {steps}: {}", most - shown, style.whole_entry(id));
        out.push_str(&format!("{}\n", style.faint(&line(&rest))));
    }
    if let Some(url) = advice.references.first() {
        out.push_str(&format!("{}\n", style.faint(&line(&format!("More   {url}")))));
    }
}

/// A step after its label, set in by `indent`, and what is lost by it.
fn step_text(step: &str, lost: Option<&str>, label: &str, indent: usize, style: Style, width: usize) -> String {
    let rest = " ".repeat(indent);
    let whole = step.trim_end().trim_end_matches('.').replace('`', "");
    let mut out = match split_command(step) {
        // What fits on a line stands on one.
        (text, Some(command)) if label.chars().count() + whole.chars().count() <= width => {
            format!("{label}{} {}\n", line(text), style.command(&line(command)))
        }
        // The command first: it is what a reader in a hurry looks for.
        (text, Some(command)) => {
            let text = paint_commands(&wrap(text.trim_end_matches(':'), &rest, &rest, width), style);
            format!("{label}{}\n{text}", style.command(&line(command)))
        }
        (text, None) => paint_commands(&wrap(text, label, &rest, width), style),
    };
    if let Some(lost) = lost {
        out.push_str(&style.warning(&wrap(&format!("Loses {lost}."), &rest, &rest, width)));
    }
    out
}

/// The first command of a fix; where it has none, its first step.
pub(super) fn first_command(advice: &Advice) -> Option<&str> {
    let quoted = advice.fix.iter().flat_map(|step| step.split('`').skip(1).step_by(2));
    // What a person is to choose in a menu is quoted too, and begins with a capital.
    let is_command = |quoted: &&str| quoted.contains(' ') && !quoted.starts_with(|c: char| c.is_uppercase());
    quoted.into_iter().find(is_command).or_else(|| advice.fix.first().map(String::as_str))
}

/// Takes a command at the end of a step apart from its text, so that it stands on a line of its own; not where the text
/// holds another one, which may be the one to begin with.
fn split_command(step: &str) -> (&str, Option<&str>) {
    let trimmed = step.trim_end().trim_end_matches('.');
    let Some(open) = trimmed.strip_suffix('`').and_then(|inner| inner.rfind('`')) else { return (step, None) };
    let text = trimmed[..open].trim_end();
    let command = &trimmed[open + 1..trimmed.len() - 1];
    if text.ends_with(':') && !text.contains('`') && !command.contains('\n') {
        (text, Some(command))
    } else {
        (step, None)
    }
}

fn paint_commands(block: &str, style: Style) -> String {
    if !style.colour {
        return block.to_owned();
    }
    let mut out = String::new();
    for (index, part) in block.split('`').enumerate() {
        out.push_str(&if index % 2 == 1 { style.command(part) } else { part.to_owned() });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_command_is_more_than_a_word() {
        let advice =
            |fix: &[&str]| Advice { fix: fix.iter().map(|step| (*step).to_owned()).collect(), ..Advice::default() };
        assert_eq!(first_command(&advice(&["`Change Mode` of `mode`.", "Run `chmod 600 a`."])), Some("chmod 600 a"));
        assert_eq!(first_command(&advice(&["Wait."])), Some("Wait."));
    }

    #[test]
    fn a_long_fix_is_cut_at_a_screen_and_says_so() {
        let step = "Look at the mode of the file and of every folder above it, and at who owns them.".repeat(3);
        let advice = Advice { cause: "c".into(), fix: vec![step; 9], ..Advice::default() };
        let text = |general| {
            let mut out = String::new();
            push_advice(&mut out, &advice, "a/b", general, Style::default(), 80);
            out
        };
        assert!(text(false).lines().count() <= GLANCE_LINES + 1, "{}", text(false));
        assert!(text(false).ends_with("7 more steps: `ken canon show a/b`\n"), "{}", text(false));
        assert!(!text(true).contains("2. ") && !text(true).contains("more steps"));
    }

    #[test]
    fn a_closing_command_stands_alone() {
        assert_eq!(split_command("Import it: `terraform import a b`."), ("Import it:", Some("terraform import a b")));
        assert_eq!(split_command("Run `ls` first."), ("Run `ls` first.", None));
        assert_eq!(split_command("Plain."), ("Plain.", None));
        let two = "Look: `ls`; then: `rm a`";
        assert_eq!(split_command(two), (two, None));
    }
}
