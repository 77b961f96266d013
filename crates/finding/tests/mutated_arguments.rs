//! The grammar of `--arg` under mutation: an error or a value, never a panic.

use lockstep_finding::ArgValue;

/// A small generator with a period long enough for a test.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

#[test]
fn mutated_arguments_never_panic() {
    let seeds = [
        "A=f32[1024]:random",
        "n=1024",
        "a=-0.5e3",
        "B=i32[16]:1,2,3",
        "C=u8[4]:@missing",
        "D=f16[3]:iota",
        "p=null",
        "q=&A+16",
        "v=1,2,3,4",
    ];
    let alphabet: Vec<char> = "=[]:,&+-.@0123456789abfinuxNe \u{e9}\u{0}'\"".chars().collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut good, mut bad) = (0, 0);
    for round in 0..20_000 {
        let mut text: Vec<char> = seeds[round % seeds.len()].chars().collect();
        for _ in 0..random.below(4) {
            let at = random.below(text.len() + 1);
            let c = alphabet[random.below(alphabet.len())];
            match random.below(3) {
                0 => text.insert(at, c),
                1 if at < text.len() => text[at] = c,
                _ if at < text.len() => {
                    text.remove(at);
                }
                _ => {}
            }
        }
        let text: String = text.into_iter().collect();
        match ArgValue::parse_assignment(&text) {
            Ok(_) => good += 1,
            Err(message) => {
                assert!(!message.is_empty() && !message.contains('\n'), "{text:?}: {message:?}");
                bad += 1;
            }
        }
    }
    // Mutation must reach both outcomes to mean anything.
    assert!(good > 1000 && bad > 1000, "{good} accepted, {bad} refused");
}
