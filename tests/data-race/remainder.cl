// lockstep[any]: check -cl-std=CL2.0
// lockstep[unsaid]: check
// lockstep[first]: check -cl-std=CL1.2
// lockstep[given]: check --global 100 --block 64
// lockstep[whole]: check --global 128 --block 64

// The last work-group may be smaller; then its size is not that of the others.
__kernel void by_local_size(__global int *o) {
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    o[i] = get_global_id(0); //~[any] data-race warning //~[given] data-race
}
