//! Attacks, each tried against a running service. The table of `docs/security.md` names them.

use crate::support::ken::User;
use crate::support::service::{Answer, Service};
use serde_json::{Value, json};

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

/// A token for one scope learns nothing of another, on no route.
#[test]
fn another_scope_s_items_are_not_there() {
    let user = User::new().with_model("bge-small-en-v1.5-int8");
    let made = |name: &str, scope: &str| {
        let ran = user.ken(&["serve", "token", "add", name, "--right", "write", "--scope", scope]);
        ran.out.trim().to_owned()
    };
    let (ours, theirs) = (made("ours", "team-a"), made("theirs", "team-b"));
    let service = Service::start(&user, &[]);
    let put = |token: &str, scope: &str, id: &str, text: &str| {
        let items = json!({"items": [{"id": id, "scope": scope, "text": text, "attributes": {"secret": true}}]});
        service.ask_as(token, "PUT", "/v1/items", &items.to_string()).status
    };
    assert_eq!(put(&theirs, "team-b", "plan", "The harbour bridge is closed on Sunday."), 200);
    assert_eq!(put(&ours, "team-a", "menu", "Soup is served on Monday."), 200);
    assert!(put(&ours, "team-b", "plan", "overwritten") >= 400, "another scope is not written to");
    let ask = |token: &str, method: &str, path: &str, body: &str| service.ask_as(token, method, path, body);
    for (attack, answer) in [
        ("by id", ask(&ours, "GET", "/v1/items/plan?scope=team-b", "")),
        ("deleting it", ask(&ours, "DELETE", "/v1/items/plan?scope=team-b", "")),
    ] {
        let none = ask(&ours, "GET", "/v1/items/never-there?scope=team-b", "");
        assert_eq!((answer.status, answer.body), (none.status, none.body), "{attack}");
    }
    let vector = service.told("/v1/embeddings", &json!({"input": "The harbour bridge is closed on Sunday."}));
    let vector = &vector["data"][0]["embedding"];
    for (attack, method, path, body) in [
        ("listing", "GET", "/v1/items", String::new()),
        ("listing its scope", "GET", "/v1/items?scope=team-b", String::new()),
        ("a filter", "GET", "/v1/items?where=secret+%3D+true", String::new()),
        ("words", "POST", "/v1/search", json!({"query": "harbour bridge closed", "min_relevance": 0}).to_string()),
        ("its scope", "POST", "/v1/search", json!({"query": "bridge", "scopes": ["team-b"]}).to_string()),
        ("a vector", "POST", "/v1/search", json!({"vector": vector, "min_relevance": 0}).to_string()),
        ("more like this", "POST", "/v1/search", json!({"like": "plan", "min_relevance": 0}).to_string()),
        ("why not", "POST", "/v1/search", json!({"query": "bridge", "why_not": "plan"}).to_string()),
        ("a frame", "POST", "/v1/pack", json!({"task": "close the harbour bridge"}).to_string()),
        ("a phrase", "POST", "/v1/ask", json!({"phrase": "what do we know about the harbour bridge?"}).to_string()),
        ("status", "GET", "/v1/status", String::new()),
        ("deleting all", "DELETE", "/v1/items", json!({"where": "secret = true", "scopes": ["team-b"]}).to_string()),
    ] {
        let answer = ask(&ours, method, path, &body);
        assert!(!answer.body.contains("closed on Sunday") && answer.status < 500, "{attack}: {answer:?}");
    }
    let found = ask(&theirs, "POST", "/v1/search", &json!({"vector": vector, "min_relevance": 0}).to_string());
    assert!(found.body.contains("closed on Sunday"), "whoever may see it finds it, and it is still there: {found:?}");
    let asked = json!({"query": "harbour bridge closed", "min_relevance": 0});
    let agents = |token: &str| service.call_tool(token, "search", &asked).body;
    assert!(agents(&theirs).contains("closed on Sunday"));
    assert!(!agents(&ours).contains("closed on Sunday"));
}

/// What was learnt in one scope is not there for whoever has a token for another: not by id, not by any question, and
/// nothing is built on it.
#[test]
fn another_scope_s_memories_are_not_there() {
    let error = "fatal: the harbour bridge was raised while a lorry stood on it";
    let user = User::new();
    let made = |name: &str, scope: &str| {
        let ran = user.ken(&["serve", "token", "add", name, "--right", "write", "--scope", scope]);
        ran.out.trim().to_owned()
    };
    let (ours, theirs) = (made("ours", "team-a"), made("theirs", "team-b"));
    let service = Service::start(&user, &[]);
    let ask = |token: &str, method: &str, path: &str, body: &Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        service.ask_as(token, method, path, &body)
    };
    let remember = |token: &str, body: Value| {
        let answer = ask(token, "POST", "/v1/memories", &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["memory"].clone()
    };
    let secret = remember(&theirs, json!({"text": "Lower it by the secret lever", "error": error, "worked": true}));
    let failed = remember(&theirs, json!({"text": "Shout the secret word", "error": error, "worked": false}));
    let fact = remember(&theirs, json!({"text": "The bridge has a secret lever", "service": "bridge"}));
    remember(&ours, json!({"text": "Soup is served on Monday", "service": "kitchen"}));
    assert_eq!((&secret["scope"], &secret["author"]), (&json!("team-b"), &json!({"program": "theirs"})));
    let none = Value::Null;
    for memory in [&secret, &failed, &fact] {
        let id = memory["id"].as_str().unwrap();
        let short = id.strip_prefix("memory/").unwrap();
        for (attack, method, path, body) in [
            ("by id", "GET", "/v1/memories/ID", none.clone()),
            ("by the beginning of its id", "GET", "/v1/memories/BEGIN", none.clone()),
            ("disputing it", "POST", "/v1/memories/ID/dispute", json!({"because": "x"})),
            ("contradicting it", "POST", "/v1/memories/ID/contradict", json!({})),
            ("forgetting it", "DELETE", "/v1/memories/ID", none.clone()),
        ] {
            let of = |short: &str| path.replace("ID", short).replace("BEGIN", &short[..6]);
            let answer = ask(&ours, method, &of(short), &body);
            let missing = ask(&ours, method, &of("0123456789ab"), &body);
            assert_eq!((answer.status, &answer.body), (404, &missing.body), "{attack}");
        }
        for (attack, body) in [
            ("updating it", json!({"text": "x", "update": id})),
            ("building on it", json!({"text": "x", "derived_from": [id]})),
        ] {
            let answer = ask(&ours, "POST", "/v1/memories", &body);
            assert!(answer.status == 400 && answer.body.contains("no memory is called"), "{attack}: {answer:?}");
        }
        let item = ask(&ours, "GET", &format!("/v1/items/{id}?scope=team-b"), &none);
        assert_eq!(item.status, 404, "{item:?}");
        let disputed = service.call_tool(&ours, "dispute", &json!({"id": id, "because": "x"}));
        assert!(disputed.body.contains("no memory is called") && !disputed.body.contains("secret"), "{disputed:?}");
    }
    let asked = json!({"query": "secret lever of the bridge", "min_relevance": 0});
    for (attack, method, path, body) in [
        ("listing", "GET", "/v1/memories", none.clone()),
        ("listing what is held", "GET", "/v1/memories?held=true", none.clone()),
        ("a lookup", "POST", "/v1/lookup", json!({"text": error})),
        ("words", "POST", "/v1/search", asked.clone()),
        ("a frame", "POST", "/v1/pack", json!({"task": "lower the bridge by its lever"})),
        ("a phrase", "POST", "/v1/ask", json!({"phrase": "what do we know about the secret lever of the bridge?"})),
        ("status", "GET", "/v1/status", none.clone()),
    ] {
        let answer = ask(&ours, method, path, &body);
        // The question itself stands in some answers.
        let found = answer.body.replace("secret lever of the bridge", "").contains("secret");
        assert!(answer.status == 200 && !found, "{attack}: {answer:?}");
    }
    for (tool, arguments) in [("lookup", json!({"text": error})), ("search", asked)] {
        let told = |token: &str| service.call_tool(token, tool, &arguments).body;
        assert!(!told(&ours).contains("secret"), "{}", told(&ours));
        assert!(told(&theirs).contains("secret"), "{}", told(&theirs));
    }
    let listed = ask(&theirs, "GET", "/v1/memories?kind=tactic", &none).json();
    assert_eq!(listed["memories"].as_array().unwrap().len(), 2, "whoever may see them does: {listed}");
    // Nor what tools did there.
    let run = json!({"outcomes": [{"tool": "bash", "input": "open", "error": "the secret lever is stuck"}]});
    let kept = ask(&theirs, "POST", "/v1/outcomes", &run);
    assert_eq!((kept.status, &kept.json()["kept"]), (200, &json!(1)), "{kept:?}");
    let counted = |answer: crate::support::service::Answer| answer.json()["failures"].as_array().unwrap().len();
    assert_eq!(counted(ask(&theirs, "GET", "/v1/outcomes?since=7d", &none)), 1);
    assert_eq!(counted(ask(&ours, "GET", "/v1/outcomes", &none)), 0);
    assert_eq!(counted(service.ask("GET", "/v1/outcomes", "")), 0);
    assert_eq!(ask(&ours, "POST", "/v1/outcomes", &json!({"outcomes": []})).status, 400);
    // Nor does whoever runs the service see them from their own folder.
    assert_eq!(service.ask("GET", "/v1/memories", "").json()["memories"], json!([]));
}

#[test]
fn tools_of_another_repository_are_not_seen() {
    let user = User::new();
    let zoo = crate::memory::repository(&user, "zoo");
    let pets = json!([{"name": "lower_bridge", "description": "Lowers the secret bridge by its lever"}]);
    std::fs::write(zoo.join("tools.json"), pets.to_string()).unwrap();
    let in_zoo = |arguments: &[&str]| crate::memory::ken_in(&user, &zoo, arguments);
    assert_eq!(in_zoo(&["tools", "add", "tools.json"]).code, 0);
    let scope = in_zoo(&["tools", "list", "--json"]).json()["tools"][0]["scope"].as_str().unwrap().to_owned();
    let made = |name: &str, scope: &str| {
        user.ken(&["serve", "token", "add", name, "--right", "read", "--scope", scope]).out.trim().to_owned()
    };
    let (ours, theirs) = (made("ours", "team-a"), made("theirs", &scope));
    let service = Service::start(&user, &[]);
    let task = json!({"task": "lower the secret bridge by its lever"}).to_string();
    for (method, path, body) in
        [("GET", "/v1/tools", ""), ("POST", "/v1/tools/find", &task), ("POST", "/v1/tools/plan", &task)]
    {
        let seen = service.ask_as(&theirs, method, path, body);
        assert!(seen.status == 200 && seen.body.contains("lower_bridge"), "{path}: {seen:?}");
        for token in [&ours, &service.token] {
            let unseen = service.ask_as(token, method, path, body);
            assert!(unseen.status == 200 && !unseen.body.contains("lower_bridge"), "{path}: {unseen:?}");
        }
    }
}

/// What a program says is a program's word, and only a token for everything decides as a person does.
#[test]
fn only_a_person_confirms_what_was_remembered() {
    let user = User::new();
    let made = |name: &str, right: &str| {
        let ran = user.ken(&["serve", "token", "add", name, "--right", right]);
        ran.out.trim().to_owned()
    };
    let (reader, writer, chief) = (made("reader", "read"), made("writer", "write"), made("chief", "admin"));
    let service = Service::start(&user, &[]);
    let fact = json!({"text": "eu-west-3 has no p4 machines", "service": "ec2"});
    let ask = |token: &str, path: &str, body: &Value| service.ask_as(token, "POST", path, &body.to_string());
    assert_eq!(ask(&reader, "/v1/memories", &fact).status, 403);
    let told = service.call_tool(&reader, "remember", &fact).json();
    assert_eq!(told["result"]["isError"], true, "a tool is no way around: {told}");
    let remembered = ask(&writer, "/v1/memories", &fact).json();
    let memory = &remembered["memory"];
    assert_eq!((&memory["validated"], &memory["author"]), (&json!(false), &json!({"program": "writer"})));
    let id = memory["id"].as_str().unwrap();
    let again = ask(&chief, "/v1/memories", &fact).json();
    assert_eq!((&again["change"], &again["memory"]["validated"]), (&json!("reinforced"), &json!(false)));
    for token in [&reader, &writer] {
        for verb in ["confirm", "approve", "reject"] {
            assert_eq!(ask(token, &format!("/v1/memories/{id}/{verb}"), &json!({})).status, 403, "{verb}");
        }
    }
    let dispute = service.call_tool(&reader, "dispute", &json!({"id": id, "because": "x"})).json();
    assert_eq!(dispute["result"]["isError"], true, "{dispute}");
    assert_eq!(service.ask_as(&reader, "DELETE", &format!("/v1/memories/{id}"), "").status, 403);
    let confirmed = ask(&chief, &format!("/v1/memories/{id}/confirm"), &json!({})).json();
    assert_eq!(confirmed["memories"][0]["validated"], true, "{confirmed}");
    let story = service.ask("GET", &format!("/v1/memories/{id}"), "").json();
    let events = story["events"].as_array().unwrap();
    let authors: Vec<&Value> = events.iter().map(|event| &event["author"]).collect();
    assert_eq!(authors, [&json!({"program": "writer"}), &json!({"program": "chief"}), &json!("person")]);
    assert_eq!(service.end(), Some(0));
    // Where no token is asked for, any program of the machine could be the person.
    let open = Service::start(&user, &["--no-token"]);
    let bare = |path: &str| {
        let headers = [("Host", open.address.as_str()), ("Content-Type", "application/json")];
        open.bare("POST", path, &headers, "{}")
    };
    assert_eq!(bare(&format!("/v1/memories/{id}/confirm")).status, 403);
    assert_eq!(bare(&format!("/v1/memories/{id}/contradict")).status, 200);
}

/// A token for another scope sees no tool of here, and one that may only ask keeps no task.
#[test]
fn tools_are_seen_by_those_who_may() {
    let user = User::new();
    let made = |name: &str, more: &[&str]| {
        let ran = user.ken(&[&["serve", "token", "add", name], more].concat());
        ran.out.trim().to_owned()
    };
    let reader = made("reader", &["--right", "read"]);
    let elsewhere = made("elsewhere", &["--right", "write", "--scope", "team-a"]);
    let tools = json!([{"name": "open_bridge", "description": "Open the secret bridge of the harbour"}]);
    let path = user.write("tools.json", tools.to_string());
    assert_eq!(user.ken(&["tools", "add", path.to_str().unwrap()]).code, 0);
    let service = Service::start(&user, &[]);
    let asked = json!({"task": "open the bridge of the harbour"}).to_string();
    for (token, seen) in [(&reader, true), (&elsewhere, false)] {
        for (method, path, body) in
            [("GET", "/v1/tools", ""), ("POST", "/v1/tools/find", &asked), ("POST", "/v1/tools/plan", &asked)]
        {
            let answer = service.ask_as(token, method, path, body);
            assert_eq!((answer.status, answer.body.contains("open_bridge")), (200, seen), "{path}: {answer:?}");
        }
    }
    let kept = json!({"task": "open the bridge of the harbour", "session": "s1"}).to_string();
    let refused = service.ask_as(&reader, "POST", "/v1/tools/find", &kept);
    assert!(refused.status == 403 && refused.body.contains("leave the session away"), "{refused:?}");
    assert_eq!(service.ask("POST", "/v1/tools/find", &kept).status, 200);
    assert_eq!(service.bare("GET", "/v1/tools", &[("Host", &service.address)], "").status, 401);
}
