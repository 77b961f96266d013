//! Questions about conditions: can this hold? Concrete values are tried first, then Z3.
//!
//! A sample that satisfies the condition answers at once, and most questions are answered so. Of Z3's answers only
//! `unsat` is believed: a model is evaluated ([`crate::term::evaluate`]) before it counts, since functions of the maths
//! library are uninterpreted there. Where neither decides, the answer is [`Answer::Open`], and whoever asks must go on as
//! if the condition could hold. Questions that are the same up to the names of their variables are asked once.

pub(crate) mod script;
mod z3;

use rustc_hash::FxHashMap;

use lockstep_cancel::{Cancel, Moment};
use lockstep_kernel::Ty;

use crate::term::evaluate::Evaluation;
use crate::term::walk::reachable;
use crate::term::{Node, Pool, T};

pub use z3::solver_failure;

/// Values of variables, by their number; those that are not there are 0.
pub(crate) type Model = FxHashMap<u32, u64>;

#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Never,
    /// It holds for these values.
    Sometimes(Model),
    Open,
}

/// Samples that every condition is tried on.
const SAMPLES: u64 = 12;
/// Terms of a question that Z3 is asked.
const LARGEST: usize = 20_000;
/// Bytes of a question whose answer is kept for others like it.
const KEPT: usize = 100_000;

pub(crate) struct Solver {
    samples: Vec<(u64, Evaluation)>,
    asked: FxHashMap<(T, bool), Answer>,
    /// What Z3 said, by the script and the work for it.
    said: FxHashMap<(String, u32), z3::Said>,
    /// What holds for every input that counts.
    assumed: Option<T>,
    pub(crate) deadline: Option<Moment>,
    pub(crate) cancel: Cancel,
    /// Z3's units of work for one question.
    work: u32,
    z3: Option<z3::Z3>,
    /// Questions that Z3 was asked.
    pub(crate) questions: u64,
    /// Questions after which Z3 is not asked any more.
    pub(crate) most: u64,
}

impl Solver {
    pub(crate) fn new(deadline: Option<Moment>, cancel: Cancel, work: u32) -> Solver {
        let samples = (0..SAMPLES).map(|i| (i, Evaluation::new())).collect();
        let asked = FxHashMap::default();
        Solver {
            samples,
            asked,
            said: FxHashMap::default(),
            assumed: None,
            deadline,
            cancel,
            work,
            z3: None,
            questions: 0,
            most: u64::MAX,
        }
    }

    /// From here on only inputs count for which the condition holds.
    pub(crate) fn assume(&mut self, pool: &mut Pool, condition: T) {
        self.assumed = Some(match self.assumed {
            Some(before) => pool.and(before, condition),
            None => condition,
        });
        self.asked.clear();
    }

    /// A condition, with what holds for every input that counts.
    pub(crate) fn also(&self, pool: &mut Pool, condition: T) -> T {
        match self.assumed {
            Some(assumed) => pool.and(assumed, condition),
            None => condition,
        }
    }

    pub(crate) fn is_late(&self) -> bool {
        self.cancel.is_cancelled() || self.deadline.is_some_and(Moment::is_past)
    }

    /// Whether the condition can hold.
    pub(crate) fn can(&mut self, pool: &mut Pool, condition: T) -> Answer {
        self.can_with(pool, condition, self.work)
    }

    pub(crate) fn can_with(&mut self, pool: &mut Pool, condition: T, work: u32) -> Answer {
        let condition = self.also(pool, condition);
        if pool.is_false(condition) {
            return Answer::Never;
        }
        let key = (condition, work > self.work);
        if let Some(known) = self.asked.get(&key) {
            return known.clone();
        }
        let answer = match self.sample(pool, condition) {
            Some(model) => Answer::Sometimes(model),
            None => self.ask(pool, condition, work),
        };
        self.asked.insert(key, answer.clone());
        answer
    }

    /// Values among the samples for which the condition holds.
    fn sample(&mut self, pool: &Pool, condition: T) -> Option<Model> {
        for (number, evaluation) in &mut self.samples {
            let of = |v: u32| sampled(pool, *number, v);
            if evaluation.value(pool, condition, &of) == 1 {
                let number = *number;
                let mut model = Model::default();
                for t in reachable(pool, &[condition], usize::MAX)? {
                    if let Node::Var(v) = pool.node(t) {
                        model.insert(*v, sampled(pool, number, *v));
                    }
                }
                return Some(model);
            }
        }
        None
    }

    fn ask(&mut self, pool: &Pool, condition: T, work: u32) -> Answer {
        if self.is_late() || self.questions >= self.most {
            return Answer::Open;
        }
        let Some(terms) = reachable(pool, &[condition], LARGEST) else { return Answer::Open };
        if terms.iter().any(|t| script::is_arithmetic(pool, *t)) {
            // First without knowing what floating-point arithmetic gives.
            let script = script::script(pool, &terms, condition, true);
            if let z3::Said::Unsat = self.said(script.text, work / 4) {
                return Answer::Never;
            }
        }
        let script::Script { text, variables } = script::script(pool, &terms, condition, false);
        match self.said(text, work) {
            z3::Said::Unsat => Answer::Never,
            z3::Said::Sat(values) => {
                let model: Model = variables.iter().copied().zip(values).collect();
                let of = |v: u32| model.get(&v).copied().unwrap_or(0);
                match Evaluation::new().value(pool, condition, &of) {
                    1 => Answer::Sometimes(model),
                    _ => Answer::Open,
                }
            }
            z3::Said::Unknown => Answer::Open,
        }
    }

    /// What Z3 says to a script.
    fn said(&mut self, text: String, work: u32) -> z3::Said {
        let key = (text, work);
        if let Some(known) = self.said.get(&key) {
            return known.clone();
        }
        let Some(z3) = self.z3.get_or_insert_with(z3::Z3::new).ready() else {
            return z3::Said::Unknown;
        };
        self.questions += 1;
        let left = self.deadline.map(Moment::wall_time_left);
        let said = z3.ask(&key.0, work, left, &self.cancel);
        // Where the time ran out, there may be more of it for the next one.
        if key.0.len() <= KEPT && !(self.is_late() && matches!(said, z3::Said::Unknown)) {
            self.said.insert(key, said.clone());
        }
        said
    }
}

/// A sample's value of a variable: numbers that differ between variables, and some that are special.
fn sampled(pool: &Pool, sample: u64, v: u32) -> u64 {
    let ty = pool.variable_type(v);
    if let Some((low, high)) = pool.counter_range(v) {
        let count = high.abs_diff(low).saturating_add(1);
        let place = match sample {
            0 => 0,
            1 => count - 1,
            2 => 1 % count,
            _ => mix(sample << 32 | u64::from(v)) % count,
        };
        return low.wrapping_add_unsigned(place) as u64 & ty.mask();
    }
    let mixed = mix(sample << 32 | u64::from(v));
    match (sample, ty) {
        (0, _) => 0,
        (1, Ty::F16) => 0x3c00,
        (1, Ty::F32) => u64::from(1f32.to_bits()),
        (1, Ty::F64) => 1f64.to_bits(),
        (1, _) => 1,
        // Ascending, and descending.
        (2, _) => whole(ty, u64::from(v) + 1),
        (3, _) => whole(ty, 1_000_000 - u64::from(v).min(999_999)),
        (4..=6, _) => whole(ty, mixed % 16),
        (7, Ty::F16 | Ty::F32 | Ty::F64) => whole(ty, mixed % 256) | 1 << (ty.bits() - 1),
        (7, _) => (mixed % 256).wrapping_neg(),
        (8, Ty::F16 | Ty::F32 | Ty::F64) => lockstep_kernel::semantics::bits::real_bits(
            ty,
            (mixed >> 11) as f64 / (1u64 << 53) as f64,
        ),
        _ => mixed,
    }
}

fn whole(ty: Ty, n: u64) -> u64 {
    if ty.is_float() { lockstep_kernel::semantics::bits::real_bits(ty, n as f64) } else { n }
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
