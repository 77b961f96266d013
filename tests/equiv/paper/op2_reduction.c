// A global reduction over the results of grid nodes.
void reduce(float *result, const float *values, int n) {
  for (int i = 0; i < n; i++)
    result[0] += values[i];
}

void reduce_integers(int *result, const int *values, int n) {
  for (int i = 0; i < n; i++)
    result[0] += values[i];
}
