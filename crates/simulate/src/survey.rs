//! Which barriers of a block stand between which accesses.

use crate::program::Program;
use crate::race::BlockRaces;
use crate::watch::Seen;

pub(crate) struct Survey;
pub(crate) struct BlockSurvey;

impl BlockSurvey {
    pub(crate) fn access(
        &mut self,
        _survey: &mut Survey,
        _program: &Program,
        _races: &BlockRaces,
        _clock: u32,
        _first_thread: u32,
        _seen: &Seen<'_>,
    ) {
    }
}
