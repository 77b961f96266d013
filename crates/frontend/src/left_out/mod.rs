//! Code that is compiled for other architectures only, or by another compiler only.
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
//! The same holds for code in `#ifdef __NVCC__`, which nvcc compiles and clang does not, and the other way round for
//! `#ifdef __clang__`: what nvcc does not compile counts as a line that depends on the compiler.
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
use expression::{Axis, Target, Token, value, values_asked, words};
use text::{File, Function, Group, Tok};

/// A range of lines of a file, inclusive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lines {
    pub file: String,
    pub first: u32,
    pub last: u32,
}

/// The parts of a kernel that depend on the architecture, or on the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The kernel.
    pub mangled: String,
    pub by_architecture: Parts,
    pub by_compiler: Parts,
    /// Whether nothing is left of it, or only a trap.
    pub is_empty: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Lines that are compiled for others only.
    pub lines: Vec<Lines>,
    /// Lines that have a different meaning for others, or none.
    pub dependent: Vec<Lines>,
}

impl Parts {
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.dependent.is_empty()
    }
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
    let Some(files) = Files::read(source, head, options, files) else {
        return Found::default();
    };
    let projects = files.axes.iter().map(|&axis| Project::new(axis, &files));
    let projects: Vec<Project> = projects.collect();
    let of = |k: &Kernel| {
        let mut out = LeftOut { mangled: k.mangled.clone(), ..LeftOut::default() };
        for project in &projects {
            let parts = project.of_kernel(k, &source.name).unwrap_or_default();
            match project.axis {
                Axis::Architecture => out.by_architecture = parts,
                Axis::Compiler => out.by_compiler = parts,
            }
        }
        out.is_empty = does_nothing(k);
        (!out.by_architecture.is_empty() || !out.by_compiler.is_empty()).then_some(out)
    };
    let mut missing: Vec<Uninstantiated> = Vec::new();
    for project in &projects {
        for kernel in project.missing(&source.name, kernels, options) {
            if missing.iter().all(|m| m.template != kernel.template) {
                missing.push(kernel);
            }
        }
    }
    Found { kernels: kernels.iter().filter_map(of).collect(), missing }
}

/// The files of the user that were read.
struct Files {
    by_name: BTreeMap<String, File>,
    /// What they mention.
    axes: Vec<Axis>,
    folder: PathBuf,
}

impl Files {
    /// `None` if no file mentions the architecture or the compiler, or clang fails.
    fn read(
        source: &Source,
        head: &HeadComment,
        options: &Options,
        files: &[PathBuf],
    ) -> Option<Files> {
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
        let is_mentioned = |a: &Axis| texts.values().any(|t| a.is_mentioned(t));
        let mut axes = vec![Axis::Architecture, Axis::Compiler];
        axes.retain(is_mentioned);
        if axes.is_empty() {
            return None;
        }
        let kept = clang::preprocessed(source, head, options)?.lines;
        let mut by_file: BTreeMap<String, BTreeMap<u32, String>> = BTreeMap::new();
        for (file, line, text) in kept {
            let lines = by_file.entry(key(&file)).or_default();
            lines.entry(line).or_default().push_str(&text);
        }
        let none = BTreeMap::new();
        let by_name = texts
            .iter()
            .map(|(name, text)| (name.clone(), File::new(text, by_file.get(name).unwrap_or(&none))))
            .collect();
        Some(Files { by_name, axes, folder })
    }
}

/// The files, with what depends on the architecture in them, or on the compiler.
struct Project<'a> {
    axis: Axis,
    files: &'a BTreeMap<String, File>,
    folder: &'a Path,
    /// Macros and constants that depend on it.
    hanging: BTreeSet<String>,
    /// Identifiers in the bodies of macros.
    macros: BTreeMap<String, BTreeSet<String>>,
}

impl<'a> Project<'a> {
    fn new(axis: Axis, files: &'a Files) -> Project<'a> {
        let (files, folder) = (&files.by_name, files.folder.as_path());
        let mut project =
            Project { axis, files, folder, hanging: BTreeSet::new(), macros: BTreeMap::new() };
        project.spread();
        project
    }

    /// Determines which macros and constants depend on it, directly or through others.
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
        self.axis.decides(word) || self.hanging.contains(word)
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

    /// Whether the selected branch depends on the architecture, or on the compiler.
    fn varies(&self, group: &Group) -> bool {
        let conditions = || group.branches.iter().map(|b| &b.condition);
        let derived = |c: &Vec<Token>| words(c).any(|w| !self.axis.evaluates(w) && self.hangs(w));
        if conditions().any(derived) {
            return true;
        }
        let unclear = |c: &Vec<Token>| {
            values_asked(c).any(|w| self.axis.evaluates(w))
                && self.axis.targets().any(|t| value(c, t).is_none())
        };
        let mut outcomes = self.axis.targets().map(|t| possible(group, t));
        let first = outcomes.next();
        outcomes.any(|o| Some(o) != first) || conditions().any(unclear)
    }

    /// The branches of a group that are left out because of the architecture, or of the compiler.
    fn left_out<'f>(
        &'f self,
        file: &'f File,
        group: &'f Group,
    ) -> impl Iterator<Item = &'f text::Branch> {
        let mut parent = group.parent;
        let mut reached = true;
        while let Some((outer, branch)) = parent {
            reached &= file.groups[outer].branches[branch].is_kept;
            parent = file.groups[outer].parent;
        }
        let varies = reached && self.varies(group);
        let ever = |i: usize| self.axis.targets().any(|t| possible(group, t).contains(&Some(i)));
        let branches = group.branches.iter().enumerate();
        branches.filter(move |(i, b)| varies && !b.is_kept && ever(*i)).map(|(_, b)| b)
    }

    /// The branches of a group that are kept, and that nvcc would leave out.
    fn only_here<'f>(&self, group: &'f Group) -> impl Iterator<Item = &'f text::Branch> {
        let nvcc = possible(group, Target::Nvcc);
        let varies = self.axis == Axis::Compiler && self.varies(group);
        let branches = group.branches.iter().enumerate();
        branches
            .filter(move |(i, b)| varies && b.is_kept && !nvcc.contains(&Some(*i)))
            .map(|(_, b)| b)
    }

    fn of_kernel(&self, kernel: &Kernel, input: &str) -> Option<Parts> {
        let loc = kernel.locs.get(kernel.loc.0 as usize)?;
        let shown = kernel.files.get(loc.file as usize).map_or(input, String::as_str);
        let name = plain_name(&kernel.name);
        let home = key(self.folder, &names::path(shown));
        let mut out = Parts::default();
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
                for (path, file) in self.files {
                    let called = file.functions.iter().filter(|f| f.name == word);
                    open.extend(called.map(|f| (path.as_str(), f)));
                }
            }
        }
        for lines in [&mut out.lines, &mut out.dependent] {
            lines.sort();
            lines.dedup();
        }
        Some(out)
    }

    /// Adds what is left out within a function, or replaces it in another branch around it.
    fn in_function(&self, path: &str, file: &File, function: &Function, out: &mut Parts) {
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
            let kept = self.only_here(group).filter(|_| is_within);
            let kept = kept.filter_map(|branch| branch.content);
            out.dependent.extend(kept.map(|(first, last)| self.lines(path, first, last)));
        }
    }

    fn lines(&self, path: &str, first: u32, last: u32) -> Lines {
        let path = names::path(path);
        let shown = path.strip_prefix(self.folder).unwrap_or(&path);
        Lines { file: names::shown(shown), first, last }
    }

    /// Kernels in left-out parts of the input, and nowhere else.
    fn missing(&self, input: &str, kernels: &[Kernel], options: &Options) -> Vec<Uninstantiated> {
        let Some(file) = self.files.get(&key(self.folder, &names::path(input))) else {
            return Vec::new();
        };
        let because = match self.axis {
            Axis::Architecture => format!("not compiled for {}", architecture::of(options)),
            Axis::Compiler => "not compiled by clang, only by nvcc".to_owned(),
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
                        because: because.clone(),
                    });
                }
            }
        }
        out
    }
}

/// The branches that may be compiled for a target; `None` stands for no branch.
fn possible(group: &Group, target: Target) -> BTreeSet<Option<usize>> {
    let mut out = BTreeSet::new();
    for (i, branch) in group.branches.iter().enumerate() {
        match value(&branch.condition, target) {
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
