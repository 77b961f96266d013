//! Random kernels that communicate by atomic operations only: what the simulator's execution leaves in memory is among
//! what the explored executions leave, and nothing goes wrong in any of them.

use lockstep_fences::{Arg, Launch, Limits, examine, specialise};
use lockstep_frontend::{Input, Options, load};
use lockstep_kernel::{Kernel, Language, Scheduling, Space};
use lockstep_simulate::{BoundArg, BoundLaunch, Config, simulate};
use lockstep_weak::behaviour;
use lockstep_weak::model::Ptx;

const KERNELS: u64 = 120;

/// Numbers from Knuth's generator: the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
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

fn source(kernels: u64) -> String {
    let mut text = String::new();
    for number in 0..kernels {
        let mut random = Random(number * 7919 + 1);
        let mut body = String::new();
        for _ in 0..4 {
            body += &format!("    {}\n", statement(&mut random, 0));
        }
        text += &format!(
            "__global__ void k{number}(int *a, int *out) {{\n    int t[4] = {{1, 2, 3, 4}};\n    \
             int x = (int)blockIdx.x * 3 + 1;\n{body}    atomicAdd(&out[blockIdx.x], x);\n    \
             atomicAdd(&out[1 - blockIdx.x], 0);\n}}\n"
        );
    }
    text
}

/// What the arrays hold after the simulator's execution.
fn simulated(kernel: &Kernel) -> Vec<Vec<u8>> {
    let args = kernel.params.iter().map(|_| BoundArg::Buffer(vec![0; 16].into())).collect();
    let launch = BoundLaunch { grid: [2, 1, 1], block: [1, 1, 1], global: None, shared: 0, args };
    let outcome = simulate(kernel, &launch, &Config::default()).expect("it can be executed");
    assert!(outcome.incomplete.is_none(), "{}: {:?}", kernel.name, outcome.incomplete);
    outcome.buffers.into_iter().map(|(_, bytes)| bytes).collect()
}

#[test]
fn what_the_simulator_leaves_is_among_what_can_be_left() {
    let text = source(KERNELS);
    let input = Input::Text { name: "random.cu", bytes: text.as_bytes() };
    let options = Options { language: Some(Language::Cuda), ..Options::default() };
    let module = load(input, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(module.kernels.len() as u64, KERNELS);
    let (mut decided, mut several) = (0, 0);
    for kernel in &module.kernels {
        let launch = Launch {
            grid: [2, 1, 1],
            block: [1, 1, 1],
            warp_size: 32,
            scheduling: Scheduling::Independent,
            shared: 0,
            args: kernel.params.iter().map(|_| Arg::Buffer(vec![0; 16])).collect(),
        };
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
        let buffers = simulated(kernel);
        // Arrays of a thread's own are places, too, where computed indices go there.
        let agrees = |outcome: &Vec<i64>| {
            communication.places.iter().zip(outcome).all(|(place, &value)| {
                let Some(array) = kernel.params.iter().position(|p| p.name == place.object) else {
                    return place.space == Space::Private;
                };
                let at = place.offset as usize;
                let bytes = buffers[array][at..at + 4].try_into().expect("four bytes");
                i64::from(u32::from_le_bytes(bytes)) == value
            })
        };
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
    assert!(decided >= 100 && several >= 60, "{decided} decided, {several} with several outcomes");
}
