//! Executions of a launch, and whether they fail.

use lockstep_cancel::Moment;
use std::cell::Cell;

use lockstep_finding::{Access, Finding, Kind};
use lockstep_kernel::{Kernel, Language, SiteId, SiteKind};
use lockstep_simulate::{
    BoundArg, BoundLaunch, Config, Coverage, Outcome, StoreBuffers, WeakOutcome, simulate,
    site_place,
};

use super::{Failure, Question, Run, Silent};

/// What executions without reordering have shown.
pub(super) struct Trial<'a> {
    pub(super) question: &'a Question<'a>,
    /// What all of them leave in the arrays, if they leave the same.
    left: Option<Vec<(usize, Vec<u8>)>>,
    pub(super) coverage: Coverage,
    /// Warp steps after which an execution is given up.
    most_steps: u64,
    /// Warp steps of all executions so far.
    spent: Cell<u64>,
    /// The checks of the launch without reordering say that a fence is missing.
    suspected: bool,
}

/// How many times longer than others an execution may take: threads wait longer where stores come late.
const LONGER: u64 = 64;
const SHORTEST: u64 = 1 << 16;

/// How many times as many executions are made where it seems that nothing fails any more.
const MORE: u64 = 4;

impl<'a> Trial<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Result<Trial<'a>, Silent> {
        let Question { kernel, launch, config, .. } = question;
        let kinds = Kind::ALL.to_vec();
        let config =
            Config { kinds, store_buffers: None, barrier_needs: false, ..(*config).clone() };
        let plain = executed(kernel, launch, &config)?;
        // What is wrong for want of fences is what the other executions look for.
        let is_other = |f: &&Finding| {
            f.kind != Kind::MissingFence && !(f.kind == Kind::DataRace && is_of_flags(kernel, f))
        };
        if let Some(finding) = plain.findings.iter().find(is_other) {
            return Err(Silent::FailsAnyway(finding.message.clone()));
        }
        let mut trial = Trial {
            question,
            left: None,
            coverage: plain.coverage,
            spent: Cell::new(plain.stats.warp_steps),
            suspected: !plain.findings.is_empty(),
            most_steps: config
                .max_steps
                .min(plain.stats.warp_steps.saturating_mul(LONGER).max(SHORTEST)),
        };
        trial.is_wrong(&plain.buffers)?;
        let mut left = Some(plain.buffers);
        for number in 0..question.sweep.runs {
            let run = Run { probability: 0.0, number };
            let outcome = executed(kernel, launch, &trial.config(run))?;
            if let Some(finding) = outcome.findings.first() {
                return Err(Silent::FailsAnyway(finding.message.clone()));
            }
            trial.is_wrong(&outcome.buffers)?;
            left = left.filter(|left| *left == outcome.buffers);
            trial.coverage.join(&outcome.coverage);
        }
        trial.left = left;
        Ok(trial)
    }

    pub(super) fn agrees(&self) -> bool {
        self.left.is_some()
    }

    pub(super) fn suspects(&self) -> bool {
        self.suspected
    }

    /// An error if what the user says is broken by arrays that no reordering has led to.
    fn is_wrong(&self, left: &[(usize, Vec<u8>)]) -> Result<(), Silent> {
        match self.unwanted(left)? {
            None => Ok(()),
            Some(Failure::Check(finding)) => Err(Silent::FailsAnyway(finding.message.clone())),
            Some(_) => Err(Silent::FailsAnyway("an array is not as expected".into())),
        }
    }

    /// All executions with store buffers.
    pub(super) fn runs(&self) -> impl Iterator<Item = Run> + '_ {
        self.numbered(0..self.question.sweep.runs)
    }

    /// Others, to verify what seems to help.
    pub(super) fn more_runs(&self) -> impl Iterator<Item = Run> + '_ {
        let runs = self.question.sweep.runs;
        self.numbered(runs..runs * MORE)
    }

    fn numbered(&self, numbers: std::ops::Range<u64>) -> impl Iterator<Item = Run> + '_ {
        let of = move |&probability: &f64| {
            numbers.clone().map(move |number| Run { probability, number })
        };
        self.question.sweep.probabilities.iter().flat_map(of)
    }

    fn config(&self, run: Run) -> Config {
        let sweep = &self.question.sweep;
        // Another order of threads for each execution.
        let seed = sweep.seed.wrapping_mul(0x1_0001).wrapping_add(run.number << 8)
            ^ run.probability.to_bits();
        let buffers = StoreBuffers { seed, probability: run.probability, size: sweep.size };
        Config {
            kinds: vec![Kind::Assertion, Kind::Deadlock],
            store_buffers: Some(buffers),
            barrier_needs: false,
            outputs: true,
            only: None,
            max_steps: self.most_steps,
            ..self.question.config.clone()
        }
    }

    pub(super) fn is_late(&self) -> bool {
        let Config { deadline, cancel, max_steps, .. } = self.question.config;
        self.spent.get() > *max_steps
            || cancel.is_cancelled()
            || deadline.is_some_and(Moment::is_past)
    }

    /// An execution with store buffers, and how it fails, if it does; none if it was not made to its end.
    pub(super) fn weakly(
        &self,
        kernel: &Kernel,
        run: Run,
    ) -> Option<(WeakOutcome, Option<Failure>)> {
        if self.is_late() {
            return None;
        }
        let outcome = simulate(kernel, self.question.launch, &self.config(run)).ok()?;
        self.spent.set(self.spent.get() + outcome.stats.warp_steps);
        let weak = outcome.weak.unwrap_or_default();
        if let Some(finding) = outcome.findings.into_iter().next() {
            return Some((weak, Some(Failure::Fault(Box::new(finding)))));
        }
        if outcome.incomplete.is_some() || outcome.violated.is_some() {
            return None;
        }
        let unwanted = self.unwanted(&outcome.buffers).ok()?;
        Some((weak, unwanted.or_else(|| self.other(&outcome.buffers))))
    }

    /// Where arrays are other than what all executions without reordering leave.
    fn other(&self, left: &[(usize, Vec<u8>)]) -> Option<Failure> {
        self.left.iter().flatten().zip(left).find_map(|((param, one), (_, other))| {
            let byte = first_difference(one, other)?;
            Some(Failure::Differs { param: *param, byte })
        })
    }

    /// What the user does not want in arrays.
    fn unwanted(&self, left: &[(usize, Vec<u8>)]) -> Result<Option<Failure>, Silent> {
        for (param, expected) in &self.question.expect {
            let Some((_, bytes)) = left.iter().find(|(own, _)| own == param) else { continue };
            let length = expected.len().min(bytes.len());
            if let Some(byte) = first_difference(&expected[..length], &bytes[..length]) {
                return Ok(Some(Failure::Unexpected { param: *param, byte }));
            }
        }
        let Some((check, params)) = &self.question.check else { return Ok(None) };
        let launch = BoundLaunch {
            grid: [1; 3],
            block: [1; 3],
            global: None,
            shared: 0,
            args: params.iter().map(|&param| self.argument(param, params, left)).collect(),
        };
        let config = Config {
            kinds: vec![Kind::Assertion],
            outputs: false,
            only: None,
            store_buffers: None,
            ..self.question.config.clone()
        };
        let outcome = simulate(check, &launch, &config)
            .map_err(|error| Silent::NotExecuted(format!("the check: {error}")))?;
        let finding = outcome.findings.into_iter().next();
        if let (None, Some(why)) = (&finding, &outcome.incomplete) {
            return Err(Silent::NotExecuted(format!("the check: {why}")));
        }
        Ok(finding.map(|finding| Failure::Check(Box::new(finding))))
    }

    /// What the check gets for a parameter of the kernel.
    fn argument(&self, param: usize, params: &[usize], left: &[(usize, Vec<u8>)]) -> BoundArg {
        let bytes = |param: usize| {
            left.iter().find(|(own, _)| *own == param).map(|(_, bytes)| bytes.clone())
        };
        match &self.question.launch.args[param] {
            BoundArg::Buffer(before) => {
                BoundArg::Buffer(bytes(param).map_or_else(|| before.clone(), Into::into))
            }
            BoundArg::Alias { param: of, offset } => {
                match params.iter().position(|own| own == of) {
                    Some(position) => BoundArg::Alias { param: position, offset: *offset },
                    None => {
                        let bytes = bytes(*of).unwrap_or_default();
                        BoundArg::Buffer(
                            bytes[(*offset as usize).min(bytes.len())..].to_vec().into(),
                        )
                    }
                }
            }
            other => other.clone(),
        }
    }
}

/// Whether both accesses of a race are volatile or atomic: in the memory model, these do not race.
fn is_of_flags(kernel: &Kernel, finding: &Finding) -> bool {
    let is_flag = |access: &Access| {
        let is_there = |site: &SiteId| site_place(kernel, *site) == access.place;
        let mut there = (0..kernel.sites.len() as u32).map(SiteId).filter(is_there).peekable();
        let is_strong = |site: SiteId| {
            let site = kernel.site(site);
            site.volatile || site.kind == SiteKind::Atomic
        };
        there.peek().is_some() && there.all(is_strong)
    };
    kernel.language != Language::OpenCl && finding.accesses.iter().all(is_flag)
}

fn first_difference(one: &[u8], other: &[u8]) -> Option<usize> {
    one.iter().zip(other).position(|(a, b)| a != b)
}

fn executed(kernel: &Kernel, launch: &BoundLaunch, config: &Config) -> Result<Outcome, Silent> {
    let outcome =
        simulate(kernel, launch, config).map_err(|error| Silent::NotExecuted(error.to_string()))?;
    match (&outcome.findings.first(), &outcome.violated, &outcome.incomplete) {
        (Some(_), ..) => Ok(outcome),
        (_, Some(text), _) => {
            Err(Silent::NotExecuted(format!("the launch does not satisfy {text}")))
        }
        (.., Some(why)) => Err(Silent::NotExecuted(why.to_string())),
        _ => Ok(outcome),
    }
}
