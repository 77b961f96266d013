// The barrier that the report of a race on an image asks for is the one that mends it.
// lockstep: run --block 64 --grid 1 --arg 'line=f32[256]:iota'
kernel void smooth(read_write image1d_t line) {
    int x = get_global_id(0);
    float4 left = read_imagef(line, max(x - 1, 0));
    barrier(CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    write_imagef(line, x, left * 0.5f);
}
