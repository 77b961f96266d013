//! Commands other than `check`, `search` and `prove`.

pub(crate) mod device;
pub(crate) mod dump;
pub(crate) mod equiv;
pub(crate) mod manual;
pub(crate) mod program;
pub(crate) mod recheck;
pub(crate) mod repeat;
pub(crate) mod run;
