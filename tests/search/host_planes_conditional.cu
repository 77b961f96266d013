// lockstep: search
// A smaller picture in the corner of a plane: it has no more rows than the plane, which the caller knows, and the kernel
// does not. In host_planes_race.cu the kernel lets threads beyond the last column write.
__global__ void shrink(const float *in, float *out, int height, int width, int rows, int columns, int plane) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int start = blockIdx.z * plane;
    if (y < rows && x < columns && x < width) {
        int from_y = min(y * 2, height - 1), from_x = min(x * 2, width - 1);
        out[start + y * width + x] = in[start + from_y * width + from_x]; //~ data-race warning
    }
}

void shrink_all(const float *in, float *out, int height, int width, int rows, int columns, int planes) {
    int plane = height * width;
    dim3 block(16, 16);
    dim3 grid((columns + 15) / 16, (rows + 15) / 16, planes);
    shrink<<<grid, block>>>(in, out, height, width, rows, columns, plane);
}
