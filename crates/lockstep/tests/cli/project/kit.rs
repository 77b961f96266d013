//! A project of a test, and what Lockstep says of it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

/// Every thread writes one element, with different values.
pub(crate) const RACE: &str = "__global__ void race(int *a) { a[0] = threadIdx.x; }\n";
pub(crate) const CLEAN: &str = "__global__ void clean(int *a) { a[threadIdx.x] = 1; }\n";
pub(crate) const LAUNCH: [&str; 6] = ["--block", "32", "--grid", "1", "--arg", "a=i32[32]"];

/// A project of its own, with a cache of its own.
pub(crate) struct Project {
    pub(crate) dir: TempDir,
    pub(crate) cache: TempDir,
}

impl Project {
    pub(crate) fn new() -> Project {
        let temporary = || TempDir::new().expect("a temporary folder");
        Project { dir: temporary(), cache: temporary() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A file that has not been touched for a while.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> &Project {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        std::fs::write(&path, contents).expect("a file is written");
        let file = std::fs::File::options().append(true).open(&path).expect("it is there");
        let before = SystemTime::now() - Duration::from_secs(60);
        file.set_modified(before).expect("its time is set");
        self
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
        command
            .args(args)
            .current_dir(self.dir.path())
            .env("LOCKSTEP_CACHE_DIR", self.cache.path())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(&mut self.command(args))
    }

    /// With one launch that settles everything, and JSON.
    pub(crate) fn check(&self, args: &[&str]) -> Ran {
        self.run(&[&["check", "--format", "json"], &LAUNCH[..], args].concat())
    }

    pub(crate) fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let status = Command::new("git")
            .arg("-C")
            .arg(self.dir.path())
            .args(identity)
            .args(args)
            .stdout(Stdio::null())
            .status()
            .expect("git starts");
        assert!(status.success(), "git {args:?}");
    }

    /// How often clang is started by a command, and what the command says.
    pub(crate) fn counted(&self, args: &[&str]) -> (usize, Ran) {
        self.count(self.command(args))
    }

    fn count(&self, mut command: Command) -> (usize, Ran) {
        let tools = self.cache.path().join("tools");
        let calls = tools.join("calls");
        let clang = tools.join("clang++-19");
        if !clang.exists() {
            std::fs::create_dir_all(&tools).expect("a folder");
            let script = format!(
                "#!/bin/sh\necho >> '{}'\nexec '{}' \"$@\"\n",
                calls.display(),
                clang_19().display()
            );
            std::fs::write(&clang, script).expect("a script is written");
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(&clang, mode).expect("it can be run");
        }
        let _ = std::fs::remove_file(&calls);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(tools).chain(std::env::split_paths(&path)));
        command.env("PATH", path.expect("folders without colons"));
        let ran = Ran::of(&mut command);
        let count = std::fs::read_to_string(&calls).map_or(0, |text| text.lines().count());
        (count, ran)
    }

    /// The same, where the environment does not ask for reproducible answers, as that of `cargo test` does.
    pub(crate) fn counted_by_the_clock(&self, args: &[&str]) -> (usize, Ran) {
        let mut command = self.command(args);
        command.env_remove("LOCKSTEP_REPRODUCIBLE");
        self.count(command)
    }

    pub(crate) fn cached(&self) -> usize {
        files_below(&self.cache.path().join("results-2"))
    }
}

/// The compiler that Lockstep uses.
fn clang_19() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|d| d.join("clang++-19")).find(|p| p.exists());
    on_path.unwrap_or_else(|| "/usr/lib/llvm-19/bin/clang++".into())
}

fn files_below(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|e| if e.path().is_dir() { files_below(&e.path()) } else { 1 }).sum()
}

#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Ran {
        let output = command.output().expect("it starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let ran = Ran {
            status: output.status.code().unwrap_or(-1),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        };
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
        ran
    }

    #[track_caller]
    pub(crate) fn ends(self, status: i32) -> Ran {
        assert_eq!(self.status, status, "{}\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Ran {
        assert!(self.stderr.contains(text), "'{text}' is not in:\n{}", self.stderr);
        self
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).expect("the report is JSON")
    }

    /// `file:kernel` for each kernel, in order.
    pub(crate) fn kernels(&self) -> Vec<String> {
        let json = self.json();
        let name = |k: &Value| {
            let text = |key: &str| k[key].as_str().unwrap_or_default().to_owned();
            format!("{}:{}", text("file"), text("name"))
        };
        json["kernels"].as_array().expect("kernels").iter().map(name).collect()
    }

    /// Without what may differ between runs.
    pub(crate) fn timeless(&self) -> String {
        let differs = |l: &&str| l.contains("\"seconds\"") || l.contains("\"ended_by_clock\"");
        let lines = self.stdout.lines().filter(|l| !differs(l));
        lines.map(without_seconds).collect::<Vec<_>>().join("\n")
    }
}

/// A line without numbers such as the `0.12` of `0.12 s`.
fn without_seconds(line: &str) -> String {
    let line = line.replace('\u{a0}', " ");
    let mut out = String::new();
    let mut rest = &line[..];
    while let Some(at) = rest.find(" s") {
        let number = |c: char| c.is_ascii_digit() || c == '.';
        out.push_str(rest[..at].trim_end_matches(number));
        out.push_str(" s");
        rest = &rest[at + 2..];
    }
    out + rest
}

pub(crate) fn findings(json: &Value) -> Vec<&Value> {
    let kernels = json["kernels"].as_array().expect("kernels");
    kernels.iter().flat_map(|k| k["findings"].as_array().expect("findings")).collect()
}
