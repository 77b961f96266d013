//! What the threads of a finding did, against what the kernel says they do.

use lockstep_finding::{Actor, Cell, Finding, Kind, Trace};
use lockstep_kernel::Kernel;
use lockstep_simulate::{Config, simulate, trace};

use crate::program::{BARRIER, Ex, Mem, St, WORDS, cuda, launch, read, write};

/// The first finding of a kind, and its trace.
fn of(kernel: &Kernel, blocks: u32, threads: u32, kind: Kind) -> (Finding, Trace) {
    let (launch, config) = (launch(blocks, threads), Config::default());
    let outcome = simulate(kernel, &launch, &config).expect("the launch fits");
    let finding = outcome.findings.into_iter().find(|f| f.kind == kind).expect("a finding");
    let trace = trace(kernel, &launch, &config, &finding).expect("the launch fits");
    (finding, trace)
}

fn cell(trace: &Trace, element: i64) -> &Cell {
    let map = trace.map.as_ref().expect("a map");
    map.cells.iter().find(|c| c.element == element).expect("a cell")
}

fn threads(actors: &[Actor]) -> Vec<u32> {
    actors.iter().map(|a| a.thread.expect("a thread")[0]).collect()
}

#[test]
fn the_phase_of_a_race() {
    let body = [
        write(Ex::Tid),
        BARRIER,
        read(Ex::Tid),
        BARRIER,
        write(Ex::Tid),
        read(Ex::Tid.add(1)),
        BARRIER,
        read(Ex::Tid),
    ];
    let (finding, trace) = of(&cuda(&body), 2, 64, Kind::DataRace);
    assert_eq!(trace.timelines.len(), 2);
    for (timeline, access) in trace.timelines.iter().zip(&finding.accesses) {
        assert_eq!(timeline.actor, Actor { block: access.block, thread: access.thread });
        let events: Vec<(&str, u32)> =
            timeline.events.iter().map(|e| (e.op.name(), e.phase)).collect();
        let expected = [
            ("write", 0),
            ("barrier", 0),
            ("read", 1),
            ("barrier", 1),
            ("write", 2),
            ("read", 2),
            ("barrier", 2),
            ("read", 3),
        ];
        assert_eq!(events, expected);
        assert_eq!(timeline.omitted, [0, 0]);
        let marked: Vec<_> = timeline.events.iter().filter(|e| e.marked).collect();
        assert_eq!(marked.len(), 1);
        assert_eq!((marked[0].op.name(), marked[0].phase), (access.op.name(), 2));
        assert_eq!(marked[0].element, finding.memory.as_ref().and_then(|m| m.element));
    }
    let map = trace.map.as_ref().expect("a map");
    assert_eq!((map.block, map.phases), (Some([0; 3]), [2, 2]));
    assert_eq!(map.cells.len(), 65);
    let racy = cell(&trace, 7);
    assert_eq!(threads(&racy.writers.actors), [7]);
    assert_eq!(threads(&racy.readers.actors), [6]);
    assert!(racy.conflicts());
    assert!(!cell(&trace, 0).conflicts());
}

#[test]
fn threads_of_two_blocks() {
    let (_, trace) = of(&cuda(&[St::Write(Mem::Global, Ex::Tid)]), 3, 32, Kind::DataRace);
    let map = trace.map.as_ref().expect("a map");
    assert_eq!(map.block, None);
    let writers = &cell(&trace, map.marked).writers.actors;
    assert_eq!(writers.iter().map(|a| a.block[0]).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn the_element_out_of_bounds() {
    let far = WORDS + 3;
    let (finding, trace) = of(&cuda(&[read(Ex::Num(far))]), 1, 40, Kind::OutOfBounds);
    let map = trace.map.as_ref().expect("a map");
    assert_eq!(map.marked, i64::from(far));
    assert_eq!(map.length, u64::from(WORDS));
    assert!(map.range[1] > i64::from(far));
    // Not all that touch it are named.
    let touched = cell(&trace, i64::from(far));
    assert!(touched.readers.more && touched.readers.actors.len() >= 8);
    assert_eq!(trace.timelines[0].actor.thread, finding.accesses[0].thread);
    assert!(trace.timelines[0].events.iter().any(|e| e.marked));
}

#[test]
fn a_long_run_is_cut_around_the_access() {
    let body = [
        St::Loop(500, vec![read(Ex::Tid), BARRIER]),
        write(Ex::Tid),
        read(Ex::Tid.add(1)),
        St::Loop(500, vec![BARRIER, read(Ex::Tid)]),
    ];
    let (_, trace) = of(&cuda(&body), 1, 64, Kind::DataRace);
    for timeline in &trace.timelines {
        assert!(timeline.omitted[0] > 900 && timeline.omitted[1] > 900, "{:?}", timeline.omitted);
        assert!(timeline.events.len() < 100);
        let marked = timeline.events.iter().find(|e| e.marked).expect("the access");
        assert_eq!(marked.phase, 500);
    }
}
