//! Output of a kernel: `printf` and assertions.

mod format;

use lockstep_kernel::{LocId, Ty};

use crate::code::registers::{LANES, Slot, lanes_of};
use crate::code::steps::Prints;
use crate::machine::block::BlockRun;
use crate::machine::fault::Fault;
use crate::machine::observe::Observer;
use crate::machine::print::format::Arguments;
use crate::machine::world::World;

impl<O: Observer> BlockRun<'_, '_, O> {
    /// Reports the lanes whose condition is false, and returns them.
    pub(crate) fn assert(
        &mut self,
        w: usize,
        mask: u32,
        cond: Slot,
        message: &str,
        loc: LocId,
        world: &mut World<O>,
    ) -> u32 {
        let failed = mask & !self.regs(w).bits(cond);
        for l in lanes_of(failed) {
            let thread = self.warps[w].first_thread + l as u32;
            self.fault(w, &Fault::Assertion { loc, thread, message }, world);
        }
        failed
    }

    pub(crate) fn print(
        &mut self,
        w: usize,
        mask: u32,
        format: Slot,
        args: &Prints,
        world: &mut World<O>,
    ) {
        let regs = self.regs(w);
        for l in lanes_of(mask) {
            if self.printed.len() >= self.p.config.max_print {
                return;
            }
            let mut reader = Reader { run: self, world, lane: l };
            let text = reader.string_at(regs.w64(format)[l]);
            let line = match args {
                Prints::Buffer(b) => {
                    let mut a = BufferArgs { reader, address: regs.w64(*b)[l] };
                    format::format(&text, &mut a)
                }
                Prints::Values(values) => {
                    let values = values
                        .iter()
                        .map(|(ty, slots)| {
                            slots.iter().map(|s| (regs.lane(*s, *ty, l), *ty)).collect()
                        })
                        .collect();
                    let mut a = ValueArgs { reader, values, next: 0 };
                    format::format(&text, &mut a)
                }
            };
            self.printed.push_str(&line);
        }
    }
}

/// Reads the arguments of `printf` from memory. No observer is notified: these are not accesses of the kernel.
struct Reader<'a, 'w, 'p, 'k, O: Observer> {
    run: &'a mut BlockRun<'p, 'k, O>,
    world: &'a mut World<'w, O>,
    lane: usize,
}

impl<O: Observer> Reader<'_, '_, '_, '_, O> {
    /// Up to eight bytes of an object as the lane sees them, if they are there.
    fn read(&mut self, address: u64, bytes: u32) -> Option<u64> {
        let mut addresses = [0; LANES];
        addresses[self.lane] = address;
        let mask = 1 << self.lane;
        let t = self.run.memory.resolve_one(&addresses, mask, u64::from(bytes), 1)?;
        self.run.claim_read(&t, self.world).then(|| t.get(self.lane, 0, bytes))
    }

    fn string_at(&mut self, address: u64) -> String {
        let byte = |i| self.read(address + i, 1).map(|b| b as u8).filter(|b| *b != 0);
        let bytes: Vec<u8> = (0..4096).map_while(byte).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Arguments of CUDA's `vprintf`: a buffer with C's layout.
struct BufferArgs<'a, 'w, 'p, 'k, O: Observer> {
    reader: Reader<'a, 'w, 'p, 'k, O>,
    address: u64,
}

impl<O: Observer> Arguments for BufferArgs<'_, '_, '_, '_, O> {
    fn next(&mut self, wide: bool, real: bool) -> Option<(u64, Ty)> {
        let n: u32 = if wide || real { 8 } else { 4 };
        self.address = self.address.next_multiple_of(u64::from(n));
        let value = self.reader.read(self.address, n)?;
        self.address += u64::from(n);
        let ty = match (real, n) {
            (true, _) => Ty::F64,
            (_, 8) => Ty::I64,
            _ => Ty::I32,
        };
        Some((value, ty))
    }
    fn next_vector(&mut self) -> Option<Vec<(u64, Ty)>> {
        None
    }
    fn string(&mut self, address: u64) -> String {
        self.reader.string_at(address)
    }
}

/// Arguments of OpenCL's `printf`: values with types.
struct ValueArgs<'a, 'w, 'p, 'k, O: Observer> {
    reader: Reader<'a, 'w, 'p, 'k, O>,
    values: Vec<Vec<(u64, Ty)>>,
    next: usize,
}

impl<O: Observer> Arguments for ValueArgs<'_, '_, '_, '_, O> {
    fn next(&mut self, _: bool, _: bool) -> Option<(u64, Ty)> {
        self.next_vector()?.first().copied()
    }
    fn next_vector(&mut self) -> Option<Vec<(u64, Ty)>> {
        self.next += 1;
        self.values.get(self.next - 1).cloned()
    }
    fn string(&mut self, address: u64) -> String {
        self.reader.string_at(address)
    }
}
