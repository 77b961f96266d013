// A sparse matrix with three diagonals times a vector, the vector in shared memory; in one form a neighbour is read early.
// launch[bug]: --kernel spmv_early --block 128 --grid 2 --arg 'x=f32[256]:random' --arg 'y=f32[256]'
// launch[normal]: --kernel spmv --block 128 --grid 2 --arg 'x=f32[256]:random' --arg 'y=f32[256]'
// launch[large]: --kernel spmv --block 128 --grid 2097152 --arg 'x=f32[268435456]:random' --arg 'y=f32[268435456]'
__global__ void spmv(const float *x, float *y) {
    __shared__ float s[130];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t + 1] = x[i];
    if (t == 0) s[0] = s[129] = 0;
    __syncthreads();
    y[i] = 2 * s[t + 1] - s[t] - s[t + 2];
}
__global__ void spmv_early(const float *x, float *y) {
    __shared__ float s[130];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t + 1] = x[i];  //~ data-race
    if (t == 0) s[0] = s[129] = 0;  //~ data-race
    float early = s[t];  //~ data-race
    __syncthreads();
    y[i] = 2 * s[t + 1] - early - s[t + 2];
}
