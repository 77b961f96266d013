//! The options of `clBuildProgram` and its like: one table of what OpenCL knows.

use std::ffi::OsString;

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// clang gets it.
    Compiler,
    /// It says how fast or precise code of a device may be, or what else it may do: the simulator does what the source says.
    Nothing,
    /// clang gets a macro in its place.
    Macro(&'static str),
}

/// Options without a value, or with one behind `=`.
const OPTIONS: &[(&str, Use)] = &[
    ("-cl-std=", Use::Compiler),
    ("-cl-single-precision-constant", Use::Compiler),
    ("-cl-uniform-work-group-size", Use::Compiler),
    ("-cl-fast-relaxed-math", Use::Macro("-D__FAST_RELAXED_MATH__=1")),
    ("-cl-kernel-arg-info", Use::Nothing),
    ("-cl-denorms-are-zero", Use::Nothing),
    ("-cl-fp32-correctly-rounded-divide-sqrt", Use::Nothing),
    ("-cl-opt-disable", Use::Nothing),
    ("-cl-strict-aliasing", Use::Nothing),
    ("-cl-mad-enable", Use::Nothing),
    ("-cl-no-signed-zeros", Use::Nothing),
    ("-cl-unsafe-math-optimizations", Use::Nothing),
    ("-cl-finite-math-only", Use::Nothing),
    ("-cl-nv-", Use::Nothing),
    ("-g", Use::Nothing),
    ("-O", Use::Nothing),
    ("-w", Use::Compiler),
    ("-Werror", Use::Compiler),
    // Of clLinkProgram.
    ("-create-library", Use::Nothing),
    ("-enable-link-options", Use::Nothing),
];

/// Options for the compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub compiler: Vec<String>,
    /// `-create-library`
    pub library: bool,
}

/// Takes a text of options apart. An option that nobody knows is the error.
pub(super) fn parse(text: &str) -> Result<Options, String> {
    let mut options = Options::default();
    let mut words = words(text).into_iter();
    while let Some(word) = words.next() {
        let taken = ["-D", "-I"].into_iter().find_map(|o| Some((o, word.strip_prefix(o)?)));
        if let Some((option, value)) = taken {
            let value = if value.is_empty() { words.next() } else { Some(value.to_owned()) };
            let Some(value) = value else { return Err(word) };
            options.compiler.push(format!("{option}{value}"));
            continue;
        }
        let fits = |o: &str| word == o || (o.ends_with(['=', '-', 'O']) && word.starts_with(o));
        match OPTIONS.iter().find(|(o, _)| fits(o)).map(|(_, u)| *u) {
            Some(Use::Compiler) => options.compiler.push(word),
            Some(Use::Macro(text)) => options.compiler.push(text.to_owned()),
            Some(Use::Nothing) => options.library |= word == "-create-library",
            None => return Err(word),
        }
    }
    // What OpenCL 1.2 compiles as, where nobody says more.
    if !options.compiler.iter().any(|o| o.starts_with("-cl-std=")) {
        options.compiler.push("-cl-std=CL1.2".to_owned());
    }
    Ok(options)
}

impl Options {
    pub(super) fn arguments(&self) -> Vec<OsString> {
        self.compiler.iter().map(OsString::from).collect()
    }
}

/// Words of a text, with spaces in quotes.
fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, '\\') if quote != Some('\'') => {
                word.get_or_insert_default().extend(letters.next());
            }
            (None, c) if c.is_whitespace() => all.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    all.extend(word);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_of_opencl() {
        let compiler = |text: &str| parse(text).map(|o| o.compiler.join("|"));
        let parsed = compiler("-D N=4 -DT=float  -I 'a b' -cl-mad-enable -cl-std=CL2.0");
        assert_eq!(parsed.as_deref(), Ok("-DN=4|-DT=float|-Ia b|-cl-std=CL2.0"));
        let parsed = compiler("-cl-fast-relaxed-math -Werror -cl-nv-verbose");
        assert_eq!(parsed.as_deref(), Ok("-D__FAST_RELAXED_MATH__=1|-Werror|-cl-std=CL1.2"));
        assert_eq!(compiler(r#"-DS=\"x\""#).as_deref(), Ok(r#"-DS="x"|-cl-std=CL1.2"#));
        assert_eq!(compiler("-fno-such"), Err("-fno-such".to_owned()));
        assert_eq!(compiler("-D"), Err("-D".to_owned()));
    }
}
