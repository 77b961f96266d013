use lockstep_kernel::{CastOp, CmpOp, IntOp, Ty};

use super::*;
use crate::term::Pool;

fn wide(p: &mut Pool, t: T) -> T {
    p.cast(CastOp::SExt, t, Ty::I64)
}

#[test]
fn quotient_and_remainder_join() {
    let mut p = Pool::default();
    let x = p.counter("x", Ty::I32, 0, 999_999);
    let k = p.constant(Ty::I32, 100);
    let (q, r) = (p.int(IntOp::UDiv, x, k), p.int(IntOp::URem, x, k));
    let back = p.int(IntOp::Mul, q, k);
    let back = p.int(IntOp::Add, back, r);
    let mut lin = Linear::default();
    assert_eq!(lin.form(&mut p, back), Form::atom(x));
    let rest = lin.form(&mut p, r);
    assert_eq!(lin.range(&mut p, &rest), (0, 99));
    // A row and a column are told apart.
    let n = p.constant(Ty::I32, 77);
    let (row, column) = (p.counter("row", Ty::I32, 0, 9), p.counter("column", Ty::I32, 0, 76));
    let index = p.int(IntOp::Mul, row, n);
    let index = p.int(IntOp::Add, index, column);
    let (q, r) = (p.int(IntOp::SDiv, index, n), p.int(IntOp::SRem, index, n));
    assert_eq!(lin.form(&mut p, q), Form::atom(row));
    assert_eq!(lin.form(&mut p, r), Form::atom(column));
}

#[test]
fn what_may_wrap_is_an_atom() {
    let mut p = Pool::default();
    let mut lin = Linear::default();
    let x = p.counter("x", Ty::I32, 0, 1 << 30);
    let four = p.constant(Ty::I32, 4);
    let product = p.int(IntOp::Mul, x, four);
    assert_eq!(lin.form(&mut p, product), Form::atom(product));
    let same = wide(&mut p, product);
    assert_eq!(lin.form(&mut p, same), Form::atom(product));
    // Unless it is known to be smaller.
    let limit = p.constant(Ty::I32, 1000);
    let small = p.cmp(CmpOp::SLt, x, limit);
    lin.assume(&mut p, small);
    assert_eq!(lin.form(&mut p, product), Form::atom(x).times(4).expect("small"));
    assert_eq!(lin.range(&mut p, &Form::atom(x)), (0, 999));
}

#[test]
fn conditions_follow() {
    let mut p = Pool::default();
    let (b, t) = (p.counter("b", Ty::I32, 0, 99), p.counter("t", Ty::I32, 0, 255));
    let size = p.constant(Ty::I32, 256);
    let g = p.int(IntOp::Mul, b, size);
    let g = p.int(IntOp::Add, g, t);
    let n = p.constant(Ty::I32, 25_000);
    let below = p.cmp(CmpOp::SLt, g, n);
    let mut lin = Linear::under(&mut p, below);
    let more = p.constant(Ty::I32, 25_001);
    let weaker = p.cmp(CmpOp::SLt, g, more);
    let stronger = p.constant(Ty::I32, 24_999);
    let stronger = p.cmp(CmpOp::SLt, g, stronger);
    assert_eq!(lin.decide(&mut p, weaker), Some(true));
    assert_eq!(lin.decide(&mut p, stronger), None);
    let block = Form::atom(b);
    assert_eq!(lin.range(&mut p, &block), (0, 97));
}
