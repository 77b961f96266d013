// lockstep: check --only out-of-bounds
// As host_last_element_conditional.cu, with the right guard.
__global__ void add_one(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = in[i] + 1.0f;
}
void add_one_to_all(int n) {
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    add_one<<<(n + 127) / 128, 128>>>(a, b, n);
}
