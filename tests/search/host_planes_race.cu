// lockstep: search
// As host_planes_conditional.cu, but threads beyond the last column write to the next row.
__global__ void shrink(const float *in, float *out, int height, int width, int plane) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int start = blockIdx.z * plane;
    if (y < height) {
        int from_y = min(y * 2, height - 1), from_x = min(x * 2, width - 1);
        out[start + y * width + x] = in[start + from_y * width + from_x]; //~ data-race
    }
}

void shrink_all(const float *in, float *out, int height, int width, int planes) {
    int plane = height * width;
    dim3 block(16, 16);
    dim3 grid((width + 15) / 16, (height + 15) / 16, planes);
    shrink<<<grid, block>>>(in, out, height, width, plane);
}
