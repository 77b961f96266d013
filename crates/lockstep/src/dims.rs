//! Launch dimensions: their text, their limits, and where they come from.
//!
//! Command line, head comment, constant host launch, the kernel's own bounds,
//! in this order; grid and block each on their own.

use lockstep_finding::launch::dims_text;
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

/// Where a value came from, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    CommandLine,
    HeadComment,
    HostLaunch,
    KernelBounds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dims {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) grid_from: From,
    pub(crate) block_from: From,
}

/// What each source says of one launch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Given {
    pub(crate) grid: Option<[u32; 3]>,
    pub(crate) block: Option<[u32; 3]>,
}

impl Dims {
    /// Takes the strongest source for each; `None` where nothing says anything.
    pub(crate) fn resolve(
        sources: &[(From, Given)],
    ) -> (Option<([u32; 3], From)>, Option<([u32; 3], From)>) {
        let grid = sources.iter().find_map(|(from, g)| Some((g.grid?, *from)));
        let block = sources.iter().find_map(|(from, g)| Some((g.block?, *from)));
        (grid, block)
    }

    /// An error that names the limit, where there is one.
    pub(crate) fn validate(&self, language: Language) -> Result<(), String> {
        let Dims { grid, block, .. } = *self;
        if let Some(what) = [("grid", grid), ("block", block)].iter().find(|(_, d)| d.contains(&0))
        {
            return Err(format!("a dimension of the {} is zero", what.0));
        }
        let limit = match (self.block_from, language) {
            (From::HeadComment, _) => MAX_HEAD_BLOCK,
            (_, Language::OpenCl) => MAX_OPENCL_BLOCK,
            _ => MAX_CUDA_BLOCK,
        };
        let threads: u64 = block.iter().map(|&d| d as u64).fold(1, u64::saturating_mul);
        if threads > limit {
            return Err(format!(
                "block {} has {threads} threads; the limit is {limit}",
                dims_text(block)
            ));
        }
        if language != Language::OpenCl && self.block_from != From::HeadComment && block[2] > 64 {
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
        let total = grid.iter().chain(&block).map(|&d| d as u128).product::<u128>();
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
        assert_eq!(parse_arg("8,4").map(DimArg::exactly), Ok(Some([8, 4, 1])));
        assert_eq!(parse_arg("0"), Err("a dimension is zero".into()));
    }

    fn dims(grid: [u32; 3], block: [u32; 3], from: From) -> Dims {
        Dims { grid, block, grid_from: from, block_from: from }
    }

    #[test]
    fn limits() {
        let check = |g, b, l| dims(g, b, From::CommandLine).validate(l).unwrap_err();
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
        assert!(dims([1; 3], [2048, 1, 1], From::HeadComment).validate(Language::Cuda).is_ok());
    }

    #[test]
    fn the_stronger_source_wins() {
        let (grid, block) = Dims::resolve(&[
            (From::CommandLine, Given { grid: None, block: Some([32, 1, 1]) }),
            (From::HeadComment, Given { grid: Some([4, 1, 1]), block: Some([64, 1, 1]) }),
        ]);
        assert_eq!(grid, Some(([4, 1, 1], From::HeadComment)));
        assert_eq!(block, Some(([32, 1, 1], From::CommandLine)));
    }
}
