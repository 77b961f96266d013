//! The boundary at which a bug starts or stops showing: `stride < cols`, `n > 128`.
//!
//! Between the odd value that shows the bug and the ordinary one that does not, the boundary is found by bisection, and
//! then named: if it equals another argument or a dimension of the launch, this is checked with another value of it, so
//! that `stride < 64` becomes `stride < cols` only if the boundary moves with `cols`.

use lockstep_finding::launch::{Dimension, Expr, Operator};
use lockstep_finding::{Claim, Statement, When};

use super::{all_threads, block_is, with};
use crate::explore::inquiry::Inquiry;
use crate::space::Space;
use crate::space::candidate::{Candidate, Gene};
use crate::space::ordinary::Oddity;

/// Maximum number of launches for naming a condition: the launches left for shrinking are not needed any more.
const TRIES: usize = 40;
/// Element sizes in bytes: a pitch may be a width times one of these.
const BYTES: [i64; 4] = [4, 2, 8, 16];

/// A condition on the odd values of a launch that shows a bug.
pub(crate) fn describe(inquiry: &mut Inquiry, c: &Candidate, odd: &[Oddity]) -> Claim {
    inquiry.tries = inquiry.tries.max(TRIES);
    let space = inquiry.driver.lab.space;
    let parts = odd.iter().map(|o| match *o {
        Oddity::Slot(i) => slot(inquiry, c, i),
        Oddity::Block => block_is(c, space.plain().block),
        Oddity::Equal => equal(space, c),
    });
    let parts: Vec<Claim> = parts.collect();
    Claim::all(parts)
}

/// The odd values of a launch, without searching for boundaries: only an example.
pub(crate) fn example(space: &Space, c: &Candidate, odd: &[Oddity]) -> When {
    let value = |i: usize| {
        let v = Expr::int(space.clamp(i, c.int(i)));
        Claim::compare(Expr::name(&space.slots[i].name), Operator::Eq, v)
    };
    let parts = odd.iter().map(|o| match *o {
        Oddity::Slot(i) => value(i),
        Oddity::Block => block_is(c, space.plain().block),
        Oddity::Equal => equal(space, c),
    });
    let claim = match Claim::all(parts) {
        Claim::All(parts) if parts.is_empty() => Statement::ValuesOfThisLaunch.into(),
        claim => claim,
    };
    match odd.iter().all(|o| *o == Oddity::Equal) {
        true => When::exactly(claim),
        false => When::for_example(claim),
    }
}

/// The claim that two pointers are equal.
fn equal(space: &Space, c: &Candidate) -> Claim {
    let name = |a: usize| Expr::name(&space.kernel.params[space.arrays[a].param].name);
    Claim::all(c.equal.map(|(a, b)| Claim::compare(name(a), Operator::Eq, name(b))))
}

/// A condition for a bug that does not show for another value of a slot.
pub(crate) fn below(inquiry: &mut Inquiry, c: &Candidate, i: usize, clean: i64) -> Claim {
    inquiry.tries = inquiry.tries.max(TRIES);
    between(inquiry, c, i, clean)
}

fn slot(inquiry: &mut Inquiry, c: &Candidate, i: usize) -> Claim {
    let space = inquiry.driver.lab.space;
    let mut ordinary = c.clone();
    ordinary.genes[i] = space.plain_gene(i);
    let p = space.clamp(i, ordinary.int(i));
    between(inquiry, c, i, p)
}

/// The same where the boundary is another argument, or a product of two: the caller knows how these depend on each
/// other.
pub(crate) fn below_another(
    inquiry: &mut Inquiry,
    c: &Candidate,
    i: usize,
    clean: i64,
) -> Option<Claim> {
    inquiry.tries = inquiry.tries.max(TRIES);
    match boundary(inquiry, c, i, clean) {
        Boundary::Alone(_) => None,
        Boundary::At { bound, below } => {
            let quantity = named(inquiry, c, i, bound, below).filter(|q| q.of_arguments)?;
            Some(compare(inquiry.driver.lab.space, i, below, quantity.name))
        }
    }
}

enum Boundary {
    /// Only this value shows the bug.
    Alone(i64),
    /// Values below this bound show it, or values from it on.
    At { bound: i64, below: bool },
}

fn compare(space: &Space, slot: usize, below: bool, bound: Expr) -> Claim {
    let op = if below { Operator::Lt } else { Operator::Ge };
    Claim::compare(Expr::name(&space.slots[slot].name), op, bound)
}

/// The condition between the value that shows the bug and one that does not.
fn between(inquiry: &mut Inquiry, c: &Candidate, i: usize, p: i64) -> Claim {
    let space = inquiry.driver.lab.space;
    match boundary(inquiry, c, i, p) {
        Boundary::Alone(v) => {
            Claim::compare(Expr::name(&space.slots[i].name), Operator::Eq, Expr::int(v))
        }
        Boundary::At { bound, below } => {
            let quantity = named(inquiry, c, i, bound, below);
            let bound = quantity.map_or_else(|| Expr::int(bound), |q| q.name);
            compare(space, i, below, bound)
        }
    }
}

fn boundary(inquiry: &mut Inquiry, c: &Candidate, i: usize, p: i64) -> Boundary {
    let v = inquiry.driver.lab.space.clamp(i, c.int(i));
    if v == p {
        return Boundary::Alone(v);
    }
    let below = v < p;
    // `shows` has the bug, `clean` does not.
    let (mut shows, mut clean) = (v, p);
    while (clean - shows).abs() > 1 {
        let middle = shows + (clean - shows) / 2;
        match inquiry.run(&with(c, i, middle)) {
            Some(_) => shows = middle,
            None => clean = middle,
        }
    }
    let beyond = if below { v - 1 } else { v + 1 };
    let alone = shows == v && inquiry.run(&with(c, i, beyond)).is_none();
    match alone {
        true => Boundary::Alone(v),
        false => Boundary::At { bound: if below { clean } else { shows }, below },
    }
}

/// Another argument, or a dimension, that the boundary is equal to and moves with.
fn named(
    inquiry: &mut Inquiry,
    c: &Candidate,
    slot: usize,
    bound: i64,
    below: bool,
) -> Option<Quantity> {
    // Small boundaries match too many quantities.
    if bound < 2 {
        return None;
    }
    quantities(inquiry.driver.lab.space, c, slot, bound, below).into_iter().find(|q| {
        let (shows, clean) = if below { (q.value - 1, q.value) } else { (q.value, q.value - 1) };
        inquiry.run(&with(&q.moved, slot, shows)).is_some()
            && inquiry.run(&with(&q.moved, slot, clean)).is_none()
            && inquiry.tries > 0
    })
}

/// A quantity that equals the boundary in one launch, and its value in another launch.
struct Quantity {
    name: Expr,
    moved: Candidate,
    value: i64,
    of_arguments: bool,
}

/// Arguments, products of two, multiples of an argument by an element size, dimensions, and threads along an axis that
/// equal a boundary, the likeliest first.
fn quantities(space: &Space, c: &Candidate, slot: usize, bound: i64, below: bool) -> Vec<Quantity> {
    let (blocks, threads) = (space.free_grid(), space.free_block());
    // Arguments equal to the number of threads keep their value.
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
    // An argument times a value that stays constant; at the latest the second launch has enough threads for all of it.
    let mut add = |name: Expr, o: usize, times: i64| {
        let n = c.int(o);
        let n = if n > 2 { n / 2 + 1 } else { 2 * n + 1 };
        let moved = with(c, o, n);
        let wide = Candidate { block, ..moved.clone() };
        let moved = if wide == moved { vec![moved] } else { vec![moved, wide] };
        let quantity =
            |moved| Quantity { name: name.clone(), moved, value: n * times, of_arguments: true };
        out.extend(moved.into_iter().map(quantity));
    };
    let name = |o: usize| Expr::name(&space.slots[o].name);
    let product = |a: Expr, b: Expr| Expr::binary(Operator::Mul, a, b);
    for &o in others.iter().filter(|&&o| c.int(o) == bound) {
        add(name(o), o, 1);
    }
    for (i, &p) in others.iter().enumerate() {
        for &q in others[i + 1..].iter().filter(|&&q| c.int(p).saturating_mul(c.int(q)) == bound) {
            if c.int(p) > 1 && c.int(q) > 1 {
                add(product(name(p), name(q)), q, c.int(p));
            }
        }
    }
    for times in BYTES {
        for &o in others.iter().filter(|&&o| c.int(o).saturating_mul(times) == bound) {
            add(product(Expr::int(times), name(o)), o, times);
        }
    }
    for a in 0..3 {
        let mut add = |name: Expr, moved: Candidate, value: i64| {
            out.push(Quantity { name, moved, value, of_arguments: false });
        };
        // More blocks or threads than before, so that no other limit is reached first.
        let mut wider = c.clone();
        if blocks[a] && c.grid[a] > 1 {
            wider.grid[a] = 2 * c.grid[a] + 1;
            if i64::from(c.grid[a]) == bound {
                add(Expr::name(Dimension::Grid(a)), wider.clone(), i64::from(wider.grid[a]));
            }
        }
        if threads[a] && i64::from(c.block[a]) == bound && bound > 2 {
            let mut moved = c.clone();
            moved.block[a] = (bound / 2) as u32;
            add(Expr::name(Dimension::Block(a)), moved, bound / 2);
        }
        let all = all_threads(a);
        if blocks[a] && c.grid[a] > 1 && c.along(a) == bound {
            add(all.clone(), wider.clone(), wider.along(a));
        }
        // One more than the number of threads is the first size beyond the grid.
        if blocks[a] && !below && c.along(a) + 1 == bound {
            wider.grid[a] = 2 * c.grid[a] + 1;
            add(Expr::binary(Operator::Add, all, Expr::int(1)), wider.clone(), wider.along(a) + 1);
        }
    }
    out
}
