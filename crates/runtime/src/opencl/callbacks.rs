//! Functions of the program that are called when something has happened.
//!
//! A thread calls them, one after the other, while nothing is locked: they may call OpenCL, and take locks that the
//! program holds where it calls OpenCL.

use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

use crate::device::lock;

/// One call of a function of the program.
pub(super) type Callback = Box<dyn FnOnce() + Send>;

/// Those that are to be called.
#[derive(Default)]
pub(super) struct Callbacks(Vec<Callback>);

impl Callbacks {
    pub(super) fn add(&mut self, callback: Callback) {
        self.0.push(callback);
    }
}

/// Hands over what has been added to the thread that calls.
pub(super) fn send() {
    static CALLER: OnceLock<Sender<Callback>> = OnceLock::new();
    let due = std::mem::take(&mut lock().opencl.callbacks.0);
    if due.is_empty() {
        return;
    }
    let caller = CALLER.get_or_init(|| {
        let (sender, receiver) = channel::<Callback>();
        std::thread::spawn(move || receiver.into_iter().for_each(|callback| callback()));
        sender
    });
    for callback in due {
        // The thread ends with the process only.
        let _ = caller.send(callback);
    }
}
