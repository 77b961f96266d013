// Forces between all pairs of bodies, a tile of bodies at a time in shared memory.
// launch[small]: --block 32 --grid 2 --arg 'body=f32[256]:random' --arg 'force=f32[192]' --arg n=64
// launch[large]: --block 256 --grid 256 --arg 'body=f32[262144]:random' --arg 'force=f32[196608]' --arg n=65536
__global__ void nbody(const float4 *body, float *force, int n) {
    __shared__ float4 tile[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float4 own = body[i];
    float x = 0, y = 0, z = 0;
    for (int first = 0; first < n; first += blockDim.x) {
        tile[t] = body[first + t];
        __syncthreads();
        for (int j = 0; j < blockDim.x; ++j) {
            float4 other = tile[j];
            float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float strength = other.w * inverse * inverse * inverse;
            x += dx * strength;
            y += dy * strength;
            z += dz * strength;
        }
        __syncthreads();
    }
    force[3 * i] = x;
    force[3 * i + 1] = y;
    force[3 * i + 2] = z;
}
