// --block 16,16 --grid 8,8
// Textures and surfaces: a fetch conflicts with nothing, a surface is memory. Names as in basics.cu.

texture<float, 2, cudaReadModeElementType> picture;
texture<int, 1, cudaReadModeElementType> table;
texture<uchar4, 2, cudaReadModeNormalizedFloat> colours;
surface<void, 2> canvas;

__global__ void clean_filter(float *out) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = tex2D(picture, x - 0.5f, y) + tex2D(picture, x + 1.5f, y) + tex2D(colours, x, y).w;
    out[y * 128 + x] = sum;
}

__global__ void clean_object(float *out, cudaTextureObject_t t) {
    __shared__ float tile[16][16];
    tile[threadIdx.y][threadIdx.x] = tex2D<float>(t, threadIdx.x, threadIdx.y);
    __syncthreads();
    int block = blockIdx.y * 8 + blockIdx.x;
    out[block * 256 + threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void racy_beside_a_fetch(float *out, cudaTextureObject_t t) {
    out[threadIdx.x] = tex3D<float4>(t, threadIdx.x, threadIdx.y, blockIdx.x).x;
}

// All threads read the same texel, and so agree.
__global__ void clean_uniform_condition(int *out) {
    __shared__ int s[256];
    int i = threadIdx.y * 16 + threadIdx.x, block = blockIdx.y * 8 + blockIdx.x;
    s[i] = i;
    if (tex1Dfetch(table, blockIdx.x) > 3) __syncthreads();
    out[block * 256 + i] = s[i];
}

// One offset for the whole block, whatever it is.
__global__ void clean_uniform_offset(int *out) {
    __shared__ int s[512];
    int i = threadIdx.y * 16 + threadIdx.x, from = tex1Dfetch(table, blockIdx.x) & 255;
    s[from + i] = i;
    out[(blockIdx.y * 8 + blockIdx.x) * 256 + i] = s[from + i];
}

// Nothing says that the entries differ.
__global__ void maybe_scatter(int *out) { out[tex1Dfetch(table, threadIdx.x)] = threadIdx.y; }

// The filter between two texels is no function of the nearest one.
__global__ void maybe_between_texels(int *out, cudaTextureObject_t t) {
    int i = (threadIdx.y * 16 + threadIdx.x);
    int a = (int)tex1D<float>(t, 0.25f), b = (int)tex1D<float>(t, 0.75f);
    if (blockIdx.x == 0 && blockIdx.y == 0) out[i + (i % 2 ? a : b)] = i;
}

__global__ void clean_surface(cudaSurfaceObject_t s) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    surf2Dwrite(make_float4(x, y, 0, 1), s, x * 16, y);
}

__global__ void clean_surface_in_place() {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float v;
    surf2Dread(&v, canvas, x * 4, y);
    surf2Dwrite(v + 1, canvas, x * 4, y);
}

__global__ void racy_surface_neighbour() {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float v = surf2Dread<float>(canvas, x * 4 + 4, y);
    surf2Dwrite(v + 1, canvas, x * 4, y);
}

// The first coordinate counts bytes.
__global__ void racy_surface_of_bytes(cudaSurfaceObject_t s) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    surf2Dwrite(1.0f * x, s, x, y);
}

__global__ void racy_surface_rows(cudaSurfaceObject_t s) {
    int x = blockIdx.x * 16 + threadIdx.x;
    surf2Dwrite(x + (int)threadIdx.y, s, x * 4, blockIdx.y);
}

__global__ void clean_volume(cudaSurfaceObject_t s, int z) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    surf3Dwrite(x, s, x * 4, y, z);
}
