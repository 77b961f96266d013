//! Which work on the device comes after which, and work that nothing orders.
//!
//! Streams of CUDA and queues of OpenCL are *lanes*: work in one lane is done in its order. Every lane, and the host, has a
//! vector clock: how much of each lane's work is known to be over when its next work begins. New work starts after what its
//! lane and the host know; an event carries a clock from one lane to another, or to the host. Two pieces of work are
//! ordered if the clock of the later one knows of the earlier. As all is executed when it is asked for, the order of the
//! calls is one that streams allow, and what is touched is what was touched in it. Where two pieces that are not ordered
//! touch the same byte, and one writes it (and not both by atomics), another order would be allowed: a data race.
//!
//! It has no false positives by the rules of CUDA's runtime and of OpenCL: what waits in practice, such as the release of
//! memory and an event that is seen to be over, counts as waiting. It can miss:
//! - work that was asked for before there was a second lane;
//! - what more than [`MOST_PENDING`] pieces ago was asked for, and nobody has waited for since;
//! - work in more pieces of memory than [`MOST_RANGES`];
//! - races between threads of the host, which count as one.

pub(crate) mod conflict;
pub(crate) mod guard;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use lockstep_simulate::TouchedObject;

use crate::site::Site;

/// The most pieces of work that are compared with new work.
const MOST_PENDING: usize = 1024;
/// The most ranges of bytes of one piece of work.
const MOST_RANGES: usize = 1 << 16;

/// How much of the work of each lane is over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock(BTreeMap<usize, u64>);

impl Clock {
    pub(crate) fn join(&mut self, other: &Clock) {
        for (lane, count) in &other.0 {
            let own = self.0.entry(*lane).or_insert(0);
            *own = (*own).max(*count);
        }
    }

    fn knows(&self, lane: usize, number: u64) -> bool {
        self.0.get(&lane).is_some_and(|own| *own >= number)
    }

    /// Without what is known anyway.
    fn without(&mut self, known: &Clock) {
        self.0.retain(|lane, count| !known.knows(*lane, *count));
    }
}

/// Whose memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// An allocation of the runtime, by its slot; ranges count from its start.
    Slot(usize),
    /// Memory that the host has by itself; ranges are addresses.
    Host,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Read,
    Write,
    Atomic,
}

impl Deed {
    /// Whether two of them may happen in any order without a difference.
    fn agrees(self, other: Deed) -> bool {
        self == other && self != Deed::Write
    }
}

/// Bytes that a piece of work touches.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub home: Home,
    pub deed: Deed,
    /// In order, and apart from each other.
    pub ranges: Vec<Range<u64>>,
}

/// A piece of work.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    pub lane: usize,
    pub number: u64,
    /// `cudaMemcpyAsync`, or `kernel scale`.
    pub name: String,
    pub launch: Option<u64>,
    pub site: Site,
    pub uses: Vec<Use>,
    /// A function of the host has run behind it: whom that has told, nobody sees.
    pub told: bool,
}

/// A lane: a stream, or a queue.
#[derive(Clone, Debug, Default)]
struct Lane {
    clock: Clock,
    count: u64,
    name: String,
    /// CUDA: it waits for the default stream of old, and that for it.
    blocking: bool,
}

/// The default stream of old, as a key.
pub(crate) const LEGACY: usize = 0;

#[derive(Default)]
pub(crate) struct Order {
    /// There is more than one lane: from here on work is compared.
    active: bool,
    /// By handle: the number of the lane.
    numbers: HashMap<usize, usize>,
    lanes: Vec<Lane>,
    /// What the host has waited for.
    host: Clock,
    /// By handle of an event: what is over once it is.
    events: HashMap<usize, Clock>,
    /// By handle of a queue that is out of order: what is over once all of its commands are, and its last barrier.
    open: HashMap<usize, [Clock; 2]>,
    pending: Vec<Work>,
    /// What is done now, with its clock.
    now: Option<(Work, Clock)>,
    streams: usize,
}

/// Work that touches what other work touches, and is not ordered with it: the earlier, the later, where, and what they do.
pub(crate) struct Conflict {
    pub first: Work,
    pub second: Work,
    pub home: Home,
    pub bytes: Range<u64>,
    pub deeds: [Deed; 2],
}

impl Order {
    /// Whether work is compared.
    pub(crate) fn is_active(&self) -> bool {
        self.active
    }

    /// Whether there is a lane that the program has made.
    pub(crate) fn has_lanes(&self) -> bool {
        self.streams > 0
    }

    /// From here on work is compared.
    pub(crate) fn activate(&mut self) {
        self.active = true;
    }

    /// A lane for a new handle; `name` has its number in it.
    pub(crate) fn add(&mut self, handle: usize, what: &str, blocking: bool) {
        self.streams += 1;
        let name = format!("{what} {}", self.streams);
        self.put(handle, name, blocking);
    }

    /// Commands of a queue that is out of order have lanes of their own.
    pub(crate) fn open(&mut self, queue: usize) {
        self.add(queue, "queue", false);
        self.open.insert(queue, Default::default());
    }

    /// A command of a queue begins: `all`, it waits for all before it; `also`, for this.
    pub(crate) fn begin_command(&mut self, queue: usize, event: usize, all: bool, also: &Clock) {
        if !self.active {
            return;
        }
        let Some([done, barrier]) = self.open.get(&queue) else {
            return self.begin(queue, also);
        };
        let mut clock = also.clone();
        clock.join(if all { done } else { barrier });
        let lane = self.lane(queue);
        let name = self.name(lane).to_owned();
        self.put(event, name, false);
        self.begin(event, &clock);
    }

    /// A command has been executed; `barrier`, those behind it wait for it.
    pub(crate) fn command_ends(&mut self, queue: usize, event: usize, barrier: bool) {
        if !self.active {
            return;
        }
        if !self.open.contains_key(&queue) {
            return self.record(event, queue);
        }
        self.record(event, event);
        let clock = self.of_events(&[event]);
        let Some([done, last]) = self.open.get_mut(&queue) else { return };
        done.join(&clock);
        if barrier {
            *last = done.clone();
        }
    }

    fn put(&mut self, handle: usize, name: String, blocking: bool) -> usize {
        let number = self.lanes.len();
        self.lanes.push(Lane { name, blocking, ..Lane::default() });
        self.numbers.insert(handle, number);
        number
    }

    /// The lane of a handle.
    pub(crate) fn lane(&mut self, handle: usize) -> usize {
        match self.numbers.get(&handle) {
            Some(number) => *number,
            None if handle == LEGACY => self.put(handle, "the default stream".into(), false),
            None => self.put(handle, "the default stream of a thread".into(), true),
        }
    }

    pub(crate) fn name(&self, lane: usize) -> &str {
        self.lanes.get(lane).map_or("", |l| &l.name)
    }

    /// What is over before new work of a lane begins.
    fn before(&self, lane: usize) -> Clock {
        let own = &self.lanes[lane];
        let mut clock = own.clock.clone();
        clock.join(&self.host);
        let legacy = self.numbers.get(&LEGACY).copied();
        if Some(lane) == legacy {
            self.lanes.iter().filter(|l| l.blocking).for_each(|l| clock.join(&l.clock));
        } else if let Some(legacy) = legacy.filter(|_| own.blocking) {
            clock.join(&self.lanes[legacy].clock);
        }
        clock
    }

    /// Work begins in the lane of a handle. What it waits for besides, events say.
    pub(crate) fn begin(&mut self, handle: usize, also: &Clock) {
        if !self.active {
            return;
        }
        let lane = self.lane(handle);
        let mut clock = self.before(lane);
        clock.join(also);
        let own = &mut self.lanes[lane];
        own.count += 1;
        let number = own.count;
        clock.0.insert(lane, number);
        self.now = Some((Work { lane, number, ..Work::default() }, clock));
    }

    /// What the work is that has begun, and where it was asked for; who says so first is right.
    pub(crate) fn call(&mut self, name: &str, site: &Site, launch: Option<u64>) {
        if let Some((work, _)) = &mut self.now
            && work.name.is_empty()
        {
            (work.name, work.site, work.launch) = (name.to_owned(), site.clone(), launch);
        }
    }

    /// It touches bytes.
    pub(crate) fn touch(&mut self, home: Home, deed: Deed, ranges: Vec<Range<u64>>) {
        if let Some((work, _)) = &mut self.now
            && !ranges.is_empty()
            && ranges.len() <= MOST_RANGES
        {
            work.uses.push(Use { home, deed, ranges });
        }
    }

    /// A launch has touched these.
    pub(crate) fn touched(&mut self, objects: Vec<TouchedObject>) {
        for object in objects {
            let home = Home::Slot(object.slot);
            self.touch(home, Deed::Read, object.read);
            self.touch(home, Deed::Write, object.written);
            self.touch(home, Deed::Atomic, object.atomic);
        }
    }

    /// The work that has begun is asked for as a whole. Returns what it is not ordered with, and should be.
    pub(crate) fn end(&mut self) -> Vec<Conflict> {
        let Some((work, clock)) = self.now.take() else { return Vec::new() };
        let apart = self.pending.iter().filter(|w| !clock.knows(w.lane, w.number));
        let conflicts = apart.flat_map(|w| conflict::between(w, &work)).collect();
        self.lanes[work.lane].clock = clock;
        if !work.uses.is_empty() {
            self.pending.push(work);
            if self.pending.len() > MOST_PENDING {
                self.pending.remove(0);
            }
        }
        conflicts
    }

    /// The work of this lane that was asked for last, as an event has it.
    pub(crate) fn record(&mut self, event: usize, handle: usize) {
        if self.active {
            let lane = self.lane(handle);
            let clock = self.before(lane);
            self.events.insert(event, clock);
        }
    }

    /// An event that is over once the host has waited for what it knows now.
    pub(crate) fn record_host(&mut self, event: usize) {
        if self.active {
            self.events.insert(event, self.host.clone());
        }
    }

    /// What is over once these events are.
    pub(crate) fn of_events(&self, events: &[usize]) -> Clock {
        let mut clock = Clock::default();
        events.iter().filter_map(|e| self.events.get(e)).for_each(|c| clock.join(c));
        clock
    }

    /// A lane waits for an event.
    pub(crate) fn wait(&mut self, handle: usize, event: usize) {
        if self.active {
            let lane = self.lane(handle);
            let mut clock = self.before(lane);
            clock.join(&self.of_events(&[event]));
            self.lanes[lane].clock = clock;
        }
    }

    /// The host waits for an event.
    pub(crate) fn host_waits_for(&mut self, events: &[usize]) {
        let clock = self.of_events(events);
        self.host_knows(&clock);
    }

    /// The host waits for all that a lane has.
    pub(crate) fn host_waits(&mut self, handle: usize) {
        if let Some([done, _]) = self.open.get(&handle).cloned() {
            return self.host_knows(&done);
        }
        if self.active {
            let lane = self.lane(handle);
            let clock = self.before(lane);
            self.host_knows(&clock);
        }
    }

    /// A function of the host runs behind the work of a lane, and may tell other threads that it is over.
    pub(crate) fn tells_host(&mut self, handle: usize) {
        if self.active {
            let lane = self.lane(handle);
            let clock = self.before(lane);
            let known = self.pending.iter_mut().filter(|w| clock.knows(w.lane, w.number));
            known.for_each(|w| w.told = true);
        }
    }

    /// The host waits for everything.
    pub(crate) fn host_waits_for_all(&mut self) {
        if !self.active {
            return;
        }
        let mut all = Clock::default();
        for (number, lane) in self.lanes.iter().enumerate() {
            all.0.insert(number, lane.count);
        }
        self.host_knows(&all);
    }

    fn host_knows(&mut self, clock: &Clock) {
        self.host.join(clock);
        let host = &self.host;
        // What the host knows, all later work knows.
        self.pending.retain(|w| !host.knows(w.lane, w.number));
        self.lanes.iter_mut().for_each(|l| l.clock.without(host));
        self.events.values_mut().for_each(|c| c.without(host));
        self.open.values_mut().flatten().for_each(|c| c.without(host));
    }

    /// What the host knows now.
    pub(crate) fn host(&self) -> Clock {
        if self.active { self.host.clone() } else { Clock::default() }
    }

    /// Work that nobody has waited for, of all lanes.
    pub(crate) fn pending(&self) -> &[Work] {
        &self.pending
    }

    /// Memory that is gone touches nothing any more.
    pub(crate) fn forget(&mut self, slot: usize) {
        for work in &mut self.pending {
            work.uses.retain(|u| u.home != Home::Slot(slot));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: usize = 0x10;
    const B: usize = 0x20;
    const EVENT: usize = 0x30;

    fn order(blocking: bool) -> Order {
        let mut order = Order::default();
        order.activate();
        order.add(A, "stream", blocking);
        order.add(B, "stream", blocking);
        order
    }

    /// Work that touches the first four bytes of a slot; how many conflicts it has.
    fn work(order: &mut Order, lane: usize, deed: Deed) -> usize {
        order.begin(lane, &Clock::default());
        order.call("work", &Site::default(), None);
        let bytes = 0..4;
        order.touch(Home::Slot(7), deed, vec![bytes]);
        order.end().len()
    }

    #[test]
    fn streams_are_apart_until_something_orders_them() {
        let mut o = order(false);
        assert_eq!(work(&mut o, A, Deed::Write), 0);
        assert_eq!(work(&mut o, A, Deed::Write), 0);
        assert_eq!(work(&mut o, B, Deed::Read), 2);
        o.host_waits_for_all();
        assert_eq!(work(&mut o, A, Deed::Write), 0);
        o.host_waits(A);
        assert_eq!(work(&mut o, B, Deed::Read), 0);
        // The host has waited for one stream, and not for the other.
        assert_eq!(work(&mut o, A, Deed::Write), 1);
    }

    #[test]
    fn an_event_orders_what_was_before_it() {
        let mut o = order(false);
        work(&mut o, A, Deed::Write);
        o.record(EVENT, A);
        work(&mut o, A, Deed::Read);
        o.wait(B, EVENT);
        assert_eq!(work(&mut o, B, Deed::Read), 0);
        assert_eq!(work(&mut o, B, Deed::Write), 1);
        o.host_waits_for(&[EVENT]);
        assert_eq!(o.pending().len(), 3);
    }

    #[test]
    fn the_default_stream_of_old_waits_for_others() {
        let mut o = order(true);
        work(&mut o, A, Deed::Write);
        assert_eq!(work(&mut o, LEGACY, Deed::Write), 0);
        assert_eq!(work(&mut o, B, Deed::Write), 0);
        let mut o = order(false);
        work(&mut o, A, Deed::Write);
        assert_eq!(work(&mut o, LEGACY, Deed::Write), 1);
        assert_eq!(work(&mut o, B, Deed::Write), 2);
    }

    #[test]
    fn reads_agree_and_so_do_atomics() {
        let mut o = order(false);
        work(&mut o, A, Deed::Read);
        assert_eq!(work(&mut o, B, Deed::Read), 0);
        assert_eq!(work(&mut o, B, Deed::Atomic), 1);
        let mut o = order(false);
        work(&mut o, A, Deed::Atomic);
        assert_eq!(work(&mut o, B, Deed::Atomic), 0);
        o.forget(7);
        assert_eq!(work(&mut o, B, Deed::Write), 0);
    }

    #[test]
    fn commands_of_a_queue_out_of_order() {
        const QUEUE: usize = 0x40;
        let mut o = Order::default();
        o.activate();
        o.open(QUEUE);
        let mut command = |event: usize, waits: &[usize], all: bool, barrier: bool| {
            let also = o.of_events(waits);
            o.begin_command(QUEUE, event, all, &also);
            o.call("command", &Site::default(), None);
            if !barrier {
                let bytes = 0..4;
                o.touch(Home::Host, Deed::Write, vec![bytes]);
            }
            let conflicts = o.end().len();
            o.command_ends(QUEUE, event, barrier);
            conflicts
        };
        assert_eq!(command(1, &[], false, false), 0);
        assert_eq!(command(2, &[], false, false), 1);
        assert_eq!(command(3, &[1, 2], false, false), 0);
        command(4, &[], true, true);
        assert_eq!(command(5, &[], false, false), 0);
        assert_eq!(command(6, &[], false, false), 1);
        o.host_waits(QUEUE);
        assert!(o.pending().is_empty());
    }

    #[test]
    fn nothing_is_kept_where_there_is_one_lane() {
        let mut o = Order::default();
        assert_eq!(work(&mut o, LEGACY, Deed::Write), 0);
        assert!(o.pending().is_empty());
    }
}
