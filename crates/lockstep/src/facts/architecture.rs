//! What a report says of the architecture: which it was, and what of the kernel is compiled for others only, or by nvcc
//! only.

use lockstep_finding::{KernelReport, Reason, Statement, Verdict};
use lockstep_frontend::{LeftOut, Lines, Module, Parts};
use lockstep_kernel::Kernel;

/// How many places one condition names.
const MOST: usize = 4;

/// Why nothing is known of a kernel whose body is compiled for other architectures only.
pub(crate) fn not_compiled(module: &Module, kernel: &Kernel) -> Option<Reason> {
    let left = of_kernel(module, kernel).filter(|left| left.is_empty)?;
    let architecture = module.architecture.clone()?;
    Some(match left.by_architecture.lines.is_empty() && !left.by_compiler.lines.is_empty() {
        true => Reason::OnlyByNvcc,
        false => Reason::NotCompiled { architecture },
    })
}

/// Names the architecture in a report, and makes what is left out a condition of what holds without it.
pub(crate) fn name(module: &Module, kernel: &Kernel, report: &mut KernelReport) {
    report.arch.clone_from(&module.architecture);
    let (Some(left), Some(arch)) = (of_kernel(module, kernel), &module.architecture) else {
        return;
    };
    let said = |parts: &Parts| (!parts.is_empty()).then(|| text(parts, report.text_file()));
    let for_it = |left_out| Statement::CompiledFor { architecture: arch.clone(), left_out };
    let by_clang = |left_out| Statement::CompiledByClang { left_out };
    let by_architecture = said(&left.by_architecture).map(for_it);
    let by_compiler = said(&left.by_compiler).map(by_clang);
    for condition in by_architecture.into_iter().chain(by_compiler) {
        for (_, verdict) in &mut report.verdicts {
            match verdict {
                Verdict::Proved { assumes } => assumes.push(condition.clone().into()),
                Verdict::Clean { covered } => *covered = format!("{covered}; {condition}"),
                Verdict::Found | Verdict::Unknown { .. } => {}
            }
        }
    }
}

fn of_kernel<'a>(module: &'a Module, kernel: &Kernel) -> Option<&'a LeftOut> {
    module.left_out.iter().find(|l| l.mangled == kernel.mangled)
}

/// `lines 3-9 are left out, line 12 of a.h depends on it`.
fn text(left: &Parts, file: &str) -> String {
    let (out, by) = (&left.lines, &left.dependent);
    let is_one = |lines: &[Lines]| matches!(lines, [l] if l.first == l.last);
    let mut parts = Vec::new();
    if !out.is_empty() {
        let are = if is_one(out) { "is" } else { "are" };
        parts.push(format!("{} {are} left out", places(out, file)));
    }
    if !by.is_empty() {
        let depend = if is_one(by) { "depends" } else { "depend" };
        parts.push(format!("{} {depend} on it", places(by, file)));
    }
    parts.join(", ")
}

/// `lines 3-9, 12 and 14 of a.h`, by file, not too many.
fn places(lines: &[Lines], file: &str) -> String {
    let mut shown: Vec<(&str, Vec<String>)> = Vec::new();
    // Those of the kernel's own file first.
    let (own, others): (Vec<&Lines>, Vec<&Lines>) =
        lines.iter().partition(|l| is_file(&l.file, file));
    for l in own.iter().chain(&others).take(MOST) {
        let range = match l.first == l.last {
            true => l.first.to_string(),
            false => format!("{}-{}", l.first, l.last),
        };
        match shown.last_mut() {
            Some((name, ranges)) if *name == l.file => ranges.push(range),
            _ => shown.push((&l.file, vec![range])),
        }
    }
    let text = |(name, ranges): &(&str, Vec<String>)| {
        let many = ranges.len() > 1 || ranges[0].contains('-');
        let word = if many { "lines" } else { "line" };
        let of = if is_file(name, file) { String::new() } else { format!(" of {name}") };
        format!("{word} {}{of}", ranges.join(", "))
    };
    let mut texts: Vec<String> = shown.iter().map(text).collect();
    if lines.len() > MOST {
        texts.push(format!("{} more places", lines.len() - MOST));
    }
    texts.join(" and ")
}

/// Whether two names are one file's: relative or not.
fn is_file(a: &str, b: &str) -> bool {
    let folder = std::env::current_dir().unwrap_or_default();
    a == b || folder.join(a) == folder.join(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_words() {
        let lines = |file: &str, first, last| Lines { file: file.into(), first, last };
        let left = Parts {
            lines: vec![lines("a.h", 3, 9), lines("k.cu", 12, 12)],
            dependent: vec![lines("k.cu", 14, 14)],
        };
        let expected = "line 12 and lines 3-9 of a.h are left out, line 14 depends on it";
        assert_eq!(text(&left, "k.cu"), expected);
        let many: Vec<Lines> = (1..=6).map(|i| lines("k.cu", 2 * i, 2 * i)).collect();
        assert_eq!(places(&many, "k.cu"), "lines 2, 4, 6, 8 and 2 more places");
    }

    #[test]
    fn one_default() {
        assert_eq!(KernelReport::USUAL_ARCH, lockstep_frontend::DEFAULT_ARCHITECTURE);
    }
}
