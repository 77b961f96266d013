//! Symbolic execution, asked about one launch of a kernel: which faults can it have, for all contents of its arrays?
//!
//! It looks at what prover and search leave open, at the dimensions that are known: `lockstep check` asks it briefly where contents of arrays
//! are indices or decide branches; with `--symbolic` it is asked about every kernel, and at dimensions of our choice where none are
//! known.
//!
//! A fault that it sees has values for which it should happen. They are given to the search as a launch to try, so that nothing is
//! reported that no execution shows, and so that the search judges what it may rest on: scalars that no caller passes, sizes of our own,
//! elements that a caller would choose distinct ([`lockstep_search::EXCUSES`]). Contents that the solver made up are nobody's: a
//! bug that only they show, and that nothing else excuses, is conditional on them. Only what the user gave as `symbolic` may have every value, and
//! then any value that shows the bug shows an error.
//!
//! That there is no fault is `proved` where the whole launch was followed ([`lockstep_symbolic::Faults::absence`]), and all that was fixed is
//! a fact with an origin; the verdict names what the user did not say. Otherwise it is `clean`.

use lockstep_cancel::Moment;

use lockstep_finding::launch::dims_text;
use lockstep_finding::{
    Access, ArgValue, ArrayContents, ArraySpec, Claim, Condition, Confidence, Contents, DecidedBy,
    Fact, Finding, KernelReport, Kind, Launch, Origin, Reason, Severity, Statement, Verdict, When,
};
use lockstep_kernel::hints::Hints;
use lockstep_kernel::{Kernel, Op, ParamKind, Special, Ty};
use lockstep_search::{Alias, Given, Suggestion, usual_launches};
use lockstep_simulate::{bind, too_large};
use lockstep_symbolic::{Asked, Faults, Limits, Value, element_type, faults};

use crate::cli::options::Evolve;
use crate::cli::progress::Engine;
use crate::engines::premises::Premises;
use crate::engines::proof;
use crate::engines::table::{EngineRow, Evidence, Next, Question};
use crate::engines::task::{Engines, Task, seconds};
use crate::engines::verdicts::{is_found, with_conditions};

pub(crate) const ROW: EngineRow = EngineRow {
    engine: |_| Engine::Paths,
    decides: &[DecidedBy::Paths],
    is_asked: |how| matches!(how, Engines::All(_)),
    applies,
    look,
};

/// Threads of a launch that is executed without a word from the user.
const MOST_THREADS: u128 = 256;
/// The part of the time for it, and for what is executed because of it.
const SHARE: f64 = 0.15;
/// Operations of a kernel that is looked at without a word.
const MOST_OPERATIONS: usize = 500;
/// Launches that are tried, one for each fault.
const MOST_TRIED: usize = 8;
/// Elements of an array that are written out, where the last ones do not matter.
const MOST_WRITTEN_OUT: u64 = 8;
/// Without a word; and the solver's units of work for one question.
const BRIEF: Limits =
    Limits { unroll: 32, targets: 64, steps: 30_000, conditions: 5_000, questions: 16 };
const BRIEF_WORK: u32 = 100_000;
/// Where the user asks for it.
const WHOLE: Limits = Limits {
    unroll: 128,
    targets: 256,
    steps: 50_000_000,
    conditions: 1_000_000,
    questions: 20_000,
};
const WHOLE_WORK: u32 = 3_000_000;

/// What it has found out.
pub(crate) struct Symbolic {
    /// Of each kind that was open.
    answers: Vec<(Kind, Answer)>,
    /// What of the launch was our choice, if anything: then nothing is proved.
    chosen: Option<String>,
    /// What launches have shown that nobody had seen before.
    findings: Vec<Finding>,
    /// The user asked for it.
    is_asked: bool,
}

/// What is known of a kind.
enum Answer {
    /// There is none, under these conditions.
    Absent(Vec<Condition>),
    /// There may be one.
    Possible(Reason),
    /// Not everything was followed.
    Open(Reason),
    /// It is not what the execution decides.
    Undecided,
}

fn applies(q: &Question) -> bool {
    let given = &q.way.given;
    let is_known = given.grid.is_some() && given.block.is_some();
    let fits = given.global.is_none() && too_large(q.kernel).is_none();
    let is_small = || q.kernel.insts().count() <= MOST_OPERATIONS && depends_on_data(q.kernel);
    fits && (q.paths.symbolic || is_known && is_small())
}

/// Whether contents of an array are indices, or decide what is executed.
fn depends_on_data(kernel: &Kernel) -> bool {
    let decides = |a: &lockstep_kernel::hints::ArrayHints| {
        a.value_reaches_address || a.value_guards_access || a.value_bounds_loop
    };
    Hints::of(kernel).params.iter().filter_map(|p| p.array.as_ref()).any(decides)
}

fn look(task: &Task, q: &Question, evidence: &mut Evidence) -> Result<Next, String> {
    let Some(subject) = Subject::of(task, q, evidence) else { return Ok(Next::Ask) };
    let (answer, chosen) = subject.execute(task);
    let mut findings = Vec::new();
    let known = evidence.searched.as_ref().map_or(&[][..], |s| &s.findings);
    for found in subject.try_out(task, &answer)? {
        let is_new = |all: &[Finding]| !all.iter().any(|f| says(f, &found));
        if is_new(known) && is_new(&findings) {
            findings.push(found);
        }
    }
    let of = |kind: Kind| (kind, subject.answer(task, &answer, kind));
    let answers = subject.open.iter().copied().map(of).collect();
    evidence.symbolic = Some(Symbolic { answers, chosen, findings, is_asked: q.paths.symbolic });
    Ok(Next::Ask)
}

/// A kernel, the launch that is executed, and what stands for every value in it.
struct Subject<'q, 'a> {
    q: &'q Question<'a>,
    how: &'q Evolve,
    /// The kinds that nobody has decided.
    open: Vec<Kind>,
    launch: Launch,
    symbolic: Vec<Option<Ty>>,
    unsized_arrays: Vec<bool>,
    /// Of which the user says so.
    declared: Vec<bool>,
}

impl<'q, 'a> Subject<'q, 'a> {
    fn of(task: &'q Task, q: &'q Question<'a>, evidence: &Evidence) -> Option<Subject<'q, 'a>> {
        let Engines::All(how) = task.how else { return None };
        let searched = evidence.searched.as_ref().filter(|s| !s.nothing_allowed)?;
        let is_settled = |k: Kind| evidence.proof.as_ref().is_some_and(|p| proof::settles(p, k));
        let is_seen = |k: Kind| {
            let stands = |f: &&Finding| f.kind == k && f.holds_when.is_none() && !f.benign;
            is_found(searched.findings.iter().filter(stands), false)
        };
        // Without a word, nothing is asked of what was seen to happen for some arguments.
        let is_doubted = |k: Kind| searched.findings.iter().any(|f| f.kind == k);
        let is_left = |k: Kind| !is_seen(k) && (q.paths.symbolic || !is_doubted(k));
        let is_own = |k: &Kind| k.is_decided_by(DecidedBy::Paths);
        let mut open: Vec<Kind> = q.kinds.iter().copied().filter(is_own).collect();
        open.retain(|k| !is_settled(*k) && is_left(*k));
        let given = &q.way.given;
        let seed = task.analysis.launch.seed;
        let first = || usual_launches(q.kernel, given, seed).into_iter().next();
        let launch = searched.launch.clone().or_else(first)?;
        let is_small = q.paths.symbolic || launch.threads() <= MOST_THREADS;
        if open.is_empty() || !is_small {
            return None;
        }
        let params = q.kernel.params.iter().enumerate();
        let declared = |(i, p): (usize, &lockstep_kernel::Param)| {
            q.paths.declared.iter().any(|d| *d == p.name || d.parse() == Ok(i))
        };
        let declared: Vec<bool> = params.clone().map(declared).collect();
        let value = |i: usize| given.args.get(i).and_then(Option::as_ref).map(|f| &f.value);
        let stands_for_all = |(i, p): (usize, &lockstep_kernel::Param)| match value(i) {
            None => element_type(p.kind),
            Some(_) if declared[i] => element_type(p.kind),
            // Of an array whose contents nobody gave, the size is a fact.
            Some(ArgValue::Array(spec)) => {
                let is_open =
                    spec.contents == ArrayContents::Zeros && !task.has_contents(i, &p.name);
                element_type(p.kind).filter(|_| is_open)
            }
            Some(_) => None,
        };
        let is_unsized = |(i, p): (usize, &lockstep_kernel::Param)| {
            let has_size =
                !matches!(p.kind, ParamKind::Scalar { .. } | ParamKind::Aggregate { .. });
            has_size && !matches!(value(i), Some(ArgValue::Array(_)))
        };
        let symbolic: Vec<Option<Ty>> = params.clone().map(stands_for_all).collect();
        // What nobody gave, and cannot stand for every value, would be our choice.
        let is_ours = |(i, p): (usize, &lockstep_kernel::Param)| {
            let is_local = matches!(p.kind, ParamKind::Local { .. });
            value(i).is_none() && symbolic[i].is_none() && !is_local
        };
        let reads_size = |op: &Op| matches!(op, Op::Special(Special::DynamicSharedSize));
        let is_size_ours = given.shared.is_none() && q.kernel.insts().any(|i| reads_size(&i.op));
        if params.clone().any(is_ours) || is_size_ours {
            return None;
        }
        let unsized_arrays: Vec<bool> = params.map(is_unsized).collect();
        let is_decidable = |k: &Kind| match k {
            Kind::DataRace | Kind::BarrierDivergence => true,
            Kind::Assertion => q.kernel.insts().any(|i| matches!(i.op, Op::Assert { .. })),
            Kind::OutOfBounds => !unsized_arrays.contains(&true),
            _ => false,
        };
        let is_spoilt = |f: &Finding| f.kind == Kind::DataRace && f.holds_when.is_some();
        let is_spoilt = searched.findings.iter().any(is_spoilt);
        if !q.paths.symbolic && (is_spoilt || !open.iter().any(is_decidable)) {
            return None;
        }
        Some(Subject { q, how, open, launch, symbolic, unsized_arrays, declared })
    }

    /// What can go wrong, and what of the launch was our choice. Where scalars that stand for every value lead too far, those of
    /// the ordinary launch are looked at.
    fn execute(&self, task: &Task) -> (Faults, Option<String>) {
        let given = &self.q.way.given;
        let is_known = given.grid.is_some() && given.block.is_some();
        let dims = || {
            let Launch { grid, block, .. } = &self.launch;
            format!("grid {}, block {}", dims_text(*grid), dims_text(*block))
        };
        let first = self.ask(task, &self.symbolic);
        let params = &self.q.kernel.params;
        let is_scalar = |i: usize| matches!(params[i].kind, ParamKind::Scalar { .. });
        let free: Vec<usize> = (0..params.len())
            .filter(|i| is_scalar(*i) && self.symbolic[*i].is_some() && !self.declared[*i])
            .collect();
        if first.given_up.is_empty() || free.is_empty() || !self.q.paths.symbolic {
            return (first, (!is_known).then(dims));
        }
        let mut fewer = self.symbolic.clone();
        free.iter().for_each(|i| fewer[*i] = None);
        let mut second = self.ask(task, &fewer);
        let is_seen = |f: &lockstep_symbolic::Fault, all: &[lockstep_symbolic::Fault]| {
            all.iter().any(|o| (o.kind, &o.because) == (f.kind, &f.because))
        };
        // What other scalars show is worth trying, and says nothing against these.
        let mut others = first.faults;
        others.retain(|f| !is_seen(f, &second.faults) && f.values.is_some());
        if !second.given_up.is_empty() {
            second.faults.extend(others);
        }
        let values = self.launch.args.iter().filter_map(|(name, value)| {
            let is_free = free.iter().any(|i| params[*i].name == *name);
            is_free.then(|| format!("{name}={value}"))
        });
        let text = [dims()].into_iter().chain(values).collect::<Vec<_>>().join(", ");
        (second, Some(text))
    }

    fn ask(&self, task: &Task, symbolic: &[Option<Ty>]) -> Faults {
        let q = self.q;
        let Ok(launch) = bind::bind(q.kernel, &self.launch) else {
            let given_up = vec![Reason::NoLaunchSatisfies];
            return Faults { given_up, ..Faults::default() };
        };
        let (limits, work) = match q.paths.symbolic {
            true => (Limits { unroll: q.paths.unroll, ..WHOLE }, WHOLE_WORK),
            false => (BRIEF, BRIEF_WORK),
        };
        let brief = Moment::now() + seconds(q.budget.time * SHARE);
        let half = |d: Moment| {
            let now = Moment::now();
            now + d.saturating_duration_since(now) / 2
        };
        let deadline = q.config.deadline.map(|d| match q.paths.symbolic {
            true => half(d),
            false => d.min(brief),
        });
        let parse = |text: &String| lockstep_finding::launch::Expr::parse(text).ok();
        let answer = faults(&Asked {
            kernel: q.kernel,
            launch,
            symbolic: symbolic.to_vec(),
            unsized_arrays: self.unsized_arrays.clone(),
            unsized_shared: q.way.given.shared.is_none(),
            assumed: task.analysis.launch.assume.iter().filter_map(parse).collect(),
            limits,
            warp_size: q.config.warp_size,
            work,
            deadline,
            cancel: q.config.cancel.clone(),
        });
        if answer.given_up.iter().any(Reason::is_time) {
            task.hurried.set(true);
        }
        if task.analysis.input.verbose {
            let (name, n) = (&q.kernel.name, &answer);
            eprintln!(
                "kernel {name}: {} faults are possible, {} operations, {} questions to the solver",
                n.faults.len(),
                n.operations,
                n.questions
            );
            let reasons = n.faults.iter().map(|f| &f.because).chain(&n.given_up);
            reasons.for_each(|r| eprintln!("kernel {name}: {r}"));
        }
        answer
    }

    /// Executes launches with the values of faults: what they show.
    fn try_out(&self, task: &Task, answer: &Faults) -> Result<Vec<Finding>, String> {
        let mut groups: Vec<(Given, Vec<Suggestion>, Vec<usize>)> = Vec::new();
        let with_values = answer.faults.iter().filter_map(|f| f.values.as_ref());
        for values in with_values.take(MOST_TRIED) {
            let (given, made_up) = self.given_with(values);
            let suggestion = self.suggestion(&given, values);
            match groups.iter_mut().find(|(g, ..)| g.args == given.args) {
                Some((_, all, _)) => all.push(suggestion),
                None => groups.push((given, vec![suggestion], made_up)),
            }
        }
        let mut out = Vec::new();
        for (given, suggested, made_up) in groups {
            if self.q.config.deadline.is_some_and(Moment::is_past) {
                task.hurried.set(true);
                break;
            }
            let how = Evolve { population: 0, generations: 0, ..self.how.clone() };
            let seen = task.search(self.q, &given, &how, suggested, None, true)?;
            for mut finding in seen.findings {
                if finding.kind == Kind::RedundantBarrier {
                    continue;
                }
                if !self.q.paths.symbolic && finding.confidence != Confidence::Confirmed {
                    continue;
                }
                self.condition(&mut finding, &made_up);
                out.push(finding);
            }
        }
        Ok(out)
    }

    /// What is given, with the values of a fault where only the size was given, or any value; and the arrays whose contents are
    /// nobody's.
    fn given_with(&self, values: &[Value]) -> (Given, Vec<usize>) {
        let mut given = self.q.way.given.clone();
        let mut made_up = Vec::new();
        for (i, param) in self.q.kernel.params.iter().enumerate() {
            let own: Vec<&Value> = values.iter().filter(|v| v.param == i).collect();
            if own.is_empty() && !self.declared[i] || self.symbolic[i].is_none() {
                continue;
            }
            let value = given.args.get(i).and_then(Option::as_ref).map(|f| f.value.clone());
            let new = match (param.kind, value) {
                (_, Some(ArgValue::Array(spec))) => {
                    if !self.declared[i] {
                        made_up.push(i);
                    }
                    Some(ArgValue::Array(filled(&spec, &own)))
                }
                (ParamKind::Scalar { ty, count }, _) if self.declared[i] => {
                    let bits =
                        |lane: u64| own.iter().find(|v| v.element == lane).map_or(0, |v| v.bits);
                    let texts =
                        (0..u64::from(count)).map(|l| scalar_text(ty, param.signed, bits(l)));
                    Some(ArgValue::Scalar(texts.collect::<Vec<_>>().join(",")))
                }
                _ => None,
            };
            if let (Some(new), Some(place)) = (new, given.args.get_mut(i)) {
                *place = Some(Fact::new(new, Origin::CommandLine));
            }
        }
        (given, made_up)
    }

    fn suggestion(&self, given: &Given, values: &[Value]) -> Suggestion {
        let mut out = Suggestion {
            grid: self.launch.grid,
            block: self.launch.block,
            ..Suggestion::default()
        };
        let free = |i: usize| given.args.get(i).is_none_or(Option::is_none);
        for (i, param) in self.q.kernel.params.iter().enumerate().filter(|(i, _)| free(*i)) {
            let own = || values.iter().filter(move |v| v.param == i);
            match param.kind {
                ParamKind::Scalar { count, .. } if own().next().is_some() => {
                    let bits = |lane: u64| own().find(|v| v.element == lane).map_or(0, |v| v.bits);
                    out.scalars.push((i, (0..u64::from(count)).map(bits).collect()));
                }
                ParamKind::Buffer { elem, .. } => {
                    let unit = bind::element_type(elem, &param.source_type, true).size() as u32;
                    for v in own() {
                        out.cells.extend(cells(i, v, unit));
                    }
                }
                _ => {}
            }
        }
        out
    }

    /// Says of a finding that it rests on contents that nobody gave.
    fn condition(&self, finding: &mut Finding, made_up: &[usize]) {
        let Some(launch) = &finding.launch else { return };
        let value =
            |l: &Launch, name: &str| l.args.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        let params = &self.q.kernel.params;
        let ours = |i: &usize| {
            let is_array = matches!(params[*i].kind, ParamKind::Buffer { .. });
            let is_ours = self.symbolic[*i].is_some() && !self.declared[*i] && is_array;
            let (own, usual) =
                (value(launch, &params[*i].name), value(&self.launch, &params[*i].name));
            let contents = |v: &Option<ArgValue>| match v {
                Some(ArgValue::Array(spec)) => Some(spec.contents.clone()),
                _ => None,
            };
            is_ours && (made_up.contains(i) || contents(&own) != contents(&usual))
        };
        let arrays: Vec<String> =
            (0..params.len()).filter(ours).map(|i| params[i].name.clone()).collect();
        if arrays.is_empty() || finding.holds_when.is_some() {
            return;
        }
        let are = Contents::AsInThisLaunch;
        let claim: Claim = Statement::Elements { arrays, are }.into();
        finding.holds_when = Some(When::for_example(claim));
        finding.severity = Severity::Warning;
    }

    fn answer(&self, task: &Task, answer: &Faults, kind: Kind) -> Answer {
        match (answer.possible(kind), answer.absence(kind)) {
            (Some(fault), _) => Answer::Possible(fault.because.clone()),
            // Where an array begins, the caller decides.
            _ if kind == Kind::Misaligned => Answer::Undecided,
            (None, Err(because)) => Answer::Open(because),
            (None, Ok(())) => {
                self.conditions(task, answer, kind).map_or(Answer::Undecided, Answer::Absent)
            }
        }
    }

    /// Under which conditions there is none of a kind.
    fn conditions(&self, task: &Task, answer: &Faults, kind: Kind) -> Option<Vec<Condition>> {
        let (q, kernel) = (self.q, self.q.kernel);
        let is_touched = |i: &usize| answer.touched[*i] != (false, false);
        let touched: Vec<usize> = (0..kernel.params.len()).filter(is_touched).collect();
        if kind == Kind::OutOfBounds {
            let is_local = |i: &usize| matches!(kernel.params[*i].kind, ParamKind::Local { .. });
            let locals = (0..kernel.params.len()).filter(is_local);
            let mut sized = touched.iter().copied().chain(locals);
            let is_dynamic = kernel.objects.iter().any(|o| o.dynamic);
            let is_unsized = is_dynamic && q.way.given.shared.is_none();
            if is_unsized || sized.any(|i| self.unsized_arrays[i]) {
                return None;
            }
        }
        let may_alias = self.how.alias == Alias::All;
        let args = &task.analysis.launch;
        let premises = Premises::new(kernel, &q.way.given, args, may_alias, q.way.host, true);
        let premises = premises.ok()?;
        let mut out = premises.assumptions(&premises.all()).unsaid();
        let is_array = |i: &usize| matches!(kernel.params[*i].kind, ParamKind::Buffer { .. });
        let arrays: Vec<usize> = touched.iter().copied().filter(is_array).collect();
        let is_variable = |o: &&lockstep_kernel::Object| o.exported;
        let variables: Vec<String> =
            kernel.objects.iter().filter(is_variable).map(|o| o.name.clone()).collect();
        let is_one_written = arrays.iter().any(|i| answer.touched[*i].1) || !variables.is_empty();
        if arrays.len() + variables.len() > 1 && is_one_written && !arrays.is_empty() {
            if may_alias {
                return None;
            }
            let pointers = arrays.iter().map(|i| kernel.params[*i].name.clone()).collect();
            let apart = match arrays.len() {
                1 => Statement::ApartFromVariables { pointers, variables },
                _ => Statement::ParametersApart { pointers, variables },
            };
            Condition::add(&mut out, [apart.into()]);
        }
        let reads_offset = |op: &Op| matches!(op, Op::Special(Special::GlobalOffset(_)));
        if kernel.insts().any(|i| reads_offset(&i.op)) {
            Condition::add(&mut out, [Statement::NoGlobalOffset.into()]);
        }
        Some(out)
    }
}

impl Task<'_> {
    /// Whether the user gives the contents of an array, and not only its size.
    fn has_contents(&self, param: usize, name: &str) -> bool {
        self.analysis.launch.args.iter().any(|arg| {
            let Some((own, value)) = arg.split_once('=') else { return false };
            let own = own.trim();
            let is_it = own == name || own.parse() == Ok(param);
            is_it
                && value.split_once(']').is_some_and(|(_, rest)| rest.trim_start().starts_with(':'))
        })
    }
}

/// The cells of an array that a value is: whole elements.
fn cells(param: usize, v: &Value, unit: u32) -> Vec<(usize, u64, u32, u64)> {
    let size = v.ty.bytes();
    let at = v.element * u64::from(size);
    if unit == 0 || unit >= size {
        return vec![(param, at, size, v.bits)];
    }
    let part = |k: u32| {
        let bits = v.bits >> (8 * k * unit) & (u64::MAX >> (64 - 8 * unit));
        (param, at + u64::from(k * unit), unit, bits)
    };
    (0..size / unit).map(part).collect()
}

/// The array with these values; elsewhere elements differ from each other, as far as they are written out.
fn filled(spec: &ArraySpec, values: &[&Value]) -> ArraySpec {
    let unit = spec.element.size() as u32;
    let all = spec.length * u64::from(spec.lanes);
    if values.is_empty() {
        return ArraySpec { contents: ArrayContents::Iota, ..spec.clone() };
    }
    let mut places: Vec<(u64, u64)> = Vec::new();
    for v in values {
        let parts = cells(0, v, unit).into_iter();
        places.extend(parts.map(|(_, at, _, bits)| (at / u64::from(unit), bits)));
    }
    places.retain(|(at, _)| *at < all);
    let last = places.iter().map(|(at, _)| *at).max().unwrap_or(0);
    let count = (last + 1).max(2).max(MOST_WRITTEN_OUT.min(all)).min(all);
    let mut texts: Vec<String> = (0..count).map(|i| (i & 0x7f).to_string()).collect();
    for (at, bits) in places {
        texts[at as usize] = spec.element.value_text(&bits.to_le_bytes());
    }
    ArraySpec { contents: ArrayContents::Literal(texts), ..spec.clone() }
}

fn scalar_text(ty: Ty, is_signed: bool, bits: u64) -> String {
    match ty {
        Ty::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Ty::F64 => format!("{:?}", f64::from_bits(bits)),
        _ if is_signed && ty.is_int() => {
            lockstep_kernel::semantics::bits::signed(ty, bits).to_string()
        }
        _ => bits.to_string(),
    }
}

/// Whether two findings are one bug: at the same places, in the same memory.
fn is_same(a: &Finding, b: &Finding) -> bool {
    let places = |f: &Finding| {
        let place = |a: &Access| (a.place.file.clone(), a.place.line, a.place.column);
        let mut places: Vec<_> = f.accesses.iter().map(place).collect();
        places.sort();
        places.dedup();
        places
    };
    a.kind == b.kind && places(a) == places(b)
}

/// Whether a finding says all that another one does: one in which different values are stored says more than one in which they are equal.
fn says(own: &Finding, other: &Finding) -> bool {
    is_same(own, other) && (!own.benign || other.benign)
}

/// Adds what was found, and says of the kinds that were open what is known now.
///
/// `simulated` is what launches alone say: what stands where an alarm of the prover goes.
pub(crate) fn join(
    symbolic: Symbolic,
    simulated: &[(Kind, Verdict)],
    report: &mut KernelReport,
    strict: bool,
) {
    let Symbolic { answers, chosen, findings, is_asked } = symbolic;
    let kinds: Vec<Kind> = report.verdicts.iter().map(|(k, _)| *k).collect();
    let is_new = |f: &Finding, all: &[Finding]| !all.iter().any(|o| says(o, f));
    let mut fresh: Vec<Finding> = Vec::new();
    for found in findings.into_iter().filter(|f| kinds.contains(&f.kind)) {
        // An alarm of the prover that is shown now.
        report.findings.retain(|o| {
            let is_alarm = o.launch.is_none() && o.confidence == Confidence::Possible;
            !(is_same(o, &found) && (is_alarm || !says(o, &found) && found.holds_when.is_none()))
        });
        if is_new(&found, &report.findings) {
            fresh.push(found.clone());
            report.findings.push(found);
        }
    }
    let by_weight = |f: &Finding| (f.holds_when.is_some(), f.confidence == Confidence::Possible);
    report.findings.sort_by_key(by_weight);
    for (kind, answer) in answers {
        let Some(at) = report.verdicts.iter().position(|(k, _)| *k == kind) else { continue };
        if matches!(answer, Answer::Absent(_)) && chosen.is_none() {
            // An alarm that no launch has shown is none for these launches.
            let is_alarm = |f: &Finding| {
                f.kind == kind && f.launch.is_none() && f.confidence == Confidence::Possible
            };
            report.findings.retain(|f| !is_alarm(f));
        }
        let of_kind = || report.findings.iter().filter(|f| f.kind == kind);
        let stands = || of_kind().filter(|f| f.holds_when.is_none());
        let is_told = of_kind().next().is_some();
        let own = match &report.verdicts[at].1 {
            Verdict::Unknown { because: Reason::NotConfirmed } if stands().next().is_none() => {
                simulated.iter().find(|(k, _)| *k == kind).map_or(&report.verdicts[at].1, |s| &s.1)
            }
            own => own,
        };
        let covered = match own {
            Verdict::Clean { covered } => {
                Some(with_conditions(covered, fresh.iter().filter(|f| f.kind == kind)))
            }
            _ => None,
        };
        let better = match (answer, covered) {
            _ if is_found(stands(), strict) => Verdict::Found,
            _ if stands().next().is_some() => Verdict::Unknown { because: Reason::NotConfirmed },
            _ if matches!(own, Verdict::Proved { .. }) => continue,
            (Answer::Absent(assumes), _) if chosen.is_none() && !is_told => {
                Verdict::Proved { assumes }
            }
            (_, None) => continue,
            (Answer::Absent(_), Some(covered)) => match &chosen {
                Some(chosen) => {
                    let covered = format!("{covered}; all contents of arrays with {chosen}");
                    Verdict::Clean { covered }
                }
                None => Verdict::Clean { covered },
            },
            (Answer::Possible(because), Some(_)) if is_asked && !is_told => {
                Verdict::Unknown { because }
            }
            (Answer::Open(because), Some(covered)) if is_asked && !is_told => {
                let covered = format!("{covered}; not for all contents: {because}");
                Verdict::Clean { covered }
            }
            (_, Some(covered)) => Verdict::Clean { covered },
        };
        report.verdicts[at].1 = better;
    }
}
