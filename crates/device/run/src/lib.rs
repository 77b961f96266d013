//! Launches of kernels on a GPU, with the checker and without.
//!
//! The archive comes from `lockstep device build`; the launch is given as for `lockstep run`. The driver is loaded when a
//! launch is made ([`driver`]). The kernel runs once with the checker and once as it is, on equal arrays; both are timed. With
//! the scheme `statement` it runs once more, and the accesses are written down of what threads were seen to race for.
//! The report lies in memory of the host that the device writes, so that what was found is there even where the device
//! has stopped the kernel.
//!
//! What a proof left out rests on arrays that do not overlap, and perhaps on dimensions: a launch that is not so is refused
//! ([`accepted`]).
//!
//! **Architecture Invariant:** neither LLVM nor Z3 is linked, and CUDA is not needed to build this.

mod compare;
mod driver;
pub mod witness;

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use lockstep_device::archive::{Archive, Array, Cubin, Scheme};
use lockstep_device::layout::Layout;
use lockstep_device::{abi, report, statements};
use lockstep_finding::{Finding, Kind, Launch};
use lockstep_kernel::{ParamKind, Ty};
use lockstep_simulate::{BoundArg, BoundLaunch, bind};

pub use compare::Difference;
use driver::{Address, Device, Module};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    pub launch: Launch,
    pub scheme: Scheme,
    /// How long a kernel may take.
    pub limit: Duration,
    pub device: u32,
    /// Compare the arrays with those that the simulator computes.
    pub compare: bool,
    /// How often each is launched. With more than one launch, the first is not timed, and the median of the others counts.
    pub repeat: u32,
    /// Launch the kernel only as it is.
    pub native: bool,
}

/// What was seen.
#[derive(Clone, Debug)]
pub struct Ran {
    pub device: String,
    pub driver: String,
    /// All that was loaded are cubins of the archive, and no PTX.
    pub assembled: bool,
    pub findings: Vec<Finding>,
    /// Why nothing found does not mean that there is nothing.
    pub gaps: Vec<report::Gap>,
    /// Milliseconds of the kernel as it is, with cells, and behind that with records of accesses. None: it was not launched, or
    /// not to its end.
    pub plain: Option<f64>,
    pub checked: Option<f64>,
    pub recorded: Option<f64>,
    /// What was counted with the scheme `statement`.
    pub counted: Option<Counted>,
    /// Bytes that the checker kept in global memory, and in the shared memory of each block.
    pub global_cells: u64,
    pub shared_cells: u64,
    /// With [`Request::compare`].
    pub differences: Option<Vec<Difference>>,
    /// The device stopped the kernel, with the checker or without.
    pub stopped: Option<Failure>,
}

/// How much of a kernel races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Accesses of the source that race with some other, and pairs of them.
    pub statements: usize,
    pub pairs: usize,
    /// Pieces of memory that threads race for.
    pub pieces: u64,
    /// There were more records than room.
    pub is_short: bool,
}

/// Why a launch was not made, or not to its end. Each has one message.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    NoDriver,
    OldDriver(String),
    NoDevice,
    OldDevice {
        name: String,
        has: u32,
        capability: u32,
    },
    OutOfMemory,
    IllegalAddress,
    NeverEnds(Duration),
    /// A function of the driver, and what it says.
    Driver(String, String),
    /// The launch is none for this archive.
    Launch(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NoDriver => f.write_str(
                "there is no NVIDIA driver on this machine (libcuda.so.1 cannot be loaded); 'lockstep run' simulates the launch",
            ),
            Failure::OldDriver(why) => {
                write!(f, "the NVIDIA driver is too old ({why}); one for CUDA 12.0 or later is needed")
            }
            Failure::NoDevice => f.write_str("the NVIDIA driver finds no such GPU"),
            Failure::OldDevice { name, has, capability } => write!(
                f,
                "{name} is sm_{has}, and the kernel was built for sm_{capability}: build it with --arch sm_{has}"
            ),
            Failure::OutOfMemory => f.write_str(
                "the GPU has not enough memory for the arrays and what the checker keeps beside them: give smaller arrays, or build with --memory shared",
            ),
            Failure::IllegalAddress => f.write_str(
                "the GPU stopped the kernel: it accessed an address that is none of its memory",
            ),
            Failure::NeverEnds(limit) => write!(
                f,
                "the kernel did not end within {} s: it may wait for ever, or need a larger --budget",
                limit.as_secs_f64()
            ),
            Failure::Driver(what, why) => write!(f, "the NVIDIA driver fails in {what}: {why}"),
            Failure::Launch(why) => f.write_str(why),
        }
    }
}

impl Failure {
    /// Whether the kernel had begun.
    fn is_of_the_kernel(&self) -> bool {
        match self {
            Failure::IllegalAddress | Failure::NeverEnds(_) => true,
            Failure::Driver(what, _) => what == driver::THE_KERNEL,
            _ => false,
        }
    }
}

impl Ran {
    /// The time of a launch; none where the device stopped it, which is noted. Without a finding before it, that is all there is to say.
    fn unless_stopped(&mut self, time: Result<f64, Failure>) -> Result<Option<f64>, Failure> {
        match time {
            Ok(time) => Ok(Some(time)),
            Err(e) if e.is_of_the_kernel() && !self.findings.is_empty() => {
                self.stopped = Some(e);
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }
}

/// Runs a launch on the GPU.
pub fn run(archive: &Archive, request: &Request) -> Result<Ran, Failure> {
    let kernel = &archive.kernel;
    let bound = bind::bind(kernel, &request.launch).map_err(Failure::Launch)?;
    accepted(archive, &bound).map_err(Failure::Launch)?;
    let layout = Layout::new(archive, &bound).map_err(Failure::Launch)?;
    let capability: String = archive.architecture.chars().filter(char::is_ascii_digit).collect();
    let device = Device::open(capability.parse().unwrap_or(70), request.device)?;

    let arrays = Arrays::new(&device, &bound)?;
    let own = arguments(archive, &bound, &arrays)?;
    let (grid, block) = (bound.grid, bound.block);
    let threads: u32 = block.iter().product();
    // The launches of one module, each with the same memory before it.
    let launches = |module: Module, shared: u64, before: &dyn Fn() -> Result<(), Failure>| {
        let variables = Variables::of(&device, module, archive)?;
        let mut times = Vec::new();
        for _ in 0..request.repeat.max(1) {
            variables.restore(&device)?;
            arrays.fill(&device, &bound)?;
            set_variables(&device, module, archive, &bound, &arrays)?;
            before()?;
            let name = &kernel.mangled;
            times.push(device.launch(module, name, grid, block, shared, &own, request.limit)?);
        }
        Ok(median(times))
    };
    let mut ran = Ran {
        device: device.name.clone(),
        driver: device.driver.clone(),
        assembled: false,
        findings: Vec::new(),
        gaps: Vec::new(),
        plain: None,
        checked: None,
        recorded: None,
        counted: None,
        global_cells: abi::GLOBAL_CELL * layout.global_cells,
        shared_cells: abi::SHARED_CELL * layout.shared_words,
        differences: None,
        stopped: None,
    };
    if !request.native {
        checked(&device, archive, request, &bound, &layout, &launches, &mut ran)?;
    }
    // Last: what the checker has found is known even where the device stops the kernel, and is no use any more.
    if ran.stopped.is_none() {
        let plain =
            module(&device, archive, &archive.plain, archive.plain_cubin.as_ref(), threads)?;
        let time = launches(plain, u64::from(request.launch.shared), &|| Ok(()));
        ran.plain = ran.unless_stopped(time)?;
        if request.compare && ran.stopped.is_none() {
            let outputs = arrays.read(&device, &bound)?;
            let differences = compare::with_simulator(archive, &bound, &outputs);
            ran.differences = Some(differences.map_err(Failure::Launch)?);
        }
    }
    ran.assembled = !device.has_compiled.get();
    Ok(ran)
}

/// The launches of one module with so many bytes of shared memory, and what is done before each.
type Launches<'a> =
    dyn Fn(Module, u64, &dyn Fn() -> Result<(), Failure>) -> Result<f64, Failure> + 'a;

/// The launches with a checker.
fn checked(
    device: &Device,
    archive: &Archive,
    request: &Request,
    bound: &BoundLaunch,
    layout: &Layout,
    launches: &Launches,
    ran: &mut Ran,
) -> Result<(), Failure> {
    let threads: u32 = bound.block.iter().product();
    let words = device.mapped(layout.report_words())?;
    let cells = device.allocate(ran.global_cells)?;
    let table = device.allocate(layout.table().len() as u64)?;
    device.write(table, &layout.table())?;
    let bases = device.allocate(8 * layout.entries.len() as u64)?;
    let marks = match request.scheme {
        Scheme::Flag => None,
        Scheme::Statement => Some(Marks::new(device, layout)?),
    };
    let blocks: u64 = bound.grid.iter().map(|&d| u64::from(d)).product();
    // Where the checker's words for shared memory are: inside, if they fit.
    let place = |inside: u64, words: u64| {
        let fits = inside <= device.most_shared()?;
        let beside = abi::SHARED_CELL * words * blocks;
        Ok(match fits {
            true => (None, inside),
            false => (Some(device.allocate(beside)?), layout.shared_end),
        })
    };
    let prepared = |scheme: Scheme, shared_cells: Option<Address>| {
        let code = archive.code(scheme, shared_cells.is_none());
        let none = || Failure::Launch("the archive has no code of that scheme".into());
        let code = code.ok_or_else(none)?;
        let module = module(device, archive, &code.ptx, code.cubin.as_ref(), threads)?;
        let set = |name: &str, bytes: &[u8]| device.set(module, name, bytes).map(drop);
        set(abi::REPORT, &words.address.to_le_bytes())?;
        set(abi::GLOBAL_CELLS, &cells.to_le_bytes())?;
        set(abi::OBJECTS, &layout.table())?;
        set(abi::TABLE, &table.to_le_bytes())?;
        set(abi::BASES, &bases.to_le_bytes())?;
        set(abi::SHARED_CELLS, &shared_cells.unwrap_or(0).to_le_bytes())?;
        set(abi::SHARED_END, &(layout.shared_end as u32).to_le_bytes())?;
        if let Some(marks) = &marks {
            set(abi::MARKS, &marks.global.to_le_bytes())?;
            set(abi::SHARED_MARKS, &marks.shared.to_le_bytes())?;
            set(abi::LOG, &marks.log.to_le_bytes())?;
            set(abi::LOG_SIZE, &LOG.to_le_bytes())?;
        }
        Ok(module)
    };
    let (beside, shared) = place(layout.shared_with_cells(), layout.shared_words)?;
    let module = prepared(Scheme::Flag, beside)?;
    let time = launches(module, shared, &|| device.clear(cells, ran.global_cells));
    let report = words.read();
    ran.findings = report::findings(archive, &report, bound, &request.launch);
    ran.gaps = report::gaps(&report, bound);
    ran.checked = ran.unless_stopped(time)?;
    let Some(marks) = marks.as_ref().filter(|_| ran.stopped.is_none()) else { return Ok(()) };

    let (beside, shared) = place(layout.shared_with_own(), abi::OWN_WORDS)?;
    let module = prepared(Scheme::Statement, beside)?;
    let time = launches(module, shared, &|| marks.clear_log(device));
    ran.recorded = ran.unless_stopped(time)?;
    if ran.stopped.is_some() {
        return Ok(());
    }
    let (records, is_short) = statements::records(&marks.read_log(device)?);
    let pairs = statements::pairs(&records);
    let sites: HashSet<usize> =
        pairs.iter().flat_map(|p| [p.first.number, p.second.number]).collect();
    ran.counted = Some(Counted {
        statements: sites.len(),
        pairs: pairs.len(),
        pieces: marks.count(device)?,
        is_short,
    });
    // An access whose other side did not come again is told of as before.
    let own = statements::findings(archive, &pairs, bound, &request.launch);
    let place = |f: &Finding| f.accesses.iter().map(|a| a.place.clone()).collect::<Vec<_>>();
    let known: Vec<_> = own.iter().flat_map(place).collect();
    ran.findings.retain(|f| f.kind != Kind::DataRace || !known.contains(&f.accesses[0].place));
    ran.findings.extend(own);
    Ok(())
}

/// A module for blocks of so many threads: the cubin, where that is for the device and such blocks, else the PTX.
fn module(
    device: &Device,
    archive: &Archive,
    ptx: &str,
    cubin: Option<&Cubin>,
    threads: u32,
) -> Result<Module, Failure> {
    let fits = cubin.filter(|_| archive.fits(device.capability));
    let name = &archive.kernel.mangled;
    match fits.and_then(|cubin| device.load_cubin(&cubin.0, name, threads)) {
        Some(module) => Ok(module),
        None => device.load(ptx, threads),
    }
}

/// Records that the log has room for.
const LOG: u32 = 1 << 20;

/// Which pieces of memory threads race for, and the accesses of those that are followed.
struct Marks {
    global: Address,
    shared: Address,
    log: Address,
    bytes: [u64; 2],
}

impl Marks {
    fn new(device: &Device, layout: &Layout) -> Result<Marks, Failure> {
        let bytes = [Layout::marks(layout.global_cells), Layout::marks(layout.shared_words)];
        Ok(Marks {
            global: device.allocate(bytes[0])?,
            shared: device.allocate(bytes[1])?,
            log: device.allocate(Marks::log_bytes())?,
            bytes,
        })
    }

    fn log_bytes() -> u64 {
        4 * (abi::LOG_HEADER as u64 + abi::RECORD as u64 * u64::from(LOG))
    }

    fn clear_log(&self, device: &Device) -> Result<(), Failure> {
        device.clear(self.log, 4 * abi::LOG_HEADER as u64)
    }

    /// The log's words, as far as there are records.
    fn read_log(&self, device: &Device) -> Result<Vec<u32>, Failure> {
        let words = |bytes: Vec<u8>| -> Vec<u32> {
            bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
        };
        let count = words(device.read(self.log, 4)?)[0].min(LOG) as usize;
        Ok(words(device.read(self.log, 4 * (abi::LOG_HEADER + abi::RECORD * count))?))
    }

    /// How many pieces are marked.
    fn count(&self, device: &Device) -> Result<u64, Failure> {
        let mut all = 0;
        for (address, bytes) in [self.global, self.shared].into_iter().zip(self.bytes) {
            for byte in device.read(address, bytes as usize)? {
                let marked = (0..4).filter(|i| byte >> (2 * i) & abi::MARKED != 0);
                all += marked.count() as u64;
            }
        }
        Ok(all)
    }
}

/// The time of several launches: the first prepares the device.
fn median(mut times: Vec<f64>) -> f64 {
    if times.len() > 1 {
        times.remove(0);
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Variables of the file in a module, as they are before its first launch.
struct Variables(Vec<(Address, Vec<u8>)>);

impl Variables {
    fn of(device: &Device, module: Module, archive: &Archive) -> Result<Variables, Failure> {
        let mut out = Vec::new();
        for array in &archive.arrays {
            if let Array::Variable { symbol, .. } = array
                && let Some((address, bytes)) = device.variable(module, symbol)?
            {
                out.push((address, device.read(address, bytes)?));
            }
        }
        Ok(Variables(out))
    }

    fn restore(&self, device: &Device) -> Result<(), Failure> {
        self.0.iter().try_for_each(|(address, bytes)| device.write(*address, bytes))
    }
}

/// Whether what was proved when the archive was built holds for a launch.
fn accepted(archive: &Archive, bound: &BoundLaunch) -> Result<(), String> {
    if !archive.plan.needs_arrays_apart() {
        return Ok(());
    }
    let advice = "build it again with --no-prune";
    let shares = |a: &&BoundArg| {
        matches!(a, BoundArg::Alias { .. } | BoundArg::Variable { .. } | BoundArg::Address(_))
    };
    if bound.args.iter().any(|a| shares(&a)) {
        return Err(format!(
            "accesses were left out because they are safe where arrays do not overlap, and here they may: {advice}"
        ));
    }
    if !archive.plan.rests_on_proof() {
        return Ok(());
    }
    for (name, proved, given) in
        [("--block", archive.block, bound.block), ("--grid", archive.grid, bound.grid)]
    {
        if proved.iter().zip(given).any(|(p, g)| p.is_some_and(|p| p != g)) {
            return Err(format!(
                "accesses were left out because they are safe for another {name}: {advice}, or for this one"
            ));
        }
    }
    for (parameter, bits) in &archive.arguments {
        let is_same = matches!(&bound.args[*parameter], BoundArg::Scalar(given) if given == bits);
        if !is_same {
            let name = &archive.kernel.params[*parameter].name;
            return Err(format!(
                "accesses were left out because they are safe for another {name}: {advice}, or for this one"
            ));
        }
    }
    Ok(())
}

/// The launch's arrays on the device.
struct Arrays {
    /// By parameter.
    addresses: Vec<Option<Address>>,
}

impl Arrays {
    fn new(device: &Device, bound: &BoundLaunch) -> Result<Arrays, Failure> {
        let mut addresses = Vec::new();
        for argument in &bound.args {
            addresses.push(match argument {
                BoundArg::Buffer(bytes) => Some(device.allocate(bytes.len() as u64)?),
                _ => None,
            });
        }
        // One that shares another's array may come before it.
        for _ in 0..bound.args.len() {
            for (i, argument) in bound.args.iter().enumerate() {
                if let BoundArg::Alias { param, offset } = argument {
                    addresses[i] = addresses[*param].map(|a| a + offset);
                }
            }
        }
        Ok(Arrays { addresses })
    }

    fn fill(&self, device: &Device, bound: &BoundLaunch) -> Result<(), Failure> {
        for (argument, address) in bound.args.iter().zip(&self.addresses) {
            if let (BoundArg::Buffer(bytes), Some(address)) = (argument, address) {
                device.write(*address, bytes)?;
            }
        }
        Ok(())
    }

    fn read(&self, device: &Device, bound: &BoundLaunch) -> Result<Vec<(usize, Vec<u8>)>, Failure> {
        let mut out = Vec::new();
        for (i, (argument, address)) in bound.args.iter().zip(&self.addresses).enumerate() {
            if let (BoundArg::Buffer(bytes), Some(address)) = (argument, address) {
                out.push((i, device.read(*address, bytes.len())?));
            }
        }
        Ok(out)
    }
}

/// The bytes of a parameter's value.
fn value(
    archive: &Archive,
    bound: &BoundLaunch,
    arrays: &Arrays,
    parameter: usize,
) -> Result<Vec<u8>, Failure> {
    let p = &archive.kernel.params[parameter];
    let packed = |values: &[u64], ty: Ty| -> Vec<u8> {
        let size = ty.bytes() as usize;
        values.iter().flat_map(|v| v.to_le_bytes()[..size].to_vec()).collect()
    };
    Ok(match (&bound.args[parameter], p.kind) {
        (BoundArg::Scalar(values), ParamKind::Scalar { ty, .. }) => packed(values, ty),
        (BoundArg::Scalar(values), _) => packed(values, Ty::I64),
        (BoundArg::Null, _) => vec![0; 8],
        (BoundArg::Address(a), _) => a.to_le_bytes().to_vec(),
        (BoundArg::Buffer(_) | BoundArg::Alias { .. }, _) => {
            arrays.addresses[parameter].unwrap_or(0).to_le_bytes().to_vec()
        }
        (BoundArg::Aggregate(bytes), _) => {
            let mut bytes = bytes.clone();
            for (field, param) in archive.kernel.fields_of(parameter) {
                let own = value(archive, bound, arrays, field)?;
                let from = param.within.map_or(0, |w| w.offset as usize);
                if let Some(place) = bytes.get_mut(from..from + own.len()) {
                    place.copy_from_slice(&own);
                }
            }
            bytes
        }
        (BoundArg::Local(_) | BoundArg::Variable { .. }, _) => {
            return Err(Failure::Launch(format!(
                "parameter '{}' cannot point there on a GPU",
                p.name
            )));
        }
    })
}

fn arguments(
    archive: &Archive,
    bound: &BoundLaunch,
    arrays: &Arrays,
) -> Result<Vec<Vec<u8>>, Failure> {
    (0..archive.kernel.own_params()).map(|p| value(archive, bound, arrays, p)).collect()
}

/// Sets the variables that the host sets.
fn set_variables(
    device: &Device,
    module: Module,
    archive: &Archive,
    bound: &BoundLaunch,
    arrays: &Arrays,
) -> Result<(), Failure> {
    for (i, parameter) in archive.kernel.params.iter().enumerate() {
        if parameter.variable.is_some() {
            let bytes = value(archive, bound, arrays, i)?;
            if !device.set(module, &parameter.name, &bytes)? {
                return Err(Failure::Launch(format!(
                    "variable '{}' cannot be set on a GPU by that name",
                    parameter.name
                )));
            }
        }
    }
    Ok(())
}
