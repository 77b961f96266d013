//! The solver: a small binding of Z3's C API, and the translation of terms.
//!
//! Only what is needed: bit-vector terms, uninterpreted functions, one solver with a limit of work, values of a model.
//! The limit is in Z3's own units, so that the answer to a question does not depend on the machine or on what else runs
//! there; the clock only ends a question when the time for the whole kernel is over.
//!
//! Each query has a context of its own, so queries run on any thread and the result of one cannot depend on
//! another's. Whatever Z3 answers other than `unsat` is never taken as a proof, and a model is only believed
//! after the query has been evaluated under it ([`crate::solve`]).

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::time::Instant;

use lockstep_cancel::Cancel;
use rustc_hash::FxHashMap;

use crate::term::{Bin, FnId, Node, Pool, T, mask};
use crate::walk::{Assignment, children, reachable};

type Config = *mut c_void;
type Context = *mut c_void;
type Sort = *mut c_void;
type Symbol = *mut c_void;
type Ast = *mut c_void;
type FuncDecl = *mut c_void;
type Params = *mut c_void;
type Solver = *mut c_void;
type Model = *mut c_void;
type Stats = *mut c_void;

#[link(name = "z3")]
unsafe extern "C" {
    fn Z3_mk_config() -> Config;
    fn Z3_del_config(c: Config);
    fn Z3_mk_context(c: Config) -> Context;
    fn Z3_del_context(c: Context);
    fn Z3_interrupt(c: Context);
    fn Z3_set_error_handler(c: Context, h: Option<extern "C" fn(Context, c_int)>);
    fn Z3_mk_string_symbol(c: Context, s: *const c_char) -> Symbol;
    fn Z3_mk_int_symbol(c: Context, i: c_int) -> Symbol;
    fn Z3_mk_bv_sort(c: Context, bits: c_uint) -> Sort;
    fn Z3_mk_const(c: Context, s: Symbol, ty: Sort) -> Ast;
    fn Z3_mk_func_decl(
        c: Context,
        s: Symbol,
        n: c_uint,
        domain: *const Sort,
        range: Sort,
    ) -> FuncDecl;
    fn Z3_mk_app(c: Context, d: FuncDecl, n: c_uint, args: *const Ast) -> Ast;
    fn Z3_mk_unsigned_int64(c: Context, v: u64, ty: Sort) -> Ast;
    fn Z3_mk_eq(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_not(c: Context, a: Ast) -> Ast;
    fn Z3_mk_and(c: Context, n: c_uint, a: *const Ast) -> Ast;
    fn Z3_mk_or(c: Context, n: c_uint, a: *const Ast) -> Ast;
    fn Z3_mk_xor(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_true(c: Context) -> Ast;
    fn Z3_mk_false(c: Context) -> Ast;
    fn Z3_mk_ite(c: Context, i: Ast, t: Ast, e: Ast) -> Ast;
    fn Z3_mk_bvadd(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvmul(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvudiv(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvurem(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvsdiv(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvsrem(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvand(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvor(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvxor(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvshl(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvlshr(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvashr(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvult(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvslt(c: Context, a: Ast, b: Ast) -> Ast;
    fn Z3_mk_bvneg(c: Context, a: Ast) -> Ast;
    fn Z3_mk_zero_ext(c: Context, i: c_uint, a: Ast) -> Ast;
    fn Z3_mk_sign_ext(c: Context, i: c_uint, a: Ast) -> Ast;
    fn Z3_mk_extract(c: Context, hi: c_uint, lo: c_uint, a: Ast) -> Ast;
    fn Z3_mk_params(c: Context) -> Params;
    fn Z3_params_inc_ref(c: Context, p: Params);
    fn Z3_params_dec_ref(c: Context, p: Params);
    fn Z3_params_set_uint(c: Context, p: Params, k: Symbol, v: c_uint);
    fn Z3_mk_solver_for_logic(c: Context, logic: Symbol) -> Solver;
    fn Z3_solver_inc_ref(c: Context, s: Solver);
    fn Z3_solver_dec_ref(c: Context, s: Solver);
    fn Z3_solver_set_params(c: Context, s: Solver, p: Params);
    fn Z3_solver_assert(c: Context, s: Solver, a: Ast);
    fn Z3_solver_check(c: Context, s: Solver) -> c_int;
    fn Z3_solver_get_model(c: Context, s: Solver) -> Model;
    fn Z3_solver_get_statistics(c: Context, s: Solver) -> Stats;
    fn Z3_stats_inc_ref(c: Context, s: Stats);
    fn Z3_stats_dec_ref(c: Context, s: Stats);
    fn Z3_stats_size(c: Context, s: Stats) -> c_uint;
    fn Z3_stats_get_key(c: Context, s: Stats, i: c_uint) -> *const c_char;
    fn Z3_stats_is_uint(c: Context, s: Stats, i: c_uint) -> bool;
    fn Z3_stats_get_uint_value(c: Context, s: Stats, i: c_uint) -> c_uint;
    fn Z3_model_inc_ref(c: Context, m: Model);
    fn Z3_model_dec_ref(c: Context, m: Model);
    fn Z3_model_eval(c: Context, m: Model, t: Ast, completion: bool, v: *mut Ast) -> bool;
    fn Z3_get_numeral_uint64(c: Context, v: Ast, u: *mut u64) -> bool;
    fn Z3_get_bool_value(c: Context, a: Ast) -> c_int;
}

/// The solver's own units in one unit of our limits.
const UNIT: u32 = 1000;

/// The longest time that is told to the solver, in milliseconds; beyond it there is no limit of time at all.
const LONGEST: u128 = 3_600_000;

/// How far one question may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort<'a> {
    /// In thousands of the solver's own units of work, about a millisecond each.
    pub(crate) work: u32,
    /// When the time for the whole kernel is over.
    pub(crate) deadline: Instant,
    pub(crate) cancel: &'a Cancel,
}

impl<'a> Effort<'a> {
    pub(crate) fn at_most(self, work: u32) -> Effort<'a> {
        Effort { work: self.work.min(work), ..self }
    }

    pub(crate) fn is_over(self) -> bool {
        self.cancel.is_cancelled() || Instant::now() >= self.deadline
    }
}

/// What the solver said of a conjunction.
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

/// Whether the conjunction of `assertions` has a model, and the work it took, in the units of [`Effort::work`].
pub(crate) fn check(pool: &Pool, assertions: &[T], effort: Effort<'_>) -> (Answer, u64) {
    if effort.is_over() {
        return (Answer::Unknown, 0);
    }
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
        let answer = check_in(c, pool, assertions, effort);
        drop(wait);
        Z3_del_context(c);
        answer
    }
}

unsafe fn check_in(c: Context, pool: &Pool, assertions: &[T], effort: Effort<'_>) -> (Answer, u64) {
    unsafe {
        let mut tr = Translation { c, pool, done: FxHashMap::default(), fns: FxHashMap::default() };
        let logic =
            if reachable(pool, assertions).iter().any(|&t| matches!(pool.node(t), Node::App(..))) {
                "QF_UFBV"
            } else {
                "QF_BV"
            };
        let s = Z3_mk_solver_for_logic(c, symbol(c, logic));
        if s.is_null() {
            return (Answer::Unknown, 0);
        }
        Z3_solver_inc_ref(c, s);
        let p = Z3_mk_params(c);
        Z3_params_inc_ref(c, p);
        let left = effort.deadline.saturating_duration_since(Instant::now()).as_millis();
        if left < LONGEST {
            Z3_params_set_uint(c, p, symbol(c, "timeout"), left.max(1) as c_uint);
        }
        let work = effort.work.saturating_mul(UNIT).max(UNIT);
        Z3_params_set_uint(c, p, symbol(c, "rlimit"), work);
        Z3_params_set_uint(c, p, symbol(c, "random_seed"), 7);
        Z3_solver_set_params(c, s, p);
        Z3_params_dec_ref(c, p);
        let mut ok = true;
        for &a in assertions {
            let ast = tr.boolean(a);
            ok &= !ast.is_null();
            if ok {
                Z3_solver_assert(c, s, ast);
            }
        }
        let answer = if !ok {
            Answer::Unknown
        } else {
            match Z3_solver_check(c, s) {
                -1 => Answer::Unsat,
                1 => {
                    let m = Z3_solver_get_model(c, s);
                    if m.is_null() {
                        Answer::Unknown
                    } else {
                        Z3_model_inc_ref(c, m);
                        let a = tr.assignment(m, assertions);
                        Z3_model_dec_ref(c, m);
                        a.map_or(Answer::Unknown, Answer::Sat)
                    }
                }
                _ => Answer::Unknown,
            }
        };
        let spent = work_done(c, s);
        Z3_solver_dec_ref(c, s);
        (answer, spent)
    }
}

/// The work that the solver has done, in the units of [`Effort::work`].
unsafe fn work_done(c: Context, s: Solver) -> u64 {
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
        spent.div_ceil(u64::from(UNIT))
    }
}

unsafe fn symbol(c: Context, name: &str) -> Symbol {
    let name = CString::new(name).expect("no zero byte in a name of ours");
    unsafe { Z3_mk_string_symbol(c, name.as_ptr()) }
}

/// Terms of width 1 are Z3's booleans, all others its bit-vectors.
struct Translation<'a> {
    c: Context,
    pool: &'a Pool,
    done: FxHashMap<T, Ast>,
    fns: FxHashMap<(FnId, u32), FuncDecl>,
}

impl Translation<'_> {
    unsafe fn boolean(&mut self, t: T) -> Ast {
        debug_assert_eq!(self.pool.width(t), 1);
        unsafe { self.term(t) }
    }

    unsafe fn term(&mut self, root: T) -> Ast {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.done.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            children(self.pool.node(t), |c| {
                if !self.done.contains_key(&c) {
                    stack.push(c);
                }
            });
            if stack.len() > before {
                continue;
            }
            let ast = unsafe { self.build(t) };
            self.done.insert(t, ast);
            stack.pop();
        }
        self.done[&root]
    }

    unsafe fn sort(&self, width: u32) -> Sort {
        unsafe { Z3_mk_bv_sort(self.c, width) }
    }

    /// A boolean as a bit-vector of one bit, or the bit-vector itself.
    unsafe fn vector(&self, t: T) -> Ast {
        let a = self.done[&t];
        if self.pool.width(t) != 1 {
            return a;
        }
        unsafe {
            let s = self.sort(1);
            Z3_mk_ite(
                self.c,
                a,
                Z3_mk_unsigned_int64(self.c, 1, s),
                Z3_mk_unsigned_int64(self.c, 0, s),
            )
        }
    }

    unsafe fn boolean_or_vector(&self, a: Ast, width: u32) -> Ast {
        if width != 1 {
            return a;
        }
        unsafe { Z3_mk_eq(self.c, a, Z3_mk_unsigned_int64(self.c, 1, self.sort(1))) }
    }

    unsafe fn build(&mut self, t: T) -> Ast {
        let c = self.c;
        let w = self.pool.width(t);
        unsafe {
            match self.pool.node(t) {
                Node::Const(v) if w == 1 => {
                    if *v == 1 {
                        Z3_mk_true(c)
                    } else {
                        Z3_mk_false(c)
                    }
                }
                Node::Const(v) => Z3_mk_unsigned_int64(c, *v, self.sort(w)),
                Node::Var(v) => {
                    let name = Z3_mk_int_symbol(c, v.0 as c_int);
                    let a = Z3_mk_const(c, name, self.sort(w));
                    self.boolean_or_vector(a, w)
                }
                Node::App(f, args) => {
                    let asts: Vec<Ast> = args.iter().map(|&a| self.vector(a)).collect();
                    let widths: Vec<u32> = args.iter().map(|&a| self.pool.width(a)).collect();
                    let key = (*f, w);
                    let decl = match self.fns.get(&key) {
                        Some(d) => *d,
                        None => {
                            let sorts: Vec<Sort> = widths.iter().map(|&w| self.sort(w)).collect();
                            let name = symbol(c, &format!("f{}w{w}", f.0));
                            let d = Z3_mk_func_decl(
                                c,
                                name,
                                sorts.len() as c_uint,
                                sorts.as_ptr(),
                                self.sort(w),
                            );
                            self.fns.insert(key, d);
                            d
                        }
                    };
                    let a = Z3_mk_app(c, decl, asts.len() as c_uint, asts.as_ptr());
                    self.boolean_or_vector(a, w)
                }
                Node::Lin(constant, terms) => {
                    let s = self.sort(w);
                    let mut sum: Ast = null_mut();
                    let mut push = |a: Ast| {
                        sum = if sum.is_null() { a } else { Z3_mk_bvadd(c, sum, a) };
                    };
                    for &(atom, k) in terms.iter() {
                        let a = self.vector(atom);
                        push(if k == 1 {
                            a
                        } else if k == mask(w) {
                            Z3_mk_bvneg(c, a)
                        } else {
                            Z3_mk_bvmul(c, Z3_mk_unsigned_int64(c, k, s), a)
                        });
                    }
                    if *constant != 0 {
                        push(Z3_mk_unsigned_int64(c, *constant, s));
                    }
                    self.boolean_or_vector(sum, w)
                }
                Node::Bin(op, a, b) => self.bin(*op, *a, *b, w),
                Node::Ite(i, a, b) => Z3_mk_ite(c, self.done[i], self.done[a], self.done[b]),
                Node::ZExt(a) => Z3_mk_zero_ext(c, w - self.pool.width(*a), self.vector(*a)),
                Node::SExt(a) => Z3_mk_sign_ext(c, w - self.pool.width(*a), self.vector(*a)),
                Node::Trunc(a) => {
                    let low = Z3_mk_extract(c, w - 1, 0, self.vector(*a));
                    self.boolean_or_vector(low, w)
                }
            }
        }
    }

    unsafe fn bin(&mut self, op: Bin, a: T, b: T, w: u32) -> Ast {
        let c = self.c;
        let own = self.pool.width(a);
        unsafe {
            if own == 1 {
                let pair = [self.done[&a], self.done[&b]];
                match op {
                    Bin::And | Bin::Mul => return Z3_mk_and(c, 2, pair.as_ptr()),
                    Bin::Or => return Z3_mk_or(c, 2, pair.as_ptr()),
                    Bin::Xor => return Z3_mk_xor(c, pair[0], pair[1]),
                    Bin::Eq => return Z3_mk_eq(c, pair[0], pair[1]),
                    Bin::Ult => {
                        let pair = [Z3_mk_not(c, pair[0]), pair[1]];
                        return Z3_mk_and(c, 2, pair.as_ptr());
                    }
                    _ => {}
                }
            }
            let (x, y) = (self.vector(a), self.vector(b));
            let ast = match op {
                Bin::Mul => Z3_mk_bvmul(c, x, y),
                Bin::UDiv => Z3_mk_bvudiv(c, x, y),
                Bin::URem => Z3_mk_bvurem(c, x, y),
                // SMT-LIB's signed division by zero is 1 for negative dividends; ours is all ones.
                Bin::SDiv => {
                    let s = self.sort(own);
                    let zero = Z3_mk_unsigned_int64(c, 0, s);
                    let ones = Z3_mk_unsigned_int64(c, mask(own), s);
                    Z3_mk_ite(c, Z3_mk_eq(c, y, zero), ones, Z3_mk_bvsdiv(c, x, y))
                }
                Bin::SRem => Z3_mk_bvsrem(c, x, y),
                Bin::And => Z3_mk_bvand(c, x, y),
                Bin::Or => Z3_mk_bvor(c, x, y),
                Bin::Xor => Z3_mk_bvxor(c, x, y),
                Bin::Shl => Z3_mk_bvshl(c, x, y),
                Bin::LShr => Z3_mk_bvlshr(c, x, y),
                Bin::AShr => Z3_mk_bvashr(c, x, y),
                Bin::Eq => return Z3_mk_eq(c, x, y),
                Bin::Ult => return Z3_mk_bvult(c, x, y),
                Bin::Slt => return Z3_mk_bvslt(c, x, y),
            };
            self.boolean_or_vector(ast, w)
        }
    }

    /// The model's values of all variables and applications below the assertions.
    unsafe fn assignment(&self, m: Model, assertions: &[T]) -> Option<Assignment> {
        let mut out = Assignment::default();
        let terms = reachable(self.pool, assertions);
        for &t in &terms {
            match self.pool.node(t) {
                Node::Var(v) => {
                    out.vars.insert(*v, unsafe { self.value(m, t)? });
                }
                Node::App(f, args) => {
                    let values: Option<Vec<u64>> =
                        args.iter().map(|&a| unsafe { self.value(m, a) }).collect();
                    out.apps.insert((*f, values?), unsafe { self.value(m, t)? });
                }
                _ => {}
            }
        }
        Some(out)
    }

    unsafe fn value(&self, m: Model, t: T) -> Option<u64> {
        let c = self.c;
        unsafe {
            let mut v: Ast = null_mut();
            if !Z3_model_eval(c, m, self.done[&t], true, &raw mut v) || v.is_null() {
                return None;
            }
            if self.pool.width(t) == 1 {
                return match Z3_get_bool_value(c, v) {
                    1 => Some(1),
                    -1 => Some(0),
                    _ => None,
                };
            }
            let mut n = 0u64;
            Z3_get_numeral_uint64(c, v, &raw mut n).then_some(n)
        }
    }
}
