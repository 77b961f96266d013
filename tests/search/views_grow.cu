// lockstep: search
// The array of a view has to be larger than those of others, and arguments are not in step with parameters here: the struct
// itself is none of them.
struct View {
    int *at;
    int pitch;
};

__global__ void firsts_of_rows(View v, int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        v.at[i * 5000] = v.pitch;
}

__global__ void only_a_view(View v) {
    v.at[(blockIdx.x * blockDim.x + threadIdx.x) / 2 * 5000] = threadIdx.x; //~ data-race
}
