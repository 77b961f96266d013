//! Accesses at places that depend on data: not the places, but what computes them.
//!
//! The paper makes the access records of an array symbolic when a symbolic index touches it. Here such an access is kept once, with
//! the term of its offset, and is compared with every other access of the array that may meet it: the question to the solver is whether both
//! happen, at the same bytes, with no barrier in between. An access of a place that is known stays in the records of its bytes
//! ([`super::records`]).

use lockstep_kernel::{CmpOp, IntOp, Ty};

use super::records::{Asked, Conflict, Events, Kind, Record, Records, conflict};
use crate::term::{Node, Pool, T};

/// An access, and where it is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) record: Record,
    /// In bytes; an `I64`.
    pub(crate) offset: T,
    low: i128,
    high: i128,
}

#[derive(Clone, Default)]
pub(crate) struct Places {
    reads: Vec<Placed>,
    others: Vec<Placed>,
}

impl Placed {
    pub(crate) fn new(pool: &mut Pool, record: Record, offset: T) -> Placed {
        let (low, high) = pool.signed_range(offset);
        Placed { record, offset, low, high: high + i128::from(record.size) }
    }
}

impl Places {
    /// Notes an access; gives what it may conflict with, in the records of the same object, too.
    pub(crate) fn note(
        &mut self,
        pool: &mut Pool,
        records: &Records,
        new: Placed,
        events: &Events,
        in_shared: bool,
    ) -> Vec<Conflict> {
        let mut out = Vec::new();
        let is_read = new.record.kind == Kind::Read;
        let reads = if is_read { &[][..] } else { &self.reads[..] };
        for old in reads.iter().chain(&self.others) {
            if old.low >= new.high || new.low >= old.high {
                continue;
            }
            let meets = conflict(pool, old.record, new.record, events, in_shared, Asked::Race);
            add(pool, &mut out, old.record, meets, |pool| overlap(pool, *old, new));
        }
        for (at, bytes, record) in records.between(new.low, new.high) {
            let meets = conflict(pool, record, new.record, events, in_shared, Asked::Race);
            add(pool, &mut out, record, meets, |pool| covers(pool, new, at, bytes));
        }
        match is_read {
            true => self.reads.push(new),
            false => self.others.push(new),
        }
        out
    }

    /// What an access of a place that is known may conflict with.
    pub(crate) fn meet(
        &self,
        pool: &mut Pool,
        new: Record,
        offset: u64,
        events: &Events,
        in_shared: bool,
    ) -> Vec<Conflict> {
        let mut out = Vec::new();
        let size = u64::from(new.size);
        let reads = if new.kind == Kind::Read { &[][..] } else { &self.reads[..] };
        for old in reads.iter().chain(&self.others) {
            let (low, high) = (i128::from(offset), i128::from(offset + size));
            if old.low >= high || low >= old.high {
                continue;
            }
            let meets = conflict(pool, old.record, new, events, in_shared, Asked::Race);
            add(pool, &mut out, old.record, meets, |pool| covers(pool, *old, offset, size));
        }
        out
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.others.is_empty()
    }
}

fn add(
    pool: &mut Pool,
    out: &mut Vec<Conflict>,
    earlier: Record,
    meets: T,
    place: impl FnOnce(&mut Pool) -> T,
) {
    if pool.is_false(meets) {
        return;
    }
    let place = place(pool);
    let condition = pool.and(meets, place);
    if !pool.is_false(condition) {
        out.push(Conflict { earlier, condition });
    }
}

/// Whether two accesses have a byte in common.
fn overlap(pool: &mut Pool, a: Placed, b: Placed) -> T {
    let (size, other) = (a.record.size, b.record.size);
    let aligned = |pool: &Pool, t: T| is_multiple(pool, t, u64::from(size));
    if size == other && aligned(pool, a.offset) && aligned(pool, b.offset) {
        return pool.cmp(CmpOp::Eq, a.offset, b.offset);
    }
    is_near(pool, a.offset, u64::from(size), b.offset, u64::from(other))
}

/// Whether an access touches one of these bytes.
fn covers(pool: &mut Pool, a: Placed, at: u64, bytes: u64) -> T {
    let size = u64::from(a.record.size);
    let offset = pool.constant(Ty::I64, at);
    if size == bytes && at.is_multiple_of(size) && is_multiple(pool, a.offset, size) {
        return pool.cmp(CmpOp::Eq, a.offset, offset);
    }
    is_near(pool, a.offset, size, offset, bytes)
}

/// Whether so many bytes at `a` and at `b` overlap: `b - a`, moved so that what overlaps begins at zero, is small. No sum is too
/// large for that, since it is one of numbers modulo their width.
fn is_near(pool: &mut Pool, a: T, size: u64, b: T, other: u64) -> T {
    let distance = pool.int(IntOp::Sub, b, a);
    let before = pool.constant(Ty::I64, other - 1);
    let moved = pool.int(IntOp::Add, distance, before);
    let width = pool.constant(Ty::I64, size + other - 1);
    pool.cmp(CmpOp::ULt, moved, width)
}

/// Whether a term is a multiple of a power of two, as its form shows.
pub(crate) fn is_multiple(pool: &Pool, t: T, of: u64) -> bool {
    match *pool.node(t) {
        Node::Const(v) => v.is_multiple_of(of),
        Node::Int(IntOp::Add, a, b) => is_multiple(pool, a, of) && is_multiple(pool, b, of),
        Node::Int(IntOp::Mul, a, b) => is_multiple(pool, a, of) || is_multiple(pool, b, of),
        Node::Select(_, a, b) => is_multiple(pool, a, of) && is_multiple(pool, b, of),
        _ => of == 1,
    }
}
