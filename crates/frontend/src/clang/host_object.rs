//! The command that compiles the host side of a CUDA program that is run.

use std::path::Path;
use std::process::Command;

use crate::clang::{CUDA, architecture, headers, sdk_version, tool};
use crate::{Error, Options};

/// The version of CUDA whose launches the runtime library understands.
const VERSION: &str = "12.4";

/// The command for host code, up to the options that the user gave for it; `image` is its device code.
pub(crate) fn program_host_command(options: &Options, image: &Path) -> Result<Command, Error> {
    let mut c = Command::new(tool("clang++-19"));
    c.args(CUDA).arg(format!("--offload-arch={}", architecture::of(options)));
    c.args(["--cuda-host-only", "-w", "-gline-tables-only", "-fno-omit-frame-pointer"]);
    c.args(["-Xclang", "-fcuda-include-gpubinary", "-Xclang"]).arg(image);
    let version = options.cuda_path.as_deref().and_then(sdk_version);
    let version = version.unwrap_or_else(|| VERSION.to_owned());
    c.args(["-Xclang", &format!("-target-sdk-version={version}")]);
    match &options.cuda_path {
        Some(path) => {
            let mut argument = std::ffi::OsString::from("--cuda-path=");
            argument.push(path);
            c.arg(argument);
        }
        None => {
            let include = headers()?.join("cuda");
            c.arg("-nocudainc").arg("-isystem").arg(&include);
            c.arg("-include").arg(include.join("lockstep_cuda_prelude.h"));
        }
    }
    c.args(architecture::others(options));
    Ok(c)
}
