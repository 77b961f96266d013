//! Values for the arguments that `check` was not given.
//!
//! The aim is a launch in which every thread gets past the usual guards and
//! stays within its arrays:
//!
//! - an integer is the number of threads along x (along y or z where its name
//!   says rows or depth), so that `if (i < n)` lets everybody in;
//! - a float is 1.0, a struct all zeros;
//! - an array has four elements for each thread, 1024 at least; floats are
//!   random, integers count up (so that as indices they are distinct), structs
//!   are zero;
//! - OpenCL's `__local` arrays and dynamic shared memory have four elements for
//!   each thread of a block.
//!
//! Sizes so chosen are guesses: an access beyond such an array says nothing
//! about the kernel. [`Chosen::grow`] makes the arrays that overflowed larger
//! for another try; what still overflows is `unknown`, never a finding.

use lockstep_finding::{ArgValue, ArrayContents, ArraySpec, ElementType, Finding, Kind, Launch};
use lockstep_kernel::{Elem, Kernel, Param, ParamKind, Ty};

use crate::bind;
use crate::dims::Dims;

/// The most bytes an array is grown to.
const MAX_BYTES: u64 = 64 << 20;
/// How often a launch is tried with larger arrays.
pub(crate) const RETRIES: usize = 6;

/// A complete launch, and what of it is our own choice.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) launch: Launch,
    /// Names of the arguments that were not given.
    pub(crate) args: Vec<String>,
    /// Whether the size of dynamic shared memory was chosen.
    pub(crate) shared: bool,
}

impl Chosen {
    pub(crate) fn new(
        kernel: &Kernel,
        given: &Launch,
        dims: &Dims,
        shared_given: bool,
    ) -> Result<Chosen, String> {
        let values = bind::resolve(kernel, &given.args)?;
        let mut launch = Launch { args: Vec::new(), ..given.clone() };
        let mut chosen = Vec::new();
        for (param, value) in kernel.params.iter().zip(values) {
            let value = value.unwrap_or_else(|| {
                chosen.push(param.name.clone());
                choose(param, dims)
            });
            launch.args.push((param.name.clone(), value));
        }
        let dynamic = kernel.objects.iter().find(|o| o.dynamic);
        let shared = !shared_given && dynamic.is_some();
        if let (true, Some(object)) = (shared, dynamic) {
            launch.shared =
                clamp_shared(dims.block_threads() * 4 * object.elem.size().max(4) as u64);
        }
        Ok(Chosen { launch, args: chosen, shared })
    }

    fn chose(&self, name: &str) -> bool {
        self.args.iter().any(|a| a == name)
    }

    /// Whether an out-of-bounds finding may only show that a guess was wrong.
    pub(crate) fn explains(&self, finding: &Finding, kernel: &Kernel) -> Option<String> {
        if finding.kind != Kind::OutOfBounds {
            return None;
        }
        let Some((memory, object)) =
            finding.memory.as_ref().and_then(|m| Some((m, m.object.as_ref()?)))
        else {
            // A pointer to nowhere: perhaps one that we made.
            let made = kernel.params.iter().find(|p| may_hold_pointer(p) && self.chose(&p.name))?;
            return Some(format!("the value of '{}' was chosen by Lockstep", made.name));
        };
        // Before its start, no size would help.
        let before = memory.bytes.is_some_and(|[from, _]| from < 0);
        let sized_by_us = self.chose(object) || self.shared && is_dynamic(kernel, object);
        (sized_by_us && !before).then(|| format!("the size of '{object}' was chosen by Lockstep"))
    }

    /// Enlarges what the findings overflowed; false where nothing can grow.
    pub(crate) fn grow(&mut self, findings: &[Finding], kernel: &Kernel) -> bool {
        let mut grew = false;
        for finding in findings {
            if self.explains(finding, kernel).is_none() {
                continue;
            }
            let Some(memory) = &finding.memory else {
                continue;
            };
            let Some(object) = &memory.object else {
                continue;
            };
            let end = memory.bytes.map_or(0, |[_, end]| end.max(0) as u64);
            grew |= self.grow_one(object, end, kernel);
        }
        grew
    }

    fn grow_one(&mut self, object: &str, end: u64, kernel: &Kernel) -> bool {
        if self.shared && is_dynamic(kernel, object) {
            let before = self.launch.shared;
            self.launch.shared = clamp_shared(next_size(before as u64, end));
            return self.launch.shared > before;
        }
        let Some((_, ArgValue::Array(spec))) =
            self.launch.args.iter_mut().find(|(n, _)| n == object)
        else {
            return false;
        };
        let before = spec.length;
        let element = (spec.element.size() as u64 * spec.lanes as u64).max(1);
        spec.length = (next_size(spec.bytes(), end).min(MAX_BYTES) / element).max(before);
        spec.length > before
    }

    /// The same launch with chosen arrays all zero: indices read from memory
    /// are then the smallest ones.
    pub(crate) fn with_zeros(&self) -> Option<Chosen> {
        let mut out = self.clone();
        let mut changed = false;
        for (name, value) in &mut out.launch.args {
            if let ArgValue::Array(spec) = value
                && self.args.contains(name)
                && !spec.element.is_float()
                && spec.contents != ArrayContents::Zeros
            {
                spec.contents = ArrayContents::Zeros;
                changed = true;
            }
        }
        changed.then_some(out)
    }

    /// Whether an argument other than an array was chosen.
    pub(crate) fn has_scalars(&self, kernel: &Kernel) -> bool {
        kernel.params.iter().any(|p| {
            matches!(p.kind, ParamKind::Scalar { .. } | ParamKind::Aggregate { .. })
                && self.args.contains(&p.name)
        })
    }

    /// Sets every chosen integer scalar: to look for values that `--assume` allows.
    pub(crate) fn with_integers(&self, kernel: &Kernel, v: u64) -> Chosen {
        let mut out = self.clone();
        for (param, (name, value)) in kernel.params.iter().zip(&mut out.launch.args) {
            if let ParamKind::Scalar { ty, count } = param.kind
                && ty.is_int()
                && self.args.contains(name)
            {
                *value = integer(ty, count, v);
            }
        }
        out
    }
}

/// In large steps: a finding shows the first access that went too far, not the
/// farthest.
fn next_size(bytes: u64, end: u64) -> u64 {
    (bytes * 8).max(end.min(MAX_BYTES).next_power_of_two())
}

fn may_hold_pointer(param: &Param) -> bool {
    match param.kind {
        ParamKind::Scalar { ty, .. } => matches!(ty, Ty::Ptr | Ty::I64),
        ParamKind::Buffer { elem, .. } => {
            matches!(elem, Elem::Bytes(_) | Elem::Scalar(Ty::Ptr | Ty::I64))
        }
        ParamKind::Local { .. } => false,
        ParamKind::Aggregate { .. } => true,
    }
}

/// More than any device has, but a guess should not stop at its limit.
fn clamp_shared(bytes: u64) -> u32 {
    bytes.min(1 << 20) as u32
}

fn is_dynamic(kernel: &Kernel, object: &str) -> bool {
    kernel.objects.iter().any(|o| o.dynamic && o.name == object)
}

fn choose(param: &Param, dims: &Dims) -> ArgValue {
    match param.kind {
        ParamKind::Scalar { ty, count } if ty.is_float() => {
            ArgValue::Scalar(vec!["1.0"; count as usize].join(","))
        }
        ParamKind::Scalar { ty: Ty::Ptr, count } => {
            ArgValue::Scalar(vec!["0"; count as usize].join(","))
        }
        ParamKind::Scalar { ty, count } => integer(ty, count, dims.along(axis_of(&param.name))),
        ParamKind::Buffer { elem, .. } => {
            let element = bind::element_type(elem, &param.source_type, true);
            array(element, elem, (dims.threads().saturating_mul(4)).max(1024))
        }
        ParamKind::Local { elem } => {
            let element = bind::element_type(elem, &param.source_type, true);
            array(element, elem, dims.block_threads() * 4)
        }
        ParamKind::Aggregate { size, .. } => {
            ArgValue::Array(ArraySpec::new(ElementType::U8, size as u64, ArrayContents::Zeros))
        }
    }
}

fn integer(ty: Ty, count: u8, v: u64) -> ArgValue {
    let most = if ty.bits() == 1 { 1 } else { ty.mask() >> 1 };
    let text = v.min(most).to_string();
    ArgValue::Scalar(vec![text; count as usize].join(","))
}

fn array(element: ElementType, elem: Elem, elements: u64) -> ArgValue {
    let contents = match elem {
        Elem::Bytes(_) if element == ElementType::U8 => ArrayContents::Zeros,
        Elem::Scalar(Ty::Ptr) => ArrayContents::Zeros,
        _ if element.is_float() => ArrayContents::Random,
        _ => ArrayContents::Iota,
    };
    let bytes = elements.saturating_mul(elem.size().max(1) as u64).min(MAX_BYTES);
    ArgValue::Array(ArraySpec::new(element, bytes / element.size() as u64, contents))
}

/// Which axis an integer parameter probably counts.
fn axis_of(name: &str) -> usize {
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        "h" | "ny" | "dimy" | "sizey" => 1,
        "nz" | "dimz" | "sizez" => 2,
        n if n.contains("height") || n.contains("rows") => 1,
        n if n.contains("depth") => 2,
        _ => 0,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::bind::tests::reduce;
    use crate::dims::From;
    use lockstep_finding::{Confidence, Memory, Severity};

    fn dims() -> Dims {
        Dims {
            grid: [4, 1, 1],
            block: [256, 1, 1],
            grid_from: From::Default,
            block_from: From::Default,
        }
    }

    fn chosen() -> Chosen {
        let given = Launch { grid: [4, 1, 1], block: [256, 1, 1], ..Launch::default() };
        Chosen::new(&reduce(), &given, &dims(), false).unwrap()
    }

    pub(crate) fn overflow(object: &str, bytes: [i64; 2]) -> Finding {
        Finding {
            kind: Kind::OutOfBounds,
            severity: Severity::Error,
            confidence: Confidence::Confirmed,
            message: String::new(),
            memory: Some(Memory {
                space: "global".into(),
                object: Some(object.into()),
                element: None,
                bytes: Some(bytes),
                object_size: None,
                element_type: None,
            }),
            accesses: Vec::new(),
            approximated: Vec::new(),
            occurrences: 1,
            benign: false,
            holds_when: None,
            launch: None,
            help: Vec::new(),
            fix: None,
        }
    }

    #[test]
    fn values() {
        let text: Vec<_> = chosen().launch.args.iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(
            text,
            [
                "in=f32[4096]:random",
                "out=f32[4096]:random",
                "n=1024",
                "v=1.0,1.0,1.0,1.0",
                "t=i32[1024]:iota",
                "p=u8[24]"
            ]
        );
    }

    #[test]
    fn only_our_own_sizes_are_excused() {
        let mut c = chosen();
        c.args.retain(|a| a != "out");
        assert!(c.explains(&overflow("in", [16384, 16388]), &reduce()).is_some());
        assert!(c.explains(&overflow("in", [-4, 0]), &reduce()).is_none());
        assert!(c.explains(&overflow("out", [16384, 16388]), &reduce()).is_none());
        assert!(c.grow(&[overflow("in", [16384, 16388])], &reduce()));
        assert_eq!(c.launch.args[0].1.to_string(), "f32[32768]:random");
        assert!(c.grow(&[overflow("in", [1 << 40, (1 << 40) + 4])], &reduce()));
        assert_eq!(c.launch.args[0].1.to_string(), "f32[16777216]:random");
        assert!(!c.grow(&[overflow("in", [1 << 40, (1 << 40) + 4])], &reduce()));
    }
}
