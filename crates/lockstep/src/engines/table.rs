//! The engines, in the order in which they look at a kernel.
//!
//! **Contract.** An engine is given a [`Question`] (a kernel, what is given of its launches, the kinds that are asked for, and its
//! budget) and what the engines before it found out ([`Evidence`]), to which it adds its own. It may end the row: with all that is
//! asked for settled, or with a reason why nothing can be said. Which kinds an engine decides stands in the table of kinds
//! (`lockstep_finding::KINDS`, by [`EngineRow::decides`]).
//!
//! An engine that is added is a crate, a row here with a module that asks it, its evidence in [`Evidence`], and the options of
//! the command line that choose it.

use lockstep_cancel::Moment;

use lockstep_finding::{DecidedBy, Kind, Reason};
use lockstep_kernel::Kernel;
use lockstep_prove::Proof;
use lockstep_search::Searched;
use lockstep_simulate::Config;

use crate::cli::paths::PathArgs;
use crate::cli::progress::{Engine, Working};
use crate::engines::fences::executed::{self, Execution};
use crate::engines::fences::explorer::{self, Exploration};
use crate::engines::symbolic::{self, Symbolic};
use crate::engines::task::{Engines, Share, Task, Way};
use crate::engines::{proved_again, prover, searcher};
use crate::facts::load::Source;

/// What is asked of one kernel in one way in which it is launched.
pub(crate) struct Question<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) source: &'a Source,
    pub(crate) way: &'a Way,
    pub(crate) kinds: &'a [Kind],
    pub(crate) budget: Share,
    /// How launches are executed.
    pub(crate) config: Config,
    pub(crate) paths: &'a PathArgs,
    pub(crate) work: Working<'a>,
    pub(crate) started: Moment,
}

impl Question<'_> {
    /// A launch that was given in full is wanted.
    pub(crate) fn is_complete(&self) -> bool {
        self.way.given.is_complete(self.kernel.objects.iter().any(|o| o.dynamic))
    }
}

/// What the engines found out so far.
#[derive(Default)]
pub(crate) struct Evidence {
    pub(crate) proof: Option<Proof>,
    pub(crate) searched: Option<Searched>,
    pub(crate) symbolic: Option<Symbolic>,
    pub(crate) explored: Option<Exploration>,
    pub(crate) executed: Option<Execution>,
}

/// What comes after an engine.
pub(crate) enum Next {
    /// The next engine.
    Ask,
    /// Nothing is left to look for.
    Settled,
    Unknown(Reason),
}

pub(crate) struct EngineRow {
    /// Who is shown to be at work.
    pub(crate) engine: fn(&Question) -> Engine,
    /// How it decides kinds.
    pub(crate) decides: &'static [DecidedBy],
    /// Whether the command asks for it.
    pub(crate) is_asked: fn(&Engines) -> bool,
    /// Whether it has something to add about such a kernel.
    pub(crate) applies: fn(&Question) -> bool,
    pub(crate) look: fn(&Task, &Question, &mut Evidence) -> Result<Next, String>,
}

impl EngineRow {
    /// Those of some kinds that the engine decides.
    pub(crate) fn own(&self, kinds: &[Kind]) -> Vec<Kind> {
        let is_own = |k: &Kind| self.decides.iter().any(|by| k.is_decided_by(*by));
        kinds.iter().copied().filter(is_own).collect()
    }
}

pub(crate) static ENGINES: [EngineRow; 6] =
    [prover::ROW, searcher::ROW, proved_again::ROW, symbolic::ROW, explorer::ROW, executed::ROW];

#[cfg(test)]
mod tests {
    use lockstep_finding::KINDS;

    use super::*;
    use crate::cli::options::Evolve;

    #[test]
    fn every_way_to_decide_a_kind_is_an_engines() {
        for row in &KINDS {
            for by in row.decided_by {
                let engines = ENGINES.iter().filter(|e| e.decides.contains(by));
                // A reference to compare with has only the command `equiv`, and a program only `exec`.
                let own = [DecidedBy::Comparison, DecidedBy::Program];
                let expected = usize::from(!own.contains(by));
                assert_eq!(engines.count(), expected, "{}: {by:?}", row.name);
            }
        }
    }

    #[test]
    fn every_command_asks_an_engine() {
        let asked =
            |how: &Engines| -> Vec<bool> { ENGINES.iter().map(|e| (e.is_asked)(how)).collect() };
        assert_eq!(asked(&Engines::All(Evolve::default())), [true, true, true, true, true, true]);
        assert_eq!(
            asked(&Engines::Search(Evolve::default())),
            [false, true, false, false, false, false]
        );
        assert_eq!(asked(&Engines::Explorer), [false, false, false, false, true, true]);
        assert_eq!(
            asked(&Engines::Prover { may_alias: false, log: None }),
            [true, false, false, false, false, false]
        );
    }
}
