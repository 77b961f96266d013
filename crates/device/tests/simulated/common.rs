//! A kernel with the checker in it, executed by the simulator: the words of the report are those that a GPU would write.

use std::path::Path;

use lockstep_device::archive::{Archive, Scheme};
use lockstep_device::layout::Layout;
use lockstep_device::plan::{Barriers, Known, Spaces, plan};
use lockstep_device::report::Row;
use lockstep_device::statements::{self, Pair};
use lockstep_device::{abi, report};
pub(crate) use lockstep_device_build::Built;
use lockstep_finding::Finding;
use lockstep_finding::{ArgValue, Launch};
use lockstep_frontend::{Codegen, Input, Options, load, load_ir_bytes};
use lockstep_kernel::{Kernel, Language, ParamKind};
use lockstep_simulate::{BoundArg, BoundLaunch, Config, bind, simulate};

pub(crate) const BOTH: Spaces = Spaces { shared: true, global: true };

pub(crate) fn options(cuda_args: &[&str]) -> Options {
    let mut options = Options { language: Some(Language::Cuda), ..Options::default() };
    options.clang_args = cuda_args.iter().map(Into::into).collect();
    if !cuda_args.iter().any(|a| a.starts_with("--offload-arch")) {
        options.clang_args.push("--offload-arch=sm_70".into());
    }
    options
}

/// The kernel of this name, or the only one, with every access checked.
pub(crate) fn build(
    input: Input,
    options: &Options,
    name: Option<&str>,
    spaces: Spaces,
    codegen: Option<Codegen>,
) -> Result<Built, String> {
    build_known(input, options, name, spaces, codegen, |_| Known::Nothing)
}

pub(crate) fn build_known(
    input: Input,
    options: &Options,
    name: Option<&str>,
    spaces: Spaces,
    codegen: Option<Codegen>,
    known: impl Fn(&Kernel) -> Known,
) -> Result<Built, String> {
    let module = load(input, options).map_err(|e| e.to_string())?;
    let named =
        |k: &&Kernel| name.is_none_or(|n| k.name == n || k.name.split('<').next() == Some(n));
    let kernel = module.kernels.iter().find(named).ok_or("no such kernel")?.clone();
    let plan = plan(&kernel, &known(&kernel), Barriers::MayBeMissed, spaces)?;
    lockstep_device_build::build(input, options, &kernel, plan, codegen).map_err(|e| e.to_string())
}

/// What the checker found in a launch.
pub(crate) struct Checked {
    pub words: Vec<u32>,
    pub rows: Vec<Row>,
    pub findings: Vec<Finding>,
    pub incomplete: Option<String>,
    /// Accesses that the scheme `statement` has written down.
    pub records: usize,
    /// Of the scheme `statement`, on the pieces of memory that this launch has marked.
    pub pairs: Vec<Pair>,
    pub of_pairs: Vec<Finding>,
}

/// The instrumented kernel, with what the checker needs as arguments: with the scheme `flag`, and then with `statement`.
pub(crate) fn run(
    built: &Built,
    launch: &Launch,
    cells_in_shared: bool,
) -> Result<Checked, String> {
    let archive = &built.archive;
    let bound = bind::bind(&archive.kernel, launch)?;
    let layout = Layout::new(archive, &bound)?;
    let pieces = |n: u64| vec![0u8; Layout::marks(n).max(4) as usize];
    let mut memory = Memory {
        report: vec![0; 4 * layout.report_words()],
        marks: pieces(layout.global_cells),
        shared_marks: pieces(layout.shared_words),
        log: vec![0; 4 * (abi::LOG_HEADER + LOG * abi::RECORD)],
    };
    let flag = execute(built, Scheme::Flag, &bound, &layout, cells_in_shared, &mut memory)?;
    let words = words(&memory.report);
    let findings = report::findings(archive, &words, &bound, launch);
    execute(built, Scheme::Statement, &bound, &layout, cells_in_shared, &mut memory)?;
    let (records, _) = statements::records(&self::words(&memory.log));
    let pairs = statements::pairs(&records);
    let of_pairs = statements::findings(archive, &pairs, &bound, launch);
    let rows = report::rows(&archive.plan, &words);
    let records = records.len();
    Ok(Checked { words, rows, findings, incomplete: flag, records, pairs, of_pairs })
}

/// Records that the log has room for.
const LOG: usize = 1 << 14;

/// What the device writes for the host, from one launch to the next.
struct Memory {
    report: Vec<u8>,
    marks: Vec<u8>,
    shared_marks: Vec<u8>,
    log: Vec<u8>,
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// One launch of the simulator; why it did not come to its end.
fn execute(
    built: &Built,
    scheme: Scheme,
    bound: &BoundLaunch,
    layout: &Layout,
    cells_in_shared: bool,
    memory: &mut Memory,
) -> Result<Option<String>, String> {
    let archive = &built.archive;
    let bitcode = built.bitcode(scheme, cells_in_shared).ok_or("no code of that scheme")?;
    let ir = load_ir_bytes(bitcode, "checked.bc", &Options::default());
    let ir = ir.map_err(|e| e.to_string())?;
    let kernel = ir.kernels.first().ok_or("no kernel in the bitcode")?;
    if let Some(unsupported) = kernel.unsupported.first() {
        return Err(format!("the checker has what the simulator has not: {}", unsupported.what));
    }
    let blocks: u64 = bound.grid.iter().map(|&d| u64::from(d)).product();
    let (words, shared) = match (scheme, cells_in_shared) {
        (Scheme::Flag, true) => (layout.shared_words, layout.shared_with_cells()),
        (Scheme::Statement, true) => (abi::OWN_WORDS, layout.shared_with_own()),
        _ => (layout.shared_words, layout.shared_end),
    };
    let zeros = |n: u64| BoundArg::Buffer(vec![0u8; n.max(1) as usize].into());
    let mut places: [Option<usize>; 4] = [None; 4];
    let mut args = Vec::new();
    let own = archive.kernel.own_params();
    for (i, parameter) in kernel.params.iter().enumerate() {
        // A variable's parameter may have a number behind its name.
        let name = parameter.name.as_str();
        let is = |variable: &str| {
            name.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit()) == variable
        };
        let ours = [abi::REPORT, abi::MARKS, abi::SHARED_MARKS, abi::LOG];
        args.push(if let Some(which) = ours.iter().position(|v| is(v)) {
            places[which] = Some(i);
            let bytes = [&memory.report, &memory.marks, &memory.shared_marks, &memory.log][which];
            BoundArg::Buffer(bytes.clone().into())
        } else if is(abi::GLOBAL_CELLS) {
            zeros(abi::GLOBAL_CELL * layout.global_cells)
        } else if let Some(place) = name.strip_prefix(abi::OBJECTS) {
            of_table(layout, place)
        } else if is(abi::TABLE) {
            BoundArg::Buffer(with_something(layout.table()).into())
        } else if is(abi::BASES) {
            zeros(8 * layout.entries.len() as u64)
        } else if is(abi::SHARED_CELLS) {
            match cells_in_shared {
                true => BoundArg::Null,
                false => zeros(abi::SHARED_CELL * words * blocks),
            }
        } else if is(abi::SHARED_END) {
            BoundArg::Scalar(vec![layout.shared_end])
        } else if is(abi::LOG_SIZE) {
            BoundArg::Scalar(vec![LOG as u64])
        } else {
            argument(archive, bound, parameter, i, own)?
        });
    }
    let launch = BoundLaunch { shared: shared as u32, args, ..bound.clone() };
    let config = Config { kinds: Vec::new(), max_steps: 20_000_000, ..Config::default() };
    let outcome = simulate(kernel, &launch, &config).map_err(|e| e.to_string())?;
    let written = |which: usize| {
        let buffers = outcome.buffers.iter();
        buffers.clone().find(|(p, _)| Some(*p) == places[which]).map(|(_, bytes)| bytes.to_vec())
    };
    let kept = [&mut memory.report, &mut memory.marks, &mut memory.shared_marks, &mut memory.log];
    for (which, place) in kept.into_iter().enumerate() {
        if let Some(bytes) = written(which) {
            *place = bytes;
        }
    }
    Ok(outcome.incomplete.map(|r| r.to_string()))
}

/// One number of the table of arrays in constant memory.
fn of_table(layout: &Layout, place: &str) -> BoundArg {
    let table = layout.table();
    let numbers: Vec<usize> = place.split('.').filter_map(|n| n.parse().ok()).collect();
    let at = numbers.first().unwrap_or(&0) * abi::ENTRY + numbers.get(1).unwrap_or(&0) * 8;
    let bytes = table.get(at..at + 8).unwrap_or(&[0; 8]);
    BoundArg::Scalar(vec![bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))])
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
