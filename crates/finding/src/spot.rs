//! Where something is, as every format names it.
//!
//! A compiler gives a point, in bytes: for `sums[t] += x` that of the operator. Reports name the start of the expression,
//! in characters. A finding has one primary place; each format, the language server, fingerprints and suppressions
//! take it from here, so that they agree on file, line and column.

use std::fmt;

use crate::source::{Sources, expression_at, line_range};
use crate::{Access, Finding, KernelReport, Place};

/// A stretch of one line, columns in characters from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub file: String,
    pub line: u32,
    /// None where only the line is known.
    pub column: Option<u32>,
    /// Excluded; none where the text is not known.
    pub end_column: Option<u32>,
}

impl Spot {
    /// The expression at a place of the compiler's.
    pub fn of(place: &Place, sources: &mut Sources) -> Spot {
        let bare = Spot {
            file: place.file.clone(),
            line: place.line,
            column: Some(place.column.max(1)),
            end_column: None,
        };
        let Some(text) = sources.text(&place.file) else { return bare };
        let Some(line) = line_range(&text, place.line) else { return bare };
        let line = &text[line];
        let bytes = expression_at(line, place.column);
        let column = |byte: usize| line[..byte].chars().count() as u32 + 1;
        let (start, end) = (column(bytes.start), column(bytes.end));
        Spot { column: Some(start), end_column: Some(end.max(start + 1)), ..bare }
    }

    /// The one place of a finding: that of its primary access, or the kernel where none has a line.
    pub fn primary(kernel: &KernelReport, finding: &Finding, sources: &mut Sources) -> Spot {
        match finding.primary() {
            Some(access) => Spot::of(&access.place, sources),
            None => Spot {
                file: kernel.text_file().to_owned(),
                line: kernel.line,
                column: None,
                end_column: None,
            },
        }
    }
}

/// `reduce.cu:16:25`, `reduce.cu:7` where only the line is known, or `reduce.cu`.
impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line == 0 {
            return Ok(());
        }
        write!(f, ":{}", self.line)?;
        self.column.map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}

impl Finding {
    /// Which of the accesses is the primary one: the first that has a line.
    pub fn primary_index(&self) -> Option<usize> {
        self.accesses.iter().position(|a| a.place.line > 0)
    }

    /// The access whose place is that of the finding.
    pub fn primary(&self) -> Option<&Access> {
        Some(&self.accesses[self.primary_index()?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::samples;

    #[test]
    fn the_start_of_the_expression_in_characters() {
        let mut sources = Sources::new();
        sources.insert("k.cu", "/* é */ a[i] += 1;\n");
        let place = samples::place("k.cu", 1, 15);
        let spot = Spot::of(&place, &mut sources);
        assert_eq!((spot.column, spot.end_column), (Some(9), Some(16)));
        assert_eq!(spot.to_string(), "k.cu:1:9");
        let gone = samples::place("gone.cu", 3, 0);
        assert_eq!(Spot::of(&gone, &mut sources).to_string(), "gone.cu:3:1");
    }

    #[test]
    fn the_first_access_with_a_line_or_the_kernel() {
        let (mut kernel, mut sources) = (samples::kernel(), samples::sources());
        let mut spot = |kernel: &KernelReport| {
            Spot::primary(kernel, &kernel.findings[0], &mut sources).to_string()
        };
        assert_eq!(spot(&kernel), "reduce.cu:7:13");
        kernel.findings[0].accesses[0].place.line = 0;
        assert_eq!(spot(&kernel), "reduce.cu:7:23");
        kernel.findings[0].accesses.clear();
        assert_eq!(spot(&kernel), "reduce.cu:1");
    }
}
