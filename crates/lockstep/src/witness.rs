//! Witness files: each finding's launch, to be replayed.

use std::path::{Path, PathBuf};

use lockstep_finding::{InputError, KernelReport, Report, Witness};
use lockstep_names as names;

use crate::load::error;
use crate::options::{Analysis, InputArgs, Lang, SchedulingArg, parse_warp_size};

/// Writes one file for each finding; their names say kernel, kind and number.
pub(crate) fn write_all(
    report: &Report,
    dir: &Path,
    analysis: &Analysis,
    input_of: impl Fn(&str) -> InputArgs,
) -> Result<(), String> {
    let fail =
        |path: &Path, e: std::io::Error| format!("cannot write '{}': {e}", names::shown(path));
    std::fs::create_dir_all(dir).map_err(|e| fail(dir, e))?;
    let mut used: Vec<String> = Vec::new();
    for kernel in &report.kernels {
        for witness in witnesses(kernel, analysis, input_of(&kernel.file)) {
            let base = format!("{}-{}", file_name(&kernel.name), witness.kind);
            let number = used.iter().filter(|u| **u == base).count() + 1;
            let path = dir.join(format!("{base}-{number}.json"));
            used.push(base);
            std::fs::write(&path, witness.to_json()).map_err(|e| fail(&path, e))?;
        }
    }
    Ok(())
}

fn witnesses<'a>(
    kernel: &'a KernelReport,
    analysis: &'a Analysis,
    input: InputArgs,
) -> impl Iterator<Item = Witness> + 'a {
    kernel.findings.iter().filter_map(move |finding| {
        Some(Witness {
            schema: Witness::SCHEMA,
            file: kernel.file.clone(),
            language: input.lang.map(|l| l.language().to_string()),
            kernel: kernel.mangled.clone(),
            kind: finding.kind.name().to_owned(),
            launch: finding.launch.clone()?,
            scheduling: analysis.launch.scheduling().name().to_owned(),
            warp_size: analysis.launch.warp_size(),
            clang_args: input.clang_args.clone(),
            message: finding.message.clone(),
        })
    })
}

/// A kernel's name without what file systems dislike.
fn file_name(kernel: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }
    };
    kernel.chars().take(80).map(plain).collect()
}

pub(crate) fn read(path: &Path) -> Result<Witness, InputError> {
    let name = names::shown(path);
    let text = std::fs::read_to_string(path)
        .map_err(|e| error(&name, format!("cannot read '{name}': {e}")))?;
    Witness::from_json(&text).map_err(|m| error(&name, m))
}

/// The witness's source: from here, or else from beside the witness.
pub(crate) fn source_path(witness: &Witness, path: &Path) -> PathBuf {
    let direct = names::path(&witness.file);
    if direct.exists() || witness.file == "-" {
        return direct;
    }
    let beside = path.parent().unwrap_or(Path::new("")).join(&direct);
    if beside.exists() { beside } else { direct }
}

/// Lets the witness say what the command line would.
pub(crate) fn apply(witness: &Witness, analysis: &mut Analysis) -> Result<(), String> {
    let bad = |what: &str, value: &str| {
        format!("the witness has the {what} '{value}', which this version does not know")
    };
    let launch = &mut analysis.launch;
    let scheduling = SchedulingArg::from_name(&witness.scheduling);
    launch.scheduling = Some(scheduling.ok_or_else(|| bad("scheduling", &witness.scheduling))?);
    let warp_size = witness.warp_size.to_string();
    launch.warp_size = Some(parse_warp_size(&warp_size).map_err(|_| bad("warp size", &warp_size))?);
    let input = &mut analysis.input;
    input.kernel = vec![witness.kernel.clone()];
    if let Some(name) = &witness.language {
        input.lang = Some(Lang::from_name(name).ok_or_else(|| bad("language", name))?);
    }
    let own = std::mem::take(&mut input.clang_args);
    input.clang_args = witness.clang_args.iter().cloned().chain(own).collect();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        assert_eq!(file_name("a::scan<int, 4>"), "a__scan_int__4_");
    }
}
