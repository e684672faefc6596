//! Who is heard. A page of some other site must not reach the service through a browser of this machine, and nobody
//! reads what his token does not cover.
//!
//! | threat | what is held against it |
//! |---|---|
//! | another program's user | a token, compared in constant time |
//! | DNS rebinding | `Host` must be a name of ours |
//! | a foreign page's script, form or image | `Origin` must be ours; bodies must be JSON; no CORS |
//! | a token that covers less | a right a route, scopes as part of every filter |

use super::problem::Problem;
use crate::config::{Right, Token, Tokens};
use crate::types::{Access, Author, Scope};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, Method, request::Parts};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// Names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// What whoever asks may do and see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Admitted {
    pub right: Right,
    pub access: Access,
    /// What their token is called; the owner's has no name.
    pub name: Option<String>,
    /// Whether they have shown a token, and not only reached a service that asks for none.
    has_token: bool,
}

/// Whoever has no name of their own.
const NAMELESS: &str = "http";

impl Admitted {
    /// Whoever runs the service.
    fn owner() -> Self {
        Self { right: Right::Admin, access: Access::all(), name: None, has_token: true }
    }

    /// Whoever reaches a service that asks for no token.
    fn anybody() -> Self {
        Self { has_token: false, ..Self::owner() }
    }

    /// Whoever asks what everybody may have.
    fn nobody() -> Self {
        Self { right: Right::Read, access: Access::only(Vec::new()), name: None, has_token: false }
    }

    /// Who speaks. Even the owner's token is a program's here: a program that holds it says what it found, and nobody
    /// has read that yet.
    pub fn author(&self) -> Author {
        Author::Program(self.name.clone().unwrap_or_else(|| NAMELESS.to_owned()))
    }

    /// The person who decides, where whoever asks counts as one. To confirm, approve or reject is asked for by itself,
    /// and by whoever was trusted with everything; where no token is asked for, any program of the machine could be it.
    pub fn person(&self) -> Result<Author, Problem> {
        if self.right == Right::Admin && self.has_token {
            return Ok(Author::Person);
        }
        let hint = "use a token with the right admin, or decide in a terminal: `ken memory`";
        Err(Problem::forbidden("only a person decides that, and a token has to stand for them", hint))
    }

    fn of(token: &Token) -> Self {
        let scope = |name: &String| if name == "global" { Scope::global() } else { Scope::repository(name.as_str()) };
        let access = match token.scopes.as_slice() {
            [] => Access::all(),
            // What was learnt in its only scope is what its holder asks from.
            [one] => Access::only(vec![scope(one)]).from_home(&scope(one)),
            some => Access::only(some.iter().map(scope).collect()),
        };
        Self { right: token.right, access, name: Some(token.name.clone()), has_token: true }
    }
}

/// Who may ask.
pub enum Admission {
    /// Everybody who reaches it.
    Open,
    /// Whoever shows the token of the owner, or one of the list.
    Tokens {
        /// The owner's token.
        own: String,
        /// The list.
        list: PathBuf,
    },
}

/// Which names and callers are heard.
pub(super) struct Trust {
    /// With and without the port; none where no browser can come, at a socket of the file system.
    hosts: Option<Vec<String>>,
    tokens: Option<Kept>,
}

struct Kept {
    own: String,
    path: PathBuf,
    read: RwLock<Option<Tokens>>,
}

impl Trust {
    /// For a service at this port, which is also reached by these names; without a port for a socket of the file
    /// system.
    pub fn new(port: Option<u16>, address: Option<IpAddr>, names: &[String], admission: Admission) -> Self {
        let hosts = port.map(|port| {
            let own = address.filter(|address| !address.is_unspecified()).map(|address| match address {
                IpAddr::V4(four) => four.to_string(),
                IpAddr::V6(six) => format!("[{six}]"),
            });
            let all = LOOPBACK.iter().map(|name| (*name).to_owned()).chain(own).chain(names.iter().cloned());
            all.flat_map(|name| [format!("{name}:{port}"), name]).map(|name| name.to_ascii_lowercase()).collect()
        });
        let tokens = match admission {
            Admission::Open => None,
            Admission::Tokens { own, list } => Some(Kept { own, path: list, read: RwLock::new(None) }),
        };
        Self { hosts, tokens }
    }

    /// Who asks, if the request is one that is heard. A route that needs no right is open to all who reach it.
    pub fn admit(&self, parts: &Parts, need: Option<Right>) -> Result<Admitted, Problem> {
        self.names_are_ours(parts)?;
        let has_body = matches!(parts.method, Method::POST | Method::PUT | Method::PATCH);
        if has_body && !is_json(&parts.headers) {
            return Err(Problem::wrong_type());
        }
        let Some(need) = need else { return Ok(Admitted::nobody()) };
        let caller = self.caller(&parts.headers).ok_or_else(Problem::unknown_caller)?;
        if caller.right < need {
            let detail =
                format!("this token may {}, and this route needs one that may {}", verb(caller.right), verb(need));
            let hint =
                format!("whoever runs the service can make one: `ken serve token add NAME --right {}`", need.name());
            return Err(Problem::forbidden(detail, hint));
        }
        Ok(caller)
    }

    /// An error unless the service is asked by a name of its own, from no page but its own.
    pub fn names_are_ours(&self, parts: &Parts) -> Result<(), Problem> {
        let Some(hosts) = &self.hosts else { return Ok(()) };
        let is_ours = |name: &str| hosts.iter().any(|host| *host == name.to_ascii_lowercase());
        // A request may name its host in its first line as well; both must be ours.
        let named = parts.uri.authority().map(|authority| authority.as_str().to_owned());
        let header = parts.headers.get_all(HOST).iter().map(|host| host.to_str().unwrap_or_default().to_owned());
        let all: Vec<String> = header.chain(named).collect();
        if all.is_empty() || !all.iter().all(|name| is_ours(name)) {
            let hint = "ask by the address that `ken serve` printed; whoever runs it can add names: \
                        `ken config set serve.hosts NAME`";
            return Err(Problem::forbidden("the service has no such name", hint));
        }
        let foreign = parts.headers.get_all(ORIGIN).iter().any(|origin| {
            let host = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
            !host.is_some_and(is_ours)
        });
        if foreign {
            return Err(Problem::forbidden(
                "a page of another site asks",
                "only the service's own page may ask from a browser",
            ));
        }
        Ok(())
    }

    fn caller(&self, headers: &HeaderMap) -> Option<Admitted> {
        let Some(kept) = &self.tokens else { return Some(Admitted::anybody()) };
        let shown = headers.get(AUTHORIZATION)?.to_str().ok()?;
        let (scheme, secret) = shown.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        kept.caller(secret.trim())
    }
}

impl Kept {
    fn caller(&self, secret: &str) -> Option<Admitted> {
        use subtle::ConstantTimeEq;
        let is_own: bool = self.own.as_bytes().ct_eq(secret.as_bytes()).into();
        if is_own {
            return Some(Admitted::owner());
        }
        if let Some(tokens) = &*self.read.read().unwrap_or_else(PoisonError::into_inner)
            && tokens.is_unchanged()
        {
            return tokens.of(secret).map(Admitted::of);
        }
        // A list that cannot be read lets nobody in.
        let tokens = read(&self.path)?;
        let found = tokens.of(secret).map(Admitted::of);
        *self.read.write().unwrap_or_else(PoisonError::into_inner) = Some(tokens);
        found
    }
}

fn read(path: &Path) -> Option<Tokens> {
    Tokens::read(path).ok()
}

fn verb(right: Right) -> &'static str {
    match right {
        Right::Read => "ask",
        Right::Write => "ask, put items and remember",
        Right::Admin => "do everything",
    }
}

/// Whether a body is said to be JSON. A form or a plain text, which any page may send, is not.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(media) = headers.get(CONTENT_TYPE).and_then(|media| media.to_str().ok()) else { return false };
    let essence = media.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    fn parts(method: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder().method(method).uri("/v1/search");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    fn status(trust: &Trust, need: Option<Right>, headers: &[(&str, &str)]) -> u16 {
        let method = if headers.iter().any(|(name, _)| *name == "content-type") { "POST" } else { "GET" };
        match trust.admit(&parts(method, headers), need) {
            Ok(_) => 200,
            Err(problem) => problem.response(super::super::problem::Shape::Problem).status().as_u16(),
        }
    }

    #[test]
    fn only_names_of_ours_are_heard() {
        let trust = Trust::new(Some(7717), None, &["ken.example".to_owned()], Admission::Open);
        for (host, expected) in [
            ("localhost:7717", 200),
            ("LOCALHOST", 200),
            ("127.0.0.1:7717", 200),
            ("[::1]:7717", 200),
            ("ken.example:7717", 200),
            ("ken.example", 200),
            ("127.0.0.1:80", 403),
            ("127.0.0.1.evil.example", 403),
            ("127.evil.example:7717", 403),
            ("evil.example:7717", 403),
            ("localhost:7717@evil.example", 403),
            ("", 403),
        ] {
            assert_eq!(status(&trust, Some(Right::Read), &[("host", host)]), expected, "{host}");
        }
        assert_eq!(status(&trust, None, &[]), 403, "no host at all");
        let two = [("host", "localhost:7717"), ("host", "evil.example")];
        assert_eq!(status(&trust, None, &two), 403, "two hosts");
        let socket = Trust::new(None, None, &[], Admission::Open);
        assert_eq!(status(&socket, Some(Right::Admin), &[("host", "anything")]), 200);
    }

    #[test]
    fn other_pages_are_not_heard() {
        let trust = Trust::new(Some(7717), None, &[], Admission::Open);
        for (origin, expected) in [
            ("http://localhost:7717", 200),
            ("http://127.0.0.1:7717", 200),
            ("null", 403),
            ("http://evil.example", 403),
            ("http://localhost:8080", 403),
            ("http://localhost:7717.evil.example", 403),
            ("", 403),
        ] {
            let headers = [("host", "localhost:7717"), ("origin", origin)];
            assert_eq!(status(&trust, Some(Right::Read), &headers), expected, "{origin}");
        }
        // Rebinding makes host and origin the same, and both foreign.
        let rebound = [("host", "evil.example:7717"), ("origin", "http://evil.example:7717")];
        assert_eq!(status(&trust, None, &rebound), 403);
        for (media, expected) in [
            ("application/json", 200),
            ("application/json; charset=utf-8", 200),
            ("text/plain", 415),
            ("application/x-www-form-urlencoded", 415),
            ("text/plain; application/json", 415),
        ] {
            let headers = [("host", "localhost:7717"), ("content-type", media)];
            assert_eq!(status(&trust, Some(Right::Read), &headers), expected, "{media}");
        }
    }

    #[test]
    fn a_token_is_asked_for_and_its_right_is_enough_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("tokens.json");
        let own = "ken_own-token-of-whoever-runs-it-0123456789".to_owned();
        let admission = Admission::Tokens { own: own.clone(), list: list.clone() };
        let trust = Trust::new(Some(7717), None, &[], admission);
        let shown = |need, header: &str| status(&trust, need, &[("host", "localhost:7717"), ("authorization", header)]);
        assert_eq!(shown(Some(Right::Admin), &format!("Bearer {own}")), 200);
        assert_eq!(shown(Some(Right::Admin), &format!("bearer  {own}")), 200);
        for wrong in ["", "Bearer", "Bearer ", "Bearer ken_", &format!("Basic {own}"), &own, "Bearer null"] {
            assert_eq!(shown(Some(Right::Read), wrong), 401, "{wrong}");
        }
        assert_eq!(status(&trust, Some(Right::Read), &[("host", "localhost:7717")]), 401);
        assert_eq!(status(&trust, None, &[("host", "localhost:7717")]), 200);
        // A list that is made, changed and damaged while the service runs.
        let mut tokens = Tokens::read(&list).unwrap();
        let reader = format!("Bearer {}", tokens.add("reader", Right::Read, vec!["git:a".to_owned()]).unwrap());
        let caller =
            trust.admit(&parts("GET", &[("host", "localhost"), ("authorization", &reader)]), Some(Right::Read));
        let caller = caller.unwrap();
        let scope = Scope::repository("git:a");
        assert_eq!(caller.access, Access::only(vec![scope.clone()]).from_home(&scope));
        assert_eq!(caller.author(), Author::Program("reader".to_owned()));
        assert_eq!(shown(Some(Right::Write), &reader), 403);
        let writer = format!("Bearer {}", tokens.add("the-writer", Right::Write, Vec::new()).unwrap());
        assert_eq!(shown(Some(Right::Write), &writer), 200);
        assert_eq!(shown(Some(Right::Admin), &writer), 403);
        assert_eq!(shown(Some(Right::Read), &reader), 200, "the second one does not end the first");
        // Only who was trusted with everything speaks for a person, and not where nobody is asked who they are.
        let chief = format!("Bearer {}", tokens.add("chief", Right::Admin, Vec::new()).unwrap());
        let person = |trust: &Trust, header: &str| {
            let parts = parts("GET", &[("host", "localhost"), ("authorization", header)]);
            trust.admit(&parts, Some(Right::Read)).unwrap().person().ok()
        };
        assert_eq!(person(&trust, &chief), Some(Author::Person));
        assert_eq!(person(&trust, &format!("Bearer {own}")), Some(Author::Person));
        assert_eq!(person(&trust, &writer), None);
        assert_eq!(person(&Trust::new(Some(7717), None, &[], Admission::Open), ""), None);
        tokens.remove("reader").unwrap();
        assert_eq!(shown(Some(Right::Read), &reader), 401);
        std::fs::write(&list, "damaged").unwrap();
        assert_eq!(shown(Some(Right::Read), &writer), 401);
        assert_eq!(shown(Some(Right::Admin), &format!("Bearer {own}")), 200);
    }
}
