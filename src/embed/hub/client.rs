//! HTTP requests: certificates of the system, the proxy of the settings, the token for the endpoint alone.
//!
//! Redirects are followed here and not by the library, because each hop decides anew who may see the token and which
//! headers count. A first connection that fails means the hub is out of reach, at once; once it has answered, a
//! failing connection is worth another try.

use crate::embed::EmbedError;
use crate::embed::settings::{HubSettings, ProxySettings};
use std::cell::Cell;
use std::time::Duration;
use ureq::http::{Response, Uri, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, Error, Proxy};

const MAX_HOPS: usize = 10;

/// Makes requests.
pub(super) struct Client<'a> {
    pub(super) settings: &'a HubSettings,
    direct: Agent,
    proxied: Option<(Agent, &'a ProxySettings)>,
    endpoint: Uri,
    answered: Cell<bool>,
}

/// What to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// The headers; redirects to other hosts are not followed.
    Head,
    /// The bytes from this one on; redirects are followed.
    Get { from: u64 },
}

impl<'a> Client<'a> {
    pub(super) fn new(settings: &'a HubSettings) -> Result<Self, EmbedError> {
        let unusable = |why: String| EmbedError::HubUnreachable { endpoint: settings.endpoint.clone(), why };
        let endpoint: Uri = settings.endpoint.parse().map_err(|e| unusable(format!("not an address: {e}")))?;
        if endpoint.host().is_none() || !matches!(endpoint.scheme_str(), Some("http" | "https")) {
            return Err(unusable("not an http or https address".into()));
        }
        let proxied = match &settings.proxy {
            Some(proxy) => {
                let parsed = Proxy::new(&proxy.url).map_err(|_| unusable("the proxy's address is not one".into()))?;
                Some((agent(settings, Some(parsed)), proxy))
            }
            None => None,
        };
        Ok(Self { settings, direct: agent(settings, None), proxied, endpoint, answered: Cell::new(false) })
    }

    /// Sends a request and follows redirects. Any HTTP status is an answer.
    pub(super) fn send(&self, url: &str, ask: Ask) -> Result<Answer, EmbedError> {
        // Names are resolved by a thread that is started without asking whether it can be.
        crate::threads::can_start(1).map_err(|error| EmbedError::HubUnreachable {
            endpoint: self.settings.endpoint.clone(),
            why: format!("no thread can be started: {error}"),
        })?;
        let mut uri: Uri = url.parse().map_err(|e| protocol(url, format!("not an address: {e}")))?;
        let mut hops = Vec::new();
        loop {
            let response = self.once(&uri, ask).map_err(|e| self.failed(url, &e))?;
            self.answered.set(true);
            if !response.status().is_redirection() {
                return Ok(Answer { response, hops });
            }
            let target = location(&uri, &response).ok_or_else(|| protocol(url, "a redirect to nowhere".into()))?;
            if ask == Ask::Head && !same_origin(&uri, &target) {
                return Ok(Answer { response, hops });
            }
            // Nobody who was reached by TLS may send us on without it.
            if uri.scheme_str() == Some("https") && target.scheme_str() != Some("https") {
                return Err(protocol(url, format!("a redirect from https to {target}")));
            }
            hops.push(response);
            if hops.len() > MAX_HOPS {
                return Err(protocol(url, "too many redirects".into()));
            }
            uri = target;
        }
    }

    fn once(&self, uri: &Uri, ask: Ask) -> Result<Response<Body>, Error> {
        let host = uri.host().unwrap_or_default();
        let agent = match &self.proxied {
            Some((agent, proxy)) if !proxy.excludes(host) => agent,
            _ => &self.direct,
        };
        let mut request = match ask {
            Ask::Head => agent.head(uri),
            Ask::Get { .. } => agent.get(uri),
        };
        // Compressed transfer would hide the length and break resuming.
        request = request.header(header::ACCEPT_ENCODING, "identity");
        if let Ask::Get { from: from @ 1.. } = ask {
            request = request.header(header::RANGE, format!("bytes={from}-"));
        }
        if let Some(token) = &self.settings.token
            && same_origin(&self.endpoint, uri)
        {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        request.call()
    }

    fn failed(&self, url: &str, error: &Error) -> EmbedError {
        let limit = self.settings.connect_timeout;
        let why = match error {
            Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
                format!("no answer within {} s", seconds(limit))
            }
            Error::Timeout(ureq::Timeout::RecvResponse) => {
                format!("no answer within {} s", seconds(self.settings.answer_timeout))
            }
            Error::Timeout(_) => format!("no answer within {} s", seconds(self.settings.read_timeout)),
            Error::HostNotFound => "its name cannot be resolved".into(),
            Error::Io(error) => plain(error),
            other => other.to_string(),
        };
        if self.answered.get() {
            EmbedError::Broken { file: url.to_owned(), why }
        } else {
            EmbedError::HubUnreachable { endpoint: self.settings.endpoint.clone(), why }
        }
    }
}

/// An answer with the redirects that led to it.
pub(super) struct Answer {
    pub response: Response<Body>,
    hops: Vec<Response<Body>>,
}

impl Answer {
    /// A header, of the last answer that has it.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut answers = std::iter::once(&self.response).chain(self.hops.iter().rev());
        answers.find_map(|r| r.headers().get(name)?.to_str().ok())
    }
}

fn agent(settings: &HubSettings, proxy: Option<Proxy>) -> Agent {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    Agent::config_builder()
        .tls_config(tls)
        .proxy(proxy)
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(concat!("kenning/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(Some(settings.connect_timeout))
        .timeout_connect(Some(settings.connect_timeout))
        .timeout_recv_response(Some(settings.answer_timeout))
        .timeout_per_read(Some(settings.read_timeout))
        .build()
        .new_agent()
}

fn protocol(url: &str, what: String) -> EmbedError {
    EmbedError::HubProtocol { url: url.to_owned(), what }
}

fn seconds(limit: Duration) -> f32 {
    limit.as_secs_f32()
}

/// An operating system's message without its number.
pub(super) fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

fn same_origin(a: &Uri, b: &Uri) -> bool {
    let port = |u: &Uri| u.port_u16().or(if u.scheme_str() == Some("https") { Some(443) } else { Some(80) });
    let host = |u: &Uri| u.host().map(str::to_ascii_lowercase);
    a.scheme_str() == b.scheme_str() && host(a) == host(b) && port(a) == port(b)
}

/// Where a redirect leads: an absolute address, one on the same host, or one in the same folder.
fn location(from: &Uri, response: &Response<Body>) -> Option<Uri> {
    let text = response.headers().get(header::LOCATION)?.to_str().ok()?;
    let (scheme, authority) = (from.scheme_str()?, from.authority()?);
    let before_slash = text.split('/').next().unwrap_or_default();
    let absolute = if before_slash.contains(':') {
        text.to_owned()
    } else if text.starts_with("//") {
        format!("{scheme}:{text}")
    } else if text.starts_with('/') {
        format!("{scheme}://{authority}{text}")
    } else {
        let folder = from.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{scheme}://{authority}{folder}/{text}")
    };
    let target: Uri = absolute.parse().ok()?;
    (matches!(target.scheme_str(), Some("http" | "https")) && target.host().is_some()).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> Uri {
        text.parse().unwrap()
    }

    #[test]
    fn origins() {
        assert!(same_origin(&uri("https://Hub.example/a"), &uri("https://hub.example:443/b")));
        assert!(!same_origin(&uri("https://hub.example/a"), &uri("http://hub.example/a")));
        assert!(!same_origin(&uri("http://hub.example:1/a"), &uri("http://hub.example:2/a")));
        assert!(!same_origin(&uri("http://hub.example/a"), &uri("http://hub.example.evil/a")));
    }

    #[test]
    fn redirects_resolve() {
        let to = |place: &str| {
            let response = Response::builder().header("location", place).body(Body::builder().data("")).unwrap();
            location(&uri("http://hub.example/a/b?c"), &response).map(|u| u.to_string())
        };
        assert_eq!(to("https://cdn.example/x").unwrap(), "https://cdn.example/x");
        assert_eq!(to("/api/x?y=1").unwrap(), "http://hub.example/api/x?y=1");
        assert_eq!(to("z").unwrap(), "http://hub.example/a/z");
        assert_eq!(to("//cdn.example/x").unwrap(), "http://cdn.example/x");
        assert_eq!(to("/x?next=https://other.example/").unwrap(), "http://hub.example/x?next=https://other.example/");
        assert_eq!(to("ftp://cdn.example/x"), None);
    }
}
