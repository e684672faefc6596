//! What there is to be asked.

use crate::engine::Status;
use crate::render::line;
use schemars::JsonSchema;
use serde::Deserialize;

/// Asks for the status; there is nothing to choose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatusRequest {}

/// One line of about 50 tokens: what an assistant is told when it begins.
pub fn status_line(status: &Status) -> String {
    let inventory = &status.inventory;
    let mut parts = vec![format!("ken: {} known errors", status.canon)];
    parts.push(format!("{} chunks of {} files", inventory.total(), inventory.files));
    if status.remembered() > 0 {
        parts.push(status.memories_text());
    }
    if !status.changed.is_empty() || !status.gone.is_empty() {
        parts.push(format!("{} stale", status.changed.len() + status.gone.len()));
    }
    parts.push(match (&status.model, status.models_agree) {
        (None, _) => "no model".to_owned(),
        (Some(model), true) => line(model).into_owned(),
        (Some(model), false) => format!("{} (not the index's)", line(model)),
    });
    format!("{}\n", parts.join(", "))
}
