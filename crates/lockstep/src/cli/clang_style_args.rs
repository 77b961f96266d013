//! Options that are spelt as clang spells them: `-DX=1`, `-I dir`, `-std=c++14`.
//!
//! clap knows no long options with a single dash, so these are taken out of the
//! command line before clap sees it, together with everything after `--`.

use std::ffi::OsString;

use lockstep_project::flags::with_one_architecture;

/// A command line in two parts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Split {
    /// For clap.
    pub(crate) ours: Vec<OsString>,
    /// For clang.
    pub(crate) clang: Vec<OsString>,
}

/// Options whose value is joined or stands in the next word.
const JOINED_OR_SEPARATE: [&str; 5] = ["-include", "-isystem", "-I", "-D", "-U"];
/// Options that are one word.
const ONE_WORD: [&str; 2] = ["-std=", "-cl-std="];
/// Options of ours whose value may look like one of clang's.
const TAKES_ANY_VALUE: [&str; 2] = ["--assume", "--arg"];

pub(crate) fn split(argv: impl IntoIterator<Item = OsString>) -> Result<Split, String> {
    let mut out = Split::default();
    let mut argv = argv.into_iter();
    while let Some(word) = argv.next() {
        let starts_with = |option: &&&str| word.as_encoded_bytes().starts_with(option.as_bytes());
        if word == "--" {
            out.clang.extend(argv.by_ref());
        } else if let Some(option) = JOINED_OR_SEPARATE.iter().find(starts_with) {
            let is_separate = word == **option;
            out.clang.push(word);
            if is_separate {
                out.clang.push(argv.next().ok_or_else(|| format!("{option} needs a value"))?);
            }
        } else if ONE_WORD.iter().find(starts_with).is_some() {
            out.clang.push(word);
        } else {
            let takes_value = TAKES_ANY_VALUE.iter().any(|o| word == **o);
            out.ours.push(word);
            if takes_value {
                out.ours.extend(argv.next());
            }
        }
    }
    out.clang = with_one_architecture(out.clang);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_text(line: &str) -> Result<(String, String), String> {
        let split = split(line.split(' ').map(OsString::from))?;
        let text = |words: &[OsString]| {
            words.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        Ok((text(&split.ours), text(&split.clang)))
    }

    #[test]
    fn clang_options_are_taken_out() {
        let (ours, clang) = split_text(
            "check a.cu -DX=1 -D Y -Ifoo -I bar -std=c++14 -include x.h --block 4 -- -O1 -DZ",
        )
        .unwrap();
        assert_eq!(ours, "check a.cu --block 4");
        assert_eq!(clang, "-DX=1 -D Y -Ifoo -I bar -std=c++14 -include x.h -O1 -DZ");
    }

    #[test]
    fn values_of_ours_stay() {
        let (ours, clang) = split_text("run - --assume -D --kernel k").unwrap();
        assert_eq!((ours.as_str(), clang.as_str()), ("run - --assume -D --kernel k", ""));
    }

    #[test]
    fn a_missing_value_is_an_error() {
        assert_eq!(split_text("check a.cu -D"), Err("-D needs a value".into()));
    }
}
