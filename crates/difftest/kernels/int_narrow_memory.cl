// Loads and stores of 1, 2, 4 and 8 bytes in place.
// launch: block=64 grid=1
// arg: c=i8[64]:random
// arg: uc=u8[64]:random
// arg: s=i16[64]:random
// arg: us=u16[64]:random
// arg: l=i64[64]:random
#pragma OPENCL FP_CONTRACT OFF

kernel void narrow(global char *c, global uchar *uc, global short *s, global ushort *us, global long *l) {
    size_t i = get_global_id(0);
    int sum = c[i] + uc[i] + s[i] + us[i];
    c[i] = (char)sum;
    uc[i] += 200;
    s[i] = (short)(s[i] * 3);
    us[i] -= 40000;
    l[i] ^= sum;
}
