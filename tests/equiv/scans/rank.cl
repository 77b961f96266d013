// reference: scans.c:counting_rank
// launch: --block 4 --grid 1 --arg n=4 --arg x=i32[4]:symbolic --arg rank=i32[4]
// expect[rank_by_comparison]: equivalent
// expect[rank_of_ties]: mismatch
__kernel void rank_by_comparison(__global int *rank, __global const int *x, int n) {
  int i = get_global_id(0), before = 0;
  for (int j = 0; j < n; j++)
    before += j < i ? x[j] <= x[i] : x[j] < x[i];
  rank[i] = before;
}

__kernel void rank_of_ties(__global int *rank, __global const int *x, int n) {
  int i = get_global_id(0), before = 0;
  for (int j = 0; j < n; j++)
    before += x[j] < x[i];
  rank[i] = before;
}
