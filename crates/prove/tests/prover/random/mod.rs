//! What the comparisons with random kernels share: numbers, compiling, proving, and many seeds at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lockstep_finding::{Kind, Origin};
use lockstep_frontend::{Input, Module, Options, load};
use lockstep_kernel::{Kernel, Language};
use lockstep_prove::{Assumptions, Config, DimSpec};

pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

pub(crate) fn compile(text: &str) -> Module {
    let options = Options { language: Some(Language::Cuda), ..Options::default() };
    let input = Input::Text { name: "generated.cu", bytes: text.as_bytes() };
    load(input, &options).expect("generated kernels compile")
}

/// The kernel `k0`, `k1`, … of a module.
pub(crate) fn kernel(module: &Module, number: usize) -> &Kernel {
    module.kernels.iter().find(|f| f.name == format!("k{number}")).expect("there")
}

/// A launch of one block.
pub(crate) fn one_block(threads: u32) -> Assumptions {
    let one = DimSpec::Exactly(1);
    let block = [DimSpec::Exactly(threads), one, one];
    Assumptions::of_dims([one; 3], block, Origin::CommandLine)
}

/// Races only, and no clock.
pub(crate) fn races_only(work: u32) -> Config {
    Config {
        kinds: vec![Kind::DataRace],
        budget: Duration::from_secs(3600),
        patience: Duration::MAX,
        work,
        jobs: 1,
        ..Config::default()
    }
}

/// The seeds of a long run.
pub(crate) fn many_seeds() -> Vec<u64> {
    (1..=100u64).map(|s| s.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1).collect()
}

/// All seeds, on all cores; the sum of what each gives.
pub(crate) fn on_all_cores(seeds: &[u64], compare: impl Fn(u64) -> usize + Sync) -> usize {
    let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|s| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            s.spawn(|| {
                while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
                    sum.fetch_add(compare(*seed), Ordering::Relaxed);
                }
            });
        }
    });
    sum.into_inner()
}
