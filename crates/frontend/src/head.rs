//! GPUVerify's head comments: launch dimensions and flags in the first comment lines of a file.
//!
//! The first line is `//pass` or `//xfail:CODE` and is not interpreted here; the arguments may be on any of the leading
//! comment lines. A dimension `*` is free and left to the caller, as is one that is not given.

use lockstep_kernel::{Kernel, Language, Special, edit};

/// The contents of the head comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeadComment {
    /// Whether the file begins like GPUVerify's tests, with `//pass` or `//xfail:`.
    pub gpuverify: bool,
    pub block: Option<[u32; 3]>,
    pub grid: Option<[u32; 3]>,
    /// OpenCL: `--global_size=`, if it is not a multiple of the block.
    pub global: Option<[u32; 3]>,
    /// The number of dimensions.
    pub work_dim: Option<u32>,
    /// OpenCL: `--global_offset=`, 0 where it leaves out an axis.
    pub global_offset: Option<[u32; 3]>,
    /// `-DX`, `-IX` and `-include`, for clang.
    pub flags: Vec<String>,
    /// `--kernel-args=K,V,…`: values of scalar parameters, `None` where free.
    pub kernel_args: Vec<(String, Vec<Option<u64>>)>,
    /// `--kernel-arrays=K,BYTES,…`: sizes of array parameters.
    pub kernel_arrays: Vec<(String, Vec<Option<u64>>)>,
    /// Other arguments, verbatim.
    pub others: Vec<String>,
}

pub(crate) fn parse(text: &str, language: Language) -> HeadComment {
    let mut head = HeadComment::default();
    let first = text.trim_start().lines().next().unwrap_or("").trim_end();
    head.gpuverify = first == "//pass" || first.starts_with("//xfail");
    let mut global: Option<[u32; 3]> = None;
    let comments = text
        .lines()
        .map(str::trim)
        .take_while(|l| l.is_empty() || l.starts_with("//") || l.starts_with(';'));
    for line in comments.take(8) {
        let line = line.trim_start_matches(['/', ';']).trim();
        if !line.starts_with('-') {
            continue;
        }
        for word in line.split_whitespace() {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            if matches!(key, "--local_size" | "--num_groups" | "--global_size") {
                let own = value.split(',').count() as u32;
                head.work_dim = Some(head.work_dim.map_or(own, |n| n.max(own)));
            }
            match key {
                "--blockDim" | "--local_size" => head.block = dimensions(value),
                "--gridDim" | "--num_groups" => head.grid = dimensions(value),
                "--global_size" => global = dimensions(value),
                "--global_offset" => head.global_offset = offsets(value),
                "--kernel-args" => head.kernel_args.extend(values(value)),
                "--kernel-arrays" => head.kernel_arrays.extend(values(value)),
                _ if word.starts_with("-D") || word.starts_with("-I") || word.starts_with("-U") => {
                    head.flags.push(word.to_string());
                }
                _ if word.starts_with('-') => head.others.push(word.to_string()),
                _ => {}
            }
        }
    }
    if let (None, Some(global), Some(block)) = (head.grid, global, head.block) {
        let is_whole = (0..3).all(|i| global[i].is_multiple_of(block[i]));
        match is_whole {
            true => head.grid = Some(std::array::from_fn(|i| global[i] / block[i])),
            false => head.global = Some(global).filter(|_| language == Language::OpenCl),
        }
    }
    head
}

/// `64`, `8,8`, `[8,8,1]`, `(8,8)`; a `*` anywhere leaves all of it free.
fn dimensions(text: &str) -> Option<[u32; 3]> {
    triple(text, 1).filter(|dims| dims.iter().all(|&d| d > 0))
}

/// The same for numbers that may be 0, which is also the default.
fn offsets(text: &str) -> Option<[u32; 3]> {
    triple(text, 0)
}

fn triple(text: &str, rest: u32) -> Option<[u32; 3]> {
    let inner = text.trim_matches(|c| matches!(c, '[' | ']' | '(' | ')' | '{' | '}' | '"'));
    let mut out = [rest; 3];
    for (i, part) in inner.split(',').enumerate() {
        *out.get_mut(i)? = part.trim().parse().ok()?;
    }
    Some(out)
}

/// Makes the global offset of the head comment a constant of the kernel: every engine sees the same number.
pub(crate) fn fix_offset(kernel: &mut Kernel, offset: [u32; 3]) {
    edit::set_specials(kernel, |s| match s {
        Special::GlobalOffset(axis) => Some(offset[usize::from(axis)].into()),
        _ => None,
    });
}

/// The same for the number of dimensions.
pub(crate) fn fix_work_dim(kernel: &mut Kernel, dimensions: u32) {
    edit::set_specials(kernel, |s| (s == Special::WorkDim).then_some(dimensions.into()));
}

fn values(text: &str) -> Option<(String, Vec<Option<u64>>)> {
    let mut parts = text.trim_matches(['[', ']']).split(',');
    let kernel = parts.next()?.to_string();
    let numbers = parts.map(|p| match p.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => p.parse().ok(),
    });
    Some((kernel, numbers.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_dimensions_and_flags() {
        let head = parse("//pass\n//--blockDim=[64,2] --gridDim=8 -DN=4\n\nint x;", Language::Cuda);
        assert_eq!(head.block, Some([64, 2, 1]));
        assert_eq!(head.grid, Some([8, 1, 1]));
        assert_eq!(head.flags, ["-DN=4"]);
    }

    #[test]
    fn star_is_free_and_global_size_divides() {
        assert_eq!(
            parse("//xfail:X\n//--local_size=* --num_groups=8", Language::OpenCl).block,
            None
        );
        let head = parse("//pass\n//--local_size=16,4 --global_size=[64,8]", Language::OpenCl);
        assert_eq!(head.grid, Some([4, 2, 1]));
        assert_eq!(head.work_dim, Some(2));
        let head = parse("//pass\n//--local_size=16 --global_size=40", Language::OpenCl);
        assert_eq!((head.grid, head.global), (None, Some([40, 1, 1])));
    }

    #[test]
    fn offsets_may_be_zero() {
        let head = |text: &str| parse(text, Language::OpenCl);
        assert_eq!(head("//pass\n//--global_offset=[0,16]").global_offset, Some([0, 16, 0]));
        assert_eq!(head("//pass\n//--global_offset=*").global_offset, None);
        assert_eq!(head("//pass\n//--local_size=0").block, None);
    }

    #[test]
    fn code_ends_the_head() {
        assert_eq!(parse("int x;\n//--blockDim=4", Language::Cuda), HeadComment::default());
    }
}
