//! What is looked for, and how many workers run, changes nothing else.

use lockstep_finding::{Finding, Kind};
use lockstep_kernel::{AtomicOp, IntOp, Kernel};
use lockstep_simulate::{Config, Outcome};

use crate::program::{BARRIER, Ex, Mem, St, WORDS, cuda, run, when, write};

/// Enough threads for several workers.
const BLOCKS: u32 = 64;
const THREADS: u32 = 64;

fn global(at: Ex) -> St {
    St::Write(Mem::Global, at)
}

/// Kernels that blocks can run in parallel, and such that they cannot, for each reason.
fn kernels() -> Vec<(&'static str, Kernel)> {
    let add = |at: Ex, used: bool| St::Atomic(Mem::Global, at, AtomicOp::Add, used);
    let own = || Ex::BlockId;
    vec![
        (
            "each block its own",
            cuda(&[write(Ex::Tid), BARRIER, when(Ex::Tid, 1, vec![global(own())])]),
        ),
        ("all blocks write one word", cuda(&[global(Ex::Num(3))])),
        (
            "one block writes what others read",
            cuda(&[
                St::Read(Mem::Global, Ex::Num(7)),
                when(Ex::BlockId, 1, vec![global(Ex::Num(7))]),
            ]),
        ),
        ("all blocks count", cuda(&[add(Ex::Num(5), false)])),
        (
            "atomics and a plain store",
            cuda(&[
                add(Ex::Num(5), false),
                when(Ex::BlockId.op(IntOp::Xor, Ex::Num(9)), 1, vec![global(Ex::Num(5))]),
            ]),
        ),
        (
            "copies into each other's words",
            cuda(&[St::Copy(Mem::Global, Ex::Tid, Ex::BlockId.add(64), 6)]),
        ),
        ("beyond the array", cuda(&[global(Ex::Tid.add(WORDS - 8))])),
        ("an unwritten word", cuda(&[St::Sum(Mem::Shared, Ex::Tid, Ex::Tid.add(64))])),
    ]
}

fn outcome(kernel: &Kernel, kinds: &[Kind], jobs: usize) -> Outcome {
    run(kernel, BLOCKS, THREADS, &Config { kinds: kinds.to_vec(), jobs, ..Config::default() })
}

#[test]
fn what_is_looked_for_changes_nothing_else() {
    for (name, kernel) in kernels() {
        let all = outcome(&kernel, &Kind::ALL, 1);
        let of = |kinds: &[Kind]| -> Vec<Finding> {
            all.findings.iter().filter(|f| kinds.contains(&f.kind)).cloned().collect()
        };
        let sets: [&[Kind]; 5] = [
            &[],
            &[Kind::OutOfBounds],
            &[Kind::DataRace],
            &[Kind::UninitialisedRead, Kind::Misaligned],
            &Kind::ALL,
        ];
        for kinds in sets {
            for jobs in [1, 4] {
                let some = outcome(&kernel, kinds, jobs);
                assert_eq!(some.findings, of(kinds), "{name}, {kinds:?}, {jobs} workers");
                assert_eq!(some.buffers, all.buffers, "{name}, {kinds:?}, {jobs} workers");
                assert_eq!(some.coverage, all.coverage, "{name}, {kinds:?}, {jobs} workers");
                assert_eq!(some.incomplete, all.incomplete, "{name}, {kinds:?}, {jobs} workers");
            }
        }
    }
}

/// Which of the kernels run in parallel to their end: the others stop before the first access that two blocks would make
/// to one word.
#[test]
fn blocks_that_share_a_word_do_not_run_in_parallel() {
    let parallel: Vec<&str> = kernels()
        .iter()
        .filter(|(_, kernel)| outcome(kernel, &[], 4).stats.parallel)
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(parallel, ["each block its own", "all blocks count", "an unwritten word"]);
}
