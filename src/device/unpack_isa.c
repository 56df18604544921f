// Unpacks a group of impacts. Compiled once for each instruction set.

#define TOI_LANES 4
#include "base/simd.h"
#include "device/delivery.h"

// Four rows of four words become four columns.
TOI_INLINE void turn(const toi_words rows[4], toi_words columns[4])
{
    toi_words a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6);
    toi_words b = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
    toi_words c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6);
    toi_words d = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
    columns[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    columns[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    columns[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    columns[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

toi_unpack_group_fn TOI_ISA_NAME(toi_unpack_group);

void TOI_ISA_NAME(toi_unpack_group)(const toi_packed_impacts *group, toi_impact *to)
{
    for (int i = 0; i < TOI_PACKED_GROUP; i += TOI_LANES) {
        toi_words first, words[TOI_PACKED_WORDS], fields[8], halves[2][4];
        for (int lane = 0; lane < TOI_LANES; ++lane)
            first[lane] = group->firsts[i + lane];
        for (int k = 0; k < TOI_PACKED_WORDS; ++k)
            memcpy(&words[k], &group->words[k][i], sizeof words[k]);
        toi_unpack_words(first, words, fields);
        turn(fields, halves[0]);
        turn(fields + 4, halves[1]);
        for (int lane = 0; lane < TOI_LANES; ++lane) {
            char *impact = (char *)&to[i + lane];
            memcpy(impact, &halves[0][lane], sizeof halves[0][lane]);
            memcpy(impact + sizeof *to / 2, &halves[1][lane], sizeof halves[1][lane]);
        }
    }
}
