//! OpenCL's `async_work_group_copy`, from its start to a wait for its event.
//!
//! The machine executes a copy at its start. But hardware may execute it at any time until a wait whose list contains
//! its event: until then, no later access is ordered after it ([`crate::check::race`]).

/// The copies of one work-group that were not waited for.
pub(crate) struct UnfinishedGroupCopies {
    copies: Vec<Unfinished>,
    /// When the oldest of them started: no barrier orders later accesses after it.
    pub since: u32,
    /// When the copy started whose accesses are being reported.
    began: u32,
}

struct Unfinished {
    event: u64,
    /// The times of the copy's first and last access.
    times: (u32, u32),
}

impl Default for UnfinishedGroupCopies {
    fn default() -> UnfinishedGroupCopies {
        UnfinishedGroupCopies { copies: Vec::new(), since: u32::MAX, began: 0 }
    }
}

impl UnfinishedGroupCopies {
    /// Whether a copy that was reported at this time may still be in flight.
    pub(crate) fn may_be_unfinished(&self, at: u32) -> bool {
        self.copies.iter().any(|c| (c.times.0..=c.times.1).contains(&at))
    }

    pub(crate) fn begin(&mut self, clock: u32) {
        self.began = clock;
    }

    pub(crate) fn end(&mut self, event: u64, clock: u32) {
        let times = (self.began, clock);
        self.copies.push(Unfinished { event, times });
        self.since = self.since.min(times.0);
    }

    /// Called when all threads of the work-group have waited for copies with these events, or for all.
    pub(crate) fn awaited(&mut self, events: Option<&[u64]>) {
        match events {
            Some(events) => self.copies.retain(|c| !events.contains(&c.event)),
            None => self.copies.clear(),
        }
        self.since = self.copies.iter().map(|c| c.times.0).min().unwrap_or(u32::MAX);
    }
}
