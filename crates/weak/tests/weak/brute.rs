//! The exploration against a naive enumeration of all candidates, on random tiny programs.

use lockstep_weak::model::{Model, OpenCl, Ptx, Version};
use lockstep_weak::program::{
    Address, Barrier, Code, Expr, Instr, Op, Order, Participants, Place, Program, Reg, Scope,
    Spaces, Strength, Thread, Update,
};
use lockstep_weak::{Limits, behaviour};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

fn pick<T: Clone>(random: &mut Pcg32, from: &[T]) -> T {
    from[random.random_range(0..from.len())].clone()
}

fn scope(random: &mut Pcg32) -> Scope {
    pick(random, &[Scope::Block, Scope::Device, Scope::System])
}

fn value(random: &mut Pcg32, registers: usize) -> Expr {
    if random.random_bool(0.4) {
        Expr::Reg(Reg(random.random_range(0..registers)))
    } else {
        Expr::Const(random.random_range(1..=2))
    }
}

/// A program of at most `most` events whose values stay small.
fn program(random: &mut Pcg32, most: usize) -> Program {
    let mut program = Program::default();
    for name in ["x", "y"] {
        let location = program.location(name);
        program.locations[location].atomic = random.random_bool(0.7);
    }
    let threads = random.random_range(2..=3);
    // A barrier waits for threads to come or to end; the naive enumeration knows no ends, so these do not depend on
    // values where there are barriers.
    let barriers = random.random_bool(0.5);
    let mut left = most;
    for thread in 0..threads {
        let registers = 2;
        let mut code = Code::default();
        for register in 0..registers {
            let reg = code.register(&format!("r{register}"));
            code.observed.push(reg);
        }
        let length = random.random_range(1..=3);
        for _ in 0..length {
            if left == 0 {
                break;
            }
            let (instr, cost) = instruction(random, registers, barriers);
            if cost > left {
                break;
            }
            left -= cost;
            // Now and then the instruction stands under a condition.
            if !barriers && random.random_bool(0.3) {
                let condition = Expr::apply(Op::Ne, Reg(random.random_range(0..registers)), 1);
                code.instrs.push(Instr::Branch { condition, target: code.instrs.len() + 2 });
            }
            code.instrs.push(instr);
        }
        let place = Place { device: 0, cluster: 0, block: random.random_range(0..2), warp: 0 };
        program.threads.push(Thread {
            name: format!("P{thread}"),
            place,
            code: thread,
            start: Vec::new(),
        });
        program.codes.push(code);
    }
    program
}

fn instruction(random: &mut Pcg32, registers: usize, barriers: bool) -> (Instr, usize) {
    let at = match random.random_range(0..6) {
        0 => {
            let index = Expr::apply(Op::And, Reg(random.random_range(0..registers)), 1);
            Address { base: 0, len: 2, index }
        }
        n => Address::location(n % 2),
    };
    let dst = Reg(random.random_range(0..registers));
    match random.random_range(0..10) {
        0..=3 => {
            let order = pick(random, &[Order::Relaxed, Order::Acquire]);
            let strong = Strength::Strong(order, scope(random));
            (Instr::Load { dst, at, strength: pick(random, &[Strength::Weak, strong]) }, 1)
        }
        4..=6 => {
            let order = pick(random, &[Order::Relaxed, Order::Release]);
            let strong = Strength::Strong(order, scope(random));
            let strength = pick(random, &[Strength::Weak, strong]);
            (Instr::Store { at, value: value(random, registers), strength }, 1)
        }
        7 => {
            let order =
                pick(random, &[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel]);
            let update = match random.random_range(0..3) {
                0 => Update::Exchange(value(random, registers)),
                1 => Update::CompareExchange {
                    expected: Expr::Const(0),
                    desired: value(random, registers),
                    writes_only_success: random.random_bool(0.5),
                },
                _ => Update::Inc(Expr::Const(2)),
            };
            (Instr::Atomic { dst: Some(dst), at, update, order, scope: scope(random) }, 2)
        }
        _ if !barriers || random.random_bool(0.5) => {
            let order = pick(random, &[Order::AcqRel, Order::SeqCst]);
            (Instr::Fence { order, scope: scope(random), spaces: Spaces::ALL }, 1)
        }
        _ => {
            let participants = Participants::All;
            let barrier = Barrier {
                number: 0,
                id: Expr::Const(0),
                participants,
                domain: Scope::Block,
                spaces: Spaces::ALL,
                gather: None,
                arrive: false,
            };
            (Instr::Barrier(barrier), 1)
        }
    }
}

fn agree(model: &dyn Model, seed: u64, cases: usize) {
    let mut random = Pcg32::seed_from_u64(seed);
    let mut racy = 0;
    for case in 0..cases {
        let program = program(&mut random, 6);
        let (explored, summary) = behaviour(&program, model, Limits::default());
        assert!(summary.exhaustive());
        let naive = crate::common::naive(&program, model);
        racy += usize::from(!naive.races.is_empty());
        assert_eq!(explored, naive, "case {case} of seed {seed}: {program}");
    }
    assert!(racy > cases / 10, "random programs race now and then: {racy} of {cases}");
}

fn cases() -> usize {
    std::env::var("LOCKSTEP_RANDOM").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150)
}

#[test]
fn ptx_as_documented() {
    agree(&Ptx::DOCUMENTED, 1, cases());
}

#[test]
fn ptx_6_0() {
    agree(&Ptx { version: Version::V6_0 }, 2, cases());
}

#[test]
fn ptx_7_5() {
    agree(&Ptx { version: Version::V7_5 }, 3, cases());
}

#[test]
fn opencl() {
    agree(&OpenCl, 4, cases());
}
