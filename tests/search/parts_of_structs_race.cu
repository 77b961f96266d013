// lockstep: search
// As parts_of_structs_conditional.cu, but the threads of a block add to the same element, whatever the structs say.
struct Part {
    long first;
    int length;
    int kind;
};

__global__ void accumulate(const Part *parts, const float *in, float *out) {
    long first = parts[blockIdx.x].first;
    for (int k = 0; k < 4; k++)
        out[first] += in[k * blockDim.x + threadIdx.x]; //~ data-race
}
