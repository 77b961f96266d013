//! Inline PTX, as SDK headers and user code use it.
//!
//! The text is taken apart ([`text`]); each statement is lowered by the row of its opcode ([`table`]), between labels and
//! branches ([`flow`]). `$n` names the call's operand `n`, results first, other names are registers of the text. A
//! statement that is not supported makes the whole text unsupported.
//!
//! Accesses, barriers, fences, copies and operations of a warp are exact as to what they access and how they
//! synchronise. Values are exact but for the approximate and flush-to-zero forms of arithmetic, which are computed
//! accurately and marked, and sums of products of matrices ([`lockstep_kernel::semantics::matrix`]).
//!
//! An address in the window of shared memory may have 32 bits. What pointer it was made of is found when the kernel is
//! complete ([`crate::lower::narrow_addresses`]).

mod access;
mod arithmetic;
mod by_lane;
mod copies;
mod flow;
mod matrix;
mod synchronise;
mod table;
mod text;
mod types;
mod volta;
mod warp;

use llvm_sys::core::*;
use lockstep_kernel::{CmpOp, Operand, Scope, Ty};

pub(in crate::lower) use self::text::Names;
use crate::llvm::{self, Val};
use crate::lower::Lower;
use crate::lower::calls::Outcome;
use crate::lower::calls::nvvm::special_register;
use crate::lower::insts::unsigned;

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
        let mut names = Names::with_results(outs.iter().map(|l| l.ty).collect());
        for (i, &arg) in args.iter().enumerate() {
            let ty = self.ty_of(arg)?;
            let value = self.scalar(arg);
            names.insert(format!("${}", outs.len() + i), (value, ty));
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
        self.ptx_items(&text::items(&text), &mut names).ok_or_else(shown)?;
        let mut results = Vec::new();
        for (i, leaf) in outs.iter().enumerate() {
            let Some(&(value, ty)) = names.get(&format!("${i}")) else {
                return Err(shown());
            };
            results.push(self.convert_bits(ty, leaf.ty, value));
        }
        Ok(results)
    }

    fn convert_bits(&mut self, from: Ty, to: Ty, x: Operand) -> Operand {
        let (fi, ti) = (unsigned(from), unsigned(to));
        let x = self.bits(from, fi, x);
        let x = self.zext(fi, ti, x);
        self.bits(ti, to, x)
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

fn scope_of(parts: &[&str]) -> Scope {
    if parts.contains(&"cta") {
        Scope::Block
    } else if parts.contains(&"sys") {
        Scope::System
    } else {
        Scope::Device
    }
}
