// The host launches half as many threads as a row has elements, so that two of them are each thread's own. Other blocks
// would leave elements of the shared array unset, or write others' elements: nothing that this program does.
__global__ void mirror(float *rows, int size) {
  extern __shared__ float row[];
  float *mine = rows + blockIdx.x * size;
  int t = threadIdx.x, half = size / 2;
  row[t] = mine[t];
  row[t + half] = mine[t + half];
  __syncthreads();
  mine[t] = row[size - 1 - t];
  mine[t + half] = row[half - 1 - t];
}

void mirror_all(float *rows, int count, int size) {
  mirror<<<count, size / 2, size * sizeof(float)>>>(rows, size);
}
