//! The search, asked about one kernel: launches are executed, those that the prover suggests first.

use lockstep_cancel::Moment;

use lockstep_finding::DecidedBy;
use lockstep_kernel::SiteId;
use lockstep_search::{Given, Rule, Searched, Settings, Suggestion, remainders, search};
use lockstep_simulate::too_large;

use crate::cli::options::Evolve;
use crate::cli::progress::Engine;
use crate::engines::proof;
use crate::engines::table::{EngineRow, Evidence, Next, Question};
use crate::engines::task::{Engines, Task, asks_for_opencl_2, named_launch};
use crate::facts::launch_facts::assumptions_hold;

/// The part of its time in which the search cannot have been cut short: then it stops looking for more.
const SEARCH_UNHURRIED: f64 = 0.6;

pub(crate) const ROW: EngineRow = EngineRow {
    engine: |q| if q.is_complete() { Engine::Simulate } else { Engine::Search },
    decides: &[DecidedBy::OneLaunch, DecidedBy::SeveralLaunches],
    is_asked: |how| matches!(how, Engines::Search(_) | Engines::All(_)),
    applies: |_| true,
    look,
};

fn look(task: &Task, q: &Question, evidence: &mut Evidence) -> Result<Next, String> {
    let (Engines::Search(how) | Engines::All(how)) = task.how else { return Ok(Next::Ask) };
    let suggested = evidence.proof.as_ref().map_or(Vec::new(), proof::suggestions);
    let may_race = evidence.proof.as_ref().and_then(proof::may_race);
    evidence.searched = Some(task.search(q, &q.way.given, how, suggested, may_race, false)?);
    Ok(Next::Ask)
}

impl Task<'_> {
    pub(crate) fn search(
        &self,
        q: &Question,
        given: &Given,
        how: &Evolve,
        suggested: Vec<Suggestion>,
        may_race: Option<Vec<(SiteId, SiteId)>>,
        only_suggested: bool,
    ) -> Result<Searched, String> {
        let Question { kernel, source, work, .. } = q;
        if let Some(why) = too_large(kernel) {
            return Ok(Searched { incomplete: Some(why), ..Searched::default() });
        }
        let assume = &self.analysis.launch.assume;
        // What is wrong with an assumption does not hang on the launch.
        assumptions_hold(assume, &named_launch(kernel))?.ok();
        let say = |text: &str| eprintln!("{}: kernel {}: {text}", source.name, kernel.name);
        let settings = Settings {
            population: how.population,
            generations: how.generations,
            accept: how.accept,
            seed: self.analysis.launch.seed,
            alias: how.alias,
            config: q.config.clone(),
            allowed: &|launch| matches!(assumptions_hold(assume, launch), Ok(Ok(()))),
            suggested,
            only_suggested,
            may_race,
            without_excuse: self.analysis.search.without_excuse.clone(),
            progress: &|p| work.search(p),
            log: if self.analysis.input.verbose { Some(&say) } else { None },
        };
        let started = Moment::now();
        let mut searched = search(kernel, given, &settings)?;
        let looked = !searched.nothing_allowed && searched.incomplete.is_none();
        if looked && asks_for_opencl_2(&self.analysis.input.clang_args) {
            let smaller = remainders(kernel, given, &settings);
            searched.rules.extend(smaller.iter().map(|_| Rule::Ordinary));
            searched.remedies.extend(smaller.iter().map(|_| None));
            searched.findings.extend(smaller);
        }
        let time = settings.config.deadline.map(|d| d.saturating_duration_since(started));
        if time.is_some_and(|t| started.elapsed() > t.mul_f64(SEARCH_UNHURRIED)) {
            self.hurried.set(true);
        }
        if self.analysis.input.verbose {
            for (finding, rule) in searched.findings.iter().zip(&searched.rules) {
                let line = finding.primary().map_or(0, |a| a.place.line);
                say(&format!("{} at line {line}: found by {rule}", finding.kind));
            }
        }
        Ok(searched)
    }
}
