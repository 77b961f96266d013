// The host smooths in place, or into another array, as it is asked: in place, threads read what their neighbours write.
// lockstep: check --only data-race
__global__ void smooth(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) out[i] = 0.5f * in[i] + 0.25f * (in[i - 1] + in[i + 1]); //~ data-race
}

__global__ void scale(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.5f * in[i];
}

void filter(float *data, float *other, int n, bool in_place) {
    float *out = in_place ? data : other;
    smooth<<<(n + 255) / 256, 256>>>(data, out, n);
    scale<<<(n + 255) / 256, 256>>>(data, out, n);
}
