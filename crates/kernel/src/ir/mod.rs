//! The data of a kernel: [`operators`], operations ([`op`]), shapes of matrices ([`matrix`]), blocks ([`code`]), objects and parameters ([`memory`]),
//! and all of them together, the [`Kernel`].

mod code;
mod matrix;
mod memory;
mod op;
mod operators;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

pub use code::*;
pub use matrix::*;
pub use memory::*;
pub use op::*;
pub use operators::*;

use crate::{Language, Loc, LocId, Site, SiteId, Space, Ty};

/// Something the front end met and does not model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unsupported {
    pub what: String,
    pub loc: LocId,
}

/// A size of the launch that is not the block's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WorkSize {
    /// Threads of a whole block, OpenCL's `get_enqueued_local_size`, in place of a [`Special::BlockDim`].
    Enqueued,
    /// Threads of the launch along an axis, OpenCL's `get_global_size`.
    Global(u8),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// As the source has it (with template arguments).
    pub name: String,
    pub mangled: String,
    pub language: Language,
    pub loc: LocId,
    pub params: Vec<Param>,
    pub objects: Vec<Object>,
    /// Type of each register.
    pub regs: Vec<Ty>,
    /// Names of registers that stand for variables of the source.
    pub reg_names: Vec<(Reg, String)>,
    /// Addresses of elements that a value picks ([`Op::Index`]), and how many elements the array has by its type, be it
    /// a row or a member of something larger. The language has no others there; nothing checks it.
    pub extents: Vec<(Reg, u64)>,
    /// Entry first.
    pub blocks: Vec<Block>,
    pub sites: Vec<Site>,
    pub locs: Vec<Loc>,
    /// Paths as the compiler was given them.
    pub files: Vec<String>,
    pub unsupported: Vec<Unsupported>,
    /// Pointer parameters that get an address in what another pointer points to, nobody knows where ([`crate::edit::aliased`]).
    pub beside: Vec<(usize, Array)>,
    /// `reqd_work_group_size`: no launch has another block.
    pub required_block: Option<[u32; 3]>,
    /// `__launch_bounds__`: no launch has more threads in a block, whatever its shape.
    pub most_threads: Option<u32>,
    /// The last blocks of a launch may be smaller than the others: OpenCL 2.0 without
    /// `-cl-uniform-work-group-size`.
    pub remainders: bool,
    /// What these registers hold is the same in all blocks, smaller ones too. Where no block is smaller, they hold what
    /// the operation says that makes them.
    pub work_sizes: Vec<(Reg, WorkSize)>,
}

impl Kernel {
    /// How many parameters the source gives the kernel: those that stand for fields of others come behind them.
    pub fn own_params(&self) -> usize {
        self.params.iter().filter(|p| p.within.is_none() && p.variable.is_none()).count()
    }
    /// The parameters that stand for fields of a struct parameter.
    pub fn fields_of(&self, param: usize) -> impl Iterator<Item = (usize, &Param)> {
        let of = move |p: &Param| p.within.is_some_and(|w| w.param == param);
        self.params.iter().enumerate().filter(move |(_, p)| of(p))
    }
    /// The parameter that stands for the field at an offset of a struct parameter.
    pub fn field_at(&self, param: usize, offset: u32) -> Option<(usize, &Param)> {
        let at = |p: &Param| p.within.is_some_and(|w| w.offset == offset);
        self.fields_of(param).find(|(_, p)| at(p))
    }
    pub fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.0 as usize]
    }
    pub fn loc(&self, id: LocId) -> &Loc {
        &self.locs[id.0 as usize]
    }
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }
    /// The sites of blocks that a thread at this one may still come to (of the write, where an operation has two).
    pub fn sites_from(&self, block: BlockId) -> HashSet<SiteId> {
        let mut seen = vec![false; self.blocks.len()];
        let mut ahead = vec![block];
        let mut sites = HashSet::new();
        while let Some(next) = ahead.pop() {
            if std::mem::replace(&mut seen[next.0 as usize], true) {
                continue;
            }
            let block = self.block(next);
            sites.extend(block.insts.iter().filter_map(|inst| inst.op.site()));
            ahead.extend(block.term.successors());
        }
        sites
    }
    pub fn reg_ty(&self, r: Reg) -> Ty {
        self.regs[r.0 as usize]
    }
    pub fn insts(&self) -> impl Iterator<Item = &Inst> {
        self.blocks.iter().flat_map(|b| &b.insts)
    }
    /// How many coordinates a parameter has that is a texture, a surface or an
    /// image, and in which steps.
    pub fn image(&self, param: usize) -> Option<(u8, u32)> {
        let reg = Operand::Reg(self.params[param].reg);
        self.insts().find_map(|i| match i.op {
            Op::Texel { image, rank, unit, .. } | Op::ImageSize { image, rank, unit, .. } => {
                (image == reg).then_some((rank, unit))
            }
            _ => None,
        })
    }
    /// What a register stands for in place of the block's own size.
    pub fn work_size(&self, r: Reg) -> Option<WorkSize> {
        self.work_sizes.iter().find(|(own, _)| *own == r).map(|(_, size)| *size)
    }
    /// Whether smaller blocks at the end of a launch can do what no thread of whole blocks would: something asks for their
    /// size, or for threads that they do not have.
    pub fn asks_for_block_sizes(&self) -> bool {
        let shares = self.objects.iter().any(|o| o.space == Space::Shared)
            || self.params.iter().any(|p| matches!(p.kind, ParamKind::Local { .. }));
        let asks = |i: &Inst| match &i.op {
            Op::Special(Special::BlockDim(_)) => i.dst.and_then(|r| self.work_size(r)).is_none(),
            Op::Special(Special::WarpId | Special::WarpsPerBlock) => true,
            Op::Int { .. } => {
                matches!(i.dst.and_then(|r| self.work_size(r)), Some(WorkSize::Global(_)))
            }
            Op::Barrier { .. }
            | Op::GroupCopy { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::MatrixProduct { .. } => true,
            _ => false,
        };
        self.remainders && (shares || self.insts().any(asks))
    }
    /// Which of the three axes of thread and block indices the kernel looks at.
    pub fn axes_used(&self) -> [bool; 3] {
        let mut used = [false; 3];
        for inst in self.insts() {
            if let Op::Special(
                Special::ThreadId(a)
                | Special::BlockId(a)
                | Special::BlockDim(a)
                | Special::GridDim(a),
            ) = inst.op
            {
                used[a as usize] = true;
            }
        }
        used
    }
}
