//! Which URLs of servers are used, what is sent along, and where a server may send us on to: `https`, or `http` on this
//! machine, and never to another host, which the headers are not for.

use std::fmt;
use ureq::http::{HeaderName, HeaderValue, Uri};

/// Most headers of one server, and the longest value.
const HEADERS: usize = 50;
const VALUE: usize = 16_384;

/// Headers that the protocol or the connection sets.
const OWN_HEADERS: [&str; 10] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
];

/// Headers for a server. Their values are secrets and are not shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Headers(pub(super) Vec<(HeaderName, HeaderValue)>);

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name.as_str())).finish()
    }
}

/// Whether a host is this machine.
fn is_here(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Whether an address is on this machine.
pub(super) fn is_local(url: &Uri) -> bool {
    url.host().is_some_and(is_here)
}

/// Reads a URL of a server.
///
/// # Errors
/// What is wrong with it.
pub(super) fn address(text: &str) -> Result<Uri, &'static str> {
    let url: Uri = text.trim().parse().map_err(|_| "it is no URL")?;
    let (Some(scheme), Some(authority)) = (url.scheme_str(), url.authority()) else {
        return Err("it has to begin with https:// and a host");
    };
    if authority.as_str().contains('@') {
        return Err("it has a name or password in it; send it as a header, and name a variable there");
    }
    if authority.host().is_empty() {
        return Err("it names no host");
    }
    match scheme {
        "https" => Ok(url),
        "http" if is_local(&url) => Ok(url),
        "http" => Err("http is for servers on this machine; others are reached by https"),
        _ => Err("it begins with neither https:// nor http://"),
    }
}

/// Where a server sends us on to: another place of its own.
///
/// # Errors
/// Where it leads, if that is elsewhere.
pub(super) fn sent_on(from: &Uri, to: &str) -> Result<Uri, String> {
    let (scheme, authority) = (from.scheme_str().unwrap_or_default(), from.authority().map_or("", |it| it.as_str()));
    let whole = match to.starts_with('/') && !to.starts_with("//") {
        true => format!("{scheme}://{authority}{to}"),
        false => to.to_owned(),
    };
    let port = |url: &Uri| url.port_u16().unwrap_or(if url.scheme_str() == Some("https") { 443 } else { 80 });
    let host = |url: &Uri| url.host().map(str::to_ascii_lowercase);
    let target = address(&whole).ok().filter(|target| {
        target.scheme_str() == from.scheme_str() && host(target) == host(from) && port(target) == port(from)
    });
    target.ok_or_else(|| to.to_owned())
}

/// Reads headers. A value names variables as `${NAME}`; `variable` knows them.
///
/// # Errors
/// What is wrong, without a value.
pub(super) fn headers<'t>(
    all: impl IntoIterator<Item = (&'t str, &'t str)>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Headers, String> {
    let mut out: Vec<(HeaderName, HeaderValue)> = Vec::new();
    for (name, value) in all {
        let parsed: HeaderName = name.trim().parse().map_err(|_| format!("{name:?} is no name of a header"))?;
        if OWN_HEADERS.contains(&parsed.as_str()) {
            return Err(format!("header {parsed} is set by the protocol"));
        }
        if out.iter().any(|(known, _)| *known == parsed) {
            return Err(format!("header {parsed} is there twice"));
        }
        let value = filled(value, variable).map_err(|why| format!("header {parsed}: {why}"))?;
        let value = value.trim();
        let mut value = HeaderValue::from_str(value).ok().filter(|_| value.len() <= VALUE).ok_or_else(|| {
            format!("the value of header {parsed} is too long or has letters that no header may have")
        })?;
        value.set_sensitive(true);
        out.push((parsed, value));
        if out.len() > HEADERS {
            return Err(format!("there are more than {HEADERS} headers"));
        }
    }
    Ok(Headers(out))
}

/// A value with its variables filled in. Agents' settings write them as `${NAME}` or `${env:NAME}`.
fn filled(value: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, more)) = after.split_once('}') else { return Err("${ has no }".to_owned()) };
        let name = name.strip_prefix("env:").unwrap_or(name);
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            && name.starts_with(|letter: char| !letter.is_ascii_digit());
        if !is_name {
            return Err("what stands in ${} is no name of a variable".to_owned());
        }
        let filled = variable(name).filter(|value| !value.is_empty());
        out.push_str(before);
        out.push_str(&filled.ok_or_else(|| format!("the variable {name} is not set"))?);
        rest = more;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_are_reached_by_https_alone() {
        for good in [
            "https://mcp.example/mcp?x=1",
            "http://localhost:8000/mcp",
            "http://127.1.2.3/mcp",
            "http://[::1]:1/",
            "http://[::ffff:127.0.0.1]/",
            "HTTPS://mcp.example",
        ] {
            assert!(address(good).is_ok(), "{good}: {:?}", address(good));
        }
        for bad in [
            "",
            "mcp.example/mcp",
            "/mcp",
            "http://mcp.example/mcp",
            "http://localhost.example/",
            "http://127.0.0.1.example/",
            "http://10.0.0.1/",
            "ftp://mcp.example/",
            "https://me:word@mcp.example/",
            "https://",
            "https:///mcp",
        ] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_server_sends_on_within_itself_alone() {
        let from: Uri = "https://mcp.example/mcp".parse().unwrap();
        let to = |place: &str| sent_on(&from, place).map(|url| url.to_string());
        assert_eq!(to("/mcp/").unwrap(), "https://mcp.example/mcp/");
        assert_eq!(to("https://MCP.example:443/x").unwrap(), "https://MCP.example:443/x");
        for place in [
            "//other.example/x",
            "https://other.example/x",
            "http://mcp.example/mcp",
            "https://mcp.example:8443/",
            "x",
            "",
        ] {
            assert_eq!(to(place).unwrap_err(), place);
        }
    }

    #[test]
    fn headers_take_their_secrets_from_variables() {
        let variable = |name: &str| match name {
            "TOKEN" => Some("s3cret".to_owned()),
            "LINES" => Some("a\nb".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        let read = |name, value| headers([(name, value)], &variable);
        let Headers(all) = read("Authorization", "Bearer ${TOKEN}").unwrap();
        assert_eq!((all[0].0.as_str(), all[0].1.to_str().unwrap()), ("authorization", "Bearer s3cret"));
        assert_eq!(read("X-Key", "${env:TOKEN}-${TOKEN}").unwrap().0[0].1.to_str().unwrap(), "s3cret-s3cret");
        assert_eq!(read("X-Key", "$5 {x}").unwrap().0[0].1.to_str().unwrap(), "$5 {x}");
        assert!(!format!("{:?}", read("Authorization", "${TOKEN}").unwrap()).contains("s3cret"));
        for (name, value, why) in [
            ("X", "${NONE}", "NONE is not set"),
            ("X", "${EMPTY}", "EMPTY is not set"),
            ("X", "${TOKEN", "no }"),
            ("X", "${a-b}", "no name of a variable"),
            ("X", "${}", "no name of a variable"),
            ("X", "${LINES}", "no header may have"),
            ("a b", "x", "no name of a header"),
            ("Host", "x", "set by the protocol"),
            ("Mcp-Session-Id", "x", "set by the protocol"),
        ] {
            let told = read(name, value).unwrap_err();
            assert!(told.contains(why) && !told.contains("s3cret"), "{told}");
        }
        let twice = headers([("X-Key", "a"), ("x-key", "b")], &variable).unwrap_err();
        assert!(twice.contains("twice"), "{twice}");
        let many: Vec<String> = (0..=HEADERS).map(|at| format!("x-{at}")).collect();
        assert!(headers(many.iter().map(|name| (name.as_str(), "x")), &variable).is_err());
    }
}
