// What CUB does in warps, in blocks and for whole arrays, compared with the host.
#include <cub/cub.cuh>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

struct Cell {
    double weight;
    int at;
};
struct Heavier {
    __host__ __device__ Cell operator()(const Cell &a, const Cell &b) const { return b.weight > a.weight ? b : a; }
};
struct IsOdd {
    __host__ __device__ bool operator()(int v) const { return v & 1; }
};
struct Square {
    __host__ __device__ long operator()(int v) const { return (long)v * v; }
};

const int N = 1000, BLOCK = 100, ITEMS = 3;

__global__ void in_blocks(const int *in, int *sums, int *most, int *before, Cell *heaviest) {
    using Reduce = cub::BlockReduce<int, BLOCK>;
    using Scan = cub::BlockScan<int, BLOCK>;
    using Cells = cub::BlockReduce<Cell, BLOCK>;
    __shared__ union {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
    } storage;
    __shared__ typename Cells::TempStorage cells;
    int i = blockIdx.x * BLOCK + threadIdx.x, own = in[i];
    int sum = Reduce(storage.reduce).Sum(own);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    __syncthreads();
    int largest = Reduce(storage.reduce).Reduce(own, cub::Max(), 70);
    if (threadIdx.x == 0) most[blockIdx.x] = largest;
    __syncthreads();
    int left;
    Scan(storage.scan).ExclusiveSum(own, left);
    before[i] = left;
    Cell c = Cells(cells).Reduce(Cell{own * 0.5, i}, Heavier());
    if (threadIdx.x == 0) heaviest[blockIdx.x] = c;
}

__global__ void in_items(const int *in, int *sorted, int *sums, int n) {
    using Load = cub::BlockLoad<int, 64, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<int, 64, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<int, 64, ITEMS>;
    using Scan = cub::BlockScan<int, 64>;
    using Exchange = cub::BlockExchange<int, 64, ITEMS>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Sort::TempStorage sort;
        typename Scan::TempStorage scan;
        typename Exchange::TempStorage exchange;
    } storage;
    int items[ITEMS], sum[ITEMS], all;
    Load(storage.load).Load(in, items, n, 1 << 30);
    Scan(storage.scan).InclusiveSum(items, sum, all);
    Store(storage.store).Store(sums, sum, n);
    __syncthreads();
    Sort(storage.sort).Sort(items);
    __syncthreads();
    Exchange(storage.exchange).BlockedToStriped(items);
    cub::StoreDirectStriped<64>(threadIdx.x, sorted, items, n);
}

__global__ void in_warps(const int *in, int *sums, int *before) {
    using Reduce = cub::WarpReduce<int, 16>;
    using Scan = cub::WarpScan<int>;
    __shared__ typename Reduce::TempStorage reduce[4];
    __shared__ typename Scan::TempStorage scan[2];
    int sum = Reduce(reduce[threadIdx.x / 16]).Sum(in[threadIdx.x]);
    if (threadIdx.x % 16 == 0) sums[threadIdx.x / 16] = sum;
    int left;
    Scan(scan[threadIdx.x / 32]).ExclusiveSum(in[threadIdx.x], left);
    before[threadIdx.x] = left;
}

template <class T> struct Device {
    T *data;
    size_t size;
    Device(size_t n) : size(n) { cudaMalloc(&data, n * sizeof(T)); }
    Device(const std::vector<T> &v) : Device(v.size()) { cudaMemcpy(data, v.data(), size * sizeof(T), cudaMemcpyHostToDevice); }
    ~Device() { cudaFree(data); }
    std::vector<T> host() const {
        std::vector<T> v(size);
        cudaMemcpy(v.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }
};

// Asks how much storage an algorithm of the device wants, and runs it.
template <class F> void run(F algorithm) {
    void *storage = nullptr;
    size_t bytes = 0;
    algorithm(storage, bytes);
    cudaMalloc(&storage, bytes);
    algorithm(storage, bytes);
    cudaFree(storage);
}

void told(const char *what, bool right) { printf("%s: %s\n", what, right ? "right" : "WRONG"); }

int main() {
    std::vector<int> in(N);
    for (int i = 0; i < N; ++i) in[i] = i * 7919 % 1009 - 300;
    Device<int> data(in), sums(N / BLOCK), most(N / BLOCK), before(N);
    Device<Cell> heaviest(N / BLOCK);
    in_blocks<<<N / BLOCK, BLOCK>>>(data.data, sums.data, most.data, before.data, heaviest.data);
    auto s = sums.host(), m = most.host(), b = before.host();
    auto h = heaviest.host();
    bool right = true;
    for (int block = 0; block < N / BLOCK; ++block) {
        auto first = in.begin() + block * BLOCK;
        right &= m[block] == *std::max_element(first, first + 70);
        right &= in[h[block].at] == *std::max_element(first, first + BLOCK);
        int sum = 0;
        for (int i = 0; i < BLOCK; ++i) {
            right &= b[block * BLOCK + i] == sum;
            sum += first[i];
        }
        right &= s[block] == sum;
    }
    told("blocks", right);

    const int few = 150;
    Device<int> sorted(few), items(few);
    in_items<<<1, 64>>>(data.data, sorted.data, items.data, few);
    std::vector<int> wanted(in.begin(), in.begin() + few);
    auto inclusive = items.host();
    int sum = 0;
    right = true;
    for (int i = 0; i < few; ++i) right &= inclusive[i] == (sum += wanted[i]);
    std::sort(wanted.begin(), wanted.end());
    told("items", right && sorted.host() == wanted);

    Device<int> groups(4), left(64);
    in_warps<<<1, 64>>>(data.data, groups.data, left.data);
    auto g = groups.host(), l = left.host();
    right = true;
    for (int i = 0, group = 0, warp = 0; i < 64; ++i) {
        if (i % 32 == 0) warp = 0;
        right &= l[i] == warp;
        warp += in[i];
        group += in[i];
        if (i % 16 == 15) right &= g[i / 16] == group, group = 0;
    }
    told("warps", right);

    Device<int> out(N), count(1);
    Device<long> squares(1);
    cub::TransformInputIterator<long, Square, int *> squared(data.data, Square());
    run([&](void *t, size_t &n) { cub::DeviceReduce::Sum(t, n, squared, squares.data, N); });
    long all = 0;
    for (int v : in) all += (long)v * v;
    told("sum of squares", squares.host()[0] == all);
    run([&](void *t, size_t &n) { cub::DeviceReduce::Min(t, n, data.data, count.data, N); });
    told("least", count.host()[0] == *std::min_element(in.begin(), in.end()));
    run([&](void *t, size_t &n) { cub::DeviceScan::InclusiveSum(t, n, data.data, out.data, N); });
    auto scanned = out.host();
    sum = 0;
    right = true;
    for (int i = 0; i < N; ++i) right &= scanned[i] == (sum += in[i]);
    told("prefix sums", right);
    run([&](void *t, size_t &n) { cub::DeviceSelect::If(t, n, data.data, out.data, count.data, N, IsOdd()); });
    wanted.clear();
    std::copy_if(in.begin(), in.end(), std::back_inserter(wanted), IsOdd());
    auto chosen = out.host();
    chosen.resize(count.host()[0]);
    told("chosen", chosen == wanted);
    run([&](void *t, size_t &n) { cub::DeviceRadixSort::SortKeysDescending(t, n, data.data, out.data, N); });
    wanted = in;
    std::sort(wanted.begin(), wanted.end(), std::greater<int>());
    told("sorted", out.host() == wanted);
    std::vector<int> places(N);
    for (int i = 0; i < N; ++i) places[i] = i;
    Device<int> from(places), to(N);
    std::vector<float> keys(N);
    for (int i = 0; i < N; ++i) keys[i] = in[i] / 8;
    Device<float> unsorted(keys), in_order(N);
    run([&](void *t, size_t &n) { cub::DeviceRadixSort::SortPairs(t, n, unsorted.data, in_order.data, from.data, to.data, N); });
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    told("pairs", to.host() == places);
}
