//! Which values are ordinary, which are odd, and which seeds follow.

use super::*;
use lockstep_finding::{Fact, Origin};
use lockstep_kernel::{
    Block, CmpOp, Elem, Inst, IntOp, Language, LocId, Op, Operand, Param, Reg, Site, SiteKind,
    Space as Memory, Special, Terminator,
};

/// `if (i < n) a[i * stride] = 0;` with `i` the number of the thread.
fn strided() -> Kernel {
    let inst = |dst: Option<u32>, op| Inst { dst: dst.map(Reg), op, loc: LocId(0) };
    let reg = |r: u32| Operand::Reg(Reg(r));
    let int = |op, a, b| Op::Int { op, ty: Ty::I32, a, b };
    let special = |s| Op::Special(s);
    let elem = Elem::Scalar(Ty::F32);
    let param = |name: &str, kind, reg, source_type: &str| Param {
        name: name.into(),
        kind,
        reg: Reg(reg),
        source_type: source_type.into(),
        signed: true,
        align: 1,
        within: None,
        variable: None,
    };
    let scalar = ParamKind::Scalar { ty: Ty::I32, count: 1 };
    let buffer = ParamKind::Buffer { space: Memory::Global, elem, readonly: false };
    let site = Site {
        kind: SiteKind::Write,
        loc: LocId(0),
        space: Memory::Global,
        size: 4,
        align: 4,
        through: Some("a".into()),
        volatile: false,
        scope: lockstep_kernel::Scope::Thread,
        polling: false,
        origin: 0,
    };
    let block = |name: &str, insts, term| Block { name: name.into(), phis: vec![], insts, term };
    let store = Op::Store {
        site: lockstep_kernel::SiteId(0),
        ty: Ty::F32,
        values: vec![Operand::Imm(0)],
        addr: reg(11),
    };
    let id = lockstep_kernel::BlockId;
    Kernel {
        name: "strided".into(),
        mangled: "strided".into(),
        language: Language::Cuda,
        loc: LocId(0),
        params: vec![
            param("a", buffer, 0, "float *"),
            param("n", scalar, 1, "int"),
            param("stride", scalar, 2, "int"),
        ],
        objects: vec![],
        regs: vec![
            Ty::Ptr,
            Ty::I32,
            Ty::I32,
            Ty::I32,
            Ty::I32,
            Ty::I32,
            Ty::I32,
            Ty::I32,
            Ty::I1,
            Ty::I32,
            Ty::I64,
            Ty::Ptr,
        ],
        reg_names: vec![],
        extents: Vec::new(),
        blocks: vec![
            block(
                "entry",
                vec![
                    inst(Some(3), special(Special::BlockId(0))),
                    inst(Some(4), special(Special::BlockDim(0))),
                    inst(Some(5), special(Special::ThreadId(0))),
                    inst(Some(6), int(IntOp::Mul, reg(3), reg(4))),
                    inst(Some(7), int(IntOp::Add, reg(6), reg(5))),
                    inst(Some(8), Op::Cmp { op: CmpOp::SLt, ty: Ty::I32, a: reg(7), b: reg(1) }),
                ],
                Terminator::Branch { cond: reg(8), then: id(1), otherwise: id(2), loc: LocId(0) },
            ),
            block(
                "then",
                vec![
                    inst(Some(9), int(IntOp::Mul, reg(7), reg(2))),
                    inst(
                        Some(10),
                        Op::Cast {
                            op: lockstep_kernel::CastOp::SExt,
                            from: Ty::I32,
                            to: Ty::I64,
                            a: reg(9),
                        },
                    ),
                    inst(Some(11), Op::Index { base: reg(0), index: reg(10), scale: 4, offset: 0 }),
                    inst(None, store),
                ],
                Terminator::Jump(id(2)),
            ),
            block("end", vec![], Terminator::Return),
        ],
        sites: vec![site],
        locs: vec![lockstep_kernel::Loc {
            file: 0,
            line: 1,
            column: 1,
            function: "strided".into(),
            inlined_at: None,
        }],
        files: vec!["strided.cu".into()],
        unsupported: vec![],
        beside: Vec::new(),
        required_block: None,
        most_threads: None,
        remainders: false,
        work_sizes: Vec::new(),
    }
}

fn given() -> Given {
    Given { args: vec![None; 3], ..Given::default() }
}

#[test]
fn ordinary_values() {
    let (kernel, given) = (strided(), given());
    let space = Space::new(&kernel, &given);
    let plain = space.plain();
    assert_eq!((plain.block, plain.grid), ([64, 1, 1], [2, 1, 1]));
    assert_eq!((plain.int(0), plain.int(1)), (128, 128));
    assert_eq!(space.oddities(&plain), []);
    let with = |slot: usize, v: i64| {
        let mut c = plain.clone();
        c.genes[slot] = Gene::Int(v);
        space.oddities(&c)
    };
    // The last block need not be full, but a size beyond the grid is odd.
    assert_eq!(with(0, 100), []);
    assert_eq!(with(0, 129), [Oddity::Slot(0)]);
    assert_eq!(with(0, 0), [Oddity::Slot(0)]);
    assert_eq!(with(1, 127), [Oddity::Slot(1)]);
    assert_eq!(with(1, 0), [Oddity::Slot(1)]);
    assert_eq!(with(1, 200), []);
    // Two rows of this length could still be indexed by an `int`, but not as many as a kernel may have.
    assert_eq!(with(1, 1 << 19), []);
    assert_eq!(with(1, 1 << 30), [Oddity::Slot(1)]);
    // Nor can rows for this many threads.
    let mut many = plain.clone();
    many.grid = [65535, 1, 1];
    many.genes[1] = Gene::Int(1 << 22);
    assert_eq!(space.oddities(&many), [Oddity::Slot(1)]);
}

#[test]
fn sizes_follow_the_dimensions() {
    let (kernel, given) = (strided(), given());
    let space = Space::new(&kernel, &given);
    let mut c = space.plain();
    c.block = [32, 1, 1];
    assert_eq!((c.int(0), c.int(1)), (64, 64));
    assert_eq!(space.oddities(&c), []);
    c.block = [33, 1, 1];
    assert_eq!(space.oddities(&c), [Oddity::Block]);
}

#[test]
fn facts_do_not_vary() {
    let kernel = strided();
    let given = Given {
        block: Some(Fact::new([48, 1, 1], Origin::CommandLine)),
        args: vec![None, None, Some(Fact::new(ArgValue::Scalar("0".into()), Origin::CommandLine))],
        ..Given::default()
    };
    let space = Space::new(&kernel, &given);
    assert_eq!(space.slots.len(), 1);
    assert_eq!(space.blocks, [[48, 1, 1]]);
    assert!(!space.free_block().contains(&true));
    for seed in space.seeds(crate::given::Alias::All) {
        assert_eq!(seed.block, [48, 1, 1], "{seed:?}");
        assert!(!space.oddities(&seed).contains(&Oddity::Block));
    }
}

#[test]
fn seeds_are_boundary_values() {
    let (kernel, given) = (strided(), given());
    let space = Space::new(&kernel, &given);
    let seeds = space.seeds(crate::given::Alias::Never);
    assert_eq!(seeds[0].rule, Rule::Ordinary);
    let has = |rule: &Rule, slot: usize, v: i64| {
        seeds.iter().any(|s| s.rule == *rule && s.int(slot) == v)
    };
    assert!(has(&Rule::PartialBlock, 0, 127));
    assert!(has(&Rule::PartialBlock, 0, 65));
    assert!(has(&Rule::BeyondTheGrid, 0, 257));
    assert!(has(&Rule::Stride("stride".into()), 1, 0));
    assert!(has(&Rule::Stride("stride".into()), 1, 1));
    assert!(seeds.iter().all(|s| space.is_possible(s)));
}
