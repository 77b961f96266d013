//! Texels of textures, surfaces and images: their addresses, by the layout of [`lockstep_kernel::image`].
//!
//! The access itself is an ordinary one: bounds and races are checked as in any array. A handle that is not an array of
//! the launch (one that was loaded from memory) ends the launch as `unknown`, and so does a texel that may or may not
//! exist in an image of that size.

use lockstep_kernel::image;
use lockstep_kernel::semantics::bits::real_value;

use crate::code::registers::{Slot, lanes_of};
use crate::code::steps::TexelStep;
use crate::launch::layout::NULL_OBJECT;
use crate::machine::block::BlockRun;
use crate::machine::observe::Observer;
use crate::machine::world::Stop;

impl<O: Observer> BlockRun<'_, '_, O> {
    pub(crate) fn texel(&self, w: usize, mask: u32, d: Slot, t: &TexelStep) -> Result<(), Stop> {
        let regs = self.regs(w);
        let mut at = vec![0i64; t.coords.len()];
        for l in lanes_of(mask) {
            let (start, bytes) = self.image(regs.w64(t.image)[l])?;
            for (to, &(ty, slot)) in at.iter_mut().zip(&t.coords) {
                let bits = regs.lane(slot, ty, l);
                *to = if ty.is_float() {
                    real_value(ty, bits).floor() as i64
                } else {
                    i64::from(bits as u32 as i32)
                };
            }
            let offset = image::offset(bytes, t.unit, &at, t.sampled).ok_or(Stop::Shape)?;
            regs.w64_mut(d)[l] = start.wrapping_add_signed(offset);
        }
        Ok(())
    }

    pub(crate) fn image_size(
        &self,
        w: usize,
        mask: u32,
        d: Slot,
        handle: Slot,
        (rank, unit, axis): (u8, u32, u8),
    ) -> Result<(), Stop> {
        let regs = self.regs(w);
        for l in lanes_of(mask) {
            let (_, bytes) = self.image(regs.w64(handle)[l])?;
            regs.w32_mut(d)[l] = image::extent(bytes, rank, unit, axis) as u32;
        }
        Ok(())
    }

    /// The start address of an image, and its size in bytes.
    fn image(&self, handle: u64) -> Result<(u64, u64), Stop> {
        let addresses = self.p.addresses;
        let object = addresses.object_of(handle);
        match self.memory.table.get(object) {
            Some(entry) if object != NULL_OBJECT && handle >= addresses.origin(object) => {
                let before = handle - addresses.origin(object);
                Ok((handle, entry.size.saturating_sub(before)))
            }
            _ => Err(Stop::Handle),
        }
    }
}
