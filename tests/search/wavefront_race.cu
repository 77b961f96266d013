// lockstep: search
// As wavefront_conditional.cu, but a block also reads the last column of the tile that its neighbour on the diagonal
// writes, wherever the diagonal begins.
#define TILE 16
__global__ void wavefront(float *matrix, int columns, int first, int passed) {
    int x = threadIdx.x;
    int tile_x = blockIdx.x + first - passed, tile_y = first - blockIdx.x - 1;
    int at = columns * TILE * tile_y + TILE * tile_x + x + columns;
    float above = matrix[at + TILE - columns * TILE]; //~ data-race
    for (int y = 0; y < TILE; y++) {
        above = above * 0.5f + 1;
        matrix[at + y * columns] = above; //~ data-race //~ data-race warning
    }
}
