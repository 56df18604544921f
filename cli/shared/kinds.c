// Adds and prints counts of pairs by their kind.

#include "kinds.h"

#include "text.h"

#include <stdio.h>

int64_t sum_kinds(const int64_t counts[TOI_KIND_COUNT])
{
    int64_t sum = 0;
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        sum += counts[kind];
    return sum;
}

void print_kinds(const int64_t counts[TOI_KIND_COUNT])
{
    static const char *const names[TOI_KIND_COUNT] = {"vertex-face", "edge-edge", "point-edge",
                                                      "point-point"};
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        if (kind < TOI_PAIR_KINDS || counts[kind] > 0)
            printf("%s%s %s", kind > 0 ? ", " : "", count_text(counts[kind]).at, names[kind]);
}
