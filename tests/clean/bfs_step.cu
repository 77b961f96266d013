// One step from the frontier {0}: vertices are claimed by compare-and-swap.
// lockstep: run --block 32 --grid 1 --arg 'start=i32[5]:0,3,5,6,7' --arg 'edge=i32[7]:1,2,3,0,3,0,0' --arg 'frontier=i32[4]:0' --arg n=1 --arg 'level=i32[4]:0,-1,-1,-1' --arg 'next=i32[4]' --arg 'count=i32[1]'
__global__ void step(const int *start, const int *edge, const int *frontier, int n, int *level, int *next, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int e = start[frontier[i]]; e < start[frontier[i] + 1]; e++)
            if (atomicCAS(&level[edge[e]], -1, 1) == -1)
                next[atomicAdd(count, 1)] = edge[e];
}
