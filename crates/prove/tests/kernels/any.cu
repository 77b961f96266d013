// --block any --grid any
// Kernels for some launches only: the condition is found and named.

__global__ void clean_one_dimension(float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += b[i];
}
__global__ void clean_any_reduction(float *in, float *out) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void racy_whatever_the_launch(int *a) { a[threadIdx.x / 2] = threadIdx.x; }
__global__ void clean_atomics_only(int *a) { atomicAdd(a + threadIdx.y, 1); }

// An offset is no stride: no value of it is more ordinary than another.
__global__ void racy_offset(int *a, int offset) {
    if (blockIdx.x + blockIdx.y + blockIdx.z == 0 && threadIdx.y + threadIdx.z == 0)
        a[threadIdx.x] = a[threadIdx.x + offset];
}

// Rows and columns: no index overflows where the area is an int.
__global__ void clean_rows(float *out, const float *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = in[y * w + x];
}
__global__ void racy_row_too_long(float *out, const float *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= w && y < h) out[y * w + x] = in[y * w + x];
}
__global__ void racy_rows_halved(float *out, const float *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x / 2] = in[y * w + x];
}
__global__ void racy_in_its_own_row(float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h && x > 0) out[y * w + x] = out[y * w + x - 1];
}

// No width is given: a row is at least as long as there are threads along it.
__global__ void clean_rows_of_some_length(float *out, const float *in, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * pitch + x] = in[y * pitch + x];
}
__global__ void racy_rows_of_some_length(float *out, const float *in, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * pitch + x] = in[y * pitch + x] + out[y * pitch + x + 1];
}
__global__ void racy_columns_of_one_block(float *out, const float *in, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.y, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * pitch + x] = in[y * pitch + threadIdx.x];
}
// Blocks of 32 by 8 fill tiles of 32 rows.
__global__ void clean_tiles_transposed(float *out, const float *in, int w, int h) {
    __shared__ float t[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * h + x] = t[threadIdx.x][threadIdx.y + j];
}
__global__ void racy_tiles_in_place(float *a, int w) {
    __shared__ float t[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = a[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) a[(y + j) * w + x] = t[threadIdx.x][threadIdx.y + j];
}
__global__ void racy_tiles_without_a_barrier(float *out, const float *in, int w, int h) {
    __shared__ float t[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * h + x] = t[threadIdx.x][threadIdx.y + j];
}

// Arrays of many dimensions, rows of blocks by pointer, loops up to a product of sizes.
__global__ void clean_four_dimensions(float *out, const float *in, int S, int H, int D) {
    int d = threadIdx.x, s = blockIdx.x, h = blockIdx.y, b = blockIdx.z;
    if (d < D) out[((b * H + h) * S + s) * D + d] = in[((b * S + s) * H + h) * D + d];
}
__global__ void racy_four_dimensions(float *out, const float *in, int S, int H, int D) {
    int d = threadIdx.x, s = blockIdx.x, h = blockIdx.y, b = blockIdx.z;
    if (d < D) out[((b * H + h) * S + s) * D + d / 2] = in[((b * S + s) * H + h) * D + d];
}
__global__ void racy_dimension_forgotten(float *out, const float *in, int S, int H, int D) {
    int d = threadIdx.x, s = blockIdx.x, h = blockIdx.y, b = blockIdx.z;
    if (d < D) out[(h * S + s) * D + d] = in[((b * S + s) * H + h) * D + d];
}
__global__ void clean_row_by_pointer(float *out, const float *in, int columns) {
    float *row = out + blockIdx.x * columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) row[i] = in[i];
}
__global__ void alarm_row_by_pointer(float *out, const float *in, int columns) {
    float *row = out + blockIdx.x * columns;
    for (int i = threadIdx.x; i <= columns; i += blockDim.x) row[i] = in[i];
}
__global__ void clean_row_by_pointer_and_by_index(float *out, int columns) {
    int y = blockIdx.x;
    const float *row = out + y * columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[y * columns + i] = 2 * row[i];
}
__global__ void alarm_row_by_pointer_and_by_index(float *out, int columns) {
    int y = blockIdx.x;
    const float *row = out + y * columns;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[y * columns + i] = 2 * row[i + 1];
}
__global__ void clean_optional_array(float *out, const float *mask, int pitch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    mask += (long)blockIdx.x * pitch * (mask != nullptr);
    out[i] = mask ? mask[threadIdx.x] : 0;
}
__global__ void racy_optional_array(float *out, float *mask, int pitch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    mask += (long)blockIdx.x * pitch * (mask != nullptr);
    out[i] = mask ? mask[threadIdx.x + 1] : 0;
    if (mask) mask[threadIdx.x] = 0;
}
__global__ void clean_loop_up_to_a_product(float *out, const float *bias, int rows, int columns) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns; i += blockDim.x * gridDim.x)
        out[i] += bias[i % columns];
}
__global__ void alarm_loop_up_to_a_product(float *out, const float *bias, int rows, int columns) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns; i += blockDim.x * gridDim.x)
        out[i / 2] = bias[i % columns];
}

__global__ void clean_histogram(unsigned *bins, const unsigned char *in, int n) {
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&s[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}
__global__ void maybe_histogram_without_barrier(unsigned *bins, const unsigned char *in, int n) {
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&s[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}

// What is read from memory decides who writes, and nothing else: the usual sizes are enough.
__global__ void clean_as_memory_says(const int *op, float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    switch (op[i]) {
    case 0: a[i] = 1; break;
    case 1: a[i] += 2;
    case 2: a[i] *= 3; break;
    default: a[i] = -a[i];
    }
}
__global__ void maybe_as_memory_says(const int *op, float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    switch (op[i]) {
    case 0: a[i] = 1; break;
    default: a[i / 2] = -a[i];
    }
}

// Places in the grid, used in other ways than as they are.
__global__ void clean_other_bits(int *a, int c) { a[(blockIdx.x * blockDim.x + threadIdx.x) ^ c] = c; }
__global__ void racy_bits_cut(int *a, int c) {
    if (blockIdx.x + blockIdx.y + blockIdx.z == 0 && threadIdx.y + threadIdx.z == 0)
        a[(threadIdx.x ^ c) & 15] = threadIdx.x;
}
__global__ void clean_word_of_each_warp(const int *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((i & 31) == 0 && i < n) out[i / 32] = in[i];
}
__global__ void racy_word_of_each_half_warp(unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.y + blockIdx.z + threadIdx.y + threadIdx.z == 0 && (i & 15) == 0 && i < n) out[i / 32] = i;
}
__global__ void clean_reversed(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) { int t = a[i]; a[i] = a[n - 1 - i]; a[n - 1 - i] = t; }
}
__global__ void racy_reversed_by_all(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.y + blockIdx.z + threadIdx.y + threadIdx.z == 0 && i < n) a[n - 1 - i] = a[i];
}
__global__ void clean_exchanged(float *a, int j) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i ^ j;
    if (x > i && a[i] > a[x]) { float t = a[i]; a[i] = a[x]; a[x] = t; }
}
// Blocks that fetch what they write are several: that there is only one is no condition that an engineer would write.
__global__ void clean_work(int *next, float *out, int n) {
    __shared__ int first;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) first = atomicAdd(next, blockDim.x);
        __syncthreads();
        if (first >= n) break;
        if (first + threadIdx.x < n) out[first + threadIdx.x] = first;
    }
}
__global__ void maybe_work_too_little(int *next, float *out, int n) {
    __shared__ int first;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) first = atomicAdd(next, 32);
        __syncthreads();
        if (first >= n) break;
        if (first + threadIdx.x < n) out[first + threadIdx.x] = first;
    }
}
__global__ void maybe_number_too_close(int *next, float *out) {
    __shared__ int block;
    if (threadIdx.x == 0) block = atomicAdd(next, 1);
    __syncthreads();
    out[block * 64 + threadIdx.x] = block;
}
