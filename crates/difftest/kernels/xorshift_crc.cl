// Bit mixing: xorshift and a CRC with a table made in local memory.
// launch: block=64 grid=2
// arg: in=u8[1024]:random
// arg: out=u32[128]
#pragma OPENCL FP_CONTRACT OFF

kernel void crc(global const uchar *in, global uint *out) {
    local uint table[256];
    for (uint k = get_local_id(0); k < 256; k += 64) {
        uint c = k;
        for (int b = 0; b < 8; b++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[k] = c;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t i = get_global_id(0);
    uint c = ~0u;
    for (int k = 0; k < 8; k++) c = table[(c ^ in[8 * i + k]) & 255] ^ (c >> 8);
    c = ~c;
    c ^= c << 13;
    c ^= c >> 17;
    c ^= c << 5;
    out[i] = c;
}
