//! Lowering: LLVM functions after [`crate::prepare`] to one [`Kernel`] each.
//!
//! A value of vector, struct or array type is the list of its scalar leaves. Remaining calls (recursion, function
//! pointers) are inlined here, frame by frame, up to a depth and a total size. Blocks are visited in reverse postorder
//! and branches on constants are folded, so that a bounded recursion terminates.
//!
//! Anything without a meaning in the kernel representation becomes `Op::Unsupported` at its location, with an undefined
//! value: engines stop there, and report it.

mod build;
mod calls;
mod debug;
mod function;
mod inputs;
mod insts;
mod memory;
mod narrow_addresses;
pub(crate) mod program;
mod provenance;
mod types;
mod values;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use llvm_sys::target::LLVMTargetDataRef;
use lockstep_kernel::{
    BlockId, Inst, Kernel, Language, LocId, ObjectId, Op, Operand, Reg, Terminator, Unsupported,
};

use crate::llvm::{self, Bb, Module, Type, Val};
use crate::{Options, cleanup, llvm::demangle, prepare};
use types::Leaf;

pub(crate) struct Lowered {
    pub(crate) kernels: Vec<Kernel>,
    /// Functions without a body that are in none of the tables.
    pub(crate) missing: Vec<String>,
}

pub(crate) fn module(
    module: &Module,
    name: &str,
    language: Language,
    options: &Options,
    entries: &[String],
) -> Lowered {
    let mut missing = Vec::new();
    let kernels = prepare::kernels(module, entries)
        .into_iter()
        .map(|f| {
            let mut lower = Lower::new(module, name, language, options, f);
            lower.kernel(f);
            missing.append(&mut lower.missing);
            lower.k
        })
        .collect();
    missing.sort();
    missing.dedup();
    Lowered { kernels, missing }
}

/// The file that contains a function, if it is the user's own and not a header of ours, clang's or the SDK's.
pub(crate) fn users_file(
    module: &Module,
    name: &str,
    language: Language,
    options: &Options,
    f: Val,
) -> Option<String> {
    let lower = Lower::new(module, name, language, options, f);
    let known = language == Language::Llvm || llvm::has_debug_info(f);
    let file = &lower.k.files[lower.k.loc(lower.k.loc).file as usize];
    (known && !lower.is_library(file)).then(|| match language {
        // All functions of IR count as the user's.
        Language::Llvm => name.to_owned(),
        _ => file.clone(),
    })
}

/// One function being lowered: the kernel itself, or a call inside it.
struct Frame {
    function: Val,
    values: HashMap<Val, Rc<[Operand]>>,
    blocks: HashMap<Bb, BlockId>,
    /// For each edge between LLVM blocks, the kernel block that jumps.
    edges: Vec<(Bb, Bb, BlockId)>,
    /// Where `ret` continues, and the returned values; `None` for the kernel itself.
    ret_to: Option<BlockId>,
    rets: Vec<(BlockId, Rc<[Operand]>)>,
    inlined_at: Option<LocId>,
}

struct Lower<'m> {
    m: &'m Module,
    dl: LLVMTargetDataRef,
    options: &'m Options,
    k: Kernel,
    cur: BlockId,
    loc: LocId,
    origin: u32,
    frames: Vec<Frame>,
    leaves: HashMap<Type, Option<Rc<[Leaf]>>>,
    objects: HashMap<Val, ObjectId>,
    dynamic_shared: Option<ObjectId>,
    /// Texture and surface references, with the parameters that replace them.
    textures: HashMap<Val, Reg>,
    /// The values of loads of struct parameter fields.
    field_loads: HashMap<Val, Rc<[Operand]>>,
    /// Explicit selections for loads of array elements in struct parameters.
    chosen_loads: HashMap<Val, Vec<inputs::fields::Chosen>>,
    /// The first barrier that orders images and buffers differently.
    partial_barrier: Option<LocId>,
    /// Functions whose address was taken: each has a fake address.
    functions: Vec<Val>,
    locs: debug::Locs,
    origins: HashMap<Val, u32>,
    ghosts: HashSet<Reg>,
    missing: Vec<String>,
    /// A program gives all values: structs and variables remain memory.
    given_by_program: bool,
    /// By parameter of the source.
    arguments: Vec<program::Argument>,
    count: usize,
    too_large: bool,
}

impl<'m> Lower<'m> {
    fn new(
        m: &'m Module,
        name: &str,
        language: Language,
        options: &'m Options,
        f: Val,
    ) -> Lower<'m> {
        let mangled = llvm::name(f);
        let k = Kernel {
            name: demangle::function(&mangled),
            mangled,
            language,
            loc: LocId(0),
            params: Vec::new(),
            objects: Vec::new(),
            regs: Vec::new(),
            reg_names: Vec::new(),
            extents: Vec::new(),
            blocks: Vec::new(),
            sites: Vec::new(),
            locs: Vec::new(),
            files: Vec::new(),
            unsupported: Vec::new(),
            beside: Vec::new(),
            required_block: None,
            most_threads: None,
            remainders: false,
            work_sizes: Vec::new(),
        };
        let mut lower = Lower {
            m,
            dl: m.data_layout(),
            options,
            k,
            cur: BlockId(0),
            loc: LocId(0),
            origin: 0,
            frames: Vec::new(),
            leaves: HashMap::new(),
            objects: HashMap::new(),
            dynamic_shared: None,
            textures: HashMap::new(),
            field_loads: HashMap::new(),
            chosen_loads: HashMap::new(),
            partial_barrier: None,
            functions: Vec::new(),
            locs: debug::Locs::new(name),
            origins: HashMap::new(),
            ghosts: HashSet::new(),
            missing: Vec::new(),
            given_by_program: false,
            arguments: Vec::new(),
            count: 0,
            too_large: false,
        };
        lower.k.loc = lower.function_loc(f);
        lower.loc = lower.k.loc;
        lower
    }

    fn kernel(&mut self, f: Val) {
        for (i, inst) in llvm::blocks(f).into_iter().flat_map(llvm::instructions).enumerate() {
            self.origins.insert(inst, i as u32);
        }
        self.k.required_block = self.required_block(f);
        self.k.most_threads = self.most_threads(f);
        // clang sets it for every kernel: according to the standard, and to -cl-uniform-work-group-size.
        self.k.remainders =
            llvm::text_attribute(f, "uniform-work-group-size").as_deref() == Some("false");
        let args = self.params(f);
        let entry = self.new_block("entry");
        self.cur = entry;
        self.call_function(f, args, None);
        self.drop_ghosts();
        self.check_image_order();
        narrow_addresses::run(&mut self.k);
        cleanup::run(&mut self.k);
        provenance::run(&mut self.k);
        self.infer_elements();
        let cfg = lockstep_kernel::cfg::Cfg::new(&self.k);
        lockstep_kernel::polling::mark_polling_reads(&mut self.k, &cfg);
    }

    /// Reports an operation that is not supported.
    fn unsupported(&mut self, what: impl Into<String>) {
        let index = self.k.unsupported.len() as u32;
        self.k.unsupported.push(Unsupported { what: what.into(), loc: self.loc });
        self.push(Op::Unsupported(index), None);
    }

    /// Drops preconditions and assertions on GPUVerify's own ghost state, which have no meaning here.
    fn drop_ghosts(&mut self) {
        if self.ghosts.is_empty() {
            return;
        }
        let mut tainted = self.ghosts.clone();
        let is = |t: &HashSet<Reg>, o: Operand| matches!(o, Operand::Reg(r) if t.contains(&r));
        loop {
            let before = tainted.len();
            let decided: Vec<bool> = (self.k.blocks.iter())
                .map(|b| matches!(b.term, Terminator::Branch { cond, .. } if is(&tainted, cond)))
                .collect();
            let mut after_decided = decided.clone();
            for (b, block) in self.k.blocks.iter().enumerate() {
                if decided[b] {
                    block.term.successors().for_each(|s| after_decided[s.0 as usize] = true);
                }
            }
            for block in &self.k.blocks {
                for phi in &block.phis {
                    let by_choice = phi.incoming.iter().any(|(p, _)| after_decided[p.0 as usize]);
                    if by_choice || phi.incoming.iter().any(|&(_, o)| is(&tainted, o)) {
                        tainted.insert(phi.dst);
                    }
                }
                for Inst { dst, op, .. } in &block.insts {
                    let mut hit = false;
                    op.for_each_operand(|o| hit |= is(&tainted, o));
                    if let (true, Some(dst)) = (hit, *dst) {
                        tainted.insert(dst);
                    }
                }
            }
            if tainted.len() == before {
                break;
            }
        }
        for block in &mut self.k.blocks {
            block.insts.retain(|i| match i.op {
                Op::Assert { cond, .. } | Op::Requires { cond, .. } => !is(&tainted, cond),
                _ => true,
            });
        }
    }
}
