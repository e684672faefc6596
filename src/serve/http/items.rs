//! Items that programs put in: stored, read, listed, deleted.

use super::answers::{Input, Read, Told, json_response, run, undone};
use super::embeddings::BULK_TIME;
use super::problem::Problem;
use super::work::Attention;
use super::{App, Call};
use crate::render::json_object;
use crate::serve::Caller;
use crate::serve::requests::ListItemsRequest;
use crate::types::limits::{HTTP_BODY_BYTES, HTTP_BULK_BYTES};
use axum::body::Body;
use axum::http::Response;
use serde_json::{Value, json};
use std::sync::Arc;

/// Stores a batch. Its texts go through the model, so it is work in bulk.
pub(super) async fn put(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let read = Read::from(&app, call.body, Input::Body(HTTP_BULK_BYTES)).await?;
    let (service, bytes) = (Arc::clone(&app.service), read.len());
    let work = move |attention: &Attention| {
        let stopped = || attention.is_stopped();
        let (access, patience) = (&call.caller.access, Some(attention.patience()));
        let caller = Caller { access, patience, ..Caller::owner(&stopped) };
        let request = read.decode()?;
        attention.let_questions_go_first();
        let put = service.put_items(request, caller).map_err(Problem::from);
        Ok::<_, Problem>(json_object(&put.map_err(|problem| attention.late().map_or(problem, undone))?.value))
    };
    Ok(json_response(app.work.bulk(bytes, BULK_TIME, work).await.map_err(undone)??))
}

/// A page of those that pass.
pub(super) async fn list(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let request = asked_for(&call.query)?;
    run(app, call, Input::Value(request), |service, read, caller| {
        let request: ListItemsRequest = read.decode()?;
        Ok(Told::plain(json_object(&service.list_items(request, caller)?.value)))
    })
    .await
}

/// One of them.
pub(super) async fn get(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let request = named(&call)?;
    run(app, call, Input::Value(request), |service, read, caller| {
        let found = service.item(read.decode()?, caller)?.value;
        Ok(Told::plain(json_object(&found.ok_or_else(none)?)))
    })
    .await
}

/// Deletes one.
pub(super) async fn delete(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    let request = named(&call)?;
    run(app, call, Input::Value(request), |service, read, caller| {
        let deleted = service.delete_item(read.decode()?, caller)?.value;
        if deleted.deleted == 0 { Err(none()) } else { Ok(Told::plain(json_object(&deleted))) }
    })
    .await
}

/// Deletes those that pass.
pub(super) async fn delete_all(app: Arc<App>, call: Call) -> Result<Response<Body>, Problem> {
    run(app, call, Input::Body(HTTP_BODY_BYTES), |service, read, caller| {
        Ok(Told::plain(json_object(&service.delete_items(read.decode()?, caller)?.value)))
    })
    .await
}

/// Also said of what whoever asks may not see.
fn none() -> Problem {
    Problem::not_found("there is no such item", "/v1/items lists all; name the scope that it was put into: ?scope=NAME")
}

/// The id in the path, and the scope behind it.
fn named(call: &Call) -> Result<Value, Problem> {
    let mut request = json!({"id": call.parameter});
    for (key, value) in form_urlencoded::parse(call.query.as_bytes()) {
        match &*key {
            "scope" => request["scope"] = value.into(),
            other => return Err(unknown(other, "scope")),
        }
    }
    Ok(request)
}

/// The request for a list, from what stands behind `?`.
fn asked_for(query: &str) -> Result<Value, Problem> {
    let mut request = json!({"kinds": [], "scopes": [], "tags": []});
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*key {
            "where" | "after" => request[&*key] = value.into(),
            "limit" => request["limit"] = limit(&value)?,
            "kind" | "scope" | "tag" => {
                if let Value::Array(list) = &mut request[format!("{key}s")] {
                    list.push(value.into());
                }
            }
            other => return Err(unknown(other, "where, kind, scope, tag, after and limit")),
        }
    }
    Ok(request)
}

/// Most of a page, as it stands in the address.
pub(super) fn limit(text: &str) -> Result<Value, Problem> {
    let wrong = |_| Problem::usage(format!("limit cannot be {text:?}"), "give a number from 1 to 1000");
    Ok(text.parse::<u32>().map_err(wrong)?.into())
}

/// Said of a parameter that there is not.
pub(super) fn unknown(key: &str, known: &str) -> Problem {
    Problem::usage(format!("there is no parameter {key:?}"), format!("there are {known}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_asked_for_in_the_address() {
        let read = asked_for("where=lang+%3D+%27rust%27&kind=fact&kind=tactic&tag=a%26b&limit=7&after=x").unwrap();
        let expected = json!({"kinds": ["fact", "tactic"], "scopes": [], "tags": ["a&b"],
            "where": "lang = 'rust'", "limit": 7, "after": "x"});
        assert_eq!(read, expected);
        let request: ListItemsRequest = Read::Value(read).decode().unwrap();
        assert_eq!(request.condition.as_deref(), Some("lang = 'rust'"));
        assert!(asked_for("limit=-1").is_err() && asked_for("colour=red").is_err());
    }
}
