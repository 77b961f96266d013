//! What each kind of finding means: the text of `lockstep explain KIND`.

use crate::Kind;

/// Meaning, a small kernel that has it, the same kernel without it.
pub fn explain(kind: Kind) -> &'static str {
    match kind {
        Kind::DataRace => DATA_RACE,
        Kind::BarrierDivergence => BARRIER_DIVERGENCE,
        Kind::RedundantBarrier => REDUNDANT_BARRIER,
        Kind::OutOfBounds => OUT_OF_BOUNDS,
        Kind::UninitialisedRead => UNINITIALISED_READ,
        Kind::Misaligned => MISALIGNED,
        Kind::UseAfterFree => USE_AFTER_FREE,
        Kind::Deadlock => DEADLOCK,
        Kind::MissingFence => MISSING_FENCE,
        Kind::RedundantFence => REDUNDANT_FENCE,
        Kind::Mismatch => MISMATCH,
        Kind::Assertion => ASSERTION,
    }
}

const DATA_RACE: &str = "\
data-race (error; warning where every write stores the same value)

Two threads access the same bytes, at least one of them writes, at least one
access is not atomic, and nothing orders the two: no barrier that both threads
pass, no chain of atomics. Which access comes first depends on the hardware's
mood, and so does the result. Shuffles and votes order nothing; threads of one
warp are not in step either, unless --scheduling lockstep says so.

    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[255 - threadIdx.x];     // may read before the write

fixed:

    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[255 - threadIdx.x];

How to fix it: put a barrier between the two accesses, outside any branch that
only some threads take; or make both atomic; or give each thread an element of
its own. A barrier orders the threads of one block only: between blocks use
atomics, or two launches. In OpenCL the barrier must name the memory
(CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE).
";

const BARRIER_DIVERGENCE: &str = "\
barrier-divergence (error; warning where the others have returned, in CUDA)

Some threads of a block wait at a barrier that others of the block do not
reach: they took another branch, left the loop earlier, wait at another
barrier, or have returned. The language gives such a program no meaning; real
devices hang, or let threads through too early. A __syncwarp whose mask does
not say which threads arrive is the same mistake within a warp.

    if (threadIdx.x < 16) {
        s[threadIdx.x] += s[threadIdx.x + 16];
        __syncthreads();                         // the upper threads never come
    }

fixed:

    if (threadIdx.x < 16)
        s[threadIdx.x] += s[threadIdx.x + 16];
    __syncthreads();

How to fix it: take the barrier out of the branch; make loop bounds around a
barrier the same for all threads of the block; replace an early return by a
condition around the work. Exited threads count as arrived on current NVIDIA
hardware, so that case is a warning in CUDA under independent scheduling.
";

const REDUNDANT_BARRIER: &str = "\
redundant-barrier (warning)

Without this barrier the kernel has no race that it does not have with it:
every pair of accesses it orders is ordered otherwise, or does not conflict.
It costs time and says something about the program that is not so.

    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();                             // only its own element follows
    out[threadIdx.x] = s[threadIdx.x];

fixed:

    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[threadIdx.x];

Two barriers of which either may go, but not both, are one finding that shows
both. A finding that rests on launches that were tried is only `possible`.

How to fix it: remove it, if the finding was made for all the sizes the kernel
is used with. A barrier may also be there for timing: then say so in a comment
and skip the kind with --skip redundant-barrier.
";

const OUT_OF_BOUNDS: &str = "\
out-of-bounds (error)

A thread reads or writes bytes that do not belong to the array its pointer
came from: past the end, before the start, or in a neighbouring variable.
Hardware often does not notice, and another array silently changes.

    __global__ void scale(float *a, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        a[i] *= 2;                               // the last block goes past n
    }

fixed:

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] *= 2;

How to fix it: guard the access, round the allocation up, or correct the index
(a halo that is one short, <= for <, rows and columns exchanged). Where you
gave the array with --arg, check that its length is what the host allocates.
";

const UNINITIALISED_READ: &str = "\
uninitialised-read (error)

A value decides something, or is stored as a result, that comes from memory
nobody has written in any order of execution. Shared and private memory start
with whatever was there before. Merely copying such a value is not reported;
a read that is early only because of a race is reported as that race.

    __shared__ int count;
    if (flags[threadIdx.x])
        atomicAdd(&count, 1);                    // count never started at 0

fixed:

    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (flags[threadIdx.x])
        atomicAdd(&count, 1);

How to fix it: give the memory a value first, with a barrier before others use
it; fill the halo of a tile too; check that the loop that fills an array
covers all of it for every block size.
";

const MISALIGNED: &str = "\
misaligned (error)

An access of 2, 4, 8 or 16 bytes goes to an address that is not a multiple of
its size (of the type's alignment). GPUs trap, or drop the low bits of the
address and use other data than meant.

    __global__ void copy(const float *in, float4 *out) {
        int i = threadIdx.x;
        out[i] = *(const float4 *)(in + i);      // 4-byte steps, 16-byte loads
    }

fixed:

    out[i] = make_float4(in[i], in[i + 1], in[i + 2], in[i + 3]);

How to fix it: load the parts one by one, or keep offsets multiples of the
vector's width; declare byte buffers that are reinterpreted with
__align__(16); in OpenCL use vload4, which asks only for the element's
alignment.
";

const USE_AFTER_FREE: &str = "\
use-after-free (error)

A thread uses memory whose lifetime is over: freed on the device or the host,
or a variable of a scope that has ended.

    int *p = (int *)malloc(64);
    free(p);
    p[0] = 1;                                    // no longer ours

fixed:

    int *p = (int *)malloc(64);
    p[0] = 1;
    free(p);

How to fix it: free after the last use, by the thread that knows it is the
last (a barrier before the free where others use the memory); never keep the
address of a variable beyond its block.
";

const DEADLOCK: &str = "\
deadlock (error)

No thread of the launch can make progress any more: threads wait for a flag
that nobody will set, for a lock whose owner waits for them, for a block that
cannot start, or at barriers that cannot fill.

    if (threadIdx.x == 0)
        while (*(volatile int *)flag == 0) {}    // set only after the barrier
    __syncthreads();
    if (threadIdx.x == 1)
        *flag = 1;

fixed:

    if (threadIdx.x == 1)
        *flag = 1;
    __syncthreads();

How to fix it: make sure that the thread that is waited for can run to the
point that frees the others. Under lockstep scheduling (before Volta) a spin
lock taken by several threads of one warp deadlocks: take it in one thread, or
leave the loop from within the critical section. Between blocks, wait only for
blocks that run at the same time (a cooperative launch).
";

const MISSING_FENCE: &str = "\
missing-fence (error)

Two accesses would be ordered if atomics and volatile flags synchronised by
themselves, but in the memory model of PTX (or OpenCL) they are relaxed: the
flag may become visible before the data. Only a fence of sufficient scope on
both sides, or a release and an acquire, makes the order real.

    data[0] = 42;                                // block 0
    atomicExch(flag, 1);
    ...
    while (atomicAdd(flag, 0) == 0) {}           // block 1
    use(data[0]);                                // may still be old

fixed:

    data[0] = 42;
    __threadfence();
    atomicExch(flag, 1);
    ...
    while (atomicAdd(flag, 0) == 0) {}
    __threadfence();
    use(data[0]);

How to fix it: __threadfence() between the data and the flag on the writing
side, and between the flag and the data on the reading side
(__threadfence_block() is enough within a block), or atomics with release and
acquire order and a scope that includes both threads.
";

const REDUNDANT_FENCE: &str = "\
redundant-fence (warning)

Taking this fence away, or narrowing its scope, adds no behaviour: what it
orders is ordered by a barrier or by another fence, or only one thread sees it.

    s[threadIdx.x] = x;
    __threadfence_block();                       // the barrier does it
    __syncthreads();

fixed:

    s[threadIdx.x] = x;
    __syncthreads();

How to fix it: remove it, or use the narrower __threadfence_block() where all
readers are in the same block.
";

const MISMATCH: &str = "\
mismatch (error)

The kernel does not compute what its reference computes: for some input, an
element of an output array differs. The finding shows the input, the element
and both values.

    void ref(const float *x, float *y, int n) {
        for (int i = 0; i < n; i++) y[i] = 2 * x[i];
    }
    __global__ void k(const float *x, float *y, int n) {
        int i = threadIdx.x;
        if (i < n - 1) y[i] = 2 * x[i];          // forgets the last one
    }

fixed:

    if (i < n) y[i] = 2 * x[i];

How to fix it: start from the element and input given. Where only the order of
floating-point additions differs, results differ in the last bits; that is a
mismatch too unless the comparison allows for it.
";

const ASSERTION: &str = "\
assertion (error)

A check of the program's own failed: assert(cond) with a false condition, or a
trap that a thread ran into. What the condition says is up to the kernel.

    __global__ void pick(const int *index, float *out, int n) {
        int i = index[threadIdx.x];
        assert(i >= 0 && i < n);                 // fails for this input
        out[i] = 1;
    }

How to fix it: look at the launch in the finding. If its input cannot occur,
say so (__requires(cond) at the head of the kernel, or --assume); if it can,
the kernel must handle it.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_explained_on_one_screen() {
        for kind in Kind::ALL {
            let text = explain(kind);
            assert!(text.starts_with(&format!("{kind} (")), "{kind}");
            assert!(text.contains("How to fix it:"), "{kind}");
            assert!(text.lines().count() <= 40, "{kind}: {}", text.lines().count());
            assert!(text.lines().all(|l| l.len() <= 80), "{kind}");
        }
    }
}
