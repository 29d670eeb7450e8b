// Draws of the portable stream, with which every source for CUDA devices begins: Philox4x32-10 at the counter
// (group, stream lane, block, block >> 32), normals by Box-Muller, and polynomials in them. The same text compiles for
// the host, where its arithmetic is tested.

#ifdef __CUDACC__
#define DEVICE __device__ __forceinline__
#define UNROLL _Pragma("unroll")
#define KERNEL extern "C" __global__ void
#define THREAD ((u64)blockIdx.x * blockDim.x + threadIdx.x)
#define ALL_THREADS ((u64)gridDim.x * blockDim.x)
#else
#include <cmath>
#define DEVICE inline
#define UNROLL
#define KERNEL extern "C" void
#define THREAD (u64)0
#define ALL_THREADS (u64)1
using std::cos;
using std::exp2;
using std::fmax;
using std::log;
using std::log2;
using std::sin;
using std::sqrt;
#endif

typedef unsigned int u32;
typedef unsigned long long u64;
typedef RF_REAL real;

DEVICE void philox(u32 c0, u32 c1, u32 c2, u32 c3, const u32 *keys, u32 *out) {
    UNROLL for (int i = 0; i < 10; i++) {
        u64 left = (u64)0xD2511F53u * c0, right = (u64)0xCD9E8D57u * c2;
        c0 = (u32)(right >> 32) ^ c1 ^ keys[2 * i];
        c1 = (u32)right;
        c2 = (u32)(left >> 32) ^ c3 ^ keys[2 * i + 1];
        c3 = (u32)left;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

// A uniform number in the middle of its cell: the 52 highest bits.
DEVICE double middle(u32 high, u32 low) {
    return ((double)(((u64)high << 20) | (low >> 12)) + 0.5) * (1.0 / 4503599627370496.0);
}

#ifdef __CUDACC__
DEVICE void turn(double u, double *c, double *s) { sincospi(2.0 * u, s, c); }
#else
DEVICE void turn(double u, double *c, double *s) {
    *c = cos(6.283185307179586476925 * u);
    *s = sin(6.283185307179586476925 * u);
}
#endif
DEVICE double radius(double u) { return sqrt(-2.0 * log(u)); }

DEVICE void box_muller(const u32 *w, double *first, double *second) {
    double length = radius(middle(w[0], w[1])), c, s;
    turn(middle(w[2], w[3]), &c, &s);
    *first = length * c;
    *second = length * s;
}

// A polynomial, the coefficient of 1 first, by Horner's rule.
template <typename X> DEVICE X horner(X z, const X *terms, int count) {
    X value = terms[count - 1];
    for (int k = count - 2; k >= 0; k--) value = value * z + terms[k];
    return value;
}
