//! Blocks of instructions, and how control leaves them.

use serde::{Deserialize, Serialize};

use super::op::Op;
use super::operators::*;
use crate::{LocId, Ty};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inst {
    pub dst: Option<Reg>,
    pub op: Op,
    pub loc: LocId,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phi {
    pub dst: Reg,
    pub ty: Ty,
    pub incoming: Vec<(BlockId, Operand)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Terminator {
    Jump(BlockId),
    Branch {
        cond: Operand,
        then: BlockId,
        otherwise: BlockId,
        loc: LocId,
    },
    /// The thread is done.
    Return,
    /// Control cannot come here (after a trap or `__builtin_unreachable`).
    Unreachable,
}

impl Terminator {
    pub fn successors(&self) -> impl Iterator<Item = BlockId> {
        let (a, b) = match *self {
            Terminator::Jump(t) => (Some(t), None),
            Terminator::Branch { then, otherwise, .. } if then == otherwise => (Some(then), None),
            Terminator::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Terminator::Return | Terminator::Unreachable => (None, None),
        };
        a.into_iter().chain(b)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Label from the source IR, for the dump.
    pub name: String,
    pub phis: Vec<Phi>,
    pub insts: Vec<Inst>,
    pub term: Terminator,
}
