//! Whether a condition is exact: it is true for the values that show the bug, and false for all others.
//!
//! A condition is derived from a few launches, and these were shrunk: two threads collide for `step == 1` alone, a
//! hundred for all steps below a hundred. So the quantities in a condition are varied again, in the launch that shows
//! the bug, in one with usual dimensions, and in some with other values. If a value for which the condition is false
//! shows the bug, or one for which it is true does not, other conditions are tried (see [`super::forms`]); if none
//! agrees with every launch, the values of one launch are reported as an example.
//!
//! What it can miss: values that are not tried. Conditions on contents of arrays or on pointers are not checked.

use std::rc::Rc;

use lockstep_finding::launch::{Dimension, Expr, Number, Operator};
use lockstep_finding::{ArgValue, Claim, Launch, When};

use super::forms::{changes, forms};
use super::quantity::Quantity;
use crate::explore::inquiry::{Inquiry, wrong};
use crate::explore::ledger::same;
use crate::explore::trial::Trial;
use crate::space::Space;
use crate::space::candidate::{Candidate, Gene};
use crate::space::launch::Sizes;
use crate::space::slots::{Part, Slot};

/// Values for launches that only distinguish one condition from another.
const FEW: [i64; 3] = [1, 2, 64];
/// Maximum number of other quantities to compare with.
const MOST_OTHERS: usize = 12;
/// Maximum number of other arguments that are varied.
const MOST_MOVED: usize = 3;
/// A value for another argument that is zero, beyond what others usually are.
const FAR_OFF: i64 = 300;
/// A witness with a larger value is replaced by one with a smaller value if there is one.
const MODERATE: i64 = 1 << 12;
/// Maximum number of launches for one condition.
const MOST_LAUNCHES: usize = 320;

/// A launch that was simulated, and whether it shows the bug.
struct Sample {
    trial: Rc<Trial>,
    shows: bool,
}

/// The exact condition of a bug, with another launch that shows it if a better one was found. Conditions about anything
/// other than numbers are returned unchanged.
pub(crate) fn settled(
    inquiry: &mut Inquiry,
    trial: &Trial,
    claim: Claim,
) -> (When, Option<Rc<Trial>>) {
    let space = inquiry.driver.lab.space;
    let spoken_of = claim.expression().and_then(|e| Some((quantities(space, &e)?, e)));
    let Some((quantities, expr)) = spoken_of.filter(|(quantities, _)| !quantities.is_empty())
    else {
        return (When::exactly(claim), None);
    };
    let kept = inquiry.driver.begin_check();
    let mut tried =
        Tried { inquiry, space, before: wrong(trial), left: MOST_LAUNCHES, all: vec![] };
    let found = tried.find(trial, &expr, &quantities);
    let witness = tried.witness(trial, &quantities);
    inquiry.driver.end_check(kept);
    match found {
        Some(condition) => (When::exactly(condition), witness),
        None => {
            let c = witness.as_ref().map_or(&trial.candidate, |t| &t.candidate);
            let value = |q: &Quantity| {
                Claim::compare(q.name(space), Operator::Eq, Expr::int(q.of(space, c)))
            };
            (When::for_example(Claim::all(quantities.iter().map(value))), witness)
        }
    }
}

/// The quantities in a condition that may vary; `None` if it mentions anything that is not a number.
fn quantities(space: &Space, expr: &Expr) -> Option<Vec<Quantity>> {
    let is_lane = |s: &Slot, name: &str| s.name == name && matches!(s.part, Part::Lane(_));
    let is_scalar = |name: &str| {
        Dimension::named(name).is_some() || space.slots.iter().any(|s| is_lane(s, name)) || {
            let param = space.kernel.params.iter().find(|p| p.name == name);
            param.is_some_and(|p| matches!(p.kind, lockstep_kernel::ParamKind::Scalar { .. }))
        }
    };
    let (mut out, mut known) = (Vec::new(), true);
    expr.for_each_name(&mut |name| {
        known &= is_scalar(name);
        let quantity = Quantity::named(space, name);
        out.extend(quantity.filter(|q| !out.contains(q)));
    });
    known.then_some(out)
}

struct Tried<'t, 'd, 'a> {
    inquiry: &'t mut Inquiry<'d, 'a>,
    space: &'a Space<'a>,
    /// How many other things go wrong in the launch that shows the bug.
    before: usize,
    left: usize,
    all: Vec<Sample>,
}

impl Tried<'_, '_, '_> {
    /// A condition that agrees with every launch.
    fn find(&mut self, trial: &Trial, claim: &Expr, quantities: &[Quantity]) -> Option<Claim> {
        let space = self.space;
        let c = &trial.candidate;
        let plain = space.plain();
        let keeps = |q: Quantity| quantities.contains(&q);
        let usual = Candidate {
            grid: std::array::from_fn(|a| {
                [plain.grid[a], c.grid[a]][usize::from(keeps(Quantity::Grid(a)))]
            }),
            block: std::array::from_fn(|a| {
                [plain.block[a], c.block[a]][usize::from(keeps(Quantity::Block(a)))]
            }),
            ..c.clone()
        };
        let wide = self.shows(&usual) == Some(true);
        let main = if wide { usual } else { c.clone() };
        let others = self.moved(&main, quantities);
        for &x in quantities {
            self.vary(x, c, x.values(), &[]);
            if wide {
                self.vary(x, &main, x.values(), &[]);
            }
            let bounds = self.sharpen(x, &main);
            for base in &others {
                self.vary(x, base, &FEW, &bounds);
            }
        }
        if self.agrees(claim) {
            return Some(claim.clone().into());
        }
        let parts = Claim::from(claim.clone()).conjuncts();
        for &x in quantities {
            let name = x.name(space);
            let speaks = |part: &Claim| {
                let mut found = false;
                part.for_each_name(&mut |n| found |= Expr::name(n) == name);
                found
            };
            let rest = || parts.iter().filter(|p| !speaks(p)).cloned();
            let values = self.values(x, &main);
            for form in forms(&name, &values, &self.terms(x, &main)) {
                let whole = Claim::all(rest().chain([form.into()]));
                if whole.expression().is_some_and(|e| self.agrees(&e)) {
                    return Some(whole);
                }
            }
        }
        self.is_needed(claim).then(|| claim.clone().into())
    }

    /// Launches with other dimensions and other arguments.
    fn moved(&self, main: &Candidate, quantities: &[Quantity]) -> Vec<Candidate> {
        let space = self.space;
        let (blocks, threads) = (space.free_grid(), space.free_block());
        let free = |q: Quantity| !quantities.contains(&q);
        let mut pinned = main.clone();
        for i in (0..space.slots.len()).filter(|&i| space.slots[i].ty.is_int()) {
            pinned.genes[i] = Gene::Int(space.clamp(i, main.int(i)));
        }
        let mut out = Vec::new();
        for base in [main, &pinned] {
            let mut more = base.clone();
            for a in (0..3).filter(|&a| blocks[a] && free(Quantity::Grid(a))) {
                more.grid[a] = 2 * more.grid[a] + 1;
            }
            let mut less = base.clone();
            for a in (0..3).filter(|&a| threads[a] && free(Quantity::Block(a))) {
                less.block[a] = (less.block[a] / 2).max(1);
            }
            out.extend([more, less]);
        }
        let varies = |&i: &usize| {
            let slot = &space.slots[i];
            slot.ty.is_int() && free(Quantity::Slot(i)) && !slot.hints.selects && main.int(i) >= 0
        };
        for i in (0..space.slots.len()).filter(varies).take(MOST_MOVED) {
            let other = match main.int(i) {
                0 => vec![1, FAR_OFF],
                n @ 1..=2 => vec![2 * n + 1],
                n => vec![n / 2 + 1],
            };
            for n in other {
                let mut c = pinned.clone();
                c.genes[i] = Gene::Int(space.clamp(i, n));
                out.push(c);
            }
        }
        out.retain(|c| c != main);
        out
    }

    /// Other quantities to compare with, as expressions.
    fn terms(&self, x: Quantity, c: &Candidate) -> Vec<Expr> {
        let space = self.space;
        let slots: Vec<Expr> = (0..space.slots.len())
            .filter(|&i| x != Quantity::Slot(i) && space.slots[i].ty.is_int())
            .map(|i| Expr::name(&space.slots[i].name))
            .collect();
        let used = |a: &usize| c.along(*a) > 1 || space.free_block()[*a];
        let axes: Vec<usize> = (0..3).filter(used).collect();
        let block = |a: usize| Expr::name(Dimension::Block(a));
        let grid = |a: usize| Expr::name(Dimension::Grid(a));
        let product = |a: Expr, b: Expr| Expr::binary(Operator::Mul, a, b);
        let mut out = slots.clone();
        if !matches!(x, Quantity::Block(_) | Quantity::Grid(_)) {
            for &a in &axes {
                // A launch that must have one block has no number of blocks to compare with.
                if c.grid[a] > 1 || space.free_grid()[a] {
                    out.extend([product(grid(a), block(a)), grid(a)]);
                }
                out.push(block(a));
            }
        } else {
            out.extend(axes.iter().map(|&a| block(a)).filter(|n| *n != x.name(space)));
        }
        for (i, p) in slots.iter().enumerate() {
            out.extend(slots[i + 1..].iter().map(|q| product(p.clone(), q.clone())));
        }
        if let [a, b, ..] = axes[..] {
            out.push(product(block(a), block(b)));
        }
        out.truncate(MOST_OTHERS);
        out
    }

    /// Tries values of a quantity: the given ones, those of other quantities, and their neighbours.
    fn vary(&mut self, x: Quantity, base: &Candidate, values: &[i64], bounds: &[i64]) {
        let space = self.space;
        let launch = space.launch(base, &Sizes::default(), 0);
        let terms = self.terms(x, base);
        let terms: Vec<i64> = terms.iter().filter_map(|t| evaluate(t, &launch)).collect();
        let beside = |v: i64| [v - 1, v, v + 1];
        let own = x.of(space, base);
        let near = terms.iter().chain(bounds).copied().chain([own]).flat_map(beside);
        let mut all: Vec<i64> = values.iter().copied().chain(near).collect();
        all.retain(|&v| (0..=MODERATE).contains(&v) || v == own);
        all.sort_unstable();
        all.dedup();
        for v in all {
            if let Some(c) = x.with(space, base, v) {
                self.shows(&c);
            }
        }
    }

    /// Finds the exact values at which a bug starts or stops showing.
    fn sharpen(&mut self, x: Quantity, base: &Candidate) -> Vec<i64> {
        let mut bounds = changes(&self.values(x, base));
        bounds.truncate(3);
        for bound in bounds.clone() {
            let values = self.values(x, base);
            let Some(at) = values.iter().position(|v| v.0 == bound).filter(|&at| at > 0) else {
                continue;
            };
            let ((mut low, shows_low), mut high) = (values[at - 1], values[at].0);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                let Some(c) = x.with(self.space, base, middle) else { break };
                match self.shows(&c) {
                    Some(shows) if shows == shows_low => low = middle,
                    Some(_) => high = middle,
                    None => break,
                }
            }
        }
        changes(&self.values(x, base))
    }

    /// Values of a quantity in launches that are otherwise equal, and whether they show the bug.
    fn values(&self, x: Quantity, base: &Candidate) -> Vec<(i64, bool)> {
        let space = self.space;
        let mut out: Vec<(i64, bool)> = Vec::new();
        for s in &self.all {
            let v = x.of(space, &s.trial.candidate);
            let same = x.with(space, base, v).map(|c| space.agreeing(&c));
            if same.is_some_and(|c| c.is_same_launch(&s.trial.candidate)) {
                out.push((v, s.shows));
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Simulates a launch; returns whether it shows the bug, or `None` if it is inconclusive.
    fn shows(&mut self, c: &Candidate) -> Option<bool> {
        let c = self.space.agreeing(c);
        if let Some(known) = self.all.iter().find(|s| s.trial.candidate.is_same_launch(&c)) {
            return Some(known.shows);
        }
        if self.left == 0 || !self.space.is_possible(&c) || self.inquiry.driver.is_late() {
            return None;
        }
        self.left -= 1;
        let trial = self.inquiry.driver.again(&c, 1)?;
        // Whether the written values are equal does not matter for the condition.
        let shows = same(&trial, self.inquiry.key).is_some();
        let ended = trial.outcome.incomplete.is_none() && wrong(&trial) <= self.before;
        if !shows && !ended {
            return None;
        }
        self.all.push(Sample { trial, shows });
        Some(shows)
    }

    /// Whether a condition is true in exactly the launches that show the bug, and false in at least one. One in which it has
    /// no value, since the kernel would divide by zero, says nothing.
    fn agrees(&self, claim: &Expr) -> bool {
        let value = |s: &Sample| evaluate(claim, &s.trial.launch).map(|v| v != 0);
        let said = || self.all.iter().filter_map(|s| Some((value(s)?, s.shows)));
        said().any(|(_, shows)| !shows) && said().all(|(value, shows)| value == shows)
    }

    /// Whether it is true in all launches that show the bug, and most launches in which it is true show it.
    fn is_needed(&self, claim: &Expr) -> bool {
        let holds = |s: &&Sample| evaluate(claim, &s.trial.launch).is_some_and(|v| v != 0);
        let shows = self.all.iter().filter(|s| s.shows);
        let inside = self.all.iter().filter(holds).count();
        let outside = self.all.len() - inside;
        outside > 1 && shows.clone().all(|s| holds(&s)) && 2 * shows.count() >= inside
    }

    /// A launch that shows the bug with smaller values, if those of the given one are very large.
    fn witness(&self, trial: &Trial, quantities: &[Quantity]) -> Option<Rc<Trial>> {
        let space = self.space;
        let largest = |c: &Candidate| {
            quantities.iter().map(|q| q.of(space, c).saturating_abs()).max().unwrap_or(0)
        };
        if largest(&trial.candidate) <= MODERATE {
            return None;
        }
        let rank = |t: &Rc<Trial>| (largest(&t.candidate), t.launch.threads());
        let shown = self.all.iter().filter(|s| s.shows).map(|s| &s.trial);
        shown.min_by_key(|t| rank(t)).filter(|t| largest(&t.candidate) <= MODERATE).cloned()
    }
}

/// The value of an expression in a launch.
fn evaluate(expr: &Expr, launch: &Launch) -> Option<i64> {
    let lookup = |name: &str| -> Result<Number, String> {
        let value = match Dimension::named(name) {
            Some(Dimension::Block(a)) => Some(Number::Int(launch.block[a].into())),
            Some(Dimension::Grid(a)) => Some(Number::Int(launch.grid[a].into())),
            None => launch.args.iter().find_map(|(n, v)| match v {
                ArgValue::Scalar(text) if n == name => Number::parse(text),
                _ => None,
            }),
        };
        value.ok_or_else(|| name.to_owned())
    };
    match expr.evaluate(&lookup).ok()? {
        Number::Int(v) => i64::try_from(v).ok(),
        Number::Float(_) => None,
    }
}
