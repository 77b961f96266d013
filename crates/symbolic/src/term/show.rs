//! Terms as expressions of C, for readers. Deep parts are left out.

use std::fmt::Write;

use lockstep_kernel::semantics::bits;
use lockstep_kernel::{CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, Rounding, Ty};

use super::{Node, Pool, T, Undefined, Variable};

/// Characters after which the rest of an expression is left out.
const LONGEST: usize = 160;

impl Pool {
    pub(crate) fn show(&self, t: T) -> String {
        let mut out = String::new();
        self.write(t, &mut out, 0);
        out
    }

    fn write(&self, t: T, out: &mut String, depth: usize) {
        if out.len() > LONGEST || depth > 40 {
            out.push('…');
            return;
        }
        let ty = self.ty(t);
        match self.node(t) {
            Node::Const(v) => out.push_str(&number(ty, *v)),
            Node::Var(v) => self.write_variable(*v, out),
            Node::Int(op, a, b) => self.write_int(*op, *a, *b, out, depth),
            Node::IntUn(op, a) => {
                self.call(&format!("{op:?}").to_lowercase(), &[*a], out, depth);
            }
            Node::Funnel(left, a, b, c) => {
                self.call(
                    if *left { "funnel_left" } else { "funnel_right" },
                    &[*a, *b, *c],
                    out,
                    depth,
                );
            }
            Node::Float(op, rounding, a, b) => {
                let sign = match op {
                    FloatOp::Add => "+",
                    FloatOp::Sub => "-",
                    FloatOp::Mul => "*",
                    FloatOp::Div => "/",
                    FloatOp::Rem => return self.call("fmod", &[*a, *b], out, depth),
                    FloatOp::Min => return self.call("fmin", &[*a, *b], out, depth),
                    FloatOp::Max => return self.call("fmax", &[*a, *b], out, depth),
                    FloatOp::CopySign => return self.call("copysign", &[*a, *b], out, depth),
                };
                match rounding {
                    Rounding::NearestEven => self.infix(sign, *a, *b, out, depth),
                    other => {
                        let name = format!("{op:?}_{other:?}").to_lowercase();
                        self.call(&name, &[*a, *b], out, depth);
                    }
                }
            }
            Node::AnyOrder(_, _, a, b) => self.call("atomicAdd", &[*a, *b], out, depth),
            Node::FloatUn(op, _, a) => {
                let name = match op {
                    FloatUnOp::Neg => "-",
                    FloatUnOp::Abs => "fabs",
                    FloatUnOp::Sqrt => "sqrt",
                    FloatUnOp::Floor => "floor",
                    FloatUnOp::Ceil => "ceil",
                    FloatUnOp::Trunc => "trunc",
                    FloatUnOp::RoundEven => "rint",
                    FloatUnOp::RoundAway => "round",
                    FloatUnOp::Fast => "fast",
                    FloatUnOp::Native => "native",
                    FloatUnOp::Half => "half",
                };
                self.call(name, &[*a], out, depth);
            }
            Node::Fma(_, a, b, c) => self.call("fma", &[*a, *b, *c], out, depth),
            Node::Math(f, a, b) => {
                let name = format!("{f:?}").to_lowercase();
                match super::is_binary(*f) {
                    true => self.call(&name, &[*a, *b], out, depth),
                    false => self.call(&name, &[*a], out, depth),
                }
            }
            Node::Cmp(op, a, b) => {
                let sign = match op {
                    CmpOp::Eq | CmpOp::FOEq => "==",
                    CmpOp::ULt | CmpOp::SLt | CmpOp::FOLt => "<",
                    CmpOp::FOLe => "<=",
                    CmpOp::FONe => "!=",
                    _ => return self.call("isordered", &[*a, *b], out, depth),
                };
                self.infix(sign, *a, *b, out, depth);
            }
            Node::Same(a, b) => self.infix("is", *a, *b, out, depth),
            Node::Cast(op, a) => match op {
                CastOp::Bit => self.call(&format!("as_{ty}"), &[*a], out, depth),
                CastOp::ZExt | CastOp::SExt | CastOp::Trunc => {
                    let _ = write!(out, "({ty})");
                    self.write(*a, out, depth + 1);
                }
                _ => self.call(&ty.to_string(), &[*a], out, depth),
            },
            Node::Select(c, a, b) => {
                out.push('(');
                self.write(*c, out, depth + 1);
                out.push_str(" ? ");
                self.write(*a, out, depth + 1);
                out.push_str(" : ");
                self.write(*b, out, depth + 1);
                out.push(')');
            }
            Node::Not(a) => self.call("!", &[*a], out, depth),
            Node::All(list) => {
                out.push('(');
                for (i, part) in list.iter().enumerate() {
                    if i > 0 {
                        out.push_str(" && ");
                    }
                    self.write(*part, out, depth + 1);
                    if out.len() > LONGEST {
                        break;
                    }
                }
                out.push(')');
            }
            Node::Address(_, offset) => self.call("address", &[*offset], out, depth),
        }
    }

    fn write_variable(&self, v: u32, out: &mut String) {
        match &self.variables[v as usize] {
            Variable::Input { input, element } => {
                let known = self.input_names.get(*input as usize);
                let name = known.map_or("input", |n| n.name.as_str());
                let _ = match known {
                    Some(n) if !n.is_array && *element == 0 => write!(out, "{name}"),
                    _ => write!(out, "{name}[{element}]"),
                };
            }
            Variable::Undefined(why) => out.push_str(match why {
                Undefined::Uninitialised => "uninitialised",
                Undefined::AtomicOrder => "old_value",
                Undefined::AbsentLane => "absent_lane",
                Undefined::AddressBits => "address_bits",
                Undefined::Clock => "clock",
                Undefined::Variable => "variable",
                Undefined::Element => "element",
                Undefined::Unfollowed => "unfollowed",
            }),
        }
    }

    fn write_int(&self, op: IntOp, a: T, b: T, out: &mut String, depth: usize) {
        let sign = match op {
            IntOp::Add => "+",
            IntOp::Sub => "-",
            IntOp::Mul => "*",
            IntOp::UDiv | IntOp::SDiv => "/",
            IntOp::URem | IntOp::SRem => "%",
            IntOp::And => "&",
            IntOp::Or => "|",
            IntOp::Xor => "^",
            IntOp::Shl => "<<",
            IntOp::LShr | IntOp::AShr => ">>",
            IntOp::UMin | IntOp::SMin => return self.call("min", &[a, b], out, depth),
            IntOp::UMax | IntOp::SMax => return self.call("max", &[a, b], out, depth),
            other => return self.call(&format!("{other:?}").to_lowercase(), &[a, b], out, depth),
        };
        self.infix(sign, a, b, out, depth);
    }

    fn infix(&self, sign: &str, a: T, b: T, out: &mut String, depth: usize) {
        out.push('(');
        self.write(a, out, depth + 1);
        let _ = write!(out, " {sign} ");
        self.write(b, out, depth + 1);
        out.push(')');
    }

    fn call(&self, name: &str, args: &[T], out: &mut String, depth: usize) {
        out.push_str(name);
        out.push('(');
        for (i, a) in args.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.write(*a, out, depth + 1);
        }
        out.push(')');
    }
}

/// A constant as C has it.
pub(crate) fn number(ty: Ty, v: u64) -> String {
    match ty {
        Ty::F32 => format!("{:?}f", f32::from_bits(v as u32)),
        Ty::F16 | Ty::F64 => format!("{:?}", bits::real_value(ty, v)),
        Ty::I1 => (v == 1).to_string(),
        Ty::Ptr => format!("{v:#x}"),
        _ => bits::signed(ty, v).to_string(),
    }
}
