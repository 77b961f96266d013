//! Numbers that the checkers on the device and the host share: those of `common.cu`, `flag.cu` and `statement.cu` in
//! `crates/frontend/device`.

/// Variables that the host sets before a launch.
pub const REPORT: &str = "__lockstep_report";
pub const GLOBAL_CELLS: &str = "__lockstep_global_cells";
pub const OBJECTS: &str = "__lockstep_objects";
pub const TABLE: &str = "__lockstep_table";
pub const BASES: &str = "__lockstep_bases";
pub const SHARED_CELLS: &str = "__lockstep_shared_cells";
pub const SHARED_END: &str = "__lockstep_shared_end";

/// Those of the scheme `statement`, and of the launch before it.
pub const MARKS: &str = "__lockstep_marks";
pub const SHARED_MARKS: &str = "__lockstep_shared_marks";
pub const LOG: &str = "__lockstep_log";
pub const LOG_SIZE: &str = "__lockstep_log_size";

/// Bits for each piece of memory in a table of marks: that threads race for it, and that its accesses are written down.
pub const MARK_BITS: u64 = 2;
pub const MARKED: u8 = 1;

/// Words of the log before its first record; the first has how many there are, the second how many were left out.
pub const LOG_HEADER: usize = 4 + 4096;
/// Words of a record.
pub const RECORD: usize = 12;

/// Words of the report before its first row; the second has [`TIMES_LOST`] and [`UNKNOWN_MEMORY`].
pub const HEADER: usize = 16;
pub const STATUS: usize = 1;
/// Words of a row. A row is for one checked access and one [`Class`]; behind these come rows for barriers.
pub const ROW: usize = 12;

/// More barriers were passed than a cell can count.
pub const TIMES_LOST: u32 = 1;
/// Memory was accessed that is none of the launch's arrays.
pub const UNKNOWN_MEMORY: u32 = 2;

/// Bytes of an entry of the table of arrays: first byte as an offset from the pointer, size, number of the pointer's cell.
pub const ENTRY: usize = 24;
/// Entries that the table has room for.
pub const ENTRIES: usize = 64;

/// Words of its own that the checker has before the cells of a block's shared memory.
pub const OWN_WORDS: u64 = 4;
pub const SHARED_CELL: u64 = 4;
pub const GLOBAL_CELL: u64 = 8;

/// Blocks that cells tell apart.
pub const BLOCKS: u64 = 1 << 22;

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    Race,
    /// An atomic operation may have ordered the two.
    MaybeOrdered,
    Outside,
}

impl Class {
    pub const ALL: [Class; 3] = [Class::Race, Class::MaybeOrdered, Class::Outside];
}

/// What was done to a piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deed {
    ReadAtomically,
    Read,
    Update,
    ReadAndUpdate,
    Write,
}

impl Deed {
    /// Whether two accesses conflict, of which neither is ordered before the other.
    pub fn conflicts(self, other: Deed) -> bool {
        use Deed::*;
        let reads = |d: Deed| matches!(d, Read | ReadAndUpdate);
        let updates = |d: Deed| matches!(d, Update | ReadAndUpdate);
        let one_writes = self == Write || other == Write;
        one_writes || reads(self) && updates(other) || updates(self) && reads(other)
    }

    pub fn of(number: u32) -> Option<Deed> {
        Some(match number {
            1 => Deed::ReadAtomically,
            2 => Deed::Read,
            3 => Deed::Update,
            4 => Deed::ReadAndUpdate,
            5 => Deed::Write,
            _ => return None,
        })
    }
}

/// Between whom a conflict is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    Warp,
    Block,
    Grid,
    /// Atomic operations of two blocks, one of them for its own block only.
    Scope,
}

impl Level {
    pub fn who(self) -> &'static str {
        match self {
            Level::Warp => "by threads of one warp",
            Level::Block => "by threads of different warps",
            Level::Grid | Level::Scope => "by threads of different blocks",
        }
    }

    pub fn of(number: u32) -> Option<Level> {
        Some(match number {
            1 => Level::Warp,
            2 => Level::Block,
            3 => Level::Grid,
            4 => Level::Scope,
            _ => return None,
        })
    }
}

/// Who did something, as far as a cell says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Before {
    pub deed: Deed,
    /// None: several.
    pub block: Option<u64>,
    /// Number in its block; none: several, or not known.
    pub thread: Option<u32>,
}

/// What a cell said when a conflict at this level was seen by a thread of `block`.
pub fn before(cell: u64, level: Level, is_shared: bool, block: u64) -> Option<Before> {
    let field = |at: u32, bits: u32| (cell >> at & ((1 << bits) - 1)) as u32;
    let (lane, warp) = (field(4, 5), field(19, 5));
    let one_lane = field(3, 1) == 0;
    let one_warp = field(18, 1) == 0;
    let thread = (one_lane && one_warp).then_some(warp * 32 + lane);
    Some(match level {
        Level::Warp => Before { deed: Deed::of(field(0, 3))?, block: Some(block), thread },
        Level::Block => Before { deed: Deed::of(field(15, 3))?, block: Some(block), thread },
        Level::Grid | Level::Scope if is_shared => return None,
        Level::Grid | Level::Scope => {
            let one_block = field(40, 1) == 0;
            Before {
                deed: Deed::of(field(37, 3))?,
                block: one_block.then_some(cell >> 42),
                thread: thread.filter(|_| one_block),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_names_who_was_there() {
        // Lane 3 of warp 2 of block 7 has written.
        let cell = 5 | 3 << 4 | 5 << 15 | 2 << 19 | 5 << 37 | 7 << 42;
        let one = before(cell, Level::Grid, false, 9).expect("a deed");
        assert_eq!((one.deed, one.block, one.thread), (Deed::Write, Some(7), Some(67)));
        let several = before(cell | 1 << 40, Level::Grid, false, 9).expect("a deed");
        assert_eq!((several.block, several.thread), (None, None));
        let of_block = before(cell, Level::Block, true, 9).expect("a deed");
        assert_eq!((of_block.block, of_block.thread), (Some(9), Some(67)));
        assert_eq!(before(0, Level::Warp, true, 0), None);
    }
}
