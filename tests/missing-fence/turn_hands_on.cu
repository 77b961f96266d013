// As turn_taken_back.cu, and a sum goes with the turn: it may come later.
// lockstep: run --grid 2 --block 1 --arg 'turn=i32[4]' --arg 'sum=i32[4]'
__global__ void turns(volatile int *turn, int *sum) {
    int b = blockIdx.x, t = 1;
    if (b > 0) {
        while ((t = turn[b]) == 0)
            ;
        sum[0] += b; //~ missing-fence //~ missing-fence
    } else {
        sum[0] = 1; //~ missing-fence //~ missing-fence
    }
    turn[b + 1] = t + 1;
    if (b > 0)
        turn[b] = -1;
}
