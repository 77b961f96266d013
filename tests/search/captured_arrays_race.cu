// lockstep: check
// What a lambda captures is known by the variable's name.
template <class F>
__global__ void each(int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}

void all(int n, int *counts, const int *keys, int bins) {
    each<<<8, 64>>>(n, [=] __device__(int i) { counts[keys[i] % bins] += 1; }); //~ data-race
    each<<<8, 64>>>(n, [=] __device__(int i) { atomicAdd(&counts[keys[i] % bins], 1); });
}
