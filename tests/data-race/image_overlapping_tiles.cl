// Tiles that overlap by a column: two work-items write one texel.
// lockstep: run --block 4,4 --grid 2,2 --arg 'to=f32[256]'
kernel void tiles(write_only image2d_t to) {
    int x = get_group_id(0) * (get_local_size(0) - 1) + get_local_id(0);
    write_imagef(to, (int2)(x, get_global_id(1)), (float4)(get_global_id(0))); //~ data-race
}
