//! How much the long runs do: crashes, churn, fuzzing, every step of every pack.
//!
//! `KEN_LONG_TESTS=1` makes them whole; `.ci/run` sets it. Without it each does a fifth, so that a first look at the
//! project takes minutes. What a run looks for is the same.

/// Whether the long runs are to be whole.
pub fn is_long() -> bool {
    std::env::var_os("KEN_LONG_TESTS").is_some_and(|value| value == "1")
}

/// How much a run does: what the variable says, else all of `whole` or a fifth of it, and `least` at least.
pub fn amount(variable: &str, whole: u32, least: u32) -> u32 {
    let usual = if is_long() { whole } else { (whole / 5).max(least) };
    std::env::var(variable).ok().and_then(|amount| amount.parse().ok()).unwrap_or(usual)
}
