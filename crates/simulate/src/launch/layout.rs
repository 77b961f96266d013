//! The objects of a launch's memory, and the locations of its arguments.

use std::sync::Arc;

use lockstep_kernel::{Elem, Kernel, ParamKind, Space};

use crate::launch::addresses::Addresses;
use crate::launch::bytes::Bytes;
use crate::launch::request::{BoundArg, BoundLaunch, LaunchError};
use crate::launch::resident::{self, Home, Occupied};
use crate::launch::written::WrittenBits;

/// Limits of the modelled device heap: number of allocations, and bytes of one.
const HEAP_SLOTS: u64 = 4096;
pub(crate) const HEAP_BLOCK: u64 = 1 << 16;

/// Object 0: the target of null and small integers.
pub(crate) const NULL_OBJECT: usize = 0;

/// One object of a launch's memory.
#[derive(Clone, Debug)]
pub(crate) struct ObjectInfo {
    pub name: Arc<str>,
    pub space: Space,
    pub size: u64,
    pub elem: Elem,
    /// Initial bytes; if shorter than `size`, zeros follow.
    pub init: Option<Bytes>,
    /// The parameter whose argument it is.
    pub param: Option<usize>,
    /// Offset within the block's shared or the lane's private arena.
    pub arena: u64,
    /// What is known of it from before the launch, if it outlives it.
    pub resident: Option<ResidentInfo>,
}

/// What is known of an object that outlives the launch.
#[derive(Clone, Debug)]
pub(crate) struct ResidentInfo {
    /// The address of its bytes in this process.
    pub at: usize,
    /// Whether it is known which bytes have been written, and which these are; all, where there is no list.
    pub tracked: bool,
    pub written: Option<Arc<WrittenBits>>,
    /// Where it was freed, if it was.
    pub freed: Option<Arc<str>>,
}

impl ObjectInfo {
    /// A number that no object has.
    fn nothing() -> ObjectInfo {
        ObjectInfo {
            name: "null".into(),
            space: Space::Global,
            size: 0,
            elem: Elem::Bytes(1),
            init: None,
            param: None,
            arena: 0,
            resident: None,
        }
    }

    fn of_resident(object: &Occupied) -> ObjectInfo {
        let gone = object.freed.is_some();
        ObjectInfo {
            name: object.name.clone(),
            space: object.space,
            size: if gone { 0 } else { object.size },
            elem: object.elem,
            resident: Some(ResidentInfo {
                at: object.at,
                tracked: object.tracked,
                written: object.written.clone(),
                freed: object.freed.clone(),
            }),
            ..ObjectInfo::nothing()
        }
    }
}

/// The objects of a launch and the locations of arguments.
pub(crate) struct Layout {
    pub addresses: Addresses,
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
    home: Option<&Home>,
) -> Result<Layout, LaunchError> {
    let mut l = Layout {
        addresses: if home.is_some() { Addresses::RESIDENT } else { Addresses::OWN },
        objects: vec![ObjectInfo::nothing()],
        statics: Vec::new(),
        params: vec![None; kernel.params.len()],
        shared_arena: 0,
        private_arena: 0,
        dynamic_shared: launch.shared,
        heap: 0,
    };
    for (i, o) in kernel.objects.iter().enumerate() {
        if let Some(slot) = home.and_then(|h| h.variables.get(i).copied().flatten()) {
            l.statics.push(resident::FIRST + slot);
            continue;
        }
        let size = if o.dynamic { u64::from(launch.shared) } else { o.size };
        let id = l.push(ObjectInfo {
            name: o.name.as_str().into(),
            space: o.space,
            size,
            elem: o.elem,
            init: o.init.clone().map(Bytes::from),
            ..ObjectInfo::nothing()
        })?;
        l.statics.push(id);
    }
    for (o, &id) in kernel.objects.iter().zip(&l.statics.clone()) {
        for &(offset, target, addend) in &o.relocations {
            if id >= resident::FIRST && home.is_some() {
                break;
            }
            let address =
                l.addresses.origin(l.statics[target.0 as usize]).wrapping_add(addend as u64);
            if let Some(init) = &mut l.objects[id].init
                && let Some(bytes) = init.to_mut().get_mut(offset as usize..offset as usize + 8)
            {
                bytes.copy_from_slice(&address.to_le_bytes());
            }
        }
    }
    for (i, (p, arg)) in kernel.params.iter().zip(&launch.args).enumerate() {
        let object = |space, size, elem, init| ObjectInfo {
            name: p.name.as_str().into(),
            space,
            size,
            elem,
            init,
            param: Some(i),
            ..ObjectInfo::nothing()
        };
        let wrong = |what: &str| Err(LaunchError(format!("parameter {} {what}", p.name)));
        l.params[i] = match (p.kind, arg) {
            (ParamKind::Buffer { space, elem, .. }, BoundArg::Buffer(bytes)) => {
                let info = object(space, bytes.len() as u64, elem, Some(bytes.clone()));
                Some(l.place(info)?)
            }
            (ParamKind::Buffer { .. }, BoundArg::Address(address)) => Some(*address),
            // Resolved when all arrays exist.
            (ParamKind::Buffer { .. }, BoundArg::Alias { .. }) => None,
            (ParamKind::Buffer { .. }, BoundArg::Variable { object, offset }) => {
                let Some(&id) = l.statics.get(*object) else {
                    return wrong("points into a variable that is not there");
                };
                Some(l.addresses.origin(id) + offset)
            }
            (ParamKind::Buffer { .. } | ParamKind::Local { .. }, BoundArg::Null) => Some(0),
            (ParamKind::Local { elem }, BoundArg::Local(bytes)) => {
                Some(l.place(object(Space::Shared, *bytes, elem, None))?)
            }
            (ParamKind::Aggregate { size, .. }, BoundArg::Aggregate(bytes)) => {
                if bytes.len() != size as usize {
                    return wrong(&format!("is a struct of {size} bytes, not {}", bytes.len()));
                }
                let init = Some(bytes.clone().into());
                let info = object(Space::Private, u64::from(size), Elem::Bytes(size), init);
                Some(l.place(info)?)
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
    if let Some(home) = home {
        l.move_in(home)?;
        l.name_by_parameters(kernel, launch);
    }
    l.heap = l.objects.len();
    let all_threads = launch.threads();
    let mut blocks = allocations.saturating_mul(all_threads).saturating_mul(4).min(HEAP_SLOTS);
    if let Some(home) = home {
        // Blocks of earlier launches have numbers that never change.
        blocks = if home.memory.has_heap() || blocks > 0 { HEAP_SLOTS } else { 0 };
        l.heap = resident::HEAP;
        if blocks > 0 {
            l.objects.resize(resident::HEAP, ObjectInfo::nothing());
        }
    }
    for _ in 0..blocks {
        l.push(ObjectInfo {
            name: "heap block".into(),
            size: HEAP_BLOCK,
            ..ObjectInfo::nothing()
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
    /// Adds an object, and returns the address of its first byte.
    fn place(&mut self, info: ObjectInfo) -> Result<u64, LaunchError> {
        let number = self.push(info)?;
        Ok(self.addresses.origin(number))
    }

    /// Adds the objects that outlive the launch, behind its own.
    fn move_in(&mut self, home: &Home) -> Result<(), LaunchError> {
        if self.objects.len() > resident::FIRST {
            return Err(LaunchError(format!(
                "{} variables of one kernel are too many",
                self.objects.len()
            )));
        }
        self.objects.resize(resident::FIRST, ObjectInfo::nothing());
        let all = home.memory.objects().iter();
        self.objects.extend(all.map(|o| match o {
            Some(object) => ObjectInfo::of_resident(object),
            None => ObjectInfo::nothing(),
        }));
        Ok(())
    }

    /// An object that is passed to the kernel has the name of its parameter; of several, one through which it writes.
    fn name_by_parameters(&mut self, kernel: &Kernel, launch: &BoundLaunch) {
        for (i, (p, arg)) in kernel.params.iter().zip(&launch.args).enumerate() {
            let (ParamKind::Buffer { elem, readonly, .. }, BoundArg::Address(address)) =
                (p.kind, arg)
            else {
                continue;
            };
            let number = self.addresses.object_of(*address);
            let Some(object) = self.objects.get_mut(number) else { continue };
            let is_variable = self.statics.contains(&number);
            if object.resident.is_some() && !is_variable && (object.param.is_none() || !readonly) {
                object.name = p.name.as_str().into();
                object.param = Some(i);
                object.elem = elem;
            }
        }
    }

    fn push(&mut self, mut info: ObjectInfo) -> Result<usize, LaunchError> {
        if info.size > self.addresses.most_bytes() {
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
