// Fused estimates of kernels by random features: draw, project, exponentiate, sum; nothing else touches memory.
//
// T neighbouring threads ("lanes" below) work on one block of projections; lane l holds the coordinates of the pairs
// p = l, l + T, ..., that is 2 p and 2 p + 1. Draws are those of the portable stream: Philox4x32-10 at the counter
// (pair, stream lane, block, block >> 32), Box-Muller, chi as a Chebyshev series in a normal. The same text compiles for
// the host with T = 1, where its arithmetic is tested.
//
// Defined by the compiler's command line, each with the prefix RF_: D dimension (even), K vectors of the frame, N pairs,
// T lanes, COUPLING (0 iid, 1 orthogonal, 2 simplex), FEATURE (0 positive, 1 trigonometric), REAL (float or double);
// RF_FAST picks the fast device functions.

#ifdef __CUDACC__
#define DEVICE __device__ __forceinline__
#else
#include <cmath>
#define DEVICE static inline
using std::cos;
using std::exp;
using std::fmax;
using std::log;
using std::sin;
using std::sqrt;
#endif

typedef unsigned int u32;
typedef unsigned long long u64;
typedef RF_REAL real;

enum { D = RF_D, K = RF_K, N = RF_N, T = RF_T };

#define PAIRS ((D / 2 + T - 1) / T)
#define REACH 8.6

struct Job {
    u64 key;
    int m, terms, rest_terms;
    const real *coordinates;  // (K, N)
    const real *chis, *rests; // Chebyshev coefficients for the norms, and for the part of w outside the frame
};

// ---- lanes

#ifdef __CUDACC__
DEVICE u32 lanes_mask() {
    if (T == 32) return 0xffffffffu;
    return ((1u << (T & 31)) - 1u) << (threadIdx.x & 31u & ~(u32)(T - 1));
}
template <typename X> DEVICE X lanes_sum(X x) {
    for (int step = T / 2; step > 0; step /= 2) x += __shfl_xor_sync(lanes_mask(), x, step);
    return x;
}
template <typename X> DEVICE X lanes_max(X x) {
    for (int step = T / 2; step > 0; step /= 2) {
        X other = __shfl_xor_sync(lanes_mask(), x, step);
        x = other > x ? other : x;
    }
    return x;
}
#else
template <typename X> DEVICE X lanes_sum(X x) { return x; }
template <typename X> DEVICE X lanes_max(X x) { return x; }
#endif

// ---- functions of one type

#if defined(__CUDACC__) && defined(RF_FAST)
DEVICE float log_of(float x) { return __logf(x); }
DEVICE float exp_of(float x) { return __expf(x); }
DEVICE float cos_of(float x) { return __cosf(x); }
DEVICE void turn(float u, float *c, float *s) { __sincosf(6.283185307179586f * u, s, c); }
#elif defined(__CUDACC__)
DEVICE float log_of(float x) { return logf(x); }
DEVICE float exp_of(float x) { return expf(x); }
DEVICE float cos_of(float x) { return cosf(x); }
DEVICE void turn(float u, float *c, float *s) { sincospif(2.0f * u, s, c); }
#else
DEVICE float log_of(float x) { return std::log(x); }
DEVICE float exp_of(float x) { return std::exp(x); }
DEVICE float cos_of(float x) { return std::cos(x); }
DEVICE void turn(float u, float *c, float *s) {
    *c = std::cos(6.283185307179586f * u);
    *s = std::sin(6.283185307179586f * u);
}
#endif
DEVICE double log_of(double x) { return log(x); }
DEVICE double exp_of(double x) { return exp(x); }
DEVICE double cos_of(double x) { return cos(x); }
DEVICE void turn(double u, double *c, double *s) {
#ifdef __CUDACC__
    sincospi(2.0 * u, s, c);
#else
    *c = cos(6.283185307179586476925 * u);
    *s = sin(6.283185307179586476925 * u);
#endif
}

// ---- draws

DEVICE void philox(u32 c0, u32 c1, u32 c2, u32 c3, u64 key, u32 *out) {
    u32 k0 = (u32)key, k1 = (u32)(key >> 32);
    for (int i = 0; i < 10; i++) {
        u64 left = (u64)0xD2511F53u * c0, right = (u64)0xCD9E8D57u * c2;
        c0 = (u32)(right >> 32) ^ c1 ^ k0;
        c1 = (u32)right;
        c2 = (u32)(left >> 32) ^ c3 ^ k1;
        c3 = (u32)left;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

// The 52 highest bits, in the middle of their cell; in float 31 bits.
DEVICE void uniform(u32 high, u32 low, double *u) {
    *u = ((double)(((u64)high << 20) | (low >> 12)) + 0.5) * (1.0 / 4503599627370496.0);
}
DEVICE void uniform(u32 high, u32 low, float *u) {
    *u = ((float)(int)(high >> 1) + 0.5f) * (1.0f / 2147483648.0f);
}

DEVICE void normals(u64 key, u64 block, u32 stream_lane, u32 pair, real *first, real *second) {
    u32 w[4];
    real u, angle, c, s;
    philox(pair, stream_lane, (u32)block, (u32)(block >> 32), key, w);
    uniform(w[0], w[1], &u);
    uniform(w[2], w[3], &angle);
    real length = sqrt((real)-2 * log_of(u));
    turn(angle, &c, &s);
    *first = length * c;
    *second = length * s;
}

DEVICE real chi(real z, const real *c, int terms) {
    real twice = (real)(2.0 / REACH) * z, now = c[terms - 1], before = 0;
    for (int k = terms - 2; k > 0; k--) {
        real next = twice * now - before + c[k];
        before = now;
        now = next;
    }
    return (real)0.5 * twice * now - before + c[0];
}

// ---- one block

struct Sums {
    real peak[N];
    double total[N];
};

DEVICE void add(Sums *sums, int j, real value) {
#if RF_FEATURE == 1
    sums->total[j] += (double)cos_of(value);
#else
    if (value > sums->peak[j]) {
        sums->total[j] *= (double)exp_of(sums->peak[j] - value);
        sums->peak[j] = value;
    }
    sums->total[j] += (double)exp_of(value - sums->peak[j]);
#endif
}

#if RF_COUPLING == 0
DEVICE void projections(const Job &job, u64 block, int lane, Sums *sums) {
    for (int p = lane; 2 * p < job.m; p += T) {
        real g[2 * K], norm[2], rest[2] = {0, 0};
        for (int a = 0; a < K; a++) normals(job.key, block, 0, (u32)(p * K + a), &g[2 * a], &g[2 * a + 1]);
        normals(job.key, block, 1, (u32)p, &norm[0], &norm[1]);
        if (job.rest_terms) normals(job.key, block, 3, (u32)p, &rest[0], &rest[1]);
        for (int i = 0; i < 2 && 2 * p + i < job.m; i++) {
            real square = 0;
            if (job.rest_terms) {
                real outside = chi(rest[i], job.rests, job.rest_terms);
                square = outside * outside;
            }
            for (int a = 0; a < K; a++) square += g[i * K + a] * g[i * K + a];
            real scale = chi(norm[i], job.chis, job.terms) / sqrt(square);
            for (int j = 0; j < N; j++) {
                real value = 0;
                for (int a = 0; a < K; a++) value += g[i * K + a] * job.coordinates[a * N + j];
                add(sums, j, scale * value);
            }
        }
    }
}
#else
DEVICE real inner(const real *x, const real *y) {
    real sum = 0;
    for (int c = 0; c < 2 * PAIRS; c++) sum += x[c] * y[c];
    return lanes_sum(sum);
}

DEVICE void projections(const Job &job, u64 block, int lane, Sums *sums) {
    const real own = (real)sqrt((double)D / (D - 1.0)), common = (real)((sqrt((double)D) + 1.0) / (D - 1.0));
    const real last_scale = (real)(1.0 / sqrt(D - 1.0));
    for (int copy = 0; copy * D < job.m; copy++) {
        real frame[K][2 * PAIRS], norm[2 * PAIRS];
        for (int c = 0; c < PAIRS; c++) {
            int pair = lane + c * T;
            bool inside = 2 * pair < D;
            for (int i = 0; i < K; i++) {
                frame[i][2 * c] = frame[i][2 * c + 1] = 0;
                if (inside)
                    normals(job.key, block, 0, (u32)((copy * K + i) * (D / 2) + pair), &frame[i][2 * c],
                            &frame[i][2 * c + 1]);
            }
            norm[2 * c] = norm[2 * c + 1] = 0;
            if (inside && copy * D + 2 * pair < job.m) {
                real z[2];
                normals(job.key, block, 1, (u32)(copy * (D / 2) + pair), &z[0], &z[1]);
                norm[2 * c] = chi(z[0], job.chis, job.terms);
                norm[2 * c + 1] = chi(z[1], job.chis, job.terms);
            }
        }
        // Gram-Schmidt, each vector projected twice.
        for (int j = 0; j < K; j++) {
            for (int pass = 0; pass < 2; pass++)
                for (int i = 0; i < j; i++) {
                    real overlap = inner(frame[i], frame[j]);
                    for (int c = 0; c < 2 * PAIRS; c++) frame[j][c] -= overlap * frame[i][c];
                }
            real scale = (real)1 / sqrt(inner(frame[j], frame[j]));
            for (int c = 0; c < 2 * PAIRS; c++) frame[j][c] *= scale;
        }
        for (int j = 0; j < N; j++) {
            real value[2 * PAIRS];
            for (int c = 0; c < 2 * PAIRS; c++) {
                value[c] = 0;
                for (int i = 0; i < K; i++) value[c] += frame[i][c] * job.coordinates[i * N + j];
            }
#if RF_COUPLING == 2
            real head = 0;
            for (int c = 0; c < 2 * PAIRS; c++)
                if (2 * (lane + c / 2 * T) + c % 2 < D - 1) head += value[c];
            head = last_scale * lanes_sum(head);
            for (int c = 0; c < 2 * PAIRS; c++) {
                bool last = 2 * (lane + c / 2 * T) + c % 2 == D - 1;
                value[c] = last ? head : own * value[c] - common * head;
            }
#endif
            for (int c = 0; c < 2 * PAIRS; c++) {
                int a = 2 * (lane + c / 2 * T) + c % 2;
                if (a < D && copy * D + a < job.m) add(sums, j, norm[c] * value[c]);
            }
        }
    }
    (void)own, (void)common, (void)last_scale;
}
#endif

// Logarithms of the means of exp(w . v), or means of cos(w . v), of one block; all lanes get them.
DEVICE void one_block(const Job &job, u64 block, int lane, double *result) {
    Sums sums;
    for (int j = 0; j < N; j++) {
        sums.peak[j] = (real)-1e30;
        sums.total[j] = 0;
    }
    projections(job, block, lane, &sums);
    for (int j = 0; j < N; j++) {
#if RF_FEATURE == 1
        result[j] = lanes_sum(sums.total[j]) / job.m;
#else
        real peak = lanes_max(sums.peak[j]);
        double total = lanes_sum(sums.total[j] * exp((double)sums.peak[j] - (double)peak));
        result[j] = (double)peak + log(total / job.m);
#endif
    }
}

DEVICE double estimate(double result, double offset) {
#if RF_FEATURE == 1
    return result * exp(offset);
#else
    return exp(result + offset);
#endif
}

DEVICE void many_blocks(const Job &job, u64 start, u64 count, u64 group, u64 groups, int lane, double *out) {
    double result[N];
    for (u64 b = group; b < count; b += groups) {
        one_block(job, start + b, lane, result);
        if (lane == 0)
            for (int j = 0; j < N; j++) out[b * N + j] = result[j];
    }
}

// Sums of the first four powers of estimate - centre over the blocks of one group, (N, 4).
DEVICE void power_sums(const Job &job, u64 start, u64 count, u64 group, u64 groups, int lane, const double *offsets,
                       const double *centres, double *out) {
    double result[N], sums[N][4];
    for (int j = 0; j < N; j++)
        for (int p = 0; p < 4; p++) sums[j][p] = 0;
    for (u64 b = group; b < count; b += groups) {
        one_block(job, start + b, lane, result);
        for (int j = 0; j < N; j++) {
            double error = estimate(result[j], offsets[j]) - centres[j], power = 1;
            for (int p = 0; p < 4; p++) {
                power *= error;
                sums[j][p] += power;
            }
        }
    }
    if (lane == 0)
        for (int j = 0; j < N; j++)
            for (int p = 0; p < 4; p++) out[(group * N + j) * 4 + p] = sums[j][p];
}

// ---- entries

#ifdef __CUDACC__
#define ENTRY extern "C" __global__ void
#define GROUP ((u64)blockIdx.x * blockDim.x + threadIdx.x) / T
#define GROUPS ((u64)gridDim.x * blockDim.x) / T
#define LANE (int)(threadIdx.x % T)
#else
#define ENTRY extern "C" void
#define GROUP 0
#define GROUPS 1
#define LANE 0
#endif

ENTRY fused_estimates(double *out, u64 start, u64 count, u64 key, int m, const real *coordinates, const real *chis,
                      int terms, const real *rests, int rest_terms) {
    Job job = {key, m, terms, rest_terms, coordinates, chis, rests};
    many_blocks(job, start, count, GROUP, GROUPS, LANE, out);
}

ENTRY fused_power_sums(double *out, u64 start, u64 count, u64 key, int m, const real *coordinates, const real *chis,
                       int terms, const real *rests, int rest_terms, const double *offsets, const double *centres) {
    Job job = {key, m, terms, rest_terms, coordinates, chis, rests};
    power_sums(job, start, count, GROUP, GROUPS, LANE, offsets, centres, out);
}
