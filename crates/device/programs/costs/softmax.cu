// Softmax of the rows of a matrix, a block for each row: largest value, sum, quotient.
// launch[small]: --block 64 --grid 3 --arg 'in=f32[600]:random' --arg 'out=f32[600]' --arg columns=200
// launch[large]: --block 256 --grid 393216 --arg 'in=f32[201326592]:random' --arg 'out=f32[201326592]' --arg columns=512
__global__ void softmax(const float *in, float *out, int columns) {
    __shared__ float part[256];
    int t = threadIdx.x;
    const float *row = in + (long long)blockIdx.x * columns;
    float largest = -3.4e38f, sum = 0;
    for (int c = t; c < columns; c += blockDim.x) largest = row[c] > largest ? row[c] : largest;
    part[t] = largest;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride) part[t] = part[t] > part[t + stride] ? part[t] : part[t + stride];
        __syncthreads();
    }
    largest = part[0];
    __syncthreads();
    for (int c = t; c < columns; c += blockDim.x) sum += expf(row[c] - largest);
    part[t] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride) part[t] += part[t + stride];
        __syncthreads();
    }
    sum = part[0];
    for (int c = t; c < columns; c += blockDim.x) out[(long long)blockIdx.x * columns + c] = expf(row[c] - largest) / sum;
}
