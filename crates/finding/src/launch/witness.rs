//! A witness: one file that holds all that is needed to see a finding again.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

use super::Launch;

/// Written by `--witness-dir`, of `lockstep` and of `lockstep-device`, read by `lockstep run --replay`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    pub schema: u32,
    /// Relative to `folder` where it lies there, as are all other names of files in a witness.
    pub file: String,
    /// Where the witness was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// SHA-256 of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// `cuda`, `opencl` or `llvm`, where the file's name does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Mangled.
    pub kernel: String,
    pub kind: String,
    pub launch: Launch,
    /// `independent` or `lockstep`.
    pub scheduling: String,
    pub warp_size: u32,
    /// A word each; one that is not UTF-8 is a list of its bytes.
    #[serde(default, with = "words")]
    pub clang_args: Vec<OsString>,
    /// The CUDA SDK whose headers were used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cuda_path: Option<String>,
    /// What the finding said, and its accesses with their threads: for the reader, not for the replay.
    #[serde(default)]
    pub message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accesses: Vec<String>,
}

impl Witness {
    pub const SCHEMA: u32 = 1;

    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    pub fn from_json(text: &str) -> Result<Witness, String> {
        let witness: Witness =
            serde_json::from_str(text).map_err(|e| format!("not a witness: {e}"))?;
        if witness.schema != Witness::SCHEMA {
            return Err(format!(
                "a witness of schema {}; this version reads {}",
                witness.schema,
                Witness::SCHEMA
            ));
        }
        Ok(witness)
    }
}

mod words {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Word {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub(super) fn serialize<S: Serializer>(words: &[OsString], to: S) -> Result<S::Ok, S::Error> {
        let word = |w: &OsString| match w.to_str() {
            Some(text) => Word::Text(text.to_owned()),
            None => Word::Bytes(w.as_bytes().to_vec()),
        };
        words.iter().map(word).collect::<Vec<Word>>().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<OsString>, D::Error> {
        let word = |w: Word| match w {
            Word::Text(text) => text.into(),
            Word::Bytes(bytes) => OsString::from_vec(bytes),
        };
        Ok(Vec::<Word>::deserialize(from)?.into_iter().map(word).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::ArgValue;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn round_trip() {
        let witness = Witness {
            schema: 1,
            file: "a.cu".into(),
            folder: Some("/home/me".into()),
            sha256: None,
            language: None,
            kernel: "_Z1kPf".into(),
            kind: "data-race".into(),
            launch: Launch {
                args: vec![("A".into(), ArgValue::parse("f32[8]:random").unwrap())],
                seed: 3,
                ..Launch::default()
            },
            scheduling: "independent".into(),
            warp_size: 32,
            clang_args: vec!["-DN=4".into(), OsStr::from_bytes(b"-I\xff").into()],
            cuda_path: None,
            message: String::new(),
            accesses: Vec::new(),
        };
        assert_eq!(Witness::from_json(&witness.to_json()), Ok(witness));
    }

    #[test]
    fn other_files_are_refused() {
        assert!(Witness::from_json("").unwrap_err().starts_with("not a witness"));
        assert!(Witness::from_json("{}").unwrap_err().starts_with("not a witness"));
        let newer = r#"{"schema":9,"file":"a","kernel":"k","kind":"x","launch":{"grid":[1,1,1],"block":[1,1,1]},"scheduling":"independent","warp_size":32}"#;
        assert_eq!(
            Witness::from_json(newer).unwrap_err(),
            "a witness of schema 9; this version reads 1"
        );
    }
}
