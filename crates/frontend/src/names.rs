//! Names registers after the variables of the source.
//!
//! clang names the second `i` of a function `i19`, and generates names such as `cond14`. A name that is not a word of
//! the source loses its number, and if the result is not a word of the source either, it is dropped. If the source
//! cannot be read (IR without it), names are unchanged. A variable `i19` in another function of the source cannot be
//! distinguished from the generated name.

use std::collections::{HashMap, HashSet};

use lockstep_kernel::Kernel;

/// Corrects the names in kernels that come from `input`, which has this text.
pub(crate) fn mend(kernels: &mut [Kernel], input: &str, text: &str) {
    let mut words: HashMap<String, Option<HashSet<String>>> = HashMap::new();
    words.insert(input.to_owned(), Some(words_of(text)));
    for kernel in kernels {
        let own = words[input].as_ref();
        if kernel.reg_names.iter().all(|(_, name)| own.is_some_and(|words| words.contains(name))) {
            continue;
        }
        let files = kernel.files.clone();
        for file in &files {
            words.entry(file.clone()).or_insert_with(|| {
                let bytes = std::fs::read(lockstep_names::path(file)).ok()?;
                Some(words_of(&String::from_utf8_lossy(&bytes)))
            });
        }
        let Some(known) = files.iter().map(|f| words[f].as_ref()).collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        let is_word = |name: &str| known.iter().any(|words| words.contains(name));
        kernel.reg_names.retain_mut(|(_, name)| {
            if !name.chars().all(is_of_a_word) || is_word(name) {
                return true;
            }
            name.truncate(name.trim_end_matches(|c: char| c.is_ascii_digit()).len());
            !name.is_empty() && is_word(name)
        });
    }
}

fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn words_of(text: &str) -> HashSet<String> {
    text.split(|c| !is_of_a_word(c)).filter(|w| !w.is_empty()).map(str::to_owned).collect()
}
