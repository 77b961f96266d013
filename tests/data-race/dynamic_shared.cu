// Two arrays in one piece of dynamic shared memory; the second starts too early by one.
// lockstep[apart]: run --block 64 --grid 1 --shared 512 --arg 'out=i32[64]' --arg at=64
// lockstep[overlap]: run --block 64 --grid 1 --shared 512 --arg 'out=i32[64]' --arg at=63
__global__ void k(int *out, int at) {
    extern __shared__ int s[];
    int *a = s, *b = s + at, t = threadIdx.x;
    a[t] = t;      //~[overlap] data-race
    b[t] = -t - 1; //~[overlap] data-race
    __syncthreads();
    out[t] = a[t] + b[t];
}
