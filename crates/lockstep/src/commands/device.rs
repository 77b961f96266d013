//! `lockstep device build`: a kernel with the checker in it, for a GPU.
//!
//! The prover says which accesses cannot race, whatever the arguments are. Its proof may rest on nothing but that arrays do
//! not overlap, which `lockstep-device` sees in the launch: a proof under other conditions leaves nothing out, and neither does
//! one of some accesses only.

use std::path::Path;
use std::time::Duration;

use lockstep_device::archive::{Archive, Array, Code, Scheme, SharedVariable};
use lockstep_device::plan::{self, As, Known, Plan, Pruned, Spaces};
use lockstep_finding::launch::{Dimension, Operator};
use lockstep_finding::{
    Claim, Condition, Confidence, InputError, Kind, Origin, Statement, Verdict,
};
use lockstep_frontend::{CheckedAs, CheckedSite, Codegen, DeviceArray, Instrumentation};
use lockstep_kernel::hints::Hints;
use lockstep_kernel::{Kernel, SiteId, SiteKind};
use lockstep_names as names;
use lockstep_prove::{Assumptions, Config, DimSpec, Proof, prove};
use lockstep_simulate::site_place;

use crate::cli::device_options::{BuildArgs, MemoryArg};
use crate::cli::dims::DimArg;
use crate::cli::output;
use crate::commands::run::the_kernel;
use crate::facts::load::{Source, error, frontend_options};

/// What proof leaves out, and on what that rests.
struct Left {
    known: Known,
    assumes: Vec<Condition>,
    proof: Option<Proof>,
}

pub(crate) fn build(args: &BuildArgs) -> Result<(), InputError> {
    let source = Source::open(&args.file)?;
    let module = source.load(&args.input)?;
    let kernel =
        the_kernel(&module.kernels, &args.input.kernel).map_err(|m| error(&source.name, m))?;
    let fail = |message: String| error(&source.name, format!("kernel {}: {message}", kernel.name));
    let architecture = module.architecture.clone().unwrap_or_default();
    if number(&architecture) < 70 {
        return Err(fail(format!(
            "{architecture} runs the threads of a warp together; the checker is for sm_70 and later"
        )));
    }
    let spaces = Spaces {
        shared: args.memory != MemoryArg::Global,
        global: args.memory != MemoryArg::Shared,
    };
    // What cannot be built is said before anything is proved.
    plan::plan(kernel, &Known::Nothing, spaces).map_err(fail)?;
    let dims = Dimensions::of(kernel, args);
    let left = if args.no_prune { nothing() } else { proved(kernel, &dims, args) };
    let plan = plan::plan(kernel, &left.known, spaces).map_err(fail)?;

    let checked = plan.by_site(kernel).into_iter();
    let checked: Vec<Option<CheckedSite>> =
        checked.map(|c| c.map(|(number, how)| CheckedSite { number, how: word(how) })).collect();
    let instrumentation = Instrumentation {
        kernel,
        checked: &checked,
        shared_shift: plan.shared_shift,
        global_shift: plan.global_shift,
    };
    let options = frontend_options(&args.input);
    let codegen = Codegen { level: args.optimize };
    let built =
        lockstep_frontend::for_device(source.input(), &options, &instrumentation, Some(codegen));
    let built = built.map_err(|e| fail(e.to_string()))?;

    let text = told(kernel, &plan, &left, &dims, &architecture, args);
    let archive = Archive {
        version: env!("CARGO_PKG_VERSION").into(),
        file: source.name.clone(),
        architecture,
        level: args.optimize,
        kernel: kernel.clone(),
        plain: built.plain,
        codes: vec![Code { scheme: Scheme::Flag, ptx: built.checked }],
        plan,
        assumes: left.assumes,
        block: dims.block,
        grid: dims.grid,
        arrays: built.arrays.into_iter().map(array).collect(),
        shared: (built.shared.into_iter())
            .map(|v| SharedVariable { name: v.name, start: v.start, size: v.size })
            .collect(),
        own_shared: built.own_shared,
        uses_shared: built.uses_shared,
    };
    let bytes = archive.to_bytes().map_err(fail)?;
    write(&args.output, &bytes)?;
    if let Some(path) = &args.emit_bitcode {
        write(path, &built.bitcode)?;
    }
    if let Some(path) = &args.emit_ptx {
        write(path, archive.codes[0].ptx.as_bytes())?;
    }
    output::write_text(&text, None).map_err(|m| error("", m))
}

/// 90 of `sm_90a`.
fn number(architecture: &str) -> u32 {
    let digits = architecture.trim_start_matches("sm_");
    digits.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), InputError> {
    std::fs::write(path, bytes)
        .map_err(|e| error("", format!("cannot write '{}': {e}", names::shown(path))))
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

fn nothing() -> Left {
    Left { known: Known::Nothing, assumes: Vec::new(), proof: None }
}

/// The dimensions of the launches that a proof is about. The archive has them, and `lockstep-device` launches no others where
/// something was left out. What is not given may be anything; but an axis that the kernel does not read is 1, since
/// threads that differ in nothing else do the same work twice, which no caller asks for.
struct Dimensions {
    block: [Option<u32>; 3],
    grid: [Option<u32>; 3],
    /// The axes that nobody gave and that are 1.
    chosen: Vec<Dimension>,
}

impl Dimensions {
    fn of(kernel: &Kernel, args: &BuildArgs) -> Dimensions {
        let given = |d: Option<DimArg>| d.map_or([None; 3], |d| d.0);
        let hints = Hints::of(kernel);
        let (mut block, mut grid) = (given(args.block), given(args.grid));
        let mut chosen = Vec::new();
        for axis in 1..3 {
            let is_read = hints.thread_axes[axis] || hints.reads_block_dim[axis];
            if args.block.is_none() && !is_read {
                block[axis] = Some(1);
                chosen.push(Dimension::Block(axis));
            }
            let is_read = hints.block_axes[axis] || hints.reads_grid_dim[axis];
            if args.grid.is_none() && !is_read {
                grid[axis] = Some(1);
                chosen.push(Dimension::Grid(axis));
            }
        }
        Dimensions { block, grid, chosen }
    }

    fn assumptions(&self) -> Assumptions {
        let spec = |is_chosen: bool, n: Option<u32>| match n {
            Some(n) if !is_chosen => DimSpec::Exactly(n),
            _ => DimSpec::Any,
        };
        let specs = |dims: [Option<u32>; 3], dimension: fn(usize) -> Dimension| {
            std::array::from_fn(|a| spec(self.chosen.contains(&dimension(a)), dims[a]))
        };
        let (grid, block) =
            (specs(self.grid, Dimension::Grid), specs(self.block, Dimension::Block));
        let mut out = Assumptions::of_dims(grid, block, Origin::CommandLine);
        for dimension in &self.chosen {
            out.dimension(*dimension, 1, Origin::Choice);
        }
        out
    }

    /// Whether a condition says nothing but that one of the chosen axes is 1, which the archive holds launches to.
    fn imply(&self, claim: &Claim) -> bool {
        self.chosen.iter().any(|d| *claim == Claim::dimension(*d, Operator::Eq, 1))
    }
}

/// Asks the prover about all launches with these dimensions.
fn proved(kernel: &Kernel, dims: &Dimensions, args: &BuildArgs) -> Left {
    let assumptions = dims.assumptions();
    let budget = Duration::from_secs_f64(args.budget.min(1e6));
    let config = Config {
        kinds: vec![Kind::DataRace],
        budget,
        patience: budget * 2,
        cancel: args.input.cancel.clone(),
        ..Config::default()
    };
    let proof = prove(kernel, &assumptions, &config);
    let verdict = proof.verdicts.iter().find(|(k, _)| *k == Kind::DataRace).map(|(_, v)| v);
    let (known, assumes) = match verdict {
        Some(Verdict::Proved { assumes })
            if assumes.iter().all(|c| is_apart(&c.claim) || dims.imply(&c.claim)) =>
        {
            (Known::MayRace(Vec::new()), assumes.clone())
        }
        // Where some accesses may race, the prover does not say what its word on the others rests on.
        _ => (Known::Nothing, Vec::new()),
    };
    Left { known, assumes, proof: Some(proof) }
}

/// Whether a condition only says that arrays do not overlap.
fn is_apart(claim: &Claim) -> bool {
    matches!(
        claim,
        Claim::Stated(Statement::ParametersApart { .. } | Statement::ApartFromVariables { .. })
    )
}

/// What was built, for the user.
fn told(
    kernel: &Kernel,
    plan: &Plan,
    left: &Left,
    dims: &Dimensions,
    architecture: &str,
    args: &BuildArgs,
) -> String {
    let mut out = format!(
        "{}: kernel {} for {architecture}, -O{}\n",
        names::shown(&args.output),
        kernel.name,
        args.optimize
    );
    let all = plan.checked.len() + plan.pruned.len();
    let count = |n: usize| if n == 1 { "1 access".to_owned() } else { format!("{n} accesses") };
    out += &format!("{} of {} checked", plan.checked.len(), count(all));
    if !plan.checked.is_empty() {
        let (shared, global) = (1 << plan.shared_shift, 1 << plan.global_shift);
        out += &format!(" (a cell for {shared} B of shared and {global} B of global memory)");
    }
    out.push('\n');
    for checked in &plan.checked {
        out += &format!("  checked: {}\n", what(kernel, checked.site));
    }
    for (site, why) in &plan.pruned {
        let why = match why {
            Pruned::Proved => "proved free of races",
            Pruned::NotAskedFor => "memory that was not asked for",
        };
        out += &format!("  left out: {}: {why}\n", what(kernel, *site));
    }
    if !left.assumes.is_empty() {
        out += &format!("proved if {}\n", Condition::line(&left.assumes));
    } else if left.proof.is_some() && !dims.chosen.is_empty() {
        let axes: Vec<String> = dims.chosen.iter().map(|d| format!("{d} == 1")).collect();
        out += &format!("for launches with {}\n", axes.join(" and "));
    }
    // With other dimensions an index may wrap, or rows of threads meet: that is no race of the launch that comes.
    if args.block.is_none() || args.grid.is_none() {
        return out;
    }
    let alarms = left.proof.iter().flat_map(|p| &p.alarms);
    for alarm in alarms.filter(|a| a.finding.confidence == Confidence::Confirmed) {
        out += &format!("race without running: {}", alarm.finding.message);
        if let Some(place) = alarm.finding.accesses.first().map(|a| &a.place) {
            out += &format!(" ({}:{})", place.file, place.line);
        }
        out.push('\n');
    }
    out
}

/// ``write to `out` at a.cu:5``.
fn what(kernel: &Kernel, id: SiteId) -> String {
    let site = kernel.site(id);
    let (verb, of) = match site.kind {
        SiteKind::Read => ("read", "of"),
        SiteKind::Write => ("write", "to"),
        _ => ("atomic operation", "on"),
    };
    let place = site_place(kernel, id);
    let name = site.through.as_ref().map_or(String::new(), |n| format!(" {of} `{n}`"));
    format!("{verb}{name} at {}:{}:{}", place.file, place.line, place.column)
}
