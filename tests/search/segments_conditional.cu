// lockstep: search
// Each thread packs a text of its own into words: where it begins and how long it is stands in two arrays. Where the
// texts lie close together, two threads write one word. segments_race.cu begins all of them at the same word.
__global__ void segments(const int *begin, const int *length, const unsigned char *text, unsigned *words, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int at = begin[t] / 16;
    unsigned word = 0;
    for (int i = 0; i < length[t]; i++) {
        word = word << 2 | text[begin[t] + i] & 3;
        if (i % 16 == 15) words[at++] = word; //~ data-race warning
    }
    words[at] = word; //~ data-race warning
}
