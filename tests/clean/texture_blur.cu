// A blur whose picture comes through a texture reference and whose weights come through a texture object: the arrays
// behind them are arguments like any other.
// lockstep: run --block 8,8 --grid 2,2 --arg 'out=f32[256]' --arg 'weights=f32[3]:0.25,0.5,0.25' --arg 'picture=f32[256]:iota' --dump out
texture<float, 2, cudaReadModeElementType> picture;

__global__ void blur(float *out, cudaTextureObject_t weights) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int d = -1; d <= 1; d++) sum += tex1Dfetch<float>(weights, d + 1) * tex2D(picture, x + d + 0.5f, y + 0.5f);
    out[y * gridDim.x * blockDim.x + x] = sum;
}
