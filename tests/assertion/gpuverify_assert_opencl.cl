// GPUVerify's __assert.
// lockstep[false]: run --block 16 --grid 1 --arg 'a=i32[16]:iota' --arg limit=10
// lockstep[true]: run --block 16 --grid 1 --arg 'a=i32[16]:iota' --arg limit=16
kernel void k(global int *a, int limit) {
    int t = get_local_id(0);
    __assert(a[t] < limit); //~[false] assertion
    a[t] = 0;
}
