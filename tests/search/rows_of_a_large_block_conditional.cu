// Rows are filled in whole blocks of 1024, so that a row that is no multiple of that reaches into the next. A launch with longer rows
// than one block is too large to be executed.
// lockstep: search --only data-race
#define THREADS 1024
__global__ void fill(int *rows, int width, int first) {
    int *row = rows + blockIdx.x * width;
    int parts = (width + THREADS - 1) / THREADS;
    for (int part = 0; part < parts; part++) {
        row[part * THREADS + threadIdx.x] = first + blockIdx.x; //~ data-race warning
    }
}

void launch(int *rows, int width, int first) { fill<<<width, THREADS>>>(rows, width, first); }
