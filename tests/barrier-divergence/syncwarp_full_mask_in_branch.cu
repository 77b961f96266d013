// The mask names all lanes, but the odd ones wait elsewhere.
// lockstep: run --block 32 --grid 1 --arg 'out=i32[32]'
__global__ void k(int *out) {
    int t = threadIdx.x;
    if (t % 2 == 0)
        __syncwarp(); //~ barrier-divergence
    out[t] = t;
    __syncthreads(); //~ barrier-divergence
}
