//! Arrays with the sizes that the host allocates.
//!
//! If the host code gives the size of an array in bytes, and the host makes the launch, an out-of-bounds access is not
//! due to a wrong guess. This holds only if nothing that Lockstep chose decides what is accessed: no array element, no
//! non-integer, no struct field. The remaining values are integers and dimensions, which agree with all facts from the
//! host. Where they are not constants, a bug has to show for ordinary values, for much larger ones, and for odd and
//! even ones ([`Space::variants`]): a caller may know that an array has at least 4096 elements, or always one less than
//! a power of two.
//!
//! What it can miss: kernels whose elements are indices or decide what is accessed, and arrays that are too large to be
//! allocated.

use lockstep_finding::launch::{Dimension, Expr, Number, Operator};
use lockstep_finding::{Finding, Kind};
use lockstep_kernel::slice::{address_slice, is_read_for_use, used};
use lockstep_kernel::{Kernel, ParamKind};

use crate::space::candidate::{Candidate, Gene};
use crate::space::slots::Part;
use crate::space::{Space, is_given};

/// Maximum factor between the larger values and the ordinary ones.
const TIMES: i64 = 64;
/// Maximum number of threads of a launch with such values.
const MOST: u64 = 1 << 17;
/// Bytes of shared memory beyond which a launch is not one of a device.
const MOST_SHARED: u32 = 1 << 20;
/// Bound of the numbers that the host computes with: it may use signed 32-bit arithmetic.
const LIMIT: i128 = 1 << 31;

/// Whether only integer arguments decide what is accessed, so that they and the dimensions determine a launch.
pub(crate) fn is_led_by_integers(kernel: &Kernel, given: &crate::given::Given) -> bool {
    let slice = address_slice(kernel);
    let used = used(&slice);
    let is_known = |(i, param): (usize, &lockstep_kernel::Param)| match param.kind {
        ParamKind::Scalar { ty, count: 1 } if ty.is_int() && param.within.is_none() => true,
        ParamKind::Scalar { count, .. } => {
            let first = param.reg.0 as usize;
            is_given(given, i).is_some() || !used[first..first + count as usize].contains(&true)
        }
        ParamKind::Aggregate { .. } => false,
        ParamKind::Buffer { .. } => param.within.is_none(),
        ParamKind::Local { .. } => true,
    };
    kernel.unsupported.is_empty()
        && kernel.params.iter().enumerate().all(is_known)
        && !slice.insts().any(|i| is_read_for_use(i, &used))
}

impl Space<'_> {
    /// The sizes in bytes that the host allocates for arrays, by parameter, for a launch that it makes; empty for any
    /// other.
    pub(crate) fn host_sizes(&self, c: &Candidate) -> Vec<(usize, u64)> {
        if self.led_by_integers { self.allocated(c) } else { Vec::new() }
    }

    /// The same even if contents that Lockstep chose are indices: then threads may exceed the bounds, but no array is
    /// smaller.
    pub(crate) fn allocated(&self, c: &Candidate) -> Vec<(usize, u64)> {
        if self.given.sizes.is_empty() || c.equal.is_some() || !self.is_hosts(c) {
            return Vec::new();
        }
        let value = |e: &Expr| self.host_value(e, c);
        let most = self.most_bytes();
        let size = |(param, bytes): &(usize, Expr)| {
            let bytes = u64::try_from(value(bytes)?).ok()?;
            let is_free = is_given(self.given, *param).is_none();
            (is_free && (1..=most).contains(&bytes)).then_some((*param, bytes))
        };
        self.given.sizes.iter().filter_map(size).collect()
    }

    /// Whether a launch agrees with all that the host says of its launches.
    fn is_hosts(&self, c: &Candidate) -> bool {
        let value = |e: &Expr| self.host_value(e, c);
        let follows = |name: &str, v: &Expr| {
            let (name, v) = (value(&Expr::Name(name.to_owned())), value(v));
            name.is_some() && name == v
        };
        self.given.relations.iter().all(|r| follows(&r.name, &r.value))
            && self.given.conditions.iter().all(|c| value(c).is_some_and(|v| v != 0))
            && self.is_possible(c)
    }

    /// The bytes of dynamic shared memory that the host computes for a launch that it makes.
    pub(crate) fn shared_by_host(&self, c: &Candidate) -> Option<u32> {
        let size = self.given.shared_size.as_ref()?;
        let bytes = self.is_hosts(c).then(|| self.host_value(size, c)).flatten()?;
        u32::try_from(bytes).ok().filter(|bytes| *bytes <= MOST_SHARED)
    }

    /// Whether an access is outside of an array with the size that the host allocates, in a launch that the host makes.
    pub(crate) fn is_beyond_the_hosts(&self, finding: &Finding, c: &Candidate) -> bool {
        self.array_of_the_host(finding, c).is_some()
    }

    /// The host's size of the array that an access is outside of, in words.
    pub(crate) fn size_by_the_host(&self, finding: &Finding, c: &Candidate) -> Option<String> {
        let param = self.array_of_the_host(finding, c)?;
        let (_, bytes) = self.given.sizes.iter().find(|(p, _)| *p == param)?;
        let bytes = format!("{bytes} bytes");
        Some(format!("the host allocates {bytes} for `{}`", self.kernel.params[param].name))
    }

    fn array_of_the_host(&self, finding: &Finding, c: &Candidate) -> Option<usize> {
        let name = finding.memory.as_ref()?.object.as_ref()?;
        let is_it = |&(p, _): &(usize, u64)| self.kernel.params[p].name == *name;
        let sizes = (finding.kind == Kind::OutOfBounds).then(|| self.host_sizes(c))?;
        sizes.into_iter().find(is_it).map(|(param, _)| param)
    }

    /// A value as the host computes it; `None` where it does not fit, or may differ with other types.
    fn host_value(&self, e: &Expr, c: &Candidate) -> Option<i128> {
        let v = match e {
            Expr::Number(Number::Int(v)) => *v,
            Expr::Name(name) => match Dimension::named(name) {
                Some(Dimension::Block(a)) => c.block[a].into(),
                Some(Dimension::Grid(a)) => c.grid[a].into(),
                None => {
                    let is_it = |s: &crate::space::slots::Slot| {
                        s.name == *name && s.part == Part::Lane(0) && s.ty.is_int()
                    };
                    let slot = self.slots.iter().position(is_it)?;
                    let v = c.int(slot);
                    (v == self.clamp(slot, v)).then_some(v)?.into()
                }
            },
            Expr::Choice(condition, a, b) => {
                let chosen = if self.host_value(condition, c)? != 0 { a } else { b };
                self.host_value(chosen, c)?
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.host_value(a, c)?, self.host_value(b, c)?);
                match op {
                    Operator::Add => a + b,
                    Operator::Sub => a - b,
                    Operator::Mul => a * b,
                    Operator::Div => a.checked_div(b)?,
                    Operator::Rem => a.checked_rem(b)?,
                    Operator::Eq => i128::from(a == b),
                    Operator::Ne => i128::from(a != b),
                    Operator::Lt => i128::from(a < b),
                    Operator::Le => i128::from(a <= b),
                    Operator::Gt => i128::from(a > b),
                    Operator::Ge => i128::from(a >= b),
                    _ => return None,
                }
            }
            _ => return None,
        };
        (0..LIMIT).contains(&v).then_some(v)
    }

    /// Launches that the host makes, like the ordinary one, with all integers and the grid much larger, or smaller or
    /// larger by one, if there is something to choose.
    pub(crate) fn variants(&self) -> Vec<Candidate> {
        let mut out: Vec<Candidate> = Vec::new();
        let larger = (1..=TIMES.ilog2()).rev().map(|bits| self.variant(1 << bits, 0));
        let Some((times, most)) = larger.flatten().next() else { return out };
        out.push(most);
        for (times, plus) in [(1, -1), (1, 1), (times, -1)] {
            out.extend(self.variant(times, plus).map(|(_, c)| c));
        }
        out
    }

    fn variant(&self, times: i64, plus: i64) -> Option<(i64, Candidate)> {
        let plain = self.plain();
        let mut c = plain.clone();
        for i in (0..self.slots.len()).filter(|&i| self.slots[i].ty.is_int()) {
            let v = plain.int(i).saturating_mul(times).saturating_add(plus);
            c.genes[i] = Gene::Int(self.clamp(i, v));
        }
        if self.given.grid.is_none() {
            // A dimension of 1 counts nothing.
            let varied = |d: u32| match d {
                0 | 1 => d,
                d => u32::try_from(i64::from(d) * times + plus).unwrap_or(d),
            };
            c.grid = c.grid.map(varied);
        }
        self.relate(&mut c);
        let is_new = c.genes != plain.genes || c.grid != plain.grid;
        let is_one = self.is_possible(&c) && self.agrees(&c) && c.threads() <= MOST;
        let is_sized = || self.host_sizes(&c).len() == self.host_sizes(&plain).len();
        (is_new && is_one && is_sized()).then_some((times, c))
    }
}
