// A fence alone orders nothing: who reads must know that the other has written.
// lockstep: run --block 32 --grid 4 --arg 'part=i32[4]' --arg 'out=i32[1]'
__global__ void k(int *part, int *out) {
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1; //~ data-race
        __threadfence();
        if (blockIdx.x == 3) {
            int sum = 0;
            for (int i = 0; i < 4; i++)
                sum += part[i]; //~ data-race
            *out = sum;
        }
    }
}
