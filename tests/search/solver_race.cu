// lockstep: search
// A pair of variables is improved in each round. Three races: every thread reports the number of rounds to the same place
// (benign, warning); the least is read while its owner replaces it; so is the step. solver_fixed.cu has the barriers, and
// lets one thread report.
__global__ void solve(const float *in, float *out, int *rounds, int limit) {
    __shared__ float value[1024], step, rate;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, round = 0;
    if (t == 0) rate = in[i];
    float mine = in[i];
    for (; round < limit; round++) {
        value[t] = mine; //~ data-race
        __syncthreads();
        float least = value[t];
        for (int k = 0; k < blockDim.x; k++)
            least = fminf(least, value[k]); //~ data-race
        if (t == 0)
            step = least * 0.5f; //~ data-race
        mine -= step * rate; //~ data-race
    }
    out[i] = mine;
    rounds[blockIdx.x] = round; //~ data-race warning
}
