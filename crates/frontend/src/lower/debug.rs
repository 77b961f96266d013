//! Source locations: from debug locations to [`Loc`]s with their inlining chain.
//!
//! A location inside our own headers, clang's, the SDK's or (in host code) the system's is not in the user's code: it is replaced by the location of
//! the call into the header. Without debug information every location is line 0 of the file.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use llvm_sys::core::LLVMGetValueKind;
use llvm_sys::debuginfo::*;
use lockstep_kernel::{Loc, LocId};

use super::Lower;
use crate::clang::prelude;
use crate::llvm::{self, Md, Val};

pub(super) struct Locs {
    input: String,
    /// The working directory of clang.
    folder: PathBuf,
    known: HashMap<(Md, Option<LocId>), LocId>,
    interned: HashMap<Loc, LocId>,
    scopes: HashMap<Md, (u32, String)>,
}

impl Locs {
    pub(super) fn new(input: &str) -> Locs {
        Locs {
            input: input.to_string(),
            folder: std::env::current_dir().unwrap_or_default(),
            known: HashMap::new(),
            interned: HashMap::new(),
            scopes: HashMap::new(),
        }
    }
}

impl Lower<'_> {
    /// Makes the location of an instruction the current one.
    pub(super) fn at(&mut self, inst: Val) {
        if self.frames.len() == 1
            && let Some(&origin) = self.origins.get(&inst)
        {
            self.origin = origin;
        }
        // SAFETY: LLVM is given an instruction, of a module that is alive.
        let md = unsafe { LLVMInstructionGetDebugLoc(inst) };
        if !md.is_null() {
            let outer = self.frames.last().and_then(|f| f.inlined_at);
            self.loc = self.location(md, outer);
        }
    }

    fn location(&mut self, md: Md, outer: Option<LocId>) -> LocId {
        if let Some(&id) = self.locs.known.get(&(md, outer)) {
            return id;
        }
        // SAFETY: LLVM is given metadata, of a module that is alive.
        let (line, column, scope, inlined) = unsafe {
            (
                LLVMDILocationGetLine(md),
                LLVMDILocationGetColumn(md),
                LLVMDILocationGetScope(md),
                LLVMDILocationGetInlinedAt(md),
            )
        };
        let (file, function) = self.scope(scope);
        let inlined_at =
            if inlined.is_null() { outer } else { Some(self.location(inlined, outer)) };
        let library = self.is_library(&self.k.files[file as usize]);
        let id = match inlined_at {
            Some(caller) if library => caller,
            _ => self.intern(Loc { file, line, column, function, inlined_at }),
        };
        self.locs.known.insert((md, outer), id);
        id
    }

    pub(super) fn is_library(&self, file: &str) -> bool {
        let sdk = self.options.cuda_path.as_deref();
        file.contains(&format!("include-{}/", prelude::HASH))
            || file.contains("/lib/clang/")
            || self.k.language.is_host() && file.starts_with("/usr/")
            || sdk.is_some_and(|sdk| {
                self.locs.folder.join(file).starts_with(self.locs.folder.join(sdk))
            })
    }

    fn intern(&mut self, loc: Loc) -> LocId {
        if let Some(&id) = self.locs.interned.get(&loc) {
            return id;
        }
        let id = LocId(self.k.locs.len() as u32);
        self.k.locs.push(loc.clone());
        self.locs.interned.insert(loc, id);
        id
    }

    pub(super) fn file(&mut self, name: &str) -> u32 {
        match self.k.files.iter().position(|f| f == name) {
            Some(i) => i as u32,
            None => {
                self.k.files.push(name.to_string());
                self.k.files.len() as u32 - 1
            }
        }
    }

    /// File and function of a scope.
    fn scope(&mut self, scope: Md) -> (u32, String) {
        if let Some(known) = self.locs.scopes.get(&scope) {
            return known.clone();
        }
        let file = self.file_of(scope);
        let mut function = String::new();
        let mut at = scope;
        for _ in 0..64 {
            // SAFETY: LLVM is given metadata, of a module that is alive.
            let kind = unsafe { LLVMGetMetadataKind(at) };
            let ops = llvm::md_operands(self.m.md_as_value(at));
            match kind {
                LLVMMetadataKind::LLVMDISubprogramMetadataKind => {
                    function = ops.get(2).and_then(|&v| llvm::md_string(v)).unwrap_or_default();
                    break;
                }
                LLVMMetadataKind::LLVMDILexicalBlockMetadataKind
                | LLVMMetadataKind::LLVMDILexicalBlockFileMetadataKind => {
                    let Some(&parent) = ops.get(1).filter(|p| !p.is_null()) else {
                        break;
                    };
                    // SAFETY: LLVM is given a value, of a module that is alive.
                    let _ = unsafe { LLVMGetValueKind(parent) };
                    // SAFETY: LLVM is given metadata, of a module that is alive.
                    at = unsafe { llvm_sys::core::LLVMValueAsMetadata(parent) };
                }
                _ => break,
            }
        }
        self.locs.scopes.insert(scope, (file, function.clone()));
        (file, function)
    }

    /// The file of a scope. clang may split an absolute path into folder and name; they are joined here, relative if
    /// clang ran in that folder, and the input has the name that the user gave.
    fn file_of(&mut self, scope: Md) -> u32 {
        // SAFETY: LLVM is given metadata, of a module that is alive.
        let file = unsafe { LLVMDIScopeGetFile(scope) };
        if file.is_null() {
            return self.file(&self.locs.input.clone());
        }
        // SAFETY: LLVM is given metadata, of a module that is alive.
        let (name, folder) = unsafe {
            let (mut n, mut m) = (0, 0);
            let name = LLVMDIFileGetFilename(file, &mut n);
            let folder = LLVMDIFileGetDirectory(file, &mut m);
            (path(name.cast(), n), path(folder.cast(), m))
        };
        if name.as_os_str().is_empty() || name == Path::new("-") || name == Path::new("<stdin>") {
            return self.file(&self.locs.input.clone());
        }
        let full = folder.join(&name);
        if full == self.locs.folder.join(lockstep_names::path(&self.locs.input)) {
            return self.file(&self.locs.input.clone());
        }
        let shown = full.strip_prefix(&self.locs.folder).unwrap_or(&full);
        self.file(&lockstep_names::shown(shown))
    }

    /// The location of a function's declaration.
    pub(super) fn function_loc(&mut self, f: Val) -> LocId {
        // SAFETY: LLVM is given a function, of a module that is alive.
        let sub = unsafe { LLVMGetSubprogram(f) };
        if sub.is_null() {
            let file = self.file(&self.locs.input.clone());
            let function = self.k.name.clone();
            return self.intern(Loc { file, line: 0, column: 0, function, inlined_at: None });
        }
        // SAFETY: LLVM is given metadata, of a module that is alive.
        let line = unsafe { LLVMDISubprogramGetLine(sub) };
        let (file, function) = self.scope(sub);
        self.intern(Loc { file, line, column: 0, function, inlined_at: None })
    }
}

/// # Safety
/// `p` must be valid for `len` bytes.
unsafe fn path(p: *const u8, len: u32) -> PathBuf {
    if p.is_null() {
        return PathBuf::new();
    }
    // SAFETY: the caller passes a string of LLVM of that length.
    let bytes = unsafe { std::slice::from_raw_parts(p, len as usize) };
    OsStr::from_bytes(bytes).into()
}
