// What is not settled by the operations alone, is named before each kernel.

// nothing
__global__ void plain(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

// nothing
__global__ void counted(const int *row, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x) {
        float sum = 0;
        for (int k = row[i]; k < row[i + 1]; k++) sum += in[k];
        out[i] = sum;
    }
}

// nothing: the bound is looked at in each round, whatever is read
__global__ void looks(const int *in, int *out, int n, int wanted) {
    for (int i = 0; i < n; i++)
        if (in[i] == wanted) {
            out[threadIdx.x] = i;
            break;
        }
}

// deadlock
__global__ void waits(const int *flag, int *out) {
    while (flag[0] == 0) {}
    out[threadIdx.x] = 1;
}

// deadlock: whether it goes on hangs on what is read, by way of a branch
__global__ void waits_by_branch(const int *flag, int *out) {
    int done = 0;
    while (done == 0) {
        if (flag[threadIdx.x] != 0) done = 1;
        out[threadIdx.x] = done;
    }
}

// deadlock: it counts only while others allow it
__global__ void waits_by_count(const int *flag, int *out, int n) {
    int i = 0;
    while (i < n) i += flag[threadIdx.x];
    out[threadIdx.x] = 1;
}

// deadlock: not each round looks at the count
__global__ void waits_at_times(const int *flag, int *out, int n) {
    int i = 0;
    for (;;) {
        if (flag[threadIdx.x] != 0) {
            if (++i > n) break;
        }
        out[threadIdx.x] = i;
    }
}

// deadlock, missing-fence: a round that gets no lock does not count
__global__ void continues(int *lock, int *out, int n) {
    for (int i = 0; i < n;) {
        if (atomicCAS(&lock[i], 0, 1) != 0) continue;
        out[i]++;
        i++;
    }
}

// deadlock: the count goes round in a circle and never comes to 2
__global__ void circles(const int *flag, int *out) {
    for (int i = 0;; i ^= 1) {
        if (i == 2) break;
        if (flag[threadIdx.x] != 0) break;
        out[threadIdx.x] = i;
    }
}

// nothing: whether it ends or not, nobody else has to do anything
__global__ void circles_alone(int *out) {
    for (int i = 0; i != 2; i ^= 1) out[threadIdx.x] = i;
}

// deadlock: the step may be zero
__global__ void steps_by_argument(const int *stop, int *out, int n, int step) {
    for (int i = 0; i < n; i += step) {
        if (*stop != 0) break;
        out[threadIdx.x] = i;
    }
}

// nothing
__global__ void steps_alone(int *out, int n, int step) {
    for (int i = 0; i < n; i += step) out[threadIdx.x] = i;
}

// nothing: given that the grid is no larger than can be numbered
__global__ void steps_by_grid(const int *in, int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (in[i] == 0) break;
        out[i] = 1;
    }
}

// nothing
__global__ void steps_by_block(const int *in, int *out, unsigned n) {
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        if (in[i] == 0) break;
        out[i] = 1;
    }
}

// deadlock: two dimensions together may wrap around to zero
__global__ void steps_by_product(const int *in, int *out, unsigned n) {
    for (unsigned i = threadIdx.x; i < n; i += gridDim.x * gridDim.y) {
        if (in[i] == 0) break;
        out[i] = 1;
    }
}

// deadlock: a byte is never as large
__global__ void byte(const int *stop, int *out) {
    for (unsigned char i = 0; i < 1000; i++) {
        if (*stop != 0) break;
        out[threadIdx.x] = i;
    }
}

// nothing
__global__ void byte_to_its_end(const int *stop, int *out) {
    for (unsigned char i = 0; i < 100; i++) {
        if (*stop != 0) break;
        out[threadIdx.x] = i;
    }
}

// deadlock: who knows what a byte is compared with
__global__ void byte_to_size(const int *stop, int *out, int n) {
    for (unsigned char i = 0; i < n; i++) {
        if (*stop != 0) break;
        out[threadIdx.x] = i;
    }
}

// deadlock: what is taken away is taken from more than a byte
__global__ void byte_far_below(const int *stop, int *out) {
    for (unsigned char i = 0; i - 1000 < 100; i++) {
        if (*stop != 0) break;
        out[threadIdx.x] = i;
    }
}

// deadlock: an unsigned number is never below zero
__global__ void down(const int *stop, int *out, unsigned n) {
    for (unsigned i = n; i >= 0; i--) {
        if (*stop != 0) break;
        out[threadIdx.x] = i;
    }
}

// deadlock: the bound may be zero
__global__ void down_to(const int *stop, int *out, unsigned n, unsigned least) {
    for (unsigned i = n; i >= least; i--) {
        if (*stop != 0) break;
        out[threadIdx.x] = i;
    }
}

// deadlock: by two it may miss zero
__global__ void down_by_two(const int *stop, int *out, unsigned n) {
    for (unsigned i = n; i > 0; i -= 2) {
        if (*stop != 0) break;
        out[threadIdx.x] = i;
    }
}

// nothing
__global__ void down_above(const int *stop, int *out, unsigned n, unsigned least) {
    for (unsigned i = n; i > least; i--) {
        if (*stop != 0) break;
        out[threadIdx.x] = i;
    }
}

// nothing
__global__ void down_signed(const int *stop, int *out, int n) {
    for (int i = n; i >= 0; i--) {
        if (*stop != 0) break;
        out[threadIdx.x] = i;
    }
}

// deadlock: of nothing, the last is the largest number
__global__ void to_last(const int *stop, int *out, unsigned n) {
    for (unsigned i = 0; i <= n - 1; i++) {
        if (*stop != 0) break;
        out[threadIdx.x] = i;
    }
}

// deadlock: by two it misses the largest number
__global__ void to_largest(const int *stop, int *out) {
    for (unsigned i = 0; i < 0xffffffffu; i += 2) {
        if (*stop != 0) break;
        out[threadIdx.x] = i;
    }
}

// deadlock: the bound goes before it
__global__ void hunts(const int *stop, int *out) {
    for (int i = 0, end = 10; i < end; i++, end++) {
        if (*stop != 0) break;
        out[threadIdx.x] = i;
    }
}

// nothing: the bound is read again in each round, and comes nearer
__global__ void bounded(const int *n, int *out) {
    for (int i = threadIdx.x; i < *n; i += blockDim.x) out[i] = 1;
}

// nothing
__global__ void bounded_below(const int *n, int *out) {
    for (int i = threadIdx.x + 100; i > *n; i--) out[i] = 1;
}

// deadlock: it goes the other way
__global__ void away(const int *n, int *out) {
    for (int i = 0; i < *n; i--) out[threadIdx.x] = 1;
}

// deadlock: it goes to and fro
__global__ void to_and_fro(const int *n, int *out) {
    for (int i = 0; i < *n; i ^= 1) out[threadIdx.x] = 1;
}

// deadlock: it comes to the bound, but may pass it
__global__ void until_equal(const int *n, int *out) {
    for (int i = 0; i != *n; i++) out[threadIdx.x] = 1;
}

// deadlock: nothing changes
__global__ void waits_in_vain(int *out, int n) {
    while (n != 0) {}
    out[threadIdx.x] = 1;
}

// deadlock, missing-fence
__global__ void spins(volatile int *flag, int *out) {
    while (*flag == 0) {}
    out[threadIdx.x] = 1;
}

// deadlock, missing-fence
__global__ void locks(int *lock, int *out) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    out[0]++;
    atomicExch(lock, 0);
}

// nothing: given that there is no race, nobody looks at what an atomic found
__global__ void counts(const int *in, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i] & 255], 1);
}

// missing-fence: whoever comes second reads what the first has added
__global__ void counts_and_reads(int *count, int *out) {
    atomicAdd(count, 1);
    out[threadIdx.x] = *count;
}

// missing-fence
__global__ void draws(int *count, int *out) {
    int at = atomicAdd(count, 1);
    out[at] = threadIdx.x;
}

// missing-fence
__global__ void draws_in_a_branch(int *count, int *out) {
    if (atomicAdd(count, 1) == 7) out[0] = threadIdx.x;
}

// missing-fence
__global__ void fences(int *out) {
    out[threadIdx.x] = 1;
    __threadfence();
}

// redundant-barrier, barrier-divergence
__global__ void together(float *out) {
    __shared__ float s[64];
    s[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}

// redundant-barrier, barrier-divergence, deadlock: it is not proved that all come to it
__global__ void apart(float *out) {
    if (out[threadIdx.x] > 0) __syncthreads();
}

// redundant-barrier, barrier-divergence, deadlock
__global__ void named(float *out) {
    asm volatile("bar.sync 1, 64;");
    out[threadIdx.x] = 1;
}

// redundant-barrier, barrier-divergence, deadlock
__global__ void lanes(float *out) {
    out[threadIdx.x] = 1;
    __syncwarp();
}

// barrier-divergence, deadlock
__global__ void shuffles(int *out) {
    out[threadIdx.x] = __shfl_xor_sync(0xffffffff, out[threadIdx.x], 1);
}

// assertion
__global__ void asserts(int *out, int n) {
    assert(n > 0);
    out[threadIdx.x] = n;
}

// assertion
__global__ void traps(int *out, int n) {
    if (n < 0) __trap();
    out[threadIdx.x] = n;
}

// use-after-free
__global__ void frees(int *out) {
    int *p = (int *)malloc(4);
    if (p) *p = 1;
    free(p);
}

// misaligned
__global__ void wide(float *out) {
    *(float4 *)(out + 4 * threadIdx.x) = make_float4(0, 0, 0, 0);
}

// misaligned
__global__ void bytes(char *out) { *(int *)(out + 4 * threadIdx.x) = 1; }

// misaligned
__global__ void anything(void *out) { ((int *)out)[threadIdx.x] = 1; }

// misaligned: three bytes at a time
__global__ void thirds(int *out) { *(int *)((char *)out + 3 * threadIdx.x) = 1; }

// nothing: eight bytes at a time, from a multiple of eight
__global__ void pairs(double *out, int n) {
    char *p = (char *)out;
    for (int i = 0; i < n; i++, p += 8 * blockDim.x) *(double *)(p + 8 * threadIdx.x) = i;
}

// misaligned: not each step is a multiple of eight
__global__ void steps(double *out, int n) {
    char *p = (char *)out;
    for (int i = 0; i < n; i++, p += 4 * blockDim.x) *(double *)(p + 8 * threadIdx.x) = i;
}

// nothing: an array of the kernel's own
__global__ void tiles(float *out) {
    __shared__ double s[64];
    s[threadIdx.x & 63] = 1;
    out[threadIdx.x] = (float)s[threadIdx.x & 63];
}

__device__ int elsewhere(int);

// assertion, redundant-barrier, barrier-divergence, missing-fence, deadlock, misaligned, use-after-free
__global__ void calls(int *out) { out[threadIdx.x] = elsewhere(threadIdx.x); }
