// lockstep: search
// A round ends with a barrier: both arrays may be written again.
__device__ int place_of_least(const float *value, int *place) {
    int t = threadIdx.x;
    place[t] = t;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half && value[place[t + half]] < value[place[t]]) place[t] = place[t + half];
    }
    __syncthreads();
    return place[0];
}

__global__ void extremes(const float *in, float *out, int rounds) {
    __shared__ float value[1024];
    __shared__ int place[1024];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float mine = in[i], sum = 0;
    for (int k = 0; k < rounds; k++) {
        value[t] = mine;
        int least = place_of_least(value, place);
        sum += value[least];
        if (t == least) mine += 1;
        __syncthreads();
    }
    out[i] = sum;
}
