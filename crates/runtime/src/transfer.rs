//! Copies and fills between the host and the device, of every shape, for all interfaces.

use std::ffi::{c_int, c_void};
use std::ops::Range;

use lockstep_finding::{Kind, Severity};

use crate::device::Device;
use crate::error::{Failed, Status};
use crate::memory::{Spot, Use};
use crate::order::{self, Deed};
use crate::site::Site;

/// `cudaMemcpyKind`.
pub(crate) const HOST_TO_HOST: c_int = 0;
pub(crate) const HOST_TO_DEVICE: c_int = 1;
pub(crate) const DEVICE_TO_HOST: c_int = 2;
pub(crate) const DEVICE_TO_DEVICE: c_int = 3;
pub(crate) const DEFAULT: c_int = 4;

/// Rows of bytes, as one side of a copy has them: the start, the distances between rows and between slices.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    pub at: u64,
    pub pitch: u64,
    pub slice: u64,
}

impl Side {
    pub(crate) fn flat(at: *const c_void) -> Side {
        Side { at: at as u64, pitch: 0, slice: 0 }
    }

    pub(crate) fn rows(at: *const c_void, pitch: usize) -> Side {
        Side { at: at as u64, pitch: pitch as u64, slice: 0 }
    }

    pub(crate) fn row(&self, y: u64, z: u64) -> u64 {
        self.at + y * self.pitch + z * self.slice
    }
}

/// Bytes of a row, rows of a slice, slices.
pub(crate) type Shape = [u64; 3];

/// What a side of a copy is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    Host,
    /// An allocation of the runtime, and how it is used.
    Of(Spot, Use),
}

impl Home {
    fn is_on_host(self) -> bool {
        matches!(self, Home::Host | Home::Of(_, Use::Pinned | Use::Managed | Use::Registered))
    }

    fn is_on_device(self) -> bool {
        !matches!(self, Home::Host)
    }
}

pub(crate) struct Copy<'a> {
    pub name: &'static str,
    pub site: &'a Site,
}

impl Device {
    pub(crate) fn home(&self, address: u64) -> Home {
        let spot = self.memory.find(address);
        let used = spot.and_then(|s| Some((s, self.memory.get(s.slot)?.used)));
        used.map_or(Home::Host, |(spot, used)| Home::Of(spot, used))
    }

    /// Whether the host has the memory at an address, by itself or with the device.
    pub(crate) fn is_of_host(&self, address: u64) -> bool {
        !matches!(self.home(address), Home::Of(_, Use::Device | Use::Variable))
    }

    /// Whether all bytes of a side are there.
    pub(crate) fn within(
        &mut self,
        copy: &Copy,
        verb: &str,
        home: Home,
        side: Side,
        shape: Shape,
    ) -> Result<(), Failed> {
        let [width, height, depth] = shape;
        let Home::Of(spot, _) = home else {
            if side.at == 0 {
                let message = format!("{} is given a null pointer to {verb}", copy.name);
                self.misuse(copy.site, message, "look at whether the allocation has failed");
                return Failed::with(Status::INVALID_VALUE);
            }
            return Ok(());
        };
        let Some(a) = self.memory.get(spot.slot) else {
            return Failed::with(Status::INVALID_VALUE);
        };
        let last = (height - 1) * side.pitch + (depth - 1) * side.slice + width;
        let of = format!("memory of {}{}", a.call, a.site.told());
        let end = spot.offset + last as i64;
        let (message, help) = if let Some((by, at)) = &a.freed {
            let was = format!("that was freed before: {by}{}", at.told());
            (format!("{} {verb}s {of} {was}", copy.name), "free memory after its last use")
        } else if spot.offset < 0 || end > a.size as i64 {
            let bytes = if height * depth == 1 {
                format!("{width} bytes")
            } else {
                format!("{} bytes ({height} rows of {width})", last)
            };
            let what = format!(
                "{} {verb}s {bytes} at byte {} of {of}, which has {} bytes",
                copy.name, spot.offset, a.size
            );
            (what, "copy no more than both sides have, and count in bytes")
        } else {
            return Ok(());
        };
        self.misuse(copy.site, message, help);
        Failed::with(Status::INVALID_VALUE)
    }

    pub(crate) fn copy(
        &mut self,
        copy: &Copy,
        (to, from): (Side, Side),
        shape: Shape,
        kind: c_int,
    ) -> Result<(), Failed> {
        let [width, height, depth] = shape;
        if width * height * depth == 0 {
            return Ok(());
        }
        let (target, source) = (self.home(to.at), self.home(from.at));
        self.direction(copy, kind, target, source)?;
        self.within(copy, "read", source, from, shape)?;
        self.within(copy, "write", target, to, shape)?;
        let has_rows = height * depth > 1;
        if has_rows && (to.pitch < width || from.pitch < width) && height > 1 {
            let message = format!(
                "{} copies rows of {width} bytes, with a pitch of {}",
                copy.name,
                to.pitch.min(from.pitch)
            );
            self.misuse(copy.site, message, "the pitch is the distance between rows, in bytes");
            return Failed::with(Status::INVALID_VALUE);
        }
        self.reads_nothing(copy, target, source, from, shape);
        self.order.call(copy.name, copy.site, None);
        // CUDA waits where memory of the host is written that is not pinned, and has read it when it returns. And the pattern
        // of a fill is nobody's.
        let reads_later = copy.name.starts_with("cl") && copy.name != "clEnqueueFillBuffer";
        for (home, side, deed) in [(target, to, Deed::Write), (source, from, Deed::Read)] {
            if home != Home::Host || reads_later {
                self.uses_rows(home, side, shape, deed);
            }
        }
        for z in 0..depth {
            for y in 0..height {
                let (t, s) = (to.row(y, z), from.row(y, z));
                let (t_at, s_at) =
                    (self.bytes_at(target, t, to.at), self.bytes_at(source, s, from.at));
                // SAFETY: both sides have these bytes: of the device, as `within` has seen, and of the host, as the
                // program says. They may be the same.
                unsafe { std::ptr::copy(s_at.cast_const(), t_at, width as usize) };
                self.mark(target, t - to.at, source, s - from.at, width);
            }
        }
        Ok(())
    }

    /// The work that has begun touches a side of a copy.
    fn uses_rows(&mut self, home: Home, side: Side, shape: Shape, deed: Deed) {
        const MOST_ROWS: u64 = 4096;
        let [width, height, depth] = shape;
        if !self.order.is_active() || height * depth > MOST_ROWS {
            return;
        }
        let (place, start) = match home {
            Home::Host => (order::Home::Host, side.at),
            Home::Of(spot, _) => (order::Home::Slot(spot.slot), spot.offset as u64),
        };
        let rows = (0..depth).flat_map(|z| (0..height).map(move |y| (y, z)));
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for (y, z) in rows {
            let from = start + side.row(y, z) - side.at;
            match ranges.last_mut() {
                Some(last) if last.end == from => last.end = from + width,
                _ => ranges.push(from..from + width),
            }
        }
        ranges.sort_by_key(|r| r.start);
        self.order.touch(place, deed, ranges);
    }

    /// Whether a copy goes where its direction says.
    fn direction(
        &mut self,
        copy: &Copy,
        kind: c_int,
        target: Home,
        source: Home,
    ) -> Result<(), Failed> {
        let (to_device, from_device) = match kind {
            HOST_TO_HOST => (false, false),
            HOST_TO_DEVICE => (true, false),
            DEVICE_TO_HOST => (false, true),
            DEVICE_TO_DEVICE => (true, true),
            DEFAULT => return Ok(()),
            _ => {
                let message = format!("{} is given {kind} as its direction", copy.name);
                self.misuse(copy.site, message, "use one of cudaMemcpyKind");
                return Failed::with(Status::INVALID_DIRECTION);
            }
        };
        let fits = |home: Home, device: bool| {
            if device { home.is_on_device() } else { home.is_on_host() }
        };
        let side = |device: bool| if device { "the device" } else { "the host" };
        let wrong = [("destination", target, to_device), ("source", source, from_device)]
            .into_iter()
            .find(|(_, home, device)| !fits(*home, *device));
        let Some((which, _, device)) = wrong else { return Ok(()) };
        let message = format!(
            "{} copies from {} to {}, but its {which} is memory of {}",
            copy.name,
            side(from_device),
            side(to_device),
            side(!device)
        );
        self.misuse(
            copy.site,
            message,
            "the direction must be that of the pointers; cudaMemcpyDefault finds it out",
        );
        Failed::with(Status::INVALID_VALUE)
    }

    /// Where the bytes at an address are; `start` is the address that `home` was found for.
    pub(crate) fn bytes_at(&self, home: Home, address: u64, start: u64) -> *mut u8 {
        match home {
            Home::Host => address as *mut u8,
            Home::Of(spot, _) => {
                let base = self.memory.bytes(spot.slot).unwrap_or(std::ptr::null_mut());
                base.wrapping_offset(spot.offset as isize).wrapping_add((address - start) as usize)
            }
        }
    }

    /// What was copied has a value where it had one.
    fn mark(&mut self, target: Home, to: u64, source: Home, from: u64, width: u64) {
        let Home::Of(t, _) = target else { return };
        let to = t.offset as u64 + to;
        match source {
            Home::Of(s, _) => {
                let from = (s.slot, s.offset as u64 + from);
                self.memory.resident.copy_written((t.slot, to), from, width);
            }
            Home::Host => self.memory.resident.mark_written(t.slot, to, width),
        }
    }

    /// A copy to the host of memory that nobody has written is worth a word.
    pub(crate) fn reads_nothing(
        &mut self,
        copy: &Copy,
        target: Home,
        source: Home,
        from: Side,
        shape: Shape,
    ) {
        let (Home::Host, Home::Of(spot, _)) = (target, source) else { return };
        if !self.is_checked() {
            return;
        }
        let [width, height, depth] = shape;
        let rows = (0..depth).flat_map(|z| (0..height).map(move |y| (y, z)));
        let offset = |(y, z): (u64, u64)| spot.offset as u64 + from.row(y, z) - from.at;
        let resident = &self.memory.resident;
        if rows.map(offset).any(|at| resident.has_value(spot.slot, at, width)) {
            return;
        }
        let Some(a) = self.memory.get(spot.slot) else { return };
        let message = format!(
            "{} copies memory of {}{} to the host, and nothing has written any of it",
            copy.name,
            a.call,
            a.site.told()
        );
        let help =
            "look at whether the kernel that should write it was launched, and reaches its stores";
        self.host_finding(Kind::UninitialisedRead, Severity::Warning, copy.site, message, help);
    }

    pub(crate) fn fill(
        &mut self,
        copy: &Copy,
        to: Side,
        value: c_int,
        shape: Shape,
    ) -> Result<(), Failed> {
        self.fill_with(copy, to, &[value as u8], shape)
    }

    /// Fills with a pattern; the width is a multiple of its length.
    pub(crate) fn fill_with(
        &mut self,
        copy: &Copy,
        to: Side,
        pattern: &[u8],
        shape: Shape,
    ) -> Result<(), Failed> {
        let [width, height, depth] = shape;
        if width * height * depth == 0 {
            return Ok(());
        }
        let home = self.home(to.at);
        let Home::Of(spot, _) = home else {
            let message = format!("{} is given memory that is not the device's", copy.name);
            self.misuse(copy.site, message, "fill memory of the host with memset");
            return Failed::with(Status::INVALID_VALUE);
        };
        self.within(copy, "write", home, to, shape)?;
        self.order.call(copy.name, copy.site, None);
        self.uses_rows(home, to, shape, Deed::Write);
        for z in 0..depth {
            for y in 0..height {
                let row = to.row(y, z);
                let at = self.bytes_at(home, row, to.at);
                // SAFETY: the allocation has these bytes, as `within` has seen.
                unsafe {
                    match pattern {
                        [byte] => std::ptr::write_bytes(at, *byte, width as usize),
                        _ => {
                            let row = std::slice::from_raw_parts_mut(at, width as usize);
                            let parts = row.chunks_exact_mut(pattern.len());
                            parts.for_each(|part| part.copy_from_slice(pattern));
                        }
                    }
                }
                let offset = spot.offset as u64 + (row - to.at);
                self.memory.resident.mark_written(spot.slot, offset, width);
            }
        }
        Ok(())
    }
}
