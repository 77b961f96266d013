//! What of a launch can be repeated alone: its dimensions, scalars, and the contents of its arrays before it.
//!
//! Only where all of it fits into a report, and nothing else is used: no struct with pointers, no variable that the host
//! sets, no pointer into the middle of an array.

use lockstep_finding::{ArgValue, ArrayContents, ArraySpec, Launch};
use lockstep_kernel::{Elem, Language, Object, ParamKind, Space};
use lockstep_simulate::{BoundArg, BoundLaunch, Resident, bind};

use crate::code::Loaded;
use crate::device::Device;

/// The most bytes of all arrays of a launch that are kept.
const MOST_BYTES: u64 = 16 << 10;

/// The arrays of a launch, by parameter, before it.
pub(crate) struct Contents {
    arrays: Vec<Option<Array>>,
    is_whole: bool,
}

enum Array {
    Bytes(Vec<u8>),
    SameAs(usize, u64),
    Null,
}

/// Copies the arrays of a launch.
pub(crate) fn contents(device: &Device, loaded: &Loaded, launch: &BoundLaunch) -> Option<Contents> {
    let kernel = loaded.kernel();
    let mut arrays: Vec<Option<Array>> = Vec::new();
    let mut slots: Vec<Option<(usize, u64)>> = Vec::new();
    let mut left = MOST_BYTES;
    // What the host cannot change has the values that the source says.
    let is_fixed = |o: &Object| kernel.language == Language::OpenCl && o.space == Space::Constant;
    let mut objects = kernel.objects.iter().zip(&loaded.slots);
    let mut is_whole = objects.all(|(o, slot)| slot.is_none() || is_fixed(o));
    is_whole &= !loaded.is_special;
    for (param, arg) in kernel.params.iter().zip(&launch.args) {
        let mut slot_of = None;
        let array = match (param.kind, arg) {
            (ParamKind::Scalar { .. } | ParamKind::Local { .. }, _) => None,
            (ParamKind::Buffer { .. }, BoundArg::Address(0)) => Some(Array::Null),
            (ParamKind::Buffer { .. }, BoundArg::Address(address)) => {
                let spot = Resident::slot_of(*address);
                let known = spot.and_then(|(slot, offset)| {
                    let allocation = device.memory.get(slot).filter(|a| a.freed.is_none())?;
                    let offset = u64::try_from(offset).ok().filter(|o| *o <= allocation.size)?;
                    Some((slot, offset, allocation.size))
                });
                match known {
                    Some((slot, offset, size)) => {
                        slot_of = Some((slot, offset));
                        let same = slots.iter().flatten().position(|(s, _)| *s == slot);
                        let first = slots.iter().position(|s| s.is_some_and(|(s, _)| s == slot));
                        match (same, first) {
                            (Some(_), Some(first)) => {
                                let start = slots[first].map_or(0, |(_, o)| o);
                                is_whole &= offset >= start;
                                Some(Array::SameAs(first, offset.saturating_sub(start)))
                            }
                            _ if offset == 0 && size <= left => {
                                left -= size;
                                device.memory.bytes(slot).map(|from| {
                                    // SAFETY: the allocation has that many bytes, and nothing writes them now.
                                    let bytes =
                                        unsafe { std::slice::from_raw_parts(from, size as usize) };
                                    Array::Bytes(bytes.to_vec())
                                })
                            }
                            _ => {
                                is_whole = false;
                                None
                            }
                        }
                    }
                    None => {
                        is_whole = false;
                        None
                    }
                }
            }
            _ => {
                is_whole = false;
                None
            }
        };
        slots.push(slot_of);
        arrays.push(array);
    }
    Some(Contents { arrays, is_whole })
}

impl Contents {
    /// The launch as `lockstep run` takes it, and whether all of its arguments can be said.
    pub(crate) fn launch(self, loaded: &Loaded, launch: &BoundLaunch) -> (Launch, bool) {
        let kernel = loaded.kernel();
        let mut args = Vec::new();
        for ((param, arg), array) in kernel.params.iter().zip(&launch.args).zip(&self.arrays) {
            let value = match (param.kind, arg, array) {
                (ParamKind::Scalar { ty, .. }, BoundArg::Scalar(values), _) => {
                    let element =
                        bind::element_type(Elem::Scalar(ty), &param.source_type, param.signed);
                    let text = |v: &u64| element.value_text(&v.to_le_bytes()[..element.size()]);
                    let texts: Vec<String> = values.iter().map(text).collect();
                    Some(ArgValue::Scalar(texts.join(",")))
                }
                (ParamKind::Local { elem }, BoundArg::Local(bytes), _) => {
                    let element = bind::element_type(elem, &param.source_type, param.signed);
                    let length = bytes.div_ceil(element.size() as u64);
                    Some(ArgValue::Array(ArraySpec::new(element, length, ArrayContents::Zeros)))
                }
                (_, _, Some(Array::Null)) => Some(ArgValue::Null),
                (_, _, Some(Array::SameAs(of, offset))) => Some(ArgValue::SameAs {
                    param: kernel.params[*of].name.clone(),
                    offset: *offset,
                }),
                (ParamKind::Buffer { elem, .. }, _, Some(Array::Bytes(bytes))) if self.is_whole => {
                    let element = bind::element_type(elem, &param.source_type, param.signed);
                    let values = bytes.chunks_exact(element.size()).map(|b| element.value_text(b));
                    let contents = match bytes.iter().all(|b| *b == 0) {
                        true => ArrayContents::Zeros,
                        false => ArrayContents::Literal(values.collect()),
                    };
                    let length = bytes.len() as u64 / element.size() as u64;
                    Some(ArgValue::Array(ArraySpec::new(element, length, contents)))
                }
                _ => None,
            };
            args.extend(value.map(|v| (param.name.clone(), v)));
        }
        let seed = Launch::default().seed;
        let BoundLaunch { grid, block, shared, global, .. } = *launch;
        (Launch { grid, block, global, shared, args, seed }, self.is_whole)
    }
}
