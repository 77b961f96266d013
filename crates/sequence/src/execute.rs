//! A sequence in the simulator.

use lockstep_finding::{ArgValue, Finding, Kind, Launch, Memory, MemorySpace, Severity};
use lockstep_kernel::{Kernel, ParamKind};
use lockstep_simulate::{BufferUse, Bytes, Config, bind, buffer_uses, simulate};

use crate::model::{Buffer, LaunchStep, Sequence, Start, Step};

/// What a sequence leaves, and what was found on the way.
#[derive(Clone, Debug, Default)]
pub struct Executed {
    /// By number of the buffer; also of those that were released.
    pub buffers: Vec<Vec<u8>>,
    pub findings: Vec<Found>,
}

#[derive(Clone, Debug)]
pub struct Found {
    /// The launch, by number of its step.
    pub step: usize,
    pub finding: Finding,
}

/// The memory of a buffer.
struct Memo<'a> {
    buffer: &'a Buffer,
    bytes: Vec<u8>,
    /// Which of them have a value; `None` if all have.
    known: Option<Vec<bool>>,
    /// The step that released it.
    freed: Option<usize>,
}

/// What was started and may not have ended: its step, and the buffers that it accessed.
struct Started {
    step: usize,
    touched: Vec<(usize, Option<BufferUse>)>,
}

/// Runs a sequence. `kernels` has the kernel of each launch, in order; `contents` the bytes of buffers and the values of
/// numbers that are open, by name.
pub fn execute(
    sequence: &Sequence,
    kernels: &[&Kernel],
    contents: &dyn Fn(&Buffer) -> Result<Vec<u8>, String>,
    number: &dyn Fn(&str) -> Option<String>,
    config: &Config,
) -> Result<Executed, String> {
    let mut memory = Vec::new();
    for buffer in &sequence.buffers {
        let bytes = match buffer.start {
            Start::Unwritten => vec![0; buffer.array.bytes() as usize],
            Start::Filled | Start::Symbolic => contents(buffer)?,
        };
        let known = (buffer.start == Start::Unwritten).then(|| vec![false; bytes.len()]);
        memory.push(Memo { buffer, bytes, known, freed: None });
    }
    let mut machine = Machine { sequence, memory, queue: Vec::new(), findings: Vec::new() };
    let mut kernels = kernels.iter();
    for (step, action) in sequence.steps.iter().enumerate() {
        match action {
            Step::Launch(launch) => {
                let kernel = kernels.next().ok_or("a launch without a kernel")?;
                machine
                    .launch(step, launch, kernel, number, config)
                    .map_err(|e| format!("step {}: kernel {}: {e}", step + 1, kernel.name))?;
            }
            Step::Copy { from, to, asynchronous } => machine.copy(step, from, to, *asynchronous)?,
            Step::Fill { buffer, byte } => {
                let at = machine.live(step, buffer)?;
                machine.memory[at].bytes.fill(*byte);
                machine.memory[at].known = None;
            }
            Step::Wait => machine.queue.clear(),
            Step::Free { buffer } => machine.free(step, buffer)?,
        }
    }
    let buffers = machine.memory.into_iter().map(|m| m.bytes).collect();
    Ok(Executed { buffers, findings: machine.findings })
}

struct Machine<'a> {
    sequence: &'a Sequence,
    memory: Vec<Memo<'a>>,
    queue: Vec<Started>,
    findings: Vec<Found>,
}

impl Machine<'_> {
    fn find(&self, name: &str) -> Option<usize> {
        self.sequence.buffers.iter().position(|b| b.name == name)
    }

    /// A buffer that the host itself accesses, and must not have released.
    fn live(&self, step: usize, name: &str) -> Result<usize, String> {
        let at = self.find(name).ok_or_else(|| format!("there is no buffer '{name}'"))?;
        match self.memory[at].freed {
            Some(freed) => {
                Err(format!("step {}: '{name}' was released in step {}", step + 1, freed + 1))
            }
            None => Ok(at),
        }
    }

    fn copy(&mut self, step: usize, from: &str, to: &str, later: bool) -> Result<(), String> {
        let (from, to) = (self.live(step, from)?, self.live(step, to)?);
        (self.memory[to].bytes, self.memory[to].known) =
            (self.memory[from].bytes.clone(), self.memory[from].known.clone());
        match later {
            true => self.queue.push(Started { step, touched: vec![(from, None), (to, None)] }),
            false => self.queue.clear(),
        }
        Ok(())
    }

    fn free(&mut self, step: usize, name: &str) -> Result<(), String> {
        let at = self.live(step, name)?;
        self.memory[at].freed = Some(step);
        for started in &self.queue {
            let touched = started.touched.iter().find(|(b, _)| *b == at);
            if let Some((_, used)) = touched {
                let message = format!(
                    "`{name}` is released in step {} while step {} may still be waiting to use it",
                    step + 1,
                    started.step + 1
                );
                let help =
                    format!("wait for step {} before `{name}` is released", started.step + 1);
                let found = released(name, message, help, used.as_ref());
                self.findings.push(Found { step: started.step, finding: found });
            }
        }
        Ok(())
    }

    fn launch(
        &mut self,
        step: usize,
        launch: &LaunchStep,
        kernel: &Kernel,
        number: &dyn Fn(&str) -> Option<String>,
        config: &Config,
    ) -> Result<(), String> {
        let (args, buffers) = self.arguments(launch, kernel, number)?;
        let made = Launch {
            grid: launch.grid,
            block: launch.block,
            shared: launch.shared,
            args,
            ..Launch::default()
        };
        let of = |name: &str| {
            let param = kernel.params.iter().position(|p| p.name == name)?;
            buffers[param]
        };
        let bound = bind::bind_with(kernel, &made, &|name, spec| match of(name) {
            Some(at) => Ok(Bytes::from(self.memory[at].bytes.clone())),
            None => Ok(spec.to_bytes(name, made.seed)?.into()),
        })?;
        let known: Vec<Option<Vec<bool>>> =
            buffers.iter().map(|b| b.and_then(|at| self.memory[at].known.clone())).collect();
        let outcome = simulate(kernel, &bound, config).map_err(|e| e.to_string())?;
        if let Some(because) = &outcome.incomplete {
            return Err(format!("it was not executed: {because}"));
        }
        let uses = buffer_uses(kernel, &bound, config, &known).map_err(|e| e.to_string())?;
        let races = outcome.findings.iter().any(|f| f.severity == Severity::Error);
        self.findings.extend(outcome.findings.into_iter().map(|mut finding| {
            finding.launch = Some(made.clone());
            Found { step, finding }
        }));
        for (param, bytes) in outcome.buffers {
            if let Some(at) = buffers[param] {
                self.memory[at].bytes = bytes;
            }
        }
        let mut touched = Vec::new();
        for used in uses {
            let Some(at) = buffers[used.param] else { continue };
            let memo = &mut self.memory[at];
            let name = &memo.buffer.name;
            if let Some(freed) = memo.freed {
                let message = format!(
                    "`{name}` is used in step {}, but it was released in step {}",
                    step + 1,
                    freed + 1
                );
                let help = format!("release `{name}` after its last use");
                let finding = released(name, message, help, Some(&used));
                self.findings.push(Found { step, finding });
            }
            if let (Some((byte, access)), false) = (&used.unwritten, races) {
                let size =
                    u64::from(memo.buffer.array.lanes) * memo.buffer.array.element.size() as u64;
                let element = byte / size;
                let message = format!(
                    "element {element} of `{name}` is read in step {}, and nobody has written it",
                    step + 1
                );
                let mut finding =
                    Finding::new(Kind::UninitialisedRead, message, vec![access.clone()]);
                finding.help = vec![format!("fill `{name}` before step {}", step + 1)];
                finding.memory = Some(in_buffer(name, Some(element)));
                finding.launch = Some(made.clone());
                self.findings.push(Found { step, finding });
            }
            if let Some(known) = &mut memo.known {
                used.written.iter().for_each(|b| known[*b as usize] = true);
            }
            touched.push((at, Some(used)));
        }
        self.queue.push(Started { step, touched });
        Ok(())
    }

    /// The value of each parameter, and the buffer that it is.
    #[allow(clippy::type_complexity)]
    fn arguments(
        &self,
        launch: &LaunchStep,
        kernel: &Kernel,
        number: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(Vec<(String, ArgValue)>, Vec<Option<usize>>), String> {
        if let Some((name, _)) =
            (launch.args.iter()).find(|(name, _)| kernel.params.iter().all(|p| p.name != *name))
        {
            let names: Vec<&str> = kernel.params.iter().map(|p| p.name.as_str()).collect();
            return Err(format!("no parameter '{name}'; it has {}", names.join(", ")));
        }
        let mut args = Vec::new();
        let mut buffers: Vec<Option<usize>> = Vec::new();
        for (i, param) in kernel.params.iter().enumerate() {
            let said = launch.args.iter().find(|(name, _)| *name == param.name);
            let word = said.map_or(param.name.as_str(), |(_, value)| value);
            let buffer = self.find(word).filter(|_| matches!(param.kind, ParamKind::Buffer { .. }));
            let value = match buffer {
                Some(at) => Some(match buffers.iter().position(|b| *b == Some(at)) {
                    Some(first) => {
                        ArgValue::SameAs { param: kernel.params[first].name.clone(), offset: 0 }
                    }
                    None => ArgValue::Array(self.memory[at].buffer.array.clone()),
                }),
                None => match (self.sequence.number(word), said) {
                    (Some(known), _) => {
                        let text = known.value.clone().or_else(|| number(word));
                        Some(ArgValue::Scalar(
                            text.ok_or_else(|| format!("'{word}' has no value"))?,
                        ))
                    }
                    (None, Some((_, text))) => Some(ArgValue::parse(text)?),
                    (None, None) => None,
                },
            };
            // Two parameters with one buffer: the second shares the array of the first.
            let own = matches!(value, Some(ArgValue::Array(_)));
            buffers.push(buffer.filter(|_| own));
            debug_assert_eq!(buffers.len(), i + 1);
            args.extend(value.map(|v| (param.name.clone(), v)));
        }
        Ok((args, buffers))
    }
}

fn in_buffer(name: &str, element: Option<u64>) -> Memory {
    Memory {
        space: MemorySpace::Global,
        object: Some(name.to_owned()),
        element: element.map(|e| e as i64),
        bytes: None,
        object_size: None,
        element_type: None,
    }
}

fn released(name: &str, message: String, help: String, used: Option<&BufferUse>) -> Finding {
    let accesses = used.map(|u| u.first.clone()).into_iter().collect();
    let mut finding = Finding::new(Kind::UseAfterFree, message, accesses);
    finding.help = vec![help];
    finding.memory = Some(in_buffer(name, None));
    finding
}
