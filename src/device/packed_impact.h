// An impact in 44 bytes, for its way over a bus to a host that gives it its 64 back, bit for bit:
// docs/cuda.md, section 3. 32 of them are a group; one with an impact that does not fit goes as it
// is.
//
// Numbers that are 0, or from 2^-30 to less than 2, need 57 bits: five for the exponent, and what
// comes after the first digit. The largest component of a unit vector follows from the others but
// for its sign and a few units in the last place. What is left of five words of 64 bits holds the
// second primitive; the first and the kind have 32 bits of their own.

#ifndef TOI_DEVICE_PACKED_IMPACT_H
#define TOI_DEVICE_PACKED_IMPACT_H

#include "kernel/lanes.h"
#include "toi/ccd.h"

enum
{
    TOI_PACKED_GROUP = 32, // impacts
    TOI_PACKED_CHUNK = 16, // groups: the host is told of so many at once
    TOI_PACKED_WORDS = 5,
    TOI_PACKED_BITS = 57,   // of a number
    TOI_PACKED_SECOND = 25, // bits of the second primitive
    TOI_PACKED_OFF = 16     // units in the last place that the largest component may be off, to
                            // either side
};

typedef struct toi_packed_impacts
{
    uint32_t firsts[TOI_PACKED_GROUP]; // the first primitive, and the kind in the highest bit
    uint64_t words[TOI_PACKED_WORDS][TOI_PACKED_GROUP];
} toi_packed_impacts;

typedef union toi_impact_group
{
    toi_packed_impacts packed;
    toi_impact plain[TOI_PACKED_GROUP];
} toi_impact_group;

// Says that a chunk is there: on a line of its own, since a line that the host looks at all the
// time is slow to write for a card.
typedef struct toi_chunk_mark
{
    uint64_t word;  // the number of the question, and in the low bits which groups go as they are
    uint64_t taken; // the host's: the number of the question when a worker has taken the chunk
    uint64_t unused[6];
} toi_chunk_mark;

// Words of 64 bits without a sign, as many as there are lanes. TOI_WORDS_TEST(): all ones where
// true.
#if TOI_LANES == 1
typedef uint64_t toi_words;
#define TOI_WORDS_TEST(condition) ((condition) ? ~(toi_words)0 : 0)
#else
typedef uint64_t toi_words __attribute__((vector_size(sizeof(uint64_t) * TOI_LANES)));
#define TOI_WORDS_TEST(condition) ((toi_words)(condition))
#endif

#define TOI_PACKED_BASE ((uint64_t)992 << TOI_MANTISSA)
#define TOI_PACKED_REST (((uint64_t)1 << TOI_PACKED_BITS) - 1)

// The largest component of a unit vector, about, from the other two: the same bits everywhere.
TOI_INLINE toi_real toi_rest_of_unit(toi_real x, toi_real y)
{
    return toi_sqrt((1 - x * x) - y * y);
}

#if TOI_LANES == 1
// Returns false where that has no room for it. No number is less than 0 here, and -0 has none.
TOI_INLINE int toi_pack_number(double x, uint64_t *word)
{
    uint64_t bits = (uint64_t)toi_to_bits(x), packed = bits - TOI_PACKED_BASE;
    *word = bits == 0 ? 0 : packed & TOI_PACKED_REST;
    return bits == 0 || (packed >= (uint64_t)1 << TOI_MANTISSA && packed <= TOI_PACKED_REST);
}

// The largest component of a normal, as an axis, and the others in order; the last three bits of
// `rest` are axis and sign, above them is how far it is off. Returns false where it does not fit.
TOI_INLINE int toi_pack_normal(const double n[3], double others[2], uint64_t *rest)
{
    double a = fabs(n[0]), b = fabs(n[1]), c = fabs(n[2]);
    int axis = a >= b && a >= c ? 0 : b >= c ? 1 : 2;
    double largest = axis == 0 ? n[0] : axis == 1 ? n[1] : n[2];
    others[0] = axis == 0 ? n[1] : n[0];
    others[1] = axis == 2 ? n[1] : n[2];
    double about = toi_rest_of_unit(others[0], others[1]);
    uint64_t off = (uint64_t)toi_to_bits(fabs(largest)) - (uint64_t)toi_to_bits(about) +
                   (uint64_t)TOI_PACKED_OFF;
    *rest = (uint64_t)axis | (uint64_t)(largest < 0) << 2 | (off & (2 * TOI_PACKED_OFF - 1)) << 3;
    return about > 0.5 && about < 2 && off < 2 * TOI_PACKED_OFF;
}

// Returns false where the impact does not fit.
TOI_INLINE int toi_pack_impact(const toi_impact *impact, uint32_t *first,
                               uint64_t words[TOI_PACKED_WORDS])
{
    double others[2];
    uint64_t rest, second = (uint32_t)impact->b;
    int fits = toi_pack_normal(impact->normal, others, &rest);
    fits &= toi_pack_number(impact->time, &words[0]);
    fits &= toi_pack_number(impact->u, &words[1]);
    fits &= toi_pack_number(impact->v, &words[2]);
    fits &= toi_pack_number(fabs(others[0]), &words[3]);
    fits &= toi_pack_number(fabs(others[1]), &words[4]);
    fits &= second >> TOI_PACKED_SECOND == 0 && impact->a >= 0 && impact->state == TOI_HIT;
    fits &= impact->kind == TOI_VERTEX_FACE || impact->kind == TOI_EDGE_EDGE;
    // Seven bits are left in each of three words, and six, after a sign, in the last two.
    *first = (uint32_t)impact->a | (impact->kind == TOI_EDGE_EDGE ? 0x80000000u : 0);
    for (int i = 0; i < 3; ++i)
        words[i] |= (second >> (7 * i)) << 57;
    words[3] |=
        (uint64_t)(toi_to_bits(others[0]) < 0) << 57 | (second >> 21) << 58 | (rest & 3) << 62;
    words[4] |= (uint64_t)(toi_to_bits(others[1]) < 0) << 57 | (rest >> 2) << 58;
    return fits;
}
#endif

TOI_INLINE toi_words toi_unpack_number(toi_words word)
{
    toi_words packed = word & TOI_PACKED_REST;
    return packed + (TOI_WORDS_TEST(packed != 0) & TOI_PACKED_BASE);
}

TOI_INLINE toi_real toi_number_of_words(toi_words words)
{
    toi_real x;
    memcpy(&x, &words, sizeof x);
    return x;
}

// The eight words of an impact.
TOI_INLINE void toi_unpack_words(toi_words first, const toi_words words[TOI_PACKED_WORDS],
                                 toi_words impact[8])
{
    toi_words x = toi_unpack_number(words[3]), y = toi_unpack_number(words[4]), about;
    toi_words axis = words[3] >> 62, sign = (words[3] & 0) + ((uint64_t)1 << 63);
    toi_real rest = toi_rest_of_unit(toi_number_of_words(x), toi_number_of_words(y));
    memcpy(&about, &rest, sizeof about);
    toi_words largest = (about + (words[4] >> 59) - TOI_PACKED_OFF) | (words[4] << 5 & sign);
    x |= words[3] << 6 & sign;
    y |= words[4] << 6 & sign;
    toi_words is_x = TOI_WORDS_TEST(axis == 0), is_z = TOI_WORDS_TEST(axis == 2);
    toi_words second =
        words[0] >> 57 | words[1] >> 57 << 7 | words[2] >> 57 << 14 | (words[3] >> 58 & 15) << 21;
    impact[0] = first >> 31 | (first & 0x7fffffff) << 32;
    impact[1] = second | (uint64_t)TOI_HIT << 32;
    for (int i = 0; i < 3; ++i)
        impact[2 + i] = toi_unpack_number(words[i]);
    impact[5] = (is_x & largest) | (~is_x & x);
    impact[6] = (is_x & x) | (is_z & y) | (~(is_x | is_z) & largest);
    impact[7] = (is_z & largest) | (~is_z & y);
}

#if TOI_LANES == 1
TOI_INLINE toi_impact toi_unpack_impact(const toi_packed_impacts *group, int i)
{
    uint64_t words[TOI_PACKED_WORDS], fields[8];
    toi_impact impact;
    for (int k = 0; k < TOI_PACKED_WORDS; ++k)
        words[k] = group->words[k][i];
    toi_unpack_words(group->firsts[i], words, fields);
    memcpy(&impact, fields, sizeof impact);
    return impact;
}
#endif

#endif
