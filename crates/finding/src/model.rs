//! The data of a finding, independent of any output format.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::action::{Action, MemorySpace};
use crate::condition::{Condition, When};
use crate::counts::{Counted, Counts};
use crate::kinds::Kind;
use crate::launch::{ElementType, Launch};
use crate::reason::Reason;
use crate::trace::Trace;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    Warning,
    Error,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Reproduced by executing the launch, or follows exactly.
    Confirmed,
    /// Some value was approximated.
    Possible,
}

impl Confidence {
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Confirmed => "confirmed",
            Confidence::Possible => "possible",
        }
    }
}

/// A place in a source file, 1-based; `line` 0 means "not known".
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    /// The calls through which the place was inlined, innermost first.
    pub inlined_at: Vec<Place>,
}

/// One side of a finding: who did what, where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access {
    pub op: Action,
    /// Absent where no single thread did it (an asynchronous group copy).
    pub thread: Option<[u32; 3]>,
    pub block: [u32; 3],
    pub place: Place,
    /// The value read or written, as text, where known.
    pub value: Option<String>,
    /// More of what is known: variables of that thread and their values.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approximated {
    pub variable: Approximation,
    pub affects_reachability: bool,
    pub affects_index: bool,
}

/// What an engine did not follow exactly, and took for any value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Approximation {
    /// A variable, or what was loaded from an array.
    Variable(String),
    /// Where a pointer points.
    Target(String),
    /// A value that has no name in the source.
    Unnamed,
    /// How often a loop with this counter runs.
    Iterations(String),
    /// The same, of a loop without a named counter.
    IterationsOfLoop {
        line: u32,
    },
    /// The result of an operation that has no model; a floating-point one, or a comparison of such values, by its class.
    Operation(String),
    FloatValue,
    FloatComparison,
    /// Which barriers lie between two accesses.
    Barriers,
    /// What atomics, fences or warps order.
    OtherOrder,
}

impl Approximation {
    /// Whether it is a matter of how control and barriers are followed, and not of values from memory.
    pub fn is_of_control(&self) -> bool {
        matches!(
            self,
            Approximation::Iterations(_) | Approximation::Barriers | Approximation::OtherOrder
        )
    }
}

impl fmt::Display for Approximation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Approximation::Variable(name) => f.write_str(name),
            Approximation::Target(pointer) => write!(f, "{pointer} (where it points)"),
            Approximation::Unnamed => f.write_str("an unnamed value"),
            Approximation::Iterations(counter) => write!(f, "iterations of {counter}"),
            Approximation::IterationsOfLoop { line } => write!(f, "the loop at line {line}"),
            Approximation::Operation(name) => write!(f, "a result of {name}"),
            Approximation::FloatValue => f.write_str("a floating-point value"),
            Approximation::FloatComparison => f.write_str("a comparison of floating-point values"),
            Approximation::Barriers => f.write_str("barriers on the way"),
            Approximation::OtherOrder => f.write_str("order through atomics, fences or warps"),
        }
    }
}

/// The memory a finding is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    pub space: MemorySpace,
    /// Variable or parameter, where known.
    pub object: Option<String>,
    /// Index of the element, in units of the object's element type.
    pub element: Option<i64>,
    /// Byte range within the object, end excluded (signed: may lie before it).
    pub bytes: Option<[i64; 2]>,
    /// Size of the object in bytes, where that helps (out of bounds).
    pub object_size: Option<u64>,
    /// Element type as text, such as `f32`.
    pub element_type: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub kind: Kind,
    pub severity: Severity,
    pub confidence: Confidence,
    /// One sentence, no trailing full stop.
    pub message: String,
    pub memory: Option<Memory>,
    /// One or two places. The first is where a terminal points first.
    pub accesses: Vec<Access>,
    pub approximated: Vec<Approximated>,
    /// How many times it was seen (pairs of accesses, or accesses).
    pub occurrences: u64,
    pub benign: bool,
    /// What a launch needs to show it, where not every launch does.
    pub holds_when: Option<When>,
    /// The launch that reproduces it.
    pub launch: Option<Launch>,
    pub help: Vec<String>,
    pub fix: Option<Fix>,
    /// Why it does not count, where the source, the project or a baseline says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<Suppressed>,
    /// Other kernels that have it at the same places: instances of one template, or
    /// the same kernel in another file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<String>,
    /// What its threads did, where somebody asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// It is shown by an exploration of executions under the memory model, and not by one execution.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub explored: bool,
    /// Where the host caused it, in a program that was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostSite>,
    /// How to see it again.
    #[serde(skip)]
    pub repeat: Option<Repeat>,
}

/// A call of the host, in a program that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostSite {
    /// Absent where the program has no information about lines.
    pub file: Option<String>,
    pub line: Option<u32>,
    /// The number of the launch in the process, from 1 on; none where it was no launch.
    pub launch: Option<u64>,
}

/// How often a program has launched a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchCount {
    pub made: u64,
    /// How many were checked for all kinds that were asked for.
    pub checked: u64,
}

/// How a program that was run has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramEnd {
    /// Its exit status; of one that a signal ended, 128 and the signal's number.
    pub status: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
}

/// An edit of the source that cures a finding: it was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// One sentence, no trailing full stop.
    pub description: String,
    pub verified: Tried,
    /// In the order of the text; they do not overlap.
    pub edits: Vec<Edit>,
}

/// What is known of a kernel with a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tried {
    /// The finding is gone, for all inputs for which it was found.
    Proved,
    /// The finding is gone, in the launches that were tried.
    Clean,
}

/// A stretch of text that is replaced. Lines and columns count from 1, the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub text: String,
}

/// A command line that repeats a finding's launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// Where the names in it hold: a word of a shell.
    pub folder: String,
    /// The command, the file and the kernel.
    pub what: String,
    /// The launch, and all else that the kernel needs to be the same; none where a witness has them.
    pub options: String,
}

impl Repeat {
    /// The command as it can be given in any folder.
    pub fn from_anywhere(&self) -> String {
        let Repeat { folder, what, options } = self;
        format!("cd {folder} && {what} {options}").trim_end().to_owned()
    }
}

/// Why a finding does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suppressed {
    pub because: String,
    /// A comment in the source says so, and not a file of the project's.
    pub in_source: bool,
}

impl Finding {
    /// A confirmed error with everything empty that most leave empty.
    pub fn new(kind: Kind, message: String, accesses: Vec<Access>) -> Finding {
        Finding {
            kind,
            severity: Severity::Error,
            confidence: Confidence::Confirmed,
            message,
            memory: None,
            accesses,
            approximated: Vec::new(),
            occurrences: 1,
            benign: false,
            holds_when: None,
            launch: None,
            help: Vec::new(),
            fix: None,
            suppressed: None,
            also_in: Vec::new(),
            trace: None,
            explored: false,
            host: None,
            repeat: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Proved { assumes: Vec<Condition> },
    Clean { covered: String },
    Found,
    Unknown { because: Reason },
}

impl Verdict {
    /// The worst first.
    pub const NAMES: [&str; 4] = ["found", "unknown", "clean", "proved"];

    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Proved { .. } => "proved",
            Verdict::Clean { .. } => "clean",
            Verdict::Found => "found",
            Verdict::Unknown { .. } => "unknown",
        }
    }
}

/// An array after a launch, as the user asked to see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Output {
    pub name: String,
    /// `f32`, `i32`, …; `bytes` where the element type is not a scalar.
    pub element_type: String,
    /// Number of elements in the whole array (which `values` may not show).
    pub length: u64,
    /// Elements as text: numbers as JSON would have them. Either all of them,
    /// or the first [`Output::HEAD`] and the last [`Output::TAIL`].
    pub values: Vec<String>,
}

impl Output {
    /// How many elements at either end are shown of a long array.
    pub const HEAD: usize = 16;
    pub const TAIL: usize = 4;

    /// The array that `bytes` are: all of it where `full`, else its ends.
    pub fn from_bytes(name: &str, element: ElementType, bytes: &[u8], full: bool) -> Output {
        let size = element.size();
        let length = bytes.len() / size;
        let text = |range: std::ops::Range<usize>| {
            bytes[range.start * size..range.end * size]
                .chunks_exact(size)
                .map(|b| element.value_text(b))
        };
        let values = if full || length <= Output::HEAD + Output::TAIL {
            text(0..length).collect()
        } else {
            text(0..Output::HEAD).chain(text(length - Output::TAIL..length)).collect()
        };
        Output {
            name: name.to_owned(),
            element_type: element.name().to_owned(),
            length: length as u64,
            values,
        }
    }

    /// Whether `values` shows every element.
    pub fn is_complete(&self) -> bool {
        self.values.len() as u64 == self.length
    }
}

/// Everything that was found out about one kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelReport {
    pub name: String,
    pub mangled: String,
    /// The file that was checked.
    pub file: String,
    /// The header that the kernel stands in, where it is not that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Of the header, or of the file.
    pub line: u32,
    pub language: String,
    /// The architecture that it was compiled for, `sm_70`: CUDA only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// In the order of [`Kind::ALL`], only the kinds that were asked for.
    pub verdicts: Vec<(Kind, Verdict)>,
    pub findings: Vec<Finding>,
    /// Whole numbers among its parameters, such as sizes, that stand for every value in what is proved of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub for_every: Vec<String>,
    /// What the kernel printed.
    pub printed: String,
    pub outputs: Vec<Output>,
    /// How often the program launched it, where one was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launches: Option<LaunchCount>,
    /// The launch that was simulated, where it was one (`run`, `check`).
    pub launch: Option<Launch>,
    pub seconds: f64,
    /// Other instances of its template that are the same code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<String>,
    /// `T = float, N = 32`: the arguments chosen for a template that nothing in the
    /// source instantiates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// Why its accesses do not race, where that is proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// Its accesses and barriers, for who asks about a line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<Operation>,
    /// Findings that are shown with another instance of its template, at the same places.
    #[serde(skip)]
    pub elsewhere: Vec<(Kind, Counted)>,
    /// The clock ended the analysis before all was decided: with less to do, the machine might decide more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended_by_clock: bool,
    /// The budget that it had, in seconds, where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
    /// The command that goes on with what is unknown where the clock ended the analysis: with more time, and for those
    /// kinds alone.
    #[serde(skip)]
    pub go_on: Option<Repeat>,
    /// Its project does not mind what is unknown.
    #[serde(skip)]
    pub unknown_allowed: bool,
}

/// An access to memory that threads share, or a barrier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    pub place: Place,
    /// ``write to `out` ``, `barrier`.
    pub what: String,
    pub is_barrier: bool,
}

/// Why nothing races in a kernel, place by place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The launches it is about: `every blockDim and gridDim`.
    pub holds_for: String,
    pub places: Vec<SafePlace>,
}

/// An access or a barrier that is as it should be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SafePlace {
    pub place: Place,
    /// ``write to `out` ``, `barrier`.
    pub what: String,
    /// Reasons, each a sentence without a full stop.
    pub why: Vec<String>,
}

/// A file that could not be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputError {
    pub file: String,
    pub message: String,
}

impl InputError {
    /// File, line and column of the first error in a compiler's message.
    pub fn place(&self) -> Option<(&str, u32, u32)> {
        self.message.lines().find_map(|line| {
            let at = line.find(": error: ").or_else(|| line.find(": fatal error: "))?;
            let mut parts = line[..at].rsplitn(3, ':');
            let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            Some((parts.next()?, line, column))
        })
    }

    /// What is wrong, without the name of the file that was checked: the same for files that share a fault. Of a
    /// compiler's message, the first error; where that is in another file (a header), with its place.
    pub fn fault(&self) -> String {
        let is_error = |line: &&str| line.contains(": error: ") || line.contains(": fatal error: ");
        let line = self.message.lines().find(is_error);
        match (line, self.place()) {
            (Some(line), Some((file, ..))) if file == self.file => {
                line.split_once("error: ").map_or(line, |(_, what)| what).to_owned()
            }
            (Some(line), _) => line.to_owned(),
            (None, _) if self.file.is_empty() => self.message.clone(),
            (None, _) => self.message.replace(&self.file, ""),
        }
    }
}

/// What the user should know, though it decides nothing: a suppression that nothing
/// needs, a template that could not be looked at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Warning {
    /// Empty where it is about the whole run.
    pub file: String,
    /// 0 where it is about the whole file.
    pub line: u32,
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            // It is about the whole run.
            0 if self.file.is_empty() => f.write_str(&self.message),
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{}:{line}: {}", self.file, self.message),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Default)]
pub struct Report {
    pub kernels: Vec<KernelReport>,
    pub errors: Vec<InputError>,
    pub warnings: Vec<Warning>,
    /// The end of the program that was run.
    pub program: Option<ProgramEnd>,
}

impl KernelReport {
    /// The architecture where nobody asked for one: reports for people do not mention it.
    pub const USUAL_ARCH: &str = "sm_70";

    /// The architecture, where it is another than the usual one.
    pub fn unusual_arch(&self) -> Option<&str> {
        self.arch.as_deref().filter(|a| *a != KernelReport::USUAL_ARCH)
    }

    /// The file that its text stands in.
    pub fn text_file(&self) -> &str {
        self.header.as_deref().unwrap_or(&self.file)
    }
}

impl Report {
    /// The exit status that the interface promises for this report.
    pub fn exit_status(&self, allow_unknown: bool) -> u8 {
        Counts::of(self).exit_status(allow_unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_share_a_fault() {
        let fault = |file: &str, message: &str| {
            InputError { file: file.into(), message: message.into() }.fault()
        };
        let missing = fault("a.cu", "a.cu:1:10: fatal error: 'x.h' file not found\n    1 | x\n");
        assert_eq!(missing, "'x.h' file not found");
        assert_eq!(missing, fault("b.cu", "b.cu:7:10: fatal error: 'x.h' file not found\n"));
        let header = "In file included from a.cu:1:\nx.h:3:1: error: expected ';'\n";
        assert_eq!(fault("a.cu", header), "x.h:3:1: error: expected ';'");
        assert_eq!(fault("a.cu", header), fault("b.cu", &header.replace("a.cu", "b.cu")));
        assert_ne!(fault("a.cu", header), fault("a.cu", &header.replace("x.h", "y.h")));
        assert_eq!(fault("a.cu", "cannot read 'a.cu'"), fault("b.cu", "cannot read 'b.cu'"));
        assert_eq!(fault("", "no kernel 'k'"), "no kernel 'k'");
    }
}
