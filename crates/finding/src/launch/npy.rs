//! NumPy's `.npy`: a magic number, a header that is a Python dictionary, data.

use super::element::ElementType;

const MAGIC: &[u8] = b"\x93NUMPY";

pub(super) fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The data part of a file whose elements are of the type given.
pub(super) fn data(bytes: &[u8], want: ElementType) -> Result<&[u8], String> {
    let damaged = || "the .npy header is damaged".to_owned();
    let major = *bytes.get(6).ok_or_else(damaged)?;
    let (length, start) = if major == 1 {
        let field = bytes.get(8..10).ok_or_else(damaged)?;
        (u16::from_le_bytes([field[0], field[1]]) as usize, 10)
    } else {
        let field = bytes.get(8..12).ok_or_else(damaged)?;
        (u32::from_le_bytes([field[0], field[1], field[2], field[3]]) as usize, 12)
    };
    let end = start + length;
    let header = bytes.get(start..end).ok_or_else(damaged)?;
    let header = std::str::from_utf8(header).map_err(|_| damaged())?;
    let descr = field(header, "descr").ok_or_else(damaged)?;
    let descr = descr.trim_matches(['\'', '"']);
    let have = element_type(descr)
        .ok_or_else(|| format!("elements of NumPy type '{descr}' cannot be used"))?;
    if have != want {
        return Err(format!("its elements are {have}, not {want}"));
    }
    if field(header, "fortran_order") == Some("True") {
        return Err("its order is Fortran's; save it with order='C'".into());
    }
    Ok(&bytes[end..])
}

/// The text of one entry, up to the next comma.
fn field<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let at = header.find(&format!("'{key}'"))? + key.len() + 2;
    let rest = header[at..].trim_start().strip_prefix(':')?;
    Some(rest.split([',', '}']).next()?.trim())
}

fn element_type(descr: &str) -> Option<ElementType> {
    use ElementType::*;
    let code = descr.strip_prefix(['<', '|', '=']).unwrap_or(descr);
    Some(match code {
        "i1" => I8,
        "u1" | "b1" => U8,
        "i2" => I16,
        "u2" => U16,
        "i4" => I32,
        "u4" => U32,
        "i8" => I64,
        "u8" => U64,
        "f2" => F16,
        "f4" => F32,
        "f8" => F64,
        _ => return None,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::launch) fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{{header}, }}\n");
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(data);
        out
    }

    #[test]
    fn reads_and_refuses() {
        let good = file("'descr': '<f4', 'fortran_order': False, 'shape': (1,)", &[0, 0, 128, 63]);
        assert_eq!(data(&good, ElementType::F32).unwrap(), [0, 0, 128, 63]);
        let fortran = file("'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)", &[0; 4]);
        let wrong = |bytes: &[u8]| data(bytes, ElementType::F32).unwrap_err();
        assert_eq!(wrong(&fortran), "its order is Fortran's; save it with order='C'");
        let big = file("'descr': '>f4', 'fortran_order': False, 'shape': (1,)", &[0; 4]);
        assert_eq!(wrong(&big), "elements of NumPy type '>f4' cannot be used");
    }

    #[test]
    fn every_prefix_is_refused_without_a_panic() {
        let good = file("'descr': '<f4', 'fortran_order': False, 'shape': (1,)", &[]);
        for n in 0..good.len() {
            assert!(data(&good[..n], ElementType::F32).is_err());
        }
    }
}
