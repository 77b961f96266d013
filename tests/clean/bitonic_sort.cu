// lockstep: run --block 32 --grid 1 --arg 'a=i32[64]:random' --dump a
__global__ void sort(int *a) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    s[t + 32] = a[t + 32];
    for (int size = 2; size <= 64; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (stride - 1));
            bool up = (i & size) == 0;
            int x = s[i], y = s[i + stride];
            if (x > y == up) {
                s[i] = y;
                s[i + stride] = x;
            }
        }
    __syncthreads();
    a[t] = s[t];
    a[t + 32] = s[t + 32];
}
