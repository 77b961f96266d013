//! A host that dereferences a pointer of the device.
//!
//! Also one that touches memory too early, while work on the device may still use it ([`crate::order::guard`]): it goes on.
//!
//! There is nothing at such an address, so the machine stops the program. Before it dies as it would anyway, what
//! happened is reported. Other faults of the program are none of ours: whoever handled them before does.

use std::mem::MaybeUninit;
use std::sync::OnceLock;

use lockstep_simulate::Resident;

use crate::device;
use crate::site::Site;

/// What was there before.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// Looks at faults from now on.
pub(crate) fn watch() {
    // SAFETY: a handler that is a function of this library, and a mask without signals.
    unsafe {
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        let mut before: libc::sigaction = MaybeUninit::zeroed().assume_init();
        if libc::sigaction(libc::SIGSEGV, &action, &mut before) == 0 {
            let _ = BEFORE.set(before);
        }
    }
}

/// Whether the page is one that the host must not touch now; if so, it is free when this returns.
fn is_guarded(address: u64, context: *mut libc::c_void) -> bool {
    // Another thread of the host may be in the runtime, which frees all pages as long as it is there.
    const TRIES: usize = 1000;
    for _ in 0..TRIES {
        let Some(mut device) = device::try_lock() else {
            std::thread::sleep(std::time::Duration::from_millis(1));
            continue;
        };
        let is_guarded = device.guards.has(address);
        if is_guarded {
            device.touched_by_host(address, writes(context), &Site::here());
        }
        return is_guarded;
    }
    false
}

/// Whether the access that failed was a write, as far as the machine says so.
#[cfg(target_arch = "x86_64")]
fn writes(context: *mut libc::c_void) -> bool {
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: the system gives the state of the thread.
    unsafe { (*context).uc_mcontext.gregs[libc::REG_ERR as usize] & 2 != 0 }
}

#[cfg(not(target_arch = "x86_64"))]
fn writes(_: *mut libc::c_void) -> bool {
    true
}

extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system gives a description of the fault.
    let address = unsafe { (*info).si_addr() } as u64;
    if Resident::range().contains(&address) && is_guarded(address, context) {
        return;
    }
    if Resident::range().contains(&address)
        && let Some(mut device) = device::try_lock()
    {
        let site = Site::here();
        let message = match device.memory.find(address).and_then(|s| device.memory.get(s.slot)) {
            Some(a) if a.freed.is_some() => {
                format!("the host dereferences a pointer into memory of {} that was freed", a.call)
            }
            Some(a) => format!(
                "the host dereferences a pointer to the device's memory ({}{})",
                a.call,
                a.site.told()
            ),
            None => format!("the host dereferences {address:#x}, an address of the device"),
        };
        let help = "copy the data to the host first (cudaMemcpy), or allocate memory that both can use (cudaMallocManaged)";
        device.misuse(&site, message, help);
        device.flush_launches();
    }
    // The instruction is executed again, and fails again, without us.
    // SAFETY: what was there before, or what the system does.
    unsafe {
        let mut usual: libc::sigaction = MaybeUninit::zeroed().assume_init();
        usual.sa_sigaction = libc::SIG_DFL;
        let before = BEFORE.get().unwrap_or(&usual);
        libc::sigaction(signal, before, std::ptr::null_mut());
    }
}
