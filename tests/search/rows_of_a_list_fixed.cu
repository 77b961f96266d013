// As rows_of_a_list_race, with the right one.
__global__ void k(float *o, const float *in, int w, int h) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < w * h) {
        int x = i % w, y = i / w;
        o[x * h + y] = in[i];
    }
}
