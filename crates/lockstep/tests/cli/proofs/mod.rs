//! Proofs: what is printed of them, and what others make of those that are written down.

mod prove;
mod recheck;
