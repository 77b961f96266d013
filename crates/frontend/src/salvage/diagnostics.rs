//! Errors that clang wrote, with their places.

/// A place in a file, as clang names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// An error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) place: Place,
    pub(super) message: String,
    /// What asked for the template, or called the function, that it is in; innermost first.
    pub(super) requests: Vec<Place>,
}

/// All errors, in order. One without a place ends the attempt: `None`.
pub(super) fn parse(stderr: &str) -> Option<Vec<Problem>> {
    let mut out: Vec<Problem> = Vec::new();
    for line in stderr.lines() {
        let at = |word: &str| line.split_once(word).and_then(|(p, m)| Some((place(p)?, m)));
        if let Some((place, message)) = at(": fatal error: ").or_else(|| at(": error: ")) {
            out.push(Problem { place, message: message.to_owned(), requests: Vec::new() });
        } else if line.starts_with("error: ") || line.starts_with("fatal error: ") {
            return None;
        } else if let Some((place, message)) = at(": note: ")
            && let Some(last) = out.last_mut()
            && (message.ends_with("requested here") || message.starts_with("called by"))
        {
            last.requests.push(place);
        }
    }
    (!out.is_empty()).then_some(out)
}

/// `a.cu:3:7`.
fn place(text: &str) -> Option<Place> {
    let (rest, column) = text.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some(Place { file: file.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_with_requests() {
        let text = "In file included from a.cu:1:\nb.h:70:18: error: unknown type name 'T'\n   70 | T x;\n      | ^\n\
                    a.cu:5:3: note: in instantiation of function template specialization 'f<int>' requested here\n\
                    b.h:2:1: note: 'T' declared here\n1 error generated.\n";
        let place = |file: &str, line, column| Place { file: file.into(), line, column };
        let message = "unknown type name 'T'".into();
        let requests = vec![place("a.cu", 5, 3)];
        let expected = Problem { place: place("b.h", 70, 18), message, requests };
        assert_eq!(parse(text), Some(vec![expected]));
        assert_eq!(parse("error: unknown argument\n"), None);
        let given_up = "fatal error: too many errors emitted, stopping now [-ferror-limit=]\n";
        assert_eq!(parse(&format!("{text}{given_up}")), None);
    }
}
