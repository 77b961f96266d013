// lockstep: search --only data-race
// Every thread walks down its own column; the distance of two rows is in bytes.
__global__ void smooth_columns(float *image, unsigned pitch, unsigned width, unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    float *at = image + x;
    float before = *at;  //~ data-race warning
    for (unsigned y = 1; y < height; y++) {
        at = (float *)((char *)at + pitch);
        *at = before = 0.5f * (*at + before);  //~ data-race warning
    }
}
