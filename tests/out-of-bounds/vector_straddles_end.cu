// The last float4 begins inside the array and ends outside.
// lockstep: run --block 16 --grid 1 --arg 'a=f32[62]'
__global__ void k(float *a) {
    int t = threadIdx.x;
    reinterpret_cast<float4 *>(a)[t] = make_float4(0, 1, 2, 3); //~ out-of-bounds
}
