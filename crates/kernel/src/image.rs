//! Where the texels of an image lie, for engines that execute.
//!
//! A launch gives an image as an array of bytes and no more. Its texels of `unit` bytes lie in rows, rows in planes,
//! and it is as high and as deep as it is wide: a square or a cube, what does not fit into it unused. A surface
//! (`unit` of 1, because its first coordinate counts bytes) has rows of whole 16 bytes.
//!
//! Sampled reads are of the nearest texel, coordinates counted in texels; beyond the edge they are of the texel at the
//! edge. Normalised coordinates, filters and borders are not modelled: which value such a read has is the contents'
//! matter, and an engine must not claim to know it.

/// Texels along each axis of an image of `bytes` bytes.
pub fn side(bytes: u64, rank: u8, unit: u32) -> u64 {
    let texels = bytes / u64::from(unit.max(1));
    match rank {
        0 | 1 => texels,
        2 => texels.isqrt(),
        _ => cube_root(texels),
    }
}

/// Texels along one axis.
pub fn extent(bytes: u64, rank: u8, unit: u32, axis: u8) -> u64 {
    let side = side(bytes, rank, unit);
    let whole = if unit == 1 && rank > 1 && side >= ROW { side - side % ROW } else { side };
    match axis {
        0 => whole,
        a if a < rank => side,
        _ => 1,
    }
}

/// Bytes from the image's start to a texel. Coordinates that are outside and not sampled lie before its start, or
/// behind its end where no image of as many bytes has them. None where one of another shape would: then nobody knows.
pub fn offset(bytes: u64, unit: u32, coords: &[i64], sampled: bool) -> Option<i64> {
    let rank = coords.len() as u8;
    let along = |a| extent(bytes, rank, unit, a as u8).min(FAR as u64) as i64;
    let extents: [i64; 3] = std::array::from_fn(along);
    let (bytes, unit) = (bytes.min(FAR as u64) as i64, i64::from(unit));
    if extents.contains(&0) {
        return Some(bytes);
    }
    if !sampled {
        if coords.iter().any(|&c| c < 0) {
            return Some(-unit);
        }
        if coords.iter().zip(&extents).any(|(c, e)| c >= e) {
            let needed = coords.iter().fold(unit, |n, c| n.saturating_mul(c.saturating_add(1)));
            return (needed > bytes).then(|| needed.saturating_sub(unit).clamp(bytes, FAR));
        }
    }
    let mut at = 0;
    for (c, e) in coords.iter().zip(&extents).rev() {
        at = at * e + c.clamp(&0, &(e - 1));
    }
    Some(at * unit)
}

/// Bytes that a row of a surface is a multiple of.
const ROW: u64 = 16;
/// Farther than any object reaches.
const FAR: i64 = 1 << 38;

fn cube_root(n: u64) -> u64 {
    let mut root = (n as f64).cbrt() as u64;
    while root.saturating_pow(3) > n {
        root -= 1;
    }
    while (root + 1).saturating_pow(3) <= n {
        root += 1;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_texel_has_its_own_place() {
        for (bytes, unit, rank) in [(4096, 16, 2u8), (1000, 4, 2), (5000, 4, 3), (64, 4, 1)] {
            let e: Vec<i64> = (0..3).map(|a| extent(bytes, rank, unit, a) as i64).collect();
            let mut seen = std::collections::HashSet::new();
            for z in 0..e[2] {
                for y in 0..e[1] {
                    for x in 0..e[0] {
                        let at = offset(bytes, unit, &[x, y, z][..usize::from(rank)], false);
                        let at = at.expect("it is inside");
                        assert!(at >= 0 && at as u64 + u64::from(unit) <= bytes);
                        assert!(seen.insert(at));
                    }
                }
            }
        }
    }

    #[test]
    fn outside() {
        assert_eq!(extent(4096, 2, 16, 0), 16);
        assert_eq!(offset(4096, 16, &[-1, 0], false), Some(-16));
        assert_eq!(offset(4096, 16, &[16, 15], false), Some(17 * 16 * 16 - 16));
        assert_eq!(
            offset(4096, 16, &[0, i64::from(i32::MAX)], false),
            Some(16 * i64::from(i32::MAX))
        );
        assert_eq!(offset(4096, 16, &[-1, 99], true), Some(15 * 16 * 16));
        assert_eq!(offset(0, 16, &[0, 0], true), Some(0));
        assert_eq!(offset(64, 16, &[4], false), Some(64));
    }

    #[test]
    fn another_shape_would_do() {
        assert_eq!(offset(4096, 16, &[16, 0], false), None);
        assert_eq!(offset(4096, 16, &[0, 255], false), None);
    }

    #[test]
    fn surfaces_have_aligned_rows() {
        assert_eq!((extent(1000, 2, 1, 0), extent(1000, 2, 1, 1)), (16, 31));
        assert_eq!(offset(1000, 1, &[4, 2], false), Some(36));
        assert_eq!(extent(1000, 1, 1, 0), 1000);
    }

    #[test]
    fn cube_roots() {
        assert_eq!([0, 1, 7, 8, 26, 27, 1 << 36].map(cube_root), [0, 1, 1, 2, 2, 3, 1 << 12]);
    }
}
