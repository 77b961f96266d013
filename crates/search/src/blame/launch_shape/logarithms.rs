//! Whether a bug needs a logarithm that does not match the block.
//!
//! A caller who passes the logarithm of a size (`n = 1 << logn`) launches blocks of `n` threads, or of `n / 2`, and
//! nothing in the kernel states this. Lockstep chose both the block and the logarithm: a bug that disappears with a
//! logarithm that matches the block, although threads access its memory and every access is in bounds, is conditional:
//! `logn < 7`.
//!
//! Where the host or the user gives the argument, this row does not apply. What can go wrong: a bug may be called
//! conditional that shows only for some sizes, in a kernel that is for all of them. It is still reported, with a
//! condition that holds in the launches tried.

use lockstep_finding::{Claim, Kind};

use crate::condition::{boundary, with};
use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::candidate::Candidate;

/// Logarithms of the number of elements for each thread; the first is [`crate::space::candidate::Gene::Log`].
const ELEMENTS: [i64; 4] = [1, 0, 2, 3];

impl Inquiry<'_, '_> {
    pub(in crate::blame) fn other_power(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let c = shown.candidate;
        let block = c.block.iter().product::<u32>();
        if !block.is_power_of_two() {
            return None;
        }
        let is_free = |&i: &usize| space.slots[i].is_logarithm() && !space.related.gives_slot(i);
        let free: Vec<usize> = (0..space.slots.len()).filter(is_free).collect();
        free.into_iter().find_map(|i| {
            let others = ELEMENTS.map(|more| i64::from(block.ilog2()) + more);
            let with = |v: i64| -> Candidate { with(c, i, v) };
            let clean = others
                .into_iter()
                // Fewer elements have fewer iterations, which does not excuse a race; more elements are longer rows.
                .filter(|&v| {
                    v > c.int(i) || self.key.kind == Kind::UninitialisedRead && v < c.int(i)
                })
                .find(|&v| self.is_clean_there(&with(v)))?;
            Some(boundary::below(self, c, i, clean))
        })
    }
}
