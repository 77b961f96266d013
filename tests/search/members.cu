// lockstep: search --only data-race
// A member of the structs in an array is what an array of its own would be: an index, a mode, the beginning of a part.
struct Item { float weight; int slot; int kind; };

// Each slot once is what the caller means.
__global__ void scatter(const Item *items, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[items[i].slot] = items[i].weight; //~ data-race warning
}

// Slots that several items have make sense here, but the sum lacks an atomic.
__global__ void sum_of_slots(const Item *items, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[items[i].slot] += items[i].weight; //~ data-race
}

__global__ void sum_of_slots_fixed(const Item *items, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[items[i].slot], items[i].weight);
}

// Only items of one kind get in the way of their neighbours.
__global__ void split(const Item *items, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 >= n) return;
    out[i] = items[i].weight; //~ data-race
    if (items[i].kind == 7) out[i + 1] = -items[i].weight; //~ data-race
}

__global__ void split_fixed(const Item *items, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[2 * i] = items[i].weight;
    if (items[i].kind == 7) out[2 * i + 1] = -items[i].weight;
}

// Parts that the caller lays out next to each other.
struct Span { int begin, count; };

__global__ void fill(const Span *spans, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < spans[i].count; k++) out[spans[i].begin + k] = i; //~ data-race warning
}

// Wherever the parts begin, all are written to the first elements.
__global__ void fill_all(const Span *spans, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < spans[i].count; k++) out[k] = i; //~ data-race
}

// Blocks add to parts whose beginnings the caller knows.
__global__ void add_to_parts(const int *first, const float *in, float *out) {
    for (int k = 0; k < 4; k++)
        out[first[blockIdx.x] + threadIdx.x] += in[k * blockDim.x + threadIdx.x]; //~ data-race warning
}

// All threads of a block to one element.
__global__ void add_to_one(const int *first, const float *in, float *out) {
    for (int k = 0; k < 4; k++)
        out[first[blockIdx.x]] += in[k * blockDim.x + threadIdx.x]; //~ data-race
}

// A list in each struct: elements of an array in it are distinct as well.
struct Cluster { int size; int at[4]; };

__global__ void mark(const Cluster *clusters, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < min(clusters[i].size, 4); k++) out[clusters[i].at[k]] = i; //~ data-race warning
}

// What is only copied differs from struct to struct: writes of two of them are no writes of equal values.
struct Particle { float x, y, z, mass; };

__global__ void last_wins(const Particle *from, Particle *to) {
    to[0] = from[blockIdx.x * blockDim.x + threadIdx.x]; //~ data-race
}

__global__ void copy(const Particle *from, Particle *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

// What is added follows from another element of the same array, which no atomic would make right: the caller has sorted the
// edges so that those of one launch share no node.
struct Edge { int u, v; float weight; };

__global__ void relax(const Edge *edges, float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float d = (x[edges[i].v] - x[edges[i].u]) * edges[i].weight; //~ data-race warning
    x[edges[i].u] += d; //~ data-race warning
}

// What is added has nothing to do with the array.
__global__ void flow(const Edge *edges, float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    x[edges[i].u] += edges[i].weight; //~ data-race
}
