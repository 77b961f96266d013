//! Terms as bit-vectors: the exact translation for the solver.

use std::ffi::{c_int, c_uint};
use std::ptr::null_mut;

use rustc_hash::FxHashMap;

use crate::smt::z3::{Language, symbol};
use crate::smt::z3_api::*;
use crate::term::walk::children;
use crate::term::{Bin, FnId, Node, Pool, T, mask};

/// Terms of width 1 are Z3's booleans, all others its bit-vectors.
pub(crate) struct Bits<'a> {
    c: Context,
    pool: &'a Pool,
    done: FxHashMap<T, Ast>,
    fns: FxHashMap<(FnId, u32), FuncDecl>,
}

impl<'a> Bits<'a> {
    pub(crate) fn new(c: Context, pool: &'a Pool) -> Bits<'a> {
        Bits { c, pool, done: FxHashMap::default(), fns: FxHashMap::default() }
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
            // SAFETY: the context is alive, and all terms are of it.
            let ast = unsafe { self.build(t) };
            self.done.insert(t, ast);
            stack.pop();
        }
        self.done[&root]
    }

    unsafe fn sort(&self, width: u32) -> Sort {
        // SAFETY: the context is alive, and all terms are of it.
        unsafe { Z3_mk_bv_sort(self.c, width) }
    }

    /// A boolean as a bit-vector of one bit, or the bit-vector itself.
    unsafe fn vector(&self, t: T) -> Ast {
        let a = self.done[&t];
        if self.pool.width(t) != 1 {
            return a;
        }
        // SAFETY: the context is alive, and all terms are of it.
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
        // SAFETY: the context is alive, and all terms are of it.
        unsafe { Z3_mk_eq(self.c, a, Z3_mk_unsigned_int64(self.c, 1, self.sort(1))) }
    }

    unsafe fn build(&mut self, t: T) -> Ast {
        let c = self.c;
        let w = self.pool.width(t);
        // SAFETY: the context is alive, and all terms are of it.
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
        // SAFETY: the context is alive, and all terms are of it.
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
}

impl Language for Bits<'_> {
    unsafe fn assertion(&mut self, t: T) -> Ast {
        assert_eq!(self.pool.width(t), 1);
        // SAFETY: the context is alive, and all terms are of it.
        unsafe { self.term(t) }
    }

    fn definitions(&mut self) -> Vec<Ast> {
        Vec::new()
    }

    fn is_worth_asking(&self) -> bool {
        true
    }

    unsafe fn value_in(&self, m: Model, t: T) -> Option<u64> {
        let c = self.c;
        // SAFETY: the context is alive, and all terms are of it.
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
