// The kernel is written for one row of threads, and its host launches a square of them.
__global__ void count(float *a, int n) {
    a[threadIdx.x] = n + threadIdx.y; //~ data-race
}

// Nothing in this one says that there is a second row.
__global__ void stamp(long long *a, int n) {
    a[threadIdx.x] = clock64(); //~ data-race
}

void run(float *a, long long *b, int n) {
    count<<<1, dim3(n, n)>>>(a, n);
    stamp<<<1, dim3(n, n)>>>(b, n);
}
