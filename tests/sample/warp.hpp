// What the CUDA source needs of a device, on the host: 32 threads for the lanes of a warp, exchanges between them
// through memory, and the device's functions by those of the C library. Put before the source.
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

static pthread_barrier_t together;
static double slots[32];

template <typename X> X __shfl_xor_sync(unsigned, X x, int step) {
    X other;
    std::memcpy(&slots[threadIdx.x % 32], &x, sizeof x);
    pthread_barrier_wait(&together);
    std::memcpy(&other, &slots[(threadIdx.x % 32) ^ step], sizeof x);
    pthread_barrier_wait(&together);
    return other;
}

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

// Runs a kernel warp after warp.
template <typename Kernel> void launch(unsigned grid, unsigned threads, Kernel kernel) {
    pthread_barrier_init(&together, nullptr, 32);
    for (unsigned block = 0; block < grid; block++)
        for (unsigned warp = 0; warp < threads; warp += 32) {
            std::vector<std::thread> lanes;
            for (unsigned lane = 0; lane < 32; lane++)
                lanes.emplace_back([=] {
                    threadIdx = {warp + lane}, blockIdx = {block}, blockDim = {threads}, gridDim = {grid};
                    kernel();
                });
            for (std::thread &lane : lanes) lane.join();
        }
    pthread_barrier_destroy(&together);
}
