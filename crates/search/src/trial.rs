//! One candidate simulated in full.

use std::cell::RefCell;

use lockstep_finding::{Confidence, Finding, Kind, Launch};
use lockstep_simulate::{Config, Outcome, simulate};

use crate::candidate::Candidate;
use crate::launch::{Shelf, Sizes};
use crate::space::Space;

/// How often a launch is tried with larger arrays.
const RETRIES: usize = 6;

pub(crate) struct Trial {
    pub(crate) candidate: Candidate,
    pub(crate) launch: Launch,
    pub(crate) outcome: Outcome,
    /// Findings that were dropped because a choice of ours may have caused them.
    pub(crate) doubts: Vec<(Kind, String)>,
}

/// What every trial needs.
pub(crate) struct Lab<'a> {
    pub(crate) space: &'a Space<'a>,
    pub(crate) config: Config,
    pub(crate) seed: u64,
    pub(crate) shelf: Shelf,
    /// Arrays that need not be grown.
    pub(crate) vain: RefCell<Vec<String>>,
    /// How large arrays had to be.
    pub(crate) sizes: RefCell<Sizes>,
    pub(crate) allowed: &'a (dyn Fn(&Launch) -> bool + Sync),
}

impl Lab<'_> {
    /// Simulates, with larger arrays while only our own sizes were too small;
    /// `None` where a precondition forbids the launch.
    ///
    /// With `again`, arrays begin at their usual sizes, so that a witness has none
    /// that is larger than needed; otherwise at what other launches needed.
    pub(crate) fn try_out(
        &self,
        candidate: &Candidate,
        steps: u64,
        again: bool,
    ) -> Result<Option<Trial>, String> {
        let mut sizes = if again { Sizes::default() } else { self.sizes.borrow().moderate() };
        let mut launch = self.space.launch(candidate, &sizes, self.seed);
        if !(self.allowed)(&launch) {
            return Ok(None);
        }
        let mut outcome = self.simulate(&launch, steps)?;
        for _ in 0..RETRIES {
            // A launch that used up its budget will do so again.
            let mut vain = self.vain.borrow_mut();
            let findings = &outcome.findings;
            if outcome.incomplete.is_some() || !sizes.grow(self.space, &launch, findings, &mut vain)
            {
                break;
            }
            launch = self.space.launch(candidate, &sizes, self.seed);
            outcome = self.simulate(&launch, steps)?;
        }
        if !again {
            *self.sizes.borrow_mut() = sizes;
        }
        if outcome.violated.is_some() {
            return Ok(None);
        }
        let doubts = self.drop_doubtful(&mut outcome);
        Ok(Some(Trial { candidate: candidate.clone(), launch, outcome, doubts }))
    }

    pub(crate) fn simulate(&self, launch: &Launch, steps: u64) -> Result<Outcome, String> {
        let bound = self.shelf.bind(self.space.kernel, launch)?;
        let config = Config { max_steps: steps.max(1), ..self.config.clone() };
        simulate(self.space.kernel, &bound, &config).map_err(|e| e.to_string())
    }

    /// Takes out what a choice of ours may have caused, and says why; lowers the
    /// confidence of what may rest on scalars chosen otherwise than a caller would.
    fn drop_doubtful(&self, outcome: &mut Outcome) -> Vec<(Kind, String)> {
        let mut doubts = Vec::new();
        outcome.findings.retain(|f| {
            let doubt = self.space.explains(f).or_else(|| self.doubt_dimensions(f));
            let keep = doubt.is_none();
            doubts.extend(doubt.map(|because| (f.kind, because)));
            keep
        });
        if self.space.chose_scalars() {
            let rests = |f: &&mut Finding| matches!(f.kind, Kind::Assertion | Kind::OutOfBounds);
            for f in outcome.findings.iter_mut().filter(rests) {
                f.confidence = Confidence::Possible;
                doubts.push((f.kind, "the arguments were chosen by Lockstep".into()));
            }
        }
        doubts
    }

    fn doubt_dimensions(&self, finding: &Finding) -> Option<String> {
        let given = self.space.given;
        let chosen = given.block.is_none() || given.grid.is_none();
        (finding.kind == Kind::OutOfBounds && chosen)
            .then(|| "the dimensions of the launch were chosen by Lockstep".into())
    }
}
