// lockstep: search --only data-race
// The column to the right is read while its own thread walks down it, whatever the distance of two rows.
__global__ void smooth_columns(float *image, unsigned pitch, unsigned width, unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x + 1 >= width) return;
    float *at = image + x;
    for (unsigned y = 1; y < height; y++) {
        at = (float *)((char *)at + pitch);
        *at = 0.5f * (at[0] + at[1]);  //~ data-race //~ data-race warning
    }
}
