//! Random small kernels against exhaustive enumeration: what is proved has no race, what is found has one.
//!
//! Each kernel is generated as a list of statements, printed as CUDA for the prover, and run here for every thread and
//! every value of its parameter, phase by phase. Nearly everything in it is exact for the prover, so the two must agree,
//! not only be compatible: barriers stand in nests of loops and under conditions, but only where all threads come to
//! them.

use std::fmt::Write as _;

use crate::random::{Rng, compile, kernel, many_seeds, on_all_cores, one_block, races_only};
use lockstep_finding::launch::Number;
use lockstep_finding::{Condition, Origin, Verdict};
use lockstep_prove::{AssumeExpr, Operator, Tree, prove};

const BLOCK: u32 = 8;

/// The parameter's greatest value.
const MOST: u32 = 4;

#[derive(Clone)]
enum Expr {
    Tid,
    Const(u32),
    Loop(usize),
    /// The parameter.
    N,
    Op(&'static str, Box<Expr>, Box<Expr>),
}

struct Loop {
    number: usize,
    from: Expr,
    to: Expr,
    /// `+=` or `*=`.
    op: &'static str,
    by: u32,
    /// The test comes after the body.
    at_end: bool,
    body: Vec<Stmt>,
}

enum Stmt {
    Read(Expr),
    Write(Expr),
    If(Expr, &'static str, Expr, Vec<Stmt>, Vec<Stmt>),
    For(Loop),
    /// `if (…) break;` or `return`.
    Leave(Expr, &'static str, Expr, &'static str),
    Barrier,
}

/// What is generated for.
#[derive(Clone, Copy)]
struct Scope {
    loops: usize,
    depth: u32,
    /// All threads come here in the same iterations.
    uniform: bool,
    /// Of the innermost loop, where there is one.
    may_break: bool,
}

/// An expression that is the same for all threads, where they are in the same iterations.
fn common(rng: &mut Rng, loops: usize) -> Expr {
    let leaf = |rng: &mut Rng| match rng.below(if loops > 0 { 4 } else { 2 }) {
        0 => Expr::N,
        1 => Expr::Const(rng.below(5) as u32),
        _ => Expr::Loop(rng.below(loops as u64) as usize),
    };
    let left = leaf(rng);
    match rng.below(5) {
        0 => Expr::Op("&", Box::new(left), Box::new(Expr::Const(1 + rng.below(3) as u32))),
        1 => Expr::Op("+", Box::new(left), Box::new(leaf(rng))),
        _ => left,
    }
}

fn comparison(rng: &mut Rng) -> &'static str {
    ["<", "==", ">=", "!="][rng.below(4) as usize]
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

fn statements(rng: &mut Rng, scope: Scope) -> Vec<Stmt> {
    let count = 1 + rng.below(3);
    (0..count).map(|_| statement(rng, scope)).collect()
}

fn statement(rng: &mut Rng, scope: Scope) -> Stmt {
    let Scope { loops, depth, uniform, may_break } = scope;
    let inner = Scope { depth: depth.saturating_sub(1), ..scope };
    match rng.below(if depth == 0 { 6 } else { 11 }) {
        0 | 1 => Stmt::Write(expr(rng, loops, 2)),
        2 | 3 => Stmt::Read(expr(rng, loops, 2)),
        4 if uniform => Stmt::Barrier,
        5 if uniform && may_break && rng.below(3) == 0 => {
            let how = if rng.below(6) == 0 { "return" } else { "break" };
            Stmt::Leave(common(rng, loops), comparison(rng), common(rng, loops), how)
        }
        4 | 5 => Stmt::Read(expr(rng, loops, 1)),
        6 | 7 if uniform => {
            let (a, op, b) = (common(rng, loops), comparison(rng), common(rng, loops));
            let body = statements(rng, inner);
            let other = if rng.below(3) == 0 { statements(rng, inner) } else { Vec::new() };
            Stmt::If(a, op, b, body, other)
        }
        6..=8 => {
            let (a, op, b) = (expr(rng, loops, 2), comparison(rng), expr(rng, loops, 1));
            Stmt::If(a, op, b, statements(rng, Scope { uniform: false, ..inner }), Vec::new())
        }
        _ => {
            let plus = rng.below(3) > 0;
            let own = plus && !uniform && rng.below(3) == 0;
            let from = if own { Expr::Tid } else { Expr::Const(1 + rng.below(3) as u32) };
            let (op, by) = if plus { ("+=", 1 + rng.below(3) as u32) } else { ("*=", 2) };
            let to = match rng.below(4) {
                0 => Expr::N,
                1 if loops > 0 && uniform => Expr::Loop(rng.below(loops as u64) as usize),
                _ => Expr::Const(rng.below(9) as u32),
            };
            let at_end = rng.below(4) == 0;
            let inside = Scope { loops: loops + 1, may_break: true, ..inner };
            let body = statements(rng, inside);
            Stmt::For(Loop { number: loops, from, to, op, by, at_end, body })
        }
    }
}

fn print_expr(e: &Expr) -> String {
    match e {
        Expr::Tid => "threadIdx.x".into(),
        Expr::Const(c) => format!("{c}u"),
        Expr::Loop(i) => format!("i{i}"),
        Expr::N => "n".into(),
        Expr::Op(op, a, b) => format!("({} {op} {})", print_expr(a), print_expr(b)),
    }
}

fn print(list: &[Stmt], out: &mut String) {
    for s in list {
        match s {
            Stmt::Read(e) => writeln!(out, "r += s[{} & 63u];", print_expr(e)),
            Stmt::Write(e) => writeln!(out, "s[{} & 63u] = threadIdx.x;", print_expr(e)),
            Stmt::Barrier => writeln!(out, "__syncthreads();"),
            Stmt::Leave(a, op, b, how) => {
                writeln!(out, "if ({} {op} {}) {how};", print_expr(a), print_expr(b))
            }
            Stmt::If(a, op, b, body, other) => {
                let _ = writeln!(out, "if ({} {op} {}) {{", print_expr(a), print_expr(b));
                print(body, out);
                if !other.is_empty() {
                    out.push_str("} else {\n");
                    print(other, out);
                }
                writeln!(out, "}}")
            }
            Stmt::For(l) => {
                let (i, op, by) = (l.number, l.op, l.by);
                let (from, to) = (print_expr(&l.from), print_expr(&l.to));
                let _ = match l.at_end {
                    true => writeln!(out, "{{ unsigned i{i} = {from}; do {{"),
                    false => {
                        writeln!(
                            out,
                            "for (unsigned i{i} = {from}; i{i} < {to}; i{i} {op} {by}u) {{"
                        )
                    }
                };
                print(&l.body, out);
                match l.at_end {
                    true => writeln!(out, "}} while ((i{i} {op} {by}u) < {to}); }}"),
                    false => writeln!(out, "}}"),
                }
            }
        }
        .expect("a string takes all");
    }
}

struct Thread {
    tid: u32,
    n: u32,
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
        Expr::N => t.n,
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

fn holds(a: &Expr, op: &str, b: &Expr, t: &Thread) -> bool {
    let (a, b) = (value(a, t), value(b, t));
    match op {
        "<" => a < b,
        "==" => a == b,
        ">=" => a >= b,
        _ => a != b,
    }
}

/// How a list of statements ended.
#[derive(PartialEq)]
enum End {
    Normal,
    Break,
    Return,
}

fn run(list: &[Stmt], t: &mut Thread) -> End {
    for s in list {
        let end = match s {
            Stmt::Read(e) => {
                t.accesses.push((t.phase, value(e, t) & 63, false));
                End::Normal
            }
            Stmt::Write(e) => {
                t.accesses.push((t.phase, value(e, t) & 63, true));
                End::Normal
            }
            Stmt::Barrier => {
                t.phase += 1;
                End::Normal
            }
            Stmt::Leave(a, op, b, how) if holds(a, op, b, t) => {
                if *how == "break" {
                    End::Break
                } else {
                    End::Return
                }
            }
            Stmt::Leave(..) => End::Normal,
            Stmt::If(a, op, b, body, other) => {
                let list = if holds(a, op, b, t) { body } else { other };
                run(list, t)
            }
            Stmt::For(l) => run_loop(l, t),
        };
        if end != End::Normal {
            return end;
        }
    }
    End::Normal
}

fn run_loop(l: &Loop, t: &mut Thread) -> End {
    let mut i = value(&l.from, t);
    let mut first = l.at_end;
    loop {
        if !std::mem::take(&mut first) && i >= value(&l.to, t) {
            return End::Normal;
        }
        t.loops.push(i);
        let end = run(&l.body, t);
        t.loops.pop();
        match end {
            End::Normal => {}
            End::Break => return End::Normal,
            End::Return => return End::Return,
        }
        i = if l.op == "+=" { i + l.by } else { i * l.by };
    }
}

/// Whether two threads touch one element in one phase, one of them writing.
fn races(list: &[Stmt], n: u32) -> bool {
    let threads: Vec<Thread> = (0..BLOCK)
        .map(|tid| {
            let mut t = Thread { tid, n, loops: Vec::new(), phase: 0, accesses: Vec::new() };
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

/// Whether a condition that the prover found holds of this value; those not read here are taken to.
fn allows(condition: &Condition, n: u32) -> bool {
    let value = |name: &str| match name {
        "n" => Ok(Number::Int(n.into())),
        "blockDim.x" => Ok(Number::Int(BLOCK.into())),
        _ => Err(format!("{name} is not given")),
    };
    condition.claim.decide(&value) != Some(false)
}

fn compare(seed: u64, count: usize) -> usize {
    let mut rng = Rng(seed);
    let all = Scope { loops: 0, depth: 3, uniform: true, may_break: false };
    let kernels: Vec<Vec<Stmt>> = (0..count).map(|_| statements(&mut rng, all)).collect();
    let mut text = String::new();
    for (i, k) in kernels.iter().enumerate() {
        let _ = writeln!(
            text,
            "__global__ void k{i}(unsigned *out, unsigned n) {{\n__shared__ unsigned s[64];\n\
             unsigned r = 0;"
        );
        print(k, &mut text);
        text.push_str("if (r == 12345u) out[threadIdx.x] = r;\n}\n");
    }
    let module = compile(&text);
    let most = Box::new(Tree::Const(i64::from(MOST)));
    let tree = Tree::Binary(Operator::Le, Box::new(Tree::Param(1)), most);
    let mut assumptions = one_block(BLOCK);
    assumptions.expression(AssumeExpr { told: None, tree, origin: Origin::CommandLine });
    let config = races_only(1_000);
    let (mut agreed, mut racy, mut open) = (0, 0, 0);
    for (i, k) in kernels.iter().enumerate() {
        let proof = prove(kernel(&module, i), &assumptions, &config);
        let truth = (0..=MOST).any(|n| races(k, n));
        let mut source = String::new();
        print(k, &mut source);
        match &proof.verdicts[0].1 {
            Verdict::Proved { assumes } => {
                let excluded = |n: u32| assumes.iter().any(|a| !allows(a, n));
                let wrong = (0..=MOST).any(|n| !excluded(n) && races(k, n));
                assert!(!wrong, "seed {seed}, k{i} is proved for {assumes:?} but races:\n{source}")
            }
            Verdict::Found => {
                assert!(truth, "seed {seed}, k{i} is found but does not race:\n{source}")
            }
            other => {
                println!("seed {seed}, k{i} is undecided: {other:?}\n{source}");
                open += 1;
            }
        }
        agreed += 1;
        racy += usize::from(truth);
    }
    println!("seed {seed}: {agreed} kernels, {racy} racy, {open} undecided");
    assert!(open * 4 < count, "{open} of {count} are undecided");
    racy
}

#[test]
fn random_kernels_agree_with_enumeration() {
    on_all_cores(&[0x1234_5678, 0x9e37_79b9], |seed| compare(seed, 60));
}

/// The long run: `cargo test -p lockstep-prove --test generated -- --ignored`.
#[test]
#[ignore = "long"]
fn many_random_kernels_agree_with_enumeration() {
    on_all_cores(&many_seeds(), |seed| compare(seed, 100));
}
