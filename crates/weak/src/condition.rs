//! Conditions over the last values of registers and locations.

use crate::explore::Execution;
use crate::program::{Op, Reg};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    Const(i64),
    Register(usize, Reg),
    Location(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    Compare(Op, Operand, Operand),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
}

impl Condition {
    pub fn always() -> Condition {
        Condition::All(Vec::new())
    }

    pub fn negated(self) -> Condition {
        Condition::Not(Box::new(self))
    }

    pub fn operands(&self, f: &mut impl FnMut(&Operand)) {
        match self {
            Condition::Compare(_, a, b) => {
                f(a);
                f(b);
            }
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().for_each(|part| part.operands(f))
            }
            Condition::Not(part) => part.operands(f),
        }
    }

    /// Does it hold at the end, for one of the values that the locations may have?
    pub fn possible(&self, execution: &Execution<'_>) -> bool {
        let mut locations = Vec::new();
        self.operands(&mut |operand| {
            if let Operand::Location(location) = operand
                && !locations.contains(location)
            {
                locations.push(*location);
            }
        });
        let values: Vec<Vec<i64>> =
            locations.iter().map(|&location| execution.last_values(location)).collect();
        let mut choice = vec![0; locations.len()];
        loop {
            let value = |operand: &Operand| match operand {
                Operand::Const(value) => *value,
                Operand::Register(thread, reg) => execution.register(*thread, *reg),
                Operand::Location(location) => {
                    let index = locations.iter().position(|other| other == location).unwrap_or(0);
                    values[index][choice[index]]
                }
            };
            if self.holds(&value) {
                return true;
            }
            let Some(next) =
                (0..choice.len()).find(|&index| choice[index] + 1 < values[index].len())
            else {
                return false;
            };
            choice[next] += 1;
            choice[..next].fill(0);
        }
    }

    fn holds(&self, value: &impl Fn(&Operand) -> i64) -> bool {
        match self {
            Condition::Compare(op, a, b) => op.apply(value(a), value(b)) != 0,
            Condition::All(parts) => parts.iter().all(|part| part.holds(value)),
            Condition::Any(parts) => parts.iter().any(|part| part.holds(value)),
            Condition::Not(part) => !part.holds(value),
        }
    }
}
