// Textures over arrays, plain and pitched memory, with each way to address and to filter, and surfaces.
#include <cmath>
#include <cstdio>

__global__ void sample(cudaTextureObject_t t, float *out, float x0, float dx, float y, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = tex2D<float>(t, x0 + i * dx, y);
}
__global__ void fetch(cudaTextureObject_t t, float4 *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float4>(t, i - 1);
}
__global__ void colours(cudaTextureObject_t t, uchar4 *out, int width) {
    int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = tex2D<uchar4>(t, x, y);
}
__global__ void layers(cudaTextureObject_t t, float *out) {
    int x = threadIdx.x, y = threadIdx.y, layer = threadIdx.z;
    out[(layer * 4 + y) * 4 + x] = tex2DLayered<float>(t, x + 0.5f, y + 0.5f, layer);
}
__global__ void twice(cudaSurfaceObject_t s, int width) {
    int x = threadIdx.x, y = threadIdx.y;
    float v = surf2Dread<float>(s, x * sizeof(float), y);
    surf2Dwrite(2 * v, s, x * sizeof(float), y);
    // Beyond the edge nothing is written, and zero is read.
    surf2Dwrite(99.0f, s, (x + width) * sizeof(float), y, cudaBoundaryModeZero);
}

void told(const char *what, bool right) { printf("%s: %s\n", what, right ? "right" : "WRONG"); }

const int W = 8, H = 4;

cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureAddressMode address, cudaTextureFilterMode filter, bool normalised) {
    cudaResourceDesc of = {};
    of.resType = cudaResourceTypeArray;
    of.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = address;
    how.filterMode = filter;
    how.readMode = cudaReadModeElementType;
    how.normalizedCoords = normalised;
    how.borderColor[0] = -5;
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &of, &how, nullptr);
    return t;
}

int main() {
    float in[H][W], out[16], *device;
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) in[y][x] = y * 100 + x * x;
    cudaMalloc(&device, sizeof(out));
    cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &one, W, H, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array, 0, 0, in, sizeof(in[0]), sizeof(in[0]), H, cudaMemcpyHostToDevice);

    struct Case {
        const char *name;
        cudaTextureAddressMode address;
        float at[4];
    } cases[] = {{"clamp", cudaAddressModeClamp, {0, 0, 49, 49}}, {"border", cudaAddressModeBorder, {-5, 0, 49, -5}},
                 {"wrap", cudaAddressModeWrap, {49, 0, 49, 0}}, {"mirror", cudaAddressModeMirror, {0, 0, 49, 49}}};
    for (const Case &c : cases) {
        bool normalised = c.address == cudaAddressModeWrap || c.address == cudaAddressModeMirror;
        cudaTextureObject_t t = texture_of(array, c.address, cudaFilterModePoint, normalised);
        float unit = normalised ? 1.0f / W : 1.0f;
        sample<<<1, 16>>>(t, device, -0.5f * unit, unit, 0.0f, 10);
        cudaMemcpy(out, device, sizeof(out), cudaMemcpyDeviceToHost);
        told(c.name, out[0] == c.at[0] && out[1] == c.at[1] && out[8] == c.at[2] && out[9] == c.at[3]);
        cudaDestroyTextureObject(t);
    }
    cudaTextureObject_t linear = texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, false);
    sample<<<1, 16>>>(linear, device, 0.5f, 0.5f, 2.0f, 15);
    cudaMemcpy(out, device, sizeof(out), cudaMemcpyDeviceToHost);
    bool right = true;
    for (int i = 0; i < 15; ++i) {
        int x = i / 2;
        float along = i % 2 ? (x * x + (x + 1) * (x + 1)) / 2.0f : x * x;
        right &= std::fabs(out[i] - (150 + along)) < 1e-3f;
    }
    told("linear", right);
    cudaDestroyTextureObject(linear);

    cudaResourceDesc of = {};
    of.resType = cudaResourceTypeArray;
    of.res.array.array = array;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &of);
    twice<<<1, dim3(W, H)>>>(surface, W);
    float back[H][W];
    cudaMemcpy2DFromArray(back, sizeof(back[0]), array, 0, 0, sizeof(back[0]), H, cudaMemcpyDeviceToHost);
    right = true;
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) right &= back[y][x] == 2 * in[y][x];
    told("surface", right);
    cudaDestroySurfaceObject(surface);

    float4 points[4], *plain, fetched[6], *to;
    for (int i = 0; i < 4; ++i) points[i] = make_float4(i, 10 * i, 100 * i, 1);
    cudaMalloc(&plain, sizeof(points));
    cudaMalloc(&to, sizeof(fetched));
    cudaMemcpy(plain, points, sizeof(points), cudaMemcpyHostToDevice);
    of = {};
    of.resType = cudaResourceTypeLinear;
    of.res.linear.devPtr = plain;
    of.res.linear.desc = cudaCreateChannelDesc<float4>();
    of.res.linear.sizeInBytes = sizeof(points);
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    cudaCreateTextureObject(&t, &of, &how, nullptr);
    fetch<<<1, 32>>>(t, to, 6);
    cudaMemcpy(fetched, to, sizeof(fetched), cudaMemcpyDeviceToHost);
    told("fetch", fetched[0].w == 0 && fetched[3].z == 200 && fetched[4].y == 30 && fetched[5].w == 0);
    cudaDestroyTextureObject(t);

    uchar4 picture[3][5], *pitched, *seen, copy[3][5];
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 5; ++x) picture[y][x] = make_uchar4(x, y, x + y, 255);
    size_t pitch;
    cudaMallocPitch(&pitched, &pitch, sizeof(picture[0]), 3);
    cudaMemcpy2D(pitched, pitch, picture, sizeof(picture[0]), sizeof(picture[0]), 3, cudaMemcpyHostToDevice);
    cudaMalloc(&seen, sizeof(picture));
    of = {};
    of.resType = cudaResourceTypePitch2D;
    of.res.pitch2D.devPtr = pitched;
    of.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    of.res.pitch2D.width = 5;
    of.res.pitch2D.height = 3;
    of.res.pitch2D.pitchInBytes = pitch;
    cudaCreateTextureObject(&t, &of, &how, nullptr);
    colours<<<1, dim3(5, 3)>>>(t, seen, 5);
    cudaMemcpy(copy, seen, sizeof(copy), cudaMemcpyDeviceToHost);
    told("pitched", copy[2][4].x == 4 && copy[2][4].y == 2 && copy[2][4].z == 6 && copy[0][0].w == 255);
    cudaDestroyTextureObject(t);

    float stack[3][4][4], levels[3][4][4], *all;
    for (int i = 0; i < 48; ++i) (&stack[0][0][0])[i] = i;
    cudaArray_t layered;
    cudaMalloc3DArray(&layered, &one, make_cudaExtent(4, 4, 3), cudaArrayLayered);
    cudaMemcpy3DParms whole = {};
    whole.srcPtr = make_cudaPitchedPtr(stack, sizeof(stack[0][0]), 4, 4);
    whole.dstArray = layered;
    whole.extent = make_cudaExtent(4, 4, 3);
    whole.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&whole);
    t = texture_of(layered, cudaAddressModeClamp, cudaFilterModeLinear, false);
    cudaMalloc(&all, sizeof(levels));
    layers<<<1, dim3(4, 4, 3)>>>(t, all);
    cudaMemcpy(levels, all, sizeof(levels), cudaMemcpyDeviceToHost);
    right = true;
    for (int i = 0; i < 48; ++i) right &= (&levels[0][0][0])[i] == i;
    told("layers", right);
    cudaDestroyTextureObject(t);

    cudaFreeArray(array);
    cudaFreeArray(layered);
    cudaFree(device);
    cudaFree(plain);
    cudaFree(to);
    cudaFree(pitched);
    cudaFree(seen);
    cudaFree(all);
}
