//! Arrays of structs: the contents of each member.
//!
//! The kernel uses a member of the structs in an array like an array of its own: `p[i].cell` and `cell[i]` are used
//! alike. So each member that the kernel reads is an array of the space, with contents, and the rules for arrays of
//! indices, bounds and compared elements apply to members as well. Only in the launch are they combined into one array
//! of bytes.
//!
//! What it can miss: structs that are copied through memory before their members are read; arrays whose reads are not
//! all of known members. Such arrays are all zeros.

use lockstep_finding::launch::{Member as Part, Members};
use lockstep_finding::{ArgValue, ArrayContents, ArraySpec, ElementType};
use lockstep_kernel::hints::{Hints, MemberHints};
use lockstep_kernel::{Elem, Kernel, ParamKind, SiteId};
use lockstep_simulate::bind;

use crate::space::Space;
use crate::space::arrays::FreeArray;
use crate::space::candidate::Candidate;
use crate::space::initial_contents::synchronising;
use crate::space::launch;

/// Maximum number of members that are distinguished.
const MOST_MEMBERS: usize = 48;
/// Maximum number of elements of a member that is an array with gaps.
const MOST_PARTS: u32 = 16;

/// The position of a member in its struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) offset: u32,
    /// The number of elements, if it is an array, and the stride in bytes.
    count: u32,
    step: u32,
}

impl Member {
    /// The first byte that it covers, and the byte after the last.
    fn range(&self, element: ElementType) -> (usize, usize) {
        let from = self.offset as usize;
        (from, from + (self.count - 1) as usize * self.step as usize + element.size())
    }
}

/// Whether a parameter is an array of structs whose members the launch does not name.
pub(crate) fn is_struct(kernel: &Kernel, param: usize) -> bool {
    let p = &kernel.params[param];
    match p.kind {
        ParamKind::Buffer { elem: elem @ Elem::Bytes(n), .. } => {
            n > 1 && bind::element_type(elem, &p.source_type, true) == ElementType::U8
        }
        _ => false,
    }
}

/// The members of an array of structs, as arrays; empty where they are not known. If threads synchronise through the
/// array, and it is not known through which member, it is left alone.
pub(crate) fn members(kernel: &Kernel, hints: &Hints, param: usize) -> Vec<FreeArray> {
    let Some(array) = hints.params[param].array.as_ref() else { return Vec::new() };
    let flags = synchronising(kernel, &kernel.params[param].name);
    let is_known = |s: &SiteId| hints.member_at[s.0 as usize].is_some();
    if !is_struct(kernel, param)
        || array.members.len() > MOST_MEMBERS
        || !flags.iter().all(is_known)
    {
        return Vec::new();
    }
    let member = |m: &MemberHints| {
        let place = Some((param, m.offset));
        let of_it = |s: &SiteId| hints.member_at[s.0 as usize] == place;
        // Named like memory in findings.
        let name = format!("{} (byte {})", kernel.params[param].name, m.offset);
        let elem = Elem::Scalar(m.ty);
        let sites: Vec<SiteId> = flags.iter().copied().filter(of_it).collect();
        FreeArray {
            member: Some(Member { offset: m.offset, count: m.count, step: m.step }),
            ..FreeArray::new(kernel, (param, name), elem, &m.array, &sites)
        }
    };
    array.members.iter().map(member).collect()
}

impl Space<'_> {
    /// The structs of an array whose members each have contents, in an array of this many bytes.
    pub(crate) fn structs(&self, c: &Candidate, param: usize, bytes: u64) -> Option<ArgValue> {
        let ParamKind::Buffer { elem: Elem::Bytes(size), .. } = self.kernel.params[param].kind
        else {
            return None;
        };
        let mut members = Vec::new();
        let mut covered = vec![false; size as usize];
        let of_it = |(array, _): &(&FreeArray, _)| array.param == param;
        for (array, &contents) in self.arrays.iter().zip(&c.contents).filter(of_it) {
            let member = array.member?;
            let element = array.element;
            let (from, to) = member.range(element);
            covered[from..to].fill(true);
            let (parts, count) = match member.step as usize == element.size() {
                true => (1, member.count),
                false => (member.count.min(MOST_PARTS), 1),
            };
            let length = bytes / u64::from(size) * u64::from(count);
            let cells = c.cells.iter().filter(|(p, ..)| *p == param);
            let contents = match cells_of(size, member, element, cells) {
                Some(values) => ArrayContents::Literal(values),
                None => launch::contents(element, length, contents),
            };
            for k in (0..parts).filter(|_| contents != ArrayContents::Zeros) {
                let offset = member.offset + k * member.step;
                members.push(Part { element, count, offset, contents: contents.clone() });
            }
        }
        let is_copied = self.hints.params[param].array.as_ref().is_some_and(|a| a.copied);
        if is_copied && !members.is_empty() {
            members.extend(rest(&covered));
        }
        members.sort_by_key(|m| m.offset);
        let contents = match members.is_empty() {
            true => ArrayContents::Zeros,
            false => ArrayContents::Structs(Members { size, members }),
        };
        Some(ArgValue::Array(ArraySpec::new(ElementType::U8, bytes, contents)))
    }
}

/// Structs whose 4-byte words count up, across structs as well.
pub(crate) fn words(size: u32) -> ArrayContents {
    let members = rest(&vec![false; size as usize]).collect();
    ArrayContents::Structs(Members { size, members })
}

/// The bytes that are only copied, with words that distinguish one struct from another.
fn rest(covered: &[bool]) -> impl Iterator<Item = Part> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for (i, word) in covered.chunks_exact(4).enumerate() {
        match runs.last_mut() {
            _ if word.contains(&true) => {}
            Some((from, count)) if *from + *count == i as u32 => *count += 1,
            _ => runs.push((i as u32, 1)),
        }
    }
    runs.into_iter().map(|(from, count)| Part {
        element: ElementType::I32,
        count,
        offset: from * 4,
        contents: ArrayContents::Iota,
    })
}

/// The elements of a member with fixed values, and zeros before them; `None` if there are none.
fn cells_of<'c>(
    size: u32,
    member: Member,
    element: ElementType,
    cells: impl Iterator<Item = &'c (usize, u64, u32, u64)>,
) -> Option<Vec<String>> {
    let is_of_it = |&&(_, at, bytes, _): &&(usize, u64, u32, u64)| {
        at % u64::from(size) == u64::from(member.offset) && bytes as usize == element.size()
    };
    let values: Vec<(usize, u64)> = cells
        .filter(is_of_it)
        .map(|&(_, at, _, v)| ((at / u64::from(size)) as usize, v))
        .filter(|&(i, _)| i < launch::MOST_PUT as usize)
        .collect();
    let last = values.iter().map(|v| v.0).max().filter(|_| member.count == 1)?;
    let mut texts = vec!["0".to_owned(); (last + 1).max(2)];
    for (i, v) in values {
        texts[i] = element.value_text(&v.to_le_bytes());
    }
    Some(texts)
}
