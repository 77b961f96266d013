//! What the command line and the source say of a kernel's launch.

use std::cell::{Cell, OnceCell};
use std::path::PathBuf;

use lockstep_finding::launch::{Dimension, Number};
use lockstep_finding::{ArgValue, ElementType, Launch};
use lockstep_frontend::{HostLaunch, HostPart, HostSide, Module};
use lockstep_kernel::{Kernel, Param, ParamKind, Ty};
use lockstep_simulate::bind;

use crate::assume;
use crate::dims::{DimArg, Dims, From, Given};
use crate::load::{self, Source};
use crate::options::{InputArgs, LaunchArgs};
use crate::relations::{self, Related};

/// A file, and its host launches once somebody asked for them.
pub(crate) struct FileFacts<'a> {
    source: &'a Source,
    module: &'a Module,
    input: &'a InputArgs,
    host: OnceCell<HostSide>,
    /// Which of the host's launches of a kernel is looked at.
    chosen: Cell<usize>,
}

impl<'a> FileFacts<'a> {
    pub(crate) fn new(
        source: &'a Source,
        module: &'a Module,
        input: &'a InputArgs,
    ) -> FileFacts<'a> {
        FileFacts { source, module, input, host: OnceCell::new(), chosen: Cell::new(0) }
    }

    fn host_launch(&self, kernel: &Kernel) -> Option<&HostLaunch> {
        self.different_launches(kernel).get(self.chosen.get()).copied()
    }

    /// The host's launches of a kernel that differ in what is constant of them; the one of which most is, first.
    fn different_launches(&self, kernel: &Kernel) -> Vec<&HostLaunch> {
        let launches = self.host_launches(kernel);
        let unknown = |l: &&HostLaunch| match (l.grid, l.block) {
            (Some(_), Some(_)) => 0,
            (None, Some(_)) => 1,
            _ => 2,
        };
        let first = launches.iter().copied().min_by_key(unknown);
        let constants = |l: &HostLaunch| (l.grid, l.block, l.args.clone(), l.same.clone());
        let mut different: Vec<&HostLaunch> = Vec::new();
        for l in first.into_iter().chain(launches) {
            if !different.iter().any(|d| constants(d) == constants(l)) {
                different.push(l);
            }
        }
        different
    }

    /// In how many ways the host launches a kernel, where it is the host that says so.
    pub(crate) fn ways(&self, kernel: &Kernel, args: &LaunchArgs) -> usize {
        if self.is_by_host(kernel, args) { self.different_launches(kernel).len() } else { 1 }
    }

    fn is_by_host(&self, kernel: &Kernel, args: &LaunchArgs) -> bool {
        let (grid, block) = self.dims(kernel, args);
        [grid, block].into_iter().flatten().any(|(_, from)| from == From::HostLaunch)
    }

    /// The pairs of parameters that the host gives one array, where it was looked at. What does not race with one array does not
    /// race with two.
    pub(crate) fn same(&self, kernel: &Kernel, args: &LaunchArgs) -> Vec<(usize, usize)> {
        if self.host.get().is_none() {
            return Vec::new();
        }
        let launches = match self.is_by_host(kernel, args) {
            true => self.host_launch(kernel).into_iter().collect(),
            false => self.host_launches(kernel),
        };
        let pairs = launches.into_iter().map(|l| &l.same).find(|same| !same.is_empty());
        pairs.cloned().unwrap_or_default()
    }

    /// Looks at another of the ways.
    pub(crate) fn choose(&self, way: usize) {
        self.chosen.set(way);
    }

    fn host_launches(&self, kernel: &Kernel) -> Vec<&HostLaunch> {
        let host = self.host.get_or_init(|| self.source.host_side(self.module, self.input));
        host.launches.iter().filter(|l| l.kernel == kernel.mangled).collect()
    }

    /// How what is not fixed hangs together, by the host's launches of the kernel, where these were looked at.
    pub(crate) fn relations(
        &self,
        kernel: &Kernel,
        grid: Option<[u32; 3]>,
        block: Option<[u32; 3]>,
        args: &[Option<ArgValue>],
    ) -> Related {
        if self.host.get().is_none() {
            return Related::default();
        }
        let known = |part: HostPart| match part {
            HostPart::Grid(a) => grid.map(|g| i64::from(g[a])),
            HostPart::Block(a) => block.map(|b| i64::from(b[a])),
            HostPart::Argument(i) => match args.get(i)? {
                Some(ArgValue::Scalar(text)) => match Number::parse(text)? {
                    Number::Int(v) => i64::try_from(v).ok(),
                    Number::Float(_) => None,
                },
                _ => None,
            },
        };
        let launches = self.host_launches(kernel);
        let first = self.host_launch(kernel);
        let first = launches.iter().position(|l| first.is_some_and(|f| std::ptr::eq(*l, f)));
        relations::relations(&launches, first.unwrap_or(0), kernel, &known)
    }

    /// All files that what was asked so far rests on; `None` where that cannot be told.
    pub(crate) fn files(&self) -> Option<Vec<PathBuf>> {
        let mut files = self.module.files.clone();
        if let Some(host) = self.host.get() {
            files.extend(host.files.clone()?);
        }
        files.sort();
        files.dedup();
        Some(files)
    }

    /// Dimensions by the strongest source that gives them; the host part of the
    /// file is only read where the stronger ones leave something open.
    pub(crate) fn dims(
        &self,
        kernel: &Kernel,
        args: &LaunchArgs,
    ) -> (Option<([u32; 3], From)>, Option<([u32; 3], From)>) {
        let head = &self.module.head;
        let mut sources = vec![
            (
                From::CommandLine,
                Given {
                    grid: args.grid.and_then(DimArg::exactly),
                    block: args.block.and_then(DimArg::exactly),
                },
            ),
            (From::HeadComment, Given { grid: head.grid, block: head.block }),
        ];
        let (grid, block) = Dims::resolve(&sources);
        if (grid.is_none() || block.is_none())
            && let Some(host) = self.host_launch(kernel)
        {
            sources.push((From::HostLaunch, Given { grid: host.grid, block: host.block }));
        }
        sources.push((From::KernelBounds, Given { grid: None, block: kernel.block_dim_hint }));
        Dims::resolve(&sources)
    }

    /// OpenCL: the global size, where that is given in place of the number of groups.
    pub(crate) fn global(&self, args: &LaunchArgs) -> Option<[u32; 3]> {
        let head = self.module.head.global.filter(|_| args.grid.is_none() && args.block.is_none());
        args.global.or(head)
    }

    /// Scalars that `args` leaves open and the source gives: in its head comment
    /// (`--kernel-args=K,V,…`, in the order of the scalar parameters), or as
    /// constants of the host launch that also gave the dimensions.
    pub(crate) fn source_args(
        &self,
        kernel: &Kernel,
        args: &[(String, ArgValue)],
        dims: &Dims,
    ) -> Result<Vec<(String, ArgValue)>, String> {
        let mut values = bind::resolve(kernel, args)?;
        let given = values.clone();
        let scalars = scalar_params(kernel);
        for (name, head) in &self.module.head.kernel_args {
            if load::is_named(kernel, name) {
                for (&(param, ty), bits) in scalars.iter().zip(head) {
                    let value = bits.map(|b| scalar_of_bits(ty, b));
                    values[param] = values[param].take().or(value);
                }
            }
        }
        if dims.block_from == From::HostLaunch
            && let Some(host) = self.host_launch(kernel)
        {
            let whole = host.arg_count == kernel.own_params();
            for &(position, bits) in host.args.iter().filter(|_| whole) {
                if let Some(&(param, ty)) = scalars.iter().find(|(p, _)| *p == position) {
                    let value = scalar_of_bits(ty, bits);
                    values[param] = values[param].take().or(Some(value));
                }
            }
        }
        let params = kernel.params.iter().zip(values).zip(given);
        let new = params.filter(|(_, given)| given.is_none());
        Ok(new.filter_map(|((p, v), _)| Some((p.name.clone(), v?))).collect())
    }

    /// Dynamic shared memory: given, or what the host launch has that also gave
    /// the dimensions.
    pub(crate) fn shared(&self, kernel: &Kernel, args: &LaunchArgs, dims: &Dims) -> Option<u32> {
        let from_host = || {
            let host = (dims.block_from == From::HostLaunch)
                .then(|| self.host_launch(kernel))
                .flatten()?;
            (host.shared > 0).then_some(host.shared)
        };
        args.shared.or_else(from_host)
    }
}

/// Positions and types of the parameters that are one scalar.
fn scalar_params(kernel: &Kernel) -> Vec<(usize, Ty)> {
    let scalar = |(i, p): (usize, &Param)| match p.kind {
        ParamKind::Scalar { ty, count: 1 } => Some((i, ty)),
        _ => None,
    };
    kernel.params.iter().enumerate().filter_map(scalar).collect()
}

/// A value of the type's width, as `--arg` would have it.
fn scalar_of_bits(ty: Ty, bits: u64) -> ArgValue {
    let bits = bits & ty.mask();
    ArgValue::Scalar(match ty {
        Ty::F16 => ElementType::F16.value_text(&bits.to_le_bytes()),
        Ty::F32 => ElementType::F32.value_text(&bits.to_le_bytes()),
        Ty::F64 => ElementType::F64.value_text(&bits.to_le_bytes()),
        _ if bits <= ty.mask() >> 1 => bits.to_string(),
        _ => format!("{bits:#x}"),
    })
}

/// Whether a launch satisfies every `--assume`.
pub(crate) fn assumptions_hold(
    exprs: &[String],
    launch: &Launch,
) -> Result<Result<(), String>, String> {
    for expr in exprs {
        if !assume::holds(expr, &|name| value_of(launch, name))? {
            return Ok(Err(format!("the launch does not satisfy --assume '{expr}'")));
        }
    }
    Ok(Ok(()))
}

/// The value of a name in an assumption, as text.
fn value_of(launch: &Launch, name: &str) -> Option<String> {
    match Dimension::named(name) {
        Some(Dimension::Block(a)) => return Some(launch.block[a].to_string()),
        Some(Dimension::Grid(a)) => return Some(launch.grid[a].to_string()),
        None => {}
    }
    if let Some((function, rest)) = name.split_once('(') {
        let i: usize = rest.trim_end_matches(')').parse().ok().filter(|&i| i < 3)?;
        let (grid, block) = (launch.grid[i] as u64, launch.block[i] as u64);
        return Some(match function {
            "get_local_size" => block.to_string(),
            "get_num_groups" => grid.to_string(),
            "get_global_size" => launch.global.map_or(grid * block, |g| g[i].into()).to_string(),
            _ => return None,
        });
    }
    launch.args.iter().find_map(|(n, v)| match v {
        ArgValue::Scalar(text) if n == name => Some(text.clone()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_from_bits() {
        assert_eq!(scalar_of_bits(Ty::I32, 64).to_string(), "64");
        assert_eq!(scalar_of_bits(Ty::I32, u64::MAX).to_string(), "0xffffffff");
        assert_eq!(scalar_of_bits(Ty::I1, 1).to_string(), "0x1");
        let half = 0.5f32.to_bits() as u64;
        assert_eq!(scalar_of_bits(Ty::F32, half).to_string(), "0.5");
    }

    #[test]
    fn names_in_assumptions() {
        let launch = Launch {
            grid: [4, 1, 1],
            block: [32, 2, 1],
            args: vec![("n".into(), ArgValue::Scalar("128".into()))],
            ..Launch::default()
        };
        let holds = |e: &str| assumptions_hold(&[e.to_owned()], &launch);
        assert_eq!(holds("n == blockDim.x * gridDim.x"), Ok(Ok(())));
        assert_eq!(holds("get_global_size(1) == 2"), Ok(Ok(())));
        assert_eq!(holds("n < 0"), Ok(Err("the launch does not satisfy --assume 'n < 0'".into())));
        assert!(holds("blockDim.w > 0").is_err());
    }
}
