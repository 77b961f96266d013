//! One candidate simulated in full.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use lockstep_finding::{Action, Confidence, Finding, Kind, Launch, Reason, Severity};
use lockstep_kernel::slice::{address_slice, is_read_for_use, used};
use lockstep_kernel::{
    Array, AtomicOp, Kernel, Object, Op, Operand, Site, SiteId, Space as Memory,
};
use lockstep_simulate::{Config, Outcome, Prepared};
use rustc_hash::FxHashMap;

use crate::explore::ledger::Key;
use crate::settings::{Settings, is_over};
use crate::space::Space;
use crate::space::candidate::Candidate;
use crate::space::initial_contents::synchronising;
use crate::space::launch::{Shelf, Sizes};
use crate::space::places::is_at;

/// How often a launch is repeated with larger arrays.
const RETRIES: usize = 6;

pub(crate) struct Trial {
    pub(crate) candidate: Candidate,
    pub(crate) launch: Launch,
    pub(crate) outcome: Outcome,
    /// Findings that were dropped because a choice by Lockstep may have caused them.
    pub(crate) doubts: Vec<(Kind, Reason)>,
    /// Whether threads accessed memory beyond a shared array of fixed size, and Lockstep chose the block.
    pub(crate) overflows: bool,
    /// Whether threads accessed memory beyond an array whose size Lockstep chose, and which could not be made larger.
    pub(crate) beyond: bool,
    /// Where each bug is among the findings, computed on first use.
    pub(crate) places: OnceCell<FxHashMap<Key, usize>>,
}

/// The environment of all trials.
pub(crate) struct Lab<'a> {
    pub(crate) space: &'a Space<'a>,
    pub(crate) config: Config,
    pub(crate) seed: u64,
    pub(crate) shelf: Shelf,
    /// Arrays for which growing is useless.
    pub(crate) vain: RefCell<Vec<String>>,
    /// The sizes that arrays needed.
    pub(crate) sizes: RefCell<Sizes>,
    pub(crate) allowed: &'a (dyn Fn(&Launch) -> bool + Sync),
    /// The reads that steer threads, computed on first use.
    pub(crate) steering: OnceCell<Steering>,
    /// The blocks to execute, if not all.
    pub(crate) only: RefCell<Option<Arc<[u32]>>>,
    prepared: OnceCell<Prepared<'a>>,
}

impl<'a> Lab<'a> {
    pub(crate) fn new(space: &'a Space<'a>, settings: &Settings<'a>) -> Lab<'a> {
        let mut config = settings.config.clone();
        // Needed even if the user did not request them: they determine the growth of arrays and the judgement of
        // launches.
        for kind in [Kind::OutOfBounds, Kind::Deadlock] {
            if !config.kinds.contains(&kind) {
                config.kinds.push(kind);
            }
        }
        config.outputs = !space.flags().is_empty();
        Lab {
            space,
            config,
            seed: settings.seed,
            shelf: Shelf::default(),
            vain: RefCell::default(),
            sizes: RefCell::default(),
            allowed: settings.allowed,
            steering: OnceCell::new(),
            only: RefCell::default(),
            prepared: OnceCell::new(),
        }
    }

    /// Simulates, with larger arrays as long as only sizes that Lockstep chose were too small; `None` where a
    /// precondition or a device does not allow the launch. The candidate agrees with all relations.
    ///
    /// With `again`, arrays start with their usual sizes, so that a witness has none larger than needed; otherwise with
    /// the sizes that other launches needed.
    pub(crate) fn try_out(
        &self,
        candidate: &Candidate,
        steps: u64,
        again: bool,
    ) -> Result<Option<Trial>, String> {
        if !self.space.is_possible(candidate) {
            return Ok(None);
        }
        let mut sizes = if again { Sizes::default() } else { self.sizes.borrow().moderate() };
        let mut launch = self.space.launch(candidate, &sizes, self.seed);
        if !(self.allowed)(&launch) {
            return Ok(None);
        }
        let mut outcome = self.simulate(&launch, steps)?;
        for _ in 0..RETRIES {
            // A launch that exhausted its budget would do so again.
            let mut vain = self.vain.borrow_mut();
            let findings = &outcome.findings;
            if outcome.incomplete.is_some()
                || is_over(&self.config)
                || !sizes.grow(self.space, candidate, &launch, findings, &mut vain)
            {
                break;
            }
            launch = self.space.launch(candidate, &sizes, self.seed);
            outcome = self.simulate(&launch, steps)?;
        }
        if !again {
            *self.sizes.borrow_mut() = sizes;
        }
        if outcome.violated.is_some() {
            return Ok(None);
        }
        let overflows = outcome.findings.iter().any(|f| self.is_overflow(f));
        let is_beyond = |f: &Finding| {
            self.space.explains(f, candidate).is_some()
                && f.memory.as_ref().is_some_and(|m| m.object.is_some())
        };
        let beyond = outcome.findings.iter().any(is_beyond);
        let doubts = self.drop_doubtful(&mut outcome, candidate);
        let candidate = candidate.clone();
        Ok(Some(Trial {
            candidate,
            launch,
            outcome,
            doubts,
            overflows,
            beyond,
            places: OnceCell::new(),
        }))
    }

    pub(crate) fn simulate(&self, launch: &Launch, steps: u64) -> Result<Outcome, String> {
        let bound = self.shelf.bind(self.space.kernel, launch)?;
        let only = self.only.borrow().clone();
        let config = Config { max_steps: steps.max(1), only, ..self.config.clone() };
        self.prepared().simulate(&bound, &config).map_err(|e| e.to_string())
    }

    /// The kernel as it is simulated.
    pub(crate) fn prepared(&self) -> &Prepared<'a> {
        self.prepared.get_or_init(|| Prepared::new(self.space.kernel))
    }

    /// Removes findings that a choice by Lockstep may have caused, and returns why; lowers the confidence of those that
    /// may depend on values that a caller would choose differently.
    fn drop_doubtful(&self, outcome: &mut Outcome, candidate: &Candidate) -> Vec<(Kind, Reason)> {
        let mut doubts = Vec::new();
        let mut astray = None;
        let table = outcome.findings.iter().find_map(|f| self.table_left(f));
        for f in outcome.findings.iter_mut().filter(|f| f.benign) {
            if self.stores_what_nobody_set(f) {
                f.benign = false;
                f.severity = Severity::Error;
            }
        }
        for f in &mut outcome.findings {
            f.help.extend(self.space.size_by_the_host(f, candidate));
        }
        outcome.findings.retain(|f| {
            let ours = self.space.explains(f, candidate);
            if self.steers(f) {
                astray = ours.clone().or_else(|| self.is_led_outside(f)).or(astray.take());
            }
            let doubt = ours.or_else(|| self.doubt_dimensions(f, candidate));
            let keep = doubt.is_none();
            doubts.extend(doubt.map(|because| (f.kind, because)));
            keep
        });
        // A value read beyond an array that Lockstep allocated is not a caller's value; where addresses or branches
        // depend on it, the behaviour of the threads is meaningless too.
        if let Some(because) = astray {
            doubts.extend(outcome.findings.drain(..).map(|f| (f.kind, because.clone())));
        }
        // Nor would a caller leave its variables unset.
        if !outcome.findings.is_empty()
            && let Some(name) = &self.steering().unset
        {
            let because = Reason::SetByHost { variable: name.clone() };
            for f in &mut outcome.findings {
                f.confidence = Confidence::Possible;
                doubts.push((f.kind, because.clone()));
            }
        }
        if self.space.chose_values() {
            let rests = |f: &&mut Finding| match f.kind {
                // Whether it depends on them is examined later.
                Kind::OutOfBounds if self.space.is_of_fixed_shared(f) => false,
                Kind::OutOfBounds => !self.space.is_beyond_the_hosts(f, candidate),
                kind => kind == Kind::Assertion,
            };
            for f in outcome.findings.iter_mut().filter(rests) {
                f.confidence = Confidence::Possible;
                doubts.push((f.kind, Reason::ChosenArguments));
            }
            // A caller passes no more taps than the table of a filter has.
            if let Some(name) = table {
                let because = Reason::TableLeft { table: name };
                for f in outcome.findings.iter_mut().filter(|f| f.kind != Kind::OutOfBounds) {
                    f.confidence = Confidence::Possible;
                    doubts.push((f.kind, because.clone()));
                }
            }
        }
        doubts
    }

    /// Whether threads store the same value only because a variable that it is computed from is zero, although other
    /// code sets it. Contents of arguments do not count here: they are varied to distinguish values.
    fn stores_what_nobody_set(&self, finding: &Finding) -> bool {
        let space = self.space;
        let kernel = space.kernel;
        let is_unset = |array: &Array| match *array {
            Array::Param(_) => false,
            Array::Object(o) => {
                let object = &kernel.objects[o.0 as usize];
                let is_zero = object.init.as_ref().is_none_or(|i| i.iter().all(|&b| b == 0));
                object.space == Memory::Global
                    && !object.fixed
                    && is_zero
                    && synchronising(kernel, &object.name).is_empty()
            }
        };
        let stores = finding.accesses.iter().filter(|a| a.op == Action::Write);
        let mut sites = stores.flat_map(|access| {
            let of_it = move |(site, _): &(&Site, _)| is_at(kernel, site, access);
            kernel.sites.iter().zip(&space.hints.stored_from).filter(of_it)
        });
        sites.any(|(_, from)| from.iter().any(is_unset))
    }

    /// The constant array of fixed size that is read beyond its end.
    fn table_left(&self, finding: &Finding) -> Option<String> {
        let name = finding.memory.as_ref()?.object.as_ref()?;
        let is_it = |o: &Object| o.space == Memory::Constant && o.name == *name;
        let is_left =
            finding.kind == Kind::OutOfBounds && self.space.kernel.objects.iter().any(is_it);
        is_left.then(|| name.clone())
    }

    /// Whether the finding is a read whose value steers the threads.
    fn steers(&self, finding: &Finding) -> bool {
        let places = &self.steering().places;
        let access = finding.accesses.first();
        access.is_some_and(|a| {
            a.op != Action::Write && places.contains(&(a.place.line, a.place.column))
        })
    }

    /// An access before an array's first element, where no size would help, caused by elements that Lockstep chose.
    fn is_led_outside(&self, finding: &Finding) -> Option<Reason> {
        let space = self.space;
        let access = finding.accesses.first().filter(|_| finding.kind == Kind::OutOfBounds)?;
        let mut sites = space.kernel.sites.iter().zip(&space.hints.led_by);
        let (_, led) = sites.find(|(s, led)| is_at(space.kernel, s, access) && !led.is_empty())?;
        let array = space.arrays.iter().find(|a| led.contains(&a.param))?;
        Some(Reason::ChosenContents { array: space.kernel.params[array.param].name.clone() })
    }

    fn steering(&self) -> &Steering {
        self.steering.get_or_init(|| Steering::of(self.space.kernel))
    }

    /// Whether a smaller block would have stayed within a shared array, and there are no launch bounds that imply
    /// larger ones.
    fn is_overflow(&self, finding: &Finding) -> bool {
        self.space.given.block.is_none()
            && self.space.kernel.most_threads.is_none()
            && self.space.is_of_fixed_shared(finding)
    }

    fn doubt_dimensions(&self, finding: &Finding, candidate: &Candidate) -> Option<Reason> {
        let given = self.space.given;
        let chosen = given.block.is_none() || given.grid.is_none();
        let is_hosts = || self.space.is_beyond_the_hosts(finding, candidate);
        // The size of a shared array was not guessed.
        let is_ours = finding.kind == Kind::OutOfBounds && !self.space.is_of_fixed_shared(finding);
        (is_ours && chosen && !is_hosts()).then_some(Reason::ChosenDimensions)
    }
}

impl Space<'_> {
    /// Whether a finding is an access outside of a shared array whose size is given in the kernel, or computed by the host.
    pub(crate) fn is_of_fixed_shared(&self, finding: &Finding) -> bool {
        let object = finding.memory.as_ref().and_then(|m| m.object.as_ref());
        let is_by_host = self.given.shared.is_none() && self.given.shared_size.is_some();
        let is_fixed = |name: &String| {
            let mut objects = self.kernel.objects.iter();
            let is_sized = |o: &Object| !o.dynamic || is_by_host;
            objects.any(|o| o.space == Memory::Shared && is_sized(o) && o.name == *name)
        };
        finding.kind == Kind::OutOfBounds && object.is_some_and(is_fixed)
    }
}

/// The reads whose values determine addresses, or branches around accesses.
pub(crate) struct Steering {
    /// Their lines and columns.
    places: Vec<(u32, u32)>,
    /// A variable among these that other code sets: without an initial value, and never written here, or only
    /// decremented.
    unset: Option<String>,
}

impl Steering {
    fn of(kernel: &Kernel) -> Steering {
        let slice = address_slice(kernel);
        let used = used(&slice);
        let reads = || slice.insts().filter(|i| is_read_for_use(i, &used));
        let sites = || reads().filter_map(|i| i.op.site()).map(|s| slice.site(s));
        let is_unset = |o: &&Object| {
            let zero = o.init.as_ref().is_none_or(|init| init.iter().all(|&b| b == 0));
            let of_host = match o.space {
                Memory::Constant => true,
                Memory::Global => is_set_elsewhere(kernel, o),
                _ => false,
            };
            // A variable that is a parameter here, such as a texture, has a value in the launch.
            let is_param = kernel.params.iter().any(|p| p.name == o.name);
            let unset = of_host && !is_param && !o.fixed && zero && o.relocations.is_empty();
            unset && sites().any(|s| s.through.as_deref() == Some(o.name.as_str()))
        };
        Steering {
            places: sites().map(|s| slice.loc(s.loc)).map(|l| (l.line, l.column)).collect(),
            unset: slice.objects.iter().find(is_unset).map(|o| o.name.clone()),
        }
    }
}

/// Whether the kernel does not set a variable: it does not write it, or only counts it down.
fn is_set_elsewhere(kernel: &Kernel, object: &Object) -> bool {
    let of_it = |site: SiteId| kernel.site(site).through.as_ref() == Some(&object.name);
    let mut written = false;
    let mut lessened = false;
    for inst in kernel.insts() {
        match inst.op {
            Op::Atomic { op: AtomicOp::Load, .. } => {}
            Op::Atomic { op, site, value, .. } if of_it(site) => {
                let is_minus = matches!(value, Operand::Imm(v) if (v as i32) < 0);
                lessened |= match op {
                    AtomicOp::Add => is_minus,
                    AtomicOp::Sub => !is_minus,
                    AtomicOp::Dec | AtomicOp::And | AtomicOp::SMin | AtomicOp::UMin => true,
                    _ => false,
                };
                written = true;
            }
            Op::Store { site, .. } | Op::MemSet { site, .. } => written |= of_it(site),
            Op::MemCopy { write, .. } | Op::GroupCopy { write, .. } => written |= of_it(write),
            _ => {}
        }
    }
    !written || lessened
}
