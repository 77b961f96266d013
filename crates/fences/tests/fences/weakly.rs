//! Weak execution against the exploration: what random kernels leave in memory when the simulator executes them with store
//! buffers and early loads is among what the executions leave that the memory model allows.

use std::collections::BTreeSet;

use lockstep_fences::{Arg, Launch, Limits, specialise};
use lockstep_frontend::{Input, Options, load};
use lockstep_kernel::{Kernel, Language, Scheduling};
use lockstep_simulate::{BoundArg, BoundLaunch, Config, StoreBuffers, simulate};
use lockstep_weak::behaviour;
use lockstep_weak::model::Ptx;

use crate::simulated::{Random, agrees};

const KERNELS: u64 = 180;
/// Executions of each kernel, for each of these probabilities.
const SEEDS: u64 = 24;
const PROBABILITIES: [f64; 3] = [1.0, 0.5, 0.25];

/// Threads in one block, in two, and two in each of two.
const SHAPES: [(u32, u32); 3] = [(2, 1), (1, 2), (2, 2)];

/// A statement of one thread. What it reads goes into `x`.
fn statement(random: &mut Random, values: &mut u64, shared: bool) -> String {
    *values += 1;
    let array = if shared && random.below(3) == 0 { "s" } else { "a" };
    let (place, value) = (format!("{array}[{}]", random.below(2)), *values);
    match random.below(15) {
        0..=3 => format!("{place} = {value};"),
        4..=7 => format!("x = x * 31 + {place};"),
        8 => format!("*(volatile int *)&{place} = {value};"),
        9 => format!("x = x * 31 + *(volatile int *)&{place};"),
        10 => format!("x = x * 31 + atomicAdd(&{place}, {});", value << 8),
        11 => format!("x = x * 31 + atomicExch(&{place}, {value});"),
        12 => format!(
            "x = x * 31 + atomicCAS(&{place}, {}, {value});",
            random.below(values_upto(*values))
        ),
        13 => "__threadfence();".to_string(),
        _ => "__threadfence_block();".to_string(),
    }
}

fn values_upto(last: u64) -> u64 {
    last.clamp(1, 4)
}

/// Each thread has statements of its own, in one or two parts with a barrier of the block between them.
fn body(random: &mut Random, (grid, block): (u32, u32)) -> String {
    let threads = grid * block;
    let (mut text, mut values) = (String::new(), 0);
    let parts = if block > 1 && random.below(2) == 0 { 2 } else { 1 };
    for part in 0..parts {
        if part > 0 {
            text += "    __syncthreads();\n";
        }
        for thread in 0..threads {
            let count = if threads > 2 { 1 + random.below(2) } else { 2 + random.below(3) };
            let statements: Vec<String> =
                (0..count).map(|_| statement(random, &mut values, block > 1)).collect();
            text += &format!("    if (me == {thread}) {{ {} }}\n", statements.join(" "));
        }
    }
    text
}

fn source() -> String {
    let mut text = String::new();
    for number in 0..KERNELS {
        let mut random = Random(number * 104_729 + 7);
        let shape = SHAPES[(number % 3) as usize];
        let body = body(&mut random, shape);
        let threads = shape.0 * shape.1;
        text += &format!(
            "__global__ void k{number}(int *a, int *out) {{\n    __shared__ int s[2];\n    \
             int x = 0, me = blockIdx.x * blockDim.x + threadIdx.x;\n    \
             atomicExch(&s[0], 0); atomicExch(&s[1], 0);\n    __syncthreads();\n{body}    \
             atomicAdd(&out[me], x);\n    atomicAdd(&out[(me + 1) % {threads}], 0);\n}}\n"
        );
    }
    text
}

/// What the arrays hold after an execution with store buffers.
fn executed(kernel: &Kernel, shape: (u32, u32), buffers: StoreBuffers) -> Vec<Vec<u8>> {
    let args = kernel.params.iter().map(|_| BoundArg::Buffer(vec![0; 16].into())).collect();
    let (grid, block) = ([shape.0, 1, 1], [shape.1, 1, 1]);
    let launch = BoundLaunch { grid, block, global: None, shared: 0, args };
    let config = Config { store_buffers: Some(buffers), ..Config::default() };
    let outcome = simulate(kernel, &launch, &config).expect("it can be executed");
    assert!(outcome.incomplete.is_none(), "{}: {:?}", kernel.name, outcome.incomplete);
    outcome.buffers.into_iter().map(|(_, bytes)| bytes).collect()
}

#[test]
fn weak_executions_are_executions_of_the_model() {
    let text = source();
    let input = Input::Text { name: "random.cu", bytes: text.as_bytes() };
    let options = Options { language: Some(Language::Cuda), ..Options::default() };
    let module = load(input, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(module.kernels.len() as u64, KERNELS);
    let (mut decided, mut weak_ones, mut seen_all, mut of_all) = (0, 0, 0, 0);
    for (number, kernel) in module.kernels.iter().enumerate() {
        let shape = SHAPES[number % 3];
        let launch = Launch {
            grid: [shape.0, 1, 1],
            block: [shape.1, 1, 1],
            global: None,
            warp_size: 32,
            scheduling: Scheduling::Independent,
            shared: 0,
            args: kernel.params.iter().map(|_| Arg::Buffer(vec![0; 16])).collect(),
        };
        let communication = specialise(kernel, &launch, &Limits::default())
            .unwrap_or_else(|outside| panic!("{}: {outside}\n{text}", kernel.name));
        let limits =
            lockstep_weak::Limits { judgements: 4_000, ..lockstep_weak::Limits::default() };
        let (all, summary) = behaviour(&communication.program, &Ptx::DOCUMENTED, limits);
        if !summary.exhaustive() {
            continue;
        }
        decided += 1;
        let (mut plain, mut weak) = (BTreeSet::new(), BTreeSet::new());
        for seed in 0..SEEDS {
            for probability in PROBABILITIES.into_iter().chain([0.0]) {
                let buffers = StoreBuffers { seed, probability, size: 256 };
                let bytes = executed(kernel, shape, buffers);
                if probability == 0.0 { &mut plain } else { &mut weak }.insert(bytes);
            }
        }
        for buffers in plain.iter().chain(&weak) {
            let agrees = |outcome: &Vec<i64>| agrees(kernel, &communication, buffers, outcome);
            assert!(
                all.outcomes.iter().any(agrees),
                "{}: {buffers:?} is not among {:?}\n{}\n{}",
                kernel.name,
                all.outcomes,
                communication.program,
                text.split("__global__").nth(number + 1).unwrap_or_default()
            );
        }
        weak_ones += usize::from(!weak.is_subset(&plain));
        seen_all += weak.len();
        of_all += all.outcomes.len();
    }
    println!(
        "{decided} decided, {weak_ones} not sequentially consistent; {seen_all} of {of_all} outcomes"
    );
    assert!(decided >= 90 && weak_ones >= 35, "{decided} decided, {weak_ones} weak");
}
