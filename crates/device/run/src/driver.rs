//! NVIDIA's driver, loaded when it is needed: the few functions of its C interface that a launch takes.
//!
//! Nothing of CUDA is needed to build this, and no version of it is linked. A function that the driver lacks makes it too
//! old.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::time::{Duration, Instant};

use libloading::Library;
use lockstep_device::archive::registers;

use crate::Failure;

/// What the driver calls itself, by the number of a version of CUDA: 12,000 is 12.0.
const OLDEST: c_int = 12_000;

type Code = c_int;
pub(crate) type Address = u64;

/// What fails where the kernel itself does.
pub(crate) const THE_KERNEL: &str = "the kernel";

/// Codes of the driver that have a message of their own.
const OUT_OF_MEMORY: Code = 2;
const NO_DEVICE: Code = 100;
const UNSUPPORTED_PTX: Code = 222;
const NOT_FOUND: Code = 500;
const NOT_READY: Code = 600;
const ILLEGAL_ADDRESS: Code = 700;

/// Attributes of a device, and of a kernel: the shared memory that it may have, and the threads that a block of it can have.
const CAPABILITY_MAJOR: c_int = 75;
const CAPABILITY_MINOR: c_int = 76;
const MOST_SHARED: c_int = 97;
const DYNAMIC_SHARED: c_int = 8;
const MOST_THREADS: c_int = 0;
/// Options of loading a module: how many registers a thread may have; where the driver's compiler may write what is wrong, and how many bytes that may be.
const MOST_REGISTERS: c_int = 0;
const ERROR_LOG: c_int = 5;
const ERROR_LOG_BYTES: c_int = 6;
const MOST_OF_LOG: usize = 4096;
/// Memory of the host that the device writes.
const MAPPED: c_uint = 2;

macro_rules! functions {
    ($($name:ident = $symbol:literal ( $($arg:ty),* );)*) => {
        struct Functions {
            $($name: unsafe extern "C" fn($($arg),*) -> Code,)*
        }

        impl Functions {
            fn load(library: &Library) -> Result<Functions, Failure> {
                Ok(Functions {
                    $($name: {
                        // SAFETY: the types are those of the driver's interface, which never change under a name.
                        let symbol = unsafe {
                            library.get::<unsafe extern "C" fn($($arg),*) -> Code>(
                                concat!($symbol, "\0").as_bytes(),
                            )
                        };
                        *symbol.map_err(|_| Failure::OldDriver(format!("it has no {}", $symbol)))?
                    },)*
                })
            }
        }
    };
}

functions! {
    init = "cuInit"(c_uint);
    version = "cuDriverGetVersion"(*mut c_int);
    device = "cuDeviceGet"(*mut c_int, c_int);
    device_name = "cuDeviceGetName"(*mut c_char, c_int, c_int);
    attribute = "cuDeviceGetAttribute"(*mut c_int, c_int, c_int);
    create = "cuCtxCreate_v2"(*mut *mut c_void, c_uint, c_int);
    load = "cuModuleLoadDataEx"(
        *mut *mut c_void, *const c_void, c_uint, *mut c_int, *mut *mut c_void
    );
    function = "cuModuleGetFunction"(*mut *mut c_void, *mut c_void, *const c_char);
    global = "cuModuleGetGlobal_v2"(*mut Address, *mut usize, *mut c_void, *const c_char);
    allocate = "cuMemAlloc_v2"(*mut Address, usize);
    to_device = "cuMemcpyHtoD_v2"(Address, *const c_void, usize);
    to_host = "cuMemcpyDtoH_v2"(*mut c_void, Address, usize);
    fill = "cuMemsetD8_v2"(Address, u8, usize);
    host_allocate = "cuMemHostAlloc"(*mut *mut c_void, usize, c_uint);
    host_address = "cuMemHostGetDevicePointer_v2"(*mut Address, *mut c_void, c_uint);
    set_attribute = "cuFuncSetAttribute"(*mut c_void, c_int, c_int);
    of_function = "cuFuncGetAttribute"(*mut c_int, c_int, *mut c_void);
    launch = "cuLaunchKernel"(
        *mut c_void, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, *mut c_void,
        *mut *mut c_void, *mut *mut c_void
    );
    event = "cuEventCreate"(*mut *mut c_void, c_uint);
    record = "cuEventRecord"(*mut c_void, *mut c_void);
    query = "cuEventQuery"(*mut c_void);
    elapsed = "cuEventElapsedTime"(*mut f32, *mut c_void, *mut c_void);
    error_text = "cuGetErrorString"(Code, *mut *const c_char);
}

/// One device, ready for launches. The process has one; its memory goes with the process, which a kernel that never ends
/// needs anyway.
pub(crate) struct Device {
    call: Functions,
    number: c_int,
    pub(crate) name: String,
    pub(crate) driver: String,
    /// 90 of a device of capability 9.0.
    pub(crate) capability: u32,
    /// The driver was given PTX.
    pub(crate) has_compiled: Cell<bool>,
    _library: Library,
}

/// A loaded module.
#[derive(Clone, Copy)]
pub(crate) struct Module(*mut c_void);

/// Words that the device writes and the host reads, even after the device has stopped a kernel.
pub(crate) struct Mapped {
    host: *const u32,
    words: usize,
    pub(crate) address: Address,
}

impl Mapped {
    pub(crate) fn read(&self) -> Vec<u32> {
        // SAFETY: the driver has given that many words, and nothing releases them; the device may still write them, so
        // each is read once and by itself.
        (0..self.words).map(|i| unsafe { self.host.add(i).read_volatile() }).collect()
    }
}

impl Device {
    pub(crate) fn open(capability: u32, ordinal: u32) -> Result<Device, Failure> {
        // SAFETY: loading the driver runs its initialisers, which are made for it.
        let library = unsafe { Library::new("libcuda.so.1") }.map_err(|_| Failure::NoDriver)?;
        let call = Functions::load(&library)?;
        let (mut version, mut number) = (0, 0);
        // SAFETY: the function writes one number.
        unsafe { (call.version)(&mut version) };
        let driver = format!("{}.{}", version / 1000, version % 1000 / 10);
        if version < OLDEST {
            return Err(Failure::OldDriver(format!("it is for CUDA {driver}")));
        }
        // SAFETY: the first call of the driver.
        match unsafe { (call.init)(0) } {
            0 => {}
            NO_DEVICE => return Err(Failure::NoDevice),
            code => return Err(Failure::Driver("cuInit".into(), text(&call, code))),
        }
        let mut device = Device {
            call,
            number,
            name: String::new(),
            driver,
            capability: 0,
            has_compiled: Cell::new(false),
            _library: library,
        };
        // SAFETY: the function writes one number.
        let code = unsafe { (device.call.device)(&mut number, ordinal as c_int) };
        if code != 0 {
            return Err(Failure::NoDevice);
        }
        device.number = number;
        let mut name = [0 as c_char; 128];
        // SAFETY: the buffer has that length, and the driver ends the name with a zero.
        device.name = unsafe {
            device.check(
                "cuDeviceGetName",
                (device.call.device_name)(name.as_mut_ptr(), 128, number),
            )?;
            CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned()
        };
        let has = device.attribute(CAPABILITY_MAJOR)? * 10 + device.attribute(CAPABILITY_MINOR)?;
        device.capability = has.max(0) as u32;
        if device.capability < capability {
            return Err(Failure::OldDevice {
                name: device.name,
                has: device.capability,
                capability,
            });
        }
        let mut context = ptr::null_mut();
        // SAFETY: the function writes one pointer; the context is this thread's from now on.
        let code = unsafe { (device.call.create)(&mut context, 0, number) };
        device.check("cuCtxCreate", code)?;
        Ok(device)
    }

    fn attribute(&self, which: c_int) -> Result<c_int, Failure> {
        let mut value = 0;
        // SAFETY: the function writes one number.
        let code = unsafe { (self.call.attribute)(&mut value, which, self.number) };
        self.check("cuDeviceGetAttribute", code)?;
        Ok(value)
    }

    /// Bytes of shared memory that a block can have.
    pub(crate) fn most_shared(&self) -> Result<u64, Failure> {
        Ok(self.attribute(MOST_SHARED)?.max(0) as u64)
    }

    fn check(&self, what: &str, code: Code) -> Result<(), Failure> {
        match code {
            0 => Ok(()),
            OUT_OF_MEMORY => Err(Failure::OutOfMemory),
            ILLEGAL_ADDRESS => Err(Failure::IllegalAddress),
            UNSUPPORTED_PTX => Err(Failure::OldDriver(format!("it is for CUDA {}", self.driver))),
            code => Err(Failure::Driver(what.into(), text(&self.call, code))),
        }
    }

    /// Loads a cubin; none where it is for other devices, or its kernel takes more registers than so many threads have.
    pub(crate) fn load_cubin(&self, cubin: &[u8], kernel: &str, threads: u32) -> Option<Module> {
        let symbol = CString::new(kernel).ok()?;
        let (mut module, mut function, mut most) = (ptr::null_mut(), ptr::null_mut(), 0);
        // SAFETY: the driver reads of a cubin what its header says, and refuses what is none; the functions write a pointer
        // or a number each, the module is one that the driver has given, and the name ends with a zero.
        unsafe {
            let image = cubin.as_ptr().cast();
            if (self.call.load)(&mut module, image, 0, ptr::null_mut(), ptr::null_mut()) != 0
                || (self.call.function)(&mut function, module, symbol.as_ptr()) != 0
                || (self.call.of_function)(&mut most, MOST_THREADS, function) != 0
            {
                return None;
            }
        }
        (most >= threads as c_int).then_some(Module(module))
    }

    /// Compiles a module for blocks of so many threads.
    pub(crate) fn load(&self, ptx: &str, threads: u32) -> Result<Module, Failure> {
        self.has_compiled.set(true);
        let registers = registers(threads);
        let ptx = CString::new(ptx).unwrap_or_default();
        let mut module = ptr::null_mut();
        let mut log = vec![0u8; MOST_OF_LOG];
        let mut options = [ERROR_LOG, ERROR_LOG_BYTES, MOST_REGISTERS];
        // Numbers stand in the place of pointers.
        let number = ptr::without_provenance_mut::<c_void>;
        let mut values = [log.as_mut_ptr().cast(), number(MOST_OF_LOG), number(registers as usize)];
        // SAFETY: the text ends with a zero, the function writes one pointer, and to the log at most as much as is said.
        let code = unsafe {
            (self.call.load)(
                &mut module,
                ptx.as_ptr().cast(),
                options.len() as c_uint,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        let end = log.iter().position(|b| *b == 0).unwrap_or(log.len());
        let log = String::from_utf8_lossy(&log[..end]);
        match (self.check("cuModuleLoadDataEx", code), log.trim()) {
            (Err(Failure::Driver(what, why)), log) if !log.is_empty() => {
                let lines: Vec<&str> = log.lines().map(str::trim).collect();
                Err(Failure::Driver(what, format!("{why}: {}", lines.join("; "))))
            }
            (result, _) => result.map(|()| Module(module)),
        }
    }

    /// Writes a variable of a module; false if it has none of this name.
    pub(crate) fn set(&self, module: Module, name: &str, bytes: &[u8]) -> Result<bool, Failure> {
        let Some((address, size)) = self.variable(module, name)? else { return Ok(false) };
        self.write(address, &bytes[..bytes.len().min(size)])?;
        Ok(true)
    }

    pub(crate) fn variable(
        &self,
        module: Module,
        name: &str,
    ) -> Result<Option<(Address, usize)>, Failure> {
        let name = CString::new(name).unwrap_or_default();
        let (mut address, mut size) = (0, 0);
        // SAFETY: the module is loaded, the name ends with a zero, and the function writes two numbers.
        let code = unsafe { (self.call.global)(&mut address, &mut size, module.0, name.as_ptr()) };
        if code == NOT_FOUND {
            return Ok(None);
        }
        self.check("cuModuleGetGlobal", code)?;
        Ok(Some((address, size)))
    }

    /// Memory that is all zeros.
    pub(crate) fn allocate(&self, bytes: u64) -> Result<Address, Failure> {
        let mut address = 0;
        let bytes = bytes.max(1) as usize;
        // SAFETY: the function writes one number; the memory has that size.
        unsafe {
            self.check("cuMemAlloc", (self.call.allocate)(&mut address, bytes))?;
        }
        self.clear(address, bytes as u64)?;
        Ok(address)
    }

    pub(crate) fn clear(&self, address: Address, bytes: u64) -> Result<(), Failure> {
        // SAFETY: the address is one that `allocate` has given, with at least that many bytes.
        self.check("cuMemsetD8", unsafe { (self.call.fill)(address, 0, bytes as usize) })
    }

    pub(crate) fn mapped(&self, words: usize) -> Result<Mapped, Failure> {
        let mut host = ptr::null_mut();
        let mut address = 0;
        // SAFETY: the functions write one pointer and one number; the memory has that size and is cleared at once.
        unsafe {
            let code = (self.call.host_allocate)(&mut host, words * 4, MAPPED);
            self.check("cuMemHostAlloc", code)?;
            ptr::write_bytes(host.cast::<u32>(), 0, words);
            let code = (self.call.host_address)(&mut address, host, 0);
            self.check("cuMemHostGetDevicePointer", code)?;
        }
        Ok(Mapped { host: host.cast(), words, address })
    }

    pub(crate) fn write(&self, to: Address, bytes: &[u8]) -> Result<(), Failure> {
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the device's memory has at least that many bytes, as its owner has allocated it.
        let code = unsafe { (self.call.to_device)(to, bytes.as_ptr().cast(), bytes.len()) };
        self.check("cuMemcpyHtoD", code)
    }

    pub(crate) fn read(&self, from: Address, bytes: usize) -> Result<Vec<u8>, Failure> {
        let mut out = vec![0; bytes];
        if bytes == 0 {
            return Ok(out);
        }
        // SAFETY: both sides have that many bytes.
        let code = unsafe { (self.call.to_host)(out.as_mut_ptr().cast(), from, bytes) };
        self.check("cuMemcpyDtoH", code)?;
        Ok(out)
    }

    /// Launches a kernel, waits for its end, and says how many milliseconds it took.
    pub(crate) fn launch(
        &self,
        module: Module,
        name: &str,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u64,
        arguments: &[Vec<u8>],
        limit: Duration,
    ) -> Result<f64, Failure> {
        let symbol = CString::new(name).unwrap_or_default();
        let mut function = ptr::null_mut();
        let (mut start, mut end) = (ptr::null_mut(), ptr::null_mut());
        let mut pointers: Vec<*mut c_void> =
            arguments.iter().map(|a| a.as_ptr().cast_mut().cast()).collect();
        // SAFETY: the module is loaded and names end with zeros; each argument has the bytes that the kernel's parameter
        // has, and lives until the launch has copied it.
        unsafe {
            let code = (self.call.function)(&mut function, module.0, symbol.as_ptr());
            self.check("cuModuleGetFunction", code)?;
            if shared > 48 << 10 {
                let code = (self.call.set_attribute)(function, DYNAMIC_SHARED, shared as c_int);
                self.check("cuFuncSetAttribute", code)?;
            }
            self.check("cuEventCreate", (self.call.event)(&mut start, 0))?;
            self.check("cuEventCreate", (self.call.event)(&mut end, 0))?;
            self.check("cuEventRecord", (self.call.record)(start, ptr::null_mut()))?;
            let code = (self.call.launch)(
                function,
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                shared as c_uint,
                ptr::null_mut(),
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            );
            self.check("cuLaunchKernel", code)?;
            self.check("cuEventRecord", (self.call.record)(end, ptr::null_mut()))?;
        }
        let began = Instant::now();
        loop {
            // SAFETY: the event was made above.
            match unsafe { (self.call.query)(end) } {
                NOT_READY if began.elapsed() > limit => return Err(Failure::NeverEnds(limit)),
                NOT_READY => std::thread::sleep(Duration::from_micros(200)),
                code => break self.check(THE_KERNEL, code)?,
            }
        }
        let mut milliseconds = 0f32;
        // SAFETY: both events have been recorded, and the function writes one number.
        let code = unsafe { (self.call.elapsed)(&mut milliseconds, start, end) };
        self.check("cuEventElapsedTime", code)?;
        Ok(milliseconds.into())
    }
}

fn text(call: &Functions, code: Code) -> String {
    let mut text: *const c_char = ptr::null();
    // SAFETY: the function writes a pointer to a text of its own that ends with a zero, or null.
    unsafe {
        if (call.error_text)(code, &mut text) != 0 || text.is_null() {
            return format!("error {code}");
        }
        CStr::from_ptr(text).to_string_lossy().into_owned()
    }
}
