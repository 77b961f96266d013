//! Parameters: how each is passed, its source type, and the elements of its array.
//!
//! The element type of a buffer is that of the source type if it is a scalar; otherwise it is derived from the stride
//! of the kernel's accesses, or from the first access. A buffer is read-only if nothing is stored through it, and its
//! address does not escape.

use std::rc::Rc;

use llvm_sys::core::LLVMGetMetadata;
use lockstep_kernel::{Elem, Language, Op, Operand, Param, ParamKind, Space, Ty, is_restrict};

use super::described;
use super::objects::named_type;
use crate::llvm::{self, TypeKind, Val};
use crate::lower::Lower;
use crate::lower::program::{Argument, Declared};
use crate::lower::provenance;

impl Lower<'_> {
    pub(in crate::lower) fn params(&mut self, f: Val) -> Vec<Rc<[Operand]>> {
        let mut types = self.source_types(f);
        // A method's object is an argument that its mangled name does not contain.
        if self.k.language != Language::OpenCl
            && llvm::arguments(f).first().is_some_and(|&a| llvm::name(a) == "this")
        {
            types.insert(0, String::new());
        }
        let names = self.md_strings(f, "kernel_arg_name");
        let base_types = self.md_strings(f, "kernel_arg_base_type");
        let access = self.md_strings(f, "kernel_arg_access_qual");
        let mut values = Vec::new();
        for (i, arg) in llvm::arguments(f).into_iter().enumerate() {
            let own = llvm::name(arg);
            let name = names.get(i).filter(|n| !n.is_empty()).cloned().unwrap_or(own);
            let name = if name.is_empty() { format!("arg{i}") } else { name };
            let source_type = types.get(i).cloned().unwrap_or_default();
            let text = |list: &[String]| list.get(i).cloned().unwrap_or_default();
            // A struct may have the name of an image type, but it is passed by value.
            let by_value = llvm::byval_type(f, i as u32).is_some();
            if let Some(kind) = self.image_kind(&text(&base_types), &text(&access))
                && !by_value
            {
                let first = self.k.params.len();
                values.push(self.image_param(name, source_type, kind));
                self.arguments.push(Argument { params: vec![(first, 0)], ..Argument::default() });
                continue;
            }
            let first = self.k.params.len();
            values.push(self.param(f, i, arg, name, source_type));
            self.note_argument(arg, first);
        }
        if self.given_by_program {
            self.declare(f);
            return values;
        }
        for (i, arg) in llvm::arguments(f).into_iter().enumerate() {
            let [Operand::Reg(reg)] = values[i][..] else { continue };
            if let Some(ty) = llvm::byval_type(f, i as u32)
                && let Some(position) = self.k.params.iter().position(|p| p.reg == reg)
            {
                self.split_struct(f, (i, position), arg, ty);
            }
        }
        self.split_variables(f);
        values
    }

    /// Which parameters an argument of the source has become, from number `first` on.
    fn note_argument(&mut self, arg: Val, first: usize) {
        let leaves = self.leaves(llvm::type_of(arg)).unwrap_or_default();
        let mut leaf = 0;
        let mut params = Vec::new();
        for (i, param) in self.k.params.iter().enumerate().skip(first) {
            let offset = leaves.get(leaf).map_or(0, |l| l.offset);
            params.push((i, if leaf == 0 { 0 } else { offset }));
            leaf += match param.kind {
                ParamKind::Scalar { count, .. } => usize::from(count),
                _ => 1,
            };
        }
        self.arguments.push(Argument { params, ..Argument::default() });
    }

    /// What clang says of each parameter of a kernel in OpenCL C.
    fn declare(&mut self, f: Val) {
        let [names, types, access, qualifiers] = [
            "kernel_arg_name",
            "kernel_arg_type",
            "kernel_arg_access_qual",
            "kernel_arg_type_qual",
        ]
        .map(|kind| self.md_strings(f, kind));
        // SAFETY: LLVM is given metadata, of a module that is alive.
        let spaces = unsafe { LLVMGetMetadata(f, self.m.md_kind("kernel_arg_addr_space")) };
        let spaces: Vec<u32> = (llvm::md_operands(spaces).into_iter())
            .map(|v| llvm::const_int(v).unwrap_or(0) as u32)
            .collect();
        let text = |list: &[String], i: usize| list.get(i).cloned().unwrap_or_default();
        for (i, argument) in self.arguments.iter_mut().enumerate() {
            argument.declared = Declared {
                name: text(&names, i),
                type_name: text(&types, i),
                address_space: spaces.get(i).copied().unwrap_or(0),
                access: text(&access, i),
                qualifiers: text(&qualifiers, i),
            };
        }
    }

    fn image_param(&mut self, name: String, source_type: String, kind: ParamKind) -> Rc<[Operand]> {
        let ty = match kind {
            ParamKind::Scalar { ty, .. } => ty,
            _ => Ty::Ptr,
        };
        let reg = self.new_reg(ty);
        self.k.reg_names.push((reg, name.clone()));
        self.k.params.push(Param {
            name,
            kind,
            reg,
            source_type,
            signed: false,
            align: 1,
            within: None,
            variable: None,
        });
        Rc::new([Operand::Reg(reg)])
    }

    fn param(
        &mut self,
        f: Val,
        i: usize,
        arg: Val,
        name: String,
        source_type: String,
    ) -> Rc<[Operand]> {
        let ty = llvm::type_of(arg);
        let base = source_type.trim_end_matches(['*', ' ', '&']).trim();
        let base = base.strip_suffix("__restrict__").unwrap_or(base).trim_end_matches(['*', ' ']);
        let base = base.to_owned();
        // A user-defined type may have the name of a built-in one.
        let pointee = described::pointee(self.m, f, i);
        let is_pointer = llvm::type_kind(ty) == TypeKind::LLVMPointerTypeKind;
        let fits = |t: Ty| !is_pointer || pointee.is_none_or(|p| p.size == u64::from(t.bytes()));
        let scalar = named_type(&base).filter(|(t, _)| fits(*t));
        let elem = scalar.map(|(t, _)| Elem::Scalar(t)).unwrap_or(Elem::Bytes(0));
        let signed = scalar.is_none_or(|(_, s)| s);
        if is_pointer {
            let kind = match (llvm::byval_type(f, i as u32), llvm::address_space(ty)) {
                (Some(by_value), _) => ParamKind::Aggregate {
                    size: self.size_of(by_value) as u32,
                    align: llvm::param_align(f, i as u32).unwrap_or(1),
                },
                (None, 3) => ParamKind::Local { elem },
                (None, 4 | 2) => ParamKind::Buffer { space: Space::Constant, elem, readonly: true },
                (None, _) => ParamKind::Buffer { space: Space::Global, elem, readonly: false },
            };
            let mut source_type = source_type;
            // Neither the mangled name nor OpenCL's metadata of types contains it.
            if llvm::is_restrict(f, i as u32) && !is_restrict(&source_type) {
                source_type = format!("{source_type} restrict").trim_start().to_owned();
            }
            let reg = self.new_reg(Ty::Ptr);
            self.k.reg_names.push((reg, name.clone()));
            let align = match pointee {
                Some(pointee) => pointee.align,
                None => keyword_align(&base),
            };
            self.k.params.push(Param {
                name,
                kind,
                reg,
                source_type,
                signed,
                align,
                within: None,
                variable: None,
            });
            return Rc::new([Operand::Reg(reg)]);
        }
        let leaves = match self.leaves(ty) {
            Ok(leaves) if !leaves.is_empty() => leaves,
            _ => {
                self.k.unsupported.push(lockstep_kernel::Unsupported {
                    what: format!("parameter {name} of type {}", llvm::print_type(ty)),
                    loc: self.k.loc,
                });
                return Rc::new([]);
            }
        };
        // One parameter for each run of equal leaves; nearly always there is one run.
        let mut operands = Vec::new();
        let mut start = 0;
        while start < leaves.len() {
            let leaf = leaves[start].ty;
            let len = leaves[start..].iter().take_while(|l| l.ty == leaf).count().min(255);
            let regs: Vec<_> = (0..len).map(|_| self.new_reg(leaf)).collect();
            let name = if len == leaves.len() { name.clone() } else { format!("{name}.{start}") };
            if len == 1 {
                self.k.reg_names.push((regs[0], name.clone()));
            }
            let kind = ParamKind::Scalar { ty: leaf, count: len as u8 };
            self.k.params.push(Param {
                name,
                kind,
                reg: regs[0],
                source_type: source_type.clone(),
                signed,
                align: 1,
                within: None,
                variable: None,
            });
            operands.extend(regs.into_iter().map(Operand::Reg));
            start += len;
        }
        operands.into()
    }

    fn md_strings(&self, f: Val, kind: &str) -> Vec<String> {
        // SAFETY: LLVM is given metadata, of a module that is alive.
        let node = unsafe { LLVMGetMetadata(f, self.m.md_kind(kind)) };
        llvm::md_operands(node)
            .into_iter()
            .map(|v| llvm::md_string(v).unwrap_or_default())
            .collect()
    }

    fn source_types(&self, f: Val) -> Vec<String> {
        let opencl = self.md_strings(f, "kernel_arg_type");
        if !opencl.is_empty() {
            return opencl;
        }
        let mangled = crate::llvm::demangle::parameters(&llvm::name(f));
        // Names of C are not mangled.
        let is_plain = mangled.is_empty() && self.k.language.is_host();
        if is_plain { described::parameter_types(self.m, f) } else { mangled }
    }

    /// `reqd_work_group_size`, or a required number of threads in IR.
    pub(in crate::lower) fn required_block(&self, f: Val) -> Option<[u32; 3]> {
        // SAFETY: LLVM is given metadata, of a module that is alive.
        let node = unsafe { LLVMGetMetadata(f, self.m.md_kind("reqd_work_group_size")) };
        let dims = llvm::md_operands(node).into_iter().filter_map(llvm::const_int);
        if let [x, y, z] = dims.map(|d| d as u32).collect::<Vec<_>>()[..] {
            return Some([x, y, z]);
        }
        let dims = ["reqntidx", "reqntidy", "reqntidz"].map(|name| self.annotation(f, name));
        dims[0].map(|x| [x, dims[1].unwrap_or(1), dims[2].unwrap_or(1)])
    }

    /// `__launch_bounds__(256)` limits the threads of a block, whatever its shape.
    pub(in crate::lower) fn most_threads(&self, f: Val) -> Option<u32> {
        let most = ["maxntidx", "maxntidy", "maxntidz"].map(|name| self.annotation(f, name));
        most[0].map(|x| most[1..].iter().flatten().fold(x, |n, d| n.saturating_mul(*d)))
    }

    /// The value of a back-end annotation of a kernel.
    fn annotation(&self, f: Val, name: &str) -> Option<u32> {
        let nodes = self.m.named_metadata("nvvm.annotations");
        let own = nodes.iter().filter(|n| n.first() == Some(&f));
        let mut pairs = own.flat_map(|n| n[1..].chunks(2));
        let pair = pairs.find(|p| llvm::md_string(p[0]).as_deref() == Some(name))?;
        pair.get(1).and_then(|&v| llvm::const_int(v)).map(|v| v as u32)
    }

    /// After lowering: the element types of arrays, and which arrays are only read.
    pub(in crate::lower) fn infer_elements(&mut self) {
        let bases = provenance::bases(&self.k);
        let n = self.k.params.len();
        let mut written = vec![false; n];
        let mut stride: Vec<Option<i64>> = vec![None; n];
        let mut access: Vec<Option<(Ty, u32)>> = vec![None; n];
        let mut is_image = vec![false; n];
        let mut escapes = false;
        for inst in self.k.insts() {
            let of = |o: Operand| provenance::param_of(&bases, o);
            let mut write = |o: Operand| match of(o) {
                Some(p) => written[p] = true,
                None => escapes |= provenance::is_unknown(&bases, o),
            };
            match &inst.op {
                Op::Store { addr, .. } | Op::Atomic { addr, .. } => write(*addr),
                Op::MemCopy { dst, .. } | Op::MemSet { dst, .. } | Op::GroupCopy { dst, .. } => {
                    write(*dst)
                }
                _ => {}
            }
            match &inst.op {
                Op::Index { base, scale, .. } if *scale > 0 => {
                    if let (Some(p), Operand::Reg(r)) = (of(*base), *base)
                        && self.k.params[p].reg == r
                    {
                        stride[p].get_or_insert(*scale);
                    }
                }
                Op::Texel { image, .. } => {
                    if let Some(p) = of(*image) {
                        is_image[p] = true;
                    }
                }
                Op::Load { addr, ty, count, .. } => {
                    if let Some(p) = of(*addr) {
                        access[p].get_or_insert((*ty, *count as u32));
                    }
                }
                Op::Store { addr, ty, values, .. } => {
                    if let Some(p) = of(*addr) {
                        access[p].get_or_insert((*ty, values.len() as u32));
                    }
                }
                Op::Atomic { addr, ty, .. } => {
                    if let Some(p) = of(*addr) {
                        access[p].get_or_insert((*ty, 1));
                    }
                }
                _ => {}
            }
        }
        for (i, param) in self.k.params.iter_mut().enumerate() {
            let (ParamKind::Buffer { elem, .. } | ParamKind::Local { elem }) = &mut param.kind
            else {
                continue;
            };
            if *elem == Elem::Bytes(0) {
                *elem = match (stride[i], access[i]) {
                    // Values are given as components.
                    (_, Some((ty, _))) if is_image[i] => Elem::Scalar(ty),
                    (Some(s), Some((ty, 1))) if s == ty.bytes() as i64 => Elem::Scalar(ty),
                    (Some(s), _) if s < u32::MAX as i64 => Elem::Bytes(s as u32),
                    (None, Some((ty, 1))) => Elem::Scalar(ty),
                    (None, Some((ty, n))) => Elem::Bytes(ty.bytes() * n),
                    _ => Elem::Scalar(Ty::I8),
                };
            }
            if let ParamKind::Buffer { space: Space::Global, readonly, .. } = &mut param.kind {
                *readonly = !written[i] && !escapes;
            }
        }
    }
}

/// The alignment of a type that is named by keywords only, which cannot be redefined; 1 for any other.
fn keyword_align(name: &str) -> u32 {
    let words = || name.split_whitespace().filter(|w| !matches!(*w, "const" | "volatile"));
    let of_word = |w: &str| match w {
        "char" | "bool" => Some(1),
        "short" => Some(2),
        "int" | "float" | "unsigned" | "signed" => Some(4),
        "long" | "double" => Some(8),
        _ => None,
    };
    let all: Option<Vec<u32>> = words().map(of_word).collect();
    // `unsigned char` is as narrow as `char`, `long int` as wide as `long`.
    let named = words().filter(|w| !matches!(*w, "unsigned" | "signed")).filter_map(of_word);
    let widths: Vec<u32> = named.collect();
    match (all, &widths[..]) {
        (None, _) => 1,
        (Some(all), []) => all.first().copied().unwrap_or(1),
        // `short int`, `long int`: the first word decides.
        (Some(_), [first, ..]) => {
            if widths.contains(&8) {
                8
            } else {
                *first
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::keyword_align;

    #[test]
    fn only_keywords_have_an_alignment() {
        let of = |names: &[&str]| names.iter().map(|n| keyword_align(n)).collect::<Vec<_>>();
        assert_eq!(of(&["char const", "unsigned char", "bool"]), [1, 1, 1]);
        assert_eq!(of(&["short", "unsigned short", "short int"]), [2, 2, 2]);
        assert_eq!(of(&["int", "unsigned", "unsigned int", "float volatile"]), [4, 4, 4, 4]);
        assert_eq!(of(&["long", "unsigned long long", "int long", "double"]), [8, 8, 8, 8]);
        assert_eq!(of(&["half", "uint", "size_t", "my int", ""]), [1, 1, 1, 1, 1]);
    }
}
