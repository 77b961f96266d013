//! The HTML report in a real browser, with real clicks.
//!
//! Drives headless Chromium over its DevTools protocol. Where there is no Chromium
//! the tests say so and pass: `scripts/setup.sh --tests` installs it, and
//! `$LOCKSTEP_CHROMIUM` names another one. `LOCKSTEP_SHOTS=DIR` keeps screenshots.

use std::path::{Path, PathBuf};

use super::browser::{Browser, Page};
use crate::support;
use crate::support::{BEYOND_THE_END, DIVERGES};
use serde_json::{Value, json};

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
    fn ask(&mut self, script: &str) -> Value {
        self.browser.evaluate(&self.page, script)
    }

    /// Waits until what a script gives is as it should be.
    ///
    /// A browser does what a click asks for when it likes: nothing here may look once and
    /// take that for the last word.
    fn becomes(&mut self, script: &str, what: &str, right: impl Fn(&Value) -> bool) -> Value {
        let mut value = Value::Null;
        for _ in 0..1000 {
            value = self.ask(script);
            if right(&value) {
                return value;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("{script} should be {what}, and stays {value}")
    }

    fn gives(&mut self, script: &str, expected: impl Into<Value>) {
        let expected = expected.into();
        self.becomes(script, &expected.to_string(), |value| *value == expected);
    }

    fn count(&mut self, selector: &str, expected: i64) {
        self.gives(&count_of(selector), expected);
    }

    fn at_least_one(&mut self, selector: &str) {
        self.becomes(&count_of(selector), "1 or more", |value| value.as_i64() >= Some(1));
    }

    /// The text of an element has all these parts.
    fn says(&mut self, selector: &str, parts: &[&str]) {
        let script = format!("document.querySelector({}).textContent", json!(selector));
        self.becomes(&script, &format!("a text with {parts:?}"), |value| {
            value.as_str().is_some_and(|text| parts.iter().all(|part| text.contains(part)))
        });
    }

    fn click(&mut self, selector: &str) {
        self.browser.click(&self.page, selector);
    }

    fn key(&mut self, key: &str) {
        self.browser.key(&self.page, key);
    }

    /// Kernels that a filter left.
    fn shown(&mut self, expected: i64) {
        self.count(".kernel:not(.hidden)", expected);
    }

    fn open(&mut self, selector: &str, expected: bool) {
        self.gives(&format!("document.querySelector({}).open", json!(selector)), expected);
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
        assert_eq!(self.ask("document.documentElement.scrollWidth - innerWidth"), 0);
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

fn count_of(selector: &str) -> String {
    format!("document.querySelectorAll({}).length", json!(selector))
}

const RACE: &[&str] = &["check", "race.cu", "--only", "data-race,barrier-divergence"];

#[test]
fn a_finding_is_shown_with_its_pictures() {
    let Some(mut it) = open(RACE, 1280, false) else { return };
    it.count(".kernel", 2);
    it.says("h1", &["1 error in 2 kernels"]);
    it.is_sound();
    it.shot("light");

    // Both places, in their files.
    it.count(".source .row:has(mark.one)", 1);
    it.count(".source .row:has(mark.two)", 1);
    it.says(".panels", &["tile.h", "race.cu"]);
    // The two threads, side by side.
    it.says(".values", &["(1,0,0)", "(0,0,0)"]);
    it.at_least_one(".values tr.differs");

    // 64 elements, each written by one thread and read by another.
    it.count(".map .cell[data-element]", 64);
    it.count(".map .cell.conflict", 64);
    it.count(".map .cell.marked", 1);
    // Two marked events with no barrier anywhere.
    it.count(".timeline .ring", 2);
    it.count(".timeline line.barrier", 0);
    it.count(".timeline path.link", 1);

    // A click keeps a cell; arrows walk from there.
    it.click(".map .cell[data-element='5']");
    it.says(".map .detail", &["tile[5]"]);
    it.key("ArrowDown");
    let both = ["tile[21]", "written by thread (21,0,0)", "read by thread (20,0,0)"];
    it.says(".map .detail", &both);

    // Folding, by mouse and by key.
    let finding = "#finding-0-0";
    it.open(finding, true);
    it.click("#finding-0-0 > summary");
    it.open(finding, false);
    it.key("Enter");
    it.open(finding, true);

    it.click("#finding-0-0 a[href='#about-data-race']");
    it.open("#about-data-race", true);
    it.says("#about-data-race", &["How to fix it"]);
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
    it.gives("document.documentElement.dataset.theme", "light");
    it.becomes(background, "another colour", |now| *now != dark);
    it.click("#theme");
    it.gives(background, dark);

    it.shown(2);
    it.key("/");
    it.browser.type_text(&it.page, "SHIFT race.cu");
    it.shown(1);
    it.says("#shown", &["1 of 2 kernels"]);
    it.browser.type_text(&it.page, " no such thing");
    it.shown(0);
    it.count("#nothing.hidden", 0);
    it.key("Escape");
    it.shown(2);
    it.click(".chip.error");
    it.shown(1);
    it.says(".kernel:not(.hidden) h2", &["copy"]);
    it.click(".chip.error");
    it.shown(2);

    it.click("#fold");
    it.count(".kernel[open]", 0);
    it.click("#fold");
    it.count(".kernel[open]", 2);

    it.says(".command code", &["lockstep run race.cu --kernel shift --grid 2 --block 64"]);
    // The button's word goes back by itself.
    it.ask(
        "said = []; new MutationObserver(() => said.push(document.querySelector('.copy').textContent))\n\
           .observe(document.querySelector('.copy'), { childList: true }); 0",
    );
    it.click(".copy");
    it.becomes("said[0]", "a word", |word| word == "Copied" || word == "Selected");
    it.is_sound();
}

/// What a search leaves alone is unfolded until something else is searched for.
#[test]
fn a_lone_result_of_a_search() {
    let Some(mut it) = open(RACE, 1280, false) else { return };
    let copy = ".kernel[data-text~='copy']";
    it.open(copy, false);
    it.key("/");
    it.browser.type_text(&it.page, "copy");
    it.shown(1);
    it.open(copy, true);
    it.key("Escape");
    it.shown(2);
    it.open(copy, false);
    // What was open before stays so.
    it.browser.type_text(&it.page, "shift");
    it.shown(1);
    it.key("Escape");
    it.open("#kernel-0", true);
    it.open("#finding-0-0", true);
}

/// The top of what a link leads to is below the bar, also where the bar has two lines.
#[test]
fn links_do_not_lead_under_the_bar() {
    for width in [1280, 760] {
        let Some(mut it) = open(RACE, width, false) else { return };
        it.ask("document.body.style.paddingBottom = '2000px'; location.hash = '#finding-0-0'; 0");
        let gap = "document.querySelector('#finding-0-0').getBoundingClientRect().top\n\
                   - document.querySelector('.bar').getBoundingClientRect().bottom";
        it.becomes(gap, "a little below the bar", |gap| {
            gap.as_f64().is_some_and(|gap| (0.0..40.0).contains(&gap))
        });
    }
}

#[test]
fn a_narrow_window() {
    let Some(mut it) = open(RACE, 390, false) else { return };
    it.is_sound();
    it.shot("narrow");
    // The labels of the two threads can be read whole, without scrolling.
    it.count(".label .text", 2);
    it.gives(
        "[...document.querySelectorAll('.label .text, .timeline text.head, .timeline text.soft')].filter((e) => {\n\
           const own = e.getBoundingClientRect();\n\
           const box = e.closest('.source, .picture').getBoundingClientRect();\n\
           return own.right > box.right + 1 || own.left < box.left - 1 || e.scrollWidth > e.clientWidth + 1 && e.clientWidth;\n\
         }).map((e) => e.textContent)",
        json!([]),
    );
    it.click("#kernel-1 > summary");
    it.open("#kernel-1", true);
    it.is_sound();
}

#[test]
fn other_findings_and_unusable_inputs() {
    let Some(mut it) = open(BEYOND_THE_END, 1280, false) else { return };
    // Group 1 writes beyond the end.
    it.says(".map .detail", &["out of bounds"]);
    it.is_sound();
    it.shot("bounds");

    let Some(mut it) = open(DIVERGES, 1280, false) else { return };
    it.at_least_one(".timeline line.barrier");
    it.is_sound();
    it.shot("divergence");

    let args =
        ["check", "race.cu", "broken.cu", "--kernel", "copy", "--only", "barrier-divergence"];
    let Some(mut it) = open(&args, 390, true) else { return };
    it.says(".errors", &["broken.cu:2"]);
    it.is_sound();
    it.shot("unusable");
}
