// lockstep: search
// As heads_of_vectors_conditional.cu, but each head is read from its second element on.
__global__ void sums_of_heads(float *out, const float *in, int width, int heads) {
    int length = width / heads;
    const float *head = in + (blockIdx.x * blockDim.x + threadIdx.x) * width + blockIdx.y % heads * length;
    float sum = 0;
    for (int i = 1; i < length; i += 4) {
        float4 v = *(const float4 *)&head[i]; //~ misaligned
        sum += v.x + v.y + v.z + v.w;
    }
    out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}
