// lockstep: search
// Each thread computes four columns, so that a row is four times as long as there are threads along it. Nothing in the
// kernel ties the pitch to that: shorter rows overlap, and only they race.
__global__ void halve(float *dst, const float *src, int pitch) {
    int x = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int i = 0; i < 4; i++) {
        int at = y * pitch + x + i * blockDim.x;
        dst[at] = src[at] / 2; //~ data-race warning
    }
}
