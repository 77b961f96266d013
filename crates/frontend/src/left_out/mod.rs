//! Code that is compiled for other architectures only.
//!
//! Code in `#if __CUDA_ARCH__ >= 800` does not exist for sm_70, and an analysis of the rest does not cover it. So for
//! each kernel it is determined which lines of its own body, and of the functions that it names, are left out because
//! of a condition on the architecture, and which lines that are kept depend on it in another way: they use
//! `__CUDA_ARCH__` or a macro or constant derived from it. clang determines what is kept; which conditions depend on
//! the architecture is determined from the text ([`text`], [`expression`]).
//!
//! clang runs a second time for that, but only if a file of the user contains `__CUDA_ARCH…`. A condition that only
//! tests for device code (`#ifdef __CUDA_ARCH__`) leaves nothing out.
//!
//! Functions are found by their names: of two with the same name, both count. Not seen: a choice by templates or
//! overloads whose arguments depend on the architecture, unless through a constant outside of functions; a header that
//! is included twice with different conditions counts as kept if one of them keeps it.

mod expression;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lockstep_kernel::{Kernel, Op, Space, Terminator};
use lockstep_names as names;

use crate::clang::{self, Source, is_users};
use crate::entries::plain_name;
use crate::{HeadComment, Options, Uninstantiated, clang::architecture, entries};
use expression::{ARCH, ARCHITECTURES, Token, is_arch_like, value, values_asked, words};
use text::{File, Function, Group, Tok};

/// A range of lines of a file, inclusive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lines {
    pub file: String,
    pub first: u32,
    pub last: u32,
}

/// The parts of a kernel that depend on the architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The kernel.
    pub mangled: String,
    /// Lines that are compiled for other architectures.
    pub lines: Vec<Lines>,
    /// Lines with a different meaning for other architectures.
    pub dependent: Vec<Lines>,
    /// Whether nothing is left of it, or only a trap.
    pub is_empty: bool,
}

/// The result for a source.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) kernels: Vec<LeftOut>,
    /// Kernels of the input itself that are not compiled at all.
    pub(crate) missing: Vec<Uninstantiated>,
}

/// Analyses all kernels of a CUDA source, for which the compiler read `files`.
pub(crate) fn find(
    source: &Source,
    head: &HeadComment,
    options: &Options,
    files: &[PathBuf],
    kernels: &[Kernel],
) -> Found {
    let Some(project) = Project::read(source, head, options, files) else {
        return Found::default();
    };
    let architecture = architecture::of(options);
    let of = |k: &Kernel| project.of_kernel(k, &source.name);
    Found {
        kernels: kernels.iter().filter_map(of).collect(),
        missing: project.missing(&source.name, kernels, options, &architecture),
    }
}

const MENTION: &str = "__CUDA_ARCH";

/// The files of the user that were read.
struct Project {
    files: BTreeMap<String, File>,
    /// Macros and constants that depend on the architecture.
    hanging: BTreeSet<String>,
    /// Identifiers in the bodies of macros.
    macros: BTreeMap<String, BTreeSet<String>>,
    folder: PathBuf,
}

impl Project {
    /// `None` if no file mentions the architecture, or clang fails.
    fn read(
        source: &Source,
        head: &HeadComment,
        options: &Options,
        files: &[PathBuf],
    ) -> Option<Project> {
        let folder = std::env::current_dir().unwrap_or_default();
        let key = |path: &Path| key(&folder, path);
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        let own = String::from_utf8_lossy(&source.bytes).into_owned();
        texts.insert(key(&names::path(&source.name)), own);
        for file in files.iter().filter(|f| is_users(f, options)) {
            texts.entry(key(file)).or_insert_with(|| {
                let bytes = std::fs::read(file).unwrap_or_default();
                String::from_utf8_lossy(&bytes).into_owned()
            });
        }
        if !texts.values().any(|t| t.contains(MENTION)) {
            return None;
        }
        let (kept, _) = clang::kept_lines(source, head, options)?;
        let mut by_file: BTreeMap<String, BTreeMap<u32, String>> = BTreeMap::new();
        for (file, line, text) in kept {
            let lines = by_file.entry(key(&file)).or_default();
            lines.entry(line).or_default().push_str(&text);
        }
        let none = BTreeMap::new();
        let files: BTreeMap<String, File> = texts
            .iter()
            .map(|(name, text)| (name.clone(), File::new(text, by_file.get(name).unwrap_or(&none))))
            .collect();
        let mut project =
            Project { files, hanging: BTreeSet::new(), macros: BTreeMap::new(), folder };
        project.spread();
        Some(project)
    }

    /// Determines which macros and constants depend on the architecture, directly or through others.
    fn spread(&mut self) {
        for define in self.files.values().flat_map(|f| &f.defines) {
            let words = words(&define.body).map(str::to_owned);
            self.macros.entry(define.name.clone()).or_default().extend(words);
        }
        loop {
            let mut new = BTreeSet::new();
            for file in self.files.values() {
                let varying: Vec<bool> = file.groups.iter().map(|g| self.varies(g)).collect();
                for define in &file.defines {
                    let mut within = define.within;
                    let mut chosen = false;
                    while let Some((group, _)) = within {
                        chosen |= varying[group];
                        within = file.groups[group].parent;
                    }
                    if chosen || values_asked(&define.body).any(|w| self.hangs(w)) {
                        new.insert(define.name.clone());
                    }
                }
                new.extend(self.constants(file));
            }
            let before = self.hanging.len();
            self.hanging.extend(new);
            if self.hanging.len() == before {
                return;
            }
        }
    }

    fn hangs(&self, word: &str) -> bool {
        word == ARCH || is_arch_like(word) || self.hanging.contains(word)
    }

    /// `x` of `constexpr int x = … __CUDA_ARCH__ …;` outside of functions.
    fn constants(&self, file: &File) -> Vec<String> {
        let mut out = Vec::new();
        let mut name: Option<&str> = None;
        let mut functions = file.functions.iter().peekable();
        let mut i = 0;
        while i < file.kept.len() {
            if let Some(f) = functions.next_if(|f| f.from <= i) {
                i = i.max(f.to + 1);
                continue;
            }
            match (&file.kept[i].1, file.kept.get(i + 1).map(|t| &t.1)) {
                (Tok::Sign(';' | '}'), _) => name = None,
                (Tok::Word(w), Some(Tok::Sign('='))) => name = Some(w),
                (Tok::Word(w), _) if self.hangs(w) => out.extend(name.map(str::to_owned)),
                _ => {}
            }
            i += 1;
        }
        out
    }

    /// Whether the selected branch depends on the architecture.
    fn varies(&self, group: &Group) -> bool {
        let conditions = || group.branches.iter().map(|b| &b.condition);
        let derived = |c: &Vec<Token>| words(c).any(|w| w != ARCH && self.hangs(w));
        if conditions().any(derived) {
            return true;
        }
        let unclear = |c: &Vec<Token>| {
            values_asked(c).any(|w| w == ARCH)
                && ARCHITECTURES.iter().any(|a| value(c, *a).is_none())
        };
        let mut outcomes = ARCHITECTURES.iter().map(|a| possible(group, *a));
        let first = outcomes.next();
        outcomes.any(|o| Some(o) != first) || conditions().any(unclear)
    }

    /// The branches of a group that are left out because of the architecture.
    fn left_out<'a>(
        &'a self,
        file: &'a File,
        group: &'a Group,
    ) -> impl Iterator<Item = &'a text::Branch> {
        let mut parent = group.parent;
        let mut reached = true;
        while let Some((outer, branch)) = parent {
            reached &= file.groups[outer].branches[branch].is_kept;
            parent = file.groups[outer].parent;
        }
        let varies = reached && self.varies(group);
        let ever = |i: usize| ARCHITECTURES.iter().any(|a| possible(group, *a).contains(&Some(i)));
        let branches = group.branches.iter().enumerate();
        branches.filter(move |(i, b)| varies && !b.is_kept && ever(*i)).map(|(_, b)| b)
    }

    fn of_kernel(&self, kernel: &Kernel, input: &str) -> Option<LeftOut> {
        let loc = kernel.locs.get(kernel.loc.0 as usize)?;
        let shown = kernel.files.get(loc.file as usize).map_or(input, String::as_str);
        let name = plain_name(&kernel.name);
        let home = key(&self.folder, &names::path(shown));
        let mut out = LeftOut { mangled: kernel.mangled.clone(), ..LeftOut::default() };
        let mut seen: BTreeSet<&str> = BTreeSet::from([name]);
        let mut open: Vec<(&str, &Function)> = Vec::new();
        let own = self.files.get(&home)?;
        // Its name may be some lines below its beginning.
        open.extend(own.functions.iter().filter(|f| f.name == name).map(|f| (home.as_str(), f)));
        if let Some((_, exact)) = open.iter().find(|(_, f)| (f.first..=f.last).contains(&loc.line))
        {
            open = vec![(home.as_str(), exact)];
        }
        while let Some((path, function)) = open.pop() {
            let file = &self.files[path];
            self.in_function(path, file, function, &mut out);
            let mut todo: Vec<&str> = Vec::new();
            for (line, token) in &file.kept[function.from..=function.to] {
                let Tok::Word(word) = token else { continue };
                if self.hangs(word) {
                    out.dependent.push(self.lines(path, *line, *line));
                }
                todo.push(word);
            }
            while let Some(word) = todo.pop() {
                if !seen.insert(word) {
                    continue;
                }
                todo.extend(
                    self.macros.get(word).iter().flat_map(|w| w.iter().map(String::as_str)),
                );
                for (path, file) in &self.files {
                    let called = file.functions.iter().filter(|f| f.name == word);
                    open.extend(called.map(|f| (path.as_str(), f)));
                }
            }
        }
        for lines in [&mut out.lines, &mut out.dependent] {
            lines.sort();
            lines.dedup();
        }
        if out.lines.is_empty() && out.dependent.is_empty() {
            return None;
        }
        out.is_empty = does_nothing(kernel);
        Some(out)
    }

    /// Adds what is left out within a function, or replaces it in another branch around it.
    fn in_function(&self, path: &str, file: &File, function: &Function, out: &mut LeftOut) {
        for group in &file.groups {
            let (first, last) = group.lines();
            let is_within = first >= function.first && last <= function.last;
            let is_around = first < function.first && last > function.last;
            if !is_within && !is_around {
                continue;
            }
            for branch in self.left_out(file, group) {
                if let Some((first, last)) = branch.content
                    && (is_within || branch.words.contains(&function.name))
                {
                    out.lines.push(self.lines(path, first, last));
                }
            }
        }
    }

    fn lines(&self, path: &str, first: u32, last: u32) -> Lines {
        let path = names::path(path);
        let shown = path.strip_prefix(&self.folder).unwrap_or(&path);
        Lines { file: names::shown(shown), first, last }
    }

    /// Kernels in left-out parts of the input, and nowhere else.
    fn missing(
        &self,
        input: &str,
        kernels: &[Kernel],
        options: &Options,
        architecture: &str,
    ) -> Vec<Uninstantiated> {
        let Some(file) = self.files.get(&key(&self.folder, &names::path(input))) else {
            return Vec::new();
        };
        let mut out: Vec<Uninstantiated> = Vec::new();
        for branch in file.groups.iter().flat_map(|g| self.left_out(file, g)) {
            for (name, line) in &branch.kernels {
                let is_there = kernels.iter().any(|k| plain_name(&k.name) == name)
                    || out.iter().any(|m| m.template == *name);
                let asked = &options.entries;
                let is_asked =
                    asked.is_empty() || asked.iter().any(|a| entries::is_named(name, "", a));
                if !is_there && is_asked {
                    out.push(Uninstantiated {
                        template: name.clone(),
                        line: *line,
                        because: format!("not compiled for {architecture}"),
                    });
                }
            }
        }
        out
    }
}

/// The branches that may be compiled for an architecture; `None` stands for no branch.
fn possible(group: &Group, arch: i64) -> BTreeSet<Option<usize>> {
    let mut out = BTreeSet::new();
    for (i, branch) in group.branches.iter().enumerate() {
        match value(&branch.condition, arch) {
            Some(0) => {}
            Some(_) => {
                out.insert(Some(i));
                return out;
            }
            None => {
                out.insert(Some(i));
            }
        }
    }
    out.insert(None);
    out
}

/// The canonical name of a file.
fn key(folder: &Path, path: &Path) -> String {
    let mut out = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            std::path::Component::ParentDir => drop(out.pop()),
            std::path::Component::CurDir => {}
            part => out.push(part),
        }
    }
    names::shown(&out)
}

/// Whether no thread accesses visible memory or synchronises, or each ends in a trap.
fn does_nothing(kernel: &Kernel) -> bool {
    let mut seen = vec![false; kernel.blocks.len()];
    let mut open = vec![0];
    let (mut acts, mut returns) = (false, false);
    while let Some(block) = open.pop() {
        if std::mem::replace(&mut seen[block], true) {
            continue;
        }
        let block = &kernel.blocks[block];
        let is_trap =
            |op: &Op| matches!(op, Op::Assert { cond: lockstep_kernel::Operand::Imm(0), .. });
        acts |= block.insts.iter().any(|i| acts_on_others(kernel, &i.op));
        if block.insts.iter().any(|i| is_trap(&i.op)) {
            continue;
        }
        returns |= block.term == Terminator::Return;
        open.extend(block.term.successors().map(|b| b.0 as usize));
    }
    !acts || !returns
}

fn acts_on_others(kernel: &Kernel, op: &Op) -> bool {
    let touches = |site: lockstep_kernel::SiteId| {
        !matches!(kernel.site(site).space, Space::Private | Space::Constant)
    };
    match op {
        Op::Load { site, .. } | Op::Store { site, .. } | Op::MemSet { site, .. } => touches(*site),
        Op::MemCopy { read, write, .. } => touches(*read) || touches(*write),
        Op::Atomic { .. }
        | Op::GroupCopy { .. }
        | Op::Alloc { .. }
        | Op::Free { .. }
        | Op::Barrier { .. }
        | Op::Shuffle { .. }
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::MatrixProduct { .. }
        | Op::Foreign { .. }
        | Op::Unsupported(_) => true,
        _ => false,
    }
}
