//! Whether a bug needs indices beyond a size.
//!
//! Elements used as indices number the positions in a part of an array, and only the caller knows how many positions it
//! has: `part[index[i] * width + x]`, where the next part starts at `size * width`. Our elements count up, and exceed
//! the size. If nothing is wrong at the bug's source locations while all elements are less than a size, something is
//! wrong there as soon as some are equal to it or slightly larger, and both still hold for another value of the size,
//! the bug is conditional: `elements of index are not less than size`.
//!
//! The boundary has to move with the size: this distinguishes it from a bug that needs large elements for another
//! reason, such as the distance between threads, which has another boundary. What can go wrong: a bug may be called
//! conditional although the kernel itself is off by one at the size. It is still reported.

use lockstep_finding::launch::{Expr, Operator};
use lockstep_finding::{Access, Claim, Contents as Elements, Finding};

use crate::condition::with;
use crate::explore::inquiry::{Inquiry, Shown, wrong};
use crate::explore::trial::Trial;
use crate::space::candidate::{Candidate, Contents, Gene};

/// Indices from `size` to `size + SLACK - 1` are tried: a single one may happen to select the thread's own element.
const SLACK: i64 = 4;

impl Inquiry<'_, '_> {
    pub(in crate::blame) fn indices_beyond(&mut self, shown: &Shown) -> Option<Claim> {
        let space = self.driver.lab.space;
        let arrays = self.numbering(shown.finding);
        let each = arrays.iter().map(|&i| vec![i]);
        let together = (arrays.len() > 1).then(|| arrays.clone());
        // A launch that was shrunk may have too few threads for that many elements.
        let plain = space.plain();
        let wide = Candidate { grid: plain.grid, block: plain.block, ..shown.candidate.clone() };
        let mut launches = vec![shown.candidate.clone()];
        launches.extend(Some(space.agreeing(&wide)).filter(|w| w != shown.candidate));
        for arrays in each.chain(together).collect::<Vec<_>>() {
            // One launch shows whether the elements affect the bug at all.
            let none = self.elements_below(shown.candidate, &arrays, 1);
            if !self.is_well(&none, shown.finding, shown.wrong) {
                continue;
            }
            for size in launches.iter().flat_map(|c| self.sizes(c)).collect::<Vec<_>>() {
                let mut follows = |(c, n): &(Candidate, i64)| {
                    let below = |me: &Self, n: i64| me.elements_below(c, &arrays, n);
                    let inside = below(self, *n);
                    self.is_well(&inside, shown.finding, shown.wrong)
                        && (1..=SLACK).any(|k| {
                            let beyond = below(self, n + k);
                            self.is_bad(&beyond, shown.finding, shown.wrong)
                        })
                };
                if follows(&size.here) && size.moved.iter().any(&mut follows) {
                    return Some(space.elements_are(&arrays, Elements::NotBelow(size.name)));
                }
            }
        }
        None
    }

    /// Arrays of integers that determine an address of a finding, and that the kernel does not write.
    pub(in crate::blame) fn numbering(&self, finding: &Finding) -> Vec<usize> {
        let space = self.driver.lab.space;
        let mut out: Vec<usize> = finding.accesses.iter().flat_map(|a| self.leaders([a])).collect();
        out.sort_unstable();
        out.dedup();
        let is_int = |i: usize| space.arrays[i].is_of_ints();
        out.retain(|&i| is_int(i) && !space.arrays[i].written);
        out
    }

    fn elements_below(&self, c: &Candidate, arrays: &[usize], n: i64) -> Candidate {
        let mut out = c.clone();
        for &array in arrays {
            out.contents[array] = Contents::Below(n.max(1) as u64);
            let param = self.driver.lab.space.arrays[array].param;
            out.cells.retain(|(p, ..)| *p != param);
        }
        out
    }

    /// Whether a launch reaches the source locations of a finding and terminates, and nothing is wrong there.
    fn is_well(&mut self, c: &Candidate, finding: &Finding, before: usize) -> bool {
        let possible = self.driver.lab.space.is_possible(c);
        let Some(trial) = possible.then(|| self.other(c)).flatten() else { return false };
        trial.outcome.incomplete.is_none()
            && wrong(&trial) <= before
            && !is_about(&trial, finding)
            && self.reaches(&trial)
    }

    /// Whether something is wrong at the source locations of a finding, or more accesses are out of bounds.
    fn is_bad(&mut self, c: &Candidate, finding: &Finding, before: usize) -> bool {
        let possible = self.driver.lab.space.is_possible(c);
        let Some(trial) = possible.then(|| self.other(c)).flatten() else { return false };
        is_about(&trial, finding) || wrong(&trial) > before
    }

    /// Candidates for the bound of elements: arguments, and products of two.
    fn sizes(&self, c: &Candidate) -> Vec<Size> {
        let space = self.driver.lab.space;
        // Arguments equal to the number of threads keep their value.
        let mut c = c.clone();
        let is_int = |i: &usize| space.slots[*i].ty.is_int() && space.slots[*i].ty.bits() > 1;
        let all: Vec<usize> = (0..space.slots.len()).filter(is_int).collect();
        for &i in &all {
            c.genes[i] = Gene::Int(space.clamp(i, c.int(i)));
        }
        // The size changes by more than the slack.
        let others = |n: i64| {
            let moved = [n / 2 + 1, n / 4 * 3, 2 * n + 2 * SLACK];
            moved.into_iter().filter(move |m| (m - n).abs() > SLACK)
        };
        let mut out = Vec::new();
        let mut add = |name: Expr, i: usize, times: i64| {
            let launch = |n: i64| (with(&c, i, n), n.saturating_mul(times));
            let n = c.int(i);
            out.push(Size { name, here: launch(n), moved: others(n).map(launch).collect() });
        };
        let name = |i: usize| Expr::name(&space.slots[i].name);
        let sizes: Vec<usize> = all.iter().copied().filter(|&i| c.int(i) > 0).collect();
        sizes.iter().for_each(|&i| add(name(i), i, 1));
        let large: Vec<usize> = sizes.into_iter().filter(|&i| c.int(i) > 1).collect();
        for (k, &i) in large.iter().enumerate() {
            for &j in &large[k + 1..] {
                add(Expr::binary(Operator::Mul, name(i), name(j)), j, c.int(i));
            }
        }
        out
    }
}

/// A candidate for the bound of elements, in a launch and in others.
struct Size {
    name: Expr,
    here: (Candidate, i64),
    moved: Vec<(Candidate, i64)>,
}

/// Whether a finding of a launch is at a source location of another finding.
fn is_about(trial: &Trial, finding: &Finding) -> bool {
    let is_there = |a: &Access| finding.accesses.iter().any(|b| a.place == b.place);
    trial.outcome.findings.iter().any(|f| f.accesses.iter().any(is_there))
}
