//! placeholder until merge
pub(super) fn document() -> &'static str {
    ""
}
pub(super) fn policy() -> &'static str {
    "default-src 'none'"
}
