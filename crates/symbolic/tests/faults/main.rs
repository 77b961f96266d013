//! Which faults a launch can have: what the engine says, against the execution of every content of small arrays.
//!
//! Kernels read `idx`, of which the low two bits count, and `flag`, of which the lowest does. So all contents are few, and each is executed: a
//! kind that the engine says is absent must show in none of them, and values that it gives for a fault must show that fault.

mod fixed;
mod random;

use lockstep_cancel::Cancel;
use lockstep_finding::Kind;
use lockstep_frontend as frontend;
use lockstep_kernel::{Kernel, Language, ParamKind, Site, SiteKind};
use lockstep_simulate::{BoundArg, BoundLaunch, Config, Prepared};
use lockstep_symbolic::{Asked, Faults, Limits, Value, element_type, faults};

/// The kinds that are compared.
const KINDS: [Kind; 6] = [
    Kind::DataRace,
    Kind::BarrierDivergence,
    Kind::OutOfBounds,
    Kind::UninitialisedRead,
    Kind::Misaligned,
    Kind::Assertion,
];

/// A kernel `k(int *idx, int *flag, int *out)` and its launch; all arrays have this many elements.
struct Case {
    kernel: Kernel,
    grid: u32,
    block: u32,
    elements: usize,
}

impl Case {
    fn new(source: &str, grid: u32, block: u32, elements: usize) -> Case {
        let input = frontend::Input::Text { name: "case.cu", bytes: source.as_bytes() };
        let options =
            frontend::Options { language: Some(Language::Cuda), ..frontend::Options::default() };
        let module = frontend::load(input, &options).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let kernel = module.kernels.into_iter().next().expect("a kernel");
        Case { kernel, grid, block, elements }
    }

    fn launch(&self, arrays: &[Vec<u32>]) -> BoundLaunch {
        let bytes = |a: &Vec<u32>| -> Vec<u8> { a.iter().flat_map(|v| v.to_le_bytes()).collect() };
        let args = arrays.iter().map(|a| BoundArg::Buffer(bytes(a).into())).collect();
        let (grid, block) = ([self.grid, 1, 1], [self.block, 1, 1]);
        BoundLaunch { grid, block, global: None, shared: 0, args }
    }

    fn zeros(&self) -> Vec<Vec<u32>> {
        vec![vec![0; self.elements]; self.kernel.params.len()]
    }

    fn ask(&self, limits: Limits) -> Faults {
        let launch = self.launch(&self.zeros());
        let symbolic = self.kernel.params.iter().map(|p| match p.kind {
            ParamKind::Buffer { .. } => element_type(p.kind),
            _ => None,
        });
        faults(&Asked {
            kernel: &self.kernel,
            launch,
            symbolic: symbolic.collect(),
            unsized_arrays: vec![false; self.kernel.params.len()],
            unsized_shared: false,
            assumed: Vec::new(),
            limits,
            warp_size: 32,
            work: 3_000_000,
            deadline: None,
            cancel: Cancel::default(),
        })
    }

    /// The kinds that one execution shows.
    fn shown(&self, prepared: &Prepared, arrays: &[Vec<u32>]) -> Vec<Kind> {
        let config =
            Config { kinds: KINDS.to_vec(), max_steps: 100_000, jobs: 1, ..Config::default() };
        let outcome = prepared.simulate(&self.launch(arrays), &config).expect("a launch");
        assert!(outcome.violated.is_none());
        let mut kinds: Vec<Kind> = outcome.findings.iter().map(|f| f.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// Contents with these values.
    fn with(&self, values: &[Value]) -> Vec<Vec<u32>> {
        let mut arrays = self.zeros();
        for v in values {
            if let Some(place) = arrays[v.param].get_mut(v.element as usize) {
                *place = v.bits as u32;
            }
        }
        arrays
    }

    /// Calls `f` with all contents of `idx` and `flag`, as far as the kernel reads them.
    fn each(&self, mut f: impl FnMut(&[Vec<u32>])) {
        let n = self.elements;
        let mut arrays = self.zeros();
        let reads = |name: &str| {
            let is_read = |s: &Site| s.kind == SiteKind::Read && s.through.as_deref() == Some(name);
            self.kernel.sites.iter().any(is_read)
        };
        let counts = [if reads("idx") { (1u32 << (2 * n)) - 1 } else { 0 }, {
            if reads("flag") { ((1u32 << n) - 1) << (2 * n) } else { 0 }
        }];
        for number in (0u32..1 << (3 * n)).filter(|n| n & !(counts[0] | counts[1]) == 0) {
            for i in 0..n {
                arrays[0][i] = number >> (2 * i) & 3;
                arrays[1][i] = number >> (2 * n + i) & 1;
            }
            f(&arrays);
        }
    }
}

/// What came of a comparison.
#[derive(Default)]
struct Counts {
    /// Kinds that are absent, that are shown with the values given, and of which the solver does not know.
    absent: u32,
    shown: u32,
    open: u32,
    /// Kinds of which nothing is said, because something else goes wrong.
    spoilt: u32,
    /// Kinds with values that show nothing.
    unconfirmed: u32,
}

/// Compares the answer with all executions.
fn compare(case: &Case, what: &str, counts: &mut Counts) {
    let answer = case.ask(Limits { steps: 1_000_000, ..Limits::default() });
    let prepared = Prepared::new(&case.kernel);
    let absent: Vec<Kind> = KINDS.into_iter().filter(|k| answer.absence(*k).is_ok()).collect();
    counts.absent += absent.len() as u32;
    if !absent.is_empty() {
        case.each(|arrays| {
            let shown = case.shown(&prepared, arrays);
            // Freedom from races is one of executions that stay within their arrays.
            let is_excused = |k: Kind| k == Kind::DataRace && shown.contains(&Kind::OutOfBounds);
            let wrong = shown.iter().find(|k| absent.contains(k) && !is_excused(**k));
            if let Some(kind) = wrong {
                panic!("{what}: {kind} is said to be absent, and shows for {arrays:?}");
            }
        });
    }
    for kind in KINDS.into_iter().filter(|k| !absent.contains(k)) {
        let own: Vec<_> = answer.faults.iter().filter(|f| f.kind == kind).collect();
        let mut values = own.iter().filter_map(|f| f.values.as_ref());
        let shows = values.clone().any(|v| case.shown(&prepared, &case.with(v)).contains(&kind));
        match (shows, values.next()) {
            (true, _) => counts.shown += 1,
            (false, Some(_)) => counts.unconfirmed += 1,
            (false, None) if own.is_empty() => counts.spoilt += 1,
            (false, None) => counts.open += 1,
        }
    }
}
