//! Accesses out of bounds: of static arrays, and of buffers whose length is given.
//!
//! One thread is enough: the offset of an access plus its size must not exceed the object. Offsets are unsigned and 64
//! bits wide, so an index before the object's start is also beyond its end. Where the size of an object is not known
//! the property is not claimed.

use lockstep_finding::{
    Access, Action, Approximated, Confidence, Dependent, Finding, Kind, Memory, NotFollowed,
    Question, Reason, Severity, Verdict,
};
use lockstep_kernel::{ParamKind, Space};

use crate::decide::asked::About;
use crate::decide::limits::Limits;
use crate::decide::solve::{Outcome, Query};
use crate::launch::context::{Base, Level};
use crate::order::pair::Pairs;
use crate::property::alarm::Alarm;
use crate::property::alarm::space_of;
use crate::symbolic::memory::Place;
use crate::symbolic::records::Mode;
use crate::symbolic::source::{line_of, place};
use crate::term::T;

/// An access that may leave its object.
struct Beyond {
    access: usize,
    base: Base,
    offset: T,
    size: u64,
    query: Query,
}

impl Pairs<'_, '_> {
    /// The size of an object in bytes, where it is known.
    fn size_of(&self, base: Base) -> Option<u64> {
        let ctx = &self.exec.ctx;
        match base {
            _ if self.exec.images.contains(&base) => None,
            Base::Object(o) => Some(ctx.kernel.objects[o.0 as usize].size),
            Base::Param(p) => match ctx.kernel.params[p].kind {
                ParamKind::Aggregate { size, .. } => Some(u64::from(size)),
                _ => ctx.assumptions.lengths.iter().find(|(q, _)| *q == p).map(|(_, n)| *n),
            },
            Base::DynamicShared | Base::Field(..) | Base::Allocated(_) => None,
        }
    }

    pub(crate) fn check_bounds(
        &mut self,
        limits: Limits,
        races_absent: bool,
    ) -> (Verdict, Vec<Alarm>) {
        self.solver.begin(About::Bounds);
        let level = Level::Block;
        let facts = self.facts_of_one();
        let mut open: Option<Reason> = None;
        let mut beyond: Vec<Beyond> = Vec::new();
        for access in 0..self.exec.accesses.len() {
            if limits.are_over() {
                open = Some(limits.ran_out());
                break;
            }
            let side = self.side(access, 1, level);
            let site = self.exec.accesses[access].site;
            for case in &side.cases {
                let Place::At(base, offset) = case.place else {
                    let at = Some(line_of(self.exec.ctx.kernel, site));
                    open = Some(Reason::NotFollowed { what: NotFollowed::Object, at });
                    continue;
                };
                let Some(size) = self.size_of(base) else {
                    let name = self.exec.ctx.base_name(base);
                    let what = NotFollowed::Length(name);
                    open.get_or_insert(Reason::NotFollowed { what, at: None });
                    continue;
                };
                let own = self.exec.accesses[access].size;
                let pool = &mut self.exec.ctx.pool;
                let all = pool.constant(size, 64);
                let out = match side.length {
                    Some(n) => {
                        let long = pool.ult(all, n);
                        let rest = pool.sub(all, n);
                        let far = pool.ult(rest, offset);
                        let zero = pool.constant(0, 64);
                        let some = pool.ult(zero, n);
                        let either = pool.or(long, far);
                        pool.and(some, either)
                    }
                    None if own > size => pool.truth(true),
                    None => {
                        let rest = pool.constant(size - own, 64);
                        pool.ult(rest, offset)
                    }
                };
                let mut list = facts.clone();
                list.extend(&side.conditions);
                list.extend([case.when, out]);
                if let Some(query) = self.ask(list, level) {
                    beyond.push(Beyond { access, base, offset, size, query });
                }
            }
        }
        let queries: Vec<Query> = beyond.iter().map(|b| b.query.clone()).collect();
        let outcomes = self.solver.decide(self.exec.ctx, &queries, limits);
        let mut alarms: Vec<Alarm> = Vec::new();
        for (b, outcome) in beyond.iter().zip(outcomes) {
            let site = self.exec.accesses[b.access].site;
            match outcome {
                Outcome::Unsat => {}
                Outcome::Sat if alarms.iter().any(|a| a.sites.0 == site) => {}
                Outcome::Sat => alarms.push(self.bounds_alarm(b, limits)),
                Outcome::Unknown | Outcome::Late => {
                    let at = line_of(self.exec.ctx.kernel, site);
                    open = Some(limits.not_decided(Question::Bounds(at), outcome));
                }
            }
        }
        let confirmed = alarms.iter().any(|a| a.finding.confidence == Confidence::Confirmed);
        let verdict = if confirmed {
            Verdict::Found
        } else if let Some(a) = alarms.first() {
            let at = line_of(self.exec.ctx.kernel, a.sites.0);
            Verdict::Unknown { because: Reason::MayHappen(Question::Bounds(at)) }
        } else if let Some(because) = open {
            Verdict::Unknown { because }
        } else if self.exec.forwarding && !races_absent {
            Verdict::Unknown { because: Reason::RestsOnRacyMemory(Dependent::Index) }
        } else {
            Verdict::Proved { assumes: self.exec.ctx.assumptions.preconditions() }
        };
        (verdict, alarms)
    }

    fn bounds_alarm(&mut self, b: &Beyond, limits: Limits) -> Alarm {
        let kernel = self.exec.ctx.kernel;
        let m = self.small_model(&b.query.asked, limits);
        let (control, index) = self.approximations(b.access);
        let mut names: Vec<Approximated> = Vec::new();
        for (list, reach) in [(control, true), (index, false)] {
            for variable in list {
                match names.iter_mut().find(|n| n.variable == variable) {
                    Some(n) => n.affects_index |= !reach,
                    None => names.push(Approximated {
                        variable,
                        affects_reachability: reach,
                        affects_index: !reach,
                    }),
                }
            }
        }
        let exact = names.is_empty() && m.is_some();
        let a = self.exec.accesses[b.access].clone();
        let space = self.exec.ctx.base_space(b.base);
        let object = self.exec.ctx.base_name(b.base);
        let offset = m.as_ref().map(|m| m.eval(&self.exec.ctx.pool, b.offset) as i64);
        let elem = crate::property::alarm::base_elem(kernel, b.base);
        let unit = elem.map_or(1, |e| i64::from(e.size()).max(1));
        let (thread, block) = match &m {
            Some(m) => {
                let (t, b) = self.thread_of(m, 1, Level::Block);
                (Some(t), b)
            }
            None => (None, [0; 3]),
        };
        let op = match a.mode {
            Mode::Read => Action::Read,
            Mode::Write => Action::Write,
            Mode::Atomic { .. } => Action::Atomic,
        };
        let finding = Finding {
            severity: Severity::Error,
            confidence: if exact { Confidence::Confirmed } else { Confidence::Possible },
            message: format!(
                "{}{op} beyond `{object}`, {} memory of {} bytes",
                if exact { "" } else { "possible " },
                space,
                b.size
            ),
            memory: Some(Memory {
                space: space_of(space),
                object: Some(object),
                element: offset.filter(|_| space != Space::Generic).map(|o| o.div_euclid(unit)),
                bytes: offset.map(|o| [o, o.wrapping_add(a.size.max(1) as i64)]),
                object_size: Some(b.size),
                element_type: elem.and_then(|e| match e {
                    lockstep_kernel::Elem::Scalar(t) => Some(t.to_string()),
                    lockstep_kernel::Elem::Bytes(_) => None,
                }),
            }),
            accesses: vec![Access {
                op,
                thread,
                block,
                place: place(kernel, kernel.site(a.site).loc),
                value: None,
                notes: Vec::new(),
            }],
            approximated: names,
            ..Finding::new(Kind::OutOfBounds, String::new(), Vec::new())
        };
        let model = m.map(|m| self.launch(&m));
        Alarm { finding, model, sites: (a.site, a.site), between_blocks: false, overflows: false }
    }
}
