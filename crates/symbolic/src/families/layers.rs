//! Layers of families, and what lies at an index.

use rustc_hash::FxHashMap;

use lockstep_kernel::{CastOp, CmpOp, Ty};

use super::radix::{Kind, Radix, radix};
use super::rename::{Renamed, renamed};
use crate::linear::{Form, Linear, replaced};
use crate::term::{Pool, T};

/// Who writes: the access, and the coordinates of thread and block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) site: u32,
    pub(crate) thread: [T; 3],
    pub(crate) block: [T; 3],
}

/// `if (guard) array[index] = value`, for all values of its family's parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) guard: T,
    /// The number of the element, an `I64`.
    pub(crate) index: T,
    pub(crate) value: T,
    /// Of the block, in a launch whose blocks are executed as one.
    pub(crate) thread: u32,
    pub(crate) place: Place,
}

/// How often parameters are replaced by others.
const MOST_RENAMED: u32 = 3;

pub(crate) struct Layer {
    /// How many loops are around it that are executed as one.
    pub(crate) depth: usize,
    pub(crate) params: Vec<T>,
    pub(crate) members: Vec<Member>,
    /// Of the members' indices: all but the constant.
    shape: Vec<(T, i128)>,
    by_index: FxHashMap<T, usize>,
    radix: Option<Option<Radix>>,
    /// The same family with other parameters, where those of the launch are no digits of the index.
    renamed: Option<Renamed>,
}

impl Layer {
    pub(crate) fn new(depth: usize, shape: Vec<(T, i128)>) -> Layer {
        Layer {
            depth,
            params: Vec::new(),
            members: Vec::new(),
            shape,
            by_index: FxHashMap::default(),
            radix: None,
            renamed: None,
        }
    }

    /// Whether indices of this form differ from all others here, unless they are the same term.
    pub(crate) fn is_alike(&self, form: &Form) -> bool {
        self.params.is_empty() && self.shape == form.terms
    }

    pub(crate) fn at(&self, index: T) -> Option<usize> {
        self.by_index.get(&index).copied()
    }

    pub(crate) fn add(&mut self, member: Member) {
        self.by_index.insert(member.index, self.members.len());
        self.members.push(member);
        self.radix = None;
    }

    /// A member with another value or guard.
    pub(crate) fn change(&mut self, at: usize, member: Member) {
        self.members[at] = member;
        self.radix = None;
    }

    /// The members are written for all values of these variables.
    pub(crate) fn close(&mut self, params: &[T]) {
        self.params.extend(params);
        self.radix = None;
    }

    pub(crate) fn radix(&mut self, pool: &mut Pool) -> Option<Radix> {
        if self.radix.is_none() {
            self.renamed = None;
            let mut made = radix(pool, &self.params, &self.members);
            let mut tries = 0;
            while made.is_none() && tries < MOST_RENAMED {
                tries += 1;
                let (params, members) = match &self.renamed {
                    Some(r) => (&r.params, &r.members),
                    None => (&self.params, &self.members),
                };
                let Some(renamed) = renamed(pool, params, members) else { break };
                made = radix(pool, &renamed.params, &renamed.members);
                self.renamed = Some(renamed);
            }
            self.radix = Some(made);
        }
        self.radix.clone().flatten()
    }

    /// Whether its digits are not the parameters that it was closed with.
    pub(crate) fn is_renamed(&self) -> bool {
        self.renamed.is_some()
    }

    /// A member that was found by the digits.
    fn found(&self, member: usize) -> Member {
        match &self.renamed {
            Some(r) => r.members[member],
            None => self.members[member],
        }
    }
}

/// Who writes at an index.
pub(crate) enum Found {
    Nobody,
    /// A member, under a condition beside its guard, with these values of the parameters.
    Somebody {
        member: usize,
        when: T,
        params: Vec<(T, T)>,
    },
}

/// Which member of a family writes at an index, and for which values of its parameters; none where that is not decided.
pub(crate) fn locate(
    pool: &mut Pool,
    lin: &mut Linear,
    layer: &mut Layer,
    index: &Form,
) -> Option<Found> {
    let radix = layer.radix(pool)?;
    let mut rest = index.less(&radix.base)?;
    let mut when = pool.truth(true);
    let mut params = Vec::new();
    let mut members = Vec::new();
    let mut is_first = true;
    for digit in radix.digits.iter().rev() {
        let number = digit_of(pool, lin, &rest, digit.stride, is_first)?;
        is_first = false;
        rest = rest.plus(&number, -digit.stride)?;
        match digit.kind {
            Kind::Members { .. } => members.push(number.as_number()?),
            Kind::Param { var, count, turned } => {
                let (low, high) = lin.range(pool, &number);
                if high < 0 || low >= count {
                    return Some(Found::Nobody);
                }
                if low < 0 || high >= count {
                    let term = lin.term(pool, &number)?;
                    let count = pool.constant(Ty::I64, u64::try_from(count).ok()?);
                    let inside = pool.cmp(CmpOp::ULt, term, count);
                    when = pool.and(when, inside);
                }
                let value = match turned {
                    true => Form::number(count - 1).less(&number)?,
                    false => number,
                };
                let value = lin.term(pool, &value)?;
                let ty = pool.ty(var);
                params.push((var, pool.cast(CastOp::Trunc, value, ty)));
            }
        }
    }
    match lin.is_zero(pool, &rest) {
        Some(true) => {}
        Some(false) => return Some(Found::Nobody),
        None => {
            let term = lin.term(pool, &rest)?;
            let zero = pool.constant(Ty::I64, 0);
            let same = pool.cmp(CmpOp::Eq, term, zero);
            when = pool.and(when, same);
        }
    }
    members.reverse();
    let Some(&member) = radix.members.get(&members) else { return Some(Found::Nobody) };
    Some(Found::Somebody { member, when, params })
}

/// `rest / stride`, rounded down; only the first may be negative.
fn digit_of(
    pool: &mut Pool,
    lin: &mut Linear,
    rest: &Form,
    stride: i128,
    is_first: bool,
) -> Option<Form> {
    let (low, _) = lin.range(pool, rest);
    if low >= 0 || !is_first {
        return lin.quotient(pool, rest, stride);
    }
    let shift = -low.div_euclid(stride);
    let shifted = rest.plus(&Form::number(stride), shift)?;
    let quotient = lin.quotient(pool, &shifted, stride)?;
    quotient.less(&Form::number(shift))
}

/// What an array holds at an index.
pub(crate) struct Content {
    /// The condition that somebody wrote it.
    pub(crate) written: T,
    pub(crate) value: T,
    /// The writers, the last one first, each with the condition that it writes there.
    pub(crate) writers: Vec<(T, Place)>,
}

/// What layers leave at an index, over what was there before; none where that is not decided.
pub(crate) fn content(
    pool: &mut Pool,
    lin: &mut Linear,
    layers: &mut [Layer],
    index: &Form,
    initial: T,
) -> Option<Content> {
    let mut found = Vec::new();
    let mut writers = Vec::new();
    for layer in layers.iter_mut().rev() {
        let Found::Somebody { member, when, params } = locate(pool, lin, layer, index)? else {
            continue;
        };
        let member = layer.found(member);
        let by: FxHashMap<T, T> = params.into_iter().collect();
        let guard = replaced(pool, member.guard, &by);
        let when = pool.and(when, guard);
        let when = lin.settled(pool, when);
        if pool.is_false(when) {
            continue;
        }
        let value = replaced(pool, member.value, &by);
        let mut of = |axes: [T; 3]| axes.map(|t| replaced(pool, t, &by));
        let place = Place {
            thread: of(member.place.thread),
            block: of(member.place.block),
            ..member.place
        };
        writers.push((when, place));
        found.push((when, value));
        if pool.is_true(when) {
            break;
        }
    }
    let mut written = pool.truth(false);
    let mut value = initial;
    for (when, own) in found.into_iter().rev() {
        written = pool.or(written, when);
        value = pool.select(when, own, value);
    }
    Some(Content { written, value, writers })
}
