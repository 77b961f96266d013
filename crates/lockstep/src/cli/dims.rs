//! Launch dimensions: their text, their limits, and where they come from.
//!
//! Command line, head comment, the size of a block that the kernel requires, constant host launch,
//! in this order; grid and block each on their own.

use lockstep_finding::launch::dims_text;
use lockstep_finding::{Fact, Origin};
use lockstep_kernel::{Kernel, Language};

/// More threads than this are not simulated.
pub(crate) const MAX_THREADS: u64 = (1 << 31) - 1;
/// What a head comment may ask for: beyond any device, but GPUVerify's suites do.
const MAX_HEAD_BLOCK: u64 = 65536;
const MAX_CUDA_BLOCK: u64 = 1024;
const MAX_OPENCL_BLOCK: u64 = 65536;

/// Dimensions as the command line has them: `None` is `any`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DimArg(pub(crate) [Option<u32>; 3]);

/// As the command line takes it.
impl std::fmt::Display for DimArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let axes: Vec<String> =
            self.0.iter().map(|d| d.map_or("any".into(), |n| n.to_string())).collect();
        let last = axes.iter().rposition(|d| d != "1").unwrap_or(0);
        match self.0 {
            [None, None, None] => f.write_str("any"),
            _ => f.write_str(&axes[..=last].join(",")),
        }
    }
}

impl DimArg {
    /// The dimensions, where none of them is `any`.
    pub(crate) fn exactly(self) -> Option<[u32; 3]> {
        let [Some(x), Some(y), Some(z)] = self.0 else { return None };
        Some([x, y, z])
    }
}

/// Reads `X[,Y[,Z]]`, each of them a number or `any`; `any` alone means all three.
pub(crate) fn parse_arg(text: &str) -> Result<DimArg, String> {
    if text.trim() == "any" {
        return Ok(DimArg([None; 3]));
    }
    let plain: Vec<&str> =
        text.split(',').map(|p| if p.trim() == "any" { "1" } else { p }).collect();
    let mut dims = parse(&plain.join(","))?.map(Some);
    for (slot, part) in dims.iter_mut().zip(text.split(',')) {
        if part.trim() == "any" {
            *slot = None;
        }
    }
    Ok(DimArg(dims))
}

/// Reads `X[,Y[,Z]]`.
pub(crate) fn parse(text: &str) -> Result<[u32; 3], String> {
    let mut dims = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err(format!("{} dimensions; there are at most 3", parts.len()));
    }
    for (slot, part) in dims.iter_mut().zip(parts) {
        let part = part.trim();
        let wide: u64 = part.parse().map_err(|_| format!("'{part}' is not a dimension"))?;
        *slot =
            u32::try_from(wide).map_err(|_| format!("{wide} is beyond every device's limit"))?;
        if *slot == 0 {
            return Err("a dimension is zero".into());
        }
    }
    Ok(dims)
}

/// The number of work-groups for a global size, and that size where the last of them are smaller.
pub(crate) fn of_global(
    kernel: &Kernel,
    global: [u32; 3],
    block: Option<[u32; 3]>,
) -> Result<([u32; 3], Option<[u32; 3]>), String> {
    if kernel.language == Language::Cuda {
        return Err("--global is for OpenCL: a CUDA launch has --grid whole blocks".into());
    }
    let block = block.ok_or("--global needs the size of the work-groups: give --block, too")?;
    let groups = std::array::from_fn(|a| global[a].div_ceil(block[a].max(1)));
    let is_whole = (0..3).all(|a| block[a] != 0 && global[a].is_multiple_of(block[a]));
    if !is_whole && !kernel.remainders {
        return Err(format!(
            "--global {}: all work-groups of this kernel have the same size, {}",
            dims_text(global),
            dims_text(block)
        ));
    }
    Ok((groups, (!is_whole).then_some(global)))
}

/// The dimensions of a launch, and who gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dims {
    pub(crate) grid: Fact<[u32; 3]>,
    pub(crate) block: Fact<[u32; 3]>,
}

/// What one source says of a launch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Said {
    pub(crate) grid: Option<[u32; 3]>,
    pub(crate) block: Option<[u32; 3]>,
}

/// The dimensions that are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) grid: Option<Fact<[u32; 3]>>,
    pub(crate) block: Option<Fact<[u32; 3]>>,
}

impl Known {
    /// Takes the first source for each; `None` where nothing says anything.
    pub(crate) fn resolve(sources: &[(Origin, Said)]) -> Known {
        let first = |of: fn(&Said) -> Option<[u32; 3]>| {
            sources.iter().find_map(|(origin, said)| Some(Fact::new(of(said)?, *origin)))
        };
        Known { grid: first(|s| s.grid), block: first(|s| s.block) }
    }

    /// Whether the host gives any of them.
    pub(crate) fn is_by_host(&self) -> bool {
        [self.grid, self.block].iter().flatten().any(|d| is_hosts(d.origin))
    }
}

/// Whether the host says it.
pub(crate) fn is_hosts(origin: Origin) -> bool {
    matches!(origin, Origin::HostLaunch | Origin::HostLaunches) || origin.is_recorded()
}

pub(crate) fn threads_of(grid: [u32; 3], block: [u32; 3]) -> u128 {
    grid.iter().chain(&block).map(|&d| d as u128).product()
}

impl Dims {
    /// An error that names the limit, where there is one.
    pub(crate) fn validate(&self, kernel: &Kernel) -> Result<(), String> {
        if let Some(most) = kernel.most_threads
            && self.block.origin == Origin::CommandLine
            && self.block.iter().map(|&d| u64::from(d)).product::<u64>() > most.into()
        {
            let block = dims_text(self.block.value);
            return Err(format!(
                "block {block} has more threads than the kernel's launch bounds allow, {most}"
            ));
        }
        self.within_limits(kernel.language)
    }

    fn within_limits(&self, language: Language) -> Result<(), String> {
        let (grid, block) = (self.grid.value, self.block.value);
        let is_head = self.block.origin == Origin::Annotation;
        if let Some(what) = [("grid", grid), ("block", block)].iter().find(|(_, d)| d.contains(&0))
        {
            return Err(format!("a dimension of the {} is zero", what.0));
        }
        let limit = match language {
            _ if is_head => MAX_HEAD_BLOCK,
            Language::OpenCl => MAX_OPENCL_BLOCK,
            _ => MAX_CUDA_BLOCK,
        };
        let threads: u64 = block.iter().map(|&d| d as u64).fold(1, u64::saturating_mul);
        if threads > limit {
            return Err(format!(
                "block {} has {threads} threads; the limit is {limit}",
                dims_text(block)
            ));
        }
        if language != Language::OpenCl && !is_head && block[2] > 64 {
            return Err(format!(
                "block {} has z = {}; the limit is 64",
                dims_text(block),
                block[2]
            ));
        }
        if language != Language::OpenCl {
            if grid[0] > i32::MAX as u32 {
                return Err(format!(
                    "grid {} has x = {}; the limit is {}",
                    dims_text(grid),
                    grid[0],
                    i32::MAX
                ));
            }
            for (axis, size) in [("y", grid[1]), ("z", grid[2])] {
                if size > 65535 {
                    return Err(format!(
                        "grid {} has {axis} = {size}; the limit is 65535",
                        dims_text(grid)
                    ));
                }
            }
        }
        let total = threads_of(grid, block);
        if total > MAX_THREADS as u128 {
            return Err(format!(
                "{total} threads are more than this simulator runs (limit {MAX_THREADS})"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text() {
        assert_eq!(parse("256"), Ok([256, 1, 1]));
        assert_eq!(parse("16,16"), Ok([16, 16, 1]));
        assert_eq!(parse("1,2,3"), Ok([1, 2, 3]));
        assert_eq!(parse("0"), Err("a dimension is zero".into()));
        assert_eq!(parse("1,2,3,4"), Err("4 dimensions; there are at most 3".into()));
        assert_eq!(parse("x"), Err("'x' is not a dimension".into()));
        assert_eq!(parse("-1"), Err("'-1' is not a dimension".into()));
        assert_eq!(parse(""), Err("'' is not a dimension".into()));
        assert_eq!(parse("4294967296"), Err("4294967296 is beyond every device's limit".into()));
    }

    #[test]
    fn any() {
        assert_eq!(parse_arg("any"), Ok(DimArg([None; 3])));
        assert_eq!(parse_arg("32,any"), Ok(DimArg([Some(32), None, Some(1)])));
        assert_eq!(parse_arg("32,any").map(DimArg::exactly), Ok(None));
        for text in ["any", "64", "1", "1,4", "32,any", "2,3,4", "1,1,any"] {
            assert_eq!(parse_arg(text).map(|d| d.to_string()), Ok(text.to_owned()));
        }
        assert_eq!(parse_arg("8,4").map(DimArg::exactly), Ok(Some([8, 4, 1])));
        assert_eq!(parse_arg("0"), Err("a dimension is zero".into()));
    }

    fn dims(grid: [u32; 3], block: [u32; 3], origin: Origin) -> Dims {
        Dims { grid: Fact::new(grid, origin), block: Fact::new(block, origin) }
    }

    #[test]
    fn limits() {
        let check = |g, b, l| dims(g, b, Origin::CommandLine).within_limits(l).unwrap_err();
        assert_eq!(
            check([1, 1, 1], [2048, 1, 1], Language::Cuda),
            "block 2048 has 2048 threads; the limit is 1024"
        );
        assert_eq!(
            check([1, 1, 1], [1, 1, 65], Language::Cuda),
            "block 1,1,65 has z = 65; the limit is 64"
        );
        assert_eq!(
            check([1, 65536, 1], [1, 1, 1], Language::Cuda),
            "grid 1,65536 has y = 65536; the limit is 65535"
        );
        assert_eq!(
            check([1 << 21, 1, 1], [1024, 1, 1], Language::Cuda),
            "2147483648 threads are more than this simulator runs (limit 2147483647)"
        );
        assert_eq!(
            check([u32::MAX; 3], [65536, 1, 1], Language::OpenCl),
            "5192296854906500867112653065781248000 threads are more than this simulator runs (limit 2147483647)"
                .replace("5192296854906500867112653065781248000", &(65536 * (u32::MAX as u128).pow(3)).to_string())
        );
        assert!(
            dims([1; 3], [2048, 1, 1], Origin::Annotation).within_limits(Language::Cuda).is_ok()
        );
    }

    #[test]
    fn the_stronger_source_wins() {
        let known = Known::resolve(&[
            (Origin::CommandLine, Said { grid: None, block: Some([32, 1, 1]) }),
            (Origin::Annotation, Said { grid: Some([4, 1, 1]), block: Some([64, 1, 1]) }),
        ]);
        assert_eq!(known.grid, Some(Fact::new([4, 1, 1], Origin::Annotation)));
        assert_eq!(known.block, Some(Fact::new([32, 1, 1], Origin::CommandLine)));
    }
}
