// Any bytes as a truth file, and as the certificate of a time: refused with a message, or sound all
// through. Files get their hashes made right, or nothing would be looked at.

#include "fuzz.h"

#include "truth_seal.h"

#include <math.h>

static void check_time(const toi_exact_time *time)
{
    double floor = toi_exact_time_floor(time);
    CHECK(floor >= 0 && floor <= 1);
    CHECK(toi_exact_time_compare_double(time, floor) == (toi_exact_time_is_double(time) ? 0 : 1));
    CHECK(toi_exact_time_compare_double(time, nextafter(floor, 2)) < 0);
    int order;
    CHECK(toi_exact_time_compare(time, time, &order) == TOI_OK && order == 0);
}

// What is a certificate has no other bytes.
static void decode(const uint8_t *data, size_t size)
{
    static uint8_t again[TOI_EXACT_TIME_BYTES];
    toi_exact_time *time;
    if (toi_decode_exact_time(data, (int64_t)size, &time) == TOI_OK) {
        check_time(time);
        CHECK(toi_encode_exact_time(time, again, sizeof again) == (int64_t)size);
        CHECK(memcmp(again, data, size) == 0);
    } else {
        CHECK(!time && strstr(toi_last_message(), "not a certificate"));
    }
    toi_free_exact_time(time);
}

static void walk(const toi_truth *truth)
{
    toi_mesh mesh = toi_truth_mesh(truth);
    CHECK(toi_check_mesh(&mesh) == TOI_OK);
    for (int kind = 0; kind < TOI_PAIR_KINDS; ++kind) {
        int64_t count = toi_truth_count(truth, (toi_kind)kind), hits = 0;
        for (int64_t i = 0; i < count; ++i) {
            toi_truth_entry entry = toi_truth_at(truth, (toi_kind)kind, i);
            toi_query query = toi_gather_query(&mesh, (toi_kind)kind, entry.pair);
            CHECK(isfinite(query.start[0][0]));
            toi_exact_time *time;
            if (toi_truth_time(truth, (toi_kind)kind, i, &time) == TOI_OK) {
                CHECK(entry.hit == (time != NULL));
                CHECK(!time || toi_exact_time_floor(time) == entry.time);
            } else {
                CHECK(!time && strstr(toi_last_message(), "x.truth: "));
            }
            toi_free_exact_time(time);
            hits += entry.hit;
        }
        CHECK(hits == toi_truth_hits(truth, (toi_kind)kind));
    }
}

static void parse(const uint8_t *data, size_t size)
{
    toi_truth *truth;
    if (toi_parse_truth("x.truth", data, size, &truth) == TOI_OK)
        walk(truth);
    else
        CHECK(!truth && strstr(toi_last_message(), "x.truth: "));
    toi_close_truth(truth);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode(data, size);
    uint8_t *copy = malloc(size ? size : 1); // aligned, and its end is seen by sanitizers
    CHECK(copy);
    if (size > 0)
        memcpy(copy, data, size);
    parse(copy, size);
    seal_truth(copy, size);
    parse(copy, size);
    free(copy);
    return 0;
}
