//! What `check` and `fences` have beside the options of all commands: symbolic execution, with arguments that stand for every
//! value, and weak execution.

use clap::Args;

use crate::cli::options::{FilesArgs, WeakArgs};

#[derive(Debug, Args)]
pub(crate) struct CheckCommandArgs {
    #[command(flatten)]
    pub(crate) of: FilesArgs,
    #[command(flatten)]
    pub(crate) paths: PathArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FencesCommandArgs {
    #[command(flatten)]
    pub(crate) of: FilesArgs,
    #[command(flatten)]
    pub(crate) weak: WeakArgs,
}

/// What is executed symbolically.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Symbolic execution")]
pub(crate) struct PathArgs {
    /// Execute symbolically, too: at the dimensions of the launch, for all contents of arrays and all scalars that are not given
    #[arg(long)]
    pub(crate) symbolic: bool,
    /// Iterations of a loop whose end depends on symbolic values
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub(crate) unroll: u32,
    /// Parameters, by name or position, of which the user says that they may have every value.
    #[arg(skip)]
    pub(crate) declared: Vec<String>,
}

impl Default for PathArgs {
    fn default() -> PathArgs {
        PathArgs { symbolic: false, unroll: 128, declared: Vec::new() }
    }
}

/// The word that stands for every value.
const SYMBOLIC: &str = "symbolic";

impl PathArgs {
    /// Takes what is given as symbolic out of the arguments of a launch: of an array, its size stays there.
    pub(crate) fn take(mut self, args: &mut Vec<String>) -> Result<PathArgs, String> {
        let mut kept = Vec::new();
        for arg in args.drain(..) {
            let declared = arg.split_once('=').and_then(|(name, value)| {
                let rest = value.trim_end().strip_suffix(SYMBOLIC)?.trim_end();
                let array = rest.strip_suffix(':');
                (rest.is_empty() || array.is_some()).then(|| (name.to_owned(), array))
            });
            let Some((name, array)) = declared else {
                kept.push(arg);
                continue;
            };
            if !self.symbolic {
                return Err(format!("--arg '{arg}': 'check' takes it with --symbolic"));
            }
            kept.extend(array.map(|array| format!("{name}={array}")));
            self.declared.push(name.trim().to_owned());
        }
        *args = kept;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbolic_arguments_are_taken_out() {
        let words = ["n=symbolic", "x=i32[8]:symbolic", "y=f32[8]:iota", "m=3"];
        let mut args: Vec<String> = words.map(str::to_owned).to_vec();
        let paths = PathArgs { symbolic: true, ..PathArgs::default() }.take(&mut args).unwrap();
        assert_eq!(paths.declared, ["n", "x"]);
        assert_eq!(args, ["x=i32[8]", "y=f32[8]:iota", "m=3"]);
        let mut args = vec!["n=symbolic".to_owned()];
        assert!(PathArgs::default().take(&mut args).is_err());
    }
}
