//! How an address names an object.
//!
//! The upper bits of an address are the number of its object, and the lower ones the offset plus half their range: so
//! after arithmetic that leaves the object, in either direction, the address still names it.
//!
//! A launch on its own has few objects, and much room for each. Objects that outlive launches
//! ([`crate::launch::resident`]) have addresses that the host sees, too: there an address must be one of the machine's
//! own, so there is less room for each.

/// The split of an address into object and offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Addresses {
    shift: u32,
}

impl Addresses {
    /// For a launch whose objects end with it.
    pub(crate) const OWN: Addresses = Addresses { shift: 40 };

    /// For a launch with objects that outlive it.
    pub(crate) const RESIDENT: Addresses = Addresses { shift: 33 };

    const fn bias(self) -> u64 {
        1 << (self.shift - 1)
    }

    /// The address of an object's first byte.
    #[inline(always)]
    pub(crate) const fn origin(self, object: usize) -> u64 {
        ((object as u64) << self.shift) | self.bias()
    }

    /// The object an address names.
    #[inline(always)]
    pub(crate) const fn object_of(self, address: u64) -> usize {
        (address >> self.shift) as usize
    }

    /// The maximum size of an object.
    pub(crate) const fn most_bytes(self) -> u64 {
        self.bias() - (1 << 20)
    }
}
