// How well pairs of texts match: the table of Smith and Waterman, diagonal after diagonal in shared memory.
// launch[small]: --block 32 --grid 2 --arg 'a=u8[64]:random' --arg 'b=u8[96]:random' --arg 'best=i32[2]' --arg length=48
// launch[large]: --block 128 --grid 4224 --arg 'a=u8[540672]:random' --arg 'b=u8[8650752]:random' --arg 'best=i32[4224]' --arg length=2048
__global__ void align(const unsigned char *a, const unsigned char *b, int *best, int length) {
    __shared__ int score[3][129];
    __shared__ int most[128];
    int t = threadIdx.x, n = blockDim.x, own = a[blockIdx.x * n + t] & 3, top = 0;
    for (int d = 0; d < 3; ++d) score[d][t + 1] = 0;
    if (t == 0) score[0][0] = score[1][0] = score[2][0] = 0;
    __syncthreads();
    for (int step = 0; step < length + n - 1; ++step) {
        int column = step - t, now = step % 3, last = (step + 2) % 3, before = (step + 1) % 3;
        if (column >= 0 && column < length) {
            int match = score[before][t] + ((b[blockIdx.x * length + column] & 3) == own ? 2 : -1);
            int left = score[last][t + 1] - 1, up = score[last][t] - 1;
            int value = match > left ? match : left;
            value = value > up ? value : up;
            value = value > 0 ? value : 0;
            score[now][t + 1] = value;
            top = value > top ? value : top;
        }
        __syncthreads();
    }
    most[t] = top;
    __syncthreads();
    for (int stride = n / 2; stride > 0; stride /= 2) {
        if (t < stride) most[t] = most[t] > most[t + stride] ? most[t] : most[t + stride];
        __syncthreads();
    }
    if (t == 0) best[blockIdx.x] = most[0];
}
