//! Takes inline markup off the title of a heading: what is left is what a reader sees, nearly.
//!
//! Roles, links, references and paired marks go, their text stays. It is a title, not a document: attributes and
//! substitutions are not resolved, and a mark without a partner is kept. A title of which nothing would be left is
//! kept as it is. Linear, whatever the title: one pass for links, one for marks, and a search for a closing mark that
//! failed is not repeated.

/// The plain text of a reStructuredText title.
pub(crate) fn restructured_text(title: &str) -> String {
    let mut plain = String::with_capacity(title.len());
    let mut rest = title;
    let mut unpaired = [false; 2];
    while let Some(at) = rest.find(['`', '\\']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(escaped) = rest.strip_prefix('\\') {
            // An escaped character is itself; an escaped space is nothing.
            let mut after = escaped.chars();
            plain.extend(after.next().filter(|c| !c.is_whitespace()));
            rest = after.as_str();
            continue;
        }
        let mark = if rest.starts_with("``") { "``" } else { "`" };
        let inside = &rest[mark.len()..];
        let unpaired = &mut unpaired[mark.len() - 1];
        let close = if *unpaired { None } else { inside.find(mark) };
        let Some(close) = close else {
            *unpaired = true;
            plain.push_str(mark);
            rest = inside;
            continue;
        };
        rest = &inside[close + mark.len()..];
        if mark == "``" {
            plain.push_str(&inside[..close]);
            continue;
        }
        let role = role_start(&plain);
        plain.truncate(role.unwrap_or(plain.len()));
        plain.push_str(shown(&inside[..close], role.is_some()));
        rest = rest.strip_prefix("__").or_else(|| rest.strip_prefix('_')).unwrap_or(rest);
    }
    plain.push_str(rest);
    kept(&unmarked(&plain, "*|"), title)
}

/// Where the role starts that this text ends with, as `:mod:` does. A longer name than 64 bytes is none.
fn role_start(text: &str) -> Option<usize> {
    let name = text.strip_suffix(':')?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b":-_+.".contains(byte);
    let length = name.bytes().rev().take(64).take_while(is_name).count();
    let start = name.len() - length;
    let colon = name[start..].find(':')?;
    (colon + 1 < length).then_some(start + colon)
}

/// What is shown of interpreted text: the text before a `<target>`, and of a role's `~a.b` the last part.
fn shown(content: &str, has_role: bool) -> &str {
    if let Some((text, _)) = content.strip_suffix('>').and_then(|content| content.rsplit_once('<'))
        && !text.trim().is_empty()
    {
        return text.trim_end();
    }
    match content.strip_prefix('~') {
        Some(path) if has_role => path.rsplit('.').next().unwrap_or(path),
        None if has_role => content.strip_prefix('!').unwrap_or(content),
        _ => content,
    }
}

/// The plain text of an `AsciiDoc` title.
pub(crate) fn asciidoc(title: &str) -> String {
    let mut plain = String::with_capacity(title.len());
    let mut rest = title;
    // Where the last word of `plain` starts: a link's target stands right before its bracket.
    let mut word = 0;
    let mut unpaired = [false; 2];
    while let Some(at) = rest.find(['[', '<', ' ']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let bracket = rest.starts_with('[');
        let (open, close) = match () {
            () if rest.starts_with("[[") => ("[[", "]]"),
            () if bracket => ("[", "]"),
            () if rest.starts_with("<<") => ("<<", ">>"),
            () => ("", ""),
        };
        let unpaired = &mut unpaired[usize::from(!bracket)];
        let found = if open.is_empty() || *unpaired { None } else { rest[open.len()..].find(close) };
        let Some(length) = found else {
            *unpaired |= !open.is_empty();
            plain.push_str(&rest[..1]);
            word = if rest.starts_with(' ') { plain.len() } else { word };
            rest = &rest[1..];
            continue;
        };
        let content = &rest[open.len()..open.len() + length];
        rest = &rest[open.len() + length + close.len()..];
        let target = &plain[word..];
        match open {
            // An anchor shows nothing.
            "[[" => {}
            "<<" => plain.push_str(content.split_once(',').map_or(content, |(_, text)| text.trim())),
            // A link shows its text, or its target when it has none.
            _ if is_target(target) => {
                let text = content.trim_end_matches('^');
                if !text.is_empty() {
                    plain.truncate(word);
                    plain.push_str(text);
                }
            }
            // Roles and ids stand right before what they mark.
            _ if content.starts_with(['.', '#']) && rest.starts_with(['*', '_', '`', '#']) => {}
            _ => plain.extend(["[", content, "]"]),
        }
    }
    plain.push_str(rest);
    kept(&unmarked(&plain, "*_`#+"), title)
}

/// Whether a word names where a link leads, as the part of a macro before the bracket does.
fn is_target(word: &str) -> bool {
    ["link:", "xref:", "mailto:", "http://", "https://", "kbd:", "btn:"].iter().any(|scheme| word.starts_with(scheme))
}

/// The text without these marks where one or two open at the edge of a word and as many close at another.
fn unmarked(text: &str, marks: &str) -> String {
    let mut dropped = Vec::new();
    // For each mark and length, where it opened.
    let mut pending: Vec<((char, usize), usize)> = Vec::new();
    let mut before: Option<char> = None;
    let mut at = 0;
    while let Some(mark) = text[at..].chars().next() {
        let length = text[at..].chars().take_while(|c| *c == mark).count();
        let end = at + length * mark.len_utf8();
        if length <= 2 && marks.contains(mark) {
            let after = text[end..].chars().next();
            let key = (mark, length);
            let opener = pending.iter().position(|(mark, _)| *mark == key);
            if let Some(opener) = opener {
                let closes = before.is_some_and(|c| !c.is_whitespace()) && !after.is_some_and(char::is_alphanumeric);
                // Directly after its partner it holds nothing.
                if closes && pending[opener].1 + length < at {
                    let (_, start) = pending.swap_remove(opener);
                    dropped.extend([start..start + length, at..end]);
                }
            } else if after.is_some_and(|c| !c.is_whitespace()) && !before.is_some_and(char::is_alphanumeric) {
                pending.push((key, at));
            }
        }
        before = Some(mark);
        at = end;
    }
    dropped.sort_by_key(|range| range.start);
    let mut plain = String::with_capacity(text.len());
    let mut from = 0;
    for range in dropped {
        plain.push_str(&text[from..range.start]);
        from = range.end;
    }
    plain.push_str(&text[from..]);
    plain
}

/// The plain text without white space around it, or the title when nothing is left.
fn kept(plain: &str, title: &str) -> String {
    let plain = plain.trim();
    if plain.is_empty() { title.trim().to_owned() } else { plain.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_lose_their_markup() {
        let cases = [
            ("Plain title", "Plain title"),
            (":mod:`email` Package", "email Package"),
            (":mod:`!email.message`: Messages", "email.message: Messages"),
            ("The :py:class:`~a.b.Retry` class", "The Retry class"),
            ("See `the docs <https://x.y>`_ now", "See the docs now"),
            ("`Retry`__", "Retry"),
            ("*Fast* and **loud** ``--flag``", "Fast and loud --flag"),
            ("``**kwargs`` and 2 * 3 * 4", "**kwargs and 2 * 3 * 4"),
            ("|version| notes", "version notes"),
            ("A\\ b\\*c \\\u{3000}d \\", "Ab*c d"),
            ("`open", "`open"),
            ("``", "``"),
            ("a::`b`", "a::b"),
        ];
        for (title, wanted) in cases {
            assert_eq!(restructured_text(title), wanted, "{title:?}");
        }
        let cases = [
            ("Plain title", "Plain title"),
            ("*Bold*, _it_ and `mono`", "Bold, it and mono"),
            ("The `+*.war+` files", "The *.war files"),
            ("C++ and C# and snake_case_name", "C++ and C# and snake_case_name"),
            ("[[anchor]]Setup", "Setup"),
            ("[.red]#Alert# now", "Alert now"),
            ("The link:https://x.y/z[Jetty^] server", "The Jetty server"),
            ("https://x.y[] here", "https://x.y here"),
            ("See <<setup>> and <<b,the end>>", "See setup and the end"),
            ("Vec[T] <<open [[", "Vec[T] <<open [["),
            ("**", "**"),
        ];
        for (title, wanted) in cases {
            assert_eq!(asciidoc(title), wanted, "{title:?}");
        }
    }
}
