//! Values that nobody knows, in memory through which threads communicate.
//!
//! Where a launch is smaller than the kernel is made for, threads add up shared memory that nobody has written, or shuffle values of
//! lanes that are not there. As long as such values are only moved and computed with, they change nothing about who comes before
//! whom: in the explored program they are numbers of their own. What they may flow to is found here, whatever the order of
//! instructions; a branch, an address, an assertion, a compare-and-swap or a barrier that depends on one cannot be explored.

use lockstep_weak::program::{Address, Expr, Instr, Participants, Program, Update};

use crate::outside::Decision;
use crate::specialise::thread::is_opaque;

/// What may hold such a value.
struct Flow {
    /// Of each code, by register.
    registers: Vec<Vec<bool>>,
    locations: Vec<bool>,
    changed: bool,
}

impl Flow {
    fn holds(&self, code: usize, expr: &Expr) -> bool {
        let mut found = is_opaque(expr);
        expr.registers(&mut |reg| found |= self.registers[code][reg.0]);
        found
    }

    fn is_at(&self, at: &Address) -> bool {
        (0..self.locations.len()).any(|location| self.locations[location] && at.may_be(location))
    }

    fn set_register(&mut self, code: usize, register: usize, holds: bool) {
        let own = &mut self.registers[code][register];
        self.changed |= holds && !*own;
        *own |= holds;
    }

    fn set_at(&mut self, at: &Address, holds: bool) {
        for (location, own) in self.locations.iter_mut().enumerate() {
            if holds && at.may_be(location) {
                self.changed |= !*own;
                *own = true;
            }
        }
    }

    fn flow(&mut self, code: usize, instr: &Instr) {
        match instr {
            Instr::Load { dst, at, .. } => self.set_register(code, dst.0, self.is_at(at)),
            Instr::Store { at, value, .. } => self.set_at(at, self.holds(code, value)),
            Instr::Atomic { dst, at, update, .. } => {
                let given = operands(update).iter().any(|operand| self.holds(code, operand));
                self.set_at(at, given);
                if let Some(dst) = dst {
                    self.set_register(code, dst.0, self.is_at(at));
                }
            }
            Instr::Let { dst, value } => self.set_register(code, dst.0, self.holds(code, value)),
            Instr::Barrier(barrier) => {
                // Whoever meets may get what another gives.
                let Some(gather) = &barrier.gather else { return };
                if self.holds(code, &gather.value) {
                    self.changed |=
                        !std::mem::replace(self.locations.last_mut().expect("one more"), true);
                }
                let given = *self.locations.last().expect("one more");
                for &(_, register, _) in &gather.into {
                    self.set_register(code, register.0, given);
                }
            }
            Instr::Fence { .. }
            | Instr::Branch { .. }
            | Instr::Jump { .. }
            | Instr::Assert { .. } => {}
        }
    }

    /// What such a value decides in an instruction.
    fn decides(&self, code: usize, instr: &Instr) -> Option<Decision> {
        if instr.address().is_some_and(|at| self.holds(code, &at.index)) {
            return Some(Decision::Address);
        }
        match instr {
            Instr::Branch { condition, .. } => {
                self.holds(code, condition).then_some(Decision::Branch)
            }
            Instr::Assert { condition } => {
                self.holds(code, condition).then_some(Decision::Assertion)
            }
            Instr::Barrier(barrier) => {
                let counted = match &barrier.participants {
                    Participants::Count(count) => self.holds(code, count),
                    _ => false,
                };
                (counted || self.holds(code, &barrier.id)).then_some(Decision::Operand)
            }
            Instr::Atomic { at, update: Update::CompareExchange { expected, .. }, .. } => {
                (self.is_at(at) || self.holds(code, expected)).then_some(Decision::Branch)
            }
            _ => None,
        }
    }
}

fn operands(update: &Update) -> Vec<&Expr> {
    match update {
        Update::Exchange(value)
        | Update::Apply(_, value)
        | Update::Call(_, value)
        | Update::Inc(value)
        | Update::Dec(value) => vec![value],
        Update::CompareExchange { expected, desired, .. } => vec![expected, desired],
    }
}

/// What values that nobody knows decide in a program: the code, the instruction, and what it is.
pub(crate) fn decided(program: &Program) -> Option<(usize, usize, Decision)> {
    let mut flow = Flow {
        registers: program.codes.iter().map(|code| vec![false; code.registers.len()]).collect(),
        // The last stands for what threads hand each other at barriers.
        locations: vec![false; program.locations.len() + 1],
        changed: true,
    };
    while std::mem::take(&mut flow.changed) {
        for (number, code) in program.codes.iter().enumerate() {
            code.instrs.iter().for_each(|instr| flow.flow(number, instr));
        }
    }
    program.codes.iter().enumerate().find_map(|(number, code)| {
        let decided = |(pc, instr)| Some((number, pc, flow.decides(number, instr)?));
        code.instrs.iter().enumerate().find_map(decided)
    })
}

#[cfg(test)]
mod tests {
    use lockstep_weak::program::{Code, Function, Location, Reg, Strength};

    use super::*;

    fn program(instrs: Vec<Instr>) -> Program {
        let location = |name: &str| Location {
            name: name.into(),
            initial: 0,
            space: lockstep_weak::program::Space::Global,
            atomic: true,
        };
        let registers = vec![String::new(); 2];
        let code = Code { instrs, registers, ..Code::default() };
        let locations = vec![location("a"), location("b")];
        Program { codes: vec![code], locations, ..Program::default() }
    }

    fn store(location: usize, value: Expr) -> Instr {
        Instr::Store { at: Address::location(location), value, strength: Strength::Weak }
    }

    fn load(register: usize, location: usize) -> Instr {
        let at = Address::location(location);
        Instr::Load { dst: Reg(register), at, strength: Strength::Weak }
    }

    /// A value goes through memory to a branch, against the order of the instructions.
    #[test]
    fn values_flow_through_memory() {
        let opaque = Expr::Call(Function::new("unknown 0x1", |_| 1), Vec::new());
        let sum = Expr::apply(lockstep_weak::program::Op::Add, Reg(0), opaque);
        let branch = Instr::Branch { condition: Expr::Reg(Reg(1)), target: 0 };
        let own = vec![branch.clone(), load(1, 0), store(0, sum.clone())];
        assert_eq!(decided(&program(own)), Some((0, 0, Decision::Branch)));
        let other = vec![branch, load(1, 1), store(0, sum)];
        assert_eq!(decided(&program(other)), None);
    }
}
