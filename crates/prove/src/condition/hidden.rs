//! Hidden assumptions: simple conditions under which a kernel that raises alarms is proved after all.
//!
//! Most kernels are free of races only for some dimensions and parameters, and state this nowhere: a one-dimensional
//! block, a stride at least the width, fewer threads than an `int` can count. A catalogue of such conditions is tried,
//! weakest first, each by proving the kernel again under it. If a proof succeeds and ordinary launches satisfy the
//! condition, the verdict names it, and the alarms become conditional on its negation.
//!
//! No condition is put on a parameter that is only a plain summand of an index: all values of an offset are equally
//! ordinary, so a race for some of them is a race. Strides, widths and sizes may get conditions.
//!
//! No condition is assumed about a value loaded from memory. Where an alarm depends on such a value, the only
//! conditions tried are those that keep indices from overflowing, or that launch one thread or block along axes whose
//! index is never read. Every condition is an ordinary assumption of the new proof, so this adds nothing to what must
//! be trusted.

use lockstep_finding::launch::{Dimension, Expr};
use lockstep_finding::{Claim, Origin, Statement};
use lockstep_kernel::{AtomicOp, Kernel, Op, Operand, ParamKind, Special};
use rustc_hash::FxHashSet;

use crate::condition::array_sizes::Access;
use crate::launch::DimSpec;
use crate::launch::assumptions::Assumptions;
use crate::launch::context::{Base, Hints, VarKind};
use crate::launch::expressions::{AssumeExpr, Operator, Tree, product_at_most};
use crate::order::pair::Pairs;
use crate::symbolic::memory::Place;
use crate::term::walk::reachable;
use crate::term::{Bin, Node, T};

/// The roles of scalar parameters in the indices of accesses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    /// Offsets: only ever added.
    summands: Vec<usize>,
    /// Strides: factors in an index of an array that is written.
    factors: Vec<usize>,
    /// Loop bounds.
    limits: Vec<usize>,
    /// Products of parameters that are loop bounds or bounds in guards.
    areas: Vec<Vec<usize>>,
    /// The conditions that multi-dimensional indices need ([`crate::condition::array_sizes`]), for each array that is
    /// written.
    extents: Vec<Vec<Tree>>,
}

/// One condition: its claims, and the launches that satisfy it.
#[derive(Clone, Debug)]
pub(crate) struct Narrowed {
    pub(crate) claims: Vec<Claim>,
    pub(crate) assumptions: Assumptions,
    pub(crate) hints: Hints,
    /// Apart from threads and blocks along unused axes, the condition only excludes sizes for which an index overflows.
    pub(crate) of_sizes: bool,
    /// The condition only excludes threads and blocks along unused axes.
    pub(crate) of_axes: bool,
}

impl Narrowed {
    /// With further conditions.
    fn with(&self, kernel: &Kernel, list: Vec<Tree>) -> Narrowed {
        let mut out = self.clone();
        out.of_axes = false;
        out.of_sizes = list.iter().all(is_of_size);
        // Otherwise a bug would be excused: with fewer threads than a row has elements, say, a row that is too long by
        // one.
        out.hints.by_place &= out.of_sizes;
        for tree in list {
            let expr = tree.expression(kernel);
            out.claims.push(Claim::Holds(expr.clone()));
            out.assumptions.exprs.push(AssumeExpr {
                told: Some(expr),
                tree,
                origin: Origin::Choice,
            });
        }
        out
    }
}

/// Upper bound of a size such that a loop up to it, with a stride that is also a size, does not overflow.
const NO_WRAP: i64 = 1 << 30;

/// How many conditions are tried.
const TRIES: usize = 60;

/// The launch as it is given.
fn as_given(given: &Assumptions) -> Narrowed {
    Narrowed {
        claims: Vec::new(),
        assumptions: given.clone(),
        hints: Hints::default(),
        of_sizes: false,
        of_axes: true,
    }
}

/// The condition that an `int` can count the threads along each axis. `None` where other conditions on the dimensions
/// come first: the dimensions are given, or there are axes whose index is never read.
pub(crate) fn countable(kernel: &Kernel, given: &Assumptions) -> Option<Narrowed> {
    let flat = flattened(kernel, &as_given(given));
    let any = given.grid.contains(&DimSpec::Any) && flat.claims.is_empty();
    any.then(|| counted(&flat))
}

/// There are at most 2^30 threads along each axis.
fn counted(flat: &Narrowed) -> Narrowed {
    let mut out = flat.clone();
    (out.hints.small_grid, out.hints.by_place) = (true, true);
    for axis in 0..3usize {
        let most = |d: DimSpec, any: u64| match d {
            DimSpec::Exactly(n) => u64::from(n),
            DimSpec::Any => any,
        };
        let grid = most(out.assumptions.grid[axis], if axis == 0 { 1 << 31 } else { 65535 });
        if grid * most(out.assumptions.block[axis], 1 << 13) > crate::launch::MOST_NUMBERED.into() {
            out.claims.push(numbered(axis));
        }
    }
    (out.of_sizes, out.of_axes) = (true, false);
    out
}

/// The claim that an `int` can count the threads along an axis.
pub fn numbered(axis: usize) -> Claim {
    let (grid, block) = (Expr::name(Dimension::Grid(axis)), Expr::name(Dimension::Block(axis)));
    let threads = Expr::binary(Operator::Mul, grid, block);
    Claim::compare(threads, Operator::Le, Expr::int(crate::launch::MOST_NUMBERED))
}

/// The catalogue for this kernel, simplest first.
pub(crate) fn catalogue(kernel: &Kernel, given: &Assumptions, shape: &Shape) -> Vec<Narrowed> {
    let mut out = Vec::new();
    let flat = flattened(kernel, &as_given(given));
    // Blocks that draw numbers from a counter are distinguished by these numbers, without a block index.
    if draws(kernel) && flat.assumptions.grid[0] != given.grid[0] {
        let mut drawn = flat.clone();
        drawn.assumptions.grid[0] = given.grid[0];
        let one_block = Claim::dimension(Dimension::Grid(0), Operator::Eq, 1);
        drawn.claims.retain(|c| *c != one_block);
        let counted = counted(&drawn);
        out.extend([drawn, from_zero(&counted), few_drawn(&counted)]);
    }
    if !flat.claims.is_empty() {
        out.push(flat.clone());
    }
    let any = given.grid.contains(&DimSpec::Any);
    let counted = if any { counted(&flat) } else { flat.clone() };
    if any {
        out.push(counted.clone());
    }
    let fitted = with_implied_block(kernel, &counted);
    if fitted.claims != counted.claims {
        out.push(fitted.clone());
    }
    let counted = fitted;
    if draws(kernel) {
        out.extend([from_zero(&counted), few_drawn(&counted)]);
    }
    let starts = if any { vec![&flat, &counted] } else { vec![&flat] };
    let limits = no_wrap_conditions(kernel, given, shape);
    if !limits.is_empty() {
        out.extend(starts.iter().map(|start| start.with(kernel, limits.clone())));
    }
    // Conditions beyond rows and columns come first: they leave less to guess.
    let (rich, plain): (Vec<_>, Vec<_>) =
        nested_conditions(shape).into_iter().partition(|list| list.iter().any(|c| !is_plain(c)));
    let mut areas = area_conditions(kernel, given, shape);
    let others = areas.split_off(areas.len().min(AREAS));
    for list in rich.into_iter().chain(areas).chain(plain).chain(others) {
        out.push(counted.with(kernel, list.clone()));
        if !limits.is_empty() {
            out.push(counted.with(kernel, [list, limits.clone()].concat()));
        }
    }
    for condition in scalar_conditions(kernel, given, &shape.summands) {
        if limits != [condition.clone()] {
            out.extend(starts.iter().map(|start| start.with(kernel, vec![condition.clone()])));
        }
    }
    out.truncate(TRIES);
    out
}

/// Blocks of the size that the kernel's own arithmetic is for: `blockIdx.x * 16 + threadIdx.x` is for blocks of 16.
fn with_implied_block(kernel: &Kernel, from: &Narrowed) -> Narrowed {
    let implied = lockstep_kernel::hints::Hints::of(kernel).implied_block;
    let mut out = from.clone();
    for axis in 0..3 {
        if let (DimSpec::Any, Some(n)) = (out.assumptions.block[axis], implied[axis]) {
            out.assumptions.block[axis] = DimSpec::Exactly(n);
            out.claims.push(Claim::dimension(Dimension::Block(axis), Operator::Eq, n));
            (out.of_sizes, out.of_axes) = (false, false);
            out.hints.by_place = false;
        }
    }
    out
}

/// Whether the kernel draws numbers from counters ([`crate::order::tickets`]).
fn draws(kernel: &Kernel) -> bool {
    let adds = |op: &Op| {
        matches!(op, Op::Atomic { op: AtomicOp::Add | AtomicOp::Sub | AtomicOp::Inc, .. })
    };
    kernel.insts().any(|i| i.dst.is_some() && adds(&i.op))
}

/// The condition that the drawn numbers are small.
fn few_drawn(from: &Narrowed) -> Narrowed {
    let mut out = from.clone();
    out.hints.small_tickets = true;
    out.claims.push(Statement::CountersBelow { limit: NO_WRAP }.into());
    (out.of_sizes, out.of_axes) = (true, false);
    out
}

/// The condition that the drawn numbers count up from zero.
fn from_zero(from: &Narrowed) -> Narrowed {
    let mut out = from.clone();
    out.hints.from_zero = true;
    out.claims.push(Statement::CountersStartAtZero.into());
    (out.of_sizes, out.of_axes) = (true, false);
    out
}

/// The condition that no loop counter overflows: loop bounds are far below `INT_MAX`.
fn no_wrap_conditions(kernel: &Kernel, given: &Assumptions, shape: &Shape) -> Vec<Tree> {
    // An offset that also bounds a loop is a size.
    let free = free_scalars(kernel, given, &[]);
    let is_factor = |p: &&usize| shape.areas.iter().any(|a| a.contains(p));
    let limits = shape.limits.iter().filter(|p| free.contains(p) && !is_factor(p)).take(LIMITS);
    let mut out: Vec<Tree> = limits.map(|&p| no_wrap(p)).collect();
    let areas = shape.areas.iter().filter(|a| a.iter().all(|p| free.contains(p)));
    for area in areas.take(LIMITS) {
        for condition in no_wrap_product(area) {
            if !out.contains(&condition) {
                out.push(condition);
            }
        }
    }
    out
}

/// The condition that a product of sizes, and each partial product, is far below `INT_MAX`.
fn no_wrap_product(area: &[usize]) -> Vec<Tree> {
    let mut out: Vec<Tree> = area.iter().map(|&p| not_negative(Tree::Param(p))).collect();
    out.extend(product_at_most(area.iter().map(|&p| Tree::Param(p)), NO_WRAP));
    out
}

fn no_wrap(p: usize) -> Tree {
    Tree::Param(p).at_most(Tree::Const(NO_WRAP))
}

/// One thread, or one block, along every axis whose index the kernel never reads. The exception is blocks that fetch
/// their work from a counter: a proof for a single such block would be useless.
fn flattened(kernel: &Kernel, base: &Narrowed) -> Narrowed {
    let mut c = base.clone();
    let several = lockstep_kernel::hints::Hints::of(kernel).block_axes;
    let reads = |s: Special| kernel.insts().any(|i| i.op == Op::Special(s));
    for axis in 0..3 {
        let a = axis as u8;
        if c.assumptions.block[axis] == DimSpec::Any && !reads(Special::ThreadId(a)) {
            c.assumptions.block[axis] = DimSpec::Exactly(1);
            c.claims.push(Claim::dimension(Dimension::Block(axis), Operator::Eq, 1));
        }
        let is_one = !reads(Special::BlockId(a)) && !several[axis];
        if c.assumptions.grid[axis] == DimSpec::Any && is_one {
            c.assumptions.grid[axis] = DimSpec::Exactly(1);
            c.claims.push(Claim::dimension(Dimension::Grid(axis), Operator::Eq, 1));
        }
    }
    c
}

/// The conditions that all multi-dimensional indices need together, or those of one array.
fn nested_conditions(shape: &Shape) -> Vec<Vec<Tree>> {
    let mut all: Vec<Tree> = Vec::new();
    for condition in shape.extents.iter().flatten() {
        if !all.contains(condition) {
            all.push(condition.clone());
        }
    }
    let mut out = vec![all];
    out.retain(|list| !list.is_empty());
    out
}

/// Whether a condition has a form of [`area_conditions`]: about two sizes, compared or multiplied.
fn is_plain(tree: &Tree) -> bool {
    let leaf = |t: &Tree| !matches!(t, Tree::Binary(..));
    match tree {
        Tree::Binary(Operator::Ge, a, b) => leaf(a) && leaf(b),
        Tree::Binary(Operator::Le, a, _) => {
            matches!(&**a, Tree::Binary(Operator::Mul, a, b) if leaf(a) && leaf(b))
        }
        _ => false,
    }
}

/// No index computed from rows and columns overflows an `int`, and no row reaches into the next: products of sizes,
/// strides at least the width, or a stride at least the number of threads along a row.
fn area_conditions(kernel: &Kernel, given: &Assumptions, shape: &Shape) -> Vec<Vec<Tree>> {
    let free = free_scalars(kernel, given, &shape.summands);
    let (strides, sizes): (Vec<usize>, Vec<usize>) =
        free.iter().copied().partition(|p| shape.factors.contains(p));
    let param = Tree::Param;
    let mut out = Vec::new();
    for &s in strides.iter().take(STRIDES) {
        for &p in free.iter().filter(|&&p| p != s) {
            let (p, s) = (param(p.min(s)), param(p.max(s)));
            let area = area(p.clone(), s.clone());
            // A negative size minus one may wrap to a large number.
            out.push(vec![area.clone()]);
            out.push(vec![not_negative(p), not_negative(s), area]);
        }
        out.push(vec![area(param(s), param(s))]);
    }
    // Rows that each belong to one block or one thread.
    let dimension = |a: u8| [Tree::GridDim(a), Tree::BlockDim(a)];
    for &s in strides.iter().take(STRIDES) {
        out.extend((0..2).flat_map(dimension).map(|d| vec![area(param(s), d)]));
    }
    // Strides at least the width.
    for &w in sizes.iter().take(SIZES) {
        for &h in sizes.iter().take(SIZES) {
            let each = |&s: &usize| [param(s).at_least(param(w)), area(param(h), param(s))];
            out.push(strides.iter().take(STRIDES).flat_map(each).collect());
        }
    }
    // The kernel has no width parameter: all threads of a row are within the stride.
    let threads = |grid: u8, block: u8| Tree::GridDim(grid).times(Tree::BlockDim(block));
    let reads = |a: u8| kernel.insts().any(|i| i.op == Op::Special(Special::ThreadId(a)));
    if reads(0) && reads(1) {
        let guards = guards(kernel);
        for &s in strides.iter().filter(|s| !guards[**s]).take(STRIDES) {
            for (x, y) in [(0, 1), (1, 0)] {
                let long = param(s).at_least(threads(x, x));
                out.push(vec![long, area(param(s), threads(y, y))]);
            }
            // Square tiles that are written transposed.
            let long = param(s).at_least(threads(1, 0));
            out.push(vec![long, area(param(s), threads(0, 0))]);
        }
    }
    out.retain(|list| !list.is_empty());
    out
}

/// For each parameter, whether threads with an index beyond it do nothing. Callers launch more threads than that, so
/// the parameter may not be assumed to be at least the number of threads: a guard that is too wide by one would be
/// excused.
fn guards(kernel: &Kernel) -> Vec<bool> {
    let hints = lockstep_kernel::hints::Hints::of(kernel);
    hints.params.iter().map(|p| p.compared_with_index.contains(&true)).collect()
}

/// How many conditions on areas are tried before those from indices.
const AREAS: usize = 12;

/// How many strides, sizes and limits of a kernel are looked at.
const STRIDES: usize = 3;
const SIZES: usize = 3;
const LIMITS: usize = 4;

/// The condition that a product fits an `int`.
fn area(p: Tree, q: Tree) -> Tree {
    p.times(q).at_most(Tree::Const(i32::MAX.into()))
}

/// Whether a condition only gives a size, or a product of sizes, a large upper bound so that nothing overflows, or
/// excludes sizes that are zero or negative.
fn is_of_size(tree: &Tree) -> bool {
    if let Tree::Binary(Operator::Ge, a, b) = tree
        && matches!((&**a, &**b), (Tree::Param(_), Tree::Const(0 | 1)))
    {
        return true;
    }
    let size = |t: &Tree| matches!(t, Tree::Param(_) | Tree::Binary(Operator::Mul, ..));
    let large = |t: &Tree| matches!(t, Tree::Const(c) if *c >= NO_WRAP);
    matches!(tree, Tree::Binary(Operator::Le, a, b) if size(a) && large(b))
}

fn not_negative(p: Tree) -> Tree {
    p.at_least(Tree::Const(0))
}

/// Scalar parameters without a given value that are not offsets.
fn free_scalars(kernel: &Kernel, given: &Assumptions, summands: &[usize]) -> Vec<usize> {
    kernel
        .params
        .iter()
        .enumerate()
        .filter(|(i, p)| {
            matches!(p.kind, ParamKind::Scalar { ty, count: 1 } if ty.is_int() && ty.bits() > 1)
                && !given.scalars.iter().any(|(q, _)| q == i)
                && !summands.contains(i)
        })
        .map(|(i, _)| i)
        .collect()
}

/// Comparisons and divisibility between parameters, dimensions and constants of the kernel.
fn scalar_conditions(kernel: &Kernel, given: &Assumptions, summands: &[usize]) -> Vec<Tree> {
    let mut out = Vec::new();
    let free = free_scalars(kernel, given, summands);
    let guards = guards(kernel);
    let mut dims: Vec<Tree> = Vec::new();
    for a in 0..2u8 {
        let used = kernel.insts().any(|i| i.op == Op::Special(Special::ThreadId(a)));
        if used {
            dims.push(Tree::BlockDim(a).times(Tree::GridDim(a)));
            dims.push(Tree::BlockDim(a));
        }
    }
    for &p in &free {
        out.push(Tree::binary(Operator::Gt, Tree::Param(p), Tree::Const(0)));
        let dims = dims.iter().filter(|_| !guards[p]);
        out.extend(dims.map(|d| Tree::Param(p).at_least(d.clone())));
        out.push(no_wrap(p));
        let others = free.iter().filter(|q| **q != p);
        out.extend(others.map(|q| Tree::Param(p).at_least(Tree::Param(*q))));
        for c in constants(kernel) {
            let rest = Tree::binary(Operator::Rem, Tree::Param(p), Tree::Const(c));
            out.push(Tree::binary(Operator::Eq, rest, Tree::Const(0)));
        }
    }
    out
}

/// Powers of two that occur as constants in the kernel.
fn constants(kernel: &Kernel) -> Vec<i64> {
    let mut out: Vec<i64> = Vec::new();
    for inst in kernel.insts() {
        if let Op::Int { .. } | Op::Cmp { .. } = inst.op {
            inst.op.for_each_operand(|o| {
                if let Operand::Imm(v) = o
                    && v > 1
                    && v <= 1024
                    && v.is_power_of_two()
                    && !out.contains(&(v as i64))
                {
                    out.push(v as i64);
                }
            });
        }
    }
    out.sort_unstable();
    out.truncate(2);
    out
}

impl Pairs<'_, '_> {
    /// Determines the roles of scalar parameters in the indices.
    pub(crate) fn shape(&mut self) -> Shape {
        let mut offsets: Vec<(Base, T)> = Vec::new();
        let mut written: Vec<Base> = Vec::new();
        for i in 0..self.exec.accesses.len() {
            for c in self.cases_of(i) {
                if let Place::At(base, o) = c.place {
                    offsets.push((base, o));
                    if self.exec.accesses[i].mode.writes() {
                        written.push(base);
                    }
                }
            }
        }
        let mut shape = Shape { extents: self.extents(&written), ..Shape::default() };
        let mut seen = FxHashSet::default();
        for (base, offset) in offsets {
            self.walk_sum(offset, written.contains(&base), &mut shape, &mut seen);
        }
        for l in &self.exec.loops {
            let parts = reachable(&self.exec.ctx.pool, &[l.stay]);
            shape.areas.extend(parts.iter().filter_map(|&t| self.area(t)));
            shape.limits.extend(parts.into_iter().filter_map(|t| self.scalar(t)));
        }
        for list in [&mut shape.summands, &mut shape.factors, &mut shape.limits] {
            list.sort_unstable();
            list.dedup();
        }
        // A condition on the longest product also covers its prefixes.
        let areas = std::mem::take(&mut shape.areas);
        let inside = |a: &Vec<usize>| areas.iter().any(|b| b.len() > a.len() && b.starts_with(a));
        shape.areas = areas.iter().filter(|a| !inside(a)).cloned().collect();
        shape.areas.sort();
        shape.areas.dedup();
        // `(y + 1) * pitch` adds the pitch as it is.
        let Shape { summands, factors, .. } = &mut shape;
        summands.retain(|p| !factors.contains(p));
        shape
    }

    /// The conditions that the indices of written arrays need.
    fn extents(&mut self, written: &[Base]) -> Vec<Vec<Tree>> {
        let guards = guards(self.exec.ctx.kernel);
        let mut out: Vec<Vec<Tree>> = Vec::new();
        for i in 0..self.exec.accesses.len() {
            let (mut conditions, bytes) = (Vec::new(), self.exec.accesses[i].size);
            self.exec.condition(self.exec.accesses[i].block, &mut conditions);
            for c in self.cases_of(i) {
                let Place::At(base, offset) = c.place else { continue };
                if !written.contains(&base) {
                    continue;
                }
                let access = Access { offset, bytes, conditions: &conditions };
                let list = crate::condition::array_sizes::of(self.exec.ctx, &access, &guards);
                out.extend(list.filter(|list| !out.contains(list)));
            }
        }
        out
    }

    fn walk_sum(&self, t: T, written: bool, shape: &mut Shape, seen: &mut FxHashSet<(T, bool)>) {
        if !seen.insert((t, written)) {
            return;
        }
        let pool = &self.exec.ctx.pool;
        match pool.node(t) {
            Node::Var(_) => shape.summands.extend(self.scalar(t)),
            Node::Lin(_, terms) => {
                for &(a, _) in terms {
                    self.walk_sum(a, written, shape, seen);
                }
            }
            &Node::ZExt(a) | &Node::SExt(a) | &Node::Trunc(a) => {
                self.walk_sum(a, written, shape, seen);
            }
            &Node::Ite(_, a, b) => {
                self.walk_sum(a, written, shape, seen);
                self.walk_sum(b, written, shape, seen);
            }
            Node::Bin(Bin::Mul, ..) if written => {
                let mut work = vec![t];
                while let Some(t) = work.pop() {
                    match *pool.node(t) {
                        Node::Bin(Bin::Mul, a, b) => work.extend([a, b]),
                        Node::ZExt(a) | Node::SExt(a) | Node::Trunc(a) => work.push(a),
                        _ => shape.factors.extend(self.scalar(t)),
                    }
                }
            }
            _ => {}
        }
    }

    /// The parameters that a product consists of, in order.
    fn area(&self, t: T) -> Option<Vec<usize>> {
        let Node::Bin(Bin::Mul, a, b) = *self.exec.ctx.pool.node(t) else { return None };
        let part = |t: T| self.scalar(t).map(|p| vec![p]).or_else(|| self.area(t));
        let (a, b) = (part(a)?, part(b)?);
        Some(if a.len() >= b.len() { [a, b].concat() } else { [b, a].concat() })
    }

    /// The scalar parameter, if the term is one.
    fn scalar(&self, t: T) -> Option<usize> {
        let Node::Var(v) = *self.exec.ctx.pool.node(t) else { return None };
        match self.exec.ctx.vars[v.0 as usize].0 {
            VarKind::Param(p, _) => Some(p),
            _ => None,
        }
    }
}
