// lockstep: search
// Each block adds to a part of the array whose start stands in a struct. Which parts there are only the caller knows: structs
// that are all alike give two blocks the same one. parts_of_structs_race.cu adds to one part from every block.
struct Part {
    long first;
    int length;
    int kind;
};

__global__ void accumulate(const Part *parts, const float *in, float *out) {
    long first = parts[blockIdx.x].first;
    for (int k = 0; k < 4; k++)
        out[first + threadIdx.x] += in[k * blockDim.x + threadIdx.x]; //~ data-race warning
}
