// lockstep: check --only data-race
// exit: 0
// Pointers that the host never sets are not one array.

__global__ void copy(float *out, const float *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + 1];
}

int main() {
    float *a, *b;
    copy<<<4, 32>>>(a, b);
    copy<<<4, 32>>>(nullptr, nullptr);
}
