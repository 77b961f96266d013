// An image that is read and written in one kernel is memory: the neighbour's texel may be old or new.
// lockstep: run --block 16 --grid 1 --arg 'line=f32[128]:iota'
kernel void smooth(read_write image1d_t line) {
    int x = get_global_id(0);
    float4 left = read_imagef(line, max(x - 1, 0)); //~ data-race
    write_imagef(line, x, left * 0.5f); //~ data-race
}
