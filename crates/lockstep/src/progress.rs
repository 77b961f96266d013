//! A line on standard error while files are checked, if a person is watching: which kernel, which engine, how long, and
//! how much of its budget is left.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often the line changes by itself.
const TICK: Duration = Duration::from_millis(200);

pub(crate) struct Progress {
    bar: ProgressBar,
    under_way: Arc<Mutex<UnderWay>>,
    /// Ends the thread that renews the line; none where nobody would see it.
    ticker: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

/// Who looks at a kernel now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Compile,
    Prove,
    Search,
    Simulate,
}

impl Engine {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Engine::Compile => "compile",
            Engine::Prove => "prove",
            Engine::Search => "search",
            Engine::Simulate => "simulate",
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
    budget: Option<Duration>,
    detail: String,
}

impl Progress {
    /// indicatif draws nothing where standard error is not a terminal.
    pub(crate) fn new(files: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(
            Some(files as u64),
            ProgressDrawTarget::stderr_with_hz(8),
        );
        if let Ok(style) =
            ProgressStyle::with_template("{spinner} {pos}/{len} files, {elapsed}: {wide_msg}")
        {
            bar.set_style(style);
        }
        let under_way: Arc<Mutex<UnderWay>> = Arc::default();
        let ticker = (!bar.is_hidden()).then(|| tick(bar.clone(), under_way.clone()));
        Progress { bar, under_way, ticker: Mutex::new(ticker) }
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
        under_way.works.push(Work {
            id,
            what: what.to_owned(),
            engine,
            started: Instant::now(),
            budget,
            detail: String::new(),
        });
        Working { progress: self, id }
    }

    /// A file is done.
    pub(crate) fn done(&self) {
        self.bar.inc(1);
    }

    pub(crate) fn finish(&self) {
        let ticker = self.ticker.lock().unwrap_or_else(|e| e.into_inner()).take();
        if let Some((end, thread)) = ticker {
            drop(end);
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
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
            w.engine = engine;
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
        lock(&self.progress.under_way).works.retain(|w| w.id != self.id);
    }
}

fn lock(under_way: &Mutex<UnderWay>) -> MutexGuard<'_, UnderWay> {
    under_way.lock().unwrap_or_else(|e| e.into_inner())
}

/// Renews the line until the sender is dropped.
fn tick(bar: ProgressBar, under_way: Arc<Mutex<UnderWay>>) -> (Sender<()>, JoinHandle<()>) {
    let (end, ended) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            let text = line(&lock(&under_way).works, Instant::now());
            bar.set_message(text);
            bar.tick();
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
        let progress = Progress::new(2);
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
    fn a_budget_that_is_spent_has_nothing_left() {
        let progress = Progress::new(1);
        let _work = progress.begin("k", Engine::Simulate, Some(Duration::from_secs(1)));
        assert_eq!(text(&progress, Duration::from_secs(2)), "k: simulate 2.0 s, 0.0 s left");
    }
}
