// Words and normals of the portable stream, one block in each row of the result. The text of draws.cu stands before
// this one, and RF_REAL is the type of the normals, which are computed in double.

// The two key words of each round.
DEVICE void round_keys(u32 key0, u32 key1, u32 *keys) {
    UNROLL for (int i = 0; i < 10; i++) {
        keys[2 * i] = key0 + i * 0x9E3779B9u;
        keys[2 * i + 1] = key1 + i * 0xBB67AE85u;
    }
}

// out is (blocks, count); a group has four words.
KERNEL stream_words(u32 *out, u64 start, u64 blocks, u64 count, u32 lane, u32 key0, u32 key1) {
    u64 groups = (count + 3) / 4;
    u32 words[4], keys[20];
    round_keys(key0, key1, keys);
    for (u64 i = THREAD; i < blocks * groups; i += ALL_THREADS) {
        u64 row = i / groups, group = i % groups, block = start + row;
        philox((u32)group, lane, (u32)block, (u32)(block >> 32), keys, words);
        for (int k = 0; k < 4; k++)
            if (4 * group + k < count) out[row * count + 4 * group + k] = words[k];
    }
}

// Polynomials in standard normals, (blocks, count), or the normals themselves without terms; a group of four words is
// a pair of normals.
KERNEL stream_normals(real *out, u64 start, u64 blocks, u64 count, u32 lane, u32 key0, u32 key1, const double *terms,
                      int term_count) {
    u64 pairs = (count + 1) / 2;
    u32 words[4], keys[20];
    round_keys(key0, key1, keys);
    for (u64 i = THREAD; i < blocks * pairs; i += ALL_THREADS) {
        u64 row = i / pairs, pair = i % pairs, block = start + row;
        philox((u32)pair, lane, (u32)block, (u32)(block >> 32), keys, words);
        double drawn[2];
        box_muller(words, &drawn[0], &drawn[1]);
        for (int k = 0; k < 2; k++)
            if (2 * pair + k < count)
                out[row * count + 2 * pair + k] = (real)(term_count ? horner(drawn[k], terms, term_count) : drawn[k]);
    }
}
