//! The table of excuses: possible causes of a bug other than the kernel.
//!
//! A row states for which bugs and launches it is tried, what it varies, and which condition it yields. Rows are tried
//! in order, and the first that succeeds is reported; so simple conditions, and those that a caller is most likely to
//! know, come first. `BENCH_ARGS=excuses make bench` removes each row in turn and prints what changes; a row whose
//! absence changes nothing is deleted.
//!
//! The contract of a row:
//!
//! - [`Excuse::applies`] runs no launch. Where it is false, [`Excuse::plea`] would find nothing.
//! - [`Excuse::plea`] succeeds only after launches have confirmed it: with the row's variation, the bug disappears, and
//!   nothing else goes wrong that did not before. Exceptions are launches that are not repeated
//!   ([`Stage::NotRepeated`]).
//! - A row can only weaken a finding, never add or drop one.

use std::fmt;

use lockstep_finding::{Confidence, Finding, Kind, MemorySpace, Reason, When};

use crate::blame::preconditions;
use crate::condition::{block_is, boundary};
use crate::explore::inquiry::{Inquiry, Shown};
use crate::space::slots::Slot;

/// How far the bug has been processed when a row is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Its launch has ordinary values as far as possible, and has not been shrunk yet.
    Found,
    /// Its launch has been shrunk, and all its values are ordinary.
    Ordinary,
    /// The same, but the bug needs an odd value.
    Odd,
    /// Its launch did not terminate, or takes too long to be repeated: it is as it was found.
    NotRepeated,
    /// The same, and some value of it is odd.
    NotRepeatedOdd,
    /// No condition was found.
    Unconditional,
}

/// The result of a row for a bug.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Plea {
    /// It shows only under this condition.
    Conditional(When),
    /// The same, and launches on both sides have shown it.
    Checked(When),
    /// It shows only under this condition, but no launch has shown that it does not show otherwise.
    PossibleWhen(When),
    /// It may not show in launches by a caller, for this reason.
    Possible(Reason),
}

impl fmt::Display for Plea {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plea::Conditional(when) | Plea::Checked(when) => write!(f, "when {when}"),
            Plea::PossibleWhen(when) => write!(f, "possible when {when}"),
            Plea::Possible(why) => write!(f, "possible: {why}"),
        }
    }
}

/// A row of the table.
pub struct Excuse {
    pub name: &'static str,
    /// Which part of the launch it varies.
    pub varies: &'static str,
    /// The form of the condition.
    pub yields: &'static str,
    /// A kernel of `tests/`, with options, for which the search reports something else without the row.
    pub shown_by: &'static str,
    /// The kinds of bugs that it is tried for; empty means all.
    pub(crate) kinds: &'static [Kind],
    pub(crate) stages: &'static [Stage],
    /// Whether it has to be tried before a bug is confirmed: where it applies and could not be tried, the bug is only
    /// possible.
    pub(crate) is_required: bool,
    pub(crate) applies: fn(&Inquiry, &Shown) -> bool,
    pub(crate) plea: fn(&mut Inquiry, &Shown) -> Option<Plea>,
}

const RACES: &[Kind] = &[Kind::DataRace, Kind::MissingFence];
const UNWRITTEN: &[Kind] = &[Kind::UninitialisedRead];
const RACES_AND_UNWRITTEN: &[Kind] = &[Kind::DataRace, Kind::MissingFence, Kind::UninitialisedRead];
const MISALIGNED: &[Kind] = &[Kind::Misaligned];
const OUTSIDE: &[Kind] = &[Kind::OutOfBounds];
const DEADLOCKS: &[Kind] = &[Kind::Deadlock];
const BARRIERS: &[Kind] = &[Kind::BarrierDivergence, Kind::Deadlock];
const ALL: &[Kind] = &[];

const ORDINARY: &[Stage] = &[Stage::Ordinary];
const WITHOUT_LAUNCHES: &[Stage] = &[Stage::Ordinary, Stage::NotRepeated];
const STUCK: &[Stage] = &[Stage::NotRepeated, Stage::NotRepeatedOdd];
const LAST: &[Stage] = &[Stage::Unconditional];

/// A plea whose condition is checked again on both sides ([`crate::condition::settled`]).
macro_rules! when {
    ($function:ident) => {
        |inquiry, shown| Some(Plea::Conditional(When::exactly(inquiry.$function(shown)?)))
    };
}

/// All rows, in the order in which they are tried.
pub static EXCUSES: &[Excuse] = &[
    Excuse {
        name: "odd-values",
        varies: "each odd value, between it and the ordinary one",
        yields: "stride < cols, n == 0, a == b",
        shown_by: "search/ring_conditional.cu",
        kinds: ALL,
        stages: &[Stage::Odd],
        is_required: false,
        applies: |_, _| true,
        plea: |inquiry, shown| {
            let odd = inquiry.driver.lab.space.oddities(shown.candidate);
            let claim = boundary::describe(inquiry, shown.candidate, &odd);
            Some(Plea::Conditional(When::exactly(claim)))
        },
    },
    Excuse {
        name: "own-block",
        varies: "the block: the one that the kernel's arithmetic asks for",
        yields: "blockDim.x == 32",
        shown_by: "search/turned_tile_conditional.cl",
        kinds: UNWRITTEN,
        stages: &[Stage::Found],
        is_required: false,
        applies: |inquiry, shown| {
            let space = inquiry.driver.lab.space;
            space.free_block().contains(&true) && shown.candidate.block != space.plain().block
        },
        plea: |inquiry, shown| {
            let plain = inquiry.driver.lab.space.plain().block;
            let mut other = shown.candidate.clone();
            other.block = plain;
            let claim = block_is(shown.candidate, plain);
            let is_gone = inquiry.run(&other).is_none();
            is_gone.then(|| Plea::Conditional(When::exactly(claim)))
        },
    },
    Excuse {
        name: "one-thread",
        varies: "the block and the grid: one thread, where none asks which one it is",
        yields: "gridDim.x * blockDim.x > 1",
        shown_by: "search/for_one_thread_conditional.cu",
        kinds: RACES,
        stages: ORDINARY,
        is_required: false,
        // Adding up is what several threads would do.
        applies: |inquiry, shown| {
            inquiry.is_for_one_thread() && inquiry.may_be_apart(shown.finding)
        },
        plea: |inquiry, shown| Some(Plea::Checked(When::exactly(inquiry.many_for_one(shown)?))),
    },
    Excuse {
        name: "idle-axes",
        varies: "dimensions along axes that the kernel does not ask for: one",
        yields: "blockDim.y > 1",
        shown_by: "search/one_thread_of_each_block.cu",
        kinds: RACES_AND_UNWRITTEN,
        stages: ORDINARY,
        is_required: false,
        applies: |_, _| true,
        plea: when!(idle_axes),
    },
    Excuse {
        name: "flat-block",
        varies: "the block: one row",
        yields: "blockDim.y > 1",
        shown_by: "search/line_of_a_group_conditional.cl",
        kinds: RACES,
        stages: ORDINARY,
        is_required: false,
        applies: |_, shown| {
            shown.finding.memory.as_ref().is_some_and(|m| m.space == MemorySpace::Shared)
        },
        plea: when!(flat_block),
    },
    Excuse {
        name: "square-grid",
        varies: "the grid: as wide as high",
        yields: "gridDim.x < gridDim.y",
        shown_by: "search/square_grid_conditional.cu",
        kinds: RACES,
        stages: ORDINARY,
        is_required: false,
        applies: |_, shown| shown.candidate.grid[0] != shown.candidate.grid[1],
        plea: when!(square_grid),
    },
    Excuse {
        name: "short-rows",
        varies: "lengths of rows, or what they are computed from: much larger",
        yields: "pitch < width",
        shown_by: "search/host_planes_conditional.cu",
        kinds: RACES,
        stages: ORDINARY,
        is_required: true,
        applies: |inquiry, _| any_slot(inquiry, Slot::is_row_length),
        plea: when!(short_rows),
    },
    Excuse {
        name: "many-rounds",
        varies: "numbers of rounds: the logarithm of the block",
        yields: "rounds >= 7",
        shown_by: "search/halving_conditional.cu",
        kinds: RACES_AND_UNWRITTEN,
        stages: ORDINARY,
        is_required: true,
        applies: |inquiry, _| any_slot(inquiry, |s| s.hints.bounds_loop),
        plea: when!(many_rounds),
    },
    Excuse {
        name: "logarithm",
        varies: "logarithms of sizes: those of the block",
        yields: "logn < 7",
        shown_by: "search/logarithm_of_block_conditional.cu",
        kinds: RACES_AND_UNWRITTEN,
        stages: ORDINARY,
        is_required: false,
        applies: |inquiry, _| any_slot(inquiry, Slot::is_logarithm),
        plea: when!(other_power),
    },
    Excuse {
        name: "offset-in-data",
        varies: "offsets: behind all data",
        yields: "offset < n",
        shown_by: "search/condition_example_race.cu",
        kinds: RACES,
        stages: ORDINARY,
        is_required: true,
        applies: |inquiry, _| any_slot(inquiry, Slot::is_offset),
        plea: when!(offset_in_the_data),
    },
    Excuse {
        name: "scaled-elements",
        varies: "nothing: elements in [0, 1) were tried before",
        yields: "elements of a are not in [0, 1)",
        shown_by: "search/shades_conditional.cu",
        kinds: RACES,
        stages: WITHOUT_LAUNCHES,
        is_required: false,
        applies: |_, _| true,
        plea: when!(scaled_elements),
    },
    Excuse {
        name: "negative-elements",
        varies: "nothing: elements that are not negative were tried before",
        yields: "elements of a are -1",
        shown_by: "search/negative_elements_conditional.cu",
        kinds: RACES,
        stages: WITHOUT_LAUNCHES,
        is_required: false,
        applies: |_, _| true,
        plea: when!(negative_elements),
    },
    Excuse {
        name: "equal-structs",
        varies: "nothing: structs of nothing but zeros are equal",
        yields: "two elements of a are equal",
        shown_by: "search/equal_structs_conditional.cu",
        kinds: RACES,
        stages: WITHOUT_LAUNCHES,
        is_required: false,
        applies: |_, _| true,
        plea: when!(equal_structs),
    },
    Excuse {
        name: "falling-bounds",
        varies: "elements that limit loops: ascending",
        yields: "elements of a do not ascend",
        shown_by: "search/bounds_conditional.cu",
        kinds: RACES,
        stages: WITHOUT_LAUNCHES,
        is_required: false,
        applies: |inquiry, shown| !inquiry.falling(shown).is_empty(),
        plea: when!(falling_bounds),
    },
    Excuse {
        name: "unsorted",
        varies: "elements that are compared with each other: ascending",
        yields: "elements of a do not ascend",
        shown_by: "search/sorted_inputs.cu",
        kinds: RACES,
        stages: WITHOUT_LAUNCHES,
        is_required: true,
        applies: |inquiry, shown| !inquiry.sorted(shown.finding).is_empty(),
        plea: when!(unsorted),
    },
    Excuse {
        name: "equal-ranks",
        varies: "elements that are ranked by comparing them: distinct",
        yields: "two elements of a are equal",
        shown_by: "search/ranks.cu",
        kinds: RACES,
        stages: ORDINARY,
        is_required: false,
        applies: |inquiry, shown| !inquiry.ranked(shown.finding).is_empty(),
        plea: when!(equal_ranks),
    },
    Excuse {
        name: "indices-beyond",
        varies: "elements that are indices: less than an argument, or a product of two",
        yields: "elements of a are not less than n",
        shown_by: "search/shared_parts_conditional.cu",
        kinds: RACES_AND_UNWRITTEN,
        stages: ORDINARY,
        is_required: true,
        applies: |inquiry, shown| !inquiry.numbering(shown.finding).is_empty(),
        plea: when!(indices_beyond),
    },
    Excuse {
        name: "partial-groups",
        varies: "sizes: multiples of a few threads that work together",
        yields: "n % 4 != 0",
        shown_by: "search/groups_conditional.cu",
        kinds: UNWRITTEN,
        stages: ORDINARY,
        is_required: false,
        applies: |inquiry, _| any_slot(inquiry, Slot::is_guarded),
        plea: when!(broken_groups),
    },
    Excuse {
        name: "equal-indices",
        varies: "elements that are indices of stores: each once",
        yields: "two elements of a are equal",
        shown_by: "search/long_segments.cu",
        kinds: RACES,
        stages: ORDINARY,
        is_required: true,
        applies: |inquiry, shown| !inquiry.indices(shown).is_empty(),
        plea: when!(equal_indices),
    },
    Excuse {
        name: "close-segments",
        varies: "elements at which parts begin, and at which they end: far apart",
        yields: "elements of a are less than 256 apart",
        shown_by: "search/cursors.cu",
        kinds: RACES,
        stages: ORDINARY,
        is_required: false,
        applies: |inquiry, _| inquiry.driver.lab.space.arrays.iter().any(|a| a.written_through),
        plea: when!(close_segments),
    },
    Excuse {
        name: "narrow-block",
        varies: "the block: one that fills the shared arrays, and other usual ones",
        yields: "blockDim.x == 64",
        shown_by: "search/first_threads_conditional.cu",
        kinds: UNWRITTEN,
        stages: ORDINARY,
        is_required: true,
        applies: |inquiry, _| inquiry.driver.lab.space.free_block().contains(&true),
        plea: when!(narrow_block),
    },
    Excuse {
        name: "several-blocks",
        varies: "sizes: those of one block",
        yields: "n > blockDim.x",
        shown_by: "search/row_of_a_block.cu",
        kinds: UNWRITTEN,
        stages: ORDINARY,
        is_required: true,
        applies: |inquiry, _| inquiry.has_sizes(),
        plea: when!(several_blocks),
    },
    Excuse {
        name: "offset-of-block",
        varies: "offsets: the dimensions of the block",
        yields: "offset < 64",
        shown_by: "search/periodic_conditional.cu",
        kinds: UNWRITTEN,
        stages: ORDINARY,
        is_required: false,
        applies: |inquiry, _| any_slot(inquiry, Slot::is_offset),
        plea: when!(offset_of_the_block),
    },
    Excuse {
        name: "last-of-threads",
        varies: "what an index is compared with: the number of threads",
        yields: "last < 127",
        shown_by: "search/last_of_threads.cu",
        kinds: UNWRITTEN,
        stages: ORDINARY,
        is_required: false,
        applies: |inquiry, _| any_slot(inquiry, |s| s.hints.equals_index),
        plea: when!(last_of_threads),
    },
    Excuse {
        name: "empty-parts",
        varies: "elements that are lengths of parts, or their beginnings and ends: none is empty",
        yields: "elements of a are 0",
        shown_by: "search/empty_lengths.cu",
        kinds: UNWRITTEN,
        stages: ORDINARY,
        is_required: false,
        applies: |inquiry, _| inquiry.driver.lab.space.arrays.iter().any(|a| a.bounds_loop),
        plea: when!(empty_parts),
    },
    Excuse {
        name: "empty-structs",
        varies: "structs of nothing but zeros: words that count up",
        yields: "elements of a are nothing but zeros",
        shown_by: "search/empty_structs_conditional.cu",
        kinds: UNWRITTEN,
        stages: ORDINARY,
        is_required: false,
        applies: |inquiry, _| {
            let arrays = inquiry.driver.lab.space.arrays.len();
            (0..arrays).any(|i| inquiry.is_struct(i))
        },
        plea: when!(empty_structs),
    },
    Excuse {
        name: "short-countdown",
        varies: "counters that are counted down: the number of blocks or threads",
        yields: "a begins with less than is taken from it",
        shown_by: "search/countdown.cu",
        kinds: RACES_AND_UNWRITTEN,
        stages: ORDINARY,
        is_required: false,
        applies: |inquiry, _| inquiry.has_countdown(),
        plea: when!(short_countdown),
    },
    Excuse {
        name: "small-sizes",
        varies: "sizes of at most half of what is usual: usual ones",
        yields: "n < 33",
        shown_by: "search/short_pattern_conditional.cu",
        kinds: RACES_AND_UNWRITTEN,
        stages: ORDINARY,
        is_required: false,
        applies: |inquiry, _| any_slot(inquiry, Slot::is_size),
        plea: when!(small_sizes),
    },
    Excuse {
        name: "many-threads",
        varies: "the grid: as small as usual",
        yields: "gridDim.x * blockDim.x > 65536",
        shown_by: "search/masked_race.cu",
        kinds: RACES,
        stages: ORDINARY,
        is_required: false,
        applies: |_, _| true,
        plea: when!(many_threads),
    },
    Excuse {
        name: "precondition",
        varies: "what Lockstep chose, as simple conditions of a caller on it say",
        yields: "C % 8 != 0, pitch < width, blockDim.x != 128",
        shown_by: "search/rows_of_chunks_conditional.cu",
        kinds: RACES_AND_UNWRITTEN,
        stages: ORDINARY,
        is_required: false,
        applies: |_, shown| preconditions::is_looked_into(shown.finding),
        plea: |inquiry, shown| inquiry.precondition(shown).map(Plea::Checked),
    },
    Excuse {
        name: "unaligned-sizes",
        varies: "sizes and dimensions: multiples of 2, 4, 8, 16",
        yields: "n % 2 != 0",
        shown_by: "search/rows_of_vectors.cu",
        kinds: MISALIGNED,
        stages: ORDINARY,
        is_required: true,
        applies: |inquiry, _| inquiry.chose_sizes(),
        plea: when!(odd_multiples),
    },
    Excuse {
        name: "outside-by-dimensions",
        varies: "the block and the grid: smaller",
        yields: "blockDim.x == 128",
        shown_by: "search/shared_bins_conditional.cu",
        kinds: OUTSIDE,
        stages: ORDINARY,
        is_required: false,
        applies: |inquiry, shown| inquiry.driver.lab.space.is_of_fixed_shared(shown.finding),
        plea: when!(outside_by_dimensions),
    },
    Excuse {
        name: "outside-by-arguments",
        varies: "each integer argument",
        yields: "n >= 64",
        shown_by: "search/shared_fill_conditional.cu --block 32 --grid 1",
        kinds: OUTSIDE,
        stages: ORDINARY,
        is_required: false,
        applies: |inquiry, shown| inquiry.driver.lab.space.is_of_fixed_shared(shown.finding),
        plea: when!(outside_by_arguments),
    },
    Excuse {
        name: "few-for-a-barrier",
        varies: "the block: as many threads as a named barrier is for",
        yields: "blockDim.x < 64",
        shown_by: "search/named_barrier_of_two_warps.cu",
        kinds: BARRIERS,
        stages: STUCK,
        is_required: false,
        applies: |inquiry, shown| inquiry.lacks_threads(shown),
        plea: when!(few_for_a_barrier),
    },
    Excuse {
        name: "first-link",
        varies: "the first element of an array of flags: one",
        yields: "flags[0] == 0",
        shown_by: "search/chain_behind_an_element.cu",
        kinds: DEADLOCKS,
        stages: &[Stage::NotRepeated],
        is_required: false,
        applies: |inquiry, _| !inquiry.driver.lab.space.flags().is_empty(),
        plea: when!(without_first_link),
    },
    Excuse {
        name: "preset-flags",
        varies: "flags and locks that are set before the launch: as usual",
        yields: "flags[0] != 0",
        shown_by: "search/waits_that_no_launch_ends.cu",
        kinds: DEADLOCKS,
        stages: STUCK,
        is_required: false,
        applies: |inquiry, _| inquiry.has_waits(),
        plea: when!(preset_flags),
    },
    Excuse {
        name: "flag-of-the-caller",
        varies: "elements of a flag that the kernel does not write",
        yields: "elements of flag are not 1",
        shown_by: "search/waits_for_the_host.cu",
        kinds: DEADLOCKS,
        stages: STUCK,
        is_required: false,
        applies: |inquiry, _| inquiry.has_waits(),
        plea: when!(flag_of_the_caller),
    },
    Excuse {
        name: "wait-ends-elsewhere",
        varies: "dimensions, and parameters that a wait compares with: numbers of blocks, warps and threads",
        yields: "blocks != gridDim.x",
        shown_by: "search/waits_that_other_launches_end.cu",
        kinds: DEADLOCKS,
        stages: STUCK,
        is_required: false,
        applies: |inquiry, _| inquiry.has_waits(),
        plea: |inquiry, shown| inquiry.wait_ended_elsewhere(shown).map(Plea::Conditional),
    },
    Excuse {
        name: "writer-out-of-reach",
        varies: "nothing: no thread of the launch comes to where the wait would be ended",
        yields: "no thread comes to line 12, which writes flag",
        shown_by: "search/waits_for_a_rare_writer.cu",
        kinds: DEADLOCKS,
        stages: STUCK,
        is_required: false,
        applies: |inquiry, _| inquiry.has_waits() && inquiry.is_ours(),
        plea: |inquiry, shown| {
            let claim = inquiry.writer_out_of_reach(shown)?;
            inquiry.driver.doubts.push((Kind::Deadlock, Reason::WriterUnseen));
            Some(Plea::PossibleWhen(When::exactly(claim)))
        },
    },
    Excuse {
        name: "odd-example",
        varies: "nothing: the values of the launch are an example",
        yields: "for example stride == 1",
        shown_by: "search/chain_behind_a_choice.cu",
        kinds: ALL,
        stages: &[Stage::NotRepeatedOdd],
        is_required: false,
        applies: |_, _| true,
        plea: |inquiry, shown| {
            let space = inquiry.driver.lab.space;
            let odd = space.oddities(shown.candidate);
            Some(Plea::Conditional(boundary::example(space, shown.candidate, &odd)))
        },
    },
    Excuse {
        name: "host-sizes",
        varies: "what the host gives: all larger, or by one smaller or larger, or multiples of the block",
        yields: "n % blockDim.x != 0, or possible",
        shown_by: "search/host_sizes_possible.cu",
        kinds: OUTSIDE,
        stages: LAST,
        is_required: false,
        applies: |inquiry, shown| {
            is_confirmed(shown.finding) && !inquiry.driver.lab.space.given.sizes.is_empty()
        },
        plea: |inquiry, shown| {
            let why = inquiry.depends_on_size(shown)?;
            Some(match inquiry.precondition(shown) {
                Some(when) => Plea::Checked(when),
                None => Plea::Possible(why),
            })
        },
    },
    Excuse {
        name: "host-values",
        varies: "arguments that the host computes in a way that is not read",
        yields: "possible",
        shown_by: "search/host_branch.cu",
        kinds: ALL,
        stages: LAST,
        is_required: false,
        applies: |inquiry, shown| {
            is_confirmed(shown.finding) && !inquiry.driver.lab.space.given.bound.is_empty()
        },
        plea: |inquiry, shown| inquiry.depends_on_bound(shown).map(Plea::Possible),
    },
    Excuse {
        name: "order-of-elements",
        varies: "nothing: no contents of ours are ranks",
        yields: "possible",
        shown_by: "search/ranks.cu",
        kinds: RACES,
        stages: LAST,
        is_required: false,
        applies: |inquiry, shown| !inquiry.ranked(shown.finding).is_empty(),
        plea: |inquiry, shown| inquiry.order_of_elements(shown).map(Plea::Possible),
    },
    Excuse {
        name: "made-up-contents",
        varies: "elements that lead to both addresses, or decide whether they are accessed",
        yields: "possible",
        shown_by: "search/marks_of_neighbours_possible.cu",
        kinds: RACES,
        stages: LAST,
        is_required: false,
        applies: |inquiry, shown| inquiry.has_made_up(shown),
        plea: |inquiry, shown| inquiry.made_up_contents(shown).map(Plea::Possible),
    },
    Excuse {
        name: "chosen-contents",
        varies: "all integers together, and contents of arrays",
        yields: "possible",
        shown_by: "search/chosen_contents_possible.cu",
        kinds: OUTSIDE,
        stages: LAST,
        is_required: false,
        applies: |inquiry, shown| inquiry.driver.lab.space.is_of_fixed_shared(shown.finding),
        plea: |inquiry, shown| inquiry.rests_on_contents(shown).map(Plea::Possible),
    },
];

fn any_slot(inquiry: &Inquiry, f: impl Fn(&Slot) -> bool) -> bool {
    inquiry.driver.lab.space.slots.iter().any(f)
}

fn is_confirmed(finding: &Finding) -> bool {
    finding.confidence == Confidence::Confirmed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_says_what_it_does() {
        for (i, row) in EXCUSES.iter().enumerate() {
            let is_word = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(row.name.chars().all(is_word), "{}", row.name);
            assert!(!EXCUSES[..i].iter().any(|other| other.name == row.name), "{}", row.name);
            assert!(!row.varies.is_empty() && !row.yields.is_empty(), "{}", row.name);
            assert!(!row.shown_by.is_empty(), "{}", row.name);
            assert!(!row.stages.is_empty(), "{}", row.name);
            let is_tried = |s| row.stages.contains(&s);
            // Required rows need launches that can be repeated.
            assert!(!row.is_required || is_tried(Stage::Ordinary), "{}", row.name);
        }
    }
}
