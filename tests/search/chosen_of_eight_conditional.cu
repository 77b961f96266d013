// lockstep: search
// Each warp notes the places that it chose in a row of eight: whoever asks for more writes into the next row.
// chosen_of_eight_race.cu does for any number of places.
__global__ void choose(const int *scores, int *chosen, int rows, int places) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    for (int place = 0; place < places; place++)
        if (place % 32 == threadIdx.x)
            chosen[row * 8 + place] = scores[row] + place; //~ data-race warning
}
