// Compound assignments and increments through memory, of every kind.
// launch: block=32 grid=1
// arg: a=i32[160]:random(0,1000)
#pragma OPENCL FP_CONTRACT OFF

kernel void compound(global int *a) {
    global int *p = a + 5 * get_global_id(0);
    p[0] += p[1];
    p[1] -= 3;
    p[2] *= p[3] % 7;
    p[3] <<= 2;
    p[4] >>= 1;
    p[0] ^= p[4]++;
    p[1] |= --p[2];
    p[2] %= 100;
    p[3] /= 3;
    p[4] &= ~p[0];
}
