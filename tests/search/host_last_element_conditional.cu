// lockstep: check --only out-of-bounds
// A guard that lets one thread too many pass: it leaves the arrays of the host where the last block is not full.
// host_last_element_fixed.cu has the right guard.
__global__ void add_one(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n) return;
    out[i] = in[i] + 1.0f; //~ out-of-bounds warning
}
void add_one_to_all(int n) {
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    add_one<<<(n + 127) / 128, 128>>>(a, b, n);
}
