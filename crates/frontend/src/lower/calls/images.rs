//! Textures, surfaces and OpenCL's images: memory accesses at an address computed from coordinates.
//!
//! An image is an array of the launch, like any buffer: OpenCL's image parameters, CUDA's texture and surface objects
//! that are parameters, and texture and surface references, which become parameters after the kernel's own. Each access
//! is an [`Op::Texel`], which computes the address, and an ordinary load or store there, so that two threads that write
//! one texel race like any others. OpenCL's images have texels of 16 bytes, whatever their format.
//!
//! The effect of a sampler on a value (filtering, borders, conversion of formats) is not modelled: engines treat the
//! value as a function of the texture, the coordinates and the sampler. A texture is assumed not to alias the buffers
//! that the kernel writes, as parameters are.
//!
//! Not supported, and reported: surfaces whose handle is not a parameter, boundary modes other than `trap`, image
//! formats (`get_image_channel_…`), and barriers that order images but not buffers, or the reverse, in a kernel that
//! writes images.

use lockstep_kernel::{Elem, Op, Operand, Param, ParamKind, Reg, Space, Ty, Unsupported};

use super::Outcome;
use super::ptx::Names;
use crate::llvm::mangle::{Mangled, Param as Mangle};
use crate::llvm::{self, Val};
use crate::lower::Lower;

/// Bytes of a texel of an OpenCL image: four components of four bytes.
const TEXEL: u32 = 16;
/// CUDA's `cudaBoundaryModeTrap`.
const TRAP: u64 = 2;

impl Lower<'_> {
    // ---- CUDA ----

    /// The handle of a texture or surface reference: an array of the launch.
    pub(in crate::lower) fn texture_reference(&mut self, global: Val) -> Operand {
        if let Some(&reg) = self.textures.get(&global) {
            return Operand::Reg(reg);
        }
        let name = crate::llvm::demangle::variable(&llvm::name(global));
        let reg = self.new_reg(Ty::Ptr);
        self.k.reg_names.push((reg, name.clone()));
        self.k.params.push(Param {
            name,
            kind: texture(),
            reg,
            source_type: "texture".into(),
            signed: true,
            align: 1,
            within: None,
            variable: None,
        });
        self.textures.insert(global, reg);
        Operand::Reg(reg)
    }

    /// `__lockstep_texture(rank, unit, handle, coordinates…)` of our headers.
    pub(in crate::lower) fn own_texture(&mut self, args: &[Val]) -> Outcome {
        let &[rank, unit, handle, ref coords @ ..] = args else {
            return Err("a texture fetch without coordinates".into());
        };
        let image = self.scalar(handle);
        self.as_array(image, false);
        let (rank, unit) = (small(rank)?, small(unit)?);
        let coords = self.coordinates(coords)?;
        let op = Op::Texel { image, coords, rank: rank as u8, unit, sampled: true };
        Ok(vec![self.def(op, Ty::Ptr)])
    }

    /// `__lockstep_surface(rank, mode, handle, coordinates…)` of our headers.
    pub(in crate::lower) fn own_surface(&mut self, args: &[Val]) -> Outcome {
        let &[rank, mode, handle, ref coords @ ..] = args else {
            return Err("a surface access without coordinates".into());
        };
        if self.scalar(mode) != Operand::Imm(TRAP) {
            return Err("a surface access with a boundary mode other than trap".into());
        }
        let image = self.scalar(handle);
        if !self.as_array(image, true) {
            return Err("a surface whose handle is no parameter".into());
        }
        let (rank, coords) = (small(rank)? as u8, self.coordinates(coords)?);
        let op = Op::Texel { image, coords, rank, unit: 1, sampled: false };
        Ok(vec![self.def(op, Ty::Ptr)])
    }

    /// `tex.level.2d.v4.f32.f32 {$0, $1, $2, $3}, [$4, {$5, $6}], $7`: a fetch in the SDK's own headers.
    pub(in crate::lower) fn ptx_texture(
        &mut self,
        kind: &[&str],
        operands: &str,
        names: &mut Names,
    ) -> Option<()> {
        let (&geometry, &[width, ty, _]) = match kind {
            ["level" | "grad", geometry, rest @ ..] | [geometry, rest @ ..] => {
                (geometry, rest.first_chunk()?)
            }
            [] => return None,
        };
        let rank = match geometry {
            "1d" => 1,
            "2d" | "a1d" => 2,
            "3d" | "a2d" | "cube" | "acube" => 3,
            _ => return None,
        };
        let ty = match ty {
            "f32" => Ty::F32,
            "s32" | "u32" => Ty::I32,
            _ => return None,
        };
        let separators = |c: char| c.is_whitespace() || "{}[],".contains(c);
        let mut words = operands.split(separators).filter(|w| !w.is_empty());
        let results: Vec<&str> = words.by_ref().take(4).collect();
        let (handle, _) = *names.get(words.next()?)?;
        let coords: Option<Vec<_>> =
            words.map(|w| names.get(w).map(|&(value, ty)| (ty, value))).collect();
        let coords = coords.filter(|c| width == "v4" && c.len() >= usize::from(rank))?;
        self.as_array(handle, false);
        let op = Op::Texel { image: handle, coords, rank, unit: TEXEL, sampled: true };
        let addr = self.def(op, Ty::Ptr);
        let leaves = self.packed(ty, 4);
        let values = self.load_leaves(&leaves, addr, ty.bytes(), Space::Generic, false);
        for (name, value) in results.into_iter().zip(values) {
            names.insert(name.to_owned(), (value, ty));
        }
        Some(())
    }

    fn coordinates(&mut self, args: &[Val]) -> Result<Vec<(Ty, Operand)>, String> {
        args.iter().map(|&v| Ok((self.ty_of(v)?, self.scalar(v)))).collect()
    }

    /// Turns the parameter that holds this handle into an array; false if the handle is not a parameter.
    fn as_array(&mut self, handle: Operand, written: bool) -> bool {
        let Operand::Reg(r) = handle else { return false };
        let Some(param) = self.k.params.iter_mut().find(|p| p.reg == r) else { return false };
        match &mut param.kind {
            ParamKind::Scalar { ty: Ty::I64, count: 1 } => {
                param.kind = texture();
                param.source_type = "cudaTextureObject_t".into();
                self.k.regs[r.0 as usize] = Ty::Ptr;
            }
            ParamKind::Buffer { .. } => {}
            _ => return false,
        }
        if let (true, ParamKind::Buffer { space, readonly, .. }) = (written, &mut param.kind) {
            (*space, *readonly) = (Space::Global, false);
            let object = param.source_type.starts_with("cuda");
            param.source_type = if object { "cudaSurfaceObject_t" } else { "surface" }.into();
        }
        true
    }

    // ---- OpenCL ----

    /// How an image or sampler parameter is passed; `None` for other types.
    pub(in crate::lower) fn image_kind(
        &self,
        source_type: &str,
        access: &str,
    ) -> Option<ParamKind> {
        if source_type == "sampler_t" {
            return Some(ParamKind::Scalar { ty: Ty::I32, count: 1 });
        }
        let image = source_type.strip_prefix("image")?.strip_suffix("_t")?;
        image.starts_with(['1', '2', '3']).then_some(())?;
        Some(match access {
            "write_only" | "read_write" => {
                ParamKind::Buffer { space: Space::Global, elem: Elem::Bytes(0), readonly: false }
            }
            _ => texture(),
        })
    }

    /// `read_image…`, `write_image…`, `get_image_…`; `None` for other builtins.
    pub(in crate::lower) fn opencl_image(
        &mut self,
        m: &Mangled,
        inst: Val,
        args: &[Val],
    ) -> Option<Outcome> {
        let Some(Mangle::Named(image)) = m.params.first() else { return None };
        let rank = rank_of(image.strip_prefix("ocl_image")?)?;
        let name = m.name.as_str();
        if name.starts_with("read_image") {
            return Some(self.read_image(m, rank, inst, args));
        }
        if name.starts_with("write_image") {
            return Some(self.write_image(name, rank, args));
        }
        let axes: &[u8] = match name {
            "get_image_width" => &[0],
            "get_image_height" => &[1],
            "get_image_depth" => &[2],
            "get_image_array_size" => &[rank - 1],
            "get_image_dim" if rank == 3 && !image.contains("array") => &[0, 1, 2],
            "get_image_dim" => &[0, 1],
            _ => return None,
        };
        let of = self.scalar(args[0]);
        let size = |axis: &u8| {
            let op = Op::ImageSize { image: of, rank, unit: TEXEL, axis: *axis };
            self.def(op, Ty::I32)
        };
        let mut sizes: Vec<Operand> = axes.iter().map(size).collect();
        if let Ok(Ty::I64) = self.ty_of(inst) {
            sizes = sizes.into_iter().map(|s| self.zext(Ty::I32, Ty::I64, s)).collect();
        }
        // The sizes of a 3D image have a fourth component that is zero.
        if sizes.len() == 3 {
            sizes.push(Operand::Imm(0));
        }
        Some(Ok(sizes))
    }

    fn read_image(&mut self, m: &Mangled, rank: u8, inst: Val, args: &[Val]) -> Outcome {
        let image = self.scalar(args[0]);
        let sampled = m.params.get(1) == Some(&Mangle::Named("ocl_sampler".into()));
        let first = 1 + usize::from(sampled);
        let mut coords = self.image_coordinates(args, first, rank)?;
        if sampled {
            let sampler = self.scalar(args[1]);
            let ty = match sampler {
                Operand::Reg(r) => self.k.regs[r.0 as usize],
                _ => Ty::I32,
            };
            coords.push((ty, sampler));
        }
        for &extra in &args[first + 1..] {
            let ty = self.ty_of(extra)?;
            coords.extend(self.value(extra).iter().map(|&o| (ty, o)));
        }
        let leaves = self.leaves(llvm::type_of(inst))?;
        let addr = self.def(Op::Texel { image, coords, rank, unit: TEXEL, sampled }, Ty::Ptr);
        let space = self.pointer_space(args[0]);
        Ok(self.load_leaves(&leaves, addr, leaves[0].ty.bytes(), space, false))
    }

    fn write_image(&mut self, name: &str, rank: u8, args: &[Val]) -> Outcome {
        let &[image, _, colour] = args else {
            return Err(format!("call of {name} with a level of detail"));
        };
        let image = self.scalar(image);
        let coords = self.image_coordinates(args, 1, rank)?;
        let values = self.value(colour).to_vec();
        let leaves = self.leaves(llvm::type_of(colour))?;
        let texel = Op::Texel { image, coords, rank, unit: TEXEL, sampled: false };
        let addr = self.def(texel, Ty::Ptr);
        let space = self.pointer_space(args[0]);
        self.store_leaves(&leaves, &values, addr, leaves[0].ty.bytes(), space, false);
        Ok(Vec::new())
    }

    fn image_coordinates(
        &mut self,
        args: &[Val],
        at: usize,
        rank: u8,
    ) -> Result<Vec<(Ty, Operand)>, String> {
        let vector = *args.get(at).ok_or("an image access without coordinates")?;
        let ty = self.ty_of(vector)?;
        let values = self.value(vector);
        if values.len() < usize::from(rank) || !matches!(ty, Ty::I32 | Ty::F32) {
            return Err("an image access with coordinates of another kind".into());
        }
        Ok(values.iter().take(usize::from(rank)).map(|&o| (ty, o)).collect())
    }

    /// Records a barrier whose flags distinguish images and buffers.
    pub(in crate::lower) fn barrier_flags(&mut self, flags: u64) {
        const GLOBAL: u64 = 2;
        const IMAGE: u64 = 4;
        if (flags & GLOBAL != 0) != (flags & IMAGE != 0) {
            self.partial_barrier.get_or_insert(self.loc);
        }
    }

    /// After lowering: images are global memory here, and such a barrier orders either all of it or none.
    pub(in crate::lower) fn check_image_order(&mut self) {
        let Some(loc) = self.partial_barrier else { return };
        let texels: Vec<Reg> = (self.k.insts())
            .filter(|i| matches!(i.op, Op::Texel { .. }))
            .filter_map(|i| i.dst)
            .collect();
        let written = self.k.insts().any(
            |i| matches!(i.op, Op::Store { addr: Operand::Reg(r), .. } if texels.contains(&r)),
        );
        if written {
            let index = self.k.unsupported.len() as u32;
            let what = "a barrier that orders images and buffers differently".into();
            self.k.unsupported.push(Unsupported { what, loc });
            let op = lockstep_kernel::Inst { dst: None, op: Op::Unsupported(index), loc };
            self.k.blocks[0].insts.insert(0, op);
        }
    }
}

/// A parameter that is only read, and never written.
fn texture() -> ParamKind {
    ParamKind::Buffer { space: Space::Constant, elem: Elem::Bytes(0), readonly: true }
}

fn small(v: Val) -> Result<u32, String> {
    let constant = llvm::const_int(v).and_then(|n| u32::try_from(n).ok());
    constant.ok_or_else(|| "a texture of unknown rank".into())
}

/// The number of coordinates of an image: `2d_ro`, `2d_array_wo`, `1d_buffer_rw`.
fn rank_of(kind: &str) -> Option<u8> {
    let dimensions = match kind.get(..2)? {
        "1d" => 1,
        "2d" => 2,
        "3d" => 3,
        _ => return None,
    };
    Some(dimensions + u8::from(kind.contains("array")))
}
