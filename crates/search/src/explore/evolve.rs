//! Simulee's Algorithms 1 and 2: children by normal and Cauchy steps, sorted by the result of running the slice.

use std::borrow::Cow;
use std::cell::RefCell;

use lockstep_kernel::Kernel;
use lockstep_simulate::{Config, Coverage, Footprint, Prepared};
use rand::{RngExt, SeedableRng};
use rand_distr::{Cauchy, Distribution, StandardNormal};
use rand_pcg::Pcg64;
use rustc_hash::FxHashMap;

use crate::space::Space;
use crate::space::candidate::{Candidate, Contents, Gene, Rule};
use crate::space::launch::{Shelf, Sizes};

/// Maximum number of warp instructions for one evaluation of F.
const STEPS: u64 = 8_000;

pub(crate) struct Scored {
    pub(crate) candidate: Candidate,
    /// Branch outcomes and accesses that no earlier candidate reached.
    pub(crate) news: usize,
    pub(crate) f: f64,
    pub(crate) written_f: f64,
    range: u64,
}

/// The branch outcomes and accesses that all candidates together have reached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reached {
    sites: Vec<bool>,
    branches: Vec<[bool; 2]>,
}

impl Reached {
    /// Adds coverage; returns how much of it is new, among the relevant branches.
    pub(crate) fn add(&mut self, coverage: &Coverage, matter: &[bool]) -> usize {
        self.sites.resize(coverage.sites.len().max(self.sites.len()), false);
        self.branches.resize(coverage.branches.len().max(self.branches.len()), [false; 2]);
        let mut news = 0;
        for (old, &new) in self.sites.iter_mut().zip(&coverage.sites) {
            news += usize::from(new && !*old);
            *old |= new;
        }
        for (i, (old, new)) in self.branches.iter_mut().zip(&coverage.branches).enumerate() {
            for side in 0..2 {
                let counts = matter.get(i).copied().unwrap_or(false);
                news += usize::from(counts && new[side] && !old[side]);
                old[side] |= new[side];
            }
        }
        news
    }

    pub(crate) fn site(&self, i: usize) -> bool {
        self.sites.get(i).copied().unwrap_or(false)
    }

    /// Whether every relevant branch went both ways.
    pub(crate) fn all_branches(&self, matter: &[bool]) -> bool {
        let both = |i: usize| self.branches.get(i).is_some_and(|b| b[0] && b[1]);
        matter.iter().enumerate().all(|(i, &m)| !m || both(i))
    }
}

/// The parts of a candidate that determine its launch.
#[derive(PartialEq, Eq, Hash)]
struct Essence {
    dims: [[u32; 3]; 2],
    /// The values of slots: whether it is a float, and its bits or the integer.
    values: Vec<(bool, u64)>,
    contents: Vec<Contents>,
    cells: Vec<(usize, u64, u32, u64)>,
    equal: Option<(usize, usize)>,
}

impl Essence {
    fn of(c: &Candidate) -> Essence {
        let value = |i: usize| match c.genes[i] {
            Gene::Float(v) => (true, v.to_bits()),
            _ => (false, c.int(i) as u64),
        };
        Essence {
            dims: [c.grid, c.block],
            values: (0..c.genes.len()).map(value).collect(),
            contents: c.contents.clone(),
            cells: c.cells.clone(),
            equal: c.equal,
        }
    }
}

pub(crate) struct Evolution<'a> {
    pub(crate) space: &'a Space<'a>,
    slice: Prepared<'a>,
    config: Config,
    /// Cached results by launch: small steps often lead to the same launch again.
    looks: RefCell<FxHashMap<Essence, Option<Footprint>>>,
    rng: Pcg64,
    seed: u64,
}

impl<'a> Evolution<'a> {
    pub(crate) fn new(space: &'a Space<'a>, slice: Kernel, config: Config, seed: u64) -> Self {
        let config = Config { max_steps: STEPS, jobs: 1, barrier_needs: false, ..config };
        let slice = Prepared::plain(Cow::Owned(slice));
        let rng = Pcg64::seed_from_u64(seed);
        Evolution { space, slice, config, looks: RefCell::default(), rng, seed }
    }

    /// Runs the slice; `None` if the launch cannot be executed.
    pub(crate) fn look(&self, candidate: &Candidate, shelf: &Shelf) -> Option<Footprint> {
        if !self.space.is_possible(candidate) {
            return None;
        }
        let essence = Essence::of(candidate);
        if let Some(known) = self.looks.borrow().get(&essence) {
            return known.clone();
        }
        let new = self.execute(candidate, shelf);
        self.looks.borrow_mut().insert(essence, new.clone());
        new
    }

    fn execute(&self, candidate: &Candidate, shelf: &Shelf) -> Option<Footprint> {
        let launch = self.space.launch(candidate, &Sizes::default(), self.seed);
        let bound = shelf.bind(self.slice.kernel(), &launch).ok()?;
        // A result that the deadline cut short is not reproducible, but then the search is over.
        self.slice.footprint(&bound, &self.config).ok().filter(|f| !f.violated)
    }

    pub(crate) fn score(candidate: Candidate, print: &Footprint, news: usize) -> Scored {
        let ratio = |a: u64, t: u64| if t == 0 { 1.0 } else { a as f64 / t as f64 };
        Scored {
            candidate,
            news,
            f: ratio(print.addresses, print.touches),
            written_f: ratio(print.written_addresses, print.written_touches),
            range: print.range,
        }
    }

    /// The two children of a solution.
    pub(crate) fn children(&mut self, parent: &Candidate, generation: u32) -> [Candidate; 2] {
        let normal =
            self.child(parent, Rule::NormalStep(generation), |rng| StandardNormal.sample(rng));
        let cauchy = self.child(parent, Rule::CauchyStep(generation), |rng| {
            // The standard distribution has a median of 0 and a scale of 1.
            Cauchy::new(0.0, 1.0).map_or(0.0, |c: Cauchy<f64>| c.sample(rng))
        });
        [normal, cauchy]
    }

    fn child(
        &mut self,
        parent: &Candidate,
        rule: Rule,
        step: impl Fn(&mut Pcg64) -> f64,
    ) -> Candidate {
        let mut c = Candidate { rule, ..parent.clone() };
        let rows = (0..c.genes.len()).find(|&i| c.genes[i] == Gene::Row);
        let row = rows.map_or(0, |i| c.int(i));
        let logs = (0..c.genes.len()).find(|&i| c.genes[i] == Gene::Log);
        let log = logs.map_or(0, |i| c.int(i));
        for gene in &mut c.genes {
            let by = step(&mut self.rng);
            *gene = match *gene {
                Gene::Threads { axis, times, plus } => {
                    Gene::Threads { axis, times, plus: plus.saturating_add(whole(by)) }
                }
                Gene::Row => match whole(by) {
                    0 => Gene::Row,
                    by => Gene::Int(row.saturating_add(by)),
                },
                Gene::Log => match whole(by) {
                    0 => Gene::Log,
                    by => Gene::Int(log.saturating_add(by)),
                },
                Gene::Int(v) => Gene::Int(v.saturating_add(whole(by))),
                Gene::Float(v) => Gene::Float(v + by),
            };
        }
        self.step_dimensions(&mut c);
        self.step_contents(&mut c);
        self.space.relate(&mut c);
        c
    }

    /// Adds a vector of -1, 0 and 1.
    fn step_dimensions(&mut self, c: &mut Candidate) {
        let (block, grid) = (self.space.free_block(), self.space.free_grid());
        let before = (c.block, c.grid);
        for a in 0..3 {
            for (free, dim) in [(block[a], &mut c.block[a]), (grid[a], &mut c.grid[a])] {
                let by = self.rng.random_range(-1i64..=1);
                if free {
                    *dim = (*dim as i64 + by).max(1) as u32;
                }
            }
        }
        if !self.space.is_possible(c) {
            (c.block, c.grid) = before;
        }
    }

    /// Sometimes chooses other contents of a relevant array.
    fn step_contents(&mut self, c: &mut Candidate) {
        for (a, array) in self.space.arrays.iter().enumerate() {
            if !array.matters || self.rng.random_range(0..3) != 0 {
                continue;
            }
            c.contents[a] = self.some_contents(a);
        }
    }

    fn some_contents(&mut self, array: usize) -> Contents {
        let known = &self.space.arrays[array].compared_with;
        match self.rng.random_range(0..8u32) {
            0 => Contents::Zeros,
            1 => Contents::Ones,
            2 => Contents::Iota,
            3 => Contents::Repeated(self.rng.random_range(2..40)),
            4 => Contents::Sparse(self.rng.random_range(2..40)),
            5 => Contents::Descending,
            6 if !known.is_empty() => {
                let (ty, bits) = known[self.rng.random_range(0..known.len())];
                let by = self.rng.random_range(-1i64..=1);
                match ty.is_float() {
                    true => Contents::Value(bits),
                    false => Contents::Value(bits.wrapping_add(by as u64) & ty.mask()),
                }
            }
            _ => Contents::Random,
        }
    }

    /// An initial solution: random dimensions and arguments.
    pub(crate) fn random(&mut self) -> Candidate {
        let mut c = Candidate { rule: Rule::Random, ..self.space.plain() };
        let (block, grid) = (self.space.free_block(), self.space.free_grid());
        for a in 0..3 {
            if block[a] {
                c.block[a] = self.rng.random_range(1..=32);
            }
            if grid[a] {
                c.grid[a] = self.rng.random_range(1..=4);
            }
        }
        for i in 0..c.genes.len() {
            c.genes[i] = match c.genes[i] {
                Gene::Float(_) => Gene::Float(self.rng.random_range(-4.0..4.0)),
                _ => Gene::Int(self.space.clamp(i, self.rng.random_range(-2..64))),
            };
        }
        for a in 0..c.contents.len() {
            if self.space.arrays[a].matters {
                c.contents[a] = self.some_contents(a);
            }
        }
        if !self.space.is_possible(&c) {
            c.block = self.space.blocks[0];
        }
        self.space.relate(&mut c);
        c
    }
}

/// The paper represents arguments as floats and converts them back for execution.
fn whole(step: f64) -> i64 {
    step.clamp(-1e9, 1e9).round() as i64
}

/// Best first: candidates that reached something new, then by F; where the best F is 1 and carries no information, by
/// R.
pub(crate) fn sort(population: &mut [Scored]) {
    let best = population.iter().map(|s| s.f).fold(f64::INFINITY, f64::min);
    population.sort_by(|a, b| {
        let news = b.news.cmp(&a.news);
        let f = a.f.total_cmp(&b.f).then(a.written_f.total_cmp(&b.written_f));
        let f =
            if best >= 1.0 { a.range.cmp(&b.range).then(f) } else { f.then(a.range.cmp(&b.range)) };
        news.then(f)
    });
}
