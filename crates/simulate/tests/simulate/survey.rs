//! Which barriers are needed: case by case, and on random kernels against taking
//! barriers away and simulating again.

use lockstep_kernel::Scheduling::{self, Independent, Lockstep};
use lockstep_kernel::edit::without;
use lockstep_kernel::{AtomicOp, Kernel, Language, Scope, SiteId, SiteKind};
use lockstep_simulate::{BarrierSurvey, Config, Separation};

use crate::program::{
    BARRIER, Ex, Mem, St, barriers, config, cuda, kernel, read, run, when, write,
};

fn survey_of(kernel: &Kernel, blocks: u32, threads: u32, scheduling: Scheduling) -> BarrierSurvey {
    let config = Config { barrier_needs: true, ..config(scheduling) };
    run(kernel, blocks, threads, &config).barriers.expect("the kernel can be surveyed")
}

/// The separations as numbers of barriers, and whether across warps.
fn separations(body: &[St], blocks: u32, threads: u32) -> Vec<(Vec<usize>, bool)> {
    let kernel = cuda(body);
    numbered(&kernel, &survey_of(&kernel, blocks, threads, Independent).separations)
}

fn numbered(kernel: &Kernel, separations: &[Separation]) -> Vec<(Vec<usize>, bool)> {
    let all = barriers(kernel);
    let number = |s: &SiteId| all.iter().position(|b| b == s).expect("it is a barrier");
    separations.iter().map(|s| (s.barriers.iter().map(number).collect(), s.across_warps)).collect()
}

fn global(at: Ex) -> Ex {
    at.op(lockstep_kernel::IntOp::Add, Ex::BlockId.op(lockstep_kernel::IntOp::Mul, Ex::Num(128)))
}

fn write_global(at: Ex) -> St {
    St::Write(Mem::Global, global(at))
}

fn read_global(at: Ex) -> St {
    St::Read(Mem::Global, global(at))
}

#[test]
fn a_barrier_between_conflicting_accesses_is_needed() {
    for pair in [
        [write(Ex::Tid), read(Ex::Tid.xor(32))],
        [read(Ex::Tid.xor(32)), write(Ex::Tid)],
        [write(Ex::Tid.xor(32)), write(Ex::Tid)],
    ] {
        let [a, b] = pair;
        assert_eq!(separations(&[a.clone(), BARRIER, b.clone()], 2, 64), [(vec![0], true)]);
        // Either of two will do, but not none.
        let twice = [a.clone(), BARRIER, BARRIER, b.clone()];
        assert_eq!(separations(&twice, 2, 64), [(vec![0, 1], true)]);
        let around = [BARRIER, a, BARRIER, b, BARRIER];
        assert_eq!(separations(&around, 2, 64), [(vec![1], true)]);
    }
    let apart = [write(Ex::Tid), BARRIER, read(Ex::Tid), BARRIER, read(Ex::Tid.add(64))];
    assert_eq!(separations(&apart, 2, 64), []);
}

#[test]
fn an_example_shows_the_pair() {
    let kernel = cuda(&[write(Ex::Tid), BARRIER, read(Ex::Tid.xor(32))]);
    let survey = survey_of(&kernel, 3, 96, Independent);
    let [s] = &survey.separations[..] else { panic!("one separation") };
    assert_eq!(s.pairs, 3 * 64);
    let (a, b) = &s.example;
    assert_eq!((a.op.name(), b.op.name()), ("write", "read"));
    assert_eq!((a.thread, b.thread), (Some([32, 0, 0]), Some([0, 0, 0])));
    assert_eq!((a.place.line, b.place.line), (2, 4));
    let memory = s.memory.as_ref().expect("it is an access");
    assert_eq!((memory.object.as_deref(), memory.element), (Some("s"), Some(32)));
    let [used] = &survey.uses[..] else { panic!("one barrier") };
    assert_eq!((used.site, used.most_per_block, used.most_warps), (SiteId(1), 1, 3));
    assert_eq!(survey.needs(SiteId(1)), Some(s));
}

#[test]
fn uses_count_executions() {
    let body = [
        St::Loop(5, vec![BARRIER]),
        when(Ex::BlockId, 1, vec![BARRIER]),
        when(Ex::BlockId, 0, vec![BARRIER]),
    ];
    let kernel = cuda(&body);
    let uses = survey_of(&kernel, 4, 96, Independent).uses;
    let sites = barriers(&kernel);
    let counts: Vec<_> = uses.iter().map(|u| (u.site, u.most_per_block, u.most_warps)).collect();
    assert_eq!(counts, [(sites[0], 5, 3), (sites[1], 1, 3)]);
}

#[test]
fn within_a_warp_and_across() {
    let inside = [write(Ex::Tid), BARRIER, read(Ex::Tid.xor(1))];
    assert_eq!(separations(&inside, 1, 64), [(vec![0], false)]);
    // The smaller set is within a warp only: both count.
    let both = [
        write(Ex::Tid),
        write(Ex::Tid.add(64)),
        BARRIER,
        read(Ex::Tid.xor(1)),
        BARRIER,
        read(Ex::Tid.xor(32).add(64)),
    ];
    let found = separations(&both, 1, 64);
    assert_eq!(found, [(vec![0], false), (vec![0, 1], true)]);
    // Lock-step orders what is within a warp.
    let kernel = cuda(&both);
    let survey = survey_of(&kernel, 1, 64, Lockstep);
    assert_eq!(numbered(&kernel, &survey.separations), [(vec![0, 1], true)]);
}

#[test]
fn a_warp_barrier_orders_its_lanes() {
    let all = St::SyncWarp(u32::MAX);
    let body = |sync: &[St], at: Ex| {
        let mut body = vec![write(Ex::Tid), BARRIER];
        body.extend(sync.to_vec());
        body.push(read(at));
        body
    };
    let inside = || Ex::Tid.xor(1);
    assert_eq!(separations(&body(std::slice::from_ref(&all), inside()), 1, 64), []);
    let across = separations(&body(&[all], Ex::Tid.xor(32)), 1, 64);
    assert_eq!(across, [(vec![0], true)]);
    // Of part of a warp: only for its lanes.
    let half = || vec![when(Ex::Tid.rem(32), 16, vec![St::SyncWarp(0xffff), read(inside())])];
    assert_eq!(separations(&[vec![write(Ex::Tid), BARRIER], half()].concat(), 1, 32), []);
    let far = vec![when(Ex::Tid, 16, vec![St::SyncWarp(0xffff), read(Ex::Tid.xor(16))])];
    let far = separations(&[vec![write(Ex::Tid), BARRIER], far].concat(), 1, 32);
    assert_eq!(far, [(vec![0], false)]);
}

#[test]
fn a_reader_before_the_barrier_is_not_displaced_by_later_ones() {
    // Lane 0 reads; then lanes 1 to 3 do, meet lane 5, and that one writes.
    let mask = 0b10_1110;
    let body = [
        when(Ex::Tid, 1, vec![read(Ex::Num(0))]),
        BARRIER,
        when(
            Ex::Tid.add(u32::MAX).op(lockstep_kernel::IntOp::And, Ex::Num(31)),
            3,
            vec![read(Ex::Num(0)), St::SyncWarp(mask)],
        ),
        when(Ex::Tid.xor(5), 1, vec![St::SyncWarp(mask), write(Ex::Num(0))]),
    ];
    assert_eq!(separations(&body, 1, 32), [(vec![0], false)]);
}

#[test]
fn barriers_of_a_loop() {
    // s[t] += s[t + stride]: both barriers in the round are needed.
    let sum =
        |second: St| St::Loop(3, vec![read(Ex::Tid.xor(32)), BARRIER, write(Ex::Tid), second]);
    assert_eq!(separations(&[sum(BARRIER)], 1, 64), [(vec![0], true), (vec![1], true)]);
    // The one at the end of the last round is the one before the first.
    let body = [write(Ex::Tid), sum(BARRIER), BARRIER, read(Ex::Tid.xor(1))];
    let found = separations(&body, 1, 64);
    assert!(!found.iter().any(|s| s.0.contains(&2)), "{found:?}");
}

#[test]
fn barriers_that_order_one_memory() {
    let opencl = |body: &[St]| {
        let kernel = kernel(Language::OpenCl, body);
        numbered(&kernel, &survey_of(&kernel, 1, 64, Independent).separations)
    };
    let (local, wide) = (St::Barrier(true, false), St::Barrier(false, true));
    let s = |b: &[St]| opencl(&[&[write(Ex::Tid)], b, &[read(Ex::Tid.xor(32))]].concat());
    let g =
        |b: &[St]| opencl(&[&[write_global(Ex::Tid)], b, &[read_global(Ex::Tid.xor(32))]].concat());
    assert_eq!(s(std::slice::from_ref(&local)), [(vec![0], true)]);
    assert_eq!(g(std::slice::from_ref(&wide)), [(vec![0], true)]);
    // It is a race as it is: no barrier is to blame.
    assert_eq!(g(std::slice::from_ref(&local)), []);
    assert_eq!(g(&[local.clone(), wide.clone()]), [(vec![1], true)]);
    assert_eq!(s(&[local, wide]), [(vec![0], true)]);
}

#[test]
fn atomics_count_unless_they_commute() {
    use AtomicOp::{Add, Exchange, Load, UMax};
    let pair = |a, b, used| {
        let atomic = |op, used| St::Atomic(Mem::Shared, Ex::Num(3), op, used);
        let kernel = cuda(&[atomic(a, false), BARRIER, atomic(b, used)]);
        !survey_of(&kernel, 1, 64, Independent).separations.is_empty()
    };
    assert!(!pair(Add, Add, false));
    assert!(pair(Add, Add, true));
    assert!(pair(Add, UMax, false));
    assert!(pair(Exchange, Add, false));
    assert!(!pair(Load, Load, true));
    assert!(pair(Add, Load, true));
    let init = [
        when(Ex::Tid, 1, vec![write(Ex::Num(3))]),
        BARRIER,
        St::Atomic(Mem::Shared, Ex::Num(3), Add, false),
    ];
    assert_eq!(separations(&init, 1, 64), [(vec![0], true)]);
}

#[test]
fn messages_to_other_blocks_need_the_barrier_before_them() {
    let store = || write_global(Ex::Tid);
    let first = |s: St| when(Ex::Tid, 1, vec![s]);
    let signal = |op, used| St::Atomic(Mem::Global, Ex::Num(1000), op, used);
    let flag = |kind| St::Volatile(Mem::Global, Ex::Num(1000), kind);
    for s in [
        signal(AtomicOp::Add, false),
        flag(SiteKind::Write),
        flag(SiteKind::Read),
        St::Fence(Scope::Device),
    ] {
        let found = separations(&[store(), BARRIER, first(s.clone())], 1, 64);
        assert_eq!(found, [(vec![0], true)], "{s:?}");
        // What is stored afterwards is no part of the message.
        let found = separations(&[store(), BARRIER, store(), first(s.clone())], 1, 64);
        assert_eq!(found, [(vec![0], true)], "{s:?}");
    }
    let near = [store(), BARRIER, first(St::Fence(Scope::Block))];
    assert_eq!(separations(&near, 1, 64), []);
    // What other blocks said is for all to see only after the barrier.
    for (s, needed) in [
        (signal(AtomicOp::Add, true), true),
        (flag(SiteKind::Read), true),
        (signal(AtomicOp::Add, false), false),
        (flag(SiteKind::Write), false),
    ] {
        let found = separations(&[first(s.clone()), BARRIER, read_global(Ex::Tid)], 1, 64);
        assert_eq!(!found.is_empty(), needed, "{s:?}");
    }
    // Shared memory is no message.
    let shared = St::Atomic(Mem::Shared, Ex::Num(1000), AtomicOp::Add, false);
    assert_eq!(separations(&[store(), BARRIER, first(shared)], 1, 64), []);
}

#[test]
fn a_barrier_that_computes_is_needed() {
    let body = [write(Ex::Tid), St::Counting, read(Ex::Tid)];
    assert_eq!(separations(&body, 1, 64), [(vec![0], true)]);
    let kernel = cuda(&body);
    let survey = survey_of(&kernel, 1, 64, Independent);
    assert_eq!(survey.separations[0].example.0.op.name(), "barrier");
    assert_eq!(survey.separations[0].memory, None);
}

#[test]
fn the_grid_barrier_orders_what_was_before() {
    let body = [write(Ex::Tid), BARRIER, St::Grid, read(Ex::Tid.xor(32))];
    assert_eq!(separations(&body, 2, 64), []);
    let body = [write(Ex::Tid), St::Grid, read(Ex::Tid.xor(32)), BARRIER, write(Ex::Tid)];
    assert_eq!(separations(&body, 2, 64), [(vec![0], true)]);
}

#[test]
fn bytes_and_words_overlap() {
    // Words 0.. are written; bytes 2..4 of the next thread's word are read.
    let body =
        [write(Ex::Tid), BARRIER, St::Copy(Mem::Shared, Ex::Tid.add(200), Ex::Tid.add(1), 2)];
    assert_eq!(separations(&body, 1, 32), [(vec![0], false)]);
    let body =
        [St::Copy(Mem::Shared, Ex::Tid, Ex::Tid.add(200), 2), BARRIER, write(Ex::Tid.xor(1))];
    assert_eq!(separations(&body, 1, 32), [(vec![0], false)]);
}

#[test]
fn no_answer_where_there_can_be_none() {
    let config = Config { barrier_needs: true, ..config(Independent) };
    let of = |body: &[St], config: &Config| run(&cuda(body), 1, 64, config).barriers;
    assert!(of(&[write(Ex::Tid), BARRIER], &config).is_some());
    assert_eq!(of(&[write(Ex::Tid), BARRIER], &Config::default()), None);
    assert_eq!(of(&[write(Ex::Tid), St::Named], &config), None);
    let short = Config { max_steps: 5, ..config.clone() };
    assert_eq!(of(&[St::Loop(100, vec![BARRIER])], &short), None);
    let divergent = [St::If(Ex::Tid, Ex::Num(7), vec![BARRIER], vec![BARRIER])];
    assert_eq!(of(&divergent, &config), None);
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % u64::from(n)) as u32
    }

    fn index(&mut self) -> Ex {
        match self.below(8) {
            0 => Ex::Tid.xor(1),
            1 => Ex::Tid.xor(32),
            2 => Ex::Tid.add(1).rem(64),
            3 => Ex::Num(self.below(3)),
            4 => Ex::Tid.div(2),
            5 => Ex::Tid.rem(32),
            _ => Ex::Tid,
        }
    }

    fn access(&mut self, out: &mut Vec<St>) {
        // A second array, so that not everything conflicts.
        let at = self.index().add(64 * self.below(2));
        let mem = if self.below(3) == 0 { Mem::Global } else { Mem::Shared };
        let at = if mem == Mem::Global { global(at) } else { at };
        let one = |s: St| when(Ex::Tid.xor(7), 1, vec![s]);
        out.push(match self.below(9) {
            0..4 => St::Read(mem, at),
            4 => when(Ex::Tid, 16, vec![St::Read(mem, at)]),
            5 => one(St::Write(mem, at)),
            6 => St::Copy(mem, at.clone(), at, 2),
            _ => St::Write(mem, at),
        });
    }

    fn list(&mut self, language: Language, length: u32, depth: u32) -> Vec<St> {
        let mut out = Vec::new();
        for _ in 0..length {
            self.access(&mut out);
            match self.below(12) {
                0 if depth > 0 => {
                    let length = 1 + self.below(3);
                    let body = self.list(language, length, depth - 1);
                    out.push(St::Loop(2, body));
                }
                1 if language == Language::Cuda => out.push(St::SyncWarp(u32::MAX)),
                2 if language == Language::Cuda => {
                    out.push(when(Ex::Tid.rem(32), 16, vec![St::SyncWarp(0xffff)]));
                }
                3 if language == Language::OpenCl => out.push(St::Barrier(true, false)),
                4 if language == Language::OpenCl => out.push(St::Barrier(false, true)),
                3 => {
                    let mut arms = [Vec::new(), Vec::new()];
                    arms.iter_mut().for_each(|a| self.access(a));
                    let [a, b] = arms;
                    out.push(St::If(Ex::Tid, Ex::Num(8 << self.below(3)), a, b));
                }
                5..10 => out.push(BARRIER),
                _ => {}
            }
        }
        out
    }
}

/// On random kernels without races: the accesses race without some barriers if (and
/// but for one exception, only if) these contain a separation.
#[test]
fn separations_agree_with_taking_barriers_away() {
    let mut checked = [0, 0];
    for (language, scheduling) in
        [(Language::Cuda, Independent), (Language::Cuda, Lockstep), (Language::OpenCl, Independent)]
    {
        let mut clean = 0;
        for seed in 0.. {
            let mut random = Random(seed);
            let length = 2 + random.below(6);
            let body = random.list(language, length, 1);
            let whole = kernel(language, &body);
            let threads = [64, 96, 40][random.below(3) as usize];
            let sites = barriers(&whole);
            let config = Config { barrier_needs: true, ..config(scheduling) };
            let outcome = run(&whole, 2, threads, &config);
            if sites.is_empty() || !outcome.findings.is_empty() {
                continue;
            }
            let survey = outcome.barriers.expect("it can be surveyed");
            for subset in subsets(&mut random, sites.len()) {
                let gone: Vec<SiteId> = subset.iter().map(|i| sites[*i]).collect();
                let edited = gone.iter().fold(whole.clone(), |k, s| {
                    without(&k, *s).expect("the barrier can be taken away")
                });
                let races = !run(&edited, 2, threads, &crate::program::config(scheduling))
                    .findings
                    .is_empty();
                let needed =
                    survey.separations.iter().any(|s| s.barriers.iter().all(|b| gone.contains(b)));
                // Where lanes of a warp meet in part, a barrier may be taken as needed
                // that is not.
                let partial =
                    scheduling == Independent && format!("{body:?}").contains("SyncWarp(65535)");
                assert!(
                    needed == races || needed && partial,
                    "seed {seed}, {language}, {scheduling:?}, {threads} threads, without {subset:?}: {:?}\n{body:#?}",
                    numbered(&whole, &survey.separations),
                );
                checked[usize::from(races)] += 1;
            }
            clean += 1;
            if clean == 150 {
                break;
            }
        }
    }
    assert!(checked[0] > 300 && checked[1] > 300, "{checked:?}");
}

/// Every barrier alone, all together, and a few others.
fn subsets(random: &mut Random, n: usize) -> Vec<Vec<usize>> {
    let mut out: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
    out.push((0..n).collect());
    for _ in 0..4 {
        out.push((0..n).filter(|_| random.below(2) == 0).collect());
    }
    out.retain(|s| !s.is_empty());
    out
}

/// A survey changes nothing that is found.
#[test]
fn findings_do_not_depend_on_the_survey() {
    let mut found = 0;
    for seed in 0..200 {
        let mut random = Random(seed);
        let language = if seed % 4 == 0 { Language::OpenCl } else { Language::Cuda };
        let scheduling = if seed % 4 == 1 { Lockstep } else { Independent };
        let length = 2 + random.below(8);
        let kernel = kernel(language, &random.list(language, length, 1));
        let plain = Config { scheduling, ..Config::default() };
        let plain_run = run(&kernel, 2, 64, &plain);
        let surveyed = run(&kernel, 2, 64, &Config { barrier_needs: true, ..plain });
        assert_eq!(plain_run.findings, surveyed.findings, "seed {seed}");
        assert_eq!(plain_run.buffers, surveyed.buffers, "seed {seed}");
        assert_eq!(plain_run.coverage, surveyed.coverage, "seed {seed}");
        found += plain_run.findings.len();
    }
    assert!(found > 100);
}
