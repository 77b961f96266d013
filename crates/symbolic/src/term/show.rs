//! Terms as expressions of C, for readers: sums and products in one row, long rows and deep parts left out, parts marked.

use std::fmt::Write;

use lockstep_kernel::semantics::bits;
use lockstep_kernel::{CastOp, CmpOp, FloatOp, FloatUnOp, IntOp, Rounding, Ty};

use super::walk::children;
use super::{Node, Pool, T, Undefined, Variable, is_binary};

/// Characters after which the rest of an expression is left out.
const LONGEST: usize = 240;
/// Operands within operands that are shown.
const DEEPEST: usize = 24;
/// Operands of a row after which those in the middle are left out, and how many of them are shown at its beginning.
const MOST_IN_ROW: usize = 6;
const FIRST_IN_ROW: usize = 3;
/// Marked operands of a row that are shown beside these.
const MARKED_IN_ROW: usize = 2;

/// The way to a part of an expression: the places of operands, from the outside.
pub(crate) type Path = Vec<usize>;

/// What stands between the operands of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// A sum of integers: in any order. One of floats has an order.
    IntegerSum,
    FloatSum,
    IntegerProduct,
    FloatProduct,
    /// All else: operands as the node has them.
    Other,
}

/// How tightly operators of C bind.
const CHOICE: u8 = 1;
const AND: u8 = 3;
const BIT_OR: u8 = 4;
const BIT_XOR: u8 = 5;
const BIT_AND: u8 = 6;
const EQUALITY: u8 = 7;
const ORDER: u8 = 8;
const SHIFT: u8 = 9;
const SUM: u8 = 10;
const PRODUCT: u8 = 11;
const UNARY: u8 = 12;

impl Pool {
    /// The operands of a term as they are shown, each with whether it is taken away.
    pub(crate) fn row(&self, t: T) -> (Row, Vec<(T, bool)>) {
        let kind = self.kind_of_row(t);
        let mut out = Vec::new();
        match kind {
            Row::Other => children(self.node(t), |c| out.push((c, false))),
            _ => self.gather(t, kind, false, true, &mut out),
        }
        (kind, out)
    }

    fn kind_of_row(&self, t: T) -> Row {
        match self.node(t) {
            Node::Int(IntOp::Add | IntOp::Sub, ..) => Row::IntegerSum,
            Node::Int(IntOp::Mul, ..) => Row::IntegerProduct,
            Node::Float(FloatOp::Add | FloatOp::Sub, Rounding::NearestEven, ..) => Row::FloatSum,
            Node::Float(FloatOp::Mul, Rounding::NearestEven, ..) => Row::FloatProduct,
            _ => Row::Other,
        }
    }

    /// The operands of a whole row. One of floats goes on at its left end only: its order matters.
    fn gather(&self, t: T, kind: Row, negative: bool, open: bool, out: &mut Vec<(T, bool)>) {
        // Rows are long: the left end is followed without recursion.
        let mut rest = Vec::new();
        let (mut t, mut sign) = (t, negative);
        while open && self.kind_of_row(t) == kind {
            let (a, b, taken) = match *self.node(t) {
                Node::Int(op, a, b) => (a, b, op == IntOp::Sub),
                Node::Float(op, _, a, b) => (a, b, op == FloatOp::Sub),
                _ => break,
            };
            rest.push((b, sign ^ taken));
            t = a;
            if kind == Row::FloatSum && negative {
                break;
            }
            sign = negative;
        }
        out.push(self.signed(t, sign, kind));
        for (b, sign) in rest.into_iter().rev() {
            let is_free = matches!(kind, Row::IntegerSum | Row::IntegerProduct);
            match is_free && self.kind_of_row(b) == kind {
                true => self.gather(b, kind, sign, true, out),
                false => out.push(self.signed(b, sign, kind)),
            }
        }
    }

    /// An operand of a sum without its sign.
    fn signed(&self, t: T, negative: bool, kind: Row) -> (T, bool) {
        match *self.node(t) {
            Node::FloatUn(FloatUnOp::Neg, _, a) if kind == Row::FloatSum => (a, !negative),
            Node::Int(IntOp::Mul, a, c)
                if kind == Row::IntegerSum && self.value(c) == Some(self.ty(t).mask()) =>
            {
                (a, !negative)
            }
            _ => (t, negative),
        }
    }

    #[cfg(test)]
    pub(crate) fn show(&self, t: T) -> String {
        self.show_marked(t, &[])
    }

    /// The expression, with these parts between marks.
    pub(crate) fn show_marked(&self, t: T, marked: &[Path]) -> String {
        let mut shown = Shown { pool: self, out: String::new(), marked, path: Vec::new() };
        shown.write(t, 0);
        shown.out
    }
}

struct Shown<'a> {
    pool: &'a Pool,
    out: String,
    marked: &'a [Path],
    /// Where in the expression this is.
    path: Path,
}

impl Shown<'_> {
    fn is_marked(&self) -> bool {
        self.marked.contains(&self.path)
    }

    /// Whether a part below the operand at a place is marked, or the operand itself.
    fn leads_to_mark(&self, place: usize) -> bool {
        let depth = self.path.len();
        let is_here = |p: &Path| p.len() > depth && p[..depth] == self.path && p[depth] == place;
        self.marked.iter().any(is_here)
    }

    fn operand(&mut self, place: usize, t: T, binds: u8) {
        self.path.push(place);
        self.write(t, binds);
        self.path.pop();
    }

    /// The term; in parentheses where it binds less than what is around it.
    fn write(&mut self, t: T, around: u8) {
        let leads = self.marked.iter().any(|p| p.starts_with(&self.path));
        let is_long = self.out.chars().count() > LONGEST;
        if !leads && is_long || self.path.len() > DEEPEST || self.out.len() > 4 * LONGEST {
            self.out.push('…');
            return;
        }
        let is_marked = !self.path.is_empty() && self.is_marked();
        if is_marked {
            self.out.push('»');
        }
        let binds = self.binds(t);
        let closed = binds < around;
        if closed {
            self.out.push('(');
        }
        self.whole(t, binds);
        if closed {
            self.out.push(')');
        }
        if is_marked {
            self.out.push('«');
        }
    }

    fn binds(&self, t: T) -> u8 {
        match self.pool.node(t) {
            Node::Int(op, ..) => match op {
                IntOp::Add | IntOp::Sub => SUM,
                IntOp::Mul | IntOp::UDiv | IntOp::SDiv | IntOp::URem | IntOp::SRem => PRODUCT,
                IntOp::And => BIT_AND,
                IntOp::Or => BIT_OR,
                IntOp::Xor => BIT_XOR,
                IntOp::Shl | IntOp::LShr | IntOp::AShr => SHIFT,
                _ => u8::MAX,
            },
            Node::Float(op, Rounding::NearestEven, ..) => match op {
                FloatOp::Add | FloatOp::Sub => SUM,
                FloatOp::Mul | FloatOp::Div => PRODUCT,
                _ => u8::MAX,
            },
            Node::FloatUn(FloatUnOp::Neg, ..) | Node::Not(_) => UNARY,
            Node::Cast(CastOp::ZExt | CastOp::SExt | CastOp::Trunc, _) => UNARY,
            Node::Cmp(op, ..) => match op {
                CmpOp::Eq | CmpOp::FOEq | CmpOp::FONe => EQUALITY,
                CmpOp::ULt | CmpOp::SLt | CmpOp::FOLt | CmpOp::FOLe => ORDER,
                _ => u8::MAX,
            },
            Node::Same(..) => EQUALITY,
            Node::Select(..) => CHOICE,
            Node::All(_) => AND,
            _ => u8::MAX,
        }
    }

    fn whole(&mut self, t: T, binds: u8) {
        let pool = self.pool;
        let ty = pool.ty(t);
        let (kind, row) = pool.row(t);
        match kind {
            Row::IntegerSum | Row::FloatSum => return self.row(&row, "+", binds),
            Row::IntegerProduct | Row::FloatProduct => return self.row(&row, "*", binds),
            Row::Other => {}
        }
        let parts: Vec<T> = row.into_iter().map(|(t, _)| t).collect();
        match pool.node(t) {
            Node::Const(v) => self.out.push_str(&number(ty, *v)),
            Node::Var(v) => self.variable(*v),
            Node::Int(op, ..) => match integer_sign(*op) {
                Ok(sign) => self.infix(sign, &parts, binds),
                Err(name) => self.call(&name, &parts),
            },
            Node::IntUn(op, _) => self.call(&format!("{op:?}").to_lowercase(), &parts),
            Node::Funnel(true, ..) => self.call("funnel_left", &parts),
            Node::Funnel(false, ..) => self.call("funnel_right", &parts),
            Node::Float(op, rounding, ..) => match (op, rounding) {
                (FloatOp::Rem, _) => self.call("fmod", &parts),
                (FloatOp::Min, _) => self.call("fmin", &parts),
                (FloatOp::Max, _) => self.call("fmax", &parts),
                (FloatOp::CopySign, _) => self.call("copysign", &parts),
                (FloatOp::Div, Rounding::NearestEven) => self.infix("/", &parts, binds),
                (op, other) => {
                    self.call(&format!("{op:?}_{other:?}").to_lowercase(), &parts);
                }
            },
            Node::AnyOrder(..) => self.call("atomicAdd", &parts),
            Node::FloatUn(FloatUnOp::Neg, ..) => self.prefix("-", &parts),
            Node::FloatUn(op, ..) => self.call(unary_name(*op), &parts),
            Node::Fma(..) => self.call("fma", &parts),
            Node::Math(f, ..) => {
                let count = if is_binary(*f) { 2 } else { 1 };
                self.call(&format!("{f:?}").to_lowercase(), &parts[..count]);
            }
            Node::Cmp(op, ..) => match op {
                CmpOp::Eq | CmpOp::FOEq => self.infix("==", &parts, binds),
                CmpOp::ULt | CmpOp::SLt | CmpOp::FOLt => self.infix("<", &parts, binds),
                CmpOp::FOLe => self.infix("<=", &parts, binds),
                CmpOp::FONe => self.infix("!=", &parts, binds),
                _ => self.call("isordered", &parts),
            },
            Node::Same(..) => self.infix("is", &parts, binds),
            Node::Cast(op, _) => match op {
                CastOp::Bit => self.call(&format!("as_{ty}"), &parts),
                CastOp::ZExt | CastOp::SExt | CastOp::Trunc => {
                    self.prefix(&format!("({ty})"), &parts);
                }
                _ => self.call(&ty.to_string(), &parts),
            },
            Node::Select(..) => {
                self.operand(0, parts[0], CHOICE + 1);
                self.out.push_str(" ? ");
                self.operand(1, parts[1], CHOICE);
                self.out.push_str(" : ");
                self.operand(2, parts[2], CHOICE);
            }
            Node::Not(_) => self.prefix("!", &parts),
            Node::All(_) => self.infix("&&", &parts, binds),
            Node::Address(..) => self.call("address", &parts),
            Node::Element(input, _) => {
                let known = pool.input_names.get(*input as usize);
                self.out.push_str(known.map_or("input", |n| n.name.as_str()));
                self.out.push('[');
                self.operand(0, parts[0], 0);
                self.out.push(']');
            }
        }
    }

    fn variable(&mut self, v: u32) {
        match &self.pool.variables[v as usize] {
            Variable::Input { input, element } => {
                let known = self.pool.input_names.get(*input as usize);
                let name = known.map_or("input", |n| n.name.as_str());
                let _ = match known {
                    Some(n) if !n.is_array && *element == 0 => write!(self.out, "{name}"),
                    _ => write!(self.out, "{name}[{element}]"),
                };
            }
            Variable::Counter(name) => self.out.push_str(name),
            Variable::Undefined(why) => self.out.push_str(match why {
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

    /// A sum or a product; where it is long, its beginning, what is marked, and its end.
    fn row(&mut self, row: &[(T, bool)], sign: &str, binds: u8) {
        let is_long = row.len() > MOST_IN_ROW;
        let mut marked = 0;
        let mut gap = false;
        for (place, &(t, negative)) in row.iter().enumerate() {
            let is_marked = self.leads_to_mark(place);
            marked += usize::from(is_marked);
            let is_shown = !is_long
                || place < FIRST_IN_ROW
                || place + 1 == row.len()
                || is_marked && marked <= MARKED_IN_ROW;
            if !is_shown {
                gap = true;
                continue;
            }
            if gap {
                let _ = write!(self.out, " {sign} …");
                gap = false;
            }
            match (place, negative) {
                (0, true) => self.out.push('-'),
                (0, false) => {}
                (_, true) => self.out.push_str(" - "),
                (_, false) => {
                    let _ = write!(self.out, " {sign} ");
                }
            }
            self.operand(place, t, if place == 0 && !negative { binds } else { binds + 1 });
        }
    }

    fn infix(&mut self, sign: &str, parts: &[T], binds: u8) {
        for (place, &t) in parts.iter().enumerate() {
            if place > 0 {
                let _ = write!(self.out, " {sign} ");
            }
            self.operand(place, t, if place == 0 { binds } else { binds + 1 });
        }
    }

    fn prefix(&mut self, sign: &str, parts: &[T]) {
        self.out.push_str(sign);
        self.operand(0, parts[0], UNARY);
    }

    fn call(&mut self, name: &str, parts: &[T]) {
        self.out.push_str(name);
        self.out.push('(');
        for (place, &t) in parts.iter().enumerate() {
            if place > 0 {
                self.out.push_str(", ");
            }
            self.operand(place, t, 0);
        }
        self.out.push(')');
    }
}

fn integer_sign(op: IntOp) -> Result<&'static str, String> {
    Ok(match op {
        IntOp::UDiv | IntOp::SDiv => "/",
        IntOp::URem | IntOp::SRem => "%",
        IntOp::And => "&",
        IntOp::Or => "|",
        IntOp::Xor => "^",
        IntOp::Shl => "<<",
        IntOp::LShr | IntOp::AShr => ">>",
        IntOp::UMin | IntOp::SMin => return Err("min".into()),
        IntOp::UMax | IntOp::SMax => return Err("max".into()),
        other => return Err(format!("{other:?}").to_lowercase()),
    })
}

fn unary_name(op: FloatUnOp) -> &'static str {
    match op {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::InputName;

    fn pool() -> (Pool, Vec<T>) {
        let input_names = vec![InputName { name: "x".into(), is_array: true }];
        let mut p = Pool { input_names, ..Pool::default() };
        let x = (0..20).map(|i| p.input(0, i, Ty::F32)).collect();
        (p, x)
    }

    fn sum(p: &mut Pool, list: &[T]) -> T {
        let add = |p: &mut Pool, a, b| p.float(FloatOp::Add, Rounding::NearestEven, a, b);
        list[1..].iter().fold(list[0], |all, &t| add(p, all, t))
    }

    #[test]
    fn rows() {
        let (mut p, x) = pool();
        let three = sum(&mut p, &x[..3]);
        assert_eq!(p.show(three), "x[0] + x[1] + x[2]");
        let all = sum(&mut p, &x);
        assert_eq!(p.show(all), "x[0] + x[1] + x[2] + … + x[19]");
        assert_eq!(p.show_marked(all, &[vec![9]]), "x[0] + x[1] + x[2] + … + »x[9]« + … + x[19]");
        // The order of a sum of floats is seen.
        let other = p.float(FloatOp::Add, Rounding::NearestEven, x[5], three);
        assert_eq!(p.show(other), "x[5] + (x[0] + x[1] + x[2])");
        let product = p.float(FloatOp::Mul, Rounding::NearestEven, other, x[1]);
        let less = p.float(FloatOp::Sub, Rounding::NearestEven, product, x[2]);
        assert_eq!(p.show(less), "(x[5] + (x[0] + x[1] + x[2])) * x[1] - x[2]");
        let negative = p.float_un(FloatUnOp::Neg, Rounding::NearestEven, less);
        assert_eq!(p.show(negative), "-((x[5] + (x[0] + x[1] + x[2])) * x[1] - x[2])");
        let choice = p.cmp(CmpOp::FOLt, x[0], x[1]);
        let choice = p.select(choice, x[0], three);
        assert_eq!(
            p.show_marked(choice, &[vec![2, 1]]),
            "x[0] < x[1] ? x[0] : x[0] + »x[1]« + x[2]"
        );
    }
}
