// reference: scans.c:insertion_sort
// launch: --block 4 --grid 1 --arg n=4 --arg x=i32[4]:symbolic
// launch[bitonic_8]: --block 8 --arg n=8 --arg x=i32[8]:symbolic
// launch[bitonic_16]: --block 16 --arg n=16 --arg x=i32[16]:symbolic
// expect[bitonic]: equivalent
// expect[bitonic_8]: equivalent or unknown
// expect[bitonic_16]: equivalent or unknown
// expect[bitonic_unsigned]: mismatch
// expect[bitonic_direction]: mismatch
void sort(__global int *x, __local int *s, int n) {
  int t = get_local_id(0);
  s[t] = x[t];
  for (int k = 2; k <= n; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int other = t ^ j;
      if (other > t) {
        int a = s[t], b = s[other];
        if ((a > b) == ((t & k) == 0)) {
          s[t] = b;
          s[other] = a;
        }
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  x[t] = s[t];
}

__kernel void bitonic(__global int *x, int n) {
  __local int s[4];
  sort(x, s, n);
}

__kernel void bitonic_8(__global int *x, int n) {
  __local int s[8];
  sort(x, s, n);
}

__kernel void bitonic_16(__global int *x, int n) {
  __local int s[16];
  sort(x, s, n);
}

__kernel void bitonic_unsigned(__global uint *x, int n) {
  __local uint s[4];
  int t = get_local_id(0);
  s[t] = x[t];
  for (int k = 2; k <= n; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int other = t ^ j;
      if (other > t && (s[t] > s[other]) == ((t & k) == 0)) {
        uint a = s[t];
        s[t] = s[other];
        s[other] = a;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  x[t] = s[t];
}

// All comparators in one direction: half of the inputs are still sorted.
__kernel void bitonic_direction(__global int *x, int n) {
  __local int s[4];
  int t = get_local_id(0);
  s[t] = x[t];
  for (int k = 2; k <= n; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int other = t ^ j;
      if (other > t && s[t] > s[other]) {
        int a = s[t];
        s[t] = s[other];
        s[other] = a;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  x[t] = s[t];
}
