// Wrapping arithmetic of every width, signed and unsigned.
// launch: block=32 grid=2
// arg: a8=i8[64]:edges
// arg: b8=i8[64]:random
// arg: a16=u16[64]:edges
// arg: b16=u16[64]:random
// arg: a32=u32[64]:edges
// arg: b32=u32[64]:random
// arg: a64=u64[64]:edges
// arg: b64=u64[64]:random
// arg: out=u64[768]
#pragma OPENCL FP_CONTRACT OFF

kernel void arith(global const char *a8, global const char *b8, global const ushort *a16, global const ushort *b16,
                  global const uint *a32, global const uint *b32, global const ulong *a64, global const ulong *b64,
                  global ulong *out) {
    size_t i = get_global_id(0);
    global ulong *o = out + 12 * i;
    o[0] = (ulong)(a8[i] + b8[i]);
    o[1] = (ulong)(char)(a8[i] - b8[i]);
    o[2] = (ulong)(uchar)(a8[i] * b8[i]);
    o[3] = (ushort)(a16[i] + b16[i]);
    o[4] = (ushort)(a16[i] - b16[i]);
    o[5] = (uint)a16[i] * (uint)b16[i];
    o[6] = a32[i] + b32[i];
    o[7] = a32[i] - b32[i];
    o[8] = a32[i] * b32[i];
    o[9] = a64[i] + b64[i];
    o[10] = a64[i] - b64[i];
    o[11] = a64[i] * b64[i];
}
