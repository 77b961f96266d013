// && and || do not evaluate what they need not.
// launch: block=64 grid=1
// arg: in=i32[64]:random(-8,8)
// arg: out=i32[64]
#pragma OPENCL FP_CONTRACT OFF

int bump(int *count, int value) {
    ++*count;
    return value;
}
kernel void circuit(global const int *in, global int *out) {
    int i = (int)get_global_id(0), v = in[i], n = 0;
    int r = (v != 0 && 100 / v > 20) || (bump(&n, v) > 3 && bump(&n, i) % 2);
    r += v > 2 ? bump(&n, 5) : v < -2 ? bump(&n, 6) + bump(&n, 7) : 0;
    out[i] = r * 10 + n;
}
