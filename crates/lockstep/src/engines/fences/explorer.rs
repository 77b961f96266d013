//! The exploration of all executions of small launches, asked about one kernel that communicates through memory.
//!
//! A launch that was given in full is explored itself; if few of its threads communicate, the answer is a proof for that launch.
//! Otherwise the launch that the search would begin with is explored, and launches of few blocks and threads, with arguments of an
//! ordinary launch of these dimensions. Launches that cannot be explored to the end are left out if others can.

use lockstep_fences::{self as fences, Answer, Arg, Cut, Limits};
use lockstep_finding::{DecidedBy, Fact, Fix, Kind, Launch, Origin, Reason};
use lockstep_kernel::Kernel;
use lockstep_search::{Given, ordinary_launches, usual_launches};
use lockstep_simulate::{BoundArg, BoundLaunch, Config, bind};

use crate::cli::progress::Engine;
use crate::engines::fences::fixes;
use crate::engines::table::{EngineRow, Evidence, Next, Question};
use crate::engines::task::{Engines, Task, named_launch};
use crate::facts::launch_facts::assumptions_hold;

pub(crate) const ROW: EngineRow = EngineRow {
    engine: |_| Engine::Explore,
    decides: &[DecidedBy::Exploration],
    is_asked: |how| matches!(how, Engines::All(_) | Engines::Explorer),
    applies,
    look,
};

/// What the exploration has found out.
pub(crate) struct Exploration {
    pub(crate) answer: Answer,
    /// Those of the answer, one to one.
    pub(crate) launches: Vec<Launch>,
    /// These are all that were to be explored.
    pub(crate) all: bool,
    /// Launches of several blocks, or of several threads in a block, could be explored in no size: why.
    pub(crate) narrow: Option<String>,
    /// An edit of the source that cures what fences cure.
    pub(crate) fix: Option<Fix>,
    /// It is the one launch that was given in full, and all its executions are known.
    pub(crate) is_given: bool,
}

/// Operations of a kernel that is explored. Larger ones have too many executions, and take long before that shows.
const MOST_OPERATIONS: usize = 4_000;

/// Kernels that communicate through memory, but for large ones.
fn applies(q: &Question) -> bool {
    // Locks that are taken in two orders deadlock in some executions only.
    let is_shown = |k: &Kind| k.is_decided_by(DecidedBy::Exploration) || *k == Kind::Deadlock;
    q.kinds.iter().any(is_shown)
        && fences::communicates(q.kernel)
        && q.kernel.insts().count() <= MOST_OPERATIONS
}

fn look(task: &Task, q: &Question, evidence: &mut Evidence) -> Result<Next, String> {
    let seed = task.analysis.launch.seed;
    let small = fences::small_dimensions(q.kernel, dimensions(q));
    let usual = usual_launches(q.kernel, &q.way.given, seed).into_iter().take(1);
    let mut launches: Vec<Launch> = usual.collect();
    launches.extend(ordinary_launches(q.kernel, &q.way.given, &small, seed));
    let assume = &task.analysis.launch.assume;
    // What is wrong with an assumption does not hang on the launch.
    assumptions_hold(assume, &named_launch(q.kernel))?.ok();
    let is_allowed = |launch: &Launch| matches!(assumptions_hold(assume, launch), Ok(Ok(())));
    let is_given = q.is_complete();
    if is_given && !launches.first().is_some_and(is_allowed) {
        launches.clear();
    }
    launches.retain(is_allowed);
    if launches.is_empty() {
        return Ok(match task.how {
            Engines::Explorer => Next::Unknown(Reason::NoLaunchSatisfies),
            _ => Next::Ask,
        });
    }
    let (mut given, mut all) = (None, true);
    if is_given {
        let whole = explore(q.kernel, q, launches[..1].to_vec())?;
        if whole.answer.launches[0].is_err() && launches.len() > 1 {
            (launches, all) = (launches.split_off(1), false);
        }
        given = Some(whole).filter(|e| e.answer.exhaustive());
    }
    let larger = larger(q, &small, launches.first(), seed).into_iter().filter(is_allowed);
    let larger: Vec<Launch> = larger.collect();
    let mut exploration = Exploration { all, ..explore(q.kernel, q, launches)? };
    // Code for a third block.
    if !larger.is_empty() && !exploration.answer.unreached().is_empty() {
        let launches = [exploration.launches.clone(), larger].concat();
        exploration = Exploration { all, ..explore(q.kernel, q, launches)? };
    }
    // Those that could be explored to the end say more by themselves.
    let is_known = |i: &usize| {
        exploration.answer.launches[*i].as_ref().is_ok_and(fences::Explored::exhaustive)
    };
    let known: Vec<usize> = (0..exploration.launches.len()).filter(is_known).collect();
    if !known.is_empty() && known.len() < exploration.launches.len() {
        let narrow = narrow(&exploration, &known);
        let launches = known.into_iter().map(|i| exploration.launches[i].clone()).collect();
        exploration = Exploration { all: false, narrow, ..explore(q.kernel, q, launches)? };
    }
    let was_cut = exploration.answer.launches.iter().flatten().any(|l| l.cut.contains(&Cut::Work));
    if was_cut && q.config.deadline.is_some_and(lockstep_cancel::Moment::is_past) {
        task.hurried.set(true);
    }
    // Other launches say only what fences are good for.
    let mut exploration = match given {
        Some(mut given) => {
            given.answer.fences = exploration.answer.fences;
            Exploration { all: exploration.all, is_given: true, ..given }
        }
        None => exploration,
    };
    exploration.fix = fixes::fix(task, q, &exploration);
    evidence.explored = Some(exploration);
    Ok(Next::Ask)
}

/// Small launches of more blocks than the usual one has, if that has several.
fn larger(
    q: &Question,
    small: &[([u32; 3], [u32; 3])],
    usual: Option<&Launch>,
    seed: u64,
) -> Vec<Launch> {
    let given = &q.way.given;
    let blocks = |grid: [u32; 3]| grid.iter().map(|&n| u64::from(n)).product::<u64>();
    let Some(usual) = usual.filter(|usual| given.grid.is_none() && blocks(usual.grid) > 1) else {
        return Vec::new();
    };
    let more = small.iter().filter(|(grid, _)| blocks(*grid) > blocks(usual.grid));
    more.flat_map(|&dims| {
        let grid = Some(Fact::new(dims.0, Origin::Choice));
        ordinary_launches(q.kernel, &Given { grid, ..given.clone() }, &[dims], seed)
    })
    .collect()
}

/// Why launches of several blocks, or of several threads in a block, were not explored, if none of those that were has as many.
fn narrow(exploration: &Exploration, known: &[usize]) -> Option<String> {
    let several = |dims: [u32; 3]| dims.iter().any(|&n| n > 1);
    let shape = |launch: &Launch| [several(launch.grid), several(launch.block)];
    let shapes = || known.iter().map(|&i| shape(&exploration.launches[i]));
    let is_left_out = |launch: &Launch| {
        let own = shape(launch);
        (0..2).any(|axis| own[axis] && !shapes().any(|shape| shape[axis]))
    };
    let launches = exploration.launches.iter().zip(&exploration.answer.launches);
    launches.filter(|(launch, _)| is_left_out(launch)).find_map(|(_, answer)| match answer {
        Err(outside) => Some(outside.to_string()),
        Ok(explored) if explored.exhaustive() => None,
        Ok(explored) => {
            let why = explored.outside.as_ref().map(|outside| outside.to_string());
            Some(why.unwrap_or_else(|| Reason::ExplorationCut.to_string()))
        }
    })
}

/// Explores launches of a kernel: the one in question, or one that was made of it.
pub(crate) fn explore(
    kernel: &Kernel,
    q: &Question,
    launches: Vec<Launch>,
) -> Result<Exploration, String> {
    let bound = launches.iter().map(|launch| Ok(explored(bind::bind(kernel, launch)?, &q.config)));
    let bound = bound.collect::<Result<Vec<_>, String>>()?;
    let limits = Limits {
        deadline: q.config.deadline,
        cancel: q.config.cancel.clone(),
        ..Limits::default()
    };
    let answer = fences::examine(kernel, &bound, &limits);
    Ok(Exploration { answer, launches, all: true, narrow: None, fix: None, is_given: false })
}

/// What is given of grid and block.
fn dimensions(q: &Question) -> Option<([u32; 3], [u32; 3])> {
    let given = &q.way.given;
    let or_some = |d: Option<[u32; 3]>| d.unwrap_or([4, 1, 1]);
    let (grid, block) = (given.grid.map(|d| d.value), given.block.map(|d| d.value));
    (grid.is_some() || block.is_some()).then(|| (or_some(grid), or_some(block)))
}

/// A launch as the exploration takes it.
fn explored(launch: BoundLaunch, config: &Config) -> fences::Launch {
    let arg = |arg: BoundArg| match arg {
        BoundArg::Scalar(values) => Arg::Scalar(values),
        BoundArg::Buffer(bytes) => Arg::Buffer(bytes.to_vec()),
        BoundArg::Alias { param, offset } => Arg::Alias { param, offset },
        BoundArg::Variable { object, offset } => Arg::Variable { object, offset },
        // A launch of a command has no memory from before it.
        BoundArg::Null | BoundArg::Address(_) => Arg::Null,
        BoundArg::Local(bytes) => Arg::Local(bytes),
        BoundArg::Aggregate(bytes) => Arg::Aggregate(bytes),
    };
    fences::Launch {
        grid: launch.grid,
        block: launch.block,
        global: launch.global,
        warp_size: config.warp_size,
        scheduling: config.scheduling,
        shared: u64::from(launch.shared),
        args: launch.args.into_iter().map(arg).collect(),
    }
}
