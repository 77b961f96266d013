// lockstep: search
// A row consists of heads that are read as vectors of four: what must be a multiple of four is the length of a head, which the
// kernel computes, beside that of a row. heads_of_vectors_misaligned.cu begins one element too late for every length.
__global__ void sums_of_heads(float *out, const float *in, int width, int heads) {
    int length = width / heads;
    const float *head = in + (blockIdx.x * blockDim.x + threadIdx.x) * width + blockIdx.y % heads * length;
    float sum = 0;
    for (int i = 0; i < length; i += 4) {
        float4 v = *(const float4 *)&head[i]; //~ misaligned warning
        sum += v.x + v.y + v.z + v.w;
    }
    out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}
