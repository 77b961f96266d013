//! The command line, as clap sees it once clang's own options are taken out.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{FalseyValueParser, PossibleValue, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use lockstep_cancel::Cancel;
use lockstep_finding::{ArgValue, Kind};
use lockstep_kernel::Language;
use lockstep_search::Alias;
use lockstep_simulate::Scheduling;

use crate::dims::{self, DimArg};

/// Checks CUDA and OpenCL kernels for synchronisation bugs, without a GPU.
#[derive(Debug, Parser)]
#[command(
    name = "lockstep",
    version,
    arg_required_else_help = true,
    after_help = "Exit status: 0 nothing found, 1 at least one error found, 2 the input could not be used, \
                  3 something asked for is unknown, or the run was interrupted (Ctrl-C reports what is known \
                  so far; a second one ends at once).\n\nclang's -I, -D, -U, -std=, -include and -isystem are \
                  accepted as clang spells them; everything after -- goes to clang as it is."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check every kernel in every file: one verdict for each property
    #[command(after_help = "Examples:\n  \
        lockstep check reduce.cu\n  \
        lockstep check *.cl --only data-race,barrier-divergence --format concise\n  \
        lockstep check mm.cu --kernel mm --block 16,16 --grid 8,8 --arg n=128 -DTILE=16\n\n\
        Dimensions come from the command line, the file's head comment (//--blockDim=64 --gridDim=8), a launch in \
        the file's host code, or the kernel's own bounds; what none of them says, and arguments not given, Lockstep \
        searches for, as 'lockstep search' does, among what the host's launches have in common.\n\n\
        Whole projects: 'lockstep check src/' walks a folder, 'lockstep check -p build/' takes files and options from \
        build/compile_commands.json, --changed origin/main leaves only what a branch touches. A project keeps its \
        settings in lockstep.toml: include, defines, std, cuda-path, exclude, budget, scheduling, \
        warp-size, only, skip, baseline; block, grid, shared, args and assume for each kernel under [kernel.NAME]; and \
        [[suppress]] with kind, kernel, file and reason. The command line beats it, and it beats the source.\n\n\
        '// lockstep: allow(data-race) because …' on the line of an access, above it, or at the head of a kernel \
        suppresses findings. Results of unchanged kernels come from a cache in $LOCKSTEP_CACHE_DIR, \
        $XDG_CACHE_HOME/lockstep or ~/.cache/lockstep, unless --no-cache or $LOCKSTEP_NO_CACHE is given.")]
    Check(FilesArgs),
    /// Generate launches (dimensions, arguments, contents of arrays) that expose bugs
    #[command(after_help = "Examples:\n  \
        lockstep search reduce.cu\n  \
        lockstep search match.cl --kernel match --seed 7 --verbose\n  \
        lockstep search mm.cu --block 16,16 --arg n=64 --witness-dir witnesses\n\n\
        What is given (on the command line, in the source) stays as it is; the rest is chosen: ordinary values \
        first, then boundary values from the kernel's own constants and comparisons, then by evolution. Each bug \
        is shown with the plainest launch that has it; one that needs an odd value is reported with the condition. \
        --verbose says for each launch which rule led to it.")]
    Search(SearchCommandArgs),
    /// Prove kernels free of races, divergent barriers and overflows, for all inputs
    #[command(after_help = "Examples:\n  \
        lockstep prove reduce.cu\n  \
        lockstep prove reduce.cu --block any --grid any --assume 'n <= blockDim.x * gridDim.x'\n  \
        lockstep prove mm.cl --block 16,16 --kernel mm --scheduling lockstep\n\n\
        Dimensions come from the command line or the source; without either they may be anything. 'proved' holds for \
        every input that satisfies the assumptions named with it. An alarm is confirmed where nothing was approximated; \
        otherwise it is possible, and names what was.")]
    Prove(FilesArgs),
    /// Simulate one launch exactly as given: findings, what it printed, its outputs
    #[command(after_help = "Examples:\n  \
        lockstep run reduce.cu --block 256 --grid 4 --arg 'in=f32[1024]:random' --arg 'out=f32[4]' --arg n=1024\n  \
        lockstep run scan.cl --block 64 --grid 1 --arg 'a=i32[64]:iota' --arg 't=i32[64]' --dump a\n  \
        lockstep run --replay witnesses/reduce-data-race-1.json\n\n\
        Contents of an array: :zeros (default), :ones, :iota, :random (floats in [0,1), integers in 0..=255), a value \
        that fills it (:2.5), its first values (:1,2,3, the rest zero), or :@FILE (.npy or raw bytes). A pointer may \
        also be 'null', or '&A' for the array of parameter A.")]
    Run(RunArgs),
    /// Serve an editor over the Language Server Protocol
    #[command(after_help = "Examples:\n  \
        lockstep lsp\n  \
        lockstep lsp --budget 5 -Iinclude\n\n\
        Speaks on standard input and output; an editor starts it. A file is checked as 'lockstep check' does with the \
        same options. A client may also send them when it starts: {\"initializationOptions\": {\"args\": [\"--budget\", \
        \"5\"]}}.")]
    Lsp(LspArgs),
    /// Print the kernels as Lockstep's engines see them
    #[command(after_help = "Example:\n  lockstep dump reduce.cu --kernel reduce")]
    Dump(DumpArgs),
    /// Say what a kind of finding means, with an example and how to fix it
    #[command(after_help = "Example:\n  lockstep explain data-race")]
    Explain {
        /// The kind, such as data-race
        #[arg(value_parser = KindParser, hide_possible_values = true)]
        kind: Kind,
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
    /// .cu, .cl, .ll, .bc, or a folder of .cu and .cl files; - is standard input (with --lang)
    #[arg(required_unless_present_any = ["build", "changed"], value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    /// Pointer arguments that were not given may be the same array
    #[arg(long)]
    pub(crate) may_alias: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LspArgs {
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    /// Pointer arguments that were not given may be the same array
    #[arg(long)]
    pub(crate) may_alias: bool,
    #[command(flatten)]
    pub(crate) project: OpenProjectArgs,
}

/// A whole project, of which some files are open in an editor.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Project")]
pub(crate) struct OpenProjectArgs {
    /// Compile as BUILD_DIR/compile_commands.json says (nvcc's options too)
    #[arg(short = 'p', long = "project", value_name = "BUILD_DIR")]
    build: Option<PathBuf>,
    /// Settings of the project [default: lockstep.toml beside a file or in a folder above]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Findings that stand in this file do not count
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
}

impl LspArgs {
    /// As `check` would have them.
    pub(crate) fn into_files(self, clang_args: Vec<String>) -> Result<FilesArgs, String> {
        let LspArgs { mut analysis, may_alias, project } = self;
        let OpenProjectArgs { build, config, baseline } = project;
        analysis.input.set_clang_args(clang_args);
        analysis.launch.concrete()?;
        let project = ProjectArgs { build, config, baseline, ..ProjectArgs::default() };
        Ok(FilesArgs { files: Vec::new(), project, analysis, may_alias })
    }
}

/// A whole project: its files, its settings, and which findings count.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Project")]
pub(crate) struct ProjectArgs {
    /// Compile as BUILD_DIR/compile_commands.json says (nvcc's options too); without a FILE, check all its kernels
    #[arg(short = 'p', long = "project", value_name = "BUILD_DIR")]
    pub(crate) build: Option<PathBuf>,
    /// Settings of the project [default: lockstep.toml here or in a folder above, or else that of all FILEs]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Only files that differ from this git revision, or include one that does
    #[arg(long, value_name = "REV")]
    pub(crate) changed: Option<String>,
    /// Findings that stand in this file do not count
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all findings to a file for --baseline
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Do not use the results of earlier runs, and keep none
    #[arg(long, env = "LOCKSTEP_NO_CACHE", value_parser = FalseyValueParser::new())]
    pub(crate) no_cache: bool,
}

/// How launches are generated.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct Evolve {
    /// Candidates that survive a generation
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_count)]
    pub(crate) population: usize,
    /// Generations; 0 tries the initial launches only
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_count)]
    pub(crate) generations: usize,
    /// Simulate candidates whose ratio of addresses to accessing threads is below this
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
pub(crate) struct RunArgs {
    /// .cu, .cl, .ll or .bc; - is standard input (with --lang)
    #[arg(required_unless_present = "replay", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) analysis: Analysis,
    /// Show an array after the launch in full, or write it to FILE as raw bytes
    #[arg(long, value_name = "NAME[=FILE]")]
    pub(crate) dump: Vec<String>,
    /// Repeat the launch of a witness that --witness-dir wrote
    #[arg(long, value_name = "WITNESS")]
    pub(crate) replay: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    /// .cu, .cl, .ll or .bc; - is standard input (with --lang)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Write to FILE instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// What to read, and how.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArgs {
    /// Only this kernel (source name or mangled); repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Vec<String>,
    /// Language of the input, where the file's name does not say it
    #[arg(long, value_name = "LANG")]
    pub(crate) lang: Option<Lang>,
    /// Use the headers of this CUDA SDK
    #[arg(long, value_name = "DIR")]
    pub(crate) cuda_path: Option<PathBuf>,
    /// The architecture that CUDA code is compiled for [default: sm_70, or what the build says]
    #[arg(long, value_name = "sm_NN", value_parser = parse_arch)]
    pub(crate) arch: Option<String>,
    /// Say more on standard error
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Taken out of the command line before clap saw it.
    #[arg(skip)]
    pub(crate) clang_args: Vec<String>,
    /// Ends all work on the input.
    #[arg(skip)]
    pub(crate) cancel: Cancel,
}

impl InputArgs {
    /// What goes to clang: these, and the architecture.
    pub(crate) fn set_clang_args(&mut self, clang_args: Vec<String>) {
        self.clang_args = clang_args;
        self.clang_args.extend(self.arch.iter().map(|arch| format!("--offload-arch={arch}")));
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
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Launch")]
pub(crate) struct LaunchArgs {
    /// Threads of a block (OpenCL: local size); 'prove' also takes any
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims::parse_arg, allow_hyphen_values = true)]
    pub(crate) block: Option<DimArg>,
    /// Blocks of the grid (OpenCL: number of groups); 'prove' also takes any
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims::parse_arg, allow_hyphen_values = true)]
    pub(crate) grid: Option<DimArg>,
    /// OpenCL: the global size, in place of --grid; the last groups may be smaller
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims::parse, conflicts_with = "grid")]
    pub(crate) global: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory
    #[arg(long, value_name = "BYTES")]
    pub(crate) shared: Option<u32>,
    /// A parameter by name or position: n=1024, a=0.5, 'A=f32[1024]:random'; repeatable
    #[arg(long = "arg", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
    /// A precondition over parameters and dimensions, in C: 'n % 32 == 0'; repeatable
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) assume: Vec<String>,
    /// May threads of a warp run apart (Volta and later, OpenCL) or not? [default: independent]
    #[arg(long, value_name = "HOW")]
    pub(crate) scheduling: Option<SchedulingArg>,
    /// Threads of a warp: a power of two, at most 32 [default: 32]
    #[arg(long, value_name = "N", value_parser = parse_warp_size)]
    pub(crate) warp_size: Option<u32>,
    /// Where every random choice comes from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "What to look for")]
pub(crate) struct SearchArgs {
    /// Only these kinds of finding
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', value_parser = KindParser, hide_possible_values = true)]
    pub(crate) only: Vec<Kind>,
    /// All kinds but these
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', value_parser = KindParser, hide_possible_values = true)]
    pub(crate) skip: Vec<Kind>,
    /// Time for one kernel; what is undecided then is unknown [default: 10; for 'run' 60]
    #[arg(long, value_name = "SECONDS", value_parser = parse_budget)]
    pub(crate) budget: Option<f64>,
    /// Count effort in steps, not seconds: the same answer on every machine, however slow
    #[arg(long, env = "LOCKSTEP_REPRODUCIBLE", value_parser = FalseyValueParser::new())]
    pub(crate) reproducible: bool,
    /// Simulate also where everything that was asked for is proved
    #[arg(long)]
    pub(crate) simulate_proved: bool,
    /// Worker threads; never changes the result [default: one per core]
    #[arg(long, value_name = "N", value_parser = parse_jobs)]
    pub(crate) jobs: Option<usize>,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct ReportArgs {
    /// How to write the report
    #[arg(long, value_enum, default_value = "human")]
    pub(crate) format: Format,
    /// Write the report to FILE instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write each finding's launch as a file for 'lockstep run --replay'
    #[arg(long, value_name = "DIR")]
    pub(crate) witness_dir: Option<PathBuf>,
    /// Count findings that are only possible as found
    #[arg(long)]
    pub(crate) strict: bool,
    /// Exit with 0, not 3, where something is unknown
    #[arg(long)]
    pub(crate) allow_unknown: bool,
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
pub(crate) enum Format {
    /// For terminals
    Human,
    /// One line a finding, file:line:col
    Concise,
    /// One object, for scripts (schemas/report.schema.json)
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
    /// One self-contained page, for browsers
    Html,
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

/// A kind by its name; the names are what completion scripts offer.
#[derive(Clone)]
struct KindParser;

impl TypedValueParser for KindParser {
    type Value = Kind;

    fn parse_ref(
        &self,
        cmd: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Kind, clap::Error> {
        parse_kind.parse_ref(cmd, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Kind::ALL.iter().map(|kind| PossibleValue::new(kind.name()))))
    }
}

fn parse_kind(text: &str) -> Result<Kind, String> {
    Kind::from_name(text.trim()).ok_or_else(|| {
        let names: Vec<_> = Kind::ALL.iter().map(|k| k.name()).collect();
        format!("no such kind of finding; the kinds are {}", names.join(", "))
    })
}

pub(crate) fn parse_warp_size(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(n) if n.is_power_of_two() && n <= 32 => Ok(n),
        _ => Err("a power of two from 1 to 32 expected".into()),
    }
}

fn parse_budget(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s.is_finite() => Ok(s),
        _ => Err("a number of seconds above 0 expected".into()),
    }
}

fn parse_arch(text: &str) -> Result<String, String> {
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

fn parse_jobs(text: &str) -> Result<usize, String> {
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
