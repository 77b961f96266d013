//! From a model of a query to an alarm: source locations, values, what was approximated, and how certain it is.
//!
//! The approximation analysis of the paper (sections 3 and 5.2): the conditions of an access are exact (CI) if no
//! application of an uninterpreted function occurs in them and every loop around it has an exact iteration space; its
//! index is exact (DI) if none occurs in its offset. An alarm without approximations is `confirmed`: its model is a
//! launch in which the two threads make the two accesses. Beyond the paper, these also make an alarm only `possible`:
//! anything in the kernel that could order the two accesses by a chain of atomics, fences or volatile flags; barriers
//! on the path that [`crate::order::phases`] does not model exactly; a pointer whose object is not known.

use lockstep_finding::{
    Access, Action, Approximated, Approximation, Condition, Confidence, Finding, Kind, Memory,
    MemorySpace, Severity,
};
use lockstep_kernel::{Barrier, Elem, Kernel, Op, ParamKind, SiteId, Space, Ty};
use rustc_hash::FxHashSet;

use crate::launch::context::{Base, FnKind, Level};
use crate::launch::version::Version;
use crate::order::pair::{Candidate, Pairs};

use crate::symbolic::records::{Mode, is_block_barrier};
use crate::symbolic::source::place;
use crate::term::walk::{Assignment, reachable};
use crate::term::{Node, T, sign_extend};

/// A launch that shows an alarm, as far as the solver determined it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Model {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Values of scalar parameters, one for each register of the parameter.
    pub scalars: Vec<(usize, Vec<u64>)>,
    /// Contents of buffers that affect the alarm.
    pub contents: Vec<Cell>,
}

/// A value in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    pub param: usize,
    /// Offset in bytes.
    pub offset: u64,
    pub bytes: u32,
    pub value: u64,
}

/// Something that could not be proved absent.
#[derive(Clone, Debug)]
pub struct Alarm {
    pub finding: Finding,
    pub model: Option<Model>,
    pub sites: (SiteId, SiteId),
    /// The two threads are of different blocks.
    pub between_blocks: bool,
    /// Whether it needs an index that overflows; the proof reported with it names the sizes up to which none does.
    pub overflows: bool,
}

fn operation(mode: Mode) -> Action {
    match mode {
        Mode::Read => Action::Read,
        Mode::Write => Action::Write,
        Mode::Atomic { .. } => Action::Atomic,
    }
}

/// The memory space, in the terms of findings.
pub(crate) fn space_of(space: Space) -> MemorySpace {
    match space {
        Space::Global => MemorySpace::Global,
        Space::Shared => MemorySpace::Shared,
        Space::Constant => MemorySpace::Constant,
        Space::Private => MemorySpace::Private,
        Space::Generic => MemorySpace::Generic,
    }
}

/// The approximated values in some terms, by the names of their functions. The number of a loop's last iteration is no
/// approximation where the loop is exact: the facts about it determine a single number, if the terms in them are exact.
pub(crate) fn approximated(pairs: &Pairs, terms: &[T]) -> Vec<Approximation> {
    let exec = &pairs.exec;
    let mut names: Vec<Approximation> = Vec::new();
    let mut ended: FxHashSet<usize> = FxHashSet::default();
    let mut work = reachable(&exec.ctx.pool, terms);
    let mut next = 0;
    while let Some(&t) = work.get(next) {
        next += 1;
        if let Node::App(f, _) = exec.ctx.pool.node(t) {
            let info = &exec.ctx.fns[f.0 as usize];
            let name = match &info.kind {
                FnKind::Exit(l) if exec.loops[*l].exact => {
                    if ended.insert(*l) {
                        work.extend(reachable(&exec.ctx.pool, &exec.loops[*l].exit_facts));
                    }
                    continue;
                }
                FnKind::Exit(l) => loop_name(pairs, *l),
                FnKind::Pure(_, told) if info.name.is_empty() => told.clone(),
                _ if info.name.is_empty() => Approximation::Unnamed,
                _ => Approximation::Variable(info.name.clone()),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

pub(crate) fn loop_name(pairs: &Pairs, l: usize) -> Approximation {
    let exec = &pairs.exec;
    let named = exec.loops[l].phis.iter().find_map(|p| exec.ctx.reg_name(p.reg));
    named.map_or_else(
        || Approximation::IterationsOfLoop { line: loop_line(pairs, l) },
        |n| Approximation::Iterations(n.to_owned()),
    )
}

fn loop_line(pairs: &Pairs, l: usize) -> u32 {
    let kernel = pairs.exec.ctx.kernel;
    let block = kernel.block(pairs.exec.loops[l].head);
    block.insts.first().map_or(0, |i| kernel.loc(i.loc).line)
}

impl Pairs<'_, '_> {
    /// Uninterpreted functions to which a model may have given any value so that a precondition holds. Contents of
    /// memory are not included: a launch can have them.
    pub(crate) fn unmodelled_requirements(&self) -> Vec<Approximation> {
        let ctx = &self.exec.ctx;
        let terms: Vec<T> = self.exec.requires.iter().map(|(_, c, _)| *c).collect();
        let pure = reachable(&ctx.pool, &terms).into_iter().filter(|&t| {
            matches!(ctx.pool.node(t), Node::App(f, _)
                if matches!(ctx.fns[f.0 as usize].kind, FnKind::Pure(..)))
        });
        let pure: Vec<T> = pure.collect();
        approximated(self, &pure)
    }

    /// The approximations in the conditions of an access, and those in its index.
    pub(crate) fn approximations(
        &mut self,
        access: usize,
    ) -> (Vec<Approximation>, Vec<Approximation>) {
        let block = self.exec.accesses[access].block;
        let mut conditions = Vec::new();
        self.exec.condition(block, &mut conditions);
        let mut control = approximated(self, &conditions);
        control.extend(self.unmodelled_requirements());
        for l in self.exec.nest(block) {
            if !self.exec.loops[l].exact {
                let name = loop_name(self, l);
                if !control.contains(&name) {
                    control.push(name);
                }
            }
        }
        let mut index = Vec::new();
        for case in self.cases_of(access) {
            match case.place {
                crate::symbolic::memory::Place::At(_, o) => {
                    index.extend(approximated(self, &[o, case.when]))
                }
                crate::symbolic::memory::Place::Unknown => {
                    let site = self.exec.ctx.kernel.site(self.exec.accesses[access].site);
                    let name = site.through.clone().unwrap_or_else(|| "a pointer".into());
                    index.push(Approximation::Target(name));
                }
            }
        }
        index.dedup();
        (control, index)
    }

    /// Whether something in the kernel other than a barrier could order accesses.
    fn may_be_ordered(&self) -> bool {
        let kernel = self.exec.ctx.kernel;
        kernel.insts().any(|i| match &i.op {
            Op::Atomic { .. } | Op::Fence { .. } => true,
            Op::Barrier { barrier, .. } => {
                !is_block_barrier(barrier) && !matches!(barrier, Barrier::GroupCopies { .. })
            }
            Op::Load { site, .. } | Op::Store { site, .. } => kernel.site(*site).volatile,
            _ => false,
        })
    }

    /// The launch of a model.
    pub(crate) fn launch(&mut self, m: &Assignment) -> Model {
        let mut out = Model::default();
        for axis in 0..3u8 {
            let (g, b) = (self.exec.ctx.grid_dim(axis), self.exec.ctx.block_dim(axis));
            out.grid[axis as usize] = m.eval(&self.exec.ctx.pool, g).max(1) as u32;
            out.block[axis as usize] = m.eval(&self.exec.ctx.pool, b).max(1) as u32;
        }
        let kernel = self.exec.ctx.kernel;
        for (i, p) in kernel.params.iter().enumerate() {
            let ParamKind::Scalar { ty, count } = p.kind else { continue };
            let given = self.exec.ctx.assumptions.scalars.iter().find(|(q, _)| *q == i);
            let values = (0..u32::from(count))
                .map(|k| match given.and_then(|(_, v)| v.get(k as usize)) {
                    Some(v) => *v,
                    None => {
                        let t = self.exec.ctx.free(
                            crate::launch::context::VarKind::Param(i, k),
                            0,
                            ty.bits(),
                        );
                        m.eval(&self.exec.ctx.pool, t)
                    }
                })
                .collect();
            out.scalars.push((i, values));
        }
        for ((f, args), value) in &m.apps {
            let (param, width) = match self.exec.ctx.fns[f.0 as usize].kind {
                FnKind::ReadOnly(Base::Param(p)) => (p, None),
                // The contents at the start of the launch.
                FnKind::Memory(Base::Param(p), Version::Entry, width) => (p, Some(width)),
                _ => continue,
            };
            let ParamKind::Buffer { elem, .. } = kernel.params[param].kind else { continue };
            if let [offset] = args[..] {
                let bytes = match (width, elem) {
                    (Some(w), _) => u32::from(w).div_ceil(8),
                    (None, Elem::Scalar(t)) => t.bytes(),
                    (None, Elem::Bytes(_)) => 4,
                };
                out.contents.push(Cell { param, offset, bytes, value: *value });
            }
        }
        out.contents.sort();
        out.contents.dedup();
        out
    }

    pub(crate) fn thread_of(
        &mut self,
        m: &Assignment,
        tag: u8,
        level: Level,
    ) -> ([u32; 3], [u32; 3]) {
        let block_tag = if level == Level::Block { 0 } else { tag };
        let mut thread = [0; 3];
        let mut block = [0; 3];
        for axis in 0..3u8 {
            let (t, b) =
                (self.exec.ctx.thread_id(axis, tag), self.exec.ctx.block_id(axis, block_tag));
            thread[axis as usize] = m.eval(&self.exec.ctx.pool, t) as u32;
            block[axis as usize] = m.eval(&self.exec.ctx.pool, b) as u32;
        }
        (thread, block)
    }

    /// The value of a term of one of the two threads in a model of a race.
    fn value_in(&mut self, m: &Assignment, t: T) -> u64 {
        let mut read = [t];
        self.join_loads(&mut read);
        m.eval(&self.exec.ctx.pool, read[0])
    }

    /// The variables of one thread that an access depends on, with `*` for the approximated ones.
    fn variables(&mut self, m: &Assignment, access: usize, tag: u8, level: Level) -> Vec<String> {
        let mut out = Vec::new();
        let nest = self.exec.nest(self.exec.accesses[access].block);
        let values = self.exec.loop_values.clone();
        for (l, reg, t) in values {
            if !nest.contains(&l) {
                continue;
            }
            let Some(name) = self.exec.ctx.reg_name(reg).map(str::to_owned) else { continue };
            let own = self.copy(t, tag, level);
            let v = self.value_in(m, own);
            let rests = approximated(self, &[t]);
            let mark = if rests.is_empty() { "" } else { " (approximated)" };
            out.push(format!("{name} = {}{mark}", shown(v, self.exec.ctx.kernel.reg_ty(reg))));
        }
        let side = self.side(access, tag, level);
        let mut terms = side.conditions.clone();
        for c in &side.cases {
            terms.push(c.when);
            if let crate::symbolic::memory::Place::At(_, o) = c.place {
                terms.push(o);
            }
        }
        for t in reachable(&self.exec.ctx.pool, &terms) {
            let Node::App(f, _) = self.exec.ctx.pool.node(t) else { continue };
            let info = self.exec.ctx.fns[f.0 as usize].clone();
            if info.name.is_empty() || matches!(info.kind, FnKind::Exit(_)) {
                continue;
            }
            let w = self.exec.ctx.pool.width(t);
            let v = self.value_in(m, t);
            let line = format!("{} = {} (approximated)", info.name, sign_extend(v, w));
            if !out.iter().any(|o| o.starts_with(&format!("{} = ", info.name))) {
                out.push(line);
            }
        }
        out
    }

    /// The alarm for a pair that can be concurrent at one address.
    pub(crate) fn race_alarm(
        &mut self,
        c: &Candidate,
        m: Option<&Assignment>,
        benign: bool,
    ) -> Alarm {
        let kernel = self.exec.ctx.kernel;
        let mut names: Vec<Approximated> = Vec::new();
        for access in [c.first, c.second] {
            let (control, index) = self.approximations(access);
            for (list, reach) in [(control, true), (index, false)] {
                for variable in list {
                    match names.iter_mut().find(|n| n.variable == variable) {
                        Some(n) => {
                            n.affects_reachability |= reach;
                            n.affects_index |= !reach;
                        }
                        None => names.push(Approximated {
                            variable,
                            affects_reachability: reach,
                            affects_index: !reach,
                        }),
                    }
                }
            }
        }
        let ordered = self.may_be_ordered();
        if ordered {
            names.push(Approximated {
                variable: Approximation::OtherOrder,
                affects_reachability: true,
                affects_index: false,
            });
        }
        let mut phase = approximated(self, &c.relation.conditions);
        if !c.relation.exact {
            phase.push(Approximation::Barriers);
        }
        for variable in phase {
            match names.iter_mut().find(|n| n.variable == variable) {
                Some(n) => n.affects_reachability = true,
                None => names.push(Approximated {
                    variable,
                    affects_reachability: true,
                    affects_index: false,
                }),
            }
        }
        let exact = names.is_empty() && m.is_some() && c.base.is_some();
        let memory = self.race_memory(c, m);
        let object = memory.object.clone().unwrap_or_else(|| "memory".into());
        let at = match memory.element {
            Some(e) if exact => format!("`{object}[{e}]`"),
            _ => format!("`{object}`"),
        };
        let modes = [self.exec.accesses[c.first].mode, self.exec.accesses[c.second].mode];
        let copies = [c.first, c.second].map(|a| self.exec.accesses[a].group);
        let who = match c.level {
            Level::Block if copies == [true; 2] => "two group copies",
            Level::Block if copies.contains(&true) => "a thread and a group copy",
            Level::Block => "threads of one block",
            Level::Grid => "threads of different blocks",
        };
        let message = format!(
            "{}data race on {} memory {at}: {} and {} by {who} without synchronisation",
            if exact { "" } else { "possible " },
            memory.space,
            operation(modes[0]),
            operation(modes[1]),
        );
        let mut accesses = Vec::new();
        for (access, tag) in [(c.first, 1u8), (c.second, 2)] {
            let (thread, block, notes) = match m {
                Some(m) => {
                    let (t, b) = self.thread_of(m, tag, c.level);
                    let own = !self.exec.accesses[access].group;
                    (own.then_some(t), b, self.variables(m, access, tag, c.level))
                }
                None => (None, [0; 3], Vec::new()),
            };
            let a = &self.exec.accesses[access];
            accesses.push(Access {
                op: operation(a.mode),
                thread,
                block,
                place: place(kernel, kernel.site(a.site).loc),
                value: None,
                notes,
            });
        }
        let sites = (self.exec.accesses[c.first].site, self.exec.accesses[c.second].site);
        let finding = Finding {
            severity: if benign { Severity::Warning } else { Severity::Error },
            confidence: if exact { Confidence::Confirmed } else { Confidence::Possible },
            message,
            memory: Some(memory),
            accesses,
            approximated: names,
            benign,
            ..Finding::new(Kind::DataRace, String::new(), Vec::new())
        };
        let model = m.map(|m| self.launch(m));
        let between_blocks = c.level == Level::Grid;
        Alarm { finding, model, sites, between_blocks, overflows: false }
    }

    fn race_memory(&mut self, c: &Candidate, m: Option<&Assignment>) -> Memory {
        let ctx = &self.exec.ctx;
        let site = ctx.kernel.site(self.exec.accesses[c.first].site);
        let (space, object, elem) = match c.base {
            Some(b) => (ctx.base_space(b), Some(ctx.base_name(b)), base_elem(ctx.kernel, b)),
            None => (site.space, site.through.clone(), None),
        };
        let mut memory = Memory {
            space: space_of(space),
            object,
            element: None,
            bytes: None,
            object_size: None,
            element_type: elem.and_then(|e| match e {
                Elem::Scalar(t) => Some(t.to_string()),
                Elem::Bytes(_) => None,
            }),
        };
        // The address of a texel is the prover's own choice.
        let image = c.base.is_some_and(|b| self.exec.images.contains(&b));
        if let (Some(m), Some((o, _)), false) = (m, c.offsets, image) {
            let offset = m.eval(&ctx.pool, o) as i64;
            let size = self.exec.accesses[c.first].size.max(1) as i64;
            memory.bytes = Some([offset, offset.wrapping_add(size)]);
            let unit = elem.map_or(0, |e| i64::from(e.size()));
            if unit > 0 && offset >= 0 {
                memory.element = Some(offset / unit);
            }
        }
        memory
    }

    /// The alarm for a barrier that one thread reaches and another may not.
    pub(crate) fn divergence_alarm(
        &mut self,
        barrier: usize,
        cond: T,
        m: Option<&Assignment>,
    ) -> Alarm {
        let kernel = self.exec.ctx.kernel;
        let site = self.exec.barriers[barrier].site;
        let mut list = vec![cond];
        self.exec.condition(self.exec.barriers[barrier].block, &mut list);
        let mut names = approximated(self, &list);
        names.extend(self.unmodelled_requirements());
        for l in self.exec.nest(self.exec.barriers[barrier].block) {
            if !self.exec.loops[l].exact {
                names.push(loop_name(self, l));
            }
        }
        names.sort();
        names.dedup();
        let exact = names.is_empty() && m.is_some();
        let mut accesses = Vec::new();
        for (tag, op) in [(1u8, Action::Barrier), (2, Action::Branch)] {
            let (thread, block) = match m {
                Some(m) => {
                    let (t, b) = self.thread_of(m, tag, Level::Block);
                    (Some(t), b)
                }
                None => (None, [0; 3]),
            };
            accesses.push(Access {
                op,
                thread,
                block,
                place: place(kernel, kernel.site(site).loc),
                value: None,
                notes: Vec::new(),
            });
        }
        let finding = Finding {
            severity: Severity::Error,
            confidence: if exact { Confidence::Confirmed } else { Confidence::Possible },
            message: format!(
                "{}barrier that not all threads of the block reach",
                if exact { "" } else { "possibly a " }
            ),
            accesses,
            approximated: of_reachability(names),
            ..Finding::new(Kind::BarrierDivergence, String::new(), Vec::new())
        };
        let model = m.map(|m| self.launch(m));
        Alarm { finding, model, sites: (site, site), between_blocks: false, overflows: false }
    }
}

/// Approximated variables that decide whether a place is reached.
pub(crate) fn of_reachability(names: impl IntoIterator<Item = Approximation>) -> Vec<Approximated> {
    let one =
        |variable| Approximated { variable, affects_reachability: true, affects_index: false };
    names.into_iter().map(one).collect()
}

pub(crate) fn base_elem(kernel: &Kernel, base: Base) -> Option<Elem> {
    match base {
        Base::Param(p) => match kernel.params[p].kind {
            ParamKind::Buffer { elem, .. } | ParamKind::Local { elem } => Some(elem),
            _ => None,
        },
        Base::Object(o) => Some(kernel.objects[o.0 as usize].elem),
        Base::DynamicShared => kernel.objects.iter().find(|o| o.dynamic).map(|o| o.elem),
        Base::Field(..) | Base::Allocated(_) => None,
    }
}

fn shown(v: u64, ty: Ty) -> String {
    sign_extend(v, ty.bits()).to_string()
}

/// The finding for a redundant barrier.
pub(crate) fn redundant(
    kernel: &Kernel,
    site: SiteId,
    several: usize,
    assumes: &[Condition],
) -> Alarm {
    let mut help = vec!["without it the kernel is still proved free of data races".to_owned()];
    if several > 1 {
        help.push(format!("in all {several} places that it was inlined or unrolled to"));
    }
    let mut rests: Vec<String> = assumes.iter().map(Condition::to_string).collect();
    rests.push("no access leaves its array".into());
    help.push(format!("assuming that {}", rests.join(", and that ")));
    help.push("each barrier was left out by itself: check again before leaving out another".into());
    let finding = Finding {
        severity: Severity::Warning,
        confidence: Confidence::Confirmed,
        message: "barrier that orders nothing".into(),
        accesses: vec![Access {
            op: Action::Barrier,
            thread: None,
            block: [0; 3],
            place: place(kernel, kernel.site(site).loc),
            value: None,
            notes: Vec::new(),
        }],
        help,
        ..Finding::new(Kind::RedundantBarrier, String::new(), Vec::new())
    };
    Alarm { finding, model: None, sites: (site, site), between_blocks: false, overflows: false }
}
