//! Values of registers: known, or a term over reads that have not been given a write yet.

use std::rc::Rc;

use crate::program::{Expr, Function, Op};
use crate::relation::EventSet;

/// A value, and the reads that it was computed from.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) term: Term,
    pub(crate) reads: EventSet,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    Known(i64),
    /// What this event reads.
    Read(usize),
    Apply(Op, Rc<(Term, Term)>),
    Select(Rc<(Term, Term, Term)>),
    Call(Rc<(Function, Vec<Term>)>),
}

impl Value {
    pub(crate) fn known(value: i64) -> Value {
        Value { term: Term::Known(value), reads: EventSet::EMPTY }
    }

    pub(crate) fn read(event: usize) -> Value {
        Value { term: Term::Read(event), reads: EventSet::one(event) }
    }

    pub(crate) fn apply(op: Op, a: &Value, b: &Value) -> Value {
        let term = match (&a.term, &b.term) {
            (&Term::Known(a), &Term::Known(b)) => Term::Known(op.apply(a, b)),
            (a, b) => Term::Apply(op, Rc::new((a.clone(), b.clone()))),
        };
        Value { term, reads: a.reads | b.reads }
    }

    pub(crate) fn select(condition: &Value, yes: &Value, no: &Value) -> Value {
        let term = match condition.term {
            Term::Known(0) => no.term.clone(),
            Term::Known(_) => yes.term.clone(),
            _ => Term::Select(Rc::new((condition.term.clone(), yes.term.clone(), no.term.clone()))),
        };
        Value { term, reads: condition.reads | yes.reads | no.reads }
    }

    pub(crate) fn call(function: &Function, operands: &[Value]) -> Value {
        let known: Option<Vec<i64>> = operands
            .iter()
            .map(|operand| match operand.term {
                Term::Known(value) => Some(value),
                _ => None,
            })
            .collect();
        let term = match known {
            Some(known) => Term::Known(function.apply(&known)),
            None => {
                let terms = operands.iter().map(|operand| operand.term.clone()).collect();
                Term::Call(Rc::new((function.clone(), terms)))
            }
        };
        let reads = operands.iter().fold(EventSet::EMPTY, |all, operand| all | operand.reads);
        Value { term, reads }
    }

    /// The value of an expression over these registers.
    pub(crate) fn of(expr: &Expr, registers: &[Value]) -> Value {
        match expr {
            Expr::Const(value) => Value::known(*value),
            Expr::Reg(reg) => registers[reg.0].clone(),
            Expr::Apply(op, a, b) => {
                Value::apply(*op, &Value::of(a, registers), &Value::of(b, registers))
            }
            Expr::Select(a, b, c) => Value::select(
                &Value::of(a, registers),
                &Value::of(b, registers),
                &Value::of(c, registers),
            ),
            Expr::Call(function, operands) => {
                let operands: Vec<Value> =
                    operands.iter().map(|operand| Value::of(operand, registers)).collect();
                Value::call(function, &operands)
            }
        }
    }
}

impl Term {
    /// Its number, if `read` knows what the reads in it read.
    pub(crate) fn eval(&self, read: &impl Fn(usize) -> Option<i64>) -> Option<i64> {
        match self {
            Term::Known(value) => Some(*value),
            Term::Read(event) => read(*event),
            Term::Apply(op, operands) => {
                Some(op.apply(operands.0.eval(read)?, operands.1.eval(read)?))
            }
            Term::Select(operands) => {
                let (condition, yes, no) = &**operands;
                if condition.eval(read)? != 0 { yes.eval(read) } else { no.eval(read) }
            }
            Term::Call(call) => {
                let operands: Option<Vec<i64>> =
                    call.1.iter().map(|operand| operand.eval(read)).collect();
                Some(call.0.apply(&operands?))
            }
        }
    }
}
