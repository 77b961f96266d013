//pass
//--local_size=32 --num_groups=2 --global_offset=[64]
// The offset of the head comment is part of every engine's kernel: elements 64 to 127 are written, and no others.
// lockstep: run --arg 'out=i32[128]'
kernel void k(global int *out) {
    if (get_global_offset(0) != 64) out[0] = 1;
    out[get_global_id(0)] = get_global_id(0);
}
