//! The objects of a launch's memory, and the locations of its arguments.

use lockstep_kernel::{Elem, Kernel, ParamKind, Space};

use crate::launch::bytes::Bytes;
use crate::launch::request::{BoundArg, BoundLaunch, LaunchError};

/// An address has the number of its object in the upper bits and, in the lower 40, the offset plus half the range: so
/// after arithmetic that leaves the object, in either direction, it still names it.
const OBJECT_SHIFT: u32 = 40;
const BIAS: u64 = 1 << (OBJECT_SHIFT - 1);

/// The address of an object's first byte.
#[inline(always)]
pub(crate) fn origin(object: usize) -> u64 {
    ((object as u64) << OBJECT_SHIFT) | BIAS
}

/// The object an address names.
#[inline(always)]
pub(crate) fn object_of(address: u64) -> usize {
    (address >> OBJECT_SHIFT) as usize
}

/// The maximum size of an object.
pub(crate) const MAX_OBJECT: u64 = BIAS - (1 << 20);

/// Limits of the modelled device heap: number of allocations, and bytes of one.
const HEAP_SLOTS: u64 = 4096;
pub(crate) const HEAP_BLOCK: u64 = 1 << 16;

/// Object 0: the target of null and small integers.
pub(crate) const NULL_OBJECT: usize = 0;

/// One object of a launch's memory.
#[derive(Clone, Debug)]
pub(crate) struct ObjectInfo {
    pub name: String,
    pub space: Space,
    pub size: u64,
    pub elem: Elem,
    /// Initial bytes; if shorter than `size`, zeros follow.
    pub init: Option<Bytes>,
    /// The parameter whose argument it is.
    pub param: Option<usize>,
    /// Offset within the block's shared or the lane's private arena.
    pub arena: u64,
}

/// The objects of a launch and the locations of arguments.
pub(crate) struct Layout {
    pub objects: Vec<ObjectInfo>,
    /// Object of each of the kernel's static objects.
    pub statics: Vec<usize>,
    /// Address of each pointer parameter.
    pub params: Vec<Option<u64>>,
    pub shared_arena: u64,
    pub private_arena: u64,
    pub dynamic_shared: u32,
    /// First slot for an allocation of the device heap.
    pub heap: usize,
}

/// Puts the fields that are parameters of their own into their structs.
fn fill_structs(kernel: &Kernel, launch: &BoundLaunch, l: &mut Layout) {
    for (i, p) in kernel.params.iter().enumerate() {
        let Some(within) = p.within else { continue };
        let (value, size) = match (&launch.args[i], p.kind) {
            (BoundArg::Scalar(values), ParamKind::Scalar { ty, .. }) => (values[0], ty.bytes()),
            _ => (l.params[i].unwrap_or(0), 8),
        };
        let (from, to) = (within.offset as usize, (within.offset + size) as usize);
        let object = l.objects.iter_mut().find(|o| o.param == Some(within.param));
        let bytes = object.and_then(|o| o.init.as_mut());
        let bytes = bytes.and_then(|init| init.to_mut().get_mut(from..to));
        if let Some(bytes) = bytes {
            bytes.copy_from_slice(&value.to_le_bytes()[..size as usize]);
        }
    }
}

/// Resolves parameters that alias another's array, which may itself alias a third.
fn share_arrays(kernel: &Kernel, launch: &BoundLaunch, l: &mut Layout) -> Result<(), LaunchError> {
    let shares = |arg: &BoundArg| match *arg {
        BoundArg::Alias { param, offset } => Some((param, offset)),
        _ => None,
    };
    let mut open: Vec<(usize, (usize, u64))> =
        launch.args.iter().enumerate().filter_map(|(i, a)| Some((i, shares(a)?))).collect();
    while !open.is_empty() {
        let before = open.len();
        open.retain(|&(i, (param, offset))| {
            l.params[i] = l.params.get(param).copied().flatten().map(|address| address + offset);
            l.params[i].is_none()
        });
        if open.len() == before {
            let name = &kernel.params[open[0].0].name;
            let message = format!("parameter {name} shares the array of a parameter that has none");
            return Err(LaunchError(message));
        }
    }
    Ok(())
}

pub(crate) fn layout(
    kernel: &Kernel,
    allocations: u64,
    launch: &BoundLaunch,
    threads: u32,
) -> Result<Layout, LaunchError> {
    let mut l = Layout {
        objects: vec![ObjectInfo {
            name: "null".into(),
            space: Space::Global,
            size: 0,
            elem: Elem::Bytes(1),
            init: None,
            param: None,
            arena: 0,
        }],
        statics: Vec::new(),
        params: vec![None; kernel.params.len()],
        shared_arena: 0,
        private_arena: 0,
        dynamic_shared: launch.shared,
        heap: 0,
    };
    for o in &kernel.objects {
        let size = if o.dynamic { u64::from(launch.shared) } else { o.size };
        let id = l.push(ObjectInfo {
            name: o.name.clone(),
            space: o.space,
            size,
            elem: o.elem,
            init: o.init.clone().map(Bytes::from),
            param: None,
            arena: 0,
        })?;
        l.statics.push(id);
    }
    for (o, &id) in kernel.objects.iter().zip(&l.statics.clone()) {
        for &(offset, target, addend) in &o.relocations {
            let address = origin(l.statics[target.0 as usize]).wrapping_add(addend as u64);
            if let Some(init) = &mut l.objects[id].init
                && let Some(bytes) = init.to_mut().get_mut(offset as usize..offset as usize + 8)
            {
                bytes.copy_from_slice(&address.to_le_bytes());
            }
        }
    }
    for (i, (p, arg)) in kernel.params.iter().zip(&launch.args).enumerate() {
        let object = |space, size, elem, init| ObjectInfo {
            name: p.name.clone(),
            space,
            size,
            elem,
            init,
            param: Some(i),
            arena: 0,
        };
        let wrong = |what: &str| Err(LaunchError(format!("parameter {} {what}", p.name)));
        l.params[i] = match (p.kind, arg) {
            (ParamKind::Buffer { space, elem, .. }, BoundArg::Buffer(bytes)) => {
                let info = object(space, bytes.len() as u64, elem, Some(bytes.clone()));
                Some(origin(l.push(info)?))
            }
            // Resolved when all arrays exist.
            (ParamKind::Buffer { .. }, BoundArg::Alias { .. }) => None,
            (ParamKind::Buffer { .. }, BoundArg::Variable { object, offset }) => {
                let Some(&id) = l.statics.get(*object) else {
                    return wrong("points into a variable that is not there");
                };
                Some(origin(id) + offset)
            }
            (ParamKind::Buffer { .. } | ParamKind::Local { .. }, BoundArg::Null) => Some(0),
            (ParamKind::Local { elem }, BoundArg::Local(bytes)) => {
                Some(origin(l.push(object(Space::Shared, *bytes, elem, None))?))
            }
            (ParamKind::Aggregate { size, .. }, BoundArg::Aggregate(bytes)) => {
                if bytes.len() != size as usize {
                    return wrong(&format!("is a struct of {size} bytes, not {}", bytes.len()));
                }
                let init = Some(bytes.clone().into());
                let info = object(Space::Private, u64::from(size), Elem::Bytes(size), init);
                Some(origin(l.push(info)?))
            }
            (ParamKind::Scalar { count, .. }, BoundArg::Scalar(values))
                if values.len() == count as usize =>
            {
                None
            }
            _ => return wrong("has an argument of the wrong kind"),
        };
    }
    share_arrays(kernel, launch, &mut l)?;
    fill_structs(kernel, launch, &mut l);
    l.heap = l.objects.len();
    let all_threads = launch.threads();
    for _ in 0..allocations.saturating_mul(all_threads).saturating_mul(4).min(HEAP_SLOTS) {
        l.push(ObjectInfo {
            name: "heap block".into(),
            space: Space::Global,
            size: HEAP_BLOCK,
            elem: Elem::Bytes(1),
            init: None,
            param: None,
            arena: 0,
        })?;
    }
    if l.shared_arena > 1 << 28 {
        return Err(LaunchError(format!("{} bytes of shared memory are too many", l.shared_arena)));
    }
    let warps = u64::from(threads.div_ceil(32));
    if l.private_arena.saturating_mul(warps * 32) > 1 << 32 {
        return Err(LaunchError(format!(
            "{} bytes of private memory for each of {threads} threads are too many",
            l.private_arena
        )));
    }
    Ok(l)
}

impl Layout {
    fn push(&mut self, mut info: ObjectInfo) -> Result<usize, LaunchError> {
        if info.size > MAX_OBJECT {
            return Err(LaunchError(format!("{} of {} bytes is too large", info.name, info.size)));
        }
        let arena = match info.space {
            Space::Shared => Some(&mut self.shared_arena),
            Space::Private => Some(&mut self.private_arena),
            _ => None,
        };
        if let Some(arena) = arena {
            info.arena = *arena;
            *arena += info.size.next_multiple_of(16);
        }
        self.objects.push(info);
        Ok(self.objects.len() - 1)
    }
}
