//! Sides that are scripts: sequences of launches, copies and releases.
//!
//! What the two sides share has one name: a buffer of a script is the parameter or the buffer of that name on the other
//! side, and so are numbers. `--arg` gives another value to a buffer or a number of a script.

use lockstep_cancel::Moment;
use std::path::{Path, PathBuf};

use lockstep_finding::source::Sources;
use lockstep_finding::{ArgValue, InputError, Launch, Report};
use lockstep_kernel::{Kernel, ParamKind};
use lockstep_names as names;
use lockstep_sequence::{Buffer, Sequence, Start};
use lockstep_simulate::bind;
use lockstep_symbolic::{Input, Launched, Output, Program, Sequenced};

use super::arguments::{self, Given, register_type};
use super::sides::{Script, Side, Single, What};
use crate::cli::options::EquivArgs;
use crate::facts::load::error;
use crate::project::plan;

/// Whether the reference is a script, by its name.
pub(super) fn is_script(reference: &Path) -> bool {
    reference.extension().is_some_and(|e| e == "toml")
}

pub(super) fn compare(
    args: &EquivArgs,
    script: &Path,
    sources: &mut Sources,
) -> Result<Report, InputError> {
    let started = Moment::now();
    let shown = names::shown(script);
    let fail = |m: String| error(&shown, m);
    let said = &args.analysis.launch;
    if said.block.is_some() || said.grid.is_some() || said.global.is_some() || said.shared.is_some()
    {
        return Err(fail("the script has the dimensions of its launches".into()));
    }
    let analysis = plan::for_one_file(script, &args.project, &args.analysis)?;
    let given: Vec<Given> = (analysis.launch.args.iter())
        .map(|a| arguments::parse(a))
        .collect::<Result<_, _>>()
        .map_err(|m| error("", m))?;
    let mut subject = read(script, args)?;
    let mut reference = match is_script(Path::new(&args.reference)) {
        true => Reference::Script(read(Path::new(&args.reference), args)?),
        false => Reference::Function(function(args, sources)?),
    };
    replace(&given, &mut subject, &mut reference).map_err(fail)?;
    let shared = Shared::new(&subject, &reference, &args.compare.out).map_err(fail)?;
    let numbers = subject.sequence.numbers.iter();
    let known = numbers.filter_map(|n| Some((n.name.clone(), ArgValue::Scalar(n.value.clone()?))));
    let concrete = Launch { args: known.collect(), ..Launch::default() };
    let symbolic = shared.inputs.iter().map(|i| &i.input);
    let assumed = super::assumed(&analysis.launch.assume, symbolic, &concrete).map_err(fail)?;
    let outputs = shared.outputs;
    let compared: Vec<String> = outputs.iter().map(|o| o.name.clone()).collect();
    subject.sequence.compare.clone_from(&compared);
    let reference = match reference {
        Reference::Script(mut script) => {
            script.sequence.compare = compared;
            let Script { file, sequence, .. } = &script;
            Side { file: file.clone(), name: sequence.name.clone(), what: What::Script(script) }
        }
        Reference::Function(Function { file, kernel, is_host }) => {
            let launch = shared.reference.map_err(fail)?;
            let dims = [args.compare.reference_grid, args.compare.reference_block];
            let (grid, block) = match (is_host, dims) {
                (true, _) => ([1; 3], [1; 3]),
                (false, [Some(grid), Some(block)]) => (grid, block),
                (false, _) => {
                    return Err(fail(
                        "the reference is a kernel: give --reference-grid and --reference-block"
                            .into(),
                    ));
                }
            };
            let launch = Launch { grid, block, args: launch, ..Launch::default() };
            let name = kernel.name.clone();
            Side { file, name, what: What::Single(Single { kernel, launch }) }
        }
    };
    let subject = Side {
        file: script.to_path_buf(),
        name: subject.sequence.name.clone(),
        what: What::Script(subject),
    };
    let sides = [reference, subject];
    let programs = [
        program(&sides[0], &shared.inputs, 0).map_err(fail)?,
        program(&sides[1], &shared.inputs, 1).map_err(fail)?,
    ];
    let inputs = shared.inputs.into_iter().map(|i| i.input).collect();
    let asked = super::Asked { inputs, outputs, assumed };
    super::answer(args, &analysis, &sides, programs, asked, started)
}

/// The reference: a script, or a function or kernel.
#[allow(clippy::large_enum_variant, reason = "there is one of them")]
enum Reference {
    Script(Script),
    Function(Function),
}

struct Function {
    file: PathBuf,
    kernel: Kernel,
    is_host: bool,
}

fn function(args: &EquivArgs, sources: &mut Sources) -> Result<Function, InputError> {
    let (file, name) = super::split(&args.reference)?;
    let (source, kernel, is_host) = super::reference_of(&file, &name, args)?;
    if let Some((name, text)) = source.typed() {
        sources.insert(&name, &text);
    }
    Ok(Function { file, kernel, is_host })
}

/// A script and the kernels that it launches.
fn read(file: &Path, args: &EquivArgs) -> Result<Script, InputError> {
    let shown = names::shown(file);
    let fail = |m: String| error(&shown, m);
    let text =
        std::fs::read_to_string(file).map_err(|e| fail(format!("cannot read {shown}: {e}")))?;
    let sequence = Sequence::parse(&shown, &text).map_err(fail)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut known: Vec<((PathBuf, String), Kernel)> = Vec::new();
    let mut kernels = Vec::new();
    for (step, launch) in sequence.launches() {
        let key = (folder.join(&launch.file), launch.kernel.clone());
        if !known.iter().any(|(k, _)| *k == key) {
            let analysis = plan::for_one_file(&key.0, &args.project, &args.analysis)?;
            let (_, (kernel, _)) = super::kernel_of(&key.0, &key.1, &analysis)?;
            known.push((key.clone(), kernel));
        }
        let kernel = known.iter().find(|(k, _)| *k == key).map(|(_, kernel)| kernel.clone());
        let kernel = kernel.ok_or_else(|| fail(format!("step {} has no kernel", step + 1)))?;
        let threads: u64 = launch.block.iter().map(|d| u64::from(*d)).product();
        if threads > 1024 {
            return Err(fail(format!("step {}: a block has at most 1024 threads", step + 1)));
        }
        kernels.push(kernel);
    }
    sequence.check(&kernels.iter().collect::<Vec<_>>()).map_err(fail)?;
    Ok(Script { file: file.to_path_buf(), sequence, kernels })
}

/// Gives buffers and numbers the values of the command line.
fn replace(given: &[Given], subject: &mut Script, reference: &mut Reference) -> Result<(), String> {
    let mut scripts = vec![subject];
    if let Reference::Script(script) = reference {
        scripts.push(script);
    }
    for arg in given {
        let mut any = false;
        for script in &mut scripts {
            let sequence = &mut script.sequence;
            if let Some(buffer) = sequence.buffers.iter_mut().find(|b| b.name == arg.name) {
                let Some(array) = arg.array() else {
                    return Err(format!("'{}' is a buffer: give an array", arg.name));
                };
                if array.bytes() != buffer.array.bytes() {
                    return Err(format!("buffer '{}' has another size in the script", arg.name));
                }
                buffer.array = array.clone();
                buffer.start = if arg.is_symbolic { Start::Symbolic } else { Start::Filled };
                any = true;
            }
            if let Some(number) = sequence.numbers.iter_mut().find(|n| n.name == arg.name) {
                number.value = arg.scalar().filter(|_| !arg.is_symbolic).map(str::to_owned);
                any = true;
            }
        }
        if !any {
            return Err(format!("--arg {}: the script has no such buffer or number", arg.name));
        }
    }
    Ok(())
}

/// A value that counts on both sides.
struct SharedInput {
    /// Of a buffer that nobody has written, too: whatever it holds, both sides find it.
    input: Input,
    is_number: bool,
}

/// What the sides share.
struct Shared {
    inputs: Vec<SharedInput>,
    outputs: Vec<Output>,
    /// The arguments of a reference that is no script.
    reference: Result<Vec<(String, ArgValue)>, String>,
}

impl Shared {
    fn new(subject: &Script, reference: &Reference, chosen: &[String]) -> Result<Shared, String> {
        let outputs = outputs(subject, reference, chosen)?;
        let mut inputs: Vec<SharedInput> = Vec::new();
        let mut sequences = vec![&subject.sequence];
        if let Reference::Script(script) = reference {
            sequences.push(&script.sequence);
        }
        for buffer in sequences.iter().flat_map(|s| &s.buffers) {
            let is_shared = |b: &Buffer| match reference {
                Reference::Script(_) => sequences.iter().all(|s| s.buffer(&b.name).is_some()),
                Reference::Function(f) => f.kernel.params.iter().any(|p| p.name == b.name),
            };
            let is_open = buffer.start == Start::Symbolic
                || buffer.start == Start::Unwritten && is_shared(buffer);
            let array = &buffer.array;
            let (ty, elements) =
                (register_type(array.element), array.length * u64::from(array.lanes));
            match inputs.iter().find(|i| i.input.name == buffer.name) {
                Some(known) if (known.input.ty, known.input.elements) != (ty, elements) => {
                    return Err(format!("buffer '{}' differs between the scripts", buffer.name));
                }
                None if is_open => inputs.push(SharedInput {
                    input: Input {
                        name: buffer.name.clone(),
                        ty,
                        element: array.element,
                        elements,
                        is_array: true,
                    },
                    is_number: false,
                }),
                _ => {}
            }
        }
        for sequence in &sequences {
            for number in sequence.numbers.iter().filter(|n| n.value.is_none()) {
                let types = uses(&number.name, subject, reference);
                let Some(&(ty, element, elements)) = types.first() else {
                    return Err(format!(
                        "number '{}' is symbolic, but nobody takes it",
                        number.name
                    ));
                };
                if types.iter().any(|t| (t.0, t.2) != (ty, elements)) {
                    return Err(format!(
                        "number '{}' is symbolic and has several types: give it a value",
                        number.name
                    ));
                }
                if !inputs.iter().any(|i| i.is_number && i.input.name == number.name) {
                    let name = number.name.clone();
                    let input = Input { name, ty, element, elements, is_array: false };
                    inputs.push(SharedInput { input, is_number: true });
                }
            }
        }
        let reference = match reference {
            Reference::Script(_) => Ok(Vec::new()),
            Reference::Function(function) => arguments_of(&function.kernel, &subject.sequence),
        };
        Ok(Shared { inputs, outputs, reference })
    }
}

type Typed = (lockstep_kernel::Ty, lockstep_finding::ElementType, u64);

/// The types of the parameters that take a number.
fn uses(name: &str, subject: &Script, reference: &Reference) -> Vec<Typed> {
    let typed = |kernel: &Kernel, param: usize| {
        let param = &kernel.params[param];
        let ParamKind::Scalar { ty, count } = param.kind else { return None };
        let elem = lockstep_kernel::Elem::Scalar(ty);
        let element = bind::element_type(elem, &param.source_type, param.signed);
        Some((ty, element, u64::from(count)))
    };
    let mut out = Vec::new();
    let mut scripts = vec![subject];
    match reference {
        Reference::Script(script) => scripts.push(script),
        Reference::Function(Function { kernel, .. }) => {
            let own = kernel.params.iter().position(|p| p.name == name);
            out.extend(own.and_then(|i| typed(kernel, i)));
        }
    }
    for script in scripts {
        let Some(at) = script.sequence.numbers.iter().position(|n| n.name == name) else {
            continue;
        };
        for ((_, launch), kernel) in script.sequence.launches().zip(&script.kernels) {
            let Ok(made) = script.sequence.arguments(launch, kernel, &|_| Some("0".into())) else {
                continue;
            };
            let takes = (0..made.numbers.len()).filter(|i| made.numbers[*i] == Some(at));
            out.extend(takes.filter_map(|i| typed(kernel, i)));
        }
    }
    out
}

/// The arguments of a reference: the buffers and numbers of its parameters' names.
fn arguments_of(kernel: &Kernel, sequence: &Sequence) -> Result<Vec<(String, ArgValue)>, String> {
    let mut out = Vec::new();
    for param in &kernel.params {
        let value = match (sequence.buffer(&param.name), sequence.number(&param.name)) {
            (Some(buffer), _) => ArgValue::Array(buffer.array.clone()),
            (None, Some(number)) => {
                ArgValue::Scalar(number.value.clone().unwrap_or_else(|| "0".into()))
            }
            (None, None) => {
                return Err(format!(
                    "parameter '{}' of the reference {} is neither a buffer nor a number of the script",
                    param.name, kernel.name
                ));
            }
        };
        out.push((param.name.clone(), value));
    }
    Ok(out)
}

/// The buffers that are compared.
fn outputs(
    subject: &Script,
    reference: &Reference,
    chosen: &[String],
) -> Result<Vec<Output>, String> {
    let own = &subject.sequence;
    let partner = |name: &str| match reference {
        Reference::Script(script) => script.sequence.buffers.iter().position(|b| b.name == name),
        Reference::Function(Function { kernel, .. }) => {
            let is_array = |k: ParamKind| matches!(k, ParamKind::Buffer { .. });
            kernel.params.iter().position(|p| p.name == name && is_array(p.kind))
        }
    };
    let said: &[String] = match (chosen, reference) {
        ([], Reference::Script(script)) if own.compare.is_empty() => &script.sequence.compare,
        ([], _) => &own.compare,
        _ => chosen,
    };
    let is_written = |name: &str| match reference {
        Reference::Script(script) => script.written().contains(&name),
        Reference::Function(Function { kernel, .. }) => partner(name).is_some_and(|i| {
            matches!(kernel.params[i].kind, ParamKind::Buffer { readonly: false, .. })
        }),
    };
    let mut out = Vec::new();
    for (at, buffer) in own.buffers.iter().enumerate() {
        let is_chosen = match said {
            [] => is_written(&buffer.name),
            said => said.contains(&buffer.name),
        };
        let Some(other) = partner(&buffer.name).filter(|_| is_chosen) else { continue };
        if let Reference::Script(script) = reference
            && script.sequence.buffers[other].array.bytes() != buffer.array.bytes()
        {
            return Err(format!("buffer '{}' has different sizes in the scripts", buffer.name));
        }
        let element = buffer.array.element;
        let ty = register_type(element);
        out.push(Output { name: buffer.name.clone(), params: [other, at], ty, element });
    }
    if let Some(name) = said.iter().find(|name| out.iter().all(|o| o.name != **name)) {
        return Err(format!(
            "{name} is to be compared, but not both sides have an array of that name"
        ));
    }
    // What the reference writes and the script does not have.
    if let (Reference::Function(Function { kernel, .. }), []) = (reference, said) {
        let is_output = |p: &&lockstep_kernel::Param| {
            matches!(p.kind, ParamKind::Buffer { readonly: false, .. })
        };
        let lost = kernel.params.iter().filter(is_output).find(|p| own.buffer(&p.name).is_none());
        if let Some(param) = lost {
            return Err(format!(
                "array '{}' of {} has no buffer of its name: name what is compared with --out",
                param.name, kernel.name
            ));
        }
    }
    match out.is_empty() {
        true => Err("there is no buffer to compare: the reference writes none of them".into()),
        false => Ok(out),
    }
}

/// A side as the engine takes it.
fn program<'a>(
    side: &'a Side,
    inputs: &[SharedInput],
    which: usize,
) -> Result<Program<'a>, String> {
    let find = |name: &str, is_number: bool| {
        inputs.iter().position(|i| i.is_number == is_number && i.input.name == name)
    };
    match &side.what {
        What::Single(Single { kernel, launch }) => {
            let launch = bind::bind(kernel, launch)?;
            let of = |p: &lockstep_kernel::Param| {
                find(&p.name, matches!(p.kind, ParamKind::Scalar { .. }))
            };
            let inputs = kernel.params.iter().map(of).collect();
            Ok(Program::Launch(Launched { kernel, launch, inputs }))
        }
        What::Script(Script { sequence, kernels, .. }) => {
            let is_open = |b: &Buffer| matches!(b.start, Start::Symbolic | Start::Unwritten);
            let buffers = sequence.buffers.iter();
            let contents = buffers.clone().map(|b| match is_open(b) {
                true => Ok(Vec::new()),
                false => b.array.to_bytes(&b.name, which as u64),
            });
            Ok(Program::Sequence(Sequenced {
                sequence,
                kernels: kernels.iter().collect(),
                contents: contents.collect::<Result<_, _>>()?,
                buffers: buffers.map(|b| find(&b.name, false).filter(|_| is_open(b))).collect(),
                numbers: (sequence.numbers.iter())
                    .map(|n| find(&n.name, true).filter(|_| n.value.is_none()))
                    .collect(),
            }))
        }
    }
}
