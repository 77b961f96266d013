//! A sequence in the simulator.

use lockstep_finding::{
    Access, Action, ArgValue, Finding, Kind, Launch, Memory, MemorySpace, Reason, Severity,
};
use lockstep_kernel::Kernel;
use lockstep_simulate::{BufferUse, Config, buffer_uses, simulate};

use crate::bound::Arguments;
use crate::model::{LaunchStep, Sequence, Start, Task};
use crate::queue::{EarlyLook, Release};

/// What a sequence leaves, and what was found on the way.
#[derive(Clone, Debug, Default)]
pub struct Executed {
    /// By number of the buffer; also of those that were released.
    pub buffers: Vec<Vec<u8>>,
    /// Which of their bytes have a value; `None` where all have.
    pub known: Vec<Option<Vec<bool>>>,
    pub findings: Vec<Found>,
}

#[derive(Clone, Debug)]
pub struct Found {
    /// Of the launch or the copy, by number.
    pub step: usize,
    pub finding: Finding,
}

/// Why there is no result.
#[derive(Clone, Debug)]
pub enum Failed {
    /// A launch cannot be made, in words.
    Launch(String),
    /// It was not executed to its end.
    Incomplete { step: usize, because: Reason },
    /// Its kernel's precondition does not hold.
    Precondition { step: usize },
}

/// The memory of a buffer.
struct Memo {
    bytes: Vec<u8>,
    /// Which of them have a value; `None` if all have.
    known: Option<Vec<bool>>,
}

/// Runs a sequence. `kernels` has the kernel of each launch, in order; `contents` gives the bytes of a buffer before the first
/// step, also of one that nobody has written, and `number` the values of numbers that are open, both by position.
pub fn execute(
    sequence: &Sequence,
    kernels: &[&Kernel],
    contents: &dyn Fn(usize) -> Vec<u8>,
    number: &dyn Fn(usize) -> Option<String>,
    config: &Config,
) -> Result<Executed, Failed> {
    let memory = sequence.buffers.iter().enumerate().map(|(at, buffer)| {
        let mut bytes = contents(at);
        bytes.resize(buffer.array.bytes() as usize, 0);
        let known = (buffer.start == Start::Unwritten).then(|| vec![false; bytes.len()]);
        Memo { bytes, known }
    });
    let mut machine = Machine {
        sequence,
        memory: memory.collect(),
        is_of_device: vec![false; sequence.buffers.len()],
        findings: Vec::new(),
    };
    let mut kernels = kernels.iter();
    for (step, done) in sequence.steps.iter().enumerate() {
        match &done.task {
            Task::Launch(launch) => {
                let kernel = kernels.next().ok_or(Failed::Launch("a kernel is missing".into()))?;
                let wrong = |e: String| {
                    Failed::Launch(format!("step {}: kernel {}: {e}", step + 1, kernel.name))
                };
                let arguments = sequence.arguments(launch, kernel, number).map_err(wrong)?;
                machine.launch(step, launch, kernel, &arguments, config)?;
            }
            Task::Copy { from, to, .. } => {
                let (Some(from), Some(to)) = (sequence.position(from), sequence.position(to))
                else {
                    continue;
                };
                if machine.host_uses(step, from, Action::HostCopy)
                    && machine.host_uses(step, to, Action::HostCopy)
                {
                    let Memo { bytes, known } = &machine.memory[from];
                    machine.memory[to] = Memo { bytes: bytes.clone(), known: known.clone() };
                }
            }
            Task::Fill { buffer, byte } => {
                let Some(at) = sequence.position(buffer) else { continue };
                if machine.host_uses(step, at, Action::HostFill) {
                    machine.memory[at].bytes.fill(*byte);
                    machine.memory[at].known = None;
                }
            }
            Task::Wait => {}
            Task::Free { buffer } => {
                let Some(at) = sequence.position(buffer) else { continue };
                machine.host_uses(step, at, Action::HostFree);
            }
        }
    }
    machine.early_looks();
    let mut findings = machine.findings;
    findings.sort_by_key(|f| f.step);
    let (buffers, known) = machine.memory.into_iter().map(|m| (m.bytes, m.known)).unzip();
    Ok(Executed { buffers, known, findings })
}

struct Machine<'a> {
    sequence: &'a Sequence,
    memory: Vec<Memo>,
    /// The buffers that a launch is given.
    is_of_device: Vec<bool>,
    findings: Vec<Found>,
}

impl Machine<'_> {
    fn name(&self, buffer: usize) -> &str {
        &self.sequence.buffers[buffer].name
    }

    fn find(&mut self, step: usize, finding: Finding) {
        self.findings.push(Found { step, finding });
    }

    /// What the host does in a step.
    fn by_host(&self, step: usize, op: Action) -> Access {
        let place = self.sequence.steps[step].place.clone();
        let notes = vec![step_text(self.sequence, step)];
        Access { op, thread: None, block: [0; 3], place, value: None, notes }
    }

    /// Whether the buffer is there, which a step of the host itself uses.
    fn host_uses(&mut self, step: usize, buffer: usize, op: Action) -> bool {
        let Some(release) = self.sequence.release(step, buffer) else { return true };
        let by = self.by_host(step, op);
        let finding = self.released(step, buffer, release, by);
        self.find(step, finding);
        release.is_later
    }

    /// A use of a buffer after its release.
    fn released(&self, step: usize, buffer: usize, release: Release, by: Access) -> Finding {
        let name = self.name(buffer);
        let (own, other) = (step + 1, release.step + 1);
        let (message, help) = match release.is_later {
            true => (
                format!(
                    "`{name}` is released in step {other} while step {own} may still be waiting to use it"
                ),
                format!("wait for step {own} before `{name}` is released"),
            ),
            false if by.op == Action::HostFree => (
                format!("`{name}` is released in step {own}, but it was released in step {other}"),
                format!("release `{name}` once"),
            ),
            false => (
                format!("`{name}` is used in step {own}, but it was released in step {other}"),
                format!("release `{name}` after its last use"),
            ),
        };
        let accesses = vec![by, self.by_host(release.step, Action::HostFree)];
        let mut finding = Finding::new(Kind::UseAfterFree, message, accesses);
        finding.help = vec![help];
        finding.memory = Some(self.in_buffer(buffer, None));
        finding
    }

    fn in_buffer(&self, buffer: usize, byte: Option<u64>) -> Memory {
        let array = &self.sequence.buffers[buffer].array;
        let size = u64::from(array.lanes) * array.element.size() as u64;
        let at = byte.map(|b| b / size);
        Memory {
            space: MemorySpace::Global,
            object: Some(self.name(buffer).to_owned()),
            element: at.map(|e| e as i64),
            bytes: at.map(|e| [(e * size) as i64, ((e + 1) * size) as i64]),
            object_size: Some(array.bytes()),
            element_type: None,
        }
    }

    /// What the host touches while a copy may still be under way.
    fn early_looks(&mut self) {
        let compared: Vec<usize> =
            self.sequence.compare.iter().filter_map(|n| self.sequence.position(n)).collect();
        for look in self.sequence.early_looks(&self.is_of_device, &compared) {
            let EarlyLook { copy, buffer, is_target, filled } = look;
            let name = self.name(buffer);
            let doing = if is_target { "writing" } else { "reading" };
            let message = match filled {
                Some(step) => format!(
                    "`{name}` is filled in step {} while the copy of step {} may still be {doing} it",
                    step + 1,
                    copy + 1
                ),
                None => format!(
                    "`{name}` is compared while the copy of step {} may still be {doing} it",
                    copy + 1
                ),
            };
            let fills = filled.map(|step| self.by_host(step, Action::HostFill));
            let accesses = [self.by_host(copy, Action::HostCopy)].into_iter().chain(fills);
            let mut finding = Finding::new(Kind::DataRace, message, accesses.collect());
            finding.help = vec![format!("wait for the copy of step {} before that", copy + 1)];
            finding.memory = Some(self.in_buffer(buffer, None));
            self.find(copy, finding);
        }
    }

    fn launch(
        &mut self,
        step: usize,
        launch: &LaunchStep,
        kernel: &Kernel,
        arguments: &Arguments,
        config: &Config,
    ) -> Result<(), Failed> {
        let wrong =
            |e: String| Failed::Launch(format!("step {}: kernel {}: {e}", step + 1, kernel.name));
        let buffers = &arguments.buffers;
        buffers.iter().flatten().for_each(|at| self.is_of_device[*at] = true);
        let bound = launch.bind(kernel, arguments, &|at| self.memory[at].bytes.clone());
        let bound = bound.map_err(wrong)?;
        let known: Vec<Option<Vec<bool>>> =
            buffers.iter().map(|b| b.and_then(|at| self.memory[at].known.clone())).collect();
        let outcome = simulate(kernel, &bound, config).map_err(|e| wrong(e.to_string()))?;
        let made = self.made(launch, kernel, arguments, &outcome.findings);
        let races = outcome.findings.iter().any(|f| f.severity == Severity::Error);
        for mut finding in outcome.findings {
            finding.launch = made.clone();
            self.note_step(step, &mut finding);
            self.find(step, finding);
        }
        if outcome.violated.is_some() {
            return Err(Failed::Precondition { step });
        }
        if let Some(because) = outcome.incomplete
            && !races
        {
            return Err(Failed::Incomplete { step, because });
        }
        let uses = buffer_uses(kernel, &bound, config, &known).map_err(|e| wrong(e.to_string()))?;
        for used in &uses {
            let Some(at) = buffers[used.param] else { continue };
            if let Some(release) = self.sequence.release(step, at) {
                let mut finding = self.released(step, at, release, used.first.clone());
                self.note_step(step, &mut finding);
                self.find(step, finding);
            }
            if !races {
                self.unwritten(step, at, used);
            }
            if let Some(known) = &mut self.memory[at].known {
                used.written.iter().for_each(|b| known[*b as usize] = true);
            }
        }
        for (param, bytes) in outcome.buffers {
            if let Some(at) = buffers[param] {
                self.memory[at].bytes = bytes;
            }
        }
        Ok(())
    }

    /// The launch with what its arrays hold now, where somebody wants to repeat it.
    fn made(
        &self,
        launch: &LaunchStep,
        kernel: &Kernel,
        arguments: &Arguments,
        findings: &[Finding],
    ) -> Option<Launch> {
        findings.first()?;
        let held = |(name, value): &(String, ArgValue)| {
            let param = kernel.params.iter().position(|p| p.name == *name);
            let buffer = param.and_then(|i| arguments.buffers[i]);
            let value = match (value, buffer) {
                (ArgValue::Array(spec), Some(at)) => {
                    ArgValue::Array(spec.with_bytes(&self.memory[at].bytes))
                }
                _ => value.clone(),
            };
            (name.clone(), value)
        };
        Some(launch.launch(arguments.values.iter().map(held).collect()))
    }

    /// Says of the first access in which step it is.
    fn note_step(&self, step: usize, finding: &mut Finding) {
        if let Some(first) = finding.accesses.iter_mut().find(|a| !a.op.is_of_host()) {
            first.notes.push(step_text(self.sequence, step));
        }
    }

    /// A read of what nobody has written.
    fn unwritten(&mut self, step: usize, buffer: usize, used: &BufferUse) {
        let Some((byte, access)) = &used.unwritten else { return };
        let name = self.name(buffer);
        let memory = self.in_buffer(buffer, Some(*byte));
        let message = format!(
            "element {} of `{name}` is read in step {}, and nobody has written it",
            memory.element.unwrap_or_default(),
            step + 1
        );
        let help = vec![format!("fill `{name}` before step {}", step + 1)];
        let mut finding = Finding {
            help,
            memory: Some(memory),
            ..Finding::new(Kind::UninitialisedRead, message, vec![access.clone()])
        };
        self.note_step(step, &mut finding);
        self.find(step, finding);
    }
}

/// `step 2 of run.toml`.
pub fn step_text(sequence: &Sequence, step: usize) -> String {
    let what = format!("step {} of {}", step + 1, sequence.name);
    match &sequence.steps[step].task {
        Task::Launch(launch) => format!("in {what}, {}", launch.kernel),
        _ => format!("in {what}"),
    }
}
