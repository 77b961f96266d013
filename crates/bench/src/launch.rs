//! A launch that three readers understand: `lockstep run`, `oclgrind-kernel`, and the simulator's
//! own API. All three see the same bytes.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use lockstep_finding::Kind;
use lockstep_frontend::{Input, Options};
use lockstep_kernel::Kernel;
use lockstep_simulate::{BoundArg, BoundLaunch, Config, Outcome};

pub(crate) enum Arg {
    F32(Vec<f32>),
    I32(Vec<i32>),
    Scalar(i32),
}

pub(crate) struct Launch {
    /// A file name under `kernels/`; the kernel has the same name without `.cl`.
    pub(crate) file: &'static str,
    pub(crate) block: [u32; 3],
    pub(crate) grid: [u32; 3],
    pub(crate) args: Vec<Arg>,
}

fn kernels_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

impl Launch {
    fn source(&self) -> PathBuf {
        kernels_dir().join(self.file)
    }

    fn kernel(&self) -> &'static str {
        self.file.trim_end_matches(".cl")
    }

    /// `lockstep run …`, with every array as a file in `dir`.
    pub(crate) fn lockstep(&self, binary: &Path, dir: &Path) -> Result<Command, String> {
        let mut command = Command::new(binary);
        command.env_remove("LOCKSTEP_REPRODUCIBLE");
        command.env("LOCKSTEP_NO_CACHE", "1");
        command.arg("run").arg(self.source()).args(["--kernel", self.kernel(), "--format", "json"]);
        command.arg("--block").arg(dims(self.block)).arg("--grid").arg(dims(self.grid));
        for (i, arg) in self.args.iter().enumerate() {
            let (ty, len) = match arg {
                Arg::Scalar(v) => {
                    command.arg("--arg").arg(format!("{i}={v}"));
                    continue;
                }
                Arg::F32(v) => ("f32", v.len()),
                Arg::I32(v) => ("i32", v.len()),
            };
            let path = dir.join(format!("{i}.bin"));
            std::fs::write(&path, arg.bytes()).map_err(|e| e.to_string())?;
            command.arg("--arg").arg(format!("{i}={ty}[{len}]:@{}", path.display()));
        }
        Ok(command)
    }

    /// `oclgrind-kernel --data-races …`, with the launch as a `.sim` file in `dir`.
    pub(crate) fn oclgrind(&self, dir: &Path) -> Result<Command, String> {
        let g: Vec<u32> = (0..3).map(|d| self.grid[d] * self.block[d]).collect();
        let b = self.block;
        let mut sim = format!("{}\n{}\n", self.source().display(), self.kernel());
        let _ = writeln!(sim, "{} {} {}\n{} {} {}", g[0], g[1], g[2], b[0], b[1], b[2]);
        for arg in &self.args {
            match arg {
                Arg::Scalar(v) => {
                    let _ = writeln!(sim, "<size=4 int fill={v}>");
                }
                Arg::F32(v) if v.iter().all(|&x| x == 0.0) => {
                    let _ = writeln!(sim, "<size={} float fill=0>", 4 * v.len());
                }
                Arg::I32(v) if v.iter().all(|&x| x == 0) => {
                    let _ = writeln!(sim, "<size={} int fill=0>", 4 * v.len());
                }
                Arg::F32(v) => {
                    let _ = writeln!(sim, "<size={} float>", 4 * v.len());
                    v.iter().for_each(|x| sim.push_str(&format!("{x}\n")));
                }
                Arg::I32(v) => {
                    let _ = writeln!(sim, "<size={} int>", 4 * v.len());
                    v.iter().for_each(|x| sim.push_str(&format!("{x}\n")));
                }
            }
        }
        let path = dir.join("launch.sim");
        std::fs::write(&path, sim).map_err(|e| e.to_string())?;
        let mut command = Command::new("oclgrind-kernel");
        command.arg("--data-races").arg(path).current_dir(dir);
        Ok(command)
    }

    pub(crate) fn bound(&self) -> BoundLaunch {
        let bind = |arg: &Arg| match arg {
            Arg::Scalar(v) => BoundArg::Scalar(vec![*v as u32 as u64]),
            _ => BoundArg::Buffer(arg.bytes().into()),
        };
        let args = self.args.iter().map(bind).collect();
        BoundLaunch { grid: self.grid, block: self.block, global: None, shared: 0, args }
    }

    pub(crate) fn load(&self) -> Result<Kernel, String> {
        load_kernel(&self.source(), self.kernel(), &Options::default())
    }

    /// In this process, on `jobs` threads, looking for findings of some kinds; the outcome and the seconds of simulation
    /// alone.
    pub(crate) fn simulate(&self, jobs: usize, kinds: &[Kind]) -> Result<(Outcome, f64), String> {
        self.simulate_by(Config { jobs, kinds: kinds.to_vec(), ..Config::default() })
    }

    /// The same, executed as a configuration says.
    pub(crate) fn simulate_by(&self, config: Config) -> Result<(Outcome, f64), String> {
        let kernel = self.load()?;
        let launch = self.bound();
        let config = Config { max_steps: u64::MAX, ..config };
        let start = std::time::Instant::now();
        let outcome =
            lockstep_simulate::simulate(&kernel, &launch, &config).map_err(|e| e.to_string())?;
        Ok((outcome, start.elapsed().as_secs_f64()))
    }
}

impl Arg {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Arg::F32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Arg::I32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Arg::Scalar(v) => v.to_le_bytes().to_vec(),
        }
    }
}

pub(crate) fn load_kernel(path: &Path, name: &str, options: &Options) -> Result<Kernel, String> {
    let module = lockstep_frontend::load(Input::Path(path), options).map_err(|e| e.to_string())?;
    let found = module.kernels.into_iter().find(|k| k.name == name || k.mangled == name);
    found.ok_or_else(|| format!("no kernel {name} in {}", path.display()))
}

fn dims(d: [u32; 3]) -> String {
    format!("{},{},{}", d[0], d[1], d[2])
}

/// Multiples of an eighth between -4 and 4: the same as text and as bytes.
pub(crate) fn floats(len: usize) -> Vec<f32> {
    scramble(len).map(|v| (v % 65) as f32 / 8.0 - 4.0).collect()
}

pub(crate) fn ints(len: usize) -> Vec<i32> {
    scramble(len).map(|v| (v % 100_000) as i32).collect()
}

/// A fixed sequence of 32-bit numbers without visible order.
fn scramble(len: usize) -> impl Iterator<Item = u32> {
    (0..len as u32).map(|i| {
        let v = (i ^ 0x5bd1_e995).wrapping_mul(0x9e37_79b1);
        v ^ (v >> 15)
    })
}
