//! Random inputs for what a launch leaves open, and how outputs are compared.

use lockstep_finding::ElementType;

use crate::pairs::Assumptions;

/// What kind of values an input has. Each shows other faults: small numbers meet often, large ones wrap, and special
/// floats are where algebra ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    Small,
    Any,
    Special,
    /// None above zero.
    Negative,
}

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(text: &str, round: u64) -> Random {
        let start = 0xcbf2_9ce4_8422_2325 ^ round.wrapping_mul(0x9e37_79b9);
        let mix = |h: u64, b: u8| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
        Random(text.bytes().fold(start, mix))
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One value of a type, as the command line writes it.
    pub(crate) fn value(&mut self, ty: ElementType, flavour: Flavour) -> String {
        if flavour == Flavour::Negative && (ty.is_float() || ty.is_signed()) {
            let small = self.value(ty, Flavour::Small);
            let is_above = !small.starts_with('-') && small != "0";
            return if is_above { format!("-{small}") } else { small };
        }
        const SPECIAL: [&str; 10] =
            ["0", "-0.0", "1", "-1", "inf", "-inf", "nan", "1e-40", "3e38", "0.5"];
        if ty.is_float() {
            if flavour == Flavour::Special && self.bits().is_multiple_of(2) {
                return SPECIAL[self.bits() as usize % SPECIAL.len()].to_owned();
            }
            let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
            let size = if flavour == Flavour::Any { 100.0 } else { 2.0 };
            return format!("{:?}", (2.0 * unit - 1.0) * size);
        }
        let bits = self.bits();
        match (flavour, ty.is_signed()) {
            (Flavour::Small, true) => (bits as i64 % 4).to_string(),
            (Flavour::Small | Flavour::Negative, false) => (bits % 7).to_string(),
            (_, true) => {
                let unused = 64 - 8 * ty.size() as u32;
                ((bits as i64) >> unused).to_string()
            }
            (_, false) => (bits >> (64 - 8 * ty.size() as u32)).to_string(),
        }
    }
}

/// Where two arrays differ first, by more than is allowed.
pub(crate) fn difference(
    ty: ElementType,
    reference: &[u8],
    kernel: &[u8],
    under: Assumptions,
    error: f64,
) -> Option<String> {
    let size = ty.size();
    for (i, (r, k)) in reference.chunks(size).zip(kernel.chunks(size)).enumerate() {
        if r == k {
            continue;
        }
        let [x, y] = [r, k].map(|bytes| ty.value_text(bytes));
        if ty.is_float() {
            let [a, b] = [&x, &y].map(|text| text.parse::<f64>().unwrap_or(f64::NAN));
            let both_nan = a.is_nan() && b.is_nan();
            let zeros = under.positive_zero && a == b;
            let close = error > 0.0 && (a - b).abs() <= error * a.abs().max(b.abs()).max(1.0);
            if both_nan || zeros || close {
                continue;
            }
        }
        return Some(format!("element {i} is {y}, should be {x}"));
    }
    None
}
