// Dimensions from the launch in the host code: with one warp and lockstep scheduling it would be clean.
__global__ void k(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t; //~ data-race
    __syncwarp();
    out[t] = s[t ^ 32]; //~ data-race
}

int main() {
    int *out = nullptr;
    k<<<1, 64>>>(out);
    return 0;
}
