//! The two sides of a comparison, as reports name them.

use std::path::PathBuf;

use lockstep_finding::{KernelReport, Launch, Place};
use lockstep_kernel::{Kernel, ParamKind};
use lockstep_names as names;
use lockstep_sequence::{Sequence, Task};

use crate::engines::simulation::empty_report;

pub(super) struct Side {
    pub(super) file: PathBuf,
    pub(super) name: String,
    pub(super) what: What,
}

#[allow(clippy::large_enum_variant, reason = "there are two of them")]
pub(super) enum What {
    Single(Single),
    Script(Script),
}

/// A kernel or a reference, and how it is launched.
pub(super) struct Single {
    pub(super) kernel: Kernel,
    pub(super) launch: Launch,
}

/// A sequence of launches.
pub(super) struct Script {
    pub(super) file: PathBuf,
    pub(super) sequence: Sequence,
    /// Of each launch, in order.
    pub(super) kernels: Vec<Kernel>,
}

impl Script {
    /// The buffers that a launch or a copy may write.
    pub(super) fn written(&self) -> Vec<&str> {
        let mut out = Vec::new();
        let mut kernels = self.kernels.iter();
        for step in &self.sequence.steps {
            match &step.task {
                Task::Launch(launch) => {
                    let Some(kernel) = kernels.next() else { continue };
                    let made = self.sequence.arguments(launch, kernel, &|_| Some("0".into()));
                    let buffers = made.map(|m| m.buffers).unwrap_or_default();
                    for (param, at) in kernel.params.iter().zip(buffers) {
                        let is_written =
                            matches!(param.kind, ParamKind::Buffer { readonly: false, .. });
                        let name = at.map(|at| &*self.sequence.buffers[at].name);
                        out.extend(name.filter(|_| is_written));
                    }
                }
                Task::Copy { to: name, .. } | Task::Fill { buffer: name, .. } => out.push(name),
                Task::Wait | Task::Free { .. } => {}
            }
        }
        out
    }
}

impl Side {
    /// A report without verdicts and findings.
    pub(super) fn empty_report(&self) -> KernelReport {
        let file = names::shown(&self.file);
        match &self.what {
            What::Single(single) => empty_report(&single.kernel, &file),
            What::Script(script) => {
                let name = self.file.file_name().map(|n| names::shown(n.as_ref()));
                let name = name.unwrap_or_else(|| file.clone());
                let language = script.kernels.first().map(|k| k.language.to_string());
                KernelReport {
                    mangled: name.clone(),
                    name,
                    file,
                    line: 1,
                    language: language.unwrap_or_else(|| "cuda".into()),
                    ..KernelReport::default()
                }
            }
        }
    }

    /// Where it begins.
    pub(super) fn start(&self) -> Place {
        match &self.what {
            What::Single(Single { kernel, .. }) => Place {
                file: kernel.files.first().cloned().unwrap_or_default(),
                ..lockstep_simulate::place(kernel, kernel.loc)
            },
            What::Script(script) => {
                let file = script.sequence.name.clone();
                Place { file, line: 1, column: 1, ..Place::default() }
            }
        }
    }
}
