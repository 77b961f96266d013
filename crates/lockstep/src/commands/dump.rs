//! `lockstep dump`: the kernels as the engines see them.

use lockstep_finding::InputError;

use crate::cli::options::DumpArgs;
use crate::cli::output;
use crate::facts::load::{self, Source, error};

pub(crate) fn dump(args: &DumpArgs) -> Result<(), InputError> {
    let source = Source::open(&args.file)?;
    let module = source.load(&args.input)?;
    let kernels = load::select(&module.kernels, &args.input.kernel);
    if kernels.is_empty() {
        let (wanted, all) = (args.input.kernel.join("', '"), load::names(&module.kernels));
        return Err(error(&source.name, load::no_kernel(&wanted, &all)));
    }
    let texts: Vec<String> = kernels.iter().map(|k| lockstep_kernel::dump::dump(k)).collect();
    output::write_text(&texts.join("\n"), args.output.as_deref()).map_err(|m| error("", m))
}
