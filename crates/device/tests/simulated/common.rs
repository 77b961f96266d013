//! A kernel with the checker in it, executed by the simulator: the words of the report are those that a GPU would write.

use std::path::Path;

use lockstep_device::archive::{Archive, Array, Code, Scheme, SharedVariable};
use lockstep_device::layout::Layout;
use lockstep_device::plan::{As, Known, Plan, Spaces, plan};
use lockstep_device::{abi, report};
use lockstep_finding::Finding;
use lockstep_finding::{ArgValue, Launch};
use lockstep_frontend::{
    CheckedAs, CheckedSite, Codegen, DeviceArray, DeviceKernel, Input, Instrumentation, Options,
    for_device, load, load_ir_bytes,
};
use lockstep_kernel::{Kernel, Language, ParamKind};
use lockstep_simulate::{BoundArg, BoundLaunch, Config, bind, simulate};

pub(crate) const BOTH: Spaces = Spaces { shared: true, global: true };

pub(crate) struct Built {
    pub archive: Archive,
    pub kernel: DeviceKernel,
}

pub(crate) fn options(cuda_args: &[&str]) -> Options {
    let mut options = Options { language: Some(Language::Cuda), ..Options::default() };
    options.clang_args = cuda_args.iter().map(Into::into).collect();
    if !cuda_args.iter().any(|a| a.starts_with("--offload-arch")) {
        options.clang_args.push("--offload-arch=sm_70".into());
    }
    options
}

fn word(how: As) -> CheckedAs {
    match how {
        As::ReadAtomically => CheckedAs::ReadAtomically,
        As::Read => CheckedAs::Read,
        As::Update => CheckedAs::Update,
        As::Write => CheckedAs::Write,
    }
}

fn array(array: DeviceArray) -> Array {
    match array {
        DeviceArray::Argument(i) => Array::Parameter(i),
        DeviceArray::Field { argument, offset } => {
            Array::Field { parameter: argument, offset: offset as u32 }
        }
        DeviceArray::Variable { symbol, name, bytes } => Array::Variable { symbol, name, bytes },
    }
}

/// The kernel of this name, or the only one.
pub(crate) fn build(
    input: Input,
    options: &Options,
    name: Option<&str>,
    spaces: Spaces,
    codegen: Option<Codegen>,
) -> Result<Built, String> {
    let module = load(input, options).map_err(|e| e.to_string())?;
    let named =
        |k: &&Kernel| name.is_none_or(|n| k.name == n || k.name.split('<').next() == Some(n));
    let kernel = module.kernels.iter().find(named).ok_or("no such kernel")?.clone();
    let plan: Plan = plan(&kernel, &Known::Nothing, spaces)?;
    let checked: Vec<Option<CheckedSite>> = (plan.by_site(&kernel).into_iter())
        .map(|c| c.map(|(number, how)| CheckedSite { number, how: word(how) }))
        .collect();
    let instrumentation = Instrumentation {
        kernel: &kernel,
        checked: &checked,
        shared_shift: plan.shared_shift,
        global_shift: plan.global_shift,
    };
    let built = for_device(input, options, &instrumentation, codegen).map_err(|e| e.to_string())?;
    let archive = Archive {
        version: String::new(),
        file: String::new(),
        architecture: "sm_70".into(),
        level: 3,
        kernel,
        plain: built.plain.clone(),
        codes: vec![Code { scheme: Scheme::Flag, ptx: built.checked.clone() }],
        plan,
        assumes: Vec::new(),
        block: [None; 3],
        grid: [None; 3],
        arrays: built.arrays.iter().cloned().map(array).collect(),
        shared: (built.shared.iter().cloned())
            .map(|v| SharedVariable { name: v.name, start: v.start, size: v.size })
            .collect(),
        own_shared: built.own_shared,
        uses_shared: built.uses_shared,
    };
    Ok(Built { archive, kernel: built })
}

/// What the checker found in a launch.
pub(crate) struct Checked {
    pub words: Vec<u32>,
    pub findings: Vec<Finding>,
    pub incomplete: Option<String>,
}

/// The instrumented kernel, with what the checker needs as arguments.
pub(crate) fn run(
    built: &Built,
    launch: &Launch,
    cells_in_shared: bool,
) -> Result<Checked, String> {
    let archive = &built.archive;
    let bound = bind::bind(&archive.kernel, launch)?;
    let layout = Layout::new(archive, &bound)?;
    let ir = load_ir_bytes(&built.kernel.bitcode, "checked.bc", &Options::default());
    let ir = ir.map_err(|e| e.to_string())?;
    let kernel = ir.kernels.first().ok_or("no kernel in the bitcode")?;
    if let Some(unsupported) = kernel.unsupported.first() {
        return Err(format!("the checker has what the simulator has not: {}", unsupported.what));
    }
    let blocks: u64 = launch.grid.iter().map(|&d| u64::from(d)).product();
    let words = layout.report_words();
    let bytes = |n: u64| BoundArg::Buffer(vec![0u8; n.max(1) as usize].into());
    let mut report_at = None;
    let mut args = Vec::new();
    let own = archive.kernel.own_params();
    for (i, parameter) in kernel.params.iter().enumerate() {
        let name = parameter.name.as_str();
        args.push(if name.starts_with(abi::REPORT) {
            report_at = Some(i);
            bytes(4 * words as u64)
        } else if name.starts_with(abi::GLOBAL_CELLS) {
            bytes(abi::GLOBAL_CELL * layout.global_cells)
        } else if name.starts_with(abi::OBJECTS) {
            BoundArg::Buffer(with_something(layout.table()).into())
        } else if name.starts_with(abi::SHARED_CELLS) {
            match cells_in_shared {
                true => BoundArg::Null,
                false => bytes(abi::SHARED_CELL * layout.shared_words * blocks),
            }
        } else if name.starts_with(abi::SHARED_END) {
            BoundArg::Scalar(vec![layout.shared_end])
        } else {
            argument(archive, &bound, parameter, i, own)?
        });
    }
    let shared = if cells_in_shared { layout.shared_with_cells() } else { layout.shared_end };
    let launch_of_checked = BoundLaunch { shared: shared as u32, args, ..bound.clone() };
    let config = Config { kinds: Vec::new(), max_steps: 20_000_000, ..Config::default() };
    let outcome = simulate(kernel, &launch_of_checked, &config).map_err(|e| e.to_string())?;
    let report = outcome.buffers.iter().find(|(p, _)| Some(*p) == report_at);
    let words: Vec<u32> = report.map_or(Vec::new(), |(_, bytes)| {
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    });
    let findings = report::findings(archive, &words, &bound, launch);
    let incomplete = outcome.incomplete.map(|r| r.to_string());
    Ok(Checked { words, findings, incomplete })
}

fn with_something(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(bytes.len().max(1), 0);
    bytes
}

/// The kernel's own argument, which the instrumented kernel has by the same position or name.
fn argument(
    archive: &Archive,
    bound: &BoundLaunch,
    parameter: &lockstep_kernel::Param,
    position: usize,
    own: usize,
) -> Result<BoundArg, String> {
    let kernel = &archive.kernel;
    let index = match parameter.within {
        _ if position < own => Some(position),
        Some(w) => kernel.field_at(w.param, w.offset).map(|(i, _)| i),
        None => kernel.params.iter().position(|p| p.name == parameter.name),
    };
    let index = index.ok_or_else(|| format!("no argument for {}", parameter.name))?;
    let same = |kind: ParamKind| std::mem::discriminant(&kind);
    if same(kernel.params[index].kind) != same(parameter.kind) {
        return Err(format!("parameter {} is passed in another way", parameter.name));
    }
    Ok(bound.args[index].clone())
}

/// `--block 64 --arg n=3` of a line `// lockstep: run …`.
pub(crate) struct Given {
    pub launch: Launch,
    pub kernel: Option<String>,
    pub lockstep: bool,
}

pub(crate) fn given(words: &str) -> Option<Given> {
    let mut launch = Launch::default();
    let (mut kernel, mut lockstep, mut dims) = (None, false, false);
    let words = split(words);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut value = || rest.next().cloned();
        let three = |text: String| {
            let mut out = [1u32; 3];
            for (slot, n) in out.iter_mut().zip(text.split(',')) {
                *slot = n.trim().parse().ok()?;
            }
            Some(out)
        };
        match word.as_str() {
            "run" => {}
            "--block" => (launch.block, dims) = (three(value()?)?, true),
            "--grid" => launch.grid = three(value()?)?,
            "--shared" => launch.shared = value()?.parse().ok()?,
            "--seed" => launch.seed = value()?.parse().ok()?,
            "--kernel" => kernel = value(),
            "--arg" => launch.args.push(ArgValue::parse_assignment(&value()?).ok()?),
            "--scheduling" => lockstep = value()? == "lockstep",
            "--dump" | "--budget" | "--warp-size" => {
                if word == "--warp-size" && value()? != "32" {
                    return None;
                }
            }
            _ => return None,
        }
    }
    dims.then_some(Given { launch, kernel, lockstep })
}

/// Words of a shell.
fn split(text: &str) -> Vec<String> {
    let (mut out, mut word, mut quote, mut some) = (Vec::new(), String::new(), None, false);
    for c in text.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => word.push(c),
            (None, '\'' | '"') => (quote, some) = (Some(c), true),
            (None, c) if c.is_whitespace() => {
                if some || !word.is_empty() {
                    out.push(std::mem::take(&mut word));
                }
                some = false;
            }
            (None, c) => word.push(c),
        }
    }
    if some || !word.is_empty() {
        out.push(word);
    }
    out
}

pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
