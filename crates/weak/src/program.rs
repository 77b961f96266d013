//! Small concurrent programs: threads in warps, blocks and devices that communicate through memory.
//!
//! Threads share codes: a kernel is one code, started with different registers. Locations are numbered; an array is
//! a run of them. Values are 64-bit integers; narrower arithmetic is written out by whoever makes the program.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The set of threads around one thread that an operation speaks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    Thread,
    Warp,
    Block,
    Cluster,
    Device,
    System,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::Thread => "thread",
            Scope::Warp => "warp",
            Scope::Block => "cta",
            Scope::Cluster => "cluster",
            Scope::Device => "gpu",
            Scope::System => "sys",
        })
    }
}

/// Memory order of a strong access or of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Relaxed => "relaxed",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcqRel => "acq_rel",
            Order::SeqCst => "sc",
        })
    }
}

/// How strong an access or a fence is. A weak (plain) access has no order and no scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    Weak,
    Strong(Order, Scope),
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strength::Weak => f.write_str("weak"),
            Strength::Strong(order, scope) => write!(f, "{order}.{scope}"),
        }
    }
}

/// A register of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Add,
    Sub,
    Mul,
    /// Signed; by zero it gives zero.
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Op {
    pub fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            Op::Add => a.wrapping_add(b),
            Op::Sub => a.wrapping_sub(b),
            Op::Mul => a.wrapping_mul(b),
            Op::Div => a.checked_div(b).unwrap_or(0),
            Op::Rem => a.checked_rem(b).unwrap_or(0),
            Op::And => a & b,
            Op::Or => a | b,
            Op::Xor => a ^ b,
            Op::Shl => a.wrapping_shl(b as u32),
            Op::Shr => a.wrapping_shr(b as u32),
            Op::Min => a.min(b),
            Op::Max => a.max(b),
            Op::Eq => i64::from(a == b),
            Op::Ne => i64::from(a != b),
            Op::Lt => i64::from(a < b),
            Op::Le => i64::from(a <= b),
            Op::Gt => i64::from(a > b),
            Op::Ge => i64::from(a >= b),
        }
    }
}

/// An operation that whoever makes the program defines: arithmetic of other widths, floating point, a table. Functions of
/// one name are one function.
#[derive(Clone)]
pub struct Function {
    name: Arc<str>,
    apply: Arc<dyn Fn(&[i64]) -> i64 + Send + Sync>,
}

impl Function {
    pub fn new(
        name: impl Into<Arc<str>>,
        apply: impl Fn(&[i64]) -> i64 + Send + Sync + 'static,
    ) -> Function {
        Function { name: name.into(), apply: Arc::new(apply) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn apply(&self, operands: &[i64]) -> i64 {
        (self.apply)(operands)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        self.name == other.name
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    Const(i64),
    Reg(Reg),
    Apply(Op, Box<Expr>, Box<Expr>),
    /// The second where the first is not zero, else the third.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(Function, Vec<Expr>),
}

impl Expr {
    pub fn apply(op: Op, a: impl Into<Expr>, b: impl Into<Expr>) -> Expr {
        Expr::Apply(op, Box::new(a.into()), Box::new(b.into()))
    }

    /// Calls `f` with each register that is read.
    pub fn registers(&self, f: &mut impl FnMut(Reg)) {
        match self {
            Expr::Const(_) => {}
            Expr::Reg(reg) => f(*reg),
            Expr::Apply(_, a, b) => {
                a.registers(f);
                b.registers(f);
            }
            Expr::Select(a, b, c) => {
                a.registers(f);
                b.registers(f);
                c.registers(f);
            }
            Expr::Call(_, operands) => operands.iter().for_each(|operand| operand.registers(f)),
        }
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Expr {
        Expr::Const(value)
    }
}

impl From<Reg> for Expr {
    fn from(reg: Reg) -> Expr {
        Expr::Reg(reg)
    }
}

/// Location `base + index`, where `index < len`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    pub base: usize,
    pub len: usize,
    pub index: Expr,
}

impl Address {
    pub fn location(location: usize) -> Address {
        Address { base: location, len: 1, index: Expr::Const(0) }
    }

    /// May it be `location`?
    pub fn may_be(&self, location: usize) -> bool {
        match self.index {
            Expr::Const(index) => self.base as i64 + index == location as i64,
            _ => (self.base..self.base + self.len).contains(&location),
        }
    }
}

/// What an atomic read-modify-write makes of the old value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    Exchange(Expr),
    /// `old == expected ? desired : old`. As PTX describes it, a failure writes the old value back; where
    /// `writes_only_success`, as in C11 and OpenCL, it writes nothing.
    CompareExchange {
        expected: Expr,
        desired: Expr,
        writes_only_success: bool,
    },
    Apply(Op, Expr),
    /// The function of the old value and of this one.
    Call(Function, Expr),
    /// CUDA's `atomicInc`: `old >= limit ? 0 : old + 1`.
    Inc(Expr),
    /// CUDA's `atomicDec`: `old == 0 || old > limit ? limit : old - 1`.
    Dec(Expr),
}

/// The memory that a fence or barrier orders. CUDA's order all of it; OpenCL's have flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spaces {
    pub global: bool,
    pub shared: bool,
}

impl Spaces {
    pub const ALL: Spaces = Spaces { global: true, shared: true };
    pub const NONE: Spaces = Spaces { global: false, shared: false };
}

/// Who has to arrive at a barrier before those who wait there go on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Participants {
    /// All threads of the barrier's domain that have not ended.
    All,
    /// Those threads of the domain in whose code a barrier of this number stands: litmus tests mean this.
    Having,
    /// Those of these threads that have not ended.
    Among(Vec<usize>),
    /// So many.
    Count(Expr),
}

/// Values that the threads of a barrier hand each other while they are there: reductions, shuffles, votes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gather {
    /// What this thread gives.
    pub value: Expr,
    /// Which thread's value goes to which register, and what goes there if the thread has ended.
    pub into: Vec<(usize, Reg, i64)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Barrier {
    /// Which barrier resource: one that stands in the code, and one that may be computed.
    pub number: u32,
    pub id: Expr,
    pub participants: Participants,
    /// Barriers are shared by the threads of one warp, block, cluster or device.
    pub domain: Scope,
    /// The memory that it orders; none: threads only meet there.
    pub spaces: Spaces,
    /// For all or some threads that wait there, not for a number of them.
    pub gather: Option<Gather>,
    /// The thread only says that it has come (`bar.arrive`) and does not wait.
    pub arrive: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instr {
    Load {
        dst: Reg,
        at: Address,
        strength: Strength,
    },
    Store {
        at: Address,
        value: Expr,
        strength: Strength,
    },
    Atomic {
        dst: Option<Reg>,
        at: Address,
        update: Update,
        order: Order,
        scope: Scope,
    },
    Fence {
        order: Order,
        scope: Scope,
        spaces: Spaces,
    },
    Barrier(Barrier),
    Let {
        dst: Reg,
        value: Expr,
    },
    /// To `target` where the condition is not zero, else on.
    Branch {
        condition: Expr,
        target: usize,
    },
    Jump {
        target: usize,
    },
    Assert {
        condition: Expr,
    },
}

impl Instr {
    pub fn address(&self) -> Option<&Address> {
        match self {
            Instr::Load { at, .. } | Instr::Store { at, .. } | Instr::Atomic { at, .. } => Some(at),
            _ => None,
        }
    }

    pub fn writes(&self) -> bool {
        matches!(self, Instr::Store { .. } | Instr::Atomic { .. })
    }

    pub(crate) fn target_mut(&mut self) -> Option<&mut usize> {
        match self {
            Instr::Branch { target, .. } | Instr::Jump { target } => Some(target),
            _ => None,
        }
    }

    pub(crate) fn target(&self) -> Option<usize> {
        match self {
            Instr::Branch { target, .. } | Instr::Jump { target } => Some(*target),
            _ => None,
        }
    }

    /// Calls `f` with each register that is read.
    pub(crate) fn uses(&self, f: &mut impl FnMut(Reg)) {
        if let Some(at) = self.address() {
            at.index.registers(f);
        }
        match self {
            Instr::Store { value, .. } | Instr::Let { value, .. } => value.registers(f),
            Instr::Atomic { update, .. } => match update {
                Update::Exchange(value)
                | Update::Apply(_, value)
                | Update::Call(_, value)
                | Update::Inc(value)
                | Update::Dec(value) => {
                    value.registers(f);
                }
                Update::CompareExchange { expected, desired, .. } => {
                    expected.registers(f);
                    desired.registers(f);
                }
            },
            Instr::Barrier(barrier) => {
                barrier.id.registers(f);
                if let Participants::Count(count) = &barrier.participants {
                    count.registers(f);
                }
                if let Some(gather) = &barrier.gather {
                    gather.value.registers(f);
                }
            }
            Instr::Branch { condition, .. } | Instr::Assert { condition } => condition.registers(f),
            Instr::Load { .. } | Instr::Fence { .. } | Instr::Jump { .. } => {}
        }
    }

    /// Calls `f` with each register that is written.
    pub(crate) fn defines(&self, f: &mut impl FnMut(Reg)) {
        match self {
            Instr::Load { dst, .. } | Instr::Let { dst, .. } => f(*dst),
            Instr::Atomic { dst: Some(dst), .. } => f(*dst),
            Instr::Barrier(Barrier { gather: Some(gather), .. }) => {
                gather.into.iter().for_each(|&(_, dst, _)| f(dst));
            }
            _ => {}
        }
    }
}

/// Where a thread stands in the tree of scopes. Numbers are of the whole system: two blocks of different devices have
/// different numbers only if whoever makes the program gives them so; [`Place::shares`] looks at the whole path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Place {
    pub device: u32,
    pub cluster: u32,
    pub block: u32,
    pub warp: u32,
}

impl Place {
    /// Are two threads that stand here and there in one group of this scope? `Thread` never says so of two threads.
    pub fn shares(self, other: Place, scope: Scope) -> bool {
        let device = self.device == other.device;
        let cluster = device && self.cluster == other.cluster;
        let block = cluster && self.block == other.block;
        match scope {
            Scope::Thread => false,
            Scope::Warp => block && self.warp == other.warp,
            Scope::Block => block,
            Scope::Cluster => cluster,
            Scope::Device => device,
            Scope::System => true,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    pub name: String,
    pub place: Place,
    /// Which of the program's codes it runs.
    pub code: usize,
    /// The first values of its registers; those beyond are zero.
    pub start: Vec<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    pub instrs: Vec<Instr>,
    /// Names of registers, in the order of their numbers.
    pub registers: Vec<String>,
    /// Registers whose last values are looked at when a thread has ended.
    pub observed: Vec<Reg>,
}

impl Code {
    /// The register of this name, new if there is none.
    pub fn register(&mut self, name: &str) -> Reg {
        let found = self.registers.iter().position(|other| other == name);
        Reg(found.unwrap_or_else(|| {
            self.registers.push(name.to_string());
            self.registers.len() - 1
        }))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Space {
    #[default]
    Global,
    Shared,
    /// Not known to be either: OpenCL's generic address space.
    Generic,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub name: String,
    pub initial: i64,
    pub space: Space,
    /// Declared for atomic accesses. OpenCL's model asks; PTX's does not.
    pub atomic: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub name: String,
    pub codes: Vec<Code>,
    pub threads: Vec<Thread>,
    pub locations: Vec<Location>,
}

impl Program {
    pub fn code(&self, thread: usize) -> &Code {
        &self.codes[self.threads[thread].code]
    }

    /// The location of this name, new and zero if there is none.
    pub fn location(&mut self, name: &str) -> usize {
        let found = self.locations.iter().position(|other| other.name == name);
        found.unwrap_or_else(|| {
            let location =
                Location { name: name.to_string(), initial: 0, space: Space::Global, atomic: true };
            self.locations.push(location);
            self.locations.len() - 1
        })
    }

    /// Puts an instruction before the one at `at`; jumps to it run the new one too where `reached_by_jumps`.
    pub fn insert(&mut self, code: usize, at: usize, instr: Instr, reached_by_jumps: bool) {
        let instrs = &mut self.codes[code].instrs;
        for other in instrs.iter_mut() {
            if let Some(target) = other.target_mut()
                && (*target > at || (*target == at && !reached_by_jumps))
            {
                *target += 1;
            }
        }
        instrs.insert(at, instr);
    }

    pub fn remove(&mut self, code: usize, at: usize) {
        let instrs = &mut self.codes[code].instrs;
        instrs.remove(at);
        for other in instrs.iter_mut() {
            if let Some(target) = other.target_mut()
                && *target > at
            {
                *target -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looping() -> Program {
        let jump = Instr::Jump { target: 1 };
        let fence =
            Instr::Fence { order: Order::SeqCst, scope: Scope::Device, spaces: Spaces::ALL };
        let code = Code { instrs: vec![fence.clone(), fence, jump], ..Code::default() };
        Program { codes: vec![code], ..Program::default() }
    }

    #[test]
    fn edits_keep_targets() {
        let fence = Instr::Fence { order: Order::AcqRel, scope: Scope::Block, spaces: Spaces::ALL };
        let mut program = looping();
        program.insert(0, 1, fence.clone(), false);
        assert_eq!(program.codes[0].instrs[3], Instr::Jump { target: 2 });
        program.remove(0, 1);
        assert_eq!(program, looping());
        program.insert(0, 1, fence, true);
        assert_eq!(program.codes[0].instrs[3], Instr::Jump { target: 1 });
        program.remove(0, 1);
        assert_eq!(program, looping());
    }

    #[test]
    fn scopes_nest() {
        let a = Place { device: 0, cluster: 0, block: 1, warp: 0 };
        let b = Place { device: 1, cluster: 0, block: 1, warp: 0 };
        assert!(
            !a.shares(b, Scope::Block) && !a.shares(b, Scope::Device) && a.shares(b, Scope::System)
        );
    }
}
