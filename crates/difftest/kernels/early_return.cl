// Threads that leave early, in a loop and outside one.
// launch: block=64 grid=2
// arg: in=i32[128]:random(0,100)
// arg: n=i32 100
// arg: out=i32[128]:ones
#pragma OPENCL FP_CONTRACT OFF

kernel void early(global const int *in, int n, global int *out) {
    int i = (int)get_global_id(0);
    if (i >= n) return;
    for (int k = 0; k < 10; k++) {
        if (in[i] % (k + 2) == 1) {
            out[i] = k;
            return;
        }
    }
    out[i] = -in[i];
}
