// Fused estimates of kernels by random features: draw, project, exponentiate, sum; nothing else touches memory.
//
// T neighbouring threads ("lanes" below) work on one block of projections; lane l holds the coordinates of the pairs
// p = l, l + T, ..., that is 2 p and 2 p + 1. Draws come from draws.cu, which stands before this text: a word's group is
// a pair, and a chi is a series in a normal. On the host T = 1.
//
// Defined by the compiler's command line, each with the prefix RF_: D dimension (even), K vectors of the frame, N pairs,
// T lanes, THREADS of a CUDA block, COUPLING (0 iid, 1 orthogonal, 2 simplex), FEATURE (0 positive, 1 trigonometric),
// REAL (float or double), CHIS the polynomial of the norms, RESTS for iid the one of the part of w outside the frame,
// absent if there is none; RF_WHOLE says that m is a multiple of D, RF_FAST picks the fast device functions.
// RF_RESIDENT is the number of CUDA blocks that a processor has to have registers for: left to itself, the compiler
// saves registers to fit in more of them, and keeps numbers in memory.
//
// Inner products come in the unit of the feature: powers of two for positive features, half turns for cosines. That
// is a factor of the coordinates, which the caller puts in, and saves the functions a multiplication each.

enum { D = RF_D, K = RF_K, N = RF_N, T = RF_T, THREADS = RF_THREADS };

#define PAIRS ((D / 2 + T - 1) / T)
#define HELD (2 * PAIRS) // coordinates that a lane holds
#define LOWEST (-1e30f)

#ifdef RF_WHOLE
#define EVERY (D / 2 % T == 0)
#else
#define EVERY false
#endif

// Passed by value, so that what every thread reads lies in the constant bank that instructions address directly.
struct Job {
    u64 start, count;            // blocks
    u32 keys[20];                // Philox: two for each round
    int m;                       // projections of a block
    real coordinates[K * N];     // in the unit of the feature, (K, N)
    double offsets[N];           // logarithms to base two of the factors of the estimates
    double centres[N];           // what is taken off before powers are summed
};

// ---- lanes

// A CUDA block has THREADS threads, and all of them go the same way, so that all can take part in an exchange.
#ifdef __CUDACC__
#define WARP 32
struct Plus {
    template <typename X> static DEVICE X of(X x, X y) { return x + y; }
};
struct Larger {
    template <typename X> static DEVICE X of(X x, X y) { return fmax(x, y); }
};
template <typename Operation, typename X> DEVICE X over_threads(X x, int threads) {
    UNROLL for (int step = threads / 2; step > 0; step /= 2)
        x = Operation::of(x, __shfl_xor_sync(0xffffffffu, x, step));
    return x;
}
// More lanes than a warp has threads meet in shared memory.
template <typename Operation, typename X> DEVICE X over_lanes(X x) {
    if (T <= WARP) return over_threads<Operation>(x, T);
    __shared__ X met[THREADS / WARP];
    x = over_threads<Operation>(x, WARP);
    if (threadIdx.x % WARP == 0) met[threadIdx.x / WARP] = x;
    __syncthreads();
    const X *own = met + threadIdx.x / T * (T / WARP);
    x = own[0];
    UNROLL for (int i = 1; i < T / WARP; i++) x = Operation::of(x, own[i]);
    __syncthreads();
    return x;
}
template <typename X> DEVICE X sum_over_warp(X x) { return over_threads<Plus>(x, WARP); }
template <typename X> DEVICE X lanes_sum(X x) { return over_lanes<Plus>(x); }
template <typename X> DEVICE X lanes_max(X x) { return over_lanes<Larger>(x); }
#else
#define WARP 1
template <typename X> DEVICE X sum_over_warp(X x) { return x; }
template <typename X> DEVICE X lanes_sum(X x) { return x; }
template <typename X> DEVICE X lanes_max(X x) { return x; }
#endif

// ---- uniform numbers in float, in the middle of their cells

// One of 2^31 cells, times a range. The product with a power of two is exact, so that nothing depends on fusion.
DEVICE float middle(int cell, float range) {
    return (float)cell * (range * (1.0f / 2147483648.0f)) + range * (1.0f / 4294967296.0f);
}
// The 31 highest bits as a part of a turn between -1/2 and 1/2, where the fast functions are at their best.
DEVICE float turned(u32 word, float range) { return middle((int)word >> 1, range); }

// ---- functions of one type

#ifdef __CUDACC__
DEVICE float assembled(float x, int which) {
    float y;
    if (which == 0) asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    if (which == 1) asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    if (which == 2) asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    if (which == 3) asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
// These three are as exact as float: relative errors of 2^-22.5, 2^-23 and 2^-22.9.
DEVICE float exp2_of(float x) { return assembled(x, 0); }
DEVICE float sqrt_of(float x) { return assembled(x, 1); }
DEVICE float inverse_sqrt(float x) { return assembled(x, 2); }
#ifdef RF_FAST
DEVICE float radius(float u) { return sqrt_of(-1.38629436f * assembled(u, 3)); }
DEVICE void turn(u32 word, float *c, float *s) { __sincosf(turned(word, 6.28318531f), s, c); }
DEVICE float cos_of(float x) { return __cosf(3.14159265f * (x - 2.0f * rintf(0.5f * x))); }
#else
DEVICE float radius(float u) { return sqrt_of(-2.0f * logf(u)); }
DEVICE void turn(u32 word, float *c, float *s) { sincospif(turned(word, 2.0f), s, c); }
DEVICE float cos_of(float x) { return cospif(x); }
#endif
DEVICE double cos_of(double x) { return cospi(x); }
DEVICE double inverse_sqrt(double x) { return rsqrt(x); }
#else
DEVICE float exp2_of(float x) { return std::exp2(x); }
DEVICE float sqrt_of(float x) { return std::sqrt(x); }
DEVICE float inverse_sqrt(float x) { return 1 / std::sqrt(x); }
DEVICE float radius(float u) { return std::sqrt(-2.0f * std::log(u)); }
DEVICE float cos_of(float x) { return (float)cos(3.141592653589793238463 * (double)x); }
DEVICE void turn(u32 word, float *c, float *s) {
    float angle = turned(word, 6.283185307179586f);
    *c = std::cos(angle);
    *s = std::sin(angle);
}
DEVICE double cos_of(double x) { return cos(3.141592653589793238463 * x); }
DEVICE double inverse_sqrt(double x) { return 1 / sqrt(x); }
#endif
DEVICE double exp2_of(double x) { return exp2(x); }

// ---- draws

DEVICE void box_muller(const u32 *w, float *first, float *second) {
    float length = radius(middle((int)(w[0] >> 1), 1.0f)), c, s;
    turn(w[2], &c, &s);
    *first = length * c;
    *second = length * s;
}

DEVICE void normals(const Job &job, u64 block, u32 stream_lane, u32 pair, real *first, real *second) {
    u32 w[4];
    philox(pair, stream_lane, (u32)block, (u32)(block >> 32), job.keys, w);
    box_muller(w, first, second);
}

DEVICE real chi_norm(real z) {
    const real series[] = {RF_CHIS};
    return horner(z, series, sizeof series / sizeof *series);
}

// ---- one copy of D projections

// With many pairs a lane the compiler would begin all draws before it ends one, and keep what lies between them in
// memory. Every fifth pair waits for a number of the one before: the lane as it was, which only the program knows,
// for there are fewer than 2^62 blocks.
#define IN_TURN (PAIRS > 32)
#ifdef __CUDACC__
DEVICE u32 some_bits(float x) { return __float_as_uint(x); }
DEVICE u32 some_bits(double x) { return (u32)__double2loint(x); }
DEVICE int waited(const Job &job, int lane, int c, real drawn) {
    return IN_TURN && c % 5 == 4 ? lane ^ (int)(some_bits(drawn) & (u32)(job.count >> 62)) : lane;
}
#else
DEVICE int waited(const Job &, int lane, int, real) { return lane; }
#endif

// The row that a lane holds at place c, and whether it is one of the m.
DEVICE int row_at(int lane, int c) { return 2 * (lane + c / 2 * T) + c % 2; }
DEVICE bool counts(const Job &job, int copy, int row) { return EVERY || (row < D && copy * D + row < job.m); }

DEVICE void draw_frame(const Job &job, u64 block, int copy, int &lane, real frame[K][HELD]) {
    UNROLL for (int c = 0; c < PAIRS; c++) {
        int pair = lane + c * T;
        real drawn[2 * K] = {};
        UNROLL for (int i = 0; i < K; i++) {
#if RF_COUPLING == 0
            u32 slot = (u32)((copy * (D / 2) + pair) * K + i); // row after row of the projections
#else
            u32 slot = (u32)((copy * K + i) * (D / 2) + pair); // vector after vector of the frame
#endif
            if (D / 2 % T == 0 || pair < D / 2) normals(job, block, 0, slot, &drawn[2 * i], &drawn[2 * i + 1]);
        }
        UNROLL for (int i = 0; i < K; i++) UNROLL for (int h = 0; h < 2; h++)
            frame[i][2 * c + h] = drawn[RF_COUPLING == 0 ? h * K + i : 2 * i + h];
        lane = waited(job, lane, c, drawn[0]);
    }
}

// Lengths of the two projections at place c; for iid over the lengths of the Gaussian vectors whose first K coordinates
// are drawn.
DEVICE void draw_scales(const Job &job, u64 block, int copy, int &lane, const real frame[K][HELD], real *scale, int c) {
    int pair = copy * (D / 2) + lane + c * T;
    real z[2];
    normals(job, block, 1, (u32)pair, &z[0], &z[1]);
    scale[0] = chi_norm(z[0]);
    scale[1] = chi_norm(z[1]);
    lane = waited(job, lane, c, z[0]);
#if RF_COUPLING == 0
    real square[2] = {0, 0};
#ifdef RF_RESTS
    const real rests[] = {RF_RESTS};
    real outside[2];
    normals(job, block, 3, (u32)pair, &outside[0], &outside[1]);
    UNROLL for (int h = 0; h < 2; h++) {
        outside[h] = horner(outside[h], rests, sizeof rests / sizeof *rests);
        square[h] = outside[h] * outside[h];
    }
#endif
    UNROLL for (int h = 0; h < 2; h++) {
        UNROLL for (int i = 0; i < K; i++) square[h] += frame[i][2 * c + h] * frame[i][2 * c + h];
        scale[h] *= inverse_sqrt(square[h]);
    }
#endif
    (void)frame;
}

DEVICE real inner(const real *x, const real *y) {
    real sum = 0;
    UNROLL for (int c = 0; c < HELD; c++) sum += x[c] * y[c];
    return lanes_sum(sum);
}

// Gram-Schmidt, each vector projected twice. Few vectors keep their lengths, whose inverses are returned; many get the
// length one, which is less work than to divide by lengths wherever they meet, and leaves registers for other numbers.
#define NORMALISED (K > HELD)
DEVICE void orthogonalise(real frame[K][HELD], real *inverse) {
    UNROLL for (int j = 0; j < K; j++) {
        UNROLL for (int pass = 0; pass < 2; pass++) UNROLL for (int i = 0; i < j; i++) {
            real overlap = inner(frame[i], frame[j]) * inverse[i] * inverse[i];
            UNROLL for (int c = 0; c < HELD; c++) frame[j][c] -= overlap * frame[i][c];
        }
        inverse[j] = inverse_sqrt(inner(frame[j], frame[j]));
        if (NORMALISED) {
            UNROLL for (int c = 0; c < HELD; c++) frame[j][c] *= inverse[j];
            inverse[j] = 1;
        }
    }
}

// The rows of the simplex from those of the rotation.
DEVICE void simplex(real *value, int lane) {
    const real own = (real)sqrt((double)D / (D - 1.0)), common = (real)((sqrt((double)D) + 1.0) / (D - 1.0));
    const real last_scale = (real)(1.0 / sqrt(D - 1.0));
    real head = 0;
    UNROLL for (int c = 0; c < HELD; c++) if (row_at(lane, c) < D - 1) head += value[c];
    head = last_scale * lanes_sum(head);
    UNROLL for (int c = 0; c < HELD; c++) value[c] = own * value[c] - common * head;
    UNROLL for (int c = 0; c < HELD; c++) if (row_at(lane, c) == D - 1) value[c] = head;
}

// ---- one block

// A mean of cosines is total; of exponentials 2^peak total.
struct Sums {
    float peak[N];
    double total[N];
};

DEVICE void add(const Job &job, int copy, int lane, real *value, float *peak, double *total) {
    real sum = 0;
#if RF_FEATURE == 1
    UNROLL for (int c = 0; c < HELD; c++) if (counts(job, copy, row_at(lane, c))) sum += cos_of(value[c]);
    *total += (double)sum;
    (void)peak;
#else
    real top = LOWEST;
    UNROLL for (int c = 0; c < HELD; c++) {
        if (!counts(job, copy, row_at(lane, c))) value[c] = LOWEST;
        top = fmax(top, value[c]);
    }
    float before = *peak;
    *peak = fmax(before, (float)top);
    UNROLL for (int c = 0; c < HELD; c++) sum += exp2_of(value[c] - (real)*peak);
    *total = *total * (double)exp2_of((real)before - (real)*peak) + (double)sum;
#endif
}

// All lanes get the sums over all lanes.
DEVICE void one_block(const Job &job, u64 block, int &lane, Sums *sums) {
    UNROLL for (int j = 0; j < N; j++) {
        sums->peak[j] = LOWEST;
        sums->total[j] = 0;
    }
    for (int copy = 0; copy * D < job.m; copy++) {
        real frame[K][HELD], inverse[K], scale[HELD];
        draw_frame(job, block, copy, lane, frame);
#if RF_COUPLING == 0
        UNROLL for (int i = 0; i < K; i++) inverse[i] = 1;
#else
        orthogonalise(frame, inverse);
#endif
        UNROLL for (int j = 0; j < N; j++) {
            real value[HELD];
            UNROLL for (int c = 0; c < HELD; c++) value[c] = 0;
            UNROLL for (int i = 0; i < K; i++) {
                real coordinate = inverse[i] * job.coordinates[i * N + j];
                UNROLL for (int c = 0; c < HELD; c++) value[c] += frame[i][c] * coordinate;
            }
#if RF_COUPLING == 2
            simplex(value, lane);
#endif
            // Drawn late and used at once, so that fewer numbers are alive at a time.
            UNROLL for (int c = 0; c < PAIRS; c++) {
                if (j == 0) draw_scales(job, block, copy, lane, frame, &scale[2 * c], c);
                value[2 * c] *= scale[2 * c];
                value[2 * c + 1] *= scale[2 * c + 1];
            }
            add(job, copy, lane, value, &sums->peak[j], &sums->total[j]);
        }
    }
    UNROLL for (int j = 0; j < N; j++) {
#if RF_FEATURE == 0
        float peak = lanes_max(sums->peak[j]);
        sums->total[j] *= (double)exp2_of((real)sums->peak[j] - (real)peak);
        sums->peak[j] = peak;
#endif
        sums->total[j] = lanes_sum(sums->total[j]);
    }
}

// ---- many blocks

// What a thread is of its launch. Group g works on the blocks g, g + groups, ...; all groups go on for equally many
// rounds, so that the threads of a warp stay together, and blocks beyond the last are left out of the result.
struct Place {
    u64 group, groups;
    int lane;
};

// The logarithms and exponentials in double that end a block would cost more than everything else if each lane computed
// all of them, and the sums of all pairs more registers than there are. So the lanes share them: with fewer pairs than
// lanes, a group ends TURNS blocks at a time, and lane l pair l % N of the block of turn l / N; otherwise lane l ends
// the pairs l, l + T, ... of one block, which have the places 0, 1, ... in what it keeps.
#define TURNS (N < T ? T / N : 1)
#define PLACES ((N + T - 1) / T)
DEVICE int turn_of(int lane) { return N < T ? lane / N : 0; }
DEVICE int pair_of(int lane, int place) { return N < T ? lane % N : lane + place * T; }
DEVICE bool ends(int lane, int j) { return N < T ? lane % N == j : lane == j % T; }

struct Own {
    float peak[PLACES];
    double total[PLACES];
};

template <typename Take> DEVICE void for_each_block(const Job &job, Place at, Take &take) {
    u64 rounds = (job.count + at.groups - 1) / at.groups;
    int drawing = at.lane; // the same number, which draws wait for
    for (u64 first = 0; first < rounds; first += TURNS) {
        Own own = {};
        int some = rounds - first < TURNS ? (int)(rounds - first) : TURNS;
#ifdef __CUDACC__
#pragma unroll 1
#endif
        for (int i = 0; i < some; i++) {
            Sums sums;
            one_block(job, job.start + (first + i) * at.groups + at.group, drawing, &sums);
            if (i == turn_of(at.lane)) UNROLL for (int j = 0; j < N; j++) if (ends(at.lane, j)) {
                own.peak[j / T] = sums.peak[j];
                own.total[j / T] = sums.total[j];
            }
        }
        u64 block = (first + turn_of(at.lane)) * at.groups + at.group;
        bool given = turn_of(at.lane) < TURNS && block < job.count;
        UNROLL for (int k = 0; k < PLACES; k++) {
            int j = pair_of(at.lane, k);
            if (given && j < N) take(job, block, j, k, own.peak[k], own.total[k]);
        }
    }
}

// Logarithms of the means of exp(w . v), or means of cos(w . v).
struct Means {
    double share;
    double *out;
    DEVICE void operator()(const Job &, u64 block, int j, int, float peak, double total) {
#if RF_FEATURE == 1
        out[block * N + j] = share * total;
        (void)peak;
#else
        out[block * N + j] = 0.693147180559945309417 * ((double)peak + log2(share * total));
#endif
    }
};

// Sums of the first four powers of estimate - centre.
struct Powers {
    double share;
    double sums[PLACES][4];
    DEVICE void operator()(const Job &job, u64, int j, int place, float peak, double total) {
#if RF_FEATURE == 1
        double factor = exp2(job.offsets[j]);
        (void)peak;
#else
        double factor = exp2((double)peak + job.offsets[j]);
#endif
        double error = factor * (share * total) - job.centres[j], power = 1;
        UNROLL for (int p = 0; p < 4; p++) {
            power *= error;
            sums[place][p] += power;
        }
    }
};

// ---- entries

#ifdef __CUDACC__
#define ENTRY KERNEL __launch_bounds__(THREADS, RF_RESIDENT)
#define PLACE {THREAD / T, ALL_THREADS / T, (int)(threadIdx.x % T)}
#else
#define ENTRY KERNEL
#define PLACE {0, 1, 0}
#endif

// (blocks, N)
ENTRY fused_estimates(double *out, const Job job) {
    Place at = PLACE;
    Means means = {1.0 / job.m, out};
    for_each_block(job, at, means);
}

// (warps, N, 4)
ENTRY fused_power_sums(double *out, const Job job) {
    Place at = PLACE;
    Powers powers = {1.0 / job.m, {}};
    for_each_block(job, at, powers);
    UNROLL for (int j = 0; j < N; j++) UNROLL for (int p = 0; p < 4; p++) {
        double sum = sum_over_warp(ends(at.lane, j) ? powers.sums[j / T][p] : 0.0);
        if (THREAD % WARP == 0) out[(THREAD / WARP * N + j) * 4 + p] = sum;
    }
}
