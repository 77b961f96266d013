//! Kinds of finding, as options name them.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use lockstep_finding::Kind;

/// A kind by its name; the names are what completion scripts offer.
#[derive(Clone)]
pub(crate) struct KindParser;

impl TypedValueParser for KindParser {
    type Value = Kind;

    fn parse_ref(
        &self,
        cmd: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Kind, clap::Error> {
        parse_kind.parse_ref(cmd, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Kind::ALL.iter().map(|kind| PossibleValue::new(kind.name()))))
    }
}

fn parse_kind(text: &str) -> Result<Kind, String> {
    Kind::from_name(text.trim()).ok_or_else(|| {
        let names: Vec<_> = Kind::ALL.iter().map(|k| k.name()).collect();
        format!("no such kind of finding; the kinds are {}", names.join(", "))
    })
}
