//! Contents of arrays of structs, member by member: `struct(16; f32@0:random; i32@12:iota)`.
//!
//! First comes the size of a struct, then members with their types and offsets in it, each with contents as an array of
//! that type has: element number `i` of these is the member of struct number `i`. `i32[4]@16` is a member that is an array
//! itself, whose elements follow each other from struct to struct. What no member covers is zero, and so is what is left
//! behind the last whole struct.

use std::fmt;

use super::array::{ArrayContents, ArraySpec};
use super::element::ElementType;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    /// Bytes of a struct.
    pub size: u32,
    pub members: Vec<Member>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub element: ElementType,
    /// Elements that the member has: 1, unless it is an array.
    pub count: u32,
    /// Bytes from the start of the struct.
    pub offset: u32,
    pub contents: ArrayContents,
}

impl Members {
    pub(super) fn parse(text: &str) -> Result<Members, String> {
        let mut parts = text.split(';').map(str::trim);
        let size = parts.next().unwrap_or_default();
        let size = size.parse().ok().filter(|&size| size > 0);
        let size = size.ok_or("the size of a struct is expected after 'struct('")?;
        let members = parts.map(|part| Member::parse(part, size)).collect::<Result<_, _>>()?;
        Ok(Members { size, members })
    }

    /// Writes the members of all whole structs.
    pub(super) fn put(&self, out: &mut [u8], name: &str, seed: u64) -> Result<(), String> {
        let structs = out.len() / self.size as usize;
        for member in &self.members {
            let bytes = member.element.size() * member.count as usize;
            let start = member.offset as usize;
            let length = structs as u64 * u64::from(member.count);
            let spec = ArraySpec::new(member.element, length, member.contents.clone());
            let values = spec.to_bytes(&format!("{name}+{start}"), seed)?;
            let places = out.chunks_exact_mut(self.size as usize);
            for (place, value) in places.zip(values.chunks_exact(bytes.max(1))) {
                place[start..start + bytes].copy_from_slice(value);
            }
        }
        Ok(())
    }
}

impl Member {
    fn parse(text: &str, size: u32) -> Result<Member, String> {
        let (place, contents) = text.split_once(':').unwrap_or((text, "zeros"));
        let wrong = || format!("'{text}' is no member; one is, for example, i32@12:iota");
        let (ty, offset) = place.split_once('@').ok_or_else(wrong)?;
        let (ty, count) = match ty.split_once('[') {
            Some((ty, count)) => (ty, count.trim_end().strip_suffix(']').ok_or_else(wrong)?),
            None => (ty, "1"),
        };
        let element = ElementType::parse(ty.trim()).filter(|(_, lanes)| *lanes == 1);
        let (element, _) = element.ok_or_else(wrong)?;
        let [count, offset]: [u32; 2] = match (count.trim().parse(), offset.trim().parse()) {
            (Ok(count), Ok(offset)) if count > 0 => [count, offset],
            _ => return Err(wrong()),
        };
        let end = u64::from(offset) + element.size() as u64 * u64::from(count);
        if end > u64::from(size) {
            return Err(format!("'{text}' ends behind the {size} bytes of its struct"));
        }
        // How many structs there are, each literal shows.
        let contents = ArraySpec::new(element, u64::MAX / 16, ArrayContents::Zeros)
            .parse_contents(contents)
            .and_then(|contents| match contents {
                ArrayContents::Structs(_) => Err("a member is no struct itself".into()),
                contents => Ok(contents),
            })?;
        Ok(Member { element, count, offset, contents })
    }
}

impl fmt::Display for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.size)?;
        for m in &self.members {
            match m.count {
                1 => write!(f, "; {}@{}{}", m.element, m.offset, m.contents)?,
                n => write!(f, "; {}[{n}]@{}{}", m.element, m.offset, m.contents)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Result<Vec<u8>, String> {
        ArraySpec::parse(text)?.to_bytes("A", 1)
    }

    #[test]
    fn members_stand_in_their_structs() {
        let text = "u8[14]:struct(4; u8@0:iota; u16@2:7,8)";
        assert_eq!(ArraySpec::parse(text).unwrap().to_string(), text);
        assert_eq!(bytes(text).unwrap(), [0, 0, 7, 0, 1, 0, 8, 0, 2, 0, 0, 0, 0, 0]);
        // An array in a struct counts on in the next one.
        let text = "u8[6]:struct(3; u8[2]@1:iota)";
        assert_eq!(ArraySpec::parse(text).unwrap().to_string(), text);
        assert_eq!(bytes(text).unwrap(), [0, 0, 1, 0, 2, 3]);
        assert_eq!(bytes("u8[4]:struct(2; u8@1:5)").unwrap(), [0, 5, 0, 5]);
        // Members without contents are zero; others of one type are not alike.
        assert_eq!(bytes("u8[4]:struct(2; u8@1)").unwrap(), [0; 4]);
        let random = bytes("u8[64]:struct(2; u8@0:random; u8@1:random)").unwrap();
        assert!(random.chunks_exact(2).any(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn what_is_wrong_with_members() {
        let error = |text: &str| bytes(text).unwrap_err();
        assert_eq!(error("i32[4]:struct(4; u8@0)"), "structs are made of u8, not of i32");
        assert_eq!(error("u8[4]:struct(4; u8@0"), "')' is missing after the members");
        assert_eq!(error("u8[4]:struct(0)"), "the size of a struct is expected after 'struct('");
        let none = "is no member; one is, for example, i32@12:iota";
        assert_eq!(error("u8[4]:struct(4; u8)"), format!("'u8' {none}"));
        assert_eq!(error("u8[4]:struct(4; f32x4@0)"), format!("'f32x4@0' {none}"));
        let told = "'u16[2]@2' ends behind the 4 bytes of its struct";
        assert_eq!(error("u8[8]:struct(4; u16[2]@2)"), told);
        assert_eq!(error("u8[8]:struct(4; u8@0:300)"), "'300' is not a value of type u8");
    }
}
