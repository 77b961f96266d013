//! The arrays that a GPU has computed, beside those of the simulator.

use std::fmt;

use lockstep_device::archive::Archive;
use lockstep_simulate::{BoundLaunch, Config, simulate};

/// An array in which the two differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub array: String,
    /// How many bytes differ, and the first of them.
    pub bytes: usize,
    pub first: usize,
    pub gpu: u8,
    pub simulator: u8,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "array '{}' differs in {} bytes; byte {} is {:#04x} on the GPU and {:#04x} in the simulator",
            self.array, self.bytes, self.first, self.gpu, self.simulator
        )
    }
}

pub(crate) fn with_simulator(
    archive: &Archive,
    bound: &BoundLaunch,
    outputs: &[(usize, Vec<u8>)],
) -> Result<Vec<Difference>, String> {
    let config = Config { kinds: Vec::new(), ..Config::default() };
    let outcome = simulate(&archive.kernel, bound, &config).map_err(|e| e.to_string())?;
    if let Some(why) = outcome.incomplete {
        return Err(format!("the simulator did not execute the launch to its end: {why}"));
    }
    Ok(differences(archive, outputs, &outcome.buffers))
}

fn differences(
    archive: &Archive,
    gpu: &[(usize, Vec<u8>)],
    simulator: &[(usize, Vec<u8>)],
) -> Vec<Difference> {
    let mut out = Vec::new();
    for (parameter, bytes) in gpu {
        let Some((_, other)) = simulator.iter().find(|(p, _)| p == parameter) else { continue };
        let differing: Vec<usize> =
            (0..bytes.len().min(other.len())).filter(|&i| bytes[i] != other[i]).collect();
        if let Some(&first) = differing.first() {
            out.push(Difference {
                array: archive.kernel.params[*parameter].name.clone(),
                bytes: differing.len(),
                first,
                gpu: bytes[first],
                simulator: other[first],
            });
        }
    }
    out
}
