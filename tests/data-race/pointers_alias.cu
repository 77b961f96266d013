// The host passes the same array twice.
// lockstep[apart]: run --block 64 --grid 1 --arg 'a=i32[64]:iota' --arg 'b=i32[64]'
// lockstep[same]: run --block 64 --grid 1 --arg 'a=i32[64]:iota' --arg 'b=&a'
__global__ void k(const int *a, int *b) {
    int t = threadIdx.x;
    b[t] = a[63 - t]; //~[same] data-race
}
