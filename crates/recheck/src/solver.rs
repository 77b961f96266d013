//! Solvers: programs that read SMT-LIB 2 from standard input.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    Z3,
    Cvc5,
    Bitwuzla,
}

/// How a solver looks at bit-vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As gates.
    Bits,
    /// As integers modulo powers of two: for products of unknowns.
    Integers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Unsat,
    Sat,
    /// It gave up, or had no time left.
    Unknown,
    /// It could not read the question.
    Refused,
}

/// Beyond its own limit, what a solver may take to read a question.
const GRACE: Duration = Duration::from_secs(10);

impl Solver {
    pub const ALL: [Solver; 3] = [Solver::Z3, Solver::Cvc5, Solver::Bitwuzla];

    pub fn name(self) -> &'static str {
        match self {
            Solver::Z3 => "z3",
            Solver::Cvc5 => "cvc5",
            Solver::Bitwuzla => "bitwuzla",
        }
    }

    pub fn named(name: &str) -> Option<Solver> {
        Solver::ALL.into_iter().find(|s| s.name() == name)
    }

    /// The ways in which it looks at a question, those of which more are decided first.
    pub fn ways(self) -> &'static [Way] {
        match self {
            Solver::Cvc5 => &[Way::Bits, Way::Integers],
            Solver::Z3 | Solver::Bitwuzla => &[Way::Bits],
        }
    }

    fn arguments(self, way: Way, limit: Duration) -> Vec<String> {
        let ms = limit.as_millis().max(1);
        let mut out: Vec<String> = match self {
            Solver::Z3 => vec!["-smt2".into(), "-in".into(), format!("-t:{ms}")],
            Solver::Cvc5 => vec!["--lang=smt2".into(), format!("--tlimit-per={ms}")],
            Solver::Bitwuzla => vec!["--lang=smt2".into(), format!("--time-limit-per={ms}")],
        };
        if way == Way::Integers {
            out.push("--solve-bv-as-int=sum".into());
        }
        out
    }

    /// How it is installed.
    fn advice(self) -> &'static str {
        match self {
            Solver::Z3 => "Debian and Ubuntu: apt-get install z3",
            Solver::Cvc5 => "Debian and Ubuntu: apt-get install cvc5",
            Solver::Bitwuzla => {
                "its releases have programs to download; cvc5 and z3 are packages of Debian and Ubuntu"
            }
        }
    }

    /// The solver's version, or why it cannot be used.
    pub fn version(self) -> Result<String, String> {
        let name = self.name();
        let out = Command::new(name).arg("--version").stdin(Stdio::null()).output();
        let out = out.map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => {
                format!("the solver {name} is not installed ({})", self.advice())
            }
            _ => format!("the solver {name} cannot be started: {e}"),
        })?;
        let text = String::from_utf8_lossy(&out.stdout);
        Ok(text.lines().next().unwrap_or(name).trim().to_owned())
    }

    /// Asks several questions in one process, each with its own limit. Those behind one that the solver refuses, or
    /// that ends it, have no answer.
    pub fn ask(self, way: Way, questions: &[&str], limit: Duration) -> Result<Vec<Answer>, String> {
        let mut child = Command::new(self.name())
            .args(self.arguments(way, limit))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("the solver {} cannot be started: {e}", self.name()))?;
        let answers = converse(&mut child, questions, limit);
        let _ = child.kill();
        let _ = child.wait();
        answers
    }
}

fn converse(child: &mut Child, questions: &[&str], limit: Duration) -> Result<Vec<Answer>, String> {
    let mut input = child.stdin.take().ok_or("the solver has no standard input")?;
    let output = child.stdout.take().ok_or("the solver has no standard output")?;
    let (send, receive) = channel();
    let mut answers = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for question in questions {
                // A solver that has ended reads nothing more: its answers so far count.
                let put = input.write_all(question.as_bytes());
                if put.and_then(|()| input.write_all(b"(reset)\n")).is_err() {
                    return;
                }
            }
        });
        scope.spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        while answers.len() < questions.len() {
            let end = Instant::now() + limit + GRACE;
            let answer = loop {
                let left = end.saturating_duration_since(Instant::now());
                match receive.recv_timeout(left).as_deref().map(str::trim) {
                    Ok("unsat") => break Some(Answer::Unsat),
                    Ok("sat") => break Some(Answer::Sat),
                    Ok("unknown" | "timeout") => break Some(Answer::Unknown),
                    Ok(line) if line.starts_with("(error") => break Some(Answer::Refused),
                    Ok(_) => {}
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break None,
                }
            };
            let Some(answer) = answer else { break };
            answers.push(answer);
            // What an error means for what comes after it is not known.
            if answer == Answer::Refused {
                break;
            }
        }
        // The threads end when the process does.
        let _ = child.kill();
    });
    Ok(answers)
}
