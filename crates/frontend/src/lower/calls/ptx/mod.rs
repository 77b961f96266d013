//! Inline PTX: barriers, fences, lane registers, warp operations, accesses and scalar arithmetic, as far as SDK headers
//! and user code use it.
//!
//! Each statement of the text is parsed by itself; `$n` names the call's operand `n`, results first, other names are
//! registers of the text. A statement that is not supported makes the whole text unsupported. A statement under a
//! predicate (`@p`) is supported if it only computes (the result is selected, instead of the execution), or copies.

mod access;
mod arithmetic;
mod types;

use std::collections::HashMap;

use llvm_sys::core::*;
use lockstep_kernel::{
    BarrierReduce, CmpOp, Op, Operand, Order, Reg, Scope, ShuffleMode, Ty, VoteKind,
};

use crate::llvm::{self, Opcode, Val};
use crate::lower::Lower;
use crate::lower::calls::Outcome;
use crate::lower::calls::nvvm::special_register;
use crate::lower::insts::unsigned;

/// Maximum number of additions to a truncated address.
const MOVED: u32 = 64;

/// The current values of the names in the text.
type Names = HashMap<String, (Operand, Ty)>;

impl Lower<'_> {
    pub(super) fn inline_asm(&mut self, inst: Val, asm: Val, args: &[Val]) -> Outcome {
        // SAFETY: `asm` is inline assembly of a module that is alive, and the text has the length that is given.
        let string = |get: unsafe extern "C" fn(Val, *mut usize) -> *const std::ffi::c_char| unsafe {
            let mut len = 0;
            let p = get(asm, &mut len);
            if p.is_null() {
                String::new()
            } else {
                String::from_utf8_lossy(std::slice::from_raw_parts(p.cast(), len)).into_owned()
            }
        };
        let text = string(LLVMGetInlineAsmAsmString);
        let constraints = string(LLVMGetInlineAsmConstraintString);
        let outs = self.leaves(llvm::type_of(inst))?;
        let mut names = Names::new();
        for (i, &arg) in args.iter().enumerate() {
            let ty = self.ty_of(arg)?;
            let value = self.scalar(arg);
            names.insert(format!("${}", outs.len() + i), (value, ty));
            if ty == Ty::I32
                && let Some(pointer) = self.cut_pointer(arg, MOVED)
            {
                names.insert(window(&format!("${}", outs.len() + i)), (pointer, Ty::Ptr));
            }
            // An operand that is read and written has the number of its result as its constraint.
            let same = constraints.split(',').nth(outs.len() + i);
            if let Some(result) = same.and_then(|c| c.parse::<usize>().ok()) {
                names.insert(format!("${result}"), (value, ty));
            }
        }
        let shown = || {
            let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("inline PTX \"{}\"", one_line.chars().take(80).collect::<String>())
        };
        let out_types: Vec<Ty> = outs.iter().map(|l| l.ty).collect();
        for statement in statements(&text) {
            self.statement(&statement, &mut names, &out_types).ok_or_else(shown)?;
        }
        let mut results = Vec::new();
        for (i, leaf) in outs.iter().enumerate() {
            let Some(&(value, ty)) = names.get(&format!("${i}")) else {
                return Err(shown());
            };
            results.push(self.convert_bits(ty, leaf.ty, value));
        }
        Ok(results)
    }

    /// An address in the window of shared memory has 32 bits, which do not identify the object: it is a truncated
    /// pointer, to which offsets may have been added. This is the full pointer. It is searched for in chains of a
    /// limited number of additions, visiting each value once: hash functions have long chains.
    fn cut_pointer(&mut self, v: Val, left: u32) -> Option<Operand> {
        if left == 0 || self.numbers.contains(&v) {
            return None;
        }
        let pointer = self.uncut(v, left - 1);
        if pointer.is_none() {
            self.numbers.insert(v);
        }
        pointer
    }

    fn uncut(&mut self, v: Val, left: u32) -> Option<Operand> {
        match llvm::opcode_of(v)? {
            Opcode::LLVMTrunc => {
                let whole = llvm::operand(v, 0);
                let whole = (self.ty_of(whole).ok()? == Ty::I64).then(|| self.scalar(whole))?;
                Some(self.bits(Ty::I64, Ty::Ptr, whole))
            }
            Opcode::LLVMPtrToInt => {
                let pointer = llvm::operand(v, 0);
                Some(self.scalar(pointer))
            }
            Opcode::LLVMAdd => {
                let (a, b) = (llvm::operand(v, 0), llvm::operand(v, 1));
                let (pointer, by) = match self.cut_pointer(a, left) {
                    Some(pointer) => (pointer, b),
                    None => (self.cut_pointer(b, left)?, a),
                };
                let by = self.scalar(by);
                let by = self.sext(Ty::I32, Ty::I64, by);
                Some(self.index(pointer, by, 1, 0))
            }
            _ => None,
        }
    }

    fn convert_bits(&mut self, from: Ty, to: Ty, x: Operand) -> Operand {
        let (fi, ti) = (unsigned(from), unsigned(to));
        let x = self.bits(from, fi, x);
        let x = self.zext(fi, ti, x);
        self.bits(ti, to, x)
    }

    fn statement(&mut self, text: &str, names: &mut Names, outs: &[Ty]) -> Option<()> {
        if let Some(rest) = text.strip_prefix('@') {
            let (guard, rest) = rest.trim_start().split_once(char::is_whitespace)?;
            return self.guarded(guard, rest.trim(), names, outs);
        }
        let (opcode, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let operands = operands(rest);
        let operands: Vec<&str> = operands.iter().map(String::as_str).collect();
        let parts: Vec<&str> = opcode.split('.').collect();
        let read = |text: &str| -> Option<(Operand, Ty)> {
            if let Some(&known) = names.get(text) {
                return Some(known);
            }
            let value = types::integer(text)?;
            Some((Operand::Imm(value & u32::MAX as u64), Ty::I32))
        };
        match parts[..] {
            [".reg", ..] | ["", "reg", ..] => Some(()),
            ["bar" | "barrier", ref tail @ ..] => {
                let tail: Vec<&str> =
                    tail.iter().copied().filter(|t| !matches!(*t, "cta" | "aligned")).collect();
                match (&tail[..], &operands[..]) {
                    (["sync"], &[id]) => {
                        self.block_barrier(read(id)?.0, None, None);
                    }
                    (["sync"], &[id, n]) => {
                        self.block_barrier(read(id)?.0, Some(read(n)?.0), None);
                    }
                    (["arrive"], &[id, n]) => self.arrive(read(id)?.0, read(n)?.0),
                    (["warp", "sync"], &[mask]) => self.warp_barrier(read(mask)?.0),
                    (["red", kind, ..], &[dst, id, pred]) => {
                        let kind = match *kind {
                            "popc" => BarrierReduce::Count,
                            "and" => BarrierReduce::And,
                            "or" => BarrierReduce::Or,
                            _ => return None,
                        };
                        let (p, ty) = read(pred)?;
                        let p = self.cmp(CmpOp::Ne, ty, p, Operand::Imm(0));
                        let r = self.block_barrier(read(id)?.0, None, Some((kind, p)))?;
                        names.insert(dst.to_string(), (r, Ty::I32));
                    }
                    _ => return None,
                }
                Some(())
            }
            ["membar", level] => {
                let scope = match level {
                    "cta" => Scope::Block,
                    "gl" => Scope::Device,
                    "sys" => Scope::System,
                    _ => return None,
                };
                self.fence(scope, Order::SeqCst, true, true);
                Some(())
            }
            ["fence", ref tail @ ..] => {
                if tail.contains(&"proxy") {
                    return None;
                }
                self.fence(
                    scope_of(tail),
                    if tail.contains(&"sc") { Order::SeqCst } else { Order::AcqRel },
                    true,
                    true,
                );
                Some(())
            }
            ["nanosleep", ..] => {
                self.push(Op::Yield, None);
                Some(())
            }
            ["trap"] => {
                self.push(Op::Assert { cond: Operand::Imm(0), message: "trap".into() }, None);
                Some(())
            }
            ["activemask", ..] => {
                let r = self.def(Op::ActiveMask, Ty::I32);
                names.insert(operands.first()?.to_string(), (r, Ty::I32));
                Some(())
            }
            ["shfl", "sync", mode, "b32"] => self.ptx_shuffle(mode, &operands, names),
            // Both orders of suffixes are used.
            ["vote", "sync", kind, "pred" | "b32"] | ["vote", kind, "sync", "pred" | "b32"] => {
                self.ptx_vote(kind, &operands, names)
            }
            ["match", how @ ("any" | "all"), "sync", ty] => {
                self.ptx_match(how == "all", ty, &operands, names)
            }
            ["ld" | "st" | "atom" | "red", ref tail @ ..] => {
                self.ptx_access(parts[0], tail, &operands, names)
            }
            ["cp", "async", ref tail @ ..] => self.ptx_async_copy(tail, &operands, None, names),
            ["prefetch" | "prefetchu", ..] => Some(()),
            ["tex", ref tail @ ..] => self.ptx_texture(tail, rest, names),
            _ => self.ptx_arithmetic(&parts, &operands, names, outs),
        }
    }

    /// `@p` or `@!p` before a statement that only computes.
    fn guarded(&mut self, guard: &str, text: &str, names: &mut Names, outs: &[Ty]) -> Option<()> {
        let condition = self.predicate(guard, names)?;
        let (opcode, rest) = text.split_once(char::is_whitespace)?;
        let parts: Vec<&str> = opcode.split('.').collect();
        let operands = operands(rest);
        let operands: Vec<&str> = operands.iter().map(String::as_str).collect();
        if let ["cp", "async", ref tail @ ..] = parts[..] {
            return self.ptx_async_copy(tail, &operands, Some(condition), names);
        }
        let dst = *operands.first()?;
        let before = names.get(dst).copied();
        self.ptx_arithmetic(&parts, &operands, names, outs)?;
        if let (Some((old, old_ty)), Some(&(new, ty))) = (before, names.get(dst)) {
            let old = self.convert_bits(old_ty, ty, old);
            let chosen = self.select(ty, condition, new, old);
            names.insert(dst.to_string(), (chosen, ty));
        }
        Some(())
    }

    /// A predicate register, or its negation.
    fn predicate(&mut self, text: &str, names: &Names) -> Option<Operand> {
        let (name, negated) = match text.strip_prefix('!') {
            Some(name) => (name.trim(), true),
            None => (text, false),
        };
        let &(value, ty) = names.get(name)?;
        let value = match ty {
            Ty::I1 => value,
            ty => self.cmp(CmpOp::Ne, ty, value, Operand::Imm(0)),
        };
        Some(if negated { self.not(Ty::I1, value) } else { value })
    }

    /// `shfl.sync.down.b32 d|p, a, b, c, mask`.
    fn ptx_shuffle(&mut self, mode: &str, operands: &[&str], names: &mut Names) -> Option<()> {
        let mode = match mode {
            "idx" => ShuffleMode::Index,
            "up" => ShuffleMode::Up,
            "down" => ShuffleMode::Down,
            "bfly" => ShuffleMode::Butterfly,
            _ => return None,
        };
        let &[dst, value, lane, clamp, mask] = operands else { return None };
        let value = self.ptx_value(value, Ty::I32, names)?;
        let lane = self.ptx_value(lane, Ty::I32, names)?;
        let clamp = self.ptx_value(clamp, Ty::I32, names)?;
        let mask = Some(self.ptx_value(mask, Ty::I32, names)?);
        let ty = Ty::I32;
        let reg = self.new_reg(ty);
        let (dst, predicate) = dst.split_once('|').map_or((dst, None), |(d, p)| (d, Some(p)));
        if predicate.is_some() {
            self.new_reg(Ty::I1);
        }
        let op = Op::Shuffle { mode, ty, value, lane, clamp, mask, predicate: predicate.is_some() };
        self.push(op, Some(reg));
        names.insert(dst.trim().to_string(), (Operand::Reg(reg), ty));
        if let Some(p) = predicate {
            names.insert(p.trim().to_string(), (Operand::Reg(Reg(reg.0 + 1)), Ty::I1));
        }
        Some(())
    }

    /// `vote.sync.ballot.b32 d, p, mask`.
    fn ptx_vote(&mut self, kind: &str, operands: &[&str], names: &mut Names) -> Option<()> {
        let kind = match kind {
            "all" => VoteKind::All,
            "any" => VoteKind::Any,
            "uni" => VoteKind::Uniform,
            "ballot" => VoteKind::Ballot,
            _ => return None,
        };
        let &[dst, pred, mask] = operands else { return None };
        let pred = self.predicate(pred, names)?;
        let mask = Some(self.ptx_value(mask, Ty::I32, names)?);
        let ty = if kind == VoteKind::Ballot { Ty::I32 } else { Ty::I1 };
        let result = self.def(Op::Vote { kind, pred, mask }, ty);
        names.insert(dst.to_string(), (result, ty));
        Some(())
    }

    /// `match.any.sync.b32 d, a, mask`, `match.all.sync.b64 d|p, a, mask`.
    fn ptx_match(
        &mut self,
        all: bool,
        ty: &str,
        operands: &[&str],
        names: &mut Names,
    ) -> Option<()> {
        let ty = match ty {
            "b32" => Ty::I32,
            "b64" => Ty::I64,
            _ => return None,
        };
        let &[dst, value, mask] = operands else { return None };
        let value = self.ptx_value(value, ty, names)?;
        let mask = self.ptx_value(mask, Ty::I32, names)?;
        let reg = self.new_reg(Ty::I32);
        if all {
            self.new_reg(Ty::I1);
        }
        self.push(Op::Match { all, ty, value, mask }, Some(reg));
        let (dst, predicate) = dst.split_once('|').map_or((dst, None), |(d, p)| (d, Some(p)));
        names.insert(dst.trim().to_string(), (Operand::Reg(reg), Ty::I32));
        if let Some(p) = predicate.filter(|_| all) {
            names.insert(p.trim().to_string(), (Operand::Reg(Reg(reg.0 + 1)), Ty::I1));
        }
        Some(())
    }

    /// An operand as bits of an integer type.
    fn ptx_value(&mut self, text: &str, ty: Ty, names: &Names) -> Option<Operand> {
        if let Some(&(value, from)) = names.get(text) {
            return Some(self.convert_bits(from, ty, value));
        }
        Some(Operand::Imm(types::integer(text)? & ty.mask()))
    }

    /// The special register with this name.
    fn ptx_register(&mut self, text: &str, ty: Ty) -> Option<Operand> {
        let name = text.trim_start_matches(['%', '$']);
        if name == "WARP_SZ" {
            let size = special_register("warpsize")?;
            return Some(self.read_special(size, ty));
        }
        let special = special_register(name).filter(|_| text.starts_with('%'))?;
        Some(self.read_special(special, ty))
    }
}

/// The statements of a text, without comments and without the braces of blocks.
fn statements(text: &str) -> Vec<String> {
    let lines = text.lines().map(|l| l.split_once("//").map_or(l, |(code, _)| code));
    let code = lines.collect::<Vec<_>>().join(" ").replace("$$", "%");
    let mut out = Vec::new();
    for statement in code.split(';') {
        let mut s = statement.trim();
        while let Some(rest) = s.strip_prefix(['{', '}']) {
            s = rest.trim_start();
        }
        // The braces of a vector are kept.
        while s.ends_with('}') && s.matches('}').count() > s.matches('{').count() {
            s = s[..s.len() - 1].trim_end();
        }
        if !s.is_empty() {
            out.push(s.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    out
}

/// Splits at commas outside braces and brackets.
fn operands(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                out.push(String::new());
                continue;
            }
            _ => {}
        }
        out.last_mut().expect("never empty").push(c);
    }
    out.iter().map(|s| s.trim().to_string()).filter(|s| !s.is_empty()).collect()
}

/// The name for the pointer that a 32-bit address was truncated from.
fn window(name: &str) -> String {
    format!("window {name}")
}

/// The names between braces.
fn vector(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    Some(inner.split(',').map(str::trim).collect())
}

fn scope_of(parts: &[&str]) -> Scope {
    if parts.contains(&"cta") {
        Scope::Block
    } else if parts.contains(&"sys") {
        Scope::System
    } else {
        Scope::Device
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_vectors_have_the_same_braces() {
        let text = "{ .reg .f16 lo,hi;\n mov.b32 {lo,hi}, $1; // both\n mov.b32 $0, {hi,lo};}\n";
        assert_eq!(
            statements(text),
            [".reg .f16 lo,hi", "mov.b32 {lo,hi}, $1", "mov.b32 $0, {hi,lo}"]
        );
        assert_eq!(statements("{add.f16 $0,$1,$2;\n}"), ["add.f16 $0,$1,$2"]);
        assert_eq!(operands("{lo,hi}, [$1+4], 3"), ["{lo,hi}", "[$1+4]", "3"]);
        assert_eq!(vector("{lo, hi}"), Some(vec!["lo", "hi"]));
    }
}
