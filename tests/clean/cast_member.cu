// lockstep: check --only misaligned
// exit: 0
// The bytes of a member are taken for a number: whether they are aligned, nobody can say without the caller.

struct Record {
    char tag;
    char bytes[7];
};

__global__ void sum(const Record *records, float *out) {
    out[threadIdx.x] = *(const float *)records[threadIdx.x].bytes;
}
