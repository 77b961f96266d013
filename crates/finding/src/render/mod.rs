//! One file per output format, each from [`crate::Report`] to text.

mod concise;
mod human;
mod json;
mod pretty;

pub use concise::concise;
pub use human::{HumanOptions, human};
pub use json::json;

use crate::{Access, Confidence, Finding, KernelReport, Kind, Memory, Severity, Verdict};

/// `(16,0,0)`.
pub(crate) fn index_text(i: [u32; 3]) -> String {
    format!("({},{},{})", i[0], i[1], i[2])
}

/// `thread (16,0,0) of block (0,0,0)`.
pub(crate) fn actor_text(access: &Access) -> String {
    let block = index_text(access.block);
    match access.thread {
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
        Confidence::Possible => format!("possible: {}", finding.message),
    }
}

/// `(1) write of 1.5 by thread (8,0,0) of block (0,0,0)`.
pub fn access_label(finding: &Finding, index: usize) -> String {
    let access = &finding.accesses[index];
    // A finding about the source, not about what somebody did there.
    if finding.kind == Kind::RedundantBarrier {
        return format!("{}this {}", number(finding, index), access.op);
    }
    let value = access.value.as_ref().map_or(String::new(), |v| format!(" of {v}"));
    format!("{}{}{value} by {}", number(finding, index), access.op, actor_text(access))
}

/// `(1) `, where there are two.
pub(crate) fn number(finding: &Finding, index: usize) -> String {
    if finding.accesses.len() > 1 { format!("({}) ", index + 1) } else { String::new() }
}

/// How loud a finding is for machines: an error only if it makes the run fail.
pub fn annotation_level(kernel: &KernelReport, finding: &Finding) -> Severity {
    if kernel.counts(finding) { finding.severity } else { Severity::Warning }
}

/// One word for a whole kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Found,
    Unknown,
    Clean,
    Proved,
}

pub(crate) fn standing(kernel: &KernelReport) -> Standing {
    // What is suppressed says nothing of the kernel any more.
    let counts = |kind: Kind| !kernel.is_suppressed(kind);
    let has = |f: fn(&Verdict) -> bool| kernel.verdicts.iter().any(|(k, v)| f(v) && counts(*k));
    if has(|v| matches!(v, Verdict::Found)) {
        Standing::Found
    } else if has(|v| matches!(v, Verdict::Unknown { .. })) {
        Standing::Unknown
    } else if has(|v| matches!(v, Verdict::Clean { .. })) || kernel.verdicts.is_empty() {
        Standing::Clean
    } else {
        Standing::Proved
    }
}

#[cfg(test)]
pub(crate) mod samples;
