//! Contents of inputs for executions: ordinary ones, and those at which floating point and integers are special.

use lockstep_kernel::Ty;
use lockstep_kernel::semantics::bits::real_bits;

use super::question::{Input, Question};
use crate::equal::assumptions::Assumptions;
use crate::solve::mix;

/// A way to fill an input: for a type, a place and a random number, the bits.
struct Kind {
    /// Its values are ordinary ones: finite, of usual size.
    ordinary: bool,
    /// They are not larger than one, as data often is.
    small: bool,
    fill: fn(Ty, u64, u64) -> u64,
}

fn number(ty: Ty, x: f64) -> u64 {
    if ty.is_float() { real_bits(ty, x) } else { (x as i64) as u64 & ty.mask() }
}

fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1u64 << 53) as f64
}

fn one_of(ty: Ty, random: u64, floats: &[f64], integers: &[i64]) -> u64 {
    match ty.is_float() {
        true => real_bits(ty, floats[random as usize % floats.len()]),
        false => integers[random as usize % integers.len()] as u64 & ty.mask(),
    }
}

/// The last but one and the last number of a type, as floats go.
fn largest(ty: Ty) -> f64 {
    match ty {
        Ty::F16 => 65504.0,
        Ty::F32 => f64::from(f32::MAX),
        _ => f64::MAX,
    }
}

static KINDS: [Kind; 13] = [
    Kind {
        ordinary: true,
        small: true,
        fill: |ty, _, r| match ty.is_float() {
            true => real_bits(ty, unit(r)),
            false => number(ty, (r % 17) as f64),
        },
    },
    Kind { ordinary: true, small: false, fill: |ty, i, _| number(ty, (i % 13) as f64 + 1.0) },
    Kind {
        ordinary: true,
        small: true,
        fill: |ty, _, r| match ty.is_float() {
            true => real_bits(ty, unit(r) * 2.0 - 1.0),
            false => number(ty, (r % 201) as f64 - 100.0),
        },
    },
    Kind { ordinary: true, small: false, fill: |ty, i, _| number(ty, 50.0 - i as f64) },
    Kind { ordinary: false, small: false, fill: |ty, _, r| one_of(ty, r, &[0.0, -0.0], &[0, -1]) },
    Kind {
        ordinary: false,
        small: false,
        fill: |ty, _, r| {
            one_of(ty, r, &[1.0, f64::NAN, 2.0, -3.0], &[0, 1, -1, i64::MIN, i64::MAX])
        },
    },
    Kind {
        ordinary: false,
        small: false,
        fill: |ty, _, r| {
            one_of(
                ty,
                r,
                &[1.0, f64::INFINITY, 2.0, f64::NEG_INFINITY, 0.0],
                &[i64::MIN, i64::MAX, 0],
            )
        },
    },
    Kind {
        ordinary: false,
        small: false,
        fill: |ty, _, r| match ty.is_float() {
            // Subnormal numbers.
            true => {
                (mix(r) & (ty.mask() >> if ty == Ty::F16 { 6 } else { 12 }))
                    | (r & 1) << (ty.bits() - 1)
            }
            false => mix(r) & ty.mask(),
        },
    },
    Kind {
        ordinary: false,
        small: false,
        fill: |ty, _, r| {
            let top = largest(ty);
            one_of(ty, r, &[top, -top, 1.0, -1.0], &[1 << 31, (1 << 31) - 1, -1, 1 << 15, 255, 128])
        },
    },
    Kind { ordinary: true, small: false, fill: |ty, _, r| number(ty, (r % 5) as f64) },
    Kind { ordinary: true, small: false, fill: |ty, _, _| number(ty, 3.0) },
    Kind {
        ordinary: true,
        small: false,
        fill: |ty, _, r| match ty.is_float() {
            true => real_bits(ty, (unit(r) - 0.5) * 200.0),
            false => mix(r) & ty.mask(),
        },
    },
    Kind { ordinary: false, small: false, fill: |_, _, r| mix(r) },
];

/// Large numbers that cancel, and small ones that are lost beside them.
static CANCELLING: Kind = Kind {
    ordinary: true,
    small: false,
    fill: |ty, i, r| match ty {
        Ty::F16 => one_of(ty, r ^ i, &[2048.0, 1.0, -2048.0, 0.5, 3.0], &[]),
        Ty::F32 => one_of(ty, r ^ i, &[33554432.0, 1.0, -33554432.0, 0.25, 3.0], &[]),
        Ty::F64 => one_of(ty, r ^ i, &[1.8e16, 1.0, -1.8e16, 1e-3, 3.0], &[]),
        _ => number(ty, (r % 1000) as f64),
    },
};

/// Elements of an input that are too many to be shown one by one.
pub(super) const MANY: u64 = 4096;

/// Contents of large inputs that a command line has words for: ascending numbers, then ones.
fn of_many(question: &Question, round: u32) -> Vec<Vec<u64>> {
    let fill = |input: &Input| -> Vec<u64> {
        let bits = |i: u64| match (round, input.is_array) {
            (0, true) => number(input.ty, i as f64) & input.ty.mask(),
            (0, false) => number(input.ty, 3.0),
            _ => number(input.ty, 1.0),
        };
        (0..input.elements).map(bits).collect()
    };
    question.inputs.iter().map(fill).collect()
}

/// The contents of all inputs in a round.
pub(super) fn contents(question: &Question, round: u32) -> Vec<Vec<u64>> {
    let mut round = round;
    if question.inputs.iter().any(|i| i.elements > MANY) {
        if round < 2 {
            return of_many(question, round);
        }
        round -= 2;
    }
    let finite = question.allowed.has(Assumptions::FINITE) || question.tolerance.is_some();
    let is_rough = question.tolerance.is_some();
    // Another order of operations may round to anything where large numbers cancel: that is no difference then.
    let has_order = !is_rough && !question.allowed.has(Assumptions::ASSOCIATIVE);
    let fits = |k: &&Kind| (k.ordinary || !finite) && (k.small || !is_rough);
    let kinds = KINDS.iter().chain(has_order.then_some(&CANCELLING));
    let kinds: Vec<&Kind> = kinds.filter(fits).collect();
    let kind = kinds[round as usize % kinds.len()];
    let fill = |(number, input): (usize, &Input)| -> Vec<u64> {
        let base = mix(question.seed ^ u64::from(round) << 40 ^ (number as u64) << 20);
        let bits = |i: u64| (kind.fill)(input.ty, i, mix(base.wrapping_add(i))) & input.ty.mask();
        (0..input.elements).map(bits).collect()
    };
    question.inputs.iter().enumerate().map(fill).collect()
}
