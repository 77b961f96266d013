//! The memory of a symbolic execution: objects of bytes that hold terms.
//!
//! An object is a row of cells of one size as long as every access to it has that size, and a map of bytes from the first one
//! that has not; a byte then knows which byte of which term it is, so that what was written whole is read back whole. What
//! nobody has written is what the launch gives: constants, elements of an input, or values that nobody knows.

pub(crate) mod places;
pub(crate) mod records;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use lockstep_kernel::{CastOp, IntOp, Space, Ty};

use crate::term::{Node, Pool, T, Undefined, walk};
use places::Places;
use records::{Class, Records};

/// What an object holds before the launch.
#[derive(Clone, Debug)]
pub(crate) enum Init {
    /// These bytes; zeros follow.
    Bytes(Arc<Vec<u8>>),
    /// Elements of an input.
    Input {
        input: u32,
        ty: Ty,
    },
    Undefined,
    /// What the host has put there, which may be anything.
    Unknown,
}

/// Who wrote a cell last: a number that the execution knows; 0 for nobody.
pub(crate) type Writer = u32;

#[derive(Clone)]
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) size: u64,
    pub(crate) init: Init,
    /// The thread that a private object is of.
    pub(crate) owner: Option<u32>,
    /// Addresses in it, with their offsets, of objects that it was made with.
    pub(crate) addresses: Vec<(u64, T)>,
    /// The host may have released it: no access is allowed.
    pub(crate) released: bool,
    cells: Cells,
    pub(crate) records: Records,
    /// Its size is not known: it has room for every access.
    pub(crate) unbounded: bool,
    /// Somebody has written to it, or may have.
    pub(crate) is_written: bool,
    pub(crate) is_read: bool,
    /// What it holds is not followed any more: it may be anything.
    pub(crate) smeared: bool,
    /// The class of the atomics on it, as long as there is one only.
    pub(crate) atomics: Option<Class>,
    /// Accesses at places that depend on data.
    pub(crate) places: Places,
}

/// The size of an object whose size is not known.
pub(crate) const UNBOUNDED: u64 = 1 << 46;
/// Cells beyond which an object is one of bytes.
const MOST_CELLS: u64 = 1 << 22;

#[derive(Clone, Copy)]
struct Cell {
    value: Option<T>,
    writer: Writer,
}

/// A byte of a term.
#[derive(Clone, Copy)]
struct Piece {
    of: T,
    byte: u8,
    writer: Writer,
}

#[derive(Clone)]
enum Cells {
    Untouched,
    Row { size: u64, cells: Vec<Cell> },
    Bytes(FxHashMap<u64, Piece>),
}

impl Object {
    pub(crate) fn new(name: &str, space: Space, size: u64, init: Init) -> Object {
        Object {
            name: name.to_owned(),
            space,
            size,
            init,
            owner: None,
            addresses: Vec::new(),
            released: false,
            cells: Cells::Untouched,
            records: Records::default(),
            unbounded: false,
            is_written: false,
            is_read: false,
            smeared: false,
            atomics: None,
            places: Places::default(),
        }
    }

    /// Forgets its size.
    pub(crate) fn unbound(&mut self) {
        (self.unbounded, self.size) = (true, UNBOUNDED);
    }

    /// From here on it may hold anything.
    pub(crate) fn smear(&mut self) {
        (self.smeared, self.is_written) = (true, true);
        self.cells = Cells::Untouched;
    }

    /// Why its values are not known, where they are not.
    pub(crate) fn unknown(&self) -> Undefined {
        match self.init {
            Init::Undefined => Undefined::Uninitialised,
            _ => Undefined::Unfollowed,
        }
    }

    /// What it holds, as another object that no launch has touched: a copy, or the same memory for the next launch.
    pub(crate) fn copied(&self, name: &str) -> Object {
        let Object { space, size, owner, .. } = *self;
        Object {
            name: name.to_owned(),
            space,
            size,
            init: self.init.clone(),
            owner,
            addresses: self.addresses.clone(),
            released: false,
            cells: self.cells.clone(),
            records: Records::default(),
            unbounded: self.unbounded,
            is_written: self.is_written,
            is_read: false,
            smeared: self.smeared,
            atomics: None,
            places: Places::default(),
        }
    }

    /// Whether both hold the same where nobody has written.
    pub(crate) fn begins_as(&self, other: &Object) -> bool {
        match (&self.init, &other.init) {
            (Init::Input { input: a, ty: x }, Init::Input { input: b, ty: y }) => (a, x) == (b, y),
            (Init::Bytes(a), Init::Bytes(b)) => a == b,
            _ => false,
        }
    }

    /// Whether an address was stored in it.
    pub(crate) fn holds_address(&self, pool: &Pool) -> bool {
        let terms: Vec<T> = match &self.cells {
            Cells::Untouched => Vec::new(),
            Cells::Row { cells, .. } => cells.iter().filter_map(|c| c.value).collect(),
            Cells::Bytes(bytes) => bytes.values().map(|p| p.of).collect(),
        };
        let all = walk::reachable(pool, &terms, usize::MAX).unwrap_or_default();
        all.iter().any(|t| matches!(pool.node(*t), Node::Address(..)))
    }

    /// Forgets what it holds: its lifetime is over.
    pub(crate) fn end(&mut self) {
        self.cells = Cells::Untouched;
        self.size = 0;
    }

    /// The size of its cells, while all accesses are of one size.
    pub(crate) fn cell_size(&self) -> Option<u64> {
        match (&self.cells, &self.init) {
            (Cells::Row { size, .. }, _) => Some(*size),
            (Cells::Untouched, Init::Input { ty, .. }) => Some(u64::from(ty.bytes())),
            (Cells::Bytes(_), _) => Some(1),
            _ => None,
        }
    }

    /// The value of `ty` at an offset that is within the object.
    pub(crate) fn read(&mut self, pool: &mut Pool, offset: u64, ty: Ty) -> T {
        let stored = in_memory(ty);
        let size = u64::from(stored.bytes());
        let value = match self.cell(offset, size) {
            Some(at) => match self.row()[at].value {
                Some(value) => reinterpret(pool, value, stored),
                None => {
                    let value = self.initial(pool, offset, stored);
                    self.row()[at].value = Some(value);
                    value
                }
            },
            None => {
                let pieces: Vec<Piece> =
                    (offset..offset + size).map(|at| self.piece(pool, at)).collect();
                assemble(pool, &pieces, stored)
            }
        };
        if ty == Ty::I1 { pool.cast(CastOp::Trunc, value, Ty::I1) } else { value }
    }

    pub(crate) fn write(&mut self, pool: &mut Pool, offset: u64, value: T, writer: Writer) {
        self.is_written = true;
        let ty = pool.ty(value);
        let value = if ty == Ty::I1 { pool.cast(CastOp::ZExt, value, Ty::I8) } else { value };
        let size = u64::from(ty.bytes());
        match self.cell(offset, size) {
            Some(at) => self.row()[at] = Cell { value: Some(value), writer },
            None => {
                self.split_into_bytes();
                let Cells::Bytes(bytes) = &mut self.cells else { return };
                for byte in 0..size {
                    bytes.insert(offset + byte, Piece { of: value, byte: byte as u8, writer });
                }
            }
        }
    }

    /// Who wrote the byte at an offset last.
    pub(crate) fn writer(&self, offset: u64) -> Writer {
        match &self.cells {
            Cells::Untouched => 0,
            Cells::Row { size, cells } => cells[(offset / size) as usize].writer,
            Cells::Bytes(bytes) => bytes.get(&offset).map_or(0, |p| p.writer),
        }
    }

    /// Offsets of elements of `size` bytes that somebody wrote, in order.
    pub(crate) fn written(&self, size: u64) -> Vec<u64> {
        let mut all: Vec<u64> = match &self.cells {
            Cells::Untouched => Vec::new(),
            Cells::Row { size: own, cells } => {
                let written = cells.iter().enumerate().filter(|(_, c)| c.writer != 0);
                let bytes = written.flat_map(|(i, _)| {
                    let from = i as u64 * own;
                    (from / size..(from + own).div_ceil(size)).map(|e| e * size)
                });
                bytes.collect()
            }
            Cells::Bytes(bytes) => {
                let written = bytes.iter().filter(|(_, p)| p.writer != 0);
                written.map(|(at, _)| at / size * size).collect()
            }
        };
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The number of the cell that an access is of; none where the object is one of bytes, or becomes one by it.
    fn cell(&mut self, offset: u64, size: u64) -> Option<usize> {
        if matches!(self.cells, Cells::Untouched) && offset.is_multiple_of(size) {
            let count = if self.unbounded { 0 } else { (self.size / size) as usize };
            let cells = vec![Cell { value: None, writer: 0 }; count];
            self.cells = Cells::Row { size, cells };
        }
        let most = if self.unbounded { MOST_CELLS } else { u64::MAX };
        match &mut self.cells {
            Cells::Row { size: own, cells }
                if *own == size && offset.is_multiple_of(size) && offset / size < most =>
            {
                let at = (offset / size) as usize;
                if at >= cells.len() {
                    cells.resize(at + 1, Cell { value: None, writer: 0 });
                }
                Some(at)
            }
            Cells::Bytes(_) => None,
            _ => {
                self.split_into_bytes();
                None
            }
        }
    }

    fn row(&mut self) -> &mut Vec<Cell> {
        match &mut self.cells {
            Cells::Row { cells, .. } => cells,
            _ => unreachable!("the object has cells"),
        }
    }

    fn split_into_bytes(&mut self) {
        let mut bytes = FxHashMap::default();
        match &self.cells {
            Cells::Bytes(_) => return,
            Cells::Untouched => {}
            Cells::Row { size, cells } => {
                for (i, cell) in cells.iter().enumerate() {
                    let Some(of) = cell.value else { continue };
                    for byte in 0..*size {
                        let piece = Piece { of, byte: byte as u8, writer: cell.writer };
                        bytes.insert(i as u64 * size + byte, piece);
                    }
                }
            }
        }
        self.cells = Cells::Bytes(bytes);
    }

    fn piece(&mut self, pool: &mut Pool, at: u64) -> Piece {
        if let Cells::Bytes(bytes) = &self.cells
            && let Some(piece) = bytes.get(&at)
        {
            return *piece;
        }
        let piece = self.initial_piece(pool, at);
        if let Cells::Bytes(bytes) = &mut self.cells {
            bytes.insert(at, piece);
        }
        piece
    }

    fn initial_piece(&self, pool: &mut Pool, at: u64) -> Piece {
        if let Some((from, address)) =
            self.addresses.iter().find(|(from, _)| (*from..from + 8).contains(&at))
        {
            return Piece { of: *address, byte: (at - from) as u8, writer: 0 };
        }
        match &self.init {
            Init::Bytes(bytes) => {
                let byte = bytes.get(at as usize).copied().unwrap_or(0);
                Piece { of: pool.constant(Ty::I8, u64::from(byte)), byte: 0, writer: 0 }
            }
            Init::Input { input, ty } => {
                let size = u64::from(ty.bytes());
                let of = pool.input(*input, at / size, *ty);
                Piece { of, byte: (at % size) as u8, writer: 0 }
            }
            Init::Undefined => {
                let of = pool.undefined(Undefined::Uninitialised, Ty::I8);
                Piece { of, byte: 0, writer: 0 }
            }
            Init::Unknown => {
                let of = pool.undefined(Undefined::Variable, Ty::I8);
                Piece { of, byte: 0, writer: 0 }
            }
        }
    }

    fn initial(&self, pool: &mut Pool, offset: u64, ty: Ty) -> T {
        if self.addresses.is_empty() {
            match &self.init {
                Init::Undefined => return pool.undefined(Undefined::Uninitialised, ty),
                Init::Unknown => return pool.undefined(Undefined::Variable, ty),
                Init::Input { input, ty: own } if *own == ty => {
                    return pool.input(*input, offset / u64::from(ty.bytes()), ty);
                }
                _ => {}
            }
        }
        let pieces: Vec<Piece> = (offset..offset + u64::from(ty.bytes()))
            .map(|at| self.initial_piece(pool, at))
            .collect();
        assemble(pool, &pieces, ty)
    }
}

/// A truth value takes a byte.
fn in_memory(ty: Ty) -> Ty {
    if ty == Ty::I1 { Ty::I8 } else { ty }
}

fn integer_of(bytes: u32) -> Ty {
    match bytes {
        1 => Ty::I8,
        2 => Ty::I16,
        4 => Ty::I32,
        _ => Ty::I64,
    }
}

/// The same bits as another type of that size.
fn reinterpret(pool: &mut Pool, value: T, ty: Ty) -> T {
    pool.cast(CastOp::Bit, value, ty)
}

/// The value of `ty` that these bytes are, the lowest first.
fn assemble(pool: &mut Pool, pieces: &[Piece], ty: Ty) -> T {
    let first = pieces[0];
    let own = pool.ty(first.of);
    let whole = pieces.iter().enumerate().all(|(i, p)| p.of == first.of && p.byte as usize == i);
    if whole && own.bytes() == ty.bytes() {
        return reinterpret(pool, first.of, ty);
    }
    let to = integer_of(ty.bytes());
    let mut sum = pool.constant(to, 0);
    for (i, piece) in pieces.iter().enumerate() {
        let from = integer_of(pool.ty(piece.of).bytes());
        let bits = reinterpret(pool, piece.of, from);
        let shift = pool.constant(from, 8 * u64::from(piece.byte));
        let shifted = pool.int(IntOp::LShr, bits, shift);
        let byte = pool.cast(CastOp::Trunc, shifted, Ty::I8);
        let wide = pool.cast(CastOp::ZExt, byte, to);
        let place = pool.constant(to, 8 * i as u64);
        let placed = pool.int(IntOp::Shl, wide, place);
        sum = pool.int(IntOp::Or, sum, placed);
    }
    reinterpret(pool, sum, ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::evaluate;

    #[test]
    fn bytes_are_what_was_written() {
        let mut p = Pool::default();
        let init = Init::Input { input: 0, ty: Ty::I32 };
        let mut o = Object::new("o", Space::Global, 16, init);
        let first = o.read(&mut p, 0, Ty::I32);
        assert_eq!(first, p.input(0, 0, Ty::I32));
        let as_float = o.read(&mut p, 0, Ty::F32);
        assert_eq!(p.ty(as_float), Ty::F32);
        let k = p.constant(Ty::I16, 0xabcd);
        o.write(&mut p, 6, k, 1);
        // The input is 4, 8, 12, 16.
        let of = |p: &Pool, t: T| evaluate::value(p, t, &|v| 4 * (u64::from(v) + 1));
        let second = o.read(&mut p, 4, Ty::I32);
        let wide = o.read(&mut p, 0, Ty::I64);
        let byte = o.read(&mut p, 7, Ty::I8);
        assert_eq!(o.read(&mut p, 0, Ty::I32), first);
        let element = p.input(0, 1, Ty::I32);
        assert_eq!(of(&p, second), 0xabcd_0000 | of(&p, element));
        assert_eq!(of(&p, byte), 0xab);
        assert_eq!(of(&p, wide) >> 48, 0xabcd);
        assert_eq!(o.written(4), [4]);
        assert_eq!((o.writer(6), o.writer(4)), (1, 0));
    }

    #[test]
    fn what_nobody_wrote_is_not_known() {
        let mut p = Pool::default();
        let mut o = Object::new("s", Space::Shared, 8, Init::Undefined);
        let a = o.read(&mut p, 0, Ty::F32);
        let b = o.read(&mut p, 4, Ty::F32);
        assert_ne!(a, b);
        assert_eq!(o.read(&mut p, 0, Ty::F32), a);
    }
}
