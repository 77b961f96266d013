//! The part of the Itanium mangling that OpenCL's builtins use: a name, and parameter types.
//!
//! Supported are builtin types, vectors, pointers with address spaces and qualifiers, named types, and substitutions.
//! Nested names and templates do not occur in OpenCL's builtins and are not supported.

/// A parameter type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Param {
    /// The Itanium letter (`f`, `i`, `j`, `Dh` as `H`, …) and the number of lanes.
    Scalar {
        letter: char,
        lanes: u32,
    },
    Pointer(Box<Param>),
    Named(String),
}

impl Param {
    pub(crate) fn is_signed(&self) -> bool {
        match self {
            Param::Scalar { letter, .. } => !matches!(letter, 'h' | 't' | 'j' | 'm' | 'y' | 'b'),
            Param::Pointer(to) => to.is_signed(),
            Param::Named(_) => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mangled {
    pub(crate) name: String,
    pub(crate) params: Vec<Param>,
}

pub(crate) fn parse(symbol: &str) -> Option<Mangled> {
    let mut p = Parser { rest: symbol.strip_prefix("_Z")?, known: Vec::new() };
    let name = p.source_name()?;
    let mut params = Vec::new();
    while !p.rest.is_empty() && !p.rest.starts_with('.') {
        let param = p.param()?;
        if param != (Param::Scalar { letter: 'v', lanes: 1 }) {
            params.push(param);
        }
    }
    Some(Mangled { name, params })
}

/// The name of a function template's instance, without its arguments.
pub(crate) fn template_name(symbol: &str) -> Option<&str> {
    let rest = symbol.strip_prefix("_Z")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let (name, rest) = rest[digits..].split_at_checked(rest[..digits].parse().ok()?)?;
    rest.starts_with('I').then_some(name)
}

struct Parser<'a> {
    rest: &'a str,
    known: Vec<Param>,
}

impl Parser<'_> {
    fn eat(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn number(&mut self) -> Option<usize> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let n = self.rest[..end].parse().ok()?;
        self.rest = &self.rest[end..];
        Some(n)
    }

    fn source_name(&mut self) -> Option<String> {
        let n = self.number()?;
        let name = self.rest.get(..n)?.to_string();
        self.rest = &self.rest[n..];
        Some(name)
    }

    fn param(&mut self) -> Option<Param> {
        let first = self.rest.chars().next()?;
        match first {
            'P' => {
                self.rest = &self.rest[1..];
                let to = self.param()?;
                let pointer = Param::Pointer(Box::new(to));
                self.known.push(pointer.clone());
                Some(pointer)
            }
            // Qualifiers of the pointee: an address space, const, volatile, atomic. Together they are one substitution.
            'U' | 'V' | 'K' | 'r' => {
                loop {
                    if self.eat("U") {
                        self.source_name()?;
                    } else if !(self.eat("V") || self.eat("K") || self.eat("r")) {
                        break;
                    }
                }
                let inner = self.param()?;
                self.known.push(inner.clone());
                Some(inner)
            }
            'D' if self.eat("Dv") => {
                let lanes = self.number()? as u32;
                if !self.eat("_") {
                    return None;
                }
                let Param::Scalar { letter, .. } = self.param()? else {
                    return None;
                };
                let vector = Param::Scalar { letter, lanes };
                self.known.push(vector.clone());
                Some(vector)
            }
            'D' if self.eat("Dh") => Some(Param::Scalar { letter: 'H', lanes: 1 }),
            'S' => {
                self.rest = &self.rest[1..];
                let index = if self.eat("_") {
                    0
                } else {
                    let end = self.rest.find('_')?;
                    let n = usize::from_str_radix(&self.rest[..end], 36).ok()?;
                    self.rest = &self.rest[end + 1..];
                    n + 1
                };
                // The generic address space is a qualifier that counts and is not written: then the numbers are larger than ours.
                Some(self.known.get(index).cloned().unwrap_or(Param::Named(String::new())))
            }
            '0'..='9' => {
                let named = Param::Named(self.source_name()?);
                self.known.push(named.clone());
                Some(named)
            }
            'a'..='z' => {
                self.rest = &self.rest[1..];
                Some(Param::Scalar { letter: first, lanes: 1 })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtins() {
        let m = parse("_Z3dotDv4_fS_").unwrap();
        assert_eq!(m.name, "dot");
        assert_eq!(m.params, vec![Param::Scalar { letter: 'f', lanes: 4 }; 2]);
        let m = parse("_Z10atomic_addPU3AS1Vii").unwrap();
        assert!(matches!(&m.params[0], Param::Pointer(_)));
        assert_eq!(m.params.len(), 2);
        let m = parse("_Z25atomic_fetch_add_explicitPVU7_Atomicii12memory_order12memory_scope")
            .unwrap();
        assert_eq!(m.params.len(), 4);
        let exchange = "_Z39atomic_compare_exchange_strong_explicitPVU7_AtomiciPii12memory_orderS4_12memory_scope";
        assert_eq!(parse(exchange).unwrap().params.len(), 6);
        assert_eq!(parse("_Z5clampDv4_jS_S_").unwrap().params.len(), 3);
        assert_eq!(parse("_Z12get_work_dimv").unwrap().params.len(), 0);
        assert_eq!(parse("main"), None);
        assert_eq!(parse("_ZN3foo3barEv"), None);
        assert_eq!(template_name("_Z5tex2DIfET_yff"), Some("tex2D"));
        assert_eq!(template_name("_Z5tex2Dff"), None);
        assert_eq!(template_name("_Z99tex2DIf"), None);
    }
}
