//! Through which places of memory threads communicate.
//!
//! Accesses are collected from all threads. Those that overlap make a run of memory, cut into cells at all their ends. A run
//! is *shared* if two threads touch one of its cells and one of them writes there or makes a strong access (they look for
//! what others write, be it in code that is not reached yet), or if somebody reaches it through an address that depends on
//! what others write: then accesses to it become events of the explored program, and each of its
//! cells a location. All else is private to a thread, or only read.

use std::collections::{BTreeMap, BTreeSet};

use crate::specialise::objects::{Instance, Objects};

/// An access, as far as sharing is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Touch {
    pub(crate) instance: Instance,
    /// None: the address is computed, and may be that of any element of this size.
    pub(crate) offset: Option<u64>,
    pub(crate) size: u32,
    pub(crate) thread: u32,
    pub(crate) write: bool,
    /// Atomic or volatile.
    pub(crate) strong: bool,
}

/// A shared place of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) offset: u64,
    pub(crate) size: u32,
    /// Its number among the locations of the program.
    pub(crate) location: usize,
    /// Somebody writes there, or is expected to.
    pub(crate) written: bool,
}

/// The shared places of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// In ascending order.
    shared: BTreeMap<Instance, Vec<Cell>>,
    pub(crate) locations: usize,
}

/// What an access meets.
pub(crate) enum Met<'a> {
    /// Nothing that is shared.
    Own,
    /// These cells, and nothing else.
    Shared(&'a [Cell]),
    /// Shared cells that it does not fit: its own touch will change the pattern.
    Misfit,
}

/// The most elements of an array that is indexed by computed values.
pub(crate) const MOST_ELEMENTS: u64 = 1024;

impl Pattern {
    pub(crate) fn of(touches: &BTreeSet<Touch>, objects: &Objects) -> Pattern {
        let mut by_instance: BTreeMap<Instance, Vec<Range>> = BTreeMap::new();
        for touch in touches {
            let ranges = by_instance.entry(touch.instance).or_default();
            let range = |begin: u64, computed| Range {
                begin,
                end: begin + u64::from(touch.size),
                thread: touch.thread,
                write: touch.write || touch.strong,
                computed,
            };
            match touch.offset {
                Some(offset) => ranges.push(range(offset, false)),
                None => {
                    let count = elements(objects, touch.instance, touch.size).min(MOST_ELEMENTS);
                    let size = u64::from(touch.size);
                    ranges.extend((0..count).map(|i| range(i * size, true)));
                }
            }
        }
        let mut pattern = Pattern::default();
        for (instance, mut ranges) in by_instance {
            ranges.sort_unstable_by_key(|range| (range.begin, range.end));
            let mut cells = Vec::new();
            let mut rest = &ranges[..];
            while let Some(first) = rest.first() {
                let mut end = first.end;
                let mut count = 1;
                while let Some(next) = rest.get(count).filter(|next| next.begin < end) {
                    end = end.max(next.end);
                    count += 1;
                }
                let (run, others) = rest.split_at(count);
                rest = others;
                cells.extend(shared_cells(run));
            }
            if cells.is_empty() {
                continue;
            }
            for cell in &mut cells {
                cell.location = pattern.locations;
                pattern.locations += 1;
            }
            pattern.shared.insert(instance, cells);
        }
        pattern
    }

    pub(crate) fn meet(&self, instance: Instance, offset: u64, size: u32) -> Met<'_> {
        let Some(cells) = self.shared.get(&instance) else { return Met::Own };
        let end = offset + u64::from(size);
        let from = cells.partition_point(|cell| cell.offset + u64::from(cell.size) <= offset);
        let to = cells.partition_point(|cell| cell.offset < end);
        if from >= to {
            return Met::Own;
        }
        let met = &cells[from..to];
        let whole: u64 = met.iter().map(|cell| u64::from(cell.size)).sum();
        if met[0].offset == offset && whole == u64::from(size) {
            Met::Shared(met)
        } else {
            Met::Misfit
        }
    }

    /// The elements of an array that is indexed by computed values, if its cells are these.
    pub(crate) fn elements(&self, instance: Instance, size: u32, count: u64) -> Met<'_> {
        let Some(cells) = self.shared.get(&instance) else { return Met::Misfit };
        let to = cells.partition_point(|cell| cell.offset < count * u64::from(size));
        let fits = to as u64 == count
            && cells[..to]
                .iter()
                .enumerate()
                .all(|(i, cell)| cell.offset == i as u64 * u64::from(size) && cell.size == size);
        if fits { Met::Shared(&cells[..to]) } else { Met::Misfit }
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (Instance, &Cell)> {
        self.shared.iter().flat_map(|(&instance, cells)| cells.iter().map(move |c| (instance, c)))
    }
}

/// How many elements of a size an object has.
pub(crate) fn elements(objects: &Objects, instance: Instance, size: u32) -> u64 {
    objects.objects[instance.object].size / u64::from(size)
}

struct Range {
    begin: u64,
    end: u64,
    thread: u32,
    write: bool,
    computed: bool,
}

/// The cells of a run of overlapping accesses, if it is shared.
fn shared_cells(run: &[Range]) -> Vec<Cell> {
    let ends: BTreeSet<u64> = run.iter().flat_map(|range| [range.begin, range.end]).collect();
    let ends: Vec<u64> = ends.into_iter().collect();
    let mut shared = run.iter().any(|range| range.computed);
    let mut cells = Vec::new();
    for pair in ends.windows(2) {
        let [begin, end] = [pair[0], pair[1]];
        let here = || run.iter().filter(|range| range.begin < end && range.end > begin);
        let threads: BTreeSet<u32> = here().map(|range| range.thread).collect();
        let written = here().any(|range| range.write);
        shared |= threads.len() > 1 && written;
        cells.push(Cell { offset: begin, size: (end - begin) as u32, location: 0, written });
    }
    if shared { cells } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use lockstep_kernel::{Elem, Space};

    use super::*;
    use crate::specialise::objects::Object;

    const ARRAY: Instance = Instance { object: 0, owner: None };

    fn objects(size: u64) -> Objects {
        let (name, space, elem) = ("a".into(), Space::Global, Elem::Bytes(1));
        let object = Object { name, space, size, elem, init: None };
        Objects { objects: vec![object], statics: Vec::new(), params: Vec::new() }
    }

    fn touch(thread: u32, offset: impl Into<Option<u64>>, size: u32, write: bool) -> Touch {
        Touch { instance: ARRAY, offset: offset.into(), size, thread, write, strong: false }
    }

    fn cells(touches: &[Touch]) -> Vec<(u64, u32)> {
        let pattern = Pattern::of(&touches.iter().copied().collect(), &objects(12));
        pattern.cells().map(|(_, cell)| (cell.offset, cell.size)).collect()
    }

    #[test]
    fn what_one_thread_writes_and_another_touches_is_shared() {
        assert_eq!(cells(&[touch(0, 0, 4, true), touch(1, 4, 4, true)]), []);
        assert_eq!(cells(&[touch(0, 0, 4, false), touch(1, 0, 4, false)]), []);
        assert_eq!(cells(&[touch(0, 0, 4, true), touch(1, 0, 4, false)]), [(0, 4)]);
        let strong = Touch { strong: true, ..touch(0, 0, 4, false) };
        assert_eq!(cells(&[strong, touch(1, 0, 4, false)]), [(0, 4)]);
    }

    #[test]
    fn accesses_of_different_sizes_are_cut() {
        let touches = [touch(0, 0, 8, true), touch(1, 4, 4, false)];
        assert_eq!(cells(&touches), [(0, 4), (4, 4)]);
        let pattern = Pattern::of(&touches.into_iter().collect(), &objects(12));
        assert!(matches!(pattern.meet(ARRAY, 0, 8), Met::Shared([_, _])));
        assert!(matches!(pattern.meet(ARRAY, 4, 4), Met::Shared([_])));
        assert!(matches!(pattern.meet(ARRAY, 2, 4), Met::Misfit));
        assert!(matches!(pattern.meet(ARRAY, 8, 4), Met::Own));
    }

    #[test]
    fn computed_addresses_share_the_whole_array() {
        assert_eq!(cells(&[touch(0, None, 4, false)]), [(0, 4), (4, 4), (8, 4)]);
        let touches = [touch(0, None, 4, true), touch(1, 2, 2, false)];
        let pattern = Pattern::of(&touches.into_iter().collect(), &objects(12));
        assert!(matches!(pattern.elements(ARRAY, 4, 3), Met::Misfit));
    }
}
