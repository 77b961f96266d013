//! Input and output of a launch: arguments, the layout of memory, the outcome.

pub(crate) mod addresses;
pub mod bind;
pub(crate) mod bytes;
pub(crate) mod layout;
pub(crate) mod outcome;
pub(crate) mod request;
pub(crate) mod resident;
pub(crate) mod store_buffers;
pub(crate) mod touched;
pub(crate) mod written;
