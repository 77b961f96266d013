//! Kernels by hand, for the tests of this crate.

use crate::*;

/// Builds a kernel block by block; registers and sites are numbered as they come.
pub(crate) struct Builder {
    pub(crate) kernel: Kernel,
    block: usize,
}

impl Builder {
    /// A kernel with so many empty blocks that return.
    pub(crate) fn new(blocks: u32) -> Builder {
        let block = |i: u32| Block {
            name: format!("b{i}"),
            phis: Vec::new(),
            insts: Vec::new(),
            term: Terminator::Return,
        };
        let kernel = Kernel {
            name: "k".into(),
            mangled: "k".into(),
            language: Language::Cuda,
            loc: LocId(0),
            params: Vec::new(),
            objects: Vec::new(),
            regs: Vec::new(),
            reg_names: Vec::new(),
            extents: Vec::new(),
            blocks: (0..blocks).map(block).collect(),
            sites: Vec::new(),
            locs: vec![Loc { file: 0, line: 0, column: 0, function: "k".into(), inlined_at: None }],
            files: vec!["k.cu".into()],
            unsupported: Vec::new(),
            beside: Vec::new(),
            required_block: None,
            most_threads: None,
            remainders: false,
            work_sizes: Vec::new(),
        };
        Builder { kernel, block: 0 }
    }

    fn reg(&mut self, ty: Ty) -> Reg {
        self.kernel.regs.push(ty);
        Reg(self.kernel.regs.len() as u32 - 1)
    }

    pub(crate) fn param(&mut self, name: &str, kind: ParamKind) -> Operand {
        let reg = self.reg(match kind {
            ParamKind::Scalar { ty, .. } => ty,
            _ => Ty::Ptr,
        });
        self.kernel.params.push(Param {
            name: name.into(),
            kind,
            reg,
            source_type: String::new(),
            signed: true,
            align: 1,
            within: None,
            variable: None,
        });
        Operand::Reg(reg)
    }

    pub(crate) fn int(&mut self, name: &str) -> Operand {
        self.param(name, ParamKind::Scalar { ty: Ty::I32, count: 1 })
    }

    pub(crate) fn array(&mut self, name: &str) -> Operand {
        let elem = Elem::Scalar(Ty::I32);
        self.param(name, ParamKind::Buffer { space: Space::Global, elem, readonly: false })
    }

    pub(crate) fn object(&mut self, name: &str, space: Space, size: u64) -> Operand {
        self.kernel.objects.push(Object {
            name: name.into(),
            space,
            size,
            align: 4,
            elem: Elem::Scalar(Ty::I32),
            dynamic: false,
            init: None,
            relocations: Vec::new(),
            fixed: false,
            exported: false,
            loc: None,
        });
        Operand::Object(ObjectId(self.kernel.objects.len() as u32 - 1), 0)
    }

    /// What follows goes into this block.
    pub(crate) fn at(&mut self, block: u32) -> &mut Builder {
        self.block = block as usize;
        self
    }

    pub(crate) fn push(&mut self, ty: Ty, op: Op) -> Operand {
        let dst = (op.result_count() > 0).then(|| self.reg(ty));
        self.kernel.blocks[self.block].insts.push(Inst { dst, op, loc: LocId(0) });
        dst.map_or(Operand::Undef, Operand::Reg)
    }

    pub(crate) fn special(&mut self, s: Special) -> Operand {
        self.push(Ty::I32, Op::Special(s))
    }

    pub(crate) fn bin(&mut self, op: IntOp, a: Operand, b: Operand) -> Operand {
        self.push(Ty::I32, Op::Int { op, ty: Ty::I32, a, b })
    }

    pub(crate) fn cmp(&mut self, op: CmpOp, a: Operand, b: Operand) -> Operand {
        self.push(Ty::I1, Op::Cmp { op, ty: Ty::I32, a, b })
    }

    pub(crate) fn element(&mut self, base: Operand, index: Operand) -> Operand {
        let index = match index {
            Operand::Reg(_) => {
                let op = Op::Cast { op: CastOp::SExt, from: Ty::I32, to: Ty::I64, a: index };
                self.push(Ty::I64, op)
            }
            constant => constant,
        };
        self.push(Ty::Ptr, Op::Index { base, index, scale: 4, offset: 0 })
    }

    fn site(&mut self, kind: SiteKind, space: Space) -> SiteId {
        self.kernel.sites.push(Site {
            kind,
            loc: LocId(0),
            space,
            size: 4,
            align: 4,
            through: None,
            volatile: false,
            scope: Scope::Device,
            polling: false,
            origin: 0,
        });
        SiteId(self.kernel.sites.len() as u32 - 1)
    }

    pub(crate) fn load(&mut self, space: Space, base: Operand, index: Operand) -> Operand {
        let addr = self.element(base, index);
        let site = self.site(SiteKind::Read, space);
        self.push(Ty::I32, Op::Load { site, ty: Ty::I32, count: 1, addr })
    }

    pub(crate) fn store(&mut self, space: Space, base: Operand, index: Operand, value: Operand) {
        let addr = self.element(base, index);
        let site = self.site(SiteKind::Write, space);
        self.push(Ty::I32, Op::Store { site, ty: Ty::I32, values: vec![value], addr });
    }

    /// `atomicAdd(&base[index], value)`.
    pub(crate) fn draw(
        &mut self,
        space: Space,
        base: Operand,
        index: Operand,
        value: Operand,
    ) -> Operand {
        self.atomic(AtomicOp::Add, space, base, index, value)
    }

    pub(crate) fn atomic(
        &mut self,
        op: AtomicOp,
        space: Space,
        base: Operand,
        index: Operand,
        value: Operand,
    ) -> Operand {
        let addr = self.element(base, index);
        let site = self.site(SiteKind::Atomic, space);
        let (order, scope) = (Order::Relaxed, Scope::Device);
        let (ty, expected) = (Ty::I32, Operand::Undef);
        self.push(ty, Op::Atomic { site, op, ty, addr, value, expected, order, scope })
    }

    pub(crate) fn barrier(&mut self) {
        let site = self.site(SiteKind::Barrier, Space::Generic);
        let barrier = Barrier::Block {
            id: Operand::Imm(0),
            threads: None,
            orders_shared: true,
            orders_global: true,
            reduce: None,
        };
        self.push(Ty::I32, Op::Barrier { site, barrier });
    }

    /// A phi whose incoming values are given later, with [`Builder::incoming`].
    pub(crate) fn phi(&mut self) -> Operand {
        let dst = self.reg(Ty::I32);
        let phi = Phi { dst, ty: Ty::I32, incoming: Vec::new() };
        self.kernel.blocks[self.block].phis.push(phi);
        Operand::Reg(dst)
    }

    pub(crate) fn incoming(&mut self, phi: Operand, list: &[(u32, Operand)]) {
        let phis = self.kernel.blocks.iter_mut().flat_map(|b| &mut b.phis);
        for p in phis.filter(|p| Operand::Reg(p.dst) == phi) {
            p.incoming = list.iter().map(|&(b, o)| (BlockId(b), o)).collect();
        }
    }

    pub(crate) fn jump(&mut self, to: u32) {
        self.kernel.blocks[self.block].term = Terminator::Jump(BlockId(to));
    }

    pub(crate) fn branch(&mut self, cond: Operand, then: u32, otherwise: u32) {
        self.kernel.blocks[self.block].term = Terminator::Branch {
            cond,
            then: BlockId(then),
            otherwise: BlockId(otherwise),
            loc: LocId(0),
        };
    }
}
