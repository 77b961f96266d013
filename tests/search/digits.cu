// lockstep: search --only data-race
// Elements go where the part of their digit begins, in the order of the threads. Which places the blocks before have
// taken is forgotten: whatever the keys and the parts are, two blocks meet.
__global__ void by_digit(const unsigned *keys, const unsigned *begin, unsigned *out) {
    __shared__ unsigned digits[64];
    int t = threadIdx.x;
    unsigned key = keys[blockIdx.x * 64 + t], rank = 0;
    digits[t] = key & 15;
    __syncthreads();
    for (int k = 0; k < t; k++) rank += digits[k] == digits[t];
    out[begin[key & 15] + rank] = key; //~ data-race
}

// The caller has counted how many elements with each digit the blocks before have.
__global__ void by_digit_of_blocks(const unsigned *keys, const unsigned *begin, unsigned *out) {
    __shared__ unsigned digits[64];
    int t = threadIdx.x;
    unsigned key = keys[blockIdx.x * 64 + t], rank = 0;
    digits[t] = key & 15;
    __syncthreads();
    for (int k = 0; k < t; k++) rank += digits[k] == digits[t];
    out[begin[blockIdx.x * 16 + (key & 15)] + rank] = key; //~ data-race warning
}

// Ranks that the caller has counted.
__global__ void by_digit_and_rank(const unsigned *keys, const unsigned *begin, const unsigned *rank, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[begin[keys[i] & 15] + rank[i]] = keys[i]; //~ data-race warning
}

// The whole key says which part, and each key is there once.
__global__ void by_key(const unsigned *keys, const unsigned *begin, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < 4; k++) out[begin[keys[i]] + k] = i; //~ data-race warning
}

// A part of its own for each thread, longer than the distance of those that are tried first.
__global__ void long_parts(const unsigned *begin, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < 3 * n; k++) out[begin[i] + k] = i; //~ data-race warning
}

// Longer than all that are tried but one.
__global__ void very_long_parts(const unsigned *begin, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < 40 * n; k++) out[begin[i] + k] = i; //~ data-race warning
}

__global__ void parts_of_five_thousand(const unsigned *begin, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < 5000; k++) out[begin[i] + k] = i; //~ data-race warning
}

// A key is looked for in a table, and the loop ends where it was found: it is no bound of anything that ascends.
struct Entry { unsigned key, value; };

__global__ void insert(Entry *table, const unsigned *keys, const unsigned *values, unsigned *found, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned at = keys[i] * 7 % 1024;
    for (;;) {
        unsigned before = atomicCAS(&table[at].key, 0xffffffffu, keys[i]);
        if (before == 0xffffffffu) table[at].value = values[i]; //~ data-race
        if (before == keys[i]) found[i] = table[at].value; //~ data-race
        if (before == 0xffffffffu || before == keys[i]) return;
        at = (at + 1) % 1024;
    }
}

// The last value of a key wins: with each key once, there is only one.
__global__ void insert_or_replace(Entry *table, const Entry *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = in[i].key, at = key * 7 % 1024;
    for (;;) {
        unsigned before = atomicCAS(&table[at].key, 0xffffffffu, key);
        if (before == 0xffffffffu || before == key) {
            table[at].value = in[i].value; //~ data-race warning
            return;
        }
        at = (at + 1) % 1024;
    }
}
