//! What single lines mean in `AsciiDoc` (Asciidoctor), given at most the line below.
//!
//! Where a construct ends is decided in the module above, and whether a delimiter is closed.

use crate::chunk::markup::line::Line;

/// The level and the raw text of a title: `== Title`, as Markdown writes it, or closed on the right as well.
pub(super) fn title(line: &str) -> Option<(usize, &str)> {
    let mark = line.chars().next().filter(|c| matches!(c, '=' | '#'))?;
    let rest = line.trim_start_matches(mark);
    let level = line.len() - rest.len();
    let text = rest.trim();
    if level > 6 || !rest.starts_with([' ', '\t']) || text.is_empty() {
        return None;
    }
    let opened = &line[..level];
    let closed = text.strip_suffix(opened).filter(|text| text.ends_with([' ', '\t']));
    Some((level, closed.map_or(text, str::trim_end)))
}

/// The level of a title with a row below it, as older documents write it: nearly as long as the title.
pub(super) fn underlined(line: &Line, below: Option<&Line>) -> Option<usize> {
    let text = line.text.trim_end();
    let row = below?.text.trim_end();
    let level = "=-~^+".find(row.chars().next()?)? + 1;
    let is_row = row.len() >= 3 && row.bytes().all(|byte| byte == row.as_bytes()[0]);
    // Counted no further than the row needs, as a line may be long.
    let fits = is_row && text.chars().take(row.len() + 2).count().abs_diff(row.len()) <= 1;
    let is_title = || text.contains(char::is_alphanumeric) && !text.starts_with(['.', ' ', '\t']);
    (fits && is_title() && !is_item(line.text) && !is_attribute_entry(line.text)).then_some(level)
}

/// The line that closes the block which this line opens.
pub(super) fn closing(line: &str) -> Option<&str> {
    let text = line.trim_end();
    if text == "--" {
        return Some(text);
    }
    if let Some(language) = text.strip_prefix("```") {
        return (!language.contains('`')).then(|| &text[..3]);
    }
    let row = if let Some(row) = text.strip_prefix(['|', ',', ':', '!']) {
        row.strip_prefix("===").is_some_and(|rest| rest.bytes().all(|byte| byte == b'='))
    } else {
        let mark = text.chars().next().filter(|c| "-.=*_+/".contains(*c))?;
        text.len() >= 4 && text.chars().all(|c| c == mark)
    };
    row.then_some(text)
}

/// Whether the line is an attribute list or an anchor of the block that follows: `[source,rust]`, `[[id]]`.
pub(super) fn is_attribute_list(line: &str) -> bool {
    let Some(inside) = line.trim_end().strip_prefix('[').and_then(|inside| inside.strip_suffix(']')) else {
        return false;
    };
    inside.chars().next().is_none_or(|c| c.is_alphabetic() || "_:.#%{,\"'[".contains(c))
}

/// Whether the line is the title of the block that follows: `.Title`.
pub(super) fn is_block_title(line: &str) -> bool {
    let title = line.strip_prefix('.').map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    title.is_some_and(|title| title.starts_with(|c: char| c != '.' && !c.is_whitespace()))
}

/// Whether the attribute list makes a listing of the paragraph that follows.
pub(super) fn is_listing_style(line: &str) -> bool {
    const STYLES: [&str; 16] = [
        "source",
        "listing",
        "literal",
        "verse",
        "stem",
        "latexmath",
        "asciimath",
        "pass",
        "plantuml",
        "mermaid",
        "graphviz",
        "ditaa",
        "console",
        "cols",
        "subs",
        "tabs",
    ];
    let inside = line.trim_start_matches('[');
    let style = inside.split([',', '%', '#', '.', ']', '=']).next().unwrap_or_default().trim();
    STYLES.contains(&style) || inside.starts_with(',')
}

/// Whether the line is a comment, `// like this`; `////` delimits one and `///` is text.
pub(super) fn is_comment(line: &str) -> bool {
    line.strip_prefix("//").is_some_and(|rest| !rest.starts_with('/'))
}

/// Whether the line sets an attribute: `:name: value`, `:!name:`.
pub(super) fn is_attribute_entry(line: &str) -> bool {
    let Some((name, value)) = line.strip_prefix(':').and_then(|rest| rest.split_once(':')) else { return false };
    !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || "_-!".contains(c))
        && value.chars().next().is_none_or(char::is_whitespace)
}

/// Whether the line only breaks: a rule, a page, or a `+` that joins nothing.
pub(super) fn is_break(line: &str) -> bool {
    matches!(line.trim_end(), "'''" | "---" | "***" | "- - -" | "* * *" | "<<<" | "+")
}

/// Whether the line opens an item of a list.
pub(super) fn is_item(line: &str) -> bool {
    is_marked(line) || description(line).is_some()
}

/// Whether the line opens an item with a bullet, a number or a callout's.
fn is_marked(line: &str) -> bool {
    let text = line.trim();
    let Some((marker, rest)) = text.split_once([' ', '\t']) else { return false };
    let repeated = |mark: char| marker.len() <= 5 && marker.chars().all(|c| c == mark);
    let is_marker = match marker.as_bytes() {
        [] => false,
        [b'-'] => true,
        [b'*', ..] => repeated('*'),
        [b'.', ..] => repeated('.'),
        [b'<', number @ .., b'>'] => number == b"." || !number.is_empty() && number.iter().all(u8::is_ascii_digit),
        [letter, b'.'] if letter.is_ascii_alphabetic() => true,
        [number @ .., b'.'] => number.iter().all(u8::is_ascii_digit),
        [number @ .., b')'] => !number.is_empty() && number.iter().all(|byte| b"ivxIVX".contains(byte)),
        _ => marker == "•",
    };
    is_marker && !rest.trim().is_empty() && !is_break(text)
}

/// Whether the line is the item of a description list, and then whether its text stands on the same line.
pub(super) fn description(line: &str) -> Option<bool> {
    let text = line.trim();
    if is_comment(text) {
        return None;
    }
    let ends = |at: usize, mark: &str| {
        let rest = text[at..].trim_start_matches(&mark[..1]);
        let length = text.len() - at - rest.len();
        let fits = if mark == ";;" { length == 2 } else { (2..=4).contains(&length) };
        (fits && at > 0 && rest.chars().next().is_none_or(char::is_whitespace)).then(|| !rest.trim().is_empty())
    };
    // A mark inside a run of its own is of no interest, so each run is measured once.
    let mut from = 0;
    while let Some(at) = text[from..].find([':', ';']).map(|at| from + at) {
        let mark = if text[at..].starts_with(':') { "::" } else { ";;" };
        if let Some(has_text) = ends(at, mark) {
            return Some(has_text);
        }
        from = text.len() - text[at..].trim_start_matches(&mark[..1]).len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_mean_what_they_mean() {
        assert_eq!(title("= Title"), Some((1, "Title")));
        assert_eq!(title("====== A == b ======"), Some((6, "A == b")));
        assert_eq!(title("## Title"), Some((2, "Title")));
        assert_eq!((title("======= x"), title("==x"), title("===="), title("== ")), (None, None, None, None));
        let rows = [
            ("----", Some("----")),
            ("--", Some("--")),
            ("---", None),
            ("```rust", Some("```")),
            ("|====", Some("|====")),
        ];
        for (row, wanted) in rows {
            assert_eq!(closing(row), wanted, "{row:?}");
        }
        assert_eq!((closing("|==x"), closing("-=-="), closing(":==="), closing("a")), (None, None, Some(":==="), None));
        assert!(is_attribute_list("[source,rust]") && is_attribute_list("[[id]]") && is_attribute_list("[]"));
        assert!(!is_attribute_list("[1] note]") && !is_attribute_list("[a] b"));
        assert!(
            is_block_title(".Title") && is_block_title("..git") && !is_block_title(". a") && !is_block_title("....")
        );
        assert!(is_listing_style("[source,rust]") && is_listing_style("[,rust]") && is_listing_style("[source%x]"));
        assert!(!is_listing_style("[NOTE]") && !is_listing_style("[quote, x]"));
        assert!(is_comment("// a") && is_comment("//") && !is_comment("////") && !is_comment("a // b"));
        assert!(is_attribute_entry(":toc:") && is_attribute_entry(":a-b: c") && !is_attribute_entry(":a b: c"));
    }

    #[test]
    fn items_are_told_from_text() {
        for item in ["* a", "- a", "** a", "  . a", "... a", "1. a", "a. b", "iv) c", "<1> d", "<.> e", "• f"] {
            assert!(is_item(item), "{item:?}");
        }
        for item in ["a:: b", "a b::", "  c;; d", "`std::vec`::: e", "CPU::"] {
            assert!(is_item(item), "{item:?}");
        }
        for text in
            ["*bold* a", "-a", "* * *", "1.5 a", "std::vec is", "image::x.png[]", "a: b", "ab. c", "// a:: b", ":: a"]
        {
            assert!(!is_item(text), "{text:?}");
        }
        assert_eq!((description("a:: b"), description("a::")), (Some(true), Some(false)));
    }
}
