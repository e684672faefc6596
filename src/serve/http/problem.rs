//! What is answered when a request is not: problem JSON (RFC 9457) with the kind that the command line has and a hint
//! for whoever sends requests, or the shape that clients of OpenAI read.

use crate::engine::face::failure::{Diagnose, ErrorKind, Face};
use crate::render::{json_line, json_object};
use crate::serve::RequestError;
use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::{Value, json};
use std::time::Duration;

/// Which clients read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Problem JSON.
    Problem,
    /// As OpenAI's.
    OpenAi,
}

/// A request that was not answered, and why.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    kind: ErrorKind,
    detail: String,
    hint: Option<String>,
    /// Seconds after which it may be tried again.
    retry_after: Option<u32>,
    /// Methods that the path has.
    allow: Option<String>,
}

impl Problem {
    fn new(status: StatusCode, kind: ErrorKind, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status, kind, detail: detail.into(), hint: Some(hint.into()), retry_after: None, allow: None }
    }

    /// The request means nothing.
    pub fn usage(detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorKind::Usage, detail, hint)
    }

    /// Nobody knows who asks.
    pub fn unknown_caller() -> Self {
        let hint = "send the header `Authorization: Bearer TOKEN`; `ken serve` prints a token when it starts";
        Self::new(StatusCode::UNAUTHORIZED, ErrorKind::Usage, "the token is missing or wrong", hint)
    }

    /// Whoever asks may not have this.
    pub fn forbidden(detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, ErrorKind::Usage, detail, hint)
    }

    /// There is nothing here.
    pub fn not_found(detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, ErrorKind::Usage, detail, hint)
    }

    /// Whether this says that there is nothing.
    pub fn is_not_found(&self) -> bool {
        self.status == StatusCode::NOT_FOUND
    }

    /// The path is there, and the method is not.
    pub fn wrong_method(allow: String) -> Self {
        let hint = format!("it has {allow}");
        let problem = Self::new(StatusCode::METHOD_NOT_ALLOWED, ErrorKind::Usage, "this path has no such method", hint);
        Self { allow: Some(allow), ..problem }
    }

    /// The body is too large.
    pub fn too_large(most: usize) -> Self {
        let detail = format!("the body is larger than {} KiB", most >> 10);
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, ErrorKind::Usage, detail, "send less at a time")
    }

    /// The body is no JSON.
    pub fn wrong_type() -> Self {
        let detail = "the body must be JSON";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorKind::Usage, detail, "send `Content-Type: application/json`")
    }

    /// The body did not come in time.
    pub fn too_slow() -> Self {
        let detail = "the body did not come in time";
        Self::new(StatusCode::REQUEST_TIMEOUT, ErrorKind::Interrupted, detail, "send it again")
    }

    /// Too much waits already.
    pub fn too_many() -> Self {
        let problem = Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            ErrorKind::Busy,
            "too many requests wait already",
            "try again after the time in Retry-After",
        );
        Self { retry_after: Some(1), ..problem }
    }

    /// The answer did not come in time.
    pub fn too_late(time: Duration) -> Self {
        Self::from(RequestError::late(time)).with_status(StatusCode::GATEWAY_TIMEOUT)
    }

    /// A fault of ours.
    pub fn internal() -> Self {
        let hint = "the service goes on; its standard error says more";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorKind::Internal, "the request failed inside ken", hint)
    }

    /// The same under another status.
    pub fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// As a response.
    pub fn response(self, shape: Shape) -> Response<Body> {
        let (media, text) = match shape {
            Shape::Problem => ("application/problem+json", json_object(&self.problem())),
            Shape::OpenAi => ("application/json", json_line(&self.open_ai())),
        };
        let mut response = Response::new(Body::from(text));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(methods) = self.allow.and_then(|allow| HeaderValue::from_str(&allow).ok()) {
            headers.insert(ALLOW, methods);
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }

    fn problem(&self) -> Value {
        json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or("Error"),
            "status": self.status.as_u16(),
            "kind": self.kind.name(),
            "detail": self.detail,
            "hint": self.hint,
        })
    }

    fn open_ai(&self) -> Value {
        let kind = match self.status.as_u16() {
            401 => "authentication_error",
            403 => "permission_error",
            429 => "rate_limit_error",
            400..500 => "invalid_request_error",
            _ => "server_error",
        };
        let message = match &self.hint {
            Some(hint) => format!("{} ({hint})", self.detail),
            None => self.detail.clone(),
        };
        json!({"error": {"message": message, "type": kind, "param": null, "code": self.kind.name()}})
    }
}

impl From<RequestError> for Problem {
    fn from(error: RequestError) -> Self {
        let kind = error.kind();
        let status = StatusCode::from_u16(kind.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let retry_after = (kind == ErrorKind::Busy).then_some(1);
        Self { status, kind, detail: error.to_string(), hint: error.hint_for(Face::Http), retry_after, allow: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_say_what_is_wrong_and_what_to_do() {
        let problem = Problem::too_many().problem();
        assert_eq!((&problem["status"], &problem["kind"]), (&json!(429), &json!("busy")));
        assert!(problem["hint"].as_str().unwrap().contains("Retry-After"));
        let response = Problem::too_many().response(Shape::OpenAi);
        assert_eq!(response.headers()[RETRY_AFTER], "1");
        let open_ai = Problem::usage("no", "yes").open_ai();
        assert_eq!(open_ai["error"]["message"], "no (yes)");
        assert_eq!(open_ai["error"]["type"], "invalid_request_error");
        let from = Problem::from(RequestError::usage("wrong", "right"));
        assert_eq!((from.status.as_u16(), from.hint.as_deref()), (400, Some("right")));
        let late = Problem::too_late(Duration::from_secs(30));
        assert_eq!((late.status.as_u16(), late.kind.name()), (504, "interrupted"));
        assert_eq!((late.detail.as_str(), late.retry_after), ("there was no answer within 30 s", None));
    }
}
