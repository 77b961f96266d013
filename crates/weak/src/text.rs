//! Programs as text, for people who read test failures and reports.

use std::fmt;

use crate::program::{Address, Code, Expr, Instr, Op, Participants, Program, Update};

fn op_sign(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Rem => "%",
        Op::And => "&",
        Op::Or => "|",
        Op::Xor => "^",
        Op::Shl => "<<",
        Op::Shr => ">>",
        Op::Min => "min",
        Op::Max => "max",
        Op::Eq => "==",
        Op::Ne => "!=",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Gt => ">",
        Op::Ge => ">=",
    }
}

/// Something of a program, with the names that its code and its locations have.
struct Named<'a, T>(&'a Program, &'a Code, &'a T);

impl fmt::Display for Named<'_, Expr> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(program, code, expr) = self;
        match expr {
            Expr::Const(value) => write!(f, "{value}"),
            Expr::Reg(reg) => f.write_str(&code.registers[reg.0]),
            Expr::Apply(op, a, b) => {
                write!(
                    f,
                    "({} {} {})",
                    Named(program, code, &**a),
                    op_sign(*op),
                    Named(program, code, &**b)
                )
            }
            Expr::Select(a, b, c) => {
                let of = |expr| Named(program, code, expr);
                write!(f, "({} ? {} : {})", of(&**a), of(&**b), of(&**c))
            }
            Expr::Call(function, operands) => {
                let operands: Vec<String> = operands
                    .iter()
                    .map(|operand| Named(program, code, operand).to_string())
                    .collect();
                write!(f, "{}({})", function.name(), operands.join(", "))
            }
        }
    }
}

impl fmt::Display for Named<'_, Address> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(program, code, at) = self;
        match at.index {
            Expr::Const(index) => {
                let location = at.base.checked_add_signed(index as isize);
                let location = location.and_then(|location| program.locations.get(location));
                f.write_str(location.map_or("nowhere", |location| &location.name))
            }
            _ => write!(
                f,
                "{}[{}]",
                program.locations[at.base].name,
                Named(program, code, &at.index)
            ),
        }
    }
}

impl fmt::Display for Named<'_, Instr> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(program, code, instr) = self;
        let of = |expr| Named(program, code, expr);
        let place = |at| Named::<Address>(program, code, at);
        let name = |reg: &crate::program::Reg| code.registers[reg.0].as_str();
        match instr {
            Instr::Load { dst, at, strength } => {
                write!(f, "ld.{strength} {}, {}", name(dst), place(at))
            }
            Instr::Store { at, value, strength } => {
                write!(f, "st.{strength} {}, {}", place(at), of(value))
            }
            Instr::Atomic { dst, at, update, order, scope } => {
                let what = match update {
                    Update::Exchange(value) => format!("exch {}", of(value)),
                    Update::CompareExchange { expected, desired, .. } => {
                        format!("cas {}, {}", of(expected), of(desired))
                    }
                    Update::Apply(op, value) => format!("{} {}", op_sign(*op), of(value)),
                    Update::Call(function, value) => format!("{} {}", function.name(), of(value)),
                    Update::Inc(limit) => format!("inc {}", of(limit)),
                    Update::Dec(limit) => format!("dec {}", of(limit)),
                };
                let dst = dst.as_ref().map_or("_", name);
                write!(f, "atom.{order}.{scope} {dst}, {}, {what}", place(at))
            }
            Instr::Fence { order, scope, .. } => write!(f, "fence.{order}.{scope}"),
            Instr::Barrier(barrier) => {
                let mode = if barrier.arrive { "arrive" } else { "sync" };
                write!(f, "bar.{}.{mode} {}, {}", barrier.domain, barrier.number, of(&barrier.id))?;
                match &barrier.participants {
                    Participants::Count(count) => write!(f, ", {}", of(count)),
                    Participants::Among(threads) => write!(f, ", threads {threads:?}"),
                    Participants::All | Participants::Having => Ok(()),
                }
            }
            Instr::Let { dst, value } => write!(f, "{} = {}", name(dst), of(value)),
            Instr::Branch { condition, target } => write!(f, "if {} goto {target}", of(condition)),
            Instr::Jump { target } => write!(f, "goto {target}"),
            Instr::Assert { condition } => write!(f, "assert {}", of(condition)),
        }
    }
}

impl Program {
    /// One instruction, with the names of its registers and locations.
    pub fn show(&self, code: usize, pc: usize) -> String {
        Named(self, &self.codes[code], &self.codes[code].instrs[pc]).to_string()
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for location in &self.locations {
            write!(f, "{} = {}; ", location.name, location.initial)?;
        }
        writeln!(f)?;
        for thread in &self.threads {
            let place = thread.place;
            writeln!(
                f,
                "{} at device {}, block {}, warp {}:",
                thread.name, place.device, place.block, place.warp
            )?;
            for pc in 0..self.codes[thread.code].instrs.len() {
                writeln!(f, "  {pc:2}  {}", self.show(thread.code, pc))?;
            }
        }
        Ok(())
    }
}
