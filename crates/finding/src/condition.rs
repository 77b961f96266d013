//! What a proof rests on, and where each part of it comes from.
//!
//! Nothing about a launch is taken for given without an [`Origin`]: a [`Fact`] cannot be made without one, and a
//! [`Condition`] carries it to the verdict. What the user said is not repeated there; everything else is.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// Where something that is taken for given about a launch comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The command line, or the settings of the project.
    CommandLine,
    /// The source, in words meant for tools: a head comment, a precondition, a required block size.
    Annotation,
    /// `__launch_bounds__`.
    LaunchBounds,
    /// Every launch that the host code of the file makes.
    HostLaunches,
    /// One of several different launches of the host code, or one beside others that could not be read.
    HostLaunch,
    /// Nobody said it: the proof needs it, or it is the usual value.
    Choice,
}

impl Origin {
    /// Whether the user said it, and so need not be told.
    pub fn is_users(self) -> bool {
        matches!(self, Origin::CommandLine | Origin::Annotation)
    }

    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Origin::CommandLine => "command-line",
            Origin::Annotation => "annotation",
            Origin::LaunchBounds => "launch-bounds",
            Origin::HostLaunches => "host-launches",
            Origin::HostLaunch => "host-launch",
            Origin::Choice => "choice",
        }
    }

    /// For a reader, behind a condition; nothing where the condition is all there is to say.
    fn words(self) -> Option<&'static str> {
        match self {
            Origin::LaunchBounds => Some("launch bounds"),
            Origin::HostLaunches => Some("every launch in this file"),
            Origin::HostLaunch => Some("a launch in this file"),
            Origin::CommandLine | Origin::Annotation | Origin::Choice => None,
        }
    }
}

/// A value of a launch that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact<T> {
    pub value: T,
    pub origin: Origin,
}

impl<T> Fact<T> {
    pub fn new(value: T, origin: Origin) -> Fact<T> {
        Fact { value, origin }
    }
}

impl<T> Deref for Fact<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// Something that has to hold for a verdict to hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// An expression of C over parameters and dimensions where there is one, else a sentence.
    pub text: String,
    pub origin: Origin,
}

impl Condition {
    pub fn new(text: impl Into<String>, origin: Origin) -> Condition {
        Condition { text: text.into(), origin }
    }

    /// Adds conditions, each once, whoever said it first.
    pub fn add(to: &mut Vec<Condition>, more: impl IntoIterator<Item = Condition>) {
        for condition in more {
            if !to.iter().any(|c| c.text == condition.text) {
                to.push(condition);
            }
        }
    }

    /// All of them in one line, for a reader. What comes from one place is named once.
    pub fn line(conditions: &[Condition]) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (i, c) in conditions.iter().enumerate() {
            let is_last = conditions.get(i + 1).is_none_or(|next| next.origin != c.origin);
            parts.push(if is_last { c.to_string() } else { c.text.clone() });
        }
        parts.join(" and ")
    }
}

/// One that Lockstep itself asks for.
impl From<String> for Condition {
    fn from(text: String) -> Condition {
        Condition::new(text, Origin::Choice)
    }
}

impl From<&str> for Condition {
    fn from(text: &str) -> Condition {
        Condition::new(text, Origin::Choice)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.origin.words() {
            Some(words) => write!(f, "{} ({words})", self.text),
            None => f.write_str(&self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_named_once_for_what_comes_from_it() {
        let host = |text: &str| Condition::new(text, Origin::HostLaunches);
        let all = ["n > 0".into(), host("blockDim.x == 32"), host("n == 64")];
        let line = "n > 0 and blockDim.x == 32 and n == 64 (every launch in this file)";
        assert_eq!(Condition::line(&all), line);
    }

    #[test]
    fn a_condition_is_added_once() {
        let mut all: Vec<Condition> = vec!["n > 0".into()];
        let again = Condition::new("n > 0", Origin::HostLaunch);
        Condition::add(&mut all, [again, "n < 9".into()]);
        assert_eq!(all, ["n > 0".into(), "n < 9".into()]);
    }
}
