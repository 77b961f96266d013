//! The state of the one device that the program sees, and how calls of the runtime reach it.

use std::any::Any;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use lockstep_finding::{Access, Action, Finding, HostSite, Kind, Place, Severity};

use crate::array::Arrays;
use crate::code::Code;
use crate::error::{Failed, Status};
use crate::graph::Graphs;
use crate::launch::Launches;
use crate::memory::Memory;
use crate::opencl::OpenCl;
use crate::order::Order;
use crate::order::guard::Guards;
use crate::record::{self, Leak, Record, Writer};
use crate::recording::Recorder;
use crate::settings::Settings;
use crate::site::Site;
use crate::stream::Streams;

/// All that the program has on the device.
pub(crate) struct Device {
    pub settings: Settings,
    pub memory: Memory,
    pub code: Code,
    pub launches: Launches,
    pub streams: Streams,
    pub arrays: Arrays,
    pub graphs: Graphs,
    pub opencl: OpenCl,
    /// An error after which every call fails, as a kernel that has failed leaves it.
    pub broken: Option<Status>,
    /// Limits that the program has set, by CUDA's number.
    pub limits: HashMap<i32, usize>,
    pub recorder: Recorder,
    pub order: Order,
    pub guards: Guards,
    writer: Option<Writer>,
    /// What was reported: each defect once.
    known: HashSet<Defect>,
}

/// What makes two findings one defect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Defect {
    kernel: Option<usize>,
    kind: Kind,
    severity: Severity,
    places: Vec<(String, u32, u32)>,
    object: Option<String>,
}

impl Device {
    fn new() -> Device {
        let writer = std::env::var_os(record::FOLDER).map(PathBuf::from);
        let writer = writer.and_then(|folder| Writer::new(&folder).ok());
        if writer.is_some() {
            keep_pages();
        }
        Device {
            settings: Settings::from_environment(),
            memory: Memory::default(),
            code: Code::default(),
            launches: Launches::default(),
            streams: Streams::default(),
            arrays: Arrays::default(),
            graphs: Graphs::default(),
            opencl: OpenCl::default(),
            broken: None,
            limits: HashMap::new(),
            recorder: Recorder::default(),
            order: Order::default(),
            guards: Guards::default(),
            writer,
            known: HashSet::new(),
        }
    }

    /// Whether `lockstep exec` listens.
    pub(crate) fn is_checked(&self) -> bool {
        self.writer.is_some()
    }

    pub(crate) fn tell(&mut self, record: &Record) {
        if let Some(writer) = &mut self.writer {
            writer.write(record);
        }
    }

    /// Reports a finding, unless it is known.
    pub(crate) fn found(&mut self, kernel: Option<usize>, finding: Finding, whole: bool) {
        if self.settings.skips.contains(&finding.kind) {
            return;
        }
        let place = |a: &Access| (a.place.file.clone(), a.place.line, a.place.column);
        let mut places: Vec<_> = finding.accesses.iter().map(place).collect();
        places.sort();
        let defect = Defect {
            kernel,
            kind: finding.kind,
            severity: finding.severity,
            places,
            object: finding.memory.as_ref().and_then(|m| m.object.clone()),
        };
        if self.known.insert(defect) {
            self.tell(&Record::Finding { kernel, finding: Box::new(finding), whole });
        }
    }

    /// Reports a call that the runtime does not allow.
    pub(crate) fn misuse(&mut self, site: &Site, message: String, help: &str) {
        self.host_finding(Kind::ApiError, Severity::Error, site, message, help);
    }

    /// Reports something that the host does.
    pub(crate) fn host_finding(
        &mut self,
        kind: Kind,
        severity: Severity,
        site: &Site,
        message: String,
        help: &str,
    ) {
        if !self.is_checked() {
            return;
        }
        let (host, place) = self.host_of(site, None);
        let access = Access {
            op: Action::Call,
            thread: None,
            block: [0; 3],
            place,
            value: None,
            notes: Vec::new(),
        };
        let mut finding = Finding::new(kind, message, vec![access]);
        finding.severity = severity;
        finding.help = vec![help.to_owned()];
        finding.host = Some(host);
        self.found(None, finding, false);
    }

    /// A call of the host, for a finding.
    pub(crate) fn host_of(&self, site: &Site, launch: Option<u64>) -> (HostSite, Place) {
        let line = site.line();
        let host = HostSite {
            file: line.as_ref().map(|l| l.file.clone()),
            line: line.as_ref().map(|l| l.line),
            launch,
        };
        let place = line.map_or_else(Place::default, |l| Place {
            file: l.file,
            line: l.line,
            column: 0,
            function: l.function,
            inlined_at: Vec::new(),
        });
        (host, place)
    }

    /// The program ends: what it has not freed.
    pub(crate) fn ends(&mut self) {
        if self.writer.is_none() {
            return;
        }
        let is_own = |call: &str| call.starts_with("cu") || call.starts_with("cl");
        let mut leaks: Vec<Leak> = Vec::new();
        let left: Vec<(u64, String)> = (self.memory.live())
            .filter(|(_, a)| is_own(a.call))
            .map(|(_, a)| (a.size, format!("{}{}", a.call, a.site.told())))
            .collect();
        for (bytes, told) in left {
            match leaks.iter_mut().find(|l| l.told == told) {
                Some(leak) => leak.bytes += bytes,
                None => leaks.push(Leak { bytes, told }),
            }
        }
        self.flush_launches();
        self.tell(&Record::End { leaks });
    }
}

/// What is known of the memory of a launch is made anew for the next one: the C library is to keep the pages, and not to
/// give them back and ask for others, which are zeroed first.
fn keep_pages() {
    const KEPT: libc::c_int = 256 << 20;
    const MOST_IN_HEAP: libc::c_int = 32 << 20;
    // SAFETY: these are parameters of glibc's.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
        libc::mallopt(libc::M_MMAP_THRESHOLD, MOST_IN_HEAP);
    }
}

static DEVICE: OnceLock<Mutex<Device>> = OnceLock::new();

thread_local! {
    /// The last error of this thread of the host.
    static LAST: Cell<Status> = const { Cell::new(Status::SUCCESS) };
}

pub(crate) fn lock() -> MutexGuard<'static, Device> {
    let device = DEVICE.get_or_init(|| {
        crate::crash::watch();
        Mutex::new(Device::new())
    });
    device.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same, unless it is locked: for a handler of signals.
pub(crate) fn try_lock() -> Option<MutexGuard<'static, Device>> {
    DEVICE.get()?.try_lock().ok()
}

/// One call of the runtime. What it returns is the status that the program gets, and is kept as its last error.
pub(crate) fn call(deed: impl FnOnce(&mut Device) -> Result<(), Failed>) -> Status {
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut device = lock();
        device.unguard_memory();
        let result = deed(&mut device);
        device.end_work();
        device.guard_memory();
        result
    }));
    let status = match result {
        Ok(Ok(())) => Status::SUCCESS,
        Ok(Err(Failed(status))) => status,
        Err(panic) => {
            tell_panic(panic.as_ref());
            Status::UNKNOWN
        }
    };
    // A question that is answered with "not yet" is no error.
    if status != Status::SUCCESS && status != Status::NOT_READY {
        LAST.set(status);
    }
    status
}

/// A panic has printed what it has to say, for those who look into it.
pub(crate) fn tell_panic(panic: &(dyn Any + Send)) {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked");
    lock().tell(&Record::Failed { message: format!("internal error: {text}") });
}

/// The same, for calls that end with an error that a kernel has left.
pub(crate) fn call_unbroken(deed: impl FnOnce(&mut Device) -> Result<(), Failed>) -> Status {
    call(|device| match device.broken {
        Some(status) => Err(Failed(status)),
        None => deed(device),
    })
}

pub(crate) fn last_error(clear: bool) -> Status {
    let last = LAST.get();
    if clear {
        LAST.set(Status::SUCCESS);
    }
    match (last, lock().broken) {
        (Status::SUCCESS, Some(status)) => status,
        (last, _) => last,
    }
}
