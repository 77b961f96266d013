//! Missing and redundant fences: what the exploration of all executions, and executions with store buffers, say about one kernel.

pub(crate) mod executed;
pub(crate) mod explored;
pub(crate) mod explorer;
mod fixes;
mod texts;
mod timeline;
