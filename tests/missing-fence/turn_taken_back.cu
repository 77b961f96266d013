// Each block takes its turn by an element that the one before sets, and takes it back: the writes are to one place, whose
// reads and writes have one order. What it hands on besides needs a fence.
// lockstep: run --grid 2 --block 1 --arg 'turn=i32[4]' --arg 'sum=i32[4]'
__global__ void turns(volatile int *turn, int *sum) {
    int b = blockIdx.x, t = 1;
    if (b > 0) {
        while ((t = turn[b]) == 0)
            ;
    }
    turn[b + 1] = t + 1;
    if (b > 0)
        turn[b] = -1;
}
