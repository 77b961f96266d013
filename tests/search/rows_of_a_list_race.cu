// A list of w * h elements, transposed with the wrong pitch.
__global__ void k(float *o, const float *in, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < w * h) {
        int x = i % w, y = i / w;
        o[x * w + y] = in[i]; //~ data-race warning
    }
}
