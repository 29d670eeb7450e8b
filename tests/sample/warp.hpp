// What the CUDA source needs of a device, on the host: a thread for each thread of a CUDA block, exchanges between those
// of a warp through memory, and the device's functions by those of the C library. Put before the source.
#include <pthread.h>

#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#define __CUDACC__
#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static
// The source has its machine instructions in one function, by number.
#define asm(...) y = which == 0 ? std::exp2(x) : which == 1 ? std::sqrt(x) : which == 2 ? 1 / std::sqrt(x) : std::log2(x)

using std::cos;
using std::exp2;
using std::fmax;
using std::log;
using std::log2;
using std::sin;
using std::sqrt;

struct Index {
    unsigned x;
};
static thread_local Index threadIdx, blockIdx, blockDim, gridDim;

struct Warp {
    pthread_barrier_t together;
    double slots[32];
};
static Warp warps[16];
static pthread_barrier_t all_together;

template <typename X> X __shfl_xor_sync(unsigned, X x, int step) {
    Warp &own = warps[threadIdx.x / 32];
    X other;
    std::memcpy(&own.slots[threadIdx.x % 32], &x, sizeof x);
    pthread_barrier_wait(&own.together);
    std::memcpy(&other, &own.slots[(threadIdx.x % 32) ^ step], sizeof x);
    pthread_barrier_wait(&own.together);
    return other;
}
inline void __syncthreads() { pthread_barrier_wait(&all_together); }

static const double PI = 3.141592653589793238463;
inline void sincospi(double u, double *s, double *c) { *s = sin(PI * u), *c = cos(PI * u); }
inline void sincospif(float u, float *s, float *c) { *s = (float)sin(PI * u), *c = (float)cos(PI * u); }
inline void __sincosf(float u, float *s, float *c) { *s = std::sin(u), *c = std::cos(u); }
inline float __cosf(float x) { return std::cos(x); }
inline double cospi(double x) { return cos(PI * x); }
inline float cospif(float x) { return (float)cos(PI * x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline unsigned __float_as_uint(float x) {
    unsigned bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
inline int __double2loint(double x) {
    int bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Runs a kernel, one CUDA block after the other.
template <typename Kernel> void launch(unsigned grid, unsigned threads, Kernel kernel) {
    for (unsigned warp = 0; warp < threads / 32; warp++) pthread_barrier_init(&warps[warp].together, nullptr, 32);
    pthread_barrier_init(&all_together, nullptr, threads);
    for (unsigned block = 0; block < grid; block++) {
        std::vector<std::thread> all;
        for (unsigned thread = 0; thread < threads; thread++)
            all.emplace_back([=] {
                threadIdx = {thread}, blockIdx = {block}, blockDim = {threads}, gridDim = {grid};
                kernel();
            });
        for (std::thread &one : all) one.join();
    }
    for (unsigned warp = 0; warp < threads / 32; warp++) pthread_barrier_destroy(&warps[warp].together);
    pthread_barrier_destroy(&all_together);
}
