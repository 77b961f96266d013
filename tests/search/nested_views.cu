// lockstep: check
// Structs in structs and base classes; rows that overlap where the stride is short.
struct View {
    float *data;
    int stride;
};
struct Task {
    int rows;
};
struct Move : Task {
    View from, to;
};

__global__ void rows(Move m) {
    int x = threadIdx.x, y = blockIdx.x;
    if (y < m.rows) m.to.data[y * m.to.stride + x] = m.from.data[y * m.from.stride + x]; //~ data-race warning
}

__global__ void halves(Move m) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    m.to.data[x / 2] = m.from.data[x]; //~ data-race
}
