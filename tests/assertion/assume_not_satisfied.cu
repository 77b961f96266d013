// The same from the command line.
// lockstep: run --block 16 --grid 1 --arg 'a=i32[16]' --arg n=15 --assume 'n % 16 == 0'
// exit: 2
__global__ void k(int *a, int n) {
    a[threadIdx.x] = n;
}
