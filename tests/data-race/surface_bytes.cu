// A surface's first coordinate counts bytes; this one forgot the factor.
// lockstep: run --block 16,2 --grid 1 --arg 'canvas=f32[1024]'
surface<void, 2> canvas;

__global__ void paint() {
    surf2Dwrite(1.0f * threadIdx.x, canvas, threadIdx.x / 2 * 4, threadIdx.y); //~ data-race
}
