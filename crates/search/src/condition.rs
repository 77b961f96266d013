//! The condition under which a bug shows: `stride < cols`, `n > 128`, `a == b`.
//!
//! Between the odd value that shows the bug and the ordinary one that does not,
//! the boundary is searched by halving, and then named: if it equals another
//! argument or a dimension of the launch, that is checked with another value of
//! it, so that `stride < 64` becomes `stride < cols` only where it moves with
//! `cols`. The condition describes the launches tried: it is what to look at, not
//! a proof.

use crate::candidate::{Candidate, Gene};
use crate::driver::Driver;
use crate::settle::Shrinker;
use crate::space::Oddity;

/// What naming a condition may cost, in launches: what was left for shrinking is not needed any more.
const TRIES: usize = 24;

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

/// The condition without looking for its boundary.
pub(crate) fn values(driver: &Driver, c: &Candidate, odd: &[Oddity]) -> String {
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
    let arrays = &driver.lab.space.arrays;
    c.equal.map_or(String::new(), |(a, b)| format!("{} == {}", arrays[a].name, arrays[b].name))
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

/// What holds between the value that shows the bug and one that does not.
fn between(shrinker: &mut Shrinker, c: &Candidate, i: usize, p: i64) -> String {
    let space = shrinker.driver.lab.space;
    let name = space.slots[i].name.clone();
    let v = space.clamp(i, c.int(i));
    if v == p {
        return format!("{name} == {v}");
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
    if alone {
        return format!("{name} == {v}");
    }
    let bound = if below { clean } else { shows };
    let text = named(shrinker, c, i, bound, below).unwrap_or_else(|| bound.to_string());
    if below { format!("{name} < {text}") } else { format!("{name} >= {text}") }
}

/// Another argument, or a dimension, that the boundary follows.
fn named(
    shrinker: &mut Shrinker,
    c: &Candidate,
    slot: usize,
    bound: i64,
    below: bool,
) -> Option<String> {
    let space = shrinker.driver.lab.space;
    let follows = |shrinker: &mut Shrinker, moved: &Candidate, bound: i64| {
        let (shows, clean) = if below { (bound - 1, bound) } else { (bound, bound - 1) };
        shrinker.run(&with(moved, slot, shows)).is_some()
            && shrinker.run(&with(moved, slot, clean)).is_none()
    };
    for o in 0..space.slots.len() {
        let is_int = !space.slots[o].ty.is_float();
        if o != slot && is_int && bound > 2 && c.int(o) == bound {
            let half = bound / 2 + 1;
            if follows(shrinker, &with(c, o, half), half) {
                return Some(space.slots[o].name.clone());
            }
        }
    }
    let free = space.free_block();
    for a in 0..3 {
        let name = axis_name(a);
        if c.along(a) == bound && c.grid[a] > 1 {
            return Some(format!("gridDim.{name} * blockDim.{name}"));
        }
        if c.block[a] as i64 == bound && bound > 2 && free[a] {
            let mut moved = c.clone();
            moved.block[a] = (bound / 2) as u32;
            if follows(shrinker, &moved, bound / 2) {
                return Some(format!("blockDim.{name}"));
            }
        }
    }
    // One more than the number of threads is what "beyond the grid" means.
    let beyond = (0..3).find(|&a| !below && c.along(a) + 1 == bound);
    beyond.map(|a| format!("gridDim.{0} * blockDim.{0} + 1", axis_name(a)))
}
