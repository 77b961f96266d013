// lockstep: run --block 64 --grid 4 --arg 'a=f32[250]:iota' --arg 'b=f32[250]:ones' --arg 'c=f32[250]' --arg n=250
__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
