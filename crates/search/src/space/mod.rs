//! The parts of a launch that may vary: dimensions, scalars ([`slots`]), contents of arrays ([`arrays`]).
//!
//! A candidate ([`candidate`]) is a choice of all of these, and [`launch`] turns it into a launch. [`ordinary`] decides
//! which values a caller would pass; [`relations`] and [`host_sizes`] hold the facts from host code. [`seeds`] are the
//! initial candidates.

pub(crate) mod arrays;
pub(crate) mod candidate;
pub(crate) mod dimensions;
pub(crate) mod host_sizes;
pub(crate) mod initial_contents;
pub(crate) mod launch;
pub(crate) mod ordinary;
pub(crate) mod places;
pub(crate) mod relations;
pub(crate) mod seeds;
pub(crate) mod slots;
pub(crate) mod structs;
pub(crate) mod thread_counts;

use lockstep_finding::ArgValue;
use lockstep_finding::launch::Dimension;
use lockstep_kernel::hints::{Hints, ParamHints};
use lockstep_kernel::{Kernel, ParamKind, Ty};

use self::arrays::FreeArray;
use self::candidate::{Candidate, Contents, Gene, Rule};
use self::dimensions::{blocks, grids, implied, in_use, most_threads};
use self::initial_contents::synchronising;
use self::ordinary::Oddity;
use self::relations::Related;
use self::slots::{Part, Slot, axis};
use crate::given::{Given, Suggestion};

pub(crate) struct Space<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) hints: Hints,
    pub(crate) given: &'a Given,
    pub(crate) slots: Vec<Slot>,
    pub(crate) arrays: Vec<FreeArray>,
    /// Ordinary shapes; the initial launch has the first.
    pub(crate) blocks: Vec<[u32; 3]>,
    pub(crate) grids: Vec<[u32; 3]>,
    /// Values that follow from others.
    pub(crate) related: Related,
    /// Whether only integers, none of them an array element, decide what is accessed, where that matters.
    pub(crate) led_by_integers: bool,
    /// Genes that replace the ordinary ones, to satisfy a precondition.
    fixed: Option<Vec<Gene>>,
}

/// Lower bound of sizes that are reduced: very small ones are odd.
const LEAST_SIZE: i64 = 8;

/// Iterations of a loop that is only limited by a parameter.
const ROUNDS: i64 = 8;

impl<'a> Space<'a> {
    pub(crate) fn new(kernel: &'a Kernel, given: &'a Given) -> Space<'a> {
        let hints = Hints::of(kernel);
        let mut slots = Vec::new();
        let mut arrays = Vec::new();
        for (i, param) in kernel.params.iter().enumerate() {
            if given.args.get(i).is_some_and(Option::is_some) {
                continue;
            }
            let h = &hints.params[i];
            let slot = |part, ty, name: String, hints: &ParamHints| Slot {
                param: i,
                part,
                ty,
                axis: axis(hints, &name),
                name,
                hints: hints.clone(),
            };
            match param.kind {
                ParamKind::Scalar { ty, count } => {
                    for lane in 0..count as usize {
                        let member = [".x", ".y", ".z", ".w"].get(lane).copied().unwrap_or("");
                        let member = if count == 1 { "" } else { member };
                        let name = format!("{}{member}", param.name);
                        slots.push(slot(Part::Lane(lane), ty, name, h));
                    }
                }
                ParamKind::Aggregate { .. } => {
                    for field in &h.fields {
                        let name = format!("{}+{}", param.name, field.offset);
                        slots.push(slot(Part::Field(field.offset), field.ty, name, &field.hints));
                    }
                }
                ParamKind::Buffer { elem, .. } => {
                    let members = structs::members(kernel, &hints, i);
                    if members.is_empty() {
                        let a = h.array.clone().unwrap_or_default();
                        let flags = synchronising(kernel, &param.name);
                        let name = param.name.clone();
                        arrays.push(FreeArray::new(kernel, (i, name), elem, &a, &flags));
                    }
                    arrays.extend(members);
                }
                ParamKind::Local { .. } => {}
            }
        }
        let blocks = blocks(kernel, &hints, given);
        let grids = grids(kernel, &hints, given);
        let related = Related::of(given, &slots);
        let led_by_integers =
            !given.sizes.is_empty() && host_sizes::is_led_by_integers(kernel, given);
        let mut space = Space {
            kernel,
            hints,
            given,
            slots,
            arrays,
            blocks,
            grids,
            related,
            led_by_integers,
            fixed: None,
        };
        space.choose_drivers();
        space
    }

    /// Makes these the ordinary values.
    pub(crate) fn fix(&mut self, genes: Vec<Gene>) {
        self.fixed = Some(genes);
    }

    /// Makes these the contents that a caller passes.
    pub(crate) fn begin(&mut self, array: usize, contents: Contents) {
        self.arrays[array].plain = contents;
    }

    /// Integers that may vary.
    pub(crate) fn integers(&self) -> Vec<usize> {
        let varies = |&i: &usize| self.slots[i].ty.is_int() && !self.related.gives_slot(i);
        (0..self.slots.len()).filter(varies).collect()
    }

    /// Arrays of flags that no one is known to set before the launch.
    pub(crate) fn flags(&self) -> Vec<usize> {
        let is_flags = |&i: &usize| {
            let array = &self.arrays[i];
            let ours =
                array.member.is_none() && array.is_of_ints() && array.plain == Contents::Zeros;
            array.synchronises && array.written && ours
        };
        (0..self.arrays.len()).filter(is_flags).collect()
    }

    /// Whether elements of an array determine the address at a site.
    pub(crate) fn leads(&self, array: usize, site: usize) -> bool {
        let array = &self.arrays[array];
        match array.member {
            Some(m) => self.hints.led_by_members[site].contains(&(array.param, m.offset)),
            None => self.hints.led_by[site].contains(&array.param),
        }
    }

    /// The initial candidate.
    pub(crate) fn plain(&self) -> Candidate {
        self.agreeing(&self.unrelated())
    }

    /// The same before relations are applied.
    pub(crate) fn unrelated(&self) -> Candidate {
        Candidate {
            grid: self.grids[0],
            block: self.blocks[0],
            genes: (0..self.slots.len()).map(|i| self.plain_gene(i)).collect(),
            sizes: (0..self.slots.len()).filter(|&i| self.slots[i].is_guarded()).collect(),
            contents: self.arrays.iter().map(|a| a.plain).collect(),
            cells: Vec::new(),
            equal: None,
            rule: Rule::Ordinary,
        }
    }

    /// Ordinary values with sizes, and other loop bounds, divided by `parts`, as far as the results are ordinary.
    pub(crate) fn smaller(&self, parts: i64) -> Option<Candidate> {
        let plain = self.plain();
        let mut c = Candidate { rule: Rule::SmallerSizes, ..plain.clone() };
        for (i, slot) in self.slots.iter().enumerate() {
            let counts = slot.is_size() || slot.hints.bounds_loop;
            if counts && !slot.ty.is_float() && plain.int(i) >= LEAST_SIZE * parts {
                c.genes[i] = Gene::Int(plain.int(i) / parts);
            }
        }
        c = self.agreeing(&c);
        for oddity in self.oddities(&c) {
            if let Oddity::Slot(i) = oddity {
                c.genes[i] = plain.genes[i];
            }
        }
        c = self.agreeing(&c);
        let is_new = !c.is_same_launch(&plain);
        (is_new && self.is_possible(&c) && self.oddities(&c).is_empty()).then_some(c)
    }

    /// A launch suggested by another engine, as far as its values are free.
    pub(crate) fn suggested(&self, wish: &Suggestion) -> Candidate {
        let mut c = Candidate { rule: Rule::Suggested, ..self.plain() };
        if self.given.grid.is_none() {
            c.grid = wish.grid;
        }
        if self.given.block.is_none() {
            c.block = wish.block;
        }
        for (i, slot) in self.slots.iter().enumerate() {
            let Part::Lane(lane) = slot.part else { continue };
            let value = wish.scalars.iter().find(|(p, _)| *p == slot.param);
            let Some(&bits) = value.and_then(|(_, v)| v.get(lane)) else { continue };
            c.genes[i] = match slot.ty {
                Ty::F32 => Gene::Float(f32::from_bits(bits as u32) as f64),
                Ty::F64 => Gene::Float(f64::from_bits(bits)),
                Ty::F16 => Gene::Float(1.0),
                ty => {
                    let unused = 64 - ty.bits().min(64);
                    Gene::Int(((bits << unused) as i64) >> unused)
                }
            };
        }
        c.cells.clone_from(&wish.cells);
        self.relate(&mut c);
        c
    }

    pub(crate) fn plain_gene(&self, slot: usize) -> Gene {
        if let Some(fixed) = &self.fixed {
            return fixed[slot];
        }
        if let Some(v) = self.related.driven_by(slot) {
            return Gene::Int(v);
        }
        let s = &self.slots[slot];
        let h = &s.hints;
        if s.ty.is_float() {
            return Gene::Float(1.0);
        }
        if s.ty == Ty::Ptr {
            return Gene::Int(0);
        }
        if s.ty.bits() == 1 {
            return Gene::Int(1);
        }
        if h.selects {
            let first = h.compared_with.iter().map(|&c| c as i64).find(|&c| c > 0 && c < 1 << 16);
            return Gene::Int(first.unwrap_or(1));
        }
        let bare = !s.is_size() && !h.multiplies_index && !h.divides;
        if (h.shifts || h.flips) && bare {
            return Gene::Int(1);
        }
        if (h.added_to_index || h.equals_index || h.picks_row) && bare {
            return Gene::Int(0);
        }
        if s.ty.bits() == 8 {
            return Gene::Int(1);
        }
        if s.is_logarithm() {
            return Gene::Log;
        }
        if h.multiplies_index && !s.is_guarded() {
            return Gene::Row;
        }
        // A mere iteration count need not be as large as the launch.
        if h.bounds_loop && !s.is_guarded() && !h.divides {
            return Gene::Int(ROUNDS);
        }
        Gene::Threads { axis: s.axis, times: 1, plus: 0 }
    }

    /// The value of a slot, clamped to its type.
    pub(crate) fn clamp(&self, slot: usize, v: i64) -> i64 {
        let s = &self.slots[slot];
        let signed = self.kernel.params[s.param].signed || matches!(s.part, Part::Field(_));
        let least = if signed { -s.most() } else { 0 };
        v.clamp(least, s.most())
    }

    pub(crate) fn free_block(&self) -> [bool; 3] {
        let h = &self.hints;
        std::array::from_fn(|a| {
            self.given.block.is_none()
                && implied(h, a).is_none()
                && !self.related.gives(Dimension::Block(a))
                && in_use(h, a)
        })
    }

    /// The axes along which Lockstep chose the block, even if the kernel's arithmetic implies its size.
    pub(crate) fn chosen_block(&self) -> [bool; 3] {
        let h = &self.hints;
        std::array::from_fn(|a| {
            self.given.block.is_none()
                && self.kernel.required_block.is_none()
                && !self.related.gives(Dimension::Block(a))
                && (in_use(h, a) || self.blocks[0][a] > 1)
        })
    }

    /// A candidate's block, as wide as the shared arrays have room for.
    pub(crate) fn full_block(&self, c: &Candidate) -> [u32; 3] {
        let free = self.free_block();
        std::array::from_fn(|a| match self.hints.most_block[a] {
            Some(most) if free[a] => most,
            _ => c.block[a],
        })
    }

    pub(crate) fn free_grid(&self) -> [bool; 3] {
        let h = &self.hints;
        std::array::from_fn(|a| {
            self.given.grid.is_none()
                && !self.related.gives(Dimension::Grid(a))
                && (h.block_axes[a] || h.reads_grid_dim[a])
        })
    }

    /// Whether the dimensions are within every device's limits.
    pub(crate) fn is_possible(&self, c: &Candidate) -> bool {
        c.block.iter().chain(&c.grid).all(|&d| d > 0)
            && (self.given.block.is_some()
                || c.block_threads() <= u64::from(most_threads(self.kernel)) && c.block[2] <= 64)
            && self.related.is_moderate(c)
            && self.agrees(c)
    }
}

/// Whether a parameter's value was given.
pub(crate) fn is_given(given: &Given, param: usize) -> Option<&ArgValue> {
    given.args.get(param).and_then(Option::as_ref).map(|fact| &fact.value)
}

#[cfg(test)]
mod tests;
