// lockstep: search
// Every other column at a time, in place: the neighbours above and below are of the same colour. stencil_parity_fixed.cu
// colours like a chessboard.
__global__ void relax(float *a, int nx, int ny, int colour) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i < nx - 1 && j < ny - 1 && (i & 1) == colour)
        a[j * nx + i] = 0.25f * (a[j * nx + i - 1] + a[j * nx + i + 1] //~ data-race
                                 + a[(j - 1) * nx + i]); //~ data-race
}
