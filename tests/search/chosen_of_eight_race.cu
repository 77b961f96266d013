// lockstep: search
// As chosen_of_eight_conditional.cu, but each row begins with the last place of the one before, for any number of places.
__global__ void choose(const int *scores, int *chosen, int rows, int places) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    for (int place = 0; place <= places; place++)
        if (place % 32 == threadIdx.x)
            chosen[row * places + place] = scores[row] + place; //~ data-race
}
