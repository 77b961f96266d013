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
    /// A reference without a function of that name, and the functions that the file has.
    NoFunction {
        file: String,
        asked: String,
        there: Vec<String>,
    },
    /// A reference that cannot be used, in words.
    Reference(String),
    ToolMissing(String),
    /// A kernel that cannot be built for a GPU, in words.
    Device(String),
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
            Error::NoFunction { file, asked, there } if there.is_empty() => write!(
                f,
                "{file}: there is no function `{asked}` in it, and no other; a template needs an instance"
            ),
            Error::NoFunction { file, asked, there } => {
                write!(f, "{file}: there is no function `{asked}` in it; it has {}", listed(there))
            }
            Error::Reference(why) => f.write_str(why),
            Error::BadIr(why) => write!(f, "not usable as LLVM IR: {why}"),
            Error::ToolMissing(what) | Error::Machine(what) | Error::Device(what) => {
                f.write_str(what)
            }
            Error::Cancelled => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Error {}

/// `a, b and 3 more`.
fn listed(names: &[String]) -> String {
    const MOST: usize = 20;
    let shown = names.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
