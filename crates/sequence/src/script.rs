//! Scripts: sequences as users write them.
//!
//! ```toml
//! compare = ["out"]
//!
//! [buffers]
//! x = "i32[64]:symbolic"   # as for --arg
//! partial = "i32[4]"       # without contents: nobody has written it
//! out = "i32[1]"
//!
//! [numbers]
//! n = 64
//!
//! [[step]]
//! launch = "sum.cl:sums_of_groups"
//! grid = 4
//! block = 16
//! args = { out = "partial" }
//!
//! [[step]]
//! free = "partial"
//! ```

use std::collections::BTreeMap;

use lockstep_finding::{ArgValue, Place};
use serde::Deserialize;
use toml::Spanned;

use crate::model::{Buffer, LaunchStep, Number, Sequence, Start, Step, Task};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    #[serde(default)]
    compare: Vec<String>,
    #[serde(default)]
    buffers: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    numbers: BTreeMap<String, Spanned<Value>>,
    #[serde(default)]
    step: Vec<Spanned<WrittenStep>>,
}

/// A step: one of its actions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    launch: Option<Spanned<String>>,
    grid: Option<Dims>,
    block: Option<Dims>,
    shared: Option<u32>,
    #[serde(default)]
    args: BTreeMap<String, Value>,
    copy: Option<Spanned<String>>,
    to: Option<String>,
    #[serde(default, rename = "async")]
    asynchronous: bool,
    fill: Option<Spanned<String>>,
    byte: Option<u8>,
    wait: Option<Spanned<bool>>,
    free: Option<Spanned<String>>,
}

impl WrittenStep {
    /// Where the value of its action begins.
    fn action(&self) -> Option<usize> {
        let texts = [&self.launch, &self.copy, &self.fill, &self.free];
        let text = texts.into_iter().flatten().map(|t| t.span().start).next();
        text.or_else(|| self.wait.as_ref().map(|w| w.span().start))
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Dims {
    One(u32),
    Several(Vec<u32>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    Integer(i64),
    Float(f64),
    Text(String),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Value::Integer(i) => i.to_string(),
            Value::Float(f) => format!("{f:?}"),
            Value::Text(text) => text.clone(),
        }
    }
}

impl Sequence {
    /// Reads a script, the text of the file of that name. A message names the line.
    pub fn parse(name: &str, text: &str) -> Result<Sequence, String> {
        let script: Script = toml::from_str(text).map_err(|e| {
            let line = e.span().map(|s| line_of(text, s.start));
            let message = e.message().lines().next().unwrap_or_default().to_owned();
            line.map_or(message.clone(), |line| format!("line {line}: {message}"))
        })?;
        let at = |start: usize, why: String| format!("line {}: {why}", line_of(text, start));
        let mut sequence =
            Sequence { name: name.to_owned(), compare: script.compare, ..Sequence::default() };
        for (name, value) in script.buffers {
            let start = value.span().start;
            let buffer = buffer(name, value.get_ref()).map_err(|e| at(start, e))?;
            sequence.buffers.push(buffer);
        }
        for (name, value) in script.numbers {
            let start = value.span().start;
            if sequence.buffer(&name).is_some() {
                return Err(at(start, format!("'{name}' is the name of a buffer already")));
            }
            let text = value.get_ref().text();
            let is_open = text == "symbolic";
            sequence.numbers.push(Number { name, value: (!is_open).then_some(text) });
        }
        for step in script.step {
            let start = step.span().start;
            let action = step.get_ref().action().unwrap_or(start);
            let task = task(&sequence, step.into_inner()).map_err(|e| at(start, e))?;
            sequence.steps.push(Step { task, place: place_of(name, text, action) });
        }
        match sequence.compare.iter().find(|name| sequence.buffer(name).is_none()) {
            Some(name) => Err(format!("compare: {}", no_buffer(&sequence, name))),
            None => Ok(sequence),
        }
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}

/// Where the line begins that has this offset.
fn place_of(name: &str, text: &str, offset: usize) -> Place {
    let line = line_of(text, offset) as u32;
    Place { file: name.to_owned(), line, column: 1, ..Place::default() }
}

fn buffer(name: String, text: &str) -> Result<Buffer, String> {
    let (text, start) = match text.strip_suffix(":symbolic") {
        Some(shape) => (shape, Start::Symbolic),
        None if text.contains(':') => (text, Start::Filled),
        None => (text, Start::Unwritten),
    };
    match ArgValue::parse(text) {
        Ok(ArgValue::Array(array)) => Ok(Buffer { name, array, start }),
        Ok(_) => Err(format!("buffer '{name}': an array is expected, as in f32[64]")),
        Err(e) => Err(format!("buffer '{name}': {e}")),
    }
}

fn no_buffer(sequence: &Sequence, name: &str) -> String {
    let names: Vec<&str> = sequence.buffers.iter().map(|b| b.name.as_str()).collect();
    let has = if names.is_empty() { "there are none".into() } else { names.join(", ") };
    format!("there is no buffer '{name}'; the buffers are: {has}")
}

fn task(sequence: &Sequence, written: WrittenStep) -> Result<Task, String> {
    let WrittenStep {
        launch,
        grid,
        block,
        shared,
        args,
        copy,
        to,
        asynchronous,
        fill,
        byte,
        wait,
        free,
    } = written;
    let actions =
        [launch.is_some(), copy.is_some(), fill.is_some(), wait.is_some(), free.is_some()];
    if actions.iter().filter(|is| **is).count() != 1 {
        return Err("a step has one of launch, copy, fill, wait and free".into());
    }
    let is_launch = launch.is_some();
    let beside = [
        ("grid", grid.is_some(), is_launch),
        ("block", block.is_some(), is_launch),
        ("shared", shared.is_some(), is_launch),
        ("args", !args.is_empty(), is_launch),
        ("to", to.is_some(), copy.is_some()),
        ("async", asynchronous, copy.is_some()),
        ("byte", byte.is_some(), fill.is_some()),
    ];
    if let Some((key, ..)) = beside.iter().find(|(_, is_there, belongs)| *is_there && !belongs) {
        return Err(format!("'{key}' does not belong to this step"));
    }
    let known = |name: String| match sequence.buffer(&name) {
        Some(_) => Ok(name),
        None => Err(no_buffer(sequence, &name)),
    };
    if let Some(from) = copy {
        let to = to.ok_or("a copy needs 'to', the buffer that it fills")?;
        let (from, to) = (known(from.into_inner())?, known(to)?);
        let size = |name: &str| sequence.buffer(name).map(|b| b.array.bytes());
        if size(&from) != size(&to) {
            return Err(format!("'{from}' and '{to}' have different sizes"));
        }
        return Ok(Task::Copy { from, to, asynchronous });
    }
    if let Some(buffer) = fill {
        return Ok(Task::Fill { buffer: known(buffer.into_inner())?, byte: byte.unwrap_or(0) });
    }
    if let Some(buffer) = free {
        return Ok(Task::Free { buffer: known(buffer.into_inner())? });
    }
    let Some(launch) = launch else {
        return match wait.map(Spanned::into_inner) {
            Some(true) => Ok(Task::Wait),
            _ => Err("wait = true".into()),
        };
    };
    let (file, kernel) = launch
        .get_ref()
        .rsplit_once(':')
        .filter(|(file, kernel)| !file.is_empty() && !kernel.is_empty())
        .ok_or("launch = \"FILE:KERNEL\" is expected")?;
    Ok(Task::Launch(LaunchStep {
        file: file.to_owned(),
        kernel: kernel.to_owned(),
        grid: dims("grid", grid)?,
        block: dims("block", block)?,
        shared: shared.unwrap_or(0),
        args: args.iter().map(|(name, value)| (name.clone(), value.text())).collect(),
    }))
}

fn dims(name: &str, written: Option<Dims>) -> Result<[u32; 3], String> {
    let values = match written {
        None => return Err(format!("a launch needs '{name}'")),
        Some(Dims::One(x)) => vec![x],
        Some(Dims::Several(values)) => values,
    };
    let mut dims = [1; 3];
    if values.is_empty() || values.len() > 3 || values.contains(&0) {
        return Err(format!("'{name}' has one to three numbers above zero"));
    }
    dims[..values.len()].copy_from_slice(&values);
    Ok(dims)
}
