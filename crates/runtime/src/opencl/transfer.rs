//! Commands that read, write, copy and fill buffers.
//!
//! What does not fit is told when a command is enqueued; the bytes move when it is executed.

use std::ffi::c_void;

use opencl_sys::{
    CL_COMMAND_COPY_BUFFER, CL_COMMAND_COPY_BUFFER_RECT, CL_COMMAND_FILL_BUFFER,
    CL_COMMAND_MIGRATE_MEM_OBJECTS, CL_COMMAND_READ_BUFFER, CL_COMMAND_READ_BUFFER_RECT,
    CL_COMMAND_WRITE_BUFFER, CL_COMMAND_WRITE_BUFFER_RECT, CL_INVALID_OPERATION, CL_INVALID_VALUE,
    CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, CL_MEM_COPY_OVERLAP, CL_MEM_HOST_NO_ACCESS,
    CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, cl_bool, cl_command_queue, cl_command_type,
    cl_event, cl_int, cl_mem, cl_mem_flags, cl_mem_migration_flags,
};

use crate::device::Device;
use crate::opencl::answer::{handles, list};
use crate::opencl::buffers::Buffer;
use crate::opencl::command::{Command, Enqueue, enqueued};
use crate::opencl::{Call, Outcome, code, code_of};
use crate::site::Site;
use crate::transfer::{Copy, DEFAULT, Side};

/// Bytes of a row, rows of a slice, slices.
type Region = [usize; 3];

/// One side of a transfer: in a buffer or of the host.
#[derive(Clone, Copy)]
struct End {
    /// A buffer, or the address in the host's memory.
    at: usize,
    is_buffer: bool,
    origin: [usize; 3],
    row_pitch: usize,
    slice_pitch: usize,
}

impl End {
    fn buffer(buffer: cl_mem, offset: usize) -> End {
        let (at, origin) = (buffer as usize, [offset, 0, 0]);
        End { at, is_buffer: true, origin, row_pitch: 0, slice_pitch: 0 }
    }

    fn host(at: *const c_void) -> End {
        let at = at as usize;
        End { at, is_buffer: false, origin: [0; 3], row_pitch: 0, slice_pitch: 0 }
    }

    fn with_rows(self, origin: [usize; 3], row_pitch: usize, slice_pitch: usize) -> End {
        End { origin, row_pitch, slice_pitch, ..self }
    }

    /// Rows follow each other where no distance is given.
    fn pitches(&self, region: Region) -> Outcome<(u64, u64)> {
        let row = if self.row_pitch == 0 { region[0] } else { self.row_pitch };
        let slice = if self.slice_pitch == 0 { region[1] * row } else { self.slice_pitch };
        let too_small = row < region[0] || slice < region[1] * row || slice % row.max(1) != 0;
        if too_small { Err(CL_INVALID_VALUE) } else { Ok((row as u64, slice as u64)) }
    }

    /// The bytes from the start of the buffer to the first byte.
    fn offset(&self, (row, slice): (u64, u64)) -> u64 {
        self.origin[0] as u64 + self.origin[1] as u64 * row + self.origin[2] as u64 * slice
    }
}

/// Whether all bytes of a side are in its buffer, and it may be accessed so.
fn side(
    d: &mut Device,
    call: &Call,
    end: &End,
    region: Region,
    writes: bool,
    forbidden: cl_mem_flags,
) -> Outcome<Side> {
    let (pitch, slice) = end.pitches(region)?;
    let offset = end.offset((pitch, slice));
    if !end.is_buffer {
        if end.at == 0 {
            return Err(CL_INVALID_VALUE);
        }
        return Ok(Side { at: end.at as u64 + offset, pitch, slice });
    }
    let own = d.object::<Buffer>(end.at, call)?;
    let (address, all, flags) = (own.address(), own.size, own.flags);
    let [width, height, depth] = region.map(|n| n as u64);
    let last = (depth - 1) * slice + (height - 1) * pitch + width;
    if offset.checked_add(last).is_none_or(|end| end > all) {
        let verb = if writes { "writes" } else { "reads" };
        let bytes = match height * depth {
            1 => format!("{width} bytes"),
            _ => format!("{last} bytes ({} rows of {width})", height * depth),
        };
        let told = format!("{verb} {bytes} at byte {offset} of a buffer of {all} bytes");
        let help = "transfer no more than the buffer has; offsets and sizes count bytes";
        return d.wrong(call, CL_INVALID_VALUE, told, help);
    }
    if flags & forbidden != 0 {
        let told = "accesses a buffer that was created with CL_MEM_HOST flags that forbid it";
        return d.wrong(call, CL_INVALID_OPERATION, told, "create the buffer with other flags");
    }
    not_mapped(d, call, end.at, writes)?;
    Ok(Side { at: address + offset, pitch, slice })
}

/// A buffer must not be mapped for what a command does to it.
fn not_mapped(d: &mut Device, call: &Call, buffer: usize, writes: bool) -> Outcome {
    let written = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    let Some(own) = d.peek::<Buffer>(buffer) else { return Ok(()) };
    let Some(map) = own.maps.iter().find(|m| writes || m.flags & written != 0) else {
        return Ok(());
    };
    let told = format!(
        "{} a buffer that is mapped (clEnqueueMapBuffer{})",
        if writes { "writes" } else { "reads" },
        map.site.told()
    );
    let help = "unmap a buffer before other commands use it";
    let (site, message) = (call.site.clone(), format!("{} {told}", call.name));
    d.misuse(&site, message, help);
    Ok(())
}

/// Enqueues a transfer.
///
/// # Safety
///
/// The wait list has as many events as it says, the place for the event is null or one, and the host's side has the bytes
/// that are transferred, until that is done.
unsafe fn transfer(
    name: &'static str,
    how: Enqueue,
    (to, from): (End, End),
    region: Region,
) -> cl_int {
    let make = |d: &mut Device, call: &Call| {
        if region.contains(&0) {
            // Newer versions allow transfers of nothing; older ones do not.
            return Err(CL_INVALID_VALUE);
        }
        let no_write = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
        let no_read = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
        let target = side(d, call, &to, region, true, if from.is_buffer { 0 } else { no_write })?;
        let source = side(d, call, &from, region, false, if to.is_buffer { 0 } else { no_read })?;
        let shape = region.map(|n| n as u64);
        if to.is_buffer && from.is_buffer && overlap(target, source, shape) {
            let help = "copy through another buffer, or in pieces that do not overlap";
            return d.wrong(call, CL_MEM_COPY_OVERLAP, "copies onto itself", help);
        }
        let ends = [to, from].into_iter().filter(|e| e.is_buffer);
        let uses: Vec<usize> = ends.map(|e| e.at).collect();
        let (name, site): (_, Site) = (call.name, call.site.clone());
        let deed = move |d: &mut Device| {
            let copy = Copy { name, site: &site };
            d.copy(&copy, (target, source), shape, DEFAULT).map_err(code_of)
        };
        Ok((Command::new(uses, deed), ()))
    };
    // SAFETY: as the caller says.
    code(unsafe { enqueued(name, how, make) })
}

/// Whether any byte is on both sides.
fn overlap(a: Side, b: Side, [width, height, depth]: [u64; 3]) -> bool {
    let rows = |s: Side| (0..depth).flat_map(move |z| (0..height).map(move |y| s.row(y, z)));
    let end = |s: Side| s.row(height - 1, depth - 1) + width;
    if end(a) <= b.at || end(b) <= a.at {
        return false;
    }
    let mut starts: Vec<u64> = rows(b).collect();
    starts.sort_unstable();
    rows(a).any(|start| {
        let next = starts.partition_point(|s| s + width <= start);
        starts.get(next).is_some_and(|s| *s < start + width)
    })
}

/// # Safety
///
/// As for [`transfer`].
pub(super) unsafe extern "C" fn clEnqueueReadBuffer(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    to: *mut c_void,
    count: u32,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let how = Enqueue::new(queue, CL_COMMAND_READ_BUFFER, count, list, event).blocking(blocking);
    let ends = (End::host(to), End::buffer(buffer, offset));
    // SAFETY: as the caller says.
    unsafe { transfer("clEnqueueReadBuffer", how, ends, [size, 1, 1]) }
}

/// # Safety
///
/// As for [`transfer`].
pub(super) unsafe extern "C" fn clEnqueueWriteBuffer(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    from: *const c_void,
    count: u32,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let how = Enqueue::new(queue, CL_COMMAND_WRITE_BUFFER, count, list, event).blocking(blocking);
    let ends = (End::buffer(buffer, offset), End::host(from));
    // SAFETY: as the caller says.
    unsafe { transfer("clEnqueueWriteBuffer", how, ends, [size, 1, 1]) }
}

/// # Safety
///
/// As for [`transfer`].
pub(super) unsafe extern "C" fn clEnqueueCopyBuffer(
    queue: cl_command_queue,
    source: cl_mem,
    target: cl_mem,
    source_offset: usize,
    target_offset: usize,
    size: usize,
    count: u32,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let how = Enqueue::new(queue, CL_COMMAND_COPY_BUFFER, count, list, event);
    let ends = (End::buffer(target, target_offset), End::buffer(source, source_offset));
    // SAFETY: as the caller says.
    unsafe { transfer("clEnqueueCopyBuffer", how, ends, [size, 1, 1]) }
}

/// Three numbers, where the program has them.
///
/// # Safety
///
/// There are three numbers, or the pointer is null.
unsafe fn three(at: *const usize) -> Outcome<[usize; 3]> {
    // SAFETY: as the caller says.
    let all = unsafe { list(3, at) };
    <[usize; 3]>::try_from(all).map_err(|_| CL_INVALID_VALUE)
}

/// # Safety
///
/// As for [`transfer`]; origins and the region have three numbers.
unsafe fn rectangle(
    name: &'static str,
    how: Enqueue,
    (to, to_origin, to_pitches): (End, *const usize, (usize, usize)),
    (from, from_origin, from_pitches): (End, *const usize, (usize, usize)),
    region: *const usize,
) -> cl_int {
    // SAFETY: as the caller says.
    let all = unsafe { (three(to_origin), three(from_origin), three(region)) };
    let (Ok(to_origin), Ok(from_origin), Ok(region)) = all else { return CL_INVALID_VALUE };
    let to = to.with_rows(to_origin, to_pitches.0, to_pitches.1);
    let from = from.with_rows(from_origin, from_pitches.0, from_pitches.1);
    // SAFETY: as the caller says.
    unsafe { transfer(name, how, (to, from), region) }
}

/// # Safety
///
/// As for [`rectangle`].
pub(super) unsafe extern "C" fn clEnqueueReadBufferRect(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_row: usize,
    buffer_slice: usize,
    host_row: usize,
    host_slice: usize,
    to: *mut c_void,
    count: u32,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let how = Enqueue::new(queue, CL_COMMAND_READ_BUFFER_RECT, count, list, event);
    let target = (End::host(to), host_origin, (host_row, host_slice));
    let source = (End::buffer(buffer, 0), buffer_origin, (buffer_row, buffer_slice));
    let how = how.blocking(blocking);
    // SAFETY: as the caller says.
    unsafe { rectangle("clEnqueueReadBufferRect", how, target, source, region) }
}

/// # Safety
///
/// As for [`rectangle`].
pub(super) unsafe extern "C" fn clEnqueueWriteBufferRect(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_row: usize,
    buffer_slice: usize,
    host_row: usize,
    host_slice: usize,
    from: *const c_void,
    count: u32,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let how = Enqueue::new(queue, CL_COMMAND_WRITE_BUFFER_RECT, count, list, event);
    let target = (End::buffer(buffer, 0), buffer_origin, (buffer_row, buffer_slice));
    let source = (End::host(from), host_origin, (host_row, host_slice));
    let how = how.blocking(blocking);
    // SAFETY: as the caller says.
    unsafe { rectangle("clEnqueueWriteBufferRect", how, target, source, region) }
}

/// # Safety
///
/// As for [`rectangle`].
pub(super) unsafe extern "C" fn clEnqueueCopyBufferRect(
    queue: cl_command_queue,
    source: cl_mem,
    target: cl_mem,
    source_origin: *const usize,
    target_origin: *const usize,
    region: *const usize,
    source_row: usize,
    source_slice: usize,
    target_row: usize,
    target_slice: usize,
    count: u32,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let how = Enqueue::new(queue, CL_COMMAND_COPY_BUFFER_RECT, count, list, event);
    let to = (End::buffer(target, 0), target_origin, (target_row, target_slice));
    let from = (End::buffer(source, 0), source_origin, (source_row, source_slice));
    // SAFETY: as the caller says.
    unsafe { rectangle("clEnqueueCopyBufferRect", how, to, from, region) }
}

/// The sizes of patterns: those of scalars and vectors.
const PATTERNS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// # Safety
///
/// The pattern has as many bytes as it says; the rest as for [`transfer`].
pub(super) unsafe extern "C" fn clEnqueueFillBuffer(
    queue: cl_command_queue,
    buffer: cl_mem,
    pattern: *const c_void,
    pattern_size: usize,
    offset: usize,
    size: usize,
    count: u32,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let how = Enqueue::new(queue, CL_COMMAND_FILL_BUFFER, count, events, event);
    let make = |d: &mut Device, call: &Call| {
        let fits = PATTERNS.contains(&pattern_size)
            && offset.is_multiple_of(pattern_size)
            && size.is_multiple_of(pattern_size);
        if !fits || size == 0 || pattern.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let target = side(d, call, &End::buffer(buffer, offset), [size, 1, 1], true, 0)?;
        // SAFETY: as the caller says.
        let pattern = unsafe { list(pattern_size as u32, pattern.cast::<u8>()) };
        let bytes: Vec<u8> = pattern.iter().copied().cycle().take(size).collect();
        let (name, site): (_, Site) = (call.name, call.site.clone());
        let deed = move |d: &mut Device| {
            let copy = Copy { name, site: &site };
            let source = Side::flat(bytes.as_ptr().cast());
            d.copy(&copy, (target, source), [bytes.len() as u64, 1, 1], DEFAULT).map_err(code_of)
        };
        Ok((Command::new(vec![buffer as usize], deed), ()))
    };
    // SAFETY: as the caller says.
    code(unsafe { enqueued("clEnqueueFillBuffer", how, make) })
}

/// There is one device, where all memory is.
///
/// # Safety
///
/// Lists have the lengths that are given.
pub(super) unsafe extern "C" fn clEnqueueMigrateMemObjects(
    queue: cl_command_queue,
    objects: u32,
    all: *const cl_mem,
    _flags: cl_mem_migration_flags,
    count: u32,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let kind: cl_command_type = CL_COMMAND_MIGRATE_MEM_OBJECTS;
    let how = Enqueue::new(queue, kind, count, list, event);
    let make = |d: &mut Device, call: &Call| {
        if objects == 0 || all.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: as the caller says.
        let all = unsafe { handles(objects, all) };
        for buffer in &all {
            d.object::<Buffer>(*buffer, call)?;
        }
        Ok((Command::new(all, |_| Ok(())), ()))
    };
    // SAFETY: as the caller says.
    code(unsafe { enqueued("clEnqueueMigrateMemObjects", how, make) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_overlap_only_where_bytes_do() {
        let side = |at| Side { at, pitch: 16, slice: 64 };
        // Columns beside each other, in the same rows.
        assert!(!overlap(side(0), side(8), [8, 4, 1]));
        assert!(overlap(side(0), side(7), [8, 4, 1]));
        assert!(overlap(side(0), side(36), [8, 4, 1]));
        assert!(!overlap(side(0), side(64), [16, 4, 1]));
    }
}
