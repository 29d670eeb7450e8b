// What the CUDA source needs of a device, on the host: the threads of a CUDA block in turn, each until it has to wait
// for others, exchanges between those of a warp through memory, and the device's functions by those of the C library.
// Put before the source.
#include <setjmp.h>
#include <ucontext.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
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
static Index threadIdx, blockIdx, blockDim, gridDim;

// A thread of the CUDA block, with a stack of its own; its first turn begins it, later ones go on where it waits.
struct Strand {
    std::unique_ptr<char[]> stack;
    ucontext_t begin;
    jmp_buf waits;
    bool begun, ended;
};
static Strand *running;
static jmp_buf next_turn;
static std::function<void()> body;

static void run_body() {
    body();
    running->ended = true;
    _longjmp(next_turn, 1);
}
static void give_turn(Strand &strand) {
    running = &strand;
    if (_setjmp(next_turn)) return;
    if (strand.begun) _longjmp(strand.waits, 1);
    strand.begun = true;
    setcontext(&strand.begin);
}

struct Barrier {
    unsigned count, arrived, round;
    void wait() {
        const unsigned own = round;
        if (++arrived == count) arrived = 0, round++;
        while (round == own)
            if (!_setjmp(running->waits)) _longjmp(next_turn, 1);
    }
};
struct Warp {
    Barrier together;
    double slots[32];
};
static Warp warps[16];
static Barrier all_together;

template <typename X> X __shfl_xor_sync(unsigned, X x, int step) {
    Warp &own = warps[threadIdx.x / 32];
    X other;
    std::memcpy(&own.slots[threadIdx.x % 32], &x, sizeof x);
    own.together.wait();
    std::memcpy(&other, &own.slots[(threadIdx.x % 32) ^ step], sizeof x);
    own.together.wait();
    return other;
}
inline void __syncthreads() { all_together.wait(); }

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
    const size_t room = 1 << 18;
    for (unsigned warp = 0; warp < threads / 32; warp++) warps[warp].together = {32, 0, 0};
    all_together = {threads, 0, 0};
    body = kernel;
    std::vector<Strand> strands(threads);
    for (Strand &one : strands) one.stack.reset(new char[room]);
    for (unsigned block = 0; block < grid; block++) {
        blockIdx = {block}, blockDim = {threads}, gridDim = {grid};
        for (Strand &one : strands) {
            getcontext(&one.begin);
            one.begin.uc_stack.ss_sp = one.stack.get(), one.begin.uc_stack.ss_size = room;
            makecontext(&one.begin, run_body, 0);
            one.begun = one.ended = false;
        }
        for (unsigned left = threads; left > 0;)
            for (unsigned thread = 0; thread < threads; thread++)
                if (!strands[thread].ended) {
                    threadIdx = {thread};
                    give_turn(strands[thread]);
                    left -= strands[thread].ended;
                }
    }
}
