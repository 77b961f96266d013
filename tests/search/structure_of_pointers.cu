// Pointers in a structure that is passed by value: the host shows how they lie to each other.
struct Pair {
    int *to;
    const int *from;
};
struct Job {
    int *to;
    const int *from;
    int n, more;
};

__global__ void pair(Pair p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p.to[i] = p.from[i]; //~ data-race
}

__global__ void job(Job j) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < j.n) j.to[i] = j.from[i]; //~ data-race
}

__global__ void apart(Pair p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p.to[i] = p.from[i];
}

int main() {
    int *d;
    cudaMalloc((void **)&d, 4096);
    Pair next = {d, d + 1};
    pair<<<2, 64>>>(next);
    Job all = {d, d + 1, 128, 0};
    job<<<2, 64>>>(all);
    Pair halves = {d, d + 512};
    apart<<<2, 64>>>(halves);
}
