// A ticket lock whose turn is a volatile variable: blocks wait for each other, though none asks for its number.
// lockstep[right]: check --only missing-fence -DRELEASE=__threadfence() -DACQUIRE=__threadfence()
// lockstep[unreleased]: check --only missing-fence -DRELEASE= -DACQUIRE=__threadfence()
// lockstep[unacquired]: check --only missing-fence -DRELEASE=__threadfence() -DACQUIRE=
// lockstep[narrow]: check --only missing-fence -DRELEASE=__threadfence_block() -DACQUIRE=__threadfence()
__device__ unsigned next_number, now_served;

__global__ void append(int *list) {
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(&next_number, 1u);
        volatile unsigned *now = &now_served;
        while (*now != mine) {
        }
        ACQUIRE;
        list[mine % 64] = list[(mine + 63) % 64] + 1; //~[unreleased,unacquired,narrow] missing-fence
        RELEASE;
        *now = mine + 1;
    }
}
