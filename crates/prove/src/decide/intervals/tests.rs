//! Intervals and sums against all values at small widths.

use super::*;

/// Sets of all lengths, compared with a simple implementation.
#[test]
fn bits_are_taken_in_their_order() {
    for n in [1, 2, 63, 64, 65, 127, 128, 129, 200] {
        for step in [1, 2, 3, 31, 64, 70] {
            let wanted: Vec<usize> = (0..n).step_by(step).collect();
            let mut bits = Bits(vec![0; n.div_ceil(64)]);
            wanted.iter().for_each(|&i| bits.insert(At(i as u32)));
            for from in 0..n {
                let first = wanted.iter().copied().find(|&i| i >= from);
                assert_eq!(bits.clone().take_from(from).map(At::index), first);
                let last = wanted.iter().copied().rfind(|&i| i < from);
                assert_eq!(bits.clone().take_before(from).map(At::index), last);
            }
            let mut up = Vec::new();
            let mut down = bits.clone();
            while let Some(a) = bits.take_from(up.last().map_or(0, |i| i + 1)) {
                up.push(a.index());
            }
            assert_eq!(up, wanted);
            let mut end = n;
            while let Some(a) = down.take_before(end) {
                end = a.index();
                assert_eq!(up.pop(), Some(end));
            }
            assert!(up.is_empty());
        }
        let mut all = Bits::all(n);
        assert_eq!(all.take_before(n), Some(At(n as u32 - 1)));
        assert_eq!(all.0.iter().map(|w| w.count_ones() as usize).sum::<usize>(), n - 1);
    }
}
use crate::decide::tests::{Evaluation, Rng};
use crate::term::{FnId, Pool, T, VarId};

/// A random term of some width; small numbers are likely, so that conditions are nearly satisfied or nearly violated.
fn term(pool: &mut Pool, rng: &mut Rng, vars: &[T], width: u32, depth: u32) -> T {
    if depth == 0 || rng.below(6) == 0 {
        if rng.below(4) == 0 {
            let v = if rng.below(2) == 0 { rng.below(5) } else { rng.next() };
            return pool.constant(v, width);
        }
        let v = vars[rng.below(vars.len() as u64) as usize];
        return pool.resize(v, width);
    }
    let mut sub = |pool: &mut Pool, w| term(pool, rng, vars, w, depth - 1);
    let (a, b) = (sub(pool, width), sub(pool, width));
    match rng.below(14) {
        0..=3 => {
            let k = [1, 3, 4, mask(width)][rng.below(4) as usize];
            pool.sum(rng.below(4), &[(a, 1), (b, k)], width)
        }
        4 => pool.bin(Bin::Mul, a, b),
        5 => pool.bin([Bin::UDiv, Bin::SDiv][rng.below(2) as usize], a, b),
        6 => pool.bin([Bin::URem, Bin::SRem][rng.below(2) as usize], a, b),
        7 => pool.bin([Bin::And, Bin::Or, Bin::Xor][rng.below(3) as usize], a, b),
        8 => pool.bin([Bin::Shl, Bin::LShr, Bin::AShr][rng.below(3) as usize], a, b),
        9 => {
            let c = condition(pool, rng, vars, depth - 1);
            pool.ite(c, a, b)
        }
        10 => {
            let narrow = pool.trunc(a, 2);
            pool.zext(narrow, width)
        }
        11 => {
            let narrow = pool.trunc(a, 3);
            pool.sext(narrow, width)
        }
        _ => {
            let d = pool.constant(1 + rng.below(5), width);
            pool.bin([Bin::UDiv, Bin::URem][rng.below(2) as usize], a, d)
        }
    }
}

fn condition(pool: &mut Pool, rng: &mut Rng, vars: &[T], depth: u32) -> T {
    let w = [4, 6][rng.below(2) as usize];
    let (a, b) = (term(pool, rng, vars, w, depth), term(pool, rng, vars, w, depth));
    let c = match rng.below(6) {
        0 | 1 => pool.eq(a, b),
        2 | 3 => pool.bin(Bin::Ult, a, b),
        4 => pool.bin(Bin::Slt, a, b),
        _ if depth == 0 => pool.bin(Bin::Slt, b, a),
        _ => {
            let (x, y) =
                (condition(pool, rng, vars, depth - 1), condition(pool, rng, vars, depth - 1));
            pool.bin([Bin::And, Bin::Or, Bin::Xor][rng.below(3) as usize], x, y)
        }
    };
    if rng.below(3) == 0 { pool.not(c) } else { c }
}

/// The value of a variable in a list of variables.
fn value_of<X>(vars: &[(VarId, X)], values: &[u64], v: VarId) -> u64 {
    vars.iter().zip(values).find(|((id, _), _)| *id == v).map_or(0, |(_, value)| *value)
}

#[test]
fn as_trying_all_values_says() {
    let mut rng = Rng(77);
    let (mut sat, mut unsat, mut open) = (0, 0, 0);
    for round in 0..1200 {
        let mut pool = Pool::default();
        let (mut ids, mut vars) = (Vec::new(), Vec::new());
        for most in [15, 15, 4 + rng.below(4)] {
            let (id, t) = pool.var(most, 4);
            ids.push((id, most));
            vars.push(t);
        }
        let n = 2 + rng.below(4);
        let list: Vec<T> = (0..n).map(|_| condition(&mut pool, &mut rng, &vars, 2)).collect();
        let mut evaluation = Evaluation::new(&pool, &list);
        let mut holds =
            |values: [u64; 3]| evaluation.holds(|v| value_of(&ids, &values, v), |_, _| 0);
        match decide(&Program::new(&pool, &list)) {
            Answer::Sat(m) => {
                let value = |i: usize| m.vars.get(&ids[i].0).copied().unwrap_or(0);
                let values = [value(0), value(1), value(2)];
                assert!(holds(values), "round {round}: {values:?}");
                assert!(ids.iter().zip(values).all(|((_, most), v)| v <= *most));
                sat += 1;
            }
            Answer::Unsat => {
                for x in 0..=ids[0].1 {
                    for y in 0..=ids[1].1 {
                        for z in 0..=ids[2].1 {
                            assert!(!holds([x, y, z]), "round {round}: {x} {y} {z}");
                        }
                    }
                }
                unsat += 1;
            }
            Answer::Unknown => open += 1,
        }
    }
    assert!(sat > 300 && unsat > 300 && open < 100, "{sat} {unsat} {open}");
}

/// A comparison between sums, multiples, products and digits of the variables, in some width.
fn related(pool: &mut Pool, rng: &mut Rng, vars: &[T]) -> T {
    let w = [5, 8, 10, 12][rng.below(4) as usize];
    let mut part = |pool: &mut Pool| {
        let x = pool.resize(vars[rng.below(vars.len() as u64) as usize], w);
        let y = pool.resize(vars[rng.below(vars.len() as u64) as usize], w);
        let by = pool.constant([2, 3, 4][rng.below(3) as usize], w);
        let k = [1, 2, 3, mask(w)][rng.below(4) as usize];
        match rng.below(11) {
            0..=2 => x,
            3 | 4 => pool.sum(rng.below(3), &[(x, 1), (y, k)], w),
            5 => pool.bin(Bin::Mul, x, y),
            6 => pool.bin(Bin::UDiv, x, by),
            7 => pool.bin(Bin::URem, x, by),
            8 => pool.sum(rng.below(3), &[(x, k)], w),
            9 => {
                let m = pool.constant([3, mask(w) & !3, 5][rng.below(3) as usize], w);
                pool.bin(Bin::And, x, m)
            }
            _ => {
                let narrow = pool.trunc(x, 3);
                if rng.below(2) == 0 { pool.sext(narrow, w) } else { pool.zext(narrow, w) }
            }
        }
    };
    let (a, b) = (part(pool), part(pool));
    let (a, b) = match rng.below(4) {
        0 => (pool.sext(a, w + 3), pool.sext(b, w + 3)),
        1 => (pool.sext(a, w + 3), pool.zext(b, w + 3)),
        _ => (a, b),
    };
    let w = pool.width(a);
    let b = pool.sum([0, 0, 1, mask(w)][rng.below(4) as usize], &[(b, 1)], w);
    let c = match rng.below(5) {
        0..=2 => pool.eq(a, b),
        3 => pool.bin(Bin::Ult, a, b),
        _ => pool.bin(Bin::Slt, a, b),
    };
    if rng.below(2) == 0 { pool.not(c) } else { c }
}

/// Where sums show that there is no model: whether intervals, without splitting, do not show it.
fn shown(program: &Program) -> Option<bool> {
    let search = Search::new(program);
    let whole = search.whole()?;
    search.contradicts(whole.clone()).then(|| search.narrow(&mut whole.clone(), &mut { MOST }))
}

/// Sums against trying all values; and how often they show more than intervals without splitting.
#[test]
fn sums_contradict_only_what_has_no_model() {
    let mut rng = Rng(5);
    let (mut told, mut alone) = (0, 0);
    for round in 0..20_000 {
        let mut pool = Pool::default();
        let vars: Vec<(VarId, T)> = [15, 15, 7].map(|most| pool.var(most, 4)).into();
        let terms: Vec<T> = vars.iter().map(|v| v.1).collect();
        let n = 2 + rng.below(5);
        let mut list: Vec<T> = (0..n).map(|_| related(&mut pool, &mut rng, &terms)).collect();
        if rng.below(3) == 0 {
            list.push(condition(&mut pool, &mut rng, &terms, 2));
        }
        if rng.below(3) == 0 {
            let one = related(&mut pool, &mut rng, &terms);
            let other = related(&mut pool, &mut rng, &terms);
            list.push(pool.or(one, other));
        }
        let program = Program::new(&pool, &list);
        let Some(more) = shown(&program) else { continue };
        told += 1;
        alone += u32::from(more);
        // Contradictions that intervals show are tested above.
        if !more && round % 8 != 0 {
            continue;
        }
        let mut evaluation = Evaluation::new(&pool, &list);
        for at in 0..16 * 16 * 8u64 {
            let values = [at % 16, at / 16 % 16, at / 256];
            let holds = evaluation.holds(|v| value_of(&vars, &values, v), |_, _| 0);
            assert!(!holds, "round {round}: {values:?}");
        }
    }
    assert!(told > 4000 && alone > 500, "{told} {alone}");
}

/// The same with a function, for which every table of values is tried.
#[test]
fn sums_know_functions_only_by_their_arguments() {
    let mut rng = Rng(6);
    let (mut told, mut alone) = (0, 0);
    for round in 0..20_000 {
        let mut pool = Pool::default();
        let vars: Vec<(VarId, T)> = [3, 3].map(|most| pool.var(most, 2)).into();
        let mut terms: Vec<T> = vars.iter().map(|v| v.1).collect();
        for _ in 0..3 {
            let of = term(&mut pool, &mut rng, &terms, 4, 1);
            let of = pool.resize(of, 2);
            terms.push(pool.app(FnId(0), &[of], 2));
        }
        let n = 3 + rng.below(4);
        let list: Vec<T> = (0..n).map(|_| related(&mut pool, &mut rng, &terms)).collect();
        let program = Program::new(&pool, &list);
        let Some(more) = shown(&program) else { continue };
        told += 1;
        alone += u32::from(more);
        // Contradictions that intervals show are tested above.
        if !more && round % 8 != 0 {
            continue;
        }
        let mut evaluation = Evaluation::new(&pool, &list);
        for at in 0..16 * 256u64 {
            let values = [at % 4, at / 4 % 4];
            let table = |_: FnId, x: &[u64]| ((at / 16) >> (2 * x[0])) & 3;
            let holds = evaluation.holds(|v| value_of(&vars, &values, v), table);
            assert!(!holds, "round {round}: {at}");
        }
    }
    assert!(told > 3000 && alone > 150, "{told} {alone}");
}
