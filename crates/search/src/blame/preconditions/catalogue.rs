//! What a caller may keep to without saying so, as conditions on what Lockstep chose.
//!
//! The forms are those in which a reader of the kernel would state a requirement: a size is a multiple of the width of
//! a vector or of a constant of the kernel, a stride is at least the extent that it spans, an offset lies behind it, a
//! dimension or a parameter is a constant of the kernel or another parameter. Constants come from the kernel's code
//! alone, and a parameter gets a form only where the kernel uses it so.
//!
//! No upper bound and no value is put on a size that limits how far threads or loops go: with a size small enough,
//! every loop has one iteration, and every race between two of them is gone. The exception is a row of constant length:
//! what multiplies the index of a thread or block, and nothing that a loop counts ([`row_lengths`]).

use std::collections::{HashMap, HashSet};

use lockstep_finding::Claim;
use lockstep_finding::launch::{Dimension, Expr, Number, Operator};
use lockstep_kernel::{IntOp, Kernel, Op, Operand, Reg, Special};

use crate::condition::quantity::Quantity;
use crate::space::Space;
use crate::space::candidate::Candidate;

/// Constants of a kernel that conditions may mention.
const MOST_CONSTANTS: usize = 10;
/// Parameters that conditions may be about.
const MOST_PARAMETERS: usize = 10;
/// How close to a bound a race has to show: within a vector.
const CLOSE: [i64; 4] = [1, 2, 4, 8];
/// Threads of a warp, as hardware has them.
const WARP: i64 = 32;
/// Widths of vectors in elements.
const WIDTHS: [i64; 4] = [2, 4, 8, WIDEST];
const WIDEST: i64 = 16;

/// How a quantity relates to an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    AtLeast,
    AtMost,
    Equal,
    /// A multiple of it.
    Multiple,
    /// A power of two; the expression does not matter.
    Power,
    /// One less than a power of two.
    Mask,
}

/// One requirement.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Requirement {
    pub(super) of: Quantity,
    pub(super) relation: Relation,
    pub(super) side: Expr,
}

impl Requirement {
    fn new(of: Quantity, relation: Relation, side: Expr) -> Requirement {
        Requirement { of, relation, side }
    }

    /// As an expression over the names of the kernel.
    fn expression(&self, space: &Space) -> Expr {
        let own = || self.of.name(space);
        let zero = || Expr::int(0);
        let with = |op, a: Expr, b: Expr| Expr::binary(op, a, b);
        let bits = |other: Expr| with(Operator::Eq, with(Operator::BitAnd, own(), other), zero());
        match self.relation {
            Relation::AtLeast => with(Operator::Ge, own(), self.side.clone()),
            Relation::AtMost => with(Operator::Le, own(), self.side.clone()),
            Relation::Equal => with(Operator::Eq, own(), self.side.clone()),
            Relation::Multiple => {
                with(Operator::Eq, with(Operator::Rem, own(), self.side.clone()), zero())
            }
            Relation::Power => bits(with(Operator::Sub, own(), Expr::int(1))),
            Relation::Mask => bits(with(Operator::Add, own(), Expr::int(1))),
        }
    }

    pub(super) fn holds(&self, space: &Space, c: &Candidate) -> bool {
        space.value_of(&self.expression(space), c).is_some_and(|v| v != 0)
    }

    /// The claim that it is not satisfied.
    pub(super) fn broken(&self, space: &Space) -> Claim {
        Claim::Holds(self.expression(space)).negated()
    }

    /// Values that satisfy it, the closest to the present one first.
    fn values(&self, space: &Space, c: &Candidate) -> Vec<i64> {
        let own = self.of.of(space, c);
        let Some(side) = space.value_of(&self.side, c) else { return Vec::new() };
        let power = |v: i64| v.max(1).unsigned_abs().next_power_of_two() as i64;
        match self.relation {
            Relation::AtLeast => vec![side.max(own), side.max(own).saturating_mul(2) + 1],
            Relation::AtMost => vec![side.min(own), side, side / 2],
            Relation::Equal => vec![side],
            Relation::Multiple if side > 0 => {
                let up = (own + side - 1) / side * side;
                vec![up.max(side), up + side, 3 * up.max(side)]
            }
            Relation::Multiple => Vec::new(),
            Relation::Power => vec![power(own), 2 * power(own)],
            Relation::Mask => vec![power(own + 1) - 1, 2 * power(own + 1) - 1],
        }
    }

    /// Values that break it.
    fn others(&self, space: &Space, c: &Candidate) -> Vec<i64> {
        let Some(side) = space.value_of(&self.side, c) else { return Vec::new() };
        match self.relation {
            Relation::AtLeast => vec![side - 1, side / 2, 1, 0],
            Relation::AtMost => vec![side + 1, 2 * side],
            Relation::Equal => vec![side / 2, side - 1, side + 1, 2 * side],
            Relation::Multiple => vec![side + 1, 3 * side - 1, 2 * side + side / 2],
            Relation::Power | Relation::Mask => vec![6, 12, 33],
        }
    }

    /// Small values that satisfy it, whatever the present one is: a condition that only helps because it makes a value
    /// large is none.
    pub(super) fn small(&self, space: &Space, c: &Candidate) -> Vec<Candidate> {
        let values = match self.relation {
            Relation::Mask => vec![1, 7],
            Relation::Power => vec![2, 8],
            Relation::Multiple => space.value_of(&self.side, c).into_iter().collect(),
            Relation::AtLeast | Relation::AtMost | Relation::Equal => Vec::new(),
        };
        self.changed(space, c, &values, true)
    }

    /// Launches just beyond it, where it is a bound or a value.
    pub(super) fn beyond(&self, space: &Space, c: &Candidate) -> Vec<Candidate> {
        let Some(side) = space.value_of(&self.side, c) else { return Vec::new() };
        let values = match self.relation {
            Relation::AtLeast => CLOSE.map(|n| side - n),
            Relation::AtMost | Relation::Equal => CLOSE.map(|n| side + n),
            _ => return Vec::new(),
        };
        self.changed(space, c, &values, false)
    }

    /// Multiples of half the number, which is weaker.
    pub(super) fn halved(&self) -> Option<Requirement> {
        match (&self.side, self.relation) {
            (Expr::Number(Number::Int(n)), Relation::Multiple) if n % 2 == 0 && *n > 2 => {
                Some(Requirement { side: Expr::int(n / 2), ..self.clone() })
            }
            _ => None,
        }
    }

    /// Launches that tell a value from an upper bound.
    pub(super) fn weaker(&self, space: &Space, c: &Candidate) -> Vec<Candidate> {
        let Some(side) = space.value_of(&self.side, c) else { return Vec::new() };
        let values = match self.relation {
            Relation::Equal => vec![side - 1, side / 2],
            _ => return Vec::new(),
        };
        self.changed(space, c, &values, false)
    }

    /// The value that a bound has in a launch.
    pub(super) fn bound(&self, space: &Space, c: &Candidate) -> Option<i64> {
        space.value_of(&self.side, c)
    }

    pub(super) fn is_bound(&self) -> bool {
        matches!(self.relation, Relation::AtLeast | Relation::AtMost)
    }

    /// Launches that satisfy it, and are otherwise equal.
    pub(super) fn satisfied(&self, space: &Space, c: &Candidate) -> Vec<Candidate> {
        if self.holds(space, c) {
            return vec![c.clone()];
        }
        self.changed(space, c, &self.values(space, c), true)
    }

    /// Launches that break it, and are otherwise equal.
    pub(super) fn violated(&self, space: &Space, c: &Candidate) -> Vec<Candidate> {
        self.changed(space, c, &self.others(space, c), false)
    }

    fn changed(&self, space: &Space, c: &Candidate, to: &[i64], keeps: bool) -> Vec<Candidate> {
        let launches = to.iter().filter(|v| **v >= 0).filter_map(|&v| self.of.with(space, c, v));
        let launches = launches.map(|c| space.agreeing(&c));
        launches.filter(|c| space.is_possible(c) && self.holds(space, c) == keeps).collect()
    }
}

/// Integer constants of the kernel's arithmetic that may be sizes, the most frequent first.
fn constants(kernel: &Kernel) -> Vec<i64> {
    let mut found: Vec<(i64, usize)> = Vec::new();
    let mut add = |v: i64| match found.iter_mut().find(|f| f.0 == v) {
        Some(f) => f.1 += 1,
        None => found.push((v, 1)),
    };
    for inst in kernel.insts() {
        let Op::Int { op, b: Operand::Imm(v), .. } = inst.op else { continue };
        let v = v as i64;
        match op {
            IntOp::Mul | IntOp::Add | IntOp::UDiv | IntOp::SDiv | IntOp::URem | IntOp::SRem => {
                add(v);
            }
            IntOp::And => add(v.saturating_add(1)),
            IntOp::Shl | IntOp::LShr | IntOp::AShr if v < 16 => add(1 << v),
            _ => {}
        }
    }
    found.retain(|&(v, _)| (2..=1024).contains(&v));
    found.sort_by_key(|&(v, times)| (std::cmp::Reverse(times), v));
    found.into_iter().map(|(v, _)| v).take(MOST_CONSTANTS).collect()
}

/// Operations that lead from indices of threads to a row: so many at most.
const MOST_STEPS: u32 = 12;

/// Constants that multiply the index of a thread or of a block, or a sum of such: lengths of rows.
fn row_lengths(kernel: &Kernel) -> Vec<i64> {
    let made: HashMap<Reg, &Op> =
        kernel.insts().filter_map(|inst| Some((inst.dst?, &inst.op))).collect();
    let phis = kernel.blocks.iter().flat_map(|b| &b.phis);
    let origins = Origins { made, chosen: phis.map(|p| p.dst).collect() };
    let mut found: Vec<i64> = Vec::new();
    for inst in kernel.insts() {
        let (row, length) = match inst.op {
            Op::Int { op: IntOp::Mul, a, b: Operand::Imm(n), .. } => (a, n as i64),
            Op::Int { op: IntOp::Mul, a: Operand::Imm(n), b, .. } => (b, n as i64),
            Op::Int { op: IntOp::Shl, a, b: Operand::Imm(n), .. } if n < 16 => (a, 1 << n),
            _ => continue,
        };
        let is_new = (2..=1024).contains(&length) && !found.contains(&length);
        if is_new && origins.is_index(row, MOST_STEPS) == Some(true) {
            found.push(length);
        }
    }
    found.sort_unstable();
    found
}

/// Where values come from.
struct Origins<'k> {
    made: HashMap<Reg, &'k Op>,
    /// What a loop or a branch decides.
    chosen: HashSet<Reg>,
}

impl Origins<'_> {
    /// Whether a value is computed from indices of threads or blocks; `None` if it is also computed from anything but
    /// these, dimensions and parameters, such as what a loop counts.
    fn is_index(&self, value: Operand, steps: u32) -> Option<bool> {
        let Operand::Reg(r) = value else { return Some(false) };
        let from = |o: Operand| self.is_index(o, steps.checked_sub(1)?);
        match self.made.get(&r) {
            // A parameter, if no loop.
            None => (!self.chosen.contains(&r)).then_some(false),
            Some(Op::Special(Special::ThreadId(_) | Special::BlockId(_))) => Some(true),
            Some(Op::Special(_)) => Some(false),
            Some(Op::Int { a, b, .. }) => Some(from(*a)? | from(*b)?),
            Some(Op::Cast { a, .. } | Op::Copy { a, .. }) => from(*a),
            Some(_) => None,
        }
    }
}

/// The requirements that a kernel may have, the simplest first; and those of them that are lower bounds, which may
/// have to hold together.
pub(super) fn requirements(space: &Space, widths: bool) -> Vec<Requirement> {
    let mut constants = constants(space.kernel);
    constants.sort_unstable();
    let slots: Vec<usize> = space
        .integers()
        .into_iter()
        .filter(|&i| !space.slots[i].hints.selects && space.slots[i].ty.bits() > 8)
        .take(MOST_PARAMETERS)
        .collect();
    let hints = |i: usize| &space.slots[i].hints;
    let name = |i: usize| Expr::name(&space.slots[i].name);
    let product = |a: Expr, b: Expr| Expr::binary(Operator::Mul, a, b);
    let (threads, blocks) = (space.free_block(), space.free_grid());
    let axes = || (0..3).filter(|&a| threads[a] || space.plain().block[a] > 1);
    let mut out = Vec::new();

    // One less than a power of two is a mask.
    for &i in slots.iter().filter(|&&i| hints(i).masks) {
        out.push(Requirement::new(Quantity::Slot(i), Relation::Power, Expr::int(0)));
    }

    // What is there at all: Lockstep chose 0 for it.
    let plain = space.plain();
    for &i in slots.iter().filter(|&&i| hints(i).reaches_address && plain.int(i) == 0) {
        out.push(Requirement::new(Quantity::Slot(i), Relation::AtLeast, Expr::int(1)));
    }

    // Multiples.
    let mut units: Vec<i64> = constants.clone();
    if widths {
        units.extend(WIDTHS);
    }
    units.sort_unstable();
    units.dedup();
    for &i in slots.iter().filter(|&&i| hints(i).reaches_address || hints(i).guards_access) {
        for &unit in &units {
            out.push(Requirement::new(Quantity::Slot(i), Relation::Multiple, Expr::int(unit)));
        }
    }
    for a in (0..3).filter(|&a| threads[a]) {
        for &unit in units.iter().filter(|u| **u > 1 && **u <= 512) {
            out.push(Requirement::new(Quantity::Block(a), Relation::Multiple, Expr::int(unit)));
        }
    }

    // Dimensions.
    for a in (0..3).filter(|&a| threads[a]) {
        // A block of one row that is smaller than a warp is no limit that callers keep to.
        let is_row = !(0..3).any(|b| b != a && threads[b]);
        for &n in constants.iter().filter(|&&n| !is_row || n >= WARP) {
            out.push(Requirement::new(Quantity::Block(a), Relation::AtLeast, Expr::int(n)));
            for relation in [Relation::AtMost, Relation::Equal] {
                out.push(Requirement::new(Quantity::Block(a), relation, Expr::int(n)));
            }
        }
        for b in (0..3).filter(|&b| b != a && threads[b]) {
            let side = Expr::name(Dimension::Block(b));
            out.push(Requirement::new(Quantity::Block(a), Relation::Equal, side));
        }
        for &i in slots.iter().filter(|&&i| hints(i).reaches_address) {
            out.push(Requirement::new(Quantity::Block(a), Relation::AtMost, name(i)));
        }
        out.push(Requirement::new(Quantity::Block(a), Relation::Power, Expr::int(0)));
    }

    // Parameters that neither threads nor loops end at.
    for &i in slots.iter().filter(|&&i| !space.slots[i].is_size() && hints(i).reaches_address) {
        let own = Quantity::Slot(i);
        for &n in &constants {
            out.push(Requirement::new(own, Relation::Equal, Expr::int(n)));
        }
        for a in axes() {
            out.push(Requirement::new(own, Relation::Equal, Expr::name(Dimension::Block(a))));
        }
        for a in (0..3).filter(|&a| blocks[a]) {
            out.push(Requirement::new(own, Relation::Equal, Expr::name(Dimension::Grid(a))));
        }
    }

    // Parts of rows that have a constant length.
    let lengths = row_lengths(space.kernel);
    for &i in slots.iter().filter(|&&i| space.slots[i].is_size()) {
        for &n in &lengths {
            out.push(Requirement::new(Quantity::Slot(i), Relation::AtMost, Expr::int(n)));
        }
    }

    // Strides, offsets and moduli: at least what they span.
    for &i in &slots {
        let h = hints(i);
        // With rows of any length that threads are cut into, one row would be left.
        let cuts = h.cuts_index && !h.wraps;
        let spans = (h.multiplies_index || h.wraps || h.masks) && !cuts;
        let is_offset = space.slots[i].is_offset();
        let is_mask = h.reaches_address
            && !h.flips
            && !spans
            && !cuts
            && !is_offset
            && !space.slots[i].is_size();
        if is_mask || h.masks || h.flips {
            let relation = if is_mask { Relation::Mask } else { Relation::Power };
            out.push(Requirement::new(Quantity::Slot(i), relation, Expr::int(0)));
        }
        if !spans && !is_offset && !is_mask {
            continue;
        }
        for side in extents(space, i, &slots) {
            let side = match is_mask {
                true => Expr::binary(Operator::Sub, side, Expr::int(1)),
                false => side,
            };
            out.push(Requirement::new(Quantity::Slot(i), Relation::AtLeast, side));
        }
        if is_offset {
            for &other in slots.iter().filter(|&&o| o != i && space.slots[o].is_offset()) {
                for span in extents(space, i, &slots) {
                    let far = Expr::binary(Operator::Add, name(other), span);
                    out.push(Requirement::new(Quantity::Slot(i), Relation::AtLeast, far));
                }
            }
        }
    }
    // What spans a row of threads.
    for a in (0..3).filter(|&a| threads[a] && blocks[a]) {
        let all = product(Expr::name(Dimension::Grid(a)), Expr::name(Dimension::Block(a)));
        let spans =
            |&&i: &&usize| hints(i).multiplies_index && (hints(i).wraps || !hints(i).cuts_index);
        for &i in slots.iter().filter(spans) {
            out.push(Requirement::new(Quantity::Slot(i), Relation::AtLeast, all.clone()));
        }
    }
    let mut unique: Vec<Requirement> = Vec::new();
    for r in out {
        if !unique.contains(&r) {
            unique.push(r);
        }
    }
    unique
}

/// The requirements that keep accesses within an array that the host allocates: sizes that vectors divide, where the access is one of
/// a vector, or blocks.
pub(super) fn whole_parts(space: &Space, vectors: bool) -> Vec<Requirement> {
    let sizes = space.integers().into_iter().filter(|&i| space.slots[i].is_guarded());
    let sizes: Vec<usize> = sizes.take(MOST_PARAMETERS).collect();
    let multiple = |i: usize, of| Requirement::new(Quantity::Slot(i), Relation::Multiple, of);
    // Where half of it does as well, that is the condition.
    let of_vectors = sizes.iter().filter(|_| vectors).map(|&i| multiple(i, Expr::int(WIDEST)));
    let of_blocks =
        sizes.iter().map(|&i| multiple(i, Expr::name(Dimension::Block(space.slots[i].axis))));
    of_vectors.chain(of_blocks).collect()
}

/// What a stride or an offset may have to span: other parameters, dimensions, these in bytes, and products of two.
fn extents(space: &Space, own: usize, slots: &[usize]) -> Vec<Expr> {
    let product = |a: &Expr, b: &Expr| Expr::binary(Operator::Mul, a.clone(), b.clone());
    let (threads, blocks) = (space.free_block(), space.free_grid());
    let others = slots.iter().filter(|&&o| o != own && !space.slots[o].is_offset());
    let names: Vec<Expr> = others.map(|&o| Expr::name(&space.slots[o].name)).collect();
    let axes = |free: [bool; 3]| (0..3).filter(move |&a| free[a]);
    let block: Vec<Expr> = axes(threads).map(|a| Expr::name(Dimension::Block(a))).collect();
    let grid: Vec<Expr> = axes(blocks).map(|a| Expr::name(Dimension::Grid(a))).collect();
    let mut out: Vec<Expr> = names.clone();
    out.extend(block.iter().chain(&grid).cloned());
    for (i, a) in names.iter().enumerate() {
        out.extend(names[i + 1..].iter().map(|b| product(a, b)));
    }
    for dimension in &grid {
        out.extend(block.iter().chain(&names).map(|b| product(dimension, b)));
    }
    for bytes in [4, 2, 8] {
        out.extend(names.iter().map(|n| product(&Expr::int(bytes), n)));
    }
    out
}
