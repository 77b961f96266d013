// lockstep: search
// As segments_conditional.cu, but where a text begins is forgotten when its words are written.
__global__ void segments(const int *begin, const int *length, const unsigned char *text, unsigned *words, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int at = begin[t] % 16;
    unsigned word = 0;
    for (int i = 0; i < length[t]; i++) {
        word = word << 2 | text[begin[t] + i] & 3;
        if (i % 16 == 15) words[at++] = word; //~ data-race
    }
    words[at] = word; //~ data-race
}
