// lockstep[fields]: run --grid 1 --block 64 --arg p.x=f32[64] --arg p.n=64
// lockstep[bytes]: run --grid 1 --block 64 --arg p=u8[16]:0,0,0,0,0,0,0,0,65,0,0,0,0,0,0,0 --arg p.x=f32[64]
// lockstep[both]: run --grid 1 --block 64 --arg p=u8[16]:0,0,0,0,0,0,0,0,64,0,0,0,0,0,0,0 --arg p.x=f32[64] --arg p.n=65
// The bytes of a struct give its numbers, unless these are given by their own names.
struct Part {
    float *x;
    int n;
};

__global__ void last(Part p) {
    if (threadIdx.x == 0) p.x[p.n - 1] = 1; //~[bytes,both] out-of-bounds
}
