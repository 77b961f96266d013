use super::Hints;
use crate::testing::Builder;
use crate::validate::validate;
use crate::*;

const IMM: fn(u64) -> Operand = Operand::Imm;

fn hints(b: &Builder) -> Hints {
    validate(&b.kernel).expect("built well");
    Hints::of(&b.kernel)
}

#[test]
fn an_empty_kernel_has_none() {
    let mut b = Builder::new(1);
    b.int("n");
    let h = hints(&b);
    assert!(h.params[0].unused && !h.params[0].selects);
    assert_eq!(Hints { params: Vec::new(), ..h }, Hints::default());
}

#[test]
fn axes_count_only_where_they_matter() {
    let mut b = Builder::new(1);
    let a = b.array("a");
    b.special(Special::ThreadId(2));
    b.special(Special::GridDim(1));
    let lane = b.special(Special::LaneId);
    let y = b.special(Special::BlockId(1));
    b.store(Space::Global, a, lane, y);
    let h = hints(&b);
    assert_eq!(h.thread_axes, [true, false, false]);
    assert_eq!(h.block_axes, [false, true, false]);
    assert_eq!((h.reads_block_dim, h.reads_grid_dim), ([false; 3], [false, true, false]));
}

#[test]
fn a_number_drawn_tells_blocks_apart() {
    let axes = |space: Space, used: bool, sized: bool| {
        let mut b = Builder::new(1);
        let (a, c) = (b.array("a"), b.array("c"));
        let size = if sized { b.special(Special::BlockDim(0)) } else { IMM(64) };
        let at = b.draw(space, c, IMM(0), size);
        b.store(Space::Global, a, if used { at } else { IMM(0) }, IMM(1));
        hints(&b).block_axes
    };
    assert_eq!(axes(Space::Global, true, true), [true, false, false]);
    assert_eq!(axes(Space::Global, false, true), [false; 3]);
    assert_eq!(axes(Space::Global, true, false), [false; 3]);
    assert_eq!(axes(Space::Shared, true, true), [false; 3]);
}

#[test]
fn three_axes_in_one_number() {
    let mut b = Builder::new(1);
    let a = b.array("a");
    let [x, y, z] = [0, 1, 2].map(|i| b.special(Special::ThreadId(i)));
    let block = b.special(Special::BlockId(0));
    let y = b.bin(IntOp::Shl, y, IMM(3));
    let z = b.bin(IntOp::Mul, IMM(32), z);
    let block = b.bin(IntOp::Mul, block, IMM(64));
    let sum = b.bin(IntOp::Or, y, x);
    let sum = b.bin(IntOp::Add, z, sum);
    let sum = b.bin(IntOp::Add, sum, block);
    b.store(Space::Global, a, sum, IMM(1));
    assert_eq!(hints(&b).implied_block, [Some(8), Some(4), Some(2)]);
}

#[test]
fn a_row_of_an_array_is_no_block() {
    let mut b = Builder::new(1);
    let a = b.array("a");
    let (x, y) = (b.special(Special::ThreadId(0)), b.special(Special::ThreadId(1)));
    let row = b.bin(IntOp::Mul, y, IMM(1024));
    let at = b.bin(IntOp::Add, row, x);
    b.store(Space::Global, a, at, IMM(1));
    // 1024 threads along x would leave one along y.
    assert_eq!(hints(&b).implied_block, [None; 3]);
}

#[test]
fn a_shared_array_bounds_the_block() {
    let mut b = Builder::new(1);
    let s = b.object("s", Space::Shared, 400);
    let t = b.special(Special::ThreadId(0));
    let twice = b.bin(IntOp::Mul, t, IMM(2));
    let next = b.bin(IntOp::Add, twice, IMM(4));
    b.store(Space::Shared, s, next, IMM(1));
    assert_eq!(hints(&b).most_block, [Some(48), None, None]);
}

#[test]
fn constants_are_seen_through_what_was_done_to_the_value() {
    let mut b = Builder::new(3);
    let (n, m, a) = (b.int("n"), b.int("m"), b.array("a"));
    let less = b.bin(IntOp::Sub, n, IMM(3));
    let half = b.bin(IntOp::SDiv, less, IMM(2));
    let first = b.cmp(CmpOp::SGt, half, IMM(10));
    let from = b.bin(IntOp::Sub, IMM(100), m);
    let second = b.cmp(CmpOp::Eq, from, IMM(u64::from(-1i32 as u32)));
    let both = b.push(Ty::I1, Op::Int { op: IntOp::And, ty: Ty::I1, a: first, b: second });
    b.branch(both, 1, 2);
    b.at(1).store(Space::Global, a, IMM(0), IMM(1));
    let h = hints(&b);
    assert_eq!(h.params[0].compared_with, [23]);
    assert_eq!(h.params[0].divided_by, [2]);
    assert_eq!(h.params[1].compared_with, [101]);
    assert!(h.params[0].guards_access && h.params[1].guards_access);
    assert_eq!(h.access_branches, [BlockId(0)]);
}

#[test]
fn a_loop_bound_and_a_barrier_in_a_loop() {
    let mut b = Builder::new(4);
    let (n, unrelated) = (b.int("n"), b.int("unrelated"));
    let after = b.cmp(CmpOp::SGt, n, unrelated);
    b.push(Ty::I32, Op::Select { ty: Ty::I32, cond: after, a: n, b: unrelated });
    b.jump(1);
    let i = b.at(1).phi();
    let more = b.cmp(CmpOp::SLt, i, n);
    b.branch(more, 2, 3);
    b.at(2).barrier();
    let next = b.bin(IntOp::Add, i, IMM(1));
    b.jump(1);
    b.incoming(i, &[(0, IMM(0)), (2, next)]);
    b.at(3).barrier();
    let h = hints(&b);
    assert!(h.params[0].bounds_loop && h.params[0].guards_access);
    assert!(!h.params[1].bounds_loop && !h.params[1].guards_access);
    assert_eq!(h.loops_with_barrier, [SiteId(0)]);
}

#[test]
fn what_a_loop_adds_each_time_is_a_stride() {
    let mut b = Builder::new(4);
    let (a, n, step, offset) = (b.array("a"), b.int("n"), b.int("step"), b.int("offset"));
    let t = b.special(Special::ThreadId(0));
    b.jump(1);
    let i = b.at(1).phi();
    let more = b.cmp(CmpOp::SLt, i, n);
    b.branch(more, 2, 3);
    let at = b.at(2).bin(IntOp::Add, i, offset);
    b.store(Space::Global, a, at, IMM(1));
    let next = b.bin(IntOp::Add, i, step);
    b.jump(1);
    b.incoming(i, &[(0, t), (2, next)]);
    let h = hints(&b);
    assert!(h.params[2].multiplies_index && h.params[2].added_to_index);
    assert!(!h.params[3].multiplies_index && h.params[3].added_to_index);
}

#[test]
fn contents_are_followed_through_shared_memory() {
    let mut b = Builder::new(1);
    let (keys, out) = (b.array("keys"), b.array("out"));
    let s = b.object("s", Space::Shared, 128);
    let t = b.special(Special::ThreadId(0));
    let key = b.load(Space::Global, keys, t);
    b.store(Space::Shared, s, t, key);
    let back = b.load(Space::Shared, s, t);
    b.store(Space::Global, out, back, IMM(1));
    let h = hints(&b);
    let keys = h.params[0].array.as_ref().expect("an array");
    assert!(keys.value_reaches_address && keys.index_written_through && keys.read);
    assert_eq!(keys.loads_ty, Some(Ty::I32));
    let mut pairs = Vec::new();
    h.pairs.all(
        |site| site,
        |a, b| {
            pairs.push((a.0, b.0));
            true
        },
    );
    pairs.sort_unstable();
    assert_eq!(pairs, [(1, 1), (1, 2), (3, 3)]);
    assert_eq!(h.pairs.sites(), [1, 2, 3].map(SiteId));
}

#[test]
fn stores_that_add_to_what_they_find() {
    let mut b = Builder::new(1);
    let (bins, other) = (b.array("bins"), b.array("other"));
    let t = b.special(Special::ThreadId(0));
    let old = b.load(Space::Global, bins, t);
    let new = b.bin(IntOp::Add, old, IMM(1));
    b.store(Space::Global, bins, t, new);
    b.store(Space::Global, other, t, new);
    let twice = b.bin(IntOp::Mul, new, new);
    b.store(Space::Global, bins, t, twice);
    assert_eq!(hints(&b).updates, [SiteId(1)]);
}

#[test]
fn fields_are_read_at_constant_offsets() {
    let mut b = Builder::new(3);
    let p = b.param("p", ParamKind::Aggregate { size: 16, align: 8 });
    let a = b.array("a");
    let t = b.special(Special::ThreadId(0));
    let n = b.load(Space::Private, p, IMM(2));
    let inside = b.cmp(CmpOp::SLt, t, n);
    b.branch(inside, 1, 2);
    b.at(1).store(Space::Global, a, t, IMM(1));
    let fields = &hints(&b).params[0].fields;
    assert_eq!(fields.len(), 1);
    assert_eq!((fields[0].offset, fields[0].ty, fields[0].is_pointer), (8, Ty::I32, false));
    assert_eq!(fields[0].hints.compared_with_index, [true, false, false]);
    assert!(fields[0].hints.guards_access && !fields[0].hints.reaches_address);
}

/// Where a member of structs of 16 bytes stands, in the struct of each thread.
fn member(b: &mut Builder, base: Operand, offset: i64) -> Operand {
    let thread = b.special(Special::ThreadId(0));
    let op = Op::Cast { op: CastOp::ZExt, from: Ty::I32, to: Ty::I64, a: thread };
    let index = b.push(Ty::I64, op);
    b.push(Ty::Ptr, Op::Index { base, index, scale: 16, offset })
}

fn structs(b: &mut Builder, name: &str) -> Operand {
    let elem = Elem::Bytes(16);
    b.param(name, ParamKind::Buffer { space: Space::Global, elem, readonly: false })
}

#[test]
fn members_of_structs_are_told_apart() {
    let mut b = Builder::new(1);
    let (s, out) = (structs(&mut b, "s"), b.array("out"));
    let at = member(&mut b, s, 12);
    let at = b.load(Space::Global, at, IMM(0));
    let weight = member(&mut b, s, 4);
    let weight = b.load(Space::Global, weight, IMM(0));
    b.store(Space::Global, out, at, weight);
    let first = member(&mut b, s, 0);
    b.store(Space::Global, first, IMM(1), IMM(7));
    let h = hints(&b);
    let members = &h.params[0].array.as_ref().unwrap().members;
    let told = |i: usize| {
        let m = &members[i];
        (m.offset, m.count, m.array.value_reaches_address, m.array.written)
    };
    assert_eq!(members.len(), 2);
    assert_eq!([told(0), told(1)], [(4, 1, false, true), (12, 1, true, false)]);
    assert!(members[1].array.index_written_through);
    assert_eq!(h.led_by_members, [vec![], vec![], vec![(0, 12)], vec![]]);
    assert_eq!(h.member_at, [Some((0, 12)), Some((0, 4)), None, None]);
}

#[test]
fn an_array_in_a_struct_reaches_to_the_next_member() {
    let mut b = Builder::new(1);
    let (s, out, k) = (structs(&mut b, "s"), b.array("out"), b.int("k"));
    let list = member(&mut b, s, 0);
    let at = b.load(Space::Global, list, k);
    let last = member(&mut b, s, 12);
    let weight = b.load(Space::Global, last, IMM(0));
    b.store(Space::Global, out, at, weight);
    let h = hints(&b);
    let members = &h.params[0].array.as_ref().unwrap().members;
    let told: Vec<_> = members.iter().map(|m| (m.offset, m.count, m.step)).collect();
    assert_eq!(told, [(0, 3, 4), (12, 1, 4)]);
}

#[test]
fn members_of_two_types_are_none() {
    let mut b = Builder::new(1);
    let (s, out) = (structs(&mut b, "s"), b.array("out"));
    let [one, other] = [4, 6].map(|offset| {
        let at = member(&mut b, s, offset);
        b.load(Space::Global, at, IMM(0))
    });
    b.store(Space::Global, out, one, other);
    assert!(hints(&b).params[0].array.as_ref().unwrap().members.is_empty());
}

#[test]
fn what_ends_a_loop_is_not_always_its_limit() {
    let limits = |counted: bool| {
        let mut b = Builder::new(3);
        let (a, out) = (b.array("a"), b.array("out"));
        let end = b.load(Space::Global, a, IMM(0));
        b.jump(1);
        b.at(1);
        let k = b.phi();
        b.store(Space::Global, out, k, IMM(1));
        let next = b.bin(IntOp::Add, k, IMM(1));
        let found = b.load(Space::Global, out, next);
        let ends = b.cmp(CmpOp::Eq, if counted { next } else { found }, end);
        b.branch(ends, 2, 1);
        b.incoming(k, &[(0, IMM(0)), (1, next)]);
        let h = hints(&b);
        let array = h.params[0].array.as_ref().unwrap();
        assert!(array.value_bounds_loop);
        array.value_limits_loop
    };
    assert!(limits(true));
    assert!(!limits(false));
}
