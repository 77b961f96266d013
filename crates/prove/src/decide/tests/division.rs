//! Divisions, digits of several numbers and accesses of several bytes at small widths, also where a condition that a
//! rule needs is missing or a little too weak: the simplified conjunction is satisfiable exactly if the query is.

use crate::decide::tests::{Rng, Tally, nothing};
use crate::launch::context::{Ctx, Hints, VarKind};
use crate::term::{T, mask};

/// The position that a thread computes from its values, by the thread's tag.
type Place<'a> = &'a mut dyn FnMut(&mut Ctx, &mut Rng, u8, &mut Vec<T>) -> T;

/// An equation of the positions of two threads.
fn meeting(ctx: &mut Ctx, rng: &mut Rng, list: &mut Vec<T>, place: Place) {
    let (left, right) = (place(ctx, rng, 1, list), place(ctx, rng, 2, list));
    list.push(ctx.pool.eq(left, right));
}

/// The condition that the values of the two threads differ, in most rounds.
fn differ(ctx: &mut Ctx, rng: &mut Rng, numbers: &[(T, T)], list: &mut Vec<T>) {
    let mut same = ctx.pool.truth(true);
    for &(a, b) in numbers {
        let equal = ctx.pool.eq(a, b);
        same = ctx.pool.and(same, equal);
    }
    list.push(if rng.below(5) == 0 { same } else { ctx.pool.not(same) });
}

/// `a < b`, a slightly weaker condition, or none.
fn below(ctx: &mut Ctx, rng: &mut Rng, a: T, b: T, signed: bool, weak: bool, list: &mut Vec<T>) {
    let less = if signed { ctx.pool.slt(a, b) } else { ctx.pool.ult(a, b) };
    let most = if signed { ctx.pool.slt(b, a) } else { ctx.pool.ult(b, a) };
    match rng.below(if weak { 10 } else { 8 }) {
        8 => list.push(ctx.pool.not(most)),
        9 => {}
        _ => list.push(less),
    }
}

/// The condition that the product of sizes fits the width, or exceeds it a little.
fn fits(ctx: &mut Ctx, rng: &mut Rng, sizes: &[T], width: u32, weak: bool, list: &mut Vec<T>) {
    let top = mask(width) - rng.below(2) + if weak { rng.below(6) } else { 0 };
    let top = ctx.pool.constant(top, 16);
    let mut all = ctx.pool.constant(1, 16);
    for &t in sizes {
        let t = ctx.pool.zext(t, 16);
        all = ctx.pool.mul(all, t);
        list.push(ctx.pool.ule(all, top));
    }
}

pub(crate) fn divided_numbers_keep_their_models() -> Tally {
    let (module, assumptions) = nothing();
    let mut rng = Rng(0xd1f1);
    let mut tally = Tally::default();
    for round in 0..260u64 {
        let mut ctx = Ctx::new(&module.kernels[0], &assumptions, Hints::default());
        let ctx = &mut ctx;
        let (weak, signed) = (round % 3 != 0, rng.below(2) == 0);
        let width = 4 + rng.below(2) as u32;
        let mut list = Vec::new();
        // The outermost size may be negative.
        let [m, n] = [0, 1].map(|i| ctx.variable(VarKind::Param(i, 0), 0, 0, 3, width));
        let k = if rng.below(3) == 0 {
            let small = ctx.free(VarKind::Param(2, 0), 0, 3);
            ctx.pool.sext(small, width)
        } else {
            ctx.variable(VarKind::Param(2, 0), 0, 0, 2, width)
        };
        for size in [m, n, k] {
            let zero = ctx.pool.constant(0, width);
            below(ctx, &mut rng, zero, size, signed, weak, &mut list);
        }
        fits(ctx, &mut rng, &[k, n, m], width, weak, &mut list);
        let wrong = weak && rng.below(4) == 0;
        let form = rng.below(3);
        let number = |ctx: &mut Ctx, tag: u8| {
            let most = if width == 4 { 7 } else { 15 };
            ctx.variable(VarKind::Counter(0), tag, 0, most, width)
        };
        let mut place = |ctx: &mut Ctx, rng: &mut Rng, tag: u8, list: &mut Vec<T>| {
            let x = number(ctx, tag);
            let plane = ctx.pool.mul(m, n);
            let all = ctx.pool.mul(plane, k);
            below(ctx, rng, x, all, signed, weak, list);
            let div = |ctx: &mut Ctx, a: T, b: T| {
                if signed { ctx.pool.sdiv(a, b) } else { ctx.pool.udiv(a, b) }
            };
            let rem = |ctx: &mut Ctx, a: T, b: T| {
                if signed { ctx.pool.srem(a, b) } else { ctx.pool.urem(a, b) }
            };
            let (first, second, third);
            if form == 0 {
                // From the remainder.
                let rest = rem(ctx, x, plane);
                first = rem(ctx, rest, m);
                second = div(ctx, rest, m);
                third = div(ctx, x, plane);
            } else {
                let rows = div(ctx, x, m);
                first = rem(ctx, x, m);
                second = rem(ctx, rows, n);
                let whole = div(ctx, x, plane);
                third = if form == 1 { whole } else { rem(ctx, whole, k) };
            }
            // (second * k + third) * m + first, or with another radix.
            let radix = if wrong { n } else { m };
            let row = ctx.pool.mul(second, k);
            let row = ctx.pool.add(row, third);
            let row = ctx.pool.mul(row, radix);
            ctx.pool.add(row, first)
        };
        meeting(ctx, &mut rng, &mut list, &mut place);
        let numbers = [(number(ctx, 1), number(ctx, 2))];
        differ(ctx, &mut rng, &numbers, &mut list);
        tally.ask(ctx, list, round, |ctx, list| {
            crate::decide::rules::nested::split(ctx, list).is_some()
        });
    }
    assert!(tally.applied > 40 && tally.settled > 20 && tally.models > 40, "{tally:?}");
    tally
}

pub(crate) fn digits_of_several_numbers_keep_their_models() -> Tally {
    let (module, assumptions) = nothing();
    let mut rng = Rng(0xb47c);
    let mut tally = Tally::default();
    for round in 0..120u64 {
        let mut ctx = Ctx::new(&module.kernels[0], &assumptions, Hints::default());
        let ctx = &mut ctx;
        let weak = round % 3 != 0;
        let width = 5;
        let mut list = Vec::new();
        let [m, n] = [0, 1].map(|i| ctx.variable(VarKind::Param(i, 0), 0, 0, 3, width));
        let stride = ctx.variable(VarKind::Param(2, 0), 0, 0, 15, width);
        let room = ctx.pool.mul(m, n);
        let less = if weak { rng.below(3) } else { 0 };
        let room = ctx.pool.add_const(room, 0u64.wrapping_sub(less));
        list.push(ctx.pool.ule(room, stride));
        let two = ctx.pool.constant(2, width);
        fits(ctx, &mut rng, &[stride, two], width, weak, &mut list);
        let digit = |ctx: &mut Ctx, i: usize, tag: u8| {
            ctx.variable(VarKind::Counter(i), tag, 0, [1, 3, 3][i], width)
        };
        let mut place = |ctx: &mut Ctx, rng: &mut Rng, tag: u8, list: &mut Vec<T>| {
            let [b, row, col] = [0, 1, 2].map(|i| digit(ctx, i, tag));
            below(ctx, rng, row, m, false, weak, list);
            below(ctx, rng, col, n, false, weak, list);
            let (plane, row) = (ctx.pool.mul(b, stride), ctx.pool.mul(row, n));
            ctx.pool.sum(0, &[(plane, 1), (row, 1), (col, 1)], width)
        };
        meeting(ctx, &mut rng, &mut list, &mut place);
        let numbers = [0, 1, 2].map(|i| (digit(ctx, i, 1), digit(ctx, i, 2)));
        differ(ctx, &mut rng, &numbers, &mut list);
        tally.ask(ctx, list, round, |ctx, list| {
            crate::decide::rules::nested::split(ctx, list).is_some()
        });
    }
    assert!(tally.applied > 20 && tally.settled > 10 && tally.models > 20, "{tally:?}");
    tally
}

/// Rows of two parts, `r*(a + b) + c` and `r*(a + b) + a + c`, and halves of a row.
pub(crate) fn parts_of_a_row_keep_their_models() -> Tally {
    let (module, assumptions) = nothing();
    let mut rng = Rng(0x9a17);
    let mut tally = Tally::default();
    for round in 0..300u64 {
        let mut ctx = Ctx::new(&module.kernels[0], &assumptions, Hints::default());
        let ctx = &mut ctx;
        let weak = round % 3 != 0;
        let width = 4 + rng.below(2) as u32;
        let mut list = Vec::new();
        let halves = rng.below(2) == 0;
        let [a, b, row] = if halves {
            let row = ctx.variable(VarKind::Param(0, 0), 0, 0, 7, width);
            let two = ctx.pool.constant(2, width);
            let half = ctx.pool.udiv(row, two);
            [half, half, row]
        } else {
            let [a, b] = [0, 1].map(|i| ctx.variable(VarKind::Param(i, 0), 0, 0, 3, width));
            let row = ctx.pool.add(a, b);
            [a, b, row]
        };
        let four = ctx.pool.constant(4, width);
        fits(ctx, &mut rng, &[row, four], width, weak, &mut list);
        let digit =
            |ctx: &mut Ctx, i: usize, tag: u8| ctx.variable(VarKind::Counter(i), tag, 0, 3, width);
        let second = [rng.below(2) == 0, rng.below(2) == 0];
        let early = if weak && rng.below(3) == 0 { u64::MAX } else { 0 };
        let mut place = |ctx: &mut Ctx, rng: &mut Rng, tag: u8, list: &mut Vec<T>| {
            let [r, c] = [0, 1].map(|i| digit(ctx, i, tag));
            let second = second[usize::from(tag - 1)];
            below(ctx, rng, c, if second { b } else { a }, false, weak, list);
            let first = ctx.pool.mul(r, row);
            let shift = if second { 1 } else { 0 };
            let early = if second { early } else { 0 };
            ctx.pool.sum(early, &[(first, 1), (a, shift), (c, 1)], width)
        };
        meeting(ctx, &mut rng, &mut list, &mut place);
        let numbers = [0, 1].map(|i| (digit(ctx, i, 1), digit(ctx, i, 2)));
        if second[0] == second[1] {
            differ(ctx, &mut rng, &numbers, &mut list);
        }
        tally.ask(ctx, list, round, |ctx, list| {
            crate::decide::rules::nested::split(ctx, list).is_some()
        });
    }
    assert!(tally.applied > 40 && tally.settled > 30 && tally.models > 50, "{tally:?}");
    tally
}

/// Rows of a length in bytes, with accesses of several bytes.
pub(crate) fn overlapping_accesses_keep_their_models() -> Tally {
    let (module, assumptions) = nothing();
    let mut rng = Rng(0x0e41);
    let mut tally = Tally::default();
    for round in 0..260u64 {
        let mut ctx = Ctx::new(&module.kernels[0], &assumptions, Hints::default());
        let ctx = &mut ctx;
        let weak = round % 3 != 0;
        let width = 6;
        let mut list = Vec::new();
        let pitch = ctx.variable(VarKind::Param(0, 0), 0, 0, 15, width);
        let w = ctx.variable(VarKind::Param(1, 0), 0, 0, 3, width);
        let step = 1 + rng.below(3);
        let lengths = [1 + rng.below(3), 1 + rng.below(3)];
        let bytes = ctx.pool.scale(w, step);
        let less = if weak { rng.below(3) } else { 0 };
        let more = lengths[0].max(lengths[1]).saturating_sub(step);
        let bytes = ctx.pool.add_const(bytes, more.wrapping_sub(less));
        list.push(ctx.pool.ule(bytes, pitch));
        let digit = |ctx: &mut Ctx, i: usize, tag: u8| {
            ctx.variable(VarKind::Counter(i), tag, 0, [1, 3][i], width)
        };
        let place = |ctx: &mut Ctx, rng: &mut Rng, tag: u8, list: &mut Vec<T>| {
            let [y, x] = [0, 1].map(|i| digit(ctx, i, tag));
            below(ctx, rng, x, w, false, weak, list);
            let row = ctx.pool.mul(y, pitch);
            ctx.pool.sum(0, &[(row, 1), (x, step)], width)
        };
        let (o, u) = (place(ctx, &mut rng, 1, &mut list), place(ctx, &mut rng, 2, &mut list));
        let difference = ctx.pool.sub(o, u);
        let back = ctx.pool.scale(difference, u64::MAX);
        let [n, m] = lengths.map(|n| ctx.pool.constant(n, width));
        let (after, before) = (ctx.pool.ult(difference, m), ctx.pool.ult(back, n));
        list.push(ctx.pool.or(after, before));
        let numbers = [0, 1].map(|i| (digit(ctx, i, 1), digit(ctx, i, 2)));
        differ(ctx, &mut rng, &numbers, &mut list);
        tally.ask(ctx, list, round, |ctx, list| {
            crate::decide::rules::nested::split(ctx, list).is_some()
        });
    }
    assert!(tally.applied > 40 && tally.settled > 10 && tally.models > 50, "{tally:?}");
    tally
}

/// Equal quotients and remainders, by divisors that may be zero and products that may overflow.
pub(crate) fn joined_divisions_keep_their_models() -> Tally {
    let (module, assumptions) = nothing();
    let mut rng = Rng(0x101d);
    let mut tally = Tally::default();
    for round in 0..400u64 {
        let mut ctx = Ctx::new(&module.kernels[0], &assumptions, Hints::default());
        let ctx = &mut ctx;
        let (width, signed) = (4, rng.below(3) == 0);
        let sizes = [0, 1].map(|i| ctx.free(VarKind::Param(i, 0), 0, width));
        let mut list = Vec::new();
        let zero = ctx.pool.constant(0, width);
        for size in sizes {
            if rng.below(4) > 0 {
                let positive =
                    if signed { ctx.pool.slt(zero, size) } else { ctx.pool.ult(zero, size) };
                list.push(positive);
            }
        }
        if rng.below(4) > 0 {
            let end = mask(width) - if signed { 8 } else { 0 } + rng.below(3);
            fits(ctx, &mut rng, &sizes, 4, false, &mut list);
            let top = ctx.pool.constant(end, 16);
            let [m, n] = sizes.map(|t| ctx.pool.zext(t, 16));
            let all = ctx.pool.mul(m, n);
            list.push(ctx.pool.ule(all, top));
        }
        // The quotient by both sizes, or by one of them; mostly all parts, and in some rounds by the wrong size.
        let [m, n] = sizes;
        let mut parts = vec![0, 1, 2];
        if rng.below(3) == 0 {
            parts.remove(rng.below(3) as usize);
        }
        let wrong = rng.below(3) == 0;
        let numbers = [1u8, 2].map(|tag| match signed {
            true => ctx.variable(VarKind::Counter(0), tag, 0, 7, width),
            false => ctx.free(VarKind::Counter(0), tag, width),
        });
        for part in parts {
            let values = numbers.map(|x| {
                let pool = &mut ctx.pool;
                let both = pool.mul(m, n);
                let div = if signed { crate::term::Pool::sdiv } else { crate::term::Pool::udiv };
                let rem = if signed { crate::term::Pool::srem } else { crate::term::Pool::urem };
                match part {
                    0 => div(pool, x, both),
                    1 => {
                        let row = div(pool, x, m);
                        rem(pool, row, if wrong { m } else { n })
                    }
                    _ => rem(pool, x, m),
                }
            });
            list.push(ctx.pool.eq(values[0], values[1]));
        }
        let same = ctx.pool.eq(numbers[0], numbers[1]);
        list.push(ctx.pool.not(same));
        tally.ask(ctx, list, round, |ctx, list| {
            crate::decide::rules::division::joined(ctx, list).is_some()
        });
    }
    assert!(tally.applied > 40 && tally.models > 100 && tally.models < 380, "{tally:?}");
    tally
}

/// `y*m + x % m`, where the divisor may be zero or wrap, and `y*b + (c - a)` with `a <= c < a + b`.
pub(crate) fn remainders_and_shifted_digits_keep_their_models() -> Tally {
    let (module, assumptions) = nothing();
    let mut rng = Rng(0x5d16);
    let mut tally = Tally::default();
    for round in 0..400u64 {
        let mut ctx = Ctx::new(&module.kernels[0], &assumptions, Hints::default());
        let ctx = &mut ctx;
        let (weak, width) = (round % 3 != 0, 4);
        let mut list = Vec::new();
        let [a, b] = [0, 1].map(|i| ctx.variable(VarKind::Param(i, 0), 0, 0, 7, width));
        let zero = ctx.pool.constant(0, width);
        let form = rng.below(3);
        let radix = match form {
            0 => b,
            1 => ctx.pool.mul(a, b),
            _ => ctx.pool.add(a, b),
        };
        for size in [a, b] {
            below(ctx, &mut rng, zero, size, false, weak, &mut list);
        }
        let rows = ctx.pool.constant(2, width);
        fits(ctx, &mut rng, &[rows, a, b], width, weak, &mut list);
        if form == 2 && rng.below(3) > 0 {
            fits(ctx, &mut rng, &[rows, radix], width, weak, &mut list);
        }
        let digit = |ctx: &mut Ctx, i: usize, tag: u8| {
            ctx.variable(VarKind::Counter(i), tag, 0, [1, 15][i], width)
        };
        let shifted = rng.below(2) == 0;
        let mut place = |ctx: &mut Ctx, rng: &mut Rng, tag: u8, list: &mut Vec<T>| {
            let [y, x] = [0, 1].map(|i| digit(ctx, i, tag));
            if shifted {
                let end = ctx.pool.add(a, b);
                below(ctx, rng, x, end, false, weak, list);
                let less = ctx.pool.ult(x, a);
                if !weak || rng.below(6) > 0 {
                    list.push(ctx.pool.not(less));
                }
                let row = ctx.pool.mul(y, b);
                return ctx.pool.sum(0, &[(row, 1), (x, 1), (a, u64::MAX)], width);
            }
            let rest = ctx.pool.urem(x, radix);
            let row = ctx.pool.mul(y, radix);
            ctx.pool.add(row, rest)
        };
        meeting(ctx, &mut rng, &mut list, &mut place);
        let i = usize::from(shifted && rng.below(2) == 0);
        let numbers = [(digit(ctx, i, 1), digit(ctx, i, 2))];
        differ(ctx, &mut rng, &numbers, &mut list);
        tally.ask(ctx, list, round, |ctx, list| {
            crate::decide::rules::nested::split(ctx, list).is_some()
        });
    }
    assert!(tally.applied > 40 && tally.settled > 20 && tally.models > 80, "{tally:?}");
    tally
}
