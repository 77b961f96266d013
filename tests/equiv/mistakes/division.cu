// Division by what may be zero.
//
// launch: --block 4 --grid 1
// reference[q]: division.c:quot
// launch[q]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg out=i32[4]
// expect[q]: equivalent
// reference[u]: division.c:safe
// launch[u]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg out=i32[4]
// expect[u]: mismatch
// reference[v]: division.c:safe
// launch[v]: --arg n=4 --arg a=i32[4]:symbolic --arg b=i32[4]:symbolic --arg out=i32[4]
// expect[v]: equivalent
__global__ void q(int *out, const int *a, const int *b) {
  int t = threadIdx.x;
  out[t] = a[t] / b[t];
}

__global__ void u(int *out, const int *a, const int *b) {
  int t = threadIdx.x;
  out[t] = a[t] / b[t];
}

__global__ void v(int *out, const int *a, const int *b) {
  int t = threadIdx.x;
  int d = b[t];
  out[t] = d == 0 ? 0 : a[t] / d;
}
