//! Ctrl-C, and being asked to end: the first time, what is under way is given up and what is known is reported; the
//! second time, the process ends at once.

use std::thread;

use lockstep_cancel::Cancel;
use lockstep_finding::{KernelReport, Reason, Verdict};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::cli::progress;

/// The exit status of a run that was cut short, where nothing worse is to be said.
pub(crate) const STATUS: u8 = 3;

/// Why something is unknown then.
pub(crate) const BECAUSE: &str = "interrupted";

/// A token that is cancelled by the first signal.
pub(crate) fn token() -> Result<Cancel, String> {
    let cancel = Cancel::new();
    let mut signals =
        Signals::new([SIGINT, SIGTERM]).map_err(|e| format!("cannot wait for signals: {e}"))?;
    let first = cancel.clone();
    thread::spawn(move || {
        for signal in signals.forever() {
            progress::end();
            if first.is_cancelled() {
                let _ = emulate_default_handler(signal);
            }
            first.cancel();
        }
    });
    Ok(cancel)
}

/// Says of a kernel's report that it was cut short: what is proved or found stands.
pub(crate) fn mark(report: &mut KernelReport) {
    for (_, verdict) in &mut report.verdicts {
        if matches!(verdict, Verdict::Clean { .. } | Verdict::Unknown { .. }) {
            *verdict = Verdict::Unknown { because: Reason::Interrupted };
        }
    }
}
