//! The condition under which a bug shows: `stride < cols`, `n > 128`, `a == b`.
//!
//! Between the odd value that shows the bug and the ordinary one that does not,
//! the boundary is searched by halving, and then named: if it equals another
//! argument or a dimension of the launch, that is checked with another value of
//! it, so that `stride < 64` becomes `stride < cols` only where it moves with
//! `cols`. Then it is tried on both sides ([`exact`]): what is not true of all
//! launches tried is only an example.

mod exact;
mod forms;

pub(crate) use exact::settled;

use lockstep_finding::launch::Expr;
use lockstep_finding::{Claim, Statement, When};

use crate::explore::driver::Driver;
use crate::shrink::Shrinker;
use crate::space::candidate::{Candidate, Gene};
use crate::space::{Oddity, Space};

/// What naming a condition may cost, in launches: what was left for shrinking is not needed any more.
const TRIES: usize = 40;
/// Bytes of an element: a pitch is so many times a width.
const BYTES: [i64; 4] = [4, 2, 8, 16];

/// What a text of an example begins with.
pub(crate) const EXAMPLE: &str = "for example ";

/// A condition that is still made as a text, as data.
pub(crate) fn when(text: String) -> When {
    let is_example = text.starts_with(EXAMPLE);
    let text = text.trim_start_matches(EXAMPLE).to_owned();
    let claim = match Expr::parse(&text) {
        Ok(expr) => Claim::Holds(expr),
        Err(_) => Claim::Stated(Statement::Sentence(text)),
    };
    When { claim, is_example }
}

pub(crate) fn describe(shrinker: &mut Shrinker, c: &Candidate, odd: &[Oddity]) -> String {
    shrinker.tries = shrinker.tries.max(TRIES);
    let space = shrinker.driver.lab.space;
    let parts = odd.iter().map(|o| match *o {
        Oddity::Slot(i) => slot(shrinker, c, i),
        Oddity::Block => block(c, space.plain().block),
        Oddity::Equal => equal(shrinker.driver, c),
    });
    let parts: Vec<String> = parts.collect();
    parts.join(" && ")
}

/// The condition without looking for its boundary, which is none but an example.
pub(crate) fn example(driver: &Driver, c: &Candidate, odd: &[Oddity]) -> String {
    let values = values(driver, c, odd);
    match odd.iter().all(|o| *o == Oddity::Equal) {
        true => values,
        false => format!("{EXAMPLE}{values}"),
    }
}

fn values(driver: &Driver, c: &Candidate, odd: &[Oddity]) -> String {
    let space = driver.lab.space;
    let parts = odd.iter().map(|o| match *o {
        Oddity::Slot(i) => format!("{} == {}", space.slots[i].name, space.clamp(i, c.int(i))),
        Oddity::Block => block(c, space.plain().block),
        Oddity::Equal => equal(driver, c),
    });
    let parts: Vec<String> = parts.filter(|p| !p.is_empty()).collect();
    if parts.is_empty() { "the values of this launch are given".into() } else { parts.join(" && ") }
}

fn equal(driver: &Driver, c: &Candidate) -> String {
    let space = driver.lab.space;
    let name = |a: usize| &space.kernel.params[space.arrays[a].param].name;
    c.equal.map_or(String::new(), |(a, b)| format!("{} == {}", name(a), name(b)))
}

/// Along which axes the block is not the plain one.
pub(crate) fn block(c: &Candidate, plain: [u32; 3]) -> String {
    let axes = (0..3).filter(|&a| c.block[a] != plain[a]);
    let parts: Vec<String> =
        axes.map(|a| format!("blockDim.{} == {}", axis_name(a), c.block[a])).collect();
    parts.join(" && ")
}

fn axis_name(axis: usize) -> char {
    ['x', 'y', 'z'][axis]
}

pub(crate) fn with(c: &Candidate, slot: usize, v: i64) -> Candidate {
    let mut c = c.clone();
    c.genes[slot] = Gene::Int(v);
    c
}

/// A bug that another value of a slot, otherwise ordinary, does not have.
pub(crate) fn below(shrinker: &mut Shrinker, c: &Candidate, i: usize, clean: i64) -> String {
    shrinker.tries = shrinker.tries.max(TRIES);
    between(shrinker, c, i, clean)
}

fn slot(shrinker: &mut Shrinker, c: &Candidate, i: usize) -> String {
    let space = shrinker.driver.lab.space;
    let mut ordinary = c.clone();
    ordinary.genes[i] = space.plain_gene(i);
    let p = space.clamp(i, ordinary.int(i));
    between(shrinker, c, i, p)
}

/// The same where the boundary is another argument, or a product of two: how these hang together, the caller knows.
pub(crate) fn below_another(
    shrinker: &mut Shrinker,
    c: &Candidate,
    i: usize,
    clean: i64,
) -> Option<String> {
    shrinker.tries = shrinker.tries.max(TRIES);
    match boundary(shrinker, c, i, clean) {
        Boundary::Alone(_) => None,
        Boundary::At { bound, below } => {
            let quantity = named(shrinker, c, i, bound, below).filter(|q| q.of_arguments)?;
            Some(compare(&shrinker.driver.lab.space.slots[i].name, below, &quantity.name))
        }
    }
}

enum Boundary {
    /// Only this value shows the bug.
    Alone(i64),
    /// Those below this show it, or those from it on.
    At { bound: i64, below: bool },
}

fn compare(name: &str, below: bool, bound: &str) -> String {
    if below { format!("{name} < {bound}") } else { format!("{name} >= {bound}") }
}

/// What holds between the value that shows the bug and one that does not.
fn between(shrinker: &mut Shrinker, c: &Candidate, i: usize, p: i64) -> String {
    let name = shrinker.driver.lab.space.slots[i].name.clone();
    match boundary(shrinker, c, i, p) {
        Boundary::Alone(v) => format!("{name} == {v}"),
        Boundary::At { bound, below } => {
            let quantity = named(shrinker, c, i, bound, below);
            compare(&name, below, &quantity.map_or_else(|| bound.to_string(), |q| q.name))
        }
    }
}

fn boundary(shrinker: &mut Shrinker, c: &Candidate, i: usize, p: i64) -> Boundary {
    let v = shrinker.driver.lab.space.clamp(i, c.int(i));
    if v == p {
        return Boundary::Alone(v);
    }
    let below = v < p;
    // `shows` has the bug, `clean` has not.
    let (mut shows, mut clean) = (v, p);
    while (clean - shows).abs() > 1 {
        let middle = shows + (clean - shows) / 2;
        match shrinker.run(&with(c, i, middle)) {
            Some(_) => shows = middle,
            None => clean = middle,
        }
    }
    let beyond = if below { v - 1 } else { v + 1 };
    let alone = shows == v && shrinker.run(&with(c, i, beyond)).is_none();
    match alone {
        true => Boundary::Alone(v),
        false => Boundary::At { bound: if below { clean } else { shows }, below },
    }
}

/// Another argument, or a dimension, that the boundary follows.
fn named(
    shrinker: &mut Shrinker,
    c: &Candidate,
    slot: usize,
    bound: i64,
    below: bool,
) -> Option<Quantity> {
    // What is one or nothing is so for many reasons.
    if bound < 2 {
        return None;
    }
    quantities(shrinker.driver.lab.space, c, slot, bound, below).into_iter().find(|q| {
        let (shows, clean) = if below { (q.value - 1, q.value) } else { (q.value, q.value - 1) };
        shrinker.run(&with(&q.moved, slot, shows)).is_some()
            && shrinker.run(&with(&q.moved, slot, clean)).is_none()
            && shrinker.tries > 0
    })
}

/// What has the value of a boundary in one launch, and its value in another launch.
struct Quantity {
    name: String,
    moved: Candidate,
    value: i64,
    of_arguments: bool,
}

/// Arguments, products of two, a few bytes for each of an argument, dimensions, and threads along an axis that are as many
/// as a boundary says, the likeliest first.
fn quantities(space: &Space, c: &Candidate, slot: usize, bound: i64, below: bool) -> Vec<Quantity> {
    let (blocks, threads) = (space.free_grid(), space.free_block());
    // Arguments that are as many as there are threads stay what they are.
    let mut fixed = c.clone();
    for i in (0..space.slots.len()).filter(|&i| !space.slots[i].ty.is_float()) {
        fixed.genes[i] = Gene::Int(space.clamp(i, c.int(i)));
    }
    let c = &fixed;
    let mut out = Vec::new();
    let others: Vec<usize> = (0..space.slots.len())
        .filter(|&o| o != slot && !space.slots[o].ty.is_float() && c.int(o) > 0)
        .collect();
    let most = space.plain().block;
    let block =
        std::array::from_fn(|a| if threads[a] { most[a].max(c.block[a]) } else { c.block[a] });
    // An argument times what stays as it is; there are threads for all of it, at the latest in the second launch.
    let mut add = |name: String, o: usize, times: i64| {
        let n = c.int(o);
        let n = if n > 2 { n / 2 + 1 } else { 2 * n + 1 };
        let moved = with(c, o, n);
        let wide = Candidate { block, ..moved.clone() };
        let moved = if wide == moved { vec![moved] } else { vec![moved, wide] };
        let quantity =
            |moved| Quantity { name: name.clone(), moved, value: n * times, of_arguments: true };
        out.extend(moved.into_iter().map(quantity));
    };
    let name = |o: usize| &space.slots[o].name;
    for &o in others.iter().filter(|&&o| c.int(o) == bound) {
        add(name(o).clone(), o, 1);
    }
    for (i, &p) in others.iter().enumerate() {
        for &q in others[i + 1..].iter().filter(|&&q| c.int(p).saturating_mul(c.int(q)) == bound) {
            if c.int(p) > 1 && c.int(q) > 1 {
                add(format!("{} * {}", name(p), name(q)), q, c.int(p));
            }
        }
    }
    for times in BYTES {
        for &o in others.iter().filter(|&&o| c.int(o).saturating_mul(times) == bound) {
            add(format!("{times} * {}", name(o)), o, times);
        }
    }
    for a in 0..3 {
        let axis = axis_name(a);
        let mut add = |name: String, moved: Candidate, value: i64| {
            out.push(Quantity { name, moved, value, of_arguments: false });
        };
        // More blocks or threads than there were, so that the boundary is not beyond them for another reason.
        let mut wider = c.clone();
        if blocks[a] && c.grid[a] > 1 {
            wider.grid[a] = 2 * c.grid[a] + 1;
            if i64::from(c.grid[a]) == bound {
                add(format!("gridDim.{axis}"), wider.clone(), i64::from(wider.grid[a]));
            }
        }
        if threads[a] && i64::from(c.block[a]) == bound && bound > 2 {
            let mut moved = c.clone();
            moved.block[a] = (bound / 2) as u32;
            add(format!("blockDim.{axis}"), moved, bound / 2);
        }
        let all = format!("gridDim.{axis} * blockDim.{axis}");
        if blocks[a] && c.grid[a] > 1 && c.along(a) == bound {
            add(all.clone(), wider.clone(), wider.along(a));
        }
        // One more than the number of threads is what "beyond the grid" means.
        if blocks[a] && !below && c.along(a) + 1 == bound {
            wider.grid[a] = 2 * c.grid[a] + 1;
            add(format!("{all} + 1"), wider.clone(), wider.along(a) + 1);
        }
    }
    out
}
