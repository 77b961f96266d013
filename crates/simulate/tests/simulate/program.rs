//! Kernels for tests, from a small structured language.

use lockstep_kernel::{
    AtomicOp, Barrier, BarrierReduce, Block, BlockId, CastOp, CmpOp, CopyDone, Elem, Inst, IntOp,
    Kernel, Language, Loc, LocId, Object, ObjectId, Op, Operand, Order, Param, ParamKind, Phi, Reg,
    Scheduling, Scope, Site, SiteId, SiteKind, Space, Special, Terminator, Ty,
};
use lockstep_simulate::{BoundArg, BoundLaunch, Config, Outcome, simulate};

/// A 32-bit value.
#[derive(Clone, Debug)]
pub(crate) enum Ex {
    Tid,
    BlockId,
    /// The counter of a loop around, outermost 0.
    Count(usize),
    Num(u32),
    Op(IntOp, Box<Ex>, Box<Ex>),
}

impl Ex {
    pub(crate) fn op(self, op: IntOp, b: Ex) -> Ex {
        Ex::Op(op, Box::new(self), Box::new(b))
    }
    pub(crate) fn add(self, b: u32) -> Ex {
        self.op(IntOp::Add, Ex::Num(b))
    }
    pub(crate) fn rem(self, b: u32) -> Ex {
        self.op(IntOp::URem, Ex::Num(b))
    }
    pub(crate) fn xor(self, b: u32) -> Ex {
        self.op(IntOp::Xor, Ex::Num(b))
    }
    pub(crate) fn div(self, b: u32) -> Ex {
        self.op(IntOp::UDiv, Ex::Num(b))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mem {
    Shared,
    Global,
}

#[derive(Clone, Debug)]
pub(crate) enum St {
    Read(Mem, Ex),
    Write(Mem, Ex),
    Volatile(Mem, Ex, SiteKind),
    /// An atomic, and whether its result is stored (to the last word of the memory
    /// of its own thread, far away).
    Atomic(Mem, Ex, AtomicOp, bool),
    /// `m[a] += m[b]`.
    Sum(Mem, Ex, Ex),
    /// `memcpy(&m[a], &m[b], n)`.
    Copy(Mem, Ex, Ex, u32),
    /// A barrier for shared and for global memory.
    Barrier(bool, bool),
    Counting,
    Named,
    SyncWarp(u32),
    Grid,
    Fence(Scope),
    /// `if (a < b)`.
    If(Ex, Ex, Vec<St>, Vec<St>),
    Loop(u32, Vec<St>),
    Return,
}

pub(crate) const BARRIER: St = St::Barrier(true, true);

pub(crate) fn read(at: Ex) -> St {
    St::Read(Mem::Shared, at)
}
pub(crate) fn write(at: Ex) -> St {
    St::Write(Mem::Shared, at)
}
pub(crate) fn when(a: Ex, b: u32, then: Vec<St>) -> St {
    St::If(a, Ex::Num(b), then, Vec::new())
}

/// Words of each memory.
pub(crate) const WORDS: u32 = 1024;

struct Builder {
    kernel: Kernel,
    at: usize,
    counts: Vec<Reg>,
}

/// The kernel of these statements: `__shared__ int s[WORDS]`, parameter `int *g`.
pub(crate) fn kernel(language: Language, body: &[St]) -> Kernel {
    let elem = Elem::Scalar(Ty::I32);
    let loc = |line| Loc { file: 0, line, column: 1, function: "k".into(), inlined_at: None };
    let mut b = Builder {
        kernel: Kernel {
            name: "k".into(),
            mangled: "k".into(),
            language,
            loc: LocId(0),
            params: vec![Param {
                name: "g".into(),
                kind: ParamKind::Buffer { space: Space::Global, elem, readonly: false },
                reg: Reg(0),
                source_type: "int *".into(),
                signed: true,
                align: 1,
                within: None,
                variable: None,
            }],
            objects: vec![Object {
                name: "s".into(),
                space: Space::Shared,
                size: u64::from(WORDS) * 4,
                align: 4,
                elem,
                dynamic: false,
                init: None,
                relocations: Vec::new(),
                fixed: false,
                exported: false,
                loc: None,
            }],
            regs: vec![Ty::Ptr],
            reg_names: Vec::new(),
            extents: Vec::new(),
            blocks: Vec::new(),
            sites: Vec::new(),
            locs: vec![loc(1)],
            files: vec!["k.cu".into()],
            unsupported: Vec::new(),
            beside: Vec::new(),
            required_block: None,
            most_threads: None,
            remainders: false,
            work_sizes: Vec::new(),
        },
        at: 0,
        counts: Vec::new(),
    };
    b.block();
    b.list(body);
    b.kernel
}

impl Builder {
    fn block(&mut self) -> usize {
        let block = Block {
            name: String::new(),
            phis: Vec::new(),
            insts: Vec::new(),
            term: Terminator::Return,
        };
        self.kernel.blocks.push(block);
        self.kernel.blocks.len() - 1
    }

    fn reg(&mut self, ty: Ty) -> Reg {
        self.kernel.regs.push(ty);
        Reg(self.kernel.regs.len() as u32 - 1)
    }

    fn push(&mut self, dst: Option<Reg>, op: Op) {
        let loc = LocId(self.kernel.locs.len() as u32 - 1);
        self.kernel.blocks[self.at].insts.push(Inst { dst, op, loc });
    }

    fn value(&mut self, ty: Ty, op: Op) -> Operand {
        let r = self.reg(ty);
        self.push(Some(r), op);
        Operand::Reg(r)
    }

    /// A site at a line of its own.
    fn site(&mut self, kind: SiteKind, mem: Mem, size: u32, volatile: bool) -> SiteId {
        let line = self.kernel.locs.len() as u32 + 1;
        let mut loc = self.kernel.locs[0].clone();
        loc.line = line;
        self.kernel.locs.push(loc);
        self.kernel.sites.push(Site {
            kind,
            loc: LocId(self.kernel.locs.len() as u32 - 1),
            space: if mem == Mem::Shared { Space::Shared } else { Space::Global },
            size,
            align: size.clamp(1, 4),
            through: None,
            volatile,
            scope: Scope::Device,
            polling: false,
            origin: u32::MAX,
        });
        SiteId(self.kernel.sites.len() as u32 - 1)
    }

    fn ex(&mut self, e: &Ex) -> Operand {
        match e {
            Ex::Tid => self.value(Ty::I32, Op::Special(Special::ThreadId(0))),
            Ex::BlockId => self.value(Ty::I32, Op::Special(Special::BlockId(0))),
            Ex::Count(i) => Operand::Reg(self.counts[*i]),
            Ex::Num(n) => Operand::Imm(u64::from(*n)),
            Ex::Op(op, a, b) => {
                let (a, b) = (self.ex(a), self.ex(b));
                self.value(Ty::I32, Op::Int { op: *op, ty: Ty::I32, a, b })
            }
        }
    }

    fn address(&mut self, mem: Mem, e: &Ex) -> Operand {
        let a = self.ex(e);
        let index =
            self.value(Ty::I64, Op::Cast { op: CastOp::ZExt, from: Ty::I32, to: Ty::I64, a });
        let base = match mem {
            Mem::Shared => Operand::Object(ObjectId(0), 0),
            Mem::Global => Operand::Reg(Reg(0)),
        };
        self.value(Ty::Ptr, Op::Index { base, index, scale: 4, offset: 0 })
    }

    fn load(&mut self, mem: Mem, e: &Ex, volatile: bool) -> Operand {
        let addr = self.address(mem, e);
        let site = self.site(SiteKind::Read, mem, 4, volatile);
        self.value(Ty::I32, Op::Load { site, ty: Ty::I32, count: 1, addr })
    }

    fn store(&mut self, mem: Mem, e: &Ex, value: Operand, volatile: bool) {
        let addr = self.address(mem, e);
        let site = self.site(SiteKind::Write, mem, 4, volatile);
        self.push(None, Op::Store { site, ty: Ty::I32, values: vec![value], addr });
    }

    fn barrier(&mut self, barrier: Barrier, dst: Option<Reg>) {
        let site = self.site(SiteKind::Barrier, Mem::Shared, 0, false);
        self.push(dst, Op::Barrier { site, barrier });
    }

    /// A list of statements; false if it returned.
    fn list(&mut self, list: &[St]) -> bool {
        list.iter().all(|s| self.statement(s))
    }

    fn statement(&mut self, s: &St) -> bool {
        let id = Operand::Imm(0);
        let whole = |orders_shared, orders_global| Barrier::Block {
            id,
            threads: None,
            orders_shared,
            orders_global,
            reduce: None,
        };
        match s {
            St::Read(mem, e) => {
                self.load(*mem, e, false);
            }
            St::Write(mem, e) => {
                let n = self.kernel.sites.len() as u32;
                let value = self.ex(&Ex::Tid.add(1000 * (n + 1)));
                self.store(*mem, e, value, false);
            }
            St::Volatile(mem, e, SiteKind::Write) => {
                let value = self.ex(&Ex::Tid.add(7));
                self.store(*mem, e, value, true);
            }
            St::Volatile(mem, e, _) => {
                self.load(*mem, e, true);
            }
            St::Atomic(mem, e, op, used) => {
                let addr = self.address(*mem, e);
                let site = self.site(SiteKind::Atomic, *mem, 4, false);
                let op = Op::Atomic {
                    site,
                    op: *op,
                    ty: Ty::I32,
                    addr,
                    value: Operand::Imm(1),
                    expected: Operand::Imm(0),
                    order: Order::Relaxed,
                    scope: Scope::Device,
                };
                let old = self.value(Ty::I32, op);
                if *used {
                    self.store(*mem, &Ex::Tid.add(WORDS / 2), old, false);
                }
            }
            St::Sum(mem, a, b) => {
                let (x, y) = (self.load(*mem, a, false), self.load(*mem, b, false));
                let sum = Op::Int { op: IntOp::Add, ty: Ty::I32, a: x, b: y };
                let sum = self.value(Ty::I32, sum);
                self.store(*mem, a, sum, false);
            }
            St::Copy(mem, a, b, n) => {
                let (dst, src) = (self.address(*mem, a), self.address(*mem, b));
                let read = self.site(SiteKind::Read, *mem, 0, false);
                let write = self.site(SiteKind::Write, *mem, 0, false);
                let len = Operand::Imm(u64::from(*n));
                self.push(None, Op::MemCopy { read, write, dst, src, len, done: CopyDone::AtOnce });
            }
            St::Barrier(shared, global) => self.barrier(whole(*shared, *global), None),
            St::Counting => {
                let reduce = Some((BarrierReduce::Count, Operand::Imm(1)));
                let r = self.reg(Ty::I32);
                let barrier = Barrier::Block {
                    id,
                    threads: None,
                    orders_shared: true,
                    orders_global: true,
                    reduce,
                };
                self.barrier(barrier, Some(r));
            }
            St::Named => {
                let barrier = Barrier::Block {
                    id: Operand::Imm(1),
                    threads: Some(Operand::Imm(64)),
                    orders_shared: true,
                    orders_global: true,
                    reduce: None,
                };
                self.barrier(barrier, None);
            }
            St::SyncWarp(mask) => {
                let mask = Operand::Imm(u64::from(*mask));
                self.barrier(Barrier::Warp { mask }, None);
            }
            St::Grid => self.barrier(Barrier::Grid, None),
            St::Fence(scope) => {
                let site = self.site(SiteKind::Fence, Mem::Global, 0, false);
                let (scope, order) = (*scope, Order::AcqRel);
                self.push(None, Op::Fence { site, scope, order, shared: true, global: true });
            }
            St::If(a, b, then, otherwise) => {
                let (a, b) = (self.ex(a), self.ex(b));
                let cond = self.value(Ty::I1, Op::Cmp { op: CmpOp::ULt, ty: Ty::I32, a, b });
                let from = self.at;
                let arms = [self.block(), self.block()];
                let ends = [then, otherwise].map(|list| list.as_slice());
                let mut leave = Vec::new();
                for (arm, list) in arms.into_iter().zip(ends) {
                    self.at = arm;
                    if self.list(list) {
                        leave.push(self.at);
                    }
                }
                let join = self.block();
                for b in leave {
                    self.kernel.blocks[b].term = Terminator::Jump(BlockId(join as u32));
                }
                let [then, otherwise] = arms.map(|b| BlockId(b as u32));
                self.kernel.blocks[from].term =
                    Terminator::Branch { cond, then, otherwise, loc: LocId(0) };
                self.at = join;
            }
            St::Loop(n, body) => {
                let from = self.at;
                let (head, inside) = (self.block(), self.block());
                let count = self.reg(Ty::I32);
                let next = self.reg(Ty::I32);
                self.kernel.blocks[from].term = Terminator::Jump(BlockId(head as u32));
                self.at = head;
                let (a, b) = (Operand::Reg(count), Operand::Imm(u64::from(*n)));
                let cond = self.value(Ty::I1, Op::Cmp { op: CmpOp::ULt, ty: Ty::I32, a, b });
                self.counts.push(count);
                self.at = inside;
                self.list(body);
                self.counts.pop();
                let b = Operand::Imm(1);
                self.push(Some(next), Op::Int { op: IntOp::Add, ty: Ty::I32, a, b });
                let latch = self.at;
                let exit = self.block();
                self.kernel.blocks[latch].term = Terminator::Jump(BlockId(head as u32));
                self.kernel.blocks[head].phis.push(Phi {
                    dst: count,
                    ty: Ty::I32,
                    incoming: vec![
                        (BlockId(from as u32), Operand::Imm(0)),
                        (BlockId(latch as u32), Operand::Reg(next)),
                    ],
                });
                self.kernel.blocks[head].term = Terminator::Branch {
                    cond,
                    then: BlockId(inside as u32),
                    otherwise: BlockId(exit as u32),
                    loc: LocId(0),
                };
                self.at = exit;
            }
            St::Return => return false,
        }
        true
    }
}

pub(crate) fn cuda(body: &[St]) -> Kernel {
    kernel(Language::Cuda, body)
}

/// The sites of the kernel's barriers of the block, in order.
pub(crate) fn barriers(kernel: &Kernel) -> Vec<SiteId> {
    kernel
        .insts()
        .filter(|i| matches!(i.op, Op::Barrier { barrier: Barrier::Block { .. }, .. }))
        .filter_map(|i| i.op.site())
        .collect()
}

pub(crate) fn launch(blocks: u32, threads: u32) -> BoundLaunch {
    BoundLaunch {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        global: None,
        shared: 0,
        args: vec![BoundArg::Buffer(vec![0; 4 * WORDS as usize].into())],
    }
}

pub(crate) fn config(scheduling: Scheduling) -> Config {
    Config { scheduling, kinds: vec![lockstep_finding::Kind::DataRace], ..Config::default() }
}

pub(crate) fn run(kernel: &Kernel, blocks: u32, threads: u32, config: &Config) -> Outcome {
    simulate(kernel, &launch(blocks, threads), config).expect("the launch fits the kernel")
}

/// Whether a launch of the kernel has races.
pub(crate) fn races(kernel: &Kernel, threads: u32, scheduling: Scheduling) -> bool {
    !run(kernel, 1, threads, &config(scheduling)).findings.is_empty()
}
