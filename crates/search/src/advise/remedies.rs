//! Advice that was tried: which barrier or fence makes a finding go away.
//!
//! The simulator sees one pair of threads; other pairs at the same two source locations may be in other warps or
//! blocks. So a help line that names a barrier or a fence is an edit of the kernel ([`lockstep_kernel::edit`]) with
//! which the launches were simulated again: no pair may race at the two locations any more, all threads have to reach
//! the addition, and no other bug may appear. Positions are tried in the order a programmer would: between the two
//! accesses, then outside the branches around them, then at the ends of their loop body. A warp barrier that works as
//! well there is only mentioned: in other launches the threads may be in different warps. It is advised if it is proved
//! sufficient.
//!
//! What it can miss: fixes that need two barriers, or a position within an expression. Advice that was not tried, or
//! does not help, is worded as something to look at.

use lockstep_finding::{Access, Action, Finding, Kind, Launch, MemorySpace};
use lockstep_kernel::cfg::Cfg;
use lockstep_kernel::edit::{self, Addition, Spot};
use lockstep_kernel::{
    BlockId, Kernel, Language, Op, Operand, Scope, SiteId, SiteKind, Special, Terminator,
};
use lockstep_simulate::{BoundLaunch, Config, Prepared, place};

use crate::explore::ledger::Key;

/// Maximum number of edits that are tried for one finding.
const MOST_EDITS: usize = 14;
/// Maximum number of branches around an access outside of which a barrier is placed.
const MOST_OUT: usize = 2;

/// An edit that removes a finding.
#[derive(Clone, Debug)]
pub struct Remedy {
    /// The edited kernel.
    pub kernel: Kernel,
    /// The advice as an instruction, without how well it was tried.
    pub text: String,
    /// A cheaper edit that worked as well in the launches tried.
    pub weaker: Option<Box<Remedy>>,
}

/// Tries remedies for the findings of one kernel.
pub struct Advisor<'a> {
    kernel: &'a Kernel,
    config: Config,
    bind: &'a dyn Fn(&Kernel, &Launch) -> Option<BoundLaunch>,
    cfg: Cfg,
    /// Registers that may differ between the threads of a block.
    varying: Vec<bool>,
    /// Warp instructions left in the budget.
    left: u64,
    /// The findings of launches with the original kernel.
    before: Vec<(Launch, Option<Vec<Key>>)>,
}

/// A position for a barrier: all its copies, and its description.
struct Stand {
    spots: Vec<Spot>,
    text: String,
}

/// The result of a trial.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trial {
    Cured,
    /// Threads of different blocks still race there, and nothing else is wrong.
    LeftAcrossBlocks,
    Failed,
    /// There was no launch, or no budget left.
    Untried,
}

impl<'a> Advisor<'a> {
    /// `steps` is the budget of warp instructions for all trials.
    pub fn new(
        kernel: &'a Kernel,
        config: &Config,
        bind: &'a dyn Fn(&Kernel, &Launch) -> Option<BoundLaunch>,
        steps: u64,
    ) -> Advisor<'a> {
        let mut config = Config { barrier_needs: false, outputs: false, ..config.clone() };
        for kind in [Kind::DataRace, Kind::MissingFence, Kind::BarrierDivergence, Kind::Deadlock] {
            if !config.kinds.contains(&kind) {
                config.kinds.push(kind);
            }
        }
        let (cfg, varying) = (Cfg::new(kernel), varying(kernel));
        Advisor { kernel, config, bind, cfg, varying, left: steps, before: Vec::new() }
    }

    /// Puts the best fix for a race, or for atomics without fences, before the finding's other help. `others` are
    /// launches, besides the finding's own, in which the fix has to work.
    pub fn advise(&mut self, finding: &mut Finding, others: &[&Launch]) -> Option<Remedy> {
        let (help, remedy) = match finding.kind {
            Kind::DataRace => self.barrier(finding, others),
            Kind::MissingFence => self.fence(finding, others),
            _ => return None,
        };
        finding.help.insert(0, help);
        remedy
    }

    fn barrier(&mut self, finding: &Finding, others: &[&Launch]) -> (String, Option<Remedy>) {
        let launches = self.launches(finding, others);
        let addition = self.block_barrier(finding);
        let mut seen = Trial::Untried;
        for stand in self.stands(finding) {
            let edited = with_all(self.kernel, &stand.spots, addition);
            let Some(kernel) = edited.filter(|_| !launches.is_empty()) else { continue };
            match self.trial(&kernel, finding, &launches) {
                Trial::Cured => return self.weakest(finding, &launches, kernel, &stand),
                Trial::Untried => break,
                Trial::Failed if seen == Trial::LeftAcrossBlocks => {}
                other => seen = other,
            }
        }
        let is_atomic = |a: &Access| a.op == Action::Atomic;
        let help = match seen {
            Trial::LeftAcrossBlocks => {
                "threads of different blocks meet there too, which no barrier of a block keeps apart: look at whether each \
                 block should have its own elements, or the kernel be split"
            }
            _ if finding.accesses.iter().any(is_atomic) => {
                "look at whether both accesses should be atomic, or a barrier should keep them apart"
            }
            Trial::Untried => "look at whether a barrier should stand between the two accesses",
            _ => {
                "no single barrier that was tried keeps the two accesses apart: look at whether each thread should have its \
                 own elements, or the accesses be atomic"
            }
        };
        (help.to_owned(), None)
    }

    /// Replaces the barrier by a warp barrier, if that works as well.
    fn weakest(
        &mut self,
        finding: &Finding,
        launches: &[&Launch],
        kernel: Kernel,
        stand: &Stand,
    ) -> (String, Option<Remedy>) {
        let name = self.name(self.block_barrier(finding), finding);
        let mut remedy =
            Remedy { kernel, text: format!("put {name} {}", stand.text), weaker: None };
        let mut tried = gone(launches.len());
        let is_cuda = self.kernel.language != Language::OpenCl;
        if is_cuda
            && in_one_warp(finding, self.config.warp_size)
            && let Some(kernel) = with_all(self.kernel, &stand.spots, Addition::WarpBarrier)
            && self.trial(&kernel, finding, launches) == Trial::Cured
        {
            let name = self.name(Addition::WarpBarrier, finding);
            let text = format!("put {name} {}", stand.text);
            let is_several = |l: &Launch| l.block.iter().product::<u32>() > self.config.warp_size;
            tried += &match finding.launch.as_ref().is_some_and(is_several) {
                true => format!(", with {name} as well"),
                false => format!(", with {name} as well where a block is one warp"),
            };
            remedy.weaker = Some(Box::new(Remedy { kernel, text, weaker: None }));
        }
        (format!("{} ({tried})", remedy.text), Some(remedy))
    }

    fn fence(&mut self, finding: &Finding, others: &[&Launch]) -> (String, Option<Remedy>) {
        let launches = self.launches(finding, others);
        let addition = Addition::Fence(match finding.memory.as_ref().map(|m| m.space) {
            Some(MemorySpace::Shared) => Scope::Block,
            _ => Scope::Device,
        });
        if let [first, second] = &finding.accesses[..] {
            let after: Vec<Spot> = self.sites(first).into_iter().map(Spot::After).collect();
            let before: Vec<Spot> = self.sites(second).into_iter().map(Spot::Before).collect();
            let texts =
                [format!("after {}", the_access(first)), format!("before {}", the_access(second))];
            let both = ([&after[..], &before].concat(), texts.join(" and "));
            let [after_text, before_text] = texts;
            for (spots, text) in [(after, after_text), (before, before_text), both] {
                let Some(kernel) = with_all(self.kernel, &spots, addition) else { continue };
                if self.trial(&kernel, finding, &launches) == Trial::Cured {
                    let text = format!("put {} {text}", self.name(addition, finding));
                    let help = format!("{text} ({})", gone(launches.len()));
                    return (help, Some(Remedy { kernel, text, weaker: None }));
                }
            }
        }
        let help = match self.kernel.language {
            Language::OpenCl => {
                "look at whether the atomics should have memory_order_acq_rel, or a fence is missing before the release or \
                 after the acquire"
            }
            _ => {
                "look at whether a fence is missing between the write and the atomic that publishes it, or after the atomic \
                 that reads it"
            }
        };
        (help.to_owned(), None)
    }

    /// The result of simulating the launches with an edited kernel.
    fn trial(&mut self, edited: &Kernel, finding: &Finding, launches: &[&Launch]) -> Trial {
        if launches.is_empty() {
            return Trial::Untried;
        }
        let prepared = Prepared::new(edited);
        let mut result = Trial::Cured;
        for launch in launches {
            let before = self.before(launch).unwrap_or_default();
            let Some(after) = self.run(&prepared, launch) else { return Trial::Failed };
            let is_there = |f: &&Finding| is_race(f) && places(f) == places(finding);
            let is_known = |f: &Finding| before.contains(&Key::of(f));
            if !after.iter().all(|f| is_there(&f) || is_known(f)) {
                return Trial::Failed;
            }
            for left in after.iter().filter(is_there) {
                if left.accesses.iter().all(|a| a.block == left.accesses[0].block) {
                    return Trial::Failed;
                }
                result = Trial::LeftAcrossBlocks;
            }
        }
        result
    }

    /// The launch of a finding, and those of the others that can be repeated; empty if its own cannot.
    fn launches<'l>(&mut self, finding: &'l Finding, others: &[&'l Launch]) -> Vec<&'l Launch> {
        let mut out: Vec<&Launch> = Vec::new();
        for launch in finding.launch.iter().chain(others.iter().copied()) {
            match self.before(launch) {
                Some(_) if !out.contains(&launch) => out.push(launch),
                None if out.is_empty() => break,
                _ => {}
            }
        }
        out
    }

    /// The findings of a launch with the original kernel; `None` if it cannot be repeated.
    fn before(&mut self, launch: &Launch) -> Option<Vec<Key>> {
        if let Some((_, known)) = self.before.iter().find(|(l, _)| l == launch) {
            return known.clone();
        }
        let findings = self.run(&Prepared::new(self.kernel), launch);
        let keys = findings.map(|f| f.iter().map(Key::of).collect());
        self.before.push((launch.clone(), keys.clone()));
        keys
    }

    fn run(&mut self, kernel: &Prepared, launch: &Launch) -> Option<Vec<Finding>> {
        if self.left == 0 || crate::settings::is_over(&self.config) {
            return None;
        }
        let bound = (self.bind)(kernel.kernel(), launch)?;
        self.config.max_steps = self.left;
        let outcome = kernel.simulate(&bound, &self.config).ok()?;
        self.left = self.left.saturating_sub(outcome.stats.warp_steps.max(1));
        outcome.incomplete.is_none().then_some(outcome.findings)
    }

    /// The sites of an access: one source location may have several.
    fn sites(&self, access: &Access) -> Vec<SiteId> {
        let kind = match access.op {
            Action::Read => SiteKind::Read,
            Action::Write => SiteKind::Write,
            _ => SiteKind::Atomic,
        };
        let at = |site: &lockstep_kernel::Site| {
            let own = place(self.kernel, site.loc);
            let wanted = &access.place;
            (own.line, own.column) == (wanted.line, wanted.column) && own.file == wanted.file
        };
        let sites = self.kernel.sites.iter().enumerate();
        let sites = sites.filter(|(_, s)| s.kind == kind && at(s)).map(|(i, _)| SiteId(i as u32));
        sites.filter(|&s| edit::position(self.kernel, s).is_some()).collect()
    }

    /// Positions where a barrier may separate the two accesses, the most natural ones first.
    fn stands(&self, finding: &Finding) -> Vec<Stand> {
        let [one, other] = &finding.accesses[..] else { return Vec::new() };
        let mut out: Vec<Stand> = Vec::new();
        let mut add = |stand: Option<Stand>| {
            if let Some(stand) = stand
                && !stand.spots.is_empty()
                && stand.spots.iter().all(|s| self.is_for_all(*s))
                && !out.iter().any(|s| s.spots == stand.spots)
            {
                out.push(stand);
            }
        };
        let between = self.between(one, other);
        for (first, second) in [(one, other), (other, one)] {
            let (after, before) = (self.sites(first), self.sites(second));
            let (first, second) = (first.place.line, second.place.line);
            let next_to = |line: &str| between.clone().unwrap_or_else(|| line.to_owned());
            add(Some(Stand {
                spots: before.iter().map(|&s| Spot::Before(s)).collect(),
                text: next_to(&format!("before line {second}")),
            }));
            add(Some(Stand {
                spots: after.iter().map(|&s| Spot::After(s)).collect(),
                text: next_to(&format!("after line {first}")),
            }));
            for out_of in 1..=MOST_OUT {
                add(self.behind(&after, first, out_of));
                add(self.ahead(&before, second, out_of));
            }
            add(self.end_of_body(&after, first));
        }
        out.truncate(MOST_EDITS);
        out
    }

    /// The description of a position between two accesses in one basic block.
    fn between(&self, one: &Access, other: &Access) -> Option<String> {
        let block = |a: &Access| match self.sites(a)[..] {
            [site] => edit::position(self.kernel, site).map(|(b, _)| b),
            _ => None,
        };
        let line = one.place.line;
        (block(one)? == block(other)?).then(|| match line == other.place.line {
            true => format!("between the two accesses of line {line}"),
            false => "between the two accesses".to_owned(),
        })
    }

    /// After the given number of enclosing branches of an access, or after its loop.
    fn behind(&self, sites: &[SiteId], line: u32, out_of: usize) -> Option<Stand> {
        let mut text = String::new();
        let mut spots = Vec::new();
        for &site in sites {
            let (from, _) = edit::position(self.kernel, site)?;
            let mut at = from;
            for _ in 0..out_of {
                at = self.cfg.ipdom[at.0 as usize]?;
            }
            // The header of its own loop is not after anything.
            if self.contains(self.loop_headed(at), from) {
                return None;
            }
            text = match self.cfg.innermost[at.0 as usize] {
                inner if self.is_left(from, at) => match inner {
                    Some(_) => format!("after the inner loop around line {line}"),
                    None => format!("after the loop around line {line}"),
                },
                Some(_) => format!("after the branch around line {line}, inside the loop"),
                None => format!("after the branch around line {line}"),
            };
            spots.push(Spot::Start(at));
        }
        Some(Stand { spots, text })
    }

    /// Before the given number of enclosing branches of an access, or before its loop.
    fn ahead(&self, sites: &[SiteId], line: u32, out_of: usize) -> Option<Stand> {
        let mut text = String::new();
        let mut spots = Vec::new();
        for &site in sites {
            let (from, _) = edit::position(self.kernel, site)?;
            let at = *self.branches_around(from).get(out_of - 1)?;
            let head = self.loop_headed(at).filter(|&l| self.contains(Some(l), from));
            let (spot, own) = match head {
                Some(l) => {
                    let blocks = &self.cfg.loops[l].blocks;
                    let mut next = self.cfg.successors[at.0 as usize].iter();
                    let body = next.find(|&b| *b != at && blocks.contains(b))?;
                    let text =
                        format!("at the beginning of the body of the loop around line {line}");
                    (Spot::Start(*body), text)
                }
                None => {
                    let inside = match self.cfg.innermost[at.0 as usize] {
                        Some(_) => ", inside the loop",
                        None => "",
                    };
                    (Spot::End(at), format!("before the branch around line {line}{inside}"))
                }
            };
            text = own;
            spots.push(spot);
        }
        Some(Stand { spots, text })
    }

    /// At each back edge of the innermost loop.
    fn end_of_body(&self, sites: &[SiteId], line: u32) -> Option<Stand> {
        let mut spots = Vec::new();
        for &site in sites {
            let (from, _) = edit::position(self.kernel, site)?;
            let own = &self.cfg.loops[self.cfg.innermost[from.0 as usize]?];
            let back = self.cfg.predecessors[own.head.0 as usize].iter();
            spots.extend(back.filter(|b| own.blocks.contains(b)).map(|&b| Spot::End(b)));
        }
        spots.dedup();
        Some(Stand {
            spots,
            text: format!("at the end of the body of the loop around line {line}"),
        })
    }

    /// The blocks whose branches decide whether a block is reached, the nearest first: branches that the block is
    /// control-dependent on, and those that these depend on in turn.
    fn branches_around(&self, block: BlockId) -> Vec<BlockId> {
        let down = |b: &BlockId| self.cfg.ipdom[b.0 as usize];
        let mut out = Vec::new();
        let (mut at, mut decided) = (block, block);
        while let Some(up) = self.cfg.idom[at.0 as usize].filter(|u| *u != at) {
            at = up;
            let is_branch = matches!(self.kernel.block(at).term, Terminator::Branch { .. });
            if is_branch && !std::iter::successors(down(&at), down).any(|p| p == decided) {
                out.push(at);
                decided = at;
            }
        }
        out
    }

    /// Whether all threads of a block reach a spot together, or none does, as far as the values show. That they happen
    /// to do so in one launch proves less.
    fn is_for_all(&self, spot: Spot) -> bool {
        let block = match spot {
            Spot::Start(b) | Spot::End(b) => Some(b),
            Spot::Before(site) | Spot::After(site) => {
                edit::position(self.kernel, site).map(|(b, _)| b)
            }
        };
        let Some(block) = block else { return false };
        let around = self.cfg.loops.iter().filter(|l| l.blocks.contains(&block));
        let ends = around.flat_map(|l| l.exits.iter().map(|(from, _)| *from));
        ends.chain(self.branches_around(block)).all(|b| match self.kernel.block(b).term {
            Terminator::Branch { cond: Operand::Reg(r), .. } => !self.varying[r.0 as usize],
            _ => true,
        })
    }

    fn loop_headed(&self, block: BlockId) -> Option<usize> {
        self.cfg.loops.iter().position(|l| l.head == block)
    }

    fn contains(&self, l: Option<usize>, block: BlockId) -> bool {
        l.is_some_and(|l| self.cfg.loops[l].blocks.contains(&block))
    }

    /// Whether the innermost loop around one block does not contain the other.
    fn is_left(&self, from: BlockId, to: BlockId) -> bool {
        let own = self.cfg.innermost[from.0 as usize];
        own.is_some() && !self.contains(own, to)
    }

    /// The block barrier of the language that orders the memory of a finding.
    fn block_barrier(&self, finding: &Finding) -> Addition {
        let is_shared = finding.memory.as_ref().is_some_and(|m| m.space == MemorySpace::Shared);
        match self.kernel.language {
            Language::OpenCl => Addition::BlockBarrier { shared: is_shared, global: !is_shared },
            _ => Addition::BlockBarrier { shared: true, global: true },
        }
    }

    /// The source text of an addition.
    fn name(&self, addition: Addition, finding: &Finding) -> &'static str {
        let is_opencl = self.kernel.language == Language::OpenCl;
        match addition {
            Addition::Fence(Scope::Block) if is_opencl => {
                "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group)"
            }
            Addition::Fence(_) if is_opencl => {
                "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)"
            }
            Addition::Fence(Scope::Block) => "__threadfence_block()",
            Addition::Fence(_) => "__threadfence()",
            Addition::BlockBarrier { shared: true, .. } if is_opencl => {
                "barrier(CLK_LOCAL_MEM_FENCE)"
            }
            Addition::BlockBarrier { .. } if is_opencl && self.is_image(finding) => {
                "barrier(CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)"
            }
            Addition::BlockBarrier { .. } if is_opencl => "barrier(CLK_GLOBAL_MEM_FENCE)",
            Addition::BlockBarrier { .. } => "__syncthreads()",
            Addition::WarpBarrier => "__syncwarp()",
        }
    }

    fn is_image(&self, finding: &Finding) -> bool {
        let object = finding.memory.as_ref().and_then(|m| m.object.as_ref());
        let param = self.kernel.params.iter().position(|p| Some(&p.name) == object);
        param.is_some_and(|i| self.kernel.image(i).is_some())
    }
}

/// The registers that may differ between threads of one block: computed from thread indices, from memory at addresses
/// that differ, or by operations whose result depends on the thread.
fn varying(kernel: &Kernel) -> Vec<bool> {
    let mut out = vec![false; kernel.regs.len()];
    loop {
        let differs = |o: &Operand| matches!(o, Operand::Reg(r) if out[r.0 as usize]);
        let mut new: Vec<u32> = Vec::new();
        for block in &kernel.blocks {
            let phis = block.phis.iter().filter(|p| p.incoming.iter().any(|(_, o)| differs(o)));
            new.extend(phis.map(|p| p.dst.0));
            for (inst, dst) in block.insts.iter().filter_map(|i| Some((i, i.dst?))) {
                let mut any = false;
                inst.op.for_each_operand(|o| any |= differs(&o));
                let is_own = match inst.op {
                    Op::Special(s) => !matches!(
                        s,
                        Special::BlockId(_)
                            | Special::BlockDim(_)
                            | Special::GridDim(_)
                            | Special::WarpsPerBlock
                            | Special::WarpSize
                            | Special::GlobalOffset(_)
                            | Special::WorkDim
                            | Special::DynamicSharedSize
                    ),
                    Op::Load { .. } => false,
                    ref op => !op.is_pure(),
                };
                if any || is_own {
                    new.extend((0..inst.op.result_count()).map(|k| dst.0 + k));
                }
            }
        }
        new.retain(|&r| !out[r as usize]);
        if new.is_empty() {
            return out;
        }
        new.iter().for_each(|&r| out[r as usize] = true);
    }
}

/// How well a remedy was tried.
fn gone(launches: usize) -> String {
    match launches {
        1 => "tried: then nothing races there in this launch".into(),
        n => format!("tried: then nothing races there in {n} launches"),
    }
}

fn with_all(kernel: &Kernel, spots: &[Spot], addition: Addition) -> Option<Kernel> {
    let mut edited: Option<Kernel> = None;
    for &spot in spots {
        edited = Some(edit::with(edited.as_ref().unwrap_or(kernel), spot, addition)?.0);
    }
    edited
}

fn the_access(access: &Access) -> String {
    format!("the {} at line {}", access.op, access.place.line)
}

fn is_race(finding: &Finding) -> bool {
    matches!(finding.kind, Kind::DataRace | Kind::MissingFence)
}

/// The source locations of a finding's accesses, in a fixed order.
fn places(finding: &Finding) -> Vec<(&str, u32, u32)> {
    let places = finding.accesses.iter().map(|a| &a.place);
    let mut out: Vec<_> = places.map(|p| (p.file.as_str(), p.line, p.column)).collect();
    out.sort_unstable();
    out
}

/// Whether the pair in the finding is in one warp.
fn in_one_warp(finding: &Finding, warp_size: u32) -> bool {
    let Some(launch) = &finding.launch else { return false };
    let [x, y, _] = launch.block;
    let warp = |a: &Access| {
        let [i, j, k] = a.thread?;
        Some((a.block, (i + x * (j + y * k)) / warp_size))
    };
    let mut warps = finding.accesses.iter().map(warp);
    let first = warps.next().flatten();
    first.is_some() && warps.all(|w| w == first)
}
