use super::*;
use crate::chunk::block::Block;
use crate::chunk::markup::property;

fn text(source: &str) -> String {
    html(source).text
}

/// The blocks of a page with what they are.
fn blocks(source: &str) -> Vec<(String, String)> {
    let page = html(source);
    let show = |block: &Block| {
        let what = match &block.role {
            BlockRole::Heading { level, title } => format!("{level} {title}"),
            BlockRole::Entry { term, lead } => format!("{term}: {}", page.text[*lead..block.range.end].trim()),
            BlockRole::Text => "text".to_owned(),
            BlockRole::Whole => "whole".to_owned(),
            BlockRole::Declaration { .. } => "other".to_owned(),
        };
        (what, page.text[block.range.clone()].to_owned())
    };
    page.blocks.iter().map(show).collect()
}

fn owned(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(what, text)| ((*what).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn a_page_is_what_a_person_reads_of_it() {
    let page = "<!DOCTYPE html>\n<html><head><title>Keys &amp;\n locks</title><style>p { a: b }</style></head>\n\
        <body><nav><a href=x>Home</a></nav>\n<!-- hidden -->\n<h1 id=top>Keys<a class=\"headerlink\" href=#top>¶</a></h1>\n\
        <p>Rotate <code>keys</code> every\nninety&nbsp;days.</p><p>Or<br>sooner.\n<ul>\n<li>one\n<li><p>two</p><ol><li>in \
        it</ol></ul>\n<pre class=\"language-sh\">\n$ make <b>rotate</b>\n\n    # done &lt;x&gt;\n</pre>\n<script>if (a < b) \
        {}</script><table><tr><th>a<th>b<tr><td>1<td>\n 2\n</table><footer>Made by hand</footer></body></html>\n";
    assert_eq!(html(page).title.as_deref(), Some("Keys & locks"));
    let expected = [
        ("1 Keys", "# Keys"),
        ("text", "Rotate `keys` every\nninety days."),
        ("text", "Or\nsooner."),
        ("whole", "- one\n- two\n  1. in it"),
        ("whole", "```sh\n$ make rotate\n\n    # done <x>\n```"),
        ("whole", "| a | b |\n| 1 | 2 |"),
    ];
    assert_eq!(blocks(page), owned(&expected));
}

#[test]
fn lines_are_those_of_the_file() {
    let page = "<h1>A</h1><p>b</p>\n\n<p\n class=x>c\nd</p>\n<pre>\n\ne\n\nf</pre>";
    let Page { text, lines, .. } = html(page);
    let shown: Vec<(&str, u32)> =
        text.lines().zip(lines.iter().copied()).filter(|(line, _)| !line.is_empty()).collect();
    assert_eq!(shown, [("# A", 1), ("b", 1), ("c", 4), ("d", 5), ("```", 8), ("e", 8), ("f", 10), ("```", 10)]);
}

#[test]
fn terms_are_entries_and_what_hangs_below_them_belongs_to_them() {
    let page = "<h2>Options</h2><dl><dt id=v><code>-v</code><dt>--verbose<dd><p>Say more.</p><p>Twice: all.</p>\
        <dt>-q<dd>Say less.<dl><dt>Default<dd>off</dl></dl><p>After.</p>\
        <dl class=class><dt id=s>Session(url)</dt><dd>A session.<dl><dt id=s.get>get(url, timeout)</dt><dd>Gets.</dd></dl>\
        </dd></dl>";
    let expected = [
        ("2 Options", "## Options"),
        ("-v: Say more.\n  Twice: all.", "-v\n--verbose\n  Say more.\n  Twice: all."),
        ("-q: Say less.\n  Default\n    off", "-q\n  Say less.\n  Default\n    off"),
        ("text", "After."),
        ("Session(url): A session.", "Session(url)\n  A session."),
        ("Session > get(url, timeout): Gets.", "  get(url, timeout)\n    Gets."),
    ];
    assert_eq!(blocks(page), owned(&expected));
}

#[test]
fn what_leads_elsewhere_is_left_out_and_the_main_part_is_all_there_is() {
    for page in [
        "<div class=\"sphinxsidebar\"><p>Links</div><p>Text.",
        "<div role=navigation><ul><li>Links</ul></div><p>Text.",
        "<p hidden>Links<p>Text.",
        "<h1>Site</h1><main><p>Text.</main><p>Links",
        "<div><div role='main'><p>Text.</div></div><aside>Links</aside>",
        "<p>Text.<svg><title>Links</title><text>Links</text></svg>",
        "<head><title>x</title><p>Text.",
    ] {
        assert_eq!(text(page).trim(), "Text.", "{page}");
    }
    // Where nothing else is there, or an end is missing, whatever there is.
    assert_eq!(text("<main></main><p>Text.").trim(), "Text.");
    assert_eq!(text("<nav><p>Text.").trim(), "Text.");
    assert_eq!(text("<script>Text."), "");
}

#[test]
fn broken_pages_are_read_as_what_they_resemble() {
    let cases = [
        ("<h1>A<h2>B", "# A\n\n## B\n"),
        ("</p></div><p>a</b></table>b", "ab\n"),
        ("<table><tr><td>a</div></td></tr></table>b", "| a |\n\nb\n"),
        ("a &lt b &unknown; c", "a < b &unknown; c\n"),
        ("<li>a<li>b", "- a\n- b\n"),
        ("<h2></h2><p> </p>", ""),
        ("<p>a <a href='x>b</a>", "a b\n"),
        ("<ul><li>a<h2>B</h2>c</ul>d", "- a\n\n## B\n\n  c\n\nd\n"),
        ("<table><tr><td><h2>A</h2><p>b</p><p>c</p></table>", "## A\n\nb c |\n"),
    ];
    for (page, wanted) in cases {
        assert_eq!(text(page), wanted, "{page}");
    }
}

/// Checks that every line of a reading knows its line of the file, and that blocks are in order and apart.
fn holds(source: &str) {
    let Page { text, lines, blocks, .. } = html(source);
    property::check(&text, &blocks);
    assert_eq!(lines.len(), text.matches('\n').count(), "{source:?}");
    let of_file = 1 + source.matches('\n').count();
    assert!(lines.is_sorted() && lines.iter().all(|line| (1..=of_file).contains(&(*line as usize))), "{source:?}");
    for block in blocks {
        if let BlockRole::Entry { term, lead } = block.role {
            assert!(!term.is_empty() && block.range.start < lead && lead < block.range.end, "{source:?}");
        }
    }
}

const FRAGMENTS: &[&str] = &[
    "<h1>a</h1>",
    "<h2>",
    "</h2>",
    "<p>b c",
    "</p>",
    "<div>",
    "</div>",
    "<ul>",
    "<li>",
    "</li>",
    "</ul>",
    "<ol><li>d",
    "<table>",
    "<tr>",
    "<td>",
    "<td>e</td>",
    "</table>",
    "<pre>",
    "  f",
    "</pre>",
    "<code>",
    "</code>",
    "<dl>",
    "<dt id=x>g",
    "<dt>",
    "<dd>h",
    "</dl>",
    "<main>",
    "</main>",
    "<nav>",
    "</nav>",
    "<script>",
    "</script>",
    "<title>",
    "</title>",
    "<!-- i",
    "-->",
    "<br>",
    "<hr/>",
    "&amp;",
    "&#10;j",
    "&x",
    "<a href=\"",
    "\">",
    "<![CDATA[",
    "]]>",
    "<head>",
    "<body>",
    "<summary>",
    "<div class=toc>",
    "```",
];

#[test]
fn whatever_is_in_it_a_page_has_blocks() {
    property::each(holds, FRAGMENTS);
}

#[test]
fn no_word_of_a_page_is_lost() {
    let mut random = property::Random(11);
    let wrap = [
        ("<p>", "</p>\n"),
        ("<h2>", "</h2>"),
        ("<ul><li>", "</li></ul>"),
        ("<div><b>", "</b></div>"),
        ("<pre>", "</pre>"),
        ("<table><tr><td>", "</td></tr></table>"),
        ("<dl><dt>", "</dt></dl>"),
        ("<dl><dd>", "</dd></dl>"),
        ("", "\n"),
        ("<blockquote><p>", ""),
        ("<td>", ""),
        ("<li>", ""),
        ("<code>", "</code>"),
        ("<main>", ""),
    ];
    for _ in 0..20_000 {
        let (mut page, mut words) = (String::new(), Vec::new());
        let mut open = Vec::new();
        for number in 0..random.below(12) {
            let (before, after) = wrap[random.below(wrap.len())];
            if before == "<main>" && number > 0 {
                continue;
            }
            page.push_str(before);
            let word = format!("w{number}");
            page.push_str(&word);
            words.push(word);
            // Some are closed after what follows, in any order.
            if random.below(3) > 0 {
                page.push_str(after)
            } else {
                open.push(after)
            }
            if random.below(4) == 0 && !open.is_empty() {
                page.push_str(open.swap_remove(random.below(open.len())));
            }
            page.push(' ');
        }
        let read = text(&page);
        let kept: Vec<&str> = read.split(|c: char| !c.is_alphanumeric()).filter(|w| w.starts_with('w')).collect();
        assert_eq!(kept, words, "{page:?}\n{read}");
    }
}
