//! Threads that hand each other values at barriers, operations that the program defines, and turns of loops that wait.

use lockstep_weak::litmus::read_ptx;
use lockstep_weak::model::Ptx;
use lockstep_weak::program::{
    Address, Barrier, Code, Expr, Function, Gather, Instr, Order, Participants, Place, Program,
    Reg, Scope, Spaces, Strength, Thread, Update,
};
use lockstep_weak::{Failure, Limits, behaviour, find};

/// Threads of one warp.
fn warp(codes: Vec<Vec<Instr>>) -> Program {
    let mut program = Program::default();
    for (index, instrs) in codes.into_iter().enumerate() {
        let registers: Vec<String> = (0..4).map(|r| format!("r{r}")).collect();
        let observed = (0..4).map(Reg).collect();
        program.codes.push(Code { instrs, registers, observed });
        let (name, place) = (format!("P{index}"), Place::default());
        program.threads.push(Thread { name, place, code: index, start: Vec::new() });
    }
    program
}

/// All registers of all threads at the end, in each outcome.
fn outcomes(program: &Program) -> Vec<Vec<i64>> {
    let (all, summary) = behaviour(program, &Ptx::DOCUMENTED, Limits::default());
    assert!(summary.exhaustive() && all.hangs.is_empty(), "{summary:?}");
    all.outcomes.into_iter().collect()
}

fn meeting(among: &[usize], spaces: Spaces, value: i64) -> Instr {
    let into = (0..3).map(|thread| (thread, Reg(thread), -1)).collect();
    Instr::Barrier(Barrier {
        number: 0,
        id: Expr::Const(0),
        participants: Participants::Among(among.to_vec()),
        domain: Scope::Warp,
        spaces,
        gather: Some(Gather { value: Expr::Const(value), into }),
        arrive: false,
    })
}

#[test]
fn values_go_from_each_to_each() {
    let meet = |value| vec![meeting(&[0, 1, 2], Spaces::NONE, value)];
    let all = outcomes(&warp(vec![meet(10), meet(20), meet(30)]));
    assert_eq!(all, [[10, 20, 30, 0].repeat(3)]);
}

#[test]
fn who_has_ended_is_not_waited_for() {
    let meet = |value| vec![meeting(&[0, 1, 2], Spaces::NONE, value)];
    let all = outcomes(&warp(vec![meet(10), Vec::new(), meet(30)]));
    let row = [10, -1, 30, 0];
    assert_eq!(all, [[&row[..], &[0; 4], &row].concat()]);
}

#[test]
fn only_those_that_are_named_are_waited_for() {
    let meet = |value| vec![meeting(&[0, 2], Spaces::NONE, value)];
    let busy = vec![Instr::Let { dst: Reg(3), value: Expr::Const(7) }];
    let all = outcomes(&warp(vec![meet(10), busy, meet(30)]));
    let row = [10, -1, 30, 0];
    assert_eq!(all, [[&row[..], &[0, 0, 0, 7], &row].concat()]);
}

#[test]
fn a_meeting_that_orders_no_memory_orders_none() {
    let with = |spaces: Spaces| {
        let store = Instr::Store {
            at: Address::location(0),
            value: Expr::Const(1),
            strength: Strength::Weak,
        };
        let load = Instr::Load { dst: Reg(3), at: Address::location(0), strength: Strength::Weak };
        let mut program = warp(vec![
            vec![store, meeting(&[0, 1], spaces, 0)],
            vec![meeting(&[0, 1], spaces, 0), load],
        ]);
        program.location("x");
        find(&program, &Ptx::DOCUMENTED, Limits::default(), &[Failure::Race]).possible()
    };
    assert_eq!(with(Spaces::ALL), Some(false));
    assert_eq!(with(Spaces::NONE), Some(true));
}

#[test]
fn operations_of_the_program() {
    let wrap = Function::new("add modulo 4", |x| (x[0] + x[1]) & 3);
    let update = |by: i64| Instr::Atomic {
        dst: Some(Reg(0)),
        at: Address::location(0),
        update: Update::Call(wrap.clone(), Expr::Const(by)),
        order: Order::Relaxed,
        scope: Scope::Device,
    };
    let twice = Function::new("twice", |x| 2 * x[0]);
    let double = Instr::Let { dst: Reg(1), value: Expr::Call(twice, vec![Expr::Reg(Reg(0))]) };
    let mut program = warp(vec![vec![update(3), double.clone()], vec![update(2), double]]);
    program.location("x");
    let first = [0, 0, 0, 0, 3, 6, 0, 0, 1];
    let second = [2, 4, 0, 0, 0, 0, 0, 0, 1];
    assert_eq!(outcomes(&program), [first, second]);
}

fn races(text: &str) -> Option<bool> {
    let test = read_ptx(text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
    let answer = find(&test.program, &Ptx::DOCUMENTED, Limits::default(), &[Failure::Race]);
    answer.possible()
}

/// The turn that ends the loop is ordered behind the weak store; those before it are not.
#[test]
fn a_turn_that_waits_may_race() {
    let text = r"PTX waits { f=0; }
        P0@cta 0,gpu 0       | P1@cta 1,gpu 0        ;
        st.weak f, 0         | LC0:                  ;
        st.release.gpu f, 1  | ld.acquire.gpu r0, f  ;
                             | beq r0, 0, LC0        ;
        exists 0 == 0";
    assert_eq!(races(text), Some(true));
    assert_eq!(races(&text.replace("st.weak f, 0", "st.relaxed.gpu f, 0")), Some(false));
    let update = text.replace("ld.acquire.gpu r0, f", "atom.acquire.gpu.add r0, f, 0");
    assert_eq!(races(&update), Some(true));
}

/// A flag that is set back by a plain store, before threads begin to wait for it.
#[test]
fn waiting_for_a_flag_that_was_cleared_by_a_weak_store() {
    let text = r"PTX cleared { f=7; x=0; }
        P0@cta 0,gpu 0       | P1@cta 0,gpu 0                 ;
        st.weak f, 0         | bar.cta.sync 0                 ;
        bar.cta.sync 0       | LC0:                           ;
        st.weak x, 1         | atom.acquire.cta.add r0, f, 0  ;
        st.release.cta f, 1  | beq r0, 0, LC0                 ;
                             | ld.weak r1, x                  ;
        exists 0 == 0";
    assert_eq!(races(text), Some(false));
}

/// An atomic operation that is ordered before a plain store by what it wrote is ordered as a whole.
#[test]
fn an_atomic_operation_is_one_operation() {
    let text = r"PTX last { n=0; }
        P0@cta 0,gpu 0               | P1@cta 1,gpu 0               ;
        atom.relaxed.gpu.add r0, n, 1 | atom.relaxed.gpu.add r0, n, 1 ;
        bne r0, 1, LC0               | bne r0, 1, LC1               ;
        st.weak n, 0                 | st.weak n, 0                 ;
        LC0:                         | LC1:                         ;
        exists 0 == 0";
    assert_eq!(races(text), Some(false));
    let early = text.replace("bne r0, 1, LC0 ", "bne r0, 0, LC0 ");
    assert_eq!(races(&early), Some(true));
}
