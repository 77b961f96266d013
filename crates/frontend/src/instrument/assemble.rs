//! PTX to a cubin, the code of one architecture, where NVIDIA's `ptxas` is installed: no driver has to compile it then.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lockstep_cancel::Cancel;
use lockstep_names as names;

use crate::Error;
use crate::clang::temporary::Temporary;
use crate::clang::{finish_child, on_path};

/// NVIDIA's assembler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ptxas(PathBuf);

impl Ptxas {
    /// That of this SDK, or the one on the path.
    pub fn find(sdk: Option<&Path>) -> Option<Ptxas> {
        let of_sdk = sdk.map(|sdk| sdk.join("bin/ptxas")).filter(|p| p.is_file());
        of_sdk.or_else(|| on_path("ptxas")).map(Ptxas)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The cubin of a module. A thread of it has at most so many registers.
    pub fn assemble(
        &self,
        ptx: &str,
        architecture: &str,
        registers: Option<u32>,
        cancel: &Cancel,
    ) -> Result<Vec<u8>, Error> {
        let (source, cubin) =
            (Temporary::new("ptx", ptx.as_bytes())?, Temporary::new("cubin", b"")?);
        let mut command = Command::new(&self.0);
        command.arg(format!("-arch={architecture}"));
        command.args(registers.map(|n| format!("--maxrregcount={n}")));
        command.arg("-o").arg(cubin.path()).arg(source.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let fail = |why: String| Error::Device(format!("{}: {why}", names::shown(&self.0)));
        let started = |e: io::Error| fail(e.to_string());
        let output = finish_child(command.spawn().map_err(started)?, cancel).map_err(started)?;
        if cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        if !output.status.success() {
            let said = [output.stderr, output.stdout].concat();
            let said = names::message(&said, [source.path().as_os_str()]);
            return Err(fail(said.lines().next().unwrap_or("it failed without a message").into()));
        }
        match std::fs::read(cubin.path()) {
            Ok(bytes) if bytes.is_empty() => Err(fail("it has written nothing".into())),
            Ok(bytes) => Ok(bytes),
            Err(e) => Err(fail(e.to_string())),
        }
    }
}
