//! The engine as a service for programs and agents: a request is decoded, one use case of the engine is run, its answer
//! is encoded.
//!
//! What can be asked is the same wherever it comes from: `requests` has a type for each use case, and the command line
//! fills them in too. tokio is used here and nowhere else; the engine's work runs in threads of its own.

pub mod gateway;
pub mod http;
pub mod mcp;
mod page;
mod platform;
mod requests;
mod service;

pub use requests::{
    Asker, DeleteItemsRequest, DisputeRequest, FailuresRequest, FindToolsRequest, Here, ItemRequest, ListItemsRequest,
    ListMemoriesRequest, LookupRequest, PackRequest, PlanToolsRequest, PutItem, PutItemsRequest, RememberRequest,
    RequestError, SearchRequest, Sought, StatusRequest, outcomes_seen_from, seen_from, session_of_day, status_line,
    tools_seen_from,
};
pub use service::{Answered, Caller, KnownTools, Service, Speaker};
