// lockstep: search
// A stage of butterflies, each of two elements that lie `half` apart. Pairs begin at multiples of twice as much, and here
// of `half`: neighbours share an element.
__global__ void stage(float *x, int n, int half) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2) return;
    int at = t / half * half + t % half;
    float a = x[at], b = x[at + half]; //~ data-race //~ data-race
    x[at] = a + b; //~ data-race //~ data-race
    x[at + half] = a - b; //~ data-race
}
