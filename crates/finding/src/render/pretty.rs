//! JSON with a line for each object and none for each number of an array.

use serde_json::Value;

pub(super) fn pretty(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, 0);
    out.push('\n');
    out
}

fn write(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Array(items) if items.iter().any(is_nested) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                separate(out, i, depth + 1);
                write(out, item, depth + 1);
            }
            new_line(out, depth);
            out.push(']');
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                out.push_str(&item.to_string());
            }
            out.push(']');
        }
        Value::Object(map) if map.is_empty() => out.push_str("{}"),
        Value::Object(map) => {
            out.push('{');
            for (i, (key, item)) in map.iter().enumerate() {
                separate(out, i, depth + 1);
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push_str(": ");
                write(out, item, depth + 1);
            }
            new_line(out, depth);
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn is_nested(value: &Value) -> bool {
    value.is_array() || value.is_object()
}

fn separate(out: &mut String, index: usize, depth: usize) {
    if index > 0 {
        out.push(',');
    }
    new_line(out, depth);
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_stay_on_their_line() {
        let value = json!({"a": [1, 2], "b": [{"c": "x\n"}, {}], "d": {}, "e": []});
        let text = pretty(&value);
        assert_eq!(
            text,
            "{\n  \"a\": [1, 2],\n  \"b\": [\n    {\n      \"c\": \"x\\n\"\n    },\n    {}\n  ],\n  \"d\": {},\n  \"e\": []\n}\n"
        );
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
