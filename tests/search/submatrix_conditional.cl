// lockstep: search
// A part of a matrix is copied; the strides of both sides are given. Only that of the output can make a race.
// submatrix_fixed.cl computes it.
kernel void submatrix(global const float *restrict in, global float *restrict out, int rows, int cols, int in_stride,
                      int out_stride) {
    int c = get_global_id(0), r = get_global_id(1);
    if (c < cols && r < rows)
        out[r * out_stride + c] = in[r * in_stride + c]; //~ data-race warning
}
