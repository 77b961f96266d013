//! Schemas that what lockstep writes is checked against.

use std::fmt::Write as _;
use std::sync::OnceLock;

use serde_json::Value;

pub(crate) struct Schema(jsonschema::Validator);

impl Schema {
    pub(crate) fn parse(text: &str) -> Schema {
        let schema: Value = serde_json::from_str(text).expect("a schema is JSON");
        Schema(jsonschema::validator_for(&schema).expect("a valid schema"))
    }

    /// Everything that is wrong, a line each.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        let mut wrong = String::new();
        for error in self.0.iter_errors(value) {
            let _ = writeln!(wrong, "  not by the schema, at {}: {error}", error.instance_path());
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }
}

/// Of `--format json`.
pub(crate) fn report() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA
        .get_or_init(|| Schema::parse(include_str!("../../../../../../schemas/report.schema.json")))
}
