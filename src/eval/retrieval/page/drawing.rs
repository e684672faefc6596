//! Lines, boxes and words of a chart, in SVG. Colours are names of the style sheet, so that a chart follows its page.

use crate::screen::is_hidden;
use std::fmt::Write;

/// A drawing that grows.
pub(super) struct Drawing {
    width: f64,
    height: f64,
    body: String,
    label: String,
}

/// Where a word stands relative to its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Drawing {
    /// An empty one; `label` says in words what it shows.
    pub fn new(width: f64, height: f64, label: &str) -> Self {
        Self { width, height, body: String::new(), label: label.to_owned() }
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.body.write_fmt(element);
    }

    /// A straight line.
    pub fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.add(format_args!(r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#));
    }

    /// A box of a colour; `says` shows when it is pointed at.
    pub fn bar(&mut self, colour: &str, (x, y): (f64, f64), (width, height): (f64, f64), says: &str) {
        let (width, says) = (width.max(0.0), escaped(says));
        self.add(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="2" fill="var({colour})"><title>{says}</title></rect>"#
        ));
    }

    /// A line through points.
    pub fn path(&mut self, colour: &str, points: &[(f64, f64)], says: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let (points, says) = (points.join(" "), escaped(says));
        self.add(format_args!(
            r#"<polyline class="line" points="{points}" stroke="var({colour})"><title>{says}</title></polyline>"#
        ));
    }

    /// A dot.
    pub fn dot(&mut self, colour: &str, (x, y): (f64, f64), says: &str) {
        let says = escaped(says);
        self.add(format_args!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.5" fill="var({colour})"><title>{says}</title></circle>"#
        ));
    }

    /// A word.
    pub fn word(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        self.add(format_args!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#));
    }

    /// The whole as an element.
    pub fn finish(self) -> String {
        let Self { width, height, body, label } = self;
        format!(r#"<svg viewBox="0 0 {width:.0} {height:.0}" role="img" aria-label="{}">{body}</svg>"#, escaped(&label))
    }
}

/// A text that means itself in HTML.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if is_hidden(c) => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}
