//! What an element means to a reader: a paragraph, a heading, a list, nothing at all.

use super::token::Tag;

/// What an element does to the text in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing.
    Inline,
    /// It stands on lines of its own.
    Paragraph,
    /// Nobody reads it.
    Skipped,
    /// The head of the page, of which the title is read alone.
    Head,
    Title,
    /// What the page is about.
    Main,
    Heading(usize),
    /// A list; whether it is numbered.
    List(bool),
    Item,
    Table,
    Row,
    Cell,
    Listing,
    Code,
    Definitions,
    Term,
    Description,
    /// Ends a line.
    Break,
}

const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
/// Programs, drawings, controls, and what leads elsewhere.
const SKIPPED: &[&str] = &[
    "script",
    "style",
    "textarea",
    "template",
    "svg",
    "nav",
    "footer",
    "button",
    "select",
    "iframe",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "canvas",
    "audio",
    "video",
    "map",
    "annotation",
    "datalist",
    "dialog",
];
const PARAGRAPHS: &[&str] = &[
    "p",
    "div",
    "section",
    "article",
    "header",
    "hgroup",
    "aside",
    "figure",
    "figcaption",
    "address",
    "details",
    "summary",
    "fieldset",
    "legend",
    "form",
    "blockquote",
    "center",
    "body",
    "html",
    "hr",
    "caption",
    "thead",
    "tbody",
    "tfoot",
    "optgroup",
];
/// Classes and ids of what leads elsewhere, as the usual generators of documentation call it.
const ELSEWHERE: &[&str] = &[
    "nav",
    "navbar",
    "navheader",
    "navfooter",
    "navigation",
    "nav-path",
    "side-nav",
    "navpath",
    "topnav",
    "sidebar",
    "sphinxsidebar",
    "related",
    "breadcrumb",
    "breadcrumbs",
    "toc",
    "footer",
    "menu",
    "skip-link",
    "headerlink",
    "viewcode-link",
    "permalink",
    "anchor-link",
    "anchorjs-link",
    "mw-editsection",
    "src",
    "prev-next-area",
];
const ROLES_ELSEWHERE: &[&str] = &["navigation", "search", "contentinfo"];

impl Effect {
    /// How many kinds there are.
    pub const KINDS: usize = 18;

    /// The number of its kind: headings of all levels are one, and so are lists.
    pub fn kind(self) -> usize {
        match self {
            Self::Inline => 0,
            Self::Paragraph => 1,
            Self::Skipped => 2,
            Self::Head => 3,
            Self::Title => 4,
            Self::Main => 5,
            Self::Heading(_) => 6,
            Self::List(_) => 7,
            Self::Item => 8,
            Self::Table => 9,
            Self::Row => 10,
            Self::Cell => 11,
            Self::Listing => 12,
            Self::Code => 13,
            Self::Definitions => 14,
            Self::Term => 15,
            Self::Description => 16,
            Self::Break => 17,
        }
    }

    /// What an element does to the reading. `whole` also reads navigation and footers.
    pub fn of(tag: &Tag<'_>, whole: bool) -> Self {
        let effect = Self::of_name(&tag.name);
        if whole || matches!(effect, Self::Skipped | Self::Head | Self::Title) {
            return if whole && matches!(tag.name.as_str(), "nav" | "footer") { Self::Paragraph } else { effect };
        }
        let role = tag.attribute("role").unwrap_or_default();
        if role == "main" {
            return Self::Main;
        }
        let hidden = tag.attribute("hidden").is_some_and(|how| how != "until-found");
        if hidden || tag.attribute("aria-hidden") == Some("true") || ROLES_ELSEWHERE.contains(&role) {
            return Self::Skipped;
        }
        let named = |attribute| tag.attribute(attribute).unwrap_or_default().split_ascii_whitespace();
        let leads_elsewhere = || named("class").chain(named("id")).any(|name| ELSEWHERE.contains(&name));
        let stays = matches!(effect, Self::Heading(_) | Self::Listing | Self::Code | Self::Main)
            || matches!(tag.name.as_str(), "html" | "body" | "article");
        if !stays && leads_elsewhere() { Self::Skipped } else { effect }
    }

    fn of_name(name: &str) -> Self {
        match name {
            "head" => Self::Head,
            "title" => Self::Title,
            "main" => Self::Main,
            "h1" => Self::Heading(1),
            "h2" => Self::Heading(2),
            "h3" => Self::Heading(3),
            "h4" => Self::Heading(4),
            "h5" => Self::Heading(5),
            "h6" => Self::Heading(6),
            "ol" => Self::List(true),
            "ul" | "menu" | "dir" => Self::List(false),
            "li" => Self::Item,
            "table" => Self::Table,
            "tr" => Self::Row,
            "td" | "th" => Self::Cell,
            "pre" | "listing" | "xmp" => Self::Listing,
            "code" | "kbd" | "samp" | "tt" => Self::Code,
            "dl" => Self::Definitions,
            "dt" => Self::Term,
            "dd" => Self::Description,
            "br" => Self::Break,
            name if SKIPPED.contains(&name) => Self::Skipped,
            name if PARAGRAPHS.contains(&name) => Self::Paragraph,
            _ => Self::Inline,
        }
    }

    /// Whether the element is one of the text around it.
    pub fn is_inline(self) -> bool {
        matches!(self, Self::Inline | Self::Code)
    }
}

/// Whether nothing can be in an element of this name.
pub(super) fn is_void(name: &str) -> bool {
    VOID.contains(&name)
}

/// Whether an element of this name may stand in the head of a page.
pub(super) fn is_of_head(name: &str) -> bool {
    ["title", "meta", "link", "script", "style", "base", "noscript", "template", "object"].contains(&name)
}

/// The elements that end where one of this name begins, and those beyond which none of them is looked for.
pub(super) fn ends(name: &str) -> (&'static [&'static str], &'static [&'static str]) {
    const HEADINGS: &[&str] = &["h1", "h2", "h3", "h4", "h5", "h6"];
    match name {
        "li" => (&["li"], &["ul", "ol", "menu", "dir", "td", "th", "dd"]),
        "dt" | "dd" => (&["dt", "dd"], &["dl", "td", "th"]),
        "tr" => (&["tr"], &["table"]),
        "td" | "th" => (&["td", "th"], &["tr", "table"]),
        "thead" | "tbody" | "tfoot" => (&["thead", "tbody", "tfoot", "tr"], &["table"]),
        name if HEADINGS.contains(&name) => (HEADINGS, &["td", "th", "li", "dd", "div", "section", "body"]),
        _ => (&[], &[]),
    }
}
