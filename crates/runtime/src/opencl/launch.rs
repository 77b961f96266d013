//! Launches: kernels with their arguments, global and local sizes.

use lockstep_finding::{Kind, Severity};
use lockstep_kernel::ParamKind;
use lockstep_simulate::BoundLaunch;
use opencl_sys::{
    CL_COMMAND_NDRANGE_KERNEL, CL_COMMAND_TASK, CL_INVALID_GLOBAL_OFFSET,
    CL_INVALID_GLOBAL_WORK_SIZE, CL_INVALID_KERNEL_ARGS, CL_INVALID_WORK_DIMENSION,
    CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE, CL_MAP_WRITE,
    CL_MAP_WRITE_INVALIDATE_REGION, CL_OUT_OF_RESOURCES, cl_command_queue, cl_event, cl_int,
    cl_kernel,
};

use crate::device::Device;
use crate::launch::{MOST_BLOCK, MOST_THREADS, USUAL_SHARED, bound};
use crate::opencl::answer::list;
use crate::opencl::buffers::Buffer;
use crate::opencl::command::{Command, Enqueue, enqueued};
use crate::opencl::kernels::{Argument, KernelObject};
use crate::opencl::{Call, Outcome, code, code_of};

/// Work-items of a group where the program does not say.
const USUAL_GROUP: u64 = 64;

/// The shape of a launch, as the program gives it.
struct Range {
    dimensions: u32,
    global: [u64; 3],
    local: Option<[u64; 3]>,
    offset: [u64; 3],
}

/// The groups of a launch.
struct Groups {
    block: [u32; 3],
    grid: [u32; 3],
    /// The global size, where the last groups are smaller.
    global: Option<[u32; 3]>,
}

/// # Safety
///
/// Sizes have as many numbers as there are dimensions, or are null; the wait list has as many events as it says, and the
/// place for the event is null or one.
pub(super) unsafe extern "C" fn clEnqueueNDRangeKernel(
    queue: cl_command_queue,
    kernel: cl_kernel,
    dimensions: u32,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
    count: u32,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let how = Enqueue::new(queue, CL_COMMAND_NDRANGE_KERNEL, count, events, event);
    let make = |d: &mut Device, call: &Call| {
        d.object::<KernelObject>(kernel as usize, call)?;
        if !(1..=3).contains(&dimensions) {
            return Err(CL_INVALID_WORK_DIMENSION);
        }
        let three = |at: *const usize, rest: u64| {
            // SAFETY: as the caller says.
            let given = unsafe { list(dimensions, at) };
            let all: [u64; 3] = std::array::from_fn(|a| given.get(a).map_or(rest, |n| *n as u64));
            (!at.is_null()).then_some(all)
        };
        let global = three(global, 1).ok_or(CL_INVALID_GLOBAL_WORK_SIZE)?;
        let offset = three(offset, 0).unwrap_or([0; 3]);
        let range = Range { dimensions, global, local: three(local, 1), offset };
        launch(d, call, kernel as usize, range)
    };
    // SAFETY: as the caller says.
    code(unsafe { enqueued("clEnqueueNDRangeKernel", how, make) })
}

/// # Safety
///
/// As for [`clEnqueueNDRangeKernel`].
pub(super) unsafe extern "C" fn clEnqueueTask(
    queue: cl_command_queue,
    kernel: cl_kernel,
    count: u32,
    events: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let how = Enqueue::new(queue, CL_COMMAND_TASK, count, events, event);
    let one = Range { dimensions: 1, global: [1; 3], local: Some([1; 3]), offset: [0; 3] };
    let make = |d: &mut Device, call: &Call| launch(d, call, kernel as usize, one);
    // SAFETY: as the caller says.
    code(unsafe { enqueued("clEnqueueTask", how, make) })
}

fn launch(d: &mut Device, call: &Call, kernel: usize, range: Range) -> Outcome<(Command, ())> {
    let (bytes, mut uses) = arguments(d, call, kernel)?;
    let groups = groups(d, call, kernel, &range)?;
    // What the simulator says where nobody says how many dimensions there are.
    let usual = (1..=3).rev().find(|a| range.global[a - 1] > 1).unwrap_or(1) as u32;
    let Some(own) = d.peek_mut::<KernelObject>(kernel) else {
        return Err(CL_INVALID_KERNEL_ARGS);
    };
    let loaded = own.for_launch(range.offset, range.dimensions, usual);
    let addresses: Vec<*const u8> = bytes.iter().map(|b| b.as_ptr()).collect();
    // SAFETY: `arguments` has made as many bytes for each as its parameters have.
    let args = unsafe { bound(&loaded, &addresses) }.map_err(code_of)?;
    let local: u64 = (args.iter())
        .map(|a| match a {
            lockstep_simulate::BoundArg::Local(bytes) => bytes.next_multiple_of(16),
            _ => 0,
        })
        .sum();
    let shared = loaded.shared + local;
    if shared > USUAL_SHARED {
        let told = format!(
            "launches {} with {shared} bytes of local memory, of which a device has {USUAL_SHARED}",
            loaded.kernel().name
        );
        let help = "ask for CL_DEVICE_LOCAL_MEM_SIZE, and use no more";
        return d.wrong(call, CL_OUT_OF_RESOURCES, told, help);
    }
    let Groups { block, grid, global } = groups;
    let launch = BoundLaunch { grid, block, global, shared: 0, args };
    let site = call.site.clone();
    uses.push(kernel);
    let deed = move |d: &mut Device| {
        let left = d.execute(&loaded, &launch, &site).map_err(code_of)?;
        left.map_or(Ok(()), |_| Err(CL_OUT_OF_RESOURCES))
    };
    Ok((Command::new(uses, deed), ()))
}

/// The bytes of each argument, and the buffers among them.
fn arguments(d: &mut Device, call: &Call, kernel: usize) -> Outcome<(Vec<Vec<u8>>, Vec<usize>)> {
    let own = d.object::<KernelObject>(kernel, call)?;
    let (name, args) = (own.kernel().name.clone(), own.args.clone());
    let (mut all, mut uses) = (Vec::new(), Vec::new());
    for (index, argument) in args.into_iter().enumerate() {
        let Some(argument) = argument else {
            let told = format!("launches {name}, whose argument {index} was not set");
            let help = "set all arguments with clSetKernelArg first";
            return d.wrong(call, CL_INVALID_KERNEL_ARGS, told, help);
        };
        all.push(match argument {
            Argument::Bytes(bytes) => bytes,
            Argument::Local(size) => size.to_ne_bytes().to_vec(),
            Argument::Buffer(0) => 0u64.to_ne_bytes().to_vec(),
            Argument::Buffer(buffer) => {
                let address = d.object::<Buffer>(buffer, call).map(|b| b.address());
                let address = address.map_err(|_| CL_INVALID_KERNEL_ARGS)?;
                not_mapped(d, call, (kernel, index), buffer);
                uses.push(buffer);
                address.to_ne_bytes().to_vec()
            }
        });
    }
    Ok((all, uses))
}

/// A kernel that uses a buffer which is mapped: a word, since it may use other bytes of it only.
fn not_mapped(d: &mut Device, call: &Call, (kernel, index): (usize, usize), buffer: usize) {
    let Some(own) = d.peek::<KernelObject>(kernel) else { return };
    let params = own.loaded.program.arguments.get(index).map(|a| &a.params[..]);
    let writes = params.into_iter().flatten().any(|&(p, _)| {
        matches!(own.kernel().params[p].kind, ParamKind::Buffer { readonly: false, .. })
    });
    let name = own.kernel().name.clone();
    let Some(buffer) = d.peek::<Buffer>(buffer) else { return };
    let written = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    let Some(map) = buffer.maps.iter().find(|m| writes || m.flags & written != 0) else { return };
    let at = map.site.told();
    let message = format!(
        "{} launches {name} while the buffer of its argument {index} is mapped (clEnqueueMapBuffer{at})",
        call.name
    );
    let help = "unmap a buffer before other commands use it";
    d.host_finding(Kind::ApiError, Severity::Warning, &call.site, message, help);
}

/// The groups of a launch, if the device can take it.
fn groups(d: &mut Device, call: &Call, kernel: usize, range: &Range) -> Outcome<Groups> {
    let own = d.object::<KernelObject>(kernel, call)?;
    let own = own.kernel();
    let (name, required, remainders) = (own.name.clone(), own.required_block, own.remainders);
    let dims = |d: [u64; 3]| {
        let all: Vec<String> =
            d.iter().take(range.dimensions as usize).map(u64::to_string).collect();
        all.join(" x ")
    };
    let global = range.global;
    let fits = |n: u64| n > 0 && n <= u64::from(u32::MAX);
    if !global.iter().all(|n| fits(*n)) {
        let told = format!("launches {name} with a global size of {}", dims(global));
        let help = "no size may be 0, or more than 32 bits have";
        return d.wrong(call, CL_INVALID_GLOBAL_WORK_SIZE, told, help);
    }
    let ends = |a: usize| range.offset[a].checked_add(global[a]);
    if (0..3).any(|a| ends(a).is_none()) {
        return Err(CL_INVALID_GLOBAL_OFFSET);
    }
    let local = match (range.local, required) {
        (Some(local), _) => local,
        (None, Some(required)) => required.map(u64::from),
        (None, None) => chosen(global, remainders),
    };
    let help =
        "choose the local size within the device's limits, and look at what the launch returns";
    let with = format!("launches {name} with groups of {}", dims(local));
    if required.is_some_and(|r| r.map(u64::from) != local) {
        let told = format!("{with}, where reqd_work_group_size says otherwise");
        return d.wrong(call, CL_INVALID_WORK_GROUP_SIZE, told, help);
    }
    let threads = local.iter().product::<u64>();
    if threads == 0 || threads > MOST_THREADS {
        let told = format!("{with}; a device runs at most {MOST_THREADS} work-items in one");
        return d.wrong(call, CL_INVALID_WORK_GROUP_SIZE, told, help);
    }
    if (0..3).any(|a| local[a] > u64::from(MOST_BLOCK[a])) {
        return d.wrong(call, CL_INVALID_WORK_ITEM_SIZE, with, help);
    }
    let whole = (0..3).all(|a| global[a].is_multiple_of(local[a]));
    if !whole && !remainders {
        let told = format!("{with}, which do not divide the global size of {}", dims(global));
        return d.wrong(call, CL_INVALID_WORK_GROUP_SIZE, told, help);
    }
    Ok(Groups {
        block: local.map(|n| n as u32),
        grid: std::array::from_fn(|a| global[a].div_ceil(local[a]) as u32),
        global: (!whole).then(|| global.map(|n| n as u32)),
    })
}

/// Groups for a launch that does not say: along the first axes as many work-items as divide its size.
fn chosen(global: [u64; 3], remainders: bool) -> [u64; 3] {
    let mut left = USUAL_GROUP;
    global.map(|size| {
        let most = left.min(size);
        let divisor = (1..=most).rev().find(|n| size % n == 0).unwrap_or(1);
        // The last group may be smaller.
        let own = if remainders && divisor < most.min(32) { most } else { divisor };
        left /= own;
        left = left.max(1);
        own
    })
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn groups_divide_the_size_where_they_must() {
        assert_eq!(chosen([1024, 1, 1], false), [64, 1, 1]);
        assert_eq!(chosen([48, 10, 1], false), [48, 1, 1]);
        assert_eq!(chosen([16, 16, 2], false), [16, 4, 1]);
        assert_eq!(chosen([97, 1, 1], false), [1, 1, 1]);
        assert_eq!(chosen([97, 1, 1], true), [64, 1, 1]);
    }
}
