//! How to search: limits, options, and callbacks for progress.

use lockstep_cancel::Moment;

use lockstep_finding::Launch;
use lockstep_kernel::SiteId;
use lockstep_simulate::Config;

use crate::given::{Alias, Suggestion};

/// How to search.
#[derive(Clone)]
pub struct Settings<'a> {
    pub population: usize,
    pub generations: usize,
    /// A candidate whose F is below this is simulated in full.
    pub accept: f64,
    pub seed: u64,
    pub alias: Alias,
    /// How to simulate; its `max_steps` and `deadline` hold for the whole search.
    pub config: Config,
    /// Whether a launch satisfies the preconditions given.
    pub allowed: &'a (dyn Fn(&Launch) -> bool + Sync),
    /// Launches suggested by other engines, tried first.
    pub suggested: Vec<Suggestion>,
    /// Whether only these are tried, besides the most ordinary launch.
    pub only_suggested: bool,
    /// The accesses that may race, if all others are known not to. If there are none, launches are only worth trying
    /// for what they newly reach.
    pub may_race: Option<Vec<(SiteId, SiteId)>>,
    /// A row of the table of excuses that is disabled, to measure its effect.
    pub without_excuse: Option<String>,
    /// Called from time to time with the progress of the search.
    pub progress: &'a dyn Fn(&Progress),
    /// Called for each launch that is simulated.
    pub log: Option<&'a dyn Fn(&str)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    pub generation: usize,
    pub generations: usize,
    /// The smallest F so far.
    pub best_f: f64,
    /// Accesses reached, and the number of all accesses.
    pub sites: (usize, usize),
    pub findings: usize,
    pub launches: usize,
}

/// Whether the time budget has run out, or the search was cancelled.
pub(crate) fn is_over(config: &Config) -> bool {
    config.cancel.is_cancelled() || is_past(config.deadline)
}

pub(crate) fn is_past(deadline: Option<Moment>) -> bool {
    deadline.is_some_and(Moment::is_past)
}
