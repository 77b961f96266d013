//! What a kernel says itself: `printf` and assertions.

use lockstep_finding::{Access, Finding, Kind};
use lockstep_kernel::{LocId, Ty};

use crate::check::report::{Key, place};
use crate::code::decode::Prints;
use crate::code::lanes::Slot;
use crate::code::program::{object_of, origin};
use crate::machine::access::lanes_of;
use crate::machine::block::{BlockRun, World};
use crate::machine::print_format::{self, Arguments};

impl BlockRun<'_, '_> {
    /// Reports the lanes whose condition is false, and gives them back.
    pub(crate) fn assert(
        &mut self,
        w: usize,
        mask: u32,
        cond: Slot,
        message: &str,
        loc: LocId,
        world: &mut World,
    ) -> u32 {
        let failed = mask & !self.regs(w).bits(cond);
        for l in lanes_of(failed) {
            let thread = self.warps[w].first_thread + l as u32;
            let key = Key { kind: Kind::Assertion, places: [loc.0, loc.0], object: 0 };
            world.reports.add(key, false, || {
                let access = Access {
                    op: "assert".into(),
                    thread: Some(self.p.thread_at(self.block, thread)),
                    block: self.p.block_at(self.block),
                    place: place(self.p.kernel, loc),
                    value: None,
                    notes: Vec::new(),
                };
                let text = if message.is_empty() {
                    "assertion failed".into()
                } else {
                    format!("assertion failed: {message}")
                };
                let mut f = Finding::new(Kind::Assertion, text, vec![access]);
                f.help = vec!["the launch above makes the condition false for this thread".into()];
                f
            });
        }
        failed
    }

    pub(crate) fn print(&mut self, w: usize, mask: u32, format: Slot, args: &Prints) {
        let regs = self.regs(w);
        for l in lanes_of(mask) {
            if self.printed.len() >= self.p.config.max_print {
                return;
            }
            let text = self.string_at(regs.w64(format)[l]);
            let line = match args {
                Prints::Buffer(b) => {
                    let mut a = BufferArgs { run: self, lane: l, address: regs.w64(*b)[l] };
                    print_format::format(&text, &mut a)
                }
                Prints::Values(values) => {
                    let values = values
                        .iter()
                        .map(|(ty, slots)| {
                            slots.iter().map(|s| (regs.lane(*s, *ty, l), *ty)).collect()
                        })
                        .collect();
                    let mut a = ValueArgs { run: self, values, next: 0 };
                    print_format::format(&text, &mut a)
                }
            };
            self.printed.push_str(&line);
        }
    }

    /// Bytes of an object as the given lane sees them, if they are there.
    fn peek(&self, lane: usize, address: u64, len: u64) -> Option<&[u8]> {
        let object = object_of(address);
        let e = self.table.get(object)?;
        let offset = address.wrapping_sub(origin(object));
        if offset.checked_add(len)? > e.size {
            return None;
        }
        // SAFETY: just checked.
        Some(unsafe {
            let p = e.base.add((offset + lane as u64 * e.stride) as usize);
            std::slice::from_raw_parts(p, len as usize)
        })
    }

    fn string_at(&self, address: u64) -> String {
        let bytes: Vec<u8> = (0..4096)
            .map_while(|i| self.peek(0, address + i, 1).map(|b| b[0]).filter(|b| *b != 0))
            .collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Arguments of CUDA's `vprintf`: a buffer laid out as C does.
struct BufferArgs<'a, 'p, 'k> {
    run: &'a BlockRun<'p, 'k>,
    lane: usize,
    address: u64,
}

impl Arguments for BufferArgs<'_, '_, '_> {
    fn next(&mut self, wide: bool, real: bool) -> Option<(u64, Ty)> {
        let n: u64 = if wide || real { 8 } else { 4 };
        self.address = self.address.next_multiple_of(n);
        let bytes = self.run.peek(self.lane, self.address, n)?;
        self.address += n;
        let mut value = [0; 8];
        value[..n as usize].copy_from_slice(bytes);
        let ty = match (real, n) {
            (true, _) => Ty::F64,
            (_, 8) => Ty::I64,
            _ => Ty::I32,
        };
        Some((u64::from_le_bytes(value), ty))
    }
    fn next_vector(&mut self) -> Option<Vec<(u64, Ty)>> {
        None
    }
    fn string(&self, address: u64) -> String {
        self.run.string_at(address)
    }
}

/// Arguments of OpenCL's `printf`: values with types.
struct ValueArgs<'a, 'p, 'k> {
    run: &'a BlockRun<'p, 'k>,
    values: Vec<Vec<(u64, Ty)>>,
    next: usize,
}

impl Arguments for ValueArgs<'_, '_, '_> {
    fn next(&mut self, _: bool, _: bool) -> Option<(u64, Ty)> {
        self.next_vector()?.first().copied()
    }
    fn next_vector(&mut self) -> Option<Vec<(u64, Ty)>> {
        self.next += 1;
        self.values.get(self.next - 1).cloned()
    }
    fn string(&self, address: u64) -> String {
        self.run.string_at(address)
    }
}
