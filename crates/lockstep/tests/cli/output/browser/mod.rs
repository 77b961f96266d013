//! As much of Chromium's DevTools protocol as the tests need: open, evaluate, click,
//! type, take a picture.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

pub(crate) struct Browser {
    process: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    next: u64,
    complaints: Vec<String>,
    _profile: tempfile::TempDir,
}

/// A tab.
pub(crate) struct Page {
    session: String,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("LOCKSTEP_CHROMIUM") {
        return Some(named.into());
    }
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|dir| names.map(|name| dir.join(name)))
        .find(|file| file.is_file())
}

impl Browser {
    /// None, and a word about it, where there is none.
    pub(crate) fn start() -> Option<Browser> {
        let Some(program) = program() else {
            // Not by a macro, whose words a passing test would keep to itself.
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: no Chromium, so the HTML report is not tested (scripts/setup.sh --tests installs it)"
            );
            return None;
        };
        let profile = tempfile::tempdir().expect("a folder");
        let mut process = Command::new(&program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args([
                "--remote-debugging-port=0",
                "--no-first-run",
                "--disable-background-networking",
            ])
            .args([
                "--disable-component-update",
                "--disable-sync",
                "--mute-audio",
                "--hide-scrollbars",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| panic!("{}: {e}", program.display()));
        let mut lines = BufReader::new(process.stderr.take().expect("a pipe")).lines();
        let mut told = String::new();
        let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let address = line.strip_prefix("DevTools listening on ").map(str::to_owned);
            told = told.clone() + &line + "\n";
            address
        });
        let address = address.unwrap_or_else(|| panic!("Chromium does not start:\n{told}"));
        // What it says later must go somewhere.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let (socket, _) = tungstenite::connect(&address).expect("Chromium listens");
        Some(Browser { process, socket, next: 0, complaints: Vec::new(), _profile: profile })
    }

    pub(crate) fn open(&mut self, address: &str, width: u32, dark: bool) -> Page {
        let target = self.call(None, "Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.call(None, "Target.attachToTarget", attach);
        let page = Page { session: session["sessionId"].as_str().expect("a session").to_owned() };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(Some(&page), &format!("{domain}.enable"), json!({}));
        }
        let size =
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call(Some(&page), "Emulation.setDeviceMetricsOverride", size);
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({"features": [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]});
        self.call(Some(&page), "Emulation.setEmulatedMedia", media);
        self.call(Some(&page), "Page.navigate", json!({"url": address}));
        let arrived =
            format!("location.href === {} && document.readyState === 'complete'", json!(address));
        while self.evaluate(&page, &arrived) != true {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        page
    }

    /// Errors, and requests for anything but files, since the last time.
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        std::mem::take(&mut self.complaints)
    }

    pub(crate) fn evaluate(&mut self, page: &Page, script: &str) -> Value {
        let result = self.call(
            Some(page),
            "Runtime.evaluate",
            json!({"expression": script, "returnByValue": true, "awaitPromise": true}),
        );
        assert!(result.get("exceptionDetails").is_none(), "{script}: {result}");
        result["result"]["value"].clone()
    }

    /// Presses the mouse's button in the middle of an element.
    pub(crate) fn click(&mut self, page: &Page, selector: &str) {
        let middle = self.evaluate(
            page,
            &format!(
                "(() => {{ const e = document.querySelector({});\n\
                 e.scrollIntoView({{block: 'center', behavior: 'instant'}});\n\
                 const r = e.getBoundingClientRect();\n\
                 return [r.x + r.width / 2, r.y + r.height / 2]; }})()",
                json!(selector)
            ),
        );
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let event = json!({
                "type": kind, "x": middle[0], "y": middle[1], "button": "left", "clickCount": 1
            });
            self.call(Some(page), "Input.dispatchMouseEvent", event);
        }
    }

    pub(crate) fn key(&mut self, page: &Page, key: &str) {
        let (text, code) = match key {
            "Enter" => ("\r", 13),
            "Escape" => ("", 27),
            "ArrowLeft" => ("", 37),
            "ArrowUp" => ("", 38),
            "ArrowRight" => ("", 39),
            "ArrowDown" => ("", 40),
            "/" => ("/", 191),
            other => panic!("no such key: {other}"),
        };
        for kind in ["keyDown", "keyUp"] {
            let event = json!({
                "type": kind, "key": key, "text": if kind == "keyDown" { text } else { "" },
                "windowsVirtualKeyCode": code
            });
            self.call(Some(page), "Input.dispatchKeyEvent", event);
        }
    }

    pub(crate) fn type_text(&mut self, page: &Page, text: &str) {
        self.call(Some(page), "Input.insertText", json!({"text": text}));
    }

    /// The whole page as PNG.
    pub(crate) fn screenshot(&mut self, page: &Page) -> Vec<u8> {
        let picture = self.call(
            Some(page),
            "Page.captureScreenshot",
            json!({"format": "png", "captureBeyondViewport": true}),
        );
        let text = picture["data"].as_str().expect("a picture");
        data_encoding::BASE64.decode(text.as_bytes()).expect("base64")
    }

    /// Sends a command and waits for its answer; events on the way are looked at.
    fn call(&mut self, page: Option<&Page>, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut command = json!({"id": id, "method": method, "params": params});
        if let Some(page) = page {
            command["sessionId"] = json!(page.session);
        }
        self.socket.send(Message::text(command.to_string())).expect("Chromium listens");
        loop {
            let Message::Text(text) = self.socket.read().expect("Chromium answers") else {
                continue;
            };
            let message: Value = serde_json::from_str(&text).expect("JSON");
            if message["id"] == json!(id) {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            self.look_at(&message);
        }
    }

    fn look_at(&mut self, event: &Value) {
        let params = &event["params"];
        let bad = match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => true,
            "Runtime.consoleAPICalled" => params["type"] == "error" || params["type"] == "warning",
            "Log.entryAdded" => params["entry"]["level"] == "error",
            "Network.requestWillBeSent" => {
                let address = params["request"]["url"].as_str().unwrap_or_default();
                !address.starts_with("file:")
                    && !address.starts_with("about:")
                    && !address.starts_with("data:")
            }
            _ => false,
        };
        if bad {
            self.complaints.push(params.to_string());
        }
    }
}
