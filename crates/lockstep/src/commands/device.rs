//! `lockstep device build`: a kernel with the checker in it, for a GPU.
//!
//! The prover says which accesses cannot race, whatever the arguments are. What it says may rest on nothing but that arrays
//! do not overlap, which `lockstep-device` sees in the launch: a proof under other conditions leaves nothing out. Where some
//! accesses may race, the others are left out if nothing about them rests on memory that the kernel writes.

use std::path::Path;
use std::time::Duration;

use lockstep_device::archive::{Archive, Scheme};
use lockstep_device::plan::{self, As, Barriers, Checked, Known, Plan, Pruned, Spaces};
use lockstep_finding::launch::{Dimension, Operator};
use lockstep_finding::{
    ArgValue, Claim, Condition, Confidence, InputError, Kind, Origin, Statement, Verdict,
};
use lockstep_frontend::{Codegen, Error, Ptxas};
use lockstep_kernel::hints::Hints;
use lockstep_kernel::{Kernel, Op, ParamKind, SiteId, SiteKind};
use lockstep_names as names;
use lockstep_prove::{Assumptions, Config, DimSpec, Proof, prove};
use lockstep_simulate::{bind, site_place};

use crate::cli::device_options::{BuildArgs, MemoryArg};
use crate::cli::dims::DimArg;
use crate::cli::output;
use crate::commands::run::the_kernel;
use crate::facts::load::{Source, error, frontend_options};
use crate::facts::witness;

/// What proof leaves out, and on what that rests.
struct Left {
    known: Known,
    barriers: Barriers,
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
    plan::plan(kernel, &Known::Nothing, Barriers::MayBeMissed, spaces).map_err(fail)?;
    let dims = Dimensions::of(kernel, args);
    let numbers = numbers(kernel, &args.args).map_err(fail)?;
    let left = if args.no_prune { nothing() } else { proved(kernel, &dims, &numbers, args) };
    let plan = plan::plan(kernel, &left.known, left.barriers, spaces).map_err(fail)?;

    let options = frontend_options(&args.input);
    let codegen = Codegen { level: args.optimize };
    let built = lockstep_device_build::build(source.input(), &options, kernel, plan, Some(codegen));
    let built = built.map_err(|e| fail(e.to_string()))?;

    let mut text = told(kernel, &built.archive.plan, &left, &dims, &numbers, &architecture, args);
    let bitcode = built.bitcode(Scheme::Flag, true).unwrap_or_default().to_vec();
    let mut archive = Archive {
        version: env!("CARGO_PKG_VERSION").into(),
        file: source.name.clone(),
        architecture,
        assumes: left.assumes,
        block: dims.block,
        grid: dims.grid,
        arguments: numbers,
        witness: Some(witness::compiled(&source.name, &kernel.mangled, &args.input)),
        ..built.archive
    };
    if let Some(ptxas) = Ptxas::find(args.input.cuda_path.as_deref()).filter(|_| !args.ptx_only) {
        text += &cubins(&mut archive, &ptxas, args).map_err(fail)?;
    }
    let bytes = archive.to_bytes().map_err(fail)?;
    write(&args.output, &bytes)?;
    if let Some(path) = &args.emit_bitcode {
        write(path, &bitcode)?;
    }
    if let Some(path) = &args.emit_ptx {
        write(path, archive.code(Scheme::Flag, true).map_or("", |c| c.ptx.as_str()).as_bytes())?;
    }
    output::write_text(&text, None).map_err(|m| error("", m))
}

/// Puts cubins into an archive; what is told of it. Where the assembler is too old for the PTX, or for the architecture, the
/// PTX is there.
fn cubins(archive: &mut Archive, ptxas: &Ptxas, args: &BuildArgs) -> Result<String, String> {
    let [x, y, z] = archive.block;
    let threads =
        args.block.and(x).zip(y).zip(z).map(|((x, y), z)| x.saturating_mul(y).saturating_mul(z));
    match lockstep_device_build::add_cubins(archive, ptxas, threads, &args.input.cancel) {
        Ok(()) => {
            let place = names::shown(ptxas.path());
            Ok(format!("cubin for {} by {place}\n", archive.architecture))
        }
        Err(Error::Cancelled) => Err(Error::Cancelled.to_string()),
        Err(why) => {
            output::warn(&format!("no cubin, only PTX: {why}"));
            Ok(String::new())
        }
    }
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

fn nothing() -> Left {
    Left {
        known: Known::Nothing,
        barriers: Barriers::MayBeMissed,
        assumes: Vec::new(),
        proof: None,
    }
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

/// The parameters that `--arg` gives a number for, and the bits of each.
fn numbers(kernel: &Kernel, args: &[String]) -> Result<Vec<(usize, Vec<u64>)>, String> {
    let mut out = Vec::new();
    for text in args {
        let (name, value) = ArgValue::parse_assignment(text)?;
        let parameter = kernel.params.iter().position(|p| p.name == name);
        let parameter = parameter.ok_or_else(|| format!("it has no parameter '{name}'"))?;
        if let Some(bits) = bind::scalar_bits_of(&kernel.params[parameter], &value) {
            out.push((parameter, bits));
        }
    }
    Ok(out)
}

/// Asks the prover about all launches with these dimensions and numbers.
fn proved(
    kernel: &Kernel,
    dims: &Dimensions,
    numbers: &[(usize, Vec<u64>)],
    args: &BuildArgs,
) -> Left {
    let mut assumptions = dims.assumptions();
    for (parameter, bits) in numbers {
        assumptions.scalar(kernel, *parameter, bits.clone(), Origin::CommandLine);
    }
    let budget = Duration::from_secs_f64(args.budget.min(1e6));
    let config = Config {
        kinds: vec![Kind::DataRace, Kind::BarrierDivergence],
        budget,
        patience: budget * 2,
        cancel: args.input.cancel.clone(),
        ..Config::default()
    };
    let proof = prove(kernel, &assumptions, &config);
    let is_checked =
        |assumes: &[Condition]| assumes.iter().all(|c| is_apart(&c.claim) || dims.imply(&c.claim));
    let of = |kind: Kind| match proof.verdicts.iter().find(|(k, _)| *k == kind) {
        Some((_, Verdict::Proved { assumes })) if is_checked(assumes) => Some(assumes.clone()),
        _ => None,
    };
    let barriers = of(Kind::BarrierDivergence);
    let open = proof.open.as_ref().filter(|open| is_checked(&open.assumes));
    let (known, races) = match (of(Kind::DataRace), open) {
        (Some(assumes), _) => (Known::MayRace(Vec::new()), Some(assumes)),
        (None, Some(open)) => (Known::MayRace(open.pairs.clone()), Some(open.assumes.clone())),
        (None, None) => (Known::ArraysAreApart, None),
    };
    let reached = match barriers {
        Some(_) => Barriers::Reached,
        None => Barriers::MayBeMissed,
    };
    let mut assumes = races.unwrap_or_default();
    let has_barriers = kernel.insts().any(|i| matches!(i.op, Op::Barrier { .. }));
    let more = barriers.filter(|_| has_barriers).unwrap_or_default().into_iter();
    let more: Vec<Condition> = more.filter(|c| !assumes.contains(c)).collect();
    assumes.extend(more);
    Left { known, barriers: reached, assumes, proof: Some(proof) }
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
    numbers: &[(usize, Vec<u64>)],
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
    let once = plan.recorded_once().count();
    if once > 0 {
        out += &format!("{once} of them recorded once for others\n");
    }
    for checked in &plan.checked {
        let only = match checked.how {
            As::Bounds => ", for its bounds: nothing writes there",
            As::Together => ", with another access of the same thread",
            _ => "",
        };
        out += &format!("  checked{only}: {}{}\n", what(kernel, checked.site), once_for(checked));
    }
    for (site, why) in &plan.pruned {
        let why = match why {
            Pruned::Proved => "proved free of races",
            Pruned::NotAskedFor => "memory that was not asked for",
        };
        out += &format!("  left out: {}: {why}\n", what(kernel, *site));
    }
    for site in &plan.barriers {
        let place = site_place(kernel, *site);
        out += &format!("  checked: barrier at {}:{}:{}\n", place.file, place.line, place.column);
    }
    if !left.assumes.is_empty() && plan.rests_on_proof() {
        out += &format!("proved if {}\n", Condition::line(&left.assumes));
    } else if left.proof.is_some() && !dims.chosen.is_empty() {
        let axes: Vec<String> = dims.chosen.iter().map(|d| format!("{d} == 1")).collect();
        out += &format!("for launches with {}\n", axes.join(" and "));
    }
    // With other dimensions or numbers an index may wrap, or rows of threads meet: that is no race of the launch that comes.
    let scalars = (kernel.params.iter().enumerate())
        .filter(|(_, p)| matches!(p.kind, ParamKind::Scalar { .. }))
        .all(|(i, _)| numbers.iter().any(|(n, _)| *n == i));
    if args.block.is_none() || args.grid.is_none() || !scalars {
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

/// For what an access is recorded once, and why.
fn once_for(checked: &Checked) -> String {
    let mut out = String::new();
    match checked.recorded.loops {
        Some(loops) if loops.once == 1 => {
            out += ": recorded once for the loop around it, where its address stays the same";
        }
        Some(loops) => {
            out += &format!(
                ": recorded once for the {} loops around it, where its address stays the same",
                loops.once
            );
        }
        None => {}
    }
    if checked.recorded.for_block {
        out += ": recorded by four threads for all of the block, which access one element";
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
