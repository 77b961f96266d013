# Two histograms with pyopencl: one is right, one forgets that work-items add at the same time.
import os

os.environ["PYOPENCL_NO_CACHE"] = "1"
import numpy as np
import pyopencl as cl
import pyopencl.array

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
program = cl.Program(
    context,
    """
__kernel void right(__global const uint *values, __global int *bins) {
    atomic_inc(&bins[values[get_global_id(0)] % 8]);
}
__kernel void wrong(__global const uint *values, __global int *bins) {
    bins[values[get_global_id(0)] % 8]++;
}
""",
).build()
values = np.arange(256, dtype=np.uint32)
given = cl.array.to_device(queue, values)
bins = cl.array.zeros(queue, 8, dtype=np.int32)
program.right(queue, values.shape, (64,), given.data, bins.data)
print(bins.get())
print((given * 2 + 1).get()[:4], int(cl.array.sum(given).get()))
bins.fill(0)
program.wrong(queue, values.shape, (64,), given.data, bins.data)
queue.finish()
