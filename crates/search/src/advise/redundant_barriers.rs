//! Redundant barriers: Simulee's Algorithm 5 over every launch that was simulated.
//!
//! For each launch, the simulator reports which sets of barriers separate accesses that would race without them. A
//! barrier that is such a set by itself is needed. Of the others, as many as possible are removed together (in source
//! order); each remaining one could be removed alone, but not together with others, and is reported so. Before anything
//! is reported, the barriers are actually removed and the launches simulated again: nothing new may appear.
//!
//! The result depends on the launches tried, so the confidence is `possible`. To keep it useful, a barrier is only
//! judged where every access that can conflict with another was reached, where several warps executed it, and where, if
//! it is in a loop, some block executed it three times, or every block exactly twice (so that the order with respect to
//! the next iteration was exercised). A barrier in a function that was inlined several times counts as one barrier.

use std::cell::OnceCell;

use lockstep_finding::{Access, Action, Confidence, Finding, Kind, Severity};
use lockstep_kernel::{Kernel, Language, SiteId, edit};
use lockstep_simulate::{BarrierSurvey, Config, Outcome, Prepared, site_place};

use crate::explore::driver::{Done, Driver};
use crate::explore::ledger::Key;

/// Executions in one block that show the effect of a barrier on the next iteration.
const ROUNDS: u64 = 3;
/// Minimum number of warps of a block that must execute a barrier before it is reported to order only threads of one
/// warp.
const WARPS: u32 = 4;
/// Maximum number of launches that are repeated without the barriers.
const REPEATED: usize = 12;

/// A barrier in the source: one location, whose inlined copies are removed or kept together.
struct Group {
    sites: Vec<SiteId>,
    most_per_block: u64,
    /// The maximum number of executions in one block, if it is the same in all launches: a loop with a constant trip
    /// count.
    always: Option<u64>,
    most_warps: u32,
    in_loop: bool,
}

/// Accesses that are separated only by these barriers, by group.
struct Need {
    groups: Vec<usize>,
    across_warps: bool,
}

/// The judgement on a kernel's barriers.
#[derive(Default)]
pub(crate) struct Judgement {
    pub(crate) findings: Vec<Finding>,
    /// Notes about needed barriers.
    pub(crate) notes: Vec<String>,
}

pub(crate) fn judge(driver: &Driver) -> Judgement {
    let kernel = driver.lab.space.kernel;
    // An access that conflicts with no other needs no barrier.
    let conflicting = driver.lab.space.hints.pairs.sites();
    let all_reached = conflicting.iter().all(|site| driver.reached.site(site.0 as usize));
    let complete = || driver.done.iter().filter(|d| d.complete);
    let unknown = complete().any(|d| d.barriers.is_none());
    if !driver.lab.config.barrier_needs || !all_reached || unknown {
        return Judgement::default();
    }
    let surveys: Vec<&BarrierSurvey> = complete().filter_map(|d| d.barriers.as_ref()).collect();
    let groups = groups(driver, &surveys);
    let needs = needs(&groups, &surveys);
    // Two warps, unless the kernel is written for one.
    let threads = driver.lab.space.blocks.iter().map(|b| b.iter().product::<u32>()).max();
    let warps = if threads.is_some_and(|t| t <= driver.lab.config.warp_size) { 1 } else { 2 };
    let is_judged = |g: &Group| {
        let rounds = g.most_per_block >= ROUNDS || g.always.is_some_and(|n| n >= 2);
        g.most_warps >= warps && (!g.in_loop || rounds)
    };
    let diverges = divergent_lines(driver);
    let line = |g: usize| site_place(kernel, groups[g].sites[0]).line;
    let free: Vec<usize> = (0..groups.len())
        .filter(|&g| is_judged(&groups[g]) && !diverges.contains(&line(g)))
        .filter(|&g| !needs.iter().any(|n| n.groups == [g]))
        .collect();
    let check = Removal { driver, groups: &groups, before: OnceCell::new() };
    let (mut gone, mut kept): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for &g in &free {
        let breaks = needs
            .iter()
            .any(|n| n.groups.contains(&g) && n.groups.iter().all(|b| *b == g || gone.contains(b)));
        if breaks { kept.push(g) } else { gone.push(g) }
    }
    if !check.is_safe(&gone) {
        gone.retain(|&g| check.is_safe(&[g]));
        if !check.is_safe(&gone) {
            gone.clear();
        }
    }
    kept.retain(|&g| check.is_safe(&[g]));
    let mut out = Judgement::default();
    for &g in &gone {
        let partner = needs.iter().find_map(|n| {
            let other = n.groups.iter().find(|&&b| b != g)?;
            let pair = n.groups.len() == 2 && n.groups.contains(&g) && kept.contains(other);
            pair.then_some(*other)
        });
        let site = groups[g].sites[0];
        out.findings.push(match partner {
            Some(other) => either(kernel, driver, site, groups[other].sites[0]),
            None => alone(kernel, driver, site),
        });
    }
    for (g, group) in groups.iter().enumerate() {
        // Not where the launches were too small to show more.
        let judged = is_judged(group) && group.most_warps >= WARPS;
        let mine = || needs.iter().filter(|n| n.groups.contains(&g));
        if judged && mine().any(|n| n.groups == [g]) && mine().all(|n| !n.across_warps) {
            let suffices = match kernel.language {
                Language::OpenCl => "a barrier of the sub-group suffices",
                _ => "`__syncwarp()` suffices",
            };
            out.notes.push(format!(
                "the barrier at line {} orders only threads of one warp: {suffices}",
                line(g)
            ));
        }
    }
    out
}

fn groups(driver: &Driver, surveys: &[&BarrierSurvey]) -> Vec<Group> {
    let kernel = driver.lab.space.kernel;
    let place = |site: SiteId| {
        let p = site_place(kernel, site);
        (p.file, p.line, p.column)
    };
    let in_loop = &driver.lab.space.hints.loops_with_barrier;
    let mut out: Vec<Group> = Vec::new();
    for survey in surveys {
        for u in &survey.uses {
            let known = out.iter_mut().find(|g| place(g.sites[0]) == place(u.site));
            match known {
                Some(g) => {
                    if !g.sites.contains(&u.site) {
                        g.sites.push(u.site);
                        g.sites.sort_unstable();
                    }
                    g.most_per_block = g.most_per_block.max(u.most_per_block);
                    g.always = g.always.filter(|&n| n == u.most_per_block);
                    g.most_warps = g.most_warps.max(u.most_warps);
                    g.in_loop |= in_loop.contains(&u.site);
                }
                None => out.push(Group {
                    sites: vec![u.site],
                    most_per_block: u.most_per_block,
                    always: Some(u.most_per_block),
                    most_warps: u.most_warps,
                    in_loop: in_loop.contains(&u.site),
                }),
            }
        }
    }
    out.sort_by_key(|g| g.sites[0]);
    out
}

/// Keeps only the minimal sets, separately for those across warps and the others.
fn needs(groups: &[Group], surveys: &[&BarrierSurvey]) -> Vec<Need> {
    let mut out: Vec<Need> = Vec::new();
    for s in surveys.iter().flat_map(|s| &s.separations) {
        let of = |site: &SiteId| groups.iter().position(|g| g.sites.contains(site));
        let mut set: Vec<usize> = s.barriers.iter().filter_map(of).collect();
        set.sort_unstable();
        set.dedup();
        let same = |n: &Need| n.groups == set && n.across_warps == s.across_warps;
        if !set.is_empty() && !out.iter().any(same) {
            out.push(Need { groups: set, across_warps: s.across_warps });
        }
    }
    out
}

/// Source lines of barriers that some threads do not reach.
fn divergent_lines(driver: &Driver) -> Vec<u32> {
    let entries = driver.ledger.entries.iter();
    let found = entries.filter(|e| e.finding.kind == Kind::BarrierDivergence);
    found.flat_map(|e| e.finding.accesses.iter().map(|a| a.place.line)).collect()
}

/// The launches to repeat, and their findings with the original kernel.
struct Removal<'d, 'a> {
    driver: &'d Driver<'a>,
    groups: &'d [Group],
    /// Computed when a barrier is first removed: mostly there is none to remove.
    before: OnceCell<Vec<(&'d Done, Vec<Key>)>>,
}

impl<'d, 'a> Removal<'d, 'a> {
    fn before(&self) -> &[(&'d Done, Vec<Key>)] {
        self.before.get_or_init(|| {
            let driver = self.driver;
            let ordinary = driver.done.iter().filter(|d| d.complete && !d.odd);
            let odd = driver.done.iter().filter(|d| d.complete && d.odd);
            let launches = ordinary.chain(odd).take(REPEATED);
            launches
                .map(|d| (d, run(driver.lab.prepared(), driver, d).map_or(Vec::new(), keys)))
                .collect()
        })
    }

    /// Whether nothing new appears without these barriers.
    fn is_safe(&self, without: &[usize]) -> bool {
        if without.is_empty() {
            return true;
        }
        let mut kernel = self.driver.lab.space.kernel.clone();
        for &site in without.iter().flat_map(|&g| &self.groups[g].sites) {
            match edit::without(&kernel, site) {
                Some(edited) => kernel = edited,
                None => return false,
            }
        }
        let prepared = Prepared::new(&kernel);
        self.before().iter().all(|(done, before)| {
            run(&prepared, self.driver, done).is_some_and(|outcome| {
                outcome.incomplete.is_none() && keys(outcome).iter().all(|k| before.contains(k))
            })
        })
    }
}

fn run(kernel: &Prepared, driver: &Driver, done: &Done) -> Option<Outcome> {
    let bound = driver.lab.shelf.bind(kernel.kernel(), &done.launch).ok()?;
    let config = Config {
        barrier_needs: false,
        max_steps: done.steps.saturating_mul(4).max(1000),
        ..driver.lab.config.clone()
    };
    kernel.simulate(&bound, &config).ok()
}

fn keys(outcome: Outcome) -> Vec<Key> {
    outcome.findings.iter().map(Key::of).collect()
}

fn barrier(kernel: &Kernel, site: SiteId) -> Access {
    Access {
        op: Action::Barrier,
        thread: None,
        block: [0; 3],
        place: site_place(kernel, site),
        value: None,
        notes: Vec::new(),
    }
}

fn finding(driver: &Driver, message: String, accesses: Vec<Access>, help: &str) -> Finding {
    let launches = driver.done.iter().filter(|d| d.complete).count();
    let rests =
        format!("this rests on {launches} launches that reached every access that can conflict");
    Finding {
        severity: Severity::Warning,
        confidence: Confidence::Possible,
        launch: driver.done.first().map(|d| d.launch.clone()),
        help: vec![help.to_owned(), rests],
        ..Finding::new(Kind::RedundantBarrier, message, accesses)
    }
}

fn alone(kernel: &Kernel, driver: &Driver, site: SiteId) -> Finding {
    let message = "redundant barrier: it separates no conflicting accesses".to_owned();
    finding(driver, message, vec![barrier(kernel, site)], "the barrier can be removed")
}

fn either(kernel: &Kernel, driver: &Driver, site: SiteId, other: SiteId) -> Finding {
    let line = site_place(kernel, other).line;
    let message = format!(
        "redundant barrier: either this one or the one at line {line} may go, but not both"
    );
    let accesses = vec![barrier(kernel, site), barrier(kernel, other)];
    finding(driver, message, accesses, "one of the two barriers can be removed")
}
