// Queries whose answers a person can derive: what the slow twin itself is checked against.

#ifndef TOI_TEST_HAND_CASES_H
#define TOI_TEST_HAND_CASES_H

#include "toi/narrow_phase.h"

// The number (p + q sqrt(r)) / (s + plus); r >= 0, s + plus > 0.
typedef struct surd
{
    double p, q, r, s, plus;
} surd;

typedef struct hand_case
{
    const char *reason;
    toi_kind kind;
    toi_query query;
    int contacts; // separate intervals of contact in [0, 1]; 0: they never touch
    surd time;    // of the first contact
} hand_case;

extern const hand_case hand_cases[];
extern const int hand_case_count;

// -1, 0 or 1: how x, a finite number, compares with the surd. Exact.
int compare_with_surd(double x, const surd *number);

#endif
