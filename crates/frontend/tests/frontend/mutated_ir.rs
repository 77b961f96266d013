//! The IR loader under mutation: an error or kernels, never a panic or an abort; and so for slices and hints of them.

use lockstep_frontend::{Options, load_ir_bytes};

const SEED: &str = r#"
target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [32 x i32] undef, align 4
define void @k(ptr %a, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %end
then:
  %i = sext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %i
  %v = load i32, ptr %p, align 4
  %q = getelementptr [32 x i32], ptr addrspace(3) @s, i64 0, i64 %i
  store i32 %v, ptr addrspace(3) %q, align 4
  br label %end
end:
  call void @llvm.nvvm.barrier0()
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
"#;

fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn mutated_ir_never_panics() {
    let original = load_ir_bytes(SEED.as_bytes(), "seed.ll", &Options::default());
    assert_eq!(original.map(|m| m.kernels.len()).ok(), Some(1), "the seed itself must load");
    let mut state = 0x1234_5678_9abc_def1;
    let (mut good, mut bad) = (0, 0);
    for _ in 0..600 {
        let mut bytes = SEED.as_bytes().to_vec();
        for _ in 0..1 + next(&mut state) % 3 {
            let at = (next(&mut state) % bytes.len() as u64) as usize;
            match next(&mut state) % 4 {
                0 => bytes[at] = (next(&mut state) % 128) as u8,
                1 => {
                    bytes.remove(at);
                }
                2 => bytes.insert(at, b" 0123456789%@i(){},"[(next(&mut state) % 19) as usize]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        match load_ir_bytes(&bytes, "mutated.ll", &Options::default()) {
            Ok(m) => {
                for k in &m.kernels {
                    let sliced = lockstep_kernel::slice::address_slice(k);
                    if lockstep_kernel::validate::validate(k).is_ok() {
                        lockstep_kernel::validate::validate(&sliced).expect("a slice is a kernel");
                    }
                    assert_eq!(lockstep_kernel::hints::Hints::of(k).params.len(), k.params.len());
                }
                good += 1;
            }
            Err(e) => {
                assert!(!e.to_string().is_empty());
                bad += 1;
            }
        }
    }
    assert!(good > 10 && bad > 10, "{good} loaded, {bad} refused");
}
