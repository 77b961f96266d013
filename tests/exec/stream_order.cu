// Every way in which work on streams is ordered with other work, and with the host.
#include <cstdio>
#include <cstring>
#include <unistd.h>

__global__ void scale(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}

__global__ void count(int *total) { atomicAdd(total, 1); }

__global__ void flag(volatile int *f) { *f = 1; }

const int N = 256, BYTES = N * sizeof(float), MANY = 3000;

static float seen;
static void CUDART_CB look(void *at) { seen += *(float *)at; }

int main() {
    float *a, *b, *host, *managed, *parts, *device_parts;
    int *total, *flags;
    cudaMalloc(&a, BYTES);
    cudaMalloc(&b, BYTES);
    cudaMalloc(&total, sizeof(int));
    cudaMalloc(&device_parts, 2 * MANY * sizeof(float));
    cudaMallocHost(&host, BYTES);
    cudaMallocHost(&parts, 2 * MANY * sizeof(float));
    cudaMallocHost(&flags, sizeof(int));
    cudaMallocManaged(&managed, BYTES);
    cudaStream_t s, t, apart;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    cudaEvent_t event;
    cudaEventCreate(&event);
    for (int i = 0; i < N; ++i) host[i] = 1;
    *flags = 0;

    // One stream does its work in order.
    cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, s);
    scale<<<4, 64, 0, s>>>(a, N);
    // Another one waits for an event, and a third for one of that.
    cudaEventRecord(event, s);
    cudaStreamWaitEvent(t, event, 0);
    scale<<<4, 64, 0, t>>>(a, N);
    cudaEventRecord(event, t);
    cudaStreamWaitEvent(apart, event, 0);
    cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, apart);
    cudaStreamSynchronize(apart);
    printf("%g", host[0]);

    // The default stream waits for usual streams, and they for it.
    scale<<<4, 64, 0, s>>>(a, N);
    scale<<<4, 64>>>(a, N);
    scale<<<4, 64, 0, t>>>(a, N);
    // A copy that is not asynchronous waits for what is before it, and the host for the copy.
    cudaMemcpy(host, a, BYTES, cudaMemcpyDeviceToHost);
    scale<<<4, 64, 0, apart>>>(a, N);
    cudaEventRecord(event, apart);
    cudaEventSynchronize(event);
    printf(" %g", host[0]);

    // Parts of one array, and readers of one array.
    scale<<<2, 64, 0, s>>>(a, 128);
    scale<<<2, 64, 0, t>>>(a + 128, 128);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(b, a, BYTES, cudaMemcpyDeviceToDevice, s);
    cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, t);
    cudaDeviceSynchronize();
    printf(" %g", host[200]);

    // Both update by atomics.
    cudaMemset(total, 0, sizeof(int));
    count<<<1, 32, 0, s>>>(total);
    count<<<1, 32, 0, t>>>(total);
    cudaStreamSynchronize(s);
    while (cudaStreamQuery(t) != cudaSuccess) {}
    int both = 0;
    cudaMemcpy(&both, total, sizeof(int), cudaMemcpyDeviceToHost);
    printf(" %d", both);

    // A function of the host, in the order of its stream, and memory that is not pinned.
    cudaMemcpyAsync(host, b, BYTES, cudaMemcpyDeviceToHost, s);
    cudaLaunchHostFunc(s, look, host);
    float plain[N];
    cudaMemcpyAsync(plain, b, BYTES, cudaMemcpyDeviceToHost, t);
    seen += plain[0];
    cudaMemcpyAsync(a, plain, BYTES, cudaMemcpyHostToDevice, t);
    plain[0] = 0;
    cudaDeviceSynchronize();
    printf(" %g", seen);

    // The host fills one half while the other is copied; the halves do not end with a page.
    int pipes[2];
    if (pipe(pipes) != 0) return 1;
    for (int half = 0; half < 4; ++half) {
        float *own = parts + half % 2 * MANY;
        if (half >= 2) cudaStreamSynchronize(half % 2 ? t : s);
        for (int i = 0; i < MANY; ++i) own[i] = half;
        if (write(pipes[1], own, 8) != 8 || read(pipes[0], own, 8) != 8) return 1;
        cudaMemcpyAsync(device_parts + half % 2 * MANY, own, MANY * sizeof(float), cudaMemcpyHostToDevice,
                        half % 2 ? t : s);
        // To read it meanwhile is no race.
        seen += own[MANY - 1];
    }
    // A flag that the host looks at while the kernel runs.
    flag<<<1, 1, 0, s>>>(flags);
    while (*(volatile int *)flags == 0) {}
    cudaDeviceSynchronize();
    for (int i = 0; i < N; ++i) managed[i] = 1;
    scale<<<4, 64>>>(managed, N);
    cudaDeviceSynchronize();
    printf(" %g %g\n", seen, managed[N - 1]);

    // What is freed is waited for.
    scale<<<4, 64, 0, apart>>>(a, N);
    cudaFree(a);
    cudaEventDestroy(event);
    for (cudaStream_t each : {s, t, apart}) cudaStreamDestroy(each);
    cudaFree(b);
    cudaFree(total);
    cudaFree(device_parts);
    cudaFree(managed);
    for (void *pinned : {(void *)host, (void *)parts, (void *)flags}) cudaFreeHost(pinned);
}
