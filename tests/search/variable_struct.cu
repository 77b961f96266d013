// Members of a variable are arguments by their names.
struct Image {
    int columns, pitch;
    float *pixels;
};
__constant__ Image image;

__global__ void fill(float value) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < image.columns) image.pixels[y * image.pitch + x] = value + y; //~ data-race warning
}
