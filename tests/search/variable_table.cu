// The host fills the table; with nothing but zeros in it, nothing is confirmed.
// exit: 3
__device__ int place[1024];

__global__ void scatter(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[place[i]] = i; //~ data-race
}

int main() {
    int *d;
    cudaMalloc((void **)&d, 4096);
    scatter<<<4, 256>>>(d, 1024);
}
