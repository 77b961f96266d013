// The host tells somebody else of an argument, or of the array of their addresses: what it has put there first is no fact.
struct Told {
    int *count;
};
void set(Told *told);
void change(void **arguments);

__global__ void of_a_variable(int *out, int n) {
    out[(blockIdx.x * blockDim.x + threadIdx.x) * n] = threadIdx.x; //~ data-race warning
}

__global__ void of_the_array(int *out, int n) {
    out[(blockIdx.x * blockDim.x + threadIdx.x) * n] = threadIdx.x; //~ data-race warning
}

__global__ void of_nobody(int *out, int n) {
    out[(blockIdx.x * blockDim.x + threadIdx.x) * n] = threadIdx.x;
}

void host(int *d) {
    int n = 1;
    Told told = {&n};
    set(&told);
    void *arguments[] = {&d, &n};
    cudaLaunchKernel((void *)of_a_variable, dim3(4), dim3(64), arguments, 0, 0);
}

void host_of_the_array(int *d) {
    int n = 1;
    void *arguments[] = {&d, &n};
    change(arguments);
    cudaLaunchKernel((void *)of_the_array, dim3(4), dim3(64), arguments, 0, 0);
}

void host_of_nobody(int *d) {
    int n = 1;
    void *arguments[2];
    void **next = arguments;
    *next++ = &d;
    *next++ = &n;
    cudaLaunchKernel((void *)of_nobody, dim3(4), dim3(64), arguments, 0, 0);
}
