//! One thread of a launch, executed as far as its values are known.
//!
//! What is known is done; what depends on values that other threads write is left as instructions of the explored program.
//! A branch that depends on them goes both ways. Where ways meet, or a loop begins, the state of the thread is a *point*: a
//! point that was met before is jumped to, so that a loop which waits becomes a loop. A loop that comes back in ever new
//! states, and whose turns depend on what others write, is widened: what changes is no longer taken for known there.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use lockstep_kernel::CopyDone;
use lockstep_kernel::cfg::Cfg;
use lockstep_kernel::{
    BlockId, Inst, Kernel, LocId, Op, Operand, Reg, SiteId, Space, Special, Terminator, Ty,
};
use lockstep_weak::program::{Address, Expr, Function, Instr, Order, Spaces, Strength};

use crate::launch::{Launch, ThreadAt};
use crate::limits::Limits;
use crate::outside::{Decision, Outside, Reason, Unknown};
use crate::specialise::arithmetic::Pure;
use crate::specialise::liveness::Liveness;
use crate::specialise::objects::{Instance, Objects};
use crate::specialise::pattern::{Pattern, Touch};
use crate::specialise::residual::{
    Exit, Left, Line, Node, Origin, Registers, Role, Spot, Var, in_a_row,
};
use crate::specialise::state::{Key, State, differing};
use crate::specialise::value::Value;
use crate::specialise::{weak_order, weak_scope};

/// What all threads of a launch have in common.
pub(crate) struct World<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) cfg: Cfg,
    pub(crate) liveness: Liveness,
    pub(crate) launch: &'a Launch,
    pub(crate) threads: Vec<ThreadAt>,
    pub(crate) objects: Objects,
    pub(crate) limits: &'a Limits,
    /// Operations that all threads have executed.
    pub(crate) all_steps: Cell<u64>,
    /// The model is PTX's: `volatile` is strong, barriers are no fences, fences make operations sequentially consistent.
    pub(crate) ptx: bool,
}

/// Why a thread was not specialised to its end.
pub(crate) enum Stop {
    Outside(Outside),
    /// It shares memory in a way that the pattern does not know yet.
    NewSharing,
    /// A loop was widened: begin again.
    Widened,
}

impl From<Outside> for Stop {
    fn from(outside: Outside) -> Stop {
        Stop::Outside(outside)
    }
}

pub(crate) type Done<T> = Result<T, Stop>;

/// Begins again as often as loops are widened.
pub(crate) fn specialise(
    world: &World<'_>,
    pattern: &Pattern,
    known: &BTreeSet<Touch>,
    found: &mut BTreeSet<Touch>,
    me: usize,
) -> Done<Left> {
    let mut widened = BTreeSet::new();
    loop {
        let mut thread = Thread {
            world,
            pattern,
            known,
            found,
            me,
            nodes: Vec::new(),
            points: HashMap::new(),
            open: Vec::new(),
            registers: Registers::default(),
            widened: &mut widened,
            steps: 0,
            left_open: Vec::new(),
            opaque: None,
            remembered: 0,
            now: 0,
        };
        match thread.run() {
            Ok(()) => {
                let left = in_a_row(thread.nodes, &thread.registers);
                let open = thread.left_open.into_iter().next();
                return Ok(Left { open, opaque: thread.opaque, ..left });
            }
            Err(Stop::Widened) => {}
            Err(stop) => return Err(stop),
        }
    }
}

/// The name of numbers that stand for what nobody knows.
const OPAQUE: &str = "unknown";

/// Whether an expression holds a number that stands for what nobody knows.
pub(crate) fn is_opaque(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Reg(_) => false,
        Expr::Apply(_, a, b) => is_opaque(a) || is_opaque(b),
        Expr::Select(a, b, c) => is_opaque(a) || is_opaque(b) || is_opaque(c),
        Expr::Call(function, operands) => {
            operands.is_empty() && function.name().starts_with(OPAQUE)
                || operands.iter().any(is_opaque)
        }
    }
}

/// A number of so many bytes that is hardly ever met again.
fn opaque_bits(thread: usize, step: u64, size: u32) -> u64 {
    let mixed = (thread as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (step + 1).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    mixed >> (64 - 8 * size.clamp(1, 8))
}

/// The most variables in all states of a thread that are remembered.
const MOST_REMEMBERED: usize = 2_000_000;

/// How a thread came to where it is.
#[derive(Clone, Default)]
struct Path {
    /// Branches on the way that depend on what others write.
    open_branches: u32,
    /// Heads of loops: branches until the last visit, turns that had such branches, and the state then.
    visits: BTreeMap<BlockId, (u32, u32, Rc<Key>)>,
}

pub(crate) struct Thread<'a> {
    pub(crate) world: &'a World<'a>,
    pub(crate) pattern: &'a Pattern,
    /// What the pattern was made of, and what this round finds.
    pub(crate) known: &'a BTreeSet<Touch>,
    pub(crate) found: &'a mut BTreeSet<Touch>,
    pub(crate) me: usize,
    nodes: Vec<Node>,
    points: HashMap<Key, usize>,
    /// Points whose code is still to be made.
    open: Vec<(usize, BlockId, State, Path)>,
    pub(crate) registers: Registers,
    widened: &'a mut BTreeSet<(BlockId, Var)>,
    steps: u64,
    /// Why ways end that hang on what other threads write.
    left_open: Vec<Outside>,
    /// What other threads may read without its value being known.
    pub(crate) opaque: Option<Unknown>,
    /// Variables in all states that are remembered.
    remembered: usize,
    /// The node that instructions go to.
    now: usize,
}

impl Thread<'_> {
    pub(crate) fn place(&self) -> ThreadAt {
        self.world.threads[self.me]
    }

    fn run(&mut self) -> Done<()> {
        let kernel = self.world.kernel;
        let mut state = State::default();
        for (param, values) in kernel.params.iter().zip(&self.world.objects.params) {
            for (i, &value) in values.iter().enumerate() {
                state.regs.insert(Reg(param.reg.0 + i as u32), Value::Known(value));
            }
        }
        self.nodes.push(Node::new(kernel.loc));
        let entry = BlockId(0);
        // The entry may be the head of a loop: its point is one that is jumped to.
        let first = if self.is_point(entry) { self.point(entry, &mut state) } else { 0 };
        if first != 0 {
            self.nodes[0].exit = Exit::Jump(first);
        }
        self.open.push((first, entry, state, Path::default()));
        while let Some((node, block, state, path)) = self.open.pop() {
            self.now = node;
            let may_be_dead = path.open_branches > 0;
            match self.follow(block, state, path) {
                Err(Stop::Outside(outside)) if may_be_dead && outside.is_of_one_way() => {
                    self.leave(outside);
                }
                done => done?,
            }
        }
        Ok(())
    }

    /// Ends a way that cannot be followed. It hangs on what other threads write whether a thread comes here at all: an
    /// address that no memory has ends the exploration of an execution that does.
    fn leave(&mut self, outside: Outside) {
        let loc = outside.loc.unwrap_or(self.world.kernel.loc);
        let nowhere = Address { base: 0, len: 0, index: Expr::Const(-1) };
        let dst = self.registers.of(Var::Swap(u32::MAX));
        let strength = Strength::Weak;
        self.emit(Instr::Load { dst, at: nowhere, strength }, Role::Local, None, loc);
        self.nodes[self.now].exit = Exit::End;
        self.left_open.push(outside);
    }

    /// Executes from the beginning of a block until the way parts or meets another.
    fn follow(&mut self, mut block: BlockId, mut state: State, mut path: Path) -> Done<()> {
        let kernel = self.world.kernel;
        loop {
            let before = &kernel.blocks[..block.0 as usize];
            let first: u32 = before.iter().map(|b| b.insts.len() as u32).sum();
            for (number, inst) in (first..).zip(&kernel.block(block).insts) {
                self.step(inst.loc)?;
                self.execute(inst, number, &mut state)?;
            }
            let to = match kernel.block(block).term {
                Terminator::Return | Terminator::Unreachable => {
                    self.nodes[self.now].exit = Exit::End;
                    return Ok(());
                }
                Terminator::Jump(to) => to,
                Terminator::Branch { cond, then, otherwise, loc } => {
                    match self.operand(&state, cond) {
                        Value::Known(bits) => {
                            if bits & 1 != 0 {
                                then
                            } else {
                                otherwise
                            }
                        }
                        _ if then == otherwise => then,
                        Value::Unknown(what) => {
                            return Err(
                                Outside::at(Reason::Decides(what, Decision::Branch), loc).into()
                            );
                        }
                        value => {
                            let condition = value.expr().map_err(|what| {
                                Outside::at(Reason::Decides(what, Decision::Branch), loc)
                            })?;
                            path.open_branches += 1;
                            let (yes, no) = (self.node(loc)?, self.node(loc)?);
                            self.nodes[self.now].exit = Exit::Branch { condition, yes, no };
                            for (node, to) in [(yes, then), (no, otherwise)] {
                                self.now = node;
                                let (mut state, mut path) = (state.clone(), path.clone());
                                if !self.enter(block, to, &mut state, &mut path)? {
                                    self.open.push((node, to, state, path));
                                }
                            }
                            return Ok(());
                        }
                    }
                }
            };
            if self.enter(block, to, &mut state, &mut path)? {
                return Ok(());
            }
            block = to;
        }
    }

    fn step(&mut self, loc: LocId) -> Done<()> {
        self.steps += 1;
        let all_steps = self.world.all_steps.get() + 1;
        self.world.all_steps.set(all_steps);
        let limits = self.world.limits;
        if self.steps > limits.steps || all_steps > limits.all_steps {
            return Err(Outside::at(Reason::Steps, loc).into());
        }
        if self.steps.is_multiple_of(1024) && self.world.limits.is_over() {
            return Err(Outside::of(Reason::GivenUp).into());
        }
        Ok(())
    }

    fn node(&mut self, loc: LocId) -> Done<usize> {
        if self.nodes.len() >= self.world.limits.nodes {
            return Err(Outside::at(Reason::States, loc).into());
        }
        self.nodes.push(Node::new(loc));
        Ok(self.nodes.len() - 1)
    }

    fn is_point(&self, block: BlockId) -> bool {
        let entries = usize::from(block == BlockId(0));
        self.world.cfg.predecessors[block.0 as usize].len() + entries > 1
    }

    /// Goes from one block to the next. True if that is a point, which ends the node.
    fn enter(
        &mut self,
        from: BlockId,
        to: BlockId,
        state: &mut State,
        path: &mut Path,
    ) -> Done<bool> {
        let kernel = self.world.kernel;
        let is_live = |reg: Reg| self.world.liveness.is_live(to.0 as usize, reg);
        let phis: Vec<(Reg, Value)> = kernel
            .block(to)
            .phis
            .iter()
            .filter(|phi| is_live(phi.dst))
            .map(|phi| {
                let incoming = phi.incoming.iter().find(|(block, _)| *block == from);
                let value = incoming.map_or(Value::Unknown(Unknown::Undefined), |(_, operand)| {
                    self.operand(state, *operand)
                });
                (phi.dst, value)
            })
            .collect();
        state.regs.extend(phis);
        state.regs.retain(|&reg, _| is_live(reg));
        if !self.is_point(to) {
            return Ok(false);
        }
        let before = self.nodes.len();
        let node = self.turn(to, state, path)?;
        self.nodes[self.now].exit = Exit::Jump(node);
        if node >= before {
            self.open.push((node, to, state.clone(), path.clone()));
        }
        Ok(true)
    }

    /// The point of a block and state; if it is the head of a loop that turns without end, the loop is widened.
    fn turn(&mut self, to: BlockId, state: &mut State, path: &mut Path) -> Done<usize> {
        let loc =
            self.world.kernel.block(to).insts.first().map_or(self.world.kernel.loc, |i| i.loc);
        self.step(loc)?;
        let node = self.point(to, state);
        if self.remembered > MOST_REMEMBERED {
            return Err(Outside::at(Reason::States, loc).into());
        }
        let cfg = &self.world.cfg;
        let Some(head) = cfg.loops.iter().find(|l| l.head == to) else { return Ok(node) };
        let key = Rc::new(state.key(to));
        // Loops inside of it begin anew.
        path.visits.retain(|block, _| *block == to || !head.blocks.contains(block));
        let turns = match path.visits.get(&to) {
            None => 0,
            Some((branches, turns, _)) if *branches == path.open_branches => *turns,
            Some((_, turns, last)) => {
                let turns = turns + 1;
                if turns > self.world.limits.turns {
                    let vars = differing(last, &key);
                    let before = self.widened.len();
                    self.widened.extend(vars.into_iter().map(|var| (to, var)));
                    if self.widened.len() == before {
                        return Err(Outside::at(Reason::States, loc).into());
                    }
                    return Err(Stop::Widened);
                }
                turns
            }
        };
        path.visits.insert(to, (path.open_branches, turns, key));
        Ok(node)
    }

    /// The node of a point, new if nobody has come there in this state.
    fn point(&mut self, block: BlockId, state: &mut State) -> usize {
        let kernel = self.world.kernel;
        let widened = |var: Var| self.widened.contains(&(block, var));
        let is_pointer = |var: Var| match var {
            Var::Reg(reg) => kernel.reg_ty(Reg(reg)) == Ty::Ptr,
            _ => false,
        };
        let lets = state.settle(&mut self.registers, &widened, &is_pointer);
        let loc = kernel.block(block).insts.first().map_or(kernel.loc, |inst| inst.loc);
        let origin = Origin { role: Role::Local, site: None, loc };
        let lines = lets.into_iter().map(|instr| (Line::Instr(Box::new(instr)), origin));
        self.nodes[self.now].lines.extend(lines);
        let next = self.nodes.len();
        let key = state.key(block);
        let size = key.shapes.len() + 1;
        let node = *self.points.entry(key).or_insert(next);
        if node == next {
            self.remembered += size;
            self.nodes.push(Node::new(loc));
        }
        node
    }

    pub(crate) fn emit(&mut self, instr: Instr, role: Role, site: Option<SiteId>, loc: LocId) {
        self.nodes[self.now].lines.push((Line::Instr(Box::new(instr)), Origin { role, site, loc }));
    }

    pub(crate) fn operand(&self, state: &State, operand: Operand) -> Value {
        match operand {
            Operand::Reg(reg) => {
                state.regs.get(&reg).cloned().unwrap_or(Value::Unknown(Unknown::Undefined))
            }
            Operand::Imm(value) => Value::Known(value),
            Operand::Object(object, offset) => Value::Known(Objects::address(
                self.world.objects.statics[object.0 as usize],
                offset,
            )),
            Operand::Undef => Value::Unknown(Unknown::Undefined),
        }
    }

    /// A number that has to be known.
    pub(crate) fn number(
        &self,
        state: &State,
        operand: Operand,
        what: &str,
        loc: LocId,
    ) -> Done<u64> {
        match self.operand(state, operand) {
            Value::Known(value) => Ok(value),
            Value::Unknown(unknown) => {
                Err(Outside::at(Reason::Decides(unknown, Decision::Operand), loc).into())
            }
            _ => {
                let what = format!("{what} that depends on what other threads write");
                Err(Outside::at(Reason::Operation(what), loc).into())
            }
        }
    }

    /// An expression of so many bytes that goes to memory. What nobody knows is a number of its own: that it decides nothing is
    /// seen to when all threads are known.
    pub(crate) fn stored(&mut self, value: &Value, size: u32) -> Expr {
        value.expr().unwrap_or_else(|what| {
            self.opaque.get_or_insert(what);
            let bits = opaque_bits(self.me, self.steps, size);
            Expr::Call(
                Function::new(format!("{OPAQUE} {bits:#x}"), move |_| bits as i64),
                Vec::new(),
            )
        })
    }

    /// An expression that other threads will see.
    pub(crate) fn shared(&self, value: &Value, loc: LocId) -> Done<Expr> {
        value
            .expr()
            .map_err(|what| Outside::at(Reason::Decides(what, Decision::Shared), loc).into())
    }

    pub(crate) fn instance(&self, object: usize) -> Instance {
        let owner = match self.world.objects.objects[object].space {
            Space::Shared => Some(self.place().block_number),
            Space::Private => Some(self.me as u32),
            _ => None,
        };
        Instance { object, owner }
    }

    fn execute(&mut self, inst: &Inst, number: u32, state: &mut State) -> Done<()> {
        let loc = inst.loc;
        self.nodes[self.now].passed.extend(inst.op.site());
        let outside = |what: &str| Err(Outside::at(Reason::Operation(what.into()), loc).into());
        if let Some((pure, operands)) = Pure::of(&inst.op) {
            let values: Vec<Value> = operands.iter().map(|&o| self.operand(state, o)).collect();
            let value = Value::apply(pure, &values);
            if let Some(dst) = inst.dst {
                state.regs.insert(dst, value);
            }
            return Ok(());
        }
        let value = match &inst.op {
            Op::Copy { a, .. } => self.operand(state, *a),
            Op::Special(special) => self.special(*special),
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Atomic { .. }
            | Op::MemCopy { done: CopyDone::AtOnce, .. }
            | Op::MemSet { .. } => {
                let begin = self.nodes[self.now].lines.len();
                self.access(inst, number, state)?;
                self.make_slots(inst, begin);
                return Ok(());
            }
            Op::Fence { site, scope, order, shared, global } => {
                let spaces = Spaces { global: *global, shared: *shared };
                let (order, scope) = (weak_order(*order), weak_scope(*scope));
                if order != Order::Relaxed {
                    let fence = Instr::Fence { order, scope, spaces };
                    self.emit(fence, Role::Fence, Some(*site), loc);
                }
                return Ok(());
            }
            Op::Barrier { site, barrier } => {
                return self.barrier(inst, *site, barrier, number, state);
            }
            Op::Shuffle { .. } | Op::Vote { .. } | Op::Match { .. } | Op::ActiveMask => {
                return self.exchange(inst, number, state);
            }
            Op::Assert { cond, .. } => {
                match self.operand(state, *cond) {
                    Value::Known(value) if value & 1 != 0 => {}
                    value => {
                        let condition = value.expr().map_err(|what| {
                            Outside::at(Reason::Decides(what, Decision::Assertion), loc)
                        })?;
                        self.emit(Instr::Assert { condition }, Role::Assertion, None, loc);
                    }
                }
                return Ok(());
            }
            Op::Requires { cond, text } => {
                return match self.operand(state, *cond) {
                    Value::Known(value) if value & 1 != 0 => Ok(()),
                    Value::Known(_) => {
                        Err(Outside::at(Reason::Precondition(text.clone()), loc).into())
                    }
                    _ => outside("a precondition on what threads write"),
                };
            }
            Op::Print { .. } | Op::Yield | Op::CommitCopies { .. } | Op::AwaitCopies { .. } => {
                return Ok(());
            }
            Op::Texel { .. } | Op::ImageSize { .. } => return outside("a texture or image"),
            Op::MemCopy { .. } => return outside("an asynchronous copy"),
            Op::GroupCopy { .. } => return outside("a copy by a work-group"),
            Op::MatrixProduct { .. } => return outside("a product of matrices"),
            Op::SignalCopies { .. } | Op::ProxyFence => return outside("a bulk copy"),
            Op::Alloc { .. } | Op::Free { .. } => return outside("device memory allocation"),
            Op::Foreign { what, .. } | Op::Unsupported(what) => {
                return outside(&self.world.kernel.unsupported[*what as usize].what);
            }
            Op::Int { .. }
            | Op::IntUn { .. }
            | Op::Funnel { .. }
            | Op::Float { .. }
            | Op::FloatUn { .. }
            | Op::Fma { .. }
            | Op::Math { .. }
            | Op::Cmp { .. }
            | Op::Cast { .. }
            | Op::Select { .. }
            | Op::Index { .. } => unreachable!("an operation without effects"),
        };
        if let Some(dst) = inst.dst {
            state.regs.insert(dst, value);
        }
        Ok(())
    }

    /// Where an access became instructions, a fence could stand before and after it.
    fn make_slots(&mut self, inst: &Inst, begin: usize) {
        let lines = &mut self.nodes[self.now].lines;
        if lines.len() == begin {
            return;
        }
        let Some(site) = inst.op.site() else { return };
        let slot =
            |spot| (Line::Slot, Origin { role: Role::Slot(spot), site: Some(site), loc: inst.loc });
        lines.insert(begin, slot(Spot::Before(site)));
        lines.push(slot(Spot::After(site)));
    }

    fn special(&self, special: Special) -> Value {
        let launch = self.world.launch;
        let at = self.place();
        let lane = at.lane;
        let value = match special {
            Special::ThreadId(axis) => at.thread[axis as usize],
            Special::BlockId(axis) => at.block[axis as usize],
            Special::BlockDim(axis) => launch.block[axis as usize],
            Special::GridDim(axis) => launch.grid[axis as usize],
            Special::LaneId => lane,
            Special::WarpId => at.warp,
            Special::WarpsPerBlock => {
                launch.threads_per_block().div_ceil(u64::from(launch.warp_size)) as u32
            }
            Special::WarpSize => launch.warp_size,
            Special::LaneMaskEq => 1 << lane,
            Special::LaneMaskLt => (1 << lane) - 1,
            Special::LaneMaskLe => u32::MAX >> (31 - lane),
            Special::LaneMaskGt => !(u32::MAX >> (31 - lane)),
            Special::LaneMaskGe => !((1 << lane) - 1),
            Special::Clock => return Value::Unknown(Unknown::Clock),
            Special::GlobalOffset(_) => 0,
            Special::WorkDim => {
                let used = |axis: &usize| launch.block[*axis] > 1 || launch.grid[*axis] > 1;
                (0..3).rev().find(used).unwrap_or(0) as u32 + 1
            }
            Special::DynamicSharedSize => launch.shared as u32,
        };
        Value::Known(u64::from(value))
    }
}
