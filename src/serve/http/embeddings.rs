//! Vectors of texts, as clients of OpenAI ask for them.
//!
//! Many models put another prefix before a question than before what is found. OpenAI has no field for it, so this has
//! one of its own, `input_type`; without it texts are embedded as what is found. A text that is longer than the model
//! takes is cut, and its place is named in `truncated`.

use super::answers::{Input, Read, json_response, undone};
use super::problem::Problem;
use super::work::Attention;
use super::{App, Call};
use crate::engine::TextVectors;
use crate::render::json_line;
use crate::types::Role;
use crate::types::limits::{HTTP_BULK_BYTES, HTTP_INPUTS};
use axum::body::Body;
use axum::http::{Response, StatusCode};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Longest that vectors of many texts may take.
pub(super) const BULK_TIME: Duration = Duration::from_secs(600);

/// One text or many: read by hand, so that what is wrong with it is said.
fn input_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
        "description": "A text, or up to 2048 of them; arrays of tokens are not taken",
    })
}

/// Texts whose vectors are wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EmbeddingsRequest {
    #[schemars(schema_with = "input_schema")]
    input: Value,
    #[serde(default)]
    #[schemars(description = "The model in use, as /v1/models names it; it may be left out")]
    model: Option<String>,
    #[serde(default)]
    #[schemars(description = "float (default) or base64: little-endian 32-bit floats")]
    encoding_format: Option<String>,
    #[serde(default)]
    #[schemars(description = "The length of the model's vectors; other lengths are not made")]
    dimensions: Option<usize>,
    #[serde(default)]
    #[schemars(description = "query or document (default): which prefix of the model is put before each text")]
    input_type: Option<String>,
    #[serde(default)]
    #[schemars(description = "Not looked at; clients send it")]
    #[serde(rename = "user")]
    _user: Option<String>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Vector {
    Floats(Vec<f32>),
    Base64(String),
}

#[derive(Serialize)]
struct Embedding {
    object: &'static str,
    index: usize,
    embedding: Vector,
}

#[derive(Serialize)]
struct Usage {
    prompt_tokens: usize,
    total_tokens: usize,
}

#[derive(Serialize)]
struct Embeddings {
    object: &'static str,
    data: Vec<Embedding>,
    model: String,
    usage: Usage,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<usize>,
}

pub(super) async fn embeddings(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let read = Read::from(&app, call.body, Input::Body(HTTP_BULK_BYTES)).await?;
    let (service, metrics) = (Arc::clone(&app.service), Arc::clone(&app.metrics));
    let bytes = read.len();
    let work = move |attention: &Attention| {
        let request: EmbeddingsRequest = read.decode()?;
        let texts = texts_of(request.input)?;
        let role = role_of(request.input_type.as_deref())?;
        let is_base64 = match request.encoding_format.as_deref() {
            None | Some("float") => false,
            Some("base64") => true,
            Some(other) => return Err(Problem::usage(format!("no such encoding_format: {other}"), "float or base64")),
        };
        let stopped = || attention.is_stopped();
        if let Some(model) = &request.model {
            let active = service.encoder_name()?;
            if *model != active {
                let hint = format!("the model in use is {active}: name it, or leave model out");
                return Err(Problem::not_found(format!("{model} is not the model in use"), hint));
            }
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let made = service.embed(&texts, role, &mut || attention.let_questions_go_first(), &stopped)?;
        if let (Some(wanted), Some(first)) = (request.dimensions, made.texts.first())
            && wanted != first.vector.len()
        {
            let hint = format!("leave dimensions out, or ask for {}", first.vector.len());
            return Err(Problem::usage("the model makes no vectors of this length", hint));
        }
        let answer = answer(made, is_base64);
        metrics.embedded(answer.usage.total_tokens);
        Ok(json_line(&answer))
    };
    // A single text is a question, and is not kept waiting by texts in bulk.
    let told = if bytes <= A_QUESTION {
        app.work.question(BULK_TIME, work).await
    } else {
        app.work.bulk(bytes, BULK_TIME, work).await
    };
    Ok(json_response(told.map_err(undone)??))
}

/// Bytes of a body that is no more work than a question.
const A_QUESTION: usize = 4 << 10;

fn texts_of(input: Value) -> Result<Vec<String>, Problem> {
    let tokens = || {
        let hint = "send texts; with langchain-openai set check_embedding_ctx_length=False";
        Problem::usage("arrays of tokens are not taken: they are those of another model", hint)
    };
    let texts = match input {
        Value::String(text) => vec![text],
        Value::Array(list) => {
            let text = |one| match one {
                Value::String(text) => Ok(text),
                Value::Number(_) | Value::Array(_) => Err(tokens()),
                _ => Err(Problem::usage("input holds something that is no text", "send a text or an array of texts")),
            };
            list.into_iter().map(text).collect::<Result<_, _>>()?
        }
        _ => return Err(Problem::usage("input is no text", "send a text or an array of texts")),
    };
    if texts.is_empty() {
        return Err(Problem::usage("input is empty", "send a text or an array of texts"));
    }
    if texts.len() > HTTP_INPUTS {
        return Err(Problem::usage(format!("there are {} texts", texts.len()), format!("send {HTTP_INPUTS} at most")));
    }
    if let Some(at) = texts.iter().position(String::is_empty) {
        return Err(Problem::usage(format!("text {at} of input is empty"), "an empty text has no meaning to embed"));
    }
    Ok(texts)
}

fn role_of(name: Option<&str>) -> Result<Role, Problem> {
    match name {
        None | Some("document" | "passage" | "search_document") => Ok(Role::Passage),
        Some("query" | "search_query") => Ok(Role::Query),
        Some(other) => Err(Problem::usage(format!("no such input_type: {other}"), "query or document")),
    }
}

fn answer(made: TextVectors, is_base64: bool) -> Embeddings {
    let tokens = made.texts.iter().map(|text| text.tokens).sum();
    let truncated = made.texts.iter().enumerate().filter(|(_, text)| text.truncated).map(|(at, _)| at).collect();
    let of = |(index, text): (usize, crate::engine::face::models::Encoded)| Embedding {
        object: "embedding",
        index,
        embedding: match is_base64 {
            true => Vector::Base64(base64_of(&text.vector)),
            false => Vector::Floats(text.vector),
        },
    };
    Embeddings {
        object: "list",
        data: made.texts.into_iter().enumerate().map(of).collect(),
        model: made.model,
        usage: Usage { prompt_tokens: tokens, total_tokens: tokens },
        truncated,
    }
}

fn base64_of(vector: &[f32]) -> String {
    let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
    BASE64_STANDARD.encode(bytes)
}

/// The models that there are: what makes vectors, and what puts texts in order.
pub(super) async fn models(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let wanted = call.parameter;
    let service = Arc::clone(&app.service);
    let work = move |_: &Attention| service.model_names();
    let names = app.work.question(super::answers::QUESTION_TIME, work).await.map_err(undone)??;
    let entry = |name: &String| json!({"id": name, "object": "model", "created": 0, "owned_by": "local"});
    let value = match wanted {
        None => json!({"object": "list", "data": names.iter().map(entry).collect::<Vec<_>>()}),
        Some(wanted) => {
            let found = names.iter().find(|name| **name == wanted);
            let none = || Problem::not_found("there is no such model", "/v1/models lists all");
            entry(found.ok_or_else(none)?)
        }
    };
    Ok(json_response(json_line(&value)))
}

/// Texts that are to be put in order, as Cohere and Jina have it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RerankRequest {
    #[schemars(description = "The question")]
    query: String,
    #[schemars(schema_with = "documents_schema")]
    documents: Vec<Value>,
    #[serde(default)]
    #[schemars(description = "The reranker, as /v1/models names it; it may be left out")]
    model: Option<String>,
    #[serde(default)]
    #[schemars(description = "How many are answered, the best ones (default: all)")]
    top_n: Option<usize>,
    #[serde(default)]
    #[schemars(description = "Whether the texts are repeated in the answer")]
    return_documents: Option<bool>,
}

/// Texts, or objects with a text: read by hand like the input above.
fn documents_schema(_: &mut SchemaGenerator) -> Schema {
    let object = json!({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}});
    json_schema!({
        "type": "array",
        "items": {"anyOf": [{"type": "string"}, object]},
        "description": "Up to 2048 texts, or objects with a text",
    })
}

pub(super) async fn rerank(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let read = Read::from(&app, call.body, Input::Body(HTTP_BULK_BYTES)).await?;
    let service = Arc::clone(&app.service);
    let bytes = read.len();
    let work = move |attention: &Attention| {
        let request: RerankRequest = read.decode()?;
        reranked(&service, request, attention)
    };
    Ok(json_response(app.work.bulk(bytes, BULK_TIME, work).await.map_err(undone)??))
}

fn reranked(service: &crate::serve::Service, request: RerankRequest, attention: &Attention) -> Result<String, Problem> {
    let text = |one: Value| match one {
        Value::String(text) => Ok(text),
        Value::Object(mut fields) => match fields.remove("text") {
            Some(Value::String(text)) => Ok(text),
            _ => Err(Problem::usage("a document has no text", "send texts, or objects with a text")),
        },
        _ => Err(Problem::usage("a document is no text", "send texts, or objects with a text")),
    };
    let texts = request.documents.into_iter().map(text).collect::<Result<Vec<_>, _>>()?;
    if texts.is_empty() || texts.len() > HTTP_INPUTS {
        return Err(Problem::usage(format!("there are {} documents", texts.len()), format!("send 1 to {HTTP_INPUTS}")));
    }
    if request.query.trim().is_empty() || request.top_n == Some(0) {
        return Err(Problem::usage("query is empty, or top_n is 0", "ask a question, for one document or more"));
    }
    let given: Vec<&str> = texts.iter().map(String::as_str).collect();
    let stopped = || attention.is_stopped();
    let (model, logits) =
        service.rerank(&request.query, &given, &mut || attention.let_questions_go_first(), &stopped)?;
    if request.model.as_ref().is_some_and(|wanted| *wanted != model) {
        let hint = format!("the reranker in use is {model}");
        return Err(Problem::not_found("this is not the reranker in use", hint).with_status(StatusCode::NOT_FOUND));
    }
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|a, b| logits[*b].total_cmp(&logits[*a]).then(a.cmp(b)));
    order.truncate(request.top_n.unwrap_or(usize::MAX));
    let result = |at: usize| {
        let mut one = json!({"index": at, "relevance_score": 1.0 / (1.0 + f64::from(-logits[at]).exp())});
        if let Value::Object(fields) = &mut one
            && request.return_documents == Some(true)
        {
            fields.insert("document".to_owned(), json!({"text": texts[at]}));
        }
        one
    };
    let results: Vec<Value> = order.into_iter().map(result).collect();
    Ok(json_line(&json!({"object": "list", "model": model, "results": results})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_taken_is_said() {
        for (input, words) in [
            (json!([1, 2]), "check_embedding_ctx_length=False"),
            (json!([[1, 2]]), "check_embedding_ctx_length=False"),
            (json!([]), "input is empty"),
            (json!(["a", ""]), "text 1"),
            (json!(null), "no text"),
            (json!(["a", null]), "no text"),
            (json!(vec!["a"; HTTP_INPUTS + 1]), "2049"),
        ] {
            let problem = format!("{:?}", texts_of(input).unwrap_err());
            assert!(problem.contains(words), "{problem}");
        }
        assert_eq!(texts_of(json!("a")).unwrap(), ["a"]);
        assert!(role_of(Some("classification")).is_err());
        assert_eq!(role_of(Some("search_query")).unwrap(), Role::Query);
    }

    #[test]
    fn base64_is_little_endian() {
        assert_eq!(base64_of(&[1.0, -2.5]), "AACAPwAAIMA=");
    }
}
