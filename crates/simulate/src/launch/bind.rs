//! From a launch as users write it to one whose arguments match the kernel's parameters one to one. Every error names
//! the parameter and the expected form.

use crate::launch::bytes::Bytes;
use crate::launch::request::{BoundArg, BoundLaunch};
use lockstep_finding::{ArgValue, ArraySpec, ElementType, Launch};
use lockstep_kernel::{Elem, Kernel, Object, Param, ParamKind, Ty};

/// Argument values by parameter: names and positions resolved.
pub type ByParam = Vec<Option<ArgValue>>;

/// Finds the parameter that each argument is for.
pub fn resolve(kernel: &Kernel, args: &[(String, ArgValue)]) -> Result<ByParam, String> {
    let mut out: ByParam = vec![None; kernel.params.len()];
    for (name, value) in args {
        let index = find_param(kernel, name)?;
        if out[index].is_some() {
            return Err(format!("parameter '{}' is given twice", kernel.params[index].name));
        }
        out[index] = Some(value.clone());
    }
    take_from_structs(kernel, &mut out)?;
    Ok(out)
}

/// A number that is a field of a struct whose bytes are given takes its value from there. Bytes cannot give a pointer.
fn take_from_structs(kernel: &Kernel, values: &mut ByParam) -> Result<(), String> {
    for (i, param) in kernel.params.iter().enumerate() {
        if let (Some(within), None, ParamKind::Scalar { ty, .. }) =
            (param.within, &values[i], param.kind)
            && let Some(ArgValue::Array(spec)) = &values[within.param]
        {
            let name = &kernel.params[within.param].name;
            let bytes = spec.to_bytes(name, 0).map_err(|e| format!("parameter '{name}': {e}"))?;
            let at = within.offset as usize;
            let field = bytes.get(at..at + ty.bytes() as usize);
            let element = element_type(Elem::Scalar(ty), &param.source_type, param.signed);
            values[i] = field.map(|bytes| ArgValue::Scalar(element.value_text(bytes)));
        }
    }
    Ok(())
}

/// Arguments that a launch may omit: a struct whose fields are parameters of their own is assembled from them.
fn left_out(kernel: &Kernel, index: usize) -> Option<BoundArg> {
    let ParamKind::Aggregate { size, .. } = kernel.params[index].kind else { return None };
    kernel.fields_of(index).next()?;
    Some(BoundArg::Aggregate(vec![0; size as usize]))
}

fn find_param(kernel: &Kernel, name: &str) -> Result<usize, String> {
    if let Some(i) = kernel.params.iter().position(|p| p.name == name) {
        return Ok(i);
    }
    let names: Vec<_> = kernel.params.iter().map(|p| p.name.as_str()).collect();
    let has = if names.is_empty() { "no parameters".into() } else { names.join(", ") };
    match name.parse::<usize>() {
        Ok(i) if i < kernel.params.len() => Ok(i),
        Ok(i) => Err(format!("no parameter number {i}; kernel {} has {has}", kernel.name)),
        Err(_) => Err(format!("no parameter '{name}'; kernel {} has {has}", kernel.name)),
    }
}

/// The launch with every argument under its parameter's name, in their order.
pub fn named(kernel: &Kernel, launch: &Launch) -> Result<Launch, String> {
    let values = resolve(kernel, &launch.args)?;
    let args =
        kernel.params.iter().zip(values).filter_map(|(p, v)| Some((p.name.clone(), v?))).collect();
    Ok(Launch { args, ..launch.clone() })
}

/// Creates the launch for the machine. Reads the files that it names.
pub fn bind(kernel: &Kernel, launch: &Launch) -> Result<BoundLaunch, String> {
    bind_with(kernel, launch, &|name, spec| Ok(spec.to_bytes(name, launch.seed)?.into()))
}

/// Where the bytes of an array come from, by its parameter's name.
pub type Contents<'a> = dyn Fn(&str, &ArraySpec) -> Result<Bytes, String> + 'a;

/// The same with contents of arrays from elsewhere.
pub fn bind_with(
    kernel: &Kernel,
    launch: &Launch,
    contents: &Contents,
) -> Result<BoundLaunch, String> {
    let values = resolve(kernel, &launch.args)?;
    let mut args = Vec::with_capacity(values.len());
    for (param, value) in kernel.params.iter().zip(&values) {
        let Some(value) = value else {
            if let Some(made) = left_out(kernel, args.len()) {
                args.push(made);
                continue;
            }
            let what = match param.variable {
                None => format!("parameter '{}' of kernel {}", param.name, kernel.name),
                Some(_) => {
                    format!("variable '{}', which kernel {} reads,", param.name, kernel.name)
                }
            };
            let example = example(param);
            return Err(format!("{what} has no value: give one, such as --arg '{example}'"));
        };
        args.push(bind_one(kernel, param, value, args.len(), contents)?);
    }
    let Launch { grid, block, global, shared, .. } = *launch;
    Ok(BoundLaunch { grid, block, global, shared, args })
}

fn bind_one(
    kernel: &Kernel,
    param: &Param,
    value: &ArgValue,
    index: usize,
    contents: &Contents,
) -> Result<BoundArg, String> {
    let name = &param.name;
    match (param.kind, value) {
        (ParamKind::Scalar { ty, count }, ArgValue::Scalar(text)) => scalar(param, ty, count, text),
        (ParamKind::Scalar { ty: Ty::Ptr, count: 1 }, ArgValue::Null) => {
            Ok(BoundArg::Scalar(vec![0]))
        }
        (ParamKind::Scalar { .. }, _) => Err(format!(
            "parameter '{name}' is a scalar{}: give a value such as {}",
            spelt(param),
            example(param)
        )),
        (ParamKind::Buffer { .. }, ArgValue::Array(spec)) => {
            let bytes = contents(name, spec).map_err(|e| format!("parameter '{name}': {e}"))?;
            Ok(BoundArg::Buffer(bytes))
        }
        (ParamKind::Buffer { .. }, ArgValue::Null) => Ok(BoundArg::Null),
        (ParamKind::Buffer { .. }, ArgValue::SameAs { param: target, offset }) => {
            alias(kernel, param, target, *offset, index)
        }
        (ParamKind::Buffer { .. }, ArgValue::Scalar(_)) => Err(format!(
            "parameter '{name}' is a pointer{}: give an array such as {}",
            spelt(param),
            example(param)
        )),
        (ParamKind::Local { .. }, ArgValue::Array(spec)) => Ok(BoundArg::Local(spec.bytes())),
        (ParamKind::Local { .. }, _) => Err(format!(
            "parameter '{name}' is local memory{}: give its size such as {}",
            spelt(param),
            example(param)
        )),
        (ParamKind::Aggregate { size, .. }, ArgValue::Array(spec))
            if spec.bytes() == size as u64 =>
        {
            let bytes = contents(name, spec).map_err(|e| format!("parameter '{name}': {e}"))?;
            Ok(BoundArg::Aggregate(bytes.to_vec()))
        }
        (ParamKind::Aggregate { size, .. }, _) => Err(format!(
            "parameter '{name}' is a struct of {size} bytes{}: give those bytes, such as {}",
            spelt(param),
            example(param)
        )),
    }
}

fn alias(
    kernel: &Kernel,
    param: &Param,
    target: &str,
    offset: u64,
    index: usize,
) -> Result<BoundArg, String> {
    let is_variable = |o: &Object| o.exported && o.name == target;
    let found = find_param(kernel, target);
    if found.is_err()
        && let Some(object) = kernel.objects.iter().position(is_variable)
    {
        return Ok(BoundArg::Variable { object, offset });
    }
    let other = found?;
    if other == index {
        return Err(format!("parameter '{target}' cannot share its own array"));
    }
    match kernel.params[other].kind {
        ParamKind::Buffer { .. } => Ok(BoundArg::Alias { param: other, offset }),
        _ => Err(format!("parameter '{}' cannot share '{target}', which is no array", param.name)),
    }
}

/// The register values of a scalar parameter with this value; `None` if the parameter or the value is not scalar.
pub fn scalar_bits_of(param: &Param, value: &ArgValue) -> Option<Vec<u64>> {
    match (param.kind, value) {
        (ParamKind::Scalar { ty, count }, ArgValue::Scalar(text)) => {
            match scalar(param, ty, count, text) {
                Ok(BoundArg::Scalar(bits)) => Some(bits),
                _ => None,
            }
        }
        _ => None,
    }
}

fn scalar(param: &Param, ty: Ty, count: u8, text: &str) -> Result<BoundArg, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() != count as usize {
        return Err(format!(
            "parameter '{}'{} takes {count} value{}, not {}: such as {}",
            param.name,
            spelt(param),
            if count == 1 { "" } else { "s" },
            parts.len(),
            example(param)
        ));
    }
    let bits = parts.iter().map(|part| {
        scalar_bits(ty, param.signed, part).ok_or_else(|| {
            format!(
                "parameter '{}': '{part}' is not a value of type {}",
                param.name,
                type_name(param, ty)
            )
        })
    });
    Ok(BoundArg::Scalar(bits.collect::<Result<_, _>>()?))
}

/// If the type has no signedness, both readings of a bit pattern are accepted.
fn scalar_bits(ty: Ty, signed: bool, text: &str) -> Option<u64> {
    use ElementType::*;
    let (with_sign, without) = match ty {
        Ty::I1 => return U8.value_bits(text).filter(|&b| b <= 1),
        Ty::I8 => (I8, U8),
        Ty::I16 => (I16, U16),
        Ty::I32 => (I32, U32),
        Ty::I64 | Ty::Ptr => (I64, U64),
        Ty::F16 => return F16.value_bits(text),
        Ty::F32 => return F32.value_bits(text),
        Ty::F64 => return F64.value_bits(text),
    };
    let bits = with_sign.value_bits(text);
    if signed { bits } else { bits.or_else(|| without.value_bits(text)) }
}

fn type_name(param: &Param, ty: Ty) -> String {
    if param.source_type.is_empty() { ty.to_string() } else { param.source_type.clone() }
}

fn spelt(param: &Param) -> String {
    if param.source_type.is_empty() { String::new() } else { format!(" ({})", param.source_type) }
}

/// An example of a value for this parameter.
pub fn example(param: &Param) -> String {
    let name = &param.name;
    match param.kind {
        ParamKind::Scalar { ty, count } => {
            let one = if ty.is_float() {
                "0.5"
            } else if ty == Ty::I1 {
                "true"
            } else {
                "1024"
            };
            format!("{name}={}", vec![one; count as usize].join(","))
        }
        ParamKind::Buffer { elem, .. } => {
            format!("{name}={}[1024]", element_type(elem, &param.source_type, true))
        }
        ParamKind::Local { elem } => {
            format!("{name}={}[256]", element_type(elem, &param.source_type, true))
        }
        ParamKind::Aggregate { size, .. } => format!("{name}=u8[{size}]"),
    }
}

/// The element type for an array of `elem`; bytes if it is not scalar.
pub fn element_type(elem: Elem, source_type: &str, signed: bool) -> ElementType {
    use ElementType::*;
    let unsigned = source_type.contains("unsigned")
        || source_type.starts_with('u')
        || source_type.contains(" u");
    let signed = signed && !unsigned;
    match elem {
        Elem::Scalar(Ty::I1) => U8,
        Elem::Scalar(Ty::I8) => {
            if signed {
                I8
            } else {
                U8
            }
        }
        Elem::Scalar(Ty::I16) => {
            if signed {
                I16
            } else {
                U16
            }
        }
        Elem::Scalar(Ty::I32) => {
            if signed {
                I32
            } else {
                U32
            }
        }
        Elem::Scalar(Ty::I64) => {
            if signed {
                I64
            } else {
                U64
            }
        }
        Elem::Scalar(Ty::Ptr) => U64,
        Elem::Scalar(Ty::F16) => F16,
        Elem::Scalar(Ty::F32) => F32,
        Elem::Scalar(Ty::F64) => F64,
        Elem::Bytes(_) => vector_element(source_type).unwrap_or(U8),
    }
}

/// The elements of `float4 *` are floats.
fn vector_element(source_type: &str) -> Option<ElementType> {
    let words = source_type.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter_map(ElementType::parse).find(|(_, lanes)| *lanes > 1).map(|(t, _)| t)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use lockstep_kernel::{Language, LocId, Reg, Space};

    pub(crate) fn param(name: &str, kind: ParamKind, source_type: &str, signed: bool) -> Param {
        let source_type = source_type.into();
        Param {
            name: name.into(),
            kind,
            reg: Reg(0),
            source_type,
            signed,
            align: 1,
            within: None,
            variable: None,
        }
    }

    pub(crate) fn kernel(params: Vec<Param>) -> Kernel {
        Kernel {
            name: "reduce".into(),
            mangled: "reduce".into(),
            language: Language::Cuda,
            loc: LocId(0),
            params,
            objects: Vec::new(),
            regs: Vec::new(),
            reg_names: Vec::new(),
            extents: Vec::new(),
            blocks: Vec::new(),
            sites: Vec::new(),
            locs: Vec::new(),
            files: Vec::new(),
            unsupported: Vec::new(),
            beside: Vec::new(),
            required_block: None,
            most_threads: None,
            remainders: false,
            work_sizes: Vec::new(),
        }
    }

    pub(crate) fn reduce() -> Kernel {
        let f32s = Elem::Scalar(Ty::F32);
        kernel(vec![
            param(
                "in",
                ParamKind::Buffer { space: Space::Global, elem: f32s, readonly: true },
                "float *",
                false,
            ),
            param(
                "out",
                ParamKind::Buffer { space: Space::Global, elem: f32s, readonly: false },
                "float *",
                false,
            ),
            param("n", ParamKind::Scalar { ty: Ty::I32, count: 1 }, "int", true),
            param("v", ParamKind::Scalar { ty: Ty::F32, count: 4 }, "float4", false),
            param("t", ParamKind::Local { elem: Elem::Scalar(Ty::I32) }, "int *", true),
            param("p", ParamKind::Aggregate { size: 24, align: 8 }, "Params", false),
        ])
    }

    fn launch(args: &[&str]) -> Launch {
        let args = args.iter().map(|a| ArgValue::parse_assignment(a).unwrap()).collect();
        Launch { args, ..Launch::default() }
    }

    const GOOD: [&str; 6] =
        ["in=f32[2]:ones", "1=&in+4", "n=-1", "v=1,2,3,4", "t=i32[8]", "p=u8[24]"];

    #[test]
    fn everything_bound() {
        let bound = bind(&reduce(), &launch(&GOOD)).unwrap();
        let one = 1f32.to_le_bytes();
        assert_eq!(bound.args[0], BoundArg::Buffer([one, one].concat().into()));
        assert_eq!(bound.args[1], BoundArg::Alias { param: 0, offset: 4 });
        assert_eq!(bound.args[2], BoundArg::Scalar(vec![0xffff_ffff]));
        assert_eq!(
            bound.args[3],
            BoundArg::Scalar([1f32, 2., 3., 4.].map(|f| f.to_bits() as u64).to_vec())
        );
        assert_eq!(bound.args[4], BoundArg::Local(32));
        assert_eq!(bound.args[5], BoundArg::Aggregate(vec![0; 24]));
        let names: Vec<_> =
            named(&reduce(), &launch(&GOOD)).unwrap().args.into_iter().map(|a| a.0).collect();
        assert_eq!(names, ["in", "out", "n", "v", "t", "p"]);
    }

    #[test]
    fn fields_make_their_struct() {
        let within = |offset| Some(lockstep_kernel::Within { param: 0, offset });
        let elem = Elem::Scalar(Ty::F32);
        let buffer = ParamKind::Buffer { space: Space::Global, elem, readonly: false };
        let scalar = ParamKind::Scalar { ty: Ty::I32, count: 1 };
        let k = kernel(vec![
            param("p", ParamKind::Aggregate { size: 16, align: 8 }, "P", false),
            Param { within: within(0), ..param("p.x", buffer, "float *", false) },
            Param { within: within(8), ..param("p.n", scalar, "int", true) },
        ]);
        let bytes = "p=u8[16]:0,0,0,0,0,0,0,0,255,255,255,255,0,0,0,0";
        let number = |args: &[&str]| bind(&k, &launch(args)).map(|b| b.args[2].clone());
        assert_eq!(number(&["p.x=f32[1]", "p.n=3"]), Ok(BoundArg::Scalar(vec![3])));
        assert_eq!(number(&["p.x=f32[1]", bytes]), Ok(BoundArg::Scalar(vec![0xffff_ffff])));
        assert_eq!(number(&["p.x=f32[1]", "p.n=3", bytes]), Ok(BoundArg::Scalar(vec![3])));
        let missing = number(&[bytes]).unwrap_err();
        assert!(missing.starts_with("parameter 'p.x' of kernel reduce has no value"), "{missing}");
    }

    #[test]
    fn errors_name_the_parameter() {
        let with = |position: usize, arg: &str| {
            let mut args = GOOD.to_vec();
            args[position] = arg;
            bind(&reduce(), &launch(&args)).unwrap_err()
        };
        assert_eq!(with(0, "foo=1"), "no parameter 'foo'; kernel reduce has in, out, n, v, t, p");
        assert_eq!(with(0, "9=1"), "no parameter number 9; kernel reduce has in, out, n, v, t, p");
        assert_eq!(with(0, "n=1"), "parameter 'n' is given twice");
        assert_eq!(
            with(0, "in=3"),
            "parameter 'in' is a pointer (float *): give an array such as in=f32[1024]"
        );
        assert_eq!(
            with(2, "n=f32[4]"),
            "parameter 'n' is a scalar (int): give a value such as n=1024"
        );
        assert_eq!(with(2, "n=0.5"), "parameter 'n': '0.5' is not a value of type int");
        assert_eq!(
            with(2, "n=2147483648"),
            "parameter 'n': '2147483648' is not a value of type int"
        );
        assert_eq!(
            with(3, "v=1,2"),
            "parameter 'v' (float4) takes 4 values, not 2: such as v=0.5,0.5,0.5,0.5"
        );
        assert_eq!(
            with(4, "t=8"),
            "parameter 't' is local memory (int *): give its size such as t=i32[256]"
        );
        assert_eq!(
            with(5, "p=u8[23]"),
            "parameter 'p' is a struct of 24 bytes (Params): give those bytes, such as p=u8[24]"
        );
        assert_eq!(with(0, "in=&n"), "parameter 'in' cannot share 'n', which is no array");
        assert_eq!(with(0, "in=&in"), "parameter 'in' cannot share its own array");
        assert_eq!(
            with(0, "in=&other"),
            "no parameter 'other'; kernel reduce has in, out, n, v, t, p"
        );
        let missing = bind(&reduce(), &launch(&GOOD[..5])).unwrap_err();
        assert_eq!(
            missing,
            "parameter 'p' of kernel reduce has no value: give one, such as --arg 'p=u8[24]'"
        );
    }
}
