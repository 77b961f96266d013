//! The architecture that CUDA code is compiled for: the last one named by `--offload-arch=` among clang's options,
//! otherwise sm_70.
//!
//! Code that parses command lines converts other spellings into this one. OpenCL has no architecture; there the option
//! is dropped.

use std::ffi::{OsStr, OsString};

use crate::Options;

/// Used if no architecture is given. The first with independent thread scheduling, whose rules the later ones share.
pub const DEFAULT_ARCHITECTURE: &str = "sm_70";

const SPELLINGS: [&str; 2] = ["--offload-arch=", "--cuda-gpu-arch="];

fn named(option: &OsStr) -> Option<&str> {
    let option = option.to_str()?;
    SPELLINGS.iter().find_map(|s| option.strip_prefix(s))
}

/// The requested architecture.
pub(crate) fn of(options: &Options) -> String {
    let last = options.clang_args.iter().rev().find_map(|a| named(a));
    last.unwrap_or(DEFAULT_ARCHITECTURE).to_owned()
}

/// All options for clang except those that name an architecture, and those that would have it optimise: an optimiser can hide a race.
pub(crate) fn others(options: &Options) -> impl Iterator<Item = &OsStr> {
    let is_other = |a: &&OsStr| named(a).is_none() && !optimises(a);
    options.clang_args.iter().map(OsString::as_os_str).filter(is_other)
}

/// `-O`, `-O3`, `-Ofast`.
fn optimises(option: &OsStr) -> bool {
    let level = option.to_str().and_then(|o| o.strip_prefix("-O"));
    level.is_some_and(|level| {
        ["", "s", "z", "g", "fast"].contains(&level) || level.parse::<u32>().is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_counts() {
        let with = |args: &[&str]| Options {
            clang_args: args.iter().map(|a| a.into()).collect(),
            ..Options::default()
        };
        assert_eq!(of(&with(&["-DX"])), "sm_70");
        let two = with(&["--offload-arch=sm_90", "-DX", "--cuda-gpu-arch=sm_80"]);
        assert_eq!(of(&two), "sm_80");
        assert_eq!(others(&two).collect::<Vec<_>>(), ["-DX"]);
        let optimised = with(&["-O3", "-DX", "-O", "-Ofast", "-Oz"]);
        assert_eq!(others(&optimised).collect::<Vec<_>>(), ["-DX"]);
    }
}
