//! The command line, as clap sees it once clang's own options are taken out.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::FalseyValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use lockstep_cancel::Cancel;
use lockstep_finding::{ArgValue, FloatAssumption, Kind};
use lockstep_kernel::Language;
use lockstep_kernel::Scheduling;
use lockstep_project::recorded::Recorded;
use lockstep_recheck::solver::Solver;
use lockstep_search::Alias;

use crate::cli::colour::When;
use crate::cli::device_options::{DEVICE_HELP, DeviceArgs};
use crate::cli::dims::{self, DimArg};
use crate::cli::formats::{Also, Format};
use crate::cli::kind_names::KindParser;
use crate::cli::paths::{CheckCommandArgs, FencesCommandArgs, PathArgs};
use crate::cli::program_options::{EXEC_HELP, ExecArgs, NVCC_HELP, NvccArgs};
use crate::cli::progress::EngineTimes;

/// Finds synchronisation bugs in CUDA and OpenCL kernels, or proves that there are none. No GPU is needed.
#[derive(Debug, Parser)]
#[command(
    name = "lockstep",
    version,
    arg_required_else_help = true,
    after_help = "Exit status: 0 no error was found and everything is decided, 1 at least one error was found, 2 the \
                  input could not be used, 3 no error was found but something is unknown or the run was interrupted. \
                  Ctrl-C reports what is known so far; a second Ctrl-C ends at once.\n\nclang's -I, -D, -U, -std=, -include and -isystem are \
                  accepted as clang spells them; everything after -- goes to clang as it is, but for -O: an optimiser can hide a race."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check every kernel of some files for every kind of bug
    #[command(after_help = "Examples:\n  \
        lockstep check reduce.cu\n  \
        lockstep check *.cl --only data-race,barrier-divergence --format concise\n  \
        lockstep check mm.cu --kernel mm --block 16,16 --grid 8,8 --arg n=128 -DTILE=16\n\n\
        Launch dimensions come from the command line, from a comment at the head of the file (//--blockDim=64 \
        --gridDim=8), from a launch in the file's host code, or from __launch_bounds__. Lockstep chooses dimensions \
        and arguments that none of these gives, as 'lockstep search' does. --symbolic executes the launch symbolically, too: for all contents of arrays and \
        all scalars not given; where an argument is given as symbolic (--arg 'x=i32[64]:symbolic'), any value of it may show an error.\n\n\
        Whole projects: 'lockstep check src/' checks all files of a folder, 'lockstep check -p build/' takes files and \
        options from build/compile_commands.json, and --changed origin/main checks only files that differ from that \
        revision. A project keeps its settings in lockstep.toml: include, defines, std, cuda-path, exclude, budget, scheduling, \
        warp-size, only, skip, baseline, launches; block, grid, shared, args and assume for each kernel under [kernel.NAME]; and \
        [[suppress]] with kind, kernel, file and reason. The command line takes precedence over lockstep.toml, and lockstep.toml over the source.\n\n\
        '// lockstep: allow(data-race) because …' on the line of an access, above it, or at the head of a kernel \
        suppresses findings. Results of unchanged kernels are taken from a cache in $LOCKSTEP_CACHE_DIR, \
        $XDG_CACHE_HOME/lockstep or ~/.cache/lockstep, unless --no-cache or $LOCKSTEP_NO_CACHE is given.")]
    Check(CheckCommandArgs),
    /// Search for launches (dimensions, arguments, contents of arrays) that expose bugs
    #[command(after_help = "Examples:\n  \
        lockstep search reduce.cu\n  \
        lockstep search match.cl --kernel match --seed 7 --verbose\n  \
        lockstep search mm.cu --block 16,16 --arg n=64 --witness-dir witnesses\n\n\
        Values given on the command line or in the source are kept. The others are chosen: ordinary values first, then \
        boundary values from the kernel's own constants and comparisons, then by an evolutionary search. Each bug is \
        shown with the simplest launch that was found for it. A bug that needs unusual values is reported with the \
        condition under which it happens. --verbose prints each launch that was tried, and why.")]
    Search(SearchCommandArgs),
    /// Prove for all inputs that kernels have no data race, divergent barrier or access out of bounds
    #[command(after_help = "Examples:\n  \
        lockstep prove reduce.cu\n  \
        lockstep prove reduce.cu --block any --grid any --assume 'n <= blockDim.x * gridDim.x'\n  \
        lockstep prove mm.cl --block 16,16 --kernel mm --scheduling lockstep\n\n\
        Launch dimensions come from the command line or from the source; otherwise the proof is for all dimensions. \
        'proved' holds for every input that satisfies the conditions printed with it. A finding is confirmed if no \
        value was approximated; otherwise it is possible, and the approximated values are named.\n\n\
        --proof-log DIR writes each proof down; 'lockstep recheck DIR' checks it with a solver.")]
    Prove(ProveCommandArgs),
    /// Find missing and redundant fences: explore all executions of small launches, and execute large ones with store buffers
    #[command(after_help = "Examples:\n  \
        lockstep fences reduce.cu\n  \
        lockstep fences lock.cu --kernel push --block 256 --grid 16 --arg n=64\n  \
        lockstep fences sum.cu --kernel sum --check is_right --stats\n\n\
        Kernels that communicate through memory (flags, locks, tickets, queues) are explored: every execution that the \
        memory model of PTX, or of OpenCL, allows. A launch of few threads is explored as it is given; others are reduced \
        to a few blocks and threads, which the report names. A missing fence is reported with the place where it \
        belongs and the scope that it needs; with it inserted, the kernel is explored again.\n\n\
        The launch itself, of any size, is also executed many times as if each thread had buffers for its stores, and its \
        loads could be early. It fails if an assertion is broken, if threads wait for ever, or if arrays are other than \
        without reordering, as --expect says, or as --check says: a kernel of the file that one thread executes \
        after the launch, with parameters of the same names, and whose assertions must hold. A failure that fences \
        cure is a missing fence, too.")]
    Fences(FencesCommandArgs),
    /// Prove that a kernel computes what a C or C++ function, or another kernel, computes; or show an input on which they differ
    #[command(after_help = "Examples:\n  \
        lockstep equiv saxpy.c:saxpy_ref saxpy.cl:saxpy --arg n=64 --arg a=symbolic --arg 'x=f32[64]:symbolic' --arg 'y=f32[64]:symbolic' --block 16 --grid 4\n  \
        lockstep equiv total.c:total_ref total.cu:total --arg n=64 --arg 'x=f32[64]:symbolic' --arg 'out=f32[1]' --block 64 --grid 1 --assume-fp associative,positive-zero\n  \
        lockstep equiv total.c:total_ref --script two_passes.toml\n\n\
        Both are executed symbolically at this launch, the function by one thread. Arguments given as symbolic stand for every value; of numbers, for those that --assume allows. \
        Parameters are matched by name, else by position; every array that either side may write is compared, or those given by --out. \
        'proved mismatch' means that there is none: they are equivalent for all values of the symbolic arguments. A mismatch is shown with an input, which \
        both sides were executed on.\n\n\
        A script (--script) has buffers, and steps of the host: launches, copies, releases. What they leave in the buffers is compared \
        with the reference, or with another script, FILE.toml. Buffers are matched by name; --arg gives one other contents.\n\n\
        --assume-fp: positive-zero (the sign of a zero does not matter), finite (no value is infinite or NaN), associative (sums and products in \
        any order), contraction (a * b + c may be rounded once). --ulp, --rtol and --atol accept small differences: such results are compared \
        on many inputs, and are 'clean', not 'proved'.")]
    Equiv(Box<EquivArgs>),
    /// Simulate one launch exactly as given; print findings, its printf output and its output arrays
    #[command(after_help = "Examples:\n  \
        lockstep run reduce.cu --block 256 --grid 4 --arg 'in=f32[1024]:random' --arg 'out=f32[4]' --arg n=1024\n  \
        lockstep run scan.cl --block 64 --grid 1 --arg 'a=i32[64]:iota' --arg 't=i32[64]' --dump a\n  \
        lockstep run --replay witnesses/reduce-data-race-1.json\n\n\
        Contents of an array: :zeros (default), :ones, :iota, :random (floats in [0,1), integers in 0..=255), a value \
        that fills it (:2.5), its first values (:1,2,3, the rest zero), or :@FILE (.npy or raw bytes). A pointer may \
        also be 'null', or '&A' for the array of parameter A.")]
    Run(RunArgs),
    /// Run a whole CUDA program, its kernels on the simulator with all checks on
    #[command(after_help = EXEC_HELP)]
    Exec(Box<ExecArgs>),
    /// Compile a CUDA program for 'lockstep exec', with nvcc's options
    #[command(after_help = NVCC_HELP)]
    Nvcc(NvccArgs),
    /// Build kernels that check themselves on a GPU
    #[command(after_help = DEVICE_HELP)]
    Device(DeviceArgs),
    /// Check the proofs that 'prove --proof-log DIR' wrote, with another solver
    #[command(after_help = "Examples:\n  \
        lockstep recheck proofs\n  \
        lockstep recheck proofs --solver z3 --timeout 60 --format json\n\n\
        The pairs of accesses that might race are collected again from the kernel in the log; one that the log does not \
        have is missing. The solver is asked about every obligation, and about every simplification that was made before: \
        it contradicts the proof if it finds a model. Exit status: 0 nothing is contradicted or missing, 1 something is, 2 \
        the log cannot be read or the solver is not installed.")]
    Recheck(RecheckArgs),
    /// Run the language server, for editors
    #[command(after_help = "Examples:\n  \
        lockstep lsp\n  \
        lockstep lsp --budget 5 -Iinclude\n\n\
        An editor starts it and talks to it on standard input and output. Files are checked as by 'lockstep check' with \
        the same options. The editor may also send options when it starts: {\"initializationOptions\": {\"args\": [\"--budget\", \
        \"5\"]}}.")]
    Lsp(LspArgs),
    /// Print kernels in Lockstep's intermediate representation
    #[command(after_help = "Example:\n  lockstep dump reduce.cu --kernel reduce")]
    Dump(DumpArgs),
    /// Explain a kind of finding, with an example and how to fix it
    #[command(after_help = "Examples:\n  lockstep explain\n  lockstep explain data-race")]
    Explain {
        /// The kind, such as data-race; without a kind, list all kinds
        #[arg(value_parser = KindParser, hide_possible_values = true)]
        kind: Option<Kind>,
    },
    /// Print a completion script for a shell
    #[command(after_help = "Examples:\n  \
        lockstep completions bash > lockstep.bash\n  \
        lockstep completions zsh > _lockstep\n\n\
        'make install' puts the scripts where bash, zsh and fish look for them.")]
    Completions { shell: clap_complete::Shell },
    /// Write the manual pages, one for each command, to a folder
    #[command(hide = true)]
    Man { dir: PathBuf },
}

/// What the commands that look at every kernel of some files share.
#[derive(Clone, Debug, Args)]
pub(crate) struct FilesArgs {
    /// A .cu, .cl, .ll or .bc file, a folder of .cu and .cl files, or - for standard input (with --lang)
    #[arg(required_unless_present_any = ["build", "changed"], value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    /// Pointer arguments that are not given may point to the same array
    #[arg(long)]
    pub(crate) may_alias: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LspArgs {
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    /// Pointer arguments that are not given may point to the same array
    #[arg(long)]
    pub(crate) may_alias: bool,
    #[command(flatten)]
    pub(crate) project: OpenProjectArgs,
}

/// A whole project, of which some files are open in an editor.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Project")]
pub(crate) struct OpenProjectArgs {
    /// Take compiler options (nvcc's too) from BUILD_DIR/compile_commands.json
    #[arg(short = 'p', long = "project", value_name = "BUILD_DIR")]
    build: Option<PathBuf>,
    /// Settings of the project [default: lockstep.toml beside a file or in a folder above]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Ignore findings listed in this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Take launches that 'lockstep exec --record DIR' wrote as facts about the callers
    #[arg(long, value_name = "DIR")]
    launches: Option<PathBuf>,
}

impl LspArgs {
    /// As `check` would have them.
    pub(crate) fn into_files(self, clang_args: Vec<OsString>) -> Result<FilesArgs, String> {
        let LspArgs { mut analysis, may_alias, project } = self;
        let OpenProjectArgs { build, config, baseline, launches } = project;
        analysis.input.set_clang_args(clang_args);
        analysis.launch.concrete()?;
        let project = ProjectArgs { build, config, baseline, launches, ..ProjectArgs::default() };
        Ok(FilesArgs { files: Vec::new(), project, analysis, may_alias })
    }
}

/// The project that one file is of.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Project")]
pub(crate) struct FileProjectArgs {
    /// Compile as BUILD_DIR/compile_commands.json says (nvcc's options too)
    #[arg(short = 'p', long = "project", value_name = "BUILD_DIR")]
    pub(crate) build: Option<PathBuf>,
    /// Settings of the project [default: lockstep.toml beside the file or in a folder above]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// A whole project: its files, its settings, and which findings count.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Project")]
pub(crate) struct ProjectArgs {
    /// Take compiler options (nvcc's too) from BUILD_DIR/compile_commands.json; without FILE, check all its files
    #[arg(short = 'p', long = "project", value_name = "BUILD_DIR")]
    pub(crate) build: Option<PathBuf>,
    /// Settings of all FILEs [default: for each of them lockstep.toml beside it or in a folder above]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Check only files that differ from this git revision, or include a file that does
    #[arg(long, value_name = "REV")]
    pub(crate) changed: Option<String>,
    /// Ignore findings listed in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all findings to this file, for --baseline
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Take launches that 'lockstep exec --record DIR' wrote as facts about the callers
    #[arg(long, value_name = "DIR")]
    pub(crate) launches: Option<PathBuf>,
    /// Do not use or store results of earlier runs
    #[arg(long, env = "LOCKSTEP_NO_CACHE", value_parser = FalseyValueParser::new())]
    pub(crate) no_cache: bool,
}

/// How launches are generated.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct Evolve {
    /// Number of candidates that survive each generation
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_count)]
    pub(crate) population: usize,
    /// Number of generations; 0 tries only the initial launches
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_count)]
    pub(crate) generations: usize,
    /// Simulate candidates with fewer distinct addresses per accessing thread than this
    #[arg(long, value_name = "F", default_value_t = 0.3, value_parser = parse_ratio)]
    pub(crate) accept: f64,
    /// Which pointer arguments that were not given may be the same array.
    #[arg(skip)]
    pub(crate) alias: Alias,
}

impl Default for Evolve {
    fn default() -> Evolve {
        Evolve { population: 10, generations: 10, accept: 0.3, alias: Alias::Never }
    }
}

#[derive(Debug, Args)]
pub(crate) struct SearchCommandArgs {
    #[command(flatten)]
    pub(crate) of: FilesArgs,
    #[command(flatten)]
    pub(crate) evolve: Evolve,
}

#[derive(Debug, Args)]
pub(crate) struct ProveCommandArgs {
    #[command(flatten)]
    pub(crate) of: FilesArgs,
    /// Write each proof to a folder in DIR, for 'lockstep recheck'; DIR must be empty
    #[arg(long, value_name = "DIR")]
    pub(crate) proof_log: Option<PathBuf>,
}

/// How launches are executed with store buffers.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Weak execution")]
pub(crate) struct WeakArgs {
    /// Probability that a store is buffered, and that a load is early [default: 1, 0.75, 0.5 and 0.25]
    #[arg(long, value_name = "P", value_parser = parse_ratio)]
    pub(crate) buffer_probability: Option<f64>,
    /// Stores that a buffer of a thread holds
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = parse_buffer_size)]
    pub(crate) buffer_size: usize,
    /// Contents that an array parameter must have after the launch, raw bytes or .npy; repeatable
    #[arg(long, value_name = "NAME=@FILE")]
    pub(crate) expect: Vec<String>,
    /// Kernel of the file that checks the arrays after the launch: its assertions must hold
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) check: Option<String>,
    /// Print on standard error how many fences and stores threads execute, and how long buffers are when they are flushed
    #[arg(long)]
    pub(crate) stats: bool,
}

impl Default for WeakArgs {
    fn default() -> WeakArgs {
        let expect = Vec::new();
        WeakArgs { buffer_probability: None, buffer_size: 256, expect, check: None, stats: false }
    }
}

impl WeakArgs {
    /// Whether the user says something about it.
    pub(crate) fn is_given(&self) -> bool {
        self.buffer_probability.is_some() || self.stats || self.needs_files()
    }

    /// Whether an answer of an earlier run would not do: something is read again, or printed.
    pub(crate) fn needs_files(&self) -> bool {
        self.check.is_some() || !self.expect.is_empty()
    }
}

#[derive(Debug, Args)]
pub(crate) struct EquivArgs {
    /// The reference: a function of a .c, .cpp or .cu file, or a kernel; with --script, another script, too
    #[arg(value_name = "FILE:FUNCTION")]
    pub(crate) reference: OsString,
    /// The kernel
    #[arg(
        value_name = "FILE:KERNEL",
        required_unless_present = "script",
        conflicts_with = "script"
    )]
    pub(crate) subject: Option<OsString>,
    /// Compare what the launches, copies and releases of this script leave in its buffers, instead of one kernel
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) project: FileProjectArgs,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    #[command(flatten)]
    pub(crate) compare: CompareArgs,
}

/// What counts as equal.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Comparison")]
pub(crate) struct CompareArgs {
    /// Compare only this array; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) out: Vec<String>,
    /// Assume this of floating point: positive-zero, finite, associative, contraction
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = parse_float_assumption)]
    pub(crate) assume_fp: Vec<FloatAssumption>,
    /// Accept results that differ by at most N units in the last place
    #[arg(long, value_name = "N")]
    pub(crate) ulp: Option<u64>,
    /// Accept results that differ by at most this part of the reference's
    #[arg(long, value_name = "X", value_parser = parse_error)]
    pub(crate) rtol: Option<f64>,
    /// Accept results that differ by at most this
    #[arg(long, value_name = "X", value_parser = parse_error)]
    pub(crate) atol: Option<f64>,
    /// Iterations of a loop whose end depends on symbolic values
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub(crate) unroll: u32,
    /// Inputs on which both sides are executed, where no proof is found
    #[arg(long, value_name = "N", default_value_t = 48)]
    pub(crate) inputs: u32,
    /// Threads per block of a reference that is a kernel [default: as the kernel]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims::parse)]
    pub(crate) reference_block: Option<[u32; 3]>,
    /// Blocks in the grid of a reference that is a kernel [default: as the kernel]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims::parse)]
    pub(crate) reference_grid: Option<[u32; 3]>,
}

#[derive(Debug, Args)]
pub(crate) struct RecheckArgs {
    /// The folder that 'lockstep prove --proof-log' wrote
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// The solver to ask
    #[arg(long, value_enum, default_value = "cvc5")]
    pub(crate) solver: SolverName,
    /// Time limit per question
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = parse_budget)]
    pub(crate) timeout: f64,
    /// Number of solvers that run at once [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    pub(crate) jobs: Option<usize>,
    /// Format of the report
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) format: RecheckFormat,
    /// Write the report to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SolverName {
    Z3,
    Cvc5,
    Bitwuzla,
}

impl SolverName {
    pub(crate) fn solver(self) -> Solver {
        match self {
            SolverName::Z3 => Solver::Z3,
            SolverName::Cvc5 => Solver::Cvc5,
            SolverName::Bitwuzla => Solver::Bitwuzla,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecheckFormat {
    /// For terminals
    Human,
    /// One JSON object, for scripts
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// A .cu, .cl, .ll or .bc file, or - for standard input (with --lang)
    #[arg(required_unless_present = "replay", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) project: FileProjectArgs,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    /// Print this whole array after the launch, or write it to FILE as raw bytes
    #[arg(long, value_name = "NAME[=FILE]")]
    pub(crate) dump: Vec<String>,
    /// Repeat the launch in a file that --witness-dir wrote
    #[arg(long, value_name = "WITNESS")]
    pub(crate) replay: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    /// A .cu, .cl, .ll or .bc file, or - for standard input (with --lang)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) project: FileProjectArgs,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// What to read, and how.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArgs {
    /// Check only this kernel (source name or mangled name); repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Vec<String>,
    /// Language of the input, if the file extension does not tell
    #[arg(long, value_name = "LANG")]
    pub(crate) lang: Option<Lang>,
    /// Use the headers of this CUDA SDK
    #[arg(long, value_name = "DIR")]
    pub(crate) cuda_path: Option<PathBuf>,
    /// Compile CUDA code for this architecture [default: sm_70, or that of the build]
    #[arg(long, value_name = "sm_NN", value_parser = parse_arch)]
    pub(crate) arch: Option<String>,
    /// Verbose output, on standard error
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Taken out of the command line before clap saw it.
    #[arg(skip)]
    pub(crate) clang_args: Vec<OsString>,
    /// Ends all work on the input.
    #[arg(skip)]
    pub(crate) cancel: Cancel,
}

impl InputArgs {
    /// What goes to clang: these, and the architecture.
    pub(crate) fn set_clang_args(&mut self, clang_args: Vec<OsString>) {
        self.clang_args = clang_args;
        self.clang_args
            .extend(self.arch.iter().map(|arch| format!("--offload-arch={arch}").into()));
    }
}

/// What every analysis command shares.
#[derive(Clone, Debug, Args)]
pub(crate) struct Analysis {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) launch: LaunchArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    /// Of 'fences' alone.
    #[arg(skip)]
    pub(crate) weak: WeakArgs,
    /// Of 'check' alone.
    #[arg(skip)]
    pub(crate) paths: PathArgs,
    /// Launches that programs made.
    #[arg(skip)]
    pub(crate) recorded: Option<Arc<Recorded>>,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Launch")]
pub(crate) struct LaunchArgs {
    /// Threads per block (OpenCL: local size); 'prove' also takes any
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims::parse_arg, allow_hyphen_values = true)]
    pub(crate) block: Option<DimArg>,
    /// Blocks in the grid (OpenCL: number of work-groups); 'prove' also takes any
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims::parse_arg, allow_hyphen_values = true)]
    pub(crate) grid: Option<DimArg>,
    /// OpenCL: global size, instead of --grid; the last work-groups may be smaller
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims::parse, conflicts_with = "grid")]
    pub(crate) global: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory
    #[arg(long, value_name = "BYTES")]
    pub(crate) shared: Option<u32>,
    /// Value of a kernel parameter, by name or position: n=1024, a=0.5, 'A=f32[1024]:random'; repeatable
    #[arg(long = "arg", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
    /// Assume this condition on parameters and dimensions, in C syntax: 'n % 32 == 0'; repeatable
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) assume: Vec<String>,
    /// Whether threads of a warp are scheduled independently (Volta and later, OpenCL) or in lockstep [default: independent]
    #[arg(long, value_name = "HOW")]
    pub(crate) scheduling: Option<SchedulingArg>,
    /// Threads per warp: a power of two, at most 32 [default: 32]
    #[arg(long, value_name = "N", value_parser = parse_warp_size)]
    pub(crate) warp_size: Option<u32>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "What to look for")]
pub(crate) struct SearchArgs {
    /// Look only for these kinds of finding
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', value_parser = KindParser, hide_possible_values = true)]
    pub(crate) only: Vec<Kind>,
    /// Do not look for these kinds of finding
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', value_parser = KindParser, hide_possible_values = true)]
    pub(crate) skip: Vec<Kind>,
    /// Time limit per kernel, not counting that others have the processor; what is undecided by then is unknown [default: 10; for
    /// 'run' 60]
    #[arg(long, value_name = "SECONDS", value_parser = parse_budget)]
    pub(crate) budget: Option<f64>,
    /// Limit work by steps instead of time, for the same results on every machine
    #[arg(long, env = "LOCKSTEP_REPRODUCIBLE", value_parser = FalseyValueParser::new())]
    pub(crate) reproducible: bool,
    /// Simulate even if everything is already proved
    #[arg(long)]
    pub(crate) simulate_proved: bool,
    /// Number of worker threads; results do not depend on it [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    pub(crate) jobs: Option<usize>,
    /// A row of the search's table of excuses that is left out, for measurements
    #[arg(long, value_name = "NAME", hide = true)]
    pub(crate) without_excuse: Option<String>,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportArgs {
    /// Format of the report
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) format: Format,
    /// Write the report to FILE instead of standard output (exec: standard error)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the report to FILE in another format too; may be repeated
    #[arg(long, value_name = "FORMAT=FILE", value_parser = Also::parse)]
    pub(crate) also: Vec<Also>,
    /// Write the launch of each finding to a file in DIR, for 'lockstep run --replay'
    #[arg(long, value_name = "DIR")]
    pub(crate) witness_dir: Option<PathBuf>,
    /// Treat possible findings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// Exit with 0, not 3, if something is unknown
    #[arg(long)]
    pub(crate) allow_unknown: bool,
    /// Exit with 0 even if errors were found or something is unknown; unusable input still gives 2
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Print findings and errors only: no verdicts, summary, warnings or progress
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// When to use colours; auto also heeds NO_COLOR, CLICOLOR, CLICOLOR_FORCE and TERM=dumb
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) color: When,
    /// Print findings and verdicts by kind, and the time of each engine, on standard error
    #[arg(long)]
    pub(crate) statistics: bool,
    /// What the engines have taken.
    #[arg(skip)]
    pub(crate) times: EngineTimes,
}

impl LaunchArgs {
    /// An error where a dimension is `any`, which only a proof can mean.
    pub(crate) fn concrete(&self) -> Result<(), String> {
        let vague = |d: &Option<DimArg>| d.is_some_and(|d| d.exactly().is_none());
        for (name, dims) in [("--block", &self.block), ("--grid", &self.grid)] {
            if vague(dims) {
                return Err(format!("{name}: 'any' is for 'lockstep prove'"));
            }
        }
        Ok(())
    }

    pub(crate) fn scheduling(&self) -> SchedulingArg {
        self.scheduling.unwrap_or(SchedulingArg::Independent)
    }

    pub(crate) fn warp_size(&self) -> u32 {
        self.warp_size.unwrap_or(32)
    }

    pub(crate) fn parsed_args(&self) -> Result<Vec<(String, ArgValue)>, String> {
        self.args.iter().map(|a| ArgValue::parse_assignment(a)).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lang {
    Cuda,
    Opencl,
    Llvm,
}

impl Lang {
    pub(crate) fn language(self) -> Language {
        match self {
            Lang::Cuda => Language::Cuda,
            Lang::Opencl => Language::OpenCl,
            Lang::Llvm => Language::Llvm,
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Lang> {
        Lang::from_str(name, true).ok()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchedulingArg {
    Independent,
    Lockstep,
}

impl SchedulingArg {
    pub(crate) fn scheduling(self) -> Scheduling {
        match self {
            SchedulingArg::Independent => Scheduling::Independent,
            SchedulingArg::Lockstep => Scheduling::Lockstep,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            SchedulingArg::Independent => "independent",
            SchedulingArg::Lockstep => "lockstep",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<SchedulingArg> {
        SchedulingArg::from_str(name, false).ok()
    }
}

pub(crate) fn parse_warp_size(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(n) if n.is_power_of_two() && n <= 32 => Ok(n),
        _ => Err("a power of two from 1 to 32 expected".into()),
    }
}

pub(crate) fn parse_budget(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s.is_finite() => Ok(s),
        _ => Err("a number of seconds above 0 expected".into()),
    }
}

fn parse_float_assumption(text: &str) -> Result<FloatAssumption, String> {
    let found = FloatAssumption::ALL.into_iter().find(|a| a.name() == text.trim());
    found.ok_or_else(|| {
        let names: Vec<&str> = FloatAssumption::ALL.iter().map(|a| a.name()).collect();
        format!("one of {} expected", names.join(", "))
    })
}

fn parse_error(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x >= 0.0 && x.is_finite() => Ok(x),
        _ => Err("a number of at least 0 expected".into()),
    }
}

pub(crate) fn parse_arch(text: &str) -> Result<String, String> {
    let name = text.strip_prefix("sm_").unwrap_or("");
    let digits = name.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let is_name = (2..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    match is_name && name.len() - digits.len() <= 1 {
        true => Ok(text.to_owned()),
        false => Err("the name of an architecture expected, such as sm_80".into()),
    }
}

fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if n <= 10_000 => Ok(n),
        _ => Err("a number from 0 to 10000 expected".into()),
    }
}

fn parse_ratio(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(f) if (0.0..=1.0).contains(&f) => Ok(f),
        _ => Err("a number from 0 to 1 expected".into()),
    }
}

fn parse_buffer_size(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if (1..=65_536).contains(&n) => Ok(n),
        _ => Err("a number from 1 to 65536 expected".into()),
    }
}

pub(crate) fn parse_jobs(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if (1..=4096).contains(&n) => Ok(n),
        _ => Err("a number from 1 to 4096 expected".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
