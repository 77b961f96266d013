// lockstep: check
// Five values of a row side by side: only where five rows have more elements than an int counts do they meet.
__global__ void gates(const float *in, float *kept, int width, int total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < total) {
        int at = i / width * 5 * width + i % width;
        kept[at] = in[i]; //~ data-race warning
        kept[at + width] = in[i] * 2;
        kept[at + 2 * width] = in[i] * 3;
        kept[at + 3 * width] = in[i] * 4;
        kept[at + 4 * width] = in[i] * 5;
    }
}

void all(const float *in, float *kept, int width, int total) {
    gates<<<(total + 255) / 256, 256>>>(in, kept, width, total);
}
