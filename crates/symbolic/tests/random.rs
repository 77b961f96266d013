//! Symbolic and concrete execution agree: random kernels, executed symbolically over all their inputs, then evaluated on some; and the
//! simulator on the same.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use lockstep_difftest::case::{ArgKind, Case, Scalar};
use lockstep_difftest::generate::generate;
use lockstep_difftest::random::Random;
use lockstep_finding::ElementType;
use lockstep_frontend as frontend;
use lockstep_kernel::{Kernel, Language, Ty};
use lockstep_simulate::{BoundArg, BoundLaunch, Config, simulate};
use lockstep_symbolic::{Input, Launched, Limits, evaluated};

/// How a case ended.
enum Ended {
    Agreed,
    /// The engine does not follow it.
    NotFollowed(String),
}

/// Whether two rows of bytes are the same values; of a NaN, sign and payload do not count.
fn is_same(ty: Scalar, a: &[u8], b: &[u8]) -> bool {
    let size = ty.bytes();
    a.len() == b.len()
        && a.chunks_exact(size).zip(b.chunks_exact(size)).all(|(x, y)| {
            let nan = |v: &[u8]| match ty {
                Scalar::F32 => f32::from_le_bytes(v.try_into().expect("4 bytes")).is_nan(),
                Scalar::F64 => f64::from_le_bytes(v.try_into().expect("8 bytes")).is_nan(),
                _ => false,
            };
            x == y || nan(x) && nan(y)
        })
}

fn register(ty: Scalar) -> Ty {
    match ty {
        Scalar::F32 => Ty::F32,
        Scalar::F64 => Ty::F64,
        _ => [Ty::I8, Ty::I16, Ty::I32, Ty::I64][ty.bytes().trailing_zeros() as usize],
    }
}

fn numbers(bytes: &[u8], size: usize) -> Vec<u64> {
    let number = |chunk: &[u8]| {
        let mut raw = [0; 8];
        raw[..size].copy_from_slice(chunk);
        u64::from_le_bytes(raw)
    };
    bytes.chunks_exact(size).map(number).collect()
}

fn load(case: &Case) -> Kernel {
    let input = frontend::Input::Text { name: "case.cl", bytes: case.source.as_bytes() };
    let options =
        frontend::Options { language: Some(Language::OpenCl), ..frontend::Options::default() };
    let module = frontend::load(input, &options).expect("the source compiles");
    module.kernels.into_iter().find(|k| k.name == case.kernel).expect("the kernel")
}

fn check(seed: u64) -> Result<Ended, String> {
    let case = generate(seed);
    let kernel = load(&case);
    let first = case.inputs();
    let dims = |d: [usize; 3]| d.map(|x| x as u32);
    let mut random = Random::new(seed);
    // The case's own contents, and others.
    let mut launches: Vec<BoundLaunch> = Vec::new();
    for round in 0..3 {
        let mut args = Vec::new();
        for (arg, bytes) in case.args.iter().zip(&first) {
            args.push(match &arg.kind {
                ArgKind::Buffer { .. } => {
                    let mut bytes = bytes.clone().unwrap_or_default();
                    if round > 0 {
                        bytes.iter_mut().for_each(|b| *b = random.bits() as u8);
                    }
                    BoundArg::Buffer(bytes.into())
                }
                ArgKind::Local { ty, len } => BoundArg::Local((ty.bytes() * len) as u64),
                ArgKind::Scalar { ty, .. } => {
                    let bytes = arg.scalar_bytes()?.unwrap_or_default();
                    BoundArg::Scalar(numbers(&bytes, ty.bytes()))
                }
            });
        }
        let (grid, block) = (dims(case.grid), dims(case.block));
        launches.push(BoundLaunch { grid, block, global: None, shared: 0, args });
    }
    let mut inputs = Vec::new();
    let mut of = Vec::new();
    for arg in &case.args {
        of.push(match &arg.kind {
            ArgKind::Buffer { ty, len, .. } => {
                let (ty, elements) = (register(*ty), *len as u64);
                inputs.push(Input {
                    name: arg.name.clone(),
                    ty,
                    element: ElementType::U64,
                    elements,
                    is_array: true,
                });
                Some(inputs.len() - 1)
            }
            _ => None,
        });
    }
    let contents: Vec<Vec<Vec<u64>>> = launches
        .iter()
        .map(|launch| {
            let arrays = launch.args.iter().zip(&case.args);
            arrays
                .filter_map(|(arg, about)| match (arg, &about.kind) {
                    (BoundArg::Buffer(bytes), ArgKind::Buffer { ty, .. }) => {
                        Some(numbers(bytes, ty.bytes()))
                    }
                    _ => None,
                })
                .collect()
        })
        .collect();
    let launched = Launched { kernel: &kernel, launch: launches[0].clone(), inputs: of };
    let limits = Limits { steps: 3_000_000, unroll: 64, questions: 40, ..Limits::default() };
    let results = match evaluated(&launched, &inputs, &contents, limits) {
        Ok(results) => results,
        Err(because) => return Ok(Ended::NotFollowed(because.to_string())),
    };
    for (launch, result) in launches.iter().zip(results) {
        let config = Config { kinds: Vec::new(), ..Config::default() };
        let outcome = simulate(&kernel, launch, &config).map_err(|e| e.to_string())?;
        if let Some(because) = outcome.incomplete {
            return Err(format!("the simulator: {because}"));
        }
        for (param, bytes) in outcome.buffers {
            let ArgKind::Buffer { ty, .. } = &case.args[param].kind else { continue };
            let symbolic = result[param].as_ref().expect("an array");
            if !is_same(*ty, symbolic, &bytes) {
                let at = symbolic.iter().zip(&bytes).position(|(a, b)| a != b);
                return Err(format!("'{}' differs at byte {at:?}", case.args[param].name));
            }
        }
    }
    Ok(Ended::Agreed)
}

fn check_all(seeds: std::ops::Range<u64>) {
    let count = seeds.end - seeds.start;
    let next = AtomicU64::new(seeds.start);
    let failures = Mutex::new(Vec::new());
    let left_out: Mutex<Vec<String>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let began = std::time::Instant::now();
                    let ended = check(seed);
                    if began.elapsed().as_secs() >= 20 {
                        println!("seed {seed} took {:.0} s", began.elapsed().as_secs_f64());
                    }
                    let (list, why) = match ended {
                        Ok(Ended::Agreed) => continue,
                        Ok(Ended::NotFollowed(why)) => (&left_out, why),
                        Err(why) => (&failures, why),
                    };
                    list.lock().expect("no panic").push(format!("seed {seed}: {why}"));
                }
            });
        }
    });
    let of = |list: Mutex<Vec<String>>| list.into_inner().expect("no panic");
    let (failures, left_out) = (of(failures), of(left_out));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // What the engine does not follow says nothing; most it does.
    assert!((left_out.len() as u64) < count / 4, "{}", left_out.join("\n"));
    println!(
        "{} of {count} agree, {} are not followed",
        count - left_out.len() as u64,
        left_out.len()
    );
}

#[test]
#[ignore = "these take minutes: make long-test"]
fn a_thousand_random_kernels() {
    check_all(1000..2200);
}
