__device__ inline void put(float *tile, int i, float value) {
    tile[i] = value;
}
