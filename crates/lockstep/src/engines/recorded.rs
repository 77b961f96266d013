//! Launches that a program was recorded to make, as facts about the callers of a kernel.
//!
//! - What holds in all of them, constants and conditions, is what the prover may take for given: one proof of all launches
//!   that satisfy it. A verdict names what it took, with its origin.
//! - Some of the launches themselves, or all if they are few, are each looked at by all engines, as launches that the host
//!   code shows are: dimensions, scalars, sizes of arrays and their relations are given, and so are contents where the record
//!   has them. So what is found is found in a launch that the program made.
//! - What else a verdict assumes is looked up in the record ([`settle`]): what is so in all launches gets that origin, and
//!   what is not so in one of them is no proof of it. A finding that shows only in launches unlike all that were
//!   recorded is left out, and the verdict says so.
//!
//! Launches that contradict what the user or the source says are no callers that the user means, and are left out. Without
//! any other there is no record.
//!
//! What it can miss: what only another run of the program does. An index array whose contents are not in the record gets
//! some that are alike ([`alike`]), or those that the search chooses: what is found so is only possible ([`doubt`]).

use std::sync::Arc;

use lockstep_finding::launch::{Dimension, Expr, Number, Operator, Relation};
use lockstep_finding::recorded::{Elements, RecordedArray, RecordedKernel, RecordedLaunch};
use lockstep_finding::{
    ArgValue, ArrayContents, ArraySpec, Claim, Condition, Confidence, ElementType, Fact, Finding,
    KernelReport, Kind, Origin, Place, Reason, Statement, Verdict,
};
use lockstep_kernel::edit::{self, Alias};
use lockstep_kernel::hints::Hints;
use lockstep_kernel::slice::deciding_contents;
use lockstep_kernel::{Array, Kernel, Language, ParamKind};
use lockstep_search::{Alias as MayAlias, Given};
use lockstep_simulate::{bind, place};

use crate::cli::dims::{DimArg, Dims, Known};
use crate::engines::prover::{self, Asked};
use crate::engines::task::{Engines, Share, Task, Way, Ways};
use crate::engines::{proof, verdicts};
use crate::facts::launch_facts::FileFacts;

/// As many launches are looked at one by one; of more, some.
const ALL: usize = 5;
const SOME: usize = 3;
/// Proofs that are tried with less taken for given.
const MOST_TRIALS: usize = 12;
/// How many of them may fail.
const MOST_FAILED: usize = 6;
/// Launches with more threads are looked at only if there are no others.
const MANY_THREADS: u128 = 1 << 22;

/// What the user and the source say of a kernel's launches.
struct Said {
    known: Known,
    shared: Option<u32>,
    args: Vec<Option<Fact<ArgValue>>>,
    /// By parameter: whether what is accessed depends on contents; `None` where that is not known.
    deciding: Option<Vec<bool>>,
}

impl Task<'_> {
    /// How a kernel was launched, by the record; `None` where the record does not have it.
    pub(crate) fn recorded_ways(
        &self,
        kernel: &Kernel,
        facts: &FileFacts,
    ) -> Result<Option<Ways>, String> {
        let Some(all) = &self.analysis.recorded else { return Ok(None) };
        let launch = &self.analysis.launch;
        let vague = |d: Option<DimArg>| d.is_some_and(|d| d.exactly().is_none());
        if facts.global(launch).is_some() || vague(launch.grid) || vague(launch.block) {
            return Ok(None);
        }
        let file = place(kernel, kernel.loc).file;
        let mangled = if kernel.mangled.is_empty() { &kernel.name } else { &kernel.mangled };
        let Some(mut recorded) = all.of(mangled, &lockstep_names::path(&file)) else {
            return Ok(None);
        };
        let args = facts.args(kernel, &launch.parsed_args()?, &Known::default())?;
        let (known, shared) = (facts.said(kernel, launch), launch.shared);
        let said = Said { known, shared, args, deciding: deciding_contents(kernel) };
        let assumed: Vec<Claim> =
            launch.assume.iter().filter_map(|t| Expr::parse(t).ok().map(Claim::Holds)).collect();
        recorded.launches.retain(|l| {
            said.allows(kernel, l) && !assumed.iter().any(|c| l.decide(c) == Some(false))
        });
        let Some(first) = chosen(&recorded.launches).first().map(|l| (*l).clone()) else {
            return Ok(None);
        };
        let is_only = recorded.launches.len() == 1 && !recorded.more;
        let origin = if is_only { Origin::RecordedLaunches } else { Origin::RecordedLaunch };
        let way = |l: &RecordedLaunch| said.exactly(kernel, l, origin);
        let others = chosen(&recorded.launches).into_iter().skip(1).map(way).collect();
        let general = if is_only { None } else { said.in_general(kernel, &recorded) };
        let first = way(&first);
        Ok(Some(Ways { first, others, general, recorded: Some(Arc::new(recorded)) }))
    }

    /// What is proved of all launches that satisfy what holds in those that were recorded.
    pub(crate) fn prove_recorded(
        &self,
        kernel: &Kernel,
        way: &Way,
        share: Share,
    ) -> Result<Vec<(Kind, Verdict)>, String> {
        let may_alias = match self.how {
            Engines::Prover { may_alias, .. } => *may_alias,
            Engines::All(how) => how.alias == MayAlias::All,
            Engines::Search(_) | Engines::Explorer => return Ok(Vec::new()),
        };
        let kinds = self.decided(&verdicts::kinds(&self.analysis.search, true));
        let kinds = prover::ROW.own(&kinds);
        let (aliased, aliases) = edit::aliased(kernel, &way.aliases);
        let kernel_seen = if way.aliases.is_empty() { kernel } else { &aliased };
        let host = way.host;
        let prove = |given: &Given, kinds: &[Kind], share: Share| {
            let asked = Asked { kinds, may_alias, share, usual: true, conditions: &[] };
            let proof = self.prove(kernel_seen, given, host, &asked)?;
            let is_settled = |(kind, _): &(Kind, Verdict)| proof::settles(&proof, *kind);
            Ok::<_, String>(proof.verdicts.iter().filter(|v| is_settled(v)).cloned().collect())
        };
        let mut verdicts: Vec<(Kind, Verdict)> = prove(&way.given, &kinds, share)?;
        let mut given = way.given.clone();
        let part = Share { work: share.work / 3.0, time: share.time / 3.0 };
        let mut failed = 0;
        for group in groups(&given.conditions) {
            let is_led = |(_, v): &&(Kind, Verdict)| match v {
                Verdict::Proved { assumes } => assumes.iter().any(|c| is_of(c, &given.conditions)),
                _ => false,
            };
            let led: Vec<Kind> = verdicts.iter().filter(is_led).map(|(k, _)| *k).collect();
            if led.is_empty() || failed == MOST_FAILED || self.analysis.input.cancel.is_cancelled()
            {
                break;
            }
            let mut less = given.clone();
            less.conditions.retain(|c| !group.contains(c));
            let again = prove(&less, &led, part)?;
            if led.iter().all(|k| again.iter().any(|(kind, _)| kind == k)) {
                verdicts.retain(|(k, _)| !led.contains(k));
                verdicts.extend(again);
                given = less;
            } else {
                failed += 1;
            }
        }
        let mut report = KernelReport { verdicts, ..KernelReport::default() };
        self.name_aliases(kernel, &aliases, host, &mut report);
        Ok(report.verdicts)
    }
}

/// Whether a condition is one of these.
fn is_of(condition: &Condition, conditions: &[Expr]) -> bool {
    matches!(&condition.claim, Claim::Holds(e) if conditions.contains(e))
}

/// What is left out to see whether a proof needs it: what says least of why a kernel is right, first.
fn groups(conditions: &[Expr]) -> Vec<Vec<Expr>> {
    let is_bound = |e: &&Expr| match e {
        Expr::Binary(Operator::Le | Operator::Ge, _, limit) => matches!(**limit, Expr::Number(_)),
        _ => false,
    };
    let is_upper = |e: &&Expr| matches!(e, Expr::Binary(Operator::Le, ..));
    let speaks_of_grid = |e: &&Expr| {
        let mut found = false;
        e.for_each_name(&mut |n| found |= matches!(Dimension::named(n), Some(Dimension::Grid(_))));
        found
    };
    let of = |is: &dyn Fn(&&Expr) -> bool| conditions.iter().filter(is).cloned().collect();
    let mut out: Vec<Vec<Expr>> = vec![
        of(&|_| true),
        of(&|e| is_bound(e) || speaks_of_grid(e)),
        of(&|e| is_bound(e) && is_upper(e)),
        of(&speaks_of_grid),
        of(&is_bound),
    ];
    out.extend(conditions.iter().map(|c| vec![c.clone()]));
    out.retain(|group: &Vec<Expr>| !group.is_empty());
    out.truncate(MOST_TRIALS);
    out
}

/// The launches that are looked at one by one: all, or small and large ones.
fn chosen(launches: &[RecordedLaunch]) -> Vec<&RecordedLaunch> {
    let mut usual: Vec<&RecordedLaunch> =
        launches.iter().filter(|l| l.threads() <= MANY_THREADS).collect();
    if usual.is_empty() {
        usual.extend(launches.first());
    }
    if usual.len() <= ALL {
        return usual;
    }
    (0..SOME).map(|i| usual[i * (usual.len() - 1) / (SOME - 1)]).collect()
}

impl Said {
    /// Whether a launch agrees with it.
    fn allows(&self, kernel: &Kernel, launch: &RecordedLaunch) -> bool {
        let is = |said: Option<Fact<[u32; 3]>>, dims| said.is_none_or(|s| s.value == dims);
        let grid = Fact::new(launch.grid, Origin::RecordedLaunch);
        let block = Fact::new(launch.block, Origin::RecordedLaunch);
        let same = |(i, said): (usize, &Option<Fact<ArgValue>>)| {
            let (Some(said), param) = (said, &kernel.params[i]) else { return true };
            let own = launch.scalars.get(&param.name);
            let own = own.and_then(|text| scalar_bits(kernel, i, text));
            own.is_none() || own == bind::scalar_bits_of(param, &said.value)
        };
        is(self.known.grid, launch.grid)
            && is(self.known.block, launch.block)
            && self.shared.is_none_or(|s| s == launch.shared)
            && self.args.iter().enumerate().all(same)
            && Dims { grid, block }.validate(kernel).is_ok()
    }

    /// One launch, as it was.
    fn exactly(&self, kernel: &Kernel, launch: &RecordedLaunch, origin: Origin) -> Way {
        let mut given = self.given();
        given.grid = given.grid.or(Some(Fact::new(launch.grid, origin)));
        given.block = given.block.or(Some(Fact::new(launch.block, origin)));
        given.global = launch.global;
        given.shared = Some(Fact::new(launch.shared, origin));
        let aliases = self.aliases(kernel, launch);
        for (i, param) in kernel.params.iter().enumerate().filter(|(i, _)| is_open(self, *i)) {
            let of = self.deciding.as_ref().filter(|_| aliases.is_empty());
            let is_free = of.is_some_and(|d| !d[i]);
            let value = match launch.scalars.get(&param.name) {
                Some(text) => scalar(kernel, i, text),
                None => launch.arrays.get(&param.name).and_then(|a| array(kernel, i, a, is_free)),
            };
            given.args[i] = value.map(|v| Fact::new(v, origin));
        }
        given.sizes = self.sizes(kernel, launch);
        let is_made_up = |i: &usize| {
            let param = &kernel.params[*i];
            let is_buffer = matches!(param.kind, ParamKind::Buffer { .. });
            let decides = self.deciding.as_ref().is_none_or(|d| d[*i]);
            let recorded = launch.arrays.get(&param.name);
            let is_known = recorded.is_some_and(|a| a.null || is_as_it_was(a));
            is_buffer && decides && is_open(self, *i) && (!is_known || given.args[*i].is_none())
        };
        let made_up = (0..kernel.params.len()).filter(is_made_up).collect();
        Way { given, host: origin, aliases, made_up }
    }

    /// All launches; `None` where arrays lie to each other in different ways.
    fn in_general(&self, kernel: &Kernel, recorded: &RecordedKernel) -> Option<Way> {
        let origin = Origin::RecordedLaunches;
        let launches = &recorded.launches;
        let (first, aliases) = (launches.first()?, self.aliases(kernel, launches.first()?));
        if recorded.more || launches.iter().any(|l| self.aliases(kernel, l) != aliases) {
            // What is not listed may lie in another way.
            if !aliases.is_empty() || launches.iter().any(|l| !self.aliases(kernel, l).is_empty()) {
                return None;
            }
        }
        let mut given = self.given();
        let all = recorded.holds.iter().filter_map(|text| Expr::parse(text).ok());
        let mut dimensions: Vec<(Dimension, u32)> = Vec::new();
        for expr in all {
            let Some((name, value)) = constant(&expr) else {
                given.conditions.push(expr);
                continue;
            };
            if let Some(dimension) = Dimension::named(name) {
                dimensions.extend(u32::try_from(value).ok().map(|n| (dimension, n)));
            } else if let Some(i) = kernel.params.iter().position(|p| p.name == name)
                && is_open(self, i)
            {
                let value = scalar(kernel, i, &value.to_string());
                given.args[i] = value.map(|v| Fact::new(v, origin));
            }
        }
        let of = |dimension| dimensions.iter().find(|(d, _)| *d == dimension).map(|(_, n)| *n);
        let whole = |make: fn(usize) -> Dimension| {
            Some([of(make(0))?, of(make(1))?, of(make(2))?]).map(|d| Fact::new(d, origin))
        };
        given.block = given.block.or_else(|| whole(Dimension::Block));
        given.grid = given.grid.or_else(|| whole(Dimension::Grid));
        let relation = |(dimension, n): &(Dimension, u32)| Relation {
            name: dimension.to_string(),
            value: Expr::int(*n),
        };
        given.relations = dimensions.iter().map(relation).collect();
        if !recorded.more {
            let sizes = self.sizes(kernel, first);
            let same =
                |s: &(usize, Expr)| launches.iter().all(|l| self.sizes(kernel, l).contains(s));
            given.sizes = sizes.into_iter().filter(same).collect();
        }
        // OpenCL: launches with smaller groups at the end are of another kind.
        let is_whole = !recorded.more && launches.iter().all(|l| l.global.is_none());
        (is_whole || kernel.language != Language::OpenCl).then_some(Way {
            given,
            host: origin,
            aliases,
            made_up: Vec::new(),
        })
    }

    /// What is given anyway.
    fn given(&self) -> Given {
        Given {
            grid: self.known.grid,
            block: self.known.block,
            args: self.args.clone(),
            ..Given::default()
        }
    }

    /// Pointers into the array of another parameter.
    fn aliases(&self, kernel: &Kernel, launch: &RecordedLaunch) -> Vec<Alias> {
        let param = |name: &str| {
            let at = kernel.params.iter().position(|p| p.name == name)?;
            let is_buffer = matches!(kernel.params[at].kind, ParamKind::Buffer { .. });
            (is_buffer && is_open(self, at)).then_some(at)
        };
        let alias = |(name, array): (&String, &RecordedArray)| {
            let of = Array::Param(param(array.within.as_ref()?)?);
            Some(Alias { param: param(name)?, of, offset: Some(i64::try_from(array.at).ok()?) })
        };
        launch.arrays.iter().filter_map(alias).collect()
    }

    /// The sizes of arrays that nobody gives. What begins in the middle of an allocation has no size: a kernel may look at what
    /// is in front of it.
    fn sizes(&self, kernel: &Kernel, launch: &RecordedLaunch) -> Vec<(usize, Expr)> {
        let size = |(i, p): (usize, &lockstep_kernel::Param)| {
            let array = launch.arrays.get(&p.name)?;
            let is_whole = array.within.is_none() && array.at == 0;
            let is_buffer = matches!(p.kind, ParamKind::Buffer { .. });
            let bytes = array.bytes.filter(|n| *n > 0 && is_whole && is_buffer)?;
            is_open(self, i).then(|| (i, Expr::int(bytes)))
        };
        kernel.params.iter().enumerate().filter_map(size).collect()
    }
}

/// Whether nobody gives a parameter.
fn is_open(said: &Said, param: usize) -> bool {
    said.args.get(param).is_none_or(Option::is_none)
}

/// `name == value`.
fn constant(expr: &Expr) -> Option<(&str, i128)> {
    match expr {
        Expr::Binary(Operator::Eq, name, value) => match (&**name, &**value) {
            (Expr::Name(name), Expr::Number(Number::Int(v))) => Some((name, *v)),
            (Expr::Name(name), Expr::Negate(v)) => match **v {
                Expr::Number(Number::Int(v)) => Some((name, -v)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// A number for a parameter, where it can have it.
fn scalar(kernel: &Kernel, param: usize, text: &str) -> Option<ArgValue> {
    scalar_bits(kernel, param, text).map(|_| ArgValue::Scalar(text.to_owned()))
}

fn scalar_bits(kernel: &Kernel, param: usize, text: &str) -> Option<Vec<u64>> {
    bind::scalar_bits_of(&kernel.params[param], &ArgValue::Scalar(text.to_owned()))
}

/// An array whose contents are known, or free because nothing that is accessed depends on them; memory of a group, or a null
/// pointer.
fn array(kernel: &Kernel, param: usize, array: &RecordedArray, is_free: bool) -> Option<ArgValue> {
    if array.null {
        return Some(ArgValue::Null);
    }
    let (element, lanes) = ElementType::parse(&array.element)?;
    let bytes = array.bytes?;
    let spec = |contents| {
        let length = bytes / element.size() as u64;
        ArgValue::Array(ArraySpec { lanes, ..ArraySpec::new(element, length, contents) })
    };
    let is_whole = bytes > 0
        && array.within.is_none()
        && array.at == 0
        && bytes.is_multiple_of(element.size() as u64);
    match kernel.params[param].kind {
        ParamKind::Local { .. } => Some(spec(ArrayContents::Zeros)),
        ParamKind::Buffer { .. } if is_whole => match (&array.values, &array.elements) {
            (_, Some(Elements { least: 0, most: 0, .. })) => Some(spec(ArrayContents::Zeros)),
            (Some(values), _) => {
                let values = values.split(',').map(str::to_owned).collect();
                Some(spec(ArrayContents::Literal(values)))
            }
            (None, Some(e)) => {
                let last = (bytes / element.size() as u64).wrapping_sub(1);
                let counts = e.ascending && e.apart == 1 && e.least == 0 && e.most as u64 == last;
                match counts {
                    true => Some(spec(ArrayContents::Iota)),
                    false => alike(e, last.wrapping_add(1), &kernel.params[param].name).map(spec),
                }
            }
            (None, None) => is_free.then(|| spec(ArrayContents::Random)),
        },
        _ => None,
    }
}

/// Contents that decide what is accessed, and that the record does not have, were chosen by the search: what is found so in a
/// recorded launch is possible there, unless none of it depends on them.
pub(crate) fn doubt(kernel: &Kernel, way: &Way, report: &mut KernelReport) {
    let chosen = &way.made_up;
    if chosen.is_empty() {
        return;
    }
    let names: Vec<&str> = chosen.iter().map(|i| &kernel.params[*i].name[..]).collect();
    for (_, verdict) in &mut report.verdicts {
        if let Verdict::Clean { covered } = verdict {
            *covered += &format!(", with elements of {} that are not recorded", names.join(", "));
        }
    }
    let hints = Hints::of(kernel);
    let guards = |i: &usize| {
        hints.params[*i].array.as_ref().is_none_or(|a| {
            a.value_guards_access
                || a.value_bounds_loop
                || a.value_limits_loop
                || a.compared_with_elements
                || a.members.iter().any(|m| m.array.value_guards_access)
        })
    };
    let decide_branches = chosen.iter().any(guards);
    let sites = kernel.sites.iter().zip(&hints.led_by);
    let led = sites.filter(|(_, by)| by.iter().any(|p| chosen.contains(p)));
    let led: Vec<Place> = led.map(|(site, _)| place(kernel, site.loc)).collect();
    let depends =
        |f: &Finding| decide_branches || f.accesses.iter().any(|a| led.contains(&a.place));
    let is_certain = |f: &&mut Finding| {
        f.confidence == Confidence::Confirmed && f.holds_when.is_none() && depends(f)
    };
    let mut doubted: Vec<Kind> = Vec::new();
    for finding in report.findings.iter_mut().filter(is_certain) {
        finding.confidence = Confidence::Possible;
        finding
            .help
            .push("the record does not have the contents that decide what is accessed".into());
        doubted.push(finding.kind);
    }
    for (kind, verdict) in report.verdicts.iter_mut().filter(|(k, _)| doubted.contains(k)) {
        let mut stands =
            report.findings.iter().filter(|f| f.kind == *kind && f.holds_when.is_none());
        if *verdict == Verdict::Found && stands.all(|f| f.confidence == Confidence::Possible) {
            *verdict = Verdict::Unknown { because: Reason::NotConfirmed };
        }
    }
}

/// Whether the record says what each element is.
fn is_as_it_was(array: &RecordedArray) -> bool {
    let counts = |e: &Elements| {
        let size = ElementType::parse(&array.element).map_or(1, |(t, _)| t.size() as u64);
        let count = array.bytes.unwrap_or(0) / size;
        e.ascending && e.apart == 1 && e.least == 0 && e.most as u64 + 1 == count
    };
    let is_zero = |e: &Elements| (e.least, e.most) == (0, 0);
    array.values.is_some() || array.elements.as_ref().is_some_and(|e| is_zero(e) || counts(e))
}

/// Elements that are as those of the record: as large, as far apart, and as ascending; `None` for too many.
fn alike(elements: &Elements, count: u64, name: &str) -> Option<ArrayContents> {
    const MOST: u64 = 1 << 16;
    let range = elements.most.checked_sub(elements.least).filter(|_| count <= MOST)?;
    let mut state = name
        .bytes()
        .fold(0x9e37_79b9_7f4a_7c15_u64, |s, b| (s ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    let mut below = |most: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if most == u64::MAX { state } else { state % (most + 1) }
    };
    let (least, range) = (elements.least, range as u64);
    let mut values: Vec<i64> = match elements.apart {
        0 => (0..count).map(|_| least.wrapping_add_unsigned(below(range))).collect(),
        // From one end to the other, in equal steps.
        _ => {
            let step = range.checked_div(count.saturating_sub(1)).unwrap_or(0);
            (0..count).map(|i| least.wrapping_add_unsigned(i * step)).collect()
        }
    };
    if elements.ascending {
        values.sort_unstable();
        if let (Some(last), true) = (values.last_mut(), elements.apart == 0) {
            *last = elements.most;
        }
    } else {
        for i in (1..values.len()).rev() {
            values.swap(i, below(i as u64) as usize);
        }
    }
    Some(ArrayContents::Literal(values.iter().map(i64::to_string).collect()))
}

/// Looks up in the record what verdicts and findings rest on; so many of its launches were looked at one by one.
pub(crate) fn settle(recorded: &RecordedKernel, looked_at: usize, report: &mut KernelReport) {
    let is_ours =
        |origin| matches!(origin, Origin::Choice | Origin::LaunchBounds | Origin::RecordedLaunch);
    for (_, verdict) in &mut report.verdicts {
        let Verdict::Proved { assumes } = verdict else { continue };
        let wrong =
            assumes.iter().find(|c| c.origin == Origin::Choice && recorded.contradicts(&c.claim));
        if let Some(wrong) = wrong {
            let because = Reason::ProvedOnlyIf(wrong.claim.clone());
            *verdict = Verdict::Unknown { because };
            continue;
        }
        for condition in assumes.iter_mut().filter(|c| is_ours(c.origin)) {
            if recorded.decide(&condition.claim) == Some(true) {
                condition.origin = Origin::RecordedLaunches;
            }
        }
        // One of several launches, each with all of its values: what holds in all of them is no news.
        if assumes.iter().any(|c| c.origin.is_recorded() && matches!(c.claim, Claim::Any(_))) {
            assumes.retain(|c| !c.origin.is_recorded());
            let recorded = recorded.launches.len();
            assumes.push(Statement::OneOfRecorded { looked_at, recorded }.into());
        }
        assumes.sort_by_key(|c| c.origin.is_recorded());
    }
    let mut gone: Vec<(Kind, Claim)> = Vec::new();
    report.findings.retain(|finding| {
        let exact = finding.holds_when.as_ref().filter(|w| !w.is_example);
        let Some(when) = exact.filter(|w| recorded.decide(&w.claim) == Some(false)) else {
            return true;
        };
        gone.push((finding.kind, when.claim.clone()));
        false
    });
    for (kind, claim) in gone {
        let is_left = report.findings.iter().any(|f| f.kind == kind);
        let own = report.verdicts.iter_mut().find(|(k, _)| *k == kind);
        let Some((_, verdict)) = own.filter(|_| !is_left) else { continue };
        match verdict {
            Verdict::Unknown { because: Reason::FoundOnlyWhen(_) } => {
                let covered = format!("found only where {claim}, as in no recorded launch");
                *verdict = Verdict::Clean { covered };
            }
            // It says already where something was found.
            Verdict::Clean { covered } => *covered += ", as in no recorded launch",
            _ => {}
        }
    }
}
