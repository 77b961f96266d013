// Branches, labels and exit in inline PTX are control flow; a statement under a predicate is executed where it holds.
// lockstep[run]: run --block 64 --grid 1 --arg 'out=i32[64]'
// lockstep[check]: check --arg 'out=i32[64]'
#include <assert.h>
__device__ int count_down(int n) {
    int steps;
    asm volatile("{\n"
        ".reg .pred p;\n .reg .s32 left, sum;\n"
        "mov.s32 left, %1; mov.s32 sum, 0;\n"
        "AGAIN_%=:\n"
        "setp.le.s32 p, left, 0;\n"
        "@p bra DONE_%=;\n"
        "add.s32 sum, sum, left; sub.s32 left, left, 1;\n"
        "bra AGAIN_%=;\n"
        "DONE_%=:\n"
        "mov.s32 %0, sum; }" : "=r"(steps) : "r"(n));
    return steps;
}
__device__ void store_if(int *at, int v, int c) {
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0;\n @p st.global.s32 [%0], %1; }" :: "l"(at), "r"(v), "r"(c) : "memory");
}
__global__ void k(int *out) {
    int t = threadIdx.x;
    assert(count_down(t) == t * (t + 1) / 2);
    store_if(out + t, t + 1, t % 2);
    if (t > 40) asm volatile("exit;");
    __shared__ int s[64];
    unsigned at = (unsigned)__cvta_generic_to_shared(s);
    unsigned mine = at + 4 * t;
    for (int i = 0; i < 64; i += 32, mine += 128)
        if (t < 32) asm volatile("st.shared.s32 [%0], %1;" ::"r"(mine), "r"(i) : "memory");
    __syncwarp();
    if (t < 32) assert(s[t] == 0 && s[t + 32] == 32);
    unsigned r; 
    asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(0x80000000u), "r"(1u), "r"(33u)); assert(r == 0x80000000u);
    asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(0x80000000u), "r"(1u), "r"(33u)); assert(r == 0xc0000000u);
    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(0x01020304u), "r"(0x04030201u), "r"(5u)); assert(r == 13);
    asm("vadd4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(r) : "r"(0x7f80ff01u), "r"(0x01ffff01u), "r"(0u)); assert(r == 0x7f80fe02);
    asm("bfe.s32 %0, %1, 4, 4;" : "=r"(r) : "r"(0xa5u)); assert(r == 0xfffffffa);
    asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(0x100u)); assert(r == 8);
    asm("slct.s32.s32 %0, 1, 2, %1;" : "=r"(r) : "r"(-1)); assert(r == 2);
    asm volatile("griddepcontrol.wait;"); asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    if (t < 32) {
    int sum; asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(t)); assert(sum == 496);
    unsigned leader, is; asm volatile("{.reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p;}" : "=r"(leader), "=r"(is)); 
    assert(is == (t == leader));}
}
int main() { int *out; cudaMalloc(&out, 64 * 4); k<<<1, 64>>>(out); }
