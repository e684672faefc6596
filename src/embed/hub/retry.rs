//! When the hub is asked again, and how long after.
//!
//! A pause starts with the settings' and doubles. A server that is busy may ask for a longer one by `Retry-After`, in
//! seconds or as a date (RFC 9110, 10.2.3). The date is compared with the `Date` of the same answer, so that a clock
//! that is wrong here does no harm.

use super::client::{Answer, Client};
use crate::embed::EmbedError;
use crate::embed::event::PullEvent;
use crate::text::parse_timestamp;
use std::time::Duration;

/// Longest pause of our own accord.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// Longest pause that a server can ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(120);

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Runs `attempt` again after failures that may pass. A server's own wish for a pause is heard.
pub(super) fn retrying<T>(
    client: &Client<'_>,
    path: &str,
    on: &mut dyn FnMut(PullEvent<'_>),
    mut attempt: impl FnMut(&mut dyn FnMut(PullEvent<'_>)) -> Result<T, EmbedError>,
) -> Result<T, EmbedError> {
    let mut backoff = client.settings.backoff;
    for _ in 0..client.settings.retries {
        match attempt(on) {
            Err(error @ (EmbedError::Broken { .. } | EmbedError::HubStatus { .. })) if error.is_out_of_reach() => {
                let wish = match &error {
                    EmbedError::HubStatus { retry_after, .. } => retry_after.unwrap_or_default(),
                    _ => Duration::ZERO,
                };
                let pause = backoff.min(MAX_PAUSE).max(wish.min(MAX_RETRY_AFTER));
                on(PullEvent::Retry { path, why: &error.to_string(), pause });
                std::thread::sleep(pause);
                backoff = backoff.saturating_mul(2);
            }
            done => return done,
        }
    }
    attempt(on)
}

/// The error for an answer that is no success.
pub(super) fn check_status(url: &str, answer: &Answer, path: Option<&str>) -> Result<(), EmbedError> {
    let url = url.to_owned();
    Err(match answer.response.status().as_u16() {
        status @ (401 | 403) => EmbedError::HubDenied { url, status },
        404 => EmbedError::HubMissing { url },
        408 => EmbedError::Broken { file: path.unwrap_or(&url).to_owned(), why: "the request timed out".into() },
        status => {
            // Of the last answer alone: what a redirect says is not about what is asked again.
            let header = |name: &str| answer.response.headers().get(name).and_then(|value| value.to_str().ok());
            let retry_after = header("retry-after").and_then(|wish| pause_of(wish, header("date")));
            EmbedError::HubStatus { url, status, retry_after }
        }
    })
}

/// The pause that a `Retry-After` asks for, given the `Date` of the answer; none where it makes no sense.
fn pause_of(wish: &str, date: Option<&str>) -> Option<Duration> {
    let wish = wish.trim();
    if !wish.is_empty() && wish.bytes().all(|b| b.is_ascii_digit()) {
        // More digits than fit are more seconds than anybody waits.
        return Some(Duration::from_secs(wish.parse().unwrap_or(u64::MAX)));
    }
    let ahead_ms = http_date(wish)? - http_date(date?.trim())?;
    Some(Duration::from_millis(u64::try_from(ahead_ms).unwrap_or(0)))
}

/// Milliseconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`, the one form of dates that servers may send.
fn http_date(text: &str) -> Option<i64> {
    let (_, rest) = text.split_once(", ")?;
    let mut parts = rest.split(' ');
    let (day, month, year, time) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    if parts.next() != Some("GMT") || parts.next().is_some() {
        return None;
    }
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    parse_timestamp(&format!("{year}-{month:02}-{day}T{time}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_in_seconds_and_as_dates() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        let of = |wish: &str| pause_of(wish, Some(date));
        assert_eq!(of("120"), Some(Duration::from_secs(120)));
        assert_eq!(of(" 0 "), Some(Duration::ZERO));
        assert_eq!(of("99999999999999999999"), Some(Duration::from_secs(u64::MAX)));
        assert_eq!(of("Sun, 06 Nov 1994 08:50:07 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(of("Mon, 07 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(86_400)));
        assert_eq!(of("Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO), "it is past");
        for odd in ["", "-1", "1.5", "soon", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", ", "] {
            assert_eq!(of(odd), None, "{odd:?}");
        }
        assert_eq!(pause_of("Sun, 06 Nov 1994 08:50:07 GMT", None), None, "nothing to compare with");
        assert_eq!(pause_of("5", None), Some(Duration::from_secs(5)));
    }
}
