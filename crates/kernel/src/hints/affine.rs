//! Sums of indices: the block sizes that a kernel's index arithmetic was written for.
//!
//! A register's form is a sum of thread and block indices and of registers that
//! are opaque, each times a constant; an index may also be multiplied by one such
//! register, the length of a row. In `blockIdx.x * 256 + threadIdx.x` the next
//! larger factor after that of the thread index says how many values the index
//! takes; so does the step of a loop that begins at the thread index. Subscripts of shared arrays say only how many there is room for: rows
//! may be padded.

use std::collections::BTreeMap;

use crate::flow::{Control, Def};
use crate::hints::graph::{BLOCK, Graph, STORE_ADDRESS, THREAD, Use};
use crate::{BlockId, CastOp, CmpOp, Inst, IntOp, Op, Operand, Space, Special, Terminator};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Atom {
    Thread(u8),
    Block(u8),
    Reg(u32),
    /// The index of a thread or a block along an axis, times a register.
    ThreadTimes(u8, u32),
    BlockTimes(u8, u32),
}

impl Atom {
    fn times(self, r: u32) -> Option<Atom> {
        match self {
            Atom::Thread(a) => Some(Atom::ThreadTimes(a, r)),
            Atom::Block(a) => Some(Atom::BlockTimes(a, r)),
            _ => None,
        }
    }

    /// The register it is multiplied by.
    fn row(self) -> Option<u32> {
        match self {
            Atom::ThreadTimes(_, r) | Atom::BlockTimes(_, r) => Some(r),
            _ => None,
        }
    }

    fn thread_axis(self) -> Option<u8> {
        match self {
            Atom::Thread(a) | Atom::ThreadTimes(a, _) => Some(a),
            _ => None,
        }
    }

    fn block_axis(self) -> Option<u8> {
        match self {
            Atom::Block(a) | Atom::BlockTimes(a, _) => Some(a),
            _ => None,
        }
    }
}

/// A sum of atoms times factors, none zero, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Form {
    terms: Vec<(Atom, i64)>,
    constant: i64,
}

/// Longer sums are treated as opaque.
const MOST_TERMS: usize = 16;

/// The most threads of a block, on any device.
const MOST_THREADS: i64 = 1024;

impl Form {
    fn atom(atom: Atom) -> Form {
        Form { terms: vec![(atom, 1)], constant: 0 }
    }

    fn constant(constant: i64) -> Form {
        Form { terms: Vec::new(), constant }
    }

    fn plus(&self, other: &Form, factor: i64) -> Option<Form> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for &(atom, k) in &other.terms {
            let k = k.checked_mul(factor)?;
            match sum.terms.iter_mut().find(|(a, _)| *a == atom) {
                Some((_, old)) => *old = old.checked_add(k)?,
                None => sum.terms.push((atom, k)),
            }
        }
        sum.terms.retain(|&(_, k)| k != 0);
        (sum.terms.len() <= MOST_TERMS).then_some(sum)
    }

    fn times(&self, factor: i64) -> Option<Form> {
        Form::default().plus(self, factor)
    }

    fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The power of two that divides it everywhere; 63 for zero.
    fn zeros(&self) -> u32 {
        let all = self.terms.iter().map(|&(_, k)| k).chain([self.constant]);
        all.map(|k| k.trailing_zeros().min(63)).min().unwrap_or(63)
    }

    /// The smallest factor above `k` of an atom with the same row as `atom`, and its atom.
    fn next_factor(&self, atom: Atom, k: i64) -> Option<(Atom, i64)> {
        let row = atom.row();
        let above = |t: &(Atom, i64)| t.1 > k && t.0.row() == row;
        self.terms.iter().copied().filter(above).min_by_key(|t| t.1)
    }

    /// The product with a register times a constant, where this is a sum of indices.
    fn times_row(&self, row: &Form) -> Option<Form> {
        let (&[(Atom::Reg(r), k)], 0, 0) = (&row.terms[..], row.constant, self.constant) else {
            return None;
        };
        let product = |&(atom, f): &(Atom, i64)| Some((atom.times(r)?, f.checked_mul(k)?));
        let terms = self.terms.iter().map(product).collect::<Option<_>>()?;
        Some(Form { terms, constant: 0 })
    }
}

/// The hints about the dimensions of blocks.
pub(super) struct BlockHints {
    pub(super) implied: [Option<u32>; 3],
    pub(super) most: [Option<u32>; 3],
    pub(super) only_in_grid: [bool; 3],
}

pub(super) fn block_hints(
    graph: &Graph,
    control: &Control,
    reads_block_dim: [bool; 3],
) -> BlockHints {
    let forms = forms(graph);
    let most = most_block(graph, control, &forms);
    let mut implied = implied_block(graph, &forms);
    for (axis, extent) in strided_block(graph, &forms).into_iter().enumerate() {
        implied[axis] = implied[axis].or(extent);
    }
    // A tile of 32 rows that is filled 8 at a time is for blocks of 8.
    for (axis, step) in stepped_block(graph, &forms).into_iter().enumerate() {
        let whole = |s: &u32| implied[axis].is_none_or(|tile| tile % s == 0);
        implied[axis] = step.filter(whole).or(implied[axis]);
    }
    // Blocks may overlap: those at the border of each only load.
    for a in 0..3 {
        if let (Some(step), Some(room)) = (implied[a], most[a])
            && step < room
            && room < 2 * step
            && is_limited(graph, &forms, a as u8, step..=room)
        {
            implied[a] = None;
        }
    }
    for a in 0..3 {
        // Who lets only the first so many threads of a block near memory has more of them.
        let is_first = |n: &u32| {
            is_limited(graph, &forms, a as u8, *n..=MOST_THREADS as u32 - 1)
                && all_guarded(graph, control, &forms, a as u8)
        };
        implied[a] = implied[a].filter(|n| !is_first(n));
        // Where the room is a part of it, each thread takes several elements. Where it is not, the room is too small.
        let too_large = most[a].is_some_and(|m| implied[a].is_some_and(|i| i > m && i % m == 0));
        if reads_block_dim[a] || too_large {
            implied[a] = None;
        }
    }
    let only_in_grid = std::array::from_fn(|a| is_only_in_grid(graph, &forms, a as u8));
    BlockHints { implied, most, only_in_grid }
}

/// Whether the thread index along an axis is compared with a constant in this range: there are threads beyond the first of
/// it, or nobody would ask.
fn is_limited(
    graph: &Graph,
    forms: &[Form],
    axis: u8,
    limits: std::ops::RangeInclusive<u32>,
) -> bool {
    graph.kernel.insts().any(|inst| {
        let Op::Cmp { ty, a, b, .. } = inst.op else { return false };
        let (index, limit) = match (a, b) {
            (o, Operand::Imm(c)) | (Operand::Imm(c), o) => (operand_form(forms, o), c),
            _ => return false,
        };
        let bare = matches!(index.terms[..], [(Atom::Thread(x), 1)] if x == axis);
        let limit = signed(limit, ty.bits()).checked_sub(index.constant);
        bare && !ty.is_float()
            && limit.and_then(|n| u32::try_from(n).ok()).is_some_and(|n| limits.contains(&n))
    })
}

/// Whether the thread index along an axis decides whether memory is accessed, wherever it stands beside the index of a
/// block in an address.
fn all_guarded(graph: &Graph, control: &Control, forms: &[Form], axis: u8) -> bool {
    graph.cfg.order.iter().all(|&b| {
        let beside = |inst: &Inst| {
            let (Op::Load { addr, .. } | Op::Store { addr, .. } | Op::Atomic { addr, .. }) =
                inst.op
            else {
                return false;
            };
            let form = operand_form(forms, addr);
            let has = |of: fn(Atom) -> Option<u8>| form.terms.iter().filter_map(move |t| of(t.0));
            has(Atom::thread_axis).any(|a| a == axis) && has(Atom::block_axis).next().is_some()
        };
        !graph.kernel.block(b).insts.iter().any(beside)
            || guarded_axes(graph, control, b)[axis as usize]
    })
}

/// Whether the thread index along an axis is used, and only in sums with the block index.
fn is_only_in_grid(graph: &Graph, forms: &[Form], axis: u8) -> bool {
    let has = |f: &Form, of: fn(Atom) -> Option<u8>| f.terms.iter().any(|t| of(t.0) == Some(axis));
    let is_used = |r: usize| {
        graph.uses[r].iter().any(|u| match u {
            Use::Inst(inst) => !absorbs(forms, inst),
            Use::Phi | Use::Branch => true,
        })
    };
    let mut used = forms
        .iter()
        .enumerate()
        .filter(|(r, form)| has(form, Atom::thread_axis) && is_used(*r))
        .peekable();
    used.peek().is_some() && used.all(|(_, form)| has(form, Atom::block_axis))
}

fn forms(graph: &Graph) -> Vec<Form> {
    let kernel = graph.kernel;
    let mut forms: Vec<Form> =
        (0..kernel.regs.len() as u32).map(|r| Form::atom(Atom::Reg(r))).collect();
    // Every definition but a loop's phi comes before its uses, and phis are opaque.
    for &b in &graph.cfg.order {
        for inst in &kernel.block(b).insts {
            if let (Some(form), Some(d)) = (form_of(&forms, &inst.op), inst.dst) {
                forms[d.0 as usize] = form;
            }
        }
    }
    forms
}

fn operand_form(forms: &[Form], o: Operand) -> Form {
    match o {
        Operand::Reg(r) => forms[r.0 as usize].clone(),
        Operand::Imm(c) => Form::constant(c as i64),
        // Where an object lies does not matter here.
        Operand::Object(_, offset) => Form::constant(offset),
        Operand::Undef => Form::default(),
    }
}

fn signed(c: u64, bits: u32) -> i64 {
    ((c << (64 - bits)) as i64) >> (64 - bits)
}

fn form_of(forms: &[Form], op: &Op) -> Option<Form> {
    let form = |o| operand_form(forms, o);
    match *op {
        Op::Special(Special::ThreadId(a)) => Some(Form::atom(Atom::Thread(a))),
        Op::Special(Special::BlockId(a)) => Some(Form::atom(Atom::Block(a))),
        Op::Copy { a, .. } => Some(form(a)),
        Op::Cast { op: CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::Bit, from, to, a }
            // What is cut to a byte has fewer values than a block may have threads.
            if !from.is_float() && !to.is_float() && to.bits() > 8 && from.bits() > 1 =>
        {
            Some(form(a))
        }
        Op::Index { base, index, scale, offset } => {
            let sum = form(base).plus(&form(index), scale)?;
            sum.plus(&Form::constant(offset), 1)
        }
        Op::Int { op, ty, a, b } => {
            let side = |o: Operand| match o {
                Operand::Imm(c) => Form::constant(signed(c, ty.bits())),
                o => form(o),
            };
            let (a, b) = (side(a), side(b));
            match op {
                IntOp::Add => a.plus(&b, 1),
                IntOp::Sub => a.plus(&b, -1),
                IntOp::Mul => match (a.as_constant(), b.as_constant()) {
                    (_, Some(k)) => a.times(k),
                    (Some(k), _) => b.times(k),
                    _ => a.times_row(&b).or_else(|| b.times_row(&a)),
                },
                IntOp::Shl => {
                    let by = b.as_constant().filter(|k| (0..32).contains(k))?;
                    a.times(1 << by)
                }
                // Bits put together: one side shifted, the other below it.
                IntOp::Or if a.zeros() > 0 || b.zeros() > 0 => a.plus(&b, 1),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether an operation's form contains that of its operands.
fn absorbs(forms: &[Form], inst: &Inst) -> bool {
    inst.dst.is_some() && form_of(forms, &inst.op).is_some()
}

/// What constants beside the indices of blocks and of other threads imply.
fn implied_block(graph: &Graph, forms: &[Form]) -> [Option<u32>; 3] {
    let mut by_block: [Vec<i64>; 3] = Default::default();
    let mut by_thread: [Vec<i64>; 3] = Default::default();
    let mut blocks = [false; 3];
    for inst in graph.kernel.insts() {
        if let Op::Special(Special::BlockId(a)) = inst.op {
            blocks[a as usize] = true;
        }
    }
    let whole: Vec<Form> = (forms.iter().enumerate())
        .filter(|(r, form)| {
            let threads = form.terms.iter().any(|(atom, _)| atom.thread_axis().is_some());
            form.terms.len() >= 2 && threads && is_whole_sum(graph, forms, *r)
        })
        .map(|(_, form)| Form { terms: sorted(&form.terms), constant: form.constant })
        .collect();
    let mut constants: BTreeMap<&[(Atom, i64)], Vec<i64>> = BTreeMap::new();
    for form in &whole {
        constants.entry(&form.terms).or_default().push(form.constant);
    }
    for form in &whole {
        for &(atom, k) in &form.terms {
            let Some(a) = atom.thread_axis() else { continue };
            let Some((next, factor)) = form.next_factor(atom, k).filter(|_| k > 0) else {
                continue;
            };
            let extent = factor / k / rounds(&constants[&form.terms[..]], k, factor);
            // A warp is not cut into rows of two.
            let least = if a == 0 { 4 } else { 2 };
            if factor % k != 0 || !(least..=MOST_THREADS).contains(&extent) {
                continue;
            }
            let below = || {
                let inner = |&(o, f): &(Atom, i64)| {
                    o.thread_axis().is_some_and(|b| b != a) && o.row() == atom.row() && f < k
                };
                form.terms.iter().any(inner)
            };
            let only = || !blocks[a as usize];
            // There are at least two along another axis.
            let others = |o: &(Atom, i64)| o.0.thread_axis().is_some_and(|b| b != a);
            if form.terms.iter().any(others) && extent > MOST_THREADS / 2 {
                continue;
            }
            match (next.block_axis(), next.thread_axis()) {
                (Some(b), _) if b == a || below() || only() => {
                    by_block[a as usize].push(extent);
                }
                (_, Some(b)) if b != a => {
                    by_thread[a as usize].push(extent);
                }
                _ => {}
            }
        }
    }
    std::array::from_fn(|a| {
        let only = |list: &[i64]| {
            let first = *list.first()?;
            list.iter().all(|&e| e == first).then_some(first)
        };
        let extent = if by_block[a].is_empty() {
            only(&by_thread[a])
        } else {
            // A longer row of threads is the row of an array, or padded.
            only(&by_block[a]).filter(|e| by_thread[a].iter().all(|t| t >= e))
        };
        extent.map(|e| e as u32)
    })
}

/// A loop that begins at the thread's index and goes on by a constant, `for (i = threadIdx.x; i < n; i += 128)`, takes one
/// element for each thread of a block in each round, and so says how many there are.
fn strided_block(graph: &Graph, forms: &[Form]) -> [Option<u32>; 3] {
    let mut steps: [Vec<i64>; 3] = Default::default();
    for phi in graph.cfg.loops.iter().flat_map(|l| &graph.kernel.block(l.head).phis) {
        let me = Atom::Reg(phi.dst.0);
        let Some(step) = step_of(phi, forms).filter(|&s| s > 0) else { continue };
        // Where several elements are taken in a round, it is some part of the step.
        let several = |f: &Form| {
            f.constant > 0 && f.constant < step && f.terms.iter().any(|&(atom, _)| atom == me)
        };
        if forms.iter().any(several) {
            continue;
        }
        for start in incoming(phi, forms) {
            let threads = || start.terms.iter().filter_map(|&(t, k)| Some((t.thread_axis()?, k)));
            let alone = start.terms.iter().all(|(t, _)| matches!(t, Atom::Thread(_)));
            let Some((axis, k)) = threads().max_by_key(|&(_, k)| k).filter(|_| alone) else {
                continue;
            };
            let least = if axis == 0 { 4 } else { 2 };
            if k > 0 && step % k == 0 && (least..=MOST_THREADS).contains(&(step / k)) {
                steps[axis as usize].push(step / k);
            }
        }
    }
    steps.map(the_one)
}

/// A loop from 0 by a constant whose counter is added to the thread's index where something is stored,
/// `for (j = 0; j < 32; j += 8) t[threadIdx.y + j][x] = …`, does the same.
fn stepped_block(graph: &Graph, forms: &[Form]) -> [Option<u32>; 3] {
    let mut steps: [Vec<i64>; 3] = Default::default();
    for phi in graph.cfg.loops.iter().flat_map(|l| &graph.kernel.block(l.head).phis) {
        let me = Atom::Reg(phi.dst.0);
        let Some(step) = step_of(phi, forms) else { continue };
        if !incoming(phi, forms).any(|f| f.as_constant() == Some(0)) {
            continue;
        }
        for (r, form) in forms.iter().enumerate() {
            let Some(k) = form.terms.iter().find(|t| t.0 == me).map(|t| t.1) else { continue };
            let beside = form.terms.iter().find(|t| t.1 == k && t.0.thread_axis().is_some());
            let Some(axis) = beside.and_then(|t| t.0.thread_axis()) else { continue };
            let least = if axis == 0 { 4 } else { 2 };
            if (least..=MOST_THREADS).contains(&step)
                && graph.reg_reaches(crate::Reg(r as u32), STORE_ADDRESS)
            {
                steps[axis as usize].push(step);
            }
        }
    }
    steps.map(the_one)
}

/// The values that a phi takes.
fn incoming(phi: &crate::Phi, forms: &[Form]) -> impl Iterator<Item = Form> {
    phi.incoming.iter().map(|&(_, o)| operand_form(forms, o))
}

/// What is added to a phi where its loop goes on.
fn step_of(phi: &crate::Phi, forms: &[Form]) -> Option<i64> {
    let added = |f: Form| match f.terms[..] {
        [(atom, 1)] if atom == Atom::Reg(phi.dst.0) => Some(f.constant),
        _ => None,
    };
    incoming(phi, forms).find_map(added)
}

/// What all of a list are.
fn the_one(list: Vec<i64>) -> Option<u32> {
    let first = *list.first()?;
    list.iter().all(|&s| s == first).then_some(first as u32)
}

fn sorted(terms: &[(Atom, i64)]) -> Vec<(Atom, i64)> {
    let mut terms = terms.to_vec();
    terms.sort();
    terms
}

/// How many elements each thread takes of the `factor / k` that lie between two
/// values of the next index, where sums that differ only in their constants say
/// so: `x[i] + x[i + 256]` with `i = blockIdx.x * 512 + threadIdx.x` is two.
fn rounds(constants: &[i64], k: i64, factor: i64) -> i64 {
    let first = constants.iter().copied().min().unwrap_or(0);
    let steps = || constants.iter().filter_map(|c| c.checked_sub(first)).filter(|&d| d > 0);
    let Some(step) = steps().min() else { return 1 };
    let rounds = factor / step.max(1);
    let even = steps().all(|d| d % step == 0 && d < factor);
    let fits = step % k == 0 && factor % step == 0;
    // Steps that are small against the whole are neighbours, not rounds.
    if even && fits && (2..=16).contains(&rounds) && step / k >= 8 { rounds } else { 1 }
}

/// Whether a sum is looked at as it is, not only as a part of a larger one.
fn is_whole_sum(graph: &Graph, forms: &[Form], r: usize) -> bool {
    let is_shared = |o: Operand| {
        let targets = graph.bases.targets(o);
        targets.iter().all(|&b| graph.bases.space(b) == Space::Shared)
    };
    let reg = Operand::Reg(crate::Reg(r as u32));
    if graph.kernel.regs[r] == crate::Ty::Ptr && is_shared(reg) {
        return false;
    }
    graph.uses[r].iter().any(|u| match u {
        Use::Inst(Inst { op: Op::Index { base, index, .. }, .. }) if *index == reg => {
            is_shared(*base)
        }
        Use::Inst(inst) => !absorbs(forms, inst) && !is_result(inst, reg),
        Use::Phi | Use::Branch => true,
    })
}

/// Whether a number is only what a thread has to tell: it is stored, or becomes a float.
fn is_result(inst: &Inst, reg: Operand) -> bool {
    match &inst.op {
        Op::Store { addr, .. } => *addr != reg,
        Op::Atomic { addr, .. } => *addr != reg,
        Op::Cast { to, .. } => to.is_float(),
        _ => false,
    }
}

/// One step of an address: what is added to the base, in bytes.
struct Subscript {
    form: Form,
    scale: i64,
    offset: i64,
    /// How many bytes the array has whose element it picks, where its type says so.
    array: Option<i64>,
}

impl Subscript {
    /// The constant of the subscript. What is whole arrays says which array.
    fn constant(&self) -> i64 {
        let offset = self.array.filter(|&n| n > 0).map_or(self.offset, |n| self.offset % n);
        self.form.constant.saturating_add(offset / self.scale)
    }
}

fn most_block(graph: &Graph, control: &Control, forms: &[Form]) -> [Option<u32>; 3] {
    let mut most: [Option<u32>; 3] = [None; 3];
    for &b in &graph.cfg.order {
        let mut guarded = None;
        for inst in &graph.kernel.block(b).insts {
            let (Op::Load { addr, .. } | Op::Store { addr, .. } | Op::Atomic { addr, .. }) =
                inst.op
            else {
                continue;
            };
            let Some((size, steps)) = shared_subscripts(graph, forms, addr) else { continue };
            let guarded = *guarded.get_or_insert_with(|| guarded_axes(graph, control, b));
            for step in &steps {
                let outer = steps.iter().map(|s| s.scale).filter(|&s| s > step.scale).min();
                let room = outer.unwrap_or(size).min(step.array.unwrap_or(size)) / step.scale;
                if let &[(Atom::Reg(r), 1)] = &step.form.terms[..]
                    && let Some((a, by)) = quotient(graph, forms, crate::Reg(r))
                    && !guarded[a as usize]
                {
                    let limit = room.saturating_sub(step.constant()).saturating_mul(by);
                    narrow(&mut most[a as usize], limit);
                }
                for &(atom, k) in &step.form.terms {
                    let Atom::Thread(a) = atom else { continue };
                    // Counted down from a constant: `s[63 - threadIdx.x]`. Not a part of an address that another one makes up
                    // for: `s + threadIdx.x`, and from there `p[7 * threadIdx.x]` or `p[-threadIdx.x]`.
                    let last = step.constant();
                    let here = |s: &&Subscript| s.form.terms.iter().any(|t| t.0 == atom);
                    let is_whole =
                        step.form.terms.len() == 1 && steps.iter().filter(here).count() == 1;
                    if k < 0 && is_whole && !guarded[a as usize] && last > 0 {
                        narrow(&mut most[a as usize], last / k.saturating_neg() + 1);
                        continue;
                    }
                    let alone = step
                        .form
                        .terms
                        .iter()
                        .filter(|t| t.1.unsigned_abs() == k.unsigned_abs())
                        .count()
                        == 1;
                    if k <= 0 || guarded[a as usize] || !alone {
                        continue;
                    }
                    let extent = step.form.next_factor(atom, k).map_or(room, |(_, f)| f) / k;
                    let limit = extent.saturating_sub(constant_part(step, k));
                    narrow(&mut most[a as usize], limit);
                }
            }
        }
    }
    most
}

/// The axis of a thread index that is divided by a constant, and that constant: `threadIdx.x / 32`.
fn quotient(graph: &Graph, forms: &[Form], r: crate::Reg) -> Option<(u8, i64)> {
    let Def::Inst(_, inst) = graph.defs[r.0 as usize] else { return None };
    let (index, by) = match inst.op {
        Op::Int { op: IntOp::UDiv | IntOp::SDiv, a, b: Operand::Imm(by), .. } => (a, by),
        Op::Int { op: IntOp::LShr | IntOp::AShr, a, b: Operand::Imm(by @ 0..=10), .. } => {
            (a, 1 << by)
        }
        _ => return None,
    };
    let by = i64::try_from(by).ok().filter(|by| (2..=MOST_THREADS).contains(by))?;
    match operand_form(forms, index) {
        Form { terms, constant: 0 } => match terms[..] {
            [(Atom::Thread(a), 1)] => Some((a, by)),
            _ => None,
        },
        _ => None,
    }
}

/// There is room for so many threads at most. Who asks for the index of a thread has more than one.
fn narrow(most: &mut Option<u32>, limit: i64) {
    if (2..=MOST_THREADS).contains(&limit) {
        *most = Some(most.map_or(limit as u32, |m| m.min(limit as u32)));
    }
}

/// How far a subscript's constant moves the index whose factor is `k`.
fn constant_part(step: &Subscript, k: i64) -> i64 {
    let mut rest = step.constant();
    let mut larger: Vec<i64> = step.form.terms.iter().map(|t| t.1).filter(|&f| f > k).collect();
    larger.sort_unstable_by(|a, b| b.cmp(a));
    for f in larger {
        rest %= f;
    }
    rest / k
}

/// The size of the shared array that an address lies in, and the address's steps.
fn shared_subscripts(
    graph: &Graph,
    forms: &[Form],
    addr: Operand,
) -> Option<(i64, Vec<Subscript>)> {
    let mut steps = Vec::new();
    let mut at = addr;
    for _ in 0..MOST_TERMS {
        match at {
            Operand::Object(id, _) => {
                let object = &graph.kernel.objects[id.0 as usize];
                let fits = object.space == Space::Shared && !object.dynamic && object.size > 0;
                return fits.then_some((object.size as i64, steps));
            }
            Operand::Reg(r) => match graph.defs[r.0 as usize] {
                Def::Inst(_, Inst { op: Op::Index { base, index, scale, offset }, .. }) => {
                    if *scale > 0 {
                        let form = operand_form(forms, *index);
                        let extent = graph.kernel.extents.iter().find(|e| e.0 == r);
                        let array =
                            extent.and_then(|e| i64::try_from(e.1).ok()?.checked_mul(*scale));
                        steps.push(Subscript { form, scale: *scale, offset: *offset, array });
                    }
                    at = *base;
                }
                Def::Inst(_, Inst { op: Op::Copy { a, .. }, .. }) => at = *a,
                _ => return None,
            },
            Operand::Imm(_) | Operand::Undef => return None,
        }
    }
    None
}

/// Axes of the thread index alone that decide whether a block is executed.
fn guarded_axes(graph: &Graph, control: &Control, b: BlockId) -> [bool; 3] {
    let deciders = control.deciders(std::iter::once(b));
    let mut axes = [false; 3];
    for (c, _) in deciders.iter().enumerate().filter(|(_, d)| **d) {
        let Terminator::Branch { cond, .. } = graph.kernel.blocks[c].term else { continue };
        // A bound on the global index does not bound the block, and the number of a lane does not either.
        if !(0..3).any(|a| graph.has(cond, BLOCK + a)) && !is_lane(graph, cond) {
            for (a, axis) in axes.iter_mut().enumerate() {
                *axis |= graph.has(cond, THREAD + a);
            }
        }
    }
    axes
}

/// Whether a condition is that the remainder of something is equal to a constant, or not.
fn is_lane(graph: &Graph, cond: Operand) -> bool {
    let made = |o: Operand| match o {
        Operand::Reg(r) => match graph.defs[r.0 as usize] {
            Def::Inst(_, inst) => Some(&inst.op),
            _ => None,
        },
        _ => None,
    };
    let Some(Op::Cmp { op: CmpOp::Eq | CmpOp::Ne, a, b: Operand::Imm(_), .. }) = made(cond) else {
        return false;
    };
    let Some(Op::Int { op, b: Operand::Imm(_), .. }) = made(*a) else { return false };
    matches!(op, IntOp::And | IntOp::URem | IntOp::SRem)
}
