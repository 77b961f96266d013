//! What the prover may take for given about a kernel's launches, and what is left of that where less is enough.
//!
//! A proof is first tried with everything that is known or usual: what the user says, the constants of the host's launches,
//! launch bounds, sizes that the kernel's own arithmetic implies. What is proved so is proved again with less taken for given
//! (nothing but what the user says, then the bounds, then the host's dimensions, then weaker guesses), as far as that takes
//! little time; the verdict names what was needed in the end. So a condition is printed where the proof rests on it, or where
//! it was not quickly seen that it does not.

use lockstep_finding::launch::{Dimension, Expr, Number, Relation};
use lockstep_finding::{ArgValue, Condition, Fact, Kind, Origin, Verdict};
use lockstep_kernel::Kernel;
use lockstep_prove::{AssumeExpr, Assumptions, DimSpec, Model, Proof};
use lockstep_search::{Given, UsualDims};
use lockstep_simulate::bind;

use crate::cli::dims::DimArg;
use crate::cli::options::LaunchArgs;
use crate::engines::proof::{replace, settled};

/// A block's dimension that is only guessed, by the arithmetic of indices and by shared arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Guess {
    axis: usize,
    threads: u32,
    exactly: bool,
    /// As many blocks as there are at most if this many threads are, all in all.
    grid: Option<u32>,
}

impl Guess {
    fn assume(self, assumptions: &mut Assumptions) {
        let (block, grid) = (Dimension::Block(self.axis), Dimension::Grid(self.axis));
        if self.exactly {
            assumptions.dimension(block, self.threads, Origin::Choice);
            return;
        }
        assumptions.dimension_at_most(block, self.threads, Origin::Choice);
        if let Some(most) = self.grid {
            assumptions.dimension_at_most(grid, most / self.threads, Origin::Choice);
        }
    }

    /// The next weaker condition, given what a proof assumes.
    fn weaker(self, proof: &Proof) -> Option<Guess> {
        let bound = lockstep_prove::numbered(self.axis);
        let is_bounded = |v: &Verdict| matches!(v, Verdict::Proved { assumes } if assumes.iter().any(|c| c.claim == bound));
        let is_bounded = proof.verdicts.iter().any(|(_, v)| is_bounded(v));
        let grid = is_bounded.then_some(lockstep_prove::MOST_NUMBERED);
        self.exactly.then_some(Guess { exactly: false, grid, ..self })
    }
}

/// How much is taken for given beyond what the user says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    host_block: bool,
    host_grid: bool,
    host_scalars: bool,
    bounds: bool,
    guesses: Vec<Guess>,
}

/// All that is known or usual of a kernel's launches.
pub(crate) struct Premises<'a> {
    kernel: &'a Kernel,
    given: &'a Given,
    args: &'a LaunchArgs,
    may_alias: bool,
    /// Whose launches the host's facts are of.
    host: Origin,
    exprs: Vec<AssumeExpr>,
    /// Axes along which nobody looks, which have one thread or block.
    axes: Vec<(Dimension, u32)>,
    guesses: Vec<Guess>,
}

impl<'a> Premises<'a> {
    /// With `only_some`, what the prover cannot read of `--assume` (it knows no floats) is left out: then it proves more
    /// than was asked.
    pub(crate) fn new(
        kernel: &'a Kernel,
        given: &'a Given,
        args: &'a LaunchArgs,
        may_alias: bool,
        host: Origin,
        only_some: bool,
    ) -> Result<Premises<'a>, String> {
        let mut exprs = Vec::new();
        for text in &args.assume {
            match AssumeExpr::parse(text, kernel, Origin::CommandLine) {
                Ok(expr) => exprs.push(expr),
                Err(_) if only_some => {}
                Err(e) => return Err(e),
            }
        }
        let (axes, guesses) = (Vec::new(), Vec::new());
        Ok(Premises { kernel, given, args, may_alias, host, exprs, axes, guesses })
    }

    /// Adds a condition of our choice.
    pub(crate) fn add(&mut self, expr: &Expr) -> Result<(), String> {
        self.exprs.push(AssumeExpr::new(expr.clone(), self.kernel, Origin::Choice)?);
        Ok(())
    }

    /// Adds what a caller who knows the kernel would never do otherwise, where nothing is given and the host computes
    /// nothing else: one thread or block along axes that nobody looks at and, with `guesses`, likely sizes of blocks.
    pub(crate) fn add_usual(&mut self, guesses: bool) {
        let mut usual = UsualDims::of(self.kernel);
        // Who asks for any dimension means any.
        for axis in 0..3 {
            let is_any = |d: Option<DimArg>| d.is_some_and(|d| d.0[axis].is_none());
            if is_any(self.args.block) {
                (usual.block[axis], usual.most_block[axis]) = (None, None);
            }
            if is_any(self.args.grid) {
                usual.grid[axis] = None;
            }
        }
        let is_one = |r: &&Relation| r.value == Expr::Number(Number::Int(1));
        let others = self.given.relations.iter().filter(|r| !is_one(r));
        for dimension in others.filter_map(|r| Dimension::named(&r.name)) {
            match dimension {
                Dimension::Block(a) => (usual.block[a], usual.most_block[a]) = (None, None),
                Dimension::Grid(a) => usual.grid[a] = None,
            }
        }
        // With one thread nothing can go wrong: who has no index, or none that we see, is looked at with several.
        if usual.is_single_thread() {
            (usual.block[0], usual.grid[0]) = (None, None);
        }
        let known = self.assumptions(&self.all());
        for axis in 0..3 {
            let is_free = guesses && known.known(Dimension::Block(axis)) == DimSpec::Any;
            let guess = |threads, exactly| Guess { axis, threads, exactly, grid: None };
            match (usual.block[axis], usual.most_block[axis]) {
                (Some(1), _) => self.axes.push((Dimension::Block(axis), 1)),
                (Some(threads), _) if is_free => self.guesses.push(guess(threads, true)),
                (None, Some(threads)) if is_free => self.guesses.push(guess(threads, false)),
                _ => {}
            }
            self.axes.extend(usual.grid[axis].map(|n| (Dimension::Grid(axis), n)));
        }
    }

    /// Everything.
    pub(crate) fn all(&self) -> Taken {
        let guesses = self.guesses.clone();
        Taken { host_block: true, host_grid: true, host_scalars: true, bounds: true, guesses }
    }

    /// What is tried after a proof with everything, the least first; none of it says as much.
    pub(crate) fn weaker(&self, proof: &Proof) -> Vec<Taken> {
        let all = self.all();
        let guesses: Vec<Guess> = self.guesses.iter().filter_map(|g| g.weaker(proof)).collect();
        let rungs = [
            Taken::default(),
            Taken { bounds: true, ..Taken::default() },
            Taken { host_block: true, bounds: true, ..Taken::default() },
            Taken { host_block: true, host_grid: true, bounds: true, ..Taken::default() },
            Taken { guesses, ..all.clone() },
        ];
        let mut out: Vec<Taken> = Vec::new();
        let what = |taken: &Taken| self.assumptions(taken).unsaid();
        for rung in rungs {
            let is_new = out.iter().chain([&all]).all(|other| what(other) != what(&rung));
            if is_new {
                out.push(rung);
            }
        }
        out
    }

    /// The launches that a proof is about: what is given is a fact, the rest may be anything.
    pub(crate) fn assumptions(&self, taken: &Taken) -> Assumptions {
        let mut out = Assumptions::default();
        out.may_alias = self.may_alias;
        // Who gives the number of groups gives whole ones.
        out.one_size = self.given.grid.is_some() && self.given.block.is_some();
        out.scheduling = self.args.scheduling().scheduling();
        out.warp_size = self.args.warp_size();
        let is_taken = |origin: Origin, hosts: bool| origin.is_users() || hosts;
        for axis in 0..3 {
            let dims = [
                (Dimension::Block(axis), self.args.block, self.given.block, taken.host_block),
                (Dimension::Grid(axis), self.args.grid, self.given.grid, taken.host_grid),
            ];
            for (dimension, arg, given, hosts) in dims {
                let exact = match arg {
                    Some(arg) => arg.0[axis].map(|n| Fact::new(n, Origin::CommandLine)),
                    None => given
                        .filter(|g| is_taken(g.origin, hosts))
                        .map(|g| Fact::new(g.value[axis], g.origin)),
                };
                if let Some(n) = exact {
                    out.dimension(dimension, n.value, n.origin);
                }
            }
        }
        for (i, (param, value)) in self.kernel.params.iter().zip(&self.given.args).enumerate() {
            let Some(fact) = value.as_ref().filter(|v| is_taken(v.origin, taken.host_scalars))
            else {
                continue;
            };
            match &fact.value {
                ArgValue::Array(spec) => out.length(self.kernel, i, spec.bytes(), fact.origin),
                value => {
                    if let Some(bits) = bind::scalar_bits_of(param, value) {
                        out.scalar(self.kernel, i, bits, fact.origin);
                    }
                }
            }
        }
        // How long arrays were in the launches that were recorded.
        if taken.host_scalars && self.host.is_recorded() {
            for (param, size) in &self.given.sizes {
                if let Expr::Number(Number::Int(bytes)) = size
                    && let Ok(bytes) = u64::try_from(*bytes)
                {
                    out.length(self.kernel, *param, bytes, self.host);
                }
            }
        }
        self.exprs.iter().for_each(|e| out.expression(e.clone()));
        self.assume_host_dims(taken, &mut out);
        for &(dimension, n) in &self.axes {
            if out.known(dimension) == DimSpec::Any {
                out.dimension(dimension, n, Origin::Choice);
            }
        }
        let is_free = |axis: usize| {
            let is_guessed = taken.guesses.iter().any(|g| g.axis == axis && g.exactly);
            out.known(Dimension::Block(axis)) == DimSpec::Any && !is_guessed
        };
        let is_bounded = taken.bounds && (0..3).any(is_free);
        if let Some(most) = self.kernel.most_threads.filter(|_| is_bounded) {
            out.threads_at_most(most, Origin::LaunchBounds);
        }
        taken.guesses.iter().for_each(|g| g.assume(&mut out));
        out
    }

    /// Adds the dimensions that the host always launches.
    fn assume_host_dims(&self, taken: &Taken, assumptions: &mut Assumptions) {
        for relation in &self.given.relations {
            let Expr::Number(Number::Int(v)) = relation.value else { continue };
            let Some(dimension) = Dimension::named(&relation.name) else { continue };
            let Ok(v) = u32::try_from(v) else { continue };
            let is_taken = match dimension {
                Dimension::Block(_) => taken.host_block,
                Dimension::Grid(_) => taken.host_grid,
            };
            if is_taken && assumptions.known(dimension) == DimSpec::Any && v > 0 {
                assumptions.dimension(dimension, v, self.host);
            }
        }
    }

    /// All of it, and how the rest of a launch hangs together, by the host; none where that says nothing more.
    pub(crate) fn related(&self) -> Option<Assumptions> {
        let mut out = self.assumptions(&self.all());
        let mut more = false;
        let relations = self.given.relations.iter().map(Relation::expression);
        for expr in relations.chain(self.given.conditions.iter().cloned()) {
            if !out.has(&expr)
                && let Ok(assumed) = AssumeExpr::new(expr, self.kernel, self.host)
            {
                out.expression(assumed);
                more = true;
            }
        }
        more.then_some(out)
    }

    /// Whether a model of an alarm may be a launch of the host's: it contradicts nothing that is known of all of them.
    pub(crate) fn may_be_hosts(&self, model: &Model) -> bool {
        let mut launch = Assumptions::default();
        for axis in 0..3 {
            launch.dimension(Dimension::Block(axis), model.block[axis], Origin::Choice);
            launch.dimension(Dimension::Grid(axis), model.grid[axis], Origin::Choice);
        }
        for (param, bits) in &model.scalars {
            launch.scalar(self.kernel, *param, bits.clone(), Origin::Choice);
        }
        let contradicts = |expr: Expr| launch.contradict(self.kernel, &expr.into());
        let mut relations = self.given.relations.iter().map(Relation::expression);
        let mut conditions = self.given.conditions.iter().cloned();
        !relations.any(contradicts) && !conditions.any(contradicts)
    }

    /// Takes what another proof says with `less` taken for given than `before`, where it asks for no further condition that does
    /// not follow from what was asked before; the kinds taken.
    pub(crate) fn replace_weaker(
        &self,
        proof: &mut Proof,
        before: &Assumptions,
        mut other: Proof,
        less: &Assumptions,
    ) -> Vec<Kind> {
        let less = less.unsaid();
        let is_asked = |kind: Kind, condition: &Condition| {
            let own = proof.verdicts.iter().find(|(k, _)| *k == kind).map(|(_, v)| v);
            let Some(Verdict::Proved { assumes }) = own else { return false };
            assumes.iter().chain(&less).any(|c| c.claim.implies(&condition.claim))
                || before.imply(self.kernel, &condition.claim)
        };
        other.verdicts.retain(|(k, v)| match v {
            Verdict::Proved { assumes } => assumes.iter().all(|c| is_asked(*k, c)),
            _ => false,
        });
        let taken = settled(&other);
        other.verdicts.retain(|(k, _)| taken.contains(k));
        other.late = false;
        replace(proof, other, false);
        taken
    }
}
