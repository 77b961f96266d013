//! A line on standard error while files are checked, if a person is watching: how many files are done, which kernel,
//! which engine, how long, and how much of its budget is left.
//!
//! The line is rewritten in place, and gone when something else is to be said, when the work ends, and when it is
//! interrupted. It leaves the last columns free: a terminal shows `^C` where the cursor is, and a line that filled the
//! width would be pushed up, out of reach.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::cli::options::Analysis;

/// How often the line changes.
const TICK: Duration = Duration::from_millis(200);

/// Columns that stay free.
const FREE: usize = 4;

/// Where the width of the terminal is not known.
const USUAL_WIDTH: usize = 80;

/// What stands on the terminal: there is one for the whole process.
struct Screen {
    /// The line stands there.
    shown: bool,
    /// Nothing is to be drawn any more.
    over: bool,
}

static SCREEN: Mutex<Screen> = Mutex::new(Screen { shown: false, over: false });

/// Takes the line off the terminal, so that something else can be said there.
pub(crate) fn clear() {
    erase(&mut lock(&SCREEN));
}

/// The same, for good: the run was interrupted.
pub(crate) fn end() {
    let mut screen = lock(&SCREEN);
    screen.over = true;
    erase(&mut screen);
}

fn erase(screen: &mut Screen) {
    if std::mem::take(&mut screen.shown) {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

fn draw(text: &str) {
    let mut screen = lock(&SCREEN);
    if !screen.over {
        screen.shown = true;
        let _ = write!(std::io::stderr(), "\r{}\x1b[K", fitted(text, width()));
    }
}

/// As much of a text as fits.
fn fitted(text: &str, width: usize) -> String {
    let mut left = width.saturating_sub(FREE);
    // Some characters are two columns wide, and of no other alphabet is it known here which.
    let fits = |c: &char| {
        let columns = if c.is_ascii() { 1 } else { 2 };
        let fits = left >= columns;
        left = left.saturating_sub(columns);
        fits
    };
    text.chars().take_while(fits).collect()
}

fn width() -> usize {
    // SAFETY: the call fills in the structure, or fails.
    let (status, size) = unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        (libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, &mut size), size)
    };
    if status == 0 && size.ws_col > 0 { size.ws_col.into() } else { USUAL_WIDTH }
}

/// Whether someone sees the line: standard error is a terminal, and one that can rewrite a line.
fn is_watched() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

pub(crate) struct Progress {
    done: Arc<AtomicUsize>,
    under_way: Arc<Mutex<UnderWay>>,
    times: EngineTimes,
    /// Ends the thread that renews the line; none where nobody would see it.
    ticker: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

/// How long each engine has worked, in all threads together.
#[derive(Clone, Debug, Default)]
pub(crate) struct EngineTimes(Arc<Mutex<[Duration; Engine::ALL.len()]>>);

impl EngineTimes {
    fn add(&self, engine: Engine, time: Duration) {
        self.0.lock().unwrap_or_else(|e| e.into_inner())[engine as usize] += time;
    }

    /// Does what an engine does, with nobody watching.
    pub(crate) fn measure<T>(&self, engine: Engine, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = work();
        self.add(engine, started.elapsed());
        result
    }

    /// The engines that have worked, with their seconds.
    pub(crate) fn seconds(&self) -> Vec<(&'static str, f64)> {
        let times = *self.0.lock().unwrap_or_else(|e| e.into_inner());
        let worked = Engine::ALL.into_iter().filter(|e| !times[*e as usize].is_zero());
        worked.map(|e| (e.name(), times[e as usize].as_secs_f64())).collect()
    }
}

/// Who looks at a kernel now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Compile,
    Prove,
    Search,
    Simulate,
    Explore,
    Execute,
    Symbolic,
    Paths,
}

impl Engine {
    const ALL: [Engine; 8] = [
        Engine::Compile,
        Engine::Prove,
        Engine::Search,
        Engine::Simulate,
        Engine::Explore,
        Engine::Execute,
        Engine::Symbolic,
        Engine::Paths,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Engine::Compile => "compile",
            Engine::Prove => "prove",
            Engine::Search => "search",
            Engine::Simulate => "simulate",
            Engine::Explore => "explore",
            Engine::Execute => "execute with store buffers",
            Engine::Symbolic => "compare",
            Engine::Paths => "execute symbolically",
        }
    }
}

#[derive(Default)]
struct UnderWay {
    next: u64,
    /// In the order in which they began.
    works: Vec<Work>,
}

struct Work {
    id: u64,
    /// A kernel, or a file that is compiled.
    what: String,
    engine: Engine,
    started: Instant,
    /// When its engine began.
    since: Instant,
    budget: Option<Duration>,
    detail: String,
}

impl Progress {
    /// Nothing is drawn where standard error is not a terminal, or the user wants to hear less (`--quiet`) or more
    /// (`--verbose`). What engines take is added to the times of the report.
    pub(crate) fn new(files: usize, analysis: &Analysis) -> Progress {
        let wanted = !analysis.report.quiet && !analysis.input.verbose;
        Progress::drawn(files, wanted && is_watched(), analysis.report.times.clone())
    }

    fn drawn(files: usize, is_drawn: bool, times: EngineTimes) -> Progress {
        let (done, under_way) = (Arc::default(), Arc::default());
        let ticker = is_drawn.then(|| tick(files, Arc::clone(&done), Arc::clone(&under_way)));
        Progress { done, under_way, times, ticker: Mutex::new(ticker) }
    }

    /// Work on a kernel (or a file) begins; it ends when the result is dropped.
    pub(crate) fn begin(
        &self,
        what: &str,
        engine: Engine,
        budget: Option<Duration>,
    ) -> Working<'_> {
        let mut under_way = lock(&self.under_way);
        let id = under_way.next;
        under_way.next += 1;
        let now = Instant::now();
        under_way.works.push(Work {
            id,
            what: what.to_owned(),
            engine,
            started: now,
            since: now,
            budget,
            detail: String::new(),
        });
        Working { progress: self, id }
    }

    /// A file is done.
    pub(crate) fn done(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn finish(&self) {
        let ticker = lock(&self.ticker).take();
        if let Some((end, thread)) = ticker {
            drop(end);
            let _ = thread.join();
        }
        clear();
    }
}

/// Work that is under way.
pub(crate) struct Working<'a> {
    progress: &'a Progress,
    id: u64,
}

impl Working<'_> {
    pub(crate) fn engine(&self, engine: Engine) {
        self.change(|w| {
            self.progress.times.add(w.engine, w.since.elapsed());
            (w.engine, w.since) = (engine, Instant::now());
            w.detail.clear();
        });
    }

    /// How far the search for launches of a kernel is.
    pub(crate) fn search(&self, p: &lockstep_search::Progress) {
        let (reached, all) = p.sites;
        let percent = (reached * 100).checked_div(all).unwrap_or(100);
        self.change(|w| {
            w.detail = format!(
                "generation {}/{}, best F {:.2}, {percent}% of the accesses, {} findings in {} launches",
                p.generation, p.generations, p.best_f, p.findings, p.launches
            );
        });
    }

    fn change(&self, f: impl FnOnce(&mut Work)) {
        let mut under_way = lock(&self.progress.under_way);
        if let Some(work) = under_way.works.iter_mut().find(|w| w.id == self.id) {
            f(work);
        }
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let mut under_way = lock(&self.progress.under_way);
        if let Some(i) = under_way.works.iter().position(|w| w.id == self.id) {
            let work = under_way.works.remove(i);
            self.progress.times.add(work.engine, work.since.elapsed());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

/// Renews the line until the sender is dropped.
fn tick(
    files: usize,
    done: Arc<AtomicUsize>,
    under_way: Arc<Mutex<UnderWay>>,
) -> (Sender<()>, JoinHandle<()>) {
    let (end, ended) = mpsc::channel();
    let started = Instant::now();
    let thread = std::thread::spawn(move || {
        while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            let now = Instant::now();
            let text = line(&lock(&under_way).works, now);
            let done = done.load(Ordering::Relaxed);
            let took = seconds(now.saturating_duration_since(started));
            draw(&format!("{done}/{files} files, {took}: {text}"));
        }
    });
    (end, thread)
}

/// What has been under way the longest, and how much else is.
fn line(works: &[Work], now: Instant) -> String {
    let Some(work) = works.first() else { return String::new() };
    let took = now.saturating_duration_since(work.started);
    let mut text = format!("{}: {} {}", work.what, work.engine.name(), seconds(took));
    if let Some(budget) = work.budget {
        text += &format!(", {} left", seconds(budget.saturating_sub(took)));
    }
    if !work.detail.is_empty() {
        text += &format!(" ({})", work.detail);
    }
    if works.len() > 1 {
        text += &format!(", and {} more", works.len() - 1);
    }
    text
}

fn seconds(d: Duration) -> String {
    format!("{:.1} s", d.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(progress: &Progress, later: Duration) -> String {
        let under_way = lock(&progress.under_way);
        let start = under_way.works.first().map_or_else(Instant::now, |w| w.started);
        line(&under_way.works, start + later)
    }

    #[test]
    fn the_line_names_kernel_engine_and_time() {
        let progress = Progress::drawn(2, false, EngineTimes::default());
        let three = Duration::from_secs(3);
        assert_eq!(text(&progress, three), "");
        let file = progress.begin("a.cu", Engine::Compile, None);
        assert_eq!(text(&progress, three), "a.cu: compile 3.0 s");
        drop(file);
        let first = progress.begin("reduce", Engine::Prove, Some(Duration::from_secs(10)));
        let second = progress.begin("scan", Engine::Prove, None);
        assert_eq!(text(&progress, three), "reduce: prove 3.0 s, 7.0 s left, and 1 more");
        first.search(&lockstep_search::Progress { generations: 10, ..Default::default() });
        first.engine(Engine::Search);
        assert_eq!(text(&progress, three), "reduce: search 3.0 s, 7.0 s left, and 1 more");
        drop(first);
        second.search(&lockstep_search::Progress {
            generation: 2,
            generations: 10,
            best_f: 0.5,
            sites: (3, 4),
            findings: 1,
            launches: 7,
        });
        let detail = "generation 2/10, best F 0.50, 75% of the accesses, 1 findings in 7 launches";
        assert_eq!(text(&progress, three), format!("scan: prove 3.0 s ({detail})"));
        drop(second);
        progress.finish();
        assert_eq!(text(&progress, three), "");
    }

    #[test]
    fn the_last_columns_stay_free() {
        assert_eq!(fitted("0/1 files, 1.0 s: kernel", 14), "0/1 files,");
        assert_eq!(fitted("0/1", 80), "0/1");
        assert_eq!(fitted("文字文字", 10), "文字文");
        assert_eq!(fitted("abc", 2), "");
    }

    #[test]
    fn time_goes_to_the_engine_that_took_it() {
        let times = EngineTimes::default();
        let progress = Progress::drawn(1, false, times.clone());
        assert!(times.seconds().is_empty());
        let work = progress.begin("k", Engine::Prove, None);
        work.engine(Engine::Search);
        drop(work);
        drop(progress.begin("a.cu", Engine::Compile, None));
        let names: Vec<&str> = times.seconds().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["compile", "prove", "search"]);
    }

    #[test]
    fn a_budget_that_is_spent_has_nothing_left() {
        let progress = Progress::drawn(1, false, EngineTimes::default());
        let _work = progress.begin("k", Engine::Simulate, Some(Duration::from_secs(1)));
        assert_eq!(text(&progress, Duration::from_secs(2)), "k: simulate 2.0 s, 0.0 s left");
    }
}
