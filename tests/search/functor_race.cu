// lockstep: check
// The array is a member of what is passed by value: it is an array of the launch as any other.
template <class F>
__global__ void each(int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}

class Smooth {
    float *cells;
    float weight;

  public:
    Smooth(float *cells, float weight) : cells(cells), weight(weight) {}
    __device__ void operator()(int i) { cells[i] = weight * cells[i + 1]; } //~ data-race
};

struct Scale {
    const float *from;
    float *to, by;
    __device__ void operator()(int i) const { to[i] = by * from[i]; }
};

void all(int n, float *a, float *b) {
    each<<<16, 128>>>(n, Smooth(a, 0.5f));
    each<<<16, 128>>>(n, Scale{a, b, 2});
}
