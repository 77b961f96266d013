//! The language server, by a client over its standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use crate::entries;
use serde_json::{Value, json};

/// Far beyond what anything here takes, on however slow a machine.
const PATIENCE: Duration = Duration::from_secs(240);

const RACY: &str = "\
__global__ void shift(int *x) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    x[t] = s[(t + 1) % 64];
}
";

const FIXED: &str = "\
__global__ void shift(int *x) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    x[t] = s[(t + 1) % 64];
}
";

const SAFE: &str = "\
__global__ void scale(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}
";

const ENDLESS: &str = "\
__global__ void endless(unsigned long long *x) {
    unsigned long long v = threadIdx.x;
    for (unsigned long long i = 0; i < (1ull << 62); i++) v = v * 3 + i;
    x[threadIdx.x] = v;
}
";

struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    said: Receiver<String>,
    folder: tempfile::TempDir,
    next_id: i64,
}

impl Client {
    fn start(args: &[&str]) -> Client {
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .arg("lsp")
            .args(args)
            .current_dir(folder.path())
            .env("LOCKSTEP_CACHE_DIR", folder.path().join(".cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let (send, messages) = mpsc::channel();
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        std::thread::spawn(move || {
            while let Some(message) = read_message(&mut out) {
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        let (say, said) = mpsc::channel();
        let err = BufReader::new(child.stderr.take().expect("piped"));
        std::thread::spawn(move || {
            for line in err.lines().map_while(Result::ok) {
                if say.send(line).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Client { child, input, messages, said, folder, next_id: 0 }
    }

    fn ready(args: &[&str]) -> Client {
        let mut client = Client::start(args);
        let result = client
            .request("initialize", json!({"processId": null, "rootUri": null, "capabilities": {}}));
        assert_eq!(result["capabilities"]["hoverProvider"], true);
        client.notify("initialized", json!({}));
        client
    }

    fn write(&mut self, text: &str) {
        let input = self.input.as_mut().expect("open");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it reads");
        input.flush().expect("it reads");
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// The whole answer to a request.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(&message.to_string());
        self.wait(|m| m["id"] == id && m.get("method").is_none())
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    fn wait(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("a message in time");
            if wanted(&message) {
                return message;
            }
        }
    }

    fn wait_said(&self, marker: &str) {
        loop {
            let line = self.said.recv_timeout(PATIENCE).expect("a line in time");
            if line.contains(marker) {
                return;
            }
        }
    }

    /// The next diagnostics of a document.
    fn diagnostics(&self, uri: &str) -> Vec<Value> {
        let message = self.wait(|m| {
            m["method"] == "textDocument/publishDiagnostics" && m["params"]["uri"] == uri
        });
        message["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    fn file(&self, name: &str, text: &str) -> (PathBuf, String) {
        let path = self.folder.path().canonicalize().expect("a folder").join(name);
        std::fs::write(&path, text).expect("written");
        let uri = format!("file://{}", path.display().to_string().replace(' ', "%20"));
        (path, uri)
    }

    fn open(&mut self, uri: &str, text: &str) {
        self.open_as(uri, "cuda-cpp", text);
    }

    fn open_as(&mut self, uri: &str, language: &str, text: &str) {
        let item = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": item}));
    }

    fn change(&mut self, uri: &str, version: i32, text: &str) {
        let document = json!({"uri": uri, "version": version});
        let params = json!({"textDocument": document, "contentChanges": [{"text": text}]});
        self.notify("textDocument/didChange", params);
    }

    fn save(&mut self, uri: &str, path: &Path, text: &str) {
        std::fs::write(path, text).expect("written");
        self.notify("textDocument/didSave", json!({"textDocument": {"uri": uri}, "text": text}));
    }

    fn hover(&mut self, uri: &str, line: u32) -> Value {
        let at = json!({"line": line, "character": 6});
        let hover = self
            .request("textDocument/hover", json!({"textDocument": {"uri": uri}, "position": at}));
        hover["contents"]["value"].clone()
    }

    /// The exit status after `shutdown` and `exit`.
    fn end(mut self) -> Option<i32> {
        assert_eq!(self.request("shutdown", Value::Null), Value::Null);
        let refused = self.ask("textDocument/hover", json!({}));
        assert_eq!(refused["error"]["code"], -32600);
        self.notify("exit", Value::Null);
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_message(out: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if out.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().split_once(": ") {
            Some(("Content-Length", n)) => length = n.parse().expect("a number"),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    out.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("JSON"))
}

#[test]
fn a_race_is_found_suppressed_and_mended() {
    let mut client = Client::ready(&["--block", "64", "--grid", "1"]);
    let (path, uri) = client.file("a shift.cu", RACY);
    client.open(&uri, RACY);
    let found = client.diagnostics(&uri);
    let race = found.iter().find(|d| d["code"] == "data-race").expect("the race");
    assert_eq!(race["source"], "lockstep");
    assert_eq!(race["severity"], 1);
    let lines = [&race["range"], &race["relatedInformation"][0]["location"]["range"]]
        .map(|r| r["start"]["line"].as_u64());
    assert!([[Some(3), Some(4)], [Some(4), Some(3)]].contains(&lines), "{race}");
    assert_eq!(race["relatedInformation"][0]["location"]["uri"], uri.as_str());
    let hover = client.hover(&uri, 3);
    assert!(hover.as_str().is_some_and(|h| h.contains("**data-race**")), "{hover}");

    let params = json!({
        "textDocument": {"uri": uri}, "range": race["range"], "context": {"diagnostics": [race]},
    });
    let actions = client.request("textDocument/codeAction", params);
    let edit = &actions[0]["edit"]["changes"][uri.as_str()][0];
    let comment = "    // lockstep: allow(data-race) because …\n";
    assert_eq!(edit["newText"], comment, "{actions}");
    assert_eq!(edit["range"]["start"]["line"], race["range"]["start"]["line"]);

    client.change(&uri, 2, FIXED);
    client.save(&uri, &path, FIXED);
    assert_eq!(client.diagnostics(&uri), Vec::<Value>::new());
    let hover = client.hover(&uri, 4);
    let text = hover.as_str().unwrap_or_default();
    assert!(text.contains("all threads of the block reach it"), "{hover}");
    assert!(text.contains("the write at line 4 from the read at line 6"), "{hover}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn an_access_that_is_safe_says_why() {
    // With these, arithmetic is enough: no machine is too slow for the proof.
    let mut client = Client::ready(&["--block", "64", "--grid", "4"]);
    let (_, uri) = client.file("scale.cu", SAFE);
    client.open(&uri, SAFE);
    assert_eq!(client.diagnostics(&uri), Vec::<Value>::new());
    let hover = client.hover(&uri, 2);
    let text = hover.as_str().unwrap_or_default();
    assert!(text.contains("write to `out`: each thread writes its own element"), "{hover}");
    assert!(text.contains("read of `in`: no thread of this kernel writes it"), "{hover}");
    let launches = "proved for blockDim = (64, 1, 1) and gridDim = (4, 1, 1)";
    assert!(text.contains(launches), "{hover}");
    assert_eq!(client.hover(&uri, 1), Value::Null);
    let verdicts = client.hover(&uri, 0);
    assert!(verdicts.as_str().is_some_and(|h| h.contains("**proved** absent")), "{verdicts}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn text_that_is_not_saved_is_checked() {
    let mut client = Client::ready(&["--block", "64", "--grid", "1"]);
    let (_, header) = client.file("half.h", "#define HALF 32\n");
    let text =
        |call: &str| format!("#include \"half.h\"\n__global__ void k(int *x) {{\n  {call}\n}}\n");
    let fine = text("x[threadIdx.x] = HALF;");
    let (_, uri) = client.file("k.cu", &fine);
    client.open(&uri, &fine);
    assert_eq!(client.diagnostics(&uri), Vec::<Value>::new());
    client.change(&uri, 2, &text("/* 𝄞 */ x[threadIdx.x % HALF] = threadIdx.x;"));
    let found = client.diagnostics(&uri);
    let race = found.iter().find(|d| d["code"] == "data-race").expect("the race");
    // In units of UTF-16: the clef counts two.
    assert_eq!(race["range"]["start"], json!({"line": 2, "character": 11}), "{race}");
    client.change(&uri, 3, &text("flat y;"));
    let found = client.diagnostics(&uri);
    assert_eq!(found[0]["source"], "lockstep (clang)", "{found:?}");
    assert_eq!(found[0]["range"]["start"]["line"], 2);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    assert_eq!(client.diagnostics(&uri), Vec::<Value>::new());
    assert!(header.ends_with("half.h"));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_finding_in_a_header_is_published_there() {
    let mut client = Client::ready(&["--block", "64", "--grid", "1"]);
    let put = "__device__ void put(int *x, int v) {\n  x[0] = v;\n}\n";
    let (path, header) = client.file("put.h", put);
    let text = "#include \"put.h\"\n__global__ void k(int *x) { put(x, threadIdx.x); }\n";
    let (_, uri) = client.file("k.cu", text);
    client.open(&uri, text);
    // Files come in the order of their names.
    assert_eq!(client.diagnostics(&uri), Vec::<Value>::new());
    let found = client.diagnostics(&header);
    assert_eq!(found[0]["code"], "data-race");
    assert_eq!(found[0]["range"]["start"]["line"], 1);
    let calls = found[0]["relatedInformation"].to_string();
    assert!(calls.contains("called from here") && calls.contains(&uri), "{calls}");

    // A header that is saved matters to the files that are open.
    client.open(&header, put);
    client.save(&header, &path, &put.replace("x[0]", "x[v]"));
    assert_eq!(client.diagnostics(&header), Vec::<Value>::new());
    client.save(&header, &path, put);
    assert_eq!(client.diagnostics(&header)[0]["code"], "data-race");
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    assert_eq!(client.diagnostics(&header), Vec::<Value>::new());
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_project_is_read_as_check_reads_it() {
    let mut client = Client::start(&["-p", "build", "--config", "other.toml"]);
    let text = "__global__ void k(int *x) {\n#ifdef RACY\n  x[0] = threadIdx.x;\n#endif\n}\n";
    let (path, uri) = client.file("k.cu", text);
    let folder = path.parent().expect("a folder");
    let command = json!([{"directory": folder, "file": "k.cu", "command": "nvcc -DRACY -c k.cu"}]);
    std::fs::create_dir(folder.join("build")).expect("made");
    client.file("build/compile_commands.json", &command.to_string());
    client.file("other.toml", "[kernel.k]\nblock = 64\ngrid = 1\n");
    client.request("initialize", json!({"capabilities": {}}));
    client.notify("initialized", json!({}));
    client.open(&uri, text);
    let found = client.diagnostics(&uri);
    assert_eq!(found[0]["code"], "data-race", "{found:?}");
    // A source without a kernel is no problem in an editor.
    let (_, host) = client.file("host.cu", "int main() {}\n");
    client.open(&host, "int main() {}\n");
    assert_eq!(client.diagnostics(&host), Vec::<Value>::new());
    assert_eq!(client.end(), Some(0));
}

#[test]
fn an_outdated_check_is_cancelled() {
    let budget = ["--block", "32", "--grid", "1", "--budget", "3600", "--verbose"];
    let mut client = Client::ready(&budget);
    let (_, uri) = client.file("k.cu", ENDLESS);
    client.open(&uri, ENDLESS);
    client.wait_said("kernel endless: search");
    client.change(&uri, 2, SAFE);
    let message = client.wait(|m| m["method"] == "textDocument/publishDiagnostics");
    assert_eq!(message["params"]["version"], 2);
    assert_eq!(message["params"]["diagnostics"], json!([]));
    // So is one that is under way at the end.
    client.change(&uri, 3, ENDLESS);
    client.wait_said("kernel endless: search");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn nonsense_is_answered_and_survived() {
    let mut client = Client::start(&[]);
    let early = client.ask("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002);
    client.request(
        "initialize",
        json!({"capabilities": {}, "initializationOptions": {"args": ["--budget", "2"]}}),
    );
    client.notify("initialized", json!({}));
    let unknown = client.ask("textDocument/fly", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    let wrong = client.ask("textDocument/hover", json!({"position": 7}));
    assert_eq!(wrong["error"]["code"], -32602);
    client.notify("textDocument/didOpen", json!({"textDocument": 7}));
    client.notify("textDocument/didChange", json!({"no": "document"}));
    client.notify("$/whatever", json!({}));
    client.write("{ this is no JSON");
    let refused = client.wait(|m| m["id"].is_null() && m.get("error").is_some());
    assert_eq!(refused["error"]["code"], -32700);
    let nowhere =
        json!({"textDocument": {"uri": "untitled:1"}, "position": {"line": 0, "character": 0}});
    assert_eq!(client.request("textDocument/hover", nowhere), Value::Null);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn an_absurd_length_is_an_error_and_the_end() {
    for length in ["99999999999999", "18446744073709551615", "99999999999999999999999999"] {
        let mut client = Client::ready(&[]);
        let input = client.input.as_mut().expect("open");
        write!(input, "Content-Length: {length}\r\n\r\n{{}}").expect("it reads");
        input.flush().expect("it reads");
        let refused = client.wait(|m| m["id"].is_null() && m.get("error").is_some());
        assert_eq!(refused["error"]["code"], -32700);
        let message = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("longer than 256 MiB"), "{refused}");
        // The input is still open: the server ends by itself, and not by a signal.
        assert_eq!(client.child.wait().expect("it ends").code(), Some(1));
    }
}

#[test]
fn every_access_and_barrier_of_a_racy_kernel_is_answered() {
    let mut client = Client::ready(&[]);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/racy_reduce.cu");
    let text = std::fs::read_to_string(example).expect("the example");
    let (_, uri) = client.file("racy_reduce.cu", &text);
    client.open(&uri, &text);
    let found = client.diagnostics(&uri);
    assert!(found.iter().any(|d| d["code"] == "data-race"), "{found:?}");
    let line = |client: &mut Client, number: u32| {
        let hover = client.hover(&uri, number - 1);
        hover.as_str().unwrap_or_default().to_owned()
    };
    let race = "\n\n*not proved safe, as the kernel has a data race (line 16)*";
    let expected = [
        (12, format!("read of `in`, write to `sums`: nothing was found here{race}")),
        (20, format!("read of `sums`, write to `out`: nothing was found here{race}")),
    ];
    for (number, text) in expected {
        assert_eq!(line(&mut client, number), text, "line {number}");
    }
    let barrier = line(&mut client, 13);
    assert!(barrier.starts_with("barrier: nothing was found here"), "{barrier}");
    assert!(barrier.contains("all threads of the block reach the barrier; *proved"), "{barrier}");
    assert!(line(&mut client, 16).contains("**data-race**"));
    assert!(line(&mut client, 7).contains("**found**"));
    for silent in [3, 9, 18] {
        assert_eq!(line(&mut client, silent), "", "line {silent}");
    }
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_document_that_was_never_saved_is_checked() {
    let mut client = Client::ready(&["--block", "64", "--grid", "1"]);
    let uri = "untitled:Untitled-1";
    client.open(uri, RACY);
    let found = client.diagnostics(uri);
    let race = found.iter().find(|d| d["code"] == "data-race").expect("the race");
    assert_eq!(race["relatedInformation"][0]["location"]["uri"], uri);
    assert!(client.hover(uri, 3).as_str().is_some_and(|h| h.contains("**data-race**")));
    client.change(uri, 2, FIXED);
    assert_eq!(client.diagnostics(uri), Vec::<Value>::new());
    // The language is what the editor says.
    let text = "kernel void k(global int *x) { x[0] = get_local_id(0); }\n";
    client.open_as("untitled:Untitled-2", "opencl", text);
    assert_eq!(client.diagnostics("untitled:Untitled-2")[0]["code"], "data-race");
    // Headers are those of the folder.
    client.file("put.h", "__device__ void put(int *x) { x[0] = threadIdx.x; }\n");
    let text = "#include \"put.h\"\n__global__ void k(int *x) { put(x); }\n";
    client.open_as("untitled:Untitled-3", "cuda", text);
    client.wait(|m| m["params"]["diagnostics"][0]["code"] == "data-race");
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    assert_eq!(client.diagnostics(uri), Vec::<Value>::new());
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_check_that_is_under_way_is_shown() {
    let mut client = Client::start(&["--block", "64", "--grid", "4"]);
    let window = json!({"window": {"workDoneProgress": true}});
    client.request("initialize", json!({"capabilities": window}));
    client.notify("initialized", json!({}));
    let (_, uri) = client.file("scale.cu", SAFE);
    client.open(&uri, SAFE);
    let create = client.wait(|m| m["method"] == "window/workDoneProgress/create");
    let answer = json!({"jsonrpc": "2.0", "id": create["id"], "result": null});
    client.write(&answer.to_string());
    let progress = |kind: &'static str| {
        let token = create["params"]["token"].clone();
        move |m: &Value| m["params"]["token"] == token && m["params"]["value"]["kind"] == kind
    };
    let begin = client.wait(progress("begin"));
    assert_eq!(begin["params"]["value"]["message"], "scale.cu");
    client.wait(progress("end"));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_client_that_goes_away_ends_the_server() {
    let mut client = Client::ready(&[]);
    client.input = None;
    assert_eq!(client.child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn a_bad_option_is_one_message() {
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .args(["lsp", "--budget", "never"])
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("a number of seconds above 0"));
}

/// A kernel that ran out of its budget is not looked at again because something else in its file has changed.
#[test]
fn what_hit_its_budget_is_not_computed_at_every_save() {
    let mut client = Client::ready(&["--block", "64", "--grid", "1", "--budget", "0.5"]);
    let endless = ENDLESS
        .replace("x[threadIdx.x] = v", "x[0] = v")
        .replace("{\n", "{\n    x[1] = threadIdx.x;\n");
    let (path, uri) = client.file("k.cu", &endless);
    client.open(&uri, &endless);
    let message = |found: &[Value]| {
        let race = found.iter().find(|d| d["code"] == "data-race").expect("the race");
        race["message"].as_str().expect("a text").to_owned()
    };
    let first = message(&client.diagnostics(&uri));
    assert!(first.contains("data race on"), "{first}");
    entries::replace(&client.folder.path().join(".cache"), "data race on", "kept race on");
    for count in 1..3 {
        let text = format!("{endless}{}", "// more\n".repeat(count));
        client.save(&uri, &path, &text);
        let again = message(&client.diagnostics(&uri));
        assert_eq!(again, first.replace("data race on", "kept race on"));
    }
    assert_eq!(client.end(), Some(0));
}
