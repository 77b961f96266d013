//! The options of `lockstep exec` and `lockstep nvcc`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use lockstep_finding::Kind;
use lockstep_runtime::Check;

use crate::cli::kind_names::KindParser;
use crate::cli::options::{Cli, ReportArgs, SchedulingArg, parse_arch, parse_jobs};

pub(crate) const EXEC_HELP: &str = "Examples:\n  \
    lockstep exec squares.cu -- 4096\n  \
    lockstep exec --check all -O2 squares.cu\n  \
    lockstep exec --format json --output report.json ./squares 64\n  \
    lockstep exec --record launches squares.cu -- 4096\n\n\
    The program's input and output are its own; the report comes at its end, on standard error or in --output. Exit status: 1 if an \
    error was found, else the program's own if it is not 0, else as for other commands. There is one device. Programs of OpenCL are checked if they take \
    the platform Lockstep, which they find before the others. What the runtime \
    library does not have fails with its name when it is called.";

pub(crate) const NVCC_HELP: &str = "Examples:\n  \
    lockstep nvcc -O2 -arch=sm_80 squares.cu -o app\n  \
    lockstep nvcc -dc squares.cu -o squares.o\n\n\
    In a Makefile: NVCC='lockstep nvcc'. Objects hold device \
    code for 'lockstep exec', and no code for a GPU.";

#[derive(Debug, Args)]
pub(crate) struct ExecArgs {
    /// A program that lockstep nvcc has compiled, one that uses OpenCL, a command that runs such programs, or a .cu file; its arguments follow
    #[arg(value_name = "PROGRAM", required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,
    /// Launches of a kernel in the same shape that are checked for races and uninitialised reads: all, the first, or the
    /// first eight and then ever fewer
    #[arg(long, value_name = "all|first|sampled", default_value = "sampled", value_parser = parse_check)]
    pub(crate) check: Check,
    /// Warp instructions after which one launch is given up
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_launch: Option<u64>,
    /// Keep the launches of each kernel in DIR, beside those of earlier runs, for 'lockstep check --launches DIR'
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
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

/// The command line with `-O2` before the program as `-O 2`: where words may follow that begin with a dash, clap takes a short
/// option with its value for one of them.
pub(crate) fn with_values_apart(words: Vec<OsString>) -> Vec<OsString> {
    let cli = Cli::command();
    let takes_value = |option: &[u8]| {
        let exec = cli.find_subcommand("exec");
        let mut all = exec.into_iter().flat_map(clap::Command::get_arguments);
        let is_it = |arg: &clap::Arg| match option {
            [b'-', b'-', name @ ..] => arg.get_long().is_some_and(|l| l.as_bytes() == name),
            [_, letter, ..] => arg.get_short() == Some(char::from(*letter)),
            _ => false,
        };
        all.any(|arg| is_it(arg) && arg.get_action().takes_values())
    };
    let mut words = words.into_iter();
    let mut out: Vec<OsString> = words.by_ref().take(2).collect();
    while let Some(word) = words.next() {
        let bytes = word.as_bytes();
        let is_option = bytes.starts_with(b"-") && bytes.len() > 1 && bytes != b"--";
        let is_long = bytes.starts_with(b"--");
        if is_option && !is_long && bytes.len() > 2 && takes_value(bytes) {
            out.extend([&bytes[..2], &bytes[2..]].map(|part| OsStr::from_bytes(part).to_owned()));
            continue;
        }
        let value_follows = is_option && takes_value(bytes);
        out.push(word);
        match (is_option, value_follows) {
            (true, true) => out.extend(words.next()),
            (true, false) => {}
            // The program: what follows is its own.
            (false, _) => out.extend(words.by_ref()),
        }
    }
    out
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_options_before_the_program_are_taken_apart() {
        let apart = |line: &str| {
            let words = line.split(' ').map(OsString::from).collect();
            let apart = with_values_apart(words);
            apart.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            apart("lockstep exec --check all -O2 -DN=4 -v -I inc a.cu -- -O3 -x"),
            "lockstep exec --check all -O 2 -D N=4 -v -I inc a.cu -- -O3 -x"
        );
        assert_eq!(apart("lockstep exec -- ./app -O2"), "lockstep exec -- ./app -O2");
        assert_eq!(
            apart("lockstep exec --check=all ./app -Ix"),
            "lockstep exec --check=all ./app -Ix"
        );
    }
}
