//! The command line that repeats a finding's launch.
//!
//! It is `lockstep run` (`lockstep fences` for what only an exploration shows) with the file, the kernel, the launch, and what the user said of the file: the build, the settings, the
//! options. What the user did not say, because it stands in `lockstep.toml`, `run` finds as `check` does. Names are
//! as the user gave them, so the command belongs to the folder where they hold ([`Repeat::folder`]).

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use lockstep_finding::render::launch_options;
use lockstep_finding::{Kind, Launch, Repeat, Report, Verdict};
use lockstep_names::shell_quoted;

use crate::cli::options::Analysis;
use crate::engines::task::budget;

/// How much more time goes on with what the budget left open.
const MORE: f64 = 4.0;

/// What all the commands of a run share.
pub(crate) struct Given<'a> {
    /// As the command line has it, without what projects say.
    pub(crate) analysis: &'a Analysis,
    /// `-p` and `--config`.
    pub(crate) build: Option<&'a Path>,
    pub(crate) config: Option<&'a Path>,
    /// The command, where it looks at kernels with a budget.
    pub(crate) command: Option<&'a str>,
}

/// Says of every finding with a launch how to see it again. `path_of` gives the file that a report names.
pub(crate) fn add<'a>(
    report: &mut Report,
    given: &Given,
    path_of: impl Fn(&str) -> Option<&'a Path>,
) {
    let Ok(here) = std::env::current_dir() else { return };
    let folder = path_word(&here);
    let names = report.kernels.iter().map(|k| (k.file.clone(), k.name.clone()));
    let names: Vec<(String, String)> = names.collect();
    for kernel in &mut report.kernels {
        // Nobody can repeat what came through standard input but who has it.
        let Some(path) = path_of(&kernel.file).filter(|p| *p != Path::new("-")) else { continue };
        // The source's name, unless another of its file has that too.
        let same = |(file, name): &&(String, String)| *file == kernel.file && *name == kernel.name;
        let is_alone = names.iter().filter(same).count() <= 1;
        let name = if is_alone { &kernel.name } else { &kernel.mangled };
        let file_and_kernel =
            format!("{} --kernel {}", path_word(path), shell_quoted(name.as_ref()));
        let unknown =
            |(kind, v): &(Kind, Verdict)| matches!(v, Verdict::Unknown { .. }).then(|| kind.name());
        let open: Vec<&str> = kernel.verdicts.iter().filter_map(unknown).collect();
        if let (true, Some(command)) = (kernel.ended_by_clock && !open.is_empty(), given.command) {
            let what = format!("lockstep {command} {file_and_kernel}");
            kernel.go_on = Some(Repeat {
                folder: folder.clone(),
                what,
                options: given.more(&open, kernel.budget),
            });
        }
        for finding in &mut kernel.findings {
            let Some(launch) = &finding.launch else { continue };
            let options = given.options(launch);
            let command = if finding.explored { "fences" } else { "run" };
            let what = format!("lockstep {command} {file_and_kernel}");
            finding.repeat = Some(Repeat { folder: folder.clone(), what, options });
        }
    }
}

/// Says the same of what a witness showed again.
pub(crate) fn add_replay(report: &mut Report, witness: &Path) {
    let Ok(here) = std::env::current_dir() else { return };
    let (folder, what) =
        (path_word(&here), format!("lockstep run --replay {}", path_word(witness)));
    for finding in report.kernels.iter_mut().flat_map(|k| &mut k.findings) {
        let (folder, what) = (folder.clone(), what.clone());
        // The witness has all of them.
        finding.repeat = Some(Repeat { folder, what, options: String::new() });
    }
}

impl Given<'_> {
    /// All options that a launch needs: those of the file, its own, and clang's.
    fn options(&self, launch: &Launch) -> String {
        self.around(&[launch_options(launch)])
    }

    /// The options that go on with some kinds: what the user gave of the launch, and a larger budget.
    fn more(&self, kinds: &[&str], had: Option<f64>) -> String {
        let launch = &self.analysis.launch;
        let mut own = vec![
            format!("--only {}", kinds.join(",")),
            format!("--budget {}", MORE * had.unwrap_or_else(|| budget(self.analysis))),
        ];
        own.extend(launch.block.as_ref().map(|d| format!("--block {d}")));
        own.extend(launch.grid.as_ref().map(|d| format!("--grid {d}")));
        own.extend(launch.shared.map(|bytes| format!("--shared {bytes}")));
        let word =
            |option: &str, text: &String| format!("{option} {}", shell_quoted(text.as_ref()));
        own.extend(launch.args.iter().map(|a| word("--arg", a)));
        own.extend(launch.assume.iter().map(|a| word("--assume", a)));
        self.around(&own)
    }

    /// Options of a command, with those of the file and clang's.
    fn around(&self, own: &[String]) -> String {
        let mut words = Vec::new();
        let mut place = |option: &str, path: Option<&Path>| {
            words.extend(path.map(|p| format!("{option} {}", path_word(p))));
        };
        place("-p", self.build);
        place("--config", self.config);
        place("--cuda-path", self.analysis.input.cuda_path.as_deref());
        if let Some(lang) = self.analysis.input.lang {
            words.push(format!("--lang {}", lang.language()));
        }
        if let Some(how) = self.analysis.launch.scheduling {
            words.push(format!("--scheduling {}", how.name()));
        }
        if let Some(size) = self.analysis.launch.warp_size {
            words.push(format!("--warp-size {size}"));
        }
        words.extend_from_slice(own);
        let clang = self.analysis.input.clang_args.iter().map(|a| shell_quoted(a));
        words.extend(std::iter::once("--".into()).filter(|_| clang.len() > 0).chain(clang.clone()));
        words.join(" ")
    }
}

/// A file's name as a shell takes it, whatever bytes it has; one that begins with `-` is no option.
fn path_word(path: &Path) -> String {
    let dashed = path.as_os_str().as_bytes().starts_with(b"-");
    let path = if dashed { Path::new(".").join(path) } else { path.to_path_buf() };
    shell_quoted(path.as_os_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn names_of_files_as_words() {
        let of = |bytes: &[u8]| path_word(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(of(b"src/a.cu"), "src/a.cu");
        assert_eq!(of(b"my file.cu"), "'my file.cu'");
        assert_eq!(of(b"it's $HOME.cu"), "'it'\\''s $HOME.cu'");
        assert_eq!(of(b"-x.cu"), "./-x.cu");
        assert_eq!(of(b"two\nlines.cu"), "$'two\\012lines.cu'");
        assert_eq!(of(b"~x.cu"), "'~x.cu'");
        assert_eq!(of(b"\xff'.cu"), "$'\\377\\'.cu'");
    }
}
