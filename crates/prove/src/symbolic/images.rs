//! Textures, surfaces and images.
//!
//! A read of an image that the kernel does not write is a function of the image, the coordinates and the sampler
//! ([`FnKind::Texture`]): filters and borders may produce any value, but equal arguments give equal values in all
//! threads. Such a read is not an access: it conflicts with nothing.
//!
//! An image that is written is memory. Its texels are laid out so that different coordinates have different addresses
//! whatever the image's size: the second coordinate has a stride of 2^32 bytes. Three coordinates do not fit 64 bits in
//! this way: coordinates beyond 2^21 may then seem to overlap, which can lose a proof but never make a wrong one. A
//! texel of an OpenCL image is one byte here: only whole texels are accessed. Because of this layout nothing is claimed
//! about bounds.

use lockstep_finding::{Approximation, NotFollowed, Reason};
use lockstep_kernel::{BlockId, Op, Operand, Reg, SiteId, Ty};

use crate::launch::context::FnKind;
use crate::symbolic::evaluate::Exec;
use crate::term::T;

impl<'k> Exec<'_, 'k> {
    /// The operation that computed an address, if it is the address of a texel.
    fn texel_of(&self, addr: Operand) -> Option<&'k Op> {
        match addr {
            Operand::Reg(r) => self.texels.get(&r).copied(),
            _ => None,
        }
    }

    /// The address of a texel, for accesses that can conflict.
    pub(crate) fn texel(&mut self, b: BlockId, op: &Op) -> Option<T> {
        let Op::Texel { image, coords, rank, sampled, .. } = op else { return None };
        let start = self.operand(*image, 64, b);
        let mut args = vec![start];
        args.extend(coords.iter().map(|(ty, o)| self.operand(*o, ty.bits(), b)));
        if *sampled || coords.iter().any(|(ty, _)| ty.is_float()) {
            return Some(self.ctx.pure(
                Approximation::Operation("texel".into()),
                "texel",
                &args,
                64,
            ));
        }
        let shift = if *rank < 3 { 32 } else { 21 };
        let mut terms = vec![(start, 1)];
        for (i, &c) in args[1..].iter().take(usize::from(*rank)).enumerate() {
            let wide = self.ctx.pool.zext(c, 64);
            terms.push((wide, 1 << (shift * i)));
        }
        if let Some((base, _)) = self.ctx.single_base(start) {
            self.images.insert(base);
        }
        Some(self.ctx.pool.sum(0, &terms, 64))
    }

    /// The number of bytes that an access has in the layout above.
    pub(crate) fn bytes_at(&self, addr: Operand, bytes: u64) -> u64 {
        match self.texel_of(addr) {
            Some(Op::Texel { unit, .. }) if *unit > 1 => 1,
            _ => bytes,
        }
    }

    /// Evaluates a load of an image that is never written; returns false for all other loads.
    pub(crate) fn fetch(&mut self, b: BlockId, load: &lockstep_kernel::Inst) -> bool {
        let (Op::Load { site, ty, count, addr }, Some(dst)) = (&load.op, load.dst) else {
            return false;
        };
        let Some(Op::Texel { image, coords, sampled, unit, .. }) = self.texel_of(*addr) else {
            return false;
        };
        let start = self.operand(*image, 64, b);
        let may_alias = self.ctx.assumptions.may_alias;
        let written = match self.ctx.single_base(start) {
            Some((base, _)) => {
                self.fetched.insert(base);
                let space = self.ctx.base_space(base);
                self.written.is_written(self.ctx.kernel, base, space, may_alias)
            }
            None => may_alias || !*sampled,
        };
        if written {
            if *sampled {
                self.gaps.push(Reason::NotFollowed { what: NotFollowed::WrittenTexture, at: None });
            }
            return false;
        }
        let mut args = vec![start];
        args.extend(coords.iter().map(|(ty, o)| self.operand(*o, ty.bits(), b)));
        for k in 0..*count {
            let name = self.texture_name(*site, Reg(dst.0 + u32::from(k)));
            let f = self.ctx.function(FnKind::Texture(*ty, k, *unit, args.len()), 0, &name);
            let v = self.ctx.pool.app(f, &args, ty.bits());
            self.set(dst, u32::from(k), v);
        }
        true
    }

    fn texture_name(&self, site: SiteId, result: Reg) -> String {
        match self.ctx.reg_name(result) {
            Some(name) => name.to_owned(),
            None => self.ctx.kernel.site(site).through.clone().unwrap_or_else(|| "texture".into()),
        }
    }

    /// The width of an image, or another of its sizes: the same for all threads.
    pub(crate) fn image_size(&mut self, b: BlockId, image: Operand, rank: u8, axis: u8) -> T {
        let start = self.operand(image, 64, b);
        let size = ["width", "height", "depth"].get(usize::from(axis)).copied().unwrap_or("size");
        let name = match self.ctx.single_base(start) {
            Some((base, _)) => format!("{size} of {}", self.ctx.base_name(base)),
            None => format!("{size} of an image"),
        };
        let kind = FnKind::Pure(
            format!("image_size.{rank}.{axis}"),
            Approximation::Operation("the size of an image".into()),
        );
        let f = self.ctx.function(kind, 0, &name);
        self.ctx.pool.app(f, &[start], Ty::I32.bits())
    }
}
