//! The initial launches of the search: ordinary ones, then boundary values that the kernel's own constants and
//! comparisons suggest.
//!
//! Each rule changes one thing in an ordinary launch, so that the rule shows what a bug needs. Ordinary launches come
//! first; the order is fixed.

use lockstep_kernel::{ParamKind, Ty};

use crate::given::Alias;
use crate::space::Space;
use crate::space::arrays::FreeArray;
use crate::space::candidate::{Candidate, Contents, Gene, Rule};

/// Maximum number of boundary values for one parameter.
const MOST_CONSTANTS: usize = 4;

/// Maximum number of offsets that are tried with far values.
const MOST_OFFSETS: usize = 4;

/// Factor by which rows are lengthened to make room for an offset.
const LONGER: i64 = 64;

/// Blocks with more threads than this come last: they cost most.
const LARGE: u64 = 256;

/// Maximum number of values of one array's elements that enable a branch, and of arrays whose elements then lead
/// threads to one address.
const MOST_OPENED: usize = 2;
const MOST_LED: usize = 3;

/// Number of elements of a short list.
const A_FEW: i64 = 3;

impl Space<'_> {
    pub(crate) fn seeds(&self, alias: Alias) -> Vec<Candidate> {
        let mut out = vec![self.plain()];
        self.dimension_seeds(&mut out);
        let large = |c: &Candidate| c.block_threads() > LARGE && c.rule == Rule::Dimensions;
        let last: Vec<Candidate> = out.iter().filter(|c| large(c)).cloned().collect();
        out.retain(|c| !large(c));
        self.size_seeds(&mut out);
        self.flag_seeds(&mut out);
        self.picking_seeds(&mut out);
        self.partner_seeds(&mut out);
        self.contents_seeds(&mut out);
        self.constant_seeds(&mut out);
        self.stride_seeds(&mut out);
        self.offset_seeds(&mut out);
        if let Some(all) = match alias {
            Alias::Never => None,
            Alias::Writable => Some(false),
            Alias::All => Some(true),
        } {
            self.alias_seeds(all, &mut out);
        }
        self.odd_block_seeds(&mut out);
        out.extend(last);
        out.iter_mut().for_each(|c| self.relate(c));
        out.retain(|c| self.is_possible(c));
        out
    }

    fn with(&self, rule: Rule, change: impl FnOnce(&mut Candidate)) -> Candidate {
        let mut c = Candidate { rule, ..self.plain() };
        change(&mut c);
        c
    }

    /// Every ordinary block with the first grid, and the first block with every
    /// other grid.
    fn dimension_seeds(&self, out: &mut Vec<Candidate>) {
        for &block in &self.blocks[1..] {
            out.push(self.with(Rule::Dimensions, |c| c.block = block));
        }
        for &grid in &self.grids[1..] {
            out.push(self.with(Rule::Dimensions, |c| c.grid = grid));
        }
    }

    /// All sizes at once, then each alone. Mere iteration counts are independent of the dimensions.
    fn size_seeds(&self, out: &mut Vec<Candidate>) {
        let (sizes, rounds): (Vec<usize>, Vec<usize>) = (0..self.slots.len())
            .filter(|&i| {
                let s = &self.slots[i];
                let counts = matches!(self.plain_gene(i), Gene::Threads { .. });
                (s.is_size() || s.hints.guards_access && counts) && !s.ty.is_float()
            })
            .filter(|&i| !self.slots[i].hints.selects)
            .partition(|&i| {
                let s = &self.slots[i];
                !s.hints.bounds_loop || s.is_guarded() || s.hints.multiplies_index
            });
        if !rounds.is_empty() {
            for n in [1, 2, 3, 0] {
                out.push(self.with(Rule::TinySize, |c| {
                    rounds.iter().for_each(|&i| c.genes[i] = Gene::Int(n));
                }));
            }
        }
        if sizes.is_empty() {
            return;
        }
        let set = |which: &[usize], rule: Rule, f: &dyn Fn(usize) -> Gene| {
            self.with(rule, |c| which.iter().for_each(|&i| c.genes[i] = f(i)))
        };
        let along = |i: usize| self.slots[i].axis;
        let block = |i: usize| self.blocks[0][along(i)] as i64;
        let near = |times: i64, plus: &'_ dyn Fn(usize) -> i64, i: usize| Gene::Threads {
            axis: along(i),
            times,
            plus: plus(i),
        };
        out.push(set(&sizes, Rule::PartialBlock, &|i| near(1, &|_| -1, i)));
        out.push(set(&sizes, Rule::PartialBlock, &|i| near(1, &|i| 1 - block(i), i)));
        out.push(set(&sizes, Rule::PartialBlock, &|i| near(1, &|i| -(block(i) / 2) - 1, i)));
        out.push(set(&sizes, Rule::BeyondTheGrid, &|i| near(2, &|_| 1, i)));
        out.push(set(&sizes, Rule::BeyondTheGrid, &|i| near(3, &|_| 0, i)));
        if sizes.len() > 1 {
            for &i in &sizes {
                out.push(set(&[i], Rule::PartialBlock, &|i| near(1, &|i| -(block(i) / 2), i)));
                out.push(set(&[i], Rule::BeyondTheGrid, &|i| near(2, &|_| 0, i)));
            }
        }
        out.push(set(&sizes, Rule::TinySize, &|_| Gene::Int(1)));
        out.push(set(&sizes, Rule::TinySize, &|_| Gene::Int(0)));
    }

    fn flag_seeds(&self, out: &mut Vec<Candidate>) {
        for (i, slot) in self.slots.iter().enumerate() {
            let flag = slot.hints.selects || slot.ty.bits() == 1;
            if !flag || slot.ty.is_float() {
                continue;
            }
            let mut values: Vec<i64> = vec![0, 1];
            values.extend(slot.hints.compared_with.iter().map(|&c| signed(slot.ty, c)));
            values.sort_unstable();
            values.dedup();
            for v in values.into_iter().take(8).filter(|&v| self.plain().int(i) != v) {
                let rule = Rule::Flag(slot.name.clone());
                out.push(self.with(rule, |c| c.genes[i] = Gene::Int(self.clamp(i, v))));
            }
        }
    }

    /// Values that select a thread or a row also select others, and the last one.
    fn picking_seeds(&self, out: &mut Vec<Candidate>) {
        for (i, slot) in self.slots.iter().enumerate() {
            let picks = slot.hints.equals_index || slot.hints.picks_row;
            if !picks || self.plain_gene(i) != Gene::Int(0) {
                continue;
            }
            // The last row is a valid one; an index equal to the number of threads is beyond the last.
            let plus = -i64::from(slot.hints.picks_row);
            let last = Gene::Threads { axis: slot.axis, times: 1, plus };
            for gene in [Gene::Int(1), Gene::Int(2), last] {
                let rule = Rule::Flag(slot.name.clone());
                out.push(self.with(rule, |c| c.genes[i] = gene));
            }
        }
    }

    /// Exchange partners of threads in another warp and in another block.
    fn partner_seeds(&self, out: &mut Vec<Candidate>) {
        for i in (0..self.slots.len()).filter(|&i| self.slots[i].hints.flips) {
            for v in [2, i64::from(self.blocks[0][self.slots[i].axis] / 2), 64] {
                let rule = Rule::Stride(self.slots[i].name.clone());
                out.push(self.with(rule, |c| c.genes[i] = Gene::Int(self.clamp(i, v))));
            }
        }
    }

    fn constant_seeds(&self, out: &mut Vec<Candidate>) {
        for (i, slot) in self.slots.iter().enumerate() {
            let h = &slot.hints;
            if h.selects || slot.ty.is_float() || slot.ty.bits() == 1 {
                continue;
            }
            let constants = h.compared_with.iter().map(|&c| signed(slot.ty, c));
            let divisors = h.divided_by.iter().map(|&c| signed(slot.ty, c));
            let values = constants.filter(|c| c.abs() < 1 << 20).take(MOST_CONSTANTS);
            for v in values.flat_map(|c| [c, c - 1, c + 1]) {
                let rule = Rule::Constant(slot.name.clone());
                out.push(self.with(rule, |c| c.genes[i] = Gene::Int(self.clamp(i, v))));
            }
            for d in divisors.filter(|&d| d > 1 && d < 1 << 16).take(MOST_CONSTANTS) {
                let rule = Rule::Constant(slot.name.clone());
                let plus = 1 - d;
                let gene = Gene::Threads { axis: slot.axis, times: 1, plus };
                out.push(self.with(rule, |c| c.genes[i] = gene));
            }
        }
    }

    fn stride_seeds(&self, out: &mut Vec<Candidate>) {
        for (i, slot) in self.slots.iter().enumerate() {
            let h = &slot.hints;
            if slot.ty.is_float() || !(h.multiplies_index || h.divides || h.added_to_index) {
                continue;
            }
            // Rows of linearly numbered elements are short, or there would be only one.
            let values: &[i64] = if h.divides || h.wraps { &[1, 4] } else { &[1, 0] };
            for &v in values {
                let rule = Rule::Stride(slot.name.clone());
                out.push(self.with(rule, |c| c.genes[i] = Gene::Int(v)));
            }
        }
    }

    /// Offsets such that nothing is accessed before the first element, in rows with room for them.
    fn offset_seeds(&self, out: &mut Vec<Candidate>) {
        let rows = || (0..self.slots.len()).filter(|&r| self.slots[r].is_row_length());
        let offsets = (0..self.slots.len()).filter(|&i| self.slots[i].is_offset());
        for i in offsets.take(MOST_OFFSETS) {
            out.push(self.with(Rule::FarOffset(self.slots[i].name.clone()), |c| {
                let far = Gene::Int(self.clamp(i, c.along(self.slots[i].axis)));
                for r in rows() {
                    c.genes[r] = Gene::Int(self.clamp(r, c.int(r).saturating_mul(LONGER)));
                }
                c.genes[i] = far;
            }));
        }
    }

    /// Arrays that hold indices or decide branches, with contents that collide (equal indices), that differ, and that
    /// the kernel compares them with.
    fn contents_seeds(&self, out: &mut Vec<Candidate>) {
        let matter: Vec<usize> =
            (0..self.arrays.len()).filter(|&a| self.arrays[a].matters).collect();
        // Members of one array's structs are changed together, so that there are no more launches than for any other
        // array.
        let param = |a: &usize| self.arrays[*a].param;
        let groups: Vec<&[usize]> = matter.chunk_by(|a, b| param(a) == param(b)).collect();
        let name = |group: &[usize]| self.kernel.params[param(&group[0])].name.clone();
        for &group in &groups {
            let all = [
                Contents::Random,
                Contents::Zeros,
                Contents::Repeated(2),
                Contents::Sparse(3),
                Contents::Descending,
                Contents::Ones,
                Contents::Iota,
            ];
            let are_plain = |c: Contents| group.iter().all(|&a| self.arrays[a].plain == c);
            for contents in all.into_iter().filter(|&c| !are_plain(c)) {
                let rule = Rule::Contents(name(group));
                out.push(self.with(rule, |c| group.iter().for_each(|&a| c.contents[a] = contents)));
            }
            let constants = |&a: &usize| {
                let values = self.arrays[a].compared_with.iter();
                values.map(|&(ty, bits)| (a, ty, bits)).collect::<Vec<_>>()
            };
            for (a, ty, bits) in group.iter().flat_map(constants).take(MOST_CONSTANTS) {
                let mut values = vec![bits];
                if !ty.is_float() {
                    values.push(bits.wrapping_add(1) & ty.mask());
                    values.push(bits.wrapping_sub(1) & ty.mask());
                }
                let values = values.into_iter().map(Contents::Value);
                for contents in values.filter(|&c| c != self.arrays[a].plain) {
                    let rule = Rule::Contents(self.arrays[a].name.clone());
                    out.push(self.with(rule, |c| c.contents[a] = contents));
                }
            }
        }
        // A value that is searched for has to occur, for several threads.
        let sought: Vec<usize> = (0..self.slots.len())
            .filter(|&i| {
                let h = &self.slots[i].hints;
                let bare = !self.slots[i].is_size() && !h.reaches_address && !h.selects;
                h.guards_access && bare && !self.slots[i].ty.is_float()
            })
            .collect();
        if !sought.is_empty() && !matter.is_empty() {
            for (contents, v) in [(Contents::Ones, 1), (Contents::Zeros, 0)] {
                let rule = Rule::Contents(self.arrays[matter[0]].name.clone());
                out.push(self.with(rule, |c| {
                    matter.iter().for_each(|&a| c.contents[a] = contents);
                    sought.iter().for_each(|&i| c.genes[i] = Gene::Int(v));
                }));
            }
        }
        // A partly idle last block, with unusual contents.
        let sizes: Vec<usize> = (0..self.slots.len())
            .filter(|&i| matches!(self.plain_gene(i), Gene::Threads { .. }))
            .collect();
        if !sizes.is_empty() {
            for (&group, contents) in groups
                .iter()
                .flat_map(|g| [Contents::Ones, Contents::Zeros, Contents::Random].map(|c| (g, c)))
            {
                let rule = Rule::Contents(name(group));
                out.push(self.with(rule, |c| {
                    group.iter().for_each(|&a| c.contents[a] = contents);
                    for &i in &sizes {
                        let axis = self.slots[i].axis;
                        c.genes[i] = Gene::Threads { axis, times: 1, plus: -1 };
                    }
                }));
            }
        }
        self.behind_branches(&matter, out);
        self.short_agreement(&matter, out);
        // The contents of several arrays often have to match.
        if matter.len() > 1 {
            for contents in [Contents::Zeros, Contents::Random, Contents::Ones] {
                let rule = Rule::Contents(self.arrays[matter[0]].name.clone());
                out.push(
                    self.with(rule, |c| matter.iter().for_each(|&a| c.contents[a] = contents)),
                );
            }
        }
    }

    /// Elements of one array enable a branch, behind which elements of another lead several threads to one address.
    fn behind_branches(&self, matter: &[usize], out: &mut Vec<Candidate>) {
        let opens = |&a: &usize| {
            let most = if self.arrays[a].member.is_some() { 1 } else { MOST_OPENED };
            let values = self.arrays[a].compared_with.iter().take(most);
            values.map(|&(_, bits)| (a, bits)).collect::<Vec<_>>()
        };
        for (a, bits) in matter.iter().flat_map(opens) {
            let is_index = |&&b: &&usize| b != a && self.arrays[b].is_of_ints();
            let most = if self.arrays[a].member.is_some() { 1 } else { MOST_LED };
            for &b in matter.iter().filter(is_index).take(most) {
                let rule = Rule::Contents(self.arrays[b].name.clone());
                out.push(self.with(rule, |c| {
                    c.contents[a] = Contents::Value(bits);
                    c.contents[b] = Contents::Repeated(2);
                }));
            }
        }
    }

    /// Arrays of which a few elements match, in many places: a short pattern in a long text.
    fn short_agreement(&self, matter: &[usize], out: &mut Vec<Candidate>) {
        let rounds = |&i: &usize| {
            let s = &self.slots[i];
            s.hints.bounds_loop
                && s.ty.is_int()
                && matches!(self.plain_gene(i), Gene::Threads { .. })
        };
        if matter.len() < 2 {
            return;
        }
        for i in (0..self.slots.len()).filter(rounds).take(MOST_LED) {
            let rule = Rule::Contents(self.arrays[matter[0]].name.clone());
            out.push(self.with(rule, |c| {
                matter.iter().for_each(|&a| c.contents[a] = Contents::Zeros);
                c.genes[i] = Gene::Int(A_FEW);
            }));
        }
    }

    /// Two pointers to one array, at least one of which is written. A `const` or `restrict` pointer indicates that the
    /// arrays are different: `const` pointers are only made equal if the user requests it.
    fn alias_seeds(&self, all: bool, out: &mut Vec<Candidate>) {
        let apart = |a: &FreeArray| {
            let param = &self.kernel.params[a.param];
            let readonly = matches!(param.kind, ParamKind::Buffer { readonly: true, .. });
            let image = self.kernel.image(a.param).is_some();
            image || param.is_restrict() || !all && readonly
        };
        // One of the members represents the array.
        let is_first = |&a: &usize| a == 0 || self.arrays[a - 1].param != self.arrays[a].param;
        let name = |a: &FreeArray| self.kernel.params[a.param].name.clone();
        let is_written = |a: &FreeArray| {
            self.hints.params[a.param].array.as_ref().is_some_and(|hints| hints.written)
        };
        let elem = |a: &FreeArray| match self.kernel.params[a.param].kind {
            ParamKind::Buffer { elem, .. } => elem,
            _ => a.elem,
        };
        for first in (0..self.arrays.len()).filter(is_first) {
            for second in (first + 1..self.arrays.len()).filter(is_first) {
                let (a, b) = (&self.arrays[first], &self.arrays[second]);
                let written = is_written(a) || is_written(b);
                if !apart(a) && !apart(b) && elem(a) == elem(b) && written {
                    let rule = Rule::EqualPointers(name(a), name(b));
                    out.push(self.with(rule, |c| c.equal = Some((first, second))));
                }
            }
        }
    }

    fn odd_block_seeds(&self, out: &mut Vec<Candidate>) {
        let free = self.free_block();
        let Some(axis) = (0..3).find(|&a| free[a]) else { return };
        let most = self.hints.most_block[axis].unwrap_or(1024);
        for n in [33, 20, 48, 7, 1] {
            if n <= most {
                out.push(self.with(Rule::OddBlock, |c| c.block[axis] = n));
            }
        }
    }
}

/// The bits of an integer as a signed number.
fn signed(ty: Ty, bits: u64) -> i64 {
    let unused = 64 - ty.bits().min(64);
    ((bits << unused) as i64) >> unused
}
