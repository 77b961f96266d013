// What the library offers to host code.
#pragma once

namespace rowkit {

void softmax(const float *in, float *out, int rows, int columns);
void scale(float *m, int rows, int columns, int pitch, const float *factors);
void scan_blocks(const int *in, int *out, int *totals, int n);
void gemm(const float *a, const float *b, float *c, int m, int n, int k);
// Whether a distance became smaller.
bool relax(const int *row_start, const int *column, const float *weight, const float *distance, float *next,
           int *changed, int n);

} // namespace rowkit
