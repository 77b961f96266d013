// Character search with unequal work and a nested loop that leaves early.
// launch: block=32 grid=8
// arg: text=u8[264]:random(97,99)
// arg: out=i32[256]
#pragma OPENCL FP_CONTRACT OFF

constant char pattern[4] = {'a', 'b', 'c', 0};
kernel void find(global const uchar *text, global int *out) {
    size_t i = get_global_id(0);
    int k = 0;
    while (pattern[k] && text[i + k] == pattern[k]) k++;
    out[i] = pattern[k] == 0 ? 1000 : k;
}
