//! Queries restricted to one launch: the dimensions of a usual launch are substituted, which leaves a small query.

use crate::decide::intervals;
use crate::decide::program::Program;
use crate::launch::context::{Ctx, VarKind};
use crate::smt::z3::{self, Answer, Effort, Theory};
use crate::term::walk::{Assignment, Substitution, reachable};
use crate::term::{Node, T, VarId};

/// Work limit for one launch that is tried.
const TRIAL_WORK: u32 = 60;

/// A conjunction for one launch: some variables have fixed values.
pub(crate) struct Trial {
    values: Vec<(VarId, u64)>,
    list: Vec<T>,
}

/// Dimensions, and values of scalars where they are fixed too, of launches that show most alarms: small ones, and one
/// whose indices overflow.
const LAUNCHES: [([u64; 3], [u64; 3], Option<u64>); 4] = [
    ([4, 4, 2], [2, 2, 2], Some(3)),
    ([4, 4, 2], [2, 2, 2], None),
    ([32, 8, 1], [8, 8, 1], Some(1024)),
    ([1024, 1, 1], [1 << 23, 4, 1], None),
];

/// The conjunction with dimensions substituted. Products of unknown dimensions are hard for the solver, and a model for
/// one launch is a model.
pub(crate) fn trials(ctx: &mut Ctx, key: &[T]) -> Vec<Trial> {
    let (mut dims, mut scalars) = (Vec::new(), Vec::new());
    for t in reachable(&ctx.pool, key) {
        if let Node::Var(v) = *ctx.pool.node(t) {
            match ctx.vars[v.0 as usize].0 {
                VarKind::BlockDim(a) => dims.push((v, t, true, usize::from(a))),
                VarKind::GridDim(a) => dims.push((v, t, false, usize::from(a))),
                VarKind::Param(..) | VarKind::Positive(_) => scalars.push((v, t)),
                _ => {}
            }
        }
    }
    if dims.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (block, grid, scalar) in LAUNCHES {
        let mut s = Substitution::default();
        let mut values = Vec::new();
        let wanted = dims
            .iter()
            .map(|&(v, t, of_block, axis)| (v, t, if of_block { block[axis] } else { grid[axis] }));
        let fixed = scalars.iter().filter_map(|&(v, t)| scalar.map(|n| (v, t, n)));
        for (v, t, wanted) in wanted.chain(fixed) {
            let range = ctx.pool.range(t);
            let value = wanted.clamp(range.ulo, range.uhi);
            values.push((v, value));
            let w = ctx.pool.width(t);
            let c = ctx.pool.constant(value, w);
            s.vars.insert(v, c);
        }
        let mut list: Vec<T> = key.iter().map(|&t| s.apply(&mut ctx.pool, t)).collect();
        list.retain(|&t| !ctx.pool.is_true(t));
        if !list.iter().any(|&t| ctx.pool.is_false(t)) {
            out.push(Trial { values, list });
        }
    }
    out
}

/// The answer to a query restricted to one launch.
pub(crate) fn short(ctx: &Ctx, list: &[T], effort: Effort) -> (Answer, u64) {
    match intervals::decide(&Program::new(&ctx.pool, list)) {
        Answer::Unknown => z3::check(&ctx.pool, list, Theory::Bits, effort.at_most(TRIAL_WORK)),
        known => (known, 0),
    }
}

/// A model of the conjunction from one of the trials.
pub(crate) fn attempt(
    ctx: &Ctx,
    key: &[T],
    trials: &[Trial],
    effort: Effort,
) -> (Option<Assignment>, u64) {
    let mut work = 0;
    for trial in trials {
        let (answer, more) = short(ctx, &trial.list, effort);
        work += more;
        if let Answer::Sat(mut m) = answer {
            m.vars.extend(trial.values.iter().copied());
            if holds(ctx, key, &m) {
                return (Some(m), work);
            }
        }
    }
    (None, work)
}

/// Whether the assignment satisfies all assertions.
pub(crate) fn holds(ctx: &Ctx, assertions: &[T], m: &Assignment) -> bool {
    assertions.iter().all(|&t| m.eval(&ctx.pool, t) == 1)
}
