use super::{address_slice, deciding_contents};
use crate::testing::Builder;
use crate::validate::validate;
use crate::*;

const IMM: fn(u64) -> Operand = Operand::Imm;

fn checked(b: &Builder) -> Kernel {
    validate(&b.kernel).expect("built well");
    let sliced = address_slice(&b.kernel);
    validate(&sliced).unwrap_or_else(|e| panic!("{e}\n{}", dump::dump(&sliced)));
    sliced
}

fn branches(k: &Kernel) -> usize {
    k.blocks.iter().filter(|b| matches!(b.term, Terminator::Branch { .. })).count()
}

/// `for (i = 0; i < n; i++) body` in blocks 1 (head), 2 (body) and 3 (after); the counter.
fn counted_loop(b: &mut Builder, n: Operand) -> Operand {
    b.at(0).jump(1);
    let i = b.at(1).phi();
    let more = b.cmp(CmpOp::SLt, i, n);
    b.branch(more, 2, 3);
    let next = b.at(2).bin(IntOp::Add, i, IMM(1));
    b.jump(1);
    b.incoming(i, &[(0, IMM(0)), (2, next)]);
    i
}

#[test]
fn arithmetic_that_is_only_stored_goes() {
    let mut b = Builder::new(1);
    let a = b.array("a");
    let t = b.special(Special::ThreadId(0));
    let x = b.load(Space::Global, a, t);
    let y = b.bin(IntOp::Mul, x, IMM(3));
    b.store(Space::Global, a, t, y);
    let k = checked(&b);
    assert_eq!(k.insts().count(), b.kernel.insts().count() - 1);
    let last = k.insts().last().expect("a store");
    assert!(matches!(&last.op, Op::Store { values, site: SiteId(1), .. } if values == &[IMM(0)]));
}

#[test]
fn a_value_that_comes_back_as_an_index_stays() {
    let mut b = Builder::new(1);
    let (a, out) = (b.array("a"), b.array("out"));
    let s = b.object("s", Space::Shared, 128);
    let t = b.special(Special::ThreadId(0));
    let twice = b.bin(IntOp::Mul, t, IMM(2));
    b.store(Space::Shared, s, t, twice);
    b.barrier();
    let i = b.load(Space::Shared, s, t);
    let v = b.load(Space::Global, a, t);
    b.store(Space::Global, out, i, v);
    let k = checked(&b);
    let stored: Vec<_> = (k.insts())
        .filter_map(|i| match &i.op {
            Op::Store { values, .. } => Some(values[0]),
            _ => None,
        })
        .collect();
    assert_eq!(stored, [twice, IMM(0)]);
}

#[test]
fn loops_and_branches_without_accesses_go() {
    let mut b = Builder::new(6);
    let (n, a) = (b.int("n"), b.array("a"));
    counted_loop(&mut b, n);
    let big = b.at(3).cmp(CmpOp::SGt, n, IMM(9));
    b.branch(big, 4, 5);
    b.at(4).bin(IntOp::Add, n, IMM(1));
    b.jump(5);
    let x = b.at(5).phi();
    b.incoming(x, &[(3, IMM(1)), (4, IMM(2))]);
    b.store(Space::Global, a, IMM(0), x);
    let k = checked(&b);
    assert_eq!(branches(&k), 0);
    assert_eq!(k.insts().count(), 2);
    assert_eq!(k.block(BlockId(0)).term, Terminator::Jump(BlockId(5)));
}

#[test]
fn loops_around_accesses_or_needed_values_stay() {
    let mut around = Builder::new(4);
    let (n, a) = (around.int("n"), around.array("a"));
    let i = counted_loop(&mut around, n);
    around.at(2).load(Space::Global, a, i);
    assert_eq!(branches(&checked(&around)), 1);

    let mut needed = Builder::new(4);
    let (n, a) = (needed.int("n"), needed.array("a"));
    let i = counted_loop(&mut needed, n);
    needed.at(3).store(Space::Global, a, i, IMM(1));
    assert_eq!(branches(&checked(&needed)), 1);
}

#[test]
fn early_returns_before_barriers_stay() {
    let mut b = Builder::new(3);
    let n = b.int("n");
    let t = b.special(Special::ThreadId(0));
    let out = b.cmp(CmpOp::SGe, t, n);
    b.branch(out, 1, 2);
    b.at(2).barrier();
    assert_eq!(branches(&checked(&b)), 1);
}

#[test]
fn a_loop_without_a_way_out_is_neither_made_nor_lost() {
    let mut b = Builder::new(4);
    let (n, a) = (b.int("n"), b.array("a"));
    let stuck = b.cmp(CmpOp::Eq, n, IMM(0));
    b.branch(stuck, 1, 2);
    b.at(1).load(Space::Global, a, IMM(0));
    b.jump(1);
    b.at(2).store(Space::Global, a, IMM(1), IMM(1));
    let k = checked(&b);
    assert_eq!(branches(&k), 1);
    assert_eq!(k.block(BlockId(1)).insts.len(), 2);
}

#[test]
fn private_memory_stays_only_where_it_leads_to_an_address() {
    for needed in [true, false] {
        let mut b = Builder::new(1);
        let a = b.array("a");
        let p = b.object("p", Space::Private, 64);
        let t = b.special(Special::ThreadId(0));
        b.store(Space::Private, p, IMM(3), t);
        let x = b.load(Space::Private, p, IMM(3));
        let (index, value) = if needed { (x, t) } else { (t, x) };
        b.store(Space::Global, a, index, value);
        let left = checked(&b).insts().filter(|i| i.op.site().is_some()).count();
        assert_eq!(left, if needed { 3 } else { 1 });
    }
}

#[test]
fn an_unknown_pointer_may_read_what_any_store_wrote() {
    let mut b = Builder::new(1);
    let (a, out) = (b.array("a"), b.array("out"));
    let t = b.special(Special::ThreadId(0));
    b.store(Space::Global, a, t, t);
    let wide = Op::Cast { op: CastOp::ZExt, from: Ty::I32, to: Ty::Ptr, a: t };
    let anywhere = b.push(Ty::Ptr, wide);
    let i = b.load(Space::Generic, anywhere, IMM(0));
    b.store(Space::Global, out, i, IMM(1));
    let k = checked(&b);
    assert!(k.insts().any(|i| matches!(&i.op, Op::Store { values, .. } if values == &[t])));
}

#[test]
fn checks_output_and_the_unsupported_go_and_preconditions_stay() {
    let mut b = Builder::new(1);
    let n = b.int("n");
    let c = b.cmp(CmpOp::SGt, n, IMM(4));
    let d = b.cmp(CmpOp::SGt, n, IMM(5));
    b.push(Ty::I32, Op::Requires { cond: c, text: "n > 4".into() });
    b.push(Ty::I32, Op::Assert { cond: d, message: "n > 5".into() });
    b.push(Ty::I32, Op::Print { format: IMM(0), args: PrintArgs::Values(Vec::new()) });
    b.push(Ty::I32, Op::Unsupported(0));
    let k = checked(&b);
    assert_eq!(k.insts().count(), 2);
    assert!(k.insts().any(|i| matches!(i.op, Op::Requires { .. })));
}

#[test]
fn a_swap_needs_what_it_finds_and_an_addition_does_not() {
    for op in [AtomicOp::CompareExchange, AtomicOp::Add] {
        let mut b = Builder::new(1);
        let a = b.array("a");
        let t = b.special(Special::ThreadId(0));
        let x = b.bin(IntOp::Add, t, IMM(7));
        b.store(Space::Global, a, IMM(0), x);
        let site = b.kernel.insts().last().and_then(|i| i.op.site()).expect("a site");
        b.push(
            Ty::I32,
            Op::Atomic {
                site,
                op,
                ty: Ty::I32,
                addr: a,
                value: x,
                expected: t,
                order: Order::Relaxed,
                scope: Scope::Device,
            },
        );
        let k = checked(&b);
        let kept = k.insts().any(|i| matches!(i.op, Op::Int { .. }));
        assert_eq!(kept, op == AtomicOp::CompareExchange);
    }
}

#[test]
fn arrays_that_decide_what_is_accessed() {
    let mut b = Builder::new(1);
    let (index, from, to) = (b.array("index"), b.array("from"), b.array("to"));
    let t = b.special(Special::ThreadId(0));
    let i = b.load(Space::Global, index, t);
    let v = b.load(Space::Global, from, t);
    b.store(Space::Global, to, i, v);
    assert_eq!(deciding_contents(&b.kernel), Some(vec![true, false, false]));
}

#[test]
fn arrays_that_decide_whether_something_is_accessed() {
    let mut b = Builder::new(4);
    let (flag, to) = (b.array("flag"), b.array("to"));
    let t = b.special(Special::ThreadId(0));
    let v = b.load(Space::Global, flag, t);
    let is_set = b.cmp(CmpOp::SLt, IMM(0), v);
    b.branch(is_set, 1, 2);
    b.at(1).jump(3);
    b.at(2).jump(3);
    // Which index it is, the branch decides.
    let i = b.at(3).phi();
    b.incoming(i, &[(1, IMM(0)), (2, t)]);
    b.store(Space::Global, to, i, IMM(1));
    assert_eq!(deciding_contents(&b.kernel), Some(vec![true, false]));
}
