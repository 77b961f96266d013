//! Assertions of the program's own: `assert`, and GPUVerify's `__assert`.
//!
//! One thread is enough: if it reaches the assertion, the condition must hold. A condition that mentions an
//! approximated value and can fail is only a possible failure.

use lockstep_finding::{
    Access, Action, Confidence, Dependent, Finding, Kind, Question, Reason, Verdict,
};
use lockstep_kernel::SiteId;

use crate::decide::asked::About;
use crate::decide::limits::Limits;
use crate::decide::solve::{Outcome, Query};
use crate::launch::context::Level;
use crate::order::pair::Pairs;
use crate::property::alarm::{Alarm, approximated, loop_name, of_reachability};
use crate::symbolic::source::place;

impl Pairs<'_, '_> {
    pub(crate) fn check_asserts(
        &mut self,
        limits: Limits,
        races_absent: bool,
    ) -> (Verdict, Vec<Alarm>) {
        self.solver.begin(About::Assertion);
        let level = Level::Block;
        let mut queries: Vec<Query> = Vec::new();
        let mut about: Vec<usize> = Vec::new();
        for i in 0..self.exec.asserts.len() {
            let a = self.exec.asserts[i].clone();
            let mut list = self.facts_of_one();
            list.extend(self.conditions(a.block, 1, level));
            let holds = self.copy(a.cond, 1, level);
            list.push(self.exec.ctx.pool.not(holds));
            if let Some(q) = self.ask(list, level) {
                queries.push(q);
                about.push(i);
            }
        }
        let outcomes = self.solver.decide(self.exec.ctx, &queries, limits);
        let mut alarms: Vec<Alarm> = Vec::new();
        let mut open = None;
        for ((query, i), outcome) in queries.iter().zip(about).zip(outcomes) {
            let line = self.exec.ctx.kernel.loc(self.exec.asserts[i].loc).line;
            match outcome {
                Outcome::Unsat => {}
                Outcome::Sat => alarms.push(self.assert_alarm(i, query, limits)),
                Outcome::Unknown | Outcome::Late => {
                    open = Some(limits.not_decided(Question::Assertion { line }, outcome));
                }
            }
        }
        let confirmed = alarms.iter().any(|a| a.finding.confidence == Confidence::Confirmed);
        let verdict = if confirmed {
            Verdict::Found
        } else if let Some(a) = alarms.first() {
            let line = a.finding.accesses.first().map_or(0, |a| a.place.line);
            Verdict::Unknown { because: Reason::MayHappen(Question::Assertion { line }) }
        } else if let Some(because) = open {
            Verdict::Unknown { because }
        } else if self.exec.asserts.is_empty() {
            Verdict::Proved { assumes: Vec::new() }
        } else if self.exec.forwarding && !races_absent {
            Verdict::Unknown { because: Reason::RestsOnRacyMemory(Dependent::Assertion) }
        } else {
            Verdict::Proved { assumes: self.assumptions() }
        };
        (verdict, alarms)
    }

    fn assert_alarm(&mut self, i: usize, query: &Query, limits: Limits) -> Alarm {
        let a = self.exec.asserts[i].clone();
        let m = self.small_model(&query.asked, limits);
        let mut terms = vec![a.cond];
        self.exec.condition(a.block, &mut terms);
        let mut names = approximated(self, &terms);
        names.extend(self.unmodelled_requirements());
        for l in self.exec.nest(a.block) {
            if !self.exec.loops[l].exact {
                names.push(loop_name(self, l));
            }
        }
        names.sort();
        names.dedup();
        let exact = names.is_empty() && m.is_some();
        let (thread, block) = match &m {
            Some(m) => {
                let (t, b) = self.thread_of(m, 1, Level::Block);
                (Some(t), b)
            }
            None => (None, [0; 3]),
        };
        let access = Access {
            op: Action::Assert,
            thread,
            block,
            place: place(self.exec.ctx.kernel, a.loc),
            value: None,
            notes: Vec::new(),
        };
        let what = if exact { "assertion fails" } else { "assertion that may fail" };
        let text =
            if a.message.is_empty() { what.to_owned() } else { format!("{what}: {}", a.message) };
        let finding = Finding {
            confidence: if exact { Confidence::Confirmed } else { Confidence::Possible },
            approximated: of_reachability(names),
            ..Finding::new(Kind::Assertion, text, vec![access])
        };
        let model = m.map(|m| self.launch(&m));
        // An assertion has no site.
        let none = SiteId(u32::MAX);
        Alarm { finding, model, sites: (none, none), between_blocks: false, overflows: false }
    }
}
