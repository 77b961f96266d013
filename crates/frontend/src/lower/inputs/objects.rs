//! Static objects: globals with their initial bytes, strings, and local variables that remain in memory.
//!
//! All `extern __shared__` arrays of a kernel are one object, because they share their memory. A module-level variable
//! without an initialiser (`extern __device__`) reads as zero. A variable has the value of its initialiser only if no
//! code can have set it ([`super::variables`]).

use llvm_sys::core::*;
use llvm_sys::target::LLVMABIAlignmentOfType;
use lockstep_kernel::{Elem, Object, ObjectId, Operand, Space, Ty};

use crate::llvm::{self, Type, TypeKind, Val, ValueKind};
use crate::lower::Lower;
use crate::lower::types::space_of;
use crate::lower::values::element_count;

/// Larger initialisers are not evaluated; such objects do not occur in hand-written kernels.
const INIT_LIMIT: u64 = 64 << 20;

impl Lower<'_> {
    pub(in crate::lower) fn object(&mut self, global: Val) -> Operand {
        if let Some(&id) = self.objects.get(&global) {
            return Operand::Object(id, 0);
        }
        // SAFETY: LLVM is given a global, of a module that is alive.
        let ty = unsafe { LLVMGlobalGetValueType(global) };
        let space = match space_of(llvm::address_space(llvm::type_of(global))) {
            // SAFETY: LLVM is given a global variable, of a module that is alive.
            Space::Generic if unsafe { LLVMIsGlobalConstant(global) } != 0 => Space::Constant,
            Space::Generic => Space::Global,
            s => s,
        };
        let size = self.size_of(ty);
        let external = llvm::is_declaration(global);
        let dynamic = space == Space::Shared && (size == 0 || external && is_open_array(ty));
        if dynamic && let Some(id) = self.dynamic_shared {
            self.objects.insert(global, id);
            return Operand::Object(id, 0);
        }
        let id = ObjectId(self.k.objects.len() as u32);
        self.objects.insert(global, id);
        // SAFETY: LLVM is given an access or a variable and a type of the kind that it asks for, of a module that is
        // alive.
        let align = unsafe { LLVMGetAlignment(global).max(LLVMABIAlignmentOfType(self.dl, ty)) };
        let elem = self.elem_of(ty);
        self.k.objects.push(Object {
            name: self.display_name(&llvm::name(global)),
            space,
            size: if dynamic { 0 } else { size },
            align,
            elem,
            dynamic,
            init: None,
            relocations: Vec::new(),
            fixed: false,
            exported: space == Space::Global && self.is_exported(global),
            loc: None,
        });
        if dynamic {
            self.dynamic_shared = Some(id);
        }
        // SAFETY: LLVM is given a global variable, of a module that is alive.
        let init = unsafe { LLVMGetInitializer(global) };
        if space != Space::Shared && !init.is_null() && size <= INIT_LIMIT && !is_undef(init) {
            let mut bytes = vec![0; size as usize];
            let mut relocations = Vec::new();
            if self.write_constant(init, 0, &mut bytes, &mut relocations).is_err() {
                let name = self.k.objects[id.0 as usize].name.clone();
                self.unsupported(format!("the initial value of {name}"));
            }
            // Zeros in global memory are the default anyway.
            let fixed = self.is_fixed(global);
            let plain =
                relocations.is_empty() && space == Space::Global && bytes.iter().all(|&b| b == 0);
            let object = &mut self.k.objects[id.0 as usize];
            object.init = (!plain || fixed).then_some(bytes);
            object.relocations = relocations;
            object.fixed = fixed;
        } else if external && space == Space::Constant {
            self.k.objects[id.0 as usize].init = Some(vec![0; size.min(INIT_LIMIT) as usize]);
        }
        Operand::Object(id, 0)
    }

    /// A private object for an `alloca`.
    pub(in crate::lower) fn local(&mut self, alloca: Val) -> Result<Operand, String> {
        // SAFETY: LLVM is given an alloca, of a module that is alive.
        let ty = unsafe { LLVMGetAllocatedType(alloca) };
        let count =
            llvm::const_int(llvm::operand(alloca, 0)).ok_or("a local array of variable length")?;
        let size = self.size_of(ty).saturating_mul(count);
        let id = ObjectId(self.k.objects.len() as u32);
        let name = llvm::name(alloca);
        let name = name.split('.').next().filter(|n| !n.is_empty()).unwrap_or("tmp").to_string();
        let elem = self.elem_of(ty);
        self.k.objects.push(Object {
            name,
            space: Space::Private,
            size,
            // SAFETY: LLVM is given an access or a variable, of a module that is alive.
            align: unsafe { LLVMGetAlignment(alloca) }.max(1),
            elem,
            dynamic: false,
            init: None,
            relocations: Vec::new(),
            fixed: false,
            exported: false,
            loc: Some(self.loc),
        });
        Ok(Operand::Object(id, 0))
    }

    /// The element type of an array, through all its dimensions.
    pub(in crate::lower) fn elem_of(&mut self, mut ty: Type) -> Elem {
        while llvm::type_kind(ty) == TypeKind::LLVMArrayTypeKind {
            // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
            ty = unsafe { LLVMGetElementType(ty) };
        }
        let bytes = self.size_of(ty) as u32;
        match self.leaves(ty) {
            Ok(l) if l.len() == 1 && l[0].ty.bytes() == bytes => Elem::Scalar(l[0].ty),
            _ => Elem::Bytes(bytes.max(1)),
        }
    }

    pub(in crate::lower) fn display_name(&self, mangled: &str) -> String {
        if mangled.starts_with(".str") || mangled.starts_with("__const.") {
            return if mangled.starts_with('.') { "string".into() } else { "constant".into() };
        }
        let own = format!("{}.", self.k.mangled);
        if let Some(rest) = mangled.strip_prefix(&own) {
            return rest.to_string();
        }
        if mangled.starts_with("_Z") {
            return crate::llvm::demangle::variable(mangled);
        }
        match mangled.split_once('.') {
            Some((_, rest))
                if !mangled.starts_with('.')
                    && !rest.is_empty()
                    && !rest.starts_with(|c: char| c.is_ascii_digit()) =>
            {
                rest.to_string()
            }
            _ => mangled.to_string(),
        }
    }

    fn write_constant(
        &mut self,
        v: Val,
        at: u64,
        bytes: &mut [u8],
        relocations: &mut Vec<(u64, ObjectId, i64)>,
    ) -> Result<(), String> {
        let ty = llvm::type_of(v);
        match llvm::value_kind(v) {
            ValueKind::LLVMUndefValueValueKind
            | ValueKind::LLVMPoisonValueKind
            | ValueKind::LLVMConstantPointerNullValueKind
            | ValueKind::LLVMConstantAggregateZeroValueKind => Ok(()),
            ValueKind::LLVMConstantIntValueKind => {
                let words = match llvm::const_int(v) {
                    Some(w) => [w, 0],
                    None => llvm::wide_const(v).ok_or("a wide constant")?,
                };
                put(
                    bytes,
                    at,
                    &(words[0] as u128 | (words[1] as u128) << 64).to_le_bytes(),
                    self.size_of(ty),
                );
                Ok(())
            }
            ValueKind::LLVMConstantFPValueKind => {
                put(bytes, at, &self.float_bits(v)?.to_le_bytes(), self.size_of(ty));
                Ok(())
            }
            ValueKind::LLVMConstantDataArrayValueKind
            | ValueKind::LLVMConstantDataVectorValueKind
            | ValueKind::LLVMConstantArrayValueKind
            | ValueKind::LLVMConstantVectorValueKind
            | ValueKind::LLVMConstantStructValueKind => {
                for i in 0..element_count(v) {
                    // SAFETY: LLVM is given a constant, of a module that is alive.
                    let e = unsafe { LLVMGetAggregateElement(v, i) };
                    if e.is_null() {
                        return Err("a constant aggregate".into());
                    }
                    let offset = if llvm::type_kind(ty) == TypeKind::LLVMStructTypeKind {
                        // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
                        unsafe { llvm_sys::target::LLVMOffsetOfElement(self.dl, ty, i) }
                    } else {
                        i as u64 * self.size_of(llvm::type_of(e))
                    };
                    self.write_constant(e, at + offset, bytes, relocations)?;
                }
                Ok(())
            }
            _ => match *self.constant_address(v)? {
                [Operand::Object(id, addend)] => {
                    relocations.push((at, id, addend));
                    Ok(())
                }
                [Operand::Imm(x)] => {
                    put(bytes, at, &x.to_le_bytes(), self.size_of(ty));
                    Ok(())
                }
                _ => Err("an address".into()),
            },
        }
    }

    /// The value of an address constant, without emitting operations.
    fn constant_address(&mut self, v: Val) -> Result<std::rc::Rc<[Operand]>, String> {
        let (count, unsupported) = (self.count, self.k.unsupported.len());
        let operands = self.value(v);
        if self.count != count || self.k.unsupported.len() != unsupported {
            return Err("a computed address".into());
        }
        Ok(operands)
    }
}

fn put(bytes: &mut [u8], at: u64, value: &[u8], size: u64) {
    let size = (size as usize).min(value.len());
    if let Some(to) = bytes.get_mut(at as usize..at as usize + size) {
        to.copy_from_slice(&value[..size]);
    }
}

fn is_undef(v: Val) -> bool {
    matches!(
        llvm::value_kind(v),
        ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind
    )
}

fn is_open_array(ty: Type) -> bool {
    // SAFETY: LLVM is given a type of the kind that it asks for, of a module that is alive.
    llvm::type_kind(ty) == TypeKind::LLVMArrayTypeKind && unsafe { LLVMGetArrayLength2(ty) } == 0
}

/// The scalar type with this name.
pub(in crate::lower) fn named_type(name: &str) -> Option<(Ty, bool)> {
    let words: Vec<&str> = name
        .split_whitespace()
        .filter(|w| !matches!(*w, "const" | "volatile" | "restrict"))
        .collect();
    Some(match words.join(" ").as_str() {
        "bool" | "_Bool" => (Ty::I8, false),
        "char" | "signed char" | "int8_t" => (Ty::I8, true),
        "unsigned char" | "uchar" | "uint8_t" => (Ty::I8, false),
        "short" => (Ty::I16, true),
        "unsigned short" | "ushort" | "uint16_t" => (Ty::I16, false),
        "int" => (Ty::I32, true),
        "unsigned int" | "uint" | "unsigned" => (Ty::I32, false),
        "long" | "long long" | "ptrdiff_t" => (Ty::I64, true),
        "unsigned long" | "unsigned long long" | "ulong" | "size_t" => (Ty::I64, false),
        "half" | "__half" | "_Float16" => (Ty::F16, true),
        "float" => (Ty::F32, true),
        "double" => (Ty::F64, true),
        _ => return None,
    })
}
