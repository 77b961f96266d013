//! The source text of preconditions and assertions.
//!
//! The bitcode does not contain it, but it has the source location. Of a condition that spans several lines the first
//! is shown.

use lockstep_kernel::{Kernel, Op};

/// Fills in the text of every `__requires` and `__assert` in the input file itself.
pub(crate) fn quote(kernels: &mut [Kernel], input: &str, source: &str) {
    for k in kernels {
        let (locs, files) = (&k.locs, &k.files);
        for inst in k.blocks.iter_mut().flat_map(|b| &mut b.insts) {
            let (text, default) = match &mut inst.op {
                Op::Requires { text, .. } => (text, "__requires"),
                Op::Assert { message, .. } => (message, "__assert"),
                _ => continue,
            };
            if !text.is_empty() {
                continue;
            }
            let loc = &locs[inst.loc.0 as usize];
            let line = (files[loc.file as usize] == input && loc.line > 0)
                .then(|| source.lines().nth(loc.line as usize - 1))
                .flatten();
            let at = (loc.column as usize).saturating_sub(1);
            let condition = line.and_then(|l| condition(l.get(at..).unwrap_or(l)));
            *text = condition.unwrap_or(default).to_string();
        }
    }
}

/// `n > 4` of `__requires(n > 4);`.
fn condition(text: &str) -> Option<&str> {
    let start = text.find('(')? + 1;
    let mut depth = 1;
    for (i, c) in text[start..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(text[start..start + i].trim());
        }
    }
    Some(text[start..].trim_end())
}

#[cfg(test)]
mod tests {
    use super::condition;

    #[test]
    fn finds_the_condition() {
        assert_eq!(condition("__requires(n > (4));"), Some("n > (4)"));
        assert_eq!(condition("__assert(a &&"), Some("a &&"));
        assert_eq!(condition("x"), None);
    }
}
