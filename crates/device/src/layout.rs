//! How much memory a launch needs beside the kernel's own, and the table of arrays that the checker reads.

use lockstep_kernel::ParamKind;
use lockstep_simulate::{BoundArg, BoundLaunch};

use crate::abi;
use crate::archive::{Archive, Array};

/// An entry of the table of arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Bytes from `low` to `high` around the pointer belong to its array.
    pub low: i64,
    pub high: i64,
    /// The cell of the byte that the pointer points to.
    pub cell: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub entries: Vec<Entry>,
    /// Cells for global memory.
    pub global_cells: u64,
    /// Bytes of the block's shared memory, without the checker's.
    pub shared_end: u64,
    /// Words that the checker keeps for the shared memory of each block.
    pub shared_words: u64,
    pub rows: usize,
}

impl Layout {
    pub fn new(archive: &Archive, launch: &BoundLaunch) -> Result<Layout, String> {
        let shift = archive.plan.global_shift;
        let mut cells = 0;
        let mut allocate = |bytes: u64| {
            let first = cells;
            cells += (bytes >> shift) + 1;
            first
        };
        let mut own: Vec<Option<(u64, u64)>> = vec![None; archive.kernel.params.len()];
        for (i, argument) in launch.args.iter().enumerate() {
            if let (BoundArg::Buffer(bytes), ParamKind::Buffer { .. }) =
                (argument, archive.kernel.params[i].kind)
            {
                let size = bytes.len() as u64;
                own[i] = Some((allocate(size), size));
            }
        }
        let mut entries = Vec::new();
        for array in &archive.arrays {
            entries.push(match array {
                Array::Variable { bytes, .. } => {
                    Entry { low: 0, high: *bytes as i64, cell: allocate(*bytes) }
                }
                _ => {
                    let parameter = archive.parameter(array);
                    parameter.map_or(Ok(Entry::default()), |p| entry(archive, launch, &own, p))?
                }
            });
        }
        if entries.len() > abi::ENTRIES {
            return Err(format!("a kernel with more than {} arrays is not checked", abi::ENTRIES));
        }
        let shared_end = archive.own_shared + u64::from(launch.shared);
        let words =
            (shared_end + (1 << archive.plan.shared_shift) - 1) >> archive.plan.shared_shift;
        Ok(Layout {
            entries,
            global_cells: cells,
            shared_end,
            shared_words: if archive.uses_shared { abi::OWN_WORDS + words } else { 0 },
            rows: archive.plan.rows(),
        })
    }

    /// Bytes of the table of marks for so many pieces of memory.
    pub fn marks(pieces: u64) -> u64 {
        (pieces * abi::MARK_BITS).div_ceil(32) * 4
    }

    /// Bytes of shared memory for each block with the scheme `statement`, which has no cells.
    pub fn shared_with_own(&self) -> u64 {
        match self.shared_words {
            0 => self.shared_end,
            _ => self.shared_end.next_multiple_of(16) + abi::OWN_WORDS * abi::SHARED_CELL,
        }
    }

    /// Words of the report.
    pub fn report_words(&self) -> usize {
        abi::HEADER + self.rows * abi::ROW
    }

    /// The table of arrays.
    pub fn table(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.entries.len() * abi::ENTRY);
        for entry in &self.entries {
            out.extend(entry.low.to_le_bytes());
            out.extend((entry.high - entry.low).to_le_bytes());
            out.extend(entry.cell.to_le_bytes());
        }
        out
    }

    /// Bytes of shared memory for each block, where the checker's words lie there, too.
    pub fn shared_with_cells(&self) -> u64 {
        match self.shared_words {
            0 => self.shared_end,
            words => self.shared_end.next_multiple_of(16) + words * abi::SHARED_CELL,
        }
    }
}

/// The array of a parameter, its own or another's.
fn entry(
    archive: &Archive,
    launch: &BoundLaunch,
    own: &[Option<(u64, u64)>],
    parameter: usize,
) -> Result<Entry, String> {
    let (mut at, mut offset) = (parameter, 0);
    for _ in 0..=launch.args.len() {
        match launch.args[at] {
            BoundArg::Buffer(_) => {
                let (cell, size) = own[at].unwrap_or_default();
                let piece = 1u64 << archive.plan.global_shift;
                if offset % piece != 0 {
                    return Err(format!(
                        "parameter '{}' begins {offset} bytes into another's array, and cells are for {piece} bytes each",
                        archive.kernel.params[parameter].name
                    ));
                }
                let (low, high) = (-(offset as i64), size as i64 - offset as i64);
                return Ok(Entry { low, high, cell: cell + offset / piece });
            }
            BoundArg::Alias { param, offset: more } => {
                at = param;
                offset += more;
            }
            _ => return Ok(Entry::default()),
        }
    }
    Ok(Entry::default())
}
