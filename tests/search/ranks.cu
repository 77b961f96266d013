// lockstep: check --only data-race
// Where each element goes is its rank among all, by keys that stand elsewhere. The caller has sorted both lists by them: no
// launch of ours has, so that two elements meet is only possible.
__global__ void merge(const int *left, const int *right, const int *keys, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 * n) return;
    int low = 0, high = n;
    if (i < n) {
        while (low < high) {
            int middle = (low + high) / 2;
            if (keys[right[middle] * 5 % n] < keys[left[i] * 5 % n]) low = middle + 1;
            else high = middle;
        }
        out[i + low] = left[i]; //~ data-race //~ data-race warning
    } else {
        while (low < high) {
            int middle = (low + high) / 2;
            if (keys[left[middle] * 5 % n] <= keys[right[i - n] * 5 % n]) low = middle + 1;
            else high = middle;
        }
        out[i - n + low] = right[i - n]; //~ data-race //~ data-race warning
    }
}

// The neighbour is read before it has arrived: no order of the keys is an excuse.
__global__ void sums(const int *list, const int *keys, int *out, int *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int rank = 0;
    for (int j = 0; j < n; j++) {
        if (keys[list[j]] < keys[list[i]]) rank++;
    }
    out[rank] = list[i];                   //~ data-race //~ data-race warning
    sum[i] = out[i] + out[i > 0 ? i - 1 : 0]; //~ data-race
}
