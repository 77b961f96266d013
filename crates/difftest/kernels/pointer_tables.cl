// Private arrays of pointers, and aliasing names for one place.
// launch: block=32 grid=1
// arg: a=i32[32]:random
// arg: b=i32[32]:random
// arg: out=i32[32]
#pragma OPENCL FP_CONTRACT OFF

kernel void tables(global int *a, global int *b, global int *out) {
    int i = (int)get_global_id(0);
    global int *rows[2] = {a, b};
    global int *pick = rows[i % 2];
    pick[i] += 17;
    global int *same = a + i;
    global char *bytes = (global char *)same;
    bytes[1] = (char)i;
    out[i] = rows[0][i] ^ rows[1][i];
}
