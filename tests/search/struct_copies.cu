// lockstep: check
// A struct that the kernel changes, hands on, or reads as a union is still made of its fields.
struct Range {
    int *at;
    int count;
    union {
        int step;
        float scale;
    };
};

__device__ Range rest(Range r) {
    r.at += 1;
    r.count -= 1;
    return r;
}

__global__ void shift(Range r) {
    Range next = rest(r);
    int i = threadIdx.x;
    if (i < next.count) r.at[i] = next.at[i]; //~ data-race
}

__global__ void apart(Range r) {
    r.count = r.count < 64 ? r.count : 64;
    int i = threadIdx.x;
    if (i < r.count) r.at[i] = r.step;
}
