// lockstep: search
// Each quarter of the block fills one member; the first quarter reads them all. No block has only as many threads as read.
struct Node {
    int key;
    float weight;
    short left, right;
};
__global__ void load(const int *in, int *out) {
    __shared__ Node nodes[64];
    int t = threadIdx.x;
    if (t < 64)
        nodes[t].key = in[t];
    else if (t < 128)
        nodes[t - 64].weight = in[t];
    else if (t < 192)
        nodes[t - 128].left = in[t];
    else if (t < 256)
        nodes[t - 192].right = in[t];
    __syncthreads();
    if (t < 64)
        out[blockIdx.x * 64 + t] =
            nodes[63 - t].key + (int)nodes[t].weight + nodes[t].left * nodes[t].right;  //~ uninitialised-read warning
}
