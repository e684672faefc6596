//! Attacks, each tried against a running service. The table of `docs/security.md` names them.

use crate::support::ken::User;
use crate::support::service::{Answer, Service};
use serde_json::json;

const QUESTION: &str = "{\"query\":\"retries\"}";

fn with(service: &Service, more: &[(&str, &str)]) -> Answer {
    let bearer = format!("Bearer {}", service.token);
    let mut headers = vec![("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    if !more.iter().any(|(name, _)| *name == "Host") {
        headers.push(("Host", &service.address));
    }
    // What is sent twice counts as what is sent here.
    headers.retain(|(name, _)| !more.iter().any(|(other, _)| other == name));
    headers.extend(more);
    service.bare("POST", "/v1/search", &headers, QUESTION)
}

#[test]
fn foreign_pages_and_names_are_refused() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    let port = service.address.rsplit(':').next().unwrap().to_owned();
    let own = format!("http://localhost:{port}");
    for (attack, headers, expected) in [
        ("none", vec![], 200),
        ("the page's own script", vec![("Origin", own.as_str())], 200),
        ("DNS rebinding", vec![("Host", "evil.example")], 403),
        ("DNS rebinding with its port", vec![("Host", "evil.example:7717")], 403),
        ("a name that begins like ours", vec![("Host", "127.0.0.1.evil.example")], 403),
        ("a foreign page", vec![("Origin", "https://evil.example")], 403),
        ("a page of another port", vec![("Origin", "http://localhost:1")], 403),
        ("a sandboxed frame or a file", vec![("Origin", "null")], 403),
        ("rebinding, origin and host alike", vec![("Host", "evil.example"), ("Origin", "http://evil.example")], 403),
        ("a form", vec![("Content-Type", "application/x-www-form-urlencoded")], 415),
        ("a form of plain text", vec![("Content-Type", "text/plain")], 415),
        ("no token", vec![("Authorization", "")], 401),
        ("a wrong token", vec![("Authorization", "Bearer ken_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")], 401),
        ("a token in the wrong place", vec![("Authorization", &service.token)], 401),
    ] {
        let answer = with(&service, &headers);
        assert_eq!(answer.status, expected, "{attack}: {answer:?}");
        if expected != 200 {
            assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{attack}: {answer:?}");
            assert!(answer.json()["hint"].is_string(), "{attack}: {answer:?}");
        }
        assert_eq!(answer.header("access-control-allow-origin"), None, "{attack}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{attack}");
    }
    // What a browser asks before a request of another site is told nothing.
    let asked = [("Host", service.address.as_str()), ("Origin", "https://evil.example")];
    assert_eq!(service.bare("OPTIONS", "/v1/search", &asked, "").status, 403);
    // Paths that there are not are no way around.
    assert_eq!(service.bare("GET", "/nothing", &[("Host", "evil.example")], "").status, 403);
    for path in ["/", "/mcp", "/metrics", "/openapi.json", "/healthz"] {
        assert_eq!(service.bare("GET", path, &[("Host", "evil.example")], "").status, 403, "{path}");
    }
    for path in ["/v1/status", "/metrics", "/v1/models", "/v1/jobs/1", "/mcp"] {
        assert_eq!(service.bare("GET", path, &[("Host", &service.address)], "").status, 401, "{path}");
    }
}

#[test]
fn a_token_is_for_what_it_is_for_and_two_are_valid_at_once() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    let made = |name: &str, right: &str| {
        let ran = user.ken(&["serve", "token", "add", name, "--right", right]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out.trim().to_owned()
    };
    let (reader, admin) = (made("reader", "read"), made("chief", "admin"));
    let status = |token: &str, method: &str, path: &str, body: &str| service.ask_as(token, method, path, body).status;
    assert_eq!(status(&reader, "POST", "/v1/search", QUESTION), 200);
    assert_eq!(status(&reader, "POST", "/v1/index", "{\"paths\":[\"/\"]}"), 403);
    assert_eq!(status(&reader, "GET", "/v1/jobs/1", ""), 403);
    assert_eq!(status(&admin, "GET", "/v1/jobs/1", ""), 404);
    let next = made("reader-2", "read");
    assert_eq!(status(&reader, "POST", "/v1/search", QUESTION), 200);
    assert_eq!(status(&next, "POST", "/v1/search", QUESTION), 200);
    assert_eq!(user.ken(&["serve", "token", "remove", "reader"]).code, 0);
    assert_eq!(status(&reader, "POST", "/v1/search", QUESTION), 401);
    assert_eq!(status(&next, "POST", "/v1/search", QUESTION), 200);
    let listed = user.ken(&["serve", "token", "list"]).out;
    assert!(listed.contains("reader-2") && !listed.contains(&next), "{listed}");
    let kept = std::fs::read_to_string(user.home().join("tokens.json")).unwrap();
    assert!(!kept.contains(&next) && !kept.contains(&admin), "{kept}");
    assert_eq!(user.ken(&["serve", "token", "remove", "reader"]).code, 2);
    assert_eq!(user.ken(&["serve", "token", "add", "reader-2"]).code, 2);
    assert_eq!(user.ken(&["serve", "token", "add", "a b"]).code, 2);
}

#[test]
fn only_named_folders_are_indexed() {
    let user = User::new();
    let (docs, secret) = (user.work().join("docs"), user.work().join("secret"));
    user.document("docs/a.md", "# Retries\n\nA request is tried five times.\n");
    user.document("secret/b.md", "# Secret\n\nNobody reads this.\n");
    std::os::unix::fs::symlink(&secret, docs.join("link")).unwrap();
    let folder = docs.to_str().unwrap();
    assert_eq!(user.ken(&["config", "set", "serve.folders", folder]).code, 0);
    let service = Service::start(&user, &[]);
    let status = |path: &str| service.post("/v1/index", &json!({"paths": [path]})).status;
    for path in [
        secret.to_str().unwrap(),
        &format!("{folder}/../secret"),
        &format!("{folder}/link"),
        &format!("{folder}/link/b.md"),
        &format!("{folder}-more"),
        "/",
        "/etc/passwd",
    ] {
        assert_eq!(status(path), 403, "{path}");
    }
    assert_eq!(status("docs"), 400, "a relative path is relative to nothing that a caller knows");
    assert_eq!(status(folder), 202);
}

/// The page brings nothing of anybody's, and runs nothing but its own script.
#[test]
fn the_page_holds_no_secret_and_trusts_no_other_origin() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    let page = service.bare("GET", "/", &[("Host", &service.address)], "");
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(!page.body.contains(&service.token));
}
