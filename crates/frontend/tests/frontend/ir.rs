//! LLVM IR as input: as it is, of older versions, and garbage.

use lockstep_frontend::{Error, Input, Options, load, load_ir_bytes};
use lockstep_kernel::*;

const GOOD: &str = r#"
target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [8 x i32] undef, align 4
define void @k(ptr %a, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = sext i32 %t to i64
  %p = getelementptr [8 x i32], ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 0, i64 %i
  store i32 %n, ptr %p, align 4
  call void @llvm.nvvm.barrier0()
  %q = getelementptr i32, ptr %a, i64 %i
  %v = load i32, ptr %p, align 4
  store i32 %v, ptr %q, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
"#;

fn ir(text: &str) -> Result<lockstep_frontend::Module, Error> {
    load_ir_bytes(text.as_bytes(), "test.ll", &Options::default())
}

#[test]
fn text_without_debug_information() {
    let m = ir(GOOD).unwrap();
    let k = &m.kernels[0];
    assert_eq!(m.language, Language::Llvm);
    assert_eq!((k.name.as_str(), k.loc(k.loc).line), ("k", 0));
    assert_eq!(k.files[0], "test.ll");
    assert_eq!(k.sites.len(), 4);
    assert_eq!(k.sites[0].through.as_deref(), Some("s"));
}

#[test]
fn wide_and_odd_integers() {
    let m = ir("define spir_kernel void @k(ptr addrspace(1) %a, i24 %x) {
  %v = load i128, ptr addrspace(1) %a, align 16
  %h = lshr i128 %v, 64
  %l = trunc i128 %h to i64
  %y = sext i24 %x to i64
  %z = add i64 %l, %y
  %w = zext i64 %z to i128
  %m = mul i128 %w, %v
  store i128 %m, ptr addrspace(1) %a, align 16
  ret void
}")
    .unwrap();
    let k = &m.kernels[0];
    assert!(k.unsupported.is_empty(), "{:?}", k.unsupported);
    assert!(k.insts().any(|i| matches!(i.op, Op::Load { ty: Ty::I64, count: 2, .. })));
}

#[test]
fn garbage_is_an_error() {
    for text in
        ["", "garbage", "define void @k( {", "define void @k() { ret i32 0 }", "\u{0}\u{1}\u{2}"]
    {
        let result = ir(text);
        assert!(text.is_empty() || matches!(result, Err(Error::BadIr(_))), "{text:?}");
    }
    let bytes: [&[u8]; 4] =
        [b"BC\xC0\xDE", b"BC\xC0\xDE\x00\x01\x02\x03", b"\xDE\xC0\x17\x0B", b"\xff\xfe\x00"];
    for b in bytes {
        assert!(load_ir_bytes(b, "test.bc", &Options::default()).is_err(), "{b:?}");
    }
}

#[test]
fn mutilated_text_never_panics() {
    // Every line left out once, and every line cut in half once.
    let lines: Vec<&str> = GOOD.lines().collect();
    for i in 0..lines.len() {
        let without: Vec<&str> =
            lines.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, l)| *l).collect();
        let _ = ir(&without.join("\n"));
        let mut cut = lines.clone();
        cut[i] = &lines[i][..lines[i].len() / 2];
        let _ = ir(&cut.join("\n"));
    }
}

#[test]
fn typed_pointers_say_which_tool_is_missing_or_work() {
    let old = "define void @k(i32* %a) {\n  store i32 1, i32* %a\n  ret void\n}\n!nvvm.annotations = !{!0}\n!0 = !{void (i32*)* @k, !\"kernel\", i32 1}\n";
    match ir(old) {
        Ok(m) => assert_eq!(m.kernels.len(), 1),
        Err(Error::ToolMissing(what)) => assert!(what.contains("llvm-14"), "{what}"),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn unusable_files() {
    let options = Options::default();
    let e = load(Input::Path("/no/such/file.cu".as_ref()), &options).unwrap_err();
    assert_eq!(e.to_string(), "cannot read /no/such/file.cu: no such file");
    let e = load(Input::Text { name: "x.txt", bytes: b"" }, &options).unwrap_err();
    assert!(matches!(e, Error::UnknownExtension { .. }));
    let e = load(Input::Text { name: "x.cu", bytes: b"\0\0" }, &options).unwrap_err();
    assert!(matches!(e, Error::NotUtf8 { .. }));
}
