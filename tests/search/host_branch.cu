// lockstep: check --only uninitialised-read
// exit: 1
// Which of some numbers the host passes, it decides by another that it passes, too: what shows for each of them is a bug, what
// shows for one of them may be none.

// All of the array is written for both.
__global__ void right(const float *in, float *out, int n, int width) {
    __shared__ float s[64];
    int t = threadIdx.x;
    for (int i = t * width; i < (t + 1) * width && i < 64; i++) s[i] = in[i];
    __syncthreads();
    if (t < n) out[t] = s[63 - t];
}

// The last element is written for none.
__global__ void wrong(const float *in, float *out, int n, int width) {
    __shared__ float s[64];
    int t = threadIdx.x;
    for (int i = t * width; i < (t + 1) * width && i < 63; i++) s[i] = in[i];
    __syncthreads();
    if (t < n) out[t] = s[63 - t]; //~ uninitialised-read
}

// Where there are many, no element is asked for that was not written.
__global__ void many(const float *in, float *out, int n, int is_large) {
    __shared__ float s[64];
    int t = threadIdx.x;
    if (is_large || t < n) s[t] = in[t];
    __syncthreads();
    if (!is_large) out[t] = s[t < n ? t : 0];
    else if (t < n) out[t] = s[63 - t];
}

// Where there are few, the rest was not written, and is not read.
__global__ void few(const float *in, float *out, int n, int is_large) {
    __shared__ float s[64];
    int t = threadIdx.x;
    if (is_large || t < 8) s[t] = in[t];
    __syncthreads();
    if (t < n) out[t] = s[t]; //~ uninitialised-read
}

void run(const float *in, float *out, int n) {
    int width = n > 16 ? 2 : 4;
    right<<<1, 64>>>(in, out, n, width);
    wrong<<<1, 64>>>(in, out, n, width);
    int is_large = n > 8;
    many<<<1, 64>>>(in, out, n, is_large);
    few<<<1, 64>>>(in, out, n, is_large);
}
