// A function of the user's own, in another file, that has the name of one of OpenCL's.
// exit: 3
extern __device__ int get_group_id(int axis);

__global__ void k(int *out) {
    out[get_group_id(0)] = 1; //~ data-race warning
}
