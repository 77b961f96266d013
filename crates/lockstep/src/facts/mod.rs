//! What is known of a kernel and its launches before any engine looks at it: from the file, the host code and the command line.

pub(crate) mod architecture;
pub(crate) mod assume;
pub(crate) mod incomplete;
pub(crate) mod launch_facts;
pub(crate) mod load;
pub(crate) mod relations;
pub(crate) mod witness;
