//! The memory of a launch: arrays of parameters, variables, shared and private objects, and their first contents.

use lockstep_kernel::{Elem, Kernel, ParamKind, Space, Ty};

use crate::launch::{Arg, Launch};
use crate::outside::{Outside, Reason};

/// An address is the number of its object in the upper bits and, below, the offset plus half the range: arithmetic that
/// leaves an object still names it.
const SHIFT: u32 = 40;
const BIAS: u64 = 1 << (SHIFT - 1);

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) size: u64,
    pub(crate) elem: Elem,
    /// First contents; none where nobody has written there.
    pub(crate) init: Option<Vec<u8>>,
}

/// An object as one thread sees it: shared memory is there once for each block, private memory once for each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Instance {
    pub(crate) object: usize,
    /// The number of the block or thread, if it has its own.
    pub(crate) owner: Option<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Objects {
    /// Number 0 is what null points to.
    pub(crate) objects: Vec<Object>,
    /// Numbers of the kernel's own objects.
    pub(crate) statics: Vec<usize>,
    /// What the registers of each parameter hold.
    pub(crate) params: Vec<Vec<u64>>,
}

impl Objects {
    pub(crate) fn address(object: usize, offset: i64) -> u64 {
        (((object as u64) << SHIFT) | BIAS).wrapping_add(offset as u64)
    }

    pub(crate) fn object_of(address: u64) -> usize {
        (address >> SHIFT) as usize
    }

    /// Does a number look like an address, and not like a small integer?
    pub(crate) fn is_address(address: u64) -> bool {
        Objects::object_of(address) != 0 && address >> 60 == 0
    }

    /// The object and the place in it that an address names.
    pub(crate) fn resolve(&self, address: u64) -> Option<(usize, i64)> {
        let object = Objects::object_of(address);
        let offset = (address & ((1 << SHIFT) - 1)) as i64 - BIAS as i64;
        (object != 0 && object < self.objects.len()).then_some((object, offset))
    }

    pub(crate) fn new(kernel: &Kernel, launch: &Launch) -> Result<Objects, Outside> {
        let wrong = || Outside::of(Reason::Arguments);
        if launch.args.len() != kernel.params.len() {
            return Err(wrong());
        }
        let null = Object {
            name: "null".into(),
            space: Space::Global,
            size: 0,
            elem: Elem::Bytes(1),
            init: None,
        };
        let mut all = Objects { objects: vec![null], statics: Vec::new(), params: Vec::new() };
        for object in &kernel.objects {
            let size = if object.dynamic { launch.shared } else { object.size };
            let written = matches!(object.space, Space::Global | Space::Constant);
            let init = object.init.clone().or(written.then(Vec::new));
            let (name, space, elem) = (object.name.clone(), object.space, object.elem);
            let number = all.push(Object { name, space, size, elem, init });
            all.statics.push(number);
        }
        for (object, &number) in kernel.objects.iter().zip(&all.statics.clone()) {
            for &(offset, target, addend) in &object.relocations {
                let address = Objects::address(all.statics[target.0 as usize], addend);
                if let Some(init) = &mut all.objects[number].init
                    && let Some(bytes) = init.get_mut(offset as usize..offset as usize + 8)
                {
                    bytes.copy_from_slice(&address.to_le_bytes());
                }
            }
        }
        let mut structs = vec![None; kernel.params.len()];
        for (index, (param, arg)) in kernel.params.iter().zip(&launch.args).enumerate() {
            let mut array = |space, elem, size: u64, init| {
                let name = param.name.clone();
                let number = all.push(Object { name, space, size, elem, init });
                (number, vec![Objects::address(number, 0)])
            };
            let values = match (param.kind, arg) {
                (ParamKind::Scalar { ty, count }, Arg::Scalar(values))
                    if values.len() == count as usize =>
                {
                    values.iter().map(|value| value & ty.mask()).collect()
                }
                (ParamKind::Scalar { ty: Ty::Ptr, count: 1 }, Arg::Null)
                | (ParamKind::Buffer { .. }, Arg::Null) => vec![0],
                (ParamKind::Buffer { space, elem, .. }, Arg::Buffer(bytes)) => {
                    array(space, elem, bytes.len() as u64, Some(bytes.clone())).1
                }
                (ParamKind::Buffer { .. }, Arg::Variable { object, offset }) => {
                    let number = all.statics.get(*object).ok_or_else(wrong)?;
                    vec![Objects::address(*number, *offset as i64)]
                }
                // Below, when all arrays are there.
                (ParamKind::Buffer { .. }, Arg::Alias { .. }) => Vec::new(),
                (ParamKind::Local { elem }, Arg::Local(size)) => {
                    array(Space::Shared, elem, *size, None).1
                }
                (ParamKind::Aggregate { size, .. }, Arg::Aggregate(bytes))
                    if bytes.len() == size as usize =>
                {
                    let elem = Elem::Bytes(size);
                    let (number, values) =
                        array(Space::Constant, elem, u64::from(size), Some(bytes.clone()));
                    structs[index] = Some(number);
                    values
                }
                _ => return Err(wrong()),
            };
            all.params.push(values);
        }
        all.share_arrays(launch)?;
        // Fields that are parameters of their own make their structs.
        for (index, param) in kernel.params.iter().enumerate() {
            let Some(within) = param.within else { continue };
            let size = match param.kind {
                ParamKind::Scalar { ty, .. } => ty.bytes() as usize,
                _ => 8,
            };
            let value = all.params[index].first().copied().unwrap_or(0);
            let at = within.offset as usize;
            let init = structs[within.param].and_then(|number| all.objects[number].init.as_mut());
            if let Some(bytes) = init.and_then(|init| init.get_mut(at..at + size)) {
                bytes.copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
        Ok(all)
    }

    /// Gives parameters that share another's array its address; that one may share a third's.
    fn share_arrays(&mut self, launch: &Launch) -> Result<(), Outside> {
        for _ in 0..launch.args.len() {
            for (index, arg) in launch.args.iter().enumerate() {
                if let Arg::Alias { param, offset } = *arg
                    && let Some(&[address]) = self.params.get(param).map(|values| &values[..])
                {
                    self.params[index] = vec![address.wrapping_add(offset)];
                }
            }
        }
        let open = self.params.iter().any(Vec::is_empty);
        if open { Err(Outside::of(Reason::Arguments)) } else { Ok(()) }
    }

    fn push(&mut self, object: Object) -> usize {
        self.objects.push(object);
        self.objects.len() - 1
    }

    /// The first bytes at a place, as a number; none where nobody has written there.
    pub(crate) fn first_bits(&self, object: usize, offset: u64, size: u32) -> Option<u64> {
        let init = self.objects[object].init.as_ref()?;
        let byte = |at: u64| u64::from(init.get(at as usize).copied().unwrap_or(0));
        Some((0..u64::from(size)).fold(0, |bits, i| bits | byte(offset + i) << (8 * i)))
    }
}
