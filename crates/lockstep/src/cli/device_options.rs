//! The options of `lockstep device`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::dims::{self, DimArg};
use crate::cli::options::{FileProjectArgs, InputArgs, parse_budget};

pub(crate) const DEVICE_HELP: &str = "Examples:\n  \
    lockstep device build reduce.cu -o reduce.lsd --arch sm_90\n  \
    lockstep device build reduce.cu -o reduce.lsd --block 256 --memory shared -O 2\n\n\
    Accesses that are proved free of races are not checked; what is left out is printed. The checker becomes part of the kernel, \
    which is then optimised and written as PTX, and where 'ptxas' is there as a cubin, too. No GPU and no CUDA SDK are needed. On the machine with the GPU, \
    'lockstep-device run reduce.lsd' launches it.";

#[derive(Debug, Args)]
pub(crate) struct DeviceArgs {
    #[command(subcommand)]
    pub(crate) command: DeviceCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DeviceCommand {
    /// Write a kernel with the checker in it to a file, for lockstep-device
    #[command(after_help = DEVICE_HELP)]
    Build(Box<BuildArgs>),
}

/// Which memory is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MemoryArg {
    Shared,
    Global,
    All,
}

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// A .cu file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) project: FileProjectArgs,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Threads per block that accesses are proved for [default: any]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims::parse_arg)]
    pub(crate) block: Option<DimArg>,
    /// Blocks in the grid that accesses are proved for [default: any]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dims::parse_arg)]
    pub(crate) grid: Option<DimArg>,
    /// A number that accesses are proved for, as for 'lockstep run'; arrays are not looked at; repeatable [default: any]
    #[arg(long = "arg", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
    /// Which memory is checked
    #[arg(long, value_enum, default_value = "all")]
    pub(crate) memory: MemoryArg,
    /// Check all accesses, whatever could be proved
    #[arg(long)]
    pub(crate) no_prune: bool,
    /// Time limit of the proof
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = parse_budget)]
    pub(crate) budget: f64,
    /// How much the kernel is optimised
    #[arg(short = 'O', value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) optimize: u8,
    /// Write no cubin beside the PTX, also where NVIDIA's 'ptxas' is there (in the SDK of --cuda-path, or on the path)
    #[arg(long)]
    pub(crate) ptx_only: bool,
    /// Also write LLVM's bitcode of the kernel with the checker, before it is optimised
    #[arg(long, value_name = "FILE")]
    pub(crate) emit_bitcode: Option<PathBuf>,
    /// Also write the PTX of the kernel with the checker
    #[arg(long, value_name = "FILE")]
    pub(crate) emit_ptx: Option<PathBuf>,
}
