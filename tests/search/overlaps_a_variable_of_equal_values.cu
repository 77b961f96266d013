// What the host puts into the table is not known: that all of it is zero in our launches makes no race harmless.
__device__ int table[1024];
__managed__ int shared_with_the_host[1024];

__global__ void from_the_table(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[i + 1]; //~ data-race
}

__global__ void into_the_table(const int *in) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    table[i] = in[i]; //~ data-race
}

__global__ void managed(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = shared_with_the_host[i + 1]; //~ data-race
}

// All store one number, whatever the table holds.
__global__ void one_number(int *out) {
    table[0] = 5; //~ data-race warning
    out[blockIdx.x * blockDim.x + threadIdx.x] = table[1];
}

int main() {
    int *p;
    cudaGetSymbolAddress((void **)&p, table);
    from_the_table<<<4, 64>>>(p);
    int *behind = p + 8;
    into_the_table<<<4, 64>>>(behind);
    managed<<<2, 64>>>(shared_with_the_host);
}
