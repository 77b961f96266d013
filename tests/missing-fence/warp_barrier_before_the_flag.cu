// All lanes write, the warp meets, and one lane publishes what they wrote. Clean.
// lockstep[warp]: run --kernel of_the_warp --block 64 --grid 2 --arg 'g=i32[64]' --arg 'flag=i32[1]' --arg 'out=i32[64]'
// lockstep[stepping]: run --kernel of_the_warp --block 64 --grid 2 --arg 'g=i32[64]' --arg 'flag=i32[1]' --arg 'out=i32[64]' --scheduling lockstep
// lockstep[tile]: run --kernel of_a_tile --block 32 --grid 2 --arg 'g=i32[64]' --arg 'flag=i32[1]' --arg 'out=i32[64]'
// lockstep[half]: run --kernel of_half --block 32 --grid 2 --arg 'g=i32[64]' --arg 'flag=i32[1]' --arg 'out=i32[64]'
// lockstep[loop]: run --kernel of_rounds --block 32 --grid 2 --arg 'g=i32[64]' --arg 'flag=i32[1]' --arg 'out=i32[64]'
#include <cooperative_groups.h>

__device__ void wait_and_sum(const int *g, int *flag, int *out, int n, int rounds) {
    while (atomicAdd(flag, 0) < rounds) {
    }
    __threadfence();
    int sum = 0;
    for (int i = 0; i < n; ++i)
        sum += g[i];
    out[threadIdx.x] = sum;
}

__global__ void of_the_warp(int *g, int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        g[t] = t;
        __syncwarp();
        if (t % 32 == 0) {
            __threadfence();
            atomicAdd(flag, 1);
        }
    } else {
        wait_and_sum(g, flag, out, 64, 2);
    }
}

__global__ void of_a_tile(int *g, int *flag, int *out) {
    auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    if (blockIdx.x == 0) {
        g[threadIdx.x] = threadIdx.x;
        tile.sync();
        if (tile.thread_rank() == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        wait_and_sum(g, flag, out, 32, 1);
    }
}

__global__ void of_half(int *g, int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        if (t < 16) {
            g[t] = t;
            __syncwarp(0xffff);
            if (t == 3) {
                __threadfence();
                atomicExch(flag, 1);
            }
        }
    } else {
        wait_and_sum(g, flag, out, 16, 1);
    }
}

__global__ void of_rounds(int *g, int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        for (int i = 0; i < 40; ++i) {
            g[(t + i) % 32] += i;
            __syncwarp();
            if (i % 2) {
                if (t < 8) __syncwarp(0xff);
                __syncwarp();
            }
        }
        if (t == 31) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        wait_and_sum(g, flag, out, 32, 1);
    }
}
