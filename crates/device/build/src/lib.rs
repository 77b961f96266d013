//! Archives: the front end's code for the device and the plan's words, put together.
//!
//! `lockstep device build` asks the prover first, and tests ask nobody: both build here. The crate `device` knows no front end,
//! and the front end no archive, so that `lockstep-device` links no LLVM; what one says in its words the other is told in its
//! own.

use lockstep_cancel::Cancel;
use lockstep_device::archive::{Archive, Array, Code, Cubin, Scheme, SharedVariable, registers};
use lockstep_device::plan::{As, Checked, Plan};
use lockstep_frontend::{
    AroundSite, CheckedAs, CheckedSite, Checker, Codegen, DeviceArray, Error, Input,
    Instrumentation, Options, Ptxas, for_device,
};
use lockstep_kernel::Kernel;

/// What is built.
#[derive(Debug)]
pub struct Built {
    pub archive: Archive,
    /// LLVM's bitcode of each of the archive's codes, before the optimiser.
    pub bitcode: Vec<Vec<u8>>,
}

impl Built {
    pub fn bitcode(&self, scheme: Scheme, fits: bool) -> Option<&[u8]> {
        let code = self.archive.code(scheme, fits)?;
        let place = self.archive.codes.iter().position(|c| c == code)?;
        self.bitcode.get(place).map(Vec::as_slice)
    }
}

/// An archive of a kernel of `input`; without [`Codegen`], one without PTX. What the archive says of its version, its file and
/// its proof is left to the caller.
pub fn build(
    input: Input,
    options: &Options,
    kernel: &Kernel,
    mut plan: Plan,
    codegen: Option<Codegen>,
) -> Result<Built, Error> {
    let checked: Vec<Option<CheckedSite>> = (plan.by_site(kernel).into_iter())
        .map(|c| c.map(|(number, checked)| checked_site(number, checked)))
        .collect();
    let barriers = plan.barriers_by_site(kernel);
    let instrumentation = Instrumentation {
        kernel,
        checked: &checked,
        barriers: &barriers,
        shared_shift: plan.shared_shift,
        global_shift: plan.global_shift,
    };
    let built = for_device(input, options, &instrumentation, codegen)?;
    for number in &built.each_time {
        plan.checked[*number as usize].recorded.loops = None;
    }
    let (mut codes, mut bitcode) = (Vec::new(), Vec::new());
    for code in built.codes {
        let (scheme, inside) = match code.checker {
            Checker::Flag => (Scheme::Flag, false),
            Checker::FlagInside => (Scheme::Flag, true),
            Checker::Statement => (Scheme::Statement, false),
        };
        codes.push(Code { scheme, inside, ptx: code.ptx, cubin: None });
        bitcode.push(code.bitcode);
    }
    let archive = Archive {
        version: String::new(),
        file: String::new(),
        architecture: String::new(),
        level: codegen.map_or(0, |c| c.level),
        kernel: kernel.clone(),
        plain: built.plain,
        plain_cubin: None,
        codes,
        plan,
        assumes: Vec::new(),
        block: [None; 3],
        grid: [None; 3],
        arguments: Vec::new(),
        arrays: built.arrays.into_iter().map(array).collect(),
        shared: (built.shared.into_iter())
            .map(|v| SharedVariable { name: v.name, start: v.start, size: v.size })
            .collect(),
        own_shared: built.own_shared,
        uses_shared: built.uses_shared,
        witness: None,
    };
    Ok(Built { archive, bitcode })
}

/// Puts a cubin beside each PTX of an archive, for blocks of so many threads where that is known.
pub fn add_cubins(
    archive: &mut Archive,
    ptxas: &Ptxas,
    threads: Option<u32>,
    cancel: &Cancel,
) -> Result<(), Error> {
    let architecture = archive.architecture.clone();
    let cubin = |ptx: &str| {
        let bytes = ptxas.assemble(ptx, &architecture, threads.map(registers), cancel)?;
        Ok::<_, Error>(Some(Cubin(bytes)))
    };
    let plain = cubin(&archive.plain)?;
    let codes: Vec<_> = archive.codes.iter().map(|c| cubin(&c.ptx)).collect::<Result<_, _>>()?;
    archive.plain_cubin = plain;
    archive.codes.iter_mut().zip(codes).for_each(|(code, cubin)| code.cubin = cubin);
    Ok(())
}

fn checked_site(number: u32, checked: Checked) -> CheckedSite {
    let loops = checked.recorded.loops;
    CheckedSite {
        number,
        how: word(checked.how),
        loops: loops.map(|l| AroundSite { once: l.once, around: l.around }),
        for_block: checked.recorded.for_block,
    }
}

fn word(how: As) -> CheckedAs {
    match how {
        As::Bounds => CheckedAs::Bounds,
        As::Together => CheckedAs::Together,
        As::ReadAtomically => CheckedAs::ReadAtomically,
        As::Read => CheckedAs::Read,
        As::Update => CheckedAs::Update,
        As::Write => CheckedAs::Write,
    }
}

fn array(array: DeviceArray) -> Array {
    match array {
        DeviceArray::Argument(i) => Array::Parameter(i),
        DeviceArray::Field { argument, offset } => {
            Array::Field { parameter: argument, offset: offset as u32 }
        }
        DeviceArray::Variable { symbol, name, bytes } => Array::Variable { symbol, name, bytes },
    }
}
