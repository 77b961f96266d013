//! The book, the README and the examples' pages say what is so.
//!
//! In every Markdown file of `docs/src` and of `examples`, and in `README.md`:
//!
//! - A block of code in `cuda` or `opencl` is checked. Its findings are marked at their lines, as in
//!   `tests/` (`//~ data-race`); without marks there must be none. A first line
//!   `// $ lockstep run scale.cu --block 256` is the command, and names the file; `// scale.cu` only
//!   names it; otherwise it is `lockstep check kernel.cu`. Status 1 goes with a marked error, 0 or 3
//!   with a marked redundant barrier, and a word `exit=3` after the language says another.
//!   A block in `cuda file` is only written down, for the commands of the page.
//! - A block in `console` shows commands after `$ ` and what they print. Every command is run, in a
//!   folder with the page's own files and a copy of `examples`, and its output compared, with the
//!   seconds left out. A line `…` stands for any lines. `$ echo $?` shows the status.
//! - A link to a file or a heading leads somewhere.
//!
//! And `make demo` in a fresh clone shows the README's first example.
//!
//! `LOCKSTEP_BLESS=1` writes the real output into `console` blocks that have no `…`.
//! `LOCKSTEP_BOOK=TEXT` runs only pages whose path contains TEXT.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{
    binary, blessing, difference, differences, expected_places, in_parallel, indented, lockstep,
    markers, normalised, repository, shell, usual_status, words,
};

#[test]
fn kernels_and_outputs_are_real() {
    let filter = std::env::var("LOCKSTEP_BOOK").unwrap_or_default();
    let pages: Vec<Page> = pages().into_iter().filter(|p| p.name.contains(&filter)).collect();
    let failures = in_parallel(&pages, |page| page.name.clone(), Page::check);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn links_lead_somewhere() {
    let mut wrong = String::new();
    for page in pages() {
        for target in page.links() {
            if let Err(why) = page.follow(&target) {
                let _ = writeln!(wrong, "{}: ({target}): {why}", page.name);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A page that the summary does not name is in no book.
#[test]
fn the_summary_names_every_page() {
    let book = repository().join("docs/src");
    let summary = std::fs::read_to_string(book.join("SUMMARY.md")).expect("the summary");
    for page in pages().iter().filter(|p| p.path.starts_with(&book)) {
        let name = page.path.strip_prefix(&book).expect("a page of the book").to_string_lossy();
        let linked = summary.contains(&format!("({name})"));
        assert!(linked || name == "SUMMARY.md", "{name} is not in SUMMARY.md");
    }
}

/// The commands that build machines are told to run, in a project with a race: each ends with status 1, and leaves the file that
/// the recipe keeps.
#[test]
fn recipes_for_build_machines_fail_a_build_with_a_race() {
    let page = std::fs::read_to_string(repository().join("docs/src/ci.md")).expect("the page");
    let project = TempDir::new().expect("a temporary folder");
    let source = repository().join("examples/racy_reduce.cu");
    std::fs::create_dir(project.path().join("src")).expect("a folder is made");
    std::fs::copy(source, project.path().join("src/reduce.cu")).expect("the example");
    // As `- run: COMMAND`, `- COMMAND` or `sh 'COMMAND'`.
    let command = |line: &str| {
        let line = line.trim().trim_start_matches("- ").trim_start_matches("run: ");
        let line = line.strip_prefix("sh '").and_then(|l| l.strip_suffix('\'')).unwrap_or(line);
        line.starts_with("lockstep ").then(|| line.to_owned())
    };
    let commands: Vec<String> = page.lines().filter_map(command).collect();
    assert_eq!(commands.len(), 3, "GitHub, GitLab and Jenkins: {commands:?}");
    for command in commands {
        let ended = shell(project.path(), &command, 0);
        let said = ended.out;
        assert_eq!(ended.status, 1, "{command}: {said}");
        match command.split_once("--output ") {
            Some((_, file)) => {
                let report = std::fs::read_to_string(project.path().join(file));
                let report = report.unwrap_or_else(|e| panic!("{command}: {file}: {e}"));
                assert!(report.contains("data-race"), "{command}");
            }
            None => assert!(said.contains("::error file=src/reduce.cu,line="), "{command}: {said}"),
        }
    }
}

/// What a newcomer does first: a fresh copy of the repository, and `make demo`. It shows what the README shows.
/// Only the compiler is left out: the binary is the one under test.
#[test]
fn a_fresh_clone_shows_what_the_readme_shows() {
    // The README is being written.
    if blessing() {
        return;
    }
    let place = TempDir::new().expect("a temporary folder");
    let clone = place.path().join("clone");
    for file in tracked_files() {
        let target = clone.join(&file);
        std::fs::create_dir_all(target.parent().expect("a folder")).expect("a folder is made");
        std::fs::copy(repository().join(&file), &target).expect("a file is copied");
    }
    let release = place.path().join("target/release");
    std::fs::create_dir_all(&release).expect("a folder is made");
    std::os::unix::fs::symlink(binary(), release.join("lockstep")).expect("a link is made");
    let made = shell(&clone, "CARGO_TARGET_DIR=../target make demo CARGO=true", 0);
    assert_eq!(made.status, 0, "{}", made.out);
    let readme = std::fs::read_to_string(clone.join("README.md")).expect("the README");
    let (_, shown) = readme.split_once("```console\n").expect("the README shows a command");
    let (shown, _) = shown.split_once("\n```").expect("the block ends");
    let printed = normalised(&made.out);
    assert!(printed.contains(&normalised(shown)), "{}", difference(shown, &printed));
}

/// What a clone would have, with what is not committed yet.
fn tracked_files() -> Vec<PathBuf> {
    let list = "git ls-files --cached --others --exclude-standard";
    let listed = shell(&repository(), list, 0);
    assert_eq!(listed.status, 0, "{}", listed.out);
    let files = listed.out.lines().map(PathBuf::from);
    files.filter(|file| repository().join(file).is_file()).collect()
}

/// A Markdown file.
struct Page {
    path: PathBuf,
    /// Relative to the repository.
    name: String,
    text: String,
}

/// A fenced block of code.
struct Block<'a> {
    /// The first word after the fence.
    language: &'a str,
    /// The other words.
    flags: Vec<&'a str>,
    /// The number of its first line in the page.
    line: usize,
    lines: Vec<&'a str>,
}

fn pages() -> Vec<Page> {
    let root = repository();
    let mut files = vec![root.join("README.md")];
    collect(&root.join("docs/src"), &mut files);
    collect(&root.join("examples"), &mut files);
    files.sort();
    let page = |path: PathBuf| Page {
        name: path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().into_owned(),
        text: std::fs::read_to_string(&path).expect("a page is text"),
        path,
    };
    files.into_iter().map(page).collect()
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "md") {
            files.push(path);
        }
    }
}

impl Page {
    fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks: Vec<Block<'_>> = Vec::new();
        let mut open = false;
        for (number, line) in self.text.lines().enumerate() {
            match line.strip_prefix("```") {
                Some(_) if open => open = false,
                Some(info) => {
                    let mut words = info.split_whitespace();
                    blocks.push(Block {
                        language: words.next().unwrap_or_default(),
                        flags: words.collect(),
                        line: number + 1,
                        lines: Vec::new(),
                    });
                    open = true;
                }
                None if open => blocks.last_mut().expect("a block").lines.push(line),
                None => {}
            }
        }
        assert!(!open, "{}: a fence is not closed", self.name);
        blocks
    }

    /// Everything that is not so on this page.
    fn check(&self) -> Result<(), String> {
        let place = TempDir::new().expect("a temporary folder");
        copy(&repository().join("examples"), &place.path().join("examples"));
        let mut wrong = String::new();
        let mut page: Vec<String> = self.text.lines().map(str::to_owned).collect();
        let mut shift = 0isize;
        for block in self.blocks() {
            let title = format!("line {}", block.line);
            let result = match block.language {
                "cuda" | "opencl" => block.check_kernel(place.path()),
                "console" => match block.real_output(place.path()) {
                    Ok(None) => Ok(()),
                    Ok(Some(real)) if blessing() => {
                        let start = block.line.saturating_add_signed(shift);
                        page.splice(start..start + block.lines.len(), real.iter().cloned());
                        shift += real.len() as isize - block.lines.len() as isize;
                        Ok(())
                    }
                    Ok(Some(real)) => Err(difference(&block.lines.join("\n"), &real.join("\n"))),
                    Err(why) => Err(why),
                },
                _ => Ok(()),
            };
            if let Err(why) = result {
                let _ = writeln!(wrong, "  {title}:\n{why}");
            }
        }
        if blessing() && shift_or_change(&page, &self.text) {
            std::fs::write(&self.path, page.join("\n") + "\n").expect("the page is written");
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    /// The targets of links, outside of code.
    fn links(&self) -> Vec<String> {
        let mut targets = Vec::new();
        let mut code = false;
        for line in self.text.lines() {
            if line.starts_with("```") {
                code = !code;
            }
            if code {
                continue;
            }
            for rest in line.split("](").skip(1) {
                if let Some((target, _)) = rest.split_once(')') {
                    targets.push(target.to_owned());
                }
            }
        }
        targets
    }

    fn follow(&self, target: &str) -> Result<(), String> {
        if target.starts_with("https://") || target.starts_with("http://") {
            return Ok(());
        }
        let (file, heading) = target.split_once('#').unwrap_or((target, ""));
        let here = self.path.parent().expect("a folder");
        let path = if file.is_empty() { self.path.clone() } else { here.join(file) };
        if !path.exists() {
            return Err("there is no such file".into());
        }
        if heading.is_empty() {
            return Ok(());
        }
        let text = std::fs::read_to_string(&path).map_err(|e| e.to_string())?;
        let anchors: BTreeSet<String> =
            text.lines().filter(|l| l.starts_with('#')).map(anchor).collect();
        if anchors.contains(heading) { Ok(()) } else { Err("there is no such heading".into()) }
    }
}

fn shift_or_change(page: &[String], text: &str) -> bool {
    !page.iter().map(String::as_str).eq(text.lines())
}

/// The anchor of a heading: lower case, dashes for spaces, no punctuation.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let keep = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    text.chars().filter(keep).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder is made");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("a file is copied");
        }
    }
}

impl Block<'_> {
    /// The words of the command and the name of the file, as the first line gives them.
    fn command(&self) -> (Vec<String>, String) {
        let extension = if self.language == "cuda" { "cu" } else { "cl" };
        let is_source = |word: &str| word.ends_with(".cu") || word.ends_with(".cl");
        let first = self.lines.first().copied().unwrap_or_default();
        if let Some(line) = first.strip_prefix("// $ lockstep ") {
            let args = words(line);
            let file = args.iter().find(|w| is_source(w)).cloned();
            return (args, file.expect("the command names the file"));
        }
        let named = first.strip_prefix("// ").filter(|n| is_source(n) && !n.contains(' '));
        let file = named.map_or_else(|| format!("kernel.{extension}"), str::to_owned);
        (vec!["check".into(), file.clone()], file)
    }

    fn check_kernel(&self, place: &Path) -> Result<(), String> {
        let (mut args, file) = self.command();
        let text = self.lines.join("\n") + "\n";
        std::fs::write(place.join(&file), &text).expect("the kernel is written");
        if self.flags.contains(&"file") {
            return Ok(());
        }
        let expected = expected_places(&markers(&file, &text), None);
        let given = self.flags.iter().find_map(|f| f.strip_prefix("exit="));
        let right = |status: i32| match (given, usual_status(&expected)) {
            (Some(given), _) => given.parse() == Ok(status),
            // A barrier that seems redundant may also be proved so.
            (None, 3) => status == 3 || status == 0,
            (None, usual) => status == usual,
        };
        args.splice(1..1, ["--format".to_owned(), "json".to_owned()]);
        let ended = lockstep(place, &args);
        let mut wrong = String::new();
        if !right(ended.status) {
            let _ = writeln!(wrong, "  ends with status {}, which is not expected", ended.status);
        }
        match serde_json::from_str::<Value>(&ended.out) {
            Ok(json) => wrong += &differences(&json, &file, &expected),
            Err(e) => wrong += &format!("  no JSON: {e}\n"),
        }
        if wrong.is_empty() {
            return Ok(());
        }
        Err(format!("{wrong}{}", indented(&format!("{}{}", ended.out, ended.err))))
    }

    /// The block as it should be, or None where it is so already.
    fn real_output(&self, place: &Path) -> Result<Option<Vec<String>>, String> {
        let mut real: Vec<String> = Vec::new();
        let (mut status, mut differs) = (0, false);
        for command in self.commands()? {
            let (line, shown) = command.split_first().expect("a command");
            let ended = shell(place, line.strip_prefix("$ ").expect("a command"), status);
            status = ended.status;
            let lines: Vec<String> =
                ended.out.trim_end().lines().map(|l| l.trim_end().to_owned()).collect();
            real.push((*line).to_owned());
            let same = matches_shown(&normalised_lines(shown), &normalised_lines(&lines));
            if !same && shown.contains(&"…") {
                let lines = lines.join("\n");
                return Err(format!("  {line}\n  prints something else:\n{}", indented(&lines)));
            }
            differs |= !same;
            if same {
                real.extend(shown.iter().map(|l| (*l).to_owned()));
            } else {
                real.extend(lines);
            }
        }
        Ok(differs.then_some(real))
    }

    /// Commands, each with the lines it is said to print.
    fn commands(&self) -> Result<Vec<Vec<&str>>, String> {
        let mut commands: Vec<Vec<&str>> = Vec::new();
        for line in &self.lines {
            match line.strip_prefix("$ ") {
                Some(command) if command.starts_with("lockstep ") || command == "echo $?" => {
                    commands.push(vec![line]);
                }
                Some(command) => return Err(format!("  '{command}' is no command of ours")),
                None => match commands.last_mut() {
                    Some(command) => command.push(line),
                    None => return Err("  a console block begins with '$ '".into()),
                },
            }
        }
        // A blank line before the next command is for the eye.
        for command in &mut commands {
            while command.len() > 1 && command.last().is_some_and(|l| l.is_empty()) {
                command.pop();
            }
        }
        Ok(commands)
    }
}

fn normalised_lines<S: AsRef<str>>(lines: &[S]) -> Vec<String> {
    let text = lines.iter().fold(String::new(), |all, l| all + l.as_ref() + "\n");
    normalised(&text).lines().map(str::to_owned).collect()
}

/// Is this what was printed, where `…` stands for any lines?
fn matches_shown(shown: &[String], real: &[String]) -> bool {
    match shown.split_first() {
        None => real.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=real.len()).any(|skip| matches_shown(rest, &real[skip..]))
        }
        Some((first, rest)) => {
            real.first().is_some_and(|r| r == first) && matches_shown(rest, &real[1..])
        }
    }
}
