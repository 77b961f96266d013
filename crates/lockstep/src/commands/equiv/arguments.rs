//! Which parameter of one side is which of the other, and which arguments stand for every value.

use lockstep_finding::{ArgValue, ArraySpec, ElementType};
use lockstep_kernel::{Elem, Kernel, Param, ParamKind, Ty};
use lockstep_simulate::bind;

/// An argument of the command line.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) name: String,
    /// As `--arg` has it, without the word `symbolic`.
    value: ArgValue,
    pub(super) is_symbolic: bool,
}

/// The word that stands for every value.
const SYMBOLIC: &str = "symbolic";

pub(super) fn parse(text: &str) -> Result<Given, String> {
    let plain = match text.strip_suffix(SYMBOLIC) {
        // A scalar: its value is not looked at.
        Some(rest) if rest.trim_end().ends_with('=') => Some(format!("{rest}0")),
        Some(rest) => rest.trim_end().strip_suffix(':').map(str::to_owned),
        None => None,
    };
    let (name, value) = ArgValue::parse_assignment(plain.as_deref().unwrap_or(text))?;
    Ok(Given { name, value, is_symbolic: plain.is_some() })
}

/// Pairs of parameters: those of one name, then those at one position that have no such partner.
pub(super) fn pairs(sides: [&Kernel; 2]) -> Vec<[usize; 2]> {
    let [a, b] = sides;
    let named = |kernel: &Kernel, name: &str| kernel.params.iter().position(|p| p.name == name);
    let mut out: Vec<[usize; 2]> = Vec::new();
    for (i, p) in a.params.iter().enumerate() {
        out.extend(named(b, &p.name).map(|j| [i, j]));
    }
    for (i, (p, q)) in a.params.iter().zip(&b.params).enumerate() {
        let is_free = named(b, &p.name).is_none() && named(a, &q.name).is_none();
        if is_free && is_alike(p, q) {
            out.push([i, i]);
        }
    }
    out.sort_unstable();
    out
}

fn is_alike(p: &Param, q: &Param) -> bool {
    std::mem::discriminant(&p.kind) == std::mem::discriminant(&q.kind)
}

/// For each side, the argument of each of its parameters, by number among those given.
pub(super) fn assign(
    sides: [&Kernel; 2],
    pairs: &[[usize; 2]],
    given: &[Given],
) -> Result<[Vec<Option<usize>>; 2], String> {
    let mut out = sides.map(|k| vec![None; k.params.len()]);
    for (number, arg) in given.iter().enumerate() {
        let mut any = false;
        for side in 0..2 {
            if let Some(i) = sides[side].params.iter().position(|p| p.name == arg.name) {
                out[side][i] = Some(number);
                any = true;
            }
        }
        if !any && let Ok(position) = arg.name.parse::<usize>() {
            for side in 0..2 {
                if let Some(place) = out[side].get_mut(position) {
                    *place = Some(number);
                    any = true;
                }
            }
        }
        if !any {
            let names = |k: &Kernel| -> String {
                let names: Vec<&str> = k.params.iter().map(|p| p.name.as_str()).collect();
                format!("{} has {}", k.name, names.join(", "))
            };
            return Err(format!(
                "no parameter '{}'; {}, {}",
                arg.name,
                names(sides[0]),
                names(sides[1])
            ));
        }
    }
    // What one side is given, its partner is, too.
    for &[i, j] in pairs {
        let both = out[0][i].or(out[1][j]);
        (out[0][i], out[1][j]) = (out[0][i].or(both), out[1][j].or(both));
    }
    Ok(out)
}

impl Given {
    /// The value for a parameter: a symbolic vector has one for each of its parts.
    pub(super) fn value_for(&self, param: &Param) -> ArgValue {
        match (param.kind, &self.value) {
            (ParamKind::Scalar { count, .. }, ArgValue::Scalar(_)) if self.is_symbolic => {
                ArgValue::Scalar(vec!["0"; count as usize].join(","))
            }
            (_, value) => value.clone(),
        }
    }

    /// The type and number of its elements, for a parameter that it is given to.
    pub(super) fn shape(&self, param: &Param) -> Result<(Ty, u64), String> {
        match (param.kind, &self.value) {
            (ParamKind::Scalar { ty, count }, ArgValue::Scalar(_)) => Ok((ty, u64::from(count))),
            (_, ArgValue::Array(spec)) => {
                Ok((register_type(spec.element), spec.length * u64::from(spec.lanes)))
            }
            (ParamKind::Scalar { .. }, _) => {
                Err(format!("parameter '{}' is a scalar: {}=symbolic", param.name, param.name))
            }
            _ => Err(format!(
                "parameter '{}' is a pointer: give an array such as {}=f32[64]:symbolic",
                param.name, param.name
            )),
        }
    }

    /// Whether it is the array of another parameter.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.value, ArgValue::SameAs { .. })
    }

    pub(super) fn array(&self) -> Option<&ArraySpec> {
        match &self.value {
            ArgValue::Array(spec) => Some(spec),
            _ => None,
        }
    }

    pub(super) fn scalar(&self) -> Option<&str> {
        match &self.value {
            ArgValue::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// The type of its elements as a parameter has them.
    pub(super) fn element_for(&self, param: &Param) -> ElementType {
        match (self.element(), param.kind) {
            (Some(element), _) => element,
            (None, ParamKind::Scalar { ty, .. }) => {
                bind::element_type(Elem::Scalar(ty), &param.source_type, param.signed)
            }
            (None, _) => ElementType::U8,
        }
    }

    pub(super) fn element(&self) -> Option<ElementType> {
        match &self.value {
            ArgValue::Array(spec) => Some(spec.element),
            _ => None,
        }
    }
}

/// The type of a register that holds an element.
pub(super) fn register_type(element: ElementType) -> Ty {
    match element {
        ElementType::I8 | ElementType::U8 => Ty::I8,
        ElementType::I16 | ElementType::U16 => Ty::I16,
        ElementType::I32 | ElementType::U32 => Ty::I32,
        ElementType::I64 | ElementType::U64 => Ty::I64,
        ElementType::F16 => Ty::F16,
        ElementType::F32 => Ty::F32,
        ElementType::F64 => Ty::F64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbolic_arguments() {
        let of = |text: &str| parse(text).map(|g| (g.name, g.value.to_string(), g.is_symbolic));
        assert_eq!(of("a=symbolic"), Ok(("a".into(), "0".into(), true)));
        assert_eq!(of("x=f32[8]:symbolic"), Ok(("x".into(), "f32[8]".into(), true)));
        assert_eq!(of("n=3"), Ok(("n".into(), "3".into(), false)));
        assert!(of("x=f32[]:symbolic").is_err());
    }
}
