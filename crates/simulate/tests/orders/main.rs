//! Random kernels with barriers of blocks and warps, flags, fences and locks: what the simulator finds against what the
//! construction says. Each is right by construction, and is then looked at once more without one of its orders.

mod generate;
mod program;

use std::sync::atomic::{AtomicUsize, Ordering};

use generate::{Rng, launch, right, waits_within_a_warp, without_one};
use lockstep_finding::Kind;
use lockstep_frontend::{Input, Options, load};
use lockstep_kernel::{Kernel, Language, Scheduling};
use lockstep_simulate::{BoundArg, BoundLaunch, Bytes, Config, simulate};
use program::{Program, Verdict};

/// Kernels that are compiled at once.
const AT_ONCE: usize = 50;

fn executed(kernel: &Kernel, p: &Program, scheduling: Scheduling) -> Result<Verdict, String> {
    let (grid, block) = launch(p);
    let buffer = |n: usize| BoundArg::Buffer(Bytes::from(vec![0; 4 * n]));
    let args = vec![buffer(p.elements()), buffer(p.body.len() + 1)];
    let launch = BoundLaunch { grid, block, global: None, shared: 0, args };
    let config = Config { scheduling, ..Config::default() };
    let outcome = simulate(kernel, &launch, &config).map_err(|e| e.to_string())?;
    if let Some(why) = outcome.incomplete {
        return Err(why.to_string());
    }
    let mut out = Verdict::default();
    for f in &outcome.findings {
        match f.kind {
            Kind::DataRace => out.race = true,
            Kind::MissingFence => out.missing_fence = true,
            kind => return Err(format!("{kind}: {}", f.message)),
        }
    }
    Ok(out)
}

/// Compares `count` programs, and each without one of its orders; how many of those are wrong, and how many lack a fence.
fn compare(seed: u64, count: usize) -> [usize; 3] {
    let mut rng = Rng(seed);
    let mut seen = [0; 3];
    let mut programs = Vec::new();
    for _ in 0..count {
        let p = right(&mut rng);
        let broken = without_one(&mut rng, &p);
        programs.extend([p, broken]);
    }
    for programs in programs.chunks(AT_ONCE) {
        let mut text = String::from("#include <cooperative_groups.h>\n");
        programs.iter().enumerate().for_each(|(i, p)| text.push_str(&p.text(i)));
        let options = Options { language: Some(Language::Cuda), ..Options::default() };
        let input = Input::Text { name: "generated.cu", bytes: text.as_bytes() };
        let module = load(input, &options).expect("generated kernels compile");
        for (i, p) in programs.iter().enumerate() {
            let name = format!("k{i}");
            let kernel = module.kernels.iter().find(|k| k.name == name).expect("there");
            let expected = p.verdict();
            let found = executed(kernel, p, Scheduling::Independent);
            assert_eq!(found, Ok(expected), "seed {seed}, {} blocks:\n{}", p.blocks, p.text(i));
            if expected == Verdict::default() && !waits_within_a_warp(p) {
                let found = executed(kernel, p, Scheduling::Lockstep);
                let source = p.text(i);
                assert_eq!(found, Ok(expected), "seed {seed}, in lock step:\n{source}");
            }
            seen[0] += usize::from(expected == Verdict::default());
            seen[1] += usize::from(expected.race);
            seen[2] += usize::from(expected.missing_fence);
        }
    }
    seen
}

/// All seeds, on all cores.
fn compare_all(seeds: &[u64], count: usize) {
    let next = AtomicUsize::new(0);
    let seen = [const { AtomicUsize::new(0) }; 3];
    std::thread::scope(|s| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            s.spawn(|| {
                while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = compare(*seed, count);
                    seen.iter().zip(one).for_each(|(all, n)| {
                        all.fetch_add(n, Ordering::Relaxed);
                    });
                }
            });
        }
    });
    let [right, racy, unfenced] = seen.map(AtomicUsize::into_inner);
    println!("{right} in order, {racy} with a race, {unfenced} without a fence");
    let all = seeds.len() * count;
    assert!(racy * 10 > all && unfenced * 10 > all, "too few are wrong to say anything");
}

#[test]
fn random_orders_are_told() {
    compare_all(&[0x1234_5678, 0x9e37_79b9], 75);
}

/// The long run: `cargo test -p lockstep-simulate --test orders -- --ignored`.
#[test]
#[ignore = "long"]
fn many_random_orders_are_told() {
    let seeds: Vec<u64> = (1..=50u64).map(|s| s.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1).collect();
    compare_all(&seeds, 50);
}
