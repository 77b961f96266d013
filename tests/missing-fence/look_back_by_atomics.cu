// A scan that looks back: the first block never leaves its own sum alone, so that nobody looks before it.
// lockstep[right]: check --only data-race,missing-fence -DRELEASE=__threadfence() -DACQUIRE=__threadfence()
// lockstep[unreleased]: check --only data-race,missing-fence -DRELEASE= -DACQUIRE=__threadfence()
// lockstep[unacquired]: check --only data-race,missing-fence -DRELEASE=__threadfence() -DACQUIRE=
__global__ void scan(int *state, int *own_sum, int *sum_to_here, const int *in, int *out) {
    if (threadIdx.x != 0) return;
    int b = blockIdx.x, before = 0;
    if (b > 0) {
        own_sum[b] = in[b]; //~[unreleased,unacquired] missing-fence
        RELEASE;
        atomicExch(&state[b], 1);
        for (int i = b - 1;; --i) {
            int known;
            while ((known = atomicAdd(&state[i], 0)) == 0) {
            }
            ACQUIRE;
            if (known == 2) {
                before += sum_to_here[i]; //~[unreleased,unacquired] missing-fence
                break;
            }
            before += own_sum[i]; //~[unreleased,unacquired] missing-fence
        }
    }
    sum_to_here[b] = before + in[b]; //~[unreleased,unacquired] missing-fence
    RELEASE;
    atomicExch(&state[b], 2);
    out[b] = before;
}
