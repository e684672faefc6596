//! All routes in one table.

use super::problem::Shape;
use super::route::{Handled, Route};
use super::{App, Call, answers, embeddings, items, jobs, memories, openapi, outcomes, plain, tools};
use crate::config::Right;
use crate::serve::requests::{
    DeleteItemsRequest, FindToolsRequest, KeepOutcomesRequest, LookupRequest, PackRequest, PlanToolsRequest,
    PutItemsRequest, RememberRequest, SearchRequest,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::sync::Arc;

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

const JSON: &str = "application/json";

/// A route with the usual answers.
const fn route(
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    answer: &'static str,
    handle: fn(Arc<App>, Call) -> Handled,
) -> Route {
    let need = Some(Right::Read);
    Route {
        path,
        method,
        need,
        shape: Shape::Problem,
        summary,
        body: None,
        query: &[],
        status: 200,
        answer: (JSON, answer),
        handle,
    }
}

/// Every route. The order is that of the document.
pub(super) static ROUTES: &[Route] = &[
    Route {
        body: Some(schema::<LookupRequest>),
        ..route("POST", "/v1/lookup", "Known cause and fix of an error or a log", "lookup-answer", |app, call| {
            Box::pin(answers::lookup(app, call))
        })
    },
    Route {
        body: Some(schema::<SearchRequest>),
        ..route(
            "POST",
            "/v1/search",
            "Passages and known errors that answer a question",
            "search-answer",
            |app, call| Box::pin(answers::search(app, call)),
        )
    },
    Route {
        body: Some(schema::<PackRequest>),
        ..route("POST", "/v1/pack", "A frame for a task, within a budget of tokens", "frame", |app, call| {
            Box::pin(answers::pack(app, call))
        })
    },
    Route {
        body: Some(schema::<answers::AskRequest>),
        ..route("POST", "/v1/ask", "What a plain phrase asks for; Ken-Call names the call", "any", |app, call| {
            Box::pin(answers::ask(app, call))
        })
    },
    Route {
        body: Some(schema::<PutItemsRequest>),
        need: Some(Right::Write),
        ..route(
            "PUT",
            "/v1/items",
            "Store items of a program: all of a batch or none",
            "items-answer/$defs/put",
            |app, call| Box::pin(items::put(app, call)),
        )
    },
    Route {
        query: &["where", "kind", "scope", "tag", "after", "limit"],
        ..route("GET", "/v1/items", "A page of the items that pass", "items-answer/$defs/list", |app, call| {
            Box::pin(items::list(app, call))
        })
    },
    Route {
        body: Some(schema::<DeleteItemsRequest>),
        need: Some(Right::Write),
        ..route("DELETE", "/v1/items", "Delete the items that pass", "items-answer/$defs/delete", |app, call| {
            Box::pin(items::delete_all(app, call))
        })
    },
    Route {
        query: &["scope"],
        ..route("GET", "/v1/items/{id}", "An item by its id", "items-answer/$defs/get", |app, call| {
            Box::pin(items::get(app, call))
        })
    },
    Route {
        query: &["scope"],
        need: Some(Right::Write),
        ..route("DELETE", "/v1/items/{id}", "Delete an item", "items-answer/$defs/delete", |app, call| {
            Box::pin(items::delete(app, call))
        })
    },
    Route {
        body: Some(schema::<RememberRequest>),
        need: Some(Right::Write),
        ..route(
            "POST",
            "/v1/memories",
            "Remember a fix, a fact or a preference; what is known already is updated in its place",
            "memory-answer/$defs/remembered",
            |app, call| Box::pin(memories::remember(app, call)),
        )
    },
    Route {
        query: &["kind", "state", "held", "after", "limit"],
        ..route(
            "GET",
            "/v1/memories",
            "A page of memories, the last met first",
            "memories-answer/$defs/list",
            |app, call| Box::pin(memories::list(app, call)),
        )
    },
    route(
        "GET",
        "/v1/memories/{id}",
        "A memory, and all that happened to it",
        "memory-answer/$defs/history",
        |app, call| Box::pin(memories::get(app, call)),
    ),
    Route {
        need: Some(Right::Write),
        ..route(
            "DELETE",
            "/v1/memories/{id}",
            "Forget a memory, with every trace on the disk",
            "memory-answer/$defs/forgotten",
            |app, call| Box::pin(memories::forget(app, call)),
        )
    },
    Route {
        body: Some(schema::<memories::Dispute>),
        need: Some(Right::Write),
        ..route(
            "POST",
            "/v1/memories/{id}/dispute",
            "Say that a memory is wrong: it is not served any more",
            "memory-answer/$defs/decided",
            |app, call| Box::pin(memories::dispute(app, call)),
        )
    },
    Route {
        body: Some(schema::<memories::Reason>),
        need: Some(Right::Write),
        ..route(
            "POST",
            "/v1/memories/{id}/contradict",
            "Say that something spoke against a memory: it is less sure now",
            "memory-answer/$defs/decided",
            |app, call| Box::pin(memories::contradict(app, call)),
        )
    },
    Route {
        body: Some(schema::<memories::Reason>),
        need: Some(Right::Admin),
        ..route(
            "POST",
            "/v1/memories/{id}/confirm",
            "Say as a person that a memory is true",
            "memory-answer/$defs/decided",
            |app, call| Box::pin(memories::confirm(app, call)),
        )
    },
    Route {
        body: Some(schema::<memories::Reason>),
        need: Some(Right::Admin),
        ..route(
            "POST",
            "/v1/memories/{id}/approve",
            "Keep as a person what was proposed",
            "memory-answer/$defs/decided",
            |app, call| Box::pin(memories::approve(app, call)),
        )
    },
    Route {
        body: Some(schema::<memories::Reason>),
        need: Some(Right::Admin),
        ..route(
            "POST",
            "/v1/memories/{id}/reject",
            "Do not keep what was proposed",
            "memory-answer/$defs/decided",
            |app, call| Box::pin(memories::reject(app, call)),
        )
    },
    Route {
        body: Some(schema::<KeepOutcomesRequest>),
        need: Some(Right::Write),
        ..route(
            "POST",
            "/v1/outcomes",
            "Keep what tools did, without secrets",
            "outcomes-answer/$defs/kept",
            |app, call| Box::pin(outcomes::keep(app, call)),
        )
    },
    Route {
        query: &["since", "tool", "limit"],
        ..route(
            "GET",
            "/v1/outcomes",
            "Failures of tools, the most frequent first",
            "outcomes-answer/$defs/failures",
            |app, call| Box::pin(outcomes::failures(app, call)),
        )
    },
    route("GET", "/v1/tools", "The tools of agents that are known", "tools-answer/$defs/list", |app, call| {
        Box::pin(tools::list(app, call))
    }),
    Route {
        body: Some(schema::<FindToolsRequest>),
        ..route(
            "POST",
            "/v1/tools/find",
            "The few tools that a task needs, each with the reasons",
            "tools-answer/$defs/found",
            |app, call| Box::pin(tools::find(app, call)),
        )
    },
    Route {
        body: Some(schema::<PlanToolsRequest>),
        ..route(
            "POST",
            "/v1/tools/plan",
            "The tools that a task needs in order, and what is missing",
            "tools-answer/$defs/plan",
            |app, call| Box::pin(tools::plan(app, call)),
        )
    },
    route("GET", "/v1/status", "What is indexed, with which model", "status", |app, call| {
        Box::pin(answers::status(app, call))
    }),
    Route {
        body: Some(schema::<jobs::IndexRequest>),
        need: Some(Right::Admin),
        status: 202,
        ..route("POST", "/v1/index", "Index files that lie where the service runs", "job", |app, call| {
            Box::pin(jobs::index(app, call))
        })
    },
    Route {
        need: Some(Right::Admin),
        ..route("GET", "/v1/jobs/{id}", "How a job stands; as events where those are accepted", "job", |app, call| {
            Box::pin(jobs::job(app, call))
        })
    },
    Route {
        need: Some(Right::Admin),
        status: 202,
        ..route("DELETE", "/v1/jobs/{id}", "Stop a job; what it has done stays", "job", |app, call| {
            Box::pin(jobs::cancel(app, call))
        })
    },
    Route {
        body: Some(schema::<embeddings::EmbeddingsRequest>),
        shape: Shape::OpenAi,
        ..route("POST", "/v1/embeddings", "Vectors of texts, as OpenAI's", "embeddings", |app, call| {
            Box::pin(embeddings::embeddings(app, call))
        })
    },
    Route {
        shape: Shape::OpenAi,
        ..route("GET", "/v1/models", "The models that are used, as OpenAI's", "models", |app, call| {
            Box::pin(embeddings::models(app, call))
        })
    },
    Route {
        shape: Shape::OpenAi,
        ..route("GET", "/v1/models/{id}", "One of them", "model", |app, call| Box::pin(embeddings::models(app, call)))
    },
    Route {
        body: Some(schema::<embeddings::RerankRequest>),
        ..route("POST", "/v1/rerank", "Put texts in order, as Cohere's and Jina's", "reranked", |app, call| {
            Box::pin(embeddings::rerank(app, call))
        })
    },
    Route {
        answer: ("application/openmetrics-text; version=1.0.0; charset=utf-8", "text"),
        ..route("GET", "/metrics", "Counts for Prometheus", "text", |app, call| Box::pin(plain::metrics(app, call)))
    },
    Route {
        need: None,
        ..route("GET", "/healthz", "Whether the service runs", "state", |app, call| Box::pin(plain::healthy(app, call)))
    },
    Route {
        need: None,
        ..route("GET", "/readyz", "Whether the service takes questions", "state", |app, call| {
            Box::pin(plain::ready(app, call))
        })
    },
    Route {
        need: None,
        ..route("GET", "/openapi.json", "This description", "any", |app, call| Box::pin(openapi::document(app, call)))
    },
];

/// The methods of a path, as `Allow` lists them.
pub(super) fn methods_of(path: &str) -> String {
    ROUTES.iter().filter(|route| route.path == path).map(|route| route.method).collect::<Vec<_>>().join(", ")
}
