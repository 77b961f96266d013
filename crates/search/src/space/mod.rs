//! What of a launch may vary, and which of its values are ordinary.
//!
//! A value is *ordinary* where a caller who knows the kernel would give it: a
//! size that the launch covers, a stride of at least a row, a flag that the
//! kernel knows, a block of whole warps that the kernel's own arithmetic allows.
//! It is odd otherwise: legal, because nothing in the source rules it out, but a
//! bug that shows only there is reported with that condition, after the others.
//! The judgement comes from how the kernel uses the value ([`ParamHints`]), not
//! from its name; names only choose between axes where nothing else does.

pub(crate) mod candidate;
pub(crate) mod dimensions;
pub(crate) mod host_sizes;
pub(crate) mod initial_contents;
pub(crate) mod launch;
pub(crate) mod relations;
pub(crate) mod seeds;
pub(crate) mod structs;
pub(crate) mod thread_counts;

use lockstep_finding::launch::Dimension;
use lockstep_finding::{ArgValue, ElementType};
use lockstep_kernel::hints::{ArrayHints, Hints, ParamHints};
use lockstep_kernel::{Elem, Kernel, ParamKind, SiteId, Ty};
use lockstep_simulate::bind;

use crate::space::candidate::{Candidate, Contents, Gene, Rule};
use crate::space::dimensions::{blocks, grids, implied, most_threads};
use crate::space::initial_contents::{plain_contents, synchronising, unclaimed};
use crate::space::relations::Related;
use crate::space::structs::Member;
use crate::{Given, Suggestion};

/// Where a scalar goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// One register of the parameter.
    Lane(usize),
    /// A field of a struct, at so many bytes.
    Field(u32),
}

/// A scalar that may vary.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) param: usize,
    pub(crate) part: Part,
    pub(crate) ty: Ty,
    /// As a condition would name it.
    pub(crate) name: String,
    pub(crate) hints: ParamHints,
    /// The axis it most likely counts.
    pub(crate) axis: usize,
}

impl Slot {
    /// Whether it limits how far threads or loops go.
    pub(crate) fn is_size(&self) -> bool {
        self.hints.compared_with_index.contains(&true) || self.hints.bounds_loop
    }

    /// Whether threads beyond it do nothing.
    pub(crate) fn is_guarded(&self) -> bool {
        self.hints.compared_with_index.contains(&true)
    }

    /// Whether it is the distance of two rows, and nothing says how far a row goes.
    pub(crate) fn is_row_length(&self) -> bool {
        let h = &self.hints;
        let multiplies = h.multiplies_index && !h.splits;
        multiplies && !self.is_size() && !h.selects && !self.ty.is_float()
    }

    /// Whether it is only added to indices, as it is or as a loop makes it smaller or larger.
    pub(crate) fn is_offset(&self) -> bool {
        let h = &self.hints;
        let other = self.is_size() || h.multiplies_index || h.divides || h.selects || h.shifts;
        let added = h.added_to_index || h.added_in_rounds;
        added && !other && !h.picks_row && self.ty.is_int() && self.ty.bits() > 1
    }

    /// The largest value of its type that is not negative when signed.
    fn most(&self) -> i64 {
        if self.ty.bits() == 1 { 1 } else { (self.ty.mask() >> 1) as i64 }
    }
}

/// An array that may vary, or a member of the structs in one.
#[derive(Clone, Debug)]
pub(crate) struct FreeArray {
    pub(crate) param: usize,
    /// Which member it is; none where it is the whole array.
    pub(crate) member: Option<Member>,
    /// As a condition would name it.
    pub(crate) name: String,
    pub(crate) element: ElementType,
    /// Its values are indices, or decide what is accessed, and may be anything.
    pub(crate) matters: bool,
    pub(crate) elem: Elem,
    /// Values the kernel compares its elements with, as bits.
    pub(crate) compared_with: Vec<(Ty, u64)>,
    /// Its elements are indices.
    pub(crate) reaches_address: bool,
    /// And of plain stores.
    pub(crate) written_through: bool,
    /// Its elements lead to private arrays.
    pub(crate) reaches_private: bool,
    /// Its elements say where loops end.
    pub(crate) bounds_loop: bool,
    /// Because they are compared with what a loop counts.
    pub(crate) limits_loop: bool,
    /// Its elements are compared with one another, or with those of another array.
    pub(crate) compared: bool,
    pub(crate) written: bool,
    /// Threads synchronise through it.
    pub(crate) synchronises: bool,
    /// The contents a caller would give.
    pub(crate) plain: Contents,
}

impl FreeArray {
    /// An array of this parameter, or part of one, of this name; threads synchronise through the sites.
    pub(crate) fn new(
        kernel: &Kernel,
        (param, name): (usize, String),
        elem: Elem,
        hints: &ArrayHints,
        flags: &[SiteId],
    ) -> FreeArray {
        let whole = name == kernel.params[param].name;
        let source = if whole { kernel.params[param].source_type.as_str() } else { "" };
        let a = hints;
        let matters = a.value_reaches_address || a.value_guards_access || a.value_bounds_loop;
        FreeArray {
            param,
            member: None,
            name,
            element: bind::element_type(elem, source, true),
            matters: matters && flags.is_empty(),
            elem,
            compared_with: a.compared_with.clone(),
            reaches_address: a.value_reaches_address,
            written_through: a.index_written_through,
            reaches_private: a.value_reaches_private,
            bounds_loop: a.value_bounds_loop,
            limits_loop: a.value_limits_loop,
            compared: a.compared_with_elements,
            written: a.written,
            synchronises: !flags.is_empty(),
            plain: match flags.is_empty() {
                false => unclaimed(kernel, flags, elem),
                // What is only moved about is another in each struct.
                true if whole
                    && a.read
                    && !matters
                    && !a.value_reaches_private
                    && structs::is_struct(kernel, param) =>
                {
                    Contents::Words
                }
                true => plain_contents(elem, source),
            },
        }
    }

    pub(crate) fn is_of_ints(&self) -> bool {
        matches!(self.elem, Elem::Scalar(ty) if ty.is_int())
    }
}

/// What is odd about a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Oddity {
    Slot(usize),
    Block,
    Equal,
}

pub(crate) struct Space<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) hints: Hints,
    pub(crate) given: &'a Given,
    pub(crate) slots: Vec<Slot>,
    pub(crate) arrays: Vec<FreeArray>,
    /// Ordinary shapes, the first the one to begin with.
    pub(crate) blocks: Vec<[u32; 3]>,
    pub(crate) grids: Vec<[u32; 3]>,
    /// What follows from what.
    pub(crate) related: Related,
    /// Whether only integers, none of them an element, say what is accessed, where that matters.
    pub(crate) led_by_integers: bool,
    /// Genes that take the place of the plain ones: a precondition wants them.
    fixed: Option<Vec<Gene>>,
}

/// Sizes that are made smaller are no smaller than this: what has next to no elements is odd.
const LEAST_SIZE: i64 = 8;

/// Arrays of one size that a kernel has in one.
const FEW: i64 = 16;
/// Rounds of a loop that nothing but a parameter limits.
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

    /// Makes these the plain values.
    pub(crate) fn fix(&mut self, genes: Vec<Gene>) {
        self.fixed = Some(genes);
    }

    /// Makes these the contents that a caller gives.
    pub(crate) fn begin(&mut self, array: usize, contents: Contents) {
        self.arrays[array].plain = contents;
    }

    /// Whether elements of an array lead to the site of this number.
    pub(crate) fn leads(&self, array: usize, site: usize) -> bool {
        let array = &self.arrays[array];
        match array.member {
            Some(m) => self.hints.led_by_members[site].contains(&(array.param, m.offset)),
            None => self.hints.led_by[site].contains(&array.param),
        }
    }

    /// The candidate to begin with.
    pub(crate) fn plain(&self) -> Candidate {
        self.agreeing(&self.unrelated())
    }

    /// The same before one value follows from another.
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

    /// Ordinary values with sizes, and what else loops count to, a part of what they are at first; as far as that is ordinary.
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

    /// What somebody else wants tried, as far as it is free.
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
        // A mere number of rounds need not be as large as the launch.
        if h.bounds_loop && !s.is_guarded() && !h.divides {
            return Gene::Int(ROUNDS);
        }
        Gene::Threads { axis: s.axis, times: 1, plus: 0 }
    }

    /// What a caller would hardly give.
    pub(crate) fn oddities(&self, c: &Candidate) -> Vec<Oddity> {
        let slots = (0..self.slots.len()).filter(|&i| !self.is_ordinary(c, i)).map(Oddity::Slot);
        let mut odd: Vec<Oddity> = slots.collect();
        if !self.is_ordinary_block(c.block) {
            odd.push(Oddity::Block);
        }
        if c.equal.is_some() {
            odd.push(Oddity::Equal);
        }
        odd
    }

    pub(crate) fn is_ordinary_block(&self, block: [u32; 3]) -> bool {
        if self.blocks.contains(&block) {
            return true;
        }
        if self.given.block.is_some() {
            return false;
        }
        let fits = |a: usize| {
            implied(&self.hints, a).is_none_or(|n| block[a] == n)
                && self.hints.most_block[a].is_none_or(|n| block[a] <= n)
        };
        // Who gives launch bounds launches blocks of that size.
        self.kernel.most_threads.is_none()
            && block.iter().all(|d| d.is_power_of_two())
            && (0..3).all(fits)
    }

    pub(crate) fn is_ordinary(&self, c: &Candidate, slot: usize) -> bool {
        let s = &self.slots[slot];
        let h = &s.hints;
        if let Gene::Float(v) = c.genes[slot] {
            return v.is_finite();
        }
        let follows = self.related.gives_slot(slot);
        if h.multiplies_index && !follows && self.overflows(c) {
            return false;
        }
        let bound = self.related.is_bound(slot) && self.agrees(c);
        if h.unused || follows || bound || c.genes[slot] == self.plain_gene(slot) {
            return true;
        }
        let v = c.int(slot);
        if h.selects {
            return (0..=1).contains(&v) || h.compared_with.contains(&(v as u64 & s.ty.mask()));
        }
        if v < 0 || h.shifts && v >= s.ty.bits() as i64 {
            return false;
        }
        if (h.masks || h.flips) && !(v as u64).is_power_of_two() {
            return false;
        }
        if v == 0 {
            return !(s.is_size() || h.multiplies_index || h.divides);
        }
        let along = match (0..3).filter(|&a| h.compared_with_index[a]).map(|a| c.along(a)).max() {
            Some(most) => most,
            None => c.along(s.axis),
        };
        let enough = if h.bounds_loop { along.max(64).saturating_mul(8) } else { along };
        // How many threads there are for it, the host knows.
        let drives = self.related.is_driver(slot);
        if s.is_size() && v > enough && !drives {
            return false;
        }
        if h.multiplies_index && !h.splits {
            let others = (0..self.slots.len()).filter(|&o| o != slot && self.slots[o].is_size());
            let row = others.map(|o| c.int(o)).max().unwrap_or(0);
            let row = if s.is_guarded() { row } else { row.max(c.along(0)) };
            if s.is_logarithm() {
                return 1i64.checked_shl(v as u32).is_none_or(|n| n >= row);
            }
            // Each thread has a part of its own, and a loop that goes through it.
            let fills = h.bounds_loop && h.multiplies_index_of.contains(&true) && !h.beside_index;
            return v >= row || fills;
        }
        if h.picks_row {
            let sizes = (0..self.slots.len()).filter(|&o| self.slots[o].is_size());
            return sizes.map(|o| c.int(o)).max().is_none_or(|rows| v < rows);
        }
        !(h.wraps && v < along) && v <= along.max(4096)
    }

    /// Whether the arrays have more elements than an `int` counts, and more than in an ordinary launch.
    fn overflows(&self, c: &Candidate) -> bool {
        let elements = self.elements(c);
        elements > i64::from(i32::MAX) && elements > self.elements(&self.plain())
    }

    /// The elements of an array with as many dimensions as there are strides (two for one that multiplies itself), and as many
    /// parts as there are threads along an axis whose index a stride multiplies; with a few such arrays in one, as a kernel
    /// numbers them by constants (`offset + 4 * stride`).
    fn elements(&self, c: &Candidate) -> i64 {
        let is_stride =
            |i: &usize| self.slots[*i].hints.multiplies_index && self.slots[*i].ty == Ty::I32;
        let strides: Vec<usize> = (0..self.slots.len()).filter(is_stride).collect();
        let of = |a: &usize| strides.iter().any(|&i| self.slots[i].hints.multiplies_index_of[*a]);
        let parts = (0..3).filter(of).map(|a| c.along(a)).max().unwrap_or(1);
        let squares = strides.iter().filter(|&&i| self.slots[i].hints.multiplies_itself);
        let sizes = strides.iter().chain(squares).map(|&i| c.int(i)).chain([parts]);
        sizes.map(|n| n.max(1)).fold(FEW, i64::saturating_mul)
    }

    /// The value of a slot as its type holds it.
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
                && (h.thread_axes[a] || h.reads_block_dim[a])
        })
    }

    /// Along which axes the block was our choice, be it one that the kernel implies.
    pub(crate) fn chosen_block(&self) -> [bool; 3] {
        let h = &self.hints;
        std::array::from_fn(|a| {
            self.given.block.is_none()
                && self.kernel.required_block.is_none()
                && !self.related.gives(Dimension::Block(a))
                && (h.thread_axes[a] || h.reads_block_dim[a] || self.blocks[0][a] > 1)
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

/// Which axis an integer most likely counts: the one it is compared with, else
/// the one its name speaks of.
fn axis(hints: &ParamHints, name: &str) -> usize {
    match hints.compared_with_index {
        [true, false, false] => return 0,
        [false, true, false] => return 1,
        [false, false, true] => return 2,
        _ => {}
    }
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        "h" | "ny" | "dimy" | "sizey" => 1,
        "nz" | "dimz" | "sizez" => 2,
        n if n.contains("height") || n.contains("rows") => 1,
        n if n.contains("depth") => 2,
        _ => 0,
    }
}

/// Whether a parameter's value was given.
pub(crate) fn is_given(given: &Given, param: usize) -> Option<&ArgValue> {
    given.args.get(param).and_then(Option::as_ref).map(|fact| &fact.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_finding::{Fact, Origin};
    use lockstep_kernel::{
        Block, CmpOp, Inst, IntOp, Language, LocId, Op, Operand, Param, Reg, Site, SiteKind,
        Space as Memory, Special, Terminator,
    };

    /// `if (i < n) a[i * stride] = 0;` with `i` the number of the thread.
    fn strided() -> Kernel {
        let inst = |dst: Option<u32>, op| Inst { dst: dst.map(Reg), op, loc: LocId(0) };
        let reg = |r: u32| Operand::Reg(Reg(r));
        let int = |op, a, b| Op::Int { op, ty: Ty::I32, a, b };
        let special = |s| Op::Special(s);
        let elem = Elem::Scalar(Ty::F32);
        let param = |name: &str, kind, reg, source_type: &str| Param {
            name: name.into(),
            kind,
            reg: Reg(reg),
            source_type: source_type.into(),
            signed: true,
            align: 1,
            within: None,
            variable: None,
        };
        let scalar = ParamKind::Scalar { ty: Ty::I32, count: 1 };
        let buffer = ParamKind::Buffer { space: Memory::Global, elem, readonly: false };
        let site = Site {
            kind: SiteKind::Write,
            loc: LocId(0),
            space: Memory::Global,
            size: 4,
            align: 4,
            through: Some("a".into()),
            volatile: false,
            scope: lockstep_kernel::Scope::Thread,
            polling: false,
            origin: 0,
        };
        let block =
            |name: &str, insts, term| Block { name: name.into(), phis: vec![], insts, term };
        let store = Op::Store {
            site: lockstep_kernel::SiteId(0),
            ty: Ty::F32,
            values: vec![Operand::Imm(0)],
            addr: reg(11),
        };
        let id = lockstep_kernel::BlockId;
        Kernel {
            name: "strided".into(),
            mangled: "strided".into(),
            language: Language::Cuda,
            loc: LocId(0),
            params: vec![
                param("a", buffer, 0, "float *"),
                param("n", scalar, 1, "int"),
                param("stride", scalar, 2, "int"),
            ],
            objects: vec![],
            regs: vec![
                Ty::Ptr,
                Ty::I32,
                Ty::I32,
                Ty::I32,
                Ty::I32,
                Ty::I32,
                Ty::I32,
                Ty::I32,
                Ty::I1,
                Ty::I32,
                Ty::I64,
                Ty::Ptr,
            ],
            reg_names: vec![],
            extents: Vec::new(),
            blocks: vec![
                block(
                    "entry",
                    vec![
                        inst(Some(3), special(Special::BlockId(0))),
                        inst(Some(4), special(Special::BlockDim(0))),
                        inst(Some(5), special(Special::ThreadId(0))),
                        inst(Some(6), int(IntOp::Mul, reg(3), reg(4))),
                        inst(Some(7), int(IntOp::Add, reg(6), reg(5))),
                        inst(
                            Some(8),
                            Op::Cmp { op: CmpOp::SLt, ty: Ty::I32, a: reg(7), b: reg(1) },
                        ),
                    ],
                    Terminator::Branch {
                        cond: reg(8),
                        then: id(1),
                        otherwise: id(2),
                        loc: LocId(0),
                    },
                ),
                block(
                    "then",
                    vec![
                        inst(Some(9), int(IntOp::Mul, reg(7), reg(2))),
                        inst(
                            Some(10),
                            Op::Cast {
                                op: lockstep_kernel::CastOp::SExt,
                                from: Ty::I32,
                                to: Ty::I64,
                                a: reg(9),
                            },
                        ),
                        inst(
                            Some(11),
                            Op::Index { base: reg(0), index: reg(10), scale: 4, offset: 0 },
                        ),
                        inst(None, store),
                    ],
                    Terminator::Jump(id(2)),
                ),
                block("end", vec![], Terminator::Return),
            ],
            sites: vec![site],
            locs: vec![lockstep_kernel::Loc {
                file: 0,
                line: 1,
                column: 1,
                function: "strided".into(),
                inlined_at: None,
            }],
            files: vec!["strided.cu".into()],
            unsupported: vec![],
            beside: Vec::new(),
            required_block: None,
            most_threads: None,
            remainders: false,
            work_sizes: Vec::new(),
        }
    }

    fn given() -> Given {
        Given { args: vec![None; 3], ..Given::default() }
    }

    #[test]
    fn ordinary_values() {
        let (kernel, given) = (strided(), given());
        let space = Space::new(&kernel, &given);
        let plain = space.plain();
        assert_eq!((plain.block, plain.grid), ([64, 1, 1], [2, 1, 1]));
        assert_eq!((plain.int(0), plain.int(1)), (128, 128));
        assert_eq!(space.oddities(&plain), []);
        let with = |slot: usize, v: i64| {
            let mut c = plain.clone();
            c.genes[slot] = Gene::Int(v);
            space.oddities(&c)
        };
        // The last block need not be full, but a size beyond the grid is odd.
        assert_eq!(with(0, 100), []);
        assert_eq!(with(0, 129), [Oddity::Slot(0)]);
        assert_eq!(with(0, 0), [Oddity::Slot(0)]);
        assert_eq!(with(1, 127), [Oddity::Slot(1)]);
        assert_eq!(with(1, 0), [Oddity::Slot(1)]);
        assert_eq!(with(1, 200), []);
        // Two rows of this length could still be numbered, but not as many as a kernel may have.
        assert_eq!(with(1, 1 << 19), []);
        assert_eq!(with(1, 1 << 30), [Oddity::Slot(1)]);
        // Nor can rows for so many threads.
        let mut many = plain.clone();
        many.grid = [65535, 1, 1];
        many.genes[1] = Gene::Int(1 << 22);
        assert_eq!(space.oddities(&many), [Oddity::Slot(1)]);
    }

    #[test]
    fn sizes_follow_the_dimensions() {
        let (kernel, given) = (strided(), given());
        let space = Space::new(&kernel, &given);
        let mut c = space.plain();
        c.block = [32, 1, 1];
        assert_eq!((c.int(0), c.int(1)), (64, 64));
        assert_eq!(space.oddities(&c), []);
        c.block = [33, 1, 1];
        assert_eq!(space.oddities(&c), [Oddity::Block]);
    }

    #[test]
    fn facts_do_not_vary() {
        let kernel = strided();
        let given = Given {
            block: Some(Fact::new([48, 1, 1], Origin::CommandLine)),
            args: vec![
                None,
                None,
                Some(Fact::new(ArgValue::Scalar("0".into()), Origin::CommandLine)),
            ],
            ..Given::default()
        };
        let space = Space::new(&kernel, &given);
        assert_eq!(space.slots.len(), 1);
        assert_eq!(space.blocks, [[48, 1, 1]]);
        assert!(!space.free_block().contains(&true));
        for seed in space.seeds(crate::Alias::All) {
            assert_eq!(seed.block, [48, 1, 1], "{seed:?}");
            assert!(!space.oddities(&seed).contains(&Oddity::Block));
        }
    }

    #[test]
    fn seeds_are_boundary_values() {
        let (kernel, given) = (strided(), given());
        let space = Space::new(&kernel, &given);
        let seeds = space.seeds(crate::Alias::Never);
        assert_eq!(seeds[0].rule, Rule::Ordinary);
        let has = |rule: &Rule, slot: usize, v: i64| {
            seeds.iter().any(|s| s.rule == *rule && s.int(slot) == v)
        };
        assert!(has(&Rule::PartialBlock, 0, 127));
        assert!(has(&Rule::PartialBlock, 0, 65));
        assert!(has(&Rule::BeyondTheGrid, 0, 257));
        assert!(has(&Rule::Stride("stride".into()), 1, 0));
        assert!(has(&Rule::Stride("stride".into()), 1, 1));
        assert!(seeds.iter().all(|s| space.is_possible(s)));
    }
}
