//! Demangled C++ names.

use cpp_demangle::{DemangleOptions, Symbol};

fn full(mangled: &str) -> Option<String> {
    // The demangler also accepts types: it would read a C function called `f` as `float`.
    if !mangled.starts_with("_Z") && !mangled.starts_with("__Z") {
        return None;
    }
    let options = DemangleOptions::new().no_return_type();
    Symbol::new(mangled).ok()?.demangle_with_options(&options).ok()
}

/// `reduce<int, 256>` of `_Z6reduceIiLi256EEvPT_i`.
pub(crate) fn function(mangled: &str) -> String {
    match full(mangled) {
        Some(name) => strip_params(&name).to_string(),
        None => mangled.to_string(),
    }
}

/// `reduce<int, 256>(int*, int)` of `_Z6reduceIiLi256EEvPT_i`.
pub(crate) fn with_parameters(mangled: &str) -> String {
    full(mangled).unwrap_or_else(|| mangled.to_string())
}

/// Types of the parameters of a mangled function.
pub(crate) fn parameters(mangled: &str) -> Vec<String> {
    let Some(name) = full(mangled) else {
        return Vec::new();
    };
    let start = strip_params(&name).len();
    let inner = name[start..].trim_start_matches('(');
    let inner = inner.strip_suffix(')').unwrap_or(inner);
    split_top_level(inner)
        .into_iter()
        .map(|s| s.trim().to_string())
        .filter(|s| !s.is_empty() && s != "void")
        .collect()
}

/// `s` of `_ZZ6reducePfiE1s`.
pub(crate) fn variable(mangled: &str) -> String {
    let Some(name) = full(mangled) else {
        return mangled.to_string();
    };
    let mut depth = 0i32;
    let mut start = 0;
    let bytes = name.as_bytes();
    for (i, &c) in bytes.iter().enumerate() {
        match c {
            b'(' | b'<' | b'[' | b'{' => depth += 1,
            b')' | b'>' | b']' | b'}' => depth -= 1,
            b':' if depth == 0 && i > 0 && bytes[i - 1] == b':' => start = i + 1,
            _ => {}
        }
    }
    name[start..].to_string()
}

/// The name without its parameter list: everything before the last top-level parenthesis group.
fn strip_params(name: &str) -> &str {
    let trimmed = name.trim_end();
    let mut depth = 0i32;
    for (i, c) in trimmed.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => {
                depth -= 1;
                if depth == 0 {
                    return trimmed[..i].trim_end();
                }
            }
            _ if depth == 0 && i + 1 == trimmed.len() => return trimmed,
            _ => {}
        }
    }
    trimmed
}

fn split_top_level(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(function("_Z6reduceIfLi256EEvPT_S1_i1P1Q"), "reduce<float, 256>");
        assert_eq!(function("k"), "k");
        assert_eq!(function("f"), "f");
        assert_eq!(
            parameters("_Z6reduceIfLi256EEvPT_S1_i1P1Q"),
            ["float*", "float*", "int", "P", "Q"]
        );
        assert_eq!(variable("_ZZ6reducePfiE1s"), "s");
        assert_eq!(variable("_ZN2ns3tabE"), "tab");
    }
}
