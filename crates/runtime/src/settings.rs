//! How a program is checked, as `lockstep exec` says in the environment.

use std::env;

use lockstep_finding::Kind;
use lockstep_kernel::Scheduling;
use lockstep_simulate::Config;

use crate::record;

/// Which launches are checked for all kinds of finding. The others are executed, and checked for what costs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    All,
    /// The first of each kernel and shape.
    First,
    /// Of each kernel and shape the first few, and then ever fewer.
    #[default]
    Sampled,
}

impl Check {
    pub const NAMES: [(&'static str, Check); 3] =
        [("all", Check::All), ("first", Check::First), ("sampled", Check::Sampled)];

    pub fn name(self) -> &'static str {
        Check::NAMES.iter().find(|(_, c)| *c == self).map_or("", |(name, _)| name)
    }

    pub fn from_name(name: &str) -> Option<Check> {
        Check::NAMES.iter().find(|(n, _)| *n == name).map(|(_, c)| *c)
    }

    /// Whether the launch with this number, from 0 on, of its kernel and shape is checked in full.
    pub(crate) fn includes(self, number: u64) -> bool {
        const FIRST: u64 = 8;
        match self {
            Check::All => true,
            Check::First => number == 0,
            Check::Sampled => number < FIRST || (number + 1).is_power_of_two(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub check: Check,
    pub skips: Vec<Kind>,
    /// Launches are told, to be kept.
    pub keeps_launches: bool,
    config: Config,
}

/// What is looked for in every launch: it costs next to nothing.
const CHEAP: [Kind; 6] = [
    Kind::BarrierDivergence,
    Kind::OutOfBounds,
    Kind::Misaligned,
    Kind::UseAfterFree,
    Kind::Deadlock,
    Kind::Assertion,
];

/// What only a full check looks for.
const COSTLY: [Kind; 3] = [Kind::DataRace, Kind::MissingFence, Kind::UninitialisedRead];

/// Steps of one launch, where nobody says how many.
const MOST_STEPS: u64 = 20_000_000_000;
/// What kernels print is not cut off before this.
const MOST_TEXT: usize = 1 << 30;

impl Settings {
    pub(crate) fn from_environment() -> Settings {
        let word = |name: &str| env::var(name).unwrap_or_default();
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let config = Config {
            jobs: word(record::JOBS).parse().unwrap_or_else(|_| cores()),
            max_steps: word(record::MAX_LAUNCH).parse().unwrap_or(MOST_STEPS),
            max_print: MOST_TEXT,
            outputs: false,
            scheduling: match word(record::SCHEDULING).as_str() {
                "lockstep" => Scheduling::Lockstep,
                _ => Scheduling::Independent,
            },
            kinds: CHEAP.to_vec(),
            ..Config::default()
        };
        Settings {
            check: Check::from_name(&word(record::CHECK)).unwrap_or_default(),
            skips: record::kinds_of(&word(record::SKIP)),
            keeps_launches: !word(record::KEEP).is_empty(),
            config,
        }
    }

    /// For one launch; `full`: look for all kinds.
    pub(crate) fn config(&self, full: bool) -> Config {
        let mut config = self.config.clone();
        if full {
            config.kinds.extend(COSTLY);
        }
        config.kinds.retain(|k| !self.skips.contains(k));
        config
    }
}

#[cfg(test)]
mod tests {
    use super::Check;

    #[test]
    fn samples_become_rarer() {
        let checked = |c: Check, n: u64| (0..n).filter(|i| c.includes(*i)).count();
        assert_eq!(checked(Check::All, 1000), 1000);
        assert_eq!(checked(Check::First, 1000), 1);
        assert_eq!(checked(Check::Sampled, 8), 8);
        assert_eq!(checked(Check::Sampled, 1 << 20), 8 + 17);
    }
}
