//! Random kernels without races, of blocks that communicate by atomic operations and of threads of a block that hand each other
//! values: what the simulator's execution leaves in memory is among what the explored executions leave, and nothing goes
//! wrong in any of them.

use lockstep_fences::{Arg, Communication, Launch, Limits, examine, specialise};
use lockstep_frontend::{Input, Options, load};
use lockstep_kernel::{Kernel, Language, Space};
use lockstep_simulate::{BoundArg, BoundLaunch, Config, simulate};
use lockstep_weak::behaviour;
use lockstep_weak::model::Ptx;

use crate::rows::launch;

const KERNELS: u64 = 120;

/// Numbers from Knuth's generator: the same on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// A statement that changes `x`, and perhaps memory.
fn statement(random: &mut Random, depth: u32) -> String {
    let (k, c) = (random.below(4), random.below(9) as i64 - 4);
    let place = match random.below(3) {
        0 => "a[x & 3]".to_string(),
        _ => format!("a[{k}]"),
    };
    match random.below(if depth > 0 { 12 } else { 14 }) {
        0 => format!("x = atomicAdd(&{place}, (x & 3) + 1);"),
        1 => format!("atomicXor(&{place}, x);"),
        2 => format!("x = atomicMax(&{place}, x + {c});"),
        3 => format!("x += atomicCAS(&{place}, {c}, x | 1);"),
        4 => format!("x = atomicExch(&{place}, x * 3 + {c});"),
        5 => format!("x = x * {c} + {k};"),
        6 => format!("x = ({})x;", random.pick(&["short", "signed char", "unsigned char"])),
        7 => format!(
            "x = {};",
            random.pick(&["(int)((unsigned)x >> 3)", "x >> 1", "x / 3", "x % 5"])
        ),
        8 => format!("t[x & 3] += x; x = t[{k}] + {c};"),
        9 => "{ float f = x * 0.5f; x = (int)f + (f < 1.0f); }".to_string(),
        10 => "x ^= x > 2 ? 5 : t[1];".to_string(),
        11 => "{ unsigned long long y = (unsigned long long)x * 0x10001ull; x = (int)(y >> 8); }"
            .into(),
        12 => {
            let (yes, no) = (statement(random, depth + 1), statement(random, depth + 1));
            format!("if (x > {c}) {{ {yes} }} else {{ {no} }}")
        }
        _ => {
            format!("for (int i = 0; i < (x & 1) + 1; ++i) {{ {} }}", statement(random, depth + 1))
        }
    }
}

/// A statement that all threads of a block of two execute together: they hand each other values through shared memory, be it
/// in pieces, and by operations of the warp.
fn together(random: &mut Random) -> String {
    let (k, c) = (random.below(2), random.below(9) as i64 - 4);
    let hand_over =
        |put: &str, take: &str| format!("{put}; __syncthreads(); {take}; __syncthreads();");
    match random.below(13) {
        0 => hand_over("word[me] = x", "x += word[1 - me]"),
        1 => hand_over("((short *)word)[me] = (short)x", "x ^= word[0]"),
        2 => hand_over("word[me] = x", "x += ((unsigned short *)word)[1 + 2 * (1 - me)]"),
        3 => hand_over("((int *)wide)[me] = x", "x += (int)(wide[0] >> 20)"),
        4 => hand_over(
            "pair[me] = {(short)x, (short)(x * 3)}",
            "{ Pair p = pair[1 - me]; x += p.a - p.b; }",
        ),
        5 => format!("x = __shfl_sync(3, x, {k});"),
        6 => format!(
            "x += {}(3, x, 1, 2);",
            random.pick(&["__shfl_xor_sync", "__shfl_down_sync", "__shfl_up_sync"])
        ),
        7 => format!(
            "x += (int){}(3, x > {c});",
            random.pick(&["__ballot_sync", "__any_sync", "__all_sync"])
        ),
        8 => format!(
            "x += {}(x > {c});",
            random.pick(&["__syncthreads_count", "__syncthreads_or", "__syncthreads_and"])
        ),
        9 => format!("x += (int)__match_any_sync(3, x & {});", k + 1),
        10 => "__syncwarp(3);".into(),
        11 => {
            "bytes[me] = (unsigned char)x; __syncwarp(3); x += bytes[1 - me]; __syncwarp(3);".into()
        }
        _ => format!("if (me == {k}) word[0] = x; __syncthreads(); x -= word[0]; __syncthreads();"),
    }
}

/// Kernels for two blocks of one thread.
fn of_blocks(kernels: u64) -> String {
    let kernel = |number: u64| {
        let mut random = Random(number * 7919 + 1);
        let body: String = (0..4).map(|_| format!("    {}\n", statement(&mut random, 0))).collect();
        format!(
            "__global__ void k{number}(int *a, int *out) {{\n    int t[4] = {{1, 2, 3, 4}};\n    \
             int x = (int)blockIdx.x * 3 + 1;\n{body}    atomicAdd(&out[blockIdx.x], x);\n    \
             atomicAdd(&out[1 - blockIdx.x], 0);\n}}\n"
        )
    };
    (0..kernels).map(kernel).collect()
}

/// Kernels for a block of two threads.
fn of_a_block(kernels: u64) -> String {
    let kernel = |number: u64| {
        let mut random = Random(number * 104_729 + 5);
        let mut line = || match random.below(3) {
            0 => statement(&mut random, 0),
            _ => together(&mut random),
        };
        let body: String = (0..5).map(|_| format!("    {}\n", line())).collect();
        format!(
            "__global__ void k{number}(int *a, int *out) {{\n    __shared__ int word[2];\n    \
             __shared__ long long wide[1];\n    __shared__ Pair pair[2];\n    \
             __shared__ unsigned char bytes[2];\n    int t[4] = {{1, 2, 3, 4}};\n    \
             int me = threadIdx.x;\n    int x = me * 37 + 5;\n    \
             if (me == 0) word[0] = word[1] = 0;\n    __syncthreads();\n{body}    \
             atomicAdd(&out[me], x);\n    atomicAdd(&out[1 - me], 0);\n}}\n"
        )
    };
    "struct Pair { short a, b; };\n".to_string() + &(0..kernels).map(kernel).collect::<String>()
}

/// What the arrays hold after the simulator's execution.
fn simulated(kernel: &Kernel, (grid, block): (u32, u32)) -> Vec<Vec<u8>> {
    let args = kernel.params.iter().map(|_| BoundArg::Buffer(vec![0; 16].into())).collect();
    let (grid, block) = ([grid, 1, 1], [block, 1, 1]);
    let launch = BoundLaunch { grid, block, global: None, shared: 0, args };
    let outcome = simulate(kernel, &launch, &Config::default()).expect("it can be executed");
    assert!(outcome.incomplete.is_none(), "{}: {:?}", kernel.name, outcome.incomplete);
    outcome.buffers.into_iter().map(|(_, bytes)| bytes).collect()
}

/// How many kernels were decided, and how many of them can end in several ways.
fn compare(text: &str, at: (u32, u32)) -> (usize, usize) {
    let input = Input::Text { name: "random.cu", bytes: text.as_bytes() };
    let options = Options { language: Some(Language::Cuda), ..Options::default() };
    let module = load(input, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (mut decided, mut several) = (0, 0);
    for kernel in &module.kernels {
        let args = kernel.params.iter().map(|_| Arg::Buffer(vec![0; 16])).collect();
        let launch = Launch { args, ..launch(kernel, at) };
        let limits = Limits::default();
        let communication = specialise(kernel, &launch, &limits)
            .unwrap_or_else(|outside| panic!("{}: {outside}\n{text}", kernel.name));
        let weak = lockstep_weak::Limits { judgements: 20_000, ..lockstep_weak::Limits::default() };
        let (all, summary) = behaviour(&communication.program, &Ptx::DOCUMENTED, weak);
        if !summary.exhaustive() {
            continue;
        }
        decided += 1;
        several += usize::from(all.outcomes.len() > 1);
        let buffers = simulated(kernel, at);
        let agrees = |outcome: &Vec<i64>| agrees(kernel, &communication, &buffers, outcome);
        assert!(
            all.outcomes.iter().any(agrees),
            "{}: {buffers:?} is not among {:?}\n{}\n{text}",
            kernel.name,
            all.outcomes,
            communication.program
        );
        let answer = examine(kernel, std::slice::from_ref(&launch), &limits);
        assert_eq!(answer.all_faults().count(), 0, "{}: {answer:?}\n{text}", kernel.name);
    }
    println!("{decided} decided, {several} with several outcomes");
    (decided, several)
}

/// Whether arrays hold what an outcome of the exploration says. Arrays of a thread's own and of the block are places, too.
pub(crate) fn agrees(
    kernel: &Kernel,
    communication: &Communication,
    buffers: &[Vec<u8>],
    outcome: &[i64],
) -> bool {
    communication.places.iter().zip(outcome).all(|(place, &value)| {
        let Some(array) = kernel.params.iter().position(|p| p.name == place.object) else {
            return place.space != Space::Global;
        };
        let at = place.offset as usize;
        let bytes = buffers[array][at..at + 4].try_into().expect("four bytes");
        i64::from(u32::from_le_bytes(bytes)) == value
    })
}

#[test]
fn what_blocks_leave_in_the_simulator_is_among_what_can_be_left() {
    let (decided, several) = compare(&of_blocks(KERNELS), (2, 1));
    assert!(decided >= 100 && several >= 60, "{decided} decided, {several} with several outcomes");
}

#[test]
fn what_a_block_leaves_in_the_simulator_is_among_what_can_be_left() {
    let (decided, several) = compare(&of_a_block(KERNELS), (1, 2));
    assert!(decided >= 100 && several >= 20, "{decided} decided, {several} with several outcomes");
}
