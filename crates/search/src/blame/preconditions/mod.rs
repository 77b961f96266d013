//! Whether a simple condition on what Lockstep chose makes a race go away.
//!
//! Nothing in a kernel states what its callers keep to: that `C` is a multiple of 8, that a stride is at least the row
//! that it spans, that the block has as many threads as a constant says. So for the two accesses in question the
//! conditions of a [catalogue] are tried one by one, and then two lower bounds together: the launch that shows the race
//! is changed as little as possible so that it satisfies the condition. If the race is gone from it, both sides are
//! executed: other launches that satisfy the condition, with other sizes and dimensions, never show the race, and
//! others that do not satisfy it do. Then the finding is conditional, under the opposite. If there is no such
//! condition, nothing that Lockstep chose is to blame, as far as these conditions go.
//!
//! A launch without the race is only counted if threads as far apart as those of the finding (in one warp, in several
//! warps, in several blocks) still make the two accesses, and if nothing else goes wrong in it. So a condition cannot
//! excuse a race by leaving one thread, one warp or one block; nor can an upper bound by leaving one iteration of the loop
//! around both accesses: a loop is written to go round. Of a launch that takes too long, those blocks are executed
//! that the finding is about, and others beside them and at the ends of the grid.
//!
//! Where the launches that would tell a multiple from a bound are larger than any that is executed, the values of the
//! launch that shows the race are an example: it rests on them, and which others show it is not known.
//!
//! What can go wrong: a bug may be called conditional although callers do not keep to the condition. It is still
//! reported, with the condition. Conditions on contents of arrays have rows of their own in the [table](super::table).

mod catalogue;

use lockstep_finding::launch::{Expr, Operator};
use lockstep_finding::{Access, Claim, Confidence, Finding, Kind, When};
use lockstep_kernel::SiteId;
use lockstep_simulate::{Apart, Config};

use self::catalogue::{Relation, Requirement, requirements, whole_parts};
use crate::condition::quantity::Quantity;
use crate::explore::inquiry::{Inquiry, Shown, is_no_worse, wrong};
use crate::explore::ledger::same;
use crate::explore::sample::some_of;
use crate::explore::trial::Trial;
use crate::space::Space;
use crate::space::candidate::{Candidate, Gene};
use crate::space::places::is_at;

/// Maximum number of launches for the conditions of one finding, and of these for pairs of conditions.
const MOST_LAUNCHES: usize = 260;
const MOST_PAIRED: usize = 80;
/// Number of launches as long as the longest one of which all these together may take the time.
const LONG_LAUNCHES: u64 = 60;
/// Number of launches on each side of a condition that have to agree with it.
const LEAST_CLEAN: usize = 3;
const LEAST_SHOWN: usize = 2;
/// Values that other values of a launch say little about, in the launch of a finding.
const NEXT_TO_NOTHING: i64 = 2;
/// Number of parameters that alone have the finding's value in a launch.
const MOST_PINNED: usize = 6;
/// Number of launches without the race of which it is looked up how far apart their threads are.
const MOST_LOOKED_AT: usize = 4;

/// Whether a condition explains a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judged {
    Yes,
    No,
    /// No launch says otherwise, but too few of those that would have to show it ended.
    Open,
    /// Both sides agree, and no launch of ours is large enough to tell it from a bound.
    InPart,
}

/// What a launch says about a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Shows,
    /// It ended without the race, and nothing else went wrong; both places were reached.
    Clean,
    /// It did not end in the time that it had.
    Long,
    Inconclusive,
}

impl Inquiry<'_, '_> {
    /// The opposite of a condition under which the race is gone although threads as far apart make the accesses. Where
    /// the budget ends before all of them were tried, that is noted: then it is not known whether there is one.
    pub(super) fn precondition(&mut self, shown: &Shown) -> Option<When> {
        let kept = self.driver.begin_check();
        self.driver.grant(LONG_LAUNCHES);
        let mut attempt = Attempt::new(self, shown);
        let found = attempt.find().map(When::exactly);
        let found = found.or_else(|| attempt.example.take().map(When::for_example));
        let is_cut = attempt.is_cut && found.is_none();
        self.hurried |= is_cut;
        self.driver.end_check(kept);
        found
    }

    /// The same for a finding that a condition has been found for, but one that is only an example.
    pub(crate) fn precondition_of(&mut self, trial: &Trial) -> Option<When> {
        let shown = self.shown(trial)?;
        self.precondition(&shown)
    }
}

struct Attempt<'t, 'i, 'd, 'a> {
    inquiry: &'i mut Inquiry<'d, 'a>,
    shown: &'t Shown<'t>,
    /// How far apart the two threads of the finding are.
    far: Apart,
    /// The sites of the two accesses.
    sites: [Vec<SiteId>; 2],
    /// What launches have said.
    known: Vec<(Candidate, Answer)>,
    /// Those of which only some blocks were executed, without the race.
    sampled: Vec<Candidate>,
    left: usize,
    /// Whether the budget ended before every condition could be judged, or a launch was too long for that.
    is_cut: bool,
    /// Values that the race rests on, where nobody knows which others show it.
    example: Option<Claim>,
}

impl<'t, 'i, 'd, 'a> Attempt<'t, 'i, 'd, 'a> {
    fn new(inquiry: &'i mut Inquiry<'d, 'a>, shown: &'t Shown<'t>) -> Self {
        let kernel = inquiry.driver.lab.space.kernel;
        let at = |a: Option<&Access>| {
            let sites = kernel.sites.iter().enumerate();
            let there = sites.filter(|(_, s)| a.is_some_and(|a| is_at(kernel, s, a)));
            there.map(|(i, _)| SiteId(i as u32)).collect::<Vec<_>>()
        };
        let accesses = &shown.finding.accesses;
        let sites = [at(accesses.first()), at(accesses.get(1))];
        let warp = inquiry.driver.lab.config.warp_size;
        let far = distance(shown.finding, shown.candidate, warp);
        let (known, sampled, left) = (Vec::new(), Vec::new(), MOST_LAUNCHES);
        Attempt { inquiry, shown, far, sites, known, sampled, left, is_cut: false, example: None }
    }

    fn find(&mut self) -> Option<Claim> {
        let space = self.inquiry.driver.lab.space;
        let vectors = self.inquiry.is_of_vectors(self.shown.finding);
        let all = match self.inquiry.key.kind {
            Kind::OutOfBounds => whole_parts(space, vectors),
            _ => requirements(space, vectors),
        };
        let bases = self.bases();
        for r in &all {
            if let Some(claim) = self.tried(std::slice::from_ref(r), &bases) {
                return Some(claim);
            }
            if self.is_over() {
                self.is_cut = true;
                return None;
            }
        }
        self.left = self.left.min(MOST_PAIRED);
        for list in together(&all) {
            if let Some(claim) = self.tried(&list, &bases) {
                return Some(claim);
            }
        }
        let is_bound = |r: &&Requirement| r.relation == Relation::AtLeast;
        let bounds: Vec<&Requirement> = all.iter().filter(is_bound).collect();
        // A power of two that is large enough.
        let powers = all.iter().filter(|r| matches!(r.relation, Relation::Mask | Relation::Power));
        let powers =
            powers.flat_map(|p| bounds.iter().filter(move |b| b.of == p.of).map(move |b| (b, p)));
        let powers: Vec<_> =
            powers.map(|(bound, power)| [(*bound).clone(), power.clone()]).collect();
        if let Some(claim) = powers.into_iter().find_map(|list| self.tried(&list, &bases)) {
            return Some(claim);
        }
        if !self.helps_together(&bounds) {
            return None;
        }
        for (i, a) in bounds.iter().enumerate() {
            for b in bounds[i + 1..].iter().filter(|b| b.of != a.of) {
                let list = [(*a).clone(), (*b).clone()];
                if let Some(claim) = self.tried(&list, &bases) {
                    return Some(claim);
                }
                if self.is_over() {
                    return None;
                }
            }
        }
        None
    }

    fn is_over(&self) -> bool {
        self.left == 0 || self.inquiry.driver.is_over() || self.inquiry.driver.is_late()
    }

    /// The opposite of some requirements together, if they help and launches on both sides agree. Where multiples of half
    /// a number do, these are the condition.
    fn tried(&mut self, list: &[Requirement], bases: &[Candidate]) -> Option<Claim> {
        let space = self.inquiry.driver.lab.space;
        if !self.helps(list) {
            return None;
        }
        let judged = self.is_true(list, bases);
        if let Some(log) = self.inquiry.driver.settings.log {
            let claim = Claim::any(list.iter().map(|r| r.broken(space)));
            let word = match judged {
                Judged::Yes => "explains it",
                Judged::No => "does not explain it",
                Judged::Open => "may explain it, launches that show it are too long",
                Judged::InPart => "explains it in part, larger launches would tell",
            };
            log(&format!("{} when {claim}: {word}", self.inquiry.key.kind));
        }
        self.is_cut |= judged == Judged::Open;
        if judged == Judged::InPart && self.example.is_none() {
            let own = |r: &Requirement| {
                let value = Expr::int(r.of.of(space, self.shown.candidate));
                Claim::compare(r.of.name(space), Operator::Eq, value)
            };
            self.example = Some(Claim::all(list.iter().map(own)));
        }
        if judged != Judged::Yes {
            return None;
        }
        let halves: Vec<Requirement> = list.iter().filter_map(Requirement::halved).collect();
        if halves.len() == list.len()
            && let Some(claim) = self.tried(&halves, bases)
        {
            return Some(claim);
        }
        Some(Claim::any(list.iter().map(|r| r.broken(space))))
    }

    /// The launches that a condition is tried in: that of the finding, one with the usual dimensions, the ordinary one
    /// with the values that differ, and some with other sizes and dimensions.
    fn bases(&self) -> Vec<Candidate> {
        let space = self.inquiry.driver.lab.space;
        let own = self.shown.candidate;
        let plain = space.plain();
        let wide = Candidate { grid: plain.grid, block: plain.block, ..own.clone() };
        let mut pinned = wide.clone();
        for i in space.integers() {
            pinned.genes[i] = Gene::Int(space.clamp(i, own.int(i)));
        }
        let mut out = vec![own.clone(), wide.clone(), pinned.clone()];
        for i in space.integers().into_iter().take(4) {
            let n = pinned.int(i);
            if n > 1 && !space.slots[i].hints.selects {
                for v in [2, n / 2 + 1, n + 3] {
                    let mut c = pinned.clone();
                    c.genes[i] = Gene::Int(space.clamp(i, v));
                    out.push(c);
                }
            }
        }
        // As small as can be, but for what rows and offsets are made of: a launch that a condition makes large ends.
        let is_count = |i: &usize| {
            let (slot, h) = (&space.slots[*i], &space.slots[*i].hints);
            let places = h.multiplies_index || h.selects || h.wraps || h.masks || h.shifts;
            slot.ty.bits() > 8 && !places && !slot.is_offset()
        };
        for v in [1, 2] {
            let mut c = pinned.clone();
            for i in space.integers().into_iter().filter(is_count) {
                if c.int(i) > v {
                    c.genes[i] = Gene::Int(v);
                }
            }
            out.push(c);
        }
        let (threads, blocks) = (space.free_block(), space.free_grid());
        // The ordinary launch with one value of the finding's: where that has shrunk to next to nothing, its other values say
        // little. With two numbers of blocks: a bound that is one of these is met at both.
        for i in space.integers().into_iter().take(MOST_PINNED) {
            if (0..=NEXT_TO_NOTHING).contains(&own.int(i)) && plain.int(i) != own.int(i) {
                let mut c = plain.clone();
                c.genes[i] = Gene::Int(space.clamp(i, own.int(i)));
                out.push(c.clone());
                for a in (0..3).filter(|&a| blocks[a]) {
                    c.grid[a] = 2 * c.grid[a] + 1;
                }
                out.push(c);
            }
        }
        for a in 0..3 {
            let mut c = wide.clone();
            if threads[a] {
                c.block[a] = (c.block[a] / 2).max(2);
                out.push(c.clone());
            }
            if blocks[a] {
                c.grid[a] = 2 * wide.grid[a] + 1;
                out.push(c);
            }
        }
        let mut unique: Vec<Candidate> = Vec::new();
        for c in out.iter().map(|c| space.agreeing(c)) {
            if space.is_possible(&c) && !unique.iter().any(|u| u.is_same_launch(&c)) {
                unique.push(c);
            }
        }
        unique
    }

    /// The launches like another one in which all requirements hold.
    fn satisfying(&self, list: &[Requirement], c: &Candidate) -> Vec<Candidate> {
        let space = self.inquiry.driver.lab.space;
        let mut all = vec![c.clone()];
        for r in list {
            all = all.iter().flat_map(|c| r.satisfied(space, c)).take(4).collect();
        }
        all.retain(|c| list.iter().all(|r| r.holds(space, c)));
        all
    }

    /// Whether the launch of the finding breaks the requirements, and no longer has the race where it keeps to them.
    fn helps(&mut self, list: &[Requirement]) -> bool {
        let space = self.inquiry.driver.lab.space;
        let own = self.shown.candidate;
        if list.iter().all(|r| r.holds(space, own)) {
            return false;
        }
        let kept = self.satisfying(list, own);
        let Some(first) = kept.first() else { return false };
        self.answer(first) != Answer::Shows && kept.iter().all(|c| self.answer(c) != Answer::Shows)
    }

    /// Whether the race is gone where all lower bounds hold with room to spare, in some order of the parameters.
    fn helps_together(&mut self, bounds: &[&Requirement]) -> bool {
        let space = self.inquiry.driver.lab.space;
        let mut slots = Vec::new();
        for r in bounds {
            if !slots.contains(&r.of) {
                slots.push(r.of);
            }
        }
        let orders = [slots.clone(), slots.into_iter().rev().collect()];
        orders.into_iter().any(|order| {
            let mut c = self.shown.candidate.clone();
            for of in order {
                let own = bounds.iter().filter(|r| r.of == of);
                let most = own.filter_map(|r| space.value_of(&r.side, &c)).max().unwrap_or(0);
                let most = most.clamp(0, 1 << 20);
                if let Some(with) = of.with(space, &c, most.max(of.of(space, &c))) {
                    c = space.agreeing(&with);
                }
            }
            space.is_possible(&c) && self.answer(&c) != Answer::Shows
        })
    }

    /// Executes launches on both sides of a condition that helps in one.
    fn is_true(&mut self, list: &[Requirement], bases: &[Candidate]) -> Judged {
        let space = self.inquiry.driver.lab.space;
        let mut clean: Vec<Candidate> = Vec::new();
        let small = bases.iter().flat_map(|c| list.iter().flat_map(|r| r.small(space, c)));
        let all: Vec<Candidate> = bases.iter().cloned().chain(small).collect();
        let mut kept: Vec<_> = all.iter().flat_map(|c| self.satisfying(list, c)).collect();
        // Short ones first: the budget may end.
        kept.sort_by_key(Candidate::threads);
        let mut long: Vec<Candidate> = Vec::new();
        for c in kept {
            match self.answer(&c) {
                Answer::Shows => return Judged::No,
                Answer::Clean if !clean.iter().any(|k| k.is_same_launch(&c)) => clean.push(c),
                Answer::Long if !long.iter().any(|k| k.is_same_launch(&c)) => long.push(c),
                _ => {}
            }
        }
        if clean.len() < LEAST_CLEAN {
            return if long.is_empty() { Judged::No } else { Judged::Open };
        }
        // Launches with many threads say most.
        clean.sort_by_key(|c| std::cmp::Reverse(c.threads()));
        let bounds_loop = list.iter().any(|r| r.relation == Relation::AtMost)
            && self.apart(self.shown.candidate).is_some_and(|own| own.again);
        let says = |c: &Candidate| {
            self.apart(c)
                .is_some_and(|seen| is_as_far(self.far, seen) && (seen.again || !bounds_loop))
        };
        if !clean.iter().take(MOST_LOOKED_AT).any(says) {
            return Judged::No;
        }
        // A bound is where the race begins to show, and a value alone does not.
        let is_sharp = |r: &&Requirement| r.is_bound() || r.relation == Relation::Equal;
        let bounds: Vec<&Requirement> = list.iter().filter(is_sharp).collect();
        if !bounds.is_empty() && !self.begins_at(&bounds, list, bases) {
            return Judged::No;
        }
        // Where an upper bound does, the launches that tell the two apart show nothing.
        for r in list {
            let weaker: Vec<Candidate> = bases.iter().flat_map(|c| r.weaker(space, c)).collect();
            let answers: Vec<Answer> = weaker.iter().map(|c| self.answer(c)).collect();
            if answers.contains(&Answer::Clean) && !answers.contains(&Answer::Shows) {
                return Judged::No;
            }
        }
        let broken = bases.iter().flat_map(|c| list.iter().flat_map(|r| r.violated(space, c)));
        let broken: Vec<Candidate> = broken.collect();
        let is_broken = |c: &&Candidate| !list.iter().all(|r| r.holds(space, c));
        let all: Vec<Candidate> = bases.iter().chain(&broken).filter(is_broken).cloned().collect();
        let mut shown: Vec<Candidate> = Vec::new();
        let mut is_long = false;
        for c in all {
            let is_new = !shown.iter().any(|k| k.is_same_launch(&c));
            let answer = if is_new { self.answer(&c) } else { Answer::Inconclusive };
            is_long |= answer == Answer::Long;
            if answer == Answer::Shows {
                shown.push(c);
            }
            if shown.len() >= LEAST_SHOWN && is_no_bound(list, &clean, &shown, space) {
                return Judged::Yes;
            }
        }
        // A launch beyond all that are clean would tell, if there is one.
        let is_larger = |c: &Candidate| {
            space.is_possible(c)
                && list.iter().all(|r| clean.iter().all(|k| r.of.of(space, k) < r.of.of(space, c)))
        };
        let is_told = broken.iter().any(is_larger);
        match is_long {
            true => Judged::Open,
            false if shown.len() >= LEAST_SHOWN && !is_told => Judged::InPart,
            false => Judged::No,
        }
    }

    /// Whether the race shows just beyond each bound where the other requirements hold, in launches in which that bound has
    /// several values, unless it has one value in all of them: a bound that is met by chance in one launch is none.
    fn begins_at(
        &mut self,
        bounds: &[&Requirement],
        list: &[Requirement],
        bases: &[Candidate],
    ) -> bool {
        bounds.iter().all(|bound| {
            let others: Vec<Requirement> = list.iter().filter(|r| r != bound).cloned().collect();
            self.begins(bound, &others, bases)
        })
    }

    fn begins(&mut self, bound: &Requirement, others: &[Requirement], bases: &[Candidate]) -> bool {
        let space = self.inquiry.driver.lab.space;
        let (mut met, mut asked): (Vec<i64>, Vec<i64>) = Default::default();
        for base in bases {
            let Some(c) = self.satisfying(others, base).into_iter().next() else { continue };
            let Some(value) = bound.bound(space, &c) else { continue };
            let mut close = bound.beyond(space, &c);
            close.retain(|c| others.iter().all(|r| r.holds(space, c)));
            if close.is_empty() {
                continue;
            }
            if !asked.contains(&value) {
                asked.push(value);
            }
            if !met.contains(&value) && close.iter().any(|c| self.answer(c) == Answer::Shows) {
                met.push(value);
            }
            if met.len() > 1 {
                return true;
            }
        }
        met.len() == 1 && asked.len() == 1
    }

    fn answer(&mut self, c: &Candidate) -> Answer {
        if let Some((_, known)) = self.known.iter().find(|(k, _)| k.is_same_launch(c)) {
            return *known;
        }
        let space = self.inquiry.driver.lab.space;
        if self.left == 0 || self.inquiry.driver.is_late() || !space.is_possible(c) {
            return Answer::Inconclusive;
        }
        self.left -= 1;
        let answer = self.executed(c);
        self.known.push((c.clone(), answer));
        answer
    }

    fn executed(&mut self, c: &Candidate) -> Answer {
        let whole = self.inquiry.driver.again(c, 1);
        // What there is no time for is as open as what does not end.
        let answer = whole.map_or(Answer::Long, |trial| self.said(&trial));
        if answer != Answer::Long {
            return answer;
        }
        // Some of its blocks alone, on both sides of a condition.
        let Some(trial) = self.inquiry.driver.some_blocks(c, &self.numbers()) else {
            return answer;
        };
        let answer = self.said(&trial);
        if answer == Answer::Clean {
            self.sampled.push(c.clone());
        }
        answer
    }

    fn said(&self, trial: &Trial) -> Answer {
        if same(trial, self.inquiry.key).is_some() {
            return Answer::Shows;
        }
        if trial.outcome.incomplete.is_some() {
            return Answer::Long;
        }
        let ended = is_no_worse(trial, self.shown.wrong.max(self.own_wrong()));
        match ended && self.inquiry.reaches(trial) {
            true => Answer::Clean,
            false => Answer::Inconclusive,
        }
    }

    /// The blocks of the finding, by number.
    fn numbers(&self) -> Vec<[u32; 3]> {
        self.shown.finding.accesses.iter().map(|a| a.block).collect()
    }

    fn own_wrong(&self) -> usize {
        self.shown.trial.map_or(0, wrong)
    }

    /// How far apart threads are that make the two accesses in a launch.
    fn apart(&self, c: &Candidate) -> Option<Apart> {
        let lab = &self.inquiry.driver.lab;
        let is_sample = self.sampled.iter().any(|k| k.is_same_launch(c));
        let only = is_sample.then(|| some_of(c.grid, &self.numbers())).flatten();
        *lab.only.borrow_mut() = only.clone();
        let trial = lab.try_out(c, lab.config.max_steps, true);
        *lab.only.borrow_mut() = None;
        let bound = lab.shelf.bind(lab.space.kernel, &trial.ok()??.launch).ok()?;
        let groups = [&self.sites[0][..], &self.sites[1][..]];
        let config = Config { only, ..lab.config.clone() };
        lab.prepared().apart(&bound, &config, groups).ok()
    }
}

fn is_as_far(far: Apart, seen: Apart) -> bool {
    (seen.blocks || !far.blocks) && (seen.warps || !far.warps) && (seen.threads || !far.threads)
}

/// Multiples of one number that several sizes may have to be.
fn together(all: &[Requirement]) -> Vec<Vec<Requirement>> {
    let multiples = || all.iter().filter(|r| r.relation == Relation::Multiple);
    let mut units: Vec<&Expr> = Vec::new();
    for r in multiples() {
        if !units.contains(&&r.side) {
            units.push(&r.side);
        }
    }
    let lists = units.into_iter().map(|unit| {
        let of_unit = multiples().filter(|r| r.side == *unit && matches!(r.of, Quantity::Slot(_)));
        of_unit.cloned().collect::<Vec<_>>()
    });
    lists.filter(|list| list.len() > 1).collect()
}

/// Whether a requirement that is no bound does not only help because its values are large: a larger one that breaks it
/// shows the race, too.
fn is_no_bound(
    list: &[Requirement],
    clean: &[Candidate],
    shown: &[Candidate],
    space: &Space,
) -> bool {
    list.iter().all(|r| {
        let values = |all: &[Candidate]| all.iter().map(|c| r.of.of(space, c)).collect::<Vec<_>>();
        let (least, most) = (values(clean).into_iter().min(), values(shown).into_iter().max());
        r.is_bound() || most > least
    })
}

/// How far apart the threads of a finding are.
fn distance(finding: &Finding, c: &Candidate, warp_size: u32) -> Apart {
    let [a, b, ..] = &finding.accesses[..] else { return Apart::default() };
    if a.block != b.block {
        return Apart { blocks: true, ..Apart::default() };
    }
    let number = |a: &Access| {
        let [x, y, z] = a.thread?;
        Some((z * c.block[1] + y) * c.block[0] + x)
    };
    match (number(a), number(b)) {
        (Some(a), Some(b)) => Apart {
            warps: a / warp_size != b / warp_size,
            threads: a / warp_size == b / warp_size,
            ..Apart::default()
        },
        _ => Apart { threads: true, ..Apart::default() },
    }
}

/// Whether a finding is one that a condition is looked for.
pub(super) fn is_looked_into(finding: &Finding) -> bool {
    let accesses = match finding.kind {
        Kind::UninitialisedRead => 1,
        _ => 2,
    };
    finding.accesses.len() == accesses && finding.confidence == Confidence::Confirmed
}
