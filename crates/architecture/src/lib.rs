//! Which crate uses which, and which folder of a crate uses which: read from `Cargo.toml` and from the paths in the
//! sources, and compared with the tables of `ARCHITECTURE.md` (`tests/arrows.rs`).
//!
//! What it can miss: a path that a macro puts together, and `super::` out of a folder into the crate's root, which no
//! source here has need of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Who uses whom.
pub type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = listed.map(|e| e.expect("a readable folder").path()).collect();
    paths.sort();
    paths
}

/// The rows of the table of ARCHITECTURE.md that stands first behind a heading: a name, and the names it may use.
pub fn documented(text: &str, heading: &str) -> Arrows {
    let (_, behind) =
        text.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no `{heading}`"));
    let names = |cell: &str| -> BTreeSet<String> {
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let rows =
        behind.lines().skip_while(|l| !l.starts_with('|')).take_while(|l| l.starts_with('|'));
    rows.skip(2)
        .map(|row| {
            let mut cells = row.trim_matches('|').split('|');
            let name = names(cells.next().unwrap_or_default()).into_iter().next();
            (name.unwrap_or_else(|| panic!("no name in {row}")), names(cells.next().unwrap_or("")))
        })
        .collect()
}

/// The crates of the workspace, and those of them that each needs to be built. A crate may stand in the folder of the one
/// that it belongs to.
pub fn crates() -> Arrows {
    let outer = entries(&root().join("crates"));
    let inner = outer.iter().filter(|c| c.is_dir()).flat_map(|c| entries(c));
    let is_crate = |c: &PathBuf| c.join("Cargo.toml").is_file();
    outer.iter().cloned().chain(inner).filter(is_crate).map(|c| (called(&c), needs(&c))).collect()
}

/// The name of a crate, without that of the project.
fn called(folder: &Path) -> String {
    let manifest = read(&folder.join("Cargo.toml"));
    let name = manifest.lines().find_map(|l| l.strip_prefix("name = \""));
    let name = name.and_then(|n| n.strip_suffix('"')).unwrap_or_default();
    name.strip_prefix("lockstep-").unwrap_or(name).to_owned()
}

fn name(path: &Path) -> String {
    path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

fn needs(folder: &Path) -> BTreeSet<String> {
    let manifest = read(&folder.join("Cargo.toml"));
    let mut section = "";
    let mut out = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if matches!(section, "[dependencies]" | "[build-dependencies]")
            && let Some(rest) = line.strip_prefix("lockstep-")
        {
            let end = |c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_');
            out.extend(rest.split(end).next().map(str::to_owned));
        }
    }
    out
}

/// The folders and files right below a crate's `src`, and those that each has a path into. What is re-exported by the
/// root of the crate counts as the crate's `lib`.
pub fn folders(krate: &str) -> Arrows {
    let src = root().join("crates").join(krate).join("src");
    let parts: Vec<PathBuf> = entries(&src)
        .into_iter()
        .filter(|p| p.is_dir() || p.extension().is_some_and(|e| e == "rs"))
        .collect();
    let known: BTreeSet<String> = parts.iter().map(|p| name(p)).collect();
    let mut arrows = Arrows::new();
    for part in parts {
        let own = name(&part);
        if own == "lib" || own == "main" {
            continue;
        }
        let used = arrows.entry(own.clone()).or_default();
        for source in sources(&part) {
            for target in paths_from_root(&code_of(&read(&source))) {
                let target = if known.contains(&target) { target } else { "lib".to_owned() };
                if target != own {
                    used.insert(target);
                }
            }
        }
    }
    arrows
}

/// The source files of a folder and below, or the file itself.
fn sources(path: &Path) -> Vec<PathBuf> {
    match path.is_dir() {
        true => entries(path).iter().flat_map(|p| sources(p)).collect(),
        false => Some(path)
            .filter(|p| p.extension().is_some_and(|e| e == "rs"))
            .map(PathBuf::from)
            .into_iter()
            .collect(),
    }
}

/// Sources of more lines, and folders of more sources and folders, than these.
pub fn crowded(path: &Path, most_lines: usize, most_entries: usize) -> Vec<String> {
    if !path.is_dir() {
        let lines = read(path).lines().count();
        let crowded = (lines > most_lines).then(|| format!("{}: {lines} lines", path.display()));
        return crowded.into_iter().collect();
    }
    let entries: Vec<PathBuf> = entries(path)
        .into_iter()
        .filter(|p| p.is_dir() || p.extension().is_some_and(|e| e == "rs"))
        .collect();
    let mut out: Vec<String> =
        entries.iter().flat_map(|p| crowded(p, most_lines, most_entries)).collect();
    if entries.len() > most_entries {
        out.push(format!("{}: {} sources and folders", path.display(), entries.len()));
    }
    out
}

/// A source without its comments.
fn code_of(source: &str) -> String {
    let line = |l: &str| l.split("//").next().unwrap_or_default().to_owned() + "\n";
    source.lines().map(line).collect()
}

/// The first names of all paths that begin with `crate::`.
pub fn paths_from_root(code: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        // `pub(in crate::…)` is no use, and `$crate::` is one of the crate itself.
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        out.extend(first_names(&code[at + "crate::".len()..]));
    }
    out
}

/// The first name of a path, or those of the paths in a list.
fn first_names(path: &str) -> Vec<String> {
    let ident = |p: &str| -> String {
        p.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let Some(list) = path.trim_start().strip_prefix('{') else { return vec![ident(path)] };
    let (mut depth, mut names, mut start) = (0, Vec::new(), 0);
    for (i, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(ident(&list[start..i]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(ident(&list[start..i]));
                start = i + 1;
            }
            _ => {}
        }
    }
    names.retain(|n| !n.is_empty());
    names
}

/// A way from a name back to itself, if there is one.
pub fn circle(arrows: &Arrows) -> Option<Vec<String>> {
    fn walk<'a>(arrows: &'a Arrows, way: &mut Vec<&'a str>, done: &mut BTreeSet<&'a str>) -> bool {
        let at = way[way.len() - 1];
        for next in arrows.get(at).into_iter().flatten() {
            if let Some(i) = way.iter().position(|n| n == next) {
                way.drain(..i);
                way.push(next);
                return true;
            }
            if done.contains(next.as_str()) {
                continue;
            }
            way.push(next);
            if walk(arrows, way, done) {
                return true;
            }
            way.pop();
        }
        done.insert(at);
        false
    }
    let mut done = BTreeSet::new();
    arrows.keys().find_map(|start| {
        let mut way = vec![start.as_str()];
        walk(arrows, &mut way, &mut done).then(|| way.iter().map(|n| n.to_string()).collect())
    })
}

/// Arrows of `actual` that `allowed` does not have.
pub fn forbidden(actual: &Arrows, allowed: &Arrows) -> Vec<String> {
    let none = BTreeSet::new();
    let extra = |(from, to): (&String, &BTreeSet<String>)| -> Vec<String> {
        let may = allowed.get(from).unwrap_or(&none);
        to.difference(may).map(|to| format!("{from} -> {to}")).collect()
    };
    actual.iter().flat_map(extra).collect()
}
