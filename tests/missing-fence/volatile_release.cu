// A volatile access is a relaxed one: a lock that a fence and a volatile store give back is given back, and a flag that
// threads hand to one another by such stores is handed on.
// lockstep[lock]: run --kernel lock_of_warps --block 96 --grid 2 --arg 'word=i32[1]' --arg 'count=i32[1]'
// lockstep[plain]: run --kernel lock_without_fence --block 96 --grid 1 --arg 'word=i32[1]' --arg 'count=i32[1]'
// lockstep[turns]: run --kernel turns --block 64 --grid 1 --arg 'word=i32[1]' --arg 'count=i32[1]'
// lockstep[bare]: run --kernel turns_without_fence --block 64 --grid 1 --arg 'word=i32[1]' --arg 'count=i32[1]'
// lockstep[look]: run --kernel looks_once --block 64 --grid 1 --arg 'word=i32[1]' --arg 'count=i32[1]'
__global__ void lock_of_warps(int *word, int *count) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(word, 0, 1) != 0) {
        }
        __threadfence();
        *count += 1;
        __threadfence();
        *(volatile int *)word = 0;
    }
}

__global__ void lock_without_fence(int *word, int *count) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(word, 0, 1) != 0) {
        }
        __threadfence();
        *count += 1; //~[plain] missing-fence
        *(volatile int *)word = 0;
    }
}

__global__ void turns(volatile int *word, int *count) {
    if (threadIdx.x % 32 == 0) {
        for (int i = threadIdx.x / 32; i < 8; i += blockDim.x / 32) {
            while (*word != i) {
            }
            __threadfence_block();
            *count += 1;
            __threadfence_block();
            *word = i + 1;
        }
    }
}

__global__ void turns_without_fence(volatile int *word, int *count) {
    if (threadIdx.x % 32 == 0) {
        for (int i = threadIdx.x / 32; i < 8; i += blockDim.x / 32) {
            while (*word != i) {
            }
            __threadfence_block();
            *count += 1; //~[bare] missing-fence
            *word = i + 1;
        }
    }
}

// Who only looks at a flag does not race with who sets it, and with a fence behind it not for what the flag tells of.
__global__ void looks_once(volatile int *word, int *count) {
    if (threadIdx.x == 0) {
        *count = 1;
        __threadfence();
        *word = 1;
    }
    if (threadIdx.x == 32 && *word == 1) {
        __threadfence();
        *count += 1;
    }
}
