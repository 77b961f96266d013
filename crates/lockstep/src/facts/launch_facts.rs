//! What the command line and the source say of a kernel's launch.

use std::cell::{Cell, OnceCell};
use std::path::PathBuf;

use lockstep_finding::launch::{Dimension, Number};
use lockstep_finding::{ArgValue, ElementType, Fact, Launch, Origin};
use lockstep_frontend::{
    HostAlias, HostArray, HostLaunch, HostPart, HostPointer, HostSide, Module,
};
use lockstep_kernel::edit::Alias;
use lockstep_kernel::{Array, Kernel, Object, ObjectId, Param, ParamKind, Ty};
use lockstep_simulate::bind;

use crate::cli::dims::{DimArg, Known, Said, is_hosts};
use crate::cli::options::{InputArgs, LaunchArgs};
use crate::facts::assume;
use crate::facts::load::{self, Source};
use crate::facts::relations::{self, Related};

/// A file, and its host launches once somebody asked for them.
pub(crate) struct FileFacts<'a> {
    source: &'a Source,
    module: &'a Module,
    input: &'a InputArgs,
    host: OnceCell<HostSide>,
    /// Whether dimensions were asked of the host: then all that it says counts.
    asked: Cell<bool>,
    /// Which of the host's launches of a kernel is looked at.
    chosen: Cell<usize>,
}

impl<'a> FileFacts<'a> {
    pub(crate) fn new(
        source: &'a Source,
        module: &'a Module,
        input: &'a InputArgs,
    ) -> FileFacts<'a> {
        FileFacts {
            source,
            module,
            input,
            host: OnceCell::new(),
            asked: Cell::new(false),
            chosen: Cell::new(0),
        }
    }

    fn host_launch(&self, kernel: &Kernel) -> Option<&HostLaunch> {
        self.looked_at(kernel).get(self.chosen.get()).copied()
    }

    /// Those of the host's different launches that are looked at: where the block of one is known, that of another is not
    /// guessed.
    fn looked_at(&self, kernel: &Kernel) -> Vec<&HostLaunch> {
        let mut launches = self.different_launches(kernel);
        if launches.iter().any(|l| l.block.is_some()) {
            launches.retain(|l| l.block.is_some());
        }
        launches
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
        let mut different: Vec<&HostLaunch> = Vec::new();
        for l in first.into_iter().chain(launches) {
            if !different.iter().any(|d| d.constants() == l.constants()) {
                different.push(l);
            }
        }
        different
    }

    /// In how many ways the host launches a kernel, where it is the host that says so.
    pub(crate) fn ways(&self, kernel: &Kernel, args: &LaunchArgs) -> usize {
        match self.is_by_host(kernel, args) {
            true => self.looked_at(kernel).len(),
            false => self.different_aliases(kernel).len().max(1),
        }
    }

    fn is_by_host(&self, kernel: &Kernel, args: &LaunchArgs) -> bool {
        self.dims(kernel, args).is_by_host()
    }

    /// What the host's constants are facts of: every launch that it makes, where there is only one kind and all are read.
    pub(crate) fn host_origin(&self, kernel: &Kernel) -> Origin {
        let unread = |host: &HostSide| host.unread.contains(&kernel.mangled);
        match self.different_launches(kernel).len() > 1 || self.host.get().is_some_and(unread) {
            true => Origin::HostLaunch,
            false => Origin::HostLaunches,
        }
    }

    /// The parameters that point into one array or variable, by what the host gives, whoever gives the dimensions.
    pub(crate) fn aliases(&self, kernel: &Kernel, args: &LaunchArgs) -> Vec<Alias> {
        let given = match self.is_by_host(kernel, args) {
            true => self.host_launch(kernel).map(|l| &l.aliases),
            false => self.different_aliases(kernel).get(self.chosen.get()).copied(),
        };
        let object = |name: &str| {
            let is_it = |o: &Object| o.exported && o.name == name;
            let at = kernel.objects.iter().position(is_it)?;
            Some(Array::Object(ObjectId(at as u32)))
        };
        // A member of a structure is a parameter of its own.
        let param = |p: HostPointer| match p.within {
            None => Some(p.param),
            Some(at) => kernel.params.iter().position(|own| {
                own.within.is_some_and(|w| w.param == p.param && u64::from(w.offset) == at)
            }),
        };
        let alias = |a: &HostAlias| {
            let of = match &a.of {
                HostArray::Param(p) => Array::Param(param(*p)?),
                HostArray::Variable(name) => object(name)?,
            };
            Some(Alias { param: param(a.param)?, of, offset: a.offset })
        };
        given.into_iter().flatten().filter_map(alias).collect()
    }

    /// What the host's launches of a kernel have of these, each once. What does not race with one array does not race with two.
    fn different_aliases(&self, kernel: &Kernel) -> Vec<&Vec<HostAlias>> {
        let mut different: Vec<&Vec<HostAlias>> = Vec::new();
        // A kernel with one pointer gives it no other to overlap.
        let is_pointer = |p: &&Param| matches!(p.kind, ParamKind::Buffer { .. });
        let pointers = kernel.params.iter().filter(is_pointer).count();
        let launches = match pointers > 1 || kernel.objects.iter().any(|o| o.exported) {
            true => self.host_launches(kernel),
            false => Vec::new(),
        };
        for aliases in launches.into_iter().map(|l| &l.aliases).filter(|a| !a.is_empty()) {
            if !different.contains(&aliases) {
                different.push(aliases);
            }
        }
        different
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
        known: &Known,
        args: &[Option<Fact<ArgValue>>],
    ) -> Related {
        if !self.asked.get() {
            return Related::default();
        }
        let known = |part: HostPart| match part {
            HostPart::Grid(a) => known.grid.map(|g| i64::from(g[a])),
            HostPart::Block(a) => known.block.map(|b| i64::from(b[a])),
            HostPart::Argument(i) => match args.get(i)?.as_ref().map(|fact| &fact.value) {
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
    pub(crate) fn dims(&self, kernel: &Kernel, args: &LaunchArgs) -> Known {
        let mut sources = self.sources(kernel, args);
        let known = Known::resolve(&sources);
        let is_open = known.grid.is_none() || known.block.is_none();
        self.asked.set(self.asked.get() || is_open);
        if is_open && let Some(host) = self.host_launch(kernel) {
            let said = Said { grid: host.grid, block: host.block };
            sources.push((self.host_origin(kernel), said));
        }
        Known::resolve(&sources)
    }

    /// Dimensions that the user or an annotation gives, whatever the host launches.
    pub(crate) fn said(&self, kernel: &Kernel, args: &LaunchArgs) -> Known {
        Known::resolve(&self.sources(kernel, args))
    }

    fn sources(&self, kernel: &Kernel, args: &LaunchArgs) -> Vec<(Origin, Said)> {
        let head = &self.module.head;
        vec![
            (
                Origin::CommandLine,
                Said {
                    grid: args.grid.and_then(DimArg::exactly),
                    block: args.block.and_then(DimArg::exactly),
                },
            ),
            (Origin::Annotation, Said { grid: head.grid, block: head.block }),
            (Origin::Annotation, Said { grid: None, block: kernel.required_block }),
        ]
    }

    /// OpenCL: the global size, where that is given in place of the number of groups.
    pub(crate) fn global(&self, args: &LaunchArgs) -> Option<[u32; 3]> {
        let head = self.module.head.global.filter(|_| args.grid.is_none() && args.block.is_none());
        args.global.or(head)
    }

    /// The arguments that are known, by parameter: `args`, and scalars that these leave open and the source gives, in its head comment
    /// (`--kernel-args=K,V,…`, in the order of the scalar parameters), or as
    /// constants of the host launch that also gave the dimensions.
    pub(crate) fn args(
        &self,
        kernel: &Kernel,
        args: &[(String, ArgValue)],
        dims: &Known,
    ) -> Result<Vec<Option<Fact<ArgValue>>>, String> {
        let given = bind::resolve(kernel, args)?.into_iter();
        let mut values: Vec<Option<Fact<ArgValue>>> =
            given.map(|v| v.map(|v| Fact::new(v, Origin::CommandLine))).collect();
        let scalars = scalar_params(kernel);
        for (name, head) in &self.module.head.kernel_args {
            if load::is_named(kernel, name) {
                for (&(param, ty), bits) in scalars.iter().zip(head) {
                    let value = bits.map(|b| Fact::new(scalar_of_bits(ty, b), Origin::Annotation));
                    values[param] = values[param].take().or(value);
                }
            }
        }
        if dims.block.is_some_and(|b| is_hosts(b.origin))
            && let Some(host) = self.host_launch(kernel)
        {
            let origin = self.host_origin(kernel);
            let whole = host.arg_count == kernel.own_params();
            let own = |param: usize| host.args.iter().find(|a| a.0 == param).map(|a| a.1);
            for &(param, ty) in scalars.iter().filter(|_| whole) {
                let bits = match kernel.params[param].within {
                    None => own(param),
                    Some(within) => member(host, within.param, within.offset.into(), ty),
                };
                let value = bits.map(|bits| Fact::new(scalar_of_bits(ty, bits), origin));
                values[param] = values[param].take().or(value);
            }
        }
        Ok(values)
    }

    /// Dynamic shared memory: given, or what the host launch has that also gave
    /// the dimensions.
    pub(crate) fn shared(
        &self,
        kernel: &Kernel,
        args: &LaunchArgs,
        dims: &Known,
    ) -> Option<Fact<u32>> {
        let from_host = || {
            let by_host = dims.block.is_some_and(|b| is_hosts(b.origin));
            let host = by_host.then(|| self.host_launch(kernel)).flatten()?;
            (host.shared > 0).then(|| Fact::new(host.shared, self.host_origin(kernel)))
        };
        args.shared.map(|s| Fact::new(s, Origin::CommandLine)).or_else(from_host)
    }
}

/// What a launch has for a member of a structure, so many bytes within it, where that is a constant. Small members travel
/// together.
fn member(host: &HostLaunch, param: usize, at: u64, ty: Ty) -> Option<u64> {
    let end = at + u64::from(ty.bytes());
    host.members.iter().find_map(|&(place, bytes, bits)| {
        let begin = place.within.filter(|_| place.param == param)?;
        let is_there = begin <= at && end <= begin + u64::from(bytes);
        is_there.then(|| bits >> (8 * (at - begin)))
    })
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

/// The value of a name in a launch.
pub(crate) fn number_of(launch: &Launch, name: &str) -> Result<Number, String> {
    value_of(launch, name).and_then(|text| Number::parse(&text)).ok_or_else(|| name.to_owned())
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
