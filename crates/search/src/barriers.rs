//! Redundant barriers: Simulee's Algorithm 5 over every launch that was simulated.
//!
//! The simulator says, for each launch, which sets of barriers separate accesses
//! that would race without them. A barrier that is such a set alone is needed. Of
//! the rest, as many as possible are taken away together (in the order of the
//! source); what remains of the rest may go alone, but not together with others,
//! and is reported so. Before anything is reported, the barriers are really
//! removed and the launches simulated again: nothing new may appear.
//!
//! It rests on the launches tried, so the confidence is `possible`. To keep that
//! worth reading, a barrier is only judged where every access of the kernel was
//! reached, where several warps executed it, and where, if it stands in a loop,
//! some block executed it three times (so that the order with respect to the
//! next iteration was seen to matter or not).

use lockstep_finding::{Access, Confidence, Finding, Kind, Severity};
use lockstep_kernel::{Kernel, Language, SiteId, edit};
use lockstep_simulate::{Config, Outcome, Separation, bind, simulate, site_place};

use crate::driver::{Done, Driver};
use crate::ledger::Key;

/// Executions in one block that show what a barrier does for the next iteration.
const ROUNDS: u64 = 3;
/// Warps of a block that have to execute a barrier of which it is said that it
/// orders only threads of one warp.
const WARPS: u32 = 4;
/// Launches that are repeated without the barriers.
const REPEATED: usize = 12;

/// A block barrier, over all launches.
struct Use {
    site: SiteId,
    most_per_block: u64,
    most_warps: u32,
}

pub(crate) fn redundant(driver: &Driver) -> Vec<Finding> {
    let kernel = driver.lab.space.kernel;
    let (reached, all) = driver.sites();
    if !driver.lab.config.barrier_needs || reached < all {
        return Vec::new();
    }
    let complete = || driver.done.iter().filter(|d| d.complete);
    if complete().any(|d| d.barriers.is_none()) {
        return Vec::new();
    }
    let surveys = || complete().filter_map(|d| d.barriers.as_ref());
    let mut uses: Vec<Use> = Vec::new();
    for u in surveys().flat_map(|s| &s.uses) {
        match uses.iter_mut().find(|known| known.site == u.site) {
            Some(known) => {
                known.most_per_block = known.most_per_block.max(u.most_per_block);
                known.most_warps = known.most_warps.max(u.most_warps);
            }
            None => uses.push(Use {
                site: u.site,
                most_per_block: u.most_per_block,
                most_warps: u.most_warps,
            }),
        }
    }
    uses.sort_by_key(|u| u.site);
    let separations: Vec<&Separation> = surveys().flat_map(|s| &s.separations).collect();
    let in_loop = &driver.lab.space.hints.loops_with_barrier;
    let judged = |u: &&Use| {
        u.most_warps >= 2 && (!in_loop.contains(&u.site) || u.most_per_block >= ROUNDS)
    };
    let diverges: Vec<u32> = driver_divergences(driver);
    let candidates: Vec<SiteId> = uses
        .iter()
        .filter(judged)
        .map(|u| u.site)
        .filter(|site| !separations.iter().any(|s| s.barriers == [*site]))
        .filter(|site| !diverges.contains(&site_place(kernel, *site).line))
        .collect();
    let check = Removal::new(driver);
    let mut gone: Vec<SiteId> = Vec::new();
    let mut kept: Vec<SiteId> = Vec::new();
    for &site in &candidates {
        let mut with: Vec<SiteId> = gone.clone();
        with.push(site);
        let breaks = separations.iter().any(|s| s.barriers.iter().all(|b| with.contains(b)));
        if breaks { kept.push(site) } else { gone.push(site) }
    }
    if !check.is_safe(&gone) {
        gone.retain(|&site| check.is_safe(&[site]));
        if !check.is_safe(&gone) {
            return Vec::new();
        }
    }
    kept.retain(|&site| check.is_safe(&[site]));
    let mut out: Vec<Finding> = Vec::new();
    for &site in &gone {
        let partner = separations.iter().find(|s| {
            s.barriers.len() == 2
                && s.barriers.contains(&site)
                && s.barriers.iter().any(|b| kept.contains(b))
        });
        let other = partner.and_then(|s| s.barriers.iter().find(|&&b| b != site));
        out.push(match other {
            Some(&other) => either(kernel, driver, site, other),
            None => alone(kernel, driver, site),
        });
    }
    // Never where a launch was too small to show more.
    for u in uses.iter().filter(judged).filter(|u| u.most_warps >= WARPS) {
        let mut needed = separations.iter().filter(|s| s.barriers.contains(&u.site)).peekable();
        let counted = needed.clone().any(|s| s.barriers == [u.site]);
        if counted && needed.peek().is_some() && needed.all(|s| !s.across_warps) {
            out.push(one_warp(kernel, driver, u.site));
        }
    }
    out
}

/// Lines of barriers that some threads do not reach.
fn driver_divergences(driver: &Driver) -> Vec<u32> {
    let entries = driver.ledger.entries.iter();
    let found = entries.filter(|e| e.finding.kind == Kind::BarrierDivergence);
    found.flat_map(|e| e.finding.accesses.iter().map(|a| a.place.line)).collect()
}

/// Launches to repeat, and what they showed as the kernel is.
struct Removal<'d, 'a> {
    driver: &'d Driver<'a>,
    before: Vec<(&'d Done, Vec<Key>)>,
}

impl<'d, 'a> Removal<'d, 'a> {
    fn new(driver: &'d Driver<'a>) -> Removal<'d, 'a> {
        let ordinary = driver.done.iter().filter(|d| d.complete && !d.odd);
        let odd = driver.done.iter().filter(|d| d.complete && d.odd);
        let launches = ordinary.chain(odd).take(REPEATED);
        let before = launches
            .map(|d| (d, run(driver.lab.space.kernel, driver, d).map_or(Vec::new(), keys)))
            .collect();
        Removal { driver, before }
    }

    /// Whether nothing new appears without these barriers.
    fn is_safe(&self, sites: &[SiteId]) -> bool {
        let mut kernel = self.driver.lab.space.kernel.clone();
        for &site in sites {
            match edit::without(&kernel, site) {
                Some(edited) => kernel = edited,
                None => return false,
            }
        }
        sites.is_empty()
            || self.before.iter().all(|(done, before)| {
                run(&kernel, self.driver, done).is_some_and(|outcome| {
                    outcome.incomplete.is_none()
                        && keys(outcome).iter().all(|k| before.contains(k))
                })
            })
    }
}

fn run(kernel: &Kernel, driver: &Driver, done: &Done) -> Option<Outcome> {
    let bound = bind::bind(kernel, &done.launch).ok()?;
    let config = Config {
        barrier_needs: false,
        max_steps: done.steps.saturating_mul(4).max(1000),
        ..driver.lab.config.clone()
    };
    simulate(kernel, &bound, &config).ok()
}

fn keys(outcome: Outcome) -> Vec<Key> {
    outcome.findings.iter().map(Key::of).collect()
}

fn barrier(kernel: &Kernel, site: SiteId) -> Access {
    Access {
        op: "barrier".into(),
        thread: None,
        block: [0; 3],
        place: site_place(kernel, site),
        value: None,
        notes: Vec::new(),
    }
}

fn finding(driver: &Driver, message: String, accesses: Vec<Access>, help: &str) -> Finding {
    let launches = driver.done.iter().filter(|d| d.complete).count();
    let rests = format!("this rests on {launches} launches that reached every access");
    Finding {
        kind: Kind::RedundantBarrier,
        severity: Severity::Warning,
        confidence: Confidence::Possible,
        message,
        memory: None,
        accesses,
        approximated: Vec::new(),
        occurrences: 1,
        benign: false,
        holds_when: None,
        launch: driver.done.first().map(|d| d.launch.clone()),
        help: vec![help.to_owned(), rests],
        fix: None,
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

fn one_warp(kernel: &Kernel, driver: &Driver, site: SiteId) -> Finding {
    let message = "this barrier orders only threads of the same warp".to_owned();
    let help = match kernel.language {
        Language::OpenCl => "a barrier of the sub-group suffices",
        _ => "`__syncwarp()` suffices",
    };
    finding(driver, message, vec![barrier(kernel, site)], help)
}
