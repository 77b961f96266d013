//! The command line: options, progress, colours, interruption, and where output goes.

pub(crate) mod clang_style_args;
pub(crate) mod colour;
pub(crate) mod device_options;
pub(crate) mod dims;
pub(crate) mod formats;
pub(crate) mod internal;
pub(crate) mod interrupt;
pub(crate) mod kind_names;
pub(crate) mod options;
pub(crate) mod output;
pub(crate) mod paths;
pub(crate) mod program_options;
pub(crate) mod progress;

/// The input, or an option, could not be used.
pub(crate) const BAD_INPUT: u8 = 2;
