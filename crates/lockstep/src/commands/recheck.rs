//! `lockstep recheck`: proofs that were written down, checked by other solvers.

use std::time::Duration;

use lockstep_recheck::Options;

use crate::cli::options::{RecheckArgs, RecheckFormat};
use crate::cli::output;

/// As good as no limit.
const A_DAY: Duration = Duration::from_secs(24 * 3600);

/// Checks a log: the exit status.
pub(crate) fn recheck(args: &RecheckArgs) -> Result<u8, String> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let limit = Duration::try_from_secs_f64(args.timeout).unwrap_or(A_DAY).min(A_DAY);
    let jobs = args.jobs.unwrap_or_else(cores);
    let options = Options { solver: args.solver.solver(), limit, jobs };
    let report = lockstep_recheck::recheck(&args.dir, &options)?;
    let text = match args.format {
        RecheckFormat::Human => report.text(),
        RecheckFormat::Json => report.json(),
    };
    output::write_text(&text, args.output.as_deref())?;
    Ok(u8::from(!report.is_right()))
}
