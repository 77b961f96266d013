// --block 64 --grid 4
// Which accesses can be in one phase: loops with barriers in loops with barriers, barriers under conditions that all
// threads share.

// ---- nests ----

__global__ void clean_nest(int *) {
    __shared__ int m[128];
    int t = threadIdx.x;
    for (int d = 0; d < 3; ++d) {
        m[t] = d;
        __syncthreads();
        for (int s = 32; s > 0; s >>= 1) {
            if (t < s) m[t] += m[t + s];
            __syncthreads();
        }
    }
}
__global__ void clean_nest_of_n(int *, int n) {
    __shared__ int m[128];
    int t = threadIdx.x;
    for (int d = 0; d < n; ++d) {
        m[t] = d;
        __syncthreads();
        for (int s = 32; s > 0; s >>= 1) {
            if (t < s) m[t] += m[t + s];
            __syncthreads();
        }
    }
}
// Nobody waits between the last step of the inner loop and the next round of the outer one.
__global__ void racy_nest_barrier_at_head(int *) {
    __shared__ int m[128];
    int t = threadIdx.x;
    for (int d = 0; d < 3; ++d) {
        m[t] = d;
        for (int s = 32; s > 0; s >>= 1) {
            __syncthreads();
            if (t < s) m[t] += m[t + s];
        }
    }
}
__global__ void clean_nest_barrier_at_head(int *) {
    __shared__ int m[128];
    int t = threadIdx.x;
    for (int d = 0; d < 3; ++d) {
        m[t] = d;
        for (int s = 32; s > 0; s >>= 1) {
            __syncthreads();
            if (t < s) m[t] += m[t + s];
        }
        __syncthreads();
    }
}
// The inner loop is not entered in the first round.
__global__ void racy_nest_empty_at_first(int *) {
    __shared__ int m[64];
    int t = threadIdx.x, x = 0;
    for (int d = 0; d < 4; ++d) {
        m[t] = d;
        for (int s = 0; s < d; ++s) __syncthreads();
        x += m[63 - t];
        __syncthreads();
    }
}
__global__ void clean_nest_never_empty(int *) {
    __shared__ int m[64];
    int t = threadIdx.x, x = 0;
    for (int d = 0; d < 4; ++d) {
        m[t] = d;
        for (int s = 0; s <= d; ++s) __syncthreads();
        x += m[63 - t];
        __syncthreads();
    }
}
// The first round of the inner loop after its last: different rounds of the outer one.
__global__ void clean_nest_by_round(int *) {
    __shared__ int m[4][64];
    int t = threadIdx.x, x = 0;
    for (int d = 0; d < 4; ++d)
        for (int s = 0; s < 3; ++s) {
            m[d][t] = s;
            __syncthreads();
            x += m[d][63 - t];
            if (s < 2) __syncthreads();
        }
}
__global__ void racy_nest_by_round(int *) {
    __shared__ int m[4][64];
    int t = threadIdx.x, x = 0;
    for (int d = 0; d < 4; ++d)
        for (int s = 0; s < 3; ++s) {
            m[d / 2][t] = s;
            __syncthreads();
            x += m[d / 2][63 - t];
            if (s < 2) __syncthreads();
        }
}
__global__ void clean_three_deep(int *out, int n) {
    __shared__ int m[128];
    int t = threadIdx.x, x = 0;
    for (int a = 0; a < n; ++a) {
        for (int b = 0; b < 3; ++b) {
            m[t] = a + b;
            __syncthreads();
            for (int s = 32; s > 0; s /= 2) {
                if (t < s) m[t] += m[t + s];
                __syncthreads();
            }
        }
        x += m[0];
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = x;
}
__global__ void racy_three_deep(int *out, int n) {
    __shared__ int m[128];
    int t = threadIdx.x, x = 0;
    for (int a = 0; a < n; ++a) {
        for (int b = 0; b < 3; ++b) {
            m[t] = a + b;
            __syncthreads();
            for (int s = 32; s > 0; s /= 2) {
                if (t < s) m[t] += m[t + s];
                __syncthreads();
            }
        }
        x += m[0];
    }
    out[blockIdx.x * 64 + t] = x;
}
__global__ void clean_loop_after_loop(int *out, int n) {
    __shared__ int m[128];
    int t = threadIdx.x;
    m[t] = t;
    for (int s = 32; s > 0; s >>= 1) {
        __syncthreads();
        if (t < s) m[t] += m[t + s];
    }
    for (int s = 1; s < 64; s <<= 1) {
        __syncthreads();
        if (t >= s && t < 2 * s) m[t] = m[t - s];
    }
}
__global__ void racy_loop_after_loop(int *out, int n) {
    __shared__ int m[128];
    int t = threadIdx.x;
    m[t] = t;
    for (int s = 32; s > 0; s >>= 1) {
        __syncthreads();
        if (t < s) m[t] += m[t + s];
    }
    for (int s = 1; s < 64; s <<= 1) {
        if (t >= s && t < 2 * s) m[t] = m[t - s];
        __syncthreads();
    }
}

// ---- other forms of loops ----

__global__ void clean_do(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x, x = 0, i = 0;
    do {
        m[t] = i;
        __syncthreads();
        x += m[63 - t];
        __syncthreads();
    } while (++i < n);
    m[63 - t] = x;
}
__global__ void racy_do(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x, x = 0, i = 0;
    do {
        m[t] = i;
        __syncthreads();
        x += m[63 - t];
    } while (++i < n);
}
// The loop is gone through at least once.
__global__ void clean_do_between(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x, i = 0;
    m[t] = t;
    do {
        __syncthreads();
    } while (++i < n);
    m[63 - t] += 1;
}
// … and here perhaps not.
__global__ void racy_for_between(int *) {
    __shared__ int m[64];
    int t = threadIdx.x, n = blockIdx.x;
    m[t] = t;
    for (int i = 0; i < n; ++i) __syncthreads();
    m[63 - t] += 1;
}
__global__ void clean_for_between(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x;
    m[t] = t;
    for (int i = 0; i < n; ++i) __syncthreads();
    if (n > 0) m[63 - t] += 1;
}
__global__ void clean_exit_in_the_middle(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x, x = 0;
    for (int i = 0;; ++i) {
        m[t] = i;
        __syncthreads();
        if (i >= n) break;
        x += m[63 - t];
        __syncthreads();
    }
    x += m[63 - t];
}
__global__ void racy_exit_in_the_middle(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x, x = 0;
    for (int i = 0;; ++i) {
        m[t] = i;
        __syncthreads();
        if (i >= n) break;
        x += m[63 - t];
    }
}
__global__ void clean_continue(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x, x = 0;
    for (int i = 0; i < 8; ++i) {
        if (i == n) continue;
        m[t] = i;
        __syncthreads();
        x += m[63 - t];
        __syncthreads();
    }
}
__global__ void racy_continue(int *) {
    __shared__ int m[64];
    int t = threadIdx.x, n = blockIdx.x, x = 0;
    for (int i = 0; i < 8; ++i) {
        m[t] = i;
        __syncthreads();
        x += m[63 - t];
        if (i == n) continue;
        __syncthreads();
    }
}

// ---- barriers under conditions ----

__global__ void racy_if(int *) {
    __shared__ int m[64];
    int t = threadIdx.x, n = blockIdx.x;
    m[t] = t;
    if (n > 2) __syncthreads();
    m[63 - t] += 1;
}
__global__ void clean_if(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x;
    m[t] = t;
    if (n > 4) __syncthreads();
    if (n > 5) m[63 - t] += 1;
}
__global__ void clean_either(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x;
    m[t] = t;
    if (n > 4) {
        __syncthreads();
    } else {
        m[t] += 1;
        __syncthreads();
    }
    m[63 - t] += 1;
}
__global__ void racy_either(int *) {
    __shared__ int m[64];
    int t = threadIdx.x, n = blockIdx.x;
    m[t] = t;
    if (n > 2) {
        __syncthreads();
    } else {
        __syncthreads();
        m[t] += 1;
    }
    m[63 - t] += 1;
}
// One or the other, by two conditions that leave nothing out.
__global__ void clean_two_conditions(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x;
    m[t] = t;
    if (n > 4) __syncthreads();
    if (n < 10) __syncthreads();
    m[63 - t] += 1;
}
__global__ void racy_two_conditions(int *) {
    __shared__ int m[64];
    int t = threadIdx.x, n = blockIdx.x;
    m[t] = t;
    if (n > 2) __syncthreads();
    if (n < 2) __syncthreads();
    m[63 - t] += 1;
}
__global__ void clean_switch(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x;
    m[t] = t;
    switch (n) {
    case 0: __syncthreads(); break;
    case 3: m[t] = 1;
    default: __syncthreads();
    }
    m[63 - t] += 1;
}
__global__ void racy_switch(int *) {
    __shared__ int m[64];
    int t = threadIdx.x, n = blockIdx.x;
    m[t] = t;
    switch (n) {
    case 0: __syncthreads(); break;
    case 3: break;
    default: __syncthreads();
    }
    m[63 - t] += 1;
}
__global__ void clean_early_return(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x;
    m[t] = t;
    if (n < 4) return;
    __syncthreads();
    m[63 - t] += 1;
}
__global__ void racy_early_return(int *) {
    __shared__ int m[64];
    int t = threadIdx.x, n = blockIdx.x;
    m[t] = t;
    if (n > 1) {
        __syncthreads();
        m[63 - t] += 1;
        if (n > 2) return;
        __syncthreads();
    }
    m[(t + 1) & 63] += 1;
}
__global__ void clean_by_block(int *) {
    __shared__ int m[64];
    int t = threadIdx.x;
    m[t] = t;
    if (blockIdx.x == 0) __syncthreads();
    if (blockIdx.x == 0) m[63 - t] += 1;
}
__global__ void racy_by_block(int *) {
    __shared__ int m[64];
    int t = threadIdx.x;
    m[t] = t;
    if (blockIdx.x == 0) __syncthreads();
    if (blockIdx.x != 1) m[63 - t] += 1;
}
// A barrier in some rounds only.
__global__ void clean_every_second(int *) {
    __shared__ int m[64];
    int t = threadIdx.x, x = 0;
    for (int i = 0; i < 8; ++i) {
        m[t] = i;
        if (i & 1) {
            __syncthreads();
            x += m[63 - t];
            __syncthreads();
        }
    }
}
__global__ void racy_every_second(int *) {
    __shared__ int m[64];
    int t = threadIdx.x, x = 0;
    for (int i = 0; i < 8; ++i) {
        m[t] = i;
        if (i & 1) {
            __syncthreads();
            x += m[63 - t];
        }
    }
}
__global__ void clean_but_the_last(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x, x = 0;
    for (int i = 0; i < n; ++i) {
        m[t] = i;
        __syncthreads();
        x += m[63 - t];
        if (i + 1 < n) __syncthreads();
    }
}
__global__ void racy_but_the_last(int *, int n) {
    __shared__ int m[64];
    int t = threadIdx.x, x = 0;
    for (int i = 0; i < n; ++i) {
        m[t] = i;
        __syncthreads();
        x += m[63 - t];
        if (i + 1 < n) __syncthreads();
    }
    m[t] = x;
}
// What the condition reads is the same for all.
__global__ void clean_by_memory(int *, const int *flag) {
    __shared__ int m[64];
    int t = threadIdx.x;
    m[t] = t;
    if (flag[blockIdx.x]) __syncthreads();
    if (flag[blockIdx.x]) m[63 - t] += 1;
}
__global__ void maybe_by_memory(int *, const int *flag) {
    __shared__ int m[64];
    int t = threadIdx.x;
    m[t] = t;
    if (flag[blockIdx.x]) __syncthreads();
    m[63 - t] += 1;
}
