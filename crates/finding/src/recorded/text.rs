//! The text of a file: JSON, with a line for each launch and for each thing that holds, so that changes are easy to read.

use serde_json::Value;

use super::{RecordedKernel, SCHEMA};

/// Dimensions as the command line has them.
pub(super) mod dims {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::launch::dims_text;

    pub(crate) fn serialize<S: Serializer>(d: &[u32; 3], s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&dims_text(*d))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<[u32; 3], D::Error> {
        let text = String::deserialize(d)?;
        let mut dims = [1; 3];
        let parts: Vec<&str> = text.split(',').collect();
        let wrong = || D::Error::custom(format!("'{text}' are no dimensions"));
        if parts.len() > 3 {
            return Err(wrong());
        }
        for (to, part) in dims.iter_mut().zip(parts) {
            *to = part.trim().parse().ok().filter(|n| *n > 0).ok_or_else(wrong)?;
        }
        Ok(dims)
    }
}

pub(super) mod some_dims {
    use serde::{Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(d: &Option<[u32; 3]>, s: S) -> Result<S::Ok, S::Error> {
        match d {
            Some(d) => super::dims::serialize(d, s),
            None => s.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        d: D,
    ) -> Result<Option<[u32; 3]>, D::Error> {
        super::dims::deserialize(d).map(Some)
    }
}

impl RecordedKernel {
    pub fn parse(text: &str) -> Result<RecordedKernel, String> {
        let kernel: RecordedKernel = serde_json::from_str(text).map_err(|e| e.to_string())?;
        if kernel.schema != SCHEMA {
            return Err(format!(
                "its form has the number {}, and this version reads {SCHEMA}",
                kernel.schema
            ));
        }
        Ok(kernel)
    }

    /// The text of its file.
    pub fn text(&self) -> String {
        let Ok(Value::Object(fields)) = serde_json::to_value(self) else { return String::new() };
        let field = |(name, value): (&String, &Value)| {
            let (open, close, lines) = match value {
                Value::Array(items) if !items.is_empty() => {
                    ('[', ']', items.iter().map(|v| format!("    {v}")).collect::<Vec<_>>())
                }
                Value::Object(items) if !items.is_empty() => {
                    let line = |(k, v): (&String, &Value)| format!("    \"{k}\": {v}");
                    ('{', '}', items.iter().map(line).collect())
                }
                value => return format!("  \"{name}\": {value}"),
            };
            format!("  \"{name}\": {open}\n{}\n  {close}", lines.join(",\n"))
        };
        let fields: Vec<String> = fields.iter().map(field).collect();
        format!("{{\n{}\n}}\n", fields.join(",\n"))
    }

    /// The name of its file: the kernel's, and what tells it from others of that name.
    pub fn file_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let short: String = self.kernel.chars().map(plain).take(60).collect();
        let own = format!("{}\n{}", self.file, self.mangled);
        let hash = own.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
        });
        format!("{short}-{:08x}.json", hash >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;

    #[test]
    fn a_file_comes_back() {
        let array = RecordedArray {
            element: "i32".into(),
            bytes: Some(16),
            values: Some("3,1,0,2".into()),
            elements: Elements::of(&[3, 1, 0, 2]),
            ..RecordedArray::default()
        };
        let launch = RecordedLaunch {
            grid: [8, 1, 1],
            block: [16, 16, 1],
            scalars: [("n".to_owned(), "4".to_owned())].into(),
            arrays: [
                ("idx".to_owned(), array),
                ("none".to_owned(), RecordedArray { null: true, ..RecordedArray::default() }),
            ]
            .into(),
            ..RecordedLaunch::default()
        };
        let kernel = RecordedKernel {
            schema: SCHEMA,
            kernel: "gather<int>".into(),
            mangled: "_Z6gatherIiEvPi".into(),
            file: "src/gather.cu".into(),
            launches: vec![launch.clone(), RecordedLaunch { grid: [2; 3], ..launch }],
            ..RecordedKernel::default()
        }
        .summarised();
        let text = kernel.text();
        assert_eq!(RecordedKernel::parse(&text), Ok(kernel.clone()), "{text}");
        assert_eq!(text.matches("\"grid\"").count(), 2);
        assert!(kernel.file_name().starts_with("gather-int--"), "{}", kernel.file_name());
        let other = text.replace("\"schema\": 1", "\"schema\": 9");
        assert!(RecordedKernel::parse(&other).is_err());
        assert!(RecordedKernel::parse(&text.replace("\"8\"", "\"0\"")).is_err());
    }
}
