// Listing 1 of "Symbolic Testing of OpenCL Code".
#include <math.h>
#include <stddef.h>

void arr_sqrt(float *out, const float *in, size_t size) {
  for (size_t i = 0; i != size; ++i)
    out[i] = sqrtf(in[i]);
}
