//! The formats of a report, and which of them a run writes.

use std::path::PathBuf;

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For terminals
    Human,
    /// One line per finding, file:line:col
    Concise,
    /// One JSON object, for scripts (schemas/report.schema.json)
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
    /// Annotations for GitHub workflows
    Github,
    /// One self-contained page, for browsers
    Html,
}

/// A format that is written to a file, beside the report itself: `sarif=lockstep.sarif`.
#[derive(Clone, Debug)]
pub(crate) struct Also {
    pub(crate) format: Format,
    pub(crate) file: PathBuf,
}

impl Also {
    pub(crate) fn parse(text: &str) -> Result<Also, String> {
        let (format, file) = text.split_once('=').ok_or("FORMAT=FILE expected")?;
        let format = Format::from_str(format, false).map_err(|_| {
            let known = Format::value_variants().iter().filter_map(Format::to_possible_value);
            let names: Vec<String> = known.map(|v| v.get_name().to_owned()).collect();
            format!("'{format}' is no format: {}", names.join(", "))
        })?;
        if file.is_empty() {
            return Err("the name of a file is missing after '='".into());
        }
        Ok(Also { format, file: file.into() })
    }
}
