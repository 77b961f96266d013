// --block 64 --grid 4
// Kernels with the defects of those that the paper analyses, written anew: each racy and mended.

// Figure 3: a barrier parts the neighbours' reads from what is written back to a place that is read from memory.
__global__ void maybe_figure_3(float4 *vel, const float4 *pos, const unsigned *place) {
    __shared__ float4 tile[64];
    unsigned index = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = pos[index];
    __syncthreads();
    float force = tile[63 - threadIdx.x].x;
    __syncthreads();
    vel[place[index]] = make_float4(force, 0, 0, 0);
}
__global__ void clean_figure_3(float4 *vel, const float4 *pos, const unsigned *) {
    __shared__ float4 tile[64];
    unsigned index = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = pos[index];
    __syncthreads();
    float force = tile[63 - threadIdx.x].x;
    __syncthreads();
    vel[index] = make_float4(force, 0, 0, 0);
}

// Positions of buckets: the running sum of one stretch is read while the next is already written.
template <bool FIXED> __device__ void positions(const unsigned *count, unsigned *start, int n) {
    __shared__ unsigned sum[64];
    unsigned before = 0;
    for (int base = 0; base < n; base += 64) {
        int i = base + threadIdx.x;
        sum[threadIdx.x] = i < n ? count[i] : 0;
        __syncthreads();
        for (int step = 1; step < 64; step *= 2) {
            unsigned add = threadIdx.x >= step ? sum[threadIdx.x - step] : 0;
            __syncthreads();
            sum[threadIdx.x] += add;
            __syncthreads();
        }
        if (i < n && blockIdx.x == 0) start[i] = before + sum[threadIdx.x];
        before += sum[63];
        if (FIXED) __syncthreads();
    }
}
__global__ void alarm_bucket_positions(const unsigned *count, unsigned *start, int n) { positions<false>(count, start, n); }
__global__ void clean_bucket_positions(const unsigned *count, unsigned *start, int n) { positions<true>(count, start, n); }

// The range of keys: smallest and largest through one buffer.
template <bool FIXED> __device__ void range(const float *keys, float *out, int n) {
    __shared__ float buffer[64];
    float low = 1e30f, high = -1e30f;
    for (int i = threadIdx.x; i < n; i += 64) {
        low = fminf(low, keys[i]);
        high = fmaxf(high, keys[i]);
    }
    buffer[threadIdx.x] = low;
    __syncthreads();
    for (unsigned s = 32; s > 0; s /= 2) {
        if (threadIdx.x < s) buffer[threadIdx.x] = fminf(buffer[threadIdx.x], buffer[threadIdx.x + s]);
        __syncthreads();
    }
    low = buffer[0];
    if (FIXED) __syncthreads();
    buffer[threadIdx.x] = high;
    __syncthreads();
    for (unsigned s = 32; s > 0; s /= 2) {
        if (threadIdx.x < s) buffer[threadIdx.x] = fmaxf(buffer[threadIdx.x], buffer[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = low, out[1] = buffer[0];
}
__global__ void alarm_compute_range(const float *keys, float *out, int n) { range<false>(keys, out, n); }
__global__ void clean_compute_range(const float *keys, float *out, int n) { range<true>(keys, out, n); }

// A sum over warps, of a type that is a parameter.
template <class T, bool FIXED> __device__ T reduced(T value, T *buffer) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
    if (FIXED) __syncthreads();
    if ((threadIdx.x & 31) == 0) buffer[threadIdx.x / 32] = value;
    __syncthreads();
    return buffer[0] + buffer[1];
}
__global__ void racy_reduce_value(const float *in, float *out) {
    __shared__ float buffer[2];
    float sum = reduced<float, false>(in[threadIdx.x], buffer);
    float square = reduced<float, false>(in[threadIdx.x] * in[threadIdx.x], buffer);
    if (threadIdx.x == 0) out[blockIdx.x] = square - sum * sum;
}
__global__ void clean_reduce_value(const float *in, float *out) {
    __shared__ float buffer[2];
    float sum = reduced<float, true>(in[threadIdx.x], buffer);
    float square = reduced<float, true>(in[threadIdx.x] * in[threadIdx.x], buffer);
    if (threadIdx.x == 0) out[blockIdx.x] = square - sum * sum;
}

// A bucket whose bounds are read from memory, sorted in place.
__global__ void maybe_sort_bucket(float *data, const unsigned *start, const unsigned *length) {
    unsigned first = start[blockIdx.x], n = length[blockIdx.x];
    for (unsigned k = 2; k <= n; k *= 2)
        for (unsigned j = k / 2; j > 0; j /= 2) {
            for (unsigned i = threadIdx.x; i < n; i += 64) {
                unsigned other = i ^ j;
                if (other > i && other < n && data[first + i] > data[first + other]) {
                    float t = data[first + i];
                    data[first + i] = data[first + other];
                    data[first + other] = t;
                }
            }
        }
}

// Gradients of the input: rows of warps added up through one buffer, each round in half as many rows.
template <class T, class U, bool FIXED> __device__ void gradients(const T *in, T *out, U *buffer, unsigned rows) {
    U own = (U)in[blockIdx.x * 64 + threadIdx.x];
    unsigned row = threadIdx.x / 16, column = threadIdx.x % 16;
    for (unsigned half = 2; half > 0; half /= 2) {
        if (row >= half && row < 2 * half) buffer[(row - half) * 16 + column] = own;
        __syncthreads();
        if (row < half) own += buffer[row * 16 + column];
        if (FIXED) __syncthreads();
    }
    if (row == 0) out[blockIdx.x * 16 + column] = (T)own;
}
__global__ void racy_gradient_of_input(const float *in, float *out) {
    __shared__ double buffer[32];
    gradients<float, double, false>(in, out, buffer, 4);
}
__global__ void clean_gradient_of_input(const float *in, float *out) {
    __shared__ double buffer[32];
    gradients<float, double, true>(in, out, buffer, 4);
}

// Mean and spread of each row a block takes: the buffer is written for the next row while it is still read.
template <class T> struct Row {
    T *buffer;
    __device__ void mean(const T *in, int n, T &m) {
        T sum = 0;
        for (int i = threadIdx.x; i < n; i += 64) sum += in[i];
        buffer[threadIdx.x] = sum;
        __syncthreads();
        for (int s = 32; s > 0; s >>= 1) {
            if (threadIdx.x < s) buffer[threadIdx.x] += buffer[threadIdx.x + s];
            __syncthreads();
        }
        m = buffer[0] / n;
    }
};
template <class T, bool FIXED> __device__ void normalise(const T *in, T *out, int rows, int n) {
    __shared__ T buffer[64];
    Row<T> row{buffer};
    for (int r = blockIdx.x; r < rows; r += 4) {
        T m;
        row.mean(in + r * n, n, m);
        if (threadIdx.x == 0) out[r] = m;
        if (FIXED) __syncthreads();
    }
}
__global__ void alarm_layer_norm(const float *in, float *out, int rows, int n) { normalise<float, false>(in, out, rows, n); }
__global__ void clean_layer_norm(const float *in, float *out, int rows, int n) { normalise<float, true>(in, out, rows, n); }
