//! What only the service has: vectors for programs, jobs, counts, its own description.

use crate::support::ken::{User, section};
use crate::support::service::Service;
use kenning::store::WriterLock;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const MODEL: &str = "bge-small-en-v1.5-int8";

#[test]
fn vectors_are_those_of_the_model_in_both_encodings() {
    let user = User::new().with_model(MODEL);
    let service = Service::start(&user, &[]);
    let texts = ["how often is a request tried", "the banner is blue"];
    let plain = service.told("/v1/embeddings", &json!({"input": texts, "model": MODEL, "encoding_format": "float"}));
    let numbers = |at: usize| -> Vec<f64> {
        plain["data"][at]["embedding"].as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    };
    assert_eq!((numbers(0).len(), plain["data"].as_array().unwrap().len()), (384, 2));
    let length: f64 = numbers(0).iter().map(|number| number * number).sum();
    assert!((length - 1.0).abs() < 1e-4, "{length}");
    assert!(plain["usage"]["prompt_tokens"].as_u64().unwrap() > 10 && plain["model"] == MODEL, "{plain}");
    // One text alone has the same vector, to the bit, and so has it in the other encoding.
    let packed = service.told("/v1/embeddings", &json!({"input": texts[0], "encoding_format": "base64"}));
    let bytes = decoded(packed["data"][0]["embedding"].as_str().unwrap());
    let floats: Vec<f32> = bytes.chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
    assert_eq!(floats, numbers(0).iter().map(|number| *number as f32).collect::<Vec<_>>());
    // A question has another prefix.
    let asked = service.told("/v1/embeddings", &json!({"input": texts[0], "input_type": "query"}));
    assert_ne!(asked["data"][0]["embedding"], plain["data"][0]["embedding"]);
    let long = service.told("/v1/embeddings", &json!({"input": [texts[0], "word ".repeat(2_000)]}));
    assert_eq!(long["truncated"], json!([1]));
    for (body, status, words) in [
        (json!({"input": [1, 2, 3]}), 400, "check_embedding_ctx_length=False"),
        (json!({"input": ""}), 400, "empty"),
        (json!({"input": "a", "dimensions": 256}), 400, "384"),
        (json!({"input": "a", "encoding_format": "hex"}), 400, "base64"),
        (json!({"input": "a", "model": "text-embedding-3-small"}), 404, MODEL),
        (json!({"input": "a", "colour": 1}), 400, "colour"),
        (json!({}), 400, "input"),
    ] {
        let answer = service.post("/v1/embeddings", &body);
        let message = answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(answer.status == status && message.contains(words), "{body}: {answer:?}");
    }
    let models = service.ask("GET", "/v1/models", "").json();
    assert_eq!(models["data"][0]["id"], MODEL);
    assert_eq!(service.ask("GET", &format!("/v1/models/{MODEL}"), "").json()["object"], "model");
    let counted = service.ask("GET", "/metrics", "").body;
    assert!(counted.lines().any(|line| line.starts_with("ken_embedded_tokens_total ")), "{counted}");
    assert!(!counted.contains("banner"), "counts hold no text");
}

fn decoded(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::prelude::BASE64_STANDARD.decode(text).unwrap()
}

#[test]
fn without_a_model_it_is_said_what_is_missing() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    let answer = service.post("/v1/embeddings", &json!({"input": "a"}));
    let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(answer.status == 503 && message.contains("ken model pull"), "{answer:?}");
    let answer = service.post("/v1/rerank", &json!({"query": "a", "documents": ["b"]}));
    assert!(answer.status == 503 && answer.json()["hint"].as_str().unwrap().contains("ken model pull"), "{answer:?}");
    for (body, words) in [
        (json!({"query": "", "documents": ["b"]}), "query is empty"),
        (json!({"query": "a", "documents": []}), "0 documents"),
        (json!({"query": "a", "documents": [7]}), "no text"),
    ] {
        let answer = service.post("/v1/rerank", &body);
        assert!(answer.status == 400 && answer.body.contains(words), "{answer:?}");
    }
    // What a search does without is a note, where a program reads it.
    user.document("a.md", "# Retries\n\nA request is tried five times.\n");
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let found = service.told("/v1/search", &json!({"query": "how often is a request tried", "min_relevance": 0}));
    assert_eq!(found["results"][0]["semantic"], "off", "{found}");
}

#[test]
fn a_phrase_becomes_the_call_that_it_asks_for() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    for (phrase, call) in [
        ("what do we know about pools?", "search"),
        ("let's work on the retry logic", "pack"),
        ("error: cc not found", "lookup"),
        ("good morning", "status"),
    ] {
        let answer = service.post("/v1/ask", &json!({"phrase": phrase}));
        assert_eq!((answer.status, answer.header("ken-call")), (200, Some(call)), "{phrase}: {answer:?}");
    }
    assert_eq!(service.post("/v1/ask", &json!({"phrase": ""})).status, 400);
}

#[test]
fn a_job_indexes_and_says_how_far_it_is() {
    let user = User::new();
    user.document("docs/a.md", "# Retries\n\nA request is tried again after two seconds.\n");
    let docs = user.work().join("docs");
    assert_eq!(user.ken(&["config", "set", "serve.folders", docs.to_str().unwrap()]).code, 0);
    let service = Service::start(&user, &[]);
    let begun = service.post("/v1/index", &json!({"paths": [docs]}));
    assert_eq!(begun.status, 202, "{begun:?}");
    let place = begun.header("location").unwrap().to_owned();
    // Events end with the job.
    let events = service.events(&place);
    assert_eq!(events.header("content-type"), Some("text/event-stream"));
    let last = events.body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!((&last["state"], &last["report"]["files_added"]), (&json!("done"), &json!(1)), "{events:?}");
    assert_eq!(service.ask("GET", &place, "").json()["state"], "done");
    let found = service.told("/v1/search", &json!({"query": "request tried again", "min_relevance": 0}));
    assert!(found["results"][0]["hits"][0]["path"].as_str().unwrap().ends_with("a.md"), "{found}");
    assert_eq!(service.ask("DELETE", &place, "").status, 202);
    assert_eq!(service.end(), Some(0));
}

#[test]
fn a_job_waits_while_another_process_writes() {
    let user = User::new();
    user.document("docs/a.md", "# Retries\n\nA request is tried again after two seconds.\n");
    let docs = user.work().join("docs");
    assert_eq!(user.ken(&["config", "set", "serve.folders", docs.to_str().unwrap()]).code, 0);
    let service = Service::start(&user, &[]);
    let writer = WriterLock::take(&user.home(), "a test", Duration::from_secs(60)).unwrap();
    let begun = service.post("/v1/index", &json!({"paths": [docs]}));
    let place = begun.header("location").unwrap().to_owned();
    let until = |state: &str| {
        let begun = Instant::now();
        while service.ask("GET", &place, "").json()["state"] != state {
            assert!(begun.elapsed() < Duration::from_secs(60), "{}", service.ask("GET", &place, "").body);
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    until("running");
    until("waiting");
    drop(writer);
    until("done");
}

/// A job ends soon after it is told to, with what it has committed, and a program need not wait for its end to write.
#[test]
fn a_job_lets_programs_write_and_is_cancelled_at_any_moment() {
    let user = User::new();
    for file in 0..600 {
        let text: String = (0..20).map(|at| section(at, &format!("Shelf {file} has {at} books."))).collect();
        user.document(&format!("docs/{file}.md"), text);
    }
    let docs = user.work().join("docs");
    assert_eq!(user.ken(&["config", "set", "serve.folders", docs.to_str().unwrap()]).code, 0);
    let service = Service::start(&user, &[]);
    let begin = || {
        let begun = service.post("/v1/index", &json!({"paths": [docs]}));
        begun.header("location").unwrap().to_owned()
    };
    let (first, second) = (begin(), begin());
    let state = |place: &str| service.ask("GET", place, "").json();
    let until = |place: &str, reached: &dyn Fn(&Value) -> bool| {
        let begun = Instant::now();
        loop {
            let now = state(place);
            if reached(&now) {
                return now;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{now}");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    until(&first, &|job| job["files"].as_u64() > Some(0));
    let put = service.ask("PUT", "/v1/items", "{\"items\":[{\"id\":\"a\",\"text\":\"Lamps are lit at dusk.\"}]}");
    assert_eq!((put.status, state(&first)["state"].as_str()), (200, Some("running")), "{put:?}");
    // One that waits for its turn is over at once.
    assert_eq!(service.ask("DELETE", &second, "").json()["state"], "cancelled");
    assert_eq!(service.ask("DELETE", &first, "").status, 202);
    let ended = until(&first, &|job| job["state"] != "running");
    assert_eq!(ended["state"], "cancelled", "{ended}");
    assert!(ended["files"].as_u64() < ended["files_total"].as_u64(), "{ended}");
    let asked = json!({"query": "shelf with books", "min_relevance": 0, "limit": 1});
    assert_eq!(service.told("/v1/search", &asked)["results"][0]["hits"].as_array().unwrap().len(), 1);
    assert_eq!(service.ask("GET", "/v1/items/a", "").status, 200);
    assert_eq!(service.end(), Some(0));
    user.assert_sound();
}

/// The description names what there is, and every request of it is read as it says.
#[test]
fn the_description_is_that_of_the_service() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    let document = service.bare("GET", "/openapi.json", &[("Host", &service.address)], "").json();
    assert_eq!(document["openapi"], "3.1.0");
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let method = method.to_ascii_uppercase();
            let answer = service.ask(&method, &path.replace("{id}", "1"), "");
            assert!(!matches!(answer.status, 405 | 500..), "{method} {path}: {answer:?}");
            let known = operation["responses"].as_object().unwrap();
            assert!(known.contains_key(&answer.status.to_string()) || known.contains_key("default"), "{method} {path}");
        }
    }
}

/// A hint names what whoever sends requests can do, or says whom a command is for.
#[test]
fn hints_are_for_those_who_send_requests() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    let put = service.ask("PUT", "/v1/items", "{\"items\":[{\"id\":\"a\",\"text\":\"Lamps are lit at dusk.\"}]}");
    assert_eq!(put.status, 200);
    let hint = |method: &str, path: &str, body: &Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        service.ask(method, path, &body).json()["hint"].clone()
    };
    let search = hint("POST", "/v1/search", &json!({"like": "a"}));
    assert!(search.as_str().unwrap().starts_with("for whoever runs this machine: `ken model pull"), "{search}");
    let wrong = json!({"text": "x", "error": "y", "worked": true, "kind": "preference"});
    assert_eq!(hint("POST", "/v1/memories", &wrong), "`/openapi.json` describes what can be");
    let unknown = hint("POST", "/v1/lookup", &json!({"text": "x", "packs": ["no-pack-of-this-name"]}));
    assert_eq!(unknown, Value::Null, "it is known only how one types it");
}

/// What a program puts in is found, listed and gone again, also by an id with a slash in it.
#[test]
fn items_are_put_found_listed_and_deleted() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    let put = |items: Value| service.ask("PUT", "/v1/items", &json!({"items": items}).to_string());
    let lamps = json!({"id": "wiki/lamps", "text": "The lamps along the market are lit at dusk.", "title": "Lamps",
        "attributes": {"lang": "en", "stars": 7}, "scope": "wiki"});
    let stored = put(json!([lamps, {"id": "b", "text": "Bread is baked at four.", "attributes": {"lang": "en"}}]));
    assert_eq!((stored.status, &stored.json()["added"]), (200, &json!(2)), "{stored:?}");
    assert_eq!(put(json!([lamps])).json()["unchanged"], 1);
    // One that is wrong stops the whole batch.
    assert_eq!(put(json!([{"id": "c", "text": "Cats sleep."}, {"id": "", "text": "x"}])).status, 400);
    assert_eq!(service.ask("GET", "/v1/items/c", "").status, 404);
    let one = service.ask("GET", "/v1/items/wiki%2Flamps?scope=wiki", "").json();
    assert_eq!((&one["id"], &one["attributes"]["stars"]), (&json!("wiki/lamps"), &json!(7)));
    assert_eq!(service.ask("GET", "/v1/items/wiki/lamps?scope=wiki", "").json(), one);
    let listed = service.ask("GET", "/v1/items?where=stars+%3E+5&limit=1", "").json();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
    let asked = json!({"query": "lamps market dusk", "where": "stars >= 7", "min_relevance": 0});
    assert!(service.told("/v1/search", &asked).to_string().contains("lit at dusk"));
    let other = json!({"query": "lamps market dusk", "where": "stars < 7", "min_relevance": 0});
    assert!(!service.told("/v1/search", &other).to_string().contains("lit at dusk"));
    for (method, path, body) in [
        ("GET", "/v1/items?where=stars+%3D%3D+5", ""),
        ("GET", "/v1/items?colour=red", ""),
        ("GET", "/v1/items?limit=0", ""),
        ("DELETE", "/v1/items", "{}"),
        ("DELETE", "/v1/items", ""),
    ] {
        assert_eq!(service.ask(method, path, body).status, 400, "{method} {path}");
    }
    assert_eq!(service.ask("DELETE", "/v1/items/wiki%2Flamps?scope=wiki", "").json()["deleted"], 1);
    assert_eq!(service.ask("DELETE", "/v1/items/wiki%2Flamps?scope=wiki", "").status, 404);
    assert!(!service.told("/v1/search", &asked).to_string().contains("lit at dusk"));
    assert_eq!(service.ask("DELETE", "/v1/items", "{\"where\":\"lang = 'en'\"}").json()["deleted"], 1);
}

/// A program that asks a scope that has become empty gets nothing, as from one that never was: nothing tells them
/// apart. A note says so, with a name that is near. A person is told that there is no such scope.
#[test]
fn an_empty_scope_answers_nothing_and_is_no_error() {
    let user = User::new();
    let service = Service::start(&user, &[]);
    let put = |id: &str, scope: &str| {
        let body = json!({"items": [{"id": id, "text": "The lamps are lit at dusk.", "scope": scope}]});
        assert_eq!(service.ask("PUT", "/v1/items", &body.to_string()).status, 200);
    };
    put("a", "wiki");
    put("b", "tenant-7");
    assert_eq!(service.ask("DELETE", "/v1/items/a?scope=wiki", "").json()["deleted"], 1);
    for (scope, note) in [
        ("wiki", "nothing is indexed in the scope wiki"),
        ("tenant-8", "nothing is indexed in the scope tenant-8; did you mean tenant-7?"),
    ] {
        let asked = json!({"query": "lamps at dusk", "scopes": [scope], "min_relevance": 0});
        let found = service.told("/v1/search", &asked);
        assert_eq!((&found["results"][0]["hits"], &found["notes"][0]), (&json!([]), &json!(note)), "{found}");
        let told = service.call_tool(&service.token, "search", &asked).json();
        let text = told["result"]["content"][0]["text"].as_str().unwrap();
        assert!(told["result"]["isError"] != true && text.contains(note), "{told}");
        let ran = user.ken(&["search", "--scope", scope, "--min-relevance", "0", "lamps at dusk"]);
        assert!(ran.code == 2 && ran.err.contains("nothing is indexed in the scope"), "{ran:?}");
        let packed = service.told("/v1/pack", &json!({"task": "light the lamps", "scopes": [scope]}));
        assert_eq!(packed["notes"][0], note, "{packed}");
        assert_eq!(service.ask("GET", &format!("/v1/items?scope={scope}"), "").json()["items"], json!([]));
        let deleted = service.ask("DELETE", "/v1/items", &json!({"scopes": [scope]}).to_string());
        assert_eq!(deleted.json()["deleted"], 0, "{deleted:?}");
    }
    let unnamed = json!({"query": "lamps at dusk", "scopes": [""]});
    assert_eq!(service.post("/v1/search", &unnamed).status, 400);
}
