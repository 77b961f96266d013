//! Other parameters for a family: where an index is made of `g / k` and `g % k`, row and column in place of `g`.

use rustc_hash::FxHashMap;

use lockstep_kernel::{CastOp, CmpOp, IntOp, Ty};

use super::layers::{Member, Place};
use crate::linear::{Form, Linear, replaced};
use crate::term::{Node, Pool, T};

/// A family with other parameters.
pub(crate) struct Renamed {
    pub(crate) params: Vec<T>,
    pub(crate) members: Vec<Member>,
}

/// The family with a quotient of its index as a parameter: `g`, which some of the parameters are the digits of, is
/// `k * quotient + remainder`.
pub(crate) fn renamed(pool: &mut Pool, params: &[T], members: &[Member]) -> Option<Renamed> {
    let first = members.first()?;
    let mut lin = Linear::under(pool, first.guard);
    let form = lin.form(pool, first.index);
    let quotients = form.terms.iter().filter_map(|(t, _)| lin.quotient_of(*t).cloned());
    let quotients: Vec<(Form, i128)> = quotients.collect();
    let (digits, by) =
        quotients.into_iter().find_map(|(x, by)| digits(pool, params, &x).map(|d| (d, by)))?;
    let total: i128 = digits.iter().map(|(_, count)| count).product();
    let last = i64::try_from(total - 1).ok()?;
    let by = i64::try_from(by).ok()?;
    let high = pool.counter("row", Ty::I64, 0, last / by);
    let low = pool.counter("column", Ty::I64, 0, by - 1);
    let k = pool.constant(Ty::I64, by as u64);
    let whole = pool.int(IntOp::Mul, high, k);
    let whole = pool.int(IntOp::Add, whole, low);
    let end = pool.constant(Ty::I64, last as u64);
    let beyond = pool.cmp(CmpOp::SLt, end, whole);
    let within = pool.not(beyond);
    let mut map: FxHashMap<T, T> = FxHashMap::default();
    let mut stride = 1i128;
    for &(var, count) in &digits {
        let stride_term = pool.constant(Ty::I64, u64::try_from(stride).ok()?);
        let count_term = pool.constant(Ty::I64, u64::try_from(count).ok()?);
        let mut digit = pool.int(IntOp::UDiv, whole, stride_term);
        stride *= count;
        if stride < total {
            digit = pool.int(IntOp::URem, digit, count_term);
        }
        let ty = pool.ty(var);
        map.insert(var, pool.cast(CastOp::Trunc, digit, ty));
    }
    let is_variable = |pool: &Pool, t: T| matches!(pool.node(t), Node::Var(_));
    let kept = params.iter().copied().filter(|p| !map.contains_key(p));
    let new = [high, low].into_iter().filter(|t| is_variable(pool, *t));
    let params: Vec<T> = kept.chain(new).collect();
    let members = members.iter().map(|m| {
        let mut of = |t: T| replaced(pool, t, &map);
        let place = Place {
            thread: m.place.thread.map(&mut of),
            block: m.place.block.map(&mut of),
            ..m.place
        };
        let (guard, index, value) = (of(m.guard), of(m.index), of(m.value));
        Member { guard: pool.and(guard, within), index, value, place, ..*m }
    });
    let members = members.collect();
    Some(Renamed { params, members })
}

/// The parameters that a form is made of, the smallest stride first, where it is each number up to its last once.
fn digits(pool: &Pool, params: &[T], x: &Form) -> Option<Vec<(T, i128)>> {
    let mut terms = x.terms.clone();
    terms.sort_by_key(|(_, n)| *n);
    let mut stride = 1;
    let mut out = Vec::new();
    for (t, n) in terms {
        let Node::Var(v) = *pool.node(t) else { return None };
        let (low, high) = pool.counter_range(v).filter(|_| params.contains(&t))?;
        if n != stride || low != 0 {
            return None;
        }
        let count = i128::from(high) + 1;
        stride *= count;
        out.push((t, count));
    }
    (x.constant == 0 && !out.is_empty()).then_some(out)
}
