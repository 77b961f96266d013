// Unions of words, bytes and floats, in private memory.
// launch: block=64 grid=1
// arg: in=u32[64]:random
// arg: out=u32[192]
#pragma OPENCL FP_CONTRACT OFF

typedef union { uint word; ushort half_words[2]; uchar bytes[4]; } Word;
kernel void unions(global const uint *in, global uint *out) {
    size_t i = get_global_id(0);
    Word w;
    w.word = in[i];
    uchar t = w.bytes[0];
    w.bytes[0] = w.bytes[3];
    w.bytes[3] = t;
    out[3 * i] = w.word;
    w.half_words[1] += 3;
    out[3 * i + 1] = w.word;
    union { float f; uint u; } c;
    c.f = (float)(in[i] & 0xffff);
    out[3 * i + 2] = c.u;
}
