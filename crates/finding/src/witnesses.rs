//! Witnesses of findings, and the names of their files.

use std::path::PathBuf;

use crate::render::access_label;
use crate::{Finding, Launch, Witness};

/// The witness of a finding in a launch. `compiled` says how its kernel was compiled.
pub fn witness(compiled: &Witness, finding: &Finding, launch: Launch) -> Witness {
    let access = |i: usize| {
        let access = &finding.accesses[i];
        let place = &access.place;
        let mut text = format!(
            "{} at {}:{}:{}",
            access_label(finding, i),
            place.file,
            place.line,
            place.column
        );
        access.notes.iter().for_each(|note| text += &format!("; {note}"));
        text
    };
    Witness {
        kind: finding.kind.name().to_owned(),
        launch,
        message: finding.message.clone(),
        accesses: (0..finding.accesses.len()).map(access).collect(),
        ..compiled.clone()
    }
}

/// Names for the files of a folder: they say kernel, kind and number.
#[derive(Debug, Default)]
pub struct WitnessNames(Vec<String>);

impl WitnessNames {
    pub fn next(&mut self, kernel: &str, kind: &str) -> PathBuf {
        let base = format!("{}-{kind}", plain(kernel));
        self.0.push(base.clone());
        let number = self.0.iter().filter(|known| **known == base).count();
        format!("{base}-{number}.json").into()
    }
}

/// A kernel's name without what file systems dislike.
fn plain(kernel: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }
    };
    kernel.chars().take(80).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::samples;

    #[test]
    fn a_witness_says_who_did_what() {
        let compiled = Witness::from_json(
            r#"{"schema":1,"file":"reduce.cu","sha256":"ab","kernel":"_Z6reducePf","kind":"","launch":{"grid":[1,1,1],"block":[1,1,1]},"scheduling":"independent","warp_size":32}"#,
        );
        let made = witness(&compiled.unwrap(), &samples::race(), samples::launch());
        assert_eq!((made.kind.as_str(), &made.launch), ("data-race", &samples::launch()));
        assert_eq!(made.sha256.as_deref(), Some("ab"));
        assert_eq!(made.accesses.len(), 2);
        let first = "(1) write of 1.5 by thread (8,0,0) of block (0,0,0) at reduce.cu:7:20";
        assert!(made.accesses[0].starts_with(first), "{:?}", made.accesses);
        assert_eq!(Witness::from_json(&made.to_json()), Ok(made));
    }

    #[test]
    fn names_of_files() {
        let mut names = WitnessNames::default();
        let mut next = |kernel: &str| names.next(kernel, "data-race").display().to_string();
        assert_eq!(next("a::scan<int, 4>"), "a__scan_int__4_-data-race-1.json");
        assert_eq!(next("reduce"), "reduce-data-race-1.json");
        assert_eq!(next("a::scan<int, 4>"), "a__scan_int__4_-data-race-2.json");
    }
}
