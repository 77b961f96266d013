// The bin beside the last one is let through.
// lockstep[symbolic]: check --block 32 --grid 1 --symbolic --arg value=i32[32]:symbolic --arg bins=i32[16]
// lockstep[plain]: check --block 32 --grid 1 --arg value=i32[32] --arg bins=i32[16]
__global__ void histogram(const int *value, int *bins) {
    int v = value[threadIdx.x];
    if (v >= 0 && v <= 16) atomicAdd(&bins[v], 1); //~[symbolic] out-of-bounds //~[plain] out-of-bounds warning
}
