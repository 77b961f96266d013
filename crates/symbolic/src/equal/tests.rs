//! Canonical forms keep values: random terms, evaluated before and after.

use lockstep_kernel::semantics::bits::{real_bits, real_value};
use lockstep_kernel::{CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, Rounding, Ty};

use super::*;
use crate::solve::mix;
use crate::term::Undefined;
use crate::term::evaluate::{is_same, value};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 += 1;
        mix(self.0) % n
    }
}

fn float_term(p: &mut Pool, r: &mut Random, vars: &[T], depth: u32) -> T {
    let near = Rounding::NearestEven;
    let ty = p.ty(vars[0]);
    if depth == 0 || r.below(6) == 0 {
        return match r.below(4) {
            0 => {
                let x = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 4.0, 3.0][r.below(8) as usize];
                p.constant(ty, real_bits(ty, x))
            }
            _ => vars[r.below(vars.len() as u64) as usize],
        };
    }
    let a = float_term(p, r, vars, depth - 1);
    let b = float_term(p, r, vars, depth - 1);
    match r.below(12) {
        0..=2 => p.float(FloatOp::Add, near, a, b),
        3 => p.float(FloatOp::Sub, near, a, b),
        4 | 5 => p.float(FloatOp::Mul, near, a, b),
        6 => p.float(FloatOp::Div, near, a, b),
        7 => p.float(FloatOp::Max, near, a, b),
        8 => p.float_un(FloatUnOp::Neg, near, a),
        9 => {
            let c = float_term(p, r, vars, depth - 1);
            p.fma(near, a, b, c)
        }
        _ => {
            let op = [CmpOp::FOLt, CmpOp::FOLe, CmpOp::FUGt, CmpOp::FOEq][r.below(4) as usize];
            let c = p.cmp(op, a, b);
            p.select(c, a, b)
        }
    }
}

fn int_term(p: &mut Pool, r: &mut Random, vars: &[T], depth: u32) -> T {
    use IntOp::*;
    let ty = p.ty(vars[0]);
    if depth == 0 || r.below(6) == 0 {
        return match r.below(4) {
            0 => p.constant(ty, [0, 1, 2, 7, 255, 128][r.below(6) as usize]),
            _ => vars[r.below(vars.len() as u64) as usize],
        };
    }
    let a = int_term(p, r, vars, depth - 1);
    let b = int_term(p, r, vars, depth - 1);
    let ops =
        [Add, Add, Sub, Mul, And, Or, Xor, SMin, SMax, UMin, UMax, Shl, LShr, UDiv, SRem, AShr];
    match r.below(20) {
        n if n < 16 => p.int(ops[n as usize], a, b),
        16 => {
            let wide = p.cast(CastOp::SExt, a, Ty::I32);
            let other = p.cast(CastOp::ZExt, b, Ty::I32);
            let sum = p.int(IntOp::Mul, wide, other);
            let sum = p.int(IntOp::Add, sum, wide);
            p.cast(CastOp::Trunc, sum, ty)
        }
        _ => {
            let c = p.cmp([CmpOp::SLt, CmpOp::ULe, CmpOp::Eq][r.below(3) as usize], a, b);
            p.select(c, a, b)
        }
    }
}

#[test]
fn forms_of_integers_keep_values() {
    let mut r = Random(1);
    for round in 0..3000 {
        let mut p = Pool::default();
        let ty = if round % 2 == 0 { Ty::I8 } else { Ty::I16 };
        let vars: Vec<T> = (0..3).map(|_| p.undefined(Undefined::Uninitialised, ty)).collect();
        let t = int_term(&mut p, &mut r, &vars, 4);
        let form = Canonical::new(Assumptions::NONE, false).of(&mut p, t);
        for _ in 0..8 {
            let values: Vec<u64> = (0..3)
                .map(|_| [0, 1, 2, 127, 128, 255, r.below(256)][r.below(7) as usize])
                .collect();
            let of = |v: u32| values[v as usize];
            let (x, y) = (value(&p, t, &of), value(&p, form, &of));
            assert_eq!(x, y, "round {round}: {} became {}", p.show(t), p.show(form));
        }
    }
}

#[test]
fn forms_of_floats_keep_values() {
    let mut r = Random(2);
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e-44,
        3e38,
        f64::from(f32::MIN_POSITIVE),
        0.1,
    ];
    for round in 0..3000 {
        let mut p = Pool::default();
        let vars: Vec<T> = (0..3).map(|_| p.undefined(Undefined::Uninitialised, Ty::F32)).collect();
        let t = float_term(&mut p, &mut r, &vars, 4);
        let form = Canonical::new(Assumptions::NONE, false).of(&mut p, t);
        for _ in 0..12 {
            let values: Vec<u64> = (0..3)
                .map(|_| real_bits(Ty::F32, special[r.below(special.len() as u64) as usize]))
                .collect();
            let of = |v: u32| values[v as usize];
            let (x, y) = (value(&p, t, &of), value(&p, form, &of));
            assert!(
                is_same(Ty::F32, x, y),
                "round {round}: {} is {x:x}, {} is {y:x}, for {values:x?}",
                p.show(t),
                p.show(form)
            );
        }
    }
}

/// With assumptions, forms keep values up to what the assumptions leave open: here the inputs and all results are small whole
/// numbers, so that sums and products are exact in any order.
#[test]
fn forms_under_assumptions_keep_exact_values() {
    let mut r = Random(3);
    for round in 0..3000 {
        let mut p = Pool::default();
        let vars: Vec<T> = (0..3).map(|_| p.undefined(Undefined::Uninitialised, Ty::F64)).collect();
        let t = float_term(&mut p, &mut r, &vars, 3);
        for assumed in Assumptions::ALL.subsets() {
            let form = Canonical::new(assumed, false).of(&mut p, t);
            for _ in 0..4 {
                let values: Vec<u64> =
                    (0..3).map(|_| real_bits(Ty::F64, r.below(7) as f64 - 3.0)).collect();
                let of = |v: u32| values[v as usize];
                let all = reachable(&p, &[t], usize::MAX).unwrap();
                let exact = all.iter().all(|&s| {
                    let x = real_value(Ty::F64, value(&p, s, &of));
                    p.ty(s) != Ty::F64
                        || x.is_finite() && (x * 4096.0).fract() == 0.0 && x.abs() < 1e6
                });
                if !exact {
                    continue;
                }
                let x = real_value(Ty::F64, value(&p, t, &of));
                let y = real_value(Ty::F64, value(&p, form, &of));
                let what =
                    format!("round {round}, {assumed}: {} became {}", p.show(t), p.show(form));
                assert!(x == y, "{what}: {x} and {y}");
            }
        }
    }
}

#[test]
fn each_rule_is_needed_for_something() {
    let near = Rounding::NearestEven;
    let float = |p: &mut Pool, x: f64| p.constant(Ty::F32, real_bits(Ty::F32, x));
    // For each rule, two terms that are equal with it.
    let mut p = Pool::default();
    let [a, b, c]: [T; 3] = std::array::from_fn(|_| p.undefined(Undefined::Uninitialised, Ty::F32));
    let (zero, one, two, minus) =
        (float(&mut p, 0.0), float(&mut p, 1.0), float(&mut p, 2.0), float(&mut p, -0.0));
    let half = float(&mut p, 0.5);
    let add = |p: &mut Pool, x, y| p.float(FloatOp::Add, near, x, y);
    let mul = |p: &mut Pool, x, y| p.float(FloatOp::Mul, near, x, y);
    let neg = |p: &mut Pool, x| p.float_un(FloatUnOp::Neg, near, x);
    let (na, nb) = (neg(&mut p, a), neg(&mut p, b));
    let (ab, ba) = (mul(&mut p, a, b), mul(&mut p, b, a));
    let none = Assumptions::NONE;
    let (finite, pz) = (Assumptions::FINITE, Assumptions::POSITIVE_ZERO);
    let less = p.cmp(CmpOp::FOLt, a, b);
    let at_most = p.cmp(CmpOp::FOLe, b, a);
    let rows = [
        (p.float(FloatOp::Sub, near, a, b), add(&mut p, a, nb), none),
        (ab, ba, none),
        (mul(&mut p, a, one), a, none),
        (p.float(FloatOp::Div, near, a, two), mul(&mut p, a, half), none),
        (mul(&mut p, na, b), neg(&mut p, ab), none),
        (
            add(&mut p, na, nb),
            {
                let s = add(&mut p, a, b);
                neg(&mut p, s)
            },
            pz,
        ),
        (
            {
                let d = add(&mut p, a, nb);
                mul(&mut p, d, d)
            },
            {
                let d = add(&mut p, b, na);
                mul(&mut p, d, d)
            },
            none,
        ),
        (
            {
                let d = add(&mut p, a, nb);
                p.float_un(FloatUnOp::Abs, near, d)
            },
            {
                let d = add(&mut p, b, na);
                p.float_un(FloatUnOp::Abs, near, d)
            },
            none,
        ),
        (add(&mut p, a, a), mul(&mut p, two, a), none),
        (add(&mut p, minus, a), a, none),
        (p.fma(near, a, b, c), p.fma(near, b, a, c), none),
        (add(&mut p, a, zero), a, pz),
        (mul(&mut p, a, zero), zero, finite.with(pz)),
        (add(&mut p, a, na), zero, finite.with(pz)),
        (p.select(less, a, b), p.float(FloatOp::Min, near, b, a), finite.with(pz)),
        (p.select(at_most, a, b), p.select(less, b, a), finite),
        (p.float(FloatOp::Max, near, a, b), p.float(FloatOp::Max, near, b, a), none),
        (p.fma(near, a, b, c), add(&mut p, c, ab), Assumptions::CONTRACTION),
        (
            {
                let s = add(&mut p, b, na);
                neg(&mut p, s)
            },
            add(&mut p, a, nb),
            pz,
        ),
        (
            {
                let down = p.float_un(FloatUnOp::Floor, near, a);
                p.cast(CastOp::FToS(Rounding::TowardZero), down, Ty::I32)
            },
            p.cast(CastOp::FToS(Rounding::Down), a, Ty::I32),
            none,
        ),
        (
            {
                let wide = |p: &mut Pool, x| p.cast(CastOp::FToF(near), x, Ty::F64);
                let (x, y) = (wide(&mut p, a), wide(&mut p, b));
                let wide = p.float(FloatOp::Div, near, x, y);
                p.cast(CastOp::FToF(near), wide, Ty::F32)
            },
            p.float(FloatOp::Div, near, a, b),
            none,
        ),
        (
            {
                let s = add(&mut p, b, c);
                add(&mut p, a, s)
            },
            {
                let s = add(&mut p, c, a);
                add(&mut p, s, b)
            },
            Assumptions::ASSOCIATIVE,
        ),
    ];
    let mut comparer = Comparer::new();
    for (i, (x, y, needs)) in rows.into_iter().enumerate() {
        let found = comparer.by_forms(&mut p, x, y, Assumptions::ALL);
        assert_eq!(found, Some(needs), "row {i}: {} and {}", p.show(x), p.show(y));
    }
    assert_eq!(comparer.by_forms(&mut p, a, b, Assumptions::ALL), None);
}

/// A divisor is a power of two by its digits: logarithms of numbers beside one are rounded to whole numbers.
#[test]
fn only_powers_of_two_become_factors() {
    let near = Rounding::NearestEven;
    for exponent in [-1000, -60, -10, 1, 10, 60, 1000] {
        let power = 2f64.powi(exponent);
        let beside = f64::from_bits(power.to_bits() + 1);
        for (divisor, is_factor) in [(power, true), (-power, true), (beside, false)] {
            let mut p = Pool::default();
            let x = p.undefined(Undefined::Uninitialised, Ty::F64);
            let by = p.constant(Ty::F64, divisor.to_bits());
            let inverse = p.constant(Ty::F64, (1.0 / divisor).to_bits());
            let quotient = p.float(FloatOp::Div, near, x, by);
            let product = p.float(FloatOp::Mul, near, x, inverse);
            let mut forms = Canonical::new(Assumptions::NONE, false);
            let same = forms.of(&mut p, quotient) == forms.of(&mut p, product);
            assert_eq!(same, is_factor, "x / {divisor:e}");
        }
    }
}

#[test]
fn rules_have_names_of_their_own() {
    let mut names: Vec<&str> = rules::RULES.iter().map(|r| r.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), rules::RULES.len());
}
