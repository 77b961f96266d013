//! Both sides executed in the simulator, on the same inputs, and what they leave compared.

use rustc_hash::FxHashMap;

use lockstep_finding::{Finding, Kind, Memory, MemorySpace, Severity};
use lockstep_kernel::semantics::bits::{real_bits, real_value};
use lockstep_kernel::{ParamKind, Ty};
use lockstep_sequence::execute;
use lockstep_simulate::{BoundArg, BoundLaunch, Config, Prepared};

use super::is_over;
use super::question::{Launched, Output, Program, Question, Sequenced, Tolerance};
use super::{assumed, inputs};
use crate::equal::assumptions::Assumptions;
use crate::term::evaluate::{Evaluation, is_same};
use crate::term::{Pool, T, Variable};

/// Where two executions differ.
#[derive(Clone, Copy)]
pub(super) struct Differing {
    pub(super) output: usize,
    pub(super) element: u64,
    pub(super) values: [u64; 2],
    /// Whether nobody has written it, on each side.
    pub(super) unwritten: [bool; 2],
    /// How many elements differ.
    pub(super) different: u64,
}

/// The first of them, and the inputs.
pub(super) struct Difference {
    pub(super) at: Differing,
    pub(super) inputs: Vec<Vec<u64>>,
}

/// Bugs of a side, and the inputs that show them.
pub(super) struct Faults {
    pub(super) findings: Vec<(usize, Finding)>,
    pub(super) inputs: Vec<Vec<u64>>,
}

pub(super) enum Seen {
    /// Bugs of a side: what it leaves says nothing.
    Faults(Faults),
    Difference(Box<Difference>),
    Nothing,
}

pub(super) struct Runs<'a> {
    question: &'a Question<'a>,
    /// Of sides that are one launch.
    prepared: [Option<Prepared<'a>>; 2],
    config: Config,
    /// The next of the inputs that are chosen here.
    next: u32,
    /// Inputs that showed no difference.
    pub(super) rounds: u32,
    /// Executions that did not end.
    endless: u32,
    /// A race that is one of equal values so far.
    benign: Option<Faults>,
    /// Conditions under which inputs do not count.
    pub(super) excluded: Vec<T>,
    /// What elements are, by output and number, where both sides were executed symbolically.
    pub(super) terms: FxHashMap<(usize, u64), [T; 2]>,
    /// Inputs that satisfy the conditions of the question.
    pub(super) known: Option<Vec<Vec<u64>>>,
}

/// Warp instructions of one execution.
const STEPS: u64 = 20_000_000;
/// Executions that do not end after which no more are tried.
const MOST_ENDLESS: u32 = 2;

/// What one execution leaves, by output.
type Left = Vec<Bytes>;

/// The bytes of an array.
struct Bytes {
    bytes: Vec<u8>,
    /// Which of them have a value; all where it is `None`.
    known: Option<Vec<bool>>,
}

impl Bytes {
    fn is_known(&self, element: usize, size: usize) -> bool {
        let known = self.known.as_ref().map(|k| k[element * size..][..size].iter().all(|k| *k));
        known.unwrap_or(true)
    }
}

impl<'a> Runs<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Runs<'a> {
        let prepared = [0, 1].map(|i| match &question.sides[i] {
            Program::Launch(launched) => Some(Prepared::new(launched.kernel)),
            Program::Sequence(_) => None,
        });
        let without = [Kind::RedundantBarrier, Kind::RedundantFence, Kind::Mismatch];
        let kinds = Kind::ALL.into_iter().filter(|k| !without.contains(k)).collect();
        let config = Config {
            warp_size: question.warp_size,
            jobs: question.jobs,
            kinds,
            max_steps: STEPS,
            deadline: question.deadline,
            cancel: question.cancel.clone(),
            ..Config::default()
        };
        Runs {
            question,
            prepared,
            config,
            next: 0,
            rounds: 0,
            endless: 0,
            benign: None,
            excluded: Vec::new(),
            terms: FxHashMap::default(),
            known: None,
        }
    }

    /// The inputs of a round that count.
    fn chosen(&self, round: u32) -> Option<Vec<Vec<u64>>> {
        let contents = inputs::contents(self.question, round);
        assumed::fitting(self.question, contents, self.known.as_ref(), round)
    }

    /// Executes both sides on these inputs and on others, as many as `upto` in all; `places` are the elements that are not known
    /// to be equal.
    pub(super) fn look(
        &mut self,
        pool: &Pool,
        models: Vec<Vec<Vec<u64>>>,
        places: Option<&[(usize, u64)]>,
        upto: u32,
    ) -> Seen {
        let is_last = upto >= self.question.rounds;
        let upto = upto.min(self.question.rounds);
        let chosen = self.next..upto;
        self.next = self.next.max(upto);
        let models = models.into_iter().map(Ok);
        'inputs: for next in models.chain(chosen.map(Err)) {
            if is_over(self.question) || self.endless > MOST_ENDLESS {
                break;
            }
            let Some(contents) = next.map_or_else(|round| self.chosen(round), Some) else {
                continue;
            };
            if !self.counts(pool, &contents) {
                continue;
            }
            let mut left = Vec::new();
            for which in 0..2 {
                match self.run(which, &contents) {
                    Ok(Some(buffers)) => left.push(buffers),
                    Ok(None) => break,
                    Err(findings) => {
                        let is_benign = findings.iter().all(|f| f.benign);
                        let findings = findings.into_iter().map(|f| (which, f)).collect();
                        let found = Faults { findings, inputs: contents };
                        if !is_benign {
                            return Seen::Faults(found);
                        }
                        // Writes that store the same value here may store different ones on other inputs.
                        self.benign.get_or_insert(found);
                        continue 'inputs;
                    }
                }
            }
            let [first, second] = &left[..] else {
                self.endless += 1;
                continue;
            };
            self.rounds += 1;
            if let Some(found) = self.differ(pool, &contents, [first, second], places) {
                let small = self.plainer(pool, contents, &found, places);
                return match (0..2).find(|side| small.at.unwritten[*side]) {
                    Some(side) => {
                        let findings = vec![(side, self.unwritten(&small.at))];
                        Seen::Faults(Faults { findings, inputs: small.inputs })
                    }
                    None => Seen::Difference(Box::new(small)),
                };
            }
        }
        match self.benign.take_if(|_| is_last) {
            Some(found) => Seen::Faults(found),
            None => Seen::Nothing,
        }
    }

    /// Whether these inputs are asked about, and the reference says what comes out for them.
    fn counts(&self, pool: &Pool, contents: &[Vec<u64>]) -> bool {
        if !assumed::hold(self.question, contents) || !self.are_finite(contents) {
            return false;
        }
        let of = |v: u32| match pool.variables[v as usize] {
            Variable::Input { input, element } => contents[input as usize][element as usize],
            Variable::Undefined(_) | Variable::Counter(_) => 0,
        };
        let mut evaluation = Evaluation::new();
        self.excluded.iter().all(|t| evaluation.value(pool, *t, &of) == 0)
    }

    /// Whether no input is infinite or a NaN, where that is assumed.
    fn are_finite(&self, contents: &[Vec<u64>]) -> bool {
        let is_finite = |ty: Ty, all: &[u64]| all.iter().all(|v| real_value(ty, *v).is_finite());
        let inputs = self.question.inputs.iter().zip(contents);
        !self.question.allowed.has(Assumptions::FINITE)
            || inputs.filter(|(i, _)| i.ty.is_float()).all(|(i, all)| is_finite(i.ty, all))
    }

    /// Whether an element is computed without infinities and NaNs, as far as its terms are known; or nobody assumes that.
    fn counts_as_finite(&self, pool: &Pool, contents: &[Vec<u64>], at: &(usize, u64)) -> bool {
        if !self.question.allowed.has(Assumptions::FINITE) {
            return true;
        }
        let Some(terms) = self.terms.get(at) else { return true };
        let of = |v: u32| match pool.variables[v as usize] {
            Variable::Input { input, element } => contents[input as usize][element as usize],
            Variable::Undefined(_) | Variable::Counter(_) => 0,
        };
        let mut evaluation = Evaluation::new();
        terms.iter().all(|t| evaluation.is_finite(pool, *t, &of))
    }

    /// An element that counts in the end, and that no step has written.
    fn unwritten(&self, at: &Differing) -> Finding {
        let output = &self.question.outputs[at.output];
        let size = i64::from(output.ty.bytes());
        let from = at.element as i64 * size;
        let memory = Memory {
            space: MemorySpace::Global,
            object: Some(output.name.clone()),
            element: Some(at.element as i64),
            bytes: Some([from, from + size]),
            object_size: None,
            element_type: Some(output.element.name().to_owned()),
        };
        let message =
            format!("`{}[{}]` is compared, and no step has written it", output.name, at.element);
        let found = Finding::new(Kind::UninitialisedRead, message, Vec::new());
        Finding { memory: Some(memory), occurrences: at.different, ..found }
    }

    /// What is wrong with a side on the first inputs.
    pub(super) fn faults(&self, pool: &Pool) -> Option<Faults> {
        let inputs = self.chosen(0).filter(|inputs| self.counts(pool, inputs))?;
        for which in 0..2 {
            match self.run(which, &inputs) {
                Err(findings) if findings.iter().any(|f| !f.benign) => {
                    let findings = findings.into_iter().map(|f| (which, f)).collect();
                    return Some(Faults { findings, inputs });
                }
                _ => {}
            }
        }
        None
    }

    /// What a side leaves; nothing where the inputs do not count, or the launch was not executed to its end.
    fn run(&self, which: usize, contents: &[Vec<u64>]) -> Result<Option<Left>, Vec<Finding>> {
        match (&self.question.sides[which], &self.prepared[which]) {
            (Program::Launch(launched), Some(prepared)) => {
                self.launch(which, launched, prepared, contents)
            }
            (Program::Sequence(steps), _) => self.sequence(which, steps, contents),
            _ => Ok(None),
        }
    }

    fn launch(
        &self,
        which: usize,
        launched: &Launched,
        prepared: &Prepared,
        contents: &[Vec<u64>],
    ) -> Result<Option<Left>, Vec<Finding>> {
        let launch = filled(launched, self.question, contents);
        let Ok(outcome) = prepared.simulate(&launch, &self.config) else {
            return Ok(None);
        };
        if outcome.violated.is_some() {
            return Ok(None);
        }
        let errors: Vec<Finding> = outcome.findings.into_iter().filter(is_fault).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        if outcome.incomplete.is_some() {
            return Ok(None);
        }
        let of = |o: &Output| {
            let param = o.params[which];
            let buffer = outcome.buffers.iter().find(|(p, _)| *p == param);
            let bytes = buffer.map(|(_, bytes)| bytes.clone()).unwrap_or_default();
            Bytes { bytes, known: None }
        };
        Ok(Some(self.question.outputs.iter().map(of).collect()))
    }

    fn sequence(
        &self,
        which: usize,
        steps: &Sequenced,
        contents: &[Vec<u64>],
    ) -> Result<Option<Left>, Vec<Finding>> {
        let bytes = |at: usize| match steps.buffers[at] {
            Some(input) => self.question.inputs[input].bytes(&contents[input]),
            None => steps.contents[at].clone(),
        };
        let number = |at: usize| {
            let input = steps.numbers[at]?;
            Some(self.question.inputs[input].text(&contents[input]))
        };
        let ended = execute(steps.sequence, &steps.kernels, &bytes, &number, &self.config);
        let Ok(mut ended) = ended else { return Ok(None) };
        let errors = ended.findings.into_iter().map(|f| f.finding).filter(is_fault);
        let errors: Vec<Finding> = errors.collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let of = |o: &Output| {
            let at = o.params[which];
            let known = ended.known[at].take();
            Bytes { bytes: std::mem::take(&mut ended.buffers[at]), known }
        };
        Ok(Some(self.question.outputs.iter().map(of).collect()))
    }

    /// The first element that differs, and how many do.
    fn differ(
        &self,
        pool: &Pool,
        contents: &[Vec<u64>],
        [first, second]: [&Left; 2],
        places: Option<&[(usize, u64)]>,
    ) -> Option<Differing> {
        let mut found: Option<Differing> = None;
        let mut count = 0;
        for (output, about) in self.question.outputs.iter().enumerate() {
            let size = about.ty.bytes() as usize;
            let (a, b) = (&first[output], &second[output]);
            let elements = a.bytes.len().min(b.bytes.len()) / size;
            for element in 0..elements {
                if places.is_some_and(|p| p.binary_search(&(output, element as u64)).is_err()) {
                    continue;
                }
                let values = [number(&a.bytes, element, size), number(&b.bytes, element, size)];
                if !self.is_equal(about.ty, values)
                    && self.counts_as_finite(pool, contents, &(output, element as u64))
                {
                    count += 1;
                    let unwritten = [a, b].map(|side| !side.is_known(element, size));
                    let element = element as u64;
                    found.get_or_insert(Differing {
                        output,
                        element,
                        values,
                        unwritten,
                        different: 0,
                    });
                }
            }
        }
        found.map(|f| Differing { different: count, ..f })
    }

    fn is_equal(&self, ty: Ty, [a, b]: [u64; 2]) -> bool {
        if is_same(ty, a, b) {
            return true;
        }
        if !ty.is_float() {
            return false;
        }
        let allowed = self.question.allowed;
        let (x, y) = (real_value(ty, a), real_value(ty, b));
        if allowed.has(Assumptions::POSITIVE_ZERO) && x == y {
            return true;
        }
        if allowed.has(Assumptions::FINITE) && !(x.is_finite() && y.is_finite()) {
            return true;
        }
        // Another order of operations rounds differently: what is that small is no difference.
        let rounds = allowed.has(Assumptions::ASSOCIATIVE) || allowed.has(Assumptions::CONTRACTION);
        let coarse = Tolerance { ulp: 0, relative: 1e-2, absolute: 1e-3 };
        rounds && is_within(ty, a, b, coarse)
            || self.question.tolerance.is_some_and(|t| is_within(ty, a, b, t))
    }

    /// The same difference with as many zeros and as few inputs as can be had cheaply.
    fn plainer(
        &self,
        pool: &Pool,
        contents: Vec<Vec<u64>>,
        found: &Differing,
        places: Option<&[(usize, u64)]>,
    ) -> Difference {
        let differs = |contents: &[Vec<u64>]| {
            if !self.counts(pool, contents) {
                return None;
            }
            let a = self.run(0, contents).ok().flatten()?;
            let b = self.run(1, contents).ok().flatten()?;
            self.differ(pool, contents, [&a, &b], places)
        };
        let mut best = contents;
        let mut at = *found;
        let total: usize = best.iter().map(Vec::len).sum();
        // One by one, many elements take too long; and zeros with one number among them are no shorter.
        let mut tries = if total as u64 > inputs::MANY { 0 } else { 200 };
        // Halves, quarters, … of each input set to zero, while something differs.
        let mut part = total.next_power_of_two();
        while part >= 1 && tries > 0 {
            for input in 0..best.len() {
                // The end first: what is left is near the beginning.
                let mut to = best[input].len();
                while to > 0 && tries > 0 && !is_over(self.question) {
                    let from = (to - 1) / part * part;
                    if best[input][from..to].iter().any(|v| *v != 0) {
                        let mut trial = best.clone();
                        trial[input][from..to].fill(0);
                        tries -= 1;
                        if let Some(still) = differs(&trial) {
                            (best, at) = (trial, still);
                        }
                    }
                    to = from;
                }
            }
            part /= 2;
        }
        // What is left is one, if that will do.
        for input in 0..best.len() {
            let ty = self.question.inputs[input].ty;
            let one = if ty.is_float() { real_bits(ty, 1.0) } else { 1 };
            for element in 0..best[input].len() {
                let is_plain = best[input][element] == 0 || best[input][element] == one;
                if is_plain || tries == 0 || is_over(self.question) {
                    continue;
                }
                let mut trial = best.clone();
                trial[input][element] = one;
                tries -= 1;
                if let Some(still) = differs(&trial) {
                    (best, at) = (trial, still);
                }
            }
        }
        Difference { at, inputs: best }
    }
}

/// Whether what a side leaves says nothing.
fn is_fault(finding: &Finding) -> bool {
    finding.severity == Severity::Error || finding.benign
}

fn number(bytes: &[u8], element: usize, size: usize) -> u64 {
    let mut raw = [0; 8];
    raw[..size].copy_from_slice(&bytes[element * size..(element + 1) * size]);
    u64::from_le_bytes(raw)
}

/// The launch with these inputs.
fn filled(launched: &Launched, question: &Question, contents: &[Vec<u64>]) -> BoundLaunch {
    let mut launch = launched.launch.clone();
    for (param, input) in launched.inputs.iter().enumerate() {
        let Some(input) = *input else { continue };
        let values = &contents[input];
        launch.args[param] = match launched.kernel.params[param].kind {
            ParamKind::Scalar { .. } => BoundArg::Scalar(values.clone()),
            kind => {
                let bytes = question.inputs[input].bytes(values);
                match kind {
                    ParamKind::Aggregate { .. } => BoundArg::Aggregate(bytes),
                    _ => BoundArg::Buffer(bytes.into()),
                }
            }
        };
    }
    launch
}

/// Whether two floats are as near to each other as the tolerance says.
fn is_within(ty: Ty, a: u64, b: u64, tolerance: Tolerance) -> bool {
    let (x, y) = (real_value(ty, a), real_value(ty, b));
    if x.is_nan() || y.is_nan() || x.is_infinite() || y.is_infinite() {
        return false;
    }
    let allowed = tolerance.absolute + tolerance.relative * x.abs();
    (x - y).abs() <= allowed || ordinal(ty, a).abs_diff(ordinal(ty, b)) <= tolerance.ulp
}

/// The place of a float among all of its type.
fn ordinal(ty: Ty, bits: u64) -> i64 {
    let sign = 1u64 << (ty.bits() - 1);
    let magnitude = (bits & (sign - 1)) as i64;
    if bits & sign == 0 { magnitude } else { -magnitude }
}
