//! Graphs, and the capture of streams.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};

use crate::api::copies::Copy3D;
use crate::api::execution::node;
use crate::api::streams::in_stream;
use crate::api::{Dim3, give};
use crate::device::{Device, call_unbroken};
use crate::error::{Failed, Status};
use crate::graph::{Deed, Graph, HostCall, Node, handle_of, node_of};
use crate::launch::Asked;
use crate::site::Site;
use crate::transfer::Side;

type Handle = *mut c_void;

#[unsafe(no_mangle)]
pub extern "C" fn cudaStreamBeginCapture(stream: Handle, _mode: c_int) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        d.check_stream(stream as usize, "cudaStreamBeginCapture", &site)?;
        d.graphs.capture(stream as usize)
    })
}

/// # Safety
///
/// `to` is a handle, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaStreamEndCapture(stream: Handle, to: *mut Handle) -> Status {
    call_unbroken(|d| {
        let graph = d.graphs.end_capture(stream as usize)?;
        // SAFETY: as the caller says.
        unsafe { give(to, graph as Handle) }
    })
}

/// # Safety
///
/// `to` is a handle, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphCreate(to: *mut Handle, _flags: c_uint) -> Status {
    // SAFETY: as the caller says.
    call_unbroken(|d| unsafe { give(to, d.graphs.add(Graph::default()) as Handle) })
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphDestroy(graph: Handle) -> Status {
    let site = Site::here();
    call_unbroken(|d| d.release_graph(graph as usize, "cudaGraphDestroy", &site))
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphExecDestroy(graph: Handle) -> Status {
    let site = Site::here();
    call_unbroken(|d| d.release_graph(graph as usize, "cudaGraphExecDestroy", &site))
}

/// The nodes of a graph as they are launched.
fn executable(d: &mut Device, graph: Handle, name: &str, site: &Site) -> Result<Graph, Failed> {
    let nodes = d.graph(graph as usize, name, site)?.in_order();
    let mut nodes = nodes.ok_or(Failed(Status::INVALID_VALUE))?;
    nodes.iter_mut().for_each(|n| n.after.clear());
    Ok(Graph::of(nodes))
}

/// # Safety
///
/// `to` is a handle, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __lockstep_graph_instantiate(to: *mut Handle, graph: Handle) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let executable = executable(d, graph, "cudaGraphInstantiate", &site)?;
        // SAFETY: as the caller says.
        unsafe { give(to, d.graphs.add(executable) as Handle) }
    })
}

/// # Safety
///
/// `to` is a handle, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphClone(to: *mut Handle, graph: Handle) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let clone = d.graph(graph as usize, "cudaGraphClone", &site)?.clone();
        // SAFETY: as the caller says.
        unsafe { give(to, d.graphs.add(clone) as Handle) }
    })
}

/// The graph takes the place of the one that was made executable.
#[unsafe(no_mangle)]
pub extern "C" fn __lockstep_graph_update(to: Handle, graph: Handle) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let executable = executable(d, graph, "cudaGraphExecUpdate", &site)?;
        *d.graph(to as usize, "cudaGraphExecUpdate", &site)? = executable;
        Ok(())
    })
}

/// Functions of the host are called when the device is not locked.
#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphLaunch(graph: Handle, stream: Handle) -> Status {
    let site = Site::here();
    let name = "cudaGraphLaunch";
    let mut nodes: Vec<Node> = Vec::new();
    let status = call_unbroken(|d| {
        d.check_stream(stream as usize, name, &site)?;
        let graph = d.graph(graph as usize, name, &site)?.nodes.clone();
        let child = Deed::Graph(graph.clone());
        if !d.is_captured(Some(stream as usize), name, &site, |_| Ok(child))? {
            nodes = graph;
        }
        Ok(())
    });
    if status != Status::SUCCESS {
        return status;
    }
    for node in &nodes {
        if let Deed::Call(HostCall { function, data }) = node.deed {
            in_stream(stream, || function(data as *mut c_void));
            continue;
        }
        let status = call_unbroken(|d| d.run_node(node, stream as usize));
        if status != Status::SUCCESS {
            return status;
        }
    }
    Status::SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn cudaGraphUpload(graph: Handle, stream: Handle) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        d.check_stream(stream as usize, "cudaGraphUpload", &site)?;
        d.graph(graph as usize, "cudaGraphUpload", &site).map(|_| ())
    })
}

/// Where a node goes: its graph, and what comes before it.
#[derive(Clone, Copy)]
struct Where {
    to: *mut Handle,
    graph: Handle,
    before: *const Handle,
    count: usize,
}

/// # Safety
///
/// `to` is a handle, or null, and there are `count` handles at `before`.
unsafe fn add(
    name: &str,
    at: Where,
    site: Site,
    deed: impl FnOnce(&mut Device) -> Result<Deed, Failed>,
) -> Status {
    call_unbroken(|d| {
        // SAFETY: as the caller says.
        let before = (0..at.count).map(|i| unsafe { *at.before.add(i) });
        let before = before.map(|handle| node_of(handle as usize).1).collect();
        let deed = deed(d)?;
        let node = d.add_node(at.graph as usize, deed, before, name, &site)?;
        // SAFETY: as the caller says.
        unsafe { give(at.to, node as Handle) }
    })
}

/// `cudaKernelNodeParams` of our headers.
#[repr(C)]
pub struct KernelNode {
    function: *const c_void,
    grid: Dim3,
    block: Dim3,
    shared: c_uint,
    arguments: *mut *mut c_void,
    extra: *mut *mut c_void,
}

impl KernelNode {
    /// # Safety
    ///
    /// There is an argument of its type behind each pointer.
    unsafe fn deed(&self, d: &mut Device) -> Result<Deed, Failed> {
        let kernel = d.code.kernel(self.function as usize, &mut d.memory)?;
        if self.arguments.is_null() {
            return Failed::with(Status::NOT_SUPPORTED);
        }
        let count = kernel.program.arguments.len();
        // SAFETY: as the caller says.
        let arguments = (0..count).map(|i| unsafe { (*self.arguments.add(i)).cast::<u8>() });
        let arguments: Vec<*const u8> = arguments.map(|a| a.cast_const()).collect();
        let (grid, block) = (self.grid.array(), self.block.array());
        let asked =
            Asked { kernel, grid, block, shared: u64::from(self.shared), cooperative: false };
        // SAFETY: as the caller says.
        unsafe { node(&asked, &arguments) }
    }
}

/// # Safety
///
/// As CUDA says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddKernelNode(
    to: *mut Handle,
    graph: Handle,
    before: *const Handle,
    count: usize,
    what: *const KernelNode,
) -> Status {
    let at = Where { to, graph, before, count };
    // SAFETY: as the caller says.
    unsafe { add("cudaGraphAddKernelNode", at, Site::here(), |d| (*what).deed(d)) }
}

/// # Safety
///
/// As CUDA says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphExecKernelNodeSetParams(
    graph: Handle,
    which: Handle,
    what: *const KernelNode,
) -> Status {
    let site = Site::here();
    let name = "cudaGraphExecKernelNodeSetParams";
    call_unbroken(|d| {
        // SAFETY: as the caller says.
        let deed = unsafe { (*what).deed(d) }?;
        // What is executed stands in another order than what was described.
        let nodes = &mut d.graph(graph as usize, name, &site)?.nodes;
        let node = nodes.iter_mut().find(|n| n.handle == which as usize);
        let node = node.ok_or(Failed(Status::INVALID_VALUE))?;
        node.deed = deed;
        Ok(())
    })
}

/// # Safety
///
/// As CUDA says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddMemcpyNode(
    to: *mut Handle,
    graph: Handle,
    before: *const Handle,
    count: usize,
    what: *const Copy3D,
) -> Status {
    let at = Where { to, graph, before, count };
    let name = "cudaGraphAddMemcpyNode";
    // SAFETY: as the caller says.
    unsafe {
        let (what, site) = (*what, Site::here());
        add(name, at, site.clone(), |d| {
            let (sides, shape) = what.parts(d, name, &site)?;
            Ok(Deed::Copy { name, sides, shape, kind: what.kind() })
        })
    }
}

/// # Safety
///
/// As CUDA says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddMemcpyNode1D(
    to: *mut Handle,
    graph: Handle,
    before: *const Handle,
    count: usize,
    target: *mut c_void,
    source: *const c_void,
    size: usize,
    kind: c_int,
) -> Status {
    let at = Where { to, graph, before, count };
    let name = "cudaGraphAddMemcpyNode1D";
    let sides = (Side::flat(target), Side::flat(source));
    let deed = Deed::Copy { name, sides, shape: [size as u64, 1, 1], kind };
    // SAFETY: as the caller says.
    unsafe { add(name, at, Site::here(), |_| Ok(deed)) }
}

/// `cudaMemsetParams` of our headers.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct MemsetNode {
    to: *mut c_void,
    pitch: usize,
    value: c_uint,
    size: c_uint,
    width: usize,
    height: usize,
}

/// # Safety
///
/// As CUDA says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddMemsetNode(
    to: *mut Handle,
    graph: Handle,
    before: *const Handle,
    count: usize,
    what: *const MemsetNode,
) -> Status {
    let at = Where { to, graph, before, count };
    let name = "cudaGraphAddMemsetNode";
    // SAFETY: as the caller says.
    unsafe {
        let m = *what;
        add(name, at, Site::here(), |_| {
            let pattern = m.value.to_le_bytes();
            let pattern = pattern.get(..m.size as usize).filter(|p| !p.is_empty());
            let value = pattern.ok_or(Failed(Status::INVALID_VALUE))?.to_vec();
            let shape = [(m.width * value.len()) as u64, m.height as u64, 1];
            Ok(Deed::Fill { name, to: Side::rows(m.to, m.pitch), value, shape })
        })
    }
}

/// `cudaHostNodeParams` of our headers.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct HostNode {
    function: Option<extern "C" fn(*mut c_void)>,
    data: *mut c_void,
}

/// # Safety
///
/// As CUDA says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddHostNode(
    to: *mut Handle,
    graph: Handle,
    before: *const Handle,
    count: usize,
    what: *const HostNode,
) -> Status {
    let at = Where { to, graph, before, count };
    // SAFETY: as the caller says.
    unsafe {
        let HostNode { function, data } = *what;
        add("cudaGraphAddHostNode", at, Site::here(), |_| match function {
            Some(function) => Ok(Deed::Call(HostCall { function, data: data as usize })),
            None => Failed::with(Status::INVALID_VALUE),
        })
    }
}

/// # Safety
///
/// As CUDA says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddEmptyNode(
    to: *mut Handle,
    graph: Handle,
    before: *const Handle,
    count: usize,
) -> Status {
    let at = Where { to, graph, before, count };
    // SAFETY: as the caller says.
    unsafe { add("cudaGraphAddEmptyNode", at, Site::here(), |_| Ok(Deed::Nothing)) }
}

/// # Safety
///
/// As CUDA says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddChildGraphNode(
    to: *mut Handle,
    graph: Handle,
    before: *const Handle,
    count: usize,
    child: Handle,
) -> Status {
    let at = Where { to, graph, before, count };
    let (name, site) = ("cudaGraphAddChildGraphNode", Site::here());
    // SAFETY: as the caller says.
    unsafe {
        add(name, at, site.clone(), |d| Ok(Deed::Graph(executable(d, child, name, &site)?.nodes)))
    }
}

/// # Safety
///
/// There are `count` handles at `from` and at `to`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphAddDependencies(
    graph: Handle,
    from: *const Handle,
    to: *const Handle,
    count: usize,
) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let nodes = &mut d.graph(graph as usize, "cudaGraphAddDependencies", &site)?.nodes;
        for i in 0..count {
            // SAFETY: as the caller says.
            let [from, to] = unsafe { [*from.add(i), *to.add(i)] }.map(|h| node_of(h as usize).1);
            nodes.get_mut(to).ok_or(Failed(Status::INVALID_VALUE))?.after.push(from);
        }
        Ok(())
    })
}

/// # Safety
///
/// `count` is the number of handles at `to`, which may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphGetNodes(
    graph: Handle,
    to: *mut Handle,
    count: *mut usize,
) -> Status {
    let site = Site::here();
    call_unbroken(|d| {
        let there = d.graph(graph as usize, "cudaGraphGetNodes", &site)?.nodes.len();
        // SAFETY: as the caller says.
        unsafe {
            if !to.is_null() && !count.is_null() {
                for i in 0..there.min(*count) {
                    to.add(i).write(handle_of(graph as usize, i) as Handle);
                }
            }
            give(count, there)
        }
    })
}

/// # Safety
///
/// `to` is a handle, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cudaGraphInstantiateWithFlags(
    to: *mut Handle,
    graph: Handle,
    _flags: c_ulonglong,
) -> Status {
    // SAFETY: as the caller says.
    unsafe { __lockstep_graph_instantiate(to, graph) }
}
