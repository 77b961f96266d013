//! What synchronises is noted when it happens, and told to [`HappensBefore`] when somebody asks for the order of two
//! accesses.
//!
//! Most launches never ask: blocks that add to a histogram by atomics, and touch nothing else together, have no two
//! accesses whose order matters. What each of their threads has learnt from which other through a thousand counters need
//! not be worked out then. The answers are the same: everything that came before a question is told before it is answered.

use std::cell::RefCell;

use lockstep_kernel::Scope;

use crate::check::happens_before::{Effect, HappensBefore, Ordered, ThreadKey};

/// What has happened, in the words of [`HappensBefore`].
enum Event {
    Operation { thread: ThreadKey, clock: u32, place: (u32, u64), effect: Effect },
    Fence { thread: ThreadKey, clock: u32, scope: Scope },
    BlockBarrier { block: u32, clock: u32, global: bool },
    WarpBarrier { first: ThreadKey, clock: u32 },
    Meeting { first: ThreadKey, lanes: u32, threads: Box<[ThreadKey]>, clock: u32 },
    Named { block: u32, opening: (u32, u32), threads: Box<[ThreadKey]>, clock: u32, wait: bool },
    Learn { block: u32, opening: (u32, u32), threads: Box<[ThreadKey]> },
}

/// So many events are kept; then they are told.
const MOST_EVENTS: usize = 1 << 22;

pub(crate) struct Deferred(RefCell<State>);

struct State {
    happens: HappensBefore,
    events: Vec<Event>,
}

impl State {
    fn note(&mut self, event: Event) {
        if self.events.len() == MOST_EVENTS {
            self.tell();
        }
        self.events.push(event);
    }

    fn tell(&mut self) {
        for event in std::mem::take(&mut self.events) {
            let happens = &mut self.happens;
            match event {
                Event::Operation { thread, clock, place, effect } => {
                    happens.operation(thread, clock, place, effect);
                }
                Event::Fence { thread, clock, scope } => happens.fence(thread, clock, scope),
                Event::BlockBarrier { block, clock, global } => {
                    happens.block_barrier(block, clock, global);
                }
                Event::WarpBarrier { first, clock } => happens.warp_barrier(first, clock),
                Event::Meeting { first, lanes, threads, clock } => {
                    happens.meeting(first, lanes, &threads, clock);
                }
                Event::Named { block, opening, threads, clock, wait } => {
                    happens.named(block, opening, &threads, clock, wait);
                }
                Event::Learn { block, opening, threads } => {
                    happens.learn_opening(block, opening, &threads);
                }
            }
        }
    }
}

impl Deferred {
    pub(crate) fn new(lane_bits: u32) -> Deferred {
        let happens = HappensBefore::new(lane_bits);
        Deferred(RefCell::new(State { happens, events: Vec::new() }))
    }

    fn note(&mut self, event: Event) {
        self.0.get_mut().note(event);
    }

    pub(crate) fn operation(
        &mut self,
        thread: ThreadKey,
        clock: u32,
        place: (u32, u64),
        effect: Effect,
    ) {
        self.note(Event::Operation { thread, clock, place, effect });
    }

    pub(crate) fn fence(&mut self, thread: ThreadKey, clock: u32, scope: Scope) {
        self.note(Event::Fence { thread, clock, scope });
    }

    pub(crate) fn block_barrier(&mut self, block: u32, clock: u32, global: bool) {
        let state = self.0.get_mut();
        // Before anything was released, a barrier only says what time it is.
        match state.events.is_empty() {
            true => state.happens.block_barrier(block, clock, global),
            false => state.note(Event::BlockBarrier { block, clock, global }),
        }
    }

    pub(crate) fn warp_barrier(&mut self, first: ThreadKey, clock: u32) {
        let state = self.0.get_mut();
        match state.events.is_empty() {
            true => state.happens.warp_barrier(first, clock),
            false => state.note(Event::WarpBarrier { first, clock }),
        }
    }

    pub(crate) fn meeting(
        &mut self,
        first: ThreadKey,
        lanes: u32,
        threads: &[ThreadKey],
        clock: u32,
    ) {
        self.note(Event::Meeting { first, lanes, threads: threads.into(), clock });
    }

    pub(crate) fn named(
        &mut self,
        block: u32,
        opening: (u32, u32),
        threads: &[ThreadKey],
        clock: u32,
        wait: bool,
    ) {
        self.note(Event::Named { block, opening, threads: threads.into(), clock, wait });
    }

    pub(crate) fn learn_opening(&mut self, block: u32, opening: (u32, u32), threads: &[ThreadKey]) {
        self.note(Event::Learn { block, opening, threads: threads.into() });
    }

    /// [`HappensBefore::ordered`].
    pub(crate) fn ordered(&self, thread: ThreadKey, other: ThreadKey, clock: u32) -> Ordered {
        let mut state = self.0.borrow_mut();
        state.tell();
        state.happens.ordered(thread, other, clock)
    }

    /// [`HappensBefore::is_coherent`].
    pub(crate) fn is_coherent(
        &self,
        thread: ThreadKey,
        other: ThreadKey,
        clock: u32,
        place: (u32, u64),
    ) -> bool {
        let mut state = self.0.borrow_mut();
        state.tell();
        state.happens.is_coherent(thread, other, clock, place)
    }
}
