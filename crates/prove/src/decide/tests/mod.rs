//! The arithmetic of terms against brute force, and the solver against it too.

mod division;
mod questions;
mod rules;

pub(crate) use rules::Tally;

use std::time::Duration;

use lockstep_cancel::{Cancel, Moment};
use lockstep_finding::Origin;
use lockstep_frontend::{Input, Module, Options, load};
use lockstep_kernel::semantics;
use lockstep_kernel::{IntOp, Language};

use crate::decide::program::{At, Program};
use crate::launch::DimSpec;
use crate::launch::assumptions::Assumptions;
use crate::launch::context::{Ctx, Hints, VarKind};
use crate::smt::z3;
use crate::smt::z3::{Answer, Effort, Theory};
use crate::term::walk::{Assignment, Substitution, eval_bin, reachable};
use crate::term::{Bin, FnId, Node, Pool, T, VarId, mask, sign_extend};

/// A small random number generator with a fixed seed.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// A conjunction evaluated under one assignment after another, for tests that try all values: terms have positions, so no
/// map is made for an assignment.
pub(crate) struct Evaluation<'a> {
    program: Program<'a>,
    values: Vec<u64>,
}

impl<'a> Evaluation<'a> {
    pub(crate) fn new(pool: &'a Pool, list: &[T]) -> Evaluation<'a> {
        let program = Program::new(pool, list);
        let values = vec![0; program.nodes.len()];
        Evaluation { program, values }
    }

    /// Whether all conditions hold, with these values of variables and of applications of functions.
    pub(crate) fn holds(
        &mut self,
        var: impl Fn(VarId) -> u64,
        app: impl Fn(FnId, &[u64]) -> u64,
    ) -> bool {
        for (i, node) in self.program.nodes.iter().enumerate() {
            let (values, width) = (&self.values, |a: &At| self.program.width(*a));
            let of = |a: &At| values[a.index()];
            let value = match node {
                Node::Const(c) => *c,
                Node::Var(v) => var(*v),
                Node::App(f, args) => app(*f, &args.iter().map(of).collect::<Vec<u64>>()),
                Node::Lin(c, terms) => {
                    terms.iter().fold(*c, |s, (a, k)| s.wrapping_add(of(a).wrapping_mul(*k)))
                }
                Node::Bin(op, a, b) => eval_bin(*op, of(a), of(b), width(a)),
                Node::Ite(c, a, b) => of(if of(c) == 1 { a } else { b }),
                Node::ZExt(a) | Node::Trunc(a) => of(a),
                Node::SExt(a) => sign_extend(of(a), width(a)) as u64,
            };
            let value = value & mask(self.program.widths[i]);
            if self.program.is_root[i] && value != 1 {
                return false;
            }
            self.values[i] = value;
        }
        true
    }
}

/// A kernel that does nothing, for one thread: a context for terms needs a kernel.
pub(crate) fn nothing() -> (Module, Assumptions) {
    let options = Options { language: Some(Language::Cuda), ..Options::default() };
    let input = Input::Text { name: "k.cu", bytes: b"__global__ void k(int n) {}" };
    let one = [DimSpec::Exactly(1); 3];
    let assumptions = Assumptions::of_dims(one, one, Origin::CommandLine);
    (load(input, &options).expect("it compiles"), assumptions)
}

const OPS: [Bin; 14] = [
    Bin::Mul,
    Bin::UDiv,
    Bin::URem,
    Bin::SDiv,
    Bin::SRem,
    Bin::And,
    Bin::Or,
    Bin::Xor,
    Bin::Shl,
    Bin::LShr,
    Bin::AShr,
    Bin::Eq,
    Bin::Ult,
    Bin::Slt,
];

/// An expression built twice: by the simplifying constructors, and as a function of the variables' values.
enum Tree {
    Var(usize),
    Const(u64),
    Add(Box<Tree>, Box<Tree>),
    Sub(Box<Tree>, Box<Tree>),
    Bin(Bin, Box<Tree>, Box<Tree>),
    /// Truncated to that many bits, and extended again.
    Cut(u32, bool, Box<Tree>),
    Choice(Box<Tree>, Box<Tree>, Box<Tree>),
}

fn random_tree(rng: &mut Rng, vars: usize, width: u32, depth: u32) -> Tree {
    let leaf = depth == 0 || rng.below(8) == 0;
    let sub = |rng: &mut Rng| Box::new(random_tree(rng, vars, width, depth - 1));
    if leaf {
        return if rng.below(3) == 0 {
            let small = rng.below(2) == 0;
            Tree::Const(if small { rng.below(9) } else { rng.next() & mask(width) })
        } else {
            Tree::Var(rng.below(vars as u64) as usize)
        };
    }
    match rng.below(10) {
        0..=2 => Tree::Add(sub(rng), sub(rng)),
        3 => Tree::Sub(sub(rng), sub(rng)),
        4 => Tree::Cut(1 + rng.below(u64::from(width) - 1) as u32, rng.below(2) == 0, sub(rng)),
        5 => Tree::Choice(sub(rng), sub(rng), sub(rng)),
        _ => Tree::Bin(OPS[rng.below(OPS.len() as u64) as usize], sub(rng), sub(rng)),
    }
}

fn build(pool: &mut Pool, tree: &Tree, vars: &[T], width: u32) -> T {
    match tree {
        Tree::Var(i) => vars[*i],
        Tree::Const(c) => pool.constant(*c, width),
        Tree::Add(a, b) => {
            let (a, b) = (build(pool, a, vars, width), build(pool, b, vars, width));
            pool.add(a, b)
        }
        Tree::Sub(a, b) => {
            let (a, b) = (build(pool, a, vars, width), build(pool, b, vars, width));
            pool.sub(a, b)
        }
        Tree::Bin(op, a, b) => {
            let (a, b) = (build(pool, a, vars, width), build(pool, b, vars, width));
            let t = pool.bin(*op, a, b);
            if pool.width(t) == width { t } else { pool.zext(t, width) }
        }
        Tree::Cut(bits, signed, a) => {
            let a = build(pool, a, vars, width);
            let cut = pool.trunc(a, *bits);
            if *signed { pool.sext(cut, width) } else { pool.zext(cut, width) }
        }
        Tree::Choice(c, a, b) => {
            let c = build(pool, c, vars, width);
            let zero = pool.constant(0, width);
            let c = pool.eq(c, zero);
            let (a, b) = (build(pool, a, vars, width), build(pool, b, vars, width));
            pool.ite(c, a, b)
        }
    }
}

fn value(tree: &Tree, vars: &[u64], width: u32) -> u64 {
    let m = mask(width);
    match tree {
        Tree::Var(i) => vars[*i],
        Tree::Const(c) => *c & m,
        Tree::Add(a, b) => value(a, vars, width).wrapping_add(value(b, vars, width)) & m,
        Tree::Sub(a, b) => value(a, vars, width).wrapping_sub(value(b, vars, width)) & m,
        Tree::Bin(op, a, b) => eval_bin(*op, value(a, vars, width), value(b, vars, width), width),
        Tree::Cut(bits, signed, a) => {
            let v = value(a, vars, width) & mask(*bits);
            if *signed { crate::term::sign_extend(v, *bits) as u64 & m } else { v }
        }
        Tree::Choice(c, a, b) => {
            if value(c, vars, width) == 0 {
                value(a, vars, width)
            } else {
                value(b, vars, width)
            }
        }
    }
}

#[test]
fn evaluation_agrees_with_the_semantics_of_the_kernel() {
    let mut rng = Rng(42);
    let pairs = [
        (Bin::Mul, IntOp::Mul),
        (Bin::UDiv, IntOp::UDiv),
        (Bin::URem, IntOp::URem),
        (Bin::SDiv, IntOp::SDiv),
        (Bin::SRem, IntOp::SRem),
        (Bin::And, IntOp::And),
        (Bin::Or, IntOp::Or),
        (Bin::Xor, IntOp::Xor),
        (Bin::Shl, IntOp::Shl),
        (Bin::LShr, IntOp::LShr),
        (Bin::AShr, IntOp::AShr),
    ];
    for (bin, int) in pairs {
        for a in 0..=255u8 {
            for b in 0..=255u8 {
                let wanted = u64::from(semantics::int(int, a, b));
                assert_eq!(eval_bin(bin, u64::from(a), u64::from(b), 8), wanted, "{bin:?} {a} {b}");
            }
        }
        for _ in 0..2000 {
            let (a, b) = (rng.next(), rng.next() >> rng.below(64));
            let (x, y) = (a as u32, b as u32);
            assert_eq!(
                eval_bin(bin, u64::from(x), u64::from(y), 32),
                u64::from(semantics::int(int, x, y))
            );
            assert_eq!(eval_bin(bin, a, b, 64), semantics::int(int, a, b));
        }
    }
}

#[test]
fn simplified_terms_have_the_same_values_and_lie_in_their_intervals() {
    let mut rng = Rng(7);
    for round in 0..6000 {
        let width = [3, 4, 5, 8, 16, 32, 64][rng.below(7) as usize];
        let mut pool = Pool::default();
        let mut ids: Vec<(VarId, u64)> = Vec::new();
        let mut vars = Vec::new();
        for _ in 0..3 {
            // Some variables have small ranges, as thread indices have.
            let top = if rng.below(2) == 0 { 1 + rng.below(12) } else { mask(width) };
            let max = top.min(mask(width));
            let (id, t) = pool.var(max, width);
            ids.push((id, max));
            vars.push(t);
        }
        let tree = random_tree(&mut rng, 3, width, 4);
        let term = build(&mut pool, &tree, &vars, width);
        let range = pool.range(term);
        for _ in 0..40 {
            let values: Vec<u64> = ids
                .iter()
                .map(|(_, max)| if *max == u64::MAX { rng.next() } else { rng.below(*max + 1) })
                .collect();
            let mut m = Assignment::default();
            for ((id, _), v) in ids.iter().zip(&values) {
                m.vars.insert(*id, *v);
            }
            let wanted = value(&tree, &values, width);
            let got = m.eval(&pool, term);
            assert_eq!(got, wanted, "round {round}, width {width}, {values:?}");
            let signed = crate::term::sign_extend(got, width);
            assert!(range.ulo <= got && got <= range.uhi, "round {round}: {got} {range:?}");
            assert!(
                range.slo <= signed && signed <= range.shi,
                "round {round}: {signed} {range:?}"
            );
        }
    }
}

/// `k * (x / c)`, where `c` divides `k` and `x`: no quotient is left, and the values are the same.
#[test]
fn a_quotient_is_multiplied_back() {
    let (narrow, wide) = (6, 9);
    let cases =
        [(Bin::SDiv, 4, true), (Bin::UDiv, 4, false), (Bin::AShr, 2, true), (Bin::LShr, 2, false)];
    for (op, by, signed) in cases {
        for (k, is_whole) in [(4, true), (12, true), (500, true), (2, false), (7, false)] {
            let mut pool = Pool::default();
            let ((a, ta), (b, tb)) =
                (pool.var(mask(narrow), narrow), pool.var(mask(narrow), narrow));
            let product = pool.mul(ta, tb);
            let product = pool.scale(product, 4);
            let x = pool.sum(8, &[(product, 1), (ta, 12)], narrow);
            let by = pool.constant(by, narrow);
            let quotient = pool.bin(op, x, by);
            let quotient =
                if signed { pool.sext(quotient, wide) } else { pool.zext(quotient, wide) };
            let term = pool.scale(quotient, k);
            let is_left = reachable(&pool, &[term])
                .iter()
                .any(|t| matches!(pool.node(*t), Node::Bin(o, ..) if !matches!(o, Bin::Mul)));
            assert_eq!(!is_left, is_whole, "{op:?} {k}");
            for (va, vb) in (0..64).flat_map(|va| (0..64).map(move |vb| (va, vb))) {
                let mut m = Assignment::default();
                m.vars.extend([(a, va), (b, vb)]);
                let x = (4 * va * vb + 12 * va + 8) & mask(narrow);
                let quotient = match signed {
                    true => (sign_extend(x, narrow) / 4) as u64,
                    false => x / 4,
                };
                let wanted = quotient.wrapping_mul(k) & mask(wide);
                assert_eq!(m.eval(&pool, term), wanted, "{op:?} {k} {va} {vb}");
            }
        }
    }
}

#[test]
fn substitution_is_evaluation() {
    let mut rng = Rng(99);
    for _ in 0..1500 {
        let width = [4, 8, 32][rng.below(3) as usize];
        let mut pool = Pool::default();
        let mut vars = Vec::new();
        let mut ids = Vec::new();
        for _ in 0..3 {
            let (id, t) = pool.var(mask(width), width);
            ids.push(id);
            vars.push(t);
        }
        let tree = random_tree(&mut rng, 3, width, 4);
        let term = build(&mut pool, &tree, &vars, width);
        let values: Vec<u64> = (0..3).map(|_| rng.next() & mask(width)).collect();
        let mut s = Substitution::default();
        for (id, v) in ids.iter().zip(&values) {
            let c = pool.constant(*v, width);
            s.vars.insert(*id, c);
        }
        let constant = s.apply(&mut pool, term);
        if let Some(c) = pool.as_const(constant) {
            assert_eq!(c, value(&tree, &values, width));
        } else {
            assert_eq!(Assignment::default().eval(&pool, constant), value(&tree, &values, width));
        }
    }
}

#[test]
fn the_solver_agrees_with_trying_all_values() {
    let mut rng = Rng(2024);
    let (mut sat, mut unsat, mut integers, mut boxes) = (0, 0, (0, 0), (0, 0));
    for round in 0..250 {
        let width = 4;
        let mut pool = Pool::default();
        let mut vars = Vec::new();
        let mut ids = Vec::new();
        for _ in 0..3 {
            let (id, t) = pool.var(mask(width), width);
            ids.push(id);
            vars.push(t);
        }
        let trees: Vec<(Tree, Tree)> = (0..3)
            .map(|_| (random_tree(&mut rng, 3, width, 3), random_tree(&mut rng, 3, width, 2)))
            .collect();
        let mut list = Vec::new();
        for (a, b) in &trees {
            let (a, b) = (build(&mut pool, a, &vars, width), build(&mut pool, b, &vars, width));
            list.push(pool.eq(a, b));
        }
        let any = (0..4096u64).any(|n| {
            let values = [n & 15, n >> 4 & 15, n >> 8];
            trees.iter().all(|(a, b)| value(a, &values, width) == value(b, &values, width))
        });
        let deadline = Moment::now() + Duration::from_secs(3600);
        let meter = crate::meter::Meter::new(Duration::from_secs(3600));
        let effort = Effort { work: 10_000, deadline, meter: &meter, cancel: &Cancel::default() };
        match z3::check(&pool, &list, Theory::Bits, effort).0 {
            Answer::Sat(m) => {
                assert!(any, "round {round}");
                assert!(list.iter().all(|&t| m.eval(&pool, t) == 1), "round {round}");
                sat += 1;
            }
            Answer::Unsat => {
                assert!(!any, "round {round}");
                unsat += 1;
            }
            Answer::Unknown => panic!("round {round}: no answer"),
        }
        match crate::decide::intervals::decide(&Program::new(&pool, &list)) {
            Answer::Sat(m) => {
                assert!(list.iter().all(|&t| m.eval(&pool, t) == 1), "round {round}, by boxes");
                boxes.0 += 1;
            }
            Answer::Unsat => {
                assert!(!any, "round {round}, by boxes");
                boxes.1 += 1;
            }
            Answer::Unknown => {}
        }
        // Over the integers, fewer queries may be decided, but no answer may differ.
        let effort = Effort { work: 800, ..effort };
        match z3::check(&pool, &list, Theory::Integers, effort).0 {
            Answer::Sat(m) => {
                integers.0 += usize::from(list.iter().all(|&t| m.eval(&pool, t) == 1))
            }
            Answer::Unsat => {
                assert!(!any, "round {round}, over the integers");
                integers.1 += 1;
            }
            Answer::Unknown => {}
        }
    }
    assert!(sat > 20 && unsat > 20, "{sat} {unsat}");
    assert!(integers.0 > 5 && integers.1 > 20, "{integers:?}");
    assert!(boxes.0 > 20 && boxes.1 > 20, "{boxes:?}");
}

/// Bit counts, bit searches, bit reversal and funnel shifts, as the simulator computes them.
#[test]
fn rare_integer_operations_are_exact() {
    use lockstep_kernel::IntUnOp;
    use lockstep_kernel::semantics::{Word, funnel, int_un};
    fn one<W: Word + Into<u64>>(ctx: &mut Ctx, rng: &mut Rng) {
        let parts = [0, 1, 2].map(|i| ctx.free(VarKind::Param(i, W::BITS), 0, W::BITS));
        let values = [0, 1, 2].map(|_| {
            let v = rng.next() & mask(W::BITS);
            if rng.below(3) == 0 { v >> rng.below(u64::from(W::BITS)) } else { v }
        });
        let mut m = crate::term::walk::Assignment::default();
        for (part, value) in parts.iter().zip(values) {
            let Node::Var(v) = *ctx.pool.node(*part) else { panic!("a variable") };
            m.vars.insert(v, value);
        }
        let [x, y, z] = values.map(W::imm);
        for op in [
            IntUnOp::PopCount,
            IntUnOp::Clz,
            IntUnOp::Ctz,
            IntUnOp::BitReverse,
            IntUnOp::ByteSwap,
            IntUnOp::Abs,
        ] {
            let t = ctx.int_un(op, parts[0]);
            let wanted: u64 = int_un(op, x).into();
            assert_eq!(m.eval(&ctx.pool, t), wanted, "{op:?} {:#x} {}", values[0], W::BITS);
        }
        for left in [false, true] {
            let t = ctx.funnel(left, parts[0], parts[1], parts[2]);
            let wanted: u64 = funnel(left, x, y, z).into();
            assert_eq!(m.eval(&ctx.pool, t), wanted, "{left} {values:x?} {}", W::BITS);
        }
    }
    let options = Options { language: Some(Language::Cuda), ..Options::default() };
    let input = Input::Text { name: "k.cu", bytes: b"__global__ void k(int n) {}" };
    let module = load(input, &options).expect("it compiles");
    let mut rng = Rng(77);
    for _ in 0..60 {
        let assumptions = Assumptions::default();
        let mut ctx = Ctx::new(&module.kernels[0], &assumptions, Hints::default());
        one::<u8>(&mut ctx, &mut rng);
        one::<u16>(&mut ctx, &mut rng);
        one::<u32>(&mut ctx, &mut rng);
        one::<u64>(&mut ctx, &mut rng);
    }
}
