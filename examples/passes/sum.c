// The sum of n numbers.
void sum(int *total, const int *values, int n) {
  *total = 0;
  for (int i = 0; i < n; i++)
    *total += values[i];
}
