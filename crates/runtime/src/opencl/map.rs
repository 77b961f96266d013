//! Mapped memory: the program gets a pointer to a buffer's bytes until it gives it back.

use std::ffi::c_void;

use opencl_sys::{
    CL_COMMAND_MAP_BUFFER, CL_COMMAND_UNMAP_MEM_OBJECT, CL_INVALID_OPERATION, CL_INVALID_VALUE,
    CL_MAP_FAILURE, CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION,
    CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, cl_bool,
    cl_command_queue, cl_event, cl_int, cl_map_flags, cl_mem,
};

use crate::device::Device;
use crate::memory::Spot;
use crate::opencl::buffers::{Buffer, Map};
use crate::opencl::command::{Command, Enqueue, enqueued};
use crate::opencl::{Call, Outcome, code, made};
use crate::order::{self, Deed};
use crate::transfer::{Copy, Home, Side};

const WRITES: cl_map_flags = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

/// # Safety
///
/// The wait list has as many events as it says; the places for the event and the code are null or one.
pub(super) unsafe extern "C" fn clEnqueueMapBuffer(
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    flags: cl_map_flags,
    offset: usize,
    size: usize,
    count: u32,
    list: *const cl_event,
    event: *mut cl_event,
    code: *mut cl_int,
) -> *mut c_void {
    let how = Enqueue::new(queue, CL_COMMAND_MAP_BUFFER, count, list, event).blocking(blocking);
    let make = |d: &mut Device, call: &Call| map(d, call, buffer as usize, flags, (offset, size));
    // SAFETY: as the caller says.
    unsafe {
        let at = enqueued("clEnqueueMapBuffer", how, make);
        made(code, at)
    }
}

fn map(
    d: &mut Device,
    call: &Call,
    buffer: usize,
    flags: cl_map_flags,
    (offset, size): (usize, usize),
) -> Outcome<(Command, usize)> {
    let own = d.object::<Buffer>(buffer, call)?;
    let (all, slot, host, start) = (own.size, own.slot, own.host, own.origin + offset as u64);
    if flags & !(CL_MAP_READ | WRITES) != 0 || size == 0 {
        return Err(CL_INVALID_VALUE);
    }
    let no_read = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
    let no_write = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    let forbidden = (flags & CL_MAP_READ != 0 && own.flags & no_read != 0)
        || (flags & WRITES != 0 && own.flags & no_write != 0);
    if forbidden {
        return Err(CL_INVALID_OPERATION);
    }
    if offset.checked_add(size).is_none_or(|end| end as u64 > all) {
        let told = format!("maps {size} bytes at byte {offset} of a buffer of {all} bytes");
        let help = "map no more than the buffer has; offset and size count bytes";
        return d.wrong(call, CL_INVALID_VALUE, told, help);
    }
    let bytes = d.memory.bytes(slot).ok_or(CL_MAP_FAILURE)? as usize + start as usize;
    let at = if host == 0 { bytes } else { host + offset };
    let site = call.site.clone();
    let map = Map { at, offset: offset as u64, size: size as u64, flags, site: site.clone() };
    if let Some(own) = d.peek_mut::<Buffer>(buffer) {
        own.maps.push(map);
    }
    let name = call.name;
    let deed = move |d: &mut Device| {
        d.order.call(name, &site, None);
        let deed = if flags & CL_MAP_READ != 0 { Deed::Read } else { Deed::Write };
        let bytes_used = start..start + size as u64;
        d.order.touch(order::Home::Slot(slot), deed, vec![bytes_used]);
        if flags & CL_MAP_READ != 0 {
            let source =
                Side { at: lockstep_simulate::Resident::address(slot) + start, pitch: 0, slice: 0 };
            let home = d.home(source.at);
            d.reads_nothing(
                &Copy { name, site: &site },
                Home::Host,
                home,
                source,
                [size as u64, 1, 1],
            );
        }
        if at != bytes && flags & CL_MAP_WRITE_INVALIDATE_REGION == 0 {
            // SAFETY: the buffer has these bytes, and so has the program's memory, as it has said.
            unsafe { std::ptr::copy(bytes as *const u8, at as *mut u8, size) };
        }
        Ok(())
    };
    Ok((Command::new(vec![buffer], deed), at))
}

/// # Safety
///
/// The wait list has as many events as it says; the place for the event is null or one.
pub(super) unsafe extern "C" fn clEnqueueUnmapMemObject(
    queue: cl_command_queue,
    buffer: cl_mem,
    at: *mut c_void,
    count: u32,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let how = Enqueue::new(queue, CL_COMMAND_UNMAP_MEM_OBJECT, count, list, event);
    let make = |d: &mut Device, call: &Call| unmap(d, call, buffer as usize, at as usize);
    // SAFETY: as the caller says.
    code(unsafe { enqueued("clEnqueueUnmapMemObject", how, make) })
}

fn unmap(d: &mut Device, call: &Call, buffer: usize, at: usize) -> Outcome<(Command, ())> {
    let own = d.object::<Buffer>(buffer, call)?;
    let Some(number) = own.maps.iter().position(|m| m.at == at) else {
        let told = "is given a pointer that the buffer is not mapped at";
        let help = "unmap once what clEnqueueMapBuffer has returned, with the same buffer";
        return d.wrong(call, CL_INVALID_VALUE, told, help);
    };
    let map = own.maps.remove(number);
    let (name, site) = (call.name, call.site.clone());
    let spot = Spot { slot: own.slot, offset: (own.origin + map.offset) as i64 };
    let deed = move |d: &mut Device| {
        if map.flags & WRITES == 0 {
            return Ok(());
        }
        let bytes =
            d.memory.bytes(spot.slot).ok_or(CL_MAP_FAILURE)? as usize + spot.offset as usize;
        if map.at != bytes {
            // SAFETY: the buffer has these bytes, and so has the program's memory, as it has said.
            unsafe { std::ptr::copy(map.at as *const u8, bytes as *mut u8, map.size as usize) };
        }
        d.order.call(name, &site, None);
        let written = spot.offset as u64..spot.offset as u64 + map.size;
        d.order.touch(order::Home::Slot(spot.slot), Deed::Write, vec![written]);
        // Which bytes the program has written nobody knows: they all count as written.
        d.memory.resident.mark_written(spot.slot, spot.offset as u64, map.size);
        Ok(())
    };
    Ok((Command::new(vec![buffer], deed), ()))
}
