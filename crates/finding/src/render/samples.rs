//! Reports that the renderers' tests share.

use crate::action::Action;
use crate::action::MemorySpace;
use crate::*;

pub(crate) const REDUCE: &str = "\
__global__ void reduce(float *in, float *out, int n) {
    __shared__ float s[32];
    int tid = threadIdx.x;
    s[tid] = in[tid];
    for (int d = 16; d > 0; d /= 2) {
        if (tid < d)
            s[tid] += s[tid + d];
    }
    if (tid == 0) out[0] = s[0];
}
";

pub(crate) fn place(file: &str, line: u32, column: u32) -> Place {
    Place { file: file.into(), line, column, function: "reduce".into(), inlined_at: Vec::new() }
}

pub(crate) fn access(op: Action, thread: u32, place: Place) -> Access {
    Access {
        op,
        thread: Some([thread, 0, 0]),
        block: [0; 3],
        place,
        value: None,
        notes: Vec::new(),
    }
}

pub(crate) fn launch() -> Launch {
    let args = [("in", "f32[32]:random"), ("out", "f32[1]"), ("n", "32")];
    Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        global: None,
        shared: 0,
        args: args.map(|(n, v)| (n.to_owned(), ArgValue::parse(v).unwrap())).to_vec(),
        seed: 0,
    }
}

pub(crate) fn race() -> Finding {
    let mut write = access(Action::Write, 8, place("reduce.cu", 7, 20));
    write.value = Some("1.5".into());
    let mut read = access(Action::Read, 0, place("reduce.cu", 7, 23));
    read.value = Some("0.25".into());
    Finding {
        kind: Kind::DataRace,
        severity: Severity::Error,
        confidence: Confidence::Confirmed,
        message: "data race on s[8]: (1) write by thread (8,0,0) of block (0,0,0) and (2) read by thread (0,0,0) of block (0,0,0)".into(),
        memory: Some(Memory {
            space: MemorySpace::Shared,
            object: Some("s".into()),
            element: Some(8),
            bytes: Some([32, 36]),
            object_size: Some(128),
            element_type: Some("f32".into()),
        }),
        accesses: vec![write, read],
        approximated: Vec::new(),
        occurrences: 31,
        benign: false,
        holds_when: None,
        launch: Some(launch()),
        help: vec!["put __syncthreads() between the two".into()],
        fix: None,
        suppressed: None,
        also_in: Vec::new(),
        trace: None,
        explored: false,
        host: None,
        repeat: None,
    }
}

/// What the two threads of [`race`] did, on an object of this name.
pub(crate) fn trace(object: &str) -> Trace {
    let actor = |t: u32| Actor { block: [0; 3], thread: Some([t, 0, 0]) };
    let event = |step, phase, op: Action, element: Option<i64>, line| TraceEvent {
        step,
        phase,
        op,
        object: element.map(|_| object.to_owned()),
        element,
        value: None,
        place: place("reduce.cu", line, 5),
        marked: false,
    };
    let marked = |e: TraceEvent| TraceEvent { marked: true, ..e };
    let variable = |value: u32| Variable {
        name: "tid".into(),
        value: value.to_string(),
        approximated: false,
        decides: true,
    };
    let writer = vec![
        event(1, 0, Action::Write, Some(8), 4),
        event(2, 0, Action::Barrier, None, 5),
        marked(event(3, 1, Action::Write, Some(8), 7)),
    ];
    let reader = vec![
        event(1, 0, Action::Write, Some(0), 4),
        event(2, 0, Action::Barrier, None, 5),
        marked(event(4, 1, Action::Read, Some(8), 7)),
        event(5, 1, Action::Write, Some(0), 7),
    ];
    let touch = |threads: &[u32]| Touch {
        actors: threads.iter().map(|t| actor(*t)).collect(),
        more: false,
    };
    let cell = |element, readers: &[u32], writers: &[u32]| Cell {
        element,
        readers: touch(readers),
        writers: touch(writers),
        atomics: Touch::default(),
    };
    Trace {
        timelines: vec![
            Timeline {
                actor: actor(8),
                events: writer,
                omitted: [0; 2],
                variables: vec![variable(8)],
            },
            Timeline {
                actor: actor(0),
                events: reader,
                omitted: [0; 2],
                variables: vec![variable(0)],
            },
        ],
        map: Some(AccessMap {
            object: object.into(),
            space: MemorySpace::Shared,
            element_type: Some("f32".into()),
            length: 32,
            range: [0, 32],
            marked: 8,
            block: Some([0; 3]),
            phases: [1, 1],
            cells: vec![cell(0, &[], &[0]), cell(8, &[0], &[8]), cell(9, &[1], &[])],
        }),
    }
}

pub(crate) fn kernel() -> KernelReport {
    let clean =
        || Verdict::Clean { covered: "1 launch (grid 1, block 32), 100% of the accesses".into() };
    KernelReport {
        name: "reduce".into(),
        mangled: "_Z6reducePfS_i".into(),
        file: "reduce.cu".into(),
        header: None,
        line: 1,
        language: "cuda".into(),
        verdicts: vec![
            (Kind::DataRace, Verdict::Found),
            (Kind::BarrierDivergence, clean()),
            (Kind::OutOfBounds, clean()),
            (Kind::Deadlock, Verdict::Unknown { because: Reason::Interrupted }),
        ],
        findings: vec![race()],
        for_every: Vec::new(),
        printed: String::new(),
        outputs: Vec::new(),
        launches: None,
        launch: Some(launch()),
        seconds: 0.031,
        instances: Vec::new(),
        arch: None,
        chosen: None,
        explanation: None,
        operations: Vec::new(),
        elsewhere: Vec::new(),
        ended_by_clock: false,
        budget: None,
        go_on: None,
        unknown_allowed: false,
    }
}

pub(crate) fn report() -> Report {
    Report { kernels: vec![kernel()], ..Report::default() }
}

pub(crate) fn sources() -> source::Sources {
    let mut sources = source::Sources::new();
    sources.insert("reduce.cu", REDUCE);
    sources.insert("util.h", "__device__ void put(float *p, float v) {\n    *p = v;\n}\n");
    sources
}
