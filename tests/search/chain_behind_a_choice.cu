// The blocks share the work in one of two ways, and only one of them is a chain that the caller begins. What comes behind
// is executed too: the last thread adds to what the first one of the next round resets.
__global__ void compact(float share, int *ready, int *out, const int *in, int tasks) {
    __shared__ int count;
    int first = share >= 0.0f && share <= 1.0f ? (int)(tasks * share) : tasks;
    for (int task = first + blockIdx.x; task < tasks; task += gridDim.x) {
        if (threadIdx.x == 0) {
            count = 0; //~ data-race //~ data-race
            while (atomicAdd(&ready[task], 0) == 0) //~ deadlock warning
                ;
            __threadfence();
            atomicExch(&ready[task + 1], 1);
        }
        __syncthreads(); //~ deadlock warning
        out[task * blockDim.x + threadIdx.x] = in[task * blockDim.x + threadIdx.x] + count; //~ data-race
        if (threadIdx.x == blockDim.x - 1) count += 1; //~ data-race //~ data-race
    }
}
