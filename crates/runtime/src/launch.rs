//! A launch: its arguments, whether it is checked, its execution, and what is told of it.
//!
//! A launch is executed when it is made. So everything that a stream would do later has been done when the call returns;
//! what the order between streams leaves open is looked for apart ([`crate::order`]).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use lockstep_finding::{Finding, Kind, Launch, Reason};
use lockstep_kernel::{Kernel, ParamKind, SiteKind, Space, Ty};
use lockstep_simulate::{BoundArg, BoundLaunch, Coverage, Outcome};

use crate::code::Loaded;
use crate::device::Device;
use crate::error::{Failed, Status};
use crate::record::{KernelRecord, LaunchesRecord, Record};
use crate::site::Site;
use crate::witness;

/// The most that a device like ours allows.
pub(crate) const MOST_THREADS: u64 = 1024;
pub(crate) const MOST_BLOCK: [u32; 3] = [1024, 1024, 64];
pub(crate) const MOST_GRID: [u32; 3] = [0x7fff_ffff, 65_535, 65_535];
pub(crate) const USUAL_SHARED: u64 = 48 << 10;
pub(crate) const MOST_SHARED: u64 = 227 << 10;
pub(crate) const PROCESSORS: u64 = 16;
pub(crate) const THREADS_OF_PROCESSOR: u64 = 2048;

/// What has been launched, by kernel.
#[derive(Default)]
pub(crate) struct Launches {
    /// How many launches there were.
    count: u64,
    kernels: HashMap<usize, OfKernel>,
    /// What the program has allowed each kernel beyond the usual: dynamic shared memory.
    pub allowed: HashMap<usize, u64>,
}

struct OfKernel {
    record: LaunchesRecord,
    coverage: Coverage,
    /// How often it was launched in each shape.
    shapes: HashMap<Shape, u64>,
    /// How many of its launches the last record that was written knows of.
    told: u64,
}

type Shape = ([u32; 3], [u32; 3], u32);

/// A launch as the program asks for it.
#[derive(Clone)]
pub(crate) struct Asked {
    pub kernel: Arc<Loaded>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u64,
    pub cooperative: bool,
}

/// How many launches of a kernel are told one by one.
const ONE_BY_ONE: u64 = 32;

impl Device {
    /// Makes a launch. `arguments` has the address of each argument.
    ///
    /// # Safety
    ///
    /// There is an argument of its type at each address.
    pub(crate) unsafe fn launch(
        &mut self,
        asked: &Asked,
        arguments: &[*const u8],
        site: &Site,
    ) -> Result<(), Failed> {
        if asked.kernel.program.arguments.len() > arguments.len() {
            return Failed::with(Status::INVALID_VALUE);
        }
        // SAFETY: as the caller says.
        let args = unsafe { bound(&asked.kernel, arguments) }?;
        self.launch_bound(asked, args, site)
    }

    /// The same, with arguments that were read before.
    pub(crate) fn launch_bound(
        &mut self,
        asked: &Asked,
        args: Vec<BoundArg>,
        site: &Site,
    ) -> Result<(), Failed> {
        self.fits(asked, site)?;
        let launch = BoundLaunch {
            grid: asked.grid,
            block: asked.block,
            global: None,
            shared: asked.shared as u32,
            args,
        };
        let left = self.execute(&asked.kernel, &launch, site)?;
        self.broken = self.broken.or(left);
        Ok(())
    }

    /// Whether the device can take such a launch.
    fn fits(&mut self, asked: &Asked, site: &Site) -> Result<(), Failed> {
        let kernel = asked.kernel.kernel();
        let name = kernel.name.clone();
        let dims = |d: [u32; 3]| format!("{} x {} x {}", d[0], d[1], d[2]);
        let threads: u64 = asked.block.iter().map(|d| u64::from(*d)).product();
        let blocks: u64 = asked.grid.iter().map(|d| u64::from(*d)).product();
        let most_shared = self.launches.allowed.get(&asked.kernel.number).copied();
        let most_shared = most_shared.unwrap_or(USUAL_SHARED).max(USUAL_SHARED);
        let shared = asked.kernel.shared + asked.shared;
        let beyond = |d: [u32; 3], most: [u32; 3]| (0..3).any(|a| d[a] > most[a]);
        let at_once = PROCESSORS * blocks_of_processor(threads, shared);
        let (status, what) = if threads == 0 || blocks == 0 {
            let what =
                format!("a grid of {} with blocks of {}", dims(asked.grid), dims(asked.block));
            (Status::INVALID_CONFIGURATION, what)
        } else if threads > MOST_THREADS || beyond(asked.block, MOST_BLOCK) {
            let what = format!(
                "blocks of {} threads, of which a device runs at most {MOST_THREADS}",
                dims(asked.block)
            );
            (Status::INVALID_CONFIGURATION, what)
        } else if beyond(asked.grid, MOST_GRID) {
            (Status::INVALID_CONFIGURATION, format!("a grid of {}", dims(asked.grid)))
        } else if shared > most_shared {
            let what = format!("{shared} bytes of shared memory, where {most_shared} are allowed");
            (Status::INVALID_VALUE, what)
        } else if kernel.most_threads.is_some_and(|most| threads > u64::from(most)) {
            let most = kernel.most_threads.unwrap_or(0);
            let what = format!("blocks of {threads} threads, where its launch bounds say {most}");
            (Status::OUT_OF_RESOURCES, what)
        } else if asked.cooperative && blocks > at_once {
            let what = format!(
                "{blocks} blocks that may wait for each other, of which {at_once} run at once"
            );
            (Status::COOPERATIVE_TOO_LARGE, what)
        } else {
            return Ok(());
        };
        let message = format!("{name} is launched with {what}: it does not run");
        self.misuse(
            site,
            message,
            "choose dimensions within the limits, and look at what the launch returns",
        );
        Failed::with(status)
    }

    /// Executes a launch that fits. Returns the error that a device would end with.
    pub(crate) fn execute(
        &mut self,
        loaded: &Arc<Loaded>,
        launch: &BoundLaunch,
        site: &Site,
    ) -> Result<Option<Status>, Failed> {
        self.launches.count += 1;
        let count = self.launches.count;
        let full = self.is_checked() && self.begin(loaded, launch);
        if self.is_checked() && self.settings.keeps_launches {
            self.record(loaded, launch);
        }
        let config = self.settings.config(full);
        let before = if self.is_checked() { witness::contents(self, loaded, launch) } else { None };
        let touched = self.order.is_active() && self.is_checked();
        let started = Instant::now();
        let outcome = loaded.prepared.simulate_resident(
            launch,
            &config,
            &mut self.memory.resident,
            &loaded.slots,
            touched,
        );
        let seconds = started.elapsed().as_secs_f64();
        let mut outcome = match outcome {
            Ok(outcome) => outcome,
            Err(e) => {
                let name = &loaded.kernel().name;
                let message =
                    format!("the launch of {name}{} cannot be simulated: {e}", site.told());
                self.tell(&Record::Failed { message });
                return Failed::with(Status::NOT_SUPPORTED);
            }
        };
        print(&outcome.printed);
        self.order.call(&format!("kernel {}", loaded.kernel().name), site, Some(count));
        self.order.touched(std::mem::take(&mut outcome.touched));
        if self.is_checked() {
            let number = loaded.number;
            self.note(loaded.kernel(), number, &outcome, full, seconds);
            self.report(loaded, &outcome, site, count, before.map(|b| b.launch(loaded, launch)));
        }
        Ok(left_by(&outcome))
    }

    /// A kernel is launched: whether the launch is checked in full.
    fn begin(&mut self, loaded: &Loaded, launch: &BoundLaunch) -> bool {
        let kernel = loaded.kernel();
        let number = loaded.number;
        if !self.launches.kernels.contains_key(&number) {
            let place = lockstep_simulate::place(kernel, kernel.loc);
            self.tell(&Record::Kernel(KernelRecord {
                number,
                name: kernel.name.clone(),
                mangled: kernel.mangled.clone(),
                file: place.file,
                line: place.line,
                language: kernel.language.to_string(),
                options: loaded.options.clone(),
            }));
            let record = LaunchesRecord { kernel: number, ..LaunchesRecord::default() };
            let accesses = accesses(kernel, |_| true);
            self.launches.kernels.insert(
                number,
                OfKernel {
                    record: LaunchesRecord { accesses, ..record },
                    coverage: Coverage::default(),
                    shapes: HashMap::new(),
                    told: 0,
                },
            );
        }
        let check = self.settings.check;
        let Some(of) = self.launches.kernels.get_mut(&number) else { return false };
        let shape = (launch.grid, launch.block, launch.shared);
        let before = of.shapes.entry(shape).or_insert(0);
        *before += 1;
        check.includes(*before - 1)
    }

    /// Adds a launch to what is known of its kernel.
    fn note(
        &mut self,
        kernel: &Kernel,
        number: usize,
        outcome: &Outcome,
        full: bool,
        seconds: f64,
    ) {
        let Some(of) = self.launches.kernels.get_mut(&number) else { return };
        of.coverage.join(&outcome.coverage);
        of.record.made += 1;
        of.record.checked += u64::from(full);
        of.record.seconds += seconds;
        if of.record.incomplete.is_none() {
            of.record.incomplete.clone_from(&outcome.incomplete);
        }
        let reached = |site: usize| of.coverage.sites.get(site).copied().unwrap_or(false);
        of.record.reached = accesses(kernel, reached);
        let made = of.record.made;
        if made <= ONE_BY_ONE || made % ONE_BY_ONE == 0 {
            of.told = made;
            let record = Record::Launches(of.record.clone());
            self.tell(&record);
        }
    }

    /// Tells of launches that have not been told.
    pub(crate) fn flush_launches(&mut self) {
        let mut records: Vec<Record> = Vec::new();
        for of in self.launches.kernels.values_mut().filter(|of| of.told < of.record.made) {
            of.told = of.record.made;
            records.push(Record::Launches(of.record.clone()));
        }
        records.iter().for_each(|r| self.tell(r));
    }

    fn report(
        &mut self,
        loaded: &Loaded,
        outcome: &Outcome,
        site: &Site,
        count: u64,
        launch: Option<(Launch, bool)>,
    ) {
        if outcome.findings.is_empty() {
            return;
        }
        let (host, _) = self.host_of(site, Some(count));
        for finding in &outcome.findings {
            let mut finding: Finding = finding.clone();
            finding.host = Some(host.clone());
            let (made, is_whole) = launch.clone().unzip();
            finding.launch = made;
            // Alone, a launch begins with memory that has values.
            let is_of_program = finding.kind == Kind::UninitialisedRead;
            let whole = is_whole == Some(true) && !is_of_program;
            self.found(Some(loaded.number), finding, whole);
        }
    }
}

/// The error that every call returns after such a launch.
fn left_by(outcome: &Outcome) -> Option<Status> {
    if outcome.findings.iter().any(|f| f.kind == Kind::Assertion) {
        return Some(Status::ASSERT);
    }
    match outcome.incomplete {
        None => None,
        Some(Reason::StepBudget { .. } | Reason::TimeBudget { .. }) => Some(Status::LAUNCH_TIMEOUT),
        Some(_) => Some(Status::LAUNCH_FAILURE),
    }
}

/// How many blocks of a launch one processor runs at the same time.
pub(crate) fn blocks_of_processor(threads: u64, shared: u64) -> u64 {
    let by_threads =
        THREADS_OF_PROCESSOR / threads.clamp(32, THREADS_OF_PROCESSOR).next_multiple_of(32);
    let by_shared = (MOST_SHARED + 1024) / (shared + 1024);
    by_threads.min(by_shared).min(32)
}

/// How many accesses of a kernel, that are not to private memory, satisfy a condition.
fn accesses(kernel: &Kernel, counts: impl Fn(usize) -> bool) -> u32 {
    let is_access = |kind| matches!(kind, SiteKind::Read | SiteKind::Write | SiteKind::Atomic);
    let sites = kernel.sites.iter().enumerate();
    let all = sites.filter(|(i, s)| is_access(s.kind) && s.space != Space::Private && counts(*i));
    all.count() as u32
}

/// The arguments of a launch from where they lie.
///
/// # Safety
///
/// There is an argument of its type at each address.
pub(crate) unsafe fn bound(
    loaded: &Loaded,
    addresses: &[*const u8],
) -> Result<Vec<BoundArg>, Failed> {
    let kernel = loaded.kernel();
    let mut args: Vec<Option<BoundArg>> = vec![None; kernel.params.len()];
    for (argument, address) in loaded.program.arguments.iter().zip(addresses) {
        if address.is_null() {
            return Failed::with(Status::INVALID_VALUE);
        }
        for &(param, offset) in &argument.params {
            let read = |at: u64, len: usize| {
                let mut bytes = [0; 8];
                // SAFETY: within the argument, as the caller says.
                unsafe {
                    let from = address.add((offset + at) as usize);
                    std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), len);
                }
                u64::from_le_bytes(bytes)
            };
            args[param] = Some(match kernel.params[param].kind {
                ParamKind::Scalar { ty, count } => {
                    let size = ty.bytes();
                    let value = |i: u8| match ty {
                        Ty::I1 => read(u64::from(i), 1) & 1,
                        _ => read(u64::from(i) * u64::from(size), size as usize),
                    };
                    BoundArg::Scalar((0..count).map(value).collect())
                }
                ParamKind::Buffer { .. } => BoundArg::Address(read(0, 8)),
                ParamKind::Aggregate { size, .. } => {
                    let mut bytes = vec![0; size as usize];
                    // SAFETY: as the caller says.
                    unsafe {
                        let from = address.add(offset as usize);
                        std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len());
                    }
                    BoundArg::Aggregate(bytes)
                }
                // The host gives its size.
                ParamKind::Local { .. } => BoundArg::Local(read(0, 8)),
            });
        }
    }
    args.into_iter().collect::<Option<_>>().ok_or(Failed(Status::INVALID_VALUE))
}

/// What a kernel prints goes where the program's own text goes, in its order.
fn print(text: &str) {
    unsafe extern "C" {
        static stdout: *mut libc::FILE;
    }
    if text.is_empty() {
        return;
    }
    // SAFETY: the stream of the C library, which is open unless the program has closed it.
    let written = unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
    // The program has closed it, or its disk is full: as for its own texts, nobody is told.
    let _ = written;
}
