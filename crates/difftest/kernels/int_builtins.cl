// Integer builtins on 32 bits.
// launch: block=64 grid=1
// arg: a=i32[64]:edges
// arg: b=i32[64]:random
// arg: out=u32[1408]
#pragma OPENCL FP_CONTRACT OFF

kernel void builtins(global const int *a, global const int *b, global uint *out) {
    size_t i = get_global_id(0);
    int x = a[i], y = b[i];
    uint ux = (uint)x, uy = (uint)y;
    global uint *o = out + 22 * i;
    o[0] = abs(x);
    o[1] = abs_diff(x, y);
    o[2] = abs_diff(ux, uy);
    o[3] = (uint)add_sat(x, y);
    o[4] = add_sat(ux, uy);
    o[5] = (uint)sub_sat(x, y);
    o[6] = sub_sat(ux, uy);
    o[7] = (uint)hadd(x, y);
    o[8] = hadd(ux, uy);
    o[9] = (uint)rhadd(x, y);
    o[10] = rhadd(ux, uy);
    o[11] = (uint)clamp(x, -1000, 1000);
    o[12] = clz(ux);
    o[13] = (uint)mul_hi(x, y);
    o[14] = mul_hi(ux, uy);
    o[15] = mad_hi(ux, uy, 77u);
    o[16] = (uint)max(x, y);
    o[17] = min(ux, uy);
    o[18] = rotate(ux, uy);
    o[19] = popcount(ux);
    o[20] = (uint)mul24((x << 8) >> 8, (y << 8) >> 8);
    o[21] = mad24(ux & 0xffffff, uy & 0xffffff, 5u);
}
