//! Stand-in.
use std::borrow::Cow;
/// r
pub struct Redacted<'a> {
    /// t
    pub text: Cow<'a, str>,
    /// f
    pub found: Vec<Secret>,
}
/// s
pub struct Secret {
    /// k
    pub kind: &'static str,
    /// l
    pub line: usize,
}
/// r
pub fn redact(text: &str) -> Redacted<'_> {
    Redacted { text: Cow::Borrowed(text), found: Vec::new() }
}
