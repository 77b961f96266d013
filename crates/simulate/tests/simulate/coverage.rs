//! What a simulation covers, and when it stops.

use std::time::Duration;

use lockstep_cancel::{Cancel, Moment};
use lockstep_finding::{Kind, Reason};
use lockstep_kernel::{BlockId, Scheduling, SiteId};
use lockstep_simulate::{Config, Coverage, footprint};

use crate::program::{BARRIER, Ex, Mem, St, config, cuda, launch, run, when, write};

fn both_ways(kernel: &lockstep_kernel::Kernel, config: &Config) -> Coverage {
    let outcome = run(kernel, 4, 64, config);
    let counted = footprint(kernel, &launch(4, 64), config).expect("the launch fits the kernel");
    assert_eq!(outcome.coverage, counted.coverage);
    outcome.coverage
}

#[test]
fn sites_and_branches_that_some_thread_executed() {
    let body = [
        when(Ex::Tid, 32, vec![write(Ex::Tid)]),
        when(Ex::Tid, 0, vec![write(Ex::Tid.add(64))]),
        when(Ex::Tid, 64, vec![write(Ex::Tid.add(128))]),
        when(Ex::BlockId, 3, vec![write(Ex::Tid.add(192))]),
        St::Loop(3, vec![write(Ex::Tid.add(256)), BARRIER]),
    ];
    let kernel = cuda(&body);
    // With a race (blocks run in order) and without (they run in parallel).
    let racy = cuda(&[&body[..], &[write(Ex::Num(1000))]].concat());
    for (kernel, parallel) in [(&kernel, true), (&racy, false)] {
        for jobs in [1, 3] {
            let config = Config { jobs, ..config(Scheduling::Independent) };
            assert_eq!(run(kernel, 4, 64, &config).stats.parallel, parallel);
            let c = both_ways(kernel, &config);
            assert_eq!(c.sites[..6], [true, false, true, true, true, true]);
            assert_eq!(c.branch(BlockId(0)), [true, true]);
            let branches: Vec<_> = kernel
                .blocks
                .iter()
                .zip(&c.branches)
                .filter(|(b, _)| matches!(b.term, lockstep_kernel::Terminator::Branch { .. }))
                .map(|(_, ways)| *ways)
                .collect();
            let all = [true, true];
            assert_eq!(branches, [all, [false, true], [true, false], all, all]);
            let plain = kernel.blocks.iter().zip(&c.branches);
            let jumps = plain
                .filter(|(b, _)| !matches!(b.term, lockstep_kernel::Terminator::Branch { .. }));
            assert!(jumps.into_iter().all(|(_, ways)| *ways == [false; 2]));
        }
    }
}

#[test]
fn coverage_joins() {
    let mut a = Coverage::default();
    a.join(&Coverage { sites: vec![true, false], branches: vec![[true, false]] });
    a.join(&Coverage { sites: vec![false, false, true], branches: vec![[false, true]] });
    assert_eq!(a.sites, [true, false, true]);
    assert_eq!(a.branches, [[true, true]]);
    assert!(a.site(SiteId(2)) && !a.site(SiteId(9)));
}

#[test]
fn a_deadline_ends_the_launch() {
    let long = cuda(&[St::Loop(u32::MAX, vec![write(Ex::Tid)])]);
    let many = cuda(&[write(Ex::Tid)]);
    let past = Some(Moment::now());
    for jobs in [1, 2] {
        let soon = Some(Moment::now() + Duration::from_millis(20));
        let config = Config { deadline: soon, max_steps: u64::MAX, jobs, ..Config::default() };
        let outcome = run(&long, 4, 64, &config);
        assert_eq!(outcome.incomplete, Some(Reason::TimeBudget { seconds: None }));
        assert!(outcome.coverage.sites[0]);
        let config = Config { deadline: past, ..config };
        let outcome = run(&many, 4000, 64, &config);
        assert_eq!(outcome.incomplete, Some(Reason::TimeBudget { seconds: None }));
        assert!(!footprint(&long, &launch(4, 64), &config).expect("it fits").complete);
    }
    let later = Some(Moment::now() + Duration::from_secs(3600));
    let config = Config { deadline: later, ..Config::default() };
    let body = [St::Loop(4000, vec![St::Write(Mem::Shared, Ex::Tid)])];
    assert_eq!(run(&cuda(&body), 4, 64, &config).incomplete, None);
}

#[test]
fn a_budget_of_steps_holds_with_a_deadline() {
    let long = cuda(&[St::Loop(u32::MAX, vec![write(Ex::Tid)])]);
    let deadline = Some(Moment::now() + Duration::from_secs(3600));
    let config = Config { deadline, max_steps: 100_000, ..Config::default() };
    let outcome = run(&long, 4, 64, &config);
    let limit = Reason::StepBudget { warp_instructions: 100_000 };
    assert_eq!(outcome.incomplete, Some(limit));
    assert!(outcome.stats.warp_steps < 101_000);
}

#[test]
fn a_token_ends_the_launch() {
    let long = cuda(&[St::Loop(u32::MAX, vec![write(Ex::Tid)])]);
    for jobs in [1, 2] {
        let cancel = Cancel::new();
        let config =
            Config { cancel: cancel.clone(), max_steps: u64::MAX, jobs, ..Config::default() };
        std::thread::scope(|scope| {
            let run = scope.spawn(|| run(&long, 4, 64, &config));
            cancel.cancel();
            assert!(run.join().expect("no panic").incomplete.is_some());
        });
        assert!(!footprint(&long, &launch(4, 64), &config).expect("it fits").complete);
    }
}

/// Blocks that are executed alone do what they do among the others.
#[test]
fn some_blocks() {
    // The first two write one element, each its own behind.
    let global = |at: Ex| St::Write(Mem::Global, at);
    let body = [when(Ex::BlockId, 2, vec![global(Ex::Num(0))]), global(Ex::BlockId.add(64))];
    let kernel = cuda(&body);
    for jobs in [1, 3] {
        let plain = Config { jobs, ..config(Scheduling::Independent) };
        let of = |only: &[u32]| {
            let config = Config { only: Some(only.into()), ..plain.clone() };
            run(&kernel, 8, 1, &config)
        };
        let all = run(&kernel, 8, 1, &plain);
        assert_eq!(of(&[0, 1, 2, 3, 4, 5, 6, 7]).findings, all.findings);
        assert_eq!(all.findings.len(), 1);
        assert_eq!(of(&[0, 1, 7]).findings, all.findings);
        assert_eq!(of(&[0, 7]).findings, []);
        assert_eq!(of(&[5]).incomplete, None);
        assert!(of(&[5]).stats.warp_steps < all.stats.warp_steps);
        // Whoever waits for all of them waits in vain, which is no deadlock.
        let kinds = vec![Kind::Deadlock];
        let config = Config { only: Some([1, 2].into()), kinds, ..plain.clone() };
        let waits = run(&cuda(&[global(Ex::BlockId), St::Grid]), 8, 1, &config);
        assert_eq!(waits.findings, []);
        assert!(waits.incomplete.is_some());
    }
}
