//! The expressions from which the host computes a launch's dimensions and arguments.
//!
//! `k<<<(n + 255) / 256, 256>>>(a, n)` implies more than that its grid is not constant: whatever `n` is, the grid
//! follows from it. So the values of a launch are traced back to those that are not computed here (a function's result,
//! a load, an argument), which are *unknown*, and equal unknowns are equal values.
//!
//! Values are treated as unbounded integers: it is assumed that nothing overflows, and that truncated or divided values
//! are not negative, as the host assumes. Code that uses a relation states it as an assumption.

use std::rc::Rc;

use llvm_sys::LLVMIntPredicate as IntPred;
use llvm_sys::core::{
    LLVMConstRealGetDouble, LLVMGetICmpPredicate, LLVMGetIntTypeWidth, LLVMGetIsDisjoint,
};

use super::bound::{HostBound, Place};
use super::inputs::{self, Uncalled};
use super::memory;
use super::rounds::Known;
use crate::llvm::{self, Opcode, Val};

/// A dimension or an argument of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HostPart {
    /// By position among the kernel's parameters.
    Argument(usize),
    /// By axis.
    Block(usize),
    Grid(usize),
}

/// The host's value of a dimension or an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostValue {
    Known(i64),
    /// An unknown value, by number: in one launch, equal numbers are equal values.
    Unknown(usize),
    Binary(HostOp, Box<HostValue>, Box<HostValue>),
}

impl HostValue {
    /// Adds the unknowns that occur in it, each once.
    pub fn unknowns(&self, out: &mut Vec<usize>) {
        match self {
            HostValue::Known(_) => {}
            HostValue::Unknown(u) => out.extend((!out.contains(u)).then_some(u)),
            HostValue::Binary(_, a, b) => [a, b].into_iter().for_each(|v| v.unknowns(out)),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
}

/// Maximum depth of operations that are traced.
const DEPTH: usize = 12;

/// Analyses the values of one launch.
#[derive(Default)]
pub(super) struct Reader {
    /// The known values of an iteration, if the launch is in a loop.
    known: Rc<Known>,
    /// Whether the values that the path was chosen by are read as what they are computed from.
    pub(super) before_choice: bool,
    /// The unknowns; with the half, if it is one of a pair of dimensions.
    unknown: Vec<(Val, Half)>,
}

/// Dimensions are passed in pairs: x in the lower half, y in the upper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    Whole,
    Low,
    High,
}

impl Reader {
    pub(super) fn new(known: Rc<Known>) -> Reader {
        Reader { known, ..Reader::default() }
    }

    /// For each unknown: whether it may be anything.
    pub(super) fn free(&self, uncalled: &Uncalled) -> Vec<bool> {
        let is_free = |&(v, half): &(Val, Half)| half != Half::High && inputs::is_free(v, uncalled);
        self.unknown.iter().map(is_free).collect()
    }

    /// For each unknown: how it depends on others in a way that is not analysed. `own` are values of the launch itself,
    /// the rest occur in conditions on the path to it.
    pub(super) fn bound(&self, own: &[usize], place: &Place) -> Vec<HostBound> {
        let all: Vec<Val> = self.unknown.iter().map(|u| u.0).collect();
        let own: Vec<Val> = own.iter().map(|&u| all[u]).collect();
        all.iter().map(|&v| place.bound(v, &own, &all)).collect()
    }

    /// For each unknown: the least and the largest value that it can have, where these are known.
    pub(super) fn ranges(&self, place: &Place) -> Vec<[Option<i64>; 2]> {
        let range = |&(v, half): &(Val, Half)| match half {
            Half::High => [None; 2],
            Half::Whole => place.range(v),
            Half::Low => match place.range(v) {
                [Some(least), Some(most)] if least >> 32 == most >> 32 => {
                    [least, most].map(|pair| Some(i64::from(pair as u32)))
                }
                _ => [None; 2],
            },
        };
        self.unknown.iter().map(range).collect()
    }

    /// An integer; `None` for anything else.
    pub(super) fn integer(&mut self, v: Val) -> Option<HostValue> {
        width(v)?;
        Some(self.value(v, DEPTH))
    }

    /// One of the two 32-bit dimensions that a 64-bit value holds.
    pub(super) fn half(&mut self, v: Val, half: Half) -> HostValue {
        self.half_within(v, half, DEPTH)
    }

    fn half_within(&mut self, v: Val, half: Half, depth: usize) -> HostValue {
        if let Some(pair) = self.constant(v) {
            return HostValue::Known(i64::from(match half {
                Half::High => (pair >> 32) as u32,
                _ => pair as u32,
            }));
        }
        if depth == 0 || !llvm::is_instruction(v) {
            return self.leaf(v, half);
        }
        let a = llvm::operand(v, 0);
        let constant =
            || (llvm::num_operands(v) > 1).then(|| llvm::const_int(llvm::operand(v, 1))).flatten();
        match (llvm::opcode(v), constant()) {
            (Opcode::LLVMZExt, _) if width(a).is_some_and(|w| w <= 32) => match half {
                Half::High => HostValue::Known(0),
                _ => self.value(a, depth - 1),
            },
            (Opcode::LLVMSExt, _) if half == Half::Low && width(a) == Some(32) => {
                self.value(a, depth - 1)
            }
            (Opcode::LLVMShl, Some(32)) => match half {
                Half::High => self.half_within(a, Half::Low, depth - 1),
                _ => HostValue::Known(0),
            },
            (Opcode::LLVMLShr, Some(32)) => match half {
                Half::High => HostValue::Known(0),
                _ => self.half_within(a, Half::High, depth - 1),
            },
            (Opcode::LLVMAnd, Some(0xffff_ffff)) if half == Half::High => HostValue::Known(0),
            (Opcode::LLVMAnd, Some(0xffff_ffff)) => self.half_within(a, half, depth - 1),
            (Opcode::LLVMAnd, Some(0xffff_ffff_0000_0000)) => match half {
                Half::High => self.half_within(a, half, depth - 1),
                _ => HostValue::Known(0),
            },
            // Both halves are equal.
            (Opcode::LLVMMul, Some(0x1_0000_0001)) if is_low(a) => {
                self.half_within(a, Half::Low, depth - 1)
            }
            (Opcode::LLVMOr | Opcode::LLVMAdd, _) => {
                let b = llvm::operand(v, 1);
                let (x, y) =
                    (self.half_within(a, half, depth - 1), self.half_within(b, half, depth - 1));
                match (&x, &y) {
                    (_, HostValue::Known(0)) => x,
                    (HostValue::Known(0), _) => y,
                    _ => self.unpaired(v, half, depth),
                }
            }
            // One of two pairs of constants.
            (Opcode::LLVMSelect, _)
                if half == Half::Low
                    && [1, 2].iter().all(|&i| llvm::const_int(llvm::operand(v, i)).is_some()) =>
            {
                self.unknown(v, half)
            }
            _ => self.unpaired(v, half, depth),
        }
    }

    /// The half of a value that was not built as a pair.
    fn unpaired(&mut self, v: Val, half: Half, depth: usize) -> HostValue {
        match half {
            Half::High => self.leaf(v, half),
            _ => self.value(v, depth),
        }
    }

    fn leaf(&mut self, v: Val, half: Half) -> HostValue {
        // Taking the lower half is assumed to lose nothing, as everywhere.
        self.unknown(v, if half == Half::High { half } else { Half::Whole })
    }

    fn unknown(&mut self, v: Val, half: Half) -> HostValue {
        let is_it = |u: &(Val, Half)| u.1 == half && memory::are_one(u.0, v);
        let known = self.unknown.iter().position(is_it);
        HostValue::Unknown(known.unwrap_or_else(|| {
            self.unknown.push((v, half));
            self.unknown.len() - 1
        }))
    }

    /// The bits of a constant, or of a value that is known in this iteration.
    pub(super) fn constant(&self, v: Val) -> Option<u64> {
        llvm::const_int(v).or_else(|| {
            let chosen = || self.known.chosen(v).filter(|_| !self.before_choice);
            self.known.number(v).or_else(chosen).map(|n| n as u64)
        })
    }

    fn value(&mut self, v: Val, depth: usize) -> HostValue {
        if let Some(bits) = self.constant(v) {
            let unused = 64 - width(v).unwrap_or(64).clamp(1, 64);
            return HostValue::Known(((bits << unused) as i64) >> unused);
        }
        let computed = (depth > 0 && llvm::is_instruction(v)).then(|| self.computed(v, depth - 1));
        computed.flatten().unwrap_or_else(|| self.leaf(v, Half::Whole))
    }

    fn computed(&mut self, v: Val, depth: usize) -> Option<HostValue> {
        use HostOp::{Add, Div, Max, Min, Mul, Rem, Sub};
        let opcode = llvm::opcode(v);
        let one = |me: &mut Self| me.value(llvm::operand(v, 0), depth);
        let constant = || llvm::const_int(llvm::operand(v, 1));
        let op = match opcode {
            Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc | Opcode::LLVMFreeze => {
                let from = llvm::operand(v, 0);
                return match (width(from)?, opcode) {
                    (1, Opcode::LLVMZExt) => {
                        self.is_remainder(from, depth).map(|r| r.into_number())
                    }
                    // A boolean by itself is not a number.
                    (1, _) => None,
                    _ => Some(one(self)),
                };
            }
            Opcode::LLVMSelect => return self.one_more(v, depth),
            Opcode::LLVMFPToSI | Opcode::LLVMFPToUI => return self.rounded_up(v, depth),
            Opcode::LLVMShl => {
                return Some(binary(Mul, one(self), known(1 << small(constant()?)?)));
            }
            Opcode::LLVMLShr | Opcode::LLVMAShr => {
                let right = constant()?;
                // A value that was truncated, and is a multiple: `(long)(int)x * 4`.
                let cut = shifted_left(llvm::operand(v, 0)).filter(|(_, left)| *left >= right);
                if let Some((x, left)) = cut.filter(|_| opcode == Opcode::LLVMAShr) {
                    let times = known(1 << small(left - right)?);
                    return Some(binary(Mul, self.value(x, depth), times));
                }
                return Some(binary(Div, one(self), known(1 << small(right)?)));
            }
            Opcode::LLVMAnd => return self.masked(v, depth),
            Opcode::LLVMAdd => Add,
            // Operands without common bits.
            // SAFETY: LLVM is given an `or`, of a module that is alive.
            Opcode::LLVMOr if unsafe { LLVMGetIsDisjoint(v) } != 0 => Add,
            Opcode::LLVMSub => Sub,
            Opcode::LLVMMul => Mul,
            Opcode::LLVMSDiv | Opcode::LLVMUDiv => Div,
            Opcode::LLVMSRem | Opcode::LLVMURem => Rem,
            Opcode::LLVMCall => match intrinsic(v)?.as_str() {
                "llvm.smin" | "llvm.umin" => Min,
                "llvm.smax" | "llvm.umax" => Max,
                _ => return None,
            },
            _ => return None,
        };
        let (a, b) = (llvm::operand(v, 0), llvm::operand(v, 1));
        Some(binary(op, self.value(a, depth), self.value(b, depth)))
    }

    /// `x & 15` is a remainder, `x & -16` rounds down to a multiple.
    fn masked(&mut self, v: Val, depth: usize) -> Option<HostValue> {
        let w = width(v)?;
        let mask = llvm::const_int(llvm::operand(v, 1))?;
        let all = u64::MAX >> (64 - w.clamp(1, 64));
        let (below, above) = (mask.wrapping_add(1), (!mask & all).wrapping_add(1));
        let round = |n: u64| n > 1 && n.is_power_of_two() && n < 1 << 31;
        let x = self.value(llvm::operand(v, 0), depth);
        if round(below) {
            return Some(binary(HostOp::Rem, x, known(below as i64)));
        }
        let unit = || known(above as i64);
        round(above).then(|| binary(HostOp::Mul, binary(HostOp::Div, x, unit()), unit()))
    }

    /// `n % 256 != 0`, or its negation.
    fn is_remainder(&mut self, v: Val, depth: usize) -> Option<IsRemainder> {
        if depth == 0 || !llvm::is_instruction(v) || llvm::opcode(v) != Opcode::LLVMICmp {
            return None;
        }
        // SAFETY: LLVM is given a comparison, of a module that is alive.
        let there = match unsafe { LLVMGetICmpPredicate(v) } {
            IntPred::LLVMIntNE => true,
            IntPred::LLVMIntEQ => false,
            _ => return None,
        };
        let of = self.value(llvm::operand(v, 0), depth - 1);
        let is_zero = llvm::const_int(llvm::operand(v, 1)) == Some(0);
        let is_it = matches!(of, HostValue::Binary(HostOp::Rem, ..)) && is_zero;
        is_it.then_some(IsRemainder { of, there })
    }

    /// `n % 256 ? n / 256 + 1 : n / 256`.
    fn one_more(&mut self, v: Val, depth: usize) -> Option<HostValue> {
        let mut asked = self.is_remainder(llvm::operand(v, 0), depth)?;
        let mut more = self.value(llvm::operand(v, 1), depth);
        let mut less = self.value(llvm::operand(v, 2), depth);
        if binary(HostOp::Add, more.clone(), known(1)) == less {
            (more, less) = (less, more);
            asked.there = !asked.there;
        }
        (binary(HostOp::Add, less.clone(), known(1)) == more)
            .then(|| binary(HostOp::Add, less, asked.into_number()))
    }

    /// `ceil(n / 256.0)`, which the optimiser may have turned into a multiplication.
    fn rounded_up(&mut self, v: Val, depth: usize) -> Option<HostValue> {
        let call = llvm::operand(v, 0);
        if !llvm::is_instruction(call)
            || llvm::opcode(call) != Opcode::LLVMCall
            || intrinsic(call)? != "llvm.ceil"
        {
            return None;
        }
        let quotient = llvm::operand(call, 0);
        if !llvm::is_instruction(quotient) {
            return None;
        }
        let (a, b) = (llvm::operand(quotient, 0), llvm::operand(quotient, 1));
        let divisor = match llvm::opcode(quotient) {
            Opcode::LLVMFDiv => match real(b) {
                Some(r) => known(whole(r)?),
                None => self.integer_of(b, depth)?,
            },
            // Only for powers of two the product equals the quotient: 700 * 0.01 is more than 7.
            Opcode::LLVMFMul => known(whole(1.0 / real(b)?).filter(|d| d.count_ones() == 1)?),
            _ => return None,
        };
        let number = self.integer_of(a, depth)?;
        let less = binary(HostOp::Sub, divisor.clone(), known(1));
        Some(binary(HostOp::Div, binary(HostOp::Add, number, less), divisor))
    }

    /// The integer that a floating-point number was converted from.
    fn integer_of(&mut self, v: Val, depth: usize) -> Option<HostValue> {
        let conversions =
            [Opcode::LLVMSIToFP, Opcode::LLVMUIToFP, Opcode::LLVMFPExt, Opcode::LLVMFPTrunc];
        let mut at = v;
        while llvm::is_instruction(at) && conversions.contains(&llvm::opcode(at)) {
            at = llvm::operand(at, 0);
            if width(at).is_some() {
                return Some(self.value(at, depth));
            }
        }
        None
    }
}

/// Whether a remainder is non-zero, or is zero.
struct IsRemainder {
    of: HostValue,
    there: bool,
}

impl IsRemainder {
    /// 1 if it is so, else 0: remainders are not negative here.
    fn into_number(self) -> HostValue {
        let left = binary(HostOp::Min, self.of, known(1));
        if self.there { left } else { binary(HostOp::Sub, known(1), left) }
    }
}

/// The quotient rounded up, if these are the quotient rounded down and whether the remainder is non-zero.
fn with_the_rest(quotient: &HostValue, rest: &HostValue) -> Option<HostValue> {
    use HostValue::Binary;
    let (Binary(HostOp::Div, n, by), Binary(HostOp::Min, left, one)) = (quotient, rest) else {
        return None;
    };
    let is_its_rest = matches!(&**left, Binary(HostOp::Rem, m, b) if m == n && b == by);
    if !is_its_rest || **one != known(1) {
        return None;
    }
    let less = binary(HostOp::Sub, (**by).clone(), known(1));
    Some(binary(HostOp::Div, binary(HostOp::Add, (**n).clone(), less), (**by).clone()))
}

/// The remainder, as a number minus the largest multiple below: the optimiser's way to compute both it and the
/// quotient.
fn rest_of(n: &HostValue, multiple: &HostValue, sign: i64) -> Option<HostValue> {
    use HostValue::{Binary, Known};
    let Binary(HostOp::Mul, quotient, times) = multiple else { return None };
    let of = |quotient: &HostValue, times: &HostValue| {
        let Binary(HostOp::Div, whole, by) = quotient else { return None };
        let is_by = match (times, &**by) {
            (Known(t), Known(b)) => t.checked_mul(sign) == Some(*b),
            (times, by) => sign == 1 && times == by,
        };
        (**whole == *n && is_by).then(|| binary(HostOp::Rem, n.clone(), (**by).clone()))
    };
    of(quotient, times).or_else(|| of(times, quotient))
}

pub(super) fn known(v: i64) -> HostValue {
    HostValue::Known(v)
}

/// A binary operation with constant folding.
pub(super) fn binary(op: HostOp, a: HostValue, b: HostValue) -> HostValue {
    use HostValue::Known;
    let either =
        |f: fn(&HostValue, &HostValue) -> Option<HostValue>| f(&a, &b).or_else(|| f(&b, &a));
    let shorter = match op {
        HostOp::Add => either(with_the_rest).or_else(|| either(|a, b| rest_of(a, b, -1))),
        HostOp::Sub => rest_of(&a, &b, 1),
        _ => None,
    };
    if let Some(shorter) = shorter {
        return shorter;
    }
    match (op, &a, &b) {
        (_, Known(x), Known(y)) => match op.of(*x, *y) {
            Some(v) => Known(v),
            None => HostValue::Binary(op, a.into(), b.into()),
        },
        (HostOp::Add | HostOp::Sub, _, Known(0)) | (HostOp::Mul | HostOp::Div, _, Known(1)) => a,
        // A dimension truncated to its width.
        (HostOp::Rem, HostValue::Binary(HostOp::Div, _, by), Known(m)) if matches!(**by, Known(d) if d > 0 && d.checked_mul(*m).is_none_or(|p| p >= 1 << 32)) => {
            a
        }
        // `n + -1` is more readable as it was written.
        (HostOp::Add, _, Known(y)) if *y < 0 && *y > i64::MIN => {
            let less = Known(-y);
            HostValue::Binary(HostOp::Sub, a.into(), less.into())
        }
        _ => HostValue::Binary(op, a.into(), b.into()),
    }
}

impl HostOp {
    /// The result, if there is one.
    pub fn of(self, x: i64, y: i64) -> Option<i64> {
        match self {
            HostOp::Add => x.checked_add(y),
            HostOp::Sub => x.checked_sub(y),
            HostOp::Mul => x.checked_mul(y),
            HostOp::Div => x.checked_div(y),
            HostOp::Rem => x.checked_rem(y),
            HostOp::Min => Some(x.min(y)),
            HostOp::Max => Some(x.max(y)),
        }
    }
}

/// A number, and by how many bits it was shifted to the left.
fn shifted_left(v: Val) -> Option<(Val, u64)> {
    let is_it = llvm::opcode_of(v) == Some(Opcode::LLVMShl);
    is_it.then(|| Some((llvm::operand(v, 0), llvm::const_int(llvm::operand(v, 1))?)))?
}

/// The width of an integer in bits.
pub(super) fn width(v: Val) -> Option<u32> {
    let ty = llvm::type_of(v);
    (llvm::type_kind(ty) == llvm::TypeKind::LLVMIntegerTypeKind)
        // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
        .then(|| unsafe { LLVMGetIntTypeWidth(ty) })
}

/// Whether the upper half of a pair is zero.
fn is_low(v: Val) -> bool {
    llvm::is_instruction(v)
        && llvm::opcode(v) == Opcode::LLVMZExt
        && width(llvm::operand(v, 0)).is_some_and(|w| w <= 32)
}

fn small(bits: u64) -> Option<u32> {
    (bits < 31).then_some(bits as u32)
}

/// An intrinsic's name without its types.
fn intrinsic(call: Val) -> Option<String> {
    let name = llvm::name(llvm::callee(call)?);
    let mut parts = name.split('.');
    Some(format!("{}.{}", parts.next()?, parts.next()?))
}

fn real(v: Val) -> Option<f64> {
    if llvm::value_kind(v) != llvm::ValueKind::LLVMConstantFPValueKind {
        return None;
    }
    let mut inexact = 0;
    // SAFETY: LLVM is given a constant, of a module that is alive.
    Some(unsafe { LLVMConstRealGetDouble(v, &mut inexact) })
}

fn whole(r: f64) -> Option<i64> {
    (r.fract() == 0.0 && (1.0..1e9).contains(&r)).then_some(r as i64)
}
