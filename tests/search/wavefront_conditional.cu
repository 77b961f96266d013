// lockstep: search
// exit: 3
// Tiles of a matrix along a diagonal, each block one: the tile and the row of elements above it. How wide the matrix is
// and where the diagonal begins are arguments; tiles lie apart where the matrix has room for them. wavefront_race.cu
// reads the tile of its neighbour.
#define TILE 16
__global__ void wavefront(float *matrix, int columns, int first, int passed) {
    int x = threadIdx.x;
    int tile_x = blockIdx.x + first - passed, tile_y = first - blockIdx.x - 1;
    int at = columns * TILE * tile_y + TILE * tile_x + x + columns;
    float above = matrix[at - columns]; //~ data-race warning
    for (int y = 0; y < TILE; y++) {
        above = above * 0.5f + matrix[at + y * columns]; //~ data-race warning
        matrix[at + y * columns] = above; //~ data-race warning
    }
}
