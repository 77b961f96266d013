// The compiler knows that the field is unaligned and takes it byte by byte: clean.
// lockstep: run --block 8 --grid 1 --arg 'p=u8[40]:iota' --arg 'out=i32[8]'
struct __attribute__((packed)) Record {
    char tag;
    int value;
};

__global__ void k(const Record *p, int *out) {
    out[threadIdx.x] = p[threadIdx.x].value;
}
