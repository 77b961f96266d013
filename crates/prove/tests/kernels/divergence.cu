// --block 64 --grid 4
// Barriers: even_ is proved, uneven_ is found, perhaps_ is possible, open_ is left open.
#include <cooperative_groups.h>

__global__ void even_plain(int *a) { __syncthreads(); }
__global__ void even_under_parameter(int *a, int n) { if (n > 3) __syncthreads(); }
__global__ void even_in_loop(int *a, int n) { for (int i = 0; i < n; ++i) __syncthreads(); }
__global__ void even_by_block(int *a) { if (blockIdx.x > 1) __syncthreads(); }
__global__ void even_by_read_only(const int *a) { if (a[blockIdx.x]) __syncthreads(); }
__global__ void even_always_true(int *a) { if (threadIdx.x < 64) __syncthreads(); }
__global__ void uneven_half(int *a) { if (threadIdx.x < 32) __syncthreads(); }
__global__ void uneven_return(int *a) {
    if (threadIdx.x == 5) return;
    __syncthreads();
}
__global__ void uneven_loop(int *a) { for (int i = 0; i < threadIdx.x; ++i) __syncthreads(); }
__global__ void perhaps_by_data(const int *a) { if (a[threadIdx.x]) __syncthreads(); }
__global__ void uneven_two_barriers(int *a) {
    if (threadIdx.x & 1) __syncthreads(); else __syncthreads();
}

// Loops that all threads leave together.
__global__ void even_exit_in_the_middle(int *a, int n) {
    for (int i = 0;; ++i) {
        __syncthreads();
        if (i >= n) break;
        __syncthreads();
    }
}
__global__ void perhaps_exit_in_the_middle(int *a) {
    for (int i = 0; i < 64; ++i) {
        __syncthreads();
        if (i >= threadIdx.x) break;
        __syncthreads();
    }
}
__global__ void even_by_shared_flag(const int *a) {
    __shared__ int go;
    int i = 0;
    do {
        __syncthreads();
        if (threadIdx.x == 0) go = a[i];
        __syncthreads();
        ++i;
    } while (go);
}
__global__ void even_nest(int *a, int n) {
    for (int i = 0; i < n; ++i) {
        if (i & 1) continue;
        for (int j = i; j > 0; j /= 2) __syncthreads();
    }
}
__global__ void uneven_nest(int *a, int n) {
    for (int i = 0; i < 4; ++i)
        for (int j = threadIdx.x; j > 0; j /= 2) __syncthreads();
}

// A block that stays away from a barrier of the grid leaves the others waiting.
__global__ void even_grid(int *a, int n) { if (n > 3) cooperative_groups::this_grid().sync(); }
__global__ void open_grid_by_block(int *a) { if (blockIdx.x % 2 == 0) cooperative_groups::this_grid().sync(); }
__global__ void open_grid_after_return(int *a) {
    if (blockIdx.x == 3) return;
    cooperative_groups::this_grid().sync();
}

// A vote of all threads is what the next iteration begins with.
__global__ void even_by_vote(const int *near) {
    __shared__ int s[64];
    int t = threadIdx.x, changed = 1;
    s[t] = t;
    __syncthreads();
    while (changed) {
        int least = min(s[t], s[near[t] & 63]);
        changed = __syncthreads_or(least != s[t]);
        s[t] = least;
        __syncthreads();
    }
}
__global__ void perhaps_by_own_word(const int *near) {
    __shared__ int s[64];
    int t = threadIdx.x, changed = 1;
    s[t] = t;
    __syncthreads();
    while (changed) {
        int least = min(s[t], s[near[t] & 63]);
        __syncthreads();
        changed = least != s[t];
        s[t] = least;
        __syncthreads();
    }
}
