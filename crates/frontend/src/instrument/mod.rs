//! A kernel for a GPU: the code that was analysed, with calls of the checker at its accesses, and as PTX.
//!
//! The module goes through the same passes as for the lowering ([`crate::prepare`]), so that a site of the [`Kernel`] names
//! an instruction of it. At the sites that are to be checked, calls of the checker's functions are put in
//! ([`accesses`]); shared memory becomes one array ([`shared`]); only then the optimiser runs, at the level that was asked
//! for, and LLVM's back end for NVIDIA's GPUs writes PTX ([`codegen`]), of which NVIDIA's assembler makes a cubin where
//! there is one ([`assemble`]). Functions of CUDA's headers that are only names to
//! us become instructions, and those of the maths library come from libclc or the SDK ([`library`]).
//!
//! What the checker keeps and decides is told in `crates/device`, which also chooses the sites.
//!
//! **Architecture Invariant:** the code without calls of the checker is made in the same way, of the same module.

mod accesses;
mod assemble;
mod builder;
mod codegen;
mod library;
mod loops;
mod roots;
mod shared;

use lockstep_kernel::{Kernel, Language};

pub use assemble::Ptxas;

use crate::clang::{self, Emit, Source, architecture};
use crate::llvm::{self, LLVMLinkage, Module, Val};
use crate::{Error, Input, Options, head, prepare};

/// What is to be checked, in the words of the kernel.
#[derive(Clone, Debug)]
pub struct Instrumentation<'a> {
    pub kernel: &'a Kernel,
    /// By site; none where it is not checked.
    pub checked: &'a [Option<CheckedSite>],
    /// By site, the row of the report for a barrier that is looked at.
    pub barriers: &'a [Option<u32>],
    /// A cell of shadow is for two to this power bytes of shared and of global memory.
    pub shared_shift: u32,
    pub global_shift: u32,
}

/// The checkers that can be put into a kernel: of `device/flag.cu` and `device/statement.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checker {
    /// Its cells for shared memory lie in global memory, or in shared memory as well.
    Flag,
    /// They lie in shared memory.
    FlagInside,
    Statement,
}

impl Checker {
    pub const ALL: [Checker; 3] = [Checker::Flag, Checker::FlagInside, Checker::Statement];
}

/// How a site is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedSite {
    /// The number under which the checker tells of it.
    pub number: u32,
    pub how: CheckedAs,
    /// Recorded the first time that it is made in these loops.
    pub loops: Option<AroundSite>,
    /// Recorded by a few threads for all of the block.
    pub for_block: bool,
}

/// The loops in which an access is recorded once: so many from the innermost on, of all that the kernel has around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AroundSite {
    pub once: u32,
    pub around: u32,
}

/// What an access does, in the words of the checker. A swap that fails only reads atomically.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckedAs {
    /// Only whether it is within its array.
    Bounds = 0,
    /// A read that goes together with another access: only a record of all accesses has it.
    Together = 6,
    ReadAtomically = 1,
    Read = 2,
    Update = 3,
    Write = 5,
}

/// An array that the kernel can reach, in the order of the checker's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceArray {
    /// That of a pointer argument, by its number.
    Argument(u32),
    /// That of a pointer in a struct passed by value.
    Field { argument: u32, offset: u64 },
    /// A variable of the file, by the name that the linker knows, its own, and its size.
    Variable { symbol: String, name: String, bytes: u64 },
}

/// A variable in shared memory: its place in the block's memory, and its size unless the launch says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    pub name: String,
    pub start: u64,
    pub size: Option<u64>,
}

/// A kernel with one of the checkers in it.
#[derive(Clone, Debug)]
pub struct CheckedCode {
    pub checker: Checker,
    /// Empty where it was not asked for.
    pub ptx: String,
    /// Before the optimiser: what is simulated in tests.
    pub bitcode: Vec<u8>,
}

/// A kernel ready for the GPU.
#[derive(Clone, Debug)]
pub struct DeviceKernel {
    pub codes: Vec<CheckedCode>,
    /// PTX without calls of a checker; empty where it was not asked for.
    pub plain: String,
    pub arrays: Vec<DeviceArray>,
    pub shared: Vec<SharedVariable>,
    /// Bytes of shared memory that the kernel has by itself; what the launch adds lies behind.
    pub own_shared: u64,
    /// The checker keeps words in shared memory.
    pub uses_shared: bool,
    /// Numbers of accesses that are recorded each time they are made, whatever was asked for: their loops are others in
    /// LLVM's code than in the kernel.
    pub each_time: Vec<u32>,
}

/// How PTX is made of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codegen {
    /// 0 to 3, as in `-O3`.
    pub level: u8,
}

/// Compiles the input again, instruments one kernel of it, and makes PTX if that is asked for. [`Options::clang_args`]
/// names the architecture.
pub fn for_device(
    input: Input,
    options: &Options,
    instrumentation: &Instrumentation,
    codegen: Option<Codegen>,
) -> Result<DeviceKernel, Error> {
    let source = Source::open(input, options)?;
    let head = head::parse(&String::from_utf8_lossy(&source.bytes), source.language);
    if source.language != Language::Cuda {
        return Err(Error::Device("only CUDA kernels can be built for a GPU".into()));
    }
    let bitcode = clang::compile(&source, &head, options, Emit::Needed)?.bitcode;
    let architecture = architecture::of(options);
    let parse = |bytes: &[u8]| Module::parse(bytes, &source.name).map_err(Error::BadIr);
    let fail = Error::Device;

    let mut layout = None;
    let mut codes = Vec::new();
    for checker in Checker::ALL {
        let mut module = parse(&bitcode)?;
        let f = only_kernel(&module, &instrumentation.kernel.mangled)?;
        prepare::run(&module, &[]).map_err(Error::BadIr)?;
        let (placed, own_shared) = shared::place(&module);
        let library = library::checker(checker, &architecture, &options.cancel)?;
        module.link(parse(&library)?).map_err(Error::BadIr)?;
        let inserted = accesses::insert(&module, f, instrumentation, &placed).map_err(fail)?;
        shared::merge(&module, &placed);
        library::own_functions(&module);
        library::remove_marks(&module);
        module.verify().map_err(Error::BadIr)?;
        let bitcode = module.to_bitcode();
        let mut ptx = String::new();
        if let Some(codegen) = codegen {
            library::link_maths(&mut module, options, &architecture)?;
            ptx = codegen::ptx(&module, &architecture, codegen).map_err(fail)?;
        }
        codes.push(CheckedCode { checker, ptx, bitcode });
        let shared: Vec<SharedVariable> = (placed.into_iter())
            .map(|p| SharedVariable { name: p.name, start: p.start, size: p.size })
            .collect();
        layout = Some((inserted, shared, own_shared));
    }
    let mut plain_ptx = String::new();
    if let Some(codegen) = codegen {
        let mut plain = parse(&bitcode)?;
        only_kernel(&plain, &instrumentation.kernel.mangled)?;
        prepare::run(&plain, &[]).map_err(Error::BadIr)?;
        library::own_functions(&plain);
        library::remove_marks(&plain);
        library::link_maths(&mut plain, options, &architecture)?;
        plain_ptx = codegen::ptx(&plain, &architecture, codegen).map_err(fail)?;
    }
    // The same for all checkers: it is the kernel that says it.
    let (inserted, shared, own_shared) =
        layout.ok_or_else(|| fail("there is no checker".into()))?;
    Ok(DeviceKernel {
        codes,
        plain: plain_ptx,
        arrays: inserted.arrays,
        shared,
        own_shared,
        uses_shared: inserted.uses_shared,
        each_time: inserted.each_time,
    })
}

/// Drops all other kernels of a module.
fn only_kernel(module: &Module, mangled: &str) -> Result<Val, Error> {
    let kernels = prepare::kernels(module, &[]);
    let own = kernels.iter().copied().find(|&f| llvm::name(f) == mangled);
    let own = own.ok_or_else(|| {
        Error::Device(format!("kernel {mangled} is only there with arguments of our choice"))
    })?;
    for f in kernels.into_iter().filter(|&f| f != own) {
        if llvm::users(f).is_empty() {
            llvm::delete_function(f);
        } else {
            llvm::set_linkage(f, LLVMLinkage::LLVMInternalLinkage);
        }
    }
    Ok(own)
}
