//! `ken gc`.

use super::output::Output;
use super::progress::Meter;
use super::session::Session;
use super::{Global, Outcome};
use crate::render::json_line;
use clap::Args;
use serde_json::{Value, json};

/// Remove what nothing uses and give the space back
#[derive(Debug, Args)]
pub(super) struct GcArgs {}

pub(super) fn run(global: &Global, _: &GcArgs, output: &Output) -> Outcome {
    let engine = Session::open(global, output)?.engine();
    let mut meter = Meter::new(output);
    let cleaned = engine.clean(&mut |p| meter.show(p));
    meter.finish();
    let cleaned = cleaned?;
    if output.json {
        let mut value = serde_json::to_value(cleaned).unwrap_or_default();
        if let Value::Object(fields) = &mut value {
            fields.insert("schema_version".to_owned(), json!(1));
        }
        output.print(&json_line(&value))?;
    } else {
        let freed = cleaned.bytes_before.saturating_sub(cleaned.bytes_after) as f64 / 1e6;
        output.print(&format!(
            "{freed:.1} MB freed: {} vectors, {} models, {} counters, {} backups.\n",
            cleaned.vectors, cleaned.models, cleaned.counters, cleaned.backups
        ))?;
    }
    Ok(0)
}
