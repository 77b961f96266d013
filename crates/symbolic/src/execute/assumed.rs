//! Conditions on scalars, in C, as terms: as far as 64 bits hold every number of them exactly.

use lockstep_finding::launch::{Dimension, Expr, Number, Operator};
use lockstep_kernel::{CastOp, CmpOp, IntOp, Ty};

use crate::term::{Pool, T};

/// A number, as an `I64`, and so many bits that it fits into them as signed.
type Sized = (T, u32);

/// Bits of a result that is looked at.
const MOST: u32 = 64;

/// The condition; none where it is not understood. `scalar` gives the value of a name, and whether it is signed.
pub(crate) fn condition(
    pool: &mut Pool,
    (grid, block): ([u32; 3], [u32; 3]),
    expr: &Expr,
    scalar: &dyn Fn(&mut Pool, &str) -> Option<(T, bool)>,
) -> Option<T> {
    let mut reader = Reader { pool, grid, block, scalar };
    let (number, _) = reader.number(expr)?;
    Some(reader.is_not_zero(number))
}

struct Reader<'a> {
    pool: &'a mut Pool,
    grid: [u32; 3],
    block: [u32; 3],
    scalar: &'a dyn Fn(&mut Pool, &str) -> Option<(T, bool)>,
}

impl Reader<'_> {
    fn is_not_zero(&mut self, number: T) -> T {
        let zero = self.pool.constant(Ty::I64, 0);
        self.pool.cmp(CmpOp::Ne, number, zero)
    }

    fn constant(&mut self, v: i128) -> Option<Sized> {
        let v = i64::try_from(v).ok()?;
        let bits = 65 - v.unsigned_abs().leading_zeros();
        Some((self.pool.constant(Ty::I64, v as u64), bits))
    }

    fn truth(&mut self, t: T) -> Sized {
        (self.pool.cast(CastOp::ZExt, t, Ty::I64), 2)
    }

    fn name(&mut self, name: &str) -> Option<Sized> {
        match Dimension::named(name) {
            Some(Dimension::Block(a)) => return self.constant(self.block[a].into()),
            Some(Dimension::Grid(a)) => return self.constant(self.grid[a].into()),
            None => {}
        }
        let (value, is_signed) = (self.scalar)(self.pool, name)?;
        let ty = self.pool.ty(value);
        if !ty.is_int() || ty == Ty::I64 && !is_signed {
            return None;
        }
        let how = if is_signed && ty != Ty::I1 { CastOp::SExt } else { CastOp::ZExt };
        Some((self.pool.cast(how, value, Ty::I64), ty.bits() + u32::from(!is_signed)))
    }

    fn number(&mut self, expr: &Expr) -> Option<Sized> {
        match expr {
            Expr::Number(Number::Int(v)) => self.constant(*v),
            Expr::Number(Number::Float(_)) => None,
            Expr::Name(name) => self.name(name),
            Expr::Not(a) => {
                let (a, _) = self.number(a)?;
                let some = self.is_not_zero(a);
                let none = self.pool.not(some);
                Some(self.truth(none))
            }
            Expr::Negate(a) => {
                let zero = self.constant(0)?;
                let a = self.number(a)?;
                self.arithmetic(IntOp::Sub, zero, a)
            }
            Expr::Complement(_) => None,
            Expr::Choice(c, a, b) => {
                let (c, _) = self.number(c)?;
                let c = self.is_not_zero(c);
                let ((a, m), (b, n)) = (self.number(a)?, self.number(b)?);
                Some((self.pool.select(c, a, b), m.max(n)))
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
        }
    }

    fn arithmetic(&mut self, op: IntOp, (a, m): Sized, (b, n): Sized) -> Option<Sized> {
        let bits = if op == IntOp::Mul { m + n } else { m.max(n) + 1 };
        (bits <= MOST).then(|| (self.pool.int(op, a, b), bits))
    }

    fn binary(&mut self, op: Operator, a: &Expr, b: &Expr) -> Option<Sized> {
        use Operator as O;
        let (x, y) = (self.number(a)?, self.number(b)?);
        let comparison = match op {
            O::Eq => CmpOp::Eq,
            O::Ne => CmpOp::Ne,
            O::Lt => CmpOp::SLt,
            O::Le => CmpOp::SLe,
            O::Gt => CmpOp::SGt,
            O::Ge => CmpOp::SGe,
            O::Add => return self.arithmetic(IntOp::Add, x, y),
            O::Sub => return self.arithmetic(IntOp::Sub, x, y),
            O::Mul => return self.arithmetic(IntOp::Mul, x, y),
            // By a number that is not zero, and not so that the least number overflows.
            O::Div | O::Rem if self.pool.value(y.0).is_some_and(|v| v as i64 > 0) => {
                let op = if op == O::Div { IntOp::SDiv } else { IntOp::SRem };
                return Some((self.pool.int(op, x.0, y.0), x.1));
            }
            O::And | O::Or => {
                let (a, b) = (self.is_not_zero(x.0), self.is_not_zero(y.0));
                let t = if op == O::And { self.pool.and(a, b) } else { self.pool.or(a, b) };
                return Some(self.truth(t));
            }
            _ => return None,
        };
        let t = self.pool.cmp(comparison, x.0, y.0);
        Some(self.truth(t))
    }
}
