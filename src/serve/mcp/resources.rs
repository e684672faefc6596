//! What an agent reads by its id: entries of packs and items, as hits name them.
//!
//! There are thousands, so they are not listed; a template says how one is asked for.

use crate::serve::{Caller, Service};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, ResourceContents, ResourceTemplate};

/// How the address of each begins.
const SCHEME: &str = "ken://";

/// How one is asked for.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new(format!("{SCHEME}{{+id}}"), "knowledge")
        .with_description("A known error or an indexed passage, whole, by the id of a hit")
        .with_mime_type("text/markdown");
    vec![template]
}

/// Reads one.
pub(super) fn read(service: &Service, uri: &str, caller: Caller<'_>) -> Result<ReadResourceResult, ErrorData> {
    let none = || ErrorData::resource_not_found("there is nothing of this id; hits have ids that there are", None);
    let id = uri.strip_prefix(SCHEME).ok_or_else(none)?;
    let found = service.page_of(id, caller).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let text = found.value.ok_or_else(none)?;
    let contents = ResourceContents::text(text, uri).with_mime_type("text/markdown");
    Ok(ReadResourceResult::new(vec![contents]))
}
