//! The description of the service (OpenAPI 3.1), made from the table of routes, the types of requests and the schemas
//! of answers, so that it cannot say anything else than what is served.

use super::answers::json_response;
use super::problem::Problem;
use super::route::Route;
use super::{App, Call};
use crate::render::json_line;
use axum::body::Body;
use axum::http::Response;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::sync::{Arc, OnceLock};

/// Where schemas lie in the document.
const SCHEMAS: &str = "#/components/schemas/";

/// The schemas that the command line's answers are held to.
const KEPT: [(&str, &str); 10] = [
    ("items-answer", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/index/items-answer.schema.json"))),
    ("memory-answer", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/index/memory-answer.schema.json"))),
    ("memories-answer", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/index/memories-answer.schema.json"))),
    ("outcomes-answer", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/index/outcomes-answer.schema.json"))),
    ("tools-answer", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/index/tools-answer.schema.json"))),
    ("error", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/index/error.schema.json"))),
    ("lookup-answer", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/index/lookup-answer.schema.json"))),
    ("search-answer", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/index/search-answer.schema.json"))),
    ("frame", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/index/frame.schema.json"))),
    ("status", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/index/status.schema.json"))),
];

pub(super) async fn document(app: Arc<App>, _: Call) -> Result<Response<Body>, Problem> {
    static TEXT: OnceLock<String> = OnceLock::new();
    Ok(json_response(TEXT.get_or_init(|| json_line(&whole(app.routes))).clone()))
}

/// The whole document.
fn whole(routes: &[Route]) -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .into_generator();
    let mut paths = Map::new();
    for route in routes {
        let body = route.body.map(|body| body(&mut generator).to_value());
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Value::Object(methods) = path {
            methods.insert(route.method.to_ascii_lowercase(), operation(route, body));
        }
    }
    let mut schemas = generator.take_definitions(true);
    schemas.extend(KEPT.into_iter().map(|(name, text)| (name.to_owned(), kept(name, text))));
    schemas.extend(own().into_iter().map(|(name, schema)| (name.to_owned(), schema)));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Kenning",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Finds what is already known: causes and fixes of errors, passages of documents.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    })
}

fn operation(route: &Route, body: Option<Value>) -> Value {
    let (media, schema) = route.answer;
    let answer = |schema: &str| json!({"schema": {"$ref": format!("{SCHEMAS}{schema}")}});
    let mut media_types = Map::from_iter([(media.to_owned(), answer(schema))]);
    if route.path == "/v1/jobs/{id}" && route.method == "GET" {
        media_types.insert("text/event-stream".to_owned(), answer("text"));
    }
    let (wrong_media, wrong) = match route.shape {
        super::problem::Shape::Problem => ("application/problem+json", "problem"),
        super::problem::Shape::OpenAi => ("application/json", "openai-error"),
    };
    let mut operation = json!({
        "summary": route.summary,
        "responses": {
            route.status.to_string(): {"description": "The answer", "content": media_types},
            "default": {"description": "Why there is none", "content": {wrong_media: answer(wrong)}},
        },
        "security": if route.need.is_some() { json!([{"token": []}]) } else { json!([]) },
    });
    let Value::Object(fields) = &mut operation else { return operation };
    if let Some(schema) = body {
        let content = json!({"application/json": {"schema": schema}});
        fields.insert("requestBody".to_owned(), json!({"required": true, "content": content}));
    }
    let mut parameters = Vec::new();
    if route.path.contains("{id}") {
        parameters.push(json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}));
    }
    parameters.extend(route.query.iter().map(|name| match *name {
        "kind" | "state" | "scope" | "tag" if route.query.len() > 1 => {
            json!({"name": name, "in": "query", "schema": {"type": "array", "items": {"type": "string"}}})
        }
        "held" => json!({"name": name, "in": "query", "schema": {"type": "boolean"}}),
        "limit" => {
            json!({"name": name, "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 1_000}})
        }
        _ => json!({"name": name, "in": "query", "schema": {"type": "string"}}),
    }));
    fields.insert("parameters".to_owned(), parameters.into());
    operation
}

/// A schema of its own as a part of the document: what it refers to by itself is found under its name.
fn kept(name: &str, text: &str) -> Value {
    let here = format!("\"{SCHEMAS}{name}/");
    // The files are part of the program, and tests read them.
    let mut text = text.replace("\"#/", &here);
    for (other, _) in KEPT {
        text = text.replace(&format!("\"{other}.schema.json#/"), &format!("\"{SCHEMAS}{other}/"));
        text = text.replace(&format!("\"{other}.schema.json\""), &format!("\"{SCHEMAS}{other}\""));
    }
    let mut schema: Value = serde_json::from_str(&text).unwrap_or_default();
    if let Value::Object(fields) = &mut schema {
        fields.retain(|key, _| !matches!(key.as_str(), "$schema" | "$id"));
    }
    schema
}

/// Answers that the command line does not have.
fn own() -> Vec<(&'static str, Value)> {
    let object = |required: &[&str], properties: Value| {
        let mut object = json!({"type": "object", "required": required});
        object["properties"] = properties;
        object
    };
    let text = || json!({"type": "string"});
    let count = || json!({"type": "integer", "minimum": 0});
    let number = || json!({"type": "number"});
    let error = object(&["message", "type", "code"], json!({"message": text(), "type": text(), "code": text()}));
    let model = object(&["id", "object"], json!({"id": text(), "object": {"const": "model"}}));
    let embedding = object(
        &["object", "index", "embedding"],
        json!({"index": count(), "embedding": {"anyOf": [text(), {"type": "array", "items": number()}]}}),
    );
    let result = object(&["index", "relevance_score"], json!({"index": count(), "relevance_score": number()}));
    vec![
        ("any", json!({"type": "object"})),
        ("text", text()),
        ("state", object(&["state", "version"], json!({"state": text(), "version": text()}))),
        (
            "problem",
            object(
                &["type", "title", "status", "kind", "detail"],
                json!({"title": text(), "status": count(), "kind": text(), "detail": text(),
                    "hint": {"type": ["string", "null"]}}),
            ),
        ),
        ("openai-error", object(&["error"], json!({"error": error}))),
        (
            "job",
            object(
                &["schema_version", "id", "state", "files", "files_total", "bytes", "bytes_total"],
                json!({
                    "id": text(),
                    "state": {"enum": ["waiting", "running", "done", "failed", "cancelled"]},
                    "files": count(), "files_total": count(), "bytes": count(), "bytes_total": count(),
                    "report": {"type": "object"}, "error": {"type": "object"},
                }),
            ),
        ),
        (
            "embeddings",
            object(
                &["object", "data", "model", "usage"],
                json!({"data": {"type": "array", "items": embedding}, "model": text(),
                    "usage": object(&["prompt_tokens", "total_tokens"], json!({})),
                    "truncated": {"type": "array", "items": count()}}),
            ),
        ),
        ("model", model.clone()),
        ("models", object(&["object", "data"], json!({"data": {"type": "array", "items": model}}))),
        (
            "reranked",
            object(&["model", "results"], json!({"model": text(), "results": {"type": "array", "items": result}})),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::routes::ROUTES;
    use super::*;

    /// Every reference of the document leads somewhere.
    #[test]
    fn the_document_refers_to_what_it_has() {
        fn references<'a>(value: &'a Value, out: &mut Vec<&'a str>) {
            match value {
                Value::Object(fields) => {
                    out.extend(fields.get("$ref").and_then(Value::as_str));
                    fields.values().for_each(|value| references(value, out));
                }
                Value::Array(list) => list.iter().for_each(|value| references(value, out)),
                _ => {}
            }
        }
        let document = whole(ROUTES);
        let mut all = Vec::new();
        references(&document, &mut all);
        assert!(all.len() > ROUTES.len());
        for reference in all {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
        let search = &document["paths"]["/v1/search"]["post"];
        assert!(search["requestBody"]["content"]["application/json"]["schema"]["$ref"].is_string(), "{search}");
        assert_eq!(document["paths"].as_object().unwrap().len(), {
            let mut paths: Vec<_> = ROUTES.iter().map(|route| route.path).collect();
            paths.sort_unstable();
            paths.dedup();
            paths.len()
        });
    }
}
