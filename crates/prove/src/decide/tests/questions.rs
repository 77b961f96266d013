//! Queries at small widths about rows, digits, strides and nested positions, also where a condition that a rule needs
//! is missing or a little too weak.

use crate::decide::tests::{Rng, Tally, nothing};
use crate::launch::context::{Ctx, Hints, VarKind};
use crate::term::{T, mask};

/// Equations by digits at small widths: bounds of sums of digits that suffice, that do not, and sums that overflow.
pub(crate) fn equations_by_digits_keep_their_models() -> Tally {
    let (module, assumptions) = nothing();
    let mut rng = Rng(0xd161);
    let mut tally = Tally::default();
    for round in 0..600u64 {
        let mut ctx = Ctx::new(&module.kernels[0], &assumptions, Hints::default());
        let width = [6, 8, 8][rng.below(3) as usize];
        let parts: Vec<T> = (0..4)
            .map(|i| {
                ctx.variable(VarKind::Param(i, 0), 0, 0, [7, 3, 5][rng.below(3) as usize], width)
            })
            .collect();
        let (k, m) = (1 + rng.below(2), 2 + rng.below(10));
        let side = |ctx: &mut Ctx, rng: &mut Rng, x: T, y: T| {
            let constant = if rng.below(4) == 0 { rng.below(64) } else { 0 };
            ctx.pool.sum(constant, &[(x, k), (y, m)], width)
        };
        let left = side(&mut ctx, &mut rng, parts[0], parts[1]);
        let right = side(&mut ctx, &mut rng, parts[2], parts[3]);
        let mut list = vec![ctx.pool.eq(left, right)];
        for (x, y) in [(0, 1), (2, 3)] {
            let (a, b) = (k, if rng.below(3) == 0 { rng.below(3) } else { 0 });
            let sum = ctx.pool.sum(rng.below(2), &[(parts[x], a), (parts[y], b)], width);
            let limit = ctx.pool.constant(1 + rng.below(9), width);
            let mut bound = match rng.below(3) {
                0 => ctx.pool.slt(sum, limit),
                _ => ctx.pool.ult(sum, limit),
            };
            if rng.below(10) == 0 {
                bound = ctx.pool.not(bound);
            }
            list.push(bound);
        }
        let same = ctx.pool.eq(parts[0], parts[2]);
        list.push(if rng.below(2) == 0 { ctx.pool.not(same) } else { same });
        tally.ask(&mut ctx, list, round, |ctx, list| {
            crate::decide::rules::digits::by_digits(ctx, list).is_some()
        });
    }
    assert!(tally.applied > 40 && tally.models > 100 && tally.models < 500, "{tally:?}");
    tally
}

/// Rows of a symbolic length at small widths: bounds that suffice, that do not, and products that overflow.
pub(crate) fn equations_by_strides_keep_their_models() -> Tally {
    let (module, assumptions) = nothing();
    let mut rng = Rng(0x57e9);
    let mut tally = Tally::default();
    for round in 0..800u64 {
        let mut ctx = Ctx::new(&module.kernels[0], &assumptions, Hints::default());
        let width = 6 + rng.below(2) as u32;
        let var = |ctx: &mut Ctx, i: usize, most: u64| {
            ctx.variable(VarKind::Param(i, 0), 0, 0, most, width)
        };
        let [x1, x2, y1, y2] =
            [0, 1, 2, 3].map(|i| var(&mut ctx, i, [1, 3, 3, 7][rng.below(4) as usize]));
        let w = match rng.below(3) {
            0 => ctx.free(VarKind::Param(4, 0), 0, width),
            _ => var(&mut ctx, 4, [7, 15, 31][rng.below(3) as usize]),
        };
        let k = 1 + rng.below(3);
        let place = |ctx: &mut Ctx, x: T, y: T, more: u64| {
            let y = ctx.pool.add_const(y, more);
            let row = ctx.pool.mul(y, w);
            ctx.pool.sum(0, &[(row, k), (x, 1)], width)
        };
        let more = u64::from(rng.below(4) == 0);
        let (left, right) = (place(&mut ctx, x1, y1, 0), place(&mut ctx, x2, y2, more));
        let mut list = vec![ctx.pool.eq(left, right)];
        let low = ctx.pool.constant(2 + rng.below(8), width);
        list.push(match rng.below(2) {
            0 => ctx.pool.ule(low, w),
            _ => ctx.pool.slt(low, w),
        });
        let wide = ctx.pool.zext(w, 16);
        let area = ctx.pool.scale(wide, 2 + rng.below(7));
        let top = ctx.pool.constant([31, 63, 127][rng.below(3) as usize], 16);
        list.push(ctx.pool.ule(area, top));
        let same = ctx.pool.eq(y1, y2);
        list.push(if rng.below(3) == 0 { same } else { ctx.pool.not(same) });
        tally.ask(&mut ctx, list, round, |ctx, list| {
            crate::decide::rules::strides::by_stride(ctx, list).is_some()
        });
    }
    assert!(tally.applied > 40 && tally.models > 100 && tally.models < 700, "{tally:?}");
    tally
}

/// Positions in three dimensions at small widths, also where a needed condition is missing or a little too weak, and
/// where the row is narrower than the sum that it is part of.
pub(crate) fn nested_positions_keep_their_models() -> Tally {
    let (module, assumptions) = nothing();
    let mut rng = Rng(0x9e57);
    let mut tally = Tally::default();
    for round in 0..160u64 {
        let mut ctx = Ctx::new(&module.kernels[0], &assumptions, Hints::default());
        let width = 4 + rng.below(2) as u32;
        let wide = if rng.below(2) == 0 { width } else { 8 };
        let size = |ctx: &mut Ctx, i: usize| ctx.variable(VarKind::Param(i, 0), 0, 0, 3, width);
        let [w, h, d] = [0, 1, 2].map(|i| size(&mut ctx, i));
        let weak = round % 3 != 0;
        let mut list = Vec::new();
        let mut place = |ctx: &mut Ctx, rng: &mut Rng, tag: u8| {
            let digit = |ctx: &mut Ctx, i: usize, most: u64| {
                ctx.variable(VarKind::Counter(i), tag, 0, most, width)
            };
            let [x, y, z] = [(0, 3), (1, 3), (2, 1)].map(|(i, most)| digit(ctx, i, most));
            for (small, large) in [(x, w), (y, h), (z, d)] {
                match rng.below(if weak { 14 } else { 12 }) {
                    12 => list.push(ctx.pool.ule(small, large)),
                    13 => {}
                    _ => list.push(ctx.pool.ult(small, large)),
                }
            }
            let plane = ctx.pool.mul(z, h);
            let row = ctx.pool.add(plane, y);
            let row = ctx.pool.mul(row, w);
            let (row, x) = (ctx.pool.zext(row, wide), ctx.pool.zext(x, wide));
            ctx.pool.add(row, x)
        };
        let (left, right) = (place(&mut ctx, &mut rng, 1), place(&mut ctx, &mut rng, 2));
        list.push(ctx.pool.eq(left, right));
        let [p, q, r] = [d, h, w].map(|t| ctx.pool.zext(t, 16));
        let (plane, all) = (ctx.pool.mul(p, q), ctx.pool.mul(p, q));
        let all = ctx.pool.mul(all, r);
        let top = mask(width) - rng.below(3) + if weak { rng.below(6) } else { 0 };
        let top = ctx.pool.constant(top, 16);
        list.extend([ctx.pool.ule(plane, top), ctx.pool.ule(all, top)]);
        let x = |ctx: &mut Ctx, tag: u8| ctx.variable(VarKind::Counter(0), tag, 0, 3, width);
        let (x1, x2) = (x(&mut ctx, 1), x(&mut ctx, 2));
        let same = ctx.pool.eq(x1, x2);
        list.push(if rng.below(4) == 0 { same } else { ctx.pool.not(same) });
        tally.ask(&mut ctx, list, round, |ctx, list| {
            crate::decide::rules::nested::split(ctx, list).is_some()
        });
    }
    assert!(tally.applied > 20 && tally.models > 30 && tally.models < 150, "{tally:?}");
    tally
}

/// Strides at eight bits: the divided equation is satisfiable exactly if the query is, also where products overflow, or
/// the stride may be zero.
pub(crate) fn divided_equations_keep_their_models() -> Tally {
    let (module, assumptions) = nothing();
    let mut rng = Rng(0xfac7);
    let (width, mut tally) = (8, Tally::default());
    for round in 0..400u64 {
        let mut ctx = Ctx::new(&module.kernels[0], &assumptions, Hints::default());
        let stride =
            ctx.variable(VarKind::Param(0, 0), 0, 0, [7, 15, 63][round as usize % 3], width);
        let mut list = Vec::new();
        let mut sides = Vec::new();
        // With one index on each side, the two must be equal, unless something overflows or is zero.
        let (k, m) = (1 + rng.below(4), rng.below(4).saturating_sub(2));
        for side in 0..2 {
            let [x, y] =
                [1, 2].map(|i| ctx.variable(VarKind::Param(2 * side + i, 0), 0, 0, 7, width));
            let index = ctx.pool.sum(0, &[(x, k), (y, m)], width);
            let product = ctx.pool.mul(index, stride);
            let more = if rng.below(6) == 0 { rng.below(4) } else { 0 };
            sides.push((x, y, ctx.pool.add_const(product, more)));
            if rng.below(2) == 0 {
                let top = ctx.pool.constant(1 + rng.below(4), width);
                list.push(ctx.pool.ult(x, top));
            }
        }
        let bound = ctx.pool.constant(rng.below(3), width);
        if rng.below(4) > 0 {
            list.push(ctx.pool.ult(bound, stride));
        }
        if rng.below(2) == 0 {
            let top = ctx.pool.constant(2 + rng.below(6), width);
            list.push(ctx.pool.ult(stride, top));
        }
        list.push(ctx.pool.eq(sides[0].2, sides[1].2));
        let (xs, ys) = (ctx.pool.eq(sides[0].0, sides[1].0), ctx.pool.eq(sides[0].1, sides[1].1));
        let same = if m == 0 { xs } else { ctx.pool.and(xs, ys) };
        list.push(ctx.pool.not(same));
        tally.ask(&mut ctx, list, round, |ctx, list| {
            crate::decide::rules::factor::divided(ctx, list).is_some()
        });
    }
    assert!(tally.applied > 30 && tally.models > 60 && tally.models < 350, "{tally:?}");
    tally
}

/// Rows and columns at three bits: the simplified conjunction is satisfiable exactly if the query is, also where a
/// condition that the rules need is missing or a little too weak.
pub(crate) fn rows_and_columns_keep_their_models() -> Tally {
    let (module, assumptions) = nothing();
    let mut rng = Rng(0x5eed);
    let (width, mut tally) = (3, Tally::default());
    for round in 0..90u64 {
        let mut ctx = Ctx::new(&module.kernels[0], &assumptions, Hints::default());
        let var = |ctx: &mut Ctx, i: usize| ctx.free(VarKind::Param(i, 0), 0, width);
        let [x1, x2, y1, y2] = [0, 1, 2, 3].map(|i| var(&mut ctx, i));
        // The stride is the width itself, or another size that is at least as large; then there are fewer rows.
        let (w, other) = (var(&mut ctx, 4), var(&mut ctx, 5));
        let separate = rng.below(2) == 0;
        let fixed = ctx.pool.constant(2, width);
        let (stride, h) = if separate { (other, fixed) } else { (w, other) };
        let signed = rng.below(3) == 0;
        let weak = round % 3 != 0;
        let mut list = Vec::new();
        for (small, large) in [(x1, w), (x2, w), (y1, h), (y2, h)] {
            match rng.below(if weak { 12 } else { 10 }) {
                10 => list.push(ctx.pool.ule(small, large)),
                11 => {}
                _ if signed => {
                    let zero = ctx.pool.constant(0, width);
                    list.push(ctx.pool.sle(zero, small));
                    list.push(ctx.pool.slt(small, large));
                }
                _ => list.push(ctx.pool.ult(small, large)),
            }
        }
        if separate {
            list.push(if signed { ctx.pool.sle(w, stride) } else { ctx.pool.ule(w, stride) });
        }
        let (p, q) = (ctx.pool.zext(stride, 8), ctx.pool.zext(h, 8));
        let area = ctx.pool.mul(p, q);
        let top = ctx.pool.constant(if weak { 6 + rng.below(4) } else { 7 }, 8);
        list.push(ctx.pool.ule(area, top));
        let (a, b) = (ctx.pool.mul(y1, stride), ctx.pool.mul(y2, stride));
        let (a, b) = (ctx.pool.add(a, x1), ctx.pool.add(b, x2));
        let b = if weak && rng.below(4) == 0 { ctx.pool.add_const(b, 1) } else { b };
        list.push(ctx.pool.eq(a, b));
        let (xs, ys) = (ctx.pool.eq(x1, x2), ctx.pool.eq(y1, y2));
        let same = ctx.pool.and(xs, ys);
        list.push(ctx.pool.not(same));
        tally.ask(&mut ctx, list, round, |ctx, list| {
            let is_row = crate::decide::rules::radix::rows(ctx, list).is_some();
            is_row || crate::decide::rules::radix::split(ctx, list).is_some()
        });
    }
    assert!(tally.applied > 4 && tally.settled > 4 && tally.models > 4, "{tally:?}");
    tally
}

/// Thread indices in blocks of an unknown size, scaled and shifted: most queries have a model in one of the usual
/// launches.
pub(crate) fn numbers_of_threads_keep_their_models() -> Tally {
    let (module, assumptions) = nothing();
    let mut rng = Rng(0xb10c);
    let (width, mut tally) = (8, Tally::default());
    for round in 0..200u64 {
        let mut ctx = Ctx::new(&module.kernels[0], &assumptions, Hints::default());
        // As many threads as in the launches that are tried.
        let size = ctx.variable(VarKind::BlockDim(2), 1, 1, 3, width);
        let mut list = Vec::new();
        let mut number = |ctx: &mut Ctx, tag: u8| {
            let thread = ctx.variable(VarKind::Counter(0), tag, 0, 3, width);
            let block = ctx.variable(VarKind::Counter(1), tag, 0, 3, width);
            list.push(ctx.pool.ult(thread, size));
            let first = ctx.pool.mul(block, size);
            ctx.pool.add(first, thread)
        };
        let (left, right) = (number(&mut ctx, 1), number(&mut ctx, 2));
        let (k, m) = (1 + rng.below(3), rng.below(6));
        let (left, right) = (ctx.pool.scale(left, k), ctx.pool.scale(right, 2));
        let right = ctx.pool.add_const(right, m);
        let both = ctx.pool.mul(left, size);
        let sum = ctx.pool.add_const(both, rng.below(4));
        list.push(if rng.below(2) == 0 {
            ctx.pool.eq(left, right)
        } else {
            ctx.pool.eq(sum, right)
        });
        tally.ask(&mut ctx, list, round, |_, _| true);
    }
    assert!(tally.models > 20, "{tally:?}");
    tally
}
