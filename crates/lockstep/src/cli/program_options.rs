//! The options of `lockstep exec` and `lockstep nvcc`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use lockstep_finding::Kind;
use lockstep_runtime::Check;

use crate::cli::options::{KindParser, ReportArgs, SchedulingArg, parse_arch, parse_jobs};

pub(crate) const EXEC_HELP: &str = "Examples:\n  \
    lockstep exec squares.cu -- 4096\n  \
    lockstep exec --check all -O2 squares.cu\n  \
    lockstep exec --format json --output report.json ./squares 64\n\n\
    The program's input and output are its own; the report comes at its end, on standard error or in --output. Exit status: 1 if an \
    error was found, else the program's own if it is not 0, else as for other commands. There is one device. What the runtime \
    library does not have fails with its name when it is called.";

pub(crate) const NVCC_HELP: &str = "Examples:\n  \
    lockstep nvcc -O2 -arch=sm_80 squares.cu -o app\n  \
    lockstep nvcc -dc squares.cu -o squares.o\n\n\
    In a Makefile: NVCC='lockstep nvcc'. Objects hold device \
    code for 'lockstep exec', and no code for a GPU.";

#[derive(Debug, Args)]
pub(crate) struct ExecArgs {
    /// A program that lockstep nvcc has compiled, a command that runs such programs, or a .cu file; its arguments follow
    #[arg(value_name = "PROGRAM", required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,
    /// Launches of a kernel in the same shape that are checked for races and uninitialised reads: all, the first, or the
    /// first eight and then ever fewer
    #[arg(long, value_name = "all|first|sampled", default_value = "sampled", value_parser = parse_check)]
    pub(crate) check: Check,
    /// Warp instructions after which one launch is given up
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_launch: Option<u64>,
    /// Look only for these kinds of finding
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', value_parser = KindParser, hide_possible_values = true)]
    pub(crate) only: Vec<Kind>,
    /// Do not look for these kinds of finding
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', value_parser = KindParser, hide_possible_values = true)]
    pub(crate) skip: Vec<Kind>,
    /// Whether threads of a warp may run apart between synchronisations [default: independent]
    #[arg(long, value_enum)]
    pub(crate) scheduling: Option<SchedulingArg>,
    /// Number of worker threads of a launch; does not change the result [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    pub(crate) jobs: Option<usize>,
    /// Of a .cu file: compile for this architecture [default: sm_70]
    #[arg(long, value_name = "sm_NN", value_parser = parse_arch)]
    pub(crate) arch: Option<String>,
    /// Of a .cu file: use the headers of this CUDA SDK
    #[arg(long, value_name = "DIR")]
    pub(crate) cuda_path: Option<PathBuf>,
    /// Of a .cu file: a folder of headers
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<OsString>,
    /// Of a .cu file: a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<OsString>,
    /// Of a .cu file: the version of C++
    #[arg(long, value_name = "c++NN")]
    std: Option<OsString>,
    /// Of a .cu file: how much its host code is optimised
    #[arg(short = 'O', value_name = "N", default_value = "1")]
    pub(crate) optimize: String,
    /// Of a .cu file: a library to link
    #[arg(short = 'l', value_name = "NAME")]
    library: Vec<OsString>,
    /// Of a .cu file: a folder of libraries
    #[arg(short = 'L', value_name = "DIR")]
    library_path: Vec<OsString>,
    /// Verbose output, on standard error
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

#[derive(Debug, Args)]
pub(crate) struct NvccArgs {
    /// Options and files, as nvcc takes them
    #[arg(value_name = "ARGS", num_args = 0.., trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

impl ExecArgs {
    /// The program, and what follows it; `--` between them is ours.
    pub(crate) fn program_and_arguments(&self) -> (&OsString, &[OsString]) {
        let (program, rest) = self.program.split_first().expect("clap has asked for it");
        match rest.split_first() {
            Some((first, others)) if first == "--" => (program, others),
            _ => (program, rest),
        }
    }

    /// For device and host code.
    pub(crate) fn compiler_options(&self) -> Vec<OsString> {
        let mut all = joined("-I", &self.include);
        all.extend(joined("-D", &self.define));
        all.extend(joined("-std=", self.std.as_slice()));
        all
    }

    pub(crate) fn linker_options(&self) -> Vec<OsString> {
        let mut all = joined("-L", &self.library_path);
        all.extend(joined("-l", &self.library));
        all
    }
}

fn joined(name: &str, values: &[OsString]) -> Vec<OsString> {
    let option = |value: &OsString| {
        let mut word = OsString::from(name);
        word.push(value);
        word
    };
    values.iter().map(option).collect()
}

fn parse_check(text: &str) -> Result<Check, String> {
    Check::from_name(text).ok_or_else(|| "all, first or sampled expected".into())
}
