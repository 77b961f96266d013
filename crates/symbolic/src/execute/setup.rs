//! Memory and registers as a launch finds them.

use std::sync::Arc;

use lockstep_kernel::{Kernel, ParamKind, Reg, Space, Ty};
use lockstep_simulate::{BoundArg, BoundLaunch};

use super::{Machine, Outcome};
use crate::memory::{Init, Object};
use crate::term::{T, Undefined};

/// A kernel and its launch.
pub(crate) struct Side<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) launch: &'a BoundLaunch,
    /// For each parameter, the input that it is where any value counts, and the type of its elements.
    pub(crate) inputs: Vec<Option<(u32, Ty)>>,
    pub(crate) warp_size: u32,
    /// What it does where the language leaves open what happens, nobody asks about.
    pub(crate) is_reference: bool,
    /// What holds of the inputs, where one thread or block is executed for all: nothing is done but where it holds.
    pub(crate) assumed: Option<T>,
}

impl Machine<'_> {
    /// Objects of the launch and registers of parameters; the object of each array parameter.
    pub(super) fn set_up(&mut self, mut before: Vec<Option<Object>>) -> Outcome<Vec<Option<u32>>> {
        let side = self.side;
        if side.launch.global.is_some() {
            return self.not_followed("a launch with smaller blocks at its end");
        }
        if !self.kernel.beside.is_empty() {
            return self.not_followed("a pointer into the array of another, nobody knows where");
        }
        self.first = vec![None; self.kernel.regs.len()];
        self.set_up_statics();
        let mut objects = vec![None; self.kernel.params.len()];
        for (i, param) in self.kernel.params.iter().enumerate() {
            let symbolic = side.inputs[i];
            let arg = &side.launch.args[i];
            match (param.kind, arg) {
                (ParamKind::Buffer { space, .. }, BoundArg::Buffer(bytes)) => {
                    let init = match symbolic {
                        Some((input, ty)) => Init::Input { input, ty },
                        None => Init::Bytes(Arc::new(bytes.to_vec())),
                    };
                    let new = || Object::new(&param.name, space, bytes.len() as u64, init);
                    let mut object = before.get_mut(i).and_then(Option::take).unwrap_or_else(new);
                    object.space = space;
                    objects[i] = Some(self.add_object(object));
                    self.first[param.reg.0 as usize] =
                        Some(self.origin(objects[i].unwrap_or(0), 0));
                }
                (ParamKind::Scalar { ty, count }, BoundArg::Scalar(values)) => {
                    for (at, &v) in values.iter().enumerate().take(count as usize) {
                        let value = match symbolic {
                            Some((input, _)) => self.pool.input(input, at as u64, ty),
                            None => self.pool.constant(ty, v),
                        };
                        self.first[param.reg.0 as usize + at] = Some(value);
                    }
                }
                (ParamKind::Buffer { .. } | ParamKind::Local { .. }, BoundArg::Null) => {
                    self.first[param.reg.0 as usize] = Some(self.pool.constant(Ty::Ptr, 0));
                }
                (ParamKind::Aggregate { size, .. }, BoundArg::Aggregate(bytes)) => {
                    let init = match symbolic {
                        Some((input, ty)) => Init::Input { input, ty },
                        None => Init::Bytes(Arc::new(bytes.clone())),
                    };
                    let object = Object::new(&param.name, Space::Constant, u64::from(size), init);
                    objects[i] = Some(self.add_object(object));
                    self.first[param.reg.0 as usize] =
                        Some(self.origin(objects[i].unwrap_or(0), 0));
                }
                // These are made for each block, or found when all arrays are there.
                (ParamKind::Local { .. }, BoundArg::Local(_))
                | (ParamKind::Buffer { .. }, BoundArg::Alias { .. } | BoundArg::Variable { .. }) => {
                }
                _ => return self.not_followed("an argument of another kind than its parameter"),
            }
        }
        self.unbound(&objects);
        self.share_arrays(&mut objects)?;
        self.fill_structs(&objects);
        Ok(objects)
    }

    fn set_up_statics(&mut self) {
        for object in &self.kernel.objects {
            let shared = matches!(object.space, Space::Shared | Space::Private);
            let is_open = self.is_watching() && !object.fixed;
            self.statics.push((!shared).then(|| {
                let init = match is_open {
                    true => Init::Unknown,
                    false => Init::Bytes(Arc::new(object.init.clone().unwrap_or_default())),
                };
                let made = Object::new(&object.name, object.space, object.size, init);
                self.objects.push(made);
                self.objects.len() as u32 - 1
            }));
        }
        for (i, object) in self.kernel.objects.iter().enumerate() {
            let Some(own) = self.statics[i] else { continue };
            if self.is_watching() && !object.fixed {
                continue;
            }
            for &(offset, target, addend) in &object.relocations {
                let address = match self.statics.get(target.0 as usize).copied().flatten() {
                    Some(target) => self.origin(target, addend as u64),
                    None => self.pool.undefined(Undefined::AddressBits, Ty::Ptr),
                };
                self.objects[own as usize].addresses.push((offset, address));
            }
        }
    }

    fn share_arrays(&mut self, objects: &mut [Option<u32>]) -> Outcome<()> {
        for _ in 0..objects.len() {
            for (i, param) in self.kernel.params.iter().enumerate() {
                let reg = param.reg.0 as usize;
                let from = match self.side.launch.args[i] {
                    BoundArg::Alias { param: other, offset } => {
                        let other = self.kernel.params[other].reg.0 as usize;
                        self.first[other].map(|base| (base, offset))
                    }
                    BoundArg::Variable { object, offset } => self
                        .statics
                        .get(object)
                        .copied()
                        .flatten()
                        .map(|o| (self.origin(o, 0), offset)),
                    _ => continue,
                };
                if let Some((base, offset)) = from {
                    let zero = self.pool.constant(Ty::I64, 0);
                    self.first[reg] = Some(self.pool.index(base, zero, 1, offset as i64));
                }
            }
        }
        let is_array = |k: ParamKind| matches!(k, ParamKind::Buffer { .. });
        let open = self
            .kernel
            .params
            .iter()
            .any(|p| is_array(p.kind) && self.first[p.reg.0 as usize].is_none());
        match open {
            true => self.not_followed("a parameter that shares the array of one that has none"),
            false => Ok(()),
        }
    }

    /// Puts the fields that are parameters of their own into their structs.
    fn fill_structs(&mut self, objects: &[Option<u32>]) {
        for param in &self.kernel.params {
            let (Some(within), Reg(reg)) = (param.within, param.reg) else { continue };
            let (Some(object), Some(value)) = (objects[within.param], self.first[reg as usize])
            else {
                continue;
            };
            self.objects[object as usize].write(self.pool, u64::from(within.offset), value, 0);
        }
    }

    pub(super) fn add_object(&mut self, object: Object) -> u32 {
        self.objects.push(object);
        self.objects.len() as u32 - 1
    }

    pub(super) fn origin(&mut self, object: u32, offset: u64) -> T {
        let offset = self.pool.constant(Ty::I64, offset);
        self.pool.address(object, offset)
    }
}
