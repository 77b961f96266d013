//! The device code of the program: units that its constructors register, and what is in them.
//!
//! A unit is read when something of it is used for the first time: most programs use all of theirs, and pay for it once.
//! Units that were compiled to be linked with others are read together.

use std::collections::HashMap;
use std::sync::Arc;

use lockstep_frontend::{DeviceCode, DevicePart, Options, ProgramKernel, Variable, load_program};
use lockstep_kernel::{Kernel, Space};
use lockstep_simulate::Prepared;

use crate::error::{Failed, Status};
use crate::memory::Memory;

/// A kernel, ready to be launched.
pub(crate) struct Loaded {
    pub program: ProgramKernel,
    pub prepared: Prepared<'static>,
    /// By object of the kernel: its slot.
    pub slots: Vec<Option<usize>>,
    /// Its number among all kernels of the process.
    pub number: usize,
    /// Bytes of shared memory of each block, besides what a launch adds.
    pub shared: u64,
    /// The options that it was compiled with, where the program gave them.
    pub options: Vec<String>,
    /// Values of one launch are part of its code: it cannot be launched so from its source.
    pub is_special: bool,
}

impl Loaded {
    pub(crate) fn kernel(&self) -> &Kernel {
        &self.program.kernel
    }
}

#[derive(Default)]
pub(crate) struct Code {
    units: Vec<Unit>,
    /// By the address of the host's stub: the unit, and the kernel's mangled name.
    functions: HashMap<usize, (usize, String)>,
    /// By the address of the host's variable.
    variables: HashMap<usize, (usize, Shadow)>,
    groups: Vec<Group>,
    kernels: usize,
}

/// A variable as the host knows it.
#[derive(Clone, Debug)]
struct Shadow {
    symbol: String,
    size: u64,
}

struct Unit {
    part: Option<DevicePart>,
    /// The group that it has become part of, and its number there.
    group: Option<(usize, usize)>,
}

/// Units that were read together.
struct Group {
    kernels: HashMap<String, Arc<Loaded>>,
    /// By symbol: the slot.
    slots: HashMap<String, usize>,
    renamed: Vec<HashMap<String, String>>,
}

/// What a program has compiled when it ran.
pub(crate) struct Compiled {
    /// In the order of the source.
    pub kernels: Vec<Arc<Loaded>>,
    /// Of its variables.
    pub slots: Vec<usize>,
}

impl Code {
    /// A new unit: its number.
    pub(crate) fn add(&mut self, part: Option<DevicePart>) -> usize {
        self.units.push(Unit { part, group: None });
        self.units.len() - 1
    }

    pub(crate) fn add_function(&mut self, unit: usize, stub: usize, name: String) {
        self.functions.insert(stub, (unit, name));
    }

    pub(crate) fn add_variable(&mut self, unit: usize, host: usize, symbol: String, size: u64) {
        self.variables.insert(host, (unit, Shadow { symbol, size }));
    }

    /// The kernel that a stub of the host launches.
    pub(crate) fn kernel(
        &mut self,
        stub: usize,
        memory: &mut Memory,
    ) -> Result<Arc<Loaded>, Failed> {
        let (unit, name) =
            self.functions.get(&stub).cloned().ok_or(Failed(Status::INVALID_FUNCTION))?;
        self.kernel_named(unit, &name, memory)
    }

    pub(crate) fn kernel_named(
        &mut self,
        unit: usize,
        name: &str,
        memory: &mut Memory,
    ) -> Result<Arc<Loaded>, Failed> {
        let (group, number) = self.load(unit, memory)?;
        let group = &self.groups[group];
        let name = group.renamed[number].get(name).map_or(name, String::as_str);
        group.kernels.get(name).cloned().ok_or(Failed(Status::INVALID_FUNCTION))
    }

    /// The slot and the size of the variable that the host has at this address.
    pub(crate) fn variable(
        &mut self,
        host: usize,
        memory: &mut Memory,
    ) -> Result<(usize, u64), Failed> {
        let (unit, shadow) =
            self.variables.get(&host).cloned().ok_or(Failed(Status::INVALID_SYMBOL))?;
        self.variable_named(unit, &shadow.symbol, memory).map(|slot| (slot, shadow.size))
    }

    pub(crate) fn variable_named(
        &mut self,
        unit: usize,
        symbol: &str,
        memory: &mut Memory,
    ) -> Result<usize, Failed> {
        let (group, number) = self.load(unit, memory)?;
        let group = &self.groups[group];
        let symbol = group.renamed[number].get(symbol).map_or(symbol, String::as_str);
        group.slots.get(symbol).copied().ok_or(Failed(Status::INVALID_SYMBOL))
    }

    /// Whether a unit has variables that the host uses by itself: these must be there from the start.
    pub(crate) fn has_managed(&self, unit: usize) -> bool {
        self.units[unit].part.as_ref().is_some_and(|part| part.has_managed)
    }

    /// Reads a unit, and those that it is linked with: its group, and its number there.
    pub(crate) fn load(
        &mut self,
        unit: usize,
        memory: &mut Memory,
    ) -> Result<(usize, usize), Failed> {
        if let Some(group) = self.units[unit].group {
            return Ok(group);
        }
        let Some(part) = &self.units[unit].part else {
            return Failed::with(Status::NO_BINARY);
        };
        let together: Vec<usize> = if part.relocatable {
            let is_open =
                |u: &Unit| u.group.is_none() && u.part.as_ref().is_some_and(|p| p.relocatable);
            (0..self.units.len()).filter(|&i| is_open(&self.units[i])).collect()
        } else {
            vec![unit]
        };
        let parts: Vec<DevicePart> =
            together.iter().filter_map(|&i| self.units[i].part.take()).collect();
        let options = Options { size_limit: 2_000_000, ..Options::default() };
        let code = load_program(&parts, &options).map_err(|e| {
            eprintln!("lockstep: the program's device code cannot be read: {e}");
            Failed(Status::INVALID_IMAGE)
        })?;
        for (number, &unit) in together.iter().enumerate() {
            self.units[unit].group = Some((self.groups.len(), number));
        }
        let group = self.place(code, &together, &[], memory)?;
        self.groups.push(group);
        self.units[unit].group.ok_or(Failed(Status::UNKNOWN))
    }

    /// Kernels and variables that the program has compiled when it ran.
    pub(crate) fn load_compiled(
        &mut self,
        code: DeviceCode,
        options: &[String],
        memory: &mut Memory,
    ) -> Result<Compiled, Failed> {
        let order: Vec<String> = code.kernels.iter().map(|k| k.kernel.mangled.clone()).collect();
        let mut group = self.place(code, &[], options, memory)?;
        let kernels = order.iter().filter_map(|name| group.kernels.remove(name)).collect();
        Ok(Compiled { kernels, slots: group.slots.into_values().collect() })
    }

    /// Gives all variables their memory, and all kernels their numbers.
    fn place(
        &mut self,
        code: DeviceCode,
        together: &[usize],
        options: &[String],
        memory: &mut Memory,
    ) -> Result<Group, Failed> {
        let slots = self.place_variables(&code.variables, &code.renamed, together, memory)?;
        let mut kernels = HashMap::new();
        for program in code.kernels {
            let slot = |name: &Option<String>| slots.get(name.as_ref()?).copied();
            let own = program.variables.iter().map(slot).collect();
            let name = program.kernel.mangled.clone();
            let loaded = Loaded::new(program, own, self.kernels);
            let loaded = Loaded { options: options.to_vec(), ..loaded };
            kernels.insert(name, Arc::new(loaded));
            self.kernels += 1;
        }
        Ok(Group { kernels, slots, renamed: code.renamed })
    }

    /// Memory for all variables, with their initial values.
    fn place_variables(
        &self,
        variables: &[Variable],
        renamed: &[HashMap<String, String>],
        units: &[usize],
        memory: &mut Memory,
    ) -> Result<HashMap<String, usize>, Failed> {
        let mut slots = HashMap::new();
        for v in variables {
            let host = if v.is_managed { self.host_of(v, renamed, units) } else { None };
            let slot = memory.variable(&v.name, v.space, v.elem, v.size, host);
            slots.insert(v.symbol.clone(), slot.ok_or(Failed(Status::MEMORY_ALLOCATION))?);
        }
        for v in variables.iter().filter(|v| v.space != Space::Shared) {
            let Some(&slot) = slots.get(&v.symbol) else { continue };
            let mut bytes = v.init.clone();
            bytes.resize(v.size as usize, 0);
            for (at, target, addend) in &v.relocations {
                let Some(&target) = slots.get(target) else { continue };
                let address = lockstep_simulate::Resident::address(target);
                let address = address.wrapping_add_signed(*addend).to_le_bytes();
                if let Some(to) = bytes.get_mut(*at as usize..*at as usize + 8) {
                    to.copy_from_slice(&address);
                }
            }
            if let Some(to) = memory.bytes(slot) {
                // SAFETY: the memory has as many bytes as the variable, and nothing else uses it yet.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
            }
        }
        Ok(slots)
    }

    /// Where the host has a variable that both use.
    fn host_of(
        &self,
        variable: &Variable,
        renamed: &[HashMap<String, String>],
        units: &[usize],
    ) -> Option<usize> {
        let is_it = |unit: usize, shadow: &Shadow| {
            let number = units.iter().position(|u| *u == unit);
            let names = number.and_then(|n| renamed.get(n));
            let name = names.and_then(|r| r.get(&shadow.symbol)).unwrap_or(&shadow.symbol);
            number.is_some() && *name == variable.symbol
        };
        let mut all = self.variables.iter();
        all.find(|(_, (unit, shadow))| is_it(*unit, shadow)).map(|(host, _)| *host)
    }
}

impl Loaded {
    fn new(program: ProgramKernel, slots: Vec<Option<usize>>, number: usize) -> Loaded {
        let prepared = Prepared::owned(program.kernel.clone());
        let own = program.kernel.objects.iter().filter(|o| o.space == Space::Shared && !o.dynamic);
        let shared = own.map(|o| o.size.next_multiple_of(16)).sum();
        let options = Vec::new();
        Loaded { program, prepared, slots, number, shared, options, is_special: false }
    }

    /// The same kernel with another code.
    pub(crate) fn with_kernel(&self, kernel: Kernel) -> Loaded {
        let program = ProgramKernel { kernel, ..self.program.clone() };
        let loaded = Loaded::new(program, self.slots.clone(), self.number);
        Loaded { options: self.options.clone(), is_special: true, ..loaded }
    }
}
