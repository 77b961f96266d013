//! Terms: a hash-consed graph of bit-vector expressions of the program's own widths.
//!
//! Every register of a kernel becomes a term over the thread's and block's indices, the launch's dimensions,
//! parameters, iteration counters and uninterpreted functions (loads, and operations that are not modelled). Equal
//! terms have equal numbers, so that equal computations of two threads are recognised without a solver.
//!
//! Each term has an unsigned and a signed interval. Intervals are derived from the structure alone (a variable's are
//! given when it is created), never from a path, so they hold wherever the term is used.
//!
//! Sums have a normal form ([`Node::Lin`]): a constant and atoms with coefficients, modulo the width. All arithmetic
//! wraps exactly as in [`lockstep_kernel::semantics`]; [`crate::term::simplify`] has the constructors, and uses wider
//! arithmetic only where the intervals show that nothing overflows.

pub(crate) mod compare;
pub(crate) mod rewrites;
pub(crate) mod simplify;
pub(crate) mod walk;
pub(crate) mod widths;

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// A term: an index into its [`Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct T(pub(crate) u32);

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VarId(pub(crate) u32);

/// An uninterpreted function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FnId(pub(crate) u32);

/// Operations on two operands of one width. Edge cases of shifts and divisions are as in `semantics.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Bin {
    Mul,
    UDiv,
    URem,
    SDiv,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    /// Comparisons: the result is of width 1.
    Eq,
    Ult,
    Slt,
}

impl Bin {
    pub(crate) fn compares(self) -> bool {
        matches!(self, Bin::Eq | Bin::Ult | Bin::Slt)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node<R = T> {
    Const(u64),
    Var(VarId),
    App(FnId, Box<[R]>),
    /// A constant plus atoms with non-zero coefficients, in order of atoms; none of the atoms is a sum or a constant.
    Lin(u64, Box<[(R, u64)]>),
    Bin(Bin, R, R),
    Ite(R, R, R),
    ZExt(R),
    SExt(R),
    Trunc(R),
}

/// The range of values of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) ulo: u64,
    pub(crate) uhi: u64,
    pub(crate) slo: i64,
    pub(crate) shi: i64,
}

pub(crate) fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

pub(crate) fn sign_extend(value: u64, width: u32) -> i64 {
    let shift = 64 - width;
    ((value << shift) as i64) >> shift
}

pub(crate) fn smin(width: u32) -> i64 {
    i64::MIN >> (64 - width)
}

pub(crate) fn smax(width: u32) -> i64 {
    i64::MAX >> (64 - width)
}

/// The greatest common divisor, never negative.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// Bits that a value up to `max` needs, at least one.
pub(crate) fn bits_for(max: u64) -> u32 {
    (64 - max.leading_zeros()).max(1)
}

impl Range {
    pub(crate) fn full(width: u32) -> Range {
        Range { ulo: 0, uhi: mask(width), slo: smin(width), shi: smax(width) }
    }

    pub(crate) fn unsigned(lo: u64, hi: u64, width: u32) -> Range {
        let mut r = Range { ulo: lo, uhi: hi.min(mask(width)), slo: smin(width), shi: smax(width) };
        if r.uhi <= smax(width) as u64 {
            r.slo = r.ulo as i64;
            r.shi = r.uhi as i64;
        } else if r.ulo > smax(width) as u64 {
            r.slo = sign_extend(r.ulo, width);
            r.shi = sign_extend(r.uhi, width);
        }
        r
    }

    pub(crate) fn signed(lo: i64, hi: i64, width: u32) -> Range {
        let (lo, hi) = (lo.max(smin(width)), hi.min(smax(width)));
        let mut r = Range { ulo: 0, uhi: mask(width), slo: lo, shi: hi };
        if lo >= 0 {
            r.ulo = lo as u64;
            r.uhi = hi as u64;
        } else if hi < 0 {
            r.ulo = lo as u64 & mask(width);
            r.uhi = hi as u64 & mask(width);
        }
        r
    }

    pub(crate) fn meet(self, o: Range) -> Range {
        let r = Range {
            ulo: self.ulo.max(o.ulo),
            uhi: self.uhi.min(o.uhi),
            slo: self.slo.max(o.slo),
            shi: self.shi.min(o.shi),
        };
        // An empty intersection means that the place cannot be reached; keep one side, which is always sound.
        if r.ulo > r.uhi || r.slo > r.shi { self } else { r }
    }

    fn join(self, o: Range) -> Range {
        Range {
            ulo: self.ulo.min(o.ulo),
            uhi: self.uhi.max(o.uhi),
            slo: self.slo.min(o.slo),
            shi: self.shi.max(o.shi),
        }
    }

    pub(crate) fn nonneg(self) -> bool {
        self.slo >= 0
    }

    /// Unsigned where that is the tighter reading, signed otherwise: either is the value modulo its width.
    pub(crate) fn as_integer(self) -> (i128, i128) {
        if self.reads_signed() {
            (i128::from(self.slo), i128::from(self.shi))
        } else {
            (i128::from(self.ulo), i128::from(self.uhi))
        }
    }

    pub(crate) fn reads_signed(self) -> bool {
        let signed = i128::from(self.shi) - i128::from(self.slo);
        signed <= i128::from(self.uhi) - i128::from(self.ulo) && self.slo < 0
    }
}

struct Entry {
    node: Node,
    width: u8,
    range: Range,
}

/// A change of width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Width {
    Zero,
    Sign,
    Cut,
}

/// All terms of one kernel.
#[derive(Default)]
pub(crate) struct Pool {
    entries: Vec<Entry>,
    index: FxHashMap<(Node, u8), T>,
    /// Cache of width changes, so that one pushed down a shared graph is made once for each node.
    pub(crate) widths: FxHashMap<(T, Width, u8), T>,
    pub(crate) width_depth: u32,
    var_count: u32,
    /// Recorded rewrites of constructors, if they are recorded.
    rewrites: Option<Box<rewrites::Rewrites>>,
}

impl Pool {
    /// The number of terms: all smaller numbers are terms.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn node(&self, t: T) -> &Node {
        &self.entries[t.0 as usize].node
    }

    pub(crate) fn width(&self, t: T) -> u32 {
        u32::from(self.entries[t.0 as usize].width)
    }

    pub(crate) fn range(&self, t: T) -> Range {
        self.entries[t.0 as usize].range
    }

    /// Whether a term's known interval is tighter than its structure shows.
    pub(crate) fn is_refined(&self, t: T) -> bool {
        let entry = &self.entries[t.0 as usize];
        entry.range != self.compute_range(&entry.node, u32::from(entry.width))
    }

    /// Narrows the interval of a term. The caller has shown that it holds wherever the term is used.
    pub(crate) fn refine(&mut self, t: T, range: Range) {
        let entry = &mut self.entries[t.0 as usize];
        entry.range = entry.range.meet(range);
    }

    pub(crate) fn constant(&mut self, value: u64, width: u32) -> T {
        self.intern(Node::Const(value & mask(width)), width)
    }

    pub(crate) fn truth(&mut self, value: bool) -> T {
        self.constant(u64::from(value), 1)
    }

    pub(crate) fn as_const(&self, t: T) -> Option<u64> {
        match self.node(t) {
            Node::Const(c) => Some(*c),
            _ => None,
        }
    }

    pub(crate) fn is_true(&self, t: T) -> bool {
        self.width(t) == 1 && self.as_const(t) == Some(1)
    }

    pub(crate) fn is_false(&self, t: T) -> bool {
        self.width(t) == 1 && self.as_const(t) == Some(0)
    }

    /// A new variable with values up to `max`, as a term of `width` bits: the variable itself has only the bits that it
    /// needs, which keeps the solver's formulas small.
    pub(crate) fn var(&mut self, max: u64, width: u32) -> (VarId, T) {
        let id = VarId(self.var_count);
        self.var_count += 1;
        let own = bits_for(max).min(width);
        let raw = self.intern(Node::Var(id), own);
        self.refine(raw, Range::unsigned(0, max, own));
        let t = if own == width { raw } else { self.intern(Node::ZExt(raw), width) };
        (id, t)
    }

    pub(crate) fn app(&mut self, f: FnId, args: &[T], width: u32) -> T {
        self.intern(Node::App(f, args.into()), width)
    }

    pub(crate) fn intern(&mut self, node: Node, width: u32) -> T {
        crate::meter::term();
        let key = (node, width as u8);
        if let Some(&t) = self.index.get(&key) {
            return t;
        }
        let range = self.compute_range(&key.0, width);
        let t = T(self.entries.len() as u32);
        self.entries.push(Entry { node: key.0.clone(), width: width as u8, range });
        self.index.insert(key, t);
        t
    }

    fn compute_range(&self, node: &Node, width: u32) -> Range {
        range_of(node, width, |t| self.range(t))
    }

    /// The interval of a sum over the integers: coefficients signed, atoms as [`Pool::atom_interval`] reads them.
    pub(crate) fn lin_interval(&self, c: u64, terms: &[(T, u64)], width: u32) -> (i128, i128) {
        sum_interval(c, terms, width, |t| self.range(t))
    }

    /// The value of an atom as an integer: unsigned where that is the tighter reading, signed otherwise. Either
    /// reading is the atom's value modulo its width.
    pub(crate) fn atom_interval(&self, atom: T) -> (i128, i128) {
        self.range(atom).as_integer()
    }

    pub(crate) fn reads_signed(&self, atom: T) -> bool {
        self.range(atom).reads_signed()
    }
}

/// The interval of a node, from those of its operands.
pub(crate) fn range_of<R: Copy>(
    node: &Node<R>,
    width: u32,
    of: impl Fn(R) -> Range + Copy,
) -> Range {
    let full = Range::full(width);
    match node {
        Node::Const(c) => {
            Range { ulo: *c, uhi: *c, slo: sign_extend(*c, width), shi: sign_extend(*c, width) }
        }
        Node::Var(_) | Node::App(..) => full,
        Node::Lin(c, terms) => {
            let (lo, hi) = sum_interval(*c, terms, width, of);
            interval_range(lo, hi, width)
        }
        Node::Ite(_, a, b) => of(*a).join(of(*b)),
        Node::ZExt(a) => {
            let r = of(*a);
            Range::unsigned(r.ulo, r.uhi, width)
        }
        Node::SExt(a) => {
            let r = of(*a);
            Range::signed(r.slo, r.shi, width)
        }
        Node::Trunc(a) => {
            let r = of(*a);
            let mut out = full;
            if r.uhi <= mask(width) {
                out = out.meet(Range::unsigned(r.ulo, r.uhi, width));
            }
            if r.slo >= smin(width) && r.shi <= smax(width) {
                out = out.meet(Range::signed(r.slo, r.shi, width));
            }
            out
        }
        Node::Bin(op, a, b) => bin_range(*op, of(*a), of(*b), width),
    }
}

fn bin_range(op: Bin, ra: Range, rb: Range, width: u32) -> Range {
    let full = Range::full(width);
    let unsigned = |lo: u64, hi: u64| Range::unsigned(lo, hi, width);
    match op {
        Bin::Mul => {
            let high = u128::from(ra.uhi) * u128::from(rb.uhi);
            if high <= u128::from(mask(width)) {
                return unsigned(ra.ulo * rb.ulo, high as u64);
            }
            let products = [
                i128::from(ra.slo) * i128::from(rb.slo),
                i128::from(ra.slo) * i128::from(rb.shi),
                i128::from(ra.shi) * i128::from(rb.slo),
                i128::from(ra.shi) * i128::from(rb.shi),
            ];
            let lo = products.iter().copied().min().unwrap_or(0);
            let hi = products.iter().copied().max().unwrap_or(0);
            if lo >= i128::from(smin(width)) && hi <= i128::from(smax(width)) {
                Range::signed(lo as i64, hi as i64, width)
            } else {
                full
            }
        }
        Bin::UDiv if rb.ulo > 0 => unsigned(ra.ulo / rb.uhi, ra.uhi / rb.ulo),
        Bin::URem if rb.ulo > 0 => unsigned(0, ra.uhi.min(rb.uhi - 1)),
        Bin::URem => unsigned(0, ra.uhi),
        Bin::SDiv if rb.slo > 0 => {
            let lo = if ra.slo >= 0 { ra.slo / rb.shi } else { ra.slo / rb.slo };
            let hi = if ra.shi >= 0 { ra.shi / rb.slo } else { ra.shi / rb.shi };
            Range::signed(lo, hi, width)
        }
        Bin::SRem if rb.slo > 0 => Range::signed(
            if ra.slo >= 0 { 0 } else { ra.slo.max(1 - rb.shi) },
            if ra.shi <= 0 { 0 } else { ra.shi.min(rb.shi - 1) },
            width,
        ),
        // At most the dividend, whatever the divisor.
        Bin::SRem if ra.slo >= 0 => Range::signed(0, ra.shi, width),
        Bin::And => unsigned(0, ra.uhi.min(rb.uhi)),
        Bin::Or => unsigned(ra.ulo.max(rb.ulo), mask(bits_for(ra.uhi | rb.uhi))),
        Bin::Xor => unsigned(0, mask(bits_for(ra.uhi | rb.uhi))),
        Bin::LShr => {
            let lo = if rb.uhi >= u64::from(width) { 0 } else { ra.ulo >> rb.uhi };
            let hi = if rb.ulo >= u64::from(width) { 0 } else { ra.uhi >> rb.ulo };
            unsigned(lo, hi)
        }
        Bin::AShr if ra.slo >= 0 => {
            let hi = if rb.ulo >= u64::from(width) { 0 } else { ra.uhi >> rb.ulo };
            unsigned(0, hi)
        }
        Bin::AShr => Range::signed(ra.slo, ra.shi.max(0), width),
        Bin::Shl if rb.uhi < u64::from(width) => {
            let high = u128::from(ra.uhi) << rb.uhi;
            if high <= u128::from(mask(width)) {
                unsigned(ra.ulo << rb.ulo, high as u64)
            } else {
                full
            }
        }
        _ => full,
    }
}

/// The interval of a sum over the integers, from those of its atoms.
pub(crate) fn sum_interval<R: Copy>(
    c: u64,
    terms: &[(R, u64)],
    width: u32,
    of: impl Fn(R) -> Range,
) -> (i128, i128) {
    let mut lo = i128::from(sign_extend(c, width));
    let mut hi = lo;
    for &(atom, coefficient) in terms {
        let k = i128::from(sign_extend(coefficient, width));
        let (alo, ahi) = of(atom).as_integer();
        lo += if k >= 0 { k * alo } else { k * ahi };
        hi += if k >= 0 { k * ahi } else { k * alo };
    }
    (lo, hi)
}

fn interval_range(lo: i128, hi: i128, width: u32) -> Range {
    let mut out = Range::full(width);
    if lo >= 0 && hi <= i128::from(mask(width)) {
        out = out.meet(Range::unsigned(lo as u64, hi as u64, width));
    }
    if lo >= i128::from(smin(width)) && hi <= i128::from(smax(width)) {
        out = out.meet(Range::signed(lo as i64, hi as i64, width));
    }
    out
}
