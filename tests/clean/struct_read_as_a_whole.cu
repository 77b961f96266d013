// lockstep: run --grid 1 --block 4 --arg p.to=i32[4] --arg p=u8[24]:0,0,0,0,0,0,0,0,9,0,0,0,8,0,0,0,7,0,0,0,6,0,0,0 --dump p.to
// Numbers by a variable index are read from the struct's bytes; the array is where its pointer is, copied or not.
struct Table {
    int *to;
    int value[4];
};

__device__ void put(Table t, int i) { t.to[i] = t.value[i]; }

__global__ void look_up(Table p) {
    Table copies[2] = {p, p};
    put(copies[threadIdx.x & 1], threadIdx.x);
}
