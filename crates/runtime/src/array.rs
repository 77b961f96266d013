//! Arrays of CUDA, and what a texture or a surface is to a kernel: a description in the device's memory, which the code
//! of our headers reads (`__lockstep_image` of `texture/sampled.h`).
//!
//! An array is memory of the device like any other, its rows without gaps; its handle is the address.

// As in `api`: C's functions take these.
#![allow(unreachable_pub)]

use std::collections::HashMap;
use std::ffi::{c_int, c_void};

use crate::device::Device;
use crate::error::{Failed, Status};
use crate::memory::Use;
use crate::site::Site;
use crate::transfer::Side;

/// `cudaChannelFormatDesc`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Channel {
    bits: [c_int; 4],
    kind: c_int,
}

impl Channel {
    /// Bytes of a texel.
    pub(crate) fn bytes(&self) -> usize {
        self.bits.iter().map(|b| (*b).max(0) as usize).sum::<usize>() / 8
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Array {
    pub channel: Channel,
    /// In texels; zero where it has no such dimension.
    pub extent: [usize; 3],
    pub flags: u32,
}

impl Array {
    pub(crate) fn pitch(&self) -> u64 {
        (self.extent[0] * self.channel.bytes()) as u64
    }

    pub(crate) fn slice(&self) -> u64 {
        self.pitch() * self.extent[1].max(1) as u64
    }

    fn bytes(&self) -> u64 {
        self.slice() * self.extent[2].max(1) as u64
    }
}

/// By handle.
pub(crate) type Arrays = HashMap<u64, Array>;

/// `cudaResourceDesc`: of an array, only `at` is there.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Resource {
    kind: c_int,
    at: *mut c_void,
    channel: Channel,
    /// In texels, or of plain memory in bytes.
    width: usize,
    height: usize,
    pitch: usize,
}

const OF_ARRAY: c_int = 0;
const LINEAR: c_int = 2;
const PITCHED: c_int = 3;

/// `cudaTextureDesc`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Sampling {
    address: [c_int; 3],
    filter: c_int,
    read_mode: c_int,
    srgb: c_int,
    border: [f32; 4],
    normalised: c_int,
    anisotropy: u32,
    mipmap: c_int,
    levels: [f32; 3],
}

/// `__lockstep_image` of our headers.
#[repr(C)]
struct Image {
    data: u64,
    pitch: u64,
    slice: u64,
    extent: [c_int; 3],
    texel: c_int,
    channel_kind: c_int,
    bits: [c_int; 4],
    address: [c_int; 3],
    linear: c_int,
    normalised_values: c_int,
    normalised: c_int,
    border: [f32; 4],
}

impl Device {
    pub(crate) fn new_array(
        &mut self,
        name: &'static str,
        array: Array,
        site: Site,
    ) -> Result<u64, Failed> {
        if array.channel.bytes() == 0 || array.extent[0] == 0 {
            return Failed::with(Status::INVALID_VALUE);
        }
        let address = self.memory.allocate(array.bytes(), Use::Device, name, site);
        let address = address.ok_or(Failed(Status::MEMORY_ALLOCATION))?;
        self.arrays.insert(address, array);
        Ok(address)
    }

    /// The array behind a handle; its memory may be freed.
    pub(crate) fn array(&mut self, handle: u64, call: &str, site: &Site) -> Result<Array, Failed> {
        if let Some(array) = self.arrays.get(&handle) {
            return Ok(*array);
        }
        let help = "pass an array that cudaMallocArray has made, not a pointer to memory";
        self.misuse(site, format!("{call} is given an array that does not exist"), help);
        Failed::with(Status::INVALID_HANDLE)
    }

    /// A side of a copy that is in an array; `x` in bytes.
    pub(crate) fn array_side(
        &mut self,
        handle: u64,
        [x, y, z]: [usize; 3],
        call: &str,
        site: &Site,
    ) -> Result<Side, Failed> {
        let array = self.array(handle, call, site)?;
        let (pitch, slice) = (array.pitch(), array.slice());
        let at = handle + x as u64 + y as u64 * pitch + z as u64 * slice;
        Ok(Side { at, pitch, slice })
    }

    /// The description of a texture or a surface, as an object that kernels are given.
    pub(crate) fn new_image(
        &mut self,
        name: &'static str,
        of: &Resource,
        how: Sampling,
        site: Site,
    ) -> Result<u64, Failed> {
        let data = of.at as u64;
        let (channel, extent, pitch, slice) = match of.kind {
            OF_ARRAY => {
                let array = self.array(data, name, &site)?;
                (array.channel, array.extent, array.pitch(), array.slice())
            }
            LINEAR => {
                let width = of.width / of.channel.bytes().max(1);
                (of.channel, [width, 0, 0], of.width as u64, of.width as u64)
            }
            PITCHED => {
                let (pitch, height) = (of.pitch as u64, of.height as u64);
                (of.channel, [of.width, of.height, 0], pitch, pitch * height)
            }
            _ => return Failed::with(Status::NOT_SUPPORTED),
        };
        let image = Image {
            data,
            pitch,
            slice,
            extent: extent.map(|e| e as c_int),
            texel: channel.bytes() as c_int,
            channel_kind: channel.kind,
            bits: channel.bits,
            address: how.address,
            linear: how.filter,
            normalised_values: how.read_mode,
            normalised: how.normalised,
            border: how.border,
        };
        let size = size_of::<Image>();
        let handle = self.memory.allocate(size as u64, Use::Device, name, site);
        let handle = handle.ok_or(Failed(Status::MEMORY_ALLOCATION))?;
        let (home, spot) = (self.home(handle), self.memory.find(handle));
        let at = self.bytes_at(home, handle, handle);
        // SAFETY: the memory was allocated for it.
        unsafe { std::ptr::copy_nonoverlapping((&raw const image).cast::<u8>(), at, size) };
        if let Some(spot) = spot {
            self.memory.resident.mark_written(spot.slot, 0, size as u64);
        }
        Ok(handle)
    }
}
