//! The vocabulary of answers: [`Finding`], [`Verdict`], [`Launch`], [`Report`],
//! and one renderer per output format.
//!
//! **Architecture Invariant:** nothing here knows how a finding was made. An
//! engine fills in the plain data of [`model`] and [`launch`]; a renderer turns
//! it into bytes. Two engines that agree produce the same finding.

pub mod action;
pub mod condition;
pub mod counts;
pub mod explain;
pub mod fingerprint;
pub mod kinds;
pub mod launch;
pub mod model;

pub mod reason;
pub mod recorded;
pub mod render;
pub mod source;
pub mod spot;
pub mod trace;
pub mod witnesses;

pub use action::{Action, MemorySpace};
pub use condition::{Claim, Condition, Contents, Fact, FloatAssumption, Origin, Statement, When};
pub use counts::{Counted, Counts, Standing};
pub use kinds::{About, DecidedBy, KINDS, Kind, Precision};
pub use launch::{ArgValue, ArrayContents, ArraySpec, ElementType, Launch, Witness};
pub use model::*;
pub use reason::{Dependent, NotCompared, NotFollowed, Question, Reason, SourceLine, Stopped};
pub use spot::Spot;
pub use trace::*;
