//! All elements of an array, as few points with variables.

use lockstep_kernel::{CmpOp, Ty};

use super::layers::Layer;
use super::radix::{Digit, Kind, Radix};
use crate::linear::Form;
use crate::term::{Pool, T};

/// Some elements: those that the index is, for values of its variables for which the condition holds.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) condition: T,
    pub(crate) index: Form,
}

/// Points of one array at most.
const MOST: i128 = 8192;

/// Points that are all elements of an array of `length` elements: along the digits of a layer, where one is given.
pub(crate) fn points(
    pool: &mut Pool,
    layer: Option<&mut Layer>,
    length: u64,
) -> Option<Vec<Point>> {
    let length = i128::from(length);
    if length == 0 {
        return Some(Vec::new());
    }
    let radix = match layer {
        Some(layer) => layer.radix(pool)?,
        None => Radix { base: Form::default(), digits: Vec::new(), members: Default::default() },
    };
    if !radix.base.terms.is_empty() {
        return None;
    }
    let mut digits = radix.digits;
    if digits.first().is_none_or(|d| d.stride > 1) {
        digits.insert(0, Digit { stride: 1, kind: Kind::Members { count: 1 } });
    }
    // An array along nothing is one variable.
    if digits.len() == 1 {
        let high = i64::try_from(length - 1).ok()?;
        let index = counted(pool, 0, high);
        let condition = pool.truth(true);
        return Some(vec![Point { condition, index }]);
    }
    let always = pool.truth(true);
    let start = Form::number(radix.base.constant);
    let mut all = vec![Point { condition: always, index: start }];
    for (at, digit) in digits.iter().enumerate() {
        let next = digits.get(at + 1).map(|d| d.stride);
        // Where the last digit is one of members, the elements beyond have digits that no member has.
        let (low, high) = match next {
            Some(next) => (0, next.div_euclid(digit.stride) - i128::from(next % digit.stride == 0)),
            None => {
                let base = radix.base.constant;
                ((-base).div_euclid(digit.stride), (length - 1 - base).div_euclid(digit.stride))
            }
        };
        let values: Vec<Form> = match digit.kind {
            Kind::Param { .. } => {
                vec![counted(pool, i64::try_from(low).ok()?, i64::try_from(high).ok()?)]
            }
            Kind::Members { .. } => {
                if (high - low + 1) * all.len() as i128 > MOST {
                    return None;
                }
                (low..=high).map(Form::number).collect()
            }
        };
        let mut longer = Vec::new();
        for point in &all {
            for value in &values {
                let index = point.index.plus(value, digit.stride)?;
                let mut condition = point.condition;
                // Digits whose sum is not less than the next stride are those of another element.
                if let Some(next) = next {
                    let sum = index.less(&Form::number(radix.base.constant))?;
                    let below = less(pool, &sum, next)?;
                    condition = pool.and(condition, below);
                }
                longer.push(Point { condition, index });
            }
        }
        all = longer;
    }
    for point in &mut all {
        let below = less(pool, &point.index, length)?;
        let above = less(pool, &point.index, 0)?;
        let above = pool.not(above);
        point.condition = pool.all(&[point.condition, below, above]);
    }
    all.retain(|p| !pool.is_false(p.condition));
    Some(all)
}

fn counted(pool: &mut Pool, low: i64, high: i64) -> Form {
    let t = pool.counter("e", Ty::I64, low, high);
    match pool.value(t) {
        Some(v) => Form::number(i128::from(v as i64)),
        None => Form::atom(t),
    }
}

fn less(pool: &mut Pool, form: &Form, than: i128) -> Option<T> {
    let mut lin = crate::linear::Linear::default();
    let term = lin.term(pool, form)?;
    let limit = pool.constant(Ty::I64, i64::try_from(than).ok()? as u64);
    Some(pool.cmp(CmpOp::SLt, term, limit))
}
