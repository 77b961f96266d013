// Predefined macros, required work-group size, enum, typedef, sizeof, comma.
// launch: block=8 grid=1
// arg: out=i32[80]
#pragma OPENCL FP_CONTRACT OFF

enum Colour { RED, GREEN = 5, BLUE };
typedef int3 triple;
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void misc(global int *out) {
    int i = (int)get_global_id(0), j;
    global int *o = out + 10 * i;
    o[0] = BLUE + i;
    o[1] = sizeof(triple);
    o[2] = sizeof(long) * 10 + sizeof(half);
    o[3] = (j = i * 2, j + 1);
    o[4] = INT_MAX - CHAR_BIT;
    o[5] = as_int(M_PI_F);
    o[6] = as_int(FLT_EPSILON);
    o[7] = (int)(UCHAR_MAX + SHRT_MIN);
    o[8] = sizeof(float4) + sizeof(char2);
    o[9] = -7 / 2 * 10 + -7 % 3;
}
