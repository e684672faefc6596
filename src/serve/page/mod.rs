//! The page at `/`: search, lookup, failures of tools, tools for a task and status in a browser, over the same answers
//! as elsewhere.
//!
//! One document that holds its style and its script, so that nothing else is fetched. The policy lets exactly these two
//! run, by their hashes, and lets the page talk to its own origin alone. The script is a plain one, in five files that
//! are joined as they are: `elements.js` makes elements, `service.js` asks, `answers.js` and `tools.js` show what was
//! answered, and `page.js` is the page around them. `tests/clients/page.py` drives it in a browser.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use std::sync::OnceLock;

const TEMPLATE: &str = include_str!("index.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(
    include_str!("elements.js"),
    include_str!("service.js"),
    include_str!("answers.js"),
    include_str!("tools.js"),
    include_str!("page.js")
);

/// The whole page, to be sent as `text/html; charset=utf-8` and never without [`policy`].
pub(super) fn document() -> &'static str {
    static DOCUMENT: OnceLock<String> = OnceLock::new();
    DOCUMENT.get_or_init(|| TEMPLATE.replacen("{style}", STYLE, 1).replacen("{script}", SCRIPT, 1))
}

/// The value of the header `Content-Security-Policy` that belongs to [`document`].
pub(super) fn policy() -> &'static str {
    static POLICY: OnceLock<String> = OnceLock::new();
    POLICY.get_or_init(|| {
        format!(
            "default-src 'none'; script-src '{}'; style-src '{}'; connect-src 'self'; img-src data:; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'",
            source(SCRIPT),
            source(STYLE)
        )
    })
}

/// How a policy names a script or style that stands in the document.
fn source(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands between two marks that the document has once each.
    fn between(start: &str, end: &str) -> &'static str {
        let document = document();
        assert_eq!((document.matches(start).count(), document.matches(end).count()), (1, 1), "{start} {end}");
        let from = document.find(start).unwrap() + start.len();
        &document[from..document.find(end).unwrap()]
    }

    #[test]
    fn a_source_is_named_as_policies_have_it() {
        // What `printf '' | openssl dgst -sha256 -binary | base64` prints.
        assert_eq!(source(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn the_policy_names_the_very_bytes_of_the_document() {
        let script = between("<script type=\"module\">", "</script>");
        let style = between("<style>", "</style>");
        assert!(policy().contains(&format!("script-src '{}';", source(script))));
        assert!(policy().contains(&format!("style-src '{}';", source(style))));
        // A browser hashes what it has parsed, and it drops these.
        assert!(!document().contains(['\r', '\0']));
        assert!(document().is_ascii() || document()[..200].contains("charset=\"utf-8\""));
    }

    #[test]
    fn the_policy_lets_nothing_else_in() {
        let allowed: Vec<&str> = policy().split("; ").collect();
        assert_eq!(allowed.len(), 8);
        for wanted in ["default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'"] {
            assert!(allowed.contains(&wanted), "{wanted}");
        }
        assert!(allowed.contains(&"frame-ancestors 'none'") && !policy().contains("unsafe"));
    }

    #[test]
    fn nothing_of_another_origin_is_named() {
        for named in ["://", "url(", "@import", "src=\"//", "href=\"//", "import(", "WebSocket", "sendBeacon"] {
            assert!(!document().contains(named), "{named}");
        }
    }

    #[test]
    fn no_tag_has_a_handler_or_a_style() {
        let tags = TEMPLATE.split('<').skip(1).filter_map(|rest| rest.split('>').next());
        for attribute in tags.flat_map(|tag| tag.split_whitespace().skip(1)) {
            assert!(!attribute.starts_with("on") && !attribute.starts_with("style="), "{attribute}");
        }
    }

    #[test]
    fn the_script_makes_no_html_and_keeps_nothing_for_long() {
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "setHTML",
            "DOMParser",
            "createContextualFragment",
            "srcdoc",
            "eval(",
            "Function(",
            "javascript:",
            "localStorage",
            "indexedDB",
            "cookie",
        ] {
            assert!(!SCRIPT.contains(word), "{word}");
        }
    }
}
