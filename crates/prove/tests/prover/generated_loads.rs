//! Random small kernels whose conditions, indices and values come from memory that they also write, against execution:
//! what is proved races for no contents, and in no order of threads that is tried.
//!
//! Each kernel is run for all contents of its array and all orders in which the threads can go from barrier to barrier.
//! A race that only another interleaving shows is missed here, so that a kernel may be undecided without a race; what
//! is proved must not race at all.

use std::fmt::Write as _;

use crate::random::{Rng, compile, kernel, many_seeds, on_all_cores, one_block, races_only};
use lockstep_finding::Verdict;
use lockstep_prove::prove;

const THREADS: u32 = 3;
const ORDERS: [[u32; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Elements of the array, each 0 or 1 at first.
const LENGTH: u32 = 4;

/// Variables that keep what was read.
const KEPT: u64 = 2;

/// How deep statements are nested.
const DEPTH: u32 = 2;

/// Iterations of a loop.
const TRIPS: u32 = 2;

fn one_of<'a>(rng: &mut Rng, list: &[&'a str]) -> &'a str {
    list[rng.below(list.len() as u64) as usize]
}

enum Expr {
    Tid,
    Const(u32),
    Kept(usize),
    Loop(usize),
    Element(Box<Expr>),
    Op(&'static str, Box<Expr>, Box<Expr>),
}

enum Stmt {
    Keep(usize, Expr),
    /// To the array that is read.
    Write(Expr, Expr),
    /// To one that is not.
    Out(Expr),
    If(Expr, &'static str, Expr, Vec<Stmt>, Vec<Stmt>),
    For(usize, Vec<Stmt>),
    /// The thread leaves the kernel.
    Return,
    Barrier,
}

#[derive(Clone, Copy)]
struct Scope {
    loops: usize,
    depth: u32,
    /// All threads come here in the same iterations.
    uniform: bool,
    /// The element that a thread looks at again and again, from its own.
    watched: u32,
}

fn watched(scope: Scope) -> Expr {
    let own = Expr::Op("+", Box::new(Expr::Tid), Box::new(Expr::Const(scope.watched)));
    Expr::Element(Box::new(own))
}

/// Writes one common element where a thread sees two values.
fn look_again(scope: Scope) -> Stmt {
    let seen = vec![Stmt::Out(Expr::Const(0))];
    Stmt::If(Expr::Kept(0), "!=", watched(scope), seen, Vec::new())
}

/// Mostly elements that one thread has for itself, or that nobody writes: otherwise nearly everything races.
fn index(rng: &mut Rng, loops: usize, read: bool) -> Expr {
    match rng.below(20) {
        0..=9 => Expr::Tid,
        10..=15 if read => Expr::Const(3),
        16 if loops > 0 => Expr::Loop(rng.below(loops as u64) as usize),
        17 => Expr::Kept(rng.below(KEPT) as usize),
        18 => Expr::Const(rng.below(u64::from(LENGTH)) as u32),
        _ if read => Expr::Op("+", Box::new(Expr::Tid), Box::new(Expr::Const(1))),
        _ => Expr::Tid,
    }
}

fn expr(rng: &mut Rng, loops: usize, depth: u32) -> Expr {
    match rng.below(if depth == 0 { 8 } else { 10 }) {
        0 => Expr::Tid,
        1 => Expr::Const(rng.below(3) as u32),
        2 | 3 => Expr::Kept(rng.below(KEPT) as usize),
        8 | 9 => {
            let (a, b) = (expr(rng, loops, depth - 1), expr(rng, loops, depth - 1));
            Expr::Op(one_of(rng, &["+", "^", "&"]), Box::new(a), Box::new(b))
        }
        _ => Expr::Element(Box::new(index(rng, loops, true))),
    }
}

fn statements(rng: &mut Rng, scope: Scope) -> Vec<Stmt> {
    let count = if scope.depth == DEPTH { 4 + rng.below(3) } else { 1 + rng.below(2) };
    (0..count).map(|_| statement(rng, scope)).collect()
}

fn statement(rng: &mut Rng, scope: Scope) -> Stmt {
    let Scope { loops, depth, uniform, .. } = scope;
    let inner = Scope { depth: depth.saturating_sub(1), ..scope };
    match rng.below(6) {
        0 => return Stmt::Keep(0, watched(scope)),
        1 => return look_again(scope),
        _ => {}
    }
    match rng.below(if depth == 0 { 6 } else { 12 }) {
        0 | 1 => Stmt::Keep(1, expr(rng, loops, 1)),
        2 => Stmt::Write(index(rng, loops, false), expr(rng, loops, 1)),
        3 => Stmt::Out(index(rng, loops, false)),
        4 | 5 if uniform => Stmt::Barrier,
        9 if uniform && loops == 0 => {
            let mut last = vec![Stmt::Return];
            if rng.below(2) == 0 {
                let at = Expr::Const(rng.below(u64::from(LENGTH)) as u32);
                last.insert(0, Stmt::Write(at, expr(rng, loops, 0)));
            }
            let who = Expr::Const(rng.below(u64::from(THREADS)) as u32);
            Stmt::If(Expr::Tid, "==", who, last, Vec::new())
        }
        10 | 11 if loops < 2 => {
            Stmt::For(loops, statements(rng, Scope { loops: loops + 1, ..inner }))
        }
        _ => {
            let inside = Scope { uniform: false, ..inner };
            let (a, b) = (expr(rng, loops, 1), expr(rng, loops, 1));
            let op = one_of(rng, &["==", "!=", "<"]);
            let other = if rng.below(4) == 0 { statements(rng, inside) } else { Vec::new() };
            Stmt::If(a, op, b, statements(rng, inside), other)
        }
    }
}

fn print_expr(e: &Expr) -> String {
    match e {
        Expr::Tid => "threadIdx.x".into(),
        Expr::Const(c) => format!("{c}u"),
        Expr::Kept(i) => format!("x{i}"),
        Expr::Loop(i) => format!("i{i}"),
        Expr::Element(e) => format!("d[{} & 3u]", print_expr(e)),
        Expr::Op(op, a, b) => format!("({} {op} {})", print_expr(a), print_expr(b)),
    }
}

fn print(list: &[Stmt], out: &mut String) {
    for s in list {
        match s {
            Stmt::Keep(i, e) => writeln!(out, "x{i} = {};", print_expr(e)),
            Stmt::Write(e, v) => writeln!(out, "d[{} & 3u] = {};", print_expr(e), print_expr(v)),
            Stmt::Out(e) => writeln!(out, "o[{} & 3u] = threadIdx.x;", print_expr(e)),
            Stmt::Barrier => writeln!(out, "__syncthreads();"),
            Stmt::Return => writeln!(out, "return;"),
            Stmt::If(a, op, b, body, other) => {
                let _ = writeln!(out, "if ({} {op} {}) {{", print_expr(a), print_expr(b));
                print(body, out);
                if !other.is_empty() {
                    out.push_str("} else {\n");
                    print(other, out);
                }
                writeln!(out, "}}")
            }
            Stmt::For(i, body) => {
                let _ = writeln!(out, "for (unsigned i{i} = 0; i{i} < {TRIPS}u; i{i}++) {{");
                print(body, out);
                writeln!(out, "}}")
            }
        }
        .expect("a string takes all");
    }
}

/// One thread, run again from the start in each phase: what it has read in earlier ones is replayed.
struct Thread<'m> {
    tid: u32,
    /// The phase to run; barriers up to its beginning are passed.
    phase: usize,
    passed: usize,
    replayed: usize,
    log: &'m mut Vec<u32>,
    memory: &'m mut [u32],
    kept: [u32; KEPT as usize],
    loops: Vec<u32>,
    /// In this phase: array, element, whether written.
    accesses: Vec<(u8, u32, bool)>,
}

/// Why a list of statements was left.
enum Stop {
    Return,
    /// The end of the phase.
    Barrier,
}

impl Thread<'_> {
    fn live(&self) -> bool {
        self.passed == self.phase
    }

    fn value(&mut self, e: &Expr) -> u32 {
        match e {
            Expr::Tid => self.tid,
            Expr::Const(c) => *c,
            Expr::Kept(i) => self.kept[*i],
            Expr::Loop(i) => self.loops[*i],
            Expr::Element(e) => {
                let at = self.value(e) % LENGTH;
                if self.live() {
                    self.accesses.push((0, at, false));
                    self.log.push(self.memory[at as usize]);
                }
                self.replayed += 1;
                self.log[self.replayed - 1]
            }
            Expr::Op(op, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                match *op {
                    "+" => a.wrapping_add(b),
                    "^" => a ^ b,
                    _ => a & b,
                }
            }
        }
    }

    fn holds(&mut self, a: &Expr, op: &str, b: &Expr) -> bool {
        let (a, b) = (self.value(a), self.value(b));
        match op {
            "==" => a == b,
            "!=" => a != b,
            _ => a < b,
        }
    }

    fn run(&mut self, list: &[Stmt]) -> Result<(), Stop> {
        for s in list {
            match s {
                Stmt::Keep(i, e) => self.kept[*i] = self.value(e),
                Stmt::Write(e, v) => {
                    let (at, v) = (self.value(e) % LENGTH, self.value(v));
                    if self.live() {
                        self.accesses.push((0, at, true));
                        self.memory[at as usize] = v;
                    }
                }
                Stmt::Out(e) => {
                    let at = self.value(e) % LENGTH;
                    if self.live() {
                        self.accesses.push((1, at, true));
                    }
                }
                Stmt::If(a, op, b, body, other) => {
                    let list = if self.holds(a, op, b) { body } else { other };
                    self.run(list)?;
                }
                Stmt::For(_, body) => {
                    for i in 0..TRIPS {
                        self.loops.push(i);
                        self.run(body)?;
                        self.loops.pop();
                    }
                }
                Stmt::Return => return Err(Stop::Return),
                Stmt::Barrier if self.live() => return Err(Stop::Barrier),
                Stmt::Barrier => self.passed += 1,
            }
        }
        Ok(())
    }
}

/// Whether two threads touch one element in one phase, one of them writing, in this order.
fn races_in(list: &[Stmt], contents: u32, order: [u32; 3]) -> bool {
    let mut memory: Vec<u32> = (0..LENGTH).map(|i| contents >> i & 1).collect();
    let mut logs = vec![Vec::new(); THREADS as usize];
    let mut done = [false; THREADS as usize];
    for phase in 0.. {
        let mut all: Vec<(u32, Vec<(u8, u32, bool)>)> = Vec::new();
        for tid in order {
            if done[tid as usize] {
                continue;
            }
            let mut t = Thread {
                tid,
                phase,
                passed: 0,
                replayed: 0,
                log: &mut logs[tid as usize],
                memory: &mut memory,
                kept: [0; KEPT as usize],
                loops: Vec::new(),
                accesses: Vec::new(),
            };
            done[tid as usize] = !matches!(t.run(list), Err(Stop::Barrier));
            all.push((tid, t.accesses));
        }
        let meet = |x: &[(u8, u32, bool)], y: &[(u8, u32, bool)]| {
            x.iter().any(|a| y.iter().any(|b| a.0 == b.0 && a.1 == b.1 && (a.2 || b.2)))
        };
        if all.iter().any(|(i, x)| all.iter().any(|(j, y)| i < j && meet(x, y))) {
            return true;
        }
        if done == [true; THREADS as usize] {
            break;
        }
    }
    false
}

fn races(list: &[Stmt]) -> bool {
    (0..1 << LENGTH).any(|contents| ORDERS.iter().any(|&o| races_in(list, contents, o)))
}

/// Returns how many kernels are proved.
fn compare(seed: u64, count: usize) -> usize {
    let mut rng = Rng(seed);
    let kernels: Vec<Vec<Stmt>> = (0..count)
        .map(|_| {
            let watched = rng.below(2) as u32;
            let all = Scope { loops: 0, depth: DEPTH, uniform: true, watched };
            let mut list = vec![Stmt::Keep(0, self::watched(all))];
            list.extend(statements(&mut rng, all));
            list
        })
        .collect();
    let mut text = String::new();
    for (i, k) in kernels.iter().enumerate() {
        let _ = writeln!(
            text,
            "__global__ void k{i}(unsigned *d, unsigned *o) {{\nunsigned x0 = 0, x1 = 0;"
        );
        print(k, &mut text);
        text.push_str("if (x0 + x1 == 12345u) o[4 + threadIdx.x] = 1;\n}\n");
    }
    let module = compile(&text);
    let assumptions = one_block(THREADS);
    // Enough for what is proved here; more only makes alarms slower.
    let config = races_only(50);
    let (mut proved, mut racy) = (0, 0);
    for (i, k) in kernels.iter().enumerate() {
        let proof = prove(kernel(&module, i), &assumptions, &config);
        let truth = races(k);
        racy += usize::from(truth);
        let mut source = String::new();
        print(k, &mut source);
        match &proof.verdicts[0].1 {
            Verdict::Proved { .. } => {
                assert!(!truth, "seed {seed}, k{i} is proved but races:\n{source}");
                proved += 1;
            }
            Verdict::Found => {
                assert!(truth, "seed {seed}, k{i} is found but does not race:\n{source}")
            }
            _ => {}
        }
    }
    println!("seed {seed}: {count} kernels, {racy} racy, {proved} proved");
    proved
}

#[test]
fn random_loads_agree_with_execution() {
    let proved = on_all_cores(&[0x2545_f491, 0x9e37_79b9], |seed| compare(seed, 50));
    assert!(proved > 0, "there is something to be wrong about");
}

/// The long run: `cargo test -p lockstep-prove --test generated_loads -- --ignored`.
#[test]
#[ignore = "long"]
fn many_random_loads_agree_with_execution() {
    on_all_cores(&many_seeds(), |seed| compare(seed, 100));
}
