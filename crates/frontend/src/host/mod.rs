//! Launches in the host part of a CUDA file: their constants, and how the other values depend on each other.
//!
//! A second run of clang compiles the host side, which LLVM then optimises at `-O1`. There a launch is a call of
//! `cudaConfigureCall` (with an SDK, `__cudaPushCallConfiguration`) with its dimensions folded to constants, followed
//! by a call of the kernel's stub (or, if the stub was inlined, of `cudaLaunch…` with the stub's address), or a call of
//! `cudaLaunchKernel` ([`direct`]). A launch has its constants, the expressions for its dimensions and arguments
//! ([`values`]; for those that are not analysed, [`bound`]), the conditions on the path to it ([`conditions`]), and the
//! sizes of its arrays ([`arrays`]). A launch in a loop becomes one for each iteration that is evaluated ([`rounds`]).
//! Functions that do not compile are left out ([`salvage`]); what they name may be launched or called by them. If the
//! rest does not compile either, there are no launches.

mod arrays;
mod bound;
mod chosen;
mod conditions;
mod direct;
mod inputs;
mod listed;
mod memory;
mod rounds;
mod values;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{
    LLVMDILocationGetInlinedAt, LLVMDILocationGetLine, LLVMInstructionGetDebugLoc,
};
use lockstep_kernel::Language;

use crate::clang::{self, Source};
use crate::llvm::{self, Bb, Module, Opcode, Val, demangle};
use crate::salvage::{self, Detail};
use crate::{HeadComment, Input, Options, entries::plain_name};

pub use arrays::{HostAlias, HostArray, HostPointer};
pub use bound::HostBound;
use bound::{Loops, Place};
use conditions::Dominators;
pub use conditions::{HostCompare, HostCondition};
pub use inputs::HostBranch;
use inputs::Uncalled;
use rounds::Known;
use values::{Half, Reader};
pub use values::{HostOp, HostPart, HostValue};

const STUB: &str = "__device_stub__";

/// One `k<<<grid, block, shared>>>(…)`, or a call of the runtime that launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLaunch {
    /// The kernel's mangled name.
    pub kernel: String,
    pub grid: Option<[u32; 3]>,
    pub block: Option<[u32; 3]>,
    pub shared: u32,
    /// The same as the host computes it.
    pub shared_size: Option<HostValue>,
    pub line: u32,
    /// Scalar arguments that are constants: position among the kernel's parameters, and bits.
    pub args: Vec<(usize, u64)>,
    /// The same for structures: where, how many bytes, and their value.
    pub members: Vec<(HostPointer, u32, u64)>,
    /// The number of parameters of the kernel, as the host sees it.
    pub arg_count: usize,
    /// Every dimension, and every integer argument, with the host's value.
    pub values: Vec<(HostPart, HostValue)>,
    /// Conditions on these, and on other values, that hold wherever the launch is made.
    pub conditions: Vec<HostCondition>,
    /// Sizes of arrays in bytes, by position of the kernel's parameter, if the host allocates them.
    pub sizes: Vec<(usize, HostValue)>,
    /// Parameters that point into one array, or into a variable.
    pub aliases: Vec<HostAlias>,
    /// For each unknown value: whether it may be anything, independently of other values.
    pub free: Vec<bool>,
    /// For each unknown value: the least and the largest that it can be, where these are known.
    pub ranges: Vec<[Option<i64>; 2]>,
    /// For each unknown value: how it depends on others in a way that is not analysed, such as a logarithm.
    pub bound: Vec<HostBound>,
    /// The branches on the path after which the launch may not be reached; `None` if one of them could not be analysed.
    pub branches: Option<Vec<HostBranch>>,
}

/// Dimensions, arguments and arrays of a launch, as far as they are constant.
type Constants<'a> =
    ([Option<[u32; 3]>; 2], &'a [(usize, u64)], &'a [(HostPointer, u32, u64)], &'a [HostAlias]);

impl HostLaunch {
    /// Its constants.
    pub fn constants(&self) -> Constants<'_> {
        ([self.grid, self.block], &self.args, &self.members, &self.aliases)
    }
}

/// The result for the host part of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostSide {
    /// In the order of the source.
    pub launches: Vec<HostLaunch>,
    /// Kernels, by mangled name, that the file may also launch in ways that are not analysed: through a function
    /// pointer, say.
    pub unread: Vec<String>,
    /// The files that were read; `None` if it does not compile, for whatever reason.
    pub files: Option<Vec<PathBuf>>,
}

/// The launches of a CUDA file, which may be in one of the `included` files; none for other languages.
pub fn host_side(input: Input, included: &[PathBuf], options: &Options) -> HostSide {
    let nothing = HostSide { files: Some(Vec::new()), ..HostSide::default() };
    let Ok(source) = Source::open(input, options) else {
        return HostSide::default();
    };
    let has = |bytes: &[u8], word: &[u8]| bytes.windows(word.len()).any(|w| w == word);
    let launches =
        |bytes: &[u8]| has(bytes, b"<<<") || has(bytes, b"<< <") || has(bytes, b"cudaLaunch");
    let read = |file: &PathBuf| fs::read(file).is_ok_and(|bytes| launches(&bytes));
    let is_cuda = source.language == Language::Cuda;
    if !is_cuda || !(launches(&source.bytes) || included.iter().any(read)) {
        return nothing;
    }
    compiled(&source, options).unwrap_or_default()
}

fn compiled(source: &Source, options: &Options) -> Option<HostSide> {
    let head: HeadComment =
        crate::head::parse(&String::from_utf8_lossy(&source.bytes), source.language);
    // Without its headers, this side does not compile either.
    let whole = match &options.experience {
        Some(known) if known.lacks_headers() => Err(known.first()),
        _ => clang::compile_host_side(source, &head, options),
    };
    let (compiled, lost) = match whole {
        Ok(compiled) => (compiled, None),
        Err(first) => {
            let again = |s: &Source, o: &Options| clang::compile_host_side(s, &head, o);
            let rest = salvage::compile(source, &head, options, Detail::Bodies, &again, first);
            let rest = rest.ok()?;
            (rest.compiled, Some(rest.words))
        }
    };
    let module = Module::parse(&compiled.bitcode, &source.name).ok()?;
    // What is left out may launch kernels, call functions, and change variables.
    let is_lost = |mangled: &str| {
        let name = demangle::function(mangled);
        lost.as_ref().is_some_and(|words| words.contains(plain_name(&name)))
    };
    if lost.is_some() {
        for global in module.globals() {
            // SAFETY: LLVM is given a global, of a module that is alive.
            unsafe {
                if LLVMIsGlobalConstant(global) == 0 && !llvm::name(global).starts_with("llvm.") {
                    LLVMSetLinkage(global, LLVMLinkage::LLVMExternalLinkage);
                }
            }
        }
    }
    // With stubs not inlined, and unchanged, the launch's arguments remain visible at the call.
    let mut stubs = HashMap::new();
    for f in module.functions().into_iter().filter(|&f| llvm::name(f).contains(STUB)) {
        llvm::add_attribute(module.ctx, f, "noinline");
        // SAFETY: LLVM is given a global, of a module that is alive.
        unsafe { LLVMSetLinkage(f, LLVMLinkage::LLVMExternalLinkage) };
        stubs.insert(f, Stub::of(&module, f));
    }
    inline_launchers(&module, &stubs)?;
    let mut functions = module.functions();
    functions.retain(|&f| !is_lost(&llvm::name(f)));
    let uncalled = Uncalled::of(&functions);
    module.run_passes("default<O1>").ok()?;
    let mut host = HostSide { files: Some(compiled.files), ..HostSide::default() };
    host.unread = direct::escaping(&stubs);
    let kernels = stubs.keys().filter_map(|&f| stub(&llvm::name(f)));
    host.unread.extend(kernels.filter(|k| is_lost(k)));
    for f in module.functions() {
        launches_of(&module, f, &stubs, &uncalled, &mut host);
    }
    host.launches.sort_by_key(|l| l.line);
    Some(host)
}

/// How many functions a kernel may be passed through before it is launched.
const MOST_PASSED: usize = 4;

/// Inlines functions that get a kernel as an argument, so that each call of them is a launch of that kernel: one that
/// launches whatever it gets is shared by all kernels of one type.
fn inline_launchers(module: &Module, stubs: &HashMap<Val, Stub>) -> Option<()> {
    for _ in 0..MOST_PASSED {
        let mut launchers: Vec<Val> = Vec::new();
        for call in stubs.keys().flat_map(|&f| llvm::users(f)) {
            let callee = llvm::is_instruction(call).then(|| called(call)).flatten();
            let Some((callee, name)) = callee else { continue };
            let is_stub = stubs.contains_key(&callee) || name.contains(STUB);
            let calls_itself = || {
                let of_itself = |u: Val| llvm::is_instruction(u) && llvm::function_of(u) == callee;
                llvm::users(callee).into_iter().any(of_itself)
            };
            let has_body = !llvm::blocks(callee).is_empty();
            if has_body && !is_stub && !launchers.contains(&callee) && !calls_itself() {
                launchers.push(callee);
            }
        }
        if launchers.is_empty() {
            return Some(());
        }
        for f in launchers {
            llvm::remove_attribute(f, "noinline");
            llvm::add_attribute(module.ctx, f, "alwaysinline");
        }
        module.run_passes("always-inline,function(sroa,instsimplify)").ok()?;
    }
    Some(())
}

/// How an argument of a launch relates to the kernel's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    Whole(usize),
    /// Part of a structure.
    Piece(HostPointer),
    /// The address of a structure.
    InMemory(usize),
}

/// How a stub's own arguments map to the kernel's: a structure is passed in pieces, or by address.
#[derive(Default)]
struct Stub {
    given: Vec<Option<Given>>,
    /// The number of parameters of the kernel.
    count: usize,
}

impl Stub {
    /// Analyses a stub before any pass. It stores its arguments in variables, one for each parameter of the kernel, and
    /// passes these on in order: all in an array of addresses, or each to `cudaSetupArgument`.
    fn of(module: &Module, f: Val) -> Stub {
        let arguments = llvm::arguments(f);
        let mut stored: Vec<(usize, Val, Val)> = Vec::new();
        let mut handed_on: Vec<Val> = Vec::new();
        let mut copied: Vec<(Val, Val)> = Vec::new();
        for inst in llvm::blocks(f).into_iter().flat_map(llvm::instructions) {
            match llvm::opcode(inst) {
                Opcode::LLVMStore => {
                    let (value, to) = (llvm::operand(inst, 0), llvm::operand(inst, 1));
                    if let Some(i) = arguments.iter().position(|&a| a == value)
                        && llvm::byval_type(f, i as u32).is_none()
                    {
                        stored.push((i, base(to), to));
                    } else {
                        handed_on.push(value);
                    }
                }
                Opcode::LLVMCall
                    if llvm::callee(inst).is_some_and(|c| llvm::name(c) == "cudaSetupArgument") =>
                {
                    handed_on.extend(llvm::call_args(inst).first());
                }
                // A structure whose pieces are larger than itself is copied through another variable.
                Opcode::LLVMCall
                    if called(inst).is_some_and(|(_, name)| name.starts_with("llvm.memcpy")) =>
                {
                    let args = llvm::call_args(inst);
                    copied.push((args[1], args[0]));
                }
                _ => {}
            }
        }
        let mut given = vec![None; arguments.len()];
        for &(i, variable, to) in &stored {
            let pieces = stored.iter().filter(|s| s.1 == variable).count();
            let last = copied.iter().find(|c| c.0 == variable).map_or(variable, |c| c.1);
            let param = handed_on.iter().position(|&v| v == last);
            given[i] = param.and_then(|param| match pieces {
                1 => Some(Given::Whole(param)),
                _ => {
                    let within = arrays::offset(module, to, variable)?;
                    Some(Given::Piece(HostPointer { param, within: Some(within) }))
                }
            });
        }
        for (i, argument) in arguments.iter().enumerate() {
            if llvm::byval_type(f, i as u32).is_some() {
                given[i] = handed_on.iter().position(|v| v == argument).map(Given::InMemory);
            }
        }
        Stub { given, count: handed_on.len() }
    }
}

/// The variable that an address within it belongs to.
fn base(mut address: Val) -> Val {
    while llvm::is_instruction(address) && llvm::opcode(address) == Opcode::LLVMGetElementPtr {
        address = llvm::operand(address, 0);
    }
    address
}

/// Adds the launches that a function makes.
fn launches_of(
    module: &Module,
    f: Val,
    stubs: &HashMap<Val, Stub>,
    uncalled: &Uncalled,
    host: &mut HostSide,
) {
    let shape = OnceCell::new();
    if llvm::name(f).contains(STUB) {
        return;
    }
    for inst in llvm::blocks(f).into_iter().flat_map(llvm::instructions) {
        let Some(callee) = llvm::called_value(inst) else { continue };
        let name = called(inst).map_or_else(String::new, |(_, name)| name);
        let given = llvm::call_args(inst);
        let is_direct = direct::is_direct(&name);
        let target = match is_direct || name.starts_with("cudaLaunch") {
            true => given.first().copied(),
            false => Some(callee),
        };
        let Some(target) = target else { continue };
        let targets = match stubs.contains_key(&target) {
            true => vec![target],
            false => listed::kernels(target, stubs),
        };
        if targets.is_empty() {
            continue;
        }
        let call = if is_direct { Some(inst) } else { configuration_before(inst) };
        let kernels = || targets.iter().filter_map(|&t| Some((t, stub(&llvm::name(t))?)));
        let Some(call) = call else {
            host.unread.extend(kernels().map(|(_, kernel)| kernel));
            continue;
        };
        let (tree, loops, rounds) = shape.get_or_init(|| {
            let tree = Dominators::of(f);
            let loops = Loops::of(f, &tree);
            let rounds = rounds::of(module, f, &loops);
            (tree, loops, rounds)
        });
        for (target, kernel) in kernels() {
            let site = Site {
                module,
                inst,
                call,
                is_direct,
                stub: stubs.get(&target),
                place: Place { block: llvm::block_of(inst), tree, loops, uncalled },
            };
            let chosen = chosen::at(inst, tree);
            let launch = |known: &Rc<Known>| {
                let known = match chosen.is_empty() {
                    true => known.clone(),
                    false => Rc::new(known.and(&chosen)),
                };
                HostLaunch { kernel: kernel.clone(), ..site.launch(&known) }
            };
            let whole = launch(&Rc::default());
            match rounds.get(&inst) {
                // In which round it is chosen is not read.
                Some(rounds) if targets.len() == 1 => {
                    let launches = rounds.launches.iter().map(launch).collect();
                    host.launches.extend(in_rounds(whole, launches, rounds.all));
                }
                _ => host.launches.extend(site.by_pointers(whole)),
            }
        }
    }
}

/// Maximum number of iterations that become separate launches, if these are all, and if they are not.
const MOST_ROUNDS: usize = 12;
const FIRST_ROUNDS: usize = 3;

/// The launches of a call in a loop: one for each iteration, if these are all and few. Otherwise the first, the second
/// and the last, and the launch that represents all.
fn in_rounds(whole: HostLaunch, launches: Vec<HostLaunch>, are_all: bool) -> Vec<HostLaunch> {
    let mut different: Vec<HostLaunch> = Vec::new();
    for launch in launches {
        if !different.iter().any(|d| d.constants() == launch.constants()) {
            different.push(launch);
        }
    }
    if are_all && (1..=MOST_ROUNDS).contains(&different.len()) {
        return different;
    }
    if are_all {
        different = match different.len() {
            0 => different,
            count => [0, 1, count - 1].map(|i| different[i].clone()).into(),
        };
    }
    different.truncate(FIRST_ROUNDS);
    different.retain(|d| d.constants() != whole.constants());
    different.insert(0, whole);
    different
}

/// The position of a launch.
struct Site<'a> {
    module: &'a Module,
    inst: Val,
    /// The call that has its dimensions.
    call: Val,
    is_direct: bool,
    stub: Option<&'a Stub>,
    place: Place<'a>,
}

impl Site<'_> {
    /// The launch; where a condition chooses a pointer (`in_place ? in : out`), and so which arguments point into one array, a launch
    /// for each of its values.
    fn by_pointers(&self, whole: HostLaunch) -> Vec<HostLaunch> {
        let known = Rc::default();
        let arguments = self.arguments();
        let Some(condition) = arguments.iter().find_map(|a| arrays::chosen(a.0)) else {
            return vec![whole];
        };
        let chosen = [true, false].map(|truth| {
            let pick = |&(v, place): &(Val, Given)| (arrays::chosen_by(v, condition, truth), place);
            let arguments: Vec<(Val, Given)> = arguments.iter().map(pick).collect();
            let aliases = arrays::aliases(self.module, &arguments, &known);
            HostLaunch { aliases, ..whole.clone() }
        });
        match chosen[0].aliases == chosen[1].aliases {
            true => vec![whole],
            false => chosen.into(),
        }
    }

    /// What is known of the arguments, each with its place among the parameters.
    fn arguments(&self) -> Vec<(Val, Given)> {
        let Some(stub) = self.stub else { return Vec::new() };
        let given = llvm::call_args(self.inst).into_iter();
        let arguments = match self.is_direct {
            true => direct::arguments(self.inst, stub.count),
            false => given.zip(&stub.given).filter_map(|(v, &g)| Some((v, g?))).collect(),
        };
        arrays::apart(self.module, arguments)
    }

    /// The launch, with the known values of an iteration.
    fn launch(&self, known: &Rc<Known>) -> HostLaunch {
        let mut reader = Reader::new(known.clone());
        let mut launch = configuration(self.call, self.is_direct.into(), &mut reader);
        if let Some(stub) = self.stub {
            launch.arg_count = stub.count;
            let arguments = self.arguments();
            launch.aliases = arrays::aliases(self.module, &arguments, known);
            launch.members = members(&arguments, &reader);
            for (v, place) in arguments {
                let Given::Whole(param) = place else { continue };
                let bits = constant_bits(v).or_else(|| reader.constant(v));
                launch.args.extend(bits.map(|bits| (param, bits)));
                let value = reader.integer(v).map(|value| (HostPart::Argument(param), value));
                launch.values.extend(value);
                launch.sizes.extend(arrays::bytes(v, &mut reader).map(|bytes| (param, bytes)));
            }
        }
        let place = &self.place;
        launch.conditions = conditions::around(self.inst, place.tree, &mut reader);
        if !launch.sizes.is_empty() && launch.conditions.len() < conditions::MOST {
            // Whether a value was chosen by a branch may depend on anything.
            reader.before_choice = true;
            launch.branches = inputs::branches(self.call, place.tree, &mut reader);
            reader.before_choice = false;
        }
        launch.free = reader.free(place.uncalled);
        launch.ranges = reader.ranges(place);
        let mut own = Vec::new();
        launch.values.iter().for_each(|v| v.1.unknowns(&mut own));
        launch.sizes.iter().for_each(|s| s.1.unknowns(&mut own));
        launch.bound = reader.bound(&own, place);
        launch
    }
}

/// The constants in structures.
fn members(given: &[(Val, Given)], reader: &Reader) -> Vec<(HostPointer, u32, u64)> {
    let member = |&(v, place): &(Val, Given)| {
        let Given::Piece(place) = place else { return None };
        let bits = constant_bits(v).or_else(|| reader.constant(v))?;
        let bytes = match llvm::type_kind(llvm::type_of(v)) {
            llvm::TypeKind::LLVMFloatTypeKind => 4,
            llvm::TypeKind::LLVMDoubleTypeKind => 8,
            _ => values::width(v)?.div_ceil(8),
        };
        Some((place, bytes, bits))
    };
    given.iter().filter_map(member).collect()
}

/// The function that an instruction calls, and its name.
fn called(inst: Val) -> Option<(Val, String)> {
    if !matches!(llvm::opcode(inst), Opcode::LLVMCall | Opcode::LLVMInvoke) {
        return None;
    }
    let callee = llvm::callee(inst)?;
    Some((callee, llvm::name(callee)))
}

fn is_configuration(inst: Val) -> bool {
    called(inst).is_some_and(|(_, name)| {
        name.contains("cudaPushCallConfiguration") || name.starts_with("cudaConfigureCall")
    })
}

/// The configuration of a launch, which immediately precedes it on every path. `None` if the optimiser has merged
/// several launches.
fn configuration_before(launch: Val) -> Option<Val> {
    let start = llvm::block_of(launch);
    let mut found: Option<Val> = None;
    let mut seen: Vec<Bb> = Vec::new();
    let mut open = vec![(start, true)];
    while let Some((block, is_launchs)) = open.pop() {
        let before =
            llvm::instructions(block).into_iter().take_while(|&i| !is_launchs || i != launch);
        if let Some(one) = before.filter(|&i| is_configuration(i)).last() {
            if found.is_some_and(|other| other != one) {
                return None;
            }
            found = Some(one);
            continue;
        }
        for before in llvm::predecessors(block) {
            if !seen.contains(&before) {
                seen.push(before);
                open.push((before, false));
            }
        }
    }
    found
}

/// Dimensions are passed as an `i64` with x and y and an `i32` with z, each twice, after the given number of other
/// arguments; the shared memory size is last, or follows the array of a direct launch.
fn configuration(call: Val, after: usize, reader: &mut Reader) -> HostLaunch {
    let args = llvm::call_args(call).split_off(after);
    let number = |reader: &Reader, i: usize| args.get(i).and_then(|&v| reader.constant(v));
    let mut values = Vec::new();
    let parts: [(usize, fn(usize) -> HostPart); 2] = [(0, HostPart::Grid), (2, HostPart::Block)];
    for (at, part) in parts {
        if let (Some(&pair), Some(&z)) = (args.get(at), args.get(at + 1)) {
            values.push((part(0), reader.half(pair, Half::Low)));
            values.push((part(1), reader.half(pair, Half::High)));
            values.extend(reader.integer(z).map(|z| (part(2), z)));
        }
    }
    let dims = |part: fn(usize) -> HostPart| {
        let axis = |axis: usize| {
            let value = values.iter().find(|v| v.0 == part(axis));
            value.and_then(|v| match v.1 {
                HostValue::Known(n) => u32::try_from(n).ok().filter(|&n| n > 0),
                _ => None,
            })
        };
        Some([axis(0)?, axis(1)?, axis(2)?])
    };
    let (grid, block) = (dims(HostPart::Grid), dims(HostPart::Block));
    let shared = number(reader, 4 + after).unwrap_or(0) as u32;
    let shared_size = args.get(4 + after).and_then(|&v| reader.integer(v));
    // SAFETY: LLVM is given an instruction, of a module that is alive.
    let mut loc = unsafe { LLVMInstructionGetDebugLoc(call) };
    let mut line = 0;
    while !loc.is_null() {
        // SAFETY: LLVM is given metadata, of a module that is alive.
        line = unsafe { LLVMDILocationGetLine(loc) };
        // SAFETY: LLVM is given metadata, of a module that is alive.
        loc = unsafe { LLVMDILocationGetInlinedAt(loc) };
    }
    HostLaunch {
        kernel: String::new(),
        grid,
        block,
        shared,
        shared_size,
        line,
        args: Vec::new(),
        members: Vec::new(),
        arg_count: 0,
        values,
        conditions: Vec::new(),
        sizes: Vec::new(),
        aliases: Vec::new(),
        free: Vec::new(),
        ranges: Vec::new(),
        bound: Vec::new(),
        branches: None,
    }
}

/// `_Z19__device_stub__reducePfi` is the stub of `_Z6reducePfi`.
fn stub(name: &str) -> Option<String> {
    let at = name.find(STUB)?;
    let digits = name[..at].chars().rev().take_while(char::is_ascii_digit).count();
    let start = at - digits;
    let rest = &name[at + STUB.len()..];
    if digits == 0 {
        return Some(format!("{}{rest}", &name[..start]));
    }
    let len: usize = name[start..at].parse().ok()?;
    Some(format!("{}{}{rest}", &name[..start], len.checked_sub(STUB.len())?))
}

fn constant_bits(v: Val) -> Option<u64> {
    if let Some(bits) = llvm::const_int(v) {
        return Some(bits);
    }
    // SAFETY: LLVM is given a constant, of a module that is alive.
    unsafe {
        if llvm::value_kind(v) != llvm::ValueKind::LLVMConstantFPValueKind {
            return None;
        }
        let bits = match llvm::type_kind(llvm::type_of(v)) {
            llvm::TypeKind::LLVMFloatTypeKind => 32,
            llvm::TypeKind::LLVMDoubleTypeKind => 64,
            _ => return None,
        };
        let context = LLVMGetTypeContext(llvm::type_of(v));
        llvm::const_int(LLVMConstBitCast(v, LLVMIntTypeInContext(context, bits)))
    }
}

#[cfg(test)]
mod tests {
    use super::stub;

    #[test]
    fn stub_names() {
        assert_eq!(stub("_Z21__device_stub__reducePfi").as_deref(), Some("_Z6reducePfi"));
        assert_eq!(stub("__device_stub__k").as_deref(), Some("k"));
        assert_eq!(stub("main"), None);
    }
}
