// lockstep: search
// That a thread stands at the right border says nothing about those beyond: the grid covers the rows exactly, and only shorter
// rows would overlap. border_race.cu smooths in place.
__global__ void smooth(const float *in, float *out, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int c = y * width + x;
    int west = x == 0 ? c : c - 1;
    int east = x == width - 1 ? c : c + 1;
    out[c] = in[west] + in[c] + in[east]; //~ data-race warning
}
