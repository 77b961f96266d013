//! OpenCL's group copies, from where they begin to a wait for their events.
//!
//! The machine makes a copy where it begins. But hardware may make it at any time until a wait that has its event in its
//! list: until then, no access after it is ordered behind it ([`crate::check::race`]).

/// The copies of one block that were not waited for.
pub(crate) struct UnfinishedGroupCopies {
    copies: Vec<Unfinished>,
    /// When the oldest of them began: no barrier orders what comes later behind it.
    pub since: u32,
    /// When the copy began whose accesses are told now.
    began: u32,
}

struct Unfinished {
    event: u64,
    /// When the accesses of the copy began and ended.
    times: (u32, u32),
}

impl Default for UnfinishedGroupCopies {
    fn default() -> UnfinishedGroupCopies {
        UnfinishedGroupCopies { copies: Vec::new(), since: u32::MAX, began: 0 }
    }
}

impl UnfinishedGroupCopies {
    /// Whether a copy that was told of at this time may not have been made yet.
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

    /// All threads of the block have waited for copies with these events, or for all.
    pub(crate) fn awaited(&mut self, events: Option<&[u64]>) {
        match events {
            Some(events) => self.copies.retain(|c| !events.contains(&c.event)),
            None => self.copies.clear(),
        }
        self.since = self.copies.iter().map(|c| c.times.0).min().unwrap_or(u32::MAX);
    }
}
