//! Which function of a module is meant, and that it does not call itself.

use std::collections::HashSet;

use lockstep_kernel::Language;

use super::ambiguous;
use crate::clang::Source;
use crate::llvm::{self, Module, Opcode, Val, ValueKind, demangle};
use crate::{Error, Options, is_named, lower};

/// The function with this name: as in the source, with or without its namespace, template arguments and parameters, or
/// mangled.
pub(super) fn the_function(
    module: &Module,
    source: &Source,
    asked: &str,
    options: &Options,
) -> Result<Val, Error> {
    let all: Vec<Val> =
        module.functions().into_iter().filter(|&f| !llvm::is_declaration(f)).collect();
    let whole = |f: &Val| demangle::with_parameters(&llvm::name(*f));
    // Spaces carry no meaning in a list of parameters.
    let packed = |text: &str| text.split_whitespace().collect::<String>();
    let is_asked = |f: &&Val| {
        let mangled = llvm::name(**f);
        is_named(&demangle::function(&mangled), &mangled, asked)
            || packed(&whole(f)) == packed(asked)
    };
    let named: Vec<Val> = all.iter().filter(is_asked).copied().collect();
    let is_own = |f: &Val| {
        lower::users_file(module, &source.name, Language::Cpp, options, *f)
            .is_some_and(|file| file == source.name)
    };
    // A function of the file comes before one of a header.
    let own: Vec<Val> = named.iter().copied().filter(is_own).collect();
    match (&own[..], &named[..]) {
        (&[one], _) | (&[], &[one]) => Ok(one),
        (&[], &[]) => {
            let mut there: Vec<String> = (all.iter().filter(|f| is_own(f)))
                .map(|f| demangle::function(&llvm::name(*f)))
                .filter(|name| !is_generated(name))
                .collect();
            there.sort();
            there.dedup();
            Err(Error::NoFunction { file: source.name.clone(), asked: asked.to_owned(), there })
        }
        (several, among) => {
            let several = if several.is_empty() { among } else { several };
            let names: Vec<String> = several.iter().map(whole).collect();
            Err(ambiguous(&source.name, asked, &names))
        }
    }
}

/// Functions that the compiler makes: initialisers, stubs of kernels, lambdas.
fn is_generated(name: &str) -> bool {
    ["_GLOBAL__", "__cxx_global", "__cuda_", "__device_stub__"].iter().any(|p| name.starts_with(p))
        || name.contains("{lambda")
}

/// A function is lowered by inlining what it calls: it must not call itself, directly or through others.
pub(super) fn reject_recursion(f: Val, source: &Source) -> Result<(), Error> {
    let mut done = HashSet::new();
    match circle(f, &mut Vec::new(), &mut done) {
        None => Ok(()),
        Some(names) => Err(Error::Reference(format!(
            "{}: {} is recursive ({}): a reference is compared with all its calls inlined, so it needs a loop instead",
            source.name,
            names[0],
            names.join(" calls ")
        ))),
    }
}

fn circle(f: Val, path: &mut Vec<Val>, done: &mut HashSet<Val>) -> Option<Vec<String>> {
    if let Some(start) = path.iter().position(|&p| p == f) {
        let around = path[start..].iter().chain([&f]);
        return Some(around.map(|&p| demangle::function(&llvm::name(p))).collect());
    }
    if !done.insert(f) {
        return None;
    }
    path.push(f);
    let instructions = llvm::blocks(f).into_iter().flat_map(llvm::instructions);
    let calls = instructions
        .filter(|&i| matches!(llvm::opcode(i), Opcode::LLVMCall | Opcode::LLVMInvoke))
        .flat_map(llvm::operands)
        .filter(|&v| llvm::value_kind(v) == ValueKind::LLVMFunctionValueKind);
    for called in calls {
        if let Some(found) = circle(called, path, done) {
            return Some(found);
        }
    }
    path.pop();
    None
}
