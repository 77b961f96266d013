// Three rows: {1 0 2}, {0 3 0}, {4 5 6}.
// lockstep: run --block 32 --grid 1 --arg rows=3 --arg 'start=i32[4]:0,2,3,6' --arg 'column=i32[6]:0,2,1,0,1,2' --arg 'value=f32[6]:1,2,3,4,5,6' --arg 'x=f32[3]:1,2,3' --arg 'y=f32[3]'
__global__ void spmv(int rows, const int *start, const int *column, const float *value, const float *x, float *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int i = start[row]; i < start[row + 1]; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}
