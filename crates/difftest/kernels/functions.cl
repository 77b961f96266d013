// Helpers that call helpers, out-parameters, structs by value, early returns.
// launch: block=64 grid=1
// arg: in=i32[64]:random(-100,100)
// arg: out=i32[192]
#pragma OPENCL FP_CONTRACT OFF

typedef struct { int lo, hi; } Range;
Range order(int a, int b) {
    Range r;
    if (a < b) { r.lo = a; r.hi = b; return r; }
    r.lo = b;
    r.hi = a;
    return r;
}
int gcd(int a, int b) {
    while (b) { int t = a % b; a = b; b = t; }
    return a < 0 ? -a : a;
}
void widen(Range *r, int by) { r->lo -= by; r->hi += by; }
int width(Range r) { r.hi -= r.lo; return r.hi; }
kernel void functions(global const int *in, global int *out) {
    int i = (int)get_global_id(0);
    Range r = order(in[i], in[63 - i]);
    widen(&r, i % 5);
    out[3 * i] = width(r);
    out[3 * i + 1] = gcd(r.lo, r.hi);
    out[3 * i + 2] = r.lo * 7 + order(r.hi, i).hi;
}
