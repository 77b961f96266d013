// The sum of each row, modulo 2^32.
#include <stdint.h>

void row_sums(uint32_t *sums, const uint32_t *values, int rows, int columns) {
  for (int i = 0; i < rows; i++) {
    uint32_t sum = 0;
    for (int j = 0; j < columns; j++)
      sum += values[i * columns + j];
    sums[i] = sum;
  }
}
