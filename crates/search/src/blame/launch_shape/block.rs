//! Whether a bug needs a block size that Lockstep chose.
//!
//! A block that is too small for the shared array that its threads fill together leaves elements unwritten. If the
//! block size was not given, the chosen size is the cause, not the kernel.

use lockstep_finding::Claim;

use crate::condition::block_is;
use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::candidate::Candidate;

/// Usual sizes of a block along its first axis.
const USUAL_WIDTHS: [u32; 9] = [32, 64, 128, 256, 512, 1024, 16, 8, 4];
/// Usual sizes along its second axis.
const USUAL_HEIGHTS: [u32; 5] = [16, 8, 4, 32, 2];

impl Inquiry<'_, '_> {
    /// The block that fills the shared arrays, which need not be the ordinary one, and other usual blocks: the kernel
    /// may be written for any of them.
    pub(in crate::blame) fn narrow_block(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let mut blocks = vec![space.full_block(c)];
        let [free_x, free_y, _] = space.free_block();
        if free_x {
            blocks.extend(USUAL_WIDTHS.map(|x| [x, c.block[1], c.block[2]]));
        }
        if free_y {
            blocks.extend(USUAL_HEIGHTS.map(|y| [c.block[0], y, c.block[2]]));
            blocks.extend(USUAL_HEIGHTS.map(|y| [y, y, c.block[2]]).iter().filter(|_| free_x));
        }
        let mut seen = vec![c.block];
        blocks.retain(|b| {
            !seen.contains(b) && {
                seen.push(*b);
                true
            }
        });
        let clean = |&block: &[u32; 3]| self.is_clean_there(&Candidate { block, ..c.clone() });
        let block = blocks.iter().copied().find(clean)?;
        Some(block_is(c, block))
    }
}
