//! What a proof rests on, and where each part of it comes from.
//!
//! Nothing about a launch is taken for given without an [`Origin`]: a [`Fact`] cannot be made without one, and a
//! [`Condition`] carries it to the verdict. What the user said is not repeated there; everything else is.

mod claim;
mod statement;

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

pub use claim::Claim;
pub use statement::{Contents, FloatAssumption, Statement};

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
    /// Every launch that a program was recorded to make.
    RecordedLaunches,
    /// One of several different launches that were recorded.
    RecordedLaunch,
    /// Nobody said it: the proof needs it, or it is the usual value.
    Choice,
}

impl Origin {
    /// Whether the user said it, and so need not be told.
    pub fn is_users(self) -> bool {
        matches!(self, Origin::CommandLine | Origin::Annotation)
    }

    /// Whether it was seen when a program ran.
    pub fn is_recorded(self) -> bool {
        matches!(self, Origin::RecordedLaunches | Origin::RecordedLaunch)
    }

    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Origin::CommandLine => "command-line",
            Origin::Annotation => "annotation",
            Origin::LaunchBounds => "launch-bounds",
            Origin::HostLaunches => "host-launches",
            Origin::HostLaunch => "host-launch",
            Origin::RecordedLaunches => "recorded-launches",
            Origin::RecordedLaunch => "recorded-launch",
            Origin::Choice => "choice",
        }
    }

    /// For a reader, behind a condition; nothing where the condition is all there is to say.
    fn words(self) -> Option<&'static str> {
        match self {
            Origin::LaunchBounds => Some("launch bounds"),
            Origin::HostLaunches => Some("every launch in this file"),
            Origin::HostLaunch => Some("a launch in this file"),
            Origin::RecordedLaunches => Some("in all recorded launches"),
            Origin::RecordedLaunch => Some("in a recorded launch"),
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    pub claim: Claim,
    pub origin: Origin,
}

impl Condition {
    pub fn new(claim: impl Into<Claim>, origin: Origin) -> Condition {
        Condition { claim: claim.into(), origin }
    }

    /// Adds conditions, but for those that follow from one that is there.
    pub fn add(to: &mut Vec<Condition>, more: impl IntoIterator<Item = Condition>) {
        for condition in more {
            if !to.iter().any(|c| c.claim.implies(&condition.claim)) {
                to.push(condition);
            }
        }
    }

    /// All of them in one line, for a reader. What comes from one place is named once.
    pub fn line(conditions: &[Condition]) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (i, c) in conditions.iter().enumerate() {
            let is_last = conditions.get(i + 1).is_none_or(|next| next.origin != c.origin);
            parts.push(if is_last { c.to_string() } else { c.claim.to_string() });
        }
        parts.join(" and ")
    }

    /// What has to hold for one of several proofs to hold, each of all launches that satisfy its own conditions: what they
    /// have in common, and one of the rests.
    pub fn any_of(proofs: &[&[Condition]], origin: Origin) -> Vec<Condition> {
        let has =
            |list: &[Condition], c: &Condition| list.iter().any(|o| o.claim.implies(&c.claim));
        let is_common = |c: &Condition| proofs.iter().all(|list| has(list, c));
        let mut out: Vec<Condition> = Vec::new();
        let common = proofs.iter().flat_map(|list| list.iter()).filter(|c| is_common(c));
        Condition::add(&mut out, common.cloned());
        let mut rests = Vec::new();
        for list in proofs {
            let rest: Vec<Claim> =
                list.iter().filter(|c| !is_common(c)).map(|c| c.claim.clone()).collect();
            if rest.is_empty() {
                return out;
            }
            rests.push(Claim::all(rest));
        }
        if !rests.is_empty() {
            out.push(Condition::new(Claim::any(rests), origin));
        }
        out
    }
}

/// One that Lockstep itself asks for.
impl From<Claim> for Condition {
    fn from(claim: Claim) -> Condition {
        Condition::new(claim, Origin::Choice)
    }
}

impl From<Statement> for Condition {
    fn from(statement: Statement) -> Condition {
        Condition::new(statement, Origin::Choice)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.origin.words() {
            Some(words) => write!(f, "{} ({words})", self.claim),
            None => self.claim.fmt(f),
        }
    }
}

/// When a finding shows that some launches do not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct When {
    pub claim: Claim,
    /// It is true of some launches that show the finding, and there are others.
    pub is_example: bool,
}

impl When {
    /// The finding shows there, and nowhere else.
    pub fn exactly(claim: impl Into<Claim>) -> When {
        When { claim: claim.into(), is_example: false }
    }

    /// The finding shows there, and elsewhere.
    pub fn for_example(claim: impl Into<Claim>) -> When {
        When { claim: claim.into(), is_example: true }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.is_example {
            f.write_str("for example ")?;
        }
        self.claim.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Expr;

    fn holds(text: &str) -> Claim {
        Claim::Holds(Expr::parse(text).unwrap())
    }

    #[test]
    fn an_origin_is_named_once_for_what_comes_from_it() {
        let host = |text: &str| Condition::new(holds(text), Origin::HostLaunches);
        let all = [holds("n > 0").into(), host("blockDim.x == 32"), host("n == 64")];
        let line = "n > 0 and blockDim.x == 32 and n == 64 (every launch in this file)";
        assert_eq!(Condition::line(&all), line);
    }

    #[test]
    fn a_condition_is_added_once() {
        let mut all: Vec<Condition> = vec![holds("n > 0").into()];
        let again = Condition::new(holds("n >= 0"), Origin::HostLaunch);
        Condition::add(&mut all, [again, holds("n < 9").into()]);
        assert_eq!(all, [holds("n > 0").into(), holds("n < 9").into()]);
    }

    #[test]
    fn one_of_several_proofs() {
        let of = |lists: &[&[&str]]| -> Vec<String> {
            let list = |texts: &&[&str]| -> Vec<Condition> {
                texts.iter().map(|t| holds(t).into()).collect()
            };
            let lists: Vec<Vec<Condition>> = lists.iter().map(list).collect();
            let lists: Vec<&[Condition]> = lists.iter().map(Vec::as_slice).collect();
            let joined = Condition::any_of(&lists, Origin::HostLaunch);
            joined.into_iter().map(|c| c.claim.to_string()).collect()
        };
        assert_eq!(of(&[&["a", "b"], &["a", "c", "d"]]), ["a", "b || (c && d)"]);
        assert_eq!(of(&[&["b"], &["c"], &["b"], &["d"]]), ["b || c || d"]);
        assert_eq!(of(&[&["a", "b"], &["a"]]), ["a"]);
        assert_eq!(of(&[&["a"], &["a"]]), ["a"]);
        assert_eq!(of(&[&["n == 32"], &["n <= 64"]]), ["n <= 64"]);
    }
}
