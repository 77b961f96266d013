//! The HTML report in a real browser, with real clicks.
//!
//! Drives headless Chromium over its DevTools protocol. Where there is no Chromium
//! the tests say so and pass: `scripts/setup.sh --tests` installs it, and
//! `$LOCKSTEP_CHROMIUM` names another one. `LOCKSTEP_SHOTS=DIR` keeps screenshots.

mod browser;
mod support;

use std::path::{Path, PathBuf};

use browser::{Browser, Page};
use serde_json::json;
use support::{BEYOND_THE_END, DIVERGES};

/// A folder with a report, and a page that shows it.
struct Opened {
    page: Page,
    browser: Browser,
    _folder: tempfile::TempDir,
}

/// The report of a run in `tests/formats`, if there is a browser.
fn open(args: &[&str], width: u32, dark: bool) -> Option<Opened> {
    let mut browser = Browser::start()?;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("report.html");
    let path = file.to_str().expect("a plain path");
    let more: &[&str] = &["--reproducible", "--format", "html", "--output", path];
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
    let ended = support::lockstep(&sources, &[args, more].concat());
    assert!(file.exists(), "{}", ended.err);
    let page = browser.open(&format!("file://{}", file.display()), width, dark);
    Some(Opened { page, browser, _folder: folder })
}

impl Opened {
    /// What a script gives.
    fn ask(&mut self, script: &str) -> serde_json::Value {
        self.browser.evaluate(&self.page, script)
    }

    fn number(&mut self, script: &str) -> i64 {
        self.ask(script).as_f64().unwrap_or_else(|| panic!("no number: {script}")) as i64
    }

    fn count(&mut self, selector: &str) -> i64 {
        self.number(&format!("document.querySelectorAll({}).length", json!(selector)))
    }

    fn text(&mut self, selector: &str) -> String {
        let script = format!("document.querySelector({}).textContent", json!(selector));
        self.ask(&script).as_str().unwrap_or_default().to_owned()
    }

    /// What a script gives once it gives something.
    fn wait_for(&mut self, script: &str) -> serde_json::Value {
        for _ in 0..1000 {
            let value = self.ask(script);
            if !value.is_null() {
                return value;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("nothing came of {script}")
    }

    fn click(&mut self, selector: &str) {
        self.browser.click(&self.page, selector);
    }

    fn key(&mut self, key: &str) {
        self.browser.key(&self.page, key);
    }

    /// Kernels that a filter left.
    fn shown(&mut self) -> i64 {
        self.count(".kernel:not(.hidden)")
    }

    fn is_open(&mut self, selector: &str) -> bool {
        self.ask(&format!("document.querySelector({}).open", json!(selector))) == true
    }

    /// Nothing is wider than the window, and nothing was complained of.
    fn is_sound(&mut self) {
        let wide = self.ask(
            "[...document.querySelectorAll('body *')].filter((e) => {\n\
               const scrolls = (at) => at && (getComputedStyle(at).overflowX !== 'visible' || scrolls(at.parentElement));\n\
               return e.getBoundingClientRect().right > innerWidth + 1 && !scrolls(e.parentElement);\n\
             }).map((e) => e.outerHTML.slice(0, 120))",
        );
        assert_eq!(wide, json!([]), "wider than the window");
        assert_eq!(self.number("document.documentElement.scrollWidth - innerWidth"), 0);
        assert_eq!(self.browser.complaints(), Vec::<String>::new());
    }

    fn shot(&mut self, name: &str) {
        if let Some(dir) = std::env::var_os("LOCKSTEP_SHOTS") {
            let dir = PathBuf::from(dir);
            std::fs::create_dir_all(&dir).expect("a folder for screenshots");
            let picture = self.browser.screenshot(&self.page);
            std::fs::write(dir.join(format!("{name}.png")), picture)
                .expect("a screenshot is written");
        }
    }
}

const RACE: &[&str] = &["check", "race.cu", "--only", "data-race,barrier-divergence"];

#[test]
fn a_finding_is_shown_with_its_pictures() {
    let Some(mut it) = open(RACE, 1280, false) else { return };
    assert_eq!(it.count(".kernel"), 2);
    assert!(it.text("h1").contains("1 of 2 kernels"), "{}", it.text("h1"));
    it.is_sound();
    it.shot("light");

    // Both places, in their files.
    assert_eq!(it.count(".source .row:has(mark.one)"), 1);
    assert_eq!(it.count(".source .row:has(mark.two)"), 1);
    let source = it.text(".panels");
    assert!(source.contains("tile.h") && source.contains("race.cu"), "{source}");
    // The two threads, side by side.
    let values = it.text(".values");
    assert!(values.contains("(1,0,0)") && values.contains("(0,0,0)"), "{values}");
    assert!(it.count(".values tr.differs") >= 1);

    // 64 elements, each written by one thread and read by another.
    assert_eq!(it.count(".map .cell[data-element]"), 64);
    assert_eq!(it.count(".map .cell.conflict"), 64);
    assert_eq!(it.count(".map .cell.marked"), 1);
    // Two marked events with no barrier anywhere.
    assert_eq!(it.count(".timeline .ring"), 2);
    assert_eq!(it.count(".timeline line.barrier"), 0);
    assert_eq!(it.count(".timeline path.link"), 1);

    // A click keeps a cell; arrows walk from there.
    it.click(".map .cell[data-element='5']");
    assert!(it.text(".map .detail").starts_with("tile[5]"), "{}", it.text(".map .detail"));
    it.key("ArrowDown");
    assert!(it.text(".map .detail").starts_with("tile[21]"), "{}", it.text(".map .detail"));
    let detail = it.text(".map .detail");
    assert!(detail.contains("written by thread (21,0,0)"), "{detail}");
    assert!(detail.contains("read by thread (20,0,0)"), "{detail}");

    // Folding, by mouse and by key.
    let finding = "#finding-0-0";
    assert!(it.is_open(finding));
    it.click("#finding-0-0 > summary");
    assert!(!it.is_open(finding));
    it.key("Enter");
    assert!(it.is_open(finding));

    it.click("#finding-0-0 a[href='#about-data-race']");
    assert!(it.is_open("#about-data-race"));
    assert!(it.text("#about-data-race").contains("How to fix it"));
    it.is_sound();
}

#[test]
fn filters_theme_and_copying() {
    let Some(mut it) = open(RACE, 1280, true) else { return };
    // As the system has it, until somebody chooses.
    let background = "getComputedStyle(document.body).backgroundColor";
    let dark = it.ask(background);
    it.shot("dark");
    it.click("#theme");
    assert_ne!(it.ask(background), dark);
    assert_eq!(it.ask("document.documentElement.dataset.theme"), "light");
    it.click("#theme");
    assert_eq!(it.ask(background), dark);

    assert_eq!(it.shown(), 2);
    it.key("/");
    it.browser.type_text(&it.page, "SHIFT race.cu");
    assert_eq!(it.shown(), 1);
    assert_eq!(it.text("#shown"), "1 of 2 kernels");
    it.browser.type_text(&it.page, " no such thing");
    assert_eq!(it.shown(), 0);
    assert_eq!(it.count("#nothing.hidden"), 0);
    it.key("Escape");
    assert_eq!(it.shown(), 2);
    it.click(".chip.found");
    assert_eq!(it.shown(), 1);
    assert_eq!(it.text(".kernel:not(.hidden) h2"), "copy");
    it.click(".chip.found");
    assert_eq!(it.shown(), 2);

    it.click("#fold");
    assert_eq!(it.count(".kernel[open]"), 0);
    it.click("#fold");
    assert_eq!(it.count(".kernel[open]"), 2);

    let command = it.text(".command code");
    assert!(
        command.starts_with("lockstep run race.cu --kernel shift --grid 2 --block 64"),
        "{command}"
    );
    // The clipboard answers when it likes, and the button's word goes back by itself.
    it.ask(
        "said = []; new MutationObserver(() => said.push(document.querySelector('.copy').textContent))\n\
           .observe(document.querySelector('.copy'), { childList: true }); 0",
    );
    it.click(".copy");
    let word = it.wait_for("said[0]");
    assert!(word == "Copied" || word == "Selected", "{word}");
    it.is_sound();
}

#[test]
fn a_narrow_window() {
    let Some(mut it) = open(RACE, 390, false) else { return };
    it.is_sound();
    it.shot("narrow");
    it.click("#kernel-1 > summary");
    assert!(it.is_open("#kernel-1"));
    it.is_sound();
}

#[test]
fn other_findings_and_unusable_inputs() {
    let Some(mut it) = open(BEYOND_THE_END, 1280, false) else { return };
    // Group 1 writes beyond the end.
    assert!(it.text(".map .detail").contains("out of bounds"), "{}", it.text(".map .detail"));
    it.is_sound();
    it.shot("bounds");

    let Some(mut it) = open(DIVERGES, 1280, false) else { return };
    assert!(it.count(".timeline line.barrier") >= 1);
    it.is_sound();
    it.shot("divergence");

    let args =
        ["check", "race.cu", "broken.cu", "--kernel", "copy", "--only", "barrier-divergence"];
    let Some(mut it) = open(&args, 390, true) else { return };
    assert!(it.text(".errors").contains("broken.cu:2"), "{}", it.text(".errors"));
    it.is_sound();
    it.shot("unusable");
}
