//! Values of registers while a thread is specialised: known, computed from what other threads write, or known to nobody.

use lockstep_kernel::{CastOp, IntOp, Ty};
use lockstep_weak::program::{Expr, Op};

use crate::outside::Unknown;
use crate::specialise::arithmetic::Pure;
use crate::specialise::objects::Objects;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// Bits, zero-extended.
    Known(u64),
    /// So many bytes behind an address that is known: it is known which array that is in.
    Pointer {
        base: u64,
        offset: Expr,
    },
    /// Bits, zero-extended, that the explored program computes.
    Computed(Expr),
    Unknown(Unknown),
}

impl Value {
    /// As an expression of the explored program.
    pub(crate) fn expr(&self) -> Result<Expr, Unknown> {
        match self {
            Value::Known(value) => Ok(Expr::Const(*value as i64)),
            Value::Pointer { base, offset } => {
                Ok(Expr::apply(Op::Add, Expr::Const(*base as i64), offset.clone()))
            }
            Value::Computed(expr) => Ok(expr.clone()),
            Value::Unknown(what) => Err(*what),
        }
    }

    /// The result of an operation.
    pub(crate) fn apply(pure: Pure, operands: &[Value]) -> Value {
        if let (Pure::Select, Value::Known(condition)) = (pure, &operands[0]) {
            return operands[if condition & 1 != 0 { 1 } else { 2 }].clone();
        }
        let known: Option<Vec<u64>> = operands
            .iter()
            .map(|operand| match operand {
                Value::Known(value) => Some(*value),
                _ => None,
            })
            .collect();
        if let Some(known) = known {
            return Value::Known(pure.evaluate(&known));
        }
        if let Some(pointer) = pointer(pure, operands) {
            return pointer;
        }
        let exprs: Result<Vec<Expr>, Unknown> = operands.iter().map(Value::expr).collect();
        match exprs {
            Err(what) => Value::Unknown(what),
            // Bits that are zero-extended already.
            Ok(mut exprs) if matches!(pure, Pure::Cast(CastOp::ZExt | CastOp::Bit, ..)) => {
                Value::Computed(exprs.remove(0))
            }
            Ok(exprs) => Value::Computed(Expr::Call(pure.function(), exprs)),
        }
    }
}

/// The operations that keep it known which array a pointer points into.
fn pointer(pure: Pure, operands: &[Value]) -> Option<Value> {
    let is_pointer = |value: &Value| match value {
        Value::Known(address) => Objects::is_address(*address),
        Value::Pointer { .. } => true,
        _ => false,
    };
    let (base, index, scale, offset) = match (pure, operands) {
        (Pure::Index { scale, offset }, [base, index]) if is_pointer(base) => {
            (base, index, scale, offset)
        }
        (Pure::Int(IntOp::Add, Ty::I64 | Ty::Ptr), [a, b]) if is_pointer(a) && !is_pointer(b) => {
            (a, b, 1, 0)
        }
        (Pure::Int(IntOp::Add, Ty::I64 | Ty::Ptr), [a, b]) if is_pointer(b) && !is_pointer(a) => {
            (b, a, 1, 0)
        }
        (Pure::Cast(CastOp::Bit | CastOp::Trunc | CastOp::ZExt, from, to), [a])
            if from.bits() == 64 && to.bits() == 64 && is_pointer(a) =>
        {
            return Some(a.clone());
        }
        (Pure::Select, [condition, a, b]) if is_pointer(a) && is_pointer(b) => {
            return select(condition, a, b);
        }
        _ => return None,
    };
    let index = index.expr().ok()?;
    let step = match (index, scale) {
        (Expr::Const(index), _) => Expr::Const(index.wrapping_mul(scale)),
        (index, 1) => index,
        (index, _) => Expr::apply(Op::Mul, index, Expr::Const(scale)),
    };
    let (base, before) = match base {
        Value::Known(base) => (*base, Expr::Const(0)),
        Value::Pointer { base, offset } => (*base, offset.clone()),
        _ => return None,
    };
    let base = base.wrapping_add(offset as u64);
    Some(match (before, step) {
        (before, Expr::Const(step)) => {
            Value::Pointer { base: base.wrapping_add(step as u64), offset: before }
        }
        (Expr::Const(before), step) => {
            Value::Pointer { base: base.wrapping_add(before as u64), offset: step }
        }
        (before, step) => Value::Pointer { base, offset: Expr::apply(Op::Add, before, step) },
    })
}

/// One of two places in one array.
fn select(condition: &Value, a: &Value, b: &Value) -> Option<Value> {
    let parts = |value: &Value| match value {
        Value::Known(base) => Some((*base, Expr::Const(0))),
        Value::Pointer { base, offset } => Some((*base, offset.clone())),
        _ => None,
    };
    let ((base, yes), (other, no)) = (parts(a)?, parts(b)?);
    if Objects::object_of(base) != Objects::object_of(other) {
        return None;
    }
    let distance = other.wrapping_sub(base) as i64;
    let no = Expr::apply(Op::Add, Expr::Const(distance), no);
    let condition = condition.expr().ok()?;
    let offset = Expr::Select(Box::new(condition), Box::new(yes), Box::new(no));
    Some(Value::Pointer { base, offset })
}
