//! Hidden assumptions: simple conditions under which a kernel that raises alarms is proved after all.
//!
//! Most kernels are free of races only for some dimensions and parameters and say so nowhere: a one-dimensional block,
//! a stride at least the width, fewer threads than an `int` counts. A catalogue of such conditions is tried, weakest
//! first, each by proving the kernel again under it. One that proves it and that ordinary launches satisfy is named in
//! the verdict, and the alarms become conditional on its opposite.
//!
//! No condition is put on a parameter that is a plain summand of an index: every value of an offset is as ordinary as
//! any other, so a race for some of them is a race. Strides, widths and sizes are another matter.
//!
//! A condition is only looked for where no alarm rests on anything but dimensions and scalar parameters: a value from
//! memory cannot be assumed away. Every condition is a fact of the new proof like any other, so this adds nothing to
//! what must be trusted.

use lockstep_kernel::{Kernel, Op, Operand, ParamKind, Special};

use crate::assume::{AssumeExpr, Operator, Tree};
use crate::context::Hints;
use crate::{Assumptions, DimSpec};

/// One condition: its text, and the launches it leaves.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) texts: Vec<String>,
    pub(crate) assumptions: Assumptions,
    pub(crate) hints: Hints,
}

/// How many conditions are tried.
const TRIES: usize = 60;

/// The catalogue for this kernel, simplest first.
pub(crate) fn catalogue(
    kernel: &Kernel,
    given: &Assumptions,
    summands: &[usize],
) -> Vec<Condition> {
    let mut out = Vec::new();
    let base = Condition { texts: Vec::new(), assumptions: given.clone(), hints: Hints::default() };
    let flat = flattened(kernel, &base);
    if !flat.texts.is_empty() {
        out.push(flat.clone());
    }
    let mut counted = flat.clone();
    let any = |d: &[DimSpec; 3]| d.contains(&DimSpec::Any);
    if any(&given.grid) {
        counted.hints.small_grid = true;
        for axis in 0..3usize {
            let most = |d: DimSpec, any: u64| match d {
                DimSpec::Exactly(n) => u64::from(n),
                DimSpec::Any => any,
            };
            let grid =
                most(counted.assumptions.grid[axis], if axis == 0 { 1 << 31 } else { 65535 });
            if grid * most(counted.assumptions.block[axis], 1 << 13) > 1 << 30 {
                let a = ["x", "y", "z"][axis];
                counted.texts.push(format!("gridDim.{a} * blockDim.{a} <= 1073741824"));
            }
        }
        out.push(counted.clone());
    }
    for list in area_conditions(kernel, given, summands) {
        let mut c = counted.clone();
        for (text, tree) in list {
            c.texts.push(text.clone());
            c.assumptions.exprs.push(AssumeExpr { text, tree });
        }
        out.push(c);
    }
    for (text, tree) in scalar_conditions(kernel, given, summands) {
        for start in [&flat, &counted] {
            let mut c = start.clone();
            c.texts.push(text.clone());
            c.assumptions.exprs.push(AssumeExpr { text: text.clone(), tree: tree.clone() });
            out.push(c);
            if !any(&given.grid) {
                break;
            }
        }
    }
    out.truncate(TRIES);
    out
}

/// One thread, or one block, along every axis whose index the kernel never reads.
fn flattened(kernel: &Kernel, base: &Condition) -> Condition {
    let mut c = base.clone();
    let reads = |s: Special| kernel.insts().any(|i| i.op == Op::Special(s));
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        let a = axis as u8;
        if c.assumptions.block[axis] == DimSpec::Any && !reads(Special::ThreadId(a)) {
            c.assumptions.block[axis] = DimSpec::Exactly(1);
            c.texts.push(format!("blockDim.{name} == 1"));
        }
        if c.assumptions.grid[axis] == DimSpec::Any && !reads(Special::BlockId(a)) {
            c.assumptions.grid[axis] = DimSpec::Exactly(1);
            c.texts.push(format!("gridDim.{name} == 1"));
        }
    }
    c
}

/// No index computed from rows and columns overflows an `int`: products of sizes, and of a size and a stride.
fn area_conditions(
    kernel: &Kernel,
    given: &Assumptions,
    summands: &[usize],
) -> Vec<Vec<(String, Tree)>> {
    let mut free = free_scalars(kernel, given, summands);
    free.truncate(4);
    let binary = |op, a: Tree, b: Tree| Tree::Binary(op, Box::new(a), Box::new(b));
    let name = |p: usize| kernel.params[p].name.as_str();
    let area = |p: usize, q: usize| {
        let limit = i64::from(i32::MAX);
        let product = binary(Operator::Mul, Tree::Param(p), Tree::Param(q));
        let text = format!("{} * {} <= {limit}", name(p), name(q));
        (text, binary(Operator::Le, product, Tree::Const(limit)))
    };
    let mut out = Vec::new();
    for (i, &p) in free.iter().enumerate() {
        for &q in &free[i + 1..] {
            out.push(vec![area(p, q)]);
        }
    }
    out.extend(free.iter().map(|&p| vec![area(p, p)]));
    // A stride at least the width.
    for &s in &free {
        for &w in free.iter().filter(|&&w| w != s) {
            for &h in free.iter().filter(|&&h| h != s) {
                let at_least = binary(Operator::Ge, Tree::Param(s), Tree::Param(w));
                out.push(vec![(format!("{} >= {}", name(s), name(w)), at_least), area(h, s)]);
            }
        }
    }
    out
}

/// Scalar parameters that have no value yet and are no offsets.
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
fn scalar_conditions(
    kernel: &Kernel,
    given: &Assumptions,
    summands: &[usize],
) -> Vec<(String, Tree)> {
    let mut out = Vec::new();
    let free = free_scalars(kernel, given, summands);
    let binary = |op, a: Tree, b: Tree| Tree::Binary(op, Box::new(a), Box::new(b));
    let mut dims: Vec<(String, Tree)> = Vec::new();
    for (axis, name) in ["x", "y"].iter().enumerate() {
        let a = axis as u8;
        let used = kernel.insts().any(|i| i.op == Op::Special(Special::ThreadId(a)));
        if used {
            let all = binary(Operator::Mul, Tree::BlockDim(a), Tree::GridDim(a));
            dims.push((format!("blockDim.{name} * gridDim.{name}"), all));
            dims.push((format!("blockDim.{name}"), Tree::BlockDim(a)));
        }
    }
    for &p in &free {
        let name = &kernel.params[p].name;
        out.push((format!("{name} > 0"), binary(Operator::Gt, Tree::Param(p), Tree::Const(0))));
        for (text, tree) in &dims {
            let t = format!("{name} >= {text}");
            out.push((t, binary(Operator::Ge, Tree::Param(p), tree.clone())));
        }
        // So that no loop up to the parameter wraps.
        let limit = 1 << 30;
        out.push((
            format!("{name} <= {limit}"),
            binary(Operator::Le, Tree::Param(p), Tree::Const(limit)),
        ));
        for &q in &free {
            if q != p {
                let other = &kernel.params[q].name;
                let tree = binary(Operator::Ge, Tree::Param(p), Tree::Param(q));
                out.push((format!("{name} >= {other}"), tree));
            }
        }
        for c in constants(kernel) {
            let multiple = binary(Operator::Rem, Tree::Param(p), Tree::Const(c));
            out.push((
                format!("{name} % {c} == 0"),
                binary(Operator::Eq, multiple, Tree::Const(0)),
            ));
        }
    }
    out
}

/// Powers of two that the kernel computes with.
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
