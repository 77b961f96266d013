// The host allocates these arrays, too, but how large they are does not follow from what the launch fixes, or the launches
// that the host makes are not known well enough: nothing is said of what is beyond.
#include <stdlib.h>

#define NEXT(name)                                                                                                     \
    __global__ void name(float *all, int n) {                                                                          \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                 \
        if (i < n) all[i + 1] = 1.0f;                                                                                  \
    }
#define OF(n) (n + 255) / 256, 256

int padded(int n);
bool is_good(int n);
void change(float **array);
void note(float *array);

NEXT(with_an_offset)
void offset(int n) {
    float *a;
    cudaMalloc(&a, 2 * n * sizeof(float));
    with_an_offset<<<OF(n)>>>(a + n, n);
}

NEXT(allocated_again)
void again(int n, int more) {
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    if (more) {
        cudaFree(a);
        cudaMalloc(&a, 2 * n * sizeof(float));
    }
    allocated_again<<<OF(n)>>>(a, n);
}

// The second round gets what the first one allocated for the next.
NEXT(allocated_in_a_loop)
void in_a_loop(int n, int rounds) {
    float *a;
    cudaMalloc(&a, 2 * n * sizeof(float));
    for (int i = 0; i < rounds; i++) {
        allocated_in_a_loop<<<OF(n)>>>(a, n);
        cudaFree(a);
        cudaMalloc(&a, 3 * n * sizeof(float));
    }
}

NEXT(swapped)
void swap(int n, int rounds) {
    float *a, *b;
    cudaMalloc(&a, 2 * n * sizeof(float));
    cudaMalloc(&b, 3 * n * sizeof(float));
    for (int i = 0; i < rounds; i++) {
        swapped<<<OF(n)>>>(a, n);
        float *t = a;
        a = b;
        b = t;
    }
}

NEXT(changed_elsewhere)
void elsewhere(int n) {
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    change(&a);
    changed_elsewhere<<<OF(n)>>>(a, n);
}

struct Arrays {
    float *first, *second;
};
NEXT(in_a_structure)
void structure(int n, Arrays *arrays) {
    cudaMalloc(&arrays->first, n * sizeof(float));
    note(arrays->second);
    in_a_structure<<<OF(n)>>>(arrays->first, n);
}

NEXT(of_another_size)
void another(int n, int size) {
    float *a;
    cudaMalloc(&a, size * sizeof(float));
    of_another_size<<<OF(n)>>>(a, n);
}

// Perhaps all of these are one less than what was allocated for.
NEXT(of_a_padded_size)
void padded_size(int rows) {
    int n = padded(rows);
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    of_a_padded_size<<<OF(n)>>>(a, n);
}

static void inner(int n);
NEXT(of_a_callers_size)
static void inner(int n) {
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    of_a_callers_size<<<OF(n)>>>(a, n);
}
void caller(int n) {
    inner(padded(n));
}

NEXT(asked_elsewhere)
void asked(int n) {
    if (!is_good(n)) return;
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    asked_elsewhere<<<OF(n)>>>(a, n);
}

NEXT(asked_in_two_ways)
void two_ways(int n) {
    if (n % 64 != 0 && n != 32) return;
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    asked_in_two_ways<<<OF(n)>>>(a, n);
}

// Two launches, which have less in common than each of them asks for.
NEXT(launched_twice)
void twice(int n) {
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, 2 * n * sizeof(float));
    launched_twice<<<OF(n)>>>(b, n);
    if (n > 100) launched_twice<<<(n + 255) / 256, 128>>>(a, n / 2);
}

// Where it goes, what the array holds says.
__global__ void led(float *all, const int *where, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && where[i] > 0) atomicAdd(&all[i + 1], 1.0f);
}
void by_elements(int n) {
    float *a;
    int *where;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&where, n * sizeof(int));
    led<<<OF(n)>>>(a, where, n);
}

// Or a number that is no integer.
__global__ void scaled(float *all, int n, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i * by > -1.0f) all[i + 1] = 1.0f;
}
void by_a_number(int n, float by) {
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    scaled<<<OF(n)>>>(a, n, by);
}
