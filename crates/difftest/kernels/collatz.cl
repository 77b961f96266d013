// Trip counts that differ widely between threads, in 64 bits.
// launch: block=64 grid=2
// arg: out=u32[128]
#pragma OPENCL FP_CONTRACT OFF

kernel void collatz(global uint *out) {
    ulong v = 1000003UL * (get_global_id(0) + 1);
    uint n = 0;
    while (v != 1) {
        v = (v & 1) ? 3 * v + 1 : v >> 1;
        n++;
    }
    out[get_global_id(0)] = n;
}
