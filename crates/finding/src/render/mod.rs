//! One file per output format, each from [`crate::Report`] to text.

mod concise;
mod github;
mod html;
mod human;
mod json;
mod picture;
mod pretty;
mod sarif;
mod statistics;

use std::fmt::Write;

pub use concise::concise;
pub use github::github;
pub use html::{HtmlOptions, html};
pub use human::{HumanOptions, human};
pub use json::json;
pub use sarif::{SarifOptions, sarif};
pub use statistics::statistics;

use crate::launch::dims_text;
use crate::{
    Access, Actor, Confidence, Counted, Finding, KernelReport, Kind, Launch, Memory, Severity,
    Variable, Verdict,
};

/// `(16,0,0)`.
pub(crate) fn index_text(i: [u32; 3]) -> String {
    format!("({},{},{})", i[0], i[1], i[2])
}

/// `thread (16,0,0) of block (0,0,0)`.
pub(crate) fn actor_text(access: &Access) -> String {
    if access.op.is_of_host() {
        return "the host".to_owned();
    }
    actor_text_of(&Actor { block: access.block, thread: access.thread })
}

pub(crate) fn actor_text_of(actor: &Actor) -> String {
    let block = index_text(actor.block);
    match actor.thread {
        Some(thread) => format!("thread {} of block {block}", index_text(thread)),
        None => format!("block {block}"),
    }
}

/// `s[16], bytes 64..68 of 1024, shared memory, elements f32`.
pub(crate) fn memory_text(memory: &Memory) -> String {
    let mut parts = Vec::new();
    if let Some(object) = &memory.object {
        parts.push(match memory.element {
            Some(e) => format!("{object}[{e}]"),
            None => object.clone(),
        });
    }
    if let Some([from, to]) = memory.bytes {
        let range = format!("bytes {from}..{to}");
        parts.push(match memory.object_size {
            Some(size) => format!("{range} of {size}"),
            None => range,
        });
    }
    if let Some(ty) = &memory.element_type {
        parts.push(format!("element type {ty}"));
    }
    parts.push(format!("{} memory", memory.space));
    parts.join(", ")
}

/// The message, marked where some value was approximated.
pub fn title_text(finding: &Finding) -> String {
    match finding.confidence {
        Confidence::Confirmed => finding.message.clone(),
        Confidence::Possible => {
            let message = &finding.message;
            format!("possible: {}", message.strip_prefix("possible ").unwrap_or(message))
        }
    }
}

/// `(1) write of 1.5 by thread (8,0,0) of block (0,0,0)`.
pub fn access_label(finding: &Finding, index: usize) -> String {
    let access = &finding.accesses[index];
    // A finding about the source, not about what somebody did there.
    if finding.kind.about().is_needless_code {
        return format!("{}this {}", number(finding, index), access.op);
    }
    let value = access.value.as_ref().map_or(String::new(), |v| format!(" of {v}"));
    format!("{}{}{value} by {}", number(finding, index), access.op, actor_text(access))
}

/// `(1) `, where there are two.
pub(crate) fn number(finding: &Finding, index: usize) -> String {
    if finding.accesses.len() > 1 { format!("({}) ", index + 1) } else { String::new() }
}

/// How loud a finding is for machines: an error only if it makes the run fail, or would
/// if it were not suppressed.
pub fn annotation_level(kernel: &KernelReport, finding: &Finding) -> Severity {
    match kernel.counted(finding) {
        Counted::Error => Severity::Error,
        Counted::Suppressed => finding.severity,
        Counted::Warning | Counted::Conditional | Counted::Possible => Severity::Warning,
    }
}

/// The launch as options that reproduce it.
pub fn launch_options(launch: &Launch) -> String {
    let (size, dims) = match launch.global {
        Some(global) => ("global", global),
        None => ("grid", launch.grid),
    };
    let mut text = format!("--{size} {} --block {}", dims_text(dims), dims_text(launch.block));
    if launch.shared > 0 {
        let _ = write!(text, " --shared {}", launch.shared);
    }
    for (name, value) in &launch.args {
        let _ = write!(text, " --arg {}", shell_quoted(&format!("{name}={value}")));
    }
    if launch.is_random() && launch.seed != 0 {
        let _ = write!(text, " --seed {}", launch.seed);
    }
    text
}

/// A word as a shell takes it.
pub(crate) fn shell_quoted(word: &str) -> String {
    lockstep_names::shell_quoted(word.as_ref())
}

/// A line of the table of the two threads' values.
pub(crate) struct ValueRow {
    pub name: String,
    /// Whether it is a variable of the source's, and the accesses depend on it.
    pub is_variable: bool,
    pub decides: bool,
    /// One for each access.
    pub values: Vec<Value>,
}

#[derive(Clone, PartialEq)]
pub(crate) struct Value {
    pub text: String,
    pub approximated: bool,
}

/// Who the threads are, what they read or wrote, and their variables.
pub(crate) fn value_rows(finding: &Finding) -> Vec<ValueRow> {
    let accesses = &finding.accesses;
    let row = |name: &str, text: &dyn Fn(&Access) -> Option<String>| {
        let texts: Vec<Option<String>> = accesses.iter().map(text).collect();
        let known = texts.iter().any(Option::is_some);
        known.then(|| ValueRow {
            name: name.to_owned(),
            is_variable: false,
            decides: false,
            values: texts.into_iter().map(|t| value(t.as_deref(), false)).collect(),
        })
    };
    let mut rows: Vec<ValueRow> = [
        row("thread", &|a| a.thread.map(index_text)),
        row("block", &|a| (!a.op.is_of_host()).then(|| index_text(a.block))),
        row("value accessed", &|a| a.value.clone()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let variables: Vec<Vec<Variable>> =
        (0..accesses.len()).map(|i| variables(finding, i)).collect();
    let mut names: Vec<&str> = Vec::new();
    for variable in variables.iter().flatten() {
        if !names.contains(&variable.name.as_str()) {
            names.push(&variable.name);
        }
    }
    for name in names {
        let of = |side: &Vec<Variable>| match side.iter().find(|v| v.name == name) {
            Some(v) => value(Some(&v.value), v.approximated),
            None => value(None, false),
        };
        let values = variables.iter().map(of).collect();
        let decides = variables.iter().flatten().any(|v| v.name == name && v.decides);
        rows.push(ValueRow { name: name.to_owned(), is_variable: true, decides, values });
    }
    rows
}

fn value(text: Option<&str>, approximated: bool) -> Value {
    Value { text: text.unwrap_or("–").to_owned(), approximated }
}

/// Variables of an access's thread: from its trace and from its notes.
pub(crate) fn variables(finding: &Finding, index: usize) -> Vec<Variable> {
    let trace = finding.trace.as_ref().and_then(|t| t.timelines.get(index));
    let mut out = trace.map_or(Vec::new(), |t| t.variables.clone());
    for variable in finding.accesses[index].notes.iter().filter_map(|n| note_variable(n)) {
        if !out.iter().any(|v| v.name == variable.name) {
            out.push(variable);
        }
    }
    out
}

/// Reads `i = 3` and `i = 3 (approximated)`.
pub(crate) fn note_variable(note: &str) -> Option<Variable> {
    let (name, value) = note.split_once(" = ")?;
    let plain = |c: char| c.is_alphanumeric() || "_.[]:->".contains(c);
    if name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    let exact = value.strip_suffix(" (approximated)");
    Some(Variable {
        name: name.to_owned(),
        value: exact.unwrap_or(value).to_owned(),
        approximated: exact.is_some(),
        decides: true,
    })
}

/// What else there is to know, a sentence each: neither places nor the launch.
pub(crate) fn circumstances(finding: &Finding) -> Vec<String> {
    let mut out = Vec::new();
    for a in &finding.approximated {
        let what = match (a.affects_reachability, a.affects_index) {
            (true, true) => "whether the access happens, and where",
            (true, false) => "whether the access happens",
            _ => "which element is accessed",
        };
        out.push(format!("{} was approximated; it decides {what}", a.variable));
    }
    if finding.benign {
        out.push("every conflicting write stores the same value".into());
    }
    if let Some(condition) = &finding.holds_when {
        out.push(format!("it happens when {condition}"));
    }
    if finding.occurrences > 1 {
        out.push(format!("{} occurrences; the first is shown", finding.occurrences));
    }
    out
}

/// Where a finding is that is not shown: `line 7`, or `util.h:7` where that is another file than the kernel's.
pub(crate) fn short_place(kernel: &KernelReport, finding: &Finding) -> String {
    match finding.primary().map(|a| &a.place) {
        Some(place) if place.file != kernel.text_file() => format!("{}:{}", place.file, place.line),
        Some(place) => format!("line {}", place.line),
        None => format!("line {}", kernel.line),
    }
}

/// A text of several lines on one.
pub(crate) fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Kinds with the same verdict together, the worst first, without what is suppressed.
pub(crate) fn verdict_groups(kernel: &KernelReport) -> Vec<(&Verdict, Vec<Kind>)> {
    let mut groups: Vec<(&Verdict, Vec<Kind>)> = Vec::new();
    for (kind, verdict) in kernel.verdicts.iter().filter(|(k, _)| !kernel.is_suppressed(*k)) {
        match groups.iter_mut().find(|(v, _)| *v == verdict) {
            Some((_, kinds)) => kinds.push(*kind),
            None => groups.push((verdict, vec![*kind])),
        }
    }
    groups.sort_by_key(|(v, _)| match v {
        Verdict::Found => 0,
        Verdict::Unknown { .. } => 1,
        Verdict::Clean { .. } => 2,
        Verdict::Proved { .. } => 3,
    });
    groups
}

#[cfg(test)]
pub(crate) mod samples;
