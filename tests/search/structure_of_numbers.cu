// lockstep: check
// exit: 1
// Numbers in a structure are constants of a launch like any others, whether it travels in pieces or in memory.

struct Few { int to, from; float weight; };
struct Many { int to, from; float weight; int *unused; int last; };

__global__ void few_apart(int *a, Few p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i + p.to] = a[i + p.from];
}

__global__ void many_apart(int *a, Many p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i + p.to] = a[i + p.from];
}

__global__ void few_near(int *a, Few p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i + p.to] = a[i + p.from]; //~ data-race
}

__global__ void many_near(int *a, Many p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i + p.to] = a[i + p.from]; //~ data-race
}

void host() {
    int *d;
    cudaMalloc(&d, 1 << 18);
    Few few = {3, 300, 1.0f};
    few_apart<<<1, 64>>>(d, few);
    Many many = {3, 300, 1.0f, 0, 5};
    many_apart<<<1, 64>>>(d, many);
    few.from = 10;
    few_near<<<1, 64>>>(d, few);
    many.from = 10;
    many_near<<<1, 64>>>(d, many);
}
