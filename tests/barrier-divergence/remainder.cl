// lockstep[whole]: check --kernel rounds --grid 4 --block 64
// lockstep[given]: check --kernel rounds --global 100 --block 64
// lockstep[all]: check --kernel all_rounds --global 100 --block 64

// One round for each thread of a whole group; in the last one, some have two.
__kernel void rounds(__global int *o) {
    __local int t[64];
    for (int i = get_local_id(0); i < 64; i += get_local_size(0)) { //~[given] barrier-divergence
        t[i] = i;
        barrier(CLK_LOCAL_MEM_FENCE); //~[given] barrier-divergence
    }
    o[get_global_id(0)] = t[63 - get_local_id(0)];
}

__kernel void all_rounds(__global int *o) {
    __local int t[64];
    for (int i = 0; i < 64; i += get_local_size(0)) {
        if (i + get_local_id(0) < 64) t[i + get_local_id(0)] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = t[63 - get_local_id(0)];
}
