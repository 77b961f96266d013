// A surface is written behind its edge, an array is filled beyond its end, and a texture is read after its memory is free.
#include <cstdio>

__global__ void shifted(cudaSurfaceObject_t s) {
    int x = threadIdx.x;
    surf2Dwrite(1.0f, s, (x + 1) * (int)sizeof(float), 0);
}
__global__ void read(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }

int main() {
    float values[64] = {}, *in, *out;
    cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &one, 32, 1, cudaArraySurfaceLoadStore);
    cudaError_t status = cudaMemcpy2DToArray(array, 0, 0, values, 256, 128, 2, cudaMemcpyHostToDevice);
    printf("%s\n", cudaGetErrorString(status));
    cudaResourceDesc of = {};
    of.resType = cudaResourceTypeArray;
    of.res.array.array = array;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &of);
    shifted<<<1, 32>>>(surface);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);

    cudaMalloc(&in, sizeof(values));
    cudaMalloc(&out, sizeof(values));
    cudaMemcpy(in, values, sizeof(values), cudaMemcpyHostToDevice);
    of = {};
    of.resType = cudaResourceTypeLinear;
    of.res.linear.devPtr = in;
    of.res.linear.desc = one;
    of.res.linear.sizeInBytes = sizeof(values);
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &of, &how, nullptr);
    cudaFree(in);
    read<<<1, 64>>>(t, out);
    cudaDestroyTextureObject(t);
    cudaFree(out);
}
