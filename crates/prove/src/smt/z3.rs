//! The solver: queries to Z3 through the functions of [`crate::smt::z3_api`].
//!
//! A query is translated to bit-vectors ([`crate::smt::bits`]) or to integers ([`crate::smt::integers`]); bit-vectors
//! can be given to either of two strategies of Z3 ([`Theory`]). The limit is in Z3's own units, so that the answer to a
//! query does not depend on the machine or its load; the clock only ends a query when the time for the whole kernel has
//! run out.
//!
//! Each query has a context of its own, so queries run on any thread and the result of one cannot depend on another.
//! Only `unsat` is taken as a proof, and a model only counts after the query has been evaluated under it
//! ([`crate::decide::solve`]).

use std::ffi::{CStr, CString, c_int, c_uint};

use crate::meter::Meter;
use crate::smt::bits::Bits;
use crate::smt::integers::Integers;
use crate::smt::z3_api::*;
use crate::term::walk::{Assignment, reachable};
use crate::term::{Node, Pool, T};
use lockstep_cancel::{Cancel, Moment};

impl Theory {
    /// The solver's own units in one unit of our limits.
    fn unit(self) -> u32 {
        match self {
            Theory::Bits | Theory::Blasted => 1000,
            Theory::Integers => 250,
        }
    }
}

/// Branchings of the search over integers for one cut. Cuts of cuts have coefficients of thousands of digits, and the
/// time for these is not counted in the solver's units: with the usual ratio a query took 44 s instead of 40 ms.
const BRANCHES: c_uint = 100;

/// The longest time limit passed to the solver, in milliseconds; a longer one is no limit at all.
const LONGEST: u128 = 3_600_000;

/// The limits of one query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort<'a> {
    /// Work limit in units of about a millisecond, a multiple of the solver's own units ([`Theory::unit`]).
    pub(crate) work: u32,
    /// The end of the time for the whole kernel.
    pub(crate) deadline: Moment,
    /// Counts the work. A single query does not check whether the budget is spent: others may be running.
    pub(crate) meter: &'a Meter,
    pub(crate) cancel: &'a Cancel,
}

impl<'a> Effort<'a> {
    pub(crate) fn at_most(self, work: u32) -> Effort<'a> {
        Effort { work: self.work.min(work), ..self }
    }

    pub(crate) fn is_over(self) -> bool {
        self.cancel.is_cancelled() || self.deadline.is_past()
    }
}

/// The solver's answer for a conjunction.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Unsat,
    Sat(Assignment),
    Unknown,
}

/// Errors are seen as null results; without a handler of our own Z3 would end the process.
extern "C" fn ignore_error(_: Context, _: c_int) {}

/// A context that another thread may interrupt.
struct Running(Context);

// SAFETY: only `Z3_interrupt` is called through it, which is made to be called from other threads.
unsafe impl Send for Running {}

impl Running {
    fn interrupt(&self) {
        // SAFETY: the context lives as long as the wait that calls this.
        unsafe { Z3_interrupt(self.0) }
    }
}

/// A translation of terms for the solver.
pub(crate) trait Language {
    /// A condition.
    ///
    /// # Safety
    /// The context it was made for is alive.
    unsafe fn assertion(&mut self, t: T) -> Ast;
    /// The definitions that must be asserted as well.
    fn definitions(&mut self) -> Vec<Ast>;
    /// Whether the solver is likely to decide the query.
    fn is_worth_asking(&self) -> bool;
    /// The value of a term in a model.
    ///
    /// # Safety
    /// The model is of the same context, which is alive.
    unsafe fn value_in(&self, m: Model, t: T) -> Option<u64>;
}

/// The available translations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theory {
    Bits,
    Integers,
    /// Bit-vectors again, bit-blasted completely and given to a SAT solver.
    Blasted,
}

/// Whether the conjunction of `assertions` is satisfiable, and the work it took, in the units of [`Effort::work`].
pub(crate) fn check(
    pool: &Pool,
    assertions: &[T],
    theory: Theory,
    effort: Effort<'_>,
) -> (Answer, u64) {
    if effort.is_over() || missing().is_some() {
        return (Answer::Unknown, 0);
    }
    crate::smt::z3_room::make();
    // SAFETY: the context and all that is made in it live until the end of this function and are used by this
    // thread alone, but for `Z3_interrupt`, which may come from any; a context made with `Z3_mk_context` keeps every
    // term alive by itself, so terms need no counts.
    unsafe {
        let config = Z3_mk_config();
        let c = Z3_mk_context(config);
        Z3_del_config(config);
        Z3_set_error_handler(c, Some(ignore_error));
        let running = Running(c);
        let wait = effort.cancel.on_cancel(move || running.interrupt());
        let answer = match theory {
            Theory::Bits | Theory::Blasted => {
                check_in(c, theory, Bits::new(c, pool), pool, assertions, effort)
            }
            Theory::Integers => {
                check_in(c, theory, Integers::new(c, pool), pool, assertions, effort)
            }
        };
        drop(wait);
        Z3_del_context(c);
        answer
    }
}

unsafe fn check_in(
    c: Context,
    theory: Theory,
    mut language: impl Language,
    pool: &Pool,
    assertions: &[T],
    effort: Effort<'_>,
) -> (Answer, u64) {
    // SAFETY: the context is alive, and all terms are of it.
    unsafe {
        let mut said: Vec<Ast> = assertions.iter().map(|&t| language.assertion(t)).collect();
        said.extend(language.definitions());
        if said.iter().any(|a| a.is_null()) || !language.is_worth_asking() {
            return (Answer::Unknown, 0);
        }
        let Some(s) = solver(c, theory) else { return (Answer::Unknown, 0) };
        let p = Z3_mk_params(c);
        Z3_params_inc_ref(c, p);
        let left = effort.deadline.wall_time_left().as_millis();
        if left < LONGEST {
            Z3_params_set_uint(c, p, symbol(c, "timeout"), left.max(1) as c_uint);
        }
        let unit = theory.unit();
        let work = effort.work.saturating_mul(unit).max(unit);
        Z3_params_set_uint(c, p, symbol(c, "rlimit"), work);
        Z3_params_set_uint(c, p, symbol(c, "random_seed"), 7);
        if theory == Theory::Integers {
            Z3_params_set_uint(c, p, symbol(c, "arith.branch_cut_ratio"), BRANCHES);
        }
        Z3_solver_set_params(c, s, p);
        Z3_params_dec_ref(c, p);
        for ast in said {
            Z3_solver_assert(c, s, ast);
        }
        let answer = match Z3_solver_check(c, s) {
            -1 => Answer::Unsat,
            1 => {
                let m = Z3_solver_get_model(c, s);
                if m.is_null() {
                    Answer::Unknown
                } else {
                    Z3_model_inc_ref(c, m);
                    let a = assignment(&language, pool, m, assertions);
                    Z3_model_dec_ref(c, m);
                    a.map_or(Answer::Unknown, Answer::Sat)
                }
            }
            _ => Answer::Unknown,
        };
        let spent = work_done(c, s).div_ceil(u64::from(unit));
        Z3_solver_dec_ref(c, s);
        (answer, spent)
    }
}

/// A solver with one search over all theories, without Z3's pipelines for single theories. Our queries are many and
/// small: setting up these pipelines takes longer than the search, and at the same work they decide fewer. Of the few
/// hard queries, the pipeline for bit-vectors decides some that the search does not.
unsafe fn solver(c: Context, theory: Theory) -> Option<Solver> {
    let tactic = match theory {
        Theory::Bits | Theory::Integers => c"smt",
        Theory::Blasted => c"qfufbv",
    };
    // SAFETY: the context is alive, and all terms are of it.
    unsafe {
        let search = Z3_mk_tactic(c, tactic.as_ptr());
        if search.is_null() {
            return None;
        }
        Z3_tactic_inc_ref(c, search);
        let s = Z3_mk_solver_from_tactic(c, search);
        if !s.is_null() {
            Z3_solver_inc_ref(c, s);
        }
        Z3_tactic_dec_ref(c, search);
        (!s.is_null()).then_some(s)
    }
}

/// The model's values of all variables and applications below the assertions.
unsafe fn assignment(
    language: &impl Language,
    pool: &Pool,
    m: Model,
    assertions: &[T],
) -> Option<Assignment> {
    let mut out = Assignment::default();
    let terms = reachable(pool, assertions);
    for &t in &terms {
        match pool.node(t) {
            Node::Var(v) => {
                // SAFETY: the model is of the context, which is alive.
                out.vars.insert(*v, unsafe { language.value_in(m, t)? });
            }
            Node::App(f, args) => {
                let values: Option<Vec<u64>> =
                    // SAFETY: the model is of the context, which is alive.
                    args.iter().map(|&a| unsafe { language.value_in(m, a) }).collect();
                // SAFETY: the model is of the context, which is alive.
                out.apps.insert((*f, values?), unsafe { language.value_in(m, t)? });
            }
            _ => {}
        }
    }
    Some(out)
}

/// The work that the solver has done, in its own units.
unsafe fn work_done(c: Context, s: Solver) -> u64 {
    // SAFETY: the context is alive, and all terms are of it.
    unsafe {
        let stats = Z3_solver_get_statistics(c, s);
        if stats.is_null() {
            return 0;
        }
        Z3_stats_inc_ref(c, stats);
        let named = |i: &c_uint| {
            let key = Z3_stats_get_key(c, stats, *i);
            Z3_stats_is_uint(c, stats, *i)
                && !key.is_null()
                && CStr::from_ptr(key).to_bytes() == b"rlimit count"
        };
        let spent = (0..Z3_stats_size(c, stats))
            .find(named)
            .map_or(0, |i| u64::from(Z3_stats_get_uint_value(c, stats, i)));
        Z3_stats_dec_ref(c, stats);
        spent
    }
}

pub(crate) unsafe fn symbol(c: Context, name: &str) -> Symbol {
    let name = CString::new(name).expect("no zero byte in a name of ours");
    // SAFETY: the context is alive, and all terms are of it.
    unsafe { Z3_mk_string_symbol(c, name.as_ptr()) }
}
