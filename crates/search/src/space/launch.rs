//! From a candidate to a launch that can be simulated, reported and replayed.
//!
//! Arrays have four elements for each thread, at least 1024; OpenCL's `__local` arrays and dynamic shared memory have
//! four for each thread of a block. These sizes are guesses: an access beyond such an array implies nothing about the
//! kernel, and [`Sizes::grow`] makes the array larger for another try. Sizes given by the host are not guesses
//! ([`crate::space::host_sizes`]).

use std::cell::RefCell;

use lockstep_finding::{
    ArgValue, ArrayContents, ArraySpec, ElementType, Finding, Kind, Launch, Reason,
};
use lockstep_kernel::{Elem, Kernel, Param, ParamKind, Ty};
use lockstep_simulate::{BoundLaunch, Bytes, bind};

use crate::space::candidate::{Candidate, Contents, Gene};
use crate::space::slots::{Part, Slot};
use crate::space::structs;
use crate::space::{Space, is_given};

/// The maximum size to which an array is grown, and that of all arrays of a launch together: the shadow memory of the
/// race checker takes several times as much.
const MAX_BYTES: u64 = 64 << 20;
const MAX_TOTAL: u64 = 128 << 20;
/// Maximum size of an array that may be allocated for every launch.
const MODERATE: u64 = 1 << 20;
/// Maximum number of elements that is guessed before an access has shown more.
const MOST_GUESSED: u64 = 1 << 16;
/// Maximum number of elements of arrays with room for segments that are far apart.
const MOST_SPACED: u64 = 1 << 20;
/// Number of elements that single values may be assigned to.
pub(crate) const MOST_PUT: u64 = 4096;
/// Elements that a pattern is written out for; the rest of the array is zero.
const WRITTEN_OUT: u64 = 256;

/// Cached bytes of arrays: many launches of a search share them.
#[derive(Default)]
pub(crate) struct Shelf {
    made: RefCell<Vec<(String, ArraySpec, Bytes)>>,
}

/// Maximum number of arrays that are cached.
const SHELF: usize = 24;

impl Shelf {
    /// The result of `bind` for the launch, with less work.
    pub(crate) fn bind(&self, kernel: &Kernel, launch: &Launch) -> Result<BoundLaunch, String> {
        bind::bind_with(kernel, launch, &|name, spec| self.bytes(name, spec, launch.seed))
    }

    fn bytes(&self, name: &str, spec: &ArraySpec, seed: u64) -> Result<Bytes, String> {
        // The elements of these contents do not depend on the length.
        use ArrayContents::{Iota, Ones, Random, Zeros};
        let goes_on = |contents: &ArrayContents| matches!(contents, Random | Iota | Ones | Zeros);
        let may_be_cut = match &spec.contents {
            ArrayContents::Structs(all) => all.members.iter().all(|m| goes_on(&m.contents)),
            other => goes_on(other),
        };
        let is_cheap = matches!(spec.contents, Ones | Zeros) && spec.bytes() > MODERATE;
        if !may_be_cut || is_cheap {
            return Ok(spec.to_bytes(name, seed)?.into());
        }
        let mut made = self.made.borrow_mut();
        let same = |(n, s, _): &(String, ArraySpec, Bytes)| {
            n == name
                && s.element == spec.element
                && s.lanes == spec.lanes
                && s.contents == spec.contents
        };
        if let Some(i) = made.iter().position(same) {
            let size = spec.bytes() as usize;
            if let Some(bytes) = made[i].2.first(size) {
                return Ok(bytes);
            }
            made.remove(i);
        }
        let bytes = Bytes::from(spec.to_bytes(name, seed)?);
        if made.len() == SHELF {
            made.remove(0);
        }
        made.push((name.to_owned(), spec.clone(), bytes.clone()));
        Ok(bytes)
    }
}

/// The sizes of arrays in bytes, by parameter, where they exceed the usual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    arrays: Vec<(usize, u64)>,
    shared: Option<u32>,
}

impl Space<'_> {
    pub(crate) fn launch(&self, c: &Candidate, sizes: &Sizes, seed: u64) -> Launch {
        let mut args = Vec::with_capacity(self.kernel.params.len());
        let allocated = self.allocated(c);
        for (i, param) in self.kernel.params.iter().enumerate() {
            let value = match is_given(self.given, i) {
                Some(value) => value.clone(),
                // Its fields contain all that is relevant.
                None if self.is_split(i) => continue,
                None => {
                    let bytes = allocated.iter().find(|(p, _)| *p == i).map(|(_, bytes)| *bytes);
                    self.value(c, i, param, sizes, bytes)
                }
            };
            args.push((param.name.clone(), value));
        }
        let dynamic = self.kernel.objects.iter().find(|o| o.dynamic);
        let usual = || {
            dynamic.map_or(0, |o| clamp_shared(c.block_threads() * 4 * o.elem.size().max(4) as u64))
        };
        let given = self.given.shared.map(|s| s.value).or_else(|| self.shared_by_host(c));
        let shared = given.or(sizes.shared).unwrap_or_else(usual);
        let global = self.given.global;
        Launch { grid: c.grid, block: c.block, global, shared, args, seed }
    }

    /// Whether a struct is only read through fields that are parameters of their own.
    fn is_split(&self, param: usize) -> bool {
        self.hints.params[param].unused && self.kernel.fields_of(param).next().is_some()
    }

    fn value(
        &self,
        c: &Candidate,
        index: usize,
        param: &Param,
        sizes: &Sizes,
        allocated: Option<u64>,
    ) -> ArgValue {
        let slots = || self.slots.iter().enumerate().filter(|(_, s)| s.param == index);
        match param.kind {
            ParamKind::Scalar { .. } => {
                let texts: Vec<String> = slots().map(|(i, _)| self.scalar_text(c, i)).collect();
                ArgValue::Scalar(texts.join(","))
            }
            ParamKind::Aggregate { size, .. } => {
                let mut bytes = vec![0u8; size as usize];
                for (i, slot) in slots() {
                    let Part::Field(at) = slot.part else { continue };
                    let bits = self.bits(c, i).to_le_bytes();
                    let (at, len) = (at as usize, slot.ty.bytes() as usize);
                    if let Some(room) = bytes.get_mut(at..at + len) {
                        room.copy_from_slice(&bits[..len]);
                    }
                }
                let zero = bytes.iter().all(|&b| b == 0);
                let contents = if zero {
                    ArrayContents::Zeros
                } else {
                    ArrayContents::Literal(bytes.iter().map(u8::to_string).collect())
                };
                ArgValue::Array(ArraySpec::new(ElementType::U8, size as u64, contents))
            }
            ParamKind::Buffer { elem, .. } => {
                if let Some((first, second)) = c.equal
                    && self.arrays[second].param == index
                {
                    let target = self.kernel.params[self.arrays[first].param].name.clone();
                    return ArgValue::SameAs { param: target, offset: 0 };
                }
                let free = self.arrays.iter().position(|a| a.param == index);
                let contents = free.map_or(Contents::Zeros, |a| c.contents[a]);
                // A large launch shows early whether this is too little.
                let each = if c.threads() < MOST_GUESSED { 4 } else { 1 };
                let mut length = c.threads().saturating_mul(each).max(1024).max(self.matrix(c));
                let each = c.contents.iter().map(|contents| match *contents {
                    Contents::Spaced => Contents::SPACE,
                    Contents::Scattered(distance) => 3 * distance,
                    Contents::Begins(part) => part,
                    _ => 0,
                });
                let parts = (c.threads() + 1).saturating_mul(each.max().unwrap_or(0));
                length = length.max(parts.min(MOST_SPACED));
                if let Some((rank, unit)) = self.kernel.image(index) {
                    length = length.max(image_bytes(c, rank, unit) / u64::from(elem.size().max(1)));
                }
                let cells = || c.cells.iter().filter(|(p, ..)| *p == index);
                let unit =
                    u64::from(bind::element_type(elem, &param.source_type, true).size() as u32);
                // Never less than the host allocates.
                let allocated = allocated.map(|bytes| bytes.next_multiple_of(unit));
                let bytes = match allocated {
                    Some(bytes) if self.led_by_integers => [bytes; 2],
                    Some(bytes) if bytes <= MODERATE => {
                        [sizes.of(index).max(bytes), self.most_bytes()]
                    }
                    _ => [sizes.of(index), self.most_bytes()],
                };
                let members = free.is_some_and(|a| self.arrays[a].member.is_some());
                if members {
                    let bytes = room(elem, length, bytes);
                    if let Some(structs) = self.structs(c, index, bytes) {
                        return structs;
                    }
                }
                let mut value = array(param, elem, length, bytes, contents);
                if let ArgValue::Array(spec) = &mut value
                    && cells().next().is_some()
                {
                    put(spec, cells().map(|&(_, at, bytes, v)| (at, bytes, v)));
                }
                value
            }
            ParamKind::Local { elem } => {
                let length = c.block_threads() * 4;
                array(param, elem, length, [sizes.of(index), self.most_bytes()], Contents::Zeros)
            }
        }
    }

    /// The maximum size of each array in bytes.
    pub(crate) fn most_bytes(&self) -> u64 {
        let buffers =
            self.kernel.params.iter().filter(|p| matches!(p.kind, ParamKind::Buffer { .. }));
        (MAX_TOTAL / (buffers.count() as u64).max(1)).min(MAX_BYTES)
    }

    /// The number of elements of the largest matrix that sizes and row lengths describe.
    fn matrix(&self, c: &Candidate) -> u64 {
        let values = |f: &dyn Fn(&Slot) -> bool| {
            let slots = (0..self.slots.len()).filter(|&i| f(&self.slots[i]));
            slots.map(|i| c.int(i).clamp(0, 1 << 20) as u64).max().unwrap_or(0)
        };
        let row = values(&|s| s.hints.multiplies_index);
        let rows =
            values(&|s| s.is_size()).max((0..3).map(|a| c.along(a)).max().unwrap_or(1) as u64);
        (row * rows).min(MOST_GUESSED)
    }

    fn scalar_text(&self, c: &Candidate, slot: usize) -> String {
        match c.genes[slot] {
            Gene::Float(v) => format!("{v:?}"),
            _ => self.clamp(slot, c.int(slot)).to_string(),
        }
    }

    fn bits(&self, c: &Candidate, slot: usize) -> u64 {
        let ty = self.slots[slot].ty;
        match (c.genes[slot], ty) {
            (Gene::Float(v), Ty::F32) => (v as f32).to_bits() as u64,
            (Gene::Float(v), Ty::F64) => v.to_bits(),
            // One, in half precision: other values are not converted.
            (Gene::Float(_), _) => 0x3c00,
            _ => self.clamp(slot, c.int(slot)) as u64 & ty.mask(),
        }
    }

    /// Why an out-of-bounds finding may only show that a guess was wrong.
    pub(crate) fn explains(&self, finding: &Finding, c: &Candidate) -> Option<Reason> {
        if finding.kind != Kind::OutOfBounds || self.is_beyond_the_hosts(finding, c) {
            return None;
        }
        let chose = |name: &str| {
            let of_name = self.kernel.params.iter().position(|p| p.name == name);
            of_name.is_some_and(|i| is_given(self.given, i).is_none())
        };
        let Some((memory, object)) =
            finding.memory.as_ref().and_then(|m| Some((m, m.object.as_ref()?)))
        else {
            // An address outside of all memory: it may result from a value that Lockstep chose.
            let mut params = self.kernel.params.iter().enumerate();
            let (_, made) = params
                .find(|&(i, p)| may_hold_pointer(p) && !self.is_split(i) && chose(&p.name))?;
            return Some(Reason::ChosenValue { parameter: made.name.clone() });
        };
        // Before its start, no size would help.
        let before = memory.bytes.is_some_and(|[from, _]| from < 0);
        let ours = chose(object) || is_dynamic(self.kernel, object) && self.chose_shared(c);
        (ours && !before).then(|| Reason::ChosenSize { array: object.clone() })
    }

    /// Whether the size of dynamic shared memory is one that Lockstep chose.
    fn chose_shared(&self, c: &Candidate) -> bool {
        self.given.shared.is_none() && self.shared_by_host(c).is_none()
    }

    /// Whether any value that steers the threads was chosen: an argument other than an array, or an array's contents.
    pub(crate) fn chose_values(&self) -> bool {
        let scalar = |(i, p): (usize, &Param)| {
            matches!(p.kind, ParamKind::Scalar { .. } | ParamKind::Aggregate { .. })
                && !self.is_split(i)
                && is_given(self.given, i).is_none()
        };
        self.kernel.params.iter().enumerate().any(scalar)
            || self.arrays.iter().any(|a| a.matters || a.reaches_private)
    }
}

impl Sizes {
    fn of(&self, param: usize) -> u64 {
        self.arrays.iter().find(|(p, _)| *p == param).map_or(0, |(_, b)| *b)
    }

    /// Enlarges the arrays that the findings overflowed; false if none can grow.
    ///
    /// An array that already has its maximum size, and is still too small, is left alone.
    pub(crate) fn grow(
        &mut self,
        space: &Space,
        candidate: &Candidate,
        launch: &Launch,
        findings: &[Finding],
        vain: &mut Vec<String>,
    ) -> bool {
        let mut grew = false;
        for finding in findings.iter().filter(|f| space.explains(f, candidate).is_some()) {
            let Some(memory) = &finding.memory else { continue };
            let Some(object) = &memory.object else { continue };
            if vain.contains(object) {
                continue;
            }
            // An address this far out results from a value that Lockstep chose: in other launches the array may be
            // grown.
            if memory.bytes.is_some_and(|[from, _]| from as u64 > 1 << 30) {
                continue;
            }
            if self.is_largest(space, object) {
                vain.push(object.clone());
                continue;
            }
            let end = memory.bytes.map_or(0, |[_, end]| end.max(0) as u64);
            grew |= self.grow_one(space, launch, object, end);
        }
        grew
    }

    /// Without sizes that are too large to be allocated for every launch.
    pub(crate) fn moderate(&self) -> Sizes {
        let arrays = self.arrays.iter().filter(|(_, b)| *b <= MODERATE).copied().collect();
        Sizes { arrays, shared: self.shared }
    }

    fn is_largest(&self, space: &Space, object: &str) -> bool {
        let param = space.kernel.params.iter().position(|p| p.name == object);
        let element = 16;
        param.is_some_and(|p| self.of(p) + element >= space.most_bytes())
    }

    fn grow_one(&mut self, space: &Space, launch: &Launch, object: &str, end: u64) -> bool {
        if is_dynamic(space.kernel, object) && space.given.shared.is_none() {
            let new = clamp_shared(next_size(launch.shared as u64, end));
            self.shared = Some(new);
            return new > launch.shared;
        }
        let Some(param) = space.kernel.params.iter().position(|p| p.name == object) else {
            return false;
        };
        // A struct whose fields are parameters of their own has no argument, so arguments are not indexed like
        // parameters.
        let arg = launch.args.iter().find(|(name, _)| name == object);
        let Some((_, ArgValue::Array(spec))) = arg else { return false };
        let element = spec.element.size() as u64;
        let new = next_size(spec.bytes(), end).min(space.most_bytes()) / element * element;
        self.arrays.retain(|(p, _)| *p != param);
        self.arrays.push((param, new));
        new > spec.bytes()
    }
}

/// Bytes of a square or a cube with a texel for each thread along the longest axis.
fn image_bytes(c: &Candidate, rank: u8, unit: u32) -> u64 {
    let longest = (0..3).map(|a| c.along(a)).max().unwrap_or(1).max(1) as u64;
    // The first coordinate of a surface counts bytes, mostly of words.
    let (side, texel) =
        if unit == 1 { (longest.max(4) * 4, 1) } else { (longest, u64::from(unit)) };
    side.saturating_pow(u32::from(rank)).saturating_mul(texel)
}

/// Grows in large steps: a finding shows the first out-of-bounds access, not the farthest.
fn next_size(bytes: u64, end: u64) -> u64 {
    (bytes * 8).max(end.min(MAX_BYTES).next_power_of_two())
}

/// More than any device has, but a guess should not stop at its limit.
fn clamp_shared(bytes: u64) -> u32 {
    bytes.min(1 << 20) as u32
}

fn is_dynamic(kernel: &Kernel, object: &str) -> bool {
    kernel.objects.iter().any(|o| o.dynamic && o.name == object)
}

fn may_hold_pointer(param: &Param) -> bool {
    match param.kind {
        ParamKind::Scalar { ty, .. } => matches!(ty, Ty::Ptr | Ty::I64),
        ParamKind::Buffer { elem, .. } => {
            matches!(elem, Elem::Bytes(_) | Elem::Scalar(Ty::Ptr | Ty::I64))
        }
        ParamKind::Local { .. } => false,
        ParamKind::Aggregate { .. } => true,
    }
}

/// The size in bytes of this many elements, clamped to the given limits.
fn room(elem: Elem, elements: u64, [least, most]: [u64; 2]) -> u64 {
    elements.saturating_mul(elem.size().max(1) as u64).max(least).min(most)
}

/// An array of this many elements, with its size in bytes clamped to the given limits.
fn array(
    param: &Param,
    elem: Elem,
    elements: u64,
    bytes: [u64; 2],
    contents: Contents,
) -> ArgValue {
    let element = bind::element_type(elem, &param.source_type, true);
    let length = room(elem, elements, bytes) / element.size() as u64;
    let contents = match contents {
        Contents::Words => structs::words(elem.size()),
        _ => self::contents(element, length, contents),
    };
    ArgValue::Array(ArraySpec::new(element, length, contents))
}

/// The contents of an array of this many elements.
pub(crate) fn contents(element: ElementType, length: u64, contents: Contents) -> ArrayContents {
    let written_out = |most: u64, f: &dyn Fn(u64) -> u64| {
        let values = (0..length.min(most)).map(|i| element_text(element, f(i)));
        ArrayContents::Literal(values.collect())
    };
    let pattern = |f: &dyn Fn(u64) -> u64| written_out(WRITTEN_OUT, f);
    match contents {
        Contents::Zeros => ArrayContents::Zeros,
        Contents::Ones => ArrayContents::Ones,
        Contents::First => ArrayContents::Literal(vec!["1".into(), "0".into()]),
        Contents::Iota => ArrayContents::Iota,
        Contents::Random => ArrayContents::Random,
        Contents::Value(bits) => {
            ArrayContents::Literal(vec![element.value_text(&bits.to_le_bytes())])
        }
        Contents::Sparse(n) => pattern(&|i| u64::from(i % n.max(1) as u64 != 0)),
        Contents::Repeated(n) => pattern(&|i| i / n.max(1) as u64),
        Contents::Coins => pattern(&coin),
        Contents::Descending => pattern(&|i| length.min(WRITTEN_OUT) - i),
        Contents::Spaced => written_out(MOST_GUESSED, &|i| i * Contents::SPACE),
        Contents::Scattered(distance) => {
            written_out(MOST_GUESSED, &|i| 2 * i * distance + mixed(i) % distance)
        }
        Contents::Begins(part) => written_out(MOST_GUESSED, &|i| i * part),
        Contents::Ends(part) => written_out(MOST_GUESSED, &|i| (i + 1) * part),
        Contents::Runs => written_out(MOST_GUESSED, &|i| i / Contents::RUN),
        Contents::Swapped => written_out(MOST_GUESSED, &|i| i ^ 1),
        Contents::Below(n) => written_out(MOST_GUESSED, &|i| i % n.max(1)),
        // Only used for whole structs.
        Contents::Words => ArrayContents::Zeros,
    }
}

/// A pseudo-random bit, derived from a number.
fn coin(i: u64) -> u64 {
    mixed(i) >> 63
}

fn mixed(i: u64) -> u64 {
    let mixed = (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

/// The array with these values at these byte offsets, and zeros elsewhere. Values that are too far out, or not a whole
/// element, are left out.
fn put(spec: &mut ArraySpec, cells: impl Iterator<Item = (u64, u32, u64)>) {
    let size = spec.element.size() as u64;
    let cells: Vec<(usize, u64)> = cells
        .filter(|&(at, bytes, _)| at % size == 0 && u64::from(bytes) == size)
        .map(|(at, _, v)| ((at / size) as usize, v))
        .filter(|&(i, _)| (i as u64) < spec.length.min(MOST_PUT))
        .collect();
    let Some(last) = cells.iter().map(|c| c.0).max() else { return };
    let mut texts = vec!["0".to_owned(); (last + 1).max(2)];
    for (i, v) in cells {
        texts[i] = spec.element.value_text(&v.to_le_bytes());
    }
    texts.truncate(spec.length as usize);
    spec.contents = ArrayContents::Literal(texts);
}

/// A small whole number as an element of its type; narrow types wrap.
fn element_text(element: ElementType, v: u64) -> String {
    if element.is_float() || element.size() > 1 { v.to_string() } else { (v & 0x7f).to_string() }
}
