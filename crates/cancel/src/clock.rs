//! The clock of budgets: it goes more slowly while other programs have the processor.
//!
//! A verdict must not depend on what else the machine does. So a budget of ten seconds is the work of ten seconds on a
//! machine that is otherwise idle: of each period, the share that this program's threads waited for a processor,
//! although they could have run, does not count. A thread that waits for something else (a lock, a child process)
//! does not want a processor, so that its time counts. At most [`MOST_LOST`] of a period does not count, so that work
//! ends on any machine. More threads than processors also wait for each other; that does not count either.
//!
//! The waiting times are those of Linux (`/proc/self/task/*/schedstat`). Where they are missing, the clock is the one
//! on the wall. A period's share is known only after it, so that the clock may step back by at most one period.

use std::ops::Add;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// How long one period lasts, in nanoseconds.
const PERIOD: u64 = 50_000_000;
/// The largest share of a period that does not count, in parts of [`WHOLE`].
const MOST_LOST: u64 = 875;
const WHOLE: u64 = 1000;

/// A moment on the clock of budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(Duration);

impl Moment {
    pub fn now() -> Moment {
        Moment(Duration::from_nanos(CLOCK.now()))
    }

    pub fn is_past(self) -> bool {
        Moment::now() >= self
    }

    pub fn elapsed(self) -> Duration {
        Moment::now().saturating_duration_since(self)
    }

    pub fn saturating_duration_since(self, earlier: Moment) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    pub fn checked_add(self, time: Duration) -> Option<Moment> {
        self.0.checked_add(time).map(Moment)
    }

    /// The time until then on the wall, if the machine stays as busy as it is: for those who can only wait by that.
    pub fn wall_time_left(self) -> Duration {
        let left = self.saturating_duration_since(Moment::now());
        let counted = WHOLE - CLOCK.share.load(Ordering::Relaxed).min(MOST_LOST);
        left.saturating_mul(WHOLE as u32) / counted as u32
    }
}

impl Add<Duration> for Moment {
    type Output = Moment;

    fn add(self, time: Duration) -> Moment {
        Moment(self.0.saturating_add(time))
    }
}

static CLOCK: Clock = Clock {
    next: AtomicU64::new(PERIOD),
    lost: AtomicU64::new(0),
    share: AtomicU64::new(0),
    seen: Mutex::new(Seen { at: 0, threads: Vec::new() }),
};

struct Clock {
    /// When the period ends, on the wall since the start.
    next: AtomicU64,
    /// The time that does not count.
    lost: AtomicU64,
    /// The share of the last period that did not count, in parts of [`WHOLE`].
    share: AtomicU64,
    seen: Mutex<Seen>,
}

/// The threads at the beginning of the period.
struct Seen {
    at: u64,
    threads: Vec<(u64, Times)>,
}

/// A thread's time on a processor, and its time waiting for one, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Times {
    ran: u64,
    waited: u64,
}

impl Clock {
    fn now(&self) -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        let wall = START.get_or_init(Instant::now).elapsed().as_nanos() as u64;
        let end = self.next.load(Ordering::Relaxed);
        // Whoever finds the period over first begins the next one.
        let mine = || {
            let order = Ordering::Relaxed;
            self.next.compare_exchange(end, wall + PERIOD, order, order).is_ok()
        };
        if wall >= end && mine() {
            self.end_period(wall);
        }
        wall.saturating_sub(self.lost.load(Ordering::Relaxed))
    }

    fn end_period(&self, wall: u64) {
        let Ok(mut seen) = self.seen.try_lock() else { return };
        let threads = threads();
        let lost = lost(&seen.threads, &threads);
        let time = wall.saturating_sub(seen.at);
        let without = (time / WHOLE).saturating_mul(lost);
        *seen = Seen { at: wall, threads };
        self.share.store(lost, Ordering::Relaxed);
        self.lost.fetch_add(without, Ordering::Relaxed);
    }
}

/// The share of their time that threads waited for a processor, in parts of [`WHOLE`].
fn lost(before: &[(u64, Times)], after: &[(u64, Times)]) -> u64 {
    let mut sum = Times::default();
    for (id, times) in after {
        // A thread that is new began with nothing.
        let old = before.iter().find(|(i, _)| i == id).map(|(_, t)| *t).unwrap_or_default();
        sum.ran += times.ran.saturating_sub(old.ran);
        sum.waited += times.waited.saturating_sub(old.waited);
    }
    match sum.ran + sum.waited {
        0 => 0,
        wanted => (u128::from(sum.waited) * u128::from(WHOLE) / u128::from(wanted)) as u64,
    }
    .min(MOST_LOST)
}

fn threads() -> Vec<(u64, Times)> {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
    let times = |task: std::fs::DirEntry| {
        let id = task.file_name().to_str()?.parse().ok()?;
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        Some((id, parse(&text)?))
    };
    tasks.flatten().filter_map(times).collect()
}

fn parse(schedstat: &str) -> Option<Times> {
    let mut numbers = schedstat.split_ascii_whitespace().map(str::parse);
    Some(Times { ran: numbers.next()?.ok()?, waited: numbers.next()?.ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(ran: u64, waited: u64) -> Times {
        Times { ran, waited }
    }

    #[test]
    fn only_the_share_that_threads_waited_for_a_processor_is_lost() {
        let before = [(1, times(1_000, 0)), (2, times(500, 500))];
        let ran = [(1, times(2_000, 0)), (2, times(500, 500))];
        assert_eq!(lost(&before, &ran), 0);
        let half = [(1, times(1_100, 100)), (2, times(500, 500))];
        assert_eq!(lost(&before, &half), 500);
        let new = [(1, times(1_000, 0)), (3, times(300, 100))];
        assert_eq!(lost(&before, &new), 250);
        let starved = [(1, times(1_000, 1_000_000))];
        assert_eq!(lost(&before, &starved), MOST_LOST);
        assert_eq!(lost(&before, &before), 0);
        assert_eq!(lost(&[], &[]), 0);
    }

    #[test]
    fn the_times_of_a_thread_are_the_first_two_numbers() {
        assert_eq!(parse("215740 4144248 2\n"), Some(times(215_740, 4_144_248)));
        assert_eq!(parse("215740"), None);
        assert_eq!(parse("a b c"), None);
    }

    #[test]
    fn the_clock_goes_on_while_a_thread_sleeps() {
        let start = Moment::now();
        let end = start + Duration::from_millis(20);
        assert!(!end.is_past());
        while !end.is_past() {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(start.elapsed() >= Duration::from_millis(20));
    }

    #[test]
    fn time_on_the_wall_is_never_shorter_than_on_the_clock() {
        let end = Moment::now() + Duration::from_secs(100);
        let left = end.wall_time_left();
        assert!(left >= Duration::from_secs(99), "{left:?}");
        assert_eq!(Moment::now().wall_time_left().as_secs(), 0);
    }
}
