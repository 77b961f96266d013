// lockstep: search
// In a loop a block finds the place of its smallest value with a helper that does not end with a barrier. Two races with
// the next round: on the values (read by all, replaced by their owner) and on the places (read by all, begun anew).
// extremes_fixed.cu has a barrier where a round ends.
__device__ int place_of_least(const float *value, int *place) {
    int t = threadIdx.x;
    place[t] = t; //~ data-race
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half && value[place[t + half]] < value[place[t]]) place[t] = place[t + half];
    }
    __syncthreads();
    return place[0]; //~ data-race
}

__global__ void extremes(const float *in, float *out, int rounds) {
    __shared__ float value[1024];
    __shared__ int place[1024];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float mine = in[i], sum = 0;
    for (int k = 0; k < rounds; k++) {
        value[t] = mine; //~ data-race
        int least = place_of_least(value, place);
        sum += value[least]; //~ data-race
        if (t == least) mine += 1;
    }
    out[i] = sum;
}
