//! Random small kernels against exhaustive enumeration: what is proved has no race, what is found has one.
//!
//! Each kernel is generated as a list of statements, printed as CUDA for the prover, and run here for every thread,
//! phase by phase. Everything in it is exact for the prover, so the two must agree, not only be compatible.

use std::fmt::Write as _;
use std::time::Duration;

use lockstep_finding::{Kind, Verdict};
use lockstep_frontend::{Input, Options, load};
use lockstep_kernel::Language;
use lockstep_prove::{Assumptions, Config, DimSpec, prove};

const BLOCK: u32 = 8;

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

#[derive(Clone)]
enum Expr {
    Tid,
    Const(u32),
    Loop(usize),
    Op(&'static str, Box<Expr>, Box<Expr>),
}

enum Stmt {
    Read(Expr),
    Write(Expr),
    If(Expr, &'static str, Expr, Vec<Stmt>),
    /// `for (unsigned i = from; i < to; step)`: with `+=` or `*=`.
    For(usize, Expr, u32, &'static str, u32, Vec<Stmt>),
    Barrier,
}

fn expr(rng: &mut Rng, loops: usize, depth: u32) -> Expr {
    if depth == 0 || rng.below(4) == 0 {
        return match rng.below(if loops > 0 { 5 } else { 4 }) {
            0 | 1 => Expr::Tid,
            4 => Expr::Loop(rng.below(loops as u64) as usize),
            _ => Expr::Const(rng.below(9) as u32),
        };
    }
    let op = ["+", "+", "-", "*", "^", "&", "|", "%", "/", "<<", ">>"][rng.below(11) as usize];
    let left = expr(rng, loops, depth - 1);
    let right = match op {
        // Divisors and shift amounts that mean the same in C and on the machine.
        "%" | "/" => Expr::Const(1 + rng.below(8) as u32),
        "<<" | ">>" => Expr::Const(rng.below(4) as u32),
        _ => expr(rng, loops, depth - 1),
    };
    Expr::Op(op, Box::new(left), Box::new(right))
}

fn statements(rng: &mut Rng, loops: usize, depth: u32, uniform: bool) -> Vec<Stmt> {
    let count = 1 + rng.below(3);
    (0..count)
        .map(|_| match rng.below(if depth == 0 { 5 } else { 9 }) {
            0 | 1 => Stmt::Write(expr(rng, loops, 2)),
            2 | 3 => Stmt::Read(expr(rng, loops, 2)),
            4 if uniform => Stmt::Barrier,
            4 => Stmt::Read(expr(rng, loops, 1)),
            5 | 6 => {
                let cmp = ["<", "==", ">=", "!="][rng.below(4) as usize];
                let (a, b) = (expr(rng, loops, 2), expr(rng, loops, 1));
                Stmt::If(a, cmp, b, statements(rng, loops, depth - 1, false))
            }
            _ => {
                let plus = rng.below(3) > 0;
                let own = !uniform && rng.below(3) == 0;
                let from = if own { Expr::Tid } else { Expr::Const(1 + rng.below(3) as u32) };
                let from = if plus || !own { from } else { Expr::Const(1) };
                let (op, by) = if plus { ("+=", 1 + rng.below(3) as u32) } else { ("*=", 2) };
                let to = rng.below(9) as u32;
                Stmt::For(loops, from, to, op, by, statements(rng, loops + 1, depth - 1, uniform))
            }
        })
        .collect()
}

fn print_expr(e: &Expr) -> String {
    match e {
        Expr::Tid => "threadIdx.x".into(),
        Expr::Const(c) => format!("{c}u"),
        Expr::Loop(i) => format!("i{i}"),
        Expr::Op(op, a, b) => format!("({} {op} {})", print_expr(a), print_expr(b)),
    }
}

fn print(list: &[Stmt], out: &mut String) {
    for s in list {
        match s {
            Stmt::Read(e) => writeln!(out, "r += s[{} & 63u];", print_expr(e)),
            Stmt::Write(e) => writeln!(out, "s[{} & 63u] = threadIdx.x;", print_expr(e)),
            Stmt::Barrier => writeln!(out, "__syncthreads();"),
            Stmt::If(a, op, b, body) => {
                let _ = writeln!(out, "if ({} {op} {}) {{", print_expr(a), print_expr(b));
                print(body, out);
                writeln!(out, "}}")
            }
            Stmt::For(i, from, to, op, by, body) => {
                let from = print_expr(from);
                let _ =
                    writeln!(out, "for (unsigned i{i} = {from}; i{i} < {to}u; i{i} {op} {by}u) {{");
                print(body, out);
                writeln!(out, "}}")
            }
        }
        .expect("a string takes all");
    }
}

struct Thread {
    tid: u32,
    loops: Vec<u32>,
    phase: usize,
    /// Phase, element, whether written.
    accesses: Vec<(usize, u32, bool)>,
}

fn value(e: &Expr, t: &Thread) -> u32 {
    match e {
        Expr::Tid => t.tid,
        Expr::Const(c) => *c,
        Expr::Loop(i) => t.loops[*i],
        Expr::Op(op, a, b) => {
            let (a, b) = (value(a, t), value(b, t));
            match *op {
                "+" => a.wrapping_add(b),
                "-" => a.wrapping_sub(b),
                "*" => a.wrapping_mul(b),
                "^" => a ^ b,
                "&" => a & b,
                "|" => a | b,
                "%" => a % b,
                "/" => a / b,
                "<<" => a << b,
                _ => a >> b,
            }
        }
    }
}

fn run(list: &[Stmt], t: &mut Thread) {
    for s in list {
        match s {
            Stmt::Read(e) => t.accesses.push((t.phase, value(e, t) & 63, false)),
            Stmt::Write(e) => t.accesses.push((t.phase, value(e, t) & 63, true)),
            Stmt::Barrier => t.phase += 1,
            Stmt::If(a, op, b, body) => {
                let (a, b) = (value(a, t), value(b, t));
                let holds = match *op {
                    "<" => a < b,
                    "==" => a == b,
                    ">=" => a >= b,
                    _ => a != b,
                };
                if holds {
                    run(body, t);
                }
            }
            Stmt::For(_, from, to, op, by, body) => {
                let mut i = value(from, t);
                while i < *to {
                    t.loops.push(i);
                    run(body, t);
                    t.loops.pop();
                    i = if *op == "+=" { i + by } else { i * by };
                }
            }
        }
    }
}

/// Whether two threads touch one element in one phase, one of them writing.
fn races(list: &[Stmt]) -> bool {
    let threads: Vec<Thread> = (0..BLOCK)
        .map(|tid| {
            let mut t = Thread { tid, loops: Vec::new(), phase: 0, accesses: Vec::new() };
            run(list, &mut t);
            t
        })
        .collect();
    threads.iter().any(|a| {
        threads.iter().any(|b| {
            a.tid != b.tid
                && a.accesses
                    .iter()
                    .any(|x| b.accesses.iter().any(|y| x.0 == y.0 && x.1 == y.1 && (x.2 || y.2)))
        })
    })
}

fn compare(seed: u64, count: usize) {
    let mut rng = Rng(seed);
    let kernels: Vec<Vec<Stmt>> = (0..count).map(|_| statements(&mut rng, 0, 3, true)).collect();
    let mut text = String::new();
    for (i, k) in kernels.iter().enumerate() {
        let _ = writeln!(
            text,
            "__global__ void k{i}(unsigned *out) {{\n__shared__ unsigned s[64];\nunsigned r = 0;"
        );
        print(k, &mut text);
        text.push_str("if (r == 12345u) out[threadIdx.x] = r;\n}\n");
    }
    let options = Options { language: Some(Language::Cuda), ..Options::default() };
    let input = Input::Text { name: "generated.cu", bytes: text.as_bytes() };
    let module = load(input, &options).expect("generated kernels compile");
    let one = DimSpec::Exactly(1);
    let assumptions = Assumptions {
        block: [DimSpec::Exactly(BLOCK), one, one],
        grid: [one; 3],
        ..Assumptions::default()
    };
    let config = Config {
        kinds: vec![Kind::DataRace],
        budget: Duration::from_secs(3600),
        work: 10_000,
        jobs: 2,
        ..Config::default()
    };
    let (mut agreed, mut racy, mut open) = (0, 0, 0);
    for (i, k) in kernels.iter().enumerate() {
        let kernel = module.kernels.iter().find(|f| f.name == format!("k{i}")).expect("there");
        let proof = prove(kernel, &assumptions, &config);
        let truth = races(k);
        let mut source = String::new();
        print(k, &mut source);
        match &proof.verdicts[0].1 {
            Verdict::Proved { .. } => {
                assert!(!truth, "seed {seed}, k{i} is proved but races:\n{source}")
            }
            Verdict::Found => {
                assert!(truth, "seed {seed}, k{i} is found but does not race:\n{source}")
            }
            _ => open += 1,
        }
        agreed += 1;
        racy += usize::from(truth);
    }
    println!("seed {seed}: {agreed} kernels, {racy} racy, {open} undecided");
    assert!(open * 4 < count, "{open} of {count} are undecided");
}

#[test]
fn random_kernels_agree_with_enumeration() {
    for seed in [0x1234_5678, 0x9e37_79b9] {
        compare(seed, 60);
    }
}

/// The long run: `cargo test -p lockstep-prove --test generated -- --ignored`.
#[test]
#[ignore = "long"]
fn many_random_kernels_agree_with_enumeration() {
    for seed in 1..=100u64 {
        compare(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, 100);
    }
}
