//! What the first lines of a GPUVerify test say: the verdict expected, and what it rests on.
//!
//! The front end reads dimensions and flags ([`lockstep_frontend::HeadComment`]); this reads the rest.

/// What the suite's own tester expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// `//pass`: no race, no divergence, under the suite's assumptions.
    Pass,
    /// `//xfail:NOT_ALL_VERIFIED`: some defect, which need not be a race.
    Defect,
    /// `//xfail:` with the code of an error of the tool: nothing is said of the kernel.
    Nothing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) expect: Expect,
    /// The lines after the arguments: what the tool's output must match.
    pub(crate) output: Vec<String>,
}

/// The head of a file that has one.
pub(crate) fn head(text: &str) -> Option<Head> {
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let first = lines.next()?.strip_prefix("//")?.trim().to_ascii_lowercase();
    let expect = match first.split_once(':') {
        None if first == "pass" => Expect::Pass,
        None if first == "xfail" => Expect::Defect,
        Some(("xfail", "not_all_verified")) => Expect::Defect,
        Some(("xfail", _)) => Expect::Nothing,
        _ => return None,
    };
    let comments = lines.map_while(|l| l.strip_prefix("//")).map(str::trim);
    let output = comments.filter(|l| !l.is_empty() && !l.starts_with('-')).map(String::from);
    Some(Head { expect, output: output.collect() })
}

/// What kind of defect the expected output or the text names, as far as words tell.
pub(crate) fn defect_named(head: &Head, text: &str, args: &[String]) -> String {
    let mut says = Vec::new();
    let output = head.output.join(" ").to_ascii_lowercase();
    for (word, kind) in [
        ("race", "race"),
        ("divergen", "divergence"),
        ("assertion", "assertion"),
        ("invariant", "invariant"),
        ("precondition", "precondition"),
        ("requires", "precondition"),
        ("postcondition", "postcondition"),
        ("bounds", "bounds"),
        ("null pointer", "null pointer"),
    ] {
        if output.contains(word) && !says.contains(&kind) {
            says.push(kind);
        }
    }
    let mut out = if says.is_empty() {
        "head names no kind".to_string()
    } else {
        format!("head expects {}", says.join(" + "))
    };
    let code: Vec<&str> = text.lines().skip_while(|l| l.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let checked = ["__assert", "__ensures", "__requires", "invariant(", "__non_temporal"];
    let used: Vec<&str> = checked.into_iter().filter(|w| code.contains(w)).collect();
    if !used.is_empty() {
        out.push_str(&format!("; code has {}", used.join(", ")));
    }
    let telling = |a: &&String| {
        ["--check-", "--only-", "--no-benign", "--equality", "--adversarial", "--warp-sync"]
            .iter()
            .any(|p| a.starts_with(p))
    };
    let args: Vec<&str> = args.iter().filter(telling).map(String::as_str).collect();
    if !args.is_empty() {
        out.push_str(&format!("; {}", args.join(" ")));
    }
    out
}

/// Macros that put a defect into the kernel, where its preprocessor lines ask for them.
pub(crate) fn variants(text: &str) -> Vec<&'static str> {
    let asks = |name: &str| {
        text.lines().map(str::trim).filter(|l| l.starts_with("#if") || l.starts_with("#elif")).any(
            |l| l.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name),
        )
    };
    ["MUTATION", "KERNEL_BUG"].into_iter().filter(|m| asks(m)).collect()
}

/// `N` of `--warp-sync=N`.
pub(crate) fn warp_sync(args: &[String]) -> Option<u32> {
    args.iter().find_map(|a| a.strip_prefix("--warp-sync=")?.parse().ok()).filter(|&n| n > 0)
}

/// A reason without what only one kernel has: places, numbers, template arguments, and names in quotes.
pub(crate) fn general(reason: &str) -> String {
    let mut words = Vec::new();
    for word in reason.lines().next().unwrap_or("").split(' ') {
        let file = word.split(':').next().unwrap_or(word);
        words.push(if file.contains('/') || file.ends_with(".cu") || file.ends_with(".cl") {
            "line N"
        } else {
            word
        });
    }
    let mut out = String::new();
    let (mut quoted, mut depth, mut number) = (false, 0, false);
    for c in words.join(" ").chars() {
        let inside = quoted || depth > 0;
        match c {
            '`' => {
                quoted = !quoted;
                out.push_str(if quoted { "`" } else { "…`" });
            }
            '<' if !quoted => depth += 1,
            '>' if !quoted && depth > 0 => depth -= 1,
            _ if inside => {}
            _ if !c.is_ascii_digit() => out.push(c),
            _ if !number => out.push('N'),
            _ => {}
        }
        number = c.is_ascii_digit();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_in_either_case() {
        let pass = head("//PASS\n//--blockDim=64\n\n//comment").unwrap();
        assert_eq!(pass, Head { expect: Expect::Pass, output: vec![] });
        let fail = "//xfail:NOT_ALL_VERIFIED\r\n//--gridDim=1\r\n//error: possible race\r\nint x;";
        let fail = head(fail).unwrap();
        assert_eq!(fail.expect, Expect::Defect);
        assert_eq!(fail.output, ["error: possible race"]);
        assert_eq!(head("//xfail:BUGLE_ERROR\n").unwrap().expect, Expect::Nothing);
        assert_eq!(head("//passing through"), None);
        assert_eq!(head("__kernel void k();\n//pass"), None);
    }

    #[test]
    fn what_a_defect_is() {
        let text = "//xfail:NOT_ALL_VERIFIED\n//--x\n//this assertion might not hold\n__assert(0);";
        let args = ["--warp-sync=32".to_string(), "--no-inline".to_string()];
        assert_eq!(
            defect_named(&head(text).unwrap(), text, &args),
            "head expects assertion; code has __assert; --warp-sync=32"
        );
        let text = "//xfail:NOT_ALL_VERIFIED\n//--x\nint y;";
        assert_eq!(defect_named(&head(text).unwrap(), text, &[]), "head names no kind");
    }

    #[test]
    fn macros_that_put_defects_in() {
        assert_eq!(
            variants("#ifndef MUTATION\n  #if defined(KERNEL_BUG)"),
            ["MUTATION", "KERNEL_BUG"]
        );
        assert!(variants("// MUTATION\n#ifdef MUTATIONS\nint KERNEL_BUG;").is_empty());
    }

    #[test]
    fn warps_in_step() {
        assert_eq!(warp_sync(&["--no-inline".into(), "--warp-sync=16".into()]), Some(16));
        assert_eq!(warp_sync(&["--warp-sync=0".into()]), None);
        assert_eq!(warp_sync(&[]), None);
    }

    #[test]
    fn reasons_in_general() {
        assert_eq!(general("lines 12 and 345 of `f4(a)`\nmore"), "lines N and N of `…`");
        assert_eq!(general("call of tex2D<float, A<2>> at line 7"), "call of texND at line N");
        assert_eq!(general("at /a/b3.cl:12 and k.cu:9 in time"), "at line N and line N in time");
    }
}
