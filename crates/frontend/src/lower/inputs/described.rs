//! Debug information about the fields of a struct parameter, their names and types, and about pointees.
//!
//! Members are named as in the source (`.dims[1]`), captures of a lambda after their variables; base classes and
//! unnamed members add nothing. A location in a union, a bit-field or padding has no unique name and is not described.

use llvm_sys::core::LLVMValueAsMetadata;
use llvm_sys::debuginfo::*;

use crate::llvm::{self, Md, Module, Val};

const ARRAY: u16 = 0x01;
const CLASS: u16 = 0x02;
const ENUM: u16 = 0x04;
const MEMBER: u16 = 0x0d;
const POINTER: u16 = 0x0f;
const REFERENCE: u16 = 0x10;
const STRUCT: u16 = 0x13;
const TYPEDEF: u16 = 0x16;
const INHERITANCE: u16 = 0x1c;
const BASIC: u16 = 0x24;
const CONST: u16 = 0x26;
const VOLATILE: u16 = 0x35;
const RESTRICT: u16 = 0x37;
const RVALUE_REFERENCE: u16 = 0x42;
const ATOMIC: u16 = 0x47;

/// The positions of operands in metadata of types and functions.
const FUNCTION_TYPE: usize = 4;
const BASE: usize = 3;
const ELEMENTS: usize = 4;

/// A field, as in the source.
#[derive(Default)]
pub(in crate::lower) struct Described {
    /// The suffix to the parameter's name: `.dims[1]`.
    pub(in crate::lower) path: String,
    pub(in crate::lower) source_type: String,
    /// The type itself, or its pointee, if it has a name.
    pub(in crate::lower) target: String,
    /// The pointee, if it is a pointer.
    pub(in crate::lower) pointee: Option<Pointee>,
}

/// The layout of a pointee.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower) struct Pointee {
    pub(in crate::lower) size: u64,
    /// 1 for a struct without an explicit alignment: it may be packed, which debug information does not show.
    pub(in crate::lower) align: u32,
}

/// The pointee of a function's parameter; `None` if it is not known, or not a pointer.
pub(in crate::lower) fn pointee(m: &Module, f: Val, position: usize) -> Option<Pointee> {
    let (_, ty) = plain(m, parameter_type(m, f, position)?);
    // SAFETY: LLVM is given a node of debug information, of a module that is alive.
    match unsafe { LLVMGetDINodeTag(ty) } {
        POINTER | REFERENCE | RVALUE_REFERENCE => Some(layout(m, operand(m, ty, BASE)?)),
        _ => None,
    }
}

fn layout(m: &Module, ty: Md) -> Pointee {
    let (_, inner) = plain(m, ty);
    // SAFETY: LLVM is given a type in debug information, of a module that is alive.
    let size = unsafe { LLVMDITypeGetSizeInBits(inner) } / 8;
    Pointee { size, align: alignment(m, ty) }
}

fn alignment(m: &Module, mut ty: Md) -> u32 {
    for _ in 0..32 {
        // SAFETY: LLVM is given a node of debug information, of a module that is alive.
        let tag = unsafe { LLVMGetDINodeTag(ty) };
        // SAFETY: LLVM is given a type in debug information, of a module that is alive.
        let said = unsafe { LLVMDITypeGetAlignInBits(ty) } / 8;
        if said > 0 {
            return said;
        }
        // SAFETY: LLVM is given a type in debug information, of a module that is alive.
        let size = unsafe { LLVMDITypeGetSizeInBits(ty) } / 8;
        // SAFETY: LLVM is given a type in debug information, of a module that is alive.
        let is_vector = unsafe { LLVMDITypeGetFlags(ty) } & LLVMDIFlagVector != 0;
        let inner = match tag {
            TYPEDEF | ATOMIC | CONST | VOLATILE | RESTRICT => operand(m, ty, BASE),
            ARRAY if !is_vector => operand(m, ty, BASE),
            BASIC | ENUM | POINTER | REFERENCE | RVALUE_REFERENCE | ARRAY => {
                let is_usual = size.is_power_of_two() && size <= 128;
                return if is_usual { size as u32 } else { 1 };
            }
            _ => return 1,
        };
        match inner {
            Some(inner) => ty = inner,
            None => return 1,
        }
    }
    1
}

/// The type of a function's parameter; `None` if it is not known, or has another size.
pub(in crate::lower) fn parameter(m: &Module, f: Val, position: usize, size: u64) -> Option<Md> {
    let (_, ty) = plain(m, parameter_type(m, f, position)?);
    // SAFETY: LLVM is given a type in debug information, of a module that is alive.
    let is_declared = unsafe { LLVMDITypeGetFlags(ty) } & LLVMDIFlagFwdDecl != 0;
    // SAFETY: LLVM is given a type in debug information, of a module that is alive.
    (!is_declared && unsafe { LLVMDITypeGetSizeInBits(ty) } == size * 8).then_some(ty)
}

/// The types of a function's parameters as the source spells them, without typedefs.
pub(in crate::lower) fn parameter_types(m: &Module, f: Val) -> Vec<String> {
    let count = llvm::arguments(f).len();
    let spelt = |ty: Md| field(m, ty, 0).filter(|d| d.path.is_empty()).map(|d| d.source_type);
    let types = (0..count).map(|i| parameter_type(m, f, i).and_then(spelt).unwrap_or_default());
    // Whether a pointer is `restrict` is an attribute of the parameter.
    types.map(|t| t.trim_end_matches("restrict").to_owned()).collect()
}

fn parameter_type(m: &Module, f: Val, position: usize) -> Option<Md> {
    // SAFETY: LLVM is given a function, of a module that is alive.
    let function = unsafe { LLVMGetSubprogram(f) };
    if function.is_null() {
        return None;
    }
    let types = operand(m, operand(m, function, FUNCTION_TYPE)?, BASE)?;
    // The first is the return type.
    operand(m, types, position + 1)
}

/// The type of a variable; `None` if it is not known, or has another size.
pub(in crate::lower) fn variable(m: &Module, global: Val, size: u64) -> Option<Md> {
    let ty = operand(m, operand(m, llvm::debug_info_of(global)?, 0)?, BASE)?;
    let (_, inner) = plain(m, ty);
    // SAFETY: LLVM is given a node of debug information, of a module that is alive.
    let bits = match unsafe { LLVMGetDINodeTag(inner) } {
        POINTER | REFERENCE => 64,
        // SAFETY: LLVM is given a type in debug information, of a module that is alive.
        _ => unsafe { LLVMDITypeGetSizeInBits(inner) },
    };
    (bits == size * 8).then_some(ty)
}

/// The field at this offset of a type.
pub(in crate::lower) fn field(m: &Module, ty: Md, offset: u64) -> Option<Described> {
    let mut path = String::new();
    let (mut ty, mut at) = (ty, offset * 8);
    for _ in 0..32 {
        let (words, inner) = plain(m, ty);
        // SAFETY: LLVM is given a node of debug information, of a module that is alive.
        match unsafe { LLVMGetDINodeTag(inner) } {
            STRUCT | CLASS => {
                let (member, start) = member_at(m, inner, at)?;
                let name = name(member);
                if !name.is_empty() {
                    path.push('.');
                    path.push_str(&name);
                }
                ty = operand(m, member, BASE)?;
                at -= start;
            }
            ARRAY => {
                ty = operand(m, inner, BASE)?;
                let (_, element) = plain(m, ty);
                // SAFETY: LLVM is given a type in debug information, of a module that is alive.
                let size = unsafe { LLVMDITypeGetSizeInBits(element) };
                path.push_str(&indices(m, inner, at.checked_div(size)?)?);
                at %= size;
            }
            POINTER | REFERENCE | RVALUE_REFERENCE if at == 0 => {
                // A pointer to `void` has no pointee type.
                let Some(to) = operand(m, inner, BASE) else {
                    return Some(pointer(path, "", "void", &words));
                };
                let (target_words, target) = plain(m, to);
                let described = pointer(path, &target_words, &name(target), &words);
                return Some(Described { pointee: Some(layout(m, to)), ..described });
            }
            _ if at == 0 => {
                let target = name(inner);
                return Some(Described {
                    path,
                    source_type: format!("{words}{target}"),
                    target,
                    pointee: None,
                });
            }
            _ => return None,
        }
    }
    None
}

fn pointer(path: String, words: &str, target: &str, own: &str) -> Described {
    let restrict = if own.contains("restrict") { "restrict" } else { "" };
    let source_type = format!("{words}{target} *{restrict}");
    Described { path, source_type, target: target.to_owned(), pointee: None }
}

/// The member or base class that contains a bit, and its offset.
fn member_at(m: &Module, ty: Md, at: u64) -> Option<(Md, u64)> {
    let members = operands(m, operand(m, ty, ELEMENTS)?).into_iter().flatten();
    members
        // SAFETY: LLVM is given a node of debug information, of a module that is alive.
        .filter(|&e| matches!(unsafe { LLVMGetDINodeTag(e) }, MEMBER | INHERITANCE))
        // SAFETY: LLVM is given a type in debug information, of a module that is alive.
        .filter(|&e| unsafe { LLVMDITypeGetFlags(e) } & LLVMDIFlagStaticMember == 0)
        // SAFETY: LLVM is given a type in debug information, of a module that is alive.
        .map(|e| unsafe { (e, LLVMDITypeGetOffsetInBits(e)) })
        .find(|&(e, start)| {
            let covered = operand(m, e, BASE).map(|t| plain(m, t).1);
            // SAFETY: LLVM is given a type in debug information, of a module that is alive.
            let size = covered.map_or(0, |t| unsafe { LLVMDITypeGetSizeInBits(t) });
            (start..start + size).contains(&at)
        })
        // SAFETY: LLVM is given a type in debug information, of a module that is alive.
        .filter(|&(e, _)| unsafe { LLVMDITypeGetFlags(e) } & LLVMDIFlagBitField == 0)
}

/// `[1][2]` of element number 6 of an array `[2][4]`.
fn indices(m: &Module, array: Md, number: u64) -> Option<String> {
    let ranges = operands(m, operand(m, array, ELEMENTS)?).into_iter().flatten();
    let counts: Option<Vec<u64>> = ranges
        .map(|r| llvm::md_operands(m.md_as_value(r)).first().and_then(|&c| llvm::const_int(c)))
        .collect();
    let (mut text, mut left) = (String::new(), number);
    for count in counts?.into_iter().rev() {
        let index = left.checked_rem(count)?;
        text = format!("[{index}]{text}");
        left /= count;
    }
    (left == 0).then_some(text)
}

/// A type without typedefs and qualifiers, and these qualifiers.
fn plain(m: &Module, ty: Md) -> (String, Md) {
    let (mut words, mut ty) = (String::new(), ty);
    for _ in 0..32 {
        // SAFETY: LLVM is given a node of debug information, of a module that is alive.
        match unsafe { LLVMGetDINodeTag(ty) } {
            TYPEDEF | ATOMIC => {}
            CONST => words.push_str("const "),
            VOLATILE => words.push_str("volatile "),
            RESTRICT => words.push_str("restrict "),
            _ => break,
        }
        match operand(m, ty, BASE) {
            Some(inner) => ty = inner,
            None => break,
        }
    }
    (words, ty)
}

fn name(ty: Md) -> String {
    // SAFETY: LLVM is given a type in debug information, of a module that is alive.
    unsafe {
        let mut length = 0;
        let text = LLVMDITypeGetName(ty, &mut length);
        if text.is_null() {
            return String::new();
        }
        let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length);
        String::from_utf8_lossy(bytes).into_owned()
    }
}

fn operand(m: &Module, node: Md, index: usize) -> Option<Md> {
    operands(m, node).get(index).copied().flatten()
}

fn operands(m: &Module, node: Md) -> Vec<Option<Md>> {
    let values = llvm::md_operands(m.md_as_value(node));
    // SAFETY: LLVM is given metadata, of a module that is alive.
    let metadata = |v: Val| (!v.is_null()).then(|| unsafe { LLVMValueAsMetadata(v) });
    values.into_iter().map(metadata).collect()
}
