//! Applies the table of excuses to one bug.

use lockstep_finding::{Confidence, Finding, Kind};

use super::table::{EXCUSES, Excuse, Plea, Stage};
use super::waits;
use crate::explore::inquiry::{Inquiry, Shown};
use crate::explore::ledger::make_conditional;

impl Inquiry<'_, '_> {
    /// The result of the first row of the table that applies to a bug.
    pub(crate) fn examine(&mut self, stage: Stage, shown: &Shown) -> Option<Plea> {
        if self.key.kind == Kind::Deadlock && self.has_waits() {
            self.driver.grant(waits::TRIES as u64);
        }
        let (row, plea) = EXCUSES
            .iter()
            .filter(|row| self.is_tried(row, stage, shown))
            .collect::<Vec<_>>()
            .into_iter()
            .find_map(|row| Some((row, (row.plea)(self, shown)?)))?;
        if let Some(log) = self.driver.settings.log {
            let line = shown.finding.accesses.first().map_or(0, |a| a.place.line);
            log(&format!("{} at line {line}: excuse {}: {plea}", self.key.kind, row.name));
        }
        Some(plea)
    }

    fn is_tried(&self, row: &Excuse, stage: Stage, shown: &Shown) -> bool {
        row.stages.contains(&stage)
            && (row.kinds.is_empty() || row.kinds.contains(&self.key.kind))
            && self.driver.settings.without_excuse.as_deref() != Some(row.name)
            && (row.applies)(self, shown)
    }

    /// Whether some required row could not be tried.
    pub(crate) fn is_untried(&self, shown: &Shown) -> bool {
        EXCUSES.iter().any(|row| row.is_required && self.is_tried(row, Stage::Ordinary, shown))
    }

    /// Whether a bug of a launch that did not terminate, and is not repeated, may be caused by a value that Lockstep
    /// chose: elements that led both threads to one address, where others might not; sizes that are not round; or the
    /// early end itself, because of which something was not written.
    pub(crate) fn needs_an_end(&self, shown: &Shown) -> bool {
        let finding = shown.finding;
        match self.key.kind {
            Kind::DataRace | Kind::MissingFence => {
                let led = || !self.leaders(&finding.accesses).is_empty();
                let odd_vectors = || self.is_of_vectors(finding) && self.has_sizes();
                self.may_be_apart(finding) && led() || odd_vectors()
            }
            Kind::Misaligned => self.is_untried(shown),
            Kind::UninitialisedRead => true,
            _ => false,
        }
    }
}

impl Plea {
    /// Changes a finding according to the row of the table.
    pub(crate) fn apply(self, finding: &mut Finding) {
        match self {
            Plea::Conditional(when) | Plea::Checked(when) => make_conditional(finding, when),
            Plea::PossibleWhen(when) => {
                finding.confidence = Confidence::Possible;
                make_conditional(finding, when);
            }
            Plea::Possible(why) => {
                finding.confidence = Confidence::Possible;
                finding.help.push(why.to_string());
            }
        }
    }
}
