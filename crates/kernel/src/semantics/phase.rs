//! Barrier objects in memory (`mbarrier`): what is in their 64 bits, and what an arrival does to them.
//!
//! PTX leaves the bits open. Here they are, lowest first: 20 bits of arrivals that are still to come in this phase, 20
//! bits of arrivals that each phase needs, 23 bits of bytes that are still to come (negative where bytes came before
//! they were expected), and the parity of the phase. A phase is over when no arrival and no byte is to come.
//!
//! An update ([`AtomicOp::Arrive`](crate::AtomicOp::Arrive)) has the same fields: arrivals, arrivals that later phases no
//! longer need, bytes that are expected from now on (negative: that have come).

const COUNT: u32 = 20;
const MASK: u64 = (1 << COUNT) - 1;

/// Where the fields begin.
pub const NEEDED: u32 = COUNT;
pub const BYTES: u32 = 2 * COUNT;
pub const PARITY: u32 = 63;

/// The bits of the field of bytes.
pub const BYTES_MASK: u64 = (1 << (PARITY - BYTES)) - 1;

fn bytes(word: u64) -> i64 {
    (word << 1) as i64 >> (BYTES + 1)
}

/// A barrier object after an update.
pub fn after(old: u64, update: u64) -> u64 {
    let left = (old & MASK).wrapping_sub(update & MASK) & MASK;
    let needed = (old >> NEEDED & MASK).wrapping_sub(update >> NEEDED & MASK) & MASK;
    let to_come = bytes(old).wrapping_add(bytes(update)) as u64 & BYTES_MASK;
    let parity = old >> PARITY;
    let (left, parity) = match (left, to_come) {
        (0, 0) => (needed, parity ^ 1),
        _ => (left, parity),
    };
    left | needed << NEEDED | to_come << BYTES | parity << PARITY
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 2 | 2 << NEEDED;

    fn update(arrivals: u64, bytes: i64) -> u64 {
        arrivals | (bytes as u64 & BYTES_MASK) << BYTES
    }

    #[test]
    fn a_phase_ends_with_the_last_arrival() {
        let one = after(START, update(1, 0));
        assert_eq!(one >> PARITY, 0);
        let two = after(one, update(1, 0));
        assert_eq!(two, START | 1 << PARITY);
        assert_eq!(after(after(two, update(1, 0)), update(1, 0)), START);
    }

    #[test]
    fn and_with_the_last_byte() {
        let armed = after(after(START, update(1, 64)), update(1, 0));
        assert_eq!((armed >> PARITY, bytes(armed)), (0, 64));
        assert_eq!(after(armed, update(0, -64)), START | 1 << PARITY);
        // Bytes that come first.
        let early = after(START, update(0, -64));
        assert_eq!((early >> PARITY, bytes(early)), (0, -64));
        assert_eq!(after(after(early, update(1, 64)), update(1, 0)), START | 1 << PARITY);
    }

    #[test]
    fn arrivals_are_dropped() {
        let dropped = after(START, 1 | 1 << NEEDED);
        assert_eq!(after(dropped, update(1, 0)), 1 | 1 << NEEDED | 1 << PARITY);
    }
}
