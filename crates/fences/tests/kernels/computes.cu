// What is computed from values that another thread has written is what is computed from constants.
#ifndef WRONG
#define WRONG 0
#endif

__device__ int narrow(int x) {
    signed char c = (signed char)(x * 37);
    unsigned short s = (unsigned short)(c << 3);
    return c / 3 + s % 7 - (x >> 1) + (int)((unsigned)x >> 3);
}

__device__ long long wide(int x) {
    long long y = (long long)x * 0x100000001ll;
    return (y ^ (y >> 7)) - __mulhi(x, 0x7fffffff) + __popc(x) + __clz(x);
}

__device__ int real(int x) {
    float f = x * 0.75f - 100.0f;
    double d = f / 3.0;
    return (int)f + (d < -30.0 ? 1 : 2) + (int)fmaxf(f, -1.5f);
}

__device__ int loops(int x) {
    int sum = 0;
    for (int i = 0; i < x % 5; ++i) {
        if (i == 2)
            continue;
        sum += i * x;
    }
    return sum;
}

__device__ int choice(int x) {
    switch (x % 4) {
    case 0:
        return 10;
    case 1:
        return 20;
    case -1:
        return 40;
    default:
        return 30;
    }
}

__device__ int table(int x) {
    int t[4] = {3, 1, 4, 1};
    t[x & 3] += 5;
    int *p = x & 1 ? &t[0] : &t[2];
    return p[x & 1] * 10 + t[(x + 1) & 3];
}

__device__ int swapped(int x, int y) {
    for (int i = 0; i < (x & 3); ++i) {
        int old = x;
        x = y;
        y = old + 1;
    }
    return x * 100 + y;
}

__device__ long long all(int x) {
    return narrow(x) + wide(x) + real(x) + loops(x) + choice(x) + table(x) + swapped(x, 7);
}

__global__ void computes(volatile int *mail, volatile int *flag) {
    if (blockIdx.x == 0) {
        *mail = VALUE;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        if (all(*mail) != all(VALUE) + WRONG)
            __assert_fail("equal", "computes.cu", 1, "computes");
    }
}

// The same of values that lanes hand each other.
__global__ void hands(int *out) {
    __shared__ int s[2];
    s[threadIdx.x] = threadIdx.x * 10 + 5;
    __syncthreads();
    int other = s[1 - threadIdx.x];
    int mine = __shfl_xor_sync(0x3, other, 1);
    unsigned ballot = __ballot_sync(0x3, other > 10);
    int same = __match_any_sync(0x3, other);
    int up = __shfl_up_sync(0x3, mine, 1);
    bool right = mine == threadIdx.x * 10 + 5 && ballot == 1 && same == 1 << threadIdx.x &&
                 up == 5 && __syncthreads_count(mine == 5) == 1 && __all_sync(0x3, other > 2) &&
                 !__syncthreads_and(other == 5);
    if (!right || WRONG)
        __assert_fail("equal", "computes.cu", 1, "hands");
}
