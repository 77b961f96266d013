// Kernels that synchronise through memory, with all fences, without those of the writer, of the reader, or of both, on a real GPU:
// each is launched many times while another kernel keeps the memory busy, and the launches that go wrong are counted.
//
//     nvcc -O2 -arch=native -o stress stress.cu && ./stress 5000        # or ./stress 5000 66: with 66 blocks beside them only
//
// `tests/fences/stress.rs` explores the same kernels: docs/src/fences.md has both answers beside each other.
#define FENCE(on) \
    if (on) __threadfence()

// Words between two variables, so that they lie in different lines of the cache. Nobody writes the word behind a variable: who
// reads it has the line in its cache, with the old value of the variable.
#ifndef APART
#define APART 64
#endif

// One block writes a message and sets a flag; another waits for the flag.
template <bool RELEASE, bool ACQUIRE>
__global__ void message(int *data, volatile int *flag, int *wrong, int round) {
    int pair = blockIdx.x / 2;
    int *mine = data + pair * 4 * APART;
    if (blockIdx.x % 2 == 0) {
        for (int i = 0; i < 4; ++i) mine[i * APART] = round;
        FENCE(RELEASE);
        flag[pair * APART] = round;
    } else {
        int none = 0;
        for (int i = 0; i < 4; ++i) none += mine[i * APART + 1];
        while (flag[pair * APART] != round) {
        }
        FENCE(ACQUIRE);
        int sum = none;
        for (int i = 0; i < 4; ++i) sum += mine[i * APART];
        if (sum != 4 * round) atomicAdd(wrong, 1);
    }
}

// The block that draws the last ticket adds up what all have left.
template <bool RELEASE, bool ACQUIRE>
__global__ void last_block(int *part, unsigned *ticket, int *wrong, int round) {
    int none = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) none += part[i * APART + 1];
    part[blockIdx.x * APART] = round + none;
    FENCE(RELEASE);
    if (atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1) {
        FENCE(ACQUIRE);
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; ++i) sum += part[i * APART];
        if (sum != round * (int)gridDim.x) atomicAdd(wrong, 1);
    }
}

// The same as NVIDIA's sample has it: the block's barrier stands between the ticket and the sum.
template <bool RELEASE, bool ACQUIRE>
__global__ void last_block_barrier(int *part, unsigned *ticket, int *wrong, int round) {
    __shared__ bool last;
    __shared__ int all;
    int none = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) none += part[i * APART + 1];
    if (threadIdx.x == 0) {
        all = 0;
        part[blockIdx.x * APART] = round + none;
        FENCE(RELEASE);
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        FENCE(ACQUIRE);
    }
    __syncthreads();
    if (!last) return;
    int sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += part[i * APART];
    atomicAdd(&all, sum);
    __syncthreads();
    if (threadIdx.x == 0 && all != round * (int)gridDim.x) atomicAdd(wrong, 1);
}

// A lock, and a sum that it guards.
template <bool RELEASE, bool ACQUIRE>
__global__ void locked(int *sum, int *lock, int *wrong, int round) {
    int none = sum[1];
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    FENCE(ACQUIRE);
    *sum = *sum + 1 + none;
    FENCE(RELEASE);
    atomicExch(lock, 0);
}

// A block appends tasks to a queue, and the others take them.
template <bool RELEASE, bool ACQUIRE>
__global__ void queue(int *tasks, volatile int *tail, int *head, int *wrong, int round, int all) {
    if (blockIdx.x == 0) {
        for (int i = 0; i < all; ++i) {
            tasks[i * APART] = round + i;
            FENCE(RELEASE);
            *tail = i + 1;
        }
    } else {
        int first = atomicAdd(head, 0);
        while (first < all) {
            int none = tasks[first * APART + 1];
            if (*tail > first) {
                FENCE(ACQUIRE);
                int task = tasks[first * APART];
                if (atomicCAS(head, first, first + 1) == first && task + none != round + first)
                    atomicAdd(wrong, 1);
            }
            first = atomicAdd(head, 0);
        }
    }
}

// Each block adds to the sum that the block before it has published.
template <bool RELEASE, bool ACQUIRE>
__global__ void chained(int *sum, volatile int *ready, int *wrong, int round) {
    int before = 0;
    if (blockIdx.x > 0) {
        int *other = sum + (blockIdx.x - 1) * APART;
        int none = other[1];
        while (ready[(blockIdx.x - 1) * APART] != round) {
        }
        FENCE(ACQUIRE);
        before = *other + none;
        if (before != round + (int)blockIdx.x - 1) atomicAdd(wrong, 1);
    }
    sum[blockIdx.x * APART] = blockIdx.x > 0 ? before + 1 : round;
    FENCE(RELEASE);
    ready[blockIdx.x * APART] = round;
}

#define EACH(kernel, ...)                                          \
    template __global__ void kernel<true, true>(__VA_ARGS__);      \
    template __global__ void kernel<true, false>(__VA_ARGS__);     \
    template __global__ void kernel<false, true>(__VA_ARGS__);     \
    template __global__ void kernel<false, false>(__VA_ARGS__)
EACH(message, int *, volatile int *, int *, int);
EACH(last_block, int *, unsigned *, int *, int);
EACH(last_block_barrier, int *, unsigned *, int *, int);
EACH(locked, int *, int *, int *, int);
EACH(queue, int *, volatile int *, int *, int *, int, int);
EACH(chained, int *, volatile int *, int *, int);

#ifdef __NVCC__
#include <cstdio>
#include <cstdlib>

// Reads and writes all over a large array, until it is told to stop.
__global__ void noise(unsigned *memory, unsigned words, volatile int *stop, unsigned seed) {
    unsigned at = seed + blockIdx.x * 7919 + threadIdx.x * 104729;
    while (*stop == 0)
        for (int i = 0; i < 64; ++i) {
            at = at * 1664525u + 1013904223u;
            memory[at % words] += at;
        }
}

static int *ints;
static int *wrong;
static cudaStream_t own;

static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        exit(2);
    }
}

// Launches of which something was wrong.
template <typename Launch>
static int failures(int rounds, Launch launch) {
    int count = 0;
    fflush(stdout);
    check(cudaMemsetAsync(ints, 0, 1 << 22, own));
    for (int round = 1; round <= rounds; ++round) {
        check(cudaMemsetAsync(wrong, 0, 4, own));
        launch(round * 1000);
        int seen = 0;
        check(cudaMemcpyAsync(&seen, wrong, 4, cudaMemcpyDeviceToHost, own));
        check(cudaStreamSynchronize(own));
        count += seen != 0;
    }
    return count;
}

template <bool RELEASE, bool ACQUIRE>
static void all(int rounds) {
    int *flags = ints + (1 << 18), *more = ints + (1 << 19);
    printf("%-8s %-8s", RELEASE ? "yes" : "no", ACQUIRE ? "yes" : "no");
    printf(" %8d", failures(rounds, [&](int r) { message<RELEASE, ACQUIRE><<<64, 1, 0, own>>>(ints, flags, wrong, r); }));
    printf(" %8d", failures(rounds, [&](int r) { last_block<RELEASE, ACQUIRE><<<64, 1, 0, own>>>(ints, (unsigned *)flags, wrong, r); }));
    printf(" %8d", failures(rounds, [&](int r) { last_block_barrier<RELEASE, ACQUIRE><<<64, 64, 0, own>>>(ints, (unsigned *)flags, wrong, r); }));
    int locks = failures(rounds, [&](int r) {
        check(cudaMemsetAsync(ints, 0, 4, own));
        locked<RELEASE, ACQUIRE><<<64, 1, 0, own>>>(ints, flags, more, r);
        int sum = 0;
        check(cudaMemcpyAsync(&sum, ints, 4, cudaMemcpyDeviceToHost, own));
        check(cudaStreamSynchronize(own));
        int is_wrong = sum != 64;
        check(cudaMemcpyAsync(wrong, &is_wrong, 4, cudaMemcpyHostToDevice, own));
        check(cudaStreamSynchronize(own));
    });
    printf(" %8d", locks);
    printf(" %8d", failures(rounds, [&](int r) {
        check(cudaMemsetAsync(flags, 0, 4, own));
        check(cudaMemsetAsync(more, 0, 4, own));
        queue<RELEASE, ACQUIRE><<<16, 1, 0, own>>>(ints, flags, more, wrong, r, 64);
    }));
    printf(" %8d\n", failures(rounds, [&](int r) { chained<RELEASE, ACQUIRE><<<64, 1, 0, own>>>(ints, flags, wrong, r); }));
    fflush(stdout);
}

int main(int argc, char **argv) {
    // Else the first launch of each kernel waits for the noise to end.
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    int rounds = argc > 1 ? atoi(argv[1]) : 1000, *stop;
    unsigned *memory, words = 1 << 26;
    cudaStream_t other;
    check(cudaMalloc(&ints, 1 << 22));
    check(cudaMalloc(&wrong, 4));
    check(cudaMalloc(&memory, words * 4ul));
    check(cudaMallocHost(&stop, 4));
    check(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (int blocks : {0, 66, 264}) {
        if (argc > 2 && atoi(argv[2]) != blocks) continue;
        *(volatile int *)stop = 0;
        if (blocks) noise<<<blocks, 256, 0, other>>>(memory, words, stop, 1);
        printf("%d launches each, %d blocks beside them:\n", rounds, blocks);
        printf("%-8s %-8s %8s %8s %8s %8s %8s %8s\n", "release", "acquire", "message", "last", "barrier", "lock", "queue", "chained");
        all<true, true>(rounds);
        all<true, false>(rounds);
        all<false, true>(rounds);
        all<false, false>(rounds);
        *(volatile int *)stop = 1;
        check(cudaStreamSynchronize(other));
    }
}
#endif
