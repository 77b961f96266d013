//! Launches that are repeated: the command that a report shows, and witnesses, from any folder.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::project::kit::{Project, Ran};

/// Races only as the build compiles it: with a macro, and with a header from a folder of its own.
const KERNEL: &str = "\
#include \"at.h\"
__global__ void put(int *a) {
    a[AT] = threadIdx.x;
}
";

/// Names that a shell would take for something else.
const SOURCE: &str = "src/it's $HOME; a.cu";
const BUILD: &str = "build dir";

/// A project that only its build can compile.
fn project() -> Project {
    let p = Project::new();
    p.file(SOURCE, KERNEL).file("inc dir/at.h", "#ifdef RACY\n#define AT 0\n#endif\n");
    let root = p.dir.path().canonicalize().expect("the folder");
    let command = ["clang++", "-x", "cuda", "-DRACY", "-I../inc dir", "-c", "x.cu"];
    let entry = serde_json::json!([{
        "directory": root.join(BUILD), "file": root.join(SOURCE), "arguments": command,
    }]);
    p.file(&format!("{BUILD}/compile_commands.json"), entry.to_string());
    p
}

/// Gives a command to a shell in a folder where no name of the project means anything.
fn pasted(p: &Project, line: &str) -> Ran {
    let elsewhere = TempDir::new().expect("a temporary folder");
    in_folder(p, elsewhere.path(), line)
}

fn in_folder(p: &Project, folder: &Path, line: &str) -> Ran {
    let tool = Path::new(env!("CARGO_BIN_EXE_lockstep"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = tool.parent().map(Path::to_path_buf).into_iter();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&path)));
    let mut shell = Command::new("bash");
    shell.args(["-c", line]).current_dir(folder).env("PATH", path.expect("no colons"));
    Ran::of(shell.env("LOCKSTEP_CACHE_DIR", p.cache.path()).stdin(Stdio::null()))
}

/// Kind, message and lines of all findings.
fn seen(ran: &Ran) -> Vec<String> {
    let json = ran.json();
    let kernels = json["kernels"].as_array().expect("kernels");
    let findings = kernels.iter().flat_map(|k| k["findings"].as_array().expect("findings"));
    let lines = |f: &Value| {
        let accesses = f["accesses"].as_array().expect("accesses");
        accesses.iter().map(|a| a["line"].to_string()).collect::<Vec<_>>().join(",")
    };
    findings.map(|f| format!("{} {} {}", f["kind"], f["message"], lines(f))).collect()
}

/// The text of the first element after a heading of a page.
fn code_after<'a>(page: &'a str, heading: &str) -> &'a str {
    let rest = page.split(heading).nth(1).expect("the heading is there");
    let start = rest.find("<code>").expect("a command") + "<code>".len();
    let end = start + rest[start..].find("</code>").expect("its end");
    &rest[start..end]
}

fn unescaped(text: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |t, (name, c)| t.replace(name, c))
}

#[test]
fn the_command_that_is_shown_repeats_the_launch() {
    let p = project();
    let check = |format: &str| p.run(&["check", "-p", BUILD, "--format", format]).ends(1);
    let report = check("json");
    let json = report.json();
    let shown = json["kernels"][0]["findings"][0]["repeat"].as_str().expect("a command");
    let again = |line: &str| pasted(&p, &format!("{line} --format json")).ends(1);
    assert_eq!(seen(&again(shown)), seen(&report), "{shown}");
    // And what it shows is the same command.
    let json = again(shown).json();
    assert_eq!(json["kernels"][0]["findings"][0]["repeat"], shown);
    let page = check("html").stdout;
    let shown_there = unescaped(code_after(&page, "Repeat the launch"));
    assert_eq!(shown_there, shown);
    assert!(!page.contains("$HOME; a.cu' --kernel put --grid 1 --block 1 --"), "no other one");
}

#[test]
fn options_and_settings_are_part_of_the_command() {
    let p = Project::new();
    let kernel = KERNEL.replace("AT]", "AT(threadIdx.x)]");
    let header = "#if __CUDA_ARCH__ >= 800 && N == 4\n#define AT(i) ((i) / 8)\n#endif\n";
    p.file("p/-k.cu", kernel).file("p/inc/at.h", header);
    p.file("p/lockstep.toml", "defines = [\"N=4\"]\n");
    let more = ["--arch", "sm_80", "--warp-size", "8", "-Ip/inc"];
    let args = [&["check", "p/-k.cu", "--format", "json"], &more[..]].concat();
    let report = p.run(&args).ends(1);
    let json = report.json();
    let shown = json["kernels"][0]["findings"][0]["repeat"].as_str().expect("a command");
    // Options of ours stand before those of clang's.
    let line = shown.replacen("lockstep run", "lockstep run --format json", 1);
    assert_eq!(seen(&pasted(&p, &line).ends(1)), seen(&report), "{shown}");
}

#[test]
fn witnesses_replay_from_any_folder() {
    let p = project();
    let report = p.run(&["check", "-p", BUILD, "--format", "json", "--witness-dir", "w"]).ends(1);
    let witness = p.path("w/put-data-race-1.json");
    let replay = format!("lockstep run --format json --replay '{}'", witness.display());
    assert_eq!(seen(&pasted(&p, &replay).ends(1)), seen(&report));
    // As it is shown again.
    let json = pasted(&p, &replay).json();
    let shown = json["kernels"][0]["findings"][0]["repeat"].as_str().expect("a command");
    pasted(&p, shown).ends(1);
    // Another checkout of the same project: the folder that it was made in is gone.
    let moved = TempDir::new().expect("a temporary folder");
    let copy = moved.path().join("copy");
    std::fs::rename(p.dir.path(), &copy).expect("it is moved");
    let replay = "lockstep run --format json --replay w/put-data-race-1.json";
    assert_eq!(seen(&in_folder(&p, &copy, replay).ends(1)), seen(&report));
    let witness = copy.join("w/put-data-race-1.json");
    let replay = format!("lockstep run --format json --replay '{}'", witness.display());
    let same = pasted(&p, &replay).ends(1);
    assert_eq!((seen(&same), same.stderr.as_str()), (seen(&report), ""));
    // Another text is said to be one.
    std::fs::write(copy.join(SOURCE), KERNEL.replace("AT]", "threadIdx.x]"))
        .expect("it is written");
    pasted(&p, &replay).ends(0).says("is not the same file as when the witness was made");
    std::fs::remove_file(copy.join(SOURCE)).expect("it is removed");
    pasted(&p, &replay).ends(2).says("name it: lockstep run FILE --replay");
}

/// Contents of arrays that come from files, and folders that the command line names, belong to where they were given.
#[test]
fn files_that_a_witness_names() {
    let p = Project::new();
    p.file("k.cu", KERNEL.replace("AT]", "AT(a[threadIdx.x])]"));
    p.file("inc/at.h", "#define AT(i) (i)\n").file("data.bin", [0u8; 128]);
    let args = ["--block", "32", "--grid", "1", "--arg", "a=i32[32]:@data.bin", "-Iinc"];
    let run = [&["run", "k.cu", "--format", "json", "--witness-dir", "w"], &args[..]].concat();
    let report = p.run(&run).ends(1);
    let witness = p.path("w").join("put-data-race-1.json");
    let replay = format!("lockstep run --format json --replay '{}'", witness.display());
    assert_eq!(seen(&pasted(&p, &replay).ends(1)), seen(&report));
}
