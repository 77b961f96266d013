//! The headers of the system that a source includes, precompiled.
//!
//! Where parts of a source are left out, it is parsed several times, and most of that is the same headers each time. So
//! those that the user's files include are parsed once for the device and once for the host, in the order of the
//! source, and what clang makes of them is kept beside our own headers, for other sources with the same list, too, or with few more. At
//! its `#include` such a header is then known already, and skipped.
//!
//! A header is so read before what the source has in front of its `#include`. That is the same unless a macro that the
//! user's files define changes the header: one that some header of the system tests, or a keyword. Then nothing is
//! precompiled. clang itself compares all headers with those that it read before.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, process};

use super::{CUDA, CUDA_DEVICE, HOST_SIDE, Side, architecture, headers, is_users, tool};
use crate::Options;

/// Precompiled lists of headers that are kept, the latest ones.
const MOST_KEPT: usize = 8;

/// A list serves another source, too, if no more than one of so many headers is missing in it.
const MOST_PARTS: usize = 4;

/// Words of the language that would change a header if they were macros.
const KEYWORDS: [&str; 22] = [
    "auto",
    "bool",
    "char",
    "class",
    "const",
    "constexpr",
    "double",
    "float",
    "inline",
    "int",
    "long",
    "namespace",
    "private",
    "protected",
    "public",
    "short",
    "signed",
    "static",
    "struct",
    "template",
    "typename",
    "unsigned",
];

/// clang compares headers of the system, too, before it uses what it made of them.
pub(super) const VALIDATE: [&str; 2] = ["-Xclang", "-fmodules-validate-system-headers"];

/// What the preprocessed text of a source tells about the headers of the system.
#[derive(Default)]
pub(super) struct Included {
    /// As they are spelled, in order.
    spelled: Vec<String>,
    /// The `#include` of a user's file before which nothing has been entered yet.
    last: Option<String>,
    /// Headers of the system that were read.
    files: BTreeSet<PathBuf>,
    /// Macros of the user's files.
    macros: BTreeSet<String>,
}

impl Included {
    /// The marker of a line: `# 1 "stdio.h" 1 3` where a header of the system begins.
    pub(super) fn enter(&mut self, marker: &[u8], file: &Path) {
        let marker = String::from_utf8_lossy(marker);
        let mut flags = marker.rsplit('"').next().unwrap_or("").split_whitespace();
        let begins = flags.clone().any(|f| f == "1");
        let is_system = flags.any(|f| f == "3");
        if is_system && !is_no_file(file) {
            self.files.insert(file.to_path_buf());
        }
        if !begins {
            return;
        }
        if let Some(header) = self.last.take()
            && is_system
            && !self.spelled.contains(&header)
        {
            self.spelled.push(header);
        }
    }

    /// A line of a file.
    pub(super) fn read(&mut self, file: &Path, text: &str, options: &Options) {
        let Some(directive) = text.trim_start().strip_prefix('#') else { return };
        let directive = directive.trim_start();
        self.last = None;
        if !is_users(file, options) {
            return;
        }
        if let Some(header) = directive.strip_prefix("include ") {
            let header = header.split("/*").next().unwrap_or("").trim();
            self.last = header.starts_with(['<', '"']).then(|| header.to_owned());
        } else if let Some(rest) = directive.strip_prefix("define ") {
            let is_sign = |c: char| !c.is_alphanumeric() && c != '_';
            let name = rest.trim_start().split(is_sign).next().unwrap_or("");
            self.macros.insert(name.to_owned());
        }
    }

    /// The headers to be parsed before the source; none if a macro of the source may change one.
    pub(super) fn headers(self) -> Vec<String> {
        let is_keyword = self.macros.iter().any(|m| KEYWORDS.contains(&m.as_str()));
        // One that cannot be read may test anything.
        let changes = |file: &PathBuf| {
            let text = fs::read(file).ok();
            text.is_none_or(|t| tests_one(&String::from_utf8_lossy(&t), &self.macros))
        };
        match is_keyword || self.files.iter().any(changes) {
            true => Vec::new(),
            false => self.spelled,
        }
    }
}

/// `<built-in>`, say.
fn is_no_file(name: &Path) -> bool {
    name.to_string_lossy().starts_with('<')
}

/// Whether a condition of a header names one of these macros.
fn tests_one(text: &str, macros: &BTreeSet<String>) -> bool {
    let is_sign = |c: char| !c.is_alphanumeric() && c != '_';
    let mut goes_on = false;
    text.lines().any(|line| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let is_condition = directive.is_some_and(|d| d.starts_with("if") || d.starts_with("elif"));
        let is_part = is_condition || goes_on;
        goes_on = is_part && line.trim_end().ends_with('\\');
        is_part && line.split(is_sign).any(|w| macros.contains(w))
    })
}

/// The options that may change what clang makes of headers.
fn options_that_matter(options: &Options) -> Vec<OsString> {
    let mut out = Vec::new();
    let mut args = architecture::others(options);
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy();
        if text == "-Xclang" {
            let Some(next) = args.next() else { break };
            match &*next.to_string_lossy() {
                "-MG" => {}
                // The other file follows in the same way.
                "-remap-file" => drop((args.next(), args.next())),
                _ => out.extend([arg.to_owned(), next.to_owned()]),
            }
        } else if text == "-include" {
            args.next();
        } else if text != "-ferror-limit=0" {
            out.push(arg.to_owned());
        }
    }
    out
}

/// The precompiled headers that a source is known to include, for one side, which are made if they are not there yet.
pub(super) fn precompiled(options: &Options, side: Side) -> Option<PathBuf> {
    let wanted = options.experience.as_ref()?.headers();
    if wanted.is_empty() || !matches!(side, Side::Device | Side::Host) {
        return None;
    }
    let clang = tool("clang++-19");
    let args = options_that_matter(options);
    let architecture = architecture::of(options);
    let folder = headers().ok()?;
    let mut hasher = DefaultHasher::new();
    (crate::compiler_identity(), &args, &architecture).hash(&mut hasher);
    // Where relative paths begin.
    std::env::current_dir().ok().hash(&mut hasher);
    let side_name = if side == Side::Host { "host" } else { "device" };
    let prefix = format!("headers-{side_name}-{:016x}-", hasher.finish());
    wanted.hash(&mut hasher);
    let name = format!("{prefix}{:016x}", hasher.finish());
    let file = folder.join(format!("{name}.pch"));
    if file.exists() {
        return Some(file);
    }
    if let Some(most) = with_most(&folder, &prefix, wanted) {
        return Some(most);
    }
    let fresh = folder.join(format!(".{name}-{}-{:?}", process::id(), std::thread::current().id()));
    let text: String = std::iter::once("<lockstep_cuda_prelude.h>")
        .chain(wanted.iter().map(String::as_str))
        .map(|h| format!("#include {h}\n"))
        .collect();
    let list = folder.join(format!("{name}.h"));
    if !list.exists() {
        // Others may read it, or make the same one, at this moment: it is whole when it gets its name, and is never replaced.
        fs::write(&fresh, &text).ok()?;
        let is_there = fs::hard_link(&fresh, &list).is_ok() || list.exists();
        fs::remove_file(&fresh).ok()?;
        if !is_there {
            return None;
        }
    }
    let mut c = Command::new(&clang);
    c.args(CUDA).arg(format!("--offload-arch={architecture}"));
    match side {
        Side::Host => c.args(HOST_SIDE),
        _ => c.args(CUDA_DEVICE),
    };
    c.arg("-nocudainc").arg("-isystem").arg(folder.join("cuda")).args(&args).args(VALIDATE);
    c.args(["-emit-llvm", "-c", "-Xclang", "-emit-pch", "-o"]).arg(&fresh).arg(&list);
    c.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let is_built = c.status().is_ok_and(|s| s.success()) && fs::rename(&fresh, &file).is_ok();
    if !is_built {
        let _ = fs::remove_file(&fresh);
        return None;
    }
    forget_old_ones(&folder);
    Some(file)
}

/// A list that was made for another source and has most of the headers that are wanted, and no other.
fn with_most(folder: &Path, prefix: &str, wanted: &[String]) -> Option<PathBuf> {
    let count = |list: &Path| {
        let text = fs::read_to_string(list).ok()?;
        // The first one is ours.
        let headers = text.lines().filter_map(|l| l.strip_prefix("#include ")).skip(1);
        let headers: Vec<&str> = headers.collect();
        let is_wanted = headers.iter().all(|h| wanted.iter().any(|w| w == h));
        (is_wanted && MOST_PARTS * headers.len() >= (MOST_PARTS - 1) * wanted.len())
            .then_some(headers.len())
    };
    let lists = fs::read_dir(folder).ok()?.flatten().filter(|e| {
        let name = e.file_name();
        let name = name.to_string_lossy();
        name.starts_with(prefix) && name.ends_with(".h")
    });
    let lists = lists.filter_map(|e| Some((count(&e.path())?, e.path().with_extension("pch"))));
    lists.filter(|(_, file)| file.exists()).max().map(|(_, file)| file)
}

fn forget_old_ones(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut kept: Vec<(std::time::SystemTime, PathBuf)> = entries
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().starts_with("headers-"))
        .filter(|e| e.path().extension().is_some_and(|x| x == "pch"))
        .filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path())))
        .collect();
    kept.sort();
    let too_many = kept.len().saturating_sub(MOST_KEPT);
    for (_, file) in kept.into_iter().take(too_many) {
        let _ = fs::remove_file(file.with_extension("h"));
        let _ = fs::remove_file(file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn included(lines: &[&str]) -> Included {
        let mut included = Included::default();
        let options = Options::default();
        for line in lines {
            match line.strip_prefix("# 1 ") {
                Some(marker) => {
                    let name = marker.split('"').nth(1).unwrap_or("");
                    included.enter(line.as_bytes(), Path::new(name));
                }
                None => included.read(Path::new("a.cu"), line, &options),
            }
        }
        included
    }

    #[test]
    fn headers_of_the_system_in_order() {
        let lines = [
            "#include <lock.h> /* clang -E -dI */",
            "# 1 \"/nowhere/lock.h\" 1 3",
            "#include \"own.h\" /* clang -E -dI */",
            "# 1 \"own.h\" 1",
            "#include <key.h> /* clang -E -dI */",
            "# 1 \"/nowhere/key.h\" 1 3",
            "#include <lock.h> /* clang -E -dI */",
            "# 1 \"/nowhere/lock.h\" 1 3",
            "#include <again.h> /* clang -E -dI */",
            "#define SIZE 3",
        ];
        let included = included(&lines);
        assert_eq!(included.spelled, ["<lock.h>", "<key.h>"]);
        assert!(included.macros.contains("SIZE"));
        // A header that cannot be read may test anything.
        assert_eq!(included.headers(), [] as [&str; 0]);
    }

    #[test]
    fn macros_that_headers_test() {
        let macros = BTreeSet::from(["SIZE".to_owned()]);
        assert!(tests_one("int a;\n# if A > 1 \\\n  && SIZE\n#endif\n", &macros));
        assert!(tests_one("#ifdef SIZE\n#endif\n", &macros));
        assert!(!tests_one("#ifdef OTHER\nint SIZE;\n#endif\n#define SIZE 2\n", &macros));
        let own = |line| included(&[line]).headers();
        assert_eq!(own("#define private public"), [] as [&str; 0]);
    }
}
