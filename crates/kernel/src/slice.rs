//! The part of a kernel that computes addresses and the branches around accesses.

use crate::Kernel;

/// The kernel without what cannot change which addresses are accessed.
pub fn address_slice(kernel: &Kernel) -> Kernel {
    kernel.clone()
}
