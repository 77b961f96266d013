// What the program in main.cu launches; the launches themselves are made by functions of kernels.cu.
void scatter(const float *in, const int *where, float *out, int n, int threads);
void rows(float *image, int width, int height, int pitch);
void fold(float *data, int half, int shift);
void block_sums(const float *in, float *sums, int n, int threads);
void smooth(const float *in, float *out, int n);
void neighbours(int *data, int n);
void next_level(const int *first, const int *edges, int *level, int now, int vertices);
void add_slots(float *rows, const int *slot, int width, int n);
void first_of(const int *key, int *first, int n);
