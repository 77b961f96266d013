// The host gives the address of the very table that is read.
__device__ int table[1024];

__global__ void reverse(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[1023 - i] + 1; //~ data-race
}

int main() {
    int *p;
    cudaGetSymbolAddress((void **)&p, table);
    reverse<<<4, 256>>>(p, 1024);
}
