//! Indices as numbers whose digits are the parameters.

use rustc_hash::{FxHashMap, FxHashSet};

use super::layers::Member;
use crate::linear::{Form, Linear};
use crate::term::walk::reachable;
use crate::term::{Node, Pool, T};

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A parameter with values from 0; turned round where the index falls as it grows.
    Param { var: T, count: i128, turned: bool },
    /// Members of the family that differ in a constant: each is a number of its own.
    Members { count: i128 },
}

#[derive(Clone, Debug)]
pub(crate) struct Digit {
    pub(crate) stride: i128,
    pub(crate) kind: Kind,
}

/// `base + Σ stride * digit`.
#[derive(Clone, Debug)]
pub(crate) struct Radix {
    pub(crate) base: Form,
    /// The smallest stride first.
    pub(crate) digits: Vec<Digit>,
    /// Members by their digits.
    pub(crate) members: FxHashMap<Vec<i128>, usize>,
}

/// Terms below an atom that are looked at.
const LARGEST_ATOM: usize = 2_000;

/// The digits of a family; none where its indices do not have them.
pub(crate) fn radix(pool: &mut Pool, params: &[T], members: &[Member]) -> Option<Radix> {
    let mut contexts: FxHashMap<T, Linear> = FxHashMap::default();
    let mut shape: Option<(Vec<(T, i128)>, Vec<(T, i128)>)> = None;
    let mut constants: Vec<i128> = Vec::with_capacity(members.len());
    for member in members {
        let form = context(&mut contexts, pool, member.guard).form(pool, member.index);
        let (own, base): (Vec<_>, Vec<_>) =
            form.terms.iter().copied().partition(|(t, _)| params.contains(t));
        match &shape {
            None => {
                if !base.iter().all(|(t, _)| is_free(pool, *t, params)) {
                    return None;
                }
                shape = Some((own, base));
            }
            Some(known) if *known == (own, base) => {}
            Some(_) => return None,
        }
        constants.push(form.constant);
    }
    let (strides, base) = shape?;
    // Each parameter has its digit.
    if params.iter().any(|p| !strides.iter().any(|(t, _)| t == p)) {
        return None;
    }
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_unstable_by_key(|&i| constants[i]);
    let sorted: Vec<i128> = order.iter().map(|&i| constants[i]).collect();
    let mut digits = Vec::new();
    let mut constant = sorted[0];
    for (var, factor) in strides {
        let Node::Var(v) = *pool.node(var) else { return None };
        let (low, high) = pool.counter_range(v)?;
        if low != 0 {
            return None;
        }
        let count = i128::from(high) + 1;
        if factor < 0 {
            constant += factor * (count - 1);
        }
        let kind = Kind::Param { var, count, turned: factor < 0 };
        digits.push(Digit { stride: factor.abs(), kind });
    }
    for (stride, count) in steps(&sorted)? {
        digits.push(Digit { stride, kind: Kind::Members { count } });
    }
    digits.sort_by_key(|d| d.stride);
    let mut by_digits = FxHashMap::default();
    for (place, &member) in order.iter().enumerate() {
        // The smallest step varies fastest, as in the sorted list.
        let mut rest = place as i128;
        let mut own = Vec::new();
        for digit in &digits {
            if let Kind::Members { count } = digit.kind {
                own.push(rest % count);
                rest /= count;
            }
        }
        by_digits.insert(own, member);
    }
    let made = Radix { base: Form { constant, terms: base }, digits, members: by_digits };
    let numbers: Vec<(Vec<i128>, usize)> =
        made.members.iter().map(|(d, m)| (d.clone(), *m)).collect();
    for (own, member) in numbers {
        let lin = context(&mut contexts, pool, members[member].guard);
        made.is_unique(pool, lin, &own).then_some(())?;
    }
    Some(made)
}

fn context<'a>(
    contexts: &'a mut FxHashMap<T, Linear>,
    pool: &mut Pool,
    guard: T,
) -> &'a mut Linear {
    contexts.entry(guard).or_insert_with(|| Linear::under(pool, guard))
}

/// Whether a term has none of the parameters in it.
fn is_free(pool: &Pool, t: T, params: &[T]) -> bool {
    let params: FxHashSet<T> = params.iter().copied().collect();
    let below = reachable(pool, &[t], LARGEST_ATOM);
    below.is_some_and(|all| all.iter().all(|t| !params.contains(t)))
}

/// Ascending numbers as `first + Σ stride * digit`, the smallest stride first; each number once.
fn steps(numbers: &[i128]) -> Option<Vec<(i128, i128)>> {
    if numbers.len() == 1 {
        return Some(Vec::new());
    }
    let stride = numbers[1] - numbers[0];
    if stride == 0 {
        return None;
    }
    let run = numbers.windows(2).take_while(|w| w[1] - w[0] == stride).count() + 1;
    let count = i128::try_from(run).ok()?;
    if !numbers.len().is_multiple_of(run) {
        return None;
    }
    for part in numbers.chunks(run) {
        if part.windows(2).any(|w| w[1] - w[0] != stride) {
            return None;
        }
    }
    let heads: Vec<i128> = numbers.iter().copied().step_by(run).collect();
    let mut all = vec![(stride, count)];
    all.extend(steps(&heads)?);
    Some(all)
}

impl Radix {
    /// What all digits below each stride add up to is less than it.
    fn is_unique(&self, pool: &mut Pool, lin: &mut Linear, members: &[i128]) -> bool {
        let mut below = Form::default();
        let mut own = members.iter();
        for digit in &self.digits {
            if lin.range(pool, &below).1 >= digit.stride {
                return false;
            }
            let value = match digit.kind {
                Kind::Param { var, count, turned: true } => {
                    Form::number(count - 1).less(&Form::atom(var))
                }
                Kind::Param { var, .. } => Some(Form::atom(var)),
                Kind::Members { .. } => own.next().map(|n| Form::number(*n)),
            };
            match value.and_then(|v| below.plus(&v, digit.stride)) {
                Some(sum) => below = sum,
                None => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_steps() {
        assert_eq!(steps(&[5]), Some(vec![]));
        assert_eq!(steps(&[0, 1, 2, 3]), Some(vec![(1, 4)]));
        assert_eq!(steps(&[0, 1, 100, 101, 200, 201]), Some(vec![(1, 2), (100, 3)]));
        assert_eq!(steps(&[0, 1, 3]), None);
        assert_eq!(steps(&[0, 0]), None);
        assert_eq!(steps(&[0, 1, 2, 10, 11, 13]), None);
    }
}
