//! Errors before there is a kernel: one clear message each.

use std::fmt;

#[derive(Debug)]
pub enum Error {
    NotFound {
        path: String,
        why: String,
    },
    NotUtf8 {
        path: String,
    },
    UnknownExtension {
        path: String,
    },
    /// clang's output, verbatim.
    Compile {
        stderr: String,
    },
    /// A header that is missing: its name, and clang's output.
    MissingHeader {
        header: String,
        stderr: String,
    },
    BadIr(String),
    ToolMissing(String),
    /// A problem of the machine, not of this input: it is the same for all inputs.
    Machine(String),
    /// The compilation was cancelled.
    Cancelled,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotFound { path, why } => write!(f, "cannot read {path}: {why}"),
            Error::NotUtf8 { path } => write!(f, "{path} is not UTF-8 text"),
            Error::UnknownExtension { path } => write!(
                f,
                "{path}: the language is not clear from the name (.cu, .cl, .ll, .bc); say --lang cuda, opencl or llvm"
            ),
            Error::Compile { stderr } => f.write_str(stderr.trim_end()),
            Error::MissingHeader { header, stderr } => write!(
                f,
                "header `{header}` not found: add its folder with -I, or give a CUDA SDK with --cuda-path\n{}",
                stderr.trim_end()
            ),
            Error::BadIr(why) => write!(f, "not usable as LLVM IR: {why}"),
            Error::ToolMissing(what) | Error::Machine(what) => f.write_str(what),
            Error::Cancelled => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Error {}
