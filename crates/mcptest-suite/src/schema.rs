//! The JSON Schema of the suite language, generated from the types.

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::model::Suite;

/// The suite's JSON Schema, as `mcptest schema suite` prints it and `schema/v1.json` holds it.
pub fn suite() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
        let settings = SchemaSettings::draft2020_12().with_transform(NoEmptyValues);
        settings.into_generator().into_root_schema_for::<Suite>().into()
    });
    &SCHEMA
}

/// The JSON Schema of a format that machines write, in which `null` stands for what is absent.
pub fn generate<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().into()
}

/// An omitted key and an empty value are different things: only lists may be left empty.
#[derive(Debug, Clone)]
struct NoEmptyValues;

impl Transform for NoEmptyValues {
    fn transform(&mut self, schema: &mut Schema) {
        if schema.get("default").is_some_and(Value::is_null) {
            schema.remove("default");
        }
        drop_null_type(schema);
        drop_null_branch(schema);
        transform_subschemas(self, schema);
    }
}

fn drop_null_type(schema: &mut Schema) {
    let Some(Value::Array(types)) = schema.get("type") else { return };
    let kept = types.iter().filter(|name| *name != "null").cloned().collect::<Vec<_>>();
    if let [only] = kept.as_slice()
        && only != "array"
    {
        schema.insert("type".to_owned(), only.clone());
    }
}

fn drop_null_branch(schema: &mut Schema) {
    let Some(Value::Array(branches)) = schema.get("anyOf") else { return };
    let kept = branches
        .iter()
        .filter(|branch| branch.get("type").is_none_or(|name| name != "null"))
        .cloned()
        .collect::<Vec<_>>();
    if kept.len() == branches.len() {
        return;
    }
    schema.remove("anyOf");
    match kept.as_slice() {
        [Value::Object(only)] => {
            for (key, value) in only {
                schema.insert(key.clone(), value.clone());
            }
        }
        _ => {
            schema.insert("anyOf".to_owned(), Value::Array(kept));
        }
    }
}
