//! Launches that are told so that they can be kept (`lockstep exec --record`): each that differs from those before.
//!
//! What is told has no addresses: pointers are told by the allocations that they share, and by what lies behind them.
//! Elements are looked at only where addresses or branches of the kernel may depend on them, and those of large
//! allocations only in the first launches. Contents that cannot be indices are left out: a program may copy memory to the
//! device that it has not written, and such contents differ from run to run.
//!
//! What it can miss: what a struct that is passed by value holds, unless the kernel reads it member by member; arrays that
//! only pointers in memory lead to.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use lockstep_finding::recorded::{Elements, RecordedArray, RecordedLaunch};
use lockstep_finding::{ArgValue, ElementType};
use lockstep_kernel::slice::deciding_contents;
use lockstep_kernel::{Elem, Kernel, Object, ParamKind, Space};
use lockstep_simulate::{BoundArg, BoundLaunch, bind};

use crate::code::Loaded;
use crate::device::Device;
use crate::record::Record;

/// The most different launches of one kernel that a process tells.
const MOST_LAUNCHES: usize = 20_000;
/// The most elements that are told one by one, in the first launches and in all.
const MOST_VALUES: [usize; 2] = [256, 32];
/// The most bytes of an array whose elements are looked at, in the first launches and in all.
const MOST_BYTES: [u64; 2] = [1 << 28, 1 << 20];
/// How many are the first.
const FIRST: usize = 8;

#[derive(Default)]
pub(crate) struct Recorder {
    kernels: HashMap<usize, OfKernel>,
}

struct OfKernel {
    /// By parameter: whether addresses or branches depend on the contents.
    is_led_by: Vec<bool>,
    seen: HashSet<u64>,
    is_full: bool,
}

impl OfKernel {
    fn new(kernel: &Kernel) -> OfKernel {
        let is_led_by = deciding_contents(kernel);
        let is_led_by = is_led_by.unwrap_or_else(|| vec![true; kernel.params.len()]);
        OfKernel { is_led_by, seen: HashSet::new(), is_full: false }
    }
}

impl Device {
    /// Tells of a launch before it is executed, if it is a new one.
    pub(crate) fn record(&mut self, loaded: &Loaded, launch: &BoundLaunch) {
        let number = loaded.number;
        let of = self.recorder.kernels.entry(number);
        let of = of.or_insert_with(|| OfKernel::new(loaded.kernel()));
        if of.is_full {
            return;
        }
        // Values that became part of its code are not in the launch: it cannot be said.
        if loaded.is_special {
            of.is_full = true;
            self.tell(&Record::Recorded { kernel: number, launch: None });
            return;
        }
        let (is_led_by, count) = (of.is_led_by.clone(), of.seen.len());
        let recorded = self.recorded(loaded, launch, &is_led_by, count < FIRST);
        let Some(of) = self.recorder.kernels.get_mut(&number) else { return };
        let mut hasher = DefaultHasher::new();
        recorded.hash(&mut hasher);
        if !of.seen.insert(hasher.finish()) {
            return;
        }
        of.is_full = of.seen.len() > MOST_LAUNCHES;
        let launch = (!of.is_full).then(|| Box::new(recorded));
        self.tell(&Record::Recorded { kernel: number, launch });
    }

    fn recorded(
        &self,
        loaded: &Loaded,
        launch: &BoundLaunch,
        is_led_by: &[bool],
        is_first: bool,
    ) -> RecordedLaunch {
        let kernel = loaded.kernel();
        let mut out = RecordedLaunch {
            grid: launch.grid,
            block: launch.block,
            global: launch.global,
            shared: launch.shared,
            ..RecordedLaunch::default()
        };
        let mut starts: BTreeMap<usize, (i64, String)> = BTreeMap::new();
        let mut spots: Vec<(String, usize, i64)> = Vec::new();
        for (i, (param, arg)) in kernel.params.iter().zip(&launch.args).enumerate() {
            let name = param.name.clone();
            match (param.kind, arg) {
                (ParamKind::Scalar { ty, .. }, BoundArg::Scalar(values)) => {
                    let element =
                        bind::element_type(Elem::Scalar(ty), &param.source_type, param.signed);
                    let text = |v: &u64| element.value_text(&v.to_le_bytes()[..element.size()]);
                    let texts: Vec<String> = values.iter().map(text).collect();
                    out.scalars.insert(name, texts.join(","));
                }
                (ParamKind::Local { elem }, BoundArg::Local(bytes)) => {
                    let element = bind::element_type(elem, &param.source_type, param.signed);
                    let array = RecordedArray {
                        element: element.name().into(),
                        bytes: Some(*bytes),
                        ..RecordedArray::default()
                    };
                    out.arrays.insert(name, array);
                }
                (ParamKind::Buffer { elem, .. }, BoundArg::Address(address)) => {
                    let element = bind::element_type(elem, &param.source_type, param.signed);
                    let is_scalar = matches!(elem, Elem::Scalar(_));
                    let is_led = is_led_by.get(i).copied().unwrap_or(true);
                    let looked = self.pointed_to(*address, (element, is_scalar), is_led, is_first);
                    let (array, spot) = looked;
                    if let Some((slot, offset)) = spot {
                        let start = starts.entry(slot).or_insert((offset, name.clone()));
                        if offset < start.0 {
                            *start = (offset, name.clone());
                        }
                        spots.push((name.clone(), slot, offset));
                    }
                    out.arrays.insert(name, array);
                }
                _ => {}
            }
        }
        for (name, slot, offset) in spots {
            let (Some((start, first)), Some(array)) =
                (starts.get(&slot), out.arrays.get_mut(&name))
            else {
                continue;
            };
            if *first != name {
                array.within = Some(first.clone());
                array.at = (offset - start) as u64;
            }
        }
        let objects = kernel.objects.iter().zip(&loaded.slots);
        for (object, slot) in objects.filter_map(|(o, slot)| Some((o, (*slot)?))) {
            if let Some(text) = self.variable_text(object, slot) {
                out.scalars.entry(object.name.clone()).or_insert(text);
            }
        }
        out
    }

    /// What a pointer points to, and where that is.
    fn pointed_to(
        &self,
        address: u64,
        (element, is_scalar): (ElementType, bool),
        is_led: bool,
        is_first: bool,
    ) -> (RecordedArray, Option<(usize, i64)>) {
        let mut array = RecordedArray::default();
        if address == 0 {
            array.null = true;
            return (array, None);
        }
        let known = self.memory.find(address).and_then(|spot| {
            let allocation = self.memory.get(spot.slot).filter(|a| a.freed.is_none())?;
            let offset = u64::try_from(spot.offset).ok().filter(|o| *o <= allocation.size)?;
            Some((spot.slot, offset, allocation.size - offset))
        });
        let Some((slot, offset, bytes)) = known else { return (array, None) };
        array.element = element.name().into();
        array.bytes = Some(bytes);
        array.at = offset;
        let (most_bytes, most_values) = match is_first {
            true => (MOST_BYTES[0], MOST_VALUES[0]),
            false => (MOST_BYTES[1], MOST_VALUES[1]),
        };
        if is_led && !element.is_float() && bytes <= most_bytes {
            let values = self.integers(slot, offset, bytes, element);
            if !values.iter().all(|v| is_usual(*v, element)) {
                return (array, Some((slot, offset as i64)));
            }
            if values.len() <= most_values {
                let texts: Vec<String> = values.iter().map(|v| shown(*v, element)).collect();
                array.values = Some(texts.join(","));
            }
            // Bytes of structs are no elements.
            array.elements = Elements::of(&values).filter(|_| is_scalar);
        }
        (array, Some((slot, offset as i64)))
    }

    /// The integers of an allocation from an offset on.
    fn integers(&self, slot: usize, offset: u64, bytes: u64, element: ElementType) -> Vec<i64> {
        let Some(from) = self.memory.bytes(slot) else { return Vec::new() };
        // SAFETY: the allocation has that many bytes behind the offset, and nothing writes them now.
        let bytes =
            unsafe { std::slice::from_raw_parts(from.add(offset as usize), bytes as usize) };
        let size = element.size();
        let value = |b: &[u8]| {
            let mut word = [0; 8];
            word[..size].copy_from_slice(b);
            let (bits, unused) = (u64::from_le_bytes(word), 64 - 8 * size as u32);
            match element.is_signed() {
                true => (bits << unused) as i64 >> unused,
                false => bits as i64,
            }
        };
        bytes.chunks_exact(size).map(value).collect()
    }

    /// The value of a variable that holds one number, which a kernel is checked with as a parameter.
    fn variable_text(&self, object: &Object, slot: usize) -> Option<String> {
        let Elem::Scalar(ty) = object.elem else { return None };
        let is_number = object.size == u64::from(ty.bytes()) && ty != lockstep_kernel::Ty::Ptr;
        if !is_number || !matches!(object.space, Space::Global | Space::Constant) {
            return None;
        }
        let element = bind::element_type(object.elem, "", true);
        let from = self.memory.bytes(slot)?;
        // SAFETY: the variable has that many bytes, and nothing writes them now.
        let bytes = unsafe { std::slice::from_raw_parts(from, element.size()) };
        let text = element.value_text(bytes);
        matches!(ArgValue::parse(&text), Ok(ArgValue::Scalar(_))).then_some(text)
    }
}

/// Whether it may be an index, a number or a mark. Others are leftovers of memory that the program has not written, and
/// differ from run to run.
fn is_usual(value: i64, element: ElementType) -> bool {
    let marks: [i64; 2] = match element {
        ElementType::I32 => [i32::MAX.into(), i32::MIN.into()],
        ElementType::U32 => [u32::MAX.into(), i32::MAX.into()],
        _ => [i64::MAX, i64::MIN],
    };
    value.unsigned_abs() < 1 << 28 || marks.contains(&value)
}

/// A value as the command line has it.
fn shown(value: i64, element: ElementType) -> String {
    element.value_text(&value.to_le_bytes()[..element.size()])
}
