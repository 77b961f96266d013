// Attention scores of each head of each row: a block for each pair of a head and a row of the batch, so as many blocks
// as heads. The number of heads divides the width, and multiplies the row.
__global__ void scale_scores(float *scores, const float *in, int T, int C, int NH) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int h = blockIdx.y, b = blockIdx.z;
    if (t >= T) return;
    int width = C / NH;
    float *own = scores + b * NH * T + h * T;
    own[t] = in[(b * T + t) * C + h * width] * rsqrtf((float)width); //~ data-race warning
}
