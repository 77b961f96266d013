//! Fields of structs passed by value, as parameters of their own.
//!
//! A struct parameter is memory that a launch fills. A field that a kernel reads at a constant offset is more useful as
//! a parameter: a pointer (`f.y` of a functor, a capture of a lambda) is an array of the launch, a number is one that a
//! launch can set by its name. Such parameters follow the kernel's own, and have their position in the struct
//! ([`lockstep_kernel::Within`]): a launch also stores their values there, for code that reads the struct in another
//! way, by a variable index or as a whole. If an index selects one of a few pointers, that selection becomes explicit.
//! The same is done for variables that other code sets ([`super::variables`]).
//!
//! Kept in the bytes of the struct: unions, bit-fields, numbers that are read in such another way, pointers to memory
//! other than global, and all fields if there are too many.

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use llvm_sys::core::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMOffsetOfElement};
use lockstep_kernel::{CmpOp, Elem, Operand, Param, ParamKind, Space, Ty, Within};

use super::described::{self, Described};
use super::objects::named_type;
use super::variables::is_listed;
use crate::llvm::{self, Md, Opcode, Type, TypeKind, Val};
use crate::lower::Lower;
use crate::prepare::KEEP;

/// Maximum number of used fields of a struct that is split.
const MOST_FIELDS: usize = 64;
/// Maximum number of pointers among which an index selects explicitly.
const MOST_CHOICES: usize = 16;

/// A scalar of a struct, as LLVM lays it out.
struct Piece {
    offset: u64,
    ty: Ty,
    /// Indices of the members that lead to it.
    path: Vec<u64>,
}

impl Piece {
    fn overlaps(&self, bytes: &Range<u64>) -> bool {
        self.offset < bytes.end && bytes.start < self.offset + u64::from(self.ty.bytes())
    }
}

/// How a kernel reads a struct parameter.
#[derive(Default)]
pub(in crate::lower) struct Uses {
    /// Unused loads: of padding that is copied.
    dead: Vec<Val>,
    /// Loads at a constant offset.
    loads: Vec<(Val, u64)>,
    /// Loads of an array element, which are also in `otherwise`.
    elements: Vec<(Val, Element)>,
    /// Bytes that are read in another way.
    otherwise: Vec<Range<u64>>,
    /// The functions that are considered; `None` means all.
    only: Option<HashSet<Val>>,
}

impl Uses {
    /// Initially empty, to be collected in these functions.
    pub(in crate::lower) fn within(functions: &HashSet<Val>) -> Uses {
        Uses { only: Some(functions.clone()), ..Uses::default() }
    }
}

/// One of several offsets, selected by an index.
#[derive(Clone)]
struct Element {
    index: Val,
    /// The offset for each value of the index.
    offsets: Vec<u64>,
}

/// The struct or variable that is split, and its name.
pub(in crate::lower) struct Whole {
    pub(in crate::lower) name: String,
    pub(in crate::lower) of: WholeOf,
}

pub(in crate::lower) enum WholeOf {
    /// A struct parameter, by position.
    Param(usize),
    /// A variable in this memory.
    Variable(Space),
}

/// The result of an address computation.
enum Step {
    To(u64),
    Element { of: Range<u64>, element: Element },
    Anywhere,
}

/// Pointers of an array in a struct, one of which is selected by an index.
#[derive(Clone)]
pub(in crate::lower) struct Chosen {
    /// Which of a load's values it is.
    leaf: usize,
    index: Val,
    pointers: Rc<[Operand]>,
}

impl Lower<'_> {
    /// Creates parameters for the fields of a struct parameter, and records which loads read them. The struct is this
    /// argument of the function, at this position of the kernel's parameters.
    pub(in crate::lower) fn split_struct(
        &mut self,
        f: Val,
        (number, position): (usize, usize),
        arg: Val,
        ty: Type,
    ) {
        let whole = 0..self.size_of(ty);
        let mut uses = Uses::default();
        self.find_uses(arg, 0, &whole, &mut uses);
        let known = described::parameter(self.m, f, number, whole.end);
        let name = self.k.params[position].name.clone();
        self.split_read(ty, uses, known, &Whole { name, of: WholeOf::Param(position) });
    }

    /// Creates parameters for the parts of a struct, or of a variable, that are read, with their source names.
    pub(in crate::lower) fn split_read(
        &mut self,
        ty: Type,
        mut uses: Uses,
        known: Option<Md>,
        whole: &Whole,
    ) {
        for &load in &uses.dead {
            let count = self.leaves(llvm::type_of(load)).unwrap_or_default().len();
            self.field_loads.insert(load, vec![Operand::Undef; count].into());
        }
        let mut pieces = Vec::new();
        if !self.collect_pieces(ty, 0, &mut Vec::new(), &mut pieces) {
            return;
        }
        let loads = self.exact_loads(&mut uses, &pieces);
        let loaded = |p: &Piece| {
            loads.iter().any(|(_, read)| read.iter().any(|&i| pieces[i].offset == p.offset))
        };
        let otherwise = |p: &Piece| uses.otherwise.iter().any(|bytes| p.overlaps(bytes));
        let wanted = |p: &Piece| match p.ty {
            Ty::Ptr => loaded(p) || otherwise(p),
            _ => loaded(p) && !otherwise(p),
        };
        let describe = |p: &Piece| match known {
            Some(ty) => described::field(self.m, ty, p.offset),
            None => Some(Described {
                path: p.path.iter().map(|i| format!(".{i}")).collect(),
                ..Described::default()
            }),
        };
        let fields: Vec<Option<Described>> =
            pieces.iter().map(|p| wanted(p).then(|| describe(p)).flatten()).collect();
        if fields.iter().flatten().count() > MOST_FIELDS {
            return;
        }
        let mut regs = vec![None; pieces.len()];
        for (i, field) in fields.into_iter().enumerate() {
            regs[i] = field.map(|field| self.field_param(whole, &pieces[i], field));
        }
        self.note_choices(&uses, &pieces, &regs);
        for (load, read) in loads {
            let values: Option<Rc<[Operand]>> = read.iter().map(|&i| regs[i]).collect();
            if let Some(values) = values {
                self.field_loads.insert(load, values);
            }
        }
    }

    fn field_param(&mut self, whole: &Whole, piece: &Piece, field: Described) -> Operand {
        let size = field.pointee.map(|p| p.size);
        let scalar = named_type(&field.target)
            .filter(|(t, _)| size.is_none_or(|s| s == u64::from(t.bytes())));
        let kind = match piece.ty {
            Ty::Ptr => ParamKind::Buffer {
                space: Space::Global,
                elem: scalar.map_or(Elem::Bytes(0), |(t, _)| Elem::Scalar(t)),
                readonly: false,
            },
            ty => ParamKind::Scalar { ty, count: 1 },
        };
        let reg = self.new_reg(piece.ty);
        let name = format!("{}{}", whole.name, field.path);
        let (within, variable) = match whole.of {
            WholeOf::Param(param) => (Some(Within { param, offset: piece.offset as u32 }), None),
            WholeOf::Variable(space) => (None, Some(space)),
        };
        self.k.reg_names.push((reg, name.clone()));
        self.k.params.push(Param {
            name,
            kind,
            reg,
            source_type: field.source_type,
            signed: scalar.is_none_or(|(_, s)| s),
            align: field.pointee.map_or(1, |p| p.align),
            within,
            variable,
        });
        Operand::Reg(reg)
    }

    /// The loads that read whole scalars with their own type; the others are added to those read in another way.
    fn exact_loads(&mut self, uses: &mut Uses, pieces: &[Piece]) -> Vec<(Val, Vec<usize>)> {
        let mut exact = Vec::new();
        for (load, at) in std::mem::take(&mut uses.loads) {
            let ty = llvm::type_of(load);
            let leaves = self.leaves(ty).unwrap_or_default();
            let piece = |leaf: &crate::lower::types::Leaf| {
                let fits = |p: &Piece| p.offset == at + leaf.offset && p.ty == leaf.ty;
                (!leaf.is_odd()).then(|| pieces.iter().position(fits)).flatten()
            };
            match leaves.iter().map(piece).collect::<Option<Vec<usize>>>() {
                Some(read) if !read.is_empty() => exact.push((load, read)),
                _ => uses.otherwise.push(at..at + self.size_of(ty)),
            }
            uses.loads.push((load, at));
        }
        exact
    }

    /// Collects the uses of an address `at` bytes into a struct parameter.
    pub(in crate::lower) fn find_uses(
        &self,
        address: Val,
        at: u64,
        whole: &Range<u64>,
        uses: &mut Uses,
    ) {
        for user in llvm::users(address) {
            let is_seen = |f: &HashSet<Val>| {
                !llvm::is_instruction(user) || f.contains(&llvm::function_of(user))
            };
            if !uses.only.as_ref().is_none_or(is_seen) || is_listed(user) {
                continue;
            }
            let Some(opcode) = llvm::opcode_of(user) else {
                uses.otherwise.push(whole.clone());
                continue;
            };
            match opcode {
                Opcode::LLVMLoad if is_dead(user) => uses.dead.push(user),
                Opcode::LLVMLoad => uses.loads.push((user, at)),
                Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => {
                    self.find_uses(user, at, whole, uses)
                }
                Opcode::LLVMGetElementPtr => match self.step(user, at, whole) {
                    Step::To(at) => self.find_uses(user, at, whole, uses),
                    Step::Element { of, element } => {
                        uses.otherwise.push(of);
                        self.find_elements(user, element, uses);
                    }
                    Step::Anywhere => uses.otherwise.push(whole.clone()),
                },
                Opcode::LLVMCall => uses.otherwise.extend(read_by_call(user, address, at, whole)),
                _ => uses.otherwise.push(whole.clone()),
            }
        }
    }

    /// Collects loads at the address of an element, or of a part of it.
    fn find_elements(&self, address: Val, element: Element, uses: &mut Uses) {
        for user in llvm::users(address).into_iter().filter(|&u| llvm::is_instruction(u)) {
            match llvm::opcode(user) {
                Opcode::LLVMLoad => uses.elements.push((user, element.clone())),
                Opcode::LLVMGetElementPtr => {
                    // Offsets relative to the element's own start.
                    if let Step::To(further) = self.step(user, 0, &(0..u64::MAX)) {
                        let offsets = element.offsets.iter().map(|o| o + further).collect();
                        self.find_elements(user, Element { offsets, ..element }, uses);
                    }
                }
                _ => {}
            }
        }
    }

    fn step(&self, gep: Val, at: u64, whole: &Range<u64>) -> Step {
        // SAFETY: LLVM is given a getelementptr, of a module that is alive.
        let mut ty = unsafe { LLVMGetGEPSourceElementType(gep) };
        let mut at = at;
        let mut element: Option<(Range<u64>, u64, Val)> = None;
        for i in 1..llvm::num_operands(gep) {
            let index = llvm::operand(gep, i);
            let number = llvm::const_int(index);
            match (llvm::type_kind(ty), number) {
                (_, Some(first)) if i == 1 => {
                    at = at.wrapping_add(first.wrapping_mul(self.size_of(ty)));
                }
                (TypeKind::LLVMStructTypeKind, Some(n)) => {
                    // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
                    at += unsafe { LLVMOffsetOfElement(self.dl, ty, n as u32) };
                    // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
                    ty = unsafe { LLVMStructGetTypeAtIndex(ty, n as u32) };
                }
                (TypeKind::LLVMArrayTypeKind, number) if i > 1 => {
                    let all = at..at + self.size_of(ty);
                    // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
                    ty = unsafe { LLVMGetElementType(ty) };
                    match number {
                        Some(n) => at = at.wrapping_add(n.wrapping_mul(self.size_of(ty))),
                        None if element.is_none() => element = Some((all, self.size_of(ty), index)),
                        None => return Step::Anywhere,
                    }
                }
                _ => return Step::Anywhere,
            }
        }
        match element {
            Some((of, stride, index)) if stride > 0 => {
                let count = (of.end - of.start) / stride;
                let offsets = (0..count).map(|k| at + k * stride).collect();
                Step::Element { of, element: Element { index, offsets } }
            }
            None if whole.contains(&at) => Step::To(at),
            _ => Step::Anywhere,
        }
    }

    /// The pointer that an index selects; the loaded value if the index is out of range.
    pub(in crate::lower) fn choose(
        &mut self,
        chosen: &Chosen,
        values: &mut [Operand],
    ) -> Result<(), String> {
        let index = self.index_operand(chosen.index)?;
        for (k, &pointer) in chosen.pointers.iter().enumerate() {
            let is = self.cmp(CmpOp::Eq, Ty::I64, index, Operand::Imm(k as u64));
            values[chosen.leaf] = self.select(Ty::Ptr, is, pointer, values[chosen.leaf]);
        }
        Ok(())
    }

    /// Records the pointers that loads of elements select from, if all of these are fields.
    fn note_choices(&mut self, uses: &Uses, pieces: &[Piece], regs: &[Option<Operand>]) {
        for (load, element) in &uses.elements {
            let leaves = self.leaves(llvm::type_of(*load)).unwrap_or_default();
            if element.offsets.len() > MOST_CHOICES {
                continue;
            }
            for (i, leaf) in leaves.iter().enumerate().filter(|(_, l)| l.ty == Ty::Ptr) {
                let field = |offset: u64| {
                    let at = |p: &Piece| p.ty == Ty::Ptr && p.offset == offset + leaf.offset;
                    regs[pieces.iter().position(at)?]
                };
                let pointers: Option<Rc<[Operand]>> =
                    element.offsets.iter().map(|&o| field(o)).collect();
                if let Some(pointers) = pointers {
                    let chosen = Chosen { leaf: i, index: element.index, pointers };
                    self.chosen_loads.entry(*load).or_default().push(chosen);
                }
            }
        }
    }

    /// False if the struct has scalars without a register type, or too many.
    fn collect_pieces(&self, ty: Type, at: u64, path: &mut Vec<u64>, out: &mut Vec<Piece>) -> bool {
        const MOST: usize = 1024;
        let mut inner = |index: u64, ty: Type, at: u64, out: &mut Vec<Piece>| {
            path.push(index);
            let fine = self.collect_pieces(ty, at, path, out);
            path.pop();
            fine
        };
        // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
        unsafe {
            let scalar = match llvm::type_kind(ty) {
                TypeKind::LLVMStructTypeKind if is_union(ty) => return true,
                TypeKind::LLVMStructTypeKind => {
                    return (0..LLVMCountStructElementTypes(ty)).all(|i| {
                        let at = at + LLVMOffsetOfElement(self.dl, ty, i);
                        inner(i.into(), LLVMStructGetTypeAtIndex(ty, i), at, out)
                    });
                }
                TypeKind::LLVMArrayTypeKind => {
                    let element = LLVMGetElementType(ty);
                    let step = LLVMABISizeOfType(self.dl, element);
                    let n = LLVMGetArrayLength2(ty);
                    return n <= MOST as u64
                        && (0..n).all(|i| inner(i, element, at + i * step, out));
                }
                TypeKind::LLVMVectorTypeKind => {
                    let element = LLVMGetElementType(ty);
                    let step = LLVMABISizeOfType(self.dl, element);
                    return (0..u64::from(LLVMGetVectorSize(ty)))
                        .all(|i| inner(i, element, at + i * step, out));
                }
                TypeKind::LLVMHalfTypeKind => Ty::F16,
                TypeKind::LLVMFloatTypeKind => Ty::F32,
                TypeKind::LLVMDoubleTypeKind => Ty::F64,
                TypeKind::LLVMPointerTypeKind => match llvm::address_space(ty) {
                    0 | 1 => Ty::Ptr,
                    _ => return true,
                },
                TypeKind::LLVMIntegerTypeKind => match LLVMGetIntTypeWidth(ty) {
                    8 => Ty::I8,
                    16 => Ty::I16,
                    32 => Ty::I32,
                    64 => Ty::I64,
                    _ => return true,
                },
                _ => return false,
            };
            out.push(Piece { offset: at, ty: scalar, path: path.clone() });
        }
        out.len() <= MOST
    }
}

/// The bytes that a call with an address in a struct parameter may read; `None` if it reads nothing.
fn read_by_call(call: Val, address: Val, at: u64, whole: &Range<u64>) -> Option<Range<u64>> {
    let name = llvm::callee(call).map(llvm::name).unwrap_or_default();
    let ignored = ["llvm.dbg", "llvm.lifetime", KEEP];
    if ignored.iter().any(|p| name.starts_with(p)) {
        return None;
    }
    let args = llvm::call_args(call);
    let copied = name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove");
    match (args.get(1), args.get(2).and_then(|&n| llvm::const_int(n))) {
        (Some(&source), Some(length)) if copied && source == address => Some(at..at + length),
        _ => Some(whole.clone()),
    }
}

fn is_dead(load: Val) -> bool {
    let kept = |user: Val| {
        llvm::is_instruction(user)
            && llvm::opcode(user) == Opcode::LLVMCall
            && llvm::callee(user).is_some_and(|f| llvm::name(f).starts_with(KEEP))
    };
    llvm::users(load).into_iter().all(kept)
}

/// clang represents a union by one of its members.
fn is_union(ty: Type) -> bool {
    // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
    unsafe {
        let name = LLVMGetStructName(ty);
        !name.is_null() && std::ffi::CStr::from_ptr(name).to_bytes().starts_with(b"union.")
    }
}
