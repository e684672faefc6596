//! Which lines of an error carry its meaning: not the frames, not the source excerpts, not the progress around it.

use super::pattern::pattern;
use super::safe::single_line;
use regex::Regex;
use std::sync::LazyLock;

static NOISE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x)
          ^\s*File\ ".*",\ line\ \d+                      # frames of Python, of the JVM and of Go
        | ^\s*at\ \S+.*[:(].*\d+
        | ^\s*(?:\d+|LL)\s*(?:[|~+-]|$)                   # excerpts of rustc
        | ^\s*(?:-->|:::|\.\.\.)
        | ^\s*\d+:\s+0x[0-9a-f]+
        | ^\s*(?:with\ [\w.\[\]"]+,|on\ \S+\ line\ \d+)     # where Terraform points to
        | ^\s*(?:note:\ run\ with\ `RUST_BACKTRACE|For\ more\ information\ about\ this\ error)
        | ^\s*[-=*_─]{3,}\s*$
        "#,
    )
});

/// How a line begins that [`NOISE`] may match, white space and digits aside.
const MAYBE_NOISE: [&str; 15] =
    ["File \"", "at ", "LL", "-->", ":::", "...", "with ", "on ", "note: run", "For more", "-", "=", "*", "_", "─"];

/// Whether a line says nothing itself. Most lines are told without the pattern, which takes half a millisecond to be
/// made.
fn is_noise(line: &str) -> bool {
    let rest = line.trim_start_matches([' ', '\t', '\n', '\r']);
    let may_be = rest.starts_with(|c: char| c.is_ascii_digit()) || MAYBE_NOISE.iter().any(|one| rest.starts_with(one));
    may_be && NOISE.is_match(line)
}

/// A line that is a question of its own: what an exception or a tool says went wrong.
static SAYS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\s*(?:[\w.]*(?:error|exception)\b|error|fatal|panic|failed|E:|ERROR)|(?:error|exception|fatal|failed)\b\s*:",
    )
});

/// What a compiler draws before the label of an excerpt or before a note.
static RULER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*\|?[\s|_/\\]*[\^~-]*\s*(?:[=|]\s*)?"));

/// The line that says what went wrong, at most 300 characters: a traceback's last line, else the first that reads so.
pub fn headline(lines: &[&str]) -> String {
    let traceback = lines.iter().any(|l| l.trim_start().starts_with("Traceback (most recent call last)"));
    let filled = || lines.iter().copied().filter(|l| !l.trim().is_empty() && !is_noise(l));
    let exception = || filled().filter(|l| !l.starts_with([' ', '\t'])).rfind(|l| SAYS.is_match(l));
    let best = if traceback { exception() } else { None };
    let best = best.or_else(|| filled().find(|l| SAYS.is_match(l))).or_else(|| filled().next());
    single_line(best.or_else(|| lines.iter().copied().find(|l| !l.trim().is_empty())).unwrap_or(""), 300)
}

/// The lines that carry meaning, without what is drawn before them, joined by line feeds, the headline first, at most
/// `most_chars` characters.
pub fn salient(lines: &[&str], most_chars: usize) -> String {
    let head = headline(lines);
    let mut out: String = head.chars().take(most_chars).collect();
    for line in lines {
        if line.trim().is_empty() || is_noise(line) {
            continue;
        }
        let line = single_line(line, 300);
        if line == head || line.starts_with("Traceback (most recent") {
            continue;
        }
        let said = RULER.find(&line).map_or(line.as_str(), |ruler| &line[ruler.end()..]);
        if said.is_empty() {
            continue;
        }
        // The line feed counts too.
        if out.chars().count() + 1 + said.chars().count() > most_chars {
            break;
        }
        out.push('\n');
        out.push_str(said);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn noise_is_what_the_pattern_says(
            parts in prop::collection::vec(prop::sample::select(vec![
                "File \"a.py\"", ", line 3", " ", "\t", "at ", "a.b(C.java:1)", "12", "LL", "|", "~", "+", "-", "-->",
                ":::", "...", ":", " 0x1f", "with x.y[0],", "on ", "main.tf", " line 4",
                "note: run with `RUST_BACKTRACE",
                "For more information about this error", "===", "***", "─", "_", "error", "x",
            ]), 0..7),
        ) {
            let line = parts.concat();
            prop_assert_eq!(is_noise(&line), NOISE.is_match(&line), "{:?}", line);
        }
    }

    #[test]
    fn a_traceback_speaks_by_its_last_line() {
        let lines = [
            "Traceback (most recent call last):",
            "  File \"a.py\", line 3, in <module>",
            "    import cv2",
            "ModuleNotFoundError: No module named 'cv2'",
        ];
        assert_eq!(headline(&lines), "ModuleNotFoundError: No module named 'cv2'");
        assert_eq!(salient(&lines, 800), "ModuleNotFoundError: No module named 'cv2'\nimport cv2");
    }

    #[test]
    fn excerpts_are_left_out_and_their_labels_stay() {
        let lines = [
            "error[E0382]: borrow of moved value: `s`",
            "  --> src/main.rs:4:20",
            "   |",
            "3  |     let t = s;",
            "   |             - value moved here",
            "   = note: move occurs",
        ];
        let said = "error[E0382]: borrow of moved value: `s`\nvalue moved here\nnote: move occurs";
        assert_eq!(salient(&lines, 800), said);
        assert_eq!(salient(&lines, 60), "error[E0382]: borrow of moved value: `s`\nvalue moved here");
        for most in [0, 10, 40, 56, 57, 58] {
            assert!(salient(&lines, most).chars().count() <= most, "{most}");
        }
    }
}
