//! Equivalence of launches of any number of threads: one thread (or one block) and one iteration of each loop stand for all.
//!
//! [`prove`] executes each side with one thread for all, or with one block for all ([`crate::execute::together`]), so that what it
//! leaves in an array is a few families of writes ([`crate::families`]); a loop of a reference that stores is a family, too. Then
//! the arrays are compared at a variable element: who wrote it, on either side, and what.
//!
//! **What is covered.** Kernels whose threads do not communicate: maps, transpositions, stencils, products of matrices with a thread
//! for each element, rows with a thread for each, grid-stride loops. Kernels whose threads communicate within their block, where each
//! block writes elements of its own: tiled products, a block for each row of a softmax or a sum. References, and kernels, whose loops
//! with stores carry nothing from one iteration to the next; loops without stores, such as a sum along a row, are executed for their
//! whole length, but only once.
//!
//! **How elements are matched.** The index of each write must be a number whose digits are the parameters of its family: row and
//! column, block and thread ([`crate::families`]). So for an element, quotients and remainders say which thread of the
//! kernel and which iteration of the reference wrote it, if anyone; digits of one side are put into the other side's terms, and
//! where both agree, `(i / 256) * 256 + i % 256` is `i` again. It is asked
//!
//! 1. that for every element of the array, written by the kernel or not, the reference writes it exactly if the kernel does;
//! 2. that both write the same value, where they do.
//!
//! The elements are taken along the digits of one of the sides, beyond its launch, too: an element that no thread of the launch has
//! is one that the reference must not write. Both questions are answered by linear arithmetic and by canonical forms, by cases where the
//! values are chosen by conditions, and by Z3 in the end.
//!
//! **Why it does not claim too much.** Threads stand for each other only where they do not meet in memory. An index that may wrap in
//! its 32 bits is no sum of its parts, so has no digits. Bounds of each access are shown. What an array held before is the same on
//! both sides, or nothing is compared. Values that nobody gave are compared with nothing. Whatever is not
//! decided here is not proved: [`prove`] then says nothing, and the launch is executed thread by thread.
//!
//! **What it can miss.** It never says that two sides differ: only executions do. Not covered are atomics, sums over blocks, scans,
//! scatter through index arrays, loops that carry values past their stores, arrays that several parameters share, and preconditions
//! in the source.

mod cases;

use rustc_hash::FxHashMap;

use lockstep_kernel::{Elem, ParamKind, Ty};
use lockstep_simulate::{BoundArg, BoundLaunch};

use crate::equal::assumptions::Assumptions;
use crate::equal::{Compared, Comparer};
use crate::execute::together::{Array, Contents, Left, Unit, is_alone};
use crate::execute::{Limits, Side, execute_together};
use crate::families::{Point, content, points};
use crate::linear::Linear;
use crate::solve::{Answer, Solver};
use crate::term::{Node, Pool, T};

/// Operations of one side, at most.
const STEPS: u64 = 30_000_000;

/// An array that is compared: a parameter of each side.
pub(crate) struct Pair {
    pub(crate) params: [usize; 2],
    pub(crate) ty: Ty,
}

/// What was proved, and at what expense.
pub(crate) struct Proved {
    pub(crate) assumptions: Assumptions,
    pub(crate) elements: u64,
    pub(crate) compared: u64,
    pub(crate) operations: u64,
}

/// The answer for one thread, or one block, that stands for all.
pub(crate) enum Outcome {
    Proved(Proved),
    /// Not shown to be the same; what both sides leave, where that is known.
    Open(Option<Box<[Left; 2]>>),
}

/// Whether both sides leave the same in all of these arrays, for all inputs.
pub(crate) fn prove(
    pool: &mut Pool,
    solver: &mut Solver,
    sides: &[Side; 2],
    pairs: &[Pair],
    allowed: Assumptions,
    limits: Limits,
) -> Outcome {
    let Some(contents) = contents(sides, solver_inputs(sides)) else { return Outcome::Open(None) };
    if sides.iter().any(|s| units(s).is_empty()) {
        return Outcome::Open(None);
    }
    let limits = Limits { steps: limits.steps.min(STEPS), ..limits };
    let mut first = None;
    for unit in units(&sides[0]) {
        let done = execute_together(pool, solver, &sides[0], limits, unit, &contents[0]);
        if let Ok(left) = done {
            first = Some(left);
            break;
        }
    }
    let Some(mut first) = first else { return Outcome::Open(None) };
    let mut open = None;
    for unit in units(&sides[1]) {
        let done = execute_together(pool, solver, &sides[1], limits, unit, &contents[1]);
        let Ok(mut second) = done else { continue };
        let mut out = Proved {
            assumptions: Assumptions::NONE,
            elements: 0,
            compared: 0,
            operations: first.steps + second.steps,
        };
        let mut is_proved = true;
        for pair in pairs {
            let known = same(pool, solver, [&mut first, &mut second], pair, allowed, &mut out);
            is_proved = is_proved && known.is_some();
        }
        if is_proved {
            return Outcome::Proved(out);
        }
        open = Some(second);
    }
    Outcome::Open(open.map(|second| Box::new([first, second])))
}

/// What an element of an array is, and who wrote it: the access, thread and block.
pub(crate) struct Element {
    pub(crate) value: T,
    pub(crate) writer: Option<(u32, [u32; 3], [u32; 3])>,
}

/// An element of an array after a side's launch.
pub(crate) fn element(
    pool: &mut Pool,
    left: &mut Left,
    param: usize,
    at: u64,
    ty: Ty,
) -> Option<Element> {
    let array = left.arrays.get_mut(param)?.as_mut()?;
    let mut lin = Linear::default();
    let index = pool.constant(Ty::I64, at);
    let initial = array.initial(pool, index, ty);
    let form = lin.form(pool, index);
    let found = content(pool, &mut lin, &mut array.layers, &form, initial)?;
    let value = lin.settled(pool, found.value);
    let value = pool.cast(lockstep_kernel::CastOp::Bit, value, ty);
    let writer = found.writers.first().map(|(_, place)| {
        let of = |axes: [T; 3]| axes.map(|t| pool.value(t).unwrap_or(0) as u32);
        (place.site, of(place.thread), of(place.block))
    });
    Some(Element { value, writer })
}

/// In which ways a side may be executed, the better ones first. One block alone stands for nobody.
fn units(side: &Side) -> Vec<Unit> {
    let mut out = Vec::new();
    if is_alone(side.kernel) {
        out.push(Unit::Thread);
    }
    if side.launch.grid != [1; 3] {
        out.push(Unit::Block);
    }
    out
}

/// The first number of an input that no parameter is.
fn solver_inputs(sides: &[Side; 2]) -> u32 {
    let all = sides.iter().flat_map(|s| s.inputs.iter().flatten());
    all.map(|(input, _)| input + 1).max().unwrap_or(0)
}

/// What each array of each side holds: the same input where it is the same, on both sides.
fn contents(sides: &[Side; 2], first_free: u32) -> Option<[Vec<Option<Contents>>; 2]> {
    let mut known: Vec<(&[u8], Ty)> = Vec::new();
    let mut out: [Vec<Option<Contents>>; 2] = Default::default();
    for (side, out) in sides.iter().zip(&mut out) {
        if is_shared(side.launch) {
            return None;
        }
        for (i, param) in side.kernel.params.iter().enumerate() {
            let made = match (param.kind, &side.launch.args[i], side.inputs[i]) {
                (ParamKind::Buffer { .. }, BoundArg::Buffer(_), Some((input, ty))) => {
                    Some(Contents::Input(input, ty))
                }
                (ParamKind::Buffer { elem, .. }, BoundArg::Buffer(bytes), None) => {
                    let bytes: &[u8] = bytes;
                    match (bytes.iter().all(|b| *b == 0), elem) {
                        (true, _) => Some(Contents::Zeros),
                        (false, Elem::Scalar(ty)) => {
                            let at = known.iter().position(|k| *k == (bytes, ty));
                            let at = at.unwrap_or_else(|| {
                                known.push((bytes, ty));
                                known.len() - 1
                            });
                            Some(Contents::Input(first_free + at as u32, ty))
                        }
                        (false, Elem::Bytes(_)) => return None,
                    }
                }
                _ => None,
            };
            out.push(made);
        }
    }
    Some(out)
}

/// Whether parameters share an array.
fn is_shared(launch: &BoundLaunch) -> bool {
    let shares = |a: &BoundArg| matches!(a, BoundArg::Alias { .. } | BoundArg::Variable { .. });
    launch.args.iter().any(shares)
}

/// Both sides leave the same in an array.
fn same(
    pool: &mut Pool,
    solver: &mut Solver,
    sides: [&mut Left; 2],
    pair: &Pair,
    allowed: Assumptions,
    out: &mut Proved,
) -> Option<()> {
    let [first, second] = sides;
    let a = first.arrays[pair.params[0]].as_mut()?;
    let b = second.arrays[pair.params[1]].as_mut()?;
    let length = a.agrees(b, pair.ty)?;
    if a.layers.is_empty() && b.layers.is_empty() {
        return Some(());
    }
    out.elements += length;
    // Along the kernel's digits, then along the reference's, then along nobody's.
    let mut tries: Vec<Option<Vec<Point>>> = Vec::new();
    for layers in [&mut b.layers, &mut a.layers] {
        if let [layer] = &mut layers[..] {
            tries.push(points(pool, Some(layer), length));
        }
    }
    tries.push(points(pool, None, length));
    for points in tries.into_iter().flatten() {
        let mut used = out.assumptions;
        let mut comparer = Comparer::brief();
        let all = points.iter().all(|point| {
            let known = at_point(pool, solver, &mut comparer, [a, b], pair, point, allowed);
            used = known.map_or(used, |with| used.with(with));
            known.is_some()
        });
        if all {
            out.assumptions = used;
            out.compared += points.len() as u64;
            return Some(());
        }
    }
    None
}

/// Both sides leave the same at some elements: the assumptions that this needs.
fn at_point(
    pool: &mut Pool,
    solver: &mut Solver,
    comparer: &mut Comparer,
    arrays: [&mut Array; 2],
    pair: &Pair,
    point: &Point,
    allowed: Assumptions,
) -> Option<Assumptions> {
    if solver.is_late() {
        return None;
    }
    let condition = solver.also(pool, point.condition);
    let mut lin = Linear::under(pool, condition);
    let index = lin.term(pool, &point.index)?;
    let mut found = Vec::new();
    for array in arrays {
        let initial = array.initial(pool, index, pair.ty);
        let own = content(pool, &mut lin, &mut array.layers, &point.index, initial)?;
        let ty = pool.ty(own.value);
        let value = pool.cast(lockstep_kernel::CastOp::Bit, own.value, pair.ty);
        (ty.bytes() == pair.ty.bytes()).then_some(())?;
        found.push((own.written, value));
    }
    let [(by_first, first), (by_second, second)] = found[..] else { return None };
    for (one, other) in [(by_first, by_second), (by_second, by_first)] {
        for one in alternatives(pool, one) {
            follows(pool, solver, condition, one, other)?;
        }
    }
    let both = pool.and(condition, by_second);
    let mut lin = Linear::under(pool, both);
    let [first, second] = [first, second].map(|t| lin.settled(pool, t));
    if first == second {
        return Some(Assumptions::NONE);
    }
    cases::equal(pool, solver, comparer, both, [first, second], allowed)
}

/// Conditions of which one holds where a condition does.
fn alternatives(pool: &mut Pool, condition: T) -> Vec<T> {
    match *pool.node(condition) {
        Node::Not(none) => pool.conjuncts(none).into_iter().map(|t| pool.not(t)).collect(),
        _ => vec![condition],
    }
}

/// Where both of the first hold, so does the last.
fn follows(pool: &mut Pool, solver: &mut Solver, given: T, holds: T, then: T) -> Option<()> {
    let both = pool.and(given, holds);
    if pool.is_false(both) {
        return Some(());
    }
    let mut lin = Linear::under(pool, both);
    if lin.decide(pool, holds) == Some(false) || lin.decide(pool, then) == Some(true) {
        return Some(());
    }
    let not = pool.not(then);
    let fails = pool.and(both, not);
    matches!(solver.can(pool, fails), Answer::Never).then_some(())
}
